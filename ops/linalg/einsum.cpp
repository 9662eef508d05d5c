// einsum(equation, tensors): sums of products over named dimensions. Dimensions of one operand that
// have one name become its diagonal; then two operands at a time are contracted by a product of
// matrices (or, where nothing is summed, by a broadcast product), which carry the derivatives.
#include <limits>

#include "ops/arithmetic.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/linalg/einsum_equation.h"
#include "ops/reduce.h"
#include "ops/shape.h"

namespace notape {
namespace {

using Labels = EinsumLabels;
using LabelSet = EinsumLabelSet;

LabelSet set_of(const Labels& labels) {
  LabelSet result;
  for (const EinsumLabel label : labels) result.set(label);
  return result;
}

struct Term {
  Tensor value;
  Labels labels;  // of its dimensions, distinct
};

class Contraction {
 public:
  Contraction(const Operation& op, const EinsumEquation& equation, const TensorList& tensors)
      : at_(op.at), result_(set_of(equation.result)), sizes_(kEinsumLabels, 1) {
    for (std::size_t i = 0; i < tensors.size(); ++i) note_sizes(op, equation, tensors, i);
    for (std::size_t i = 0; i < tensors.size(); ++i)
      terms_.push_back(with_distinct_labels({tensors[i], equation.operands[i]}));
  }

  Tensor run(const Labels& result) {
    while (terms_.size() > 1) {
      const auto [first, second] = terms_.size() <= 4 ? best_pair() : Pair{0, 1};
      LabelSet kept = result_;
      for (std::size_t i = 0; i < terms_.size(); ++i)
        if (i != first && i != second) kept |= set_of(terms_[i].labels);
      Term product = contracted(terms_[first], terms_[second], kept);
      terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(second));
      terms_[first] = std::move(product);
    }
    return in_order(summed(terms_[0], result_), result);
  }

 private:
  struct Pair {
    std::size_t first, second;
  };

  void note_sizes(const Operation& op, const EinsumEquation& equation, const TensorList& tensors,
                  std::size_t operand) {
    const Labels& labels = equation.operands[operand];
    for (std::size_t d = 0; d < labels.size(); ++d) {
      int64_t& known = sizes_[labels[d]];
      const int64_t size = tensors[operand].sizes()[d];
      if (size != 1 && known != 1 && size != known)
        op.fail<ShapeError>(
            "operand {} has size {} at dimension {}, which does not broadcast with the size {} of "
            "what has the same subscript before",
            operand, size, d, known);
      if (size != 1) known = size;
    }
  }

  /// Diagonals of what has one label twice, and without dimensions that only broadcast.
  Term with_distinct_labels(Term term) const {
    for (std::size_t d = term.labels.size(); d-- > 0;)
      if (term.value.size(static_cast<int64_t>(d)) == 1 && sizes_[term.labels[d]] != 1) {
        term.value = squeeze(term.value, static_cast<int64_t>(d), at_);
        term.labels.erase(term.labels.begin() + static_cast<std::ptrdiff_t>(d));
      }
    for (std::size_t d = 0; d < term.labels.size();) {
      const EinsumLabel label = term.labels[d];
      std::size_t other = d + 1;
      while (other < term.labels.size() && term.labels[other] != label) ++other;
      if (other == term.labels.size()) {
        ++d;
        continue;
      }
      term.value =
          diagonal(term.value, 0, static_cast<int64_t>(d), static_cast<int64_t>(other), at_);
      term.labels.erase(term.labels.begin() + static_cast<std::ptrdiff_t>(other));
      term.labels.erase(term.labels.begin() + static_cast<std::ptrdiff_t>(d));
      term.labels.push_back(label);
    }
    return term;
  }

  double products(const LabelSet& labels) const {
    double count = 1;
    for (std::size_t label = 0; label < labels.size(); ++label)
      if (labels.test(label)) count *= static_cast<double>(sizes_[label]);
    return count;
  }

