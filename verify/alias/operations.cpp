#include "verify/alias/operations.h"
#include "ops/arithmetic.h"

#include <algorithm>
#include <cmath>

namespace notape::verify::alias {
namespace {

constexpr auto one = [](double, double, double) { return 1.0; };
constexpr auto zero = [](double, double, double) { return 0.0; };
constexpr auto number = [](double, double, double k) { return k; };

/// Made before the write begins: no second sharer is left of it.
Tensor above(const Tensor& x, double k) { return x.data() > k; }

const UnaryOp kUnary[] = {
    {"add", true, [](double x, double k) { return x + k; }, one, zero,
     [](const Tensor& x, double k) { return x.add(k); }, [](Tensor& x, double k) { x.add_(k); }},
    {"sub", true, [](double x, double k) { return x - k; }, one, zero,
     [](const Tensor& x, double k) { return x.sub(k); }, [](Tensor& x, double k) { x.sub_(k); }},
    {"mul", true, [](double x, double k) { return x * k; }, number, zero,
     [](const Tensor& x, double k) { return x.mul(k); }, [](Tensor& x, double k) { x.mul_(k); }},
    {"div", true, [](double x, double k) { return x / k; },
     [](double, double, double k) { return 1 / k; }, zero,
     [](const Tensor& x, double k) { return x.div(k); }, [](Tensor& x, double k) { x.div_(k); }},
    {"neg", false, [](double x, double) { return -x; }, [](double, double, double) { return -1.0; },
     zero, [](const Tensor& x, double) { return x.neg(); }, [](Tensor& x, double) { x.neg_(); }},
    {"square", false, [](double x, double) { return x * x; },
     [](double x, double, double) { return 2 * x; }, [](double, double, double) { return 2.0; },
     [](const Tensor& x, double) { return x.square(); }, [](Tensor& x, double) { x.square_(); },
     Saves::Input, /*grows_by_square=*/true},
    {"relu", false, [](double x, double) { return x > 0 ? x : 0.0; },
     [](double, double y, double) { return y > 0 ? 1.0 : 0.0; }, zero,
     [](const Tensor& x, double) { return x.relu(); }, [](Tensor& x, double) { x.relu_(); },
     Saves::Output},
    {"abs", false, [](double x, double) { return std::fabs(x); },
     [](double x, double, double) { return x > 0   ? 1.0
                                           : x < 0 ? -1.0
                                                   : 0.0; }, zero,
     [](const Tensor& x, double) { return x.abs(); }, [](Tensor& x, double) { x.abs_(); },
     Saves::Input},
    {"clone", false, [](double x, double) { return x; }, one, zero,
     [](const Tensor& x, double) { return x.clone(); }, nullptr},
    {"fill", true, [](double, double k) { return k; }, zero, zero, nullptr,
     [](Tensor& x, double k) { x.fill_(k); }, Saves::Nothing, false, false, /*forgets=*/true},
    {"zero", false, [](double, double) { return 0.0; }, zero, zero, nullptr,
     [](Tensor& x, double) { x.zero_(); }, Saves::Nothing, false, false, /*forgets=*/true},
    {"clamp", true, [](double x, double k) { return std::min(std::max(x, -1.0), k + 2); },
     [](double x, double, double k) { return x > -1 && x < k + 2 ? 1.0 : 0.0; }, zero,
     [](const Tensor& x, double k) { return x.clamp(-1, k + 2); },
     [](Tensor& x, double k) { x.clamp_(-1, k + 2); }, Saves::Input, false, false, false,
     "-1, {1} + 2"},
    {"masked_fill", true, [](double x, double k) { return x > k ? 3 : x; },
     [](double x, double, double k) { return x > k ? 0.0 : 1.0; }, zero,
     [](const Tensor& x, double k) { return x.masked_fill(above(x, k), 3); },
     [](Tensor& x, double k) { x.masked_fill_(above(x, k), 3); }, Saves::Nothing, false, false,
     false, "above({0}, {1}), 3"},
    {"tanh", false, [](double x, double) { return std::tanh(x); },
     [](double, double y, double) { return 1 - y * y; },
     [](double, double y, double) { return -2 * y * (1 - y * y); },
     [](const Tensor& x, double) { return x.tanh(); }, [](Tensor& x, double) { x.tanh_(); },
     Saves::Output, false, /*real_only=*/true},
    {"sigmoid", false, [](double x, double) { return 1 / (1 + std::exp(-x)); },
     [](double, double y, double) { return y * (1 - y); },
     [](double, double y, double) { return y * (1 - y) * (1 - 2 * y); },
     [](const Tensor& x, double) { return x.sigmoid(); }, [](Tensor& x, double) { x.sigmoid_(); },
     Saves::Output, false, /*real_only=*/true},
    {"exp", false, [](double x, double) { return std::exp(x); },
     [](double, double y, double) { return y; }, [](double, double y, double) { return y; },
     [](const Tensor& x, double) { return x.exp(); }, [](Tensor& x, double) { x.exp_(); },
     Saves::Output, false, /*real_only=*/true},
    {"sin", false, [](double x, double) { return std::sin(x); },
     [](double x, double, double) { return std::cos(x); },
     [](double, double y, double) { return -y; }, [](const Tensor& x, double) { return x.sin(); },
     [](Tensor& x, double) { x.sin_(); }, Saves::Input, false, /*real_only=*/true},
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
