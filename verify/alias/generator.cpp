#include "verify/alias/generator.h"

#include <algorithm>

#include "verify/alias/view_kinds.h"

namespace notape::verify::alias {
namespace {

// In unary_ops() and binary_ops().
constexpr uint8_t kAdd = 0, kMul = 2, kCopy = 3, kFill = 9;

using Propose = Kind (*)(Draws& draws, Slot a);
template <auto kPropose>
Kind proposed(Draws& draws, Slot a) {
  return kPropose(draws, a);
}
Kind dual_or_raw_write(Draws& draws, Slot a) {
  if (draws.oracle().features().tangents) return Dual::propose(draws, a);
  return RawWrite::propose(draws, a);
}

/// Kinds of statements and how likely they are, those of a row together.
struct Chance {
  int weight;
  std::vector<Propose> kinds;
};
const Chance kChances[] = {
    {26, {proposed<View::propose>}},
    {10, {proposed<Binary::propose>}},
    {4, {proposed<Unary::propose>}},
    {10, {proposed<Unary::propose_in_place>}},
    {10, {proposed<Binary::propose_in_place>}},
    {9,
     {proposed<Take::propose>, proposed<Put::propose>, proposed<Put::propose>,
      proposed<PutAt::propose>}},
    {7, {proposed<Matmul::propose>, proposed<Sum::propose>, proposed<Cat::propose>}},
    {6, {proposed<Detach::propose>}},
    {2, {proposed<SetData::propose>}},
    {8, {proposed<Call::propose>}},
    {2, {proposed<Hook::propose>}},
    {2, {proposed<Drop::propose>}},
    {4, {proposed<Gradient::propose>}},
    {2, {proposed<RawWrite::propose>}},
    {2, {dual_or_raw_write}},
};
constexpr int kWeights = 104;

const Chance& chance_of(int dice) {
  const Chance* row = kChances;
  for (; dice >= row->weight; ++row) dice -= row->weight;
  return *row;
}

bool ignores_grad_mode(const Kind& what) {
  return std::visit(
      []<typename K>(const K&) {
        return requires { K::kIgnoresGradMode; };
      },
      what);
}

}  // namespace

bool Generator::add(const Statement& s, bool may_be_illegal) {
  const Expectation expected = oracle().expect(s);
  if (expected.skip || (expected.must && !may_be_illegal)) return false;
  program_->push_back(s);
  trial_.step(s);
  return true;
}

Statement Generator::propose() {
  const Chance& row = chance_of(draws_.below(kWeights));
  const bool no_grad = draws_.percent(10);
  const Slot a = draws_.any_slot();
  const Propose propose = row.kinds[row.kinds.size() > 1 ? draws_.row_of(row.kinds) : 0];
  Statement s{propose(draws_, a), no_grad};
  if (ignores_grad_mode(s.what)) s.no_grad = false;
  return s;
}

void Generator::add_random() {
  draws_.breaks_rules = draws_.percent(6);
  for (int tries = 0; tries < 12; ++tries) {
    const Statement s = propose();
    if (!add(s, draws_.breaks_rules)) continue;
    // A hook shows most right after the statement that made its tensor.
    if (s.out() != kNoSlot && draws_.percent(6)) add(Hook::propose(draws_, s.out()));
    return;
  }
}

void Generator::add_gradient() {
  using Way = Gradient::Way;
  for (int tries = 0; tries < 20; ++tries) {
    const Slot a = draws_.any_slot();
    const Alias& root = oracle().alias(a);
    if (!oracle().needs(root) ||
        (tries < 14 && !root.is_view && oracle().is_leaf_or_view_of_leaf(root)))
      continue;
    Gradient one{.a = a, .way = draws_.percent(40) ? Way::Backward : Way::Grad};
    one.retains = draws_.percent(60);
    if (oracle().features().second && draws_.percent(60)) one.way = Way::GradOfGrad;
    if (one.way == Way::Grad && draws_.percent(40)) one.b = draws_.any_slot();
    if (add(one)) return;
  }
}

/// A table filled cell by cell, each from an earlier one.
void Generator::fill_table() {
  const auto x = Slot{0}, table = Slot{1}, previous = Slot{2}, next = Slot{3};
  const int size = 3 + draws_.below(6);
  add(Make{x, {1}, 0, small(draws_.below(3)), true});
  add(Make{table, {small(size)}, 1, 0, false});
  for (int i = 1; i < size; ++i) {
    const int from = draws_.percent(70) ? i - 1 : draws_.below(i);
    add(View{.out = previous, .a = table, .kind = kSelectKind, .numbers = {0, small(from)}});
    const uint8_t op = draws_.percent(60) ? kMul : kAdd;
    add(Binary{.out = next, .a = previous, .b = x, .op = op, .alpha = 1});
    add(Put{.a = table, .b = next, .start = small(i)});
  }
  using Way = Gradient::Way;
  add(Gradient{.a = table, .way = oracle().features().second ? Way::GradOfGrad : Way::Grad});
}

void Generator::begin(uint64_t seed, Program& program) {
  draws_.begin(seed);
  program_ = &program;
  program.clear();
}

void Generator::add_tensors() {
  const int shape = draws_.below(Make::kShapeCount);
  add(Make::propose(draws_, shape, true));
  if (program_->empty()) add(Make::propose(draws_, 0, true));
  const int other = draws_.percent(50) ? shape : draws_.below(Make::kShapeCount);
  add(Make::propose(draws_, other, true));
  add(Make::propose(draws_, shape, false));
  if (draws_.percent(30)) add(Make::propose(draws_, draws_.below(Make::kShapeCount), false));
  if (oracle().features().tangents)
    for (std::size_t i = 0; i < 2; ++i) add(Dual::propose(draws_, (*program_)[i].out()));
  // Something interior, which may be written.
  const Slot interior = draws_.slot_for_result();
  add(Unary{.out = interior, .a = (*program_)[0].out(), .op = kMul, .number = 2});
}

const TrialResult& Generator::run(uint64_t seed, Program& program) {
  begin(seed, program);
  const int kind = draws_.below(100);
  trial_.begin({.tangents = kind < 10, .second = kind >= 10 && kind < 22});
  if (oracle().policy() != Policy::Paper2017 && draws_.percent(3)) {
    fill_table();
    return trial_.end();
  }
  add_tensors();
  const int length = 4 + draws_.below(14);
  for (int i = 0; i < length && !trial_.has_failed(); ++i) add_random();
  for (int i = 0; i < 2 && !trial_.has_failed(); ++i) add_gradient();
  return trial_.end();
}

Kind Generator::propose_plain_slice(Slot a) {
  const int size = oracle().alias(a).numel;
  View one{.out = draws_.slot_for_result(), .a = a, .kind = kSliceKind};
  const int way = draws_.below(3), half = std::max(1, size / 2);
  const int length = std::min(1 + draws_.below(3), size);
  const int start = draws_.below(size - length + 1);
  if (way == 0)
    one.numbers = {0, small(start), small(start + length), 1};
  else if (way == 1)
    one.numbers = {0, small(draws_.below(std::min(2, size))), small(size), 2};
  else
    one.numbers = draws_.percent(50) ? Numbers{0, 0, small(half), 1}
                                     : Numbers{0, small(size - half), small(size), 1};
  return one;
}

std::optional<Kind> Generator::propose_plain_write(Slot a) {
  if (oracle().is_leaf_or_view_of_leaf(oracle().alias(a)) && !draws_.percent(10)) return {};
  const int way = draws_.below(6);
  if (way < 3) {
    constexpr uint8_t kOps[] = {kAdd, kMul, kFill};
    return Unary{.a = a, .op = kOps[way], .number = small(2 + draws_.below(5)), .in_place = true};
  }
  constexpr uint8_t kOps[] = {kCopy, kAdd, kMul};
  Binary one{.a = a, .b = draws_.partner_of(a), .op = kOps[way - 3], .in_place = true};
  one.alpha = one.op == kAdd;
  return one;
}

std::optional<Kind> Generator::propose_plain() {
  const int dice = draws_.below(100);
  const Slot a = draws_.any_slot();
  if (dice < 35) return propose_plain_slice(a);
  if (dice >= 60) return propose_plain_write(a);
  Binary one{.a = a, .op = draws_.percent(50) ? kMul : kAdd};
  one.out = draws_.slot_for_result();
  one.b = draws_.partner_of(a);
  one.alpha = one.op == kAdd;
  return one;
}

/// The distribution of the executable model: vectors, slices, sums and products, in place or not.
const TrialResult& Generator::run_plain(uint64_t seed, Program& program) {
  constexpr int8_t kSize = 6;
  begin(seed, program);
  trial_.begin();
  for (const Slot out : {0, 1, 2}) add(Make{out, {kSize}, 1, draws_.pattern(), out < 2});
  add(Binary{.out = 3, .a = 0, .b = 1, .op = kMul});
  add(Binary{.out = 4, .a = 0, .b = 2, .op = kAdd, .alpha = 1});
  const int length = 4 + draws_.below(18);
  for (int i = 0; i < length; ++i) {
    const std::optional<Kind> what = propose_plain();
    if (!what) continue;
    // Everything has the shape of a vector; the model knows no broadcasting.
    const auto* binary = std::get_if<Binary>(&*what);
    if (binary && oracle().alias(binary->a).numel != oracle().alias(binary->b).numel) continue;
    add(Statement{*what}, /*may_be_illegal=*/true);
  }
  Slot root = draws_.any_slot();
  for (int tries = 0; tries < 20 && root < 3; ++tries) root = draws_.any_slot();
  add(Gradient{.a = root, .way = Gradient::Way::Grad});
  return trial_.end();
}

}  // namespace notape::verify::alias
