#include "verify/checks/grown.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "verify/checks/laid_out.h"
#include "verify/numeric/direction.h"

namespace notape::verify {
namespace {

constexpr uint32_t kStream = (1 << 30) + 1;

double number(const Tensor& tensor) { return numbers_of(tensor).at(0); }
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
  const double relative = a.dtype() == kFloat32 ? 0x1p-14 : 0x1p-30;
  return largest(a.detach() - b.detach()) <= relative * std::max(largest(a), largest(b));
}
Tensor indices(const std::vector<int64_t>& index) {
  Tensor result = empty({static_cast<int64_t>(index.size())}, dtype(kInt64));
  std::copy(index.begin(), index.end(), result.data_ptr<int64_t>());
  return result;
}
/// Exact at x; NaN where the difference is none.
double apart(const Tensor& plus, const Tensor& minus, const Tensor& v) {
  return number(((plus - minus) * v).sum());
}

}  // namespace

Grown::Grown(const Subject& subject, Stretching dims)
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

int64_t Grown::entries_at(int64_t length) const {
  int64_t most = 0;
  for (std::size_t a = 0; a < dims_.size(); ++a)
    if (dims_[a] >= 0)
      most += static_cast<int64_t>(subject_.drawn.arguments[a].values.size()) / rows_ * length;
  return most;
}

Grown::Piece Grown::piece(std::size_t point, int64_t rows) const {
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

Tensor Grown::put_together(int64_t length, int64_t dim,
                           const std::function<Tensor(const Piece&)>& part,
                           int64_t rows_per_piece) const {
  variable_list parts;
  for (const Piece& one : pieces_) parts.push_back(part(one));
  std::vector<int64_t> index;
  for (std::size_t c = 0; c < copies(length); ++c) {
    const auto k = static_cast<int64_t>(pattern_[c]);
    for (int64_t i = 0; i < rows_per_piece; ++i) index.push_back(k * rows_per_piece + i);
  }
  Tensor whole = cat(parts, dim).index_select(dim, indices(index));
  return tail_rows_ > 0 ? cat({whole, part(tail_)}, dim) : whole;
}

double Grown::weight(int64_t rows, int64_t length) const {
  return kind_ == Kind::Mean ? static_cast<double>(rows) / static_cast<double>(length) : 1;
}

Tensor Grown::added_up(int64_t length, const std::function<Tensor(const Piece&)>& part) const {
  std::vector<double> times(pieces_.size(), 0);
  for (std::size_t c = 0; c < copies(length); ++c) times[pattern_[c]] += weight(rows_, length);
  Tensor sum = part(pieces_[0]) * times[0];
  for (std::size_t k = 1; k < pieces_.size(); ++k) sum = sum + part(pieces_[k]) * times[k];
  if (tail_rows_ > 0) sum = sum + part(tail_) * weight(tail_rows_, length);
  return sum;
}

variable_list Grown::inputs_at(int64_t length) const {
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
    inputs[a] = cat(parts, dims_[a]).index_select(dims_[a], indices(index));
  }
  return inputs;
}

/// By twice the size.
void Grown::classify() {
  const NoGradGuard no_grad;
  const auto at = [&](int64_t copy) {
    const std::size_t k = pattern_[static_cast<std::size_t>(copy)];
    return subject_.drawn.op.call(subject_.inputs(0, Placement::Contiguous, &points_.values[k]));
  };
  const Tensor one = at(0), other = at(1), both = subject_.drawn.op.call(inputs_at(2 * rows_));
  kind_ = Kind::Other;
  if (one.dim() != both.dim()) return;
  int64_t grown = 0;
  for (int64_t d = 0; d < one.dim(); ++d) {
    if (one.size(d) == both.size(d)) continue;
    ++grown;
    output_dim_ = d;
  }
  if (grown > 1) return;
  if (grown == 1) {
    if (one.size(output_dim_) % rows_ == 0 && is_close(cat({one, other}, output_dim_), both))
      kind_ = Kind::Rows;
  } else if (is_close(one + other, both)) {
    kind_ = Kind::Sum;
  } else if (is_close((one + other) * 0.5, both)) {
    kind_ = Kind::Mean;
  }
}

