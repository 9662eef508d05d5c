// Numbers in tensors that are to lie within bounds: probabilities, deviations, weights.
#pragma once
#include "ops/core/kernel_slot.h"

namespace notape {

/// What every element is to be, and what is said of one that is not; {} in it becomes the element.
struct ValueBounds {
  /// ValueError, or LinalgError; that of one matrix of several begins with "(Batch element 2): ".
  enum class Error : uint8_t { Value, Linalg, LinalgOfBatch };

  double least, most;
  const char* words;  ///< lives as long as the process
  Error error = Error::Value;
};

/// "(Batch element 2): ...", with the value in the words.
inline std::string words_of(const char* words, ValueBounds::Error error, double value,
                            int64_t place) {
  const std::string which = error == ValueBounds::Error::LinalgOfBatch
                                ? format_message("(Batch element {}): ", {place})
                                : "";
  return which + format_message(words, {value});
}

/// Throws the error unless least <= element <= most, which NaN is not; elements are floating, or
/// int32. A device whose kernels run later has them find it, and raises the error in the next call
/// that waits for it.
using ValueCheckKernel = Kernel<void(const Operation&, const Tensor& values, const ValueBounds&)>;
extern ValueCheckKernel value_check_kernel;

/// The same for any strides and batches, of floating type.
void check_values(const Operation& op, const Tensor& values, const ValueBounds& bounds);

}  // namespace notape
