// Autocast mode: operators that gain by 16 bits compute in them, and those that need float32
// compute in that, whatever their operands are. Mixed precision training (Micikevicius et al. 2018;
// PyTorch: torch.autocast, at::autocast). ops/README.md lists the operators.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "autograd/tensor/device.h"
#include "autograd/tensor/scalar_type.h"

namespace notape {

class Tensor;

/// What autocast is on this thread.
struct AutocastState {
  bool is_on = false;  ///< for some device: all that operators look at while it is off
  bool is_cache_enabled = true;
  std::array<bool, kDeviceTypes> enabled{};
  std::array<ScalarType, kDeviceTypes> dtype{kBFloat16, kHalf, kHalf, kHalf};
  uint32_t scopes = 0;  ///< of AutocastMode that are open
  /// Backward runs that had begun when the innermost scope was opened. Inside a backward run that
  /// began later autocast is off: formulas compute in the types of what forward has saved.
  uint32_t backward_depth = 0;
};

extern constinit thread_local AutocastState autocast_state;

/// Sets autocast for a scope: for operands on devices of this type, in this dtype (without one, the
/// device's: bfloat16 on the CPU, float16 on GPUs). Weights are cast once in the outermost scope,
/// and again if they were written meanwhile. Leave the scope before backward(). Throws DtypeError
/// for another type than float16 and bfloat16. (PyTorch: torch.autocast)
class AutocastMode {
 public:
  explicit AutocastMode(DeviceType device, std::optional<ScalarType> dtype = {})
      : AutocastMode(device, true, dtype) {}
  /// Inside its scope it is off: operators take the types they get.
  static AutocastMode disabled(DeviceType device) { return {device, false, {}}; }
  /// What another scope was: for code that runs later and must compute as it would have there.
  explicit AutocastMode(const AutocastState& state);
  ~AutocastMode();
  AutocastMode(const AutocastMode&) = delete;
  AutocastMode& operator=(const AutocastMode&) = delete;

 private:
  AutocastMode(DeviceType device, bool enabled, std::optional<ScalarType> dtype);
  const AutocastState before_;
};

/// LibTorch's names.
namespace autocast {

bool is_autocast_enabled(DeviceType device);
ScalarType get_autocast_dtype(DeviceType device);
bool is_autocast_cache_enabled();
/// Each for this thread, until it is set again; in a scope of AutocastMode until its end. Casts of
/// weights are kept while there is a scope: an AutocastMode, or what lies between these two calls.
void set_autocast_enabled(DeviceType device, bool enabled);
/// Throws DtypeError for another type than float16 and bfloat16.
void set_autocast_dtype(DeviceType device, ScalarType dtype);
void set_autocast_cache_enabled(bool enabled);
uint32_t increment_nesting();
uint32_t decrement_nesting();
/// Forgets the casts of weights; so does the end of the outermost scope.
void clear_cache();

/// The cast of this weight to this type that the scope has made, or null: none, or the weight was
/// written since, or gradients are wanted now and were not then.
const Tensor* find_cast(const Tensor& weight, ScalarType dtype);
void keep_cast(const Tensor& weight, const Tensor& cast);

}  // namespace autocast

}  // namespace notape