std::string Grown::fault_at(int64_t length) {
  const std::string fault = fault_of_pieces_at(length);
  return fault.empty() || reads_behind(length) ? "" : fault;
}

std::string Grown::fault_of_pieces_at(int64_t length) {
  const EnableGradGuard recording;
  if (length == 0 && kind_ != Kind::Rows && kind_ != Kind::Sum) return "";
  variable_list inputs = inputs_at(length), active;
  if (kind_ == Kind::Other) return judge_by_slope(length, inputs);
  for (std::size_t a : subject_.real_arguments()) active.push_back(inputs[a].requires_grad_(true));
  tail_rows_ = length % rows_;
  if (tail_rows_ > 0) tail_ = piece(pattern_[copies(length)], tail_rows_);
  Tensor output;
  try {
    output = subject_.drawn.op.call(inputs);
  } catch (const std::exception&) {
    over_ = length > 0;  // it takes none so long; one that takes none at all may take many
    return "";
  }
  const bool is_rows = kind_ == Kind::Rows;
  const int64_t per_piece = is_rows ? pieces_[0].output.size(output_dim_) : 0;
  const auto result = [](const Piece& one) { return one.output.detach(); };
  const Tensor expected =
      is_rows ? put_together(length, output_dim_, result, per_piece) : added_up(length, result);
  // Another value is no wrong one: something may depend on all rows. Then only the slope can tell.
  if (!is_close(expected, output)) return length == 0 ? "" : judge_by_slope(length, inputs);
  if (!output.requires_grad()) return "";
  const Tensor incoming =
      is_rows ? put_together(
                    length, output_dim_, [](const Piece& one) { return one.incoming; }, per_piece)
              : pieces_[0].incoming;
  variable_list gradients(inputs.size());
  try {
    // Blocks are where authors take for granted that numbers lie one behind the other.
    const bool strided = length % 2 == 1 && output.dim() > 0;
    const Tensor root =
        strided ? with_incoming_layout(output, {.kind = Layout::Kind::Step}) : output;
    const auto found = autograd::grad({root}, active, {incoming}, true, false, true);
    for (std::size_t i = 0; i < found.size(); ++i)
      gradients[subject_.real_arguments()[i]] = found[i];
  } catch (const Error& error) {
    return format_message("it takes {} rows, and its backward raises an error for them: {}",
                          {length, error.what_without_backtrace()});
  }
  for (std::size_t a : subject_.real_arguments()) {
    if (!gradients[a].defined() || !pieces_[0].gradients[a].defined()) continue;
    const auto part = [&](const Piece& one) { return one.gradients[a]; };
    const auto weighted = [&](const Piece& one) {
      const int64_t rows = one.inputs[a].size(dims_[a]);
      return one.gradients[a] * weight(rows, length);
    };
    const auto size = [&](const Piece& one) { return one.gradients[a].abs(); };
    const Tensor wanted =
        dims_[a] >= 0 ? put_together(length, dims_[a], weighted, rows_) : added_up(length, part);
    const double scale = largest(finite_part(dims_[a] >= 0 ? wanted : added_up(length, size)));
    const Tensor got = gradients[a];
    if (!(got.sizes() == wanted.sizes()))
      return format_message("for {} rows the gradient of argument {} has sizes {} instead of {}",
                            {length, a, to_string(got.sizes()), to_string(wanted.sizes())});
    if (got.numel() == 0) continue;
    const Tensor off = where(got == wanted, zeros_like(got), (got - wanted).abs());
    const double relative = subject_.dtype == kFloat32 ? 0x1p-8 : 0x1p-16;
    if (largest(off) <= relative * scale) continue;
    const auto entry = static_cast<int64_t>(number(off.reshape({-1}).argmax(0)));
    const auto at = [&](const Tensor& tensor) {
      return number(tensor.reshape({-1}).select(0, entry));
    };
    if (length > 0 && !is_confirmed_by_slope(inputs, incoming, a, entry, at(wanted), at(got)))
      continue;
    return format_message(
        "for {} rows the gradient of argument {} is wrong at {}: it is {}, that of its pieces {}",
        {length, a, coordinates(got.sizes().vec(), static_cast<std::size_t>(entry)),
         number_text(at(got), subject_.dtype), number_text(at(wanted), subject_.dtype)});
  }
  return "";
}

