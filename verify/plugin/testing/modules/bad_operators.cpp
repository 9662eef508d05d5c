// A plugin for tests whose operators do what no operator should. The variable NOTAPE_BAD_PLUGIN
// makes the plugin as a whole bad instead.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "autograd/function.h"
#include "ops/arithmetic.h"
#include "verify/plugin/plugin.h"

namespace {

using notape::Tensor;
using notape::variable_list;
using notape::autograd::AutogradContext;

double& at(const notape_buffer& buffer, int64_t i) { return static_cast<double*>(buffer.data)[i]; }

// y = x^2 for a vector of 1, 2 or 3 entries, in float64.
int shape(void*, int32_t way, notape_shape* inputs, notape_shape* output) {
  inputs[0] = {1, {way + 1}};
  *output = inputs[0];
  return 0;
}
int forward(void*, const notape_buffer* x, notape_buffer* y) {
  for (int64_t i = 0; i < x->shape.sizes[0]; ++i) at(*y, i) = at(*x, i) * at(*x, i);
  return 0;
}
int backward(void*, const notape_buffer* x, const notape_buffer*, const notape_buffer* grad,
             notape_buffer* out) {
  if (!out[0].data) return 0;
  for (int64_t i = 0; i < x->shape.sizes[0]; ++i) at(out[0], i) = 2 * at(*x, i) * at(*grad, i);
  return 0;
}

/// x^2 with another backward, or another forward.
using Backward = decltype(notape_operator::backward);
using Forward = decltype(notape_operator::forward);
notape_operator square(const char* name) {
  notape_operator row{};
  row.name = name;
  row.file = "src/kernels.c";
  row.line = 12;
  row.inputs = 1;
  row.dtypes = NOTAPE_FLOAT64;
  row.shapes = 3;
  row.low = -2;
  row.high = 2;
  row.shape = shape;
  row.forward = forward;
  row.backward = backward;
  return row;
}
notape_operator with(const char* name, Backward other) {
  notape_operator row = square(name);
  row.backward = other;
  return row;
}
notape_operator with(const char* name, Forward other) {
  notape_operator row = square(name);
  row.forward = other;
  return row;
}

int crash(void* context, const notape_buffer* x, const notape_buffer* y, const notape_buffer* grad,
          notape_buffer* out) {
  if (x->shape.sizes[0] > 1) std::raise(SIGSEGV);
  return backward(context, x, y, grad, out);
}
int loop(void*, const notape_buffer*, const notape_buffer*, const notape_buffer*, notape_buffer*) {
  for (volatile bool forever = true; forever;) {
  }
  return 0;
}
int throw_something(void*, const notape_buffer*, notape_buffer*) {
  throw std::runtime_error("no kernel\nfor this \x01 processor");
}
int leave(void*, const notape_buffer*, notape_buffer*) { std::exit(0); }
int write_into_pipes(void*, const notape_buffer*, notape_buffer*) {
  struct stat status {};
  for (int descriptor = 3; descriptor < 64; ++descriptor)
    if (::fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) &&
        ::write(descriptor, "{}\n", 3) != 3)
      return 1;
  return 2;
}
int allocate_without_end(void*, const notape_buffer*, notape_buffer*) {
  constexpr std::size_t kStep = 1 << 22;
  for (;;) {
    char* memory = static_cast<char*>(std::malloc(kStep));
    for (std::size_t i = 0; i < kStep; i += 4096) static_cast<volatile char*>(memory)[i] = 1;
  }
}
int not_a_number(void* context, const notape_buffer* x, const notape_buffer* y,
                 const notape_buffer* grad, notape_buffer* out) {
  const int status = backward(context, x, y, grad, out);
  if (out[0].data && x->shape.sizes[0] == 3) at(out[0], 2) = at(out[0], 2) / 0.0 * 0.0;
  return status;
}
int nan_value(void* context, const notape_buffer* x, notape_buffer* y) {
  const int status = forward(context, x, y);
  at(*y, 0) += 0 * at(*x, x->shape.sizes[0]);  // reads past the end
  return status;
}
int overrun(void* context, const notape_buffer* x, notape_buffer* y) {
  at(*y, x->shape.sizes[0]) = 7;
  return forward(context, x, y);
}
int tiny_error(void* context, const notape_buffer* x, const notape_buffer* y,
               const notape_buffer* grad, notape_buffer* out) {
  const int status = backward(context, x, y, grad, out);
  if (out[0].data && x->shape.sizes[0] == 3) at(out[0], 2) *= 1.000001;
  return status;
}

