// Every function in all of its forms, with arguments from nowhere: the rows of the registry draw
// dimensions, sizes and scalars that their operators take, and hold them back.
#include "ops/functions/functions.h"

#include "ops/fuzz/target.h"

namespace notape::fuzz {
namespace {

using functions::Kind;
using functions::Overload;
using functions::Parameter;
using functions::Value;
using functions::Values;

std::string text(Hostile& hostile) {
  static const std::vector<const char*> words = {
      "",        "none",   "tanh",     "floor",   "trunc",     "left",  "right",     "ij,jk->ik",
      "i,i",     "->",     "constant", "reflect", "replicate", "zeros", "circular",  "ii->i",
      "xy",      "a...b,", "nearest",  "linear",  "bilinear",  "mean",  "\xff\xfe.", "L",
      "reduced", "sum",    "amax",     "valid",   "same"};
  return hostile.one_of(words);
}

Value index(Hostile& hostile) {
  switch (hostile.within(0, 4)) {
    case 0:
      return {hostile.number()};
    case 1:
      return {};
    case 2:
      return {indexing::Ellipsis};
    case 3:
      return {hostile.tensor()};
    default:
      return {indexing::Slice(hostile.number(), hostile.number(), hostile.number())};
  }
}

template <typename Draw>
Value list_of(int64_t most, Hostile& hostile, const Draw& draw) {
  Value::List list(static_cast<std::size_t>(hostile.within(0, most)));
  for (Value& one : list) one = draw();
  return {std::move(list)};
}

Value drawn(const Parameter& parameter, Hostile& hostile) {
  if (parameter.is_optional && hostile.once_in(2)) return {};
  switch (parameter.kind) {
    case Kind::Tensor:
    case Kind::Written:
      return {hostile.tensor()};
    case Kind::Integer:
      return {hostile.number()};
    case Kind::Flag:
      return {hostile.once_in(2)};
    case Kind::Type:
      return {hostile.type()};
    case Kind::Text:
      return {text(hostile)};
    case Kind::Real:
      return {hostile.real()};
    case Kind::Number:
      return hostile.once_in(2) ? Value{hostile.real()} : Value{hostile.number()};
    case Kind::Integers:
      return {hostile.numbers()};
    case Kind::Pair:
      return {Value::Integers{hostile.number(), hostile.number()}};
    case Kind::Triple:
      return {Value::Integers{hostile.number(), hostile.number(), hostile.number()}};
    case Kind::Reduction:
      return {hostile.within(0, 2)};
    case Kind::Tensors:
      return list_of(3, hostile, [&] { return Value{hostile.tensor()}; });
    case Kind::Reals:
      return list_of(3, hostile, [&] { return Value{hostile.real()}; });
    case Kind::Index:
      return index(hostile);
    case Kind::Indices:
      return list_of(4, hostile, [&] { return index(hostile); });
  }
  return {};
}

void call(const std::string& name, const Overload& function, Hostile& hostile) {
  Values values;
  for (const Parameter& one : function.parameters) values.push_back(drawn(one, hostile));
  manual_seed(3);
  attempt(
      functions::tensors_in(values), function.writes, [&] { return function(values); }, name);
}

}  // namespace

std::vector<Target> function_targets() {
  std::vector<Target> targets;
  for (const auto& [name, overloads] : functions::functions().all())
    for (const Overload& one : overloads)
      targets.push_back(
          {"call:" + name, [&name, &one](Hostile& hostile) { call(name, one, hostile); }});
  return targets;
}

}  // namespace notape::fuzz
