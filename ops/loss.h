// Losses: not members of Tensor, as in LibTorch. A Reduction makes one number of their terms, the
// mean or the sum, or leaves them. A mean of nothing is NaN.
#pragma once
#include "ops/at.h"

namespace notape {

/// LibTorch's functions take a number for it, so it is made of one and becomes one.
class Reduction {
 public:
  enum Kind : int64_t { None, Mean, Sum };
  constexpr Reduction(Kind kind) : kind_(kind) {}
  /// Throws ValueError unless the number is one of these.
  template <WholeNumber T>
  constexpr Reduction(T number) : kind_(static_cast<Kind>(int64_t{Integer(number)})) {
    if (kind_ < None || kind_ > Sum)
      throw ValueError("{} is not a valid value for reduction", int64_t{kind_});
  }
  constexpr operator Kind() const { return kind_; }

 private:
  Kind kind_;
};

/// -weight[t] input[t] at the target class t, whatever the other entries are: input (N, C) or (C)
/// or (N, C, d1, ...) floating log-probabilities, target class numbers (N), () or (N, d1, ...) of
/// dtype int64 or uint8 -> the target's shape, or (). `weight` (C), 1 if undefined, scales classes
/// and has no derivative (DerivativeNotImplemented); targets equal to `ignore_index` contribute
/// nothing. Mean divides by the sum of the weights used. Throws IndexError for another target
/// outside [0, C), ShapeError, DtypeError, DeviceError, UndefinedTensor.
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                Reduction reduction = Reduction::Mean, Integer ignore_index = -100,
                At at = At::current());
/// nll_loss of log_softmax over the class dimension, of the same arguments and errors; input are
/// scores, not log-probabilities. Its gradient does not vanish where the largest probability is
/// nearly 1 (LibTorch's does). With label_smoothing s, between 0 and 1 (ValueError), targets count
/// as (1 - s) target + s / C for C classes. A floating target is a distribution over the classes,
/// of the input's shape (ShapeError), with a derivative of its own; Mean then divides by the number
/// of distributions, and ignore_index must be negative (ValueError).
Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                     Reduction reduction = Reduction::Mean, Integer ignore_index = -100,
                     double label_smoothing = 0, At at = At::current());
/// cross_entropy by ATen's name.
inline Tensor cross_entropy_loss(const Tensor& self, const Tensor& target,
                                 const Tensor& weight = {}, Reduction reduction = Reduction::Mean,
                                 Integer ignore_index = -100, double label_smoothing = 0,
                                 At at = At::current()) {
  return cross_entropy(self, target, weight, reduction, ignore_index, label_smoothing, at);
}
/// (input - target)^2, broadcast (with a warning; LibTorch's is nn::MSELoss's) and promoted;
/// d/dinput = 2 (input - target) = -d/dtarget. Integers count as float32; LibTorch refuses them.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::Mean,
                At at = At::current());

// Operands of the following broadcast (ShapeError) and promote unless it says otherwise;
// integers count as float32. Numbers of 16 bits are computed in float32 and rounded once.

/// |input - target|;  d/dinput = sign(input - target) = -d/dtarget: 0 at 0. (LibTorch gives
/// integers for integers, and refuses their mean.)
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::Mean,
               At at = At::current());
/// With z = input - target: z^2 / (2 beta) where |z| < beta, else |z| - beta / 2;  d/dinput =
/// clamp(z / beta, -1, 1) = -d/dtarget. beta 0 is l1_loss; a negative one ValueError.
/// LibTorch refuses integers.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      Reduction reduction = Reduction::Mean, double beta = 1,
                      At at = At::current());
/// With z = input - target: z^2 / 2 where |z| < delta, else delta (|z| - delta / 2);  d/dinput =
/// clamp(z, -delta, delta) = -d/dtarget. Throws ValueError unless delta > 0. LibTorch refuses
/// integers.
Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::Mean,
                  double delta = 1, At at = At::current());
/// -weight (target log(input) + (1 - target) log(1 - input)) of probabilities, both logarithms cut
/// off at -100;  d/dinput = weight (input - target) / max(input (1 - input), 1e-12), also where a
/// logarithm is cut off, and there are derivatives by target and by weight (LibTorch: not by
/// weight). Its own derivative is exact where input = target is 0 or 1 (LibTorch's is 0). The
/// target broadcasts to the input where neither's dimensions of size 1 count, and weight, 1 if
/// undefined, as usual (ShapeError; nn::BCELoss wants one shape). input and target have one
/// floating dtype (DtypeError). Throws ValueError for an input outside [0, 1], or NaN, on the CPU;
/// elsewhere the loss is NaN.
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                            Reduction reduction = Reduction::Mean, At at = At::current());
/// binary_cross_entropy of sigmoid(input), from scores: weight (pos_weight target softplus(-input)
/// + (1 - target) softplus(input));  d/dinput = weight ((1 - target) sigmoid(input) - pos_weight
/// target sigmoid(-input)), without cancellation. weight and pos_weight are 1 if undefined, and
/// like input broadcast to target (ShapeError; nn::BCEWithLogitsLoss wants input and target of one
/// shape).
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const Tensor& weight = {}, const Tensor& pos_weight = {},
                                        Reduction reduction = Reduction::Mean,
                                        At at = At::current());
