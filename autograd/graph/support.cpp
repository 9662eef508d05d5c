#include "autograd/graph/support.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "autograd/graph/formula_support.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/factories.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape {
namespace {

/// In its scope operators only compute.
class PlainArithmetic {
 public:
  PlainArithmetic()
      : grad_mode_(std::exchange(thread_state.grad_mode, false)),
        forward_levels_(std::exchange(thread_state.forward_levels, 0)),
        region_sink_(std::exchange(thread_state.region_sink, nullptr)) {}
  ~PlainArithmetic() {
    thread_state.grad_mode = grad_mode_;
    thread_state.forward_levels = forward_levels_;
    thread_state.region_sink = region_sink_;
  }
  PlainArithmetic(const PlainArithmetic&) = delete;
  PlainArithmetic& operator=(const PlainArithmetic&) = delete;

 private:
  bool grad_mode_;
  uint32_t forward_levels_;
  RegionSink* region_sink_;
};

// Note [When supports are asked]
// After some steps of a recurrence all entries are selected, and stay so: then supports end, and
// kDeepest steps in this is looked for. If entries are left out they are so for long, and masks
// would be built for nothing: what is asked through such a mask is sparse, and is not looked at
// before kDeepestSparse. Deeper, asking would take too much stack, 300 bytes a step.
constexpr int kDeepest = 32, kDeepestSparse = 256;

/// Of what asks this support; null: of what asks none.
Support::Depth depth_above(const Ref<Support>& support) {
  Support::Depth depth = support ? support->depth() : Support::Depth();
  ++depth.steps;
  return depth;
}

Tensor as_mask(const Tensor& numbers) {
  return core_operators->convert(numbers, kBool, numbers.device());
}

/// The mask to write into: the support's own if nobody else has that.
Tensor mask_of(Ref<Support> support) {
  return support->is_shared() ? support->mask() : support->take_mask();
}

class KnownSupport final : public Support {
 public:
  KnownSupport(Tensor mask, Depth depth) : Support(depth), given_(std::move(mask)) {}

 private:
  Tensor compute() override { return std::move(given_); }
  void forget() noexcept override {}

  Tensor given_;
};

Ref<Support> known(Tensor mask, Support::Depth depth = {}) {
  return Ref<Support>::adopt(new KnownSupport(std::move(mask), depth));
}

class FunctionSupport final : public MappedSupport {
 public:
  FunctionSupport(const Tensor& gradient, std::function<Tensor(const Tensor&)> function)
      : MappedSupport(gradient), function_(std::move(function)) {}

 private:
  Tensor map(const Tensor& ones) override { return function_(ones); }

  std::function<Tensor(const Tensor&)> function_;
};

/// Of a sum of gradients.
class UnionSupport final : public Support {
 public:
  UnionSupport(Ref<Support> a, Ref<Support> b)
      : Support(deeper(depth_above(a), depth_above(b))), parts_{std::move(a), std::move(b)} {}

 private:
  Tensor compute() override {
    Tensor sum;
    for (const Ref<Support>& part : parts_) {
      const Tensor& mask = part->mask();
      if (!mask.defined()) return {};
      sum = sum.defined() ? core_operators->add(sum, mask) : mask;
    }
    return sum;
  }
  void forget() noexcept override { parts_ = {}; }

  std::array<Ref<Support>, 2> parts_;
};

/// Of a sum of regions, to a dense gradient or zeros.
class RegionSupport final : public Support {
 public:
  RegionSupport(Ref<Support> before, Device device)
      : Support(depth_above(before)), before_(std::move(before)), device_(device) {}

  void add(const Region& region) {
    Ref<Support> support = support_of(region.value);
    deepen(depth_above(support));
    regions_.push_back({region.base, region.view, std::move(support)});
  }

 private:
  struct Part {
    Geometry base, view;
    Ref<Support> support;  // null: all of the window
  };

