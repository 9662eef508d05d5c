"""Where we differ from PyTorch on purpose, and why."""
import dataclasses
import fnmatch
import re


@dataclasses.dataclass
class Known:
    operators: str  # names with wildcards, separated by spaces; forms in place are their operators
    kinds: str
    reason: str
    variants: str = ""  # any
    ours: str = ""  # what the side's answer or message holds, as regular expressions
    theirs: str = ""
    where: object = None  # of the arguments
    rare: bool = False  # not met by a run of the default size, and not stale then

    def holds(self, difference, arguments):
        name = difference.operator
        return (any(fnmatch.fnmatch(name, one) or fnmatch.fnmatch(name, one + "_")
                    for one in self.operators.split())
                and difference.kind in self.kinds.split(", ")
                and (not self.variants or difference.variant in self.variants.split())
                and re.search(self.ours, difference.ours) is not None
                and re.search(self.theirs, difference.theirs) is not None
                and (self.where is None or self.where(arguments)))


def is_empty(arguments):
    return any(getattr(one, "numel", lambda: 1)() == 0 for one in arguments)


# ---- Where the same is asked for in another way, or not at all
FORMS = [
    Known("*", "torch error", "PyTorch refuses integer results of what requires a gradient",
          theirs="Autograd not support dtype"),
    Known("*", "error", "PyTorch asks for the dtype, or a kernel, only where there are elements",
          ours="(DtypeError|NoKernel)", where=is_empty),
    Known("all any", "shape", "an empty list of dimensions means all; PyTorch: none", ours=r"\[1*\]|\[(1, )*1\]",
          where=lambda arguments: arguments[1] == []),
    Known("logsumexp", "torch error", "of a vector PyTorch cannot take the empty list of dimensions",
          theirs="doesn't match the broadcast shape"),
    Known("var var_mean std std_mean", "gradient, second",
          "PyTorch's gradient of an empty list of dimensions, or of none, divides by a wrong number",
          where=lambda arguments: arguments[1:2] == [[]]),
    Known("embedding embedding_bag", "error", "there are no sparse gradients", ours="sparse"),
    Known("unique_consecutive", "value, shape, count", "what was not asked for is undefined"),
    Known("sum_to_size", "dtype, shares", "self itself if it has the size; PyTorch: sum() of a number"),
    Known("binary_cross_entropy_out", "value, shape, torch error",
          "PyTorch's takes out for the losses before they are reduced: it must have the input's shape"),
    Known("all_out any_out", "value", "into bytes PyTorch asks whether entries are 0 once they are bytes: 0.5 is",
          theirs="uint8", rare=True),
    Known("pow_out", "error", "PyTorch's pow of the number 1 fills out, of whatever dtype", ours="DtypeError", rare=True,
          where=lambda arguments: arguments[1] == 1),
    Known("pixel_shuffle pixel_unshuffle", "shares", "with a factor of 1 it is a view"),
    Known("native_dropout", "dtype", "the mask is bool for no elements, too"),
]

