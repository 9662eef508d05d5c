// RuleNode: the graph node of an operation whose derivative is given by rules. One allocation holds
// edges, output description, saved values and parameters.
#pragma once
#include "autograd/graph/formula_support.h"
#include "autograd/graph/history.h"
#include "autograd/graph/rule.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/modes/thread_state.h"

namespace notape {

inline constexpr const char* kSlotNames[] = {"self", "other", "third", "fourth"};

template <typename D, typename Parameters>
class RuleNode final : public FixedNode<D::inputs> {
  using Traits = detail::DerivativeTraits<D>;

 public:
  RuleNode(const D& derivative, const Operation& op, Parameters parameters)
      : FixedNode<D::inputs>(derivative.name, op.name, op.at, thread_state.next_sequence_nr++),
        derivative_(derivative),
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
                                                        kSlotNames[i]);
      if (Traits::metas >> i & 1)
        metas_[Traits::position(Traits::metas, i)] = OutputMeta(list[i]->impl());
    }
  }

  /// Describes the result and, after an in-place kernel too, saves its value.
  void save_output(const Tensor& output) {
    this->set_metadata(0, output);
    if constexpr (Traits::saves_output)
      if (saves_ & detail::kReadsOutput) saved_output_.save(output, "result");
  }

  /// The result's tangents were not known when it was saved.
  void save_output_tangents(const Tensor& output) {
    if constexpr (Traits::saves_output)
      if (saves_ & detail::kReadsOutput) saved_output_.save_tangents(output);
  }

  void check_saved(const Wanted* wanted) const override {
    const uint32_t reads = wanted ? read_by(*wanted) : saves_;
    for (int i = 0; i < static_cast<int>(D::inputs); ++i)
      if (reads >> i & 1)
        saved_[Traits::position(Traits::reads, i)].check(
            *this, &this->next_edge(static_cast<std::size_t>(i)));
    if constexpr (Traits::saves_output)
      if (reads & detail::kReadsOutput) saved_output_.check(*this, nullptr);
  }

  bool runs_beside_others() const override { return true; }

  void release_saved() noexcept override {
    for (auto& saved : saved_) saved.release();
    if constexpr (Traits::saves_output) saved_output_.release();
  }

  void visit_saved(const Node::SavedVisitor& visit) override {
    for (int i = 0; i < static_cast<int>(D::inputs); ++i)
      if (saves_ >> i & 1)
        visit(saved_[Traits::position(Traits::reads, i)],
              &this->next_edge(static_cast<std::size_t>(i)));
    if constexpr (Traits::saves_output)
      if (saves_ & detail::kReadsOutput) visit(saved_output_, nullptr);
  }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    Source source{*this, {}, {}};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (apply_rule<I>(gradients[0], results[I], wanted, source), ...);
    }
    (std::make_index_sequence<D::inputs>());
  }

 private:
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
    Tensor output;

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
      } else if constexpr (std::is_same_v<Argument, Output>) {
        if (!output.defined()) output = node.saved_output_.unpack(node, nullptr);
        return Output{output};
      } else {
        static_assert(std::is_same_v<Argument, Parameters>,
                      "a rule may ask for Input, Output, Meta and its operator's parameters");
        return (node.parameters_);
      }
    }
  };

  template <std::size_t I>
  void apply_rule(const Tensor& gradient, Tensor& result, const Wanted& wanted, Source& source) {
    if constexpr (Traits::differentiable[I]) {
      if (!wanted(I)) return;
      result = detail::call_formula(std::get<I>(derivative_.rules).vjp, gradient, source);
      constexpr Zeros zeros = Traits::zeros_by_rule[I];
      if constexpr (zeros == Zeros::Made) {
        if (thread_state.structural_zeros) make_zeros<I>(gradient, result, source);
      } else if constexpr (zeros != Zeros::Lost) {
        if (!gradient.impl().has(TensorImpl::kSupport)) [[likely]]
          return;
        if constexpr (zeros == Zeros::Kept)
          keep_zeros(gradient, result, Traits::reads_by_rule[I] != 0);
        else
          make_zeros<I>(gradient, result, source);
      }
    }
  }

  template <std::size_t I>
  [[gnu::noinline]] void make_zeros(const Tensor& gradient, Tensor& result, Source& source) {
    if (!result.defined() || result.is_same(gradient)) return;
    set_support(result,
                detail::formula_support(gradient, std::get<I>(derivative_.rules).vjp, source));
  }

  [[no_unique_address]] D derivative_;
  [[no_unique_address]] Parameters parameters_;
  uint32_t saves_ = 0;
  std::array<SavedVariable, Traits::saved_inputs> saved_;
  std::array<OutputMeta, Traits::saved_metas> metas_;
  [[no_unique_address]] std::conditional_t<Traits::saves_output, SavedVariable, NoParameters>
      saved_output_;
};

}  // namespace notape
