// ctc_loss(log_probs, targets)[n] = -log of the probability of all ways to spread target n over the
// first T_n steps, with blanks where one likes and between equal labels (Graves et al. 2006). Of
// its labels with blanks around each, e = blank, l_1, blank, ..., l_S, blank, the first t steps
// have
//   a_t[s] = log_probs[t, e[s]] + log(exp a_{t-1}[s] + exp a_{t-1}[s-1] + exp a_{t-1}[s-2]),
// the last only where e[s] is not e[s-2], and the loss is -log(exp a_T[2S] + exp a_T[2S-1]). Made
// of logsumexp and gather, which carry derivatives of every order. LibTorch's gradient takes
// log_probs for a result of log_softmax; through log_softmax both are the same.
#include "autograd/batching/batched_tensor.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/index.h"
#include "ops/loss.h"
#include "ops/loss/label_lengths.h"
#include "ops/loss/terms.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// What stands for the logarithm of no probability. It is finite, for of nothing but -inf not even
/// the weights in a logsumexp are numbers; beside any other it has weight 0.
constexpr double kNever = -1e30;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

TensorOptions beside(const Tensor& tensor, ScalarType type) {
  return TensorOptions(type).device(tensor.device().of_samples());
}

void check_ctc_loss(const Operation& op, const Tensor& log_probs, const Tensor& targets,
                    int64_t blank) {
  check_operand(op, log_probs);
  check_operand(op, targets);
  if (!log_probs.is_floating_point())
    op.fail<DtypeError>("log_probs should be floating, got {}", name_of(log_probs.dtype()));
  if (!is_integral(targets.dtype()) || targets.dtype() == kBool)
    op.fail<DtypeError>("targets must be integral, got {}", name_of(targets.dtype()));
  if (log_probs.dim() != 2 && log_probs.dim() != 3)
    op.fail<ShapeError>("log_probs should have 2 or 3 dimensions, got size {}",
                        to_string(log_probs.sizes()));
  if (log_probs.numel() == 0) op.fail<ShapeError>("log_probs tensor must not be empty");
  if (targets.dim() != 1 && targets.dim() != 2)
    op.fail<ShapeError>("expected targets of 1 or 2 dimensions, got size {}",
                        to_string(targets.sizes()));
  if (blank < 0 || blank >= log_probs.size(-1))
    op.fail<IndexError>("blank must be in label range [0, {}), got {}", log_probs.size(-1), blank);
}

void check_targets(const Operation& op, const Tensor& targets, const LabelLengths& lengths) {
  if (targets.dim() == 1) {
    if (targets.size(0) != lengths.all_labels())
      op.fail<ShapeError>("expected targets of size [{}], the sum of target_lengths, got {}",
                          lengths.all_labels(), to_string(targets.sizes()));
    return;
  }
  if (targets.size(0) != lengths.batch() || targets.size(1) < lengths.most_labels)
    op.fail<ShapeError>("expected targets of size [{}, {}] or wider, got {}", lengths.batch(),
                        lengths.most_labels, to_string(targets.sizes()));
}

/// (N, S) in int64, `blank` beyond a target's length.
Tensor padded_labels(const Operation& op, const Tensor& targets, const LabelLengths& lengths,
                     int64_t blank, int64_t classes) {
  const int64_t count = lengths.batch(), most = lengths.most_labels;
  std::vector<int64_t> places, beyond;
  int64_t first = 0;
  for (const int64_t length : lengths.labels) {
    for (int64_t s = 0; s < most; ++s) {
      places.push_back(s < length ? first + s : 0);
      beyond.push_back(s >= length);
    }
    first += length;
  }
  const auto there = [&](const std::vector<int64_t>& numbers) {
    return to(reshape(tensor(numbers, TensorOptions(kInt64)), {count, most}, op.at),
              targets.device().of_samples(), op.at);
  };
  const Tensor drawn_up =
      targets.dim() == 2
          ? narrow(targets, 1, 0, most, op.at)
          : reshape(index_select(targets, 0, reshape(there(places), {-1}, op.at), op.at),
                    {count, most}, op.at);
  const Tensor labels =
      masked_fill(to(drawn_up, kInt64, op.at), ne(there(beyond), 0, op.at), blank, op.at);
  check_labels(op, labels, classes);
  return labels;
}