# ---- Checks that one side does not make
ERRORS = [
    Known("binary_cross_entropy margin_ranking_loss", "error",
          "checked as torch.nn.functional does, which aten leaves to it", ours="ShapeError"),
    Known("_weight_norm rnn_*_cell lstm_cell gru_cell rnn_tanh rnn_relu gru lstm", "error",
          "parameters and states have exactly the shapes that are documented", ours="ShapeError"),
    Known("rnn_tanh rnn_relu gru lstm", "error", "dropout is checked outside of training, too", ours="dropout"),
    Known("batch_norm group_norm instance_norm layer_norm", "error",
          "parameters and statistics are checked for no elements, too", ours="ShapeError", where=is_empty),
    Known("conv*", "error", "shapes and parameters are checked for no elements, too", ours="(Value|Shape)Error",
          where=is_empty),
    Known("adaptive_* upsample_* *pool* conv* im2col col2im", "torch error", "one number in a list counts for all dimensions",
          theirs="must be 2|equals to 2|must be 3|equals to 3|size 1"),
    Known("nll_loss", "error", "a target of one entry is no class of one sample", ours="Expected target size"),
    Known("repeat_interleave", "error", "output_size is checked for no elements, too", ours="output_size"),
    Known("hardtanh fmod remainder floor_divide", "error",
          "a negative number is refused for uint8, not wrapped around", ours="without overflow"),
    Known("addmm addmv baddbmm", "error", "PyTorch rounds floating factors of integers or bools",
          ours="must not be floating"),
    Known("index_put", "torch error", "values are converted", theirs="dtypes match"),
    Known("adaptive_* avg_pool* reflection_pad* replication_pad* im2col", "torch error",
          "PyTorch refuses some empty batches, channels or results", theirs="non-zero|smaller than kernel"),
    Known("addmv", "torch error", "PyTorch's gradients do not broadcast self", theirs="^first"),
    Known("scatter scatter_add scatter_reduce", "torch error",
          "PyTorch has no gradient for a source larger than the index",
          theirs="^first RuntimeError (Function Scatter|The size of tensor a)"),
    Known("pixel_shuffle pixel_unshuffle", "torch error, shape", "PyTorch's gradients of no elements fail"),
    Known("leaky_relu celu elu", "torch error", "in place a derivative that needs the input is no problem",
          theirs="In-place"),
    Known("feature_*dropout", "error", "channels are asked for with every p", ours="at least 2 dimensions"),
    Known("native_dropout", "torch error", "with p = 0 it is the input, of any dtype", theirs="be cast"),
    Known("linalg_cross cdist", "torch error", "operands promote", theirs="expected scalar type"),
    Known("linalg_qr", "error", "no derivative of more columns than rows, nor of all vectors", ours="DerivativeNotImplemented"),
    Known("slice_backward", "error", "the gradient has the shape of the part", ours="shape of the part"),
    Known("linalg_solve", "torch error", "nothing is asked of a singular matrix", theirs="singular", where=is_empty),
    Known("grid_sampler_2d", "error", "PyTorch takes any number for a mode", ours="must be 0"),
    Known("index_fill masked_fill eq ne lt le gt ge", "torch error", "PyTorch's gradient of a value of another dtype fails", theirs="INTERNAL ASSERT"),
    Known("clamp_min clamp_max", "error", "bools are not ordered in place, either", ours="Bool", variants="dtypes"),
    Known("nll_loss", "torch error", "weights of other dtypes are converted", theirs="expected scalar type"),
    Known("binary_cross_entropy_with_logits", "torch error", "the target broadcasts the other way, too",
          theirs="broadcast shape"),
    Known("kl_div addcdiv binary_cross_entropy_with_logits cosine_similarity", "torch error",
          "integers count as float32", theirs="Integral inputs|be cast|be floating point"),
    Known("soft_margin_loss", "torch error, dtype", "operands broadcast and promote"),
    Known("binary_cross_entropy_with_logits poisson_nll_loss", "dtype",
          "operands promote to one dtype before anything is computed", variants="dtypes", rare=True),
    Known("repeat_interleave", "torch error", "a number repeated along -1", theirs="Dimension out of range"),
]

# ---- What the first seeds do not find: met in runs of more of them
RARE_ERRORS = [
    Known("adaptive_avg_pool* affine_grid_generator", "error", "images without pixels are refused",
          ours="optional 0 dim|above 0", rare=True),
    Known("scaled_dot_product_attention scatter_add scatter fmod remainder floor_divide", "error",
          "shapes and numbers are checked for no elements, too", ours="(Shape|Value)Error", rare=True),
    Known("group_norm", "torch error", "PyTorch refuses no channels", theirs="channels", rare=True),
    Known("threshold masked_fill", "error, torch error", "PyTorch wraps -2 around and refuses -0.75 for uint8", rare=True),
    Known("upsample_* interpolate", "error", "floating dtypes only", ours="must be floating", rare=True),
    Known("take_along_dim", "error", "PyTorch misses an index out of range of a dimension of size 1",
          ours="out of bounds", rare=True),
    Known("huber_loss mse_loss cross_entropy", "torch error", "operands promote", theirs="dtype|scalar type", rare=True),
    Known("unique_consecutive interpolate cosine_similarity", "torch error", "a parameter that changes nothing",
          variants="parameter", rare=True),
    Known("binary_cross_entropy", "torch error", "a target that is no number is no error", variants="special", rare=True),
]

