/* A frozen copy of version 1 of verify/plugin/c_abi.h, as it was when there was no other: a plugin
 * that was compiled against it must load for ever. Never change it.
 *
 * The C side of `notape verify plugin:FILE.so`: forward and backward functions over raw buffers, so
 * that a derivative can be checked that was not written with notape. Plain C, no other header, no
 * library to link. A plugin exports one symbol,
 *
 *   const notape_plugin* notape_plugin_v1(void);
 *
 * and is run in a child process with limits on time and memory. Buffers are row-major, start at a
 * multiple of 64 bytes and hold nothing but their entries; writing outside one is noticed and
 * named, and what lies outside the inputs reads as NaN. */
#ifndef NOTAPE_VERIFY_PLUGIN_C_ABI_H
#define NOTAPE_VERIFY_PLUGIN_C_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NOTAPE_PLUGIN_ABI 1u
#define NOTAPE_MAX_RANK 8

enum { NOTAPE_FLOAT32 = 1, NOTAPE_FLOAT64 = 2 };

typedef struct notape_shape {
  int32_t rank; /* 0 is a scalar; at most NOTAPE_MAX_RANK */
  int64_t sizes[NOTAPE_MAX_RANK];
} notape_shape;

typedef struct notape_buffer {
  void* data; /* float or double; NULL for a gradient that nobody wants */
  notape_shape shape;
  int32_t dtype; /* NOTAPE_FLOAT32 or NOTAPE_FLOAT64; the same for all buffers of a call */
} notape_buffer;

/* One differentiable operator y = f(x_0, ..., x_{n-1}) with real arguments. All functions return 0,
 * or anything else for a refusal, which is reported as an error. They must not keep pointers, and
 * may write nothing but the entries of the buffers that are not const. */
typedef struct notape_operator {
  const char* name; /* letters, digits and _ . - */
  const char* file; /* where the derivative is written, for reports; may be NULL */
  int32_t line;

  int32_t inputs; /* n, at least 1 */
  int32_t dtypes; /* NOTAPE_FLOAT64, which is needed, and perhaps | NOTAPE_FLOAT32 */
  int32_t shapes; /* how many ways of choosing shapes `shape` knows */
  /* Where entries of the inputs may lie. Differences are taken around them, so that `forward` is
   * also called up to 1/8 |x| away from an entry x; NaN there is fine. */
  double low, high;
  /* Points where the derivative jumps. Entries keep away from them, so that nothing is judged on
   * the kink itself. */
  const double* kinks;
  int32_t kink_count;

  /* Shapes of the inputs and of the output in way `way`, 0 <= way < shapes; simple ones first. */
  int (*shape)(void* context, int32_t way, notape_shape* inputs, notape_shape* output);
  /* Writes every entry of `output`. Called in float64 for the numeric derivative, too. */
  int (*forward)(void* context, const notape_buffer* inputs, notape_buffer* output);
  /* Writes every entry of each grad_inputs[i] whose data is not NULL:
   * sum over k of grad_output[k] dy[k]/dx_i. Must not add to what is there. */
  int (*backward)(void* context, const notape_buffer* inputs, const notape_buffer* output,
                  const notape_buffer* grad_output, notape_buffer* grad_inputs);
  /* Forward mode; may be NULL. Writes every entry of output_tangent:
   * sum over i of dy/dx_i tangents[i], where tangents[i].data is NULL if it is zero. */
  int (*jvp)(void* context, const notape_buffer* inputs, const notape_buffer* output,
             const notape_buffer* tangents, notape_buffer* output_tangent);
  void* context; /* handed to the four functions */
} notape_operator;

typedef struct notape_plugin {
  uint32_t abi; /* NOTAPE_PLUGIN_ABI */
  const notape_operator* operators;
  size_t operator_count;

  /* For plugins written with notape (verify/plugin/plugin.h fills these in): an array of
   * notape::OpSpec, and what it was compiled with. NULL and 0 otherwise. */
  const void* rows;
  size_t row_count, row_bytes;
  const char* compiler;
  const char* library;
} notape_plugin;

#ifdef __GNUC__ /* found even if the plugin hides its other names */
__attribute__((visibility("default")))
#endif
const notape_plugin*
notape_plugin_v1(void);

#ifdef __cplusplus
}
#endif
#endif
