/* The C side of `notape verify plugin:FILE.so`: forward and backward functions over raw buffers, so
 * that a derivative can be checked that was not written with notape. Plain C, no other header, no
 * library to link. A plugin exports one of three symbols,
 *
 *   const notape_plugin2* notape_plugin_v3(void);
 *   const notape_plugin2* notape_plugin_v2(void);
 *   const notape_plugin* notape_plugin_v1(void);
 *
 * or several, and the highest is then used. Operators of version 2 may have several outputs,
 * integer inputs, attributes, saved buffers and a reference; those of version 1 have real inputs
 * and one output. Version 3 has the structures of version 2 with more fields at their ends.
 * They run in a child process with limits on time and memory. In C++, verify/plugin/operator.h
 * makes a plugin of a templated function pair in ten lines.
 *
 * Buffers start at a multiple of 64 bytes and hold nothing but their entries; writing outside one
 * is noticed and named, and what lies outside of them reads as NaN (real) or as an absurd number
 * (whole). Functions must not keep pointers, and may write nothing but the entries of the buffers
 * that are theirs to write. They return 0, or anything else for a refusal, which is reported. */
#ifndef NOTAPE_VERIFY_PLUGIN_C_ABI_H
#define NOTAPE_VERIFY_PLUGIN_C_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NOTAPE_MAX_RANK 8

/* What the entries of a buffer are. */
enum {
  NOTAPE_FLOAT32 = 1,      /* float */
  NOTAPE_FLOAT64 = 2,      /* double */
  NOTAPE_INT32 = 4,        /* int32_t */
  NOTAPE_INT64 = 8,        /* int64_t */
  NOTAPE_LONG_DOUBLE = 16, /* long double of the plugin's compiler; in references only */
  NOTAPE_REAL = 32,        /* in a declaration: the type of the call, one of the real ones */
  /* Since version 3: */
  NOTAPE_BFLOAT16 = 64, /* uint16_t: the upper half of a float */
  NOTAPE_FLOAT16 = 128, /* uint16_t: IEEE 754 binary16 */
  /* Refused by name: notape has no complex numbers. */
  NOTAPE_COMPLEX64 = 512,
  NOTAPE_COMPLEX128 = 1024
};
/* Where buffers of a call are (version 3). */
enum { NOTAPE_ON_CPU = 1, NOTAPE_ON_CUDA = 2 };

typedef struct notape_shape {
  int32_t rank; /* 0 is a scalar; at most NOTAPE_MAX_RANK */
  int64_t sizes[NOTAPE_MAX_RANK];
} notape_shape;

/* ---- Version 2 --------------------------------------------------------------------------------
 * Structures begin with `struct_size`: whoever makes one writes sizeof of it there. Later versions
 * add fields at the end, and what a structure is too short for counts as 0. Lists that a plugin
 * declares are arrays of `..._count` structures of equal size; lists that it is handed are arrays
 * of pointers. A plugin starts from `= {0}`: a field that is 0 says "none". */

/* A buffer with its sizes. Made by the command. */
typedef struct notape_tensor {
  size_t struct_size;
  void* data;    /* entry [0, 0, ...]; NULL where a list below says so */
  int64_t count; /* entries: the product of the sizes, 1 for rank 0 */
  int32_t dtype; /* a real one, INT32 or INT64 */
  int32_t rank;
  int64_t sizes[NOTAPE_MAX_RANK];   /* the first `rank` of them */
  int64_t strides[NOTAPE_MAX_RANK]; /* in entries: [i, j] is at data + i * strides[0] + j * ... */
} notape_tensor;

/* Where the derivative jumps, and what it is there. */
enum {
  NOTAPE_KINK_BETWEEN = 0, /* anything between the slopes of both sides */
  NOTAPE_KINK_BELOW = 1,   /* the slope from below */
  NOTAPE_KINK_ABOVE = 2,   /* the slope from above */
  NOTAPE_KINK_MEAN = 3,    /* their mean */
  NOTAPE_KINK_LEAST = 4,   /* the number of least size between them: 0 if they differ in sign */
  NOTAPE_KINK_SLOPES = 5   /* as `below`, `above` and `slope` say */
};
typedef struct notape_kink {
  size_t struct_size;
  double at;
  int32_t convention;
  /* For NOTAPE_KINK_SLOPES, else 0: the slopes of both sides, and the derivative on the kink, of
   * whatever reads an entry first (of relu: 0, 1 and 0). What the operator makes of that entry
   * afterwards multiplies all three. */
  double below, above, slope;
} notape_kink;

