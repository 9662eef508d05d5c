#include "verify/plugin/foreign_case.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace notape::verify {
namespace {

void check_range_of(const Declaration& declaration, const Declaration::Input& input,
                    const notape_range& range, std::size_t entries) {
  const char* op = declaration.foreign.name;
  const bool inside = range.low >= input.low && range.high <= input.high;
  if (!inside)
    throw ForeignOperatorError("shape of {} gives {} the range {} to {}, outside of {} to {}", op,
                               input.name, range.low, range.high, input.low, input.high);
  const bool whole = input.is_real() ||
                     (range.low == std::floor(range.low) && range.high == std::floor(range.high));
  const bool empty = input.is_real() ? !(range.low < range.high) : !(range.low <= range.high);
  if (!whole || (empty && entries > 0))
    throw ForeignOperatorError("shape of {} gives {} the range {} to {}, which is {}", op,
                               input.name, range.low, range.high,
                               whole ? "empty" : "not of whole numbers");
  if (!input.is_real() && input.is_distinct() &&
      range.high - range.low + 1 < static_cast<double>(entries))
    throw ForeignOperatorError("shape of {} wants {} different {} from {} to {}", op, entries,
                               input.name, range.low, range.high);
}

/// An end of a range that has many numbers, now and then: mistakes are made there.
std::optional<double> draw_end(double low, double high, bool whole, Draw& draw) {
  constexpr int kOnceIn = 6;
  constexpr double kMany = 6;
  if (low == high || (whole && high - low < kMany)) return {};
  switch (draw.integer(0, kOnceIn - 1)) {
    case kOnceIn - 2:
      return low;
    case kOnceIn - 1:
      return high;
    default:
      return {};
  }
}

notape_value draw_attribute(const Declaration::Attribute& attribute, Draw& draw) {
  const auto end = draw_end(attribute.low, attribute.high, attribute.whole, draw);
  if (!attribute.whole) return {0, end ? *end : draw.real(attribute.low, attribute.high)};
  const int64_t whole =
      end ? static_cast<int64_t>(*end)
          : draw.integer(static_cast<int64_t>(attribute.low), static_cast<int64_t>(attribute.high));
  return {whole, static_cast<double>(whole)};
}

std::vector<double> draw_whole(const Declaration::Input& input, const notape_range& range,
                               std::size_t count, Draw& draw) {
  const auto low = static_cast<int64_t>(range.low), high = static_cast<int64_t>(range.high);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    if (!input.is_distinct()) {
      const auto end = draw_end(range.low, range.high, /*whole=*/true, draw);
      values.push_back(end ? *end : static_cast<double>(draw.integer(low, high)));
      continue;
    }
    // The n-th of those that are still free.
    int64_t value = low + draw.integer(0, high - low - static_cast<int64_t>(i));
    std::vector<double> taken = values;
    std::sort(taken.begin(), taken.end());
    for (const double other : taken)
      if (static_cast<double>(value) >= other) ++value;
    values.push_back(static_cast<double>(value));
  }
  if (input.is_ascending()) std::sort(values.begin(), values.end());
  return values;
}

Argument argument_of(const Declaration::Input& input, const notape_shape& shape,
                     const notape_range& range, Draw& draw) {
  Argument argument{.sizes = sizes_of(shape)};
  if (!input.is_real()) {
    argument.kind = Argument::Kind::Index;
    argument.fixed = draw_whole(input, range, entries_of(shape), draw);
    return argument;
  }
  argument.distinct = input.is_distinct();
  argument.domain = {.low = range.low, .high = range.high};
  for (const notape_kink& kink : input.kinks)
    if (kink.at >= range.low && kink.at <= range.high) argument.domain.kinks.push_back(kink.at);
  return argument;
}

}  // namespace

std::string ForeignCase::label() const {
  std::string text = format_message("way {}", {way});
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const Declaration::Attribute& attribute = declaration->attributes[i];
    text += attribute.whole ? format_message(", {}={}", {attribute.name, attributes[i].whole})
                            : format_message(", {}={}", {attribute.name, attributes[i].number});
  }
  if (unused >= 0) text += format_message(", output {} goes nowhere", {unused});
  return text;
}

