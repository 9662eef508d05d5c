// The members of a Tensor that ops/index/ defines: x.f() for f(x), x.f_() for f_(x). The formula,
// shapes, errors and derivative of each stand beside f in ops/index.h.
#pragma once
#include <concepts>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "autograd/integer.h"
#include "autograd/source_location.h"
#include "autograd/tensor/scalar.h"

namespace notape {

class Tensor;
namespace indexing {
class TensorIndex;
}

/// The index of x[i] with the user's line, which operator[] cannot have as a second parameter.
struct IndexAt {
  template <WholeNumber I>
  IndexAt(I index, SourceLocation where = SourceLocation::current())
      : value(Integer(index)), at(where) {}
  int64_t value;
  SourceLocation at;
};

class IndexMembers {
  using At = SourceLocation;

 public:
  Tensor index(const std::vector<indexing::TensorIndex>& indices, At at = At::current()) const;
  Tensor& index_put_(const std::vector<indexing::TensorIndex>& indices, const Tensor& values,
                     At at = At::current()) const;
  /// With accumulate values are added, and those of repeated indices add up.
  Tensor& index_put_(const std::vector<indexing::TensorIndex>& indices, const Tensor& values,
                     bool accumulate, At at = At::current()) const;
  Tensor& index_put_(const std::vector<indexing::TensorIndex>& indices, Scalar value,
                     At at = At::current()) const;
  Tensor index_select(Integer dim, const Tensor& index, At at = At::current()) const;
  Tensor gather(Integer dim, const Tensor& index, At at = At::current()) const;
  /// x[i]: select(0, i), a view.
  Tensor operator[](IndexAt index) const;
  Tensor scatter(Integer dim, const Tensor& index, const Tensor& src, At at = At::current()) const;
  Tensor scatter(Integer dim, const Tensor& index, Scalar value, At at = At::current()) const;
  Tensor& scatter_(Integer dim, const Tensor& index, const Tensor& src,
                   At at = At::current()) const;
  Tensor& scatter_(Integer dim, const Tensor& index, Scalar value, At at = At::current()) const;
  Tensor scatter_add(Integer dim, const Tensor& index, const Tensor& source,
                     At at = At::current()) const;
  Tensor& scatter_add_(Integer dim, const Tensor& index, const Tensor& source,
                       At at = At::current()) const;
  Tensor bincount(At at = At::current()) const;
  Tensor bincount(const Tensor& weights, Integer minlength = 0, At at = At::current()) const;
  Tensor index_add(Integer dim, const Tensor& index, const Tensor& source, Scalar alpha = 1,
                   At at = At::current()) const;
  Tensor& index_add_(Integer dim, const Tensor& index, const Tensor& source, Scalar alpha = 1,
                     At at = At::current()) const;
  Tensor index_copy(Integer dim, const Tensor& index, const Tensor& source,
                    At at = At::current()) const;
  Tensor& index_copy_(Integer dim, const Tensor& index, const Tensor& source,
                      At at = At::current()) const;
  Tensor index_fill(Integer dim, const Tensor& index, Scalar value, At at = At::current()) const;
  Tensor& index_fill_(Integer dim, const Tensor& index, Scalar value, At at = At::current()) const;
  Tensor index_fill(Integer dim, const Tensor& index, const Tensor& value,
                    At at = At::current()) const;
  Tensor& index_fill_(Integer dim, const Tensor& index, const Tensor& value,
                      At at = At::current()) const;
  Tensor masked_select(const Tensor& mask, At at = At::current()) const;
  Tensor index_put(const std::vector<indexing::TensorIndex>& indices, const Tensor& values,
                   bool accumulate = false, At at = At::current()) const;
  Tensor nonzero(At at = At::current()) const;
  std::tuple<Tensor, Tensor, Tensor> unique_consecutive(bool return_inverse = false,
                                                        bool return_counts = false,
                                                        std::optional<Integer> dim = {},
                                                        At at = At::current()) const;
  Tensor take(const Tensor& index, At at = At::current()) const;
  Tensor take_along_dim(const Tensor& indices, std::optional<Integer> dim = {},
                        At at = At::current()) const;
  Tensor scatter_reduce(Integer dim, const Tensor& index, const Tensor& src,
                        std::string_view reduce, bool include_self = true,
                        At at = At::current()) const;
  Tensor& scatter_reduce_(Integer dim, const Tensor& index, const Tensor& src,
                          std::string_view reduce, bool include_self = true,
                          At at = At::current()) const;
  Tensor scatter(Integer dim, const Tensor& index, const Tensor& src, std::string_view reduce,
                 At at = At::current()) const;
  Tensor& scatter_(Integer dim, const Tensor& index, const Tensor& src, std::string_view reduce,
                   At at = At::current()) const;
  Tensor scatter(Integer dim, const Tensor& index, Scalar value, std::string_view reduce,
                 At at = At::current()) const;
  Tensor& scatter_(Integer dim, const Tensor& index, Scalar value, std::string_view reduce,
                   At at = At::current()) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
