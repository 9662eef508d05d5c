// record_list(): how an operator whose argument is a list of tensors, or whose result is one, joins
// the graph. Its derivative has one rule for all tensors of the list:
//
//   constexpr auto kStack = derivative("StackBackward0",
//       movement([](const Tensor& grad, Which which, const int64_t& dim) {
//                  return select(grad, dim, which.index);
//                },
//                [](const TensorList& tangents, const int64_t& dim) { ... }));
//
// vjp has the gradient (of a list of results a TensorList: undefined where none came) and gives
// that of one tensor of the list; jvp has the tangents of all, undefined where there is none.
#pragma once
#include "autograd/graph/record.h"

namespace notape {

/// Which tensor of the list a formula is asked about.
struct Which {
  std::size_t index;
};
/// The values of the list.
struct Elements : TensorList {};

namespace detail {

template <typename D>
struct ListTraits {
  static_assert(D::inputs == 1, "one rule for all tensors of the list");
  using Rule = std::tuple_element_t<0, decltype(D::rules)>;
  using Parameters = ParametersOf<decltype(Rule::vjp)>;
  template <typename Argument, typename... All>
  static constexpr bool has(std::tuple<All...>*) {
    return (std::is_same_v<Argument, All> || ...);
  }
  static constexpr bool saves = has<Elements>(static_cast<Parameters*>(nullptr));
  static constexpr bool gives_list =
      std::is_same_v<std::tuple_element_t<0, Parameters>, TensorList>;
};

}  // namespace detail

/// RuleNode's sibling: an edge for each tensor of the argument, a gradient for each of the result.
template <typename D, typename Parameters>
class ListRuleNode final : public VariadicNode {
  using Traits = detail::ListTraits<D>;

 public:
  ListRuleNode(const D& derivative, const Operation& op, Parameters parameters,
               const TensorList& list, const TensorList& results)
      : VariadicNode(derivative.name, op.name, op.at, thread_state.next_sequence_nr++, list.size(),
                     results.size()),
        rule_(std::get<0>(derivative.rules)),
        parameters_(std::move(parameters)) {
    for (std::size_t i = 0; i < list.size(); ++i) set_edge(i, recorded_edge(list[i]));
    for (std::size_t i = 0; i < results.size(); ++i) set_metadata(i, results[i]);
    if constexpr (Traits::saves) {
      saved_.resize(list.size());
      for (std::size_t i = 0; i < list.size(); ++i) saved_[i].save(list[i], D::argument_names[0]);
    }
  }

  bool runs_beside_others() const override { return true; }
  void check_saved(const Wanted*) const override {
    for (std::size_t i = 0; i < saved_.size(); ++i) saved_[i].check(*this, &next_edge(i));
  }
  void release_saved() noexcept override {
    for (SavedVariable& saved : saved_) saved.release();
  }
  void visit_saved(const SavedVisitor& visit) override {
    for (std::size_t i = 0; i < saved_.size(); ++i) visit(saved_[i], &next_edge(i));
  }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    const TensorList all(
        std::make_move_iterator(gradients),
        std::make_move_iterator(gradients + (Traits::gives_list ? num_inputs() : 0)));
    Source source{*this, {}, {}};
    for (std::size_t i = 0; i < num_edges(); ++i) {
      if (!wanted(i)) continue;
      source.which.index = i;
      if constexpr (Traits::gives_list)
        results[i] = detail::call_formula(rule_.vjp, all, source);
      else
        apply_rule(gradients[0], results[i], source);
    }
  }

 private:
  struct Source {
    ListRuleNode& node;
    Which which;
    Elements elements;

    template <typename Argument>
    decltype(auto) argument() {
      if constexpr (std::is_same_v<Argument, Which>) {
        return (which);
      } else if constexpr (std::is_same_v<Argument, Elements>) {
        for (std::size_t i = elements.size(); i < node.saved_.size(); ++i)
          elements.push_back(node.saved_[i].unpack(node, &node.next_edge(i)));
        return (elements);
      } else {
        static_assert(std::is_same_v<Argument, Parameters>,
                      "a list's rule may ask for Which, Elements and its operator's parameters");
        return (node.parameters_);
      }
    }
  };

