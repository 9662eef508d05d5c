// What a call does, by what the function does to its inputs.
#include "verify/alias/kinds/call.h"

#include "verify/alias/function_kinds.h"
#include "verify/alias/view_windows.h"

namespace notape::verify::alias {
namespace {

using Effect = FunctionKind::Effect;

const FunctionKind& function_of(const Call& call) { return function_kinds()[call.function]; }

double bits_of(const Call& call, const Oracle& oracle) {
  constexpr double kBitsOfSlopes = 4;
  if (!function_of(call).takes_two()) return kBitsOfSlopes;
  return oracle.is_defined(call.b) ? oracle.bits_of_product(call.a, call.b) : 0;
}

/// One call, as it is applied.
struct Applied {
  const Call& call;
  Oracle& oracle;
  bool no_grad;
  const FunctionKind& kind = function_of(call);
  const Alias a = oracle.alias(call.a), b = kind.takes_two() ? oracle.alias(call.b) : Alias();
  const Alias* other = b.defined ? &b : nullptr;
  const bool records = !no_grad && (oracle.says(a) || (other && oracle.says(b)));
  const Cells x =
      oracle.read(a, records, kind.is_dirty() ? Oracle::As::Target : Oracle::As::Operand);
  Elements result = {};  ///< slope x, or x y
  Window shape = a.window;

  void run();

