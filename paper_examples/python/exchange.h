// Memory that Python's libraries share with tensors.
#pragma once
#include "paper_examples/python/binding.h"

namespace notape::python {

/// A tensor over the memory of NumPy's arrays and all that has a buffer; it keeps the buffer.
/// Throws DtypeError for elements that no dtype has, ShapeError for negative strides.
Tensor from_buffer(PyObject* exporter);
/// "cpu", "cuda:1", or a Device.
Device device_of(nb::handle object);

}  // namespace notape::python