namespace {

/// In float64, constants of no kind.
variable_list as_doubles(const variable_list& inputs) {
  variable_list result;
  for (const Tensor& input : inputs)
    result.push_back(input.is_floating_point() ? input.detach().to(kFloat64) : input);
  return result;
}

}  // namespace

bool Grown::is_confirmed_by_slope(const variable_list& inputs, const Tensor& incoming,
                                  std::size_t argument, int64_t entry, double wanted,
                                  double got) const {
  const NoGradGuard no_grad;
  const variable_list x = as_doubles(inputs);
  const Tensor v = incoming.to(kFloat64);
  const double here = number(x[argument].reshape({-1}).select(0, entry));
  double slopes[2];
  for (int i = 0; i < 2; ++i) {
    const double step = std::ldexp(here == 0 ? 1 : power_of_two_below(std::abs(here)), -11 - 4 * i);
    const auto at = [&](double t) {
      variable_list moved = x;
      moved[argument] = x[argument].contiguous().clone();
      moved[argument].data_ptr<double>()[entry] += t;
      return subject_.drawn.op.call(moved);
    };
    slopes[i] = apart(at(step), at(-step), v) / (2 * step);
  }
  const double most = std::abs(std::isfinite(got) ? wanted - got : wanted) / 4;
  return std::abs(slopes[0] - slopes[1]) <= most && std::abs(slopes[1] - wanted) <= most;
}

std::string Grown::slope_fault_at(int64_t length) {
  if (length == rows_) return "";
  // What has indices into the dimension, perhaps not even as an input, takes no shorter one.
  if (length < rows_ && kind_ == Kind::Other) return "";
  try {
    const EnableGradGuard recording;
    const std::string fault = judge_by_slope(length, inputs_at(length));
    return fault.empty() || reads_behind(length) ? "" : fault;
  } catch (const std::exception&) {
    return "";
  }
}

bool Grown::reads_behind(int64_t length) const {
  const NoGradGuard no_grad;
  const variable_list inputs = inputs_at(length);
  const auto value_before = [&](double filling) {
    variable_list moved = inputs;
    for (std::size_t a = 0; a < inputs.size(); ++a) {
      if (dims_[a] < 0) continue;
      const auto behind = static_cast<int64_t>(subject_.drawn.arguments[a].values.size()) + 64;
      const int64_t count = inputs[a].numel();
      Tensor memory = full({count + behind}, filling, dtype(inputs[a].dtype()));
      memory.narrow(0, 0, count).copy_(inputs[a].reshape({-1}));
      moved[a] = memory.narrow(0, 0, count).view(inputs[a].sizes());
    }
    return numbers_of(subject_.drawn.op.call(moved));
  };
  try {
    const Numbers zeros = value_before(0), ones = value_before(1);
    return !std::equal(
        zeros.begin(), zeros.end(), ones.begin(), ones.end(),
        [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); });
  } catch (const std::exception&) {
    return false;  // what is judged are gradients
  }
}

/// Copies of one case tie; a little apart they do not.
Tensor Grown::untied(const Tensor& x, std::size_t argument) const {
  const Domain& domain = subject_.drawn.arguments[argument].argument.domain;
  Numbers values = numbers_of(x);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double share =
        0x1p-38 * keyed_bits(subject_.drawn.key, kStream + 8 + static_cast<uint32_t>(argument), i);
    values[i] += share * ((values[i] < domain.high ? domain.high : domain.low) - values[i]);
  }
  return make_tensor(values, x.sizes().vec(), x.dtype(), subject_.device);
}

