// Objects of Python as arguments of the functions in ops/functions/.
#pragma once
#include "ops/functions/functions.h"
#include "paper_examples/python/binding.h"

namespace notape::python {

/// One overload with what the lists do not say: names and defaults. ops/functions/ knows the kinds.
struct Named {
  struct Parameter {
    std::string name;
    functions::Parameter kind;
    std::optional<functions::Value> preset;
    std::string preset_text;
  };
  const functions::Overload* overload;
  std::vector<Parameter> parameters;
};

/// Whether a parameter takes this object; nothing of Python is called that could fail.
bool takes(const Named::Parameter& parameter, PyObject* object);
/// Of what takes() says yes to. Throws nb::python_error.
functions::Value value_of(const Named::Parameter& parameter, PyObject* object);

/// "dim:L keepdim:b=false" with the kinds of an overload; none if they are of another one.
std::optional<Named> named(const functions::Overload& overload, std::string_view row);
/// "sum(Tensor self, Ints dim, bool keepdim=False) -> Tensor"
std::string signature(const std::string& name, const Named& named);

/// One index of x[...].
indexing::TensorIndex index_of(PyObject* object);

}  // namespace notape::python
