#include "verify/alias/operations.h"

#include <cmath>

#include "ops/ops.h"

namespace notape::verify::alias {
namespace {

constexpr auto one = [](double, double, double) { return 1.0; };
constexpr auto zero = [](double, double, double) { return 0.0; };
constexpr auto number = [](double, double, double k) { return k; };

const UnaryOp kUnary[] = {
    {"add", true, [](double x, double k) { return x + k; }, one,
     [](const Tensor& x, double k) { return x.add(k); }, [](Tensor& x, double k) { x.add_(k); }},
    {"sub", true, [](double x, double k) { return x - k; }, one,
     [](const Tensor& x, double k) { return x.sub(k); }, [](Tensor& x, double k) { x.sub_(k); }},
    {"mul", true, [](double x, double k) { return x * k; }, number,
     [](const Tensor& x, double k) { return x.mul(k); }, [](Tensor& x, double k) { x.mul_(k); }},
    {"div", true, [](double x, double k) { return x / k; },
     [](double, double, double k) { return 1 / k; },
     [](const Tensor& x, double k) { return x.div(k); }, [](Tensor& x, double k) { x.div_(k); }},
    {"neg", false, [](double x, double) { return -x; }, [](double, double, double) { return -1.0; },
     [](const Tensor& x, double) { return x.neg(); }, [](Tensor& x, double) { x.neg_(); }},
    {"square", false, [](double x, double) { return x * x; },
     [](double x, double, double) { return 2 * x; },
     [](const Tensor& x, double) { return x.square(); }, [](Tensor& x, double) { x.square_(); },
     Saves::Input, /*grows_by_square=*/true},
    {"relu", false, [](double x, double) { return x > 0 ? x : 0.0; },
     [](double, double y, double) { return y > 0 ? 1.0 : 0.0; },
     [](const Tensor& x, double) { return x.relu(); }, [](Tensor& x, double) { x.relu_(); },
     Saves::Output},
    {"abs", false, [](double x, double) { return std::fabs(x); },
     [](double x, double, double) { return x > 0   ? 1.0
                                           : x < 0 ? -1.0
                                                   : 0.0; },
     [](const Tensor& x, double) { return x.abs(); }, [](Tensor& x, double) { x.abs_(); },
     Saves::Input},
    {"clone", false, [](double x, double) { return x; }, one,
     [](const Tensor& x, double) { return x.clone(); }, nullptr},
    {"fill", true, [](double, double k) { return k; }, zero, nullptr,
     [](Tensor& x, double k) { x.fill_(k); }, Saves::Nothing, false, false, /*forgets=*/true},
    {"zero", false, [](double, double) { return 0.0; }, zero, nullptr,
     [](Tensor& x, double) { x.zero_(); }, Saves::Nothing, false, false, /*forgets=*/true},
    {"tanh", false, [](double x, double) { return std::tanh(x); },
     [](double, double y, double) { return 1 - y * y; },
     [](const Tensor& x, double) { return x.tanh(); }, [](Tensor& x, double) { x.tanh_(); },
     Saves::Output, false, /*real_only=*/true},
    {"sigmoid", false, [](double x, double) { return 1 / (1 + std::exp(-x)); },
     [](double, double y, double) { return y * (1 - y); },
     [](const Tensor& x, double) { return x.sigmoid(); }, [](Tensor& x, double) { x.sigmoid_(); },
     Saves::Output, false, /*real_only=*/true},
    {"exp", false, [](double x, double) { return std::exp(x); },
     [](double, double y, double) { return y; }, [](const Tensor& x, double) { return x.exp(); },
     [](Tensor& x, double) { x.exp_(); }, Saves::Output, false, /*real_only=*/true},
    {"sin", false, [](double x, double) { return std::sin(x); },
     [](double x, double, double) { return std::cos(x); },
     [](const Tensor& x, double) { return x.sin(); }, [](Tensor& x, double) { x.sin_(); },
     Saves::Input, false, /*real_only=*/true},
};

const BinaryOp kBinary[] = {
    {"add", true, [](double x, double y, double k) { return x + k * y; }, one, number,
     [](const Tensor& x, const Tensor& y, double k) { return x.add(y, k); },
     [](Tensor& x, const Tensor& y, double k) { x.add_(y, k); }},
    {"sub", true, [](double x, double y, double k) { return x - k * y; }, one,
     [](double, double, double k) { return -k; },
     [](const Tensor& x, const Tensor& y, double k) { return x.sub(y, k); },
     [](Tensor& x, const Tensor& y, double k) { x.sub_(y, k); }},
    {"mul", false, [](double x, double y, double) { return x * y; },
     [](double, double y, double) { return y; }, [](double x, double, double) { return x; },
     [](const Tensor& x, const Tensor& y, double) { return x.mul(y); },
     [](Tensor& x, const Tensor& y, double) { x.mul_(y); }, Saves::Input, /*multiplies=*/true},
    {"copy", false, [](double, double y, double) { return y; }, zero, one, nullptr,
     [](Tensor& x, const Tensor& y, double) { x.copy_(y); }},
};

}  // namespace

std::span<const UnaryOp> unary_ops() { return kUnary; }
std::span<const BinaryOp> binary_ops() { return kBinary; }

}  // namespace notape::verify::alias
