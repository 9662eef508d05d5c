#include "ops/linalg/einsum_equation.h"

#include <algorithm>
#include <optional>

namespace notape {
namespace {

constexpr EinsumLabel kEllipsis = kEinsumLabels;  // until its dimensions are known

/// The labels of one term; an ellipsis is one of them.
EinsumLabels parse_term(const Operation& op, std::string_view term) {
  EinsumLabels labels;
  for (std::size_t i = 0; i < term.size(); ++i) {
    const char c = term[i];
    if (c == ' ') continue;
    if (c >= 'A' && c <= 'Z') {
      labels.push_back(static_cast<EinsumLabel>(c - 'A'));
    } else if (c >= 'a' && c <= 'z') {
      labels.push_back(static_cast<EinsumLabel>(c - 'a') + 26);
    } else if (term.substr(i, 3) == "...") {
      if (std::find(labels.begin(), labels.end(), kEllipsis) != labels.end())
        op.fail<ValueError>("found '...' for which an ellipsis was already found, in '{}'", term);
      labels.push_back(kEllipsis);
      i += 2;
    } else {
      op.fail<ValueError>(
          "invalid subscript given at index {} of '{}', subscripts must be in [a-zA-Z] or '...'", i,
          term);
    }
  }
  return labels;
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> terms;
  for (std::size_t comma; (comma = text.find(',')) != text.npos; text.remove_prefix(comma + 1))
    terms.push_back(text.substr(0, comma));
  terms.push_back(text);
  return terms;
}

/// The ellipsis replaced by the last `count` of the dimensions it may stand for.
EinsumLabels with_dimensions(const EinsumLabels& labels, std::size_t count) {
  EinsumLabels result;
  for (const EinsumLabel label : labels) {
    if (label != kEllipsis) {
      result.push_back(label);
      continue;
    }
    for (std::size_t i = count; i-- > 0;) result.push_back(kEinsumLabels - 1 - i);
  }
  return result;
}

bool has_ellipsis(const EinsumLabels& labels) {
  return std::find(labels.begin(), labels.end(), kEllipsis) != labels.end();
}

/// Without "->": the ellipsis, then what occurs once.
EinsumLabels implicit_result(const std::vector<EinsumLabels>& operands) {
  std::vector<int> counts(kEinsumLetters);
  EinsumLabels result = {kEllipsis};
  for (const EinsumLabels& labels : operands)
    for (const EinsumLabel label : labels)
      if (label != kEllipsis) ++counts[label];
  for (EinsumLabel label = 0; label < kEinsumLetters; ++label)
    if (counts[label] == 1) result.push_back(label);
  return result;
}

void check_result(const Operation& op, const EinsumEquation& equation, std::string_view text) {
  EinsumLabelSet known, seen;
  for (const EinsumLabels& labels : equation.operands)
    for (const EinsumLabel label : labels) known.set(label);
  for (const EinsumLabel label : equation.result) {
    if (seen.test(label))
      op.fail<ValueError>("output subscript appears more than once in the output of '{}'", text);
    if (!known.test(label))
      op.fail<ValueError>(
          "output subscript does not appear in the equation for any input operand, in '{}'", text);
    seen.set(label);
  }
}

}  // namespace

EinsumEquation parse_einsum(const Operation& op, std::string_view equation,
                            const std::vector<Tensor>& operands) {
  const std::size_t arrow = equation.find("->");
  const auto terms = split_at_commas(equation.substr(0, arrow));
  if (terms.size() != operands.size())
    op.fail<ValueError>("the equation '{}' has subscripts for {} operands, but {} were provided",
                        equation, terms.size(), operands.size());
  EinsumEquation result;
  std::size_t most = 0;  // dimensions of an ellipsis
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    EinsumLabels labels = parse_term(op, terms[i]);
    const auto rank = static_cast<std::size_t>(operands[i].dim());
    const bool open = has_ellipsis(labels);
    const std::size_t named = labels.size() - (open ? 1 : 0);
    if (open ? named > rank : named != rank)
      op.fail<ShapeError>(
          "the number of subscripts in the equation ({}) {} the number of dimensions ({}) for "
          "operand {}{}",
          named, open ? "is more than" : "does not match", rank, i,
          open || named > rank ? "" : " and no ellipsis was given");
    counts.push_back(open ? rank - named : 0);
    most = std::max(most, counts.back());
    result.operands.push_back(std::move(labels));
  }
  result.result = arrow == equation.npos ? implicit_result(result.operands)
                                         : parse_term(op, equation.substr(arrow + 2));
  for (std::size_t i = 0; i < terms.size(); ++i)
    result.operands[i] = with_dimensions(result.operands[i], counts[i]);
  result.result = with_dimensions(result.result, most);
  check_result(op, result, equation);
  return result;
}

}  // namespace notape
