// The equation of an einsum: what each dimension of the operands and of the result is called.
#pragma once
#include <bitset>
#include <string_view>
#include <vector>

#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// Letters are 0 to 51, A to Z first; the dimensions of "..." follow, the last one the highest.
using EinsumLabel = std::size_t;
inline constexpr std::size_t kEinsumLetters = 52, kEinsumLabels = kEinsumLetters + 64;
using EinsumLabels = std::vector<EinsumLabel>;
using EinsumLabelSet = std::bitset<kEinsumLabels>;

struct EinsumEquation {
  std::vector<EinsumLabels> operands;  ///< a label for each dimension
  EinsumLabels result;                 ///< distinct
};

/// Throws ValueError for a text that is no equation of these operands, ShapeError where it gives
/// one another number of dimensions.
EinsumEquation parse_einsum(const Operation& op, std::string_view equation,
                            const std::vector<Tensor>& operands);

}  // namespace notape
