/* Operators that know nothing of notape: a forward and a backward over plain arrays, as they stand in
 * many code bases. Built as a shared library, `notape verify plugin:libc_operators.so` says whether
 * the derivatives are right. gelu's is. The sum of squares takes four entries at a time, and of those
 * that are left over its gradient forgets the factor 2: for lengths that four divides it is right. */
#include <math.h>

#include "verify/plugin/c_abi.h"

/* Vectors of 4, 7, 10, ... entries. */
static int same_shape(void* context, int32_t way, notape_shape* inputs, notape_shape* output) {
  (void)context;
  inputs[0].rank = 1;
  inputs[0].sizes[0] = 4 + 3 * way;
  *output = inputs[0];
  return 0;
}

static int scalar_of_vector(void* context, int32_t way, notape_shape* inputs,
                            notape_shape* output) {
  same_shape(context, way, inputs, output);
  output->rank = 0;
  return 0;
}

static int64_t entries(const notape_buffer* buffer) {
  int64_t count = 1;
  for (int32_t d = 0; d < buffer->shape.rank; ++d) count *= buffer->shape.sizes[d];
  return count;
}

static double load(const notape_buffer* buffer, int64_t i) {
  return buffer->dtype == NOTAPE_FLOAT32 ? ((const float*)buffer->data)[i]
                                         : ((const double*)buffer->data)[i];
}

static void store(notape_buffer* buffer, int64_t i, double value) {
  if (buffer->dtype == NOTAPE_FLOAT32)
    ((float*)buffer->data)[i] = (float)value;
  else
    ((double*)buffer->data)[i] = value;
}

/* gelu(x) = x Phi(x), Phi the normal distribution */
static int gelu(void* context, const notape_buffer* inputs, notape_buffer* output) {
  (void)context;
  for (int64_t i = 0; i < entries(output); ++i) {
    const double x = load(inputs, i);
    store(output, i, 0.5 * x * erfc(-x * 0.70710678118654752440));
  }
  return 0;
}

enum { GELU_BACKWARD = __LINE__ + 2 };
/* Phi(x) + x phi(x) */
static int gelu_backward(void* context, const notape_buffer* inputs, const notape_buffer* output,
                         const notape_buffer* grad_output, notape_buffer* grad_inputs) {
  (void)context;
  (void)output;
  for (int64_t i = 0; i < entries(inputs); ++i) {
    const double x = load(inputs, i);
    const double slope = 0.5 * erfc(-x * 0.70710678118654752440) +
                         x * exp(-0.5 * x * x) * 0.39894228040143267794;
    store(&grad_inputs[0], i, load(grad_output, i) * slope);
  }
  return 0;
}

/* y = sum of x_i^2 */
static int sum_of_squares(void* context, const notape_buffer* inputs, notape_buffer* output) {
  (void)context;
  double sum = 0;
  for (int64_t i = 0; i < entries(inputs); ++i) sum += load(inputs, i) * load(inputs, i);
  store(output, 0, sum);
  return 0;
}

enum { SUM_OF_SQUARES_BACKWARD = __LINE__ + 1 };
static int sum_of_squares_backward(void* context, const notape_buffer* inputs,
                                   const notape_buffer* output, const notape_buffer* grad_output,
                                   notape_buffer* grad_inputs) {
  (void)context;
  (void)output;
  const int64_t count = entries(inputs);
  const double grad = load(grad_output, 0);
  int64_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int64_t k = i; k < i + 4; ++k) store(&grad_inputs[0], k, 2 * load(inputs, k) * grad);
  for (; i < count; ++i) store(&grad_inputs[0], i, load(inputs, i) * grad); /* should be 2 x */
  return 0;
}

static const notape_operator operators[] = {
    {.name = "gelu",
     .file = __FILE__,
     .line = GELU_BACKWARD,
     .inputs = 1,
     .dtypes = NOTAPE_FLOAT32 | NOTAPE_FLOAT64,
     .shapes = 4,
     .low = -4,
     .high = 4,
     .shape = same_shape,
     .forward = gelu,
     .backward = gelu_backward},
    {.name = "sum_of_squares",
     .file = __FILE__,
     .line = SUM_OF_SQUARES_BACKWARD,
     .inputs = 1,
     .dtypes = NOTAPE_FLOAT32 | NOTAPE_FLOAT64,
     .shapes = 4,
     .low = -4,
     .high = 4,
     .shape = scalar_of_vector,
     .forward = sum_of_squares,
     .backward = sum_of_squares_backward},
};

const notape_plugin* notape_plugin_v1(void) {
  static const notape_plugin plugin = {.abi = NOTAPE_PLUGIN_ABI,
                                       .operators = operators,
                                       .operator_count = sizeof operators / sizeof *operators};
  return &plugin;
}
