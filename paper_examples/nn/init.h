// First values of parameters: LibTorch's torch::nn::init, with the formulas of the papers that
// proposed them. Each fills the tensor in place, unrecorded, and returns it. fan_in is the number
// of inputs that one output sees, fan_out the number of outputs that one input goes to: of a weight
// (out, in, k...) in k... and out k... . All throw UndefinedTensor; what needs a fan throws
// ShapeError for less than two dimensions.
#pragma once
#include "autograd/autograd.h"

namespace notape::nn::init {

enum class Nonlinearity { Linear, Conv1D, Conv2D, Conv3D, Sigmoid, Tanh, ReLU, LeakyReLU };
enum class FanMode { FanIn, FanOut };

/// While one lives, the functions of this header that fill tensors do nothing on this thread: the
/// tensors keep whatever is in their memory. For a model that gets its state from a file, or that
/// is only asked for sizes. Untouched memory costs nothing. (torch.nn.utils.skip_init)
class SkipGuard {
 public:
  SkipGuard();
  ~SkipGuard();
  SkipGuard(const SkipGuard&) = delete;
  SkipGuard& operator=(const SkipGuard&) = delete;
};

/// By how much the nonlinearity lowers the standard deviation of what passes it: 1, 5/3 for tanh,
/// sqrt(2) for relu, sqrt(2 / (1 + param^2)) for leaky_relu of that slope.
double calculate_gain(Nonlinearity nonlinearity, double param = 0.01);

Tensor constant_(const Tensor& tensor, Scalar value);
Tensor zeros_(const Tensor& tensor);
Tensor ones_(const Tensor& tensor);
/// In [low, high).
Tensor uniform_(const Tensor& tensor, double low = 0, double high = 1);
Tensor normal_(const Tensor& tensor, double mean = 0, double std = 1);
/// Normal, drawn again where it is beyond [low, high].
Tensor trunc_normal_(const Tensor& tensor, double mean = 0, double std = 1, double low = -2,
                     double high = 2);
/// Of two dimensions: the identity, as far as it goes.
Tensor eye_(const Tensor& tensor);
/// Uniform in +-gain sqrt(6 / (fan_in + fan_out)). (Glorot and Bengio 2010)
Tensor xavier_uniform_(const Tensor& tensor, double gain = 1);
/// Normal of deviation gain sqrt(2 / (fan_in + fan_out)).
Tensor xavier_normal_(const Tensor& tensor, double gain = 1);
/// Uniform in +-gain sqrt(3 / fan), with the gain of the nonlinearity for slope a. (He et al. 2015)
Tensor kaiming_uniform_(const Tensor& tensor, double a = 0, FanMode mode = FanMode::FanIn,
                        Nonlinearity nonlinearity = Nonlinearity::LeakyReLU);
/// Normal of deviation gain / sqrt(fan).
Tensor kaiming_normal_(const Tensor& tensor, double a = 0, FanMode mode = FanMode::FanIn,
                       Nonlinearity nonlinearity = Nonlinearity::LeakyReLU);
/// gain times a matrix (first size, all others) with orthonormal rows or columns, whichever are
/// fewer: Q of normal numbers. (Saxe et al. 2014)
Tensor orthogonal_(const Tensor& tensor, double gain = 1);

struct Fans {
  int64_t in, out;
};
Fans calculate_fans(const Tensor& weight);

/// What LibTorch's layers begin with: uniform in +-1 / sqrt(fan_in), which is kaiming_uniform_ with
/// a = sqrt(5).
Tensor uniform_by_fan_in_(const Tensor& tensor, int64_t fan_in);
Tensor uniform_by_fan_in(IntArrayRef size, int64_t fan_in);

}  // namespace notape::nn::init