enum {
  NOTAPE_ASCENDING = 1, /* whole entries rise or stay, in row-major order, as segment ids do */
  NOTAPE_DISTINCT = 2   /* no two entries are equal, and real ones are well apart (max, sort) */
};
typedef struct notape_input {
  size_t struct_size;
  const char* name; /* for reports; may be NULL */
  /* NOTAPE_REAL: differentiated. NOTAPE_INT32 or NOTAPE_INT64: a constant, drawn from low, low + 1,
   * ..., high. */
  int32_t dtype;
  int32_t flags;
  /* Where entries may lie, both ends included. Differences are taken around real ones, so that
   * `forward` is also called up to 1/8 |x| away from an entry x; NaN there is fine. */
  double low, high;
  /* Kinks of a real input. Random entries keep away from them; each is judged for itself. */
  const notape_kink* kinks;
  int32_t kink_count;
} notape_input;

/* A parameter that is no tensor: an axis, a mode, an exponent. Never differentiated. */
enum { NOTAPE_WHOLE = 0, NOTAPE_NUMBER = 1 };
typedef struct notape_attribute {
  size_t struct_size;
  const char* name; /* for reports; may be NULL */
  int32_t kind;     /* NOTAPE_WHOLE: drawn from low, low + 1, ..., high; NOTAPE_NUMBER: between */
  double low, high;
} notape_attribute;
typedef struct notape_value {
  int64_t whole; /* of a NOTAPE_WHOLE attribute */
  double number; /* of any */
} notape_value;

/* What forward leaves for backward beside inputs and outputs: masks, indices, statistics. */
typedef struct notape_saved {
  size_t struct_size;
  const char* name; /* for reports; may be NULL */
  int32_t dtype;    /* NOTAPE_REAL, FLOAT32, FLOAT64, INT32 or INT64 */
} notape_saved;

typedef struct notape_range {
  double low, high;
} notape_range;

/* One way of calling the operator; all pointers are to arrays of the command's. */
typedef struct notape_case {
  size_t struct_size;
  void* context; /* as in notape_operator2 */
  int32_t way;   /* 0 <= way < ways; simple ones first */
  /* [attribute_count], drawn; may be changed, as by a modulus that depends on a rank. */
  notape_value* attributes;
  notape_shape* inputs;  /* [input_count], to be filled */
  notape_shape* outputs; /* [output_count], to be filled */
  notape_shape* saved;   /* [saved_count], to be filled: the most that forward may need */
  /* [input_count], filled with the declared low and high; may be narrowed, as indices into a table
   * have to be. */
  notape_range* ranges;
} notape_case;

/* One call. Lists that a function does not use are NULL:
 *
 *                     forward   backward   jvp      reference  reference_jvp
 *   inputs            read      read       read     read       read
 *   outputs           WRITE     read       read     WRITE      -
 *   saved             WRITE     read       read     scratch    scratch
 *   grad_outputs      -         read       -        -          -
 *   grad_inputs       -         WRITE      -        -          -
 *   tangents          -         -          read     -          read
 *   output_tangents   -         -          WRITE    -          WRITE
 *
 * `surrogate` has the lists of backward, without outputs; its `saved` is scratch.
 *
 * WRITE means every entry of `data`, without reading or adding to what is there. Buffers that are
 * written are row-major; so are all others unless the operator takes strided ones. */
typedef struct notape_call {
  size_t struct_size;
  void* context;
  int32_t way;
  int32_t dtype; /* of all NOTAPE_REAL buffers: one of `dtypes`, or `reference_dtype` */
  const notape_value* attributes;      /* [attribute_count], as `shape` left them */
  const notape_tensor* const* inputs;  /* [input_count] */
  const notape_tensor* const* outputs; /* [output_count] */
  /* [saved_count]. Forward may lower `sizes`, if it needs less than `shape` said: entries are then
   * row-major in the lower sizes, and backward gets those. */
  notape_tensor* const* saved;
  const notape_tensor* const* grad_outputs;    /* [output_count]; data NULL: see MISSING below */
  const notape_tensor* const* grad_inputs;     /* [input_count]; data NULL: nobody wants it */
  const notape_tensor* const* tangents;        /* [input_count]; data NULL: it is zero */
  const notape_tensor* const* output_tangents; /* [output_count] */

  /* Since version 3. */
  int32_t device; /* NOTAPE_ON_CPU; NOTAPE_ON_CUDA: every `data` is a device pointer */
  void* stream;   /* of CUDA, a cudaStream_t: work has to be put there, and need not be awaited */
} notape_call;