  /// The fewest products in which the terms can be contracted, and the pair to begin with.
  double fewest_products(const std::vector<LabelSet>& terms, Pair* best) const {
    double fewest = terms.size() == 1 ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t first = 0; first < terms.size(); ++first)
      for (std::size_t second = first + 1; second < terms.size(); ++second) {
        std::vector<LabelSet> left;
        LabelSet kept = result_;
        for (std::size_t i = 0; i < terms.size(); ++i)
          if (i != first && i != second) {
            left.push_back(terms[i]);
            kept |= terms[i];
          }
        const LabelSet both = terms[first] | terms[second];
        left.push_back(both & kept);
        const double count = products(both) + fewest_products(left, nullptr);
        if (count >= fewest) continue;
        fewest = count;
        if (best) *best = {first, second};
      }
    return fewest;
  }
  Pair best_pair() const {
    std::vector<LabelSet> sets;
    for (const Term& term : terms_) sets.push_back(set_of(term.labels));
    Pair best{0, 1};
    fewest_products(sets, &best);
    return best;
  }

  /// Summed over what is not kept.
  Term summed(const Term& term, const LabelSet& kept) const {
    Term result;
    std::vector<int64_t> dims;
    for (std::size_t d = 0; d < term.labels.size(); ++d)
      if (kept.test(term.labels[d]))
        result.labels.push_back(term.labels[d]);
      else
        dims.push_back(static_cast<int64_t>(d));
    if (dims.empty()) return term;
    result.value = sum(term.value, dims, false, at_);
    if (result.value.dtype() != term.value.dtype())  // integers sum to int64
      result.value = to(result.value, term.value.dtype(), at_);
    return result;
  }

  Tensor in_order(const Term& term, const Labels& order) const {
    if (term.labels == order) return term.value;
    std::vector<int64_t> dims;
    for (const EinsumLabel label : order)
      dims.push_back(std::find(term.labels.begin(), term.labels.end(), label) -
                     term.labels.begin());
    return permute(term.value, dims, at_);
  }

  int64_t product_of(const Labels& labels) const {
    int64_t product = 1;
    for (const EinsumLabel label : labels) product *= sizes_[label];
    return product;
  }

  static Labels joined(std::initializer_list<const Labels*> lists) {
    Labels result;
    for (const Labels* list : lists) result.insert(result.end(), list->begin(), list->end());
    return result;
  }

  Term contracted(const Term& a, const Term& b, const LabelSet& kept) const {
    const Term left = summed(a, kept | set_of(b.labels));
    const Term right = summed(b, kept | set_of(a.labels));
    const LabelSet of_left = set_of(left.labels), of_right = set_of(right.labels);
    Labels batch, rows, inner, columns;
    for (const EinsumLabel label : left.labels)
      (!of_right.test(label) ? rows : kept.test(label) ? batch : inner).push_back(label);
    for (const EinsumLabel label : right.labels)
      if (!of_left.test(label)) columns.push_back(label);
    const int64_t b_size = product_of(batch), n = product_of(rows), k = product_of(inner),
                  m = product_of(columns);
    const Tensor x = in_order(left, joined({&batch, &rows, &inner}));
    const Tensor y = in_order(right, joined({&batch, &inner, &columns}));
    Term result{{}, joined({&batch, &rows, &columns})};
    if (inner.empty())
      result.value = mul(reshape(x, {b_size, n, 1}, at_), reshape(y, {b_size, 1, m}, at_), at_);
    else if (batch.empty())
      result.value = mm(reshape(x, {n, k}, at_), reshape(y, {k, m}, at_), at_);
    else
      result.value = bmm(reshape(x, {b_size, n, k}, at_), reshape(y, {b_size, k, m}, at_), at_);
    std::vector<int64_t> sizes;
    for (const EinsumLabel label : result.labels) sizes.push_back(sizes_[label]);
    result.value = reshape(result.value, sizes, at_);
    return result;
  }

  const At at_;
  const LabelSet result_;
  std::vector<int64_t> sizes_;  // of each label
  std::vector<Term> terms_;
};

}  // namespace

Tensor einsum(std::string_view equation, const TensorList& tensors, At at) {
  const Operation op("einsum", at);
  if (tensors.empty()) op.fail<ValueError>("must provide at least one operand");
  if (in_autocast(tensors[0])) [[unlikely]]
    return autocast_to_low(
        at, [&](auto, const TensorList& cast) { return einsum(equation, cast, at); }, tensors[0],
        tensors);
  detail::tell_operands(tensors);  // before the checks tell of pairs
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].defined()) op.fail<UndefinedTensor>("operand {} is undefined", i);
    check_operands(op, {&tensors[0], &tensors[i]});
    check_same_type(op, tensors[0], tensors[i]);
  }
  const EinsumEquation parsed = parse_einsum(op, equation, tensors);
  const Composite composite(tensors);
  return Contraction(op, parsed, tensors).run(parsed.result);
}

}  // namespace notape
