// PythonFunction: a function of an interpreter, and the functions that it differentiates into, as
// functions of tensors.
#pragma once
#include "autograd/autograd.h"
#include "verify/python/callbacks.h"

namespace notape::verify {

/// What a callback raised.
struct PythonError : ErrorOf<"PythonError"> {
  using ErrorOf::ErrorOf;
};

/// A function by its word (callbacks.h), and which of its inputs it is differentiated by.
struct PythonWord {
  notape_callback callback = nullptr;
  std::string word = {};
  int order = 0;  ///< how many letters V it can have
};

/// Throws PythonError, DerivativeNotImplemented and ForwardNotImplemented.
variable_list call_python(const PythonWord& word, const variable_list& inputs);

/// A copy of row-major memory. Throws PythonError for a dtype that is not there.
Tensor tensor_of(const notape_tensor& array);

}  // namespace notape::verify
