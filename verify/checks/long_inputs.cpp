#include "verify/checks/long_inputs.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "verify/checks/laid_out.h"
#include "verify/checks/long_inputs_numbers.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"
#include "verify/plugin/c_operator.h"

namespace notape::verify {
namespace {

/// Of this process, so that a busy machine does not cut lengths off.
double process_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double largest(const Tensor& tensor) {
  return tensor.numel() == 0 ? 0 : number(tensor.detach().abs().max());
}
/// Zeros instead of infinities and what is no number.
Tensor finite_part(const Tensor& tensor) {
  return where(tensor.abs() < HUGE_VAL, tensor, zeros_like(tensor));
}
/// Whether two tensors are the same but for roundings.
bool is_close(const Tensor& a, const Tensor& b) {
  if (!(a.sizes() == b.sizes())) return false;
  const double relative = a.dtype() != kFloat64 ? 0x1p-14 : 0x1p-30;
  return largest(a.detach() - b.detach()) <= relative * std::max(largest(a), largest(b));
}
Tensor indices(const std::vector<int64_t>& index) {
  Tensor result = empty({static_cast<int64_t>(index.size())}, dtype(kInt64));
  std::copy(index.begin(), index.end(), result.data_ptr<int64_t>());
  return result;
}

}  // namespace

LongInputs::LongInputs(const Subject& subject, LongDims dims)
    : subject_(subject),
      dims_(std::move(dims)),
      points_(points_of(subject, dims_)),
      pattern_(subject, points_.values.size()) {
  for (std::size_t a = 0; a < dims_.size(); ++a)
    if (dims_[a] >= 0)
      rows_ = subject.drawn.arguments[a].argument.sizes[static_cast<std::size_t>(dims_[a])];
  const EnableGradGuard recording;
  classify();
  if (kind_ == Kind::Unknown || kind_ == Kind::Other) return;
  for (std::size_t k = 0; k < points_.values.size(); ++k) pieces_.push_back(piece(k, rows_));
}

int64_t LongInputs::entries_at(int64_t length) const {
  int64_t most = 0;
  for (std::size_t a = 0; a < dims_.size(); ++a)
    if (dims_[a] >= 0)
      most += static_cast<int64_t>(subject_.drawn.arguments[a].values.size()) / rows_ * length;
  return most;
}

double LongInputs::results_at(int64_t length) const {
  return results_ * std::pow(static_cast<double>(length) / static_cast<double>(rows_), growth_);
}

LongInputs::Piece LongInputs::piece(std::size_t point, int64_t rows) const {
  Piece result;
  result.inputs = subject_.inputs(0, Placement::Contiguous, &points_.values[point]);
  variable_list active;
  for (std::size_t a = 0; a < result.inputs.size(); ++a) {
    Tensor& input = result.inputs[a];
    if (dims_[a] >= 0) input = input.narrow(dims_[a], 0, rows).clone();
    if (!subject_.drawn.arguments[a].is_real()) continue;
    active.push_back(input.requires_grad_(true));
  }
  result.output = subject_.drawn.op.call(result.inputs);
  const bool is_rows = kind_ == Kind::Rows;
  result.incoming = subject_.output_tensor(points_.incoming[is_rows ? point : 0]);
  if (is_rows && rows != rows_)
    result.incoming =
        result.incoming.narrow(output_dim_, 0, result.output.size(output_dim_)).clone();
  result.gradients.resize(result.inputs.size());
  if (!result.output.requires_grad()) return result;
  const auto found = autograd::grad({result.output}, active, {result.incoming}, false, false, true);
  for (std::size_t i = 0; i < found.size(); ++i)
    result.gradients[subject_.real_arguments()[i]] = found[i];
  return result;
}

Tensor LongInputs::put_together(int64_t length, int64_t dim,
                                const std::function<Tensor(const Piece&)>& part,
                                int64_t rows_per_piece) const {
  variable_list parts;
  for (const Piece& one : pieces_) parts.push_back(part(one));
  std::vector<int64_t> index;
  for (std::size_t c = 0; c < copies(length); ++c) {
    const auto k = static_cast<int64_t>(pattern_[c]);
    for (int64_t i = 0; i < rows_per_piece; ++i) index.push_back(k * rows_per_piece + i);
  }
  Tensor whole = cat(parts, dim).index_select(dim, indices(index).to(parts[0].device()));
  return tail_rows_ > 0 ? cat({whole, part(tail_)}, dim) : whole;
}

double LongInputs::weight(int64_t rows, int64_t length) const {
  return kind_ == Kind::Mean ? static_cast<double>(rows) / static_cast<double>(length) : 1;
}

Tensor LongInputs::added_up(int64_t length, const std::function<Tensor(const Piece&)>& part) const {
  std::vector<double> times(pieces_.size(), 0);
  for (std::size_t c = 0; c < copies(length); ++c) times[pattern_[c]] += weight(rows_, length);
  Tensor sum = part(pieces_[0]) * times[0];
  for (std::size_t k = 1; k < pieces_.size(); ++k) sum = sum + part(pieces_[k]) * times[k];
  if (tail_rows_ > 0) sum = sum + part(tail_) * weight(tail_rows_, length);
  return sum;
}

variable_list LongInputs::inputs_at(int64_t length) const {
  variable_list inputs = subject_.inputs(0);
  std::vector<variable_list> at;
  for (const auto& values : points_.values)
    at.push_back(subject_.inputs(0, Placement::Contiguous, &values));
  std::vector<int64_t> index;
  for (int64_t row = 0; row < length; ++row) {
    const std::size_t copy = static_cast<std::size_t>(row / rows_);
    const auto k = static_cast<int64_t>(pattern_[copy]);
    index.push_back(k * rows_ + row % rows_);
  }
  for (std::size_t a = 0; a < inputs.size(); ++a) {
    if (dims_[a] < 0) continue;
    variable_list parts;
    for (const variable_list& one : at) parts.push_back(one[a]);
    inputs[a] = cat(parts, dims_[a]).index_select(dims_[a], indices(index).to(parts[0].device()));
  }
  return inputs;
}

/// By twice the size.
void LongInputs::classify() {
  const NoGradGuard no_grad;
  const auto at = [&](int64_t copy) {
    const std::size_t k = pattern_[static_cast<std::size_t>(copy)];
    return subject_.drawn.op.call(subject_.inputs(0, Placement::Contiguous, &points_.values[k]));
  };
  const Tensor one = at(0), other = at(1), both = subject_.drawn.op.call(inputs_at(2 * rows_));
  kind_ = Kind::Other;
  results_ = static_cast<double>(one.numel());
  if (results_ > 0) growth_ = std::log2(static_cast<double>(both.numel()) / results_);
  if (one.dim() != both.dim()) return;
  int64_t longer = 0;
  for (int64_t d = 0; d < one.dim(); ++d) {
    if (one.size(d) == both.size(d)) continue;
    ++longer;
    output_dim_ = d;
  }
  if (longer > 1) return;
  if (longer == 1) {
    if (one.size(output_dim_) % rows_ == 0 && is_close(cat({one, other}, output_dim_), both))
      kind_ = Kind::Rows;
  } else if (is_close(one + other, both)) {
    kind_ = Kind::Sum;
  } else if (is_close((one + other) * 0.5, both)) {
    kind_ = Kind::Mean;
  }
}

/// What is rows put together up to thousands of them is so beyond.
std::string LongInputs::fault_of_value_at(int64_t length, const Tensor& output) {
  was_of_pieces_ = was_of_pieces_ || (is_of_pieces_ && length > 0);
  was_not_ = was_not_ || (!is_of_pieces_ && length <= kShortLengths[5]);
  if (is_of_pieces_ || kind_ != Kind::Rows || length <= kShortLengths[5] || !was_of_pieces_ ||
      was_not_)
    return "";
  const Tensor wanted = of_pieces(length, [](const Piece& one) { return one.output.detach(); });
  const Tensor off = finite_part((output.detach() - wanted).abs()).reshape({-1});
  const auto entry = static_cast<int64_t>(number(off.argmax(0)));
  const auto at = [&](const Tensor& tensor) {
    return number_text(number(tensor.detach().reshape({-1}).select(0, entry)), subject_.dtype);
  };
  return format_message(
      "for {} rows the result is not that of its pieces, as it is for {}: at {} it is {}, that of "
      "its piece {}",
      {length, kShortLengths[5], coordinates(output.sizes().vec(), static_cast<std::size_t>(entry)),
       at(output), at(wanted)});
}

std::string LongInputs::fault_at(int64_t length) {
  const double start = process_seconds();
  is_of_pieces_ = true;
  std::string fault = fault_of_pieces_at(length);
  seconds_ = process_seconds() - start;
  const bool is_excused = !fault.empty() && reads_behind(length);
  if (!is_excused && (!fault.empty() || is_of_pieces_)) return fault;
  // What takes whole blocks takes a power of two.
  const auto whole = static_cast<int64_t>(power_of_two_below(static_cast<double>(length)));
  if (whole < length && whole > rows_) return fault_at(whole);
  if (is_excused) unjudged_.push_back(length);
  return "";
}

std::string LongInputs::fault_of_pieces_at(int64_t length) {
  const EnableGradGuard recording;
  if (length == 0 && kind_ != Kind::Rows && kind_ != Kind::Sum) return "";
  variable_list inputs = inputs_at(length);
  if (kind_ == Kind::Other) return is_c_operator() ? "" : judge_by_slope(length, inputs);
  for (std::size_t a : subject_.real_arguments()) inputs[a].requires_grad_(true);
  tail_rows_ = length % rows_;
  if (tail_rows_ > 0) tail_ = piece(pattern_[copies(length)], tail_rows_);
  Tensor output;
  try {
    output = subject_.drawn.op.call(inputs);
  } catch (const std::exception&) {
    over_ = length > 0;  // it takes none so long; one that takes none at all may take many
    return "";
  }
  // Another value is no wrong one: something may depend on all rows. Then only the slope can tell.
  is_of_pieces_ =
      is_close(of_pieces(length, [](const Piece& one) { return one.output.detach(); }), output);
  if (std::string fault = fault_of_value_at(length, output); !fault.empty()) return fault;
  if (!is_of_pieces_) return length == 0 || is_c_operator() ? "" : judge_by_slope(length, inputs);
  if (!output.requires_grad()) return "";
  const Tensor incoming = kind_ == Kind::Rows
                              ? of_pieces(length, [](const Piece& one) { return one.incoming; })
                              : pieces_[0].incoming;
  const Call call{length, inputs, incoming};
  variable_list gradients;
  try {
    gradients = gradients_of(call, output);
  } catch (const Error& error) {
    if (broadcasts() || is_c_operator()) {
      over_ = length > 0;
      return "";
    }
    return format_message("it takes {} rows, and its backward raises an error for them: {}",
                          {length, error.what_without_backtrace()});
  }
  for (std::size_t a : subject_.real_arguments()) {
    if (!gradients[a].defined() || !pieces_[0].gradients[a].defined()) continue;
    std::string fault = fault_of_gradient(call, a, gradients[a]);
    if (!fault.empty()) return fault;
  }
  return "";
}

bool LongInputs::is_c_operator() const { return ways_of(subject_.spec) > 0; }

bool LongInputs::broadcasts() const {
  if (rows_ != 1) return false;
  for (std::size_t a : subject_.real_arguments()) {
    const std::vector<int64_t>& sizes = subject_.drawn.arguments[a].argument.sizes;
    if (std::count(sizes.begin(), sizes.end(), 1) > (dims_[a] >= 0 ? 1 : 0)) return true;
  }
  return false;
}

Tensor LongInputs::of_pieces(int64_t length,
                             const std::function<Tensor(const Piece&)>& part) const {
  if (kind_ != Kind::Rows) return added_up(length, part);
  return put_together(length, output_dim_, part, pieces_[0].output.size(output_dim_));
}

variable_list LongInputs::gradients_of(const Call& call, const Tensor& output) const {
  variable_list gradients(call.inputs.size());
  // In blocks, authors take for granted that numbers are contiguous.
  const bool strided = call.length % 2 == 1 && output.dim() > 0;
  const Tensor root = strided ? with_incoming_layout(output, {.kind = Layout::Kind::Step}) : output;
  const auto found =
      autograd::grad({root}, subject_.active_of(call.inputs), {call.incoming}, true, false, true);
  for (std::size_t i = 0; i < found.size(); ++i) gradients[subject_.real_arguments()[i]] = found[i];
  return gradients;
}

std::string LongInputs::fault_of_gradient(const Call& call, std::size_t a,
                                          const Tensor& got) const {
  const int64_t length = call.length;
  const auto part = [&](const Piece& one) { return one.gradients[a]; };
  const auto weighted = [&](const Piece& one) {
    const int64_t rows = one.inputs[a].size(dims_[a]);
    return one.gradients[a] * weight(rows, length);
  };
  const auto size = [&](const Piece& one) { return one.gradients[a].abs(); };
  const Tensor wanted =
      dims_[a] >= 0 ? put_together(length, dims_[a], weighted, rows_) : added_up(length, part);
  const double scale = largest(finite_part(dims_[a] >= 0 ? wanted : added_up(length, size)));
  if (!(got.sizes() == wanted.sizes()))
    return format_message("for {} rows the gradient of argument {} has sizes {} instead of {}",
                          {length, a, to_string(got.sizes()), to_string(wanted.sizes())});
  if (got.numel() == 0) return "";
  const Tensor off = where(got == wanted, zeros_like(got), (got - wanted).abs());
  const double relative = subject_.dtype != kFloat64 ? 0x1p-8 : 0x1p-16;
  if (largest(off) <= relative * scale) return "";
  const auto entry = static_cast<int64_t>(number(off.reshape({-1}).argmax(0)));
  const auto at = [&](const Tensor& tensor) {
    return number(tensor.reshape({-1}).select(0, entry));
  };
  if (length > 0 &&
      !is_confirmed_by_slope(call.inputs, call.incoming, a, entry, at(wanted), at(got)))
    return "";
  // Terms that cancel leave roundings, other ones in a longer loop.
  const auto again = [&](double factor) {
    variable_list inputs = call.inputs;
    for (std::size_t k : subject_.real_arguments())
      inputs[k] = (inputs[k].detach() * factor).requires_grad_(true);
    const Tensor output = subject_.drawn.op.call(inputs);
    return autograd::grad({output}, {inputs[a]}, {call.incoming})[0];
  };
  Numbers rounding = spread_over_modes([&] { return Numbers{at(again(1))}; }, {at(got)});
  if (!modes_reach(subject_.device))  // inputs beside these round in other ways
    for (const double steps : {-8, -6, -4, -2, 2, 4, 6, 8})
      rounding.push_back(largest(again(1 + steps * epsilon_of(subject_.dtype)) - got.detach()));
  const double most = rounding.empty() ? 0 : *std::max_element(rounding.begin(), rounding.end());
  if (at(off) <= kRoundingsApart * most) return "";
  return format_message(
      "for {} rows the gradient of argument {} is wrong at {}: it is {}, that of its pieces {}",
      {length, a, coordinates(got.sizes().vec(), static_cast<std::size_t>(entry)),
       number_text(at(got), subject_.dtype), number_text(at(wanted), subject_.dtype)});
}

std::string LongInputs::slope_fault_at(int64_t length) {
  if (length == rows_ || is_c_operator()) return "";
  // What has indices into the dimension, perhaps not even as an input, takes no shorter one.
  if (length < rows_ && kind_ == Kind::Other) return "";
  try {
    const EnableGradGuard recording;
    std::string fault = judge_by_slope(length, inputs_at(length));
    if (fault.empty() || !reads_behind(length)) return fault;
    unjudged_.push_back(length);
    return "";
  } catch (const std::exception&) {
    return "";
  }
}

bool LongInputs::reads_behind(int64_t length) const {
  const NoGradGuard no_grad;
  const variable_list inputs = inputs_at(length);
  const auto value_before = [&](double what) {
    variable_list moved = inputs;
    for (std::size_t a = 0; a < inputs.size(); ++a) {
      if (dims_[a] < 0) continue;
      const auto behind = static_cast<int64_t>(subject_.drawn.arguments[a].values.size()) + 64;
      const int64_t count = inputs[a].numel();
      Tensor memory = empty({count + behind}, dtype(kFloat64));
      for (int64_t i = 0; i < behind; ++i)
        memory.data_ptr<double>()[count + i] =
            what +
            keyed_bits(subject_.drawn.key, kLongStream, static_cast<std::size_t>(i)) * 0x1p-34;
      memory = memory.to(inputs[a].device(), inputs[a].dtype());
      memory.narrow(0, 0, count).copy_(inputs[a].reshape({-1}));
      moved[a] = memory.narrow(0, 0, count).view(inputs[a].sizes());
    }
    return subject_.drawn.op.call(moved);
  };
  const auto is_same = [](const Tensor& a, const Tensor& b) {
    const Tensor a_number = a == a, b_number = b == b;
    return is_close(finite_part(a), finite_part(b)) &&
           numbers_of(a_number.to(kFloat64)) == numbers_of(b_number.to(kFloat64));
  };
  try {
    // Threads that add in any order are no reason.
    const Tensor one = value_before(-3), again = value_before(-3);
    if (!is_same(one, again)) return false;
    for (const double what : {-1.2, -0.4, 0.3, 0.9, 2.7})
      if (!is_same(one, value_before(what))) return true;
    return false;
  } catch (const std::exception&) {
    return false;  // what is judged are gradients
  }
}

}  // namespace notape::verify
