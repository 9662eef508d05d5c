// Maxima of windows in up to three dimensions: which entry is the largest of each.
#pragma once
#include "ops/pooling.h"
#include "ops/pooling/window_tables.h"
#include "ops/spec/op_spec.h"

namespace notape {

/// {maxima, their flat positions in each plane or volume} of the last `dims` dimensions. The
/// maximum's gradient goes to that position; a window of padding alone is -inf at -1.
std::tuple<Tensor, Tensor> max_windows(const Operation& op, const Tensor& self, std::size_t dims,
                                       const WindowTables& tables);
/// Its windows are those of adaptive_avg_pool. Throws for arguments that do not fit.
std::tuple<Tensor, Tensor> adaptive_max_pool(const Operation& op, const Tensor& self,
                                             const std::vector<int64_t>& output_size);

using MaximaCall = std::function<Tensor(const Tensor&)>;
/// A case whose reference looks at each window of the tables.
OpCase max_windows_case(std::string label, std::vector<int64_t> sizes, std::size_t dims,
                        const WindowTables& tables, MaximaCall call);
OpCase adaptive_max_pool_case(
    Draw& draw, std::size_t dims,
    std::function<Tensor(const Tensor&, const std::vector<int64_t>&)> call);

}  // namespace notape