  Tensor compute() override {
    Tensor mask = before_ ? mask_of(std::move(before_))
                          : zeros(regions_[0].base.sizes(), TensorOptions(kBool).device(device_));
    if (!mask.defined()) return {};
    for (const Part& part : regions_) {
      const Tensor selected = part.support ? part.support->mask() : Tensor();
      mask = selected.defined()
                 ? core_operators->add_window(std::move(mask), part.base, part.view, selected)
                 : core_operators->replace_window(
                       std::move(mask), part.base, part.view,
                       ones(part.view.sizes(), TensorOptions(kBool).device(device_)));
    }
    return mask;
  }
  void forget() noexcept override { regions_.clear(); }

  Ref<Support> before_;  // null: zeros
  Device device_;
  std::vector<Part> regions_;
};

Tensor select_by(const Ref<Support>& support, const Tensor& values) {
  const Tensor& mask = support->mask();
  return mask.defined()
             ? core_operators->select(core_operators->convert(mask, kBool, values.device()), values)
             : values;
}

/// Whether a look at all values costs little: not a kernel, not a wait.
bool may_look_at(const Tensor& values) {
  return values.device().is_cpu() && !owe_zeros_everywhere.load(std::memory_order_relaxed);
}

/// Of a mask whose bytes can be read.
bool selects_all(const Tensor& mask) {
  return mask.device().is_cpu() && mask.is_contiguous() &&
         !std::memchr(mask.impl().data(), false, static_cast<std::size_t>(mask.numel()));
}

}  // namespace

std::atomic<bool> owe_zeros_everywhere{false};

const Tensor& Support::mask() {
  if (is_known()) return mask_;
  const std::lock_guard guard(lock_);
  if (is_known()) return mask_;
  const PlainArithmetic scope;
  mask_ = compute();
  forget();
  depth_.store({}, std::memory_order_relaxed);
  known_.store(true, std::memory_order_release);
  return mask_;
}

Tensor Support::take_mask() {
  mask();
  return std::move(mask_);
}

MappedSupport::MappedSupport(const Tensor& gradient)
    : MappedSupport(gradient, support_of(gradient)) {}

MappedSupport::MappedSupport(const Tensor& gradient, Ref<Support> from)
    : Support(depth_above(from)), from_(std::move(from)), meta_(gradient.impl()) {}

Tensor MappedSupport::compute() {
  const Tensor selected = from_ ? from_->mask() : Tensor();
  const Tensor result =
      map(selected.defined()
              ? core_operators->convert(selected, meta_.dtype(), meta_.device())
              : ones(meta_.sizes(), TensorOptions(meta_.dtype()).device(meta_.device())));
  return result.defined() ? as_mask(result) : result;
}

Ref<Support> support_of(const Tensor& gradient) {
  if (!gradient.defined() || !gradient.impl().has(TensorImpl::kSupport)) return {};
  const TensorImpl& impl = gradient.impl();
  const TensorExtra& extra = *impl.extra();
  const bool is_current =
      impl.storage()->version() == extra.support_version && !impl.storage()->is_foreign();
  return is_current ? extra.support : Ref<Support>();
}

void drop_support(Tensor& gradient) {
  if (!gradient.defined() || !gradient.impl().has(TensorImpl::kSupport)) return;
  settle_zeros(gradient);
  gradient.impl().forget_zeros();
  gradient.impl().extra()->support.reset();
}

void settle_zeros(Tensor& gradient) {
  if (!owes_zeros(gradient)) return;
  Ref<Support> support = support_of(gradient);
  if (!support) return;
  gradient = select_by(support, gradient);
  set_support(gradient, std::move(support));
}

void settle_zeros(Tensor* gradients, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) settle_zeros(gradients[i]);
}

Ref<Support> take_support(Tensor& gradient) {
  settle_zeros(gradient);
  Ref<Support> support = support_of(gradient);
  if (gradient.defined() && gradient.impl().use_count() == 1) drop_support(gradient);
  return support;
}