/// (N, 2 S + 1): the labels with blanks around each.
Tensor with_blanks(const Tensor& labels, int64_t blank, At at) {
  const int64_t count = labels.size(0), most = labels.size(1);
  const Tensor blanks = full({count, most + 1}, blank, beside(labels, kInt64));
  if (most == 0) return blanks;
  const Tensor pairs = stack({labels, narrow(blanks, 1, 1, most, at)}, 2, at);
  return cat({narrow(blanks, 1, 0, 1, at), reshape(pairs, {count, 2 * most}, at)}, 1, at);
}

/// (N, L, 3): which of e[s-2], e[s-1] and e[s] do not lead to e[s] = extended[:, s].
Tensor forbidden(const Tensor& extended, At at) {
  const int64_t count = extended.size(0), length = extended.size(1);
  const Tensor other = full({count, 2}, -1, beside(extended, kInt64));
  const Tensor before = narrow(cat({other, extended}, 1, at), 1, 0, length, at);
  const Tensor same = eq(before, extended, at);
  const Tensor none = zeros({count, length}, beside(extended, kBool));
  return stack({same, none, none}, 2, at);
}

/// a_t of each sample's last step, (N, 2 + L): two places in front from which nothing comes, of
/// which the second is where all begins.
Tensor last_states(const Tensor& log_probs, const Tensor& extended, const LabelLengths& lengths,
                   At at) {
  const int64_t count = extended.size(0), length = extended.size(1), steps = lengths.most_steps();
  const TensorOptions options = beside(log_probs, log_probs.dtype());
  const Tensor edge = full({count, 2}, kNever, options);
  Tensor state = cat({full({count, 1}, kNever, options), zeros({count, 1}, options),
                      full({count, length}, kNever, options)},
                     1, at);
  const Tensor barred = forbidden(extended, at);
  const TensorList emissions =
      unbind(gather(narrow(log_probs, 0, 0, steps, at), 2,
                    expand(unsqueeze(extended, 0, at), {steps, count, length}, at), at),
             0, at);
  const Tensor until = to(reshape(tensor(lengths.steps, TensorOptions(kInt64)), {count, 1}, at),
                          options.device(), at);
  for (int64_t t = 0; t < steps; ++t) {
    const Tensor before = masked_fill(unfold(state, 1, 3, 1, at), barred, kNever, at);
    const Tensor now =
        add(emissions[static_cast<std::size_t>(t)], logsumexp(before, 2, false, at), 1, at);
    const Tensor next = cat({edge, now}, 1, at);
    state = t < lengths.fewest_steps() ? next : where(gt(until, t, at), next, state, at);
  }
  return state;
}

/// (N)
Tensor loss_of_each(const Tensor& log_probs, const Tensor& labels, const LabelLengths& lengths,
                    int64_t blank, bool zero_infinity, At at) {
  const Tensor state = last_states(log_probs, with_blanks(labels, blank, at), lengths, at);
  std::vector<int64_t> ends;
  for (const int64_t count : lengths.labels)
    ends.insert(ends.end(), {2 * count + 1, 2 * count + 2});
  const Tensor places = to(reshape(tensor(ends, TensorOptions(kInt64)), {lengths.batch(), 2}, at),
                           log_probs.device().of_samples(), at);
  const Tensor loss = neg(logsumexp(gather(state, 1, places, at), 1, false, at), at);
  // Where no way leads there is nothing that depends on log_probs.
  return masked_fill(loss, ge(loss, -kNever / 10, at), zero_infinity ? 0 : kInfinite, at);
}