/// target (log(target) - input) of log-probabilities and probabilities, -0 input where target is 0;
/// with log_target e^target (target - input);  d/dinput = -target,  d/dtarget = log(target) + 1 -
/// input, where at 0 the first two are left out (LibTorch: NaN). Mean is over all entries, not over
/// the batch. Below 0 a target gives NaN.
Tensor kl_div(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::Mean,
              bool log_target = false, At at = At::current());
/// input where target is 1, max(margin - input, 0) where it is -1, the sum of both for others;  d =
/// 0 for the second at the margin. No derivative by target.
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin = 1,
                            Reduction reduction = Reduction::Mean, At at = At::current());
/// max(margin - target (input1 - input2), 0), 0 at the kink as its derivative. All with as many
/// dimensions (ShapeError).
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin = 0, Reduction reduction = Reduction::Mean,
                           At at = At::current());
/// log(1 + e^(-target input)), without overflow (LibTorch: infinite from -88 on in float32). The
/// target broadcasts to the input (ShapeError).
Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                        Reduction reduction = Reduction::Mean, At at = At::current());
/// e^input - target input for the logarithm of a rate, or without log_input: input - target
/// log(input + eps) for the rate. full adds target log(target) - target + log(2 pi target) / 2
/// where target > 1.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input = true,
                        bool full = false, double eps = 1e-8, Reduction reduction = Reduction::Mean,
                        At at = At::current());
/// 1 - c where target is 1, max(c - margin, 0) where it is -1, with the cosine c of input1 and
/// input2: (N, D), (N, D), (N), or (D), (D), () (ShapeError). Squared lengths count 1e-12 more.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin = 0, Reduction reduction = Reduction::Mean,
                             At at = At::current());
/// max(d(anchor, positive) - d(anchor, negative) + margin, 0) for vectors along the last dimension
/// and d = pairwise_distance; with swap d(positive, negative) if that is smaller. All with as many
/// dimensions (ShapeError).
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin = 1, double p = 2, double eps = 1e-6, bool swap = false,
                           Reduction reduction = Reduction::Mean, At at = At::current());
/// The p-norm of x1 - x2 + eps over the last dimension, broadcast; where that is 0 its derivative
/// is 0. Of several largest with p infinite the first has the gradient (LibTorch: all,
/// evenly); p 0 counts what is not 0 and has no derivative.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2, double eps = 1e-6,
                         bool keepdim = false, At at = At::current());
/// The cosine of x1 and x2 along dim, broadcast: their product over their lengths, which count at
/// least eps, and have derivative 0 below it (LibTorch's goes on there).
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, Integer dim = 1, double eps = 1e-8,
                         At at = At::current());

/// The distances |x1_i - x2_j|_p of each row of x1 (.., n, d) from each of x2 (.., m, d): (.., n,
/// m), batches broadcast; p >= 0 (ValueError), 0 counts entries that differ, inf takes the largest.
/// The gradient of a distance 0 is 0. compute_mode, 0 to 2, changes nothing here (LibTorch: whether
/// by a matrix product). Floating dtypes.
Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2,
             std::optional<Integer> compute_mode = {}, At at = At::current());
/// -log of the sum of the probabilities of all alignments (Graves et al. 2006): log_probs (T, N, C)
/// or (T, C), targets (N, S) or all in one row (sum of target_lengths), without blanks, lengths (N)
/// -> (N) or (). Mean divides each by its target's length, at least 1, first. An impossible
/// alignment gives inf, with zero_infinity 0 and gradient 0. Throws ShapeError, DtypeError,
/// ValueError for lengths out of range, IndexError for a target or a blank that is no class.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                IntArrayRef target_lengths, Integer blank = 0,
                Reduction reduction = Reduction::Mean, bool zero_infinity = false,
                At at = At::current());
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, Integer blank = 0,
                Reduction reduction = Reduction::Mean, bool zero_infinity = false,
                At at = At::current());

}  // namespace notape
