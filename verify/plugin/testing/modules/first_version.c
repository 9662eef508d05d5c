/* A plugin of version 1, compiled against a frozen copy of its header: such plugins load for ever.
 * cube is right, the gradient of its wrong sister is not. */
#include "verify/plugin/testing/modules/c_abi_v1_frozen.h"

static int shape(void* context, int32_t way, notape_shape* inputs, notape_shape* output) {
  (void)context;
  inputs[0].rank = 1;
  inputs[0].sizes[0] = way + 1;
  *output = inputs[0];
  return 0;
}

static double* entries(const notape_buffer* buffer) { return (double*)buffer->data; }

static int cube(void* context, const notape_buffer* x, notape_buffer* y) {
  (void)context;
  for (int64_t i = 0; i < x->shape.sizes[0]; ++i)
    entries(y)[i] = entries(x)[i] * entries(x)[i] * entries(x)[i];
  return 0;
}

/* 3 x^2, or what `context` says instead of 3 */
static int cube_backward(void* context, const notape_buffer* x, const notape_buffer* y,
                         const notape_buffer* grad, notape_buffer* out) {
  (void)y;
  for (int64_t i = 0; i < x->shape.sizes[0]; ++i)
    entries(out)[i] = *(double*)context * entries(x)[i] * entries(x)[i] * entries(grad)[i];
  return 0;
}

static int cube_jvp(void* context, const notape_buffer* x, const notape_buffer* y,
                    const notape_buffer* tangents, notape_buffer* out) {
  return cube_backward(context, x, y, tangents, out);
}

static double three = 3, four = 4;
static const double kinks[] = {1.5};

static const notape_operator operators[] = {
    {"cube", "cube.c", 24, 1, NOTAPE_FLOAT64, 3, -2, 2, kinks, 1, shape, cube, cube_backward,
     cube_jvp, &three},
    {"wrong_cube", "cube.c", 24, 1, NOTAPE_FLOAT64, 3, -2, 2, kinks, 1, shape, cube, cube_backward,
     cube_jvp, &four},
};

const notape_plugin* notape_plugin_v1(void) {
  static const notape_plugin plugin = {NOTAPE_PLUGIN_ABI, operators, 2, 0, 0, 0, 0, 0};
  return &plugin;
}
