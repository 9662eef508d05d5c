// The members of a Tensor that ops/index/ defines: x.f() for f(x), x.f_() for f_(x). The formula,
// shapes, errors and derivative of each stand beside f in ops/index.h.
#pragma once
#include <concepts>
#include <vector>

#include "autograd/source_location.h"
#include "autograd/tensor/scalar.h"

namespace notape {

class Tensor;
namespace indexing {
class TensorIndex;
}

/// The index of x[i] with the user's line, which operator[] cannot have as a second parameter.
struct IndexAt {
  template <std::integral I>
  IndexAt(I index, SourceLocation where = SourceLocation::current())
      : value(static_cast<int64_t>(index)), at(where) {}
  int64_t value;
  SourceLocation at;
};

class IndexMembers {
  using At = SourceLocation;

 public:
  Tensor index(std::initializer_list<indexing::TensorIndex> indices, At at = At::current()) const;
  Tensor index(const std::vector<indexing::TensorIndex>& indices, At at = At::current()) const;
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor& values,
                     At at = At::current()) const;
  /// With a number: ValueError if self's dtype cannot hold it.
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, Scalar value,
                     At at = At::current()) const;
  Tensor index_select(int64_t dim, const Tensor& index, At at = At::current()) const;
  Tensor gather(int64_t dim, const Tensor& index, At at = At::current()) const;
  /// x[i]: select(0, i), a view.
  Tensor operator[](IndexAt index) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