Tensor reduced(const Tensor& terms, const LabelLengths& lengths, Reduction reduction,
               ScalarType type, At at) {
  if (reduction != Reduction::Mean) return reduced_terms(terms, reduction, type, at);
  std::vector<double> divisors;
  for (const int64_t count : lengths.labels)
    divisors.push_back(static_cast<double>(std::max<int64_t>(count, 1)));
  const Tensor each = tensor(divisors, beside(terms, terms.dtype()));
  return reduced_terms(div(terms, each, at), reduction, type, at);
}

Tensor loss_of(const Operation& op, const Tensor& log_probs, const Tensor& targets,
               const LabelLengths& lengths, int64_t blank, Reduction reduction,
               bool zero_infinity) {
  check_targets(op, targets, lengths);
  const Composite composite({&log_probs});
  const Promoted x = promoted({log_probs}, op.at);
  const bool single = log_probs.dim() == 2;
  const Tensor possible = masked_fill(x[0], eq(x[0], -kInfinite, op.at), kNever, op.at);
  const Tensor batch = single ? unsqueeze(possible, 1, op.at) : possible;
  const Tensor labels = to(padded_labels(op, targets, lengths, blank, batch.size(2)),
                           batch.device().of_samples(), op.at);
  const Tensor terms = loss_of_each(batch, labels, lengths, blank, zero_infinity, op.at);
  const Tensor result = reduced(terms, lengths, reduction, x.type, op.at);
  return single && reduction == Reduction::None ? squeeze(result, 0, op.at) : result;
}

struct Drawn {
  LabelLengths lengths;
  int64_t steps, classes, blank, width;
  bool single, in_one_row, zero_infinity;
  Reduction reduction;
};

/// The probability of a target of labels `extended` with blanks around, in the first `steps` steps.
template <typename T>
T plain_probability(const PlainTensor<T>& log_probs, const Drawn& d,
                    const std::vector<int64_t>& extended, std::size_t n) {
  const std::size_t length = extended.size(), count = d.lengths.steps.size();
  std::vector<T> state(length);  // before the first step all is at a place in front of the first
  for (std::size_t t = 0; t < static_cast<std::size_t>(d.lengths.steps[n]); ++t) {
    std::vector<T> next(length);
    for (std::size_t s = 0; s < length; ++s) {
      if (t == 0 && s < 2) next[s] = 1;
      for (std::size_t back = 0; t > 0 && back <= std::min<std::size_t>(s, 2); ++back)
        if (back < 2 || extended[s] != extended[s - 2]) next[s] += state[s - back];
      const std::size_t row = (t * count + n) * static_cast<std::size_t>(d.classes);
      next[s] *= math::exp(log_probs.values[row + static_cast<std::size_t>(extended[s])]);
    }
    state = std::move(next);
  }
  return length > 1 ? state[length - 1] + state[length - 2] : state[0];
}

template <typename T>
PlainTensor<T> ctc_loss_plain_loss(const PlainTensor<T>& log_probs, const PlainTensor<T>& targets,
                                   const Drawn& d) {
  PlainTensor<T> result({d.lengths.batch()});
  std::size_t first = 0;
  for (std::size_t n = 0; n < result.values.size(); ++n) {
    const auto count = static_cast<std::size_t>(d.lengths.labels[n]);
    if (!d.in_one_row) first = n * static_cast<std::size_t>(d.width);
    std::vector<int64_t> extended = {d.blank};
    int64_t least = 0, before = -1;
    for (std::size_t s = 0; s < count; ++s) {
      const auto label = static_cast<int64_t>(targets.values[first + s]);
      extended.insert(extended.end(), {label, d.blank});
      least += label == before ? 2 : 1;
      before = label;
    }
    first += count;
    if (least > d.lengths.steps[n]) continue;  // impossible: 0
    result.values[n] = -math::log(plain_probability(log_probs, d, extended, n));
    if (d.reduction == Reduction::Mean && count > 1) result.values[n] /= T(static_cast<int>(count));
  }
  result = plain_reduced_terms(result, d.reduction);
  if (d.single) result.sizes.clear();
  return result;
}

