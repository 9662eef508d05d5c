// Declaration: what an operator of version 2 of the C interface says of itself, checked and copied.
// Nothing in it is believed: sizes of structures, counts, codes, numbers and pointers.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "autograd/tensor/scalar_type.h"
#include "ops/spec/op_spec.h"
#include "verify/plugin/c_abi.h"
#include "verify/plugin/foreign_error.h"

namespace notape::verify {

struct Declaration {
  struct Input {
    std::string name;  ///< "inputs[0]" or "inputs[0] (x)", for reports
    int32_t dtype = NOTAPE_REAL, flags = 0;
    double low = 0, high = 0;
    std::vector<notape_kink> kinks = {};

    bool is_real() const { return dtype == NOTAPE_REAL; }
    bool is_ascending() const { return (flags & NOTAPE_ASCENDING) != 0; }
    bool is_distinct() const { return (flags & NOTAPE_DISTINCT) != 0; }
  };
  struct Attribute {
    std::string name;
    bool whole = false;
    double low = 0, high = 0;
  };
  struct Saved {
    std::string name;
    int32_t dtype = NOTAPE_REAL;
  };

  notape_operator2 foreign{};  ///< its functions, name and flags
  std::vector<Input> inputs;
  std::vector<Attribute> attributes;
  std::vector<Saved> saved;

  /// 0: may differ by no rounding.
  int64_t atomic_terms() const { return foreign.atomic_terms; }
  bool takes(int32_t dtype) const { return (foreign.dtypes & dtype) != 0; }
  /// What its references compute in.
  int32_t reference_dtype() const {
    return foreign.reference_dtype ? foreign.reference_dtype : NOTAPE_LONG_DOUBLE;
  }
  int32_t output_dtype(std::size_t k) const {
    return foreign.output_dtypes ? foreign.output_dtypes[k] : NOTAPE_REAL;
  }
  bool is_real_output(std::size_t k) const {
    return output_dtype(k) != NOTAPE_INT32 && output_dtype(k) != NOTAPE_INT64;
  }
  std::size_t outputs() const { return static_cast<std::size_t>(foreign.output_count); }
  bool takes_strided() const { return (foreign.flags & NOTAPE_TAKES_STRIDED) != 0; }
  bool takes_missing() const { return (foreign.flags & NOTAPE_TAKES_MISSING) != 0; }
};

/// Throws ForeignOperatorError, one line, if the declaration makes no sense.
std::shared_ptr<const Declaration> declaration_of(const notape_operator2& foreign);

/// The code of a floating type in the C interface.
int32_t code_of_real(ScalarType type);
/// "complex64", of a code; "type 77" of one that nobody knows.
std::string name_of_code(int32_t dtype);

/// The operators of a plugin. Throws ForeignOperatorError if its structures cannot be read.
std::vector<const notape_operator2*> operators_of(const notape_plugin2& plugin);

}  // namespace notape::verify
