// Exhibit: one case with what a check found on it, ready to be read, stored and replayed.
#pragma once
#include <optional>

#include "verify/checks/check.h"

namespace notape::verify {

/// A tensor of a case.
struct ShownTensor {
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  std::string dtype, device, layout;  ///< "float64", "cpu", "permuted, strides [1, 3], offset 2"
  bool requires_grad = false;
  int64_t entries = 0;
  Numbers values;  ///< row-major; only the first kMostValuesKept of them

  static constexpr std::size_t kMostValuesKept = 256;
  /// "[2, 3] float64 (contiguous): [0.5, 1, ...]"
  std::string text() const;
};

/// A tensor as it lies in memory.
ShownTensor show(const Tensor& tensor, const Layout& layout = {});

/// Fingerprints of everything that a case's plain run computes (FNV-1a over the numbers' bits).
struct Bits {
  std::string output, gradients;  ///< 16 hexadecimal digits
};

struct Exhibit {
  Outcome outcome = {};
  std::string code = {};   ///< replays the case
  std::string label = {};  ///< the operator's parameters
  std::vector<ShownTensor> inputs = {};
  std::optional<ShownTensor> incoming = {};
  std::optional<Evidence> evidence = {};
  std::optional<Bits> bits = {};
};

/// Fills in what is known of a case without calling its operator.
void show_inputs(Exhibit& exhibit, const DrawnCase& drawn, ScalarType dtype, Device device);

/// Draws the case of `choices` and shows it, with the evidence for `outcome`. Parts that throw are
/// left out: the outcome says why.
Exhibit exhibit_of(const OpSpec& spec, const Check& check, ScalarType dtype, Device device,
                   const Choices& choices, Outcome outcome);

}  // namespace notape::verify
