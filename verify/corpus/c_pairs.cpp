// Pairs of forward and backward over plain buffers, through verify/plugin/c_abi.h: the other way in
// which operators of users are verified.
#include <cmath>

#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

std::size_t entries_of(const notape_buffer& buffer) {
  std::size_t count = 1;
  for (int32_t d = 0; d < buffer.shape.rank; ++d)
    count *= static_cast<std::size_t>(buffer.shape.sizes[d]);
  return count;
}
double* numbers_in(const notape_buffer& buffer) { return static_cast<double*>(buffer.data); }

/// An elementwise or reducing pair of one vector, as C functions with a context.
struct Pair {
  const char* name;
  double low, high;
  bool reduces;  ///< the result is one number, the sum of `value`
  double (*value)(double x);
  double (*slope)(double x, const Slip& slip);
  std::vector<Slipping> slips;
  std::vector<double> kinks = {};
};

/// What `context` points to.
struct Context {
  Pair pair;
  Slip slip;
  notape_operator foreign;
};

int shape_of(void* context, int32_t way, notape_shape* inputs, notape_shape* output) {
  inputs[0].rank = 1;
  inputs[0].sizes[0] = 3 + 2 * way;
  *output = inputs[0];
  if (static_cast<const Context*>(context)->pair.reduces) output->rank = 0;
  return 0;
}

int forward_of(void* context, const notape_buffer* inputs, notape_buffer* output) {
  const Pair& pair = static_cast<const Context*>(context)->pair;
  const double* x = numbers_in(inputs[0]);
  double* y = numbers_in(*output);
  if (pair.reduces) *y = 0;
  for (std::size_t i = 0; i < entries_of(inputs[0]); ++i)
    if (pair.reduces)
      *y += pair.value(x[i]);
    else
      y[i] = pair.value(x[i]);
  return 0;
}

int backward_of(void* context, const notape_buffer* inputs, const notape_buffer* output,
                const notape_buffer* grad_output, notape_buffer* grad_inputs) {
  (void)output;
  constexpr std::size_t kBlock = 4;
  const auto& own = *static_cast<const Context*>(context);
  if (!grad_inputs[0].data) return 0;
  const double* x = numbers_in(inputs[0]);
  const double* given = numbers_in(*grad_output);
  const std::size_t count = entries_of(inputs[0]);
  const std::size_t end = own.slip("last-block") ? count - count % kBlock : count;
  for (std::size_t i = 0; i < count; ++i) {
    const double incoming = own.slip("incoming") ? 1 : given[own.pair.reduces ? 0 : i];
    numbers_in(grad_inputs[0])[i] = i < end ? incoming * own.pair.slope(x[i], own.slip) : 0;
  }
  return 0;
}

std::shared_ptr<const notape_operator> operator_of(const Pair& pair, Slip slip) {
  const auto context = std::make_shared<Context>(Context{pair, std::move(slip), {}});
  notape_operator& foreign = context->foreign;
  foreign = notape_operator{};
  foreign.name = pair.name;
  foreign.inputs = 1;
  foreign.dtypes = NOTAPE_FLOAT64;
  foreign.shapes = 3;
  foreign.low = pair.low;
  foreign.high = pair.high;
  foreign.kinks = context->pair.kinks.data();
  foreign.kink_count = static_cast<int32_t>(context->pair.kinks.size());
  foreign.shape = shape_of;
  foreign.forward = forward_of;
  foreign.backward = backward_of;
  foreign.context = context.get();
  return {context, &foreign};
}

void add(Family& family, Pair pair) {
  pair.slips.push_back("last-block");
  pair.slips.push_back("incoming");
  std::vector<Mistake> mistakes;
  for (const Slipping& one : pair.slips)
    mistakes.push_back(
        {.name = one.name, .kind = one.kind, .foreign = operator_of(pair, Slip(one.name))});
  family.add_foreign(operator_of(pair, Slip()), std::move(mistakes));
}

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

void add_smooth(Family& family) {
  add(family, {.name = "c_gelu_tanh",
               .low = -8,
               .high = 8,
               .reduces = false,
               .value = [](double x) -> double {
                 return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
               },
               .slope = [](double x, const Slip& slip) -> double {
                 const double t = std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
                 const double cubic = slip("constant") ? 0.134146 : 3 * 0.044715;
                 return 0.5 * (1 + t) + (slip("sign") ? -0.5 : 0.5) * x * (1 - t * t) *
                                            0.7978845608028654 * (1 + cubic * x * x);
               },
               .slips = {"constant", "sign"}});
  add(family, {.name = "c_silu",
               .low = -20,
               .high = 20,
               .reduces = false,
               .value = [](double x) { return x * sigmoid_of(x); },
               .slope = [](double x, const Slip& slip) -> double {
                 const double s = sigmoid_of(x);
                 return slip("term") ? s : s * (1 + x * (1 - s));
               },
               .slips = {"term"}});
  add(family, {.name = "c_log_sum_of_squares",
               .low = 0.1,
               .high = 3,
               .reduces = true,
               .value = [](double x) { return std::log1p(x * x); },
               .slope = [](double x,
                           const Slip& slip) { return (slip("factor") ? 1 : 2) * x / (1 + x * x); },
               .slips = {"factor"}});
  add(family, {.name = "c_erf_float32",
               .low = -2,
               .high = 2,
               .reduces = false,
               .value = [](double x) { return double{std::erf(static_cast<float>(x))}; },
               .slope = [](double x, const Slip& slip) -> double {
                 const auto f = static_cast<float>(x);
                 return double{(slip("constant") ? 1.1F : 1.1283792F) * std::exp(-f * f)};
               },
               .slips = {"constant"}});
}

void add_pieces(Family& family) {
  add(family, {.name = "c_hardswish",
               .low = -5,
               .high = 5,
               .reduces = false,
               .value = [](double x) { return x * std::min(std::max(x + 3, 0.0), 6.0) / 6; },
               .slope = [](double x, const Slip& slip) -> double {
                 if (x < -3) return 0.0;
                 if (x > 3 && !slip("branch")) return 1.0;
                 return (slip("factor") ? 1 : 2) * x / 6 + 0.5;
               },
               .slips = {"branch", "factor"},
               .kinks = {-3, 3}});
  add(family, {.name = "c_huber_sum",
               .low = -3,
               .high = 3,
               .reduces = true,
               .value = [](double x) { return std::abs(x) < 1 ? 0.5 * x * x : std::abs(x) - 0.5; },
               .slope = [](double x, const Slip& slip) -> double {
                 if (std::abs(x) < 1) return slip("half") ? 0.5 * x : x;
                 return slip("sign") ? 1.0 : std::copysign(1.0, x);
               },
               .slips = {"half", "sign"}});
}

}  // namespace

void add_c_pairs(std::vector<Entry>& entries) {
  Family family("c-pairs", entries);
  add_smooth(family);
  add_pieces(family);
}

}  // namespace notape::verify::corpus
