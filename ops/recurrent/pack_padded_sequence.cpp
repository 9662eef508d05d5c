// _pack_padded_sequence(x, lengths): the first samples of each step, as many as are so long, one
// step behind the other. _pad_packed_sequence: the reverse, with padding_value where nothing was.
// Slices and cat carry the derivatives; what no slice holds has gradient 0.
#include <numeric>

#include "autograd/batching/batched_tensor.h"
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/recurrent.h"
#include "ops/recurrent/packed.h"
#include "ops/recurrent/recurrent_spec.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

/// How many of `lengths`, longest first, are beyond each step.
std::vector<int64_t> sizes_of_steps(const std::vector<int64_t>& lengths) {
  std::vector<int64_t> sizes;
  for (auto samples = static_cast<int64_t>(lengths.size()); samples > 0; --samples)
    while (std::ssize(sizes) < lengths[static_cast<std::size_t>(samples - 1)])
      sizes.push_back(samples);
  return sizes;
}

/// And back.
std::vector<int64_t> lengths_of(const std::vector<int64_t>& batch_sizes) {
  return sizes_of_steps(batch_sizes);  // each is the other's conjugate partition
}

/// Visits the steps in runs of as many samples: visit(first step, steps, samples).
template <typename Visit>
void for_each_run(const std::vector<int64_t>& sizes, const Visit& visit) {
  for (std::size_t t = 0; t < sizes.size();) {
    std::size_t end = t;
    while (end < sizes.size() && sizes[end] == sizes[t]) ++end;
    visit(static_cast<int64_t>(t), static_cast<int64_t>(end - t), sizes[t]);
    t = end;
  }
}

/// The sizes of whole dimensions behind the first `given` ones.
DimVector with_front(const Tensor& tensor, std::size_t given,
                     std::initializer_list<int64_t> front) {
  DimVector sizes;
  for (const int64_t size : front) sizes.push_back(size);
  for (std::size_t d = given; d < tensor.sizes().size(); ++d) sizes.push_back(tensor.sizes()[d]);
  return sizes;
}

void check_sequences(const Operation& op, const Tensor& input, const std::vector<int64_t>& lengths,
                     bool batch_first) {
  if (input.dim() < 2)
    op.fail<ShapeError>("expected input with at least 2 dimensions, got size {}",
                        to_string(input.sizes()));
  const int64_t batch = input.size(batch_first ? 0 : 1), steps = input.size(batch_first ? 1 : 0);
  if (input.numel() == 0) op.fail<ShapeError>("cannot pack empty tensors");
  if (std::ssize(lengths) != batch)
    op.fail<ShapeError>(
        "expected `len(lengths)` to be equal to batch_size, but got {} "
        "(batch_size={})",
        lengths.size(), batch);
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    if (lengths[n] <= 0)
      op.fail<ValueError>("length of all samples has to be greater than 0, but found {}",
                          lengths[n]);
    if (n > 0 && lengths[n] > lengths[n - 1])
      op.fail<ValueError>("lengths must be sorted in decreasing order, but {} comes after {}",
                          lengths[n], lengths[n - 1]);
    if (lengths[n] > steps)
      op.fail<ValueError>("a length of {} is beyond the {} steps of the input", lengths[n], steps);
  }
}

struct DrawnSequences {
  std::vector<int64_t> lengths;
  int64_t steps, features;
  bool batch_first;

  int64_t batch() const { return std::ssize(lengths); }
  int64_t all() const { return std::accumulate(lengths.begin(), lengths.end(), int64_t{0}); }
  std::vector<int64_t> padded_sizes() const {
    if (batch_first) return {batch(), steps, features};
    return {steps, batch(), features};
  }
  /// visit(entry of the padded tensor, of the packed one)
  template <typename Visit>
  void for_each_entry(const Visit& visit) const {
    std::size_t packed = 0;
    for (int64_t t = 0; t < steps; ++t)
      for (int64_t n = 0; n < batch() && lengths[static_cast<std::size_t>(n)] > t; ++n)
        for (int64_t i = 0; i < features; ++i) {
          const int64_t row = batch_first ? n * steps + t : t * batch() + n;
          visit(static_cast<std::size_t>(row * features + i), packed++);
        }
  }
};

DrawnSequences draw_sequences(Draw& draw) {
  DrawnSequences s{draw_lengths(draw, 3), 0, draw.integer(1, 2), draw.boolean()};
  s.steps = s.lengths[0] + draw.integer(0, 1);
  return s;
}

OpCase draw_pack(Draw& draw) {
  const DrawnSequences s = draw_sequences(draw);
  OpCase one;
  one.label = to_string(IntArrayRef(s.lengths)) + (s.batch_first ? ", batch first" : "");
  one.arguments = {{.sizes = s.padded_sizes()}};
  one.call = [=](const variable_list& x) {
    return std::get<0>(_pack_padded_sequence(x[0], tensor(s.lengths), s.batch_first));
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result({s.all(), s.features});
    s.for_each_entry([&](std::size_t padded, std::size_t packed) {
      result.values[packed] = x[0].values[padded];
    });
    return result;
  };
  return one;
}