/// What the last forward left; the mistake is that backward reads it.
double workspace[3];
int forward_into_workspace(void* context, const notape_buffer* x, notape_buffer* y) {
  for (int64_t i = 0; i < x->shape.sizes[0]; ++i) workspace[i] = at(*x, i);
  return forward(context, x, y);
}
int backward_from_workspace(void*, const notape_buffer* x, const notape_buffer*,
                            const notape_buffer* grad, notape_buffer* out) {
  if (!out[0].data) return 0;
  for (int64_t i = 0; i < x->shape.sizes[0]; ++i) at(out[0], i) = 2 * workspace[i] * at(*grad, i);
  return 0;
}
/// Right on one thread at a time.
volatile double scratch[3];
int race(void*, const notape_buffer* x, const notape_buffer*, const notape_buffer* grad,
         notape_buffer* out) {
  if (!out[0].data) return 0;
  for (int64_t i = 0; i < x->shape.sizes[0]; ++i) scratch[i] = 2 * at(*x, i) * at(*grad, i);
  for (int round = 0; round < 100000; ++round)  // it reads as long as a larger one would
    for (int64_t i = 0; i < x->shape.sizes[0]; ++i) at(out[0], i) = scratch[i];
  return 0;
}
notape_operator with_workspace() {
  notape_operator row = square("workspace");
  row.forward = forward_into_workspace;
  row.backward = backward_from_workspace;
  return row;
}

struct WrongShape : notape::autograd::Function<WrongShape> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {(grads[0] * ctx->get_saved_variables()[0] * 2).reshape({-1, 1})};
  }
};

notape::OpCase vector_case(notape::Draw& draw) {
  notape::OpCase one;
  one.arguments = {{.sizes = {draw.integer(1, 4)}}};
  one.call = [](const variable_list& x) { return WrongShape::apply(x[0]); };
  return one;
}

const notape::OpSpec rows[] = {
    {.name = "wrong_shape", .family = "bad", .draw = vector_case, .forward_mode = false},
    {.name = "crash_while_drawing", .family = "bad", .draw = [](notape::Draw&) -> notape::OpCase {
       std::abort();
     }}};

std::vector<notape_operator> operators() {
  return {square("square"),
          with("crash", crash),
          with("loop", loop),
          with("throw", throw_something),
          with("leave", leave),
          with("hog", allocate_without_end),
          with("scribble", write_into_pipes),
          with("nan", not_a_number),
          with("nan_value", nan_value),
          with("overrun", overrun),
          with("tiny_error", tiny_error),
          with_workspace(),
          with("race", race)};
}

}  // namespace

extern "C" const notape_plugin* notape_plugin_v1() {
  static std::vector<notape_operator> all = operators();
  static notape_plugin plugin = notape::verify::plugin_of(rows);
  const char* variable = std::getenv("NOTAPE_BAD_PLUGIN");
  const std::string_view what = variable ? variable : "";
  if (what == "null") return nullptr;
  if (what == "abi") plugin.abi = 77;
  if (what == "compiler") plugin.compiler = "13.9";
  if (what == "library") plugin.library = "notape 9.9";
  if (what == "rows") plugin.row_bytes = 8;
  if (what == "name") all[0].name = "two words";
  if (what == "twice") all[0].name = all[1].name;
  if (what == "crash") std::raise(SIGSEGV);
  if (what == "throw") throw std::runtime_error("not today");
  if (what == "hang") loop(nullptr, nullptr, nullptr, nullptr, nullptr);
  plugin.operators = all.data();
  plugin.operator_count = all.size();
  return &plugin;
}
