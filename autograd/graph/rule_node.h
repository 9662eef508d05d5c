// RuleNode: the graph node of an operation whose derivative is given by rules. One allocation holds
// edges, output description, saved values and parameters.
#pragma once
#include "autograd/graph/formula_support.h"
#include "autograd/graph/history.h"
#include "autograd/graph/rule.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/modes/thread_state.h"

namespace notape {

template <typename D, typename Parameters>
class RuleNode final : public FixedNode<D::inputs, D::results> {
  using Traits = detail::DerivativeTraits<D>;

 public:
  RuleNode(const D& derivative, const Operation& op, Parameters parameters)
      : FixedNode<D::inputs, D::results>(derivative.name, op.name, op.at,
                                         thread_state.next_sequence_nr++),
        rules_(derivative.rules),
        parameters_(std::move(parameters)) {}

  /// Sets the edges and saves what the wanted gradients need. `overwritten` is the position of an
  /// input that an in-place operation is about to overwrite, and `copy` makes its private copy.
  template <typename Copy, typename... Inputs>
  void save_inputs(int overwritten, Copy copy, const Inputs&... inputs) {
    const Tensor* list[] = {&inputs...};
    for (std::size_t i = 0; i < D::inputs; ++i) {
      if (!Traits::differentiable[i]) continue;
      if (Edge edge = recorded_edge(*list[i])) {
        saves_ |= Traits::reads_by_rule[i];
        this->set_edge(i, std::move(edge));
      }
    }
    for (int i = 0; i < static_cast<int>(D::inputs); ++i) {
      if (saves_ >> i & 1)
        saved_[Traits::position(Traits::reads, i)].save(i == overwritten ? copy() : *list[i],
                                                        D::argument_names[i]);
      if (Traits::metas >> i & 1 && list[i]->defined())
        metas_[Traits::position(Traits::metas, i)] = OutputMeta(list[i]->impl());
    }
  }

  /// Describes the results and, after an in-place kernel too, saves their values.
  void save_results(const Tensor* results) {
    for (std::size_t i = 0; i < D::results; ++i) this->set_metadata(i, results[i]);
    for_saved_results(saves_, [&](std::size_t i, SavedVariable& saved) {
      saved.save(results[i], D::result_names[i]);
    });
  }

  /// The results' tangents were not known when they were saved.
  void save_result_tangents(const Tensor* results) {
    for_saved_results(
        saves_, [&](std::size_t i, SavedVariable& saved) { saved.save_tangents(results[i]); });
  }

  void check_saved(const Wanted* wanted) const override {
    const uint32_t reads = wanted ? read_by(*wanted) : saves_;
    for (int i = 0; i < static_cast<int>(D::inputs); ++i)
      if (reads >> i & 1)
        saved_[Traits::position(Traits::reads, i)].check(
            *this, &this->next_edge(static_cast<std::size_t>(i)));
    for_saved_results(
        reads, [&](std::size_t, const SavedVariable& saved) { saved.check(*this, nullptr); });
  }

  bool runs_beside_others() const override { return true; }
  bool keeps_entries_apart() const override { return Traits::keeps_entries_apart; }

  void release_saved() noexcept override {
    for (auto& saved : saved_) saved.release();
    for (auto& saved : saved_results_) saved.release();
  }