OpCase draw_pad(Draw& draw) {
  const DrawnSequences s = draw_sequences(draw);
  const double value = draw.real(-1, 1);
  const int64_t total = s.steps > s.lengths[0] ? s.steps : draw.integer(-1, 0);
  OpCase one;
  one.label = to_string(IntArrayRef(s.lengths)) + (s.batch_first ? ", batch first" : "") +
              format_message(", padding_value={}, total_length={}", {value, total});
  one.arguments = {{.sizes = {s.all(), s.features}}};
  one.call = [=](const variable_list& x) {
    const Tensor sizes = tensor(sizes_of_steps(s.lengths));
    return std::get<0>(_pad_packed_sequence(x[0], sizes, s.batch_first, value, total));
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(s.padded_sizes());
    for (T& entry : result.values) entry = value;
    s.for_each_entry([&](std::size_t padded, std::size_t packed) {
      result.values[padded] = x[0].values[packed];
    });
    return result;
  };
  return one;
}

const RegisterOp pack_row({.name = "_pack_padded_sequence",
                           .family = "recurrent",
                           .draw = draw_pack,
                           .traits = Trait::Slices});
const RegisterOp pad_row({.name = "_pad_packed_sequence",
                          .family = "recurrent",
                          .draw = draw_pad,
                          .traits = Trait::Pads});

}  // namespace

std::vector<int64_t> sequence_numbers(const Operation& op, const char* name,
                                      const Tensor& numbers) {
  check_operand(op, numbers);
  if (is_batched(numbers)) op.fail<BatchingNotImplemented>("{} would differ between samples", name);
  if (numbers.dtype() != kInt64)
    op.fail<DtypeError>("{} should be int64, got {}", name, name_of(numbers.dtype()));
  if (numbers.device() != kCPU)
    op.fail<DeviceError>("{} should be on the CPU, got {}", name, to_string(numbers.device()));
  if (numbers.dim() != 1)
    op.fail<ShapeError>("{} should have one dimension, got size {}", name,
                        to_string(numbers.sizes()));
  const Tensor row = raw_contiguous(numbers);
  const int64_t* data = row.impl().data_as<int64_t>();
  return {data, data + row.numel()};
}

std::vector<int64_t> packed_sizes(const Operation& op, const Tensor& data,
                                  const Tensor& batch_sizes) {
  check_operand(op, data);
  const std::vector<int64_t> sizes = sequence_numbers(op, "batch_sizes", batch_sizes);
  if (sizes.empty()) op.fail<ShapeError>("expected sequence length to be larger than 0");
  int64_t before = std::numeric_limits<int64_t>::max(), all = 0;
  for (const int64_t size : sizes) {
    if (size < 1 || size > before)
      op.fail<ValueError>("batch_sizes should be above 0 and not rise, got {}",
                          to_string(IntArrayRef(sizes)));
    before = size;
    all = size_sum(op, all, size);
  }
  if (data.dim() < 1 || data.size(0) != all)
    op.fail<ShapeError>("data should have {} rows, the sum of batch_sizes, but has size {}", all,
                        to_string(data.sizes()));
  return sizes;
}

std::tuple<Tensor, Tensor> _pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                                 bool batch_first, At at) {
  const Operation op("_pack_padded_sequence", at);
  check_operand(op, input);
  const std::vector<int64_t> counts = sequence_numbers(op, "lengths", lengths);
  check_sequences(op, input, counts, batch_first);
  const Composite composite({&input});
  const Tensor steps = batch_first ? transpose(input, 0, 1, at) : input;
  const std::vector<int64_t> sizes = sizes_of_steps(counts);
  TensorList runs;
  for_each_run(sizes, [&](int64_t first, int64_t count, int64_t samples) {
    const Tensor run = narrow(narrow(steps, 0, first, count, at), 1, 0, samples, at);
    runs.push_back(reshape(run, with_front(run, 2, {count * samples}), at));
  });
  return {cat(runs, 0, at), tensor(sizes)};
}

std::tuple<Tensor, Tensor> _pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes,
                                                bool batch_first, Scalar padding_value,
                                                Integer total_length, At at) {
  const Operation op("_pad_packed_sequence", at);
  const std::vector<int64_t> sizes = packed_sizes(op, data, batch_sizes);
  const int64_t batch = sizes[0], longest = std::ssize(sizes);
  if (total_length > 0 && total_length < longest)
    op.fail<ValueError>(
        "expected total_length to be at least the length of the longest sequence in input, but got "
        "total_length={} and max sequence length being {}",
        total_length, longest);
  check_fits(op, padding_value, data.dtype());
  const Composite composite({&data});
  const auto padding = [&](int64_t steps, int64_t samples) {
    return full(with_front(data, 1, {steps, samples}), padding_value,
                TensorOptions(data.dtype()).device(data.device().of_samples()));
  };
  TensorList runs;
  int64_t row = 0;
  for_each_run(sizes, [&](int64_t, int64_t count, int64_t samples) {
    const Tensor run = reshape(narrow(data, 0, row, count * samples, at),
                               with_front(data, 1, {count, samples}), at);
    runs.push_back(samples < batch ? cat({run, padding(count, batch - samples)}, 1, at) : run);
    row += count * samples;
  });
  if (total_length > longest) runs.push_back(padding(total_length - longest, batch));
  const Tensor steps = cat(runs, 0, at);
  return {batch_first ? transpose(steps, 0, 1, at) : steps, tensor(lengths_of(sizes))};
}

}  // namespace notape