# ---- Dtypes
DTYPES = [
    Known("affine_grid_generator adaptive_avg_pool* avg_pool*", "error", "floating dtypes only",
          ours="must be floating point"),
    Known("einsum", "dtype, error", "operands have one dtype, which is that of the result"),
    Known("hinge_embedding_loss l1_loss", "dtype", "integers count as float32"),
    Known("cosine_embedding_loss triplet_margin_loss", "dtype", "which operands promote"),
    Known("feature_dropout feature_alpha_dropout alpha_dropout dropout bernoulli", "error",
          "integers in training are refused for every p", ours="DtypeError"),
    Known("instance_norm batch_norm", "error", "running statistics are floating", ours="should be floating"),
    Known("rnn_* gru* lstm*", "error", "floating dtypes only", ours="expected floating operands"),
    Known("index_add", "error", "a fraction is no factor of integers, as in add; PyTorch cuts it off", ours="alpha", rare=True),
    Known("im2col col2im", "error", "there are no sums of bools", ours="NoKernel", rare=True),
    Known("pairwise_distance", "value", "integers are float32 before they are subtracted", variants="dtypes"),
    Known("pow", "error", "bools have no powers in place", ours="Bool", variants="dtypes", rare=True),
]

# ---- Derivatives at kinks, ties and the ends of domains: the subgradient of least norm
DERIVATIVES = [
    Known("clamp clip", "gradient", "three that are equal share two and two; PyTorch: all to the input", variants="ties"),
    Known("scatter_reduce", "gradient", "PyTorch's gradient of a source larger than the index reads beyond it",
          variants="ties shape special plain"),
    Known("cdist", "gradient", "the derivative of |NaN| is 0", variants="special"),
    Known("ctc_loss", "gradient", "by log_probs; PyTorch gives the gradient by the scores of a log_softmax before it"),
    Known("maximum minimum max min fmax fmin clamp clamp_min clamp_max clip", "gradient",
          "at a tie with a constant nothing, of NaNs all to the NaN; PyTorch: 1/2, or to both"),
    Known("amin amax", "gradient", "NaN shares with NaN; PyTorch gives NaN to all", variants="special"),
    Known("leaky_relu prelu selu elu celu", "gradient, second", "at 0 the slope nearer to 0; PyTorch: the left one"),
    Known("hardtanh relu6 softshrink elu celu selu hardshrink", "gradient", "of NaN 0 where the value is constant, or NaN",
          variants="special parameter"),
    Known("log log2 log10 log1p acosh atanh", "gradient", "outside the domain NaN; PyTorch: a number"),
    Known("logit", "second", "at the ends infinite; PyTorch: NaN"),
    Known("logit", "value, gradient", "eps beyond 1/2 is clamp with min > max, and NaN bounds nothing",
          variants="parameter"),
    Known("copysign", "gradient, second", "0 at 0, and the sign alone at infinities; PyTorch: NaN"),
    Known("hypot atan2", "gradient, second", "0 where both are 0; PyTorch: NaN"),
    Known("linalg_vector_norm norm pairwise_distance", "gradient, second",
          "0 where the norm or an entry is 0, without overflow; PyTorch: NaN"),
    Known("binary_cross_entropy", "gradient", "the logarithm is clamped for the target's gradient, too"),
    Known("kl_div", "gradient", "0 log 0 has derivative 0 by the input; PyTorch: NaN"),
    Known("pow xlogy", "gradient, second", "0 or infinite where PyTorch multiplies 0 and infinity",
          variants="special ties parameter"),
    Known("fmod remainder", "gradient", "of quotients by 0 and of infinities", variants="special dtypes ties parameter"),
    Known("cumprod prod", "gradient", "without division, nor 0 times infinity", variants="special"),
    Known("hardsigmoid", "gradient", "PyTorch computes with 1/6 in float32"),
    Known("var var_mean", "second", "of too few numbers NaN"),
    Known("scatter index_put", "gradient", "a value that another one overwrote has gradient 0"),
    Known("_weight_norm", "second", "PyTorch's second derivative fails its own gradgradcheck"),
    Known("smooth_l1_loss huber_loss mse_loss", "gradient", "PyTorch divides the gradient of a broadcast target by its own number of entries",
          variants="shape"),
    Known("soft_margin_loss", "gradient", "PyTorch negates a target of uint8", variants="dtypes", rare=True),
    Known("margin_ranking_loss", "value", "PyTorch negates a target of uint8", variants="dtypes", rare=True),
    Known("margin_ranking_loss cosine_embedding_loss triplet_margin_loss bilinear elu", "gradient",
          "a slope of 0 counts before a factor that is not finite", variants="special parameter"),
    Known("rms_norm group_norm layer_norm cosine_similarity", "gradient, second", "what cancels to 0 but for rounding",
          variants="dtypes float32 ties"),
]

