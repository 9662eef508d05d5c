// FormulaSupport: the structural zeros that a movement's or selection's formula makes and moves.
// The formula itself shows them: applied to ones, with zeros at the incoming structural zeros, it
// gives something other than zero where something was selected.
#pragma once
#include <optional>

#include "autograd/graph/output_meta.h"
#include "autograd/graph/rule.h"
#include "autograd/graph/support.h"

namespace notape {

/// The support of a linear map with non-cancelling weights.
class MappedSupport : public Support {
 protected:
  explicit MappedSupport(const Tensor& gradient);
  void forget() noexcept override { from_.reset(); }

 private:
  MappedSupport(const Tensor& gradient, Ref<Support> from);
  /// Undefined if what the map needs is not what it was.
  virtual Tensor map(const Tensor& ones) = 0;
  Tensor compute() final;

  Ref<Support> from_;
  OutputMeta meta_;  // of the gradient that came in
};

namespace detail {

/// A formula's argument, kept for later.
template <typename Argument>
struct Kept {
  Argument value;
  explicit Kept(const Argument& argument) : value(argument) {}
  const Argument& get() const { return value; }
  bool is_current() const { return true; }
};
template <typename Argument>
requires std::is_base_of_v<Tensor, Argument>
struct Kept<Argument> {
  Argument value;
  uint64_t version;
  explicit Kept(const Argument& argument)
      : value(argument), version(argument.impl().storage()->version()) {}
  const Argument& get() const { return value; }
  bool is_current() const { return value.impl().storage()->version() == version; }
};
template <int I>
struct Kept<Meta<I>> {
  OutputMeta value;
  explicit Kept(const Meta<I>& argument) : value(argument.value) {}
  Meta<I> get() const { return {value}; }
  bool is_current() const { return true; }
};

template <typename Formula, typename Parameters>
class FormulaSupport;
template <typename Formula, typename First, typename... Arguments>
class FormulaSupport<Formula, std::tuple<First, Arguments...>> final : public MappedSupport {
 public:
  template <typename Source>
  FormulaSupport(const Tensor& gradient, const Formula& formula, Source& source)
      : MappedSupport(gradient),
        formula_(formula),
        arguments_(std::in_place, Kept<Arguments>(source.template argument<Arguments>())...) {}

 private:
  struct Source {
    const std::tuple<Kept<Arguments>...>& kept;
    template <typename Argument>
    decltype(auto) argument() {
      return std::get<Kept<Argument>>(kept).get();
    }
  };

  Tensor map(const Tensor& ones) override {
    if (!(std::get<Kept<Arguments>>(*arguments_).is_current() && ...)) return {};
    return call_formula(formula_, ones, Source{*arguments_});
  }
  void forget() noexcept override {
    arguments_.reset();
    MappedSupport::forget();
  }

  [[no_unique_address]] Formula formula_;
  std::optional<std::tuple<Kept<Arguments>...>> arguments_;
};

/// Of what `formula` makes of the gradient; `source` has its arguments.
template <typename Formula, typename Source>
Ref<Support> formula_support(const Tensor& gradient, const Formula& formula, Source& source) {
  using Made = FormulaSupport<Formula, ParametersOf<Formula>>;
  return Ref<Support>::adopt(new Made(gradient, formula, source));
}

}  // namespace detail
}  // namespace notape
