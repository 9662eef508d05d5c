#include "ops/out/testing/forms.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace notape::testing {
namespace {

using functions::Kind;
using functions::Overload;
using functions::Parameter;
using functions::Value;
using functions::Values;

std::vector<std::vector<OutForm> (*)()>& written_rows() {
  static std::vector<std::vector<OutForm> (*)()> all;
  return all;
}

/// The first overload that takes the values, as they are or with nothing behind them.
const Overload& overload_for(const std::string& name, Values& values) {
  for (const std::size_t given = values.size(); values.size() < given + 8; values.emplace_back())
    if (const Overload* found = functions::find_overload(name, values)) return *found;
  throw std::logic_error("no overload of " + name + " takes these values");
}

bool is_plain(const Overload& one) {
  return std::all_of(one.parameters.begin(), one.parameters.end(), [](const Parameter& parameter) {
    const Kind kind = parameter.kind;
    return !parameter.is_optional &&
           (kind == Kind::Written || kind == Kind::Tensor || kind == Kind::Number);
  });
}

Values plain_arguments(const Overload& one) {
  Values values;
  bool is_next = false;
  for (const Parameter& parameter : one.parameters) {
    if (parameter.kind == Kind::Number) values.emplace_back(0.3);
    if (parameter.kind == Kind::Tensor)
      values.emplace_back(std::exchange(is_next, !is_next) ? y() : x());
  }
  return values;
}

std::vector<OutForm> made_rows() {
  std::vector<OutForm> all;
  std::set<const Overload*> written;
  for (const auto rows : written_rows())
    for (OutForm& one : rows()) {
      written.insert(&one.overload());
      all.push_back(std::move(one));
    }
  for (const auto& [name, overloads] : functions::functions().all())
    for (const Overload& one : overloads)
      if (name.ends_with("_out") && name != "empty_out" && !written.contains(&one)) {
        if (!is_plain(one)) throw std::logic_error("a form of " + name + " needs a row");
        all.push_back({name, plain_arguments(one)});
      }
  std::stable_sort(all.begin(), all.end(),
                   [](const OutForm& a, const OutForm& b) { return a.name < b.name; });
  return all;
}

/// `count` distinct numbers in (0, 1): `step` has no factor in common with count.
Tensor scrambled(int64_t count, int64_t step, IntArrayRef sizes) {
  const Tensor order = remainder(arange(count, kInt64) * step, count);
  return ((order.to(kFloat64) + 0.5) / (static_cast<double>(count) + 0.5)).reshape(sizes);
}

}  // namespace

variable_list OutForm::results() const {
  if (made) return made();
  Values values = arguments;
  return overload_for(name.substr(0, name.size() - 4), values)(values);
}

variable_list OutForm::into(const variable_list& outs) const {
  Values values(outs.begin(), outs.end());
  values.insert(values.end(), arguments.begin(), arguments.end());
  return overload_for(name, values)(values);
}

const Overload& OutForm::overload() const {
  Values values(results().size(), zeros({0}));
  values.insert(values.end(), arguments.begin(), arguments.end());
  return overload_for(name, values);
}

RegisterForms::RegisterForms(std::vector<OutForm> (*forms)()) { written_rows().push_back(forms); }

const std::vector<OutForm>& out_forms() {
  static const std::vector<OutForm> all = made_rows();
  return all;
}

Tensor x() { return scrambled(12, 7, {3, 4}); }
Tensor y() { return scrambled(12, 5, {3, 4}); }
Tensor definite() { return x().matmul(x().t()) + eye(3, kFloat64); }
Tensor stacked() { return scrambled(24, 7, {2, 3, 4}); }
Tensor image() { return scrambled(32, 7, {1, 2, 4, 4}); }
Tensor volume() { return scrambled(64, 11, {1, 1, 4, 4, 4}); }
Tensor ladder() { return arange(5, kFloat64) / 5; }
Tensor n() { return (remainder(arange(12, kInt64) * 5, 6) + 1).reshape({3, 4}); }
Tensor m() { return (remainder(arange(12, kInt64), 6) + 1).reshape({3, 4}); }
Tensor flags() { return remainder(n(), 2).to(kBool); }
Tensor positions() { return tensor({0, 2, 1}); }
Tensor places() { return remainder(arange(12, kInt64) * 5, 3).reshape({3, 4}); }
Tensor distinct_pixels() { return remainder(arange(32, kInt64), 16).reshape({1, 2, 4, 4}); }
Tensor distinct_places() {
  return remainder(arange(3, kInt64).unsqueeze(1) + arange(4, kInt64), 3);
}

}  // namespace notape::testing
