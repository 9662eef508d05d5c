/* What an interpreter hands to libnotape_python.so, in plain C: verify/python/notape/verify/
 * library.py has the same structures. A function is known by a word of letters: "" is the user's f,
 * and behind a word W
 *
 *   W V   is its product with a covector: (x, v) -> one gradient for each differentiable x,
 *   W J   is its product with a vector:   (x, t) -> one tangent for each output,
 *
 * and "S" is the declared surrogate: (x, incoming gradients) -> one gradient for each floating x,
 *
 * so that "VV" is what the second derivative needs, and "J" is forward mode. */
#ifndef NOTAPE_VERIFY_PYTHON_CALLBACKS_H
#define NOTAPE_VERIFY_PYTHON_CALLBACKS_H

#include <stdint.h>

#include "verify/plugin/c_abi.h"

/* Beside the types of c_abi.h. */
enum { NOTAPE_BOOL = 256 };

enum {
  NOTAPE_CALL_FORWARD = 0,  /* inputs -> outputs, and a graph if `record` */
  NOTAPE_CALL_BACKWARD = 1, /* of `graph`: incoming gradients -> gradients */
  NOTAPE_CALL_RELEASE = 2   /* `graph` is not needed any more */
};
enum {
  NOTAPE_DONE = 0,
  NOTAPE_RAISED = 1,     /* `error` says what */
  NOTAPE_NOT_THERE = 2,  /* the word has no meaning for this function; `error` says why */
  NOTAPE_INTERRUPTED = 3 /* Ctrl-C: nothing more is to be called */
};

typedef struct notape_request {
  int32_t what, record;
  const char* word;
  int64_t graph;
  int32_t rounding; /* the mode of fesetround() that is under test; the callback itself is called in
                       that to nearest */
  int32_t input_count;
  const notape_tensor* inputs; /* dtype 0: a missing gradient */
  const int32_t* wanted;       /* [inputs of the forward]: whether it requires grad */
  /* Written by the callback; the memory is its own, and stays until the next call of this thread.
   */
  int64_t made_graph;
  int32_t output_count;
  const notape_tensor* outputs; /* row-major; dtype 0: none */
  const char* error;
} notape_request;

typedef int32_t (*notape_callback)(notape_request* request);

#endif