Tensor call_drawn(const variable_list& x, const Drawn& d, bool by_tensors) {
  const std::vector<int64_t>&steps = d.lengths.steps, &labels = d.lengths.labels;
  if (by_tensors)
    return ctc_loss(x[0], x[1], tensor(steps), tensor(labels), d.blank, d.reduction,
                    d.zero_infinity);
  return ctc_loss(x[0], x[1], steps, labels, d.blank, d.reduction, d.zero_infinity);
}

OpCase draw_ctc_loss(Draw& draw) {
  Drawn d{.lengths = {},
          .steps = draw.integer(1, 4),
          .classes = draw.integer(2, 3),
          .blank = 0,
          .width = 0,
          .single = draw.integer(0, 3) == 3,
          .in_one_row = draw.boolean(),
          .zero_infinity = draw.boolean(),
          .reduction = draw_reduction(draw)};
  d.blank = draw.integer(0, d.classes - 1);
  const int64_t count = d.single ? 1 : draw.integer(1, 2);
  for (int64_t n = 0; n < count; ++n) {
    d.lengths.steps.push_back(draw.integer(1, d.steps));
    // Half as many labels as steps are possible, whichever they are.
    const int64_t most = d.lengths.steps.back() / (d.zero_infinity ? 1 : 2);
    d.lengths.labels.push_back(draw.integer(0, most));
    d.lengths.most_labels = std::max(d.lengths.most_labels, d.lengths.labels.back());
  }
  d.width = d.lengths.most_labels + (d.in_one_row ? 0 : draw.integer(0, 1));
  const bool by_tensors = draw.boolean();
  OpCase one;
  one.label = format_message(
      "{}, steps={}, labels={}, blank={}{}{}",
      {name_of(d.reduction), to_string(IntArrayRef(d.lengths.steps)),
       to_string(IntArrayRef(d.lengths.labels)), d.blank, d.in_one_row ? ", in one row" : "",
       d.zero_infinity ? ", zero_infinity" : ""});
  one.arguments = {{.sizes = d.single ? std::vector<int64_t>{d.steps, d.classes}
                                      : std::vector<int64_t>{d.steps, count, d.classes},
                    .domain = {.low = -3, .high = 0}},
                   Argument::index(d.in_one_row ? std::vector<int64_t>{d.lengths.all_labels()}
                                                : std::vector<int64_t>{count, d.width},
                                   d.classes)};
  one.call = [=](const variable_list& x) { return call_drawn(x, d, by_tensors); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return ctc_loss_plain_loss(x[0], x[1], d);
  };
  return one;
}

const RegisterOp ctc_loss_row(op_row("ctc_loss", "loss", draw_ctc_loss,
                                     Trait::Locates | Trait::Accumulates));

}  // namespace

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                IntArrayRef target_lengths, Integer blank, Reduction reduction, bool zero_infinity,
                At at) {
  const Operation op("ctc_loss", at);
  check_ctc_loss(op, log_probs, targets, blank);
  return loss_of(op, log_probs, targets,
                 label_lengths(op, log_probs, input_lengths, target_lengths), blank, reduction,
                 zero_infinity);
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, Integer blank, Reduction reduction,
                bool zero_infinity, At at) {
  const Operation op("ctc_loss", at);
  check_ctc_loss(op, log_probs, targets, blank);
  const std::vector<int64_t> steps = length_values(op, "input_lengths", input_lengths),
                             labels = length_values(op, "target_lengths", target_lengths);
  return loss_of(op, log_probs, targets, label_lengths(op, log_probs, steps, labels), blank,
                 reduction, zero_infinity);
}

}  // namespace notape