  void apply_rule(const Tensor& gradient, Tensor& result, Source& source) {
    using Rule = typename Traits::Rule;
    result = detail::call_formula(rule_.vjp, gradient, source);
    const bool marked = gradient.impl().has(TensorImpl::kSupport);
    if constexpr (Rule::zeros == Zeros::Kept) {
      if (marked) keep_zeros(gradient, result, {.read_values = Traits::saves, .are_finite = false});
    } else if constexpr (Rule::zeros != Zeros::Lost) {
      if (!marked && !(Rule::zeros == Zeros::Made && thread_state.structural_zeros)) return;
      if (!result.defined() || result.is_same(gradient)) return;
      set_support(result, detail::formula_support(gradient, rule_.vjp, source));
    }
  }

  [[no_unique_address]] typename Traits::Rule rule_;
  [[no_unique_address]] Parameters parameters_;
  std::vector<SavedVariable> saved_;
};

namespace detail {

/// Whether the results are views of the list's only tensor that need no history (keeps_marks()).
bool all_keep_marks(const TensorList& views, const TensorList& list);

/// What a list's jvp may ask for.
template <typename Parameters>
struct ListJvpSource {
  const Elements elements;
  const Parameters& parameters;

  template <typename Argument>
  decltype(auto) argument() {
    if constexpr (std::is_same_v<Argument, Elements>)
      return (elements);
    else
      return (parameters);
  }
};

template <typename D, typename Parameters>
[[gnu::noinline]] void record_interesting_list(const D& derivative, const Operation& op,
                                               const TensorList& results,
                                               const Parameters& parameters,
                                               const TensorList& list) {
  if (!any_floating(results)) return tell_operands(list);
  if (any_volatile(list)) {
    for (const Tensor& result : results) result.impl().set(TensorImpl::kVolatile, true);
  } else if (thread_state.unrecorded_reads && all_keep_marks(results, list)) {
    return tell_operands(list);
  } else if (thread_state.grad_mode && Operands(list).any(says_requires_grad)) {
    const NodeRef node =
        NodeRef::adopt(new ListRuleNode<D, Parameters>(derivative, op, parameters, list, results));
    for (std::size_t i = 0; i < results.size(); ++i)
      results[i].impl().set_history(node, static_cast<uint32_t>(i));
  }
  if (thread_state.watched) [[unlikely]] {
    tell_operands(list);
    for (const Tensor& result : results) note_lost_gradient(result, list);
  }
  if (thread_state.forward_levels == 0 || results[0].is_view()) return;
  for (uint64_t level : active_levels(list)) {
    const ForwardLevelLimit below(level);
    TensorList tangents;
    for (const Tensor& element : list) tangents.push_back(tangent_of(element, level));
    ListJvpSource<Parameters> source{{list}, parameters};
    auto made = call_formula(std::get<0>(derivative.rules).jvp, tangents, source);
    if constexpr (std::is_same_v<decltype(made), Tensor>)
      set_tangent(results[0], level, fit_tangent(std::move(made), results[0]));
    else
      for (std::size_t i = 0; i < results.size(); ++i)
        set_tangent(results[i], level, fit_tangent(std::move(made[i]), results[i]));
  }
}

}  // namespace detail

/// Gives `results`, just computed from the list, their places in the graph and their tangents.
template <typename D, typename Parameters>
void record_list(const D& derivative, const Operation& op, const TensorList& results,
                 const Parameters& parameters, const TensorList& list) {
  uint16_t flags = thread_state.watched;
  for (const Tensor& element : list) flags |= detail::flags_of(element);
  if (flags & detail::kInteresting && !results.empty())
    detail::record_interesting_list(derivative, op, results, parameters, list);
}

}  // namespace notape