# ---- Values
VALUES = [
    Known("alpha_dropout feature_dropout feature_alpha_dropout dropout native_dropout", "value", "with p = 1 all is 0; PyTorch: 0 times it",
          variants="special"),
    Known("hardswish", "value", "of -inf 0; PyTorch: NaN", variants="special"),
    Known("upsample_nearest* interpolate", "value, gradient",
          "the scale is exact and counts always; PyTorch rounds it and forgets it for twice the size"),
    Known("upsample_bicubic2d upsample_bilinear2d upsample_linear1d interpolate", "value",
          "a neighbour of weight 0 is not read; PyTorch: 0 times it", variants="special"),
    Known("max_pool*_with_indices adaptive_max_pool*", "value", "of several NaNs the first; PyTorch: the last", variants="special"),
    Known("max_pool*_with_indices", "value", "a window of padding alone has index -1", variants="shape parameter",
          ours="-1"),
    Known("max_pool*", "gradient", "of several NaNs the first; PyTorch: the last", variants="special"),
    Known("searchsorted bucketize", "value", "NaN is the largest, and what is not sorted has no places",
          variants="special dtypes parameter"),
    Known("topk argsort sort median", "value, gradient, second", "of equal elements the first; PyTorch: any"),
    Known("scaled_dot_product_attention", "value", "a row in which all is masked is 0; PyTorch: NaN", variants="special"),
    Known("linalg_vector_norm norm pairwise_distance cosine_similarity", "value", "scaled where squares overflow", variants="special"),
    Known("addmm addmv baddbmm", "value", "factor 0 leaves its term out", variants="special",
          where=lambda arguments: 0 in arguments[3:]),
    Known("lerp", "value", "from infinite ends", variants="special"),
    Known("linalg_* inverse det slogdet", "value, gradient, second, error, torch error",
          "a matrix with an infinity is as one with NaN", variants="special"),
    Known("embedding_bag", "value", "the last offset ends the last bag; PyTorch goes on to the last index",
          variants="parameter", where=lambda arguments: arguments[7]),
    Known("linalg_eigh", "value", "eigenvectors have the sign that LAPACK gave them"),
    Known("ctc_loss", "value", "what is -inf has probability 0; PyTorch: NaN", variants="special"),
    Known("eq ne lt le gt ge", "value", "a number beyond the dtype's range is on one side of all; PyTorch wraps it around",
          variants="dtypes parameter", rare=True),
    Known("var_mean batch_norm instance_norm group_norm layer_norm bilinear std_mean", "value",
          "in two passes: other infinities and NaNs", variants="special"),
]

RARE_NUMBERS = [
    Known("*dropout rrelu", "value, gradient, error", "the numbers that are drawn are not the same",
          variants="parameter", rare=True),
    Known("gelu silu mish hardswish soft_margin_loss", "gradient", "the limits at infinities; PyTorch: NaN",
          variants="special", rare=True),
    Known("logcumsumexp addcdiv lerp binary_cross_entropy_with_logits scaled_dot_product_attention", "gradient, value",
          "in another order, which shows where numbers overflow", variants="special", rare=True),
    Known("poisson_nll_loss", "gradient", "Stirling's term of 0 has gradient 0 by what counts; PyTorch: NaN", rare=True),
    Known("_weight_norm", "gradient", "the length of nothing has no direction", variants="shape", rare=True),
    Known("max_pool*", "gradient", "a window of padding alone has no place for a gradient",
          variants="shape parameter", rare=True),
    Known("cosine_similarity", "gradient, value", "eps is a bound of the norms, also for the derivative and in 16 bits",
          variants="parameter dtypes", rare=True),
    Known("upsample_bi* upsample_linear1d", "value, gradient, second", "scales count also for the same size", rare=True),
    Known("triplet_margin_loss norm", "value", "norms of huge numbers and of nothing", rare=True),
]

KNOWN = FORMS + ERRORS + DTYPES + DERIVATIVES + VALUES + RARE_ERRORS + RARE_NUMBERS