bool set_support(const Tensor& gradient, Ref<Support> support) {
  if (!support) return false;
  TensorImpl& impl = gradient.impl();
  // Inference tensors count no writes.
  if (impl.use_count() != 1 || impl.storage()->is_inference()) return false;
  const Support::Depth depth = support->depth();
  if (depth.steps > (depth.is_sparse ? kDeepestSparse : kDeepest)) {
    const Tensor& mask = support->mask();
    if (!mask.defined() || selects_all(mask)) return false;
    support = known(mask, {.is_sparse = true});
  }
  TensorExtra& extra = impl.make_extra();
  extra.support = std::move(support);
  extra.support_version = impl.storage()->version();
  impl.set(TensorImpl::kSupport, true);
  return true;
}

Tensor ordinary(Tensor value) {
  if (!value.defined() || !value.impl().has(TensorImpl::kSupport)) return value;
  settle_zeros(value);
  return core_operators->clone(value, contiguous_strides(value.sizes()));
}

Ref<Support> joined(Ref<Support> a, Ref<Support> b) {
  if (!a || !b) return {};
  if (a == b) return a;
  return Ref<Support>::adopt(new UnionSupport(std::move(a), std::move(b)));
}

Ref<Support> support_with(Tensor& slot, const Region& region) {
  Ref<Support> before = take_support(slot);
  if (slot.defined() ? !before : !thread_state.structural_zeros) return {};
  auto* regions = dynamic_cast<RegionSupport*>(before.get());
  if (!regions || before->is_shared() || before->is_known()) {
    regions = new RegionSupport(std::move(before), region.value.device());
    before = Ref<Support>::adopt(regions);
  }
  regions->add(region);
  return before;
}

Ref<Support> support_of_window(const Ref<Support>& support, const Geometry& base,
                               const Geometry& view) {
  if (!support || !support->mask().defined()) return {};
  const PlainArithmetic scope;
  const Tensor window = core_operators->gather_window(support->mask(), base, view);
  Tensor mask = core_operators->clone(window, contiguous_strides(view.sizes()));
  return selects_all(mask) ? Ref<Support>() : known(std::move(mask));
}

Ref<Support> support_with_window(Ref<Support> support, const Geometry& base, const Geometry& view,
                                 const Tensor& value, Device device) {
  const Ref<Support> inner = support_of(value);
  if (!support && (value.defined() ? !inner : !thread_state.structural_zeros)) return {};
  const PlainArithmetic scope;
  Tensor mask = support ? mask_of(std::move(support)) : Tensor();
  if (!mask.defined()) mask = ones(base.sizes(), TensorOptions(kBool).device(device));
  Tensor selected = inner ? inner->mask() : Tensor();
  if (value.defined() && !selected.defined())
    selected = ones(view.sizes(), TensorOptions(kBool).device(device));
  return known(core_operators->replace_window(std::move(mask), base, view, selected));
}

void keep_zeros(const Tensor& gradient, Tensor& result, FactorTraits factors) {
  if (!result.defined() || result.is_same(gradient)) return;
  Ref<Support> support = support_of(gradient);
  if (!support || !(result.sizes() == gradient.sizes())) return;
  const bool is_observed = thread_state.grad_mode || thread_state.forward_levels != 0 ||
                           thread_state.anomaly != Anomaly::Off;
  const bool owed = owes_zeros(gradient), may_be_nan = owed || !factors.are_finite;
  if (is_observed && factors.read_values) {
    result = select_by(support, result);
  } else if (may_be_nan && !owed && may_look_at(result)) {
    if (core_operators->has_nan(result)) result = select_by(support, result);
  } else if (may_be_nan) {
    // (Samples of vmap are put together and added up in many places.)
    if (!is_observed && !result.device().is_batched() && set_support(result, support))
      return result.impl().set(TensorImpl::kOwesZeros, true);
    result = select_by(support, result);
  }
  set_support(result, std::move(support));
}

void move_zeros(const Tensor& gradient, const Tensor& result,
                std::function<Tensor(const Tensor& ones)> map) {
  if (!result.defined() || result.is_same(gradient)) return;
  set_support(result, Ref<Support>::adopt(new FunctionSupport(gradient, std::move(map))));
}

}  // namespace notape
