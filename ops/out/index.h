// Gathering, scattering, searching and joining.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "ops/index.h"

namespace notape {

/// Of the result's dtype, exactly.
Tensor& index_out(Tensor& out, const Tensor& self,
                  const std::vector<indexing::TensorIndex>& indices, At at = At::current());
Tensor& index_select_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                         At at = At::current());
Tensor& gather_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                   At at = At::current());
Tensor& take_out(Tensor& out, const Tensor& self, const Tensor& index, At at = At::current());
Tensor& take_along_dim_out(Tensor& out, const Tensor& self, const Tensor& indices,
                           std::optional<Integer> dim = {}, At at = At::current());
Tensor& index_add_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                      const Tensor& source, Scalar alpha = 1, At at = At::current());
Tensor& index_copy_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                       const Tensor& source, At at = At::current());
Tensor& scatter_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                    const Tensor& src, At at = At::current());
Tensor& scatter_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index, Scalar value,
                    At at = At::current());
Tensor& scatter_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                    const Tensor& src, std::string_view reduce, At at = At::current());
Tensor& scatter_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index, Scalar value,
                    std::string_view reduce, At at = At::current());
Tensor& scatter_add_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                        const Tensor& src, At at = At::current());
Tensor& scatter_reduce_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                           const Tensor& src, std::string_view reduce, bool include_self = true,
                           At at = At::current());
Tensor& masked_select_out(Tensor& out, const Tensor& self, const Tensor& mask,
                          At at = At::current());
Tensor& tril_out(Tensor& out, const Tensor& self, Integer diagonal = 0, At at = At::current());
Tensor& triu_out(Tensor& out, const Tensor& self, Integer diagonal = 0, At at = At::current());
Tensor& diag_out(Tensor& out, const Tensor& self, Integer diagonal = 0, At at = At::current());
/// Positions: int64, of searchsorted_out and bucketize_out int32 with out_int32.
Tensor& nonzero_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& searchsorted_out(Tensor& out, const Tensor& sorted_sequence, const Tensor& self,
                         bool out_int32 = false, bool right = false,
                         std::optional<std::string_view> side = {}, const Tensor& sorter = {},
                         At at = At::current());
Tensor& searchsorted_out(Tensor& out, const Tensor& sorted_sequence, Scalar self,
                         bool out_int32 = false, bool right = false,
                         std::optional<std::string_view> side = {}, const Tensor& sorter = {},
                         At at = At::current());
Tensor& bucketize_out(Tensor& out, const Tensor& self, const Tensor& boundaries,
                      bool out_int32 = false, bool right = false, At at = At::current());
/// Converted.
Tensor& cat_out(Tensor& out, const TensorList& tensors, Integer dim = 0, At at = At::current());
Tensor& stack_out(Tensor& out, const TensorList& tensors, Integer dim = 0, At at = At::current());

}  // namespace notape