 private:
  void compute();
  Alias fresh(const Elements& elements) const {
    return oracle.make_fresh(shape, records, elements, &a, other);
  }
  void write() const { oracle.write(a, result, records, !no_grad); }
  void save(const Alias& one) const { oracle.save(one, Oracle::When::After); }
  void make_product() const;
  void make_copy_and_product() const;
  void write_and_make_more() const;
  void make_alias() const;
  void make_alias_of_own() const;
  void write_silently() const;
};

void Applied::compute() {
  const Cells y = other ? oracle.read(b, records) : Cells();
  const bool bends = other && oracle.features().curves();
  for (std::size_t i = 0; i < at(a.numel); ++i) {
    const double slope = other ? y.value[i] : kind.slope;
    result[i].value = slope * x.value[i];
    oracle.add_slope(result[i], x, i, slope, bends ? y.along[i] : 0);
    if (other) oracle.add_slope(result[i], y, i, x.value[i], bends ? x.along[i] : 0);
  }
}

void Applied::run() {
  compute();
  oracle.grow_by(bits_of(call, oracle));
  oracle.family_of(a).used = true;
  if (other) oracle.family_of(b).used = true;
  if (kind.adds_dim) unsqueeze_window(a.window, 0, shape);
  switch (kind.effect) {
    case Effect::FreshOfTwo:
      return make_product();
    case Effect::Two:
      return make_copy_and_product();
    case Effect::DirtyOfTwo:
      if (records) save(b);
      if (records) oracle.note_error_node();  // the copy of the old x
      return write();
    case Effect::Dirty:
      return write();
    case Effect::DirtyPlus:
      return write_and_make_more();
    case Effect::Alias:
    case Effect::Declared:
      return make_alias();
    case Effect::AliasOfOwn:
      return make_alias_of_own();
    case Effect::Silent:
      return write_silently();
    case Effect::Refused:
      return;
  }
}

void Applied::make_product() const {
  if (records && kind.keeps != FunctionKind::Keeps::Copies) {
    save(a);
    save(b);
  }
  if (records && kind.keeps != FunctionKind::Keeps::Inputs) oracle.note_error_node();
  oracle.set(call.out, fresh(result));
}

void Applied::make_copy_and_product() const {
  Elements same;
  for (std::size_t i = 0; i < at(a.numel); ++i) same[i] = oracle.element(x, i);
  const Alias copy = fresh(same);
  if (records) {
    save(copy);
    save(b);
  }
  const Alias product = fresh(result);
  oracle.set(call.out, copy);
  oracle.set(call.second_out, product);
}

void Applied::write_and_make_more() const {
  constexpr double kMore = 5;
  Elements more = result;
  for (std::size_t i = 0; i < at(a.numel); ++i) more[i] *= kMore;
  write();
  oracle.set(call.out, fresh(more));
}

void Applied::make_alias() const {
  const bool tagged = kind.effect == Effect::Alias, is_input = tagged && !kind.adds_dim;
  if (is_input && !records && oracle.says(a)) return oracle.set(call.out, oracle.detached(a));
  Alias out = oracle.view_of(a, shape, tagged || no_grad);
  // Where nothing is recorded a view is what forward, which records nothing, has made of it.
  if (tagged && (records || is_input)) out.tag = Tag::Function;
  if (records) {
    out.needed = true;
    auto& rows = oracle.new_block(out);
    for (std::size_t i = 0; i < at(a.numel); ++i) rows[at(a.cell[i])] = result[i].row;
  }
  oracle.set(call.out, out);
}

void Applied::make_alias_of_own() const {
  const Alias base = oracle.make_fresh(shape, false, result, &a);
  oracle.storage_of(base).hidden_sharers = true;
  Alias out = oracle.view_of(base, base.window, true);
  if (records) {
    out.tag = Tag::Function;
    out.needed = true;
    auto& rows = oracle.new_block(out);
    for (std::size_t i = 0; i < at(a.numel); ++i) rows[i] = result[i].row;
  }
  oracle.set(call.out, out);
}

void Applied::write_silently() const {
  const Alias out = fresh(result);
  oracle.write(a, result, false, false);
  oracle.set(call.out, out);
}

}  // namespace

Call Call::propose(Draws& draws, Slot a) {
  Call one{.a = a, .function = draws.row_of(function_kinds())};
  if (function_of(one).is_dirty()) one.a = draws.slot_to_write();
  if (function_of(one).takes_two()) one.b = draws.partner_of(one.a);
  one.out = draws.slot_for_result();
  one.second_out = draws.slot_for_result();
  return one;
}

Expectation Call::expect(const Oracle& oracle, bool no_grad) const {
  const FunctionKind& kind = function_of(*this);
  if (!oracle.affordable(bits_of(*this, oracle))) return kSkip;
  const Alias& x = oracle.alias(a);
  const Alias* y = nullptr;
  const bool writes = kind.is_dirty() || kind.effect == Effect::Silent;
  if (kind.outputs > 0 && out >= kSlots) return kSkip;
  if (kind.adds_dim && x.window.rank >= kMaxDims) return kSkip;
  if (!oracle.can_store(2, 2) || !oracle.can_make_block()) return kSkip;
  // Of two first derivatives, its own and the view's, a second one may follow either.
  if (kind.effect == Effect::Declared && oracle.features().second) return kSkip;
  if (kind.takes_two()) {
    if (!oracle.is_defined(b) || !x.window.same_shape(oracle.alias(b).window)) return kSkip;
    y = &oracle.alias(b);
    if (writes && y->storage == x.storage && y->mask & x.mask) return kSkip;
    if (kind.effect == Effect::Two && (second_out >= kSlots || second_out == out)) return kSkip;
  }
  Expectation result;
  result.must = no_grad ? 0 : oracle.stale(x) | (y ? oracle.stale(*y) : 0);
  if (!kind.has_jvp) oracle.note_missing_jvp(x, result);
  if (!kind.has_jvp && y) oracle.note_missing_jvp(*y, result);
  if (writes && x.overlaps_itself()) result.must |= bit(Failure::MemoryOverlap);
  if (!kind.is_dirty() || result.must) return result;
  const FailureSet may = result.may;
  result = oracle.expect_write(x, nullptr, false, no_grad);
  result.may |= may;
  if (kind.effect == Effect::Refused || (kind.effect == Effect::DirtyPlus && x.is_view))
    result.must |= bit(Failure::FunctionError);
  result.writes_anyway = true;
  return result;
}

void Call::apply(Oracle& oracle, bool no_grad) const { Applied{*this, oracle, no_grad}.run(); }

void Call::apply_refused(Oracle& oracle) const {
  const Alias x = oracle.alias(a);
  const FunctionKind& kind = function_of(*this);
  const Cells cells = oracle.read(x, false);
  Elements elements;
  for (int i = 0; i < x.numel; ++i) {
    elements[at(i)] = oracle.element(cells, at(i));
    elements[at(i)].value *= kind.takes_two() ? oracle.value(oracle.alias(b), i) : kind.slope;
  }
  oracle.write(x, elements, false, false);
}

void Call::run(Executor& executor) const {
  const FunctionKind& kind = function_of(*this);
  const variable_list outputs =
      kind.call(executor.held(a), kind.takes_two() ? executor.held(b) : Tensor());
  if (kind.outputs > 0) executor.held(out) = outputs[0];
  if (kind.outputs > 1) executor.held(second_out) = outputs[1];
}

std::string Call::text() const {
  const FunctionKind& kind = function_of(*this);
  const std::string call = fmt::format("{}::apply(t{}{})", kind.name, a,
                                       kind.takes_two() ? fmt::format(", t{}", b) : "");
  if (kind.effect == Effect::DirtyPlus) return fmt::format("t{} = {}[1];", out, call);
  if (kind.outputs == 0) return call + ";";
  if (kind.outputs == 1) return fmt::format("t{} = {};", out, call);
  return fmt::format("{{ auto all = {}; t{} = all[0]; t{} = all[1]; }}", call, out, second_out);
}

Parts Call::parts() {
  Parts parts{&out, {&a, &b}, nullptr, {}};
  if (function_of(*this).outputs > 1) parts.second_out = &second_out;
  return parts;
}

std::vector<Call> Call::simpler() const {
  std::vector<Call> result;
  for (uint8_t earlier = 0; earlier < function; ++earlier)
    for (const Slot second : {second_out, Slot{0}}) {
      result.push_back(*this);
      result.back().function = earlier;
      result.back().second_out = second;
    }
  return result;
}

}  // namespace notape::verify::alias
