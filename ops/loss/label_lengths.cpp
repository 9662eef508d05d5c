#include "ops/loss/label_lengths.h"

#include "autograd/batching/batched_tensor.h"
#include "autograd/tensor/core_operators.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"

namespace notape {
namespace {

/// int64, row-major and on the CPU.
std::vector<int64_t> entries_of(const Tensor& numbers) {
  const Tensor values = raw_contiguous(core_operators->convert(numbers, kInt64, kCPU));
  const int64_t* data = values.impl().data_as<int64_t>();
  return {data, data + values.numel()};
}

void check_lengths(const Operation& op, const char* name, IntArrayRef lengths, int64_t batch,
                   int64_t most) {
  if (static_cast<int64_t>(lengths.size()) != batch)
    op.fail<ShapeError>("{} must be of size batch_size, {}, got {}", name, batch, lengths.size());
  for (const int64_t length : lengths) {
    if (length < 0)
      op.fail<ValueError>("expected {} to have value at least 0, but got value {}", name, length);
    if (length > most)
      op.fail<ValueError>("expected {} to have value at most {}, but got value {}", name, most,
                          length);
  }
}

}  // namespace

LabelLengths label_lengths(const Operation& op, const Tensor& log_probs, IntArrayRef input_lengths,
                           IntArrayRef target_lengths) {
  const int64_t batch = log_probs.dim() == 3 ? log_probs.size(1) : 1;
  check_lengths(op, "input_lengths", input_lengths, batch, log_probs.size(0));
  // So many labels that no tensor could hold them are no labels.
  check_lengths(op, "target_lengths", target_lengths, batch, std::numeric_limits<int32_t>::max());
  LabelLengths result{input_lengths.vec(), target_lengths.vec()};
  result.most_labels = *std::max_element(result.labels.begin(), result.labels.end());
  return result;
}

std::vector<int64_t> length_values(const Operation& op, const char* name, const Tensor& lengths) {
  check_operand(op, lengths);
  if (!is_integral(lengths.dtype()) || lengths.dtype() == kBool)
    op.fail<DtypeError>("{} must be integral, got {}", name, name_of(lengths.dtype()));
  if (lengths.dim() > 1)
    op.fail<ShapeError>("{} must have one dimension, got size {}", name,
                        to_string(lengths.sizes()));
  if (is_batched(lengths)) op.fail<BatchingNotImplemented>("{} would differ between samples", name);
  return entries_of(lengths);
}

void check_labels(const Operation& op, const Tensor& labels, int64_t classes) {
  const Tensor plain = is_batched(labels) ? with_batch_dims(labels, levels_of(labels), labels.dim())
                                          : raw_alias(labels, labels.impl().geometry());
  for (const int64_t label : entries_of(plain))
    if (label < 0 || label >= classes)
      op.fail<IndexError>("target {} is out of bounds for {} classes", label, classes);
}

}  // namespace notape