enum {
  /* Buffers that are read may have any strides, 0 and transposed ones included. */
  NOTAPE_TAKES_STRIDED = 1,
  /* An output that nobody used has a grad_outputs entry with data NULL. Without this flag it has
   * one full of zeros. */
  NOTAPE_TAKES_MISSING = 2,
  /* Since version 3: it has no other sizes than `shape` says. Without this flag `long` calls it
   * with one dimension, of every buffer that has one of that size, longer by far, in a process of
   * its own; what it refuses, or where the result is not that of its pieces, is not held against
   * it. */
  NOTAPE_FIXED_SIZES = 4
};

/* One differentiable operator (y_0, y_1, ...) = f(x_0, x_1, ...; attributes). */
typedef struct notape_operator2 {
  size_t struct_size;
  const char* name; /* letters, digits and _ . - */
  const char* file; /* where the derivative is written, for reports; may be NULL */
  int32_t line;
  int32_t flags;
  /* NOTAPE_FLOAT64 | NOTAPE_FLOAT32; since version 3 also | NOTAPE_BFLOAT16 | NOTAPE_FLOAT16. One
   * without NOTAPE_FLOAT64 needs a `reference`, whose values are then differenced. */
  int32_t dtypes;
  /* How many ways of choosing shapes `shape` knows, at least 1. Each of the first 100 is tried in
   * every run, in turn, before any is drawn at random; where there are more than 1000, all are
   * drawn. */
  int32_t ways;
  int32_t input_count; /* 1 to 32, one of them NOTAPE_REAL at least */
  const notape_input* inputs;
  int32_t output_count; /* 1 to 16 */
  int32_t saved_count;  /* 0 to 16 */
  const notape_saved* saved;
  int32_t attribute_count; /* 0 to 16 */
  const notape_attribute* attributes;

  /* Says which shapes go together. At most 65,536 entries in a buffer; `long` asks for more. */
  int (*shape)(notape_case* one);
  /* The value. Called in float64 for the numeric derivative, too. */
  int (*forward)(const notape_call* call);
  /* grad_inputs[i] = sum over k and entries of grad_outputs[k] dy_k/dx_i */
  int (*backward)(const notape_call* call);
  /* Forward mode; may be NULL: output_tangents[k] = sum over i of dy_k/dx_i tangents[i] */
  int (*jvp)(const notape_call* call);
  /* The value once more, in long double or `reference_dtype`, written plainly; may be NULL. Values
   * are judged by it. */
  int (*reference)(const notape_call* call);
  /* The exact slope of that, as jvp, in long double; may be NULL. Gradients are judged by it to
   * their last bits, not only by differences. operator.h derives both. */
  int (*reference_jvp)(const notape_call* call);
  void* context; /* handed to all of them */

  /* Since version 3; what is 0 is as in version 2. */
  /* What buffers of a reference hold: FLOAT32, FLOAT64 or (0, too) LONG_DOUBLE. It has to be wider
   * than one of `dtypes`; what it loses is allowed for. References always run on the CPU. */
  int32_t reference_dtype;
  int32_t devices; /* NOTAPE_ON_CPU (0, too) and perhaps | NOTAPE_ON_CUDA */
  /* [output_count], NULL: all are NOTAPE_REAL. NOTAPE_FLOAT32 is that type or the call's, if that
   * is wider. INT32 and INT64 have no gradient, and grad_outputs with data NULL. */
  const int32_t* output_dtypes;
  /* Atomic adds: equal calls may differ by as much as sums of up to this many terms do that are
   * added in another order. 0: they give equal bits. */
  int64_t atomic_terms;
  /* Of an operator whose backward is no derivative (straight-through estimators, quantisation):
   * what grad_inputs have to be, in the type of references. Backward is judged by that, and not by
   * differences. May be NULL. */
  int (*surrogate)(const notape_call* call);
} notape_operator2;

#define NOTAPE_PLUGIN_ABI_2 2u
#define NOTAPE_PLUGIN_ABI_3 3u

typedef struct notape_plugin2 {
  size_t struct_size;
  uint32_t abi; /* NOTAPE_PLUGIN_ABI_2 or, from notape_plugin_v3, NOTAPE_PLUGIN_ABI_3 */
  size_t operator_count;
  const notape_operator2* operators;
} notape_plugin2;

/* ---- Version 1 --------------------------------------------------------------------------------
 * Never changes. Buffers are row-major. */

#define NOTAPE_PLUGIN_ABI 1u

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
#define NOTAPE_EXPORTED __attribute__((visibility("default")))
#else
#define NOTAPE_EXPORTED
#endif
NOTAPE_EXPORTED const notape_plugin* notape_plugin_v1(void);
NOTAPE_EXPORTED const notape_plugin2* notape_plugin_v2(void);
NOTAPE_EXPORTED const notape_plugin2* notape_plugin_v3(void);

#ifdef __cplusplus
}
#endif
#endif