std::optional<Stretch> stretch_of(const std::vector<notape_shape>& said, const variable_list& x) {
  std::optional<Stretch> by;
  for (std::size_t i = 0; i < said.size() && i < x.size(); ++i) {
    if (x[i].dim() != said[i].rank)
      throw ForeignOperatorError("it takes no input of rank {}", x[i].dim());
    for (int32_t d = 0; d < said[i].rank; ++d) {
      const int64_t from = said[i].sizes[d], to = x[i].size(d);
      if (from == to) continue;
      if (by && (by->from != from || by->to != to))
        throw ForeignOperatorError("it takes no sizes of {} and {}", by->to, to);
      if (from <= 1) throw ForeignOperatorError("a size of {} is not stretched", from);
      if (!by) by = {from, to, d};
    }
  }
  return by;
}

void stretch(notape_shape& shape, const Stretch& by) {
  int32_t found = -1;
  for (int32_t d = 0; d < shape.rank; ++d)
    if (shape.sizes[d] == by.from && (found < 0 || d == by.dim)) found = d;
  if (found >= 0) shape.sizes[found] = by.to;
}

ForeignCase draw_foreign_case(const std::shared_ptr<const Declaration>& declaration, Draw& draw) {
  constexpr int kUnusedOnceIn = 4;
  const notape_operator2& foreign = declaration->foreign;
  ForeignCase one;
  one.declaration = declaration;
  one.way = static_cast<int32_t>(draw.integer(0, foreign.ways - 1));
  for (const Declaration::Attribute& attribute : declaration->attributes)
    one.attributes.push_back(draw_attribute(attribute, draw));
  one.inputs.resize(declaration->inputs.size());
  one.outputs.resize(declaration->outputs());
  one.saved.resize(declaration->saved.size());
  for (const Declaration::Input& input : declaration->inputs)
    one.ranges.push_back({input.low, input.high});
  notape_case asked{};
  asked.struct_size = sizeof asked;
  asked.context = foreign.context;
  asked.way = one.way;
  asked.attributes = one.attributes.data();
  asked.inputs = one.inputs.data();
  asked.outputs = one.outputs.data();
  asked.saved = one.saved.data();
  asked.ranges = one.ranges.data();
  if (const int status = foreign.shape(&asked); status != 0)
    throw ForeignOperatorError("shape of {} refused with {}", foreign.name, status);
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    check_shape(foreign.name, declaration->inputs[i].name + " ", one.inputs[i]);
    check_range_of(*declaration, declaration->inputs[i], one.ranges[i], entries_of(one.inputs[i]));
  }
  for (std::size_t k = 0; k < one.outputs.size(); ++k)
    check_shape(foreign.name, format_message("outputs[{}] ", {k}), one.outputs[k]);
  for (std::size_t k = 0; k < one.saved.size(); ++k)
    check_shape(foreign.name, declaration->saved[k].name + " ", one.saved[k]);
  std::vector<int> real;
  for (std::size_t k = 0; k < one.outputs.size(); ++k)
    if (declaration->is_real_output(k)) real.push_back(static_cast<int>(k));
  if (real.size() > 1 && draw.integer(0, kUnusedOnceIn - 1) == kUnusedOnceIn - 1)
    one.unused = real[static_cast<std::size_t>(draw.integer(0, std::ssize(real) - 1))];
  return one;
}

std::vector<Argument> arguments_of(const ForeignCase& one, Draw& draw) {
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < one.inputs.size(); ++i)
    arguments.push_back(
        argument_of(one.declaration->inputs[i], one.inputs[i], one.ranges[i], draw));
  return arguments;
}

const ForeignCase* foreign_case_of(const DrawnCase& drawn) {
  const auto* call = drawn.op.call.target<ForeignCall>();
  return call ? call->one.get() : nullptr;
}

}  // namespace notape::verify
