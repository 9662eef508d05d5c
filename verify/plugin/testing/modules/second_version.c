/* A plugin of version 2, compiled against a frozen copy of its header: such plugins load for ever.
 * halves is right, the gradient of its wrong sister is not, and noisy prints. */
#include <stdio.h>

#include "verify/plugin/testing/modules/c_abi_v2_frozen.h"

static int shape(notape_case* one) {
  one->inputs[0].rank = 1;
  one->inputs[0].sizes[0] = 2 + one->way;
  one->outputs[0] = one->inputs[0];
  return 0;
}

static int forward(const notape_call* call) {
  const float* x = (const float*)call->inputs[0]->data;
  float* y = (float*)call->outputs[0]->data;
  if (call->dtype == NOTAPE_FLOAT32)
    for (int64_t i = 0; i < call->inputs[0]->count; ++i) y[i] = x[i] / 2;
  else
    for (int64_t i = 0; i < call->inputs[0]->count; ++i)
      ((double*)call->outputs[0]->data)[i] = ((const double*)call->inputs[0]->data)[i] / 2;
  return 0;
}

/* Half of what comes in, or what `context` says instead. */
static int backward(const notape_call* call) {
  const double share = call->context ? *(const double*)call->context : 0.5;
  for (int64_t i = 0; i < call->inputs[0]->count; ++i)
    if (call->dtype == NOTAPE_FLOAT32)
      ((float*)call->grad_inputs[0]->data)[i] =
          (float)(share * ((const float*)call->grad_outputs[0]->data)[i]);
    else
      ((double*)call->grad_inputs[0]->data)[i] =
          share * ((const double*)call->grad_outputs[0]->data)[i];
  return 0;
}

static int noisy(const notape_call* call) {
  printf("half a line, ");
  printf("and the rest\n");
  return forward(call);
}

static double third = 0.3;
static const notape_input inputs[] = {{sizeof(notape_input), "x", NOTAPE_REAL, 0, -2, 2, 0, 0}};
#define HALVES(name, forward, dtypes, context)                                                    \
  {                                                                                               \
    sizeof(notape_operator2), name, "halves.c", 7, 0, dtypes, 3, 1, inputs, 1, 0, 0, 0, 0, shape, \
        forward, backward, 0, 0, 0, context                                                       \
  }
static const notape_operator2 operators[] = {
    HALVES("halves", forward, NOTAPE_FLOAT64 | NOTAPE_FLOAT32, 0),
    HALVES("wrong_halves", forward, NOTAPE_FLOAT64, &third),
    HALVES("noisy", noisy, NOTAPE_FLOAT64, 0),
};

const notape_plugin2* notape_plugin_v2(void) {
  static const notape_plugin2 plugin = {sizeof plugin, NOTAPE_PLUGIN_ABI_2, 3, operators};
  return &plugin;
}
