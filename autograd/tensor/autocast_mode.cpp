#include "autograd/tensor/autocast_mode.h"

#include <algorithm>
#include <unordered_map>

#include "autograd/error.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/tensor.h"

namespace notape {

constinit thread_local AutocastState autocast_state;

namespace {

/// A cast of a weight, both kept alive: no other tensor may come to stand where the weight was.
struct WeightCast {
  Tensor weight, cast;
  uint64_t version;
};

thread_local std::unordered_map<const TensorImpl*, WeightCast> weight_casts;

std::size_t place_of(DeviceType device) { return static_cast<std::size_t>(device); }

}  // namespace

AutocastMode::AutocastMode(DeviceType device, bool enabled, std::optional<ScalarType> dtype)
    : before_(autocast_state) {
  if (dtype) autocast::set_autocast_dtype(device, *dtype);
  autocast::set_autocast_enabled(device, enabled);
  ++autocast_state.scopes;
}

AutocastMode::AutocastMode(const AutocastState& state) : before_(autocast_state) {
  autocast_state = state;
  autocast_state.scopes = before_.scopes + 1;
  autocast_state.backward_depth = thread_state.backward_depth;
}

AutocastMode::~AutocastMode() {
  autocast_state = before_;
  if (before_.scopes == 0) autocast::clear_cache();
}

namespace autocast {

bool is_autocast_enabled(DeviceType device) {
  return autocast_state.enabled[place_of(device)] &&
         autocast_state.backward_depth == thread_state.backward_depth;
}

void set_autocast_enabled(DeviceType device, bool enabled) {
  AutocastState& state = autocast_state;
  state.enabled[place_of(device)] = enabled;
  state.is_on = std::ranges::find(state.enabled, true) != state.enabled.end();
  state.backward_depth = thread_state.backward_depth;
}

void set_autocast_dtype(DeviceType device, ScalarType dtype) {
  if (dtype != kFloat16 && dtype != kBFloat16)
    throw DtypeError("autocast: computes in float16 or bfloat16, and not in {}", name_of(dtype));
  autocast_state.dtype[place_of(device)] = dtype;
}

uint32_t increment_nesting() { return ++autocast_state.scopes; }

uint32_t decrement_nesting() {
  if (--autocast_state.scopes == 0) clear_cache();
  return autocast_state.scopes;
}

ScalarType get_autocast_dtype(DeviceType device) { return autocast_state.dtype[place_of(device)]; }

bool is_autocast_cache_enabled() { return autocast_state.is_cache_enabled; }

void set_autocast_cache_enabled(bool enabled) { autocast_state.is_cache_enabled = enabled; }

void clear_cache() { weight_casts.clear(); }

const Tensor* find_cast(const Tensor& weight, ScalarType dtype) {
  const auto found = weight_casts.find(&weight.impl());
  if (found == weight_casts.end()) return nullptr;
  const WeightCast& one = found->second;
  const bool is_current = one.version == weight.impl().storage()->version() &&
                          one.cast.dtype() == dtype &&
                          (!thread_state.grad_mode || one.cast.requires_grad());
  return is_current ? &one.cast : nullptr;
}

void keep_cast(const Tensor& weight, const Tensor& cast) {
  weight_casts.insert_or_assign(&weight.impl(),
                                WeightCast{weight, cast, weight.impl().storage()->version()});
}

}  // namespace autocast

}  // namespace notape