  void visit_saved(const Node::SavedVisitor& visit) override {
    for (int i = 0; i < static_cast<int>(D::inputs); ++i)
      if (saves_ >> i & 1)
        visit(saved_[Traits::position(Traits::reads, i)],
              &this->next_edge(static_cast<std::size_t>(i)));
    for_saved_results(saves_, [&](std::size_t i, SavedVariable& saved) {
      with_edge(i, [&](const Edge* edge) { visit(saved, edge); });
    });
  }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    Source source{*this, {}, {}};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (apply_rule<I>(gradients, results[I], wanted, source), ...);
    }
    (std::make_index_sequence<D::inputs>());
  }

 private:
  static constexpr std::size_t result_position(std::size_t i) {
    const uint32_t saved = Traits::reads >> detail::kFirstResult;
    return static_cast<std::size_t>(Traits::count(saved & ((1u << i) - 1)));
  }

  /// Calls f with the edge that leads to result i: null for the first, see SavedVariable::unpack().
  template <typename F>
  void with_edge(std::size_t i, F f) const {
    if (i == 0) return f(static_cast<const Edge*>(nullptr));
    Edge own;
    if (Traits::sees_all_gradients && is_floating_point(this->input_metadata(i).dtype()))
      own = {NodeRef::share(const_cast<RuleNode*>(this)), static_cast<uint32_t>(i)};
    f(&own);
  }

  /// Calls f(i, its saved value) for every result i in `reads`.
  template <typename F>
  void for_saved_results(uint32_t reads, F f) {
    visit_results(saved_results_, reads, f);
  }
  template <typename F>
  void for_saved_results(uint32_t reads, F f) const {
    visit_results(saved_results_, reads, f);
  }
  template <typename Saved, typename F>
  static void visit_results(Saved& saved, uint32_t reads, F f) {
    if constexpr (Traits::saved_results > 0)
      for (std::size_t i = 0; i < D::results; ++i)
        if (Traits::reads & reads & 1u << (detail::kFirstResult + i))
          f(i, saved[result_position(i)]);
  }

  uint32_t read_by(const Wanted& wanted) const {
    uint32_t reads = 0;
    for (std::size_t i = 0; i < D::inputs; ++i)
      if (wanted(i)) reads |= Traits::reads_by_rule[i];
    return reads & saves_;
  }

  /// Unpacks each saved value at most once.
  struct Source {
    RuleNode& node;
    std::array<Tensor, D::inputs> inputs;
    std::array<Tensor, D::results> results;

    template <typename Argument>
    decltype(auto) argument() {
      if constexpr (detail::input_index<Argument> >= 0) {
        constexpr int i = detail::input_index<Argument>;
        Tensor& value = inputs[i];
        if (!value.defined())
          value = node.saved_[Traits::position(Traits::reads, i)].unpack(node, &node.next_edge(i));
        return Input<i>{value};
      } else if constexpr (detail::meta_index<Argument> >= 0) {
        constexpr int i = detail::meta_index<Argument>;
        return Meta<i>{node.metas_[Traits::position(Traits::metas, i)]};
      } else if constexpr (detail::result_index<Argument> >= 0) {
        constexpr int i = detail::result_index<Argument>;
        Tensor& value = results[i];
        if (!value.defined())
          node.with_edge(i, [&](const Edge* edge) {
            value = node.saved_results_[result_position(i)].unpack(node, edge);
          });
        return Result<i>{value};
      } else {
        static_assert(std::is_same_v<Argument, Parameters>,
                      "a rule may ask for Input, Result, Meta and its operator's parameters");
        return (node.parameters_);
      }
    }
  };

  template <std::size_t I>
  void apply_rule(Tensor* gradients, Tensor& result, const Wanted& wanted, Source& source) {
    if constexpr (Traits::differentiable[I]) {
      if (!wanted(I)) return;
      const auto& vjp = std::get<I>(rules_).vjp;
      using First =
          std::tuple_element_t<0, detail::ParametersOf<std::remove_cvref_t<decltype(vjp)>>>;
      constexpr Zeros zeros = Traits::zeros_by_rule[I];
      if constexpr (detail::results_in < First >> 0) {
        static_assert(detail::results_in<First> == D::results && zeros == Zeros::Lost);
        First all;
        std::copy_n(gradients, D::results, all.begin());
        result = detail::call_formula(vjp, all, source);
      } else {
        const Tensor& gradient = gradients[0];
        result = detail::call_formula(vjp, gradient, source);
        if constexpr (zeros == Zeros::Made) {
          if (thread_state.structural_zeros) make_zeros<I>(gradient, result, source);
        } else if constexpr (zeros != Zeros::Lost) {
          if (!gradient.impl().has(TensorImpl::kSupport)) [[likely]]
            return;
          if constexpr (zeros == Zeros::Kept)
            keep_zeros(
                gradient, result,
                {.read_values = Traits::reads_by_rule[I] != 0,
                 .are_finite =
                     detail::factors_are_finite<std::remove_cvref_t<decltype(vjp)>>(parameters_)});
          else
            make_zeros<I>(gradient, result, source);
        }
      }
    }
  }

  template <std::size_t I>
  [[gnu::noinline]] void make_zeros(const Tensor& gradient, Tensor& result, Source& source) {
    if (!result.defined() || result.is_same(gradient)) return;
    set_support(result, detail::formula_support(gradient, std::get<I>(rules_).vjp, source));
  }

  [[no_unique_address]] decltype(D::rules) rules_;
  [[no_unique_address]] Parameters parameters_;
  uint32_t saves_ = 0;
  std::array<SavedVariable, Traits::saved_inputs> saved_;
  std::array<OutputMeta, Traits::saved_metas> metas_;
  [[no_unique_address]] std::array<SavedVariable, Traits::saved_results> saved_results_;
};

}  // namespace notape