/// <J^T v, u> against differences along u, which takes all entries along. A wrong block is a share
/// of that; what is wrong along one direction must be along another.
std::string Grown::judge_by_slope(int64_t length, const variable_list& given) {
  if (length == 0) return "";
  variable_list inputs = given, active;
  for (std::size_t a : subject_.real_arguments())
    active.push_back(inputs[a] = untied(given[a], a).requires_grad_(true));
  const Tensor output = subject_.drawn.op.call(inputs);
  if (!output.requires_grad() || output.numel() == 0) return "";
  const auto random = [&](const Tensor& like, uint32_t stream, bool signs) {
    Tensor result = empty(like.sizes(), dtype(kFloat64));
    for (int64_t i = 0; i < like.numel(); ++i) {
      const uint32_t bits =
          keyed_bits(subject_.drawn.key, kStream + stream, static_cast<std::size_t>(i));
      const double size = signs ? 1 : 0.5 + (bits >> 1) * 0x1p-31;
      result.data_ptr<double>()[i] = bits & 1 ? size : -size;
    }
    return result;
  };
  const Tensor v = random(output, 0, false);
  const auto gradients =
      autograd::grad({output}, active, {v.to(output.dtype())}, false, false, true);
  const NoGradGuard no_grad;
  const variable_list x = as_doubles(inputs);
  double slope = 0, claimed = 0;
  for (uint32_t direction = 1; direction <= 2; ++direction) {
    variable_list u(inputs.size());
    double sum = 0, squares = 0;
    Direction steps;
    for (std::size_t i = 0; i < active.size(); ++i) {
      const std::size_t a = subject_.real_arguments()[i];
      const double unit = power_of_two_below(typical_size(subject_.drawn.arguments[a].values));
      u[a] = random(inputs[a], 16 * direction + static_cast<uint32_t>(a), true) * unit;
      steps.parts.push_back(numbers_of(u[a]));
      if (!gradients[i].defined()) continue;
      const Tensor terms = gradients[i].to(kFloat64) * u[a];
      sum += number(terms.sum());
      squares += number((terms * terms).sum());
    }
    const double rms = std::sqrt(squares);
    if (!(rms > 0) || !std::isfinite(sum)) return "";
    const Tensor here = subject_.drawn.op.call(x);
    // Where values hardly move, roundings inside may be all that does.
    const double lost = 0x1p-24 * std::max(number((here * v).abs().sum()), 1.0);
    double slopes[3], kinks[3];
    for (int i = 0; i < 3; ++i) {
      const double step = std::ldexp(1, -13 - 3 * i);
      const auto at = [&](double t) {
        variable_list moved = x;
        for (std::size_t a : subject_.real_arguments()) moved[a] = x[a] + u[a] * t;
        return subject_.drawn.op.call(moved);
      };
      const Tensor above = at(step), below = at(-step);
      slopes[i] = apart(above, below, v) / (2 * step);
      kinks[i] = std::abs(apart(above, here, v) - apart(here, below, v)) / step;
    }
    const double coarse = std::abs(slopes[0] - slopes[1]), fine = std::abs(slopes[1] - slopes[2]);
    const double off = std::abs(sum - slopes[1]);
    const double steepest =
        std::max({std::abs(slopes[0]), std::abs(slopes[1]), std::abs(slopes[2])});
    const bool settled = std::max(coarse, fine) <= std::min(1e-5 * rms, 0.02 * steepest + lost) &&
                         fine <= coarse + lost;
    const bool smooth = kinks[2] <= std::max(1e-4 * rms, kinks[1] / 4);  // in an eighth of the step
    // What stands still may be rounded to float32 inside: then the steps hide so much.
    const double hidden = steepest == 0 ? std::ldexp(lost, 13) : 0;
    const auto allowed = hidden + static_cast<double>(subject_.allowance(steps, Wide(slopes[1])));
    if (!settled || !smooth || !(off > std::max(2e-3 * rms, lost) + allowed)) return "";
    slope = slopes[1];
    claimed = sum;
  }
  return format_message(
      "for {} rows the gradient gives {} along a direction, the numeric slope is {}",
      {length, number_text(claimed, kFloat32), number_text(slope, kFloat32)});
}

}  // namespace notape::verify
