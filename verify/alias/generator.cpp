#include "verify/alias/generator.h"

#include <algorithm>

namespace notape::verify::alias {
namespace {

struct Shape {
  int8_t rank;
  int8_t size[3];
};
constexpr Shape kShapes[] = {{1, {4}},       {2, {2, 2}}, {1, {3}},       {2, {2, 3}}, {1, {2}},
                             {3, {2, 1, 2}}, {0, {}},     {1, {6}},       {2, {3, 2}}, {2, {1, 3}},
                             {3, {1, 2, 2}}, {1, {1}},    {3, {2, 2, 2}}, {2, {3, 3}}, {1, {8}}};
constexpr int kShapeCount = static_cast<int>(std::size(kShapes));

int8_t small(int value) { return static_cast<int8_t>(value); }

}  // namespace

uint64_t Random::next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

uint8_t Generator::any_slot() {
  for (int tries = 0; tries < 100; ++tries) {  // everything may have been dropped
    const auto slot = static_cast<uint8_t>(random_.below(kSlots));
    if (oracle().is_defined(slot)) return slot;
  }
  return 0;
}

uint8_t Generator::slot_to_write() {
  uint8_t slot = any_slot();
  for (int tries = 0; tries < 5 && !illegal_; ++tries, slot = any_slot())
    if (!oracle().is_leaf_or_view_of_leaf(oracle().alias(slot)) &&
        !oracle().alias(slot).overlaps_itself())
      break;
  return slot;
}

uint8_t Generator::slot_for_result() {
  for (int tries = 0; tries < 4; ++tries) {
    const auto slot = static_cast<uint8_t>(random_.below(kSlots));
    if (!oracle().is_defined(slot)) return slot;
  }
  return static_cast<uint8_t>(random_.below(kSlots));
}

uint8_t Generator::partner_of(uint8_t a) {
  const Window& shape = oracle().alias(a).window;
  uint8_t b = any_slot();
  for (int tries = 0; tries < 6; ++tries, b = any_slot()) {
    Window both;
    if (oracle().alias(b).window.same_shape(shape)) break;
    if (tries > 2 && broadcast(shape, oracle().alias(b).window, both)) break;
  }
  return b;
}

bool Generator::add(const Statement& s, bool may_be_illegal) {
  const Expectation expected = oracle().expect(s);
  if (expected.skip || (expected.must && !may_be_illegal)) return false;
  program_->push_back(s);
  trial_.step(s);
  return true;
}

void Generator::add_tensor(Code code, int shape) {
  const Shape& chosen = kShapes[shape];
  add({.code = code,
       .out = slot_for_result(),
       .n = {chosen.size[0], chosen.size[1], chosen.size[2], 0, small(random_.below(11)),
             chosen.rank}});
}

Statement Generator::propose_view() {
  Statement s{.code = Code::View, .out = slot_for_result(), .a = any_slot()};
  const Window& w = oracle().alias(s.a).window;
  s.which = static_cast<uint8_t>(random_.below(static_cast<int>(view_kinds().size())));
  const int d = w.rank > 0 ? random_.below(w.rank) : 0;
  const int size = w.rank > 0 ? w.size[static_cast<std::size_t>(d)] : 1;
  const int start = random_.below(size);
  const ViewKind& kind = view_kinds()[s.which];
  const std::string_view name = kind.name;
  if (name == "slice") {
    s.n = {small(d), small(start), small(start + 1 + random_.below(size - start)),
           small(1 + random_.below(2))};
  } else if (name == "narrow") {
    s.n = {small(d), small(start), small(1 + random_.below(size - start))};
  } else if (name == "select") {
    s.n = {small(d), small(start)};
  } else if (name == "index") {
    s.n = {0, small(w.rank > 0 ? random_.below(w.size[0]) : 0)};
  } else if (name == "transpose") {
    s.n = {small(d), small(w.rank > 0 ? random_.below(w.rank) : 0)};
  } else if (name == "permute") {
    const int first = random_.below(3), step = 1 + random_.below(2);
    s.n = {small(first), small((first + step) % 3), small((first + 2 * step) % 3)};
  } else if (name == "expand") {
    s.n = {small(1 + random_.below(3)), w.rank};
  } else if (name == "unsqueeze") {
    s.n = {small(random_.below(w.rank + 1))};
  } else if (name == "squeeze" || name == "diagonal") {
    s.n = {small(random_.below(2))};
  } else if (name == "view" || name == "reshape") {
    const int cells = w.numel(), divisor = 2 + random_.below(2);
    if (cells % divisor != 0 || random_.percent(30))
      s.n = {small(cells), 0, 0, 0, 0, 1};
    else if (random_.percent(50))
      s.n = {small(divisor), small(cells / divisor), 0, 0, 0, 2};
    else
      s.n = {small(cells / divisor), small(divisor), 0, 0, 0, 2};
  } else if (name == "as_strided") {
    const int rank = 1 + random_.below(2);
    s.n = {small(1 + random_.below(4)), small(1 + random_.below(2)), small(random_.below(3)),
           small(random_.below(4)),     small(random_.below(4)),     small(rank)};
  } else {  // chunk, split, unbind
    s.n = {small(1 + random_.below(3)), small(d), 0, 0, small(random_.below(2)), 0};
    if (random_.percent(50)) {
      s.b = slot_for_result();
      s.n[5] = small(random_.below(3));
    }
  }
  return s;
}

Statement Generator::propose_index(Code code) {
  Statement s{.code = code, .a = code == Code::Take ? any_slot() : slot_to_write()};
  const Window& w = oracle().alias(s.a).window;
  const int size = w.rank > 0 ? w.size[0] : 1;
  if (code == Code::Put) {
    s.which = static_cast<uint8_t>(random_.below(2));
    const int start = random_.below(size);
    s.n = {small(start), small(start + 1 + random_.below(size - start))};
    s.b = any_slot();
    return s;
  }
  s.n[5] = small(1 + random_.below(3));
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.n[5]); ++i)
    s.n[i] = small(random_.below(size));
  if (code == Code::Take)
    s.out = slot_for_result();
  else
    s.b = any_slot();
  return s;
}

Statement Generator::propose() {
  const int dice = random_.below(104);
  Statement s{.no_grad = random_.percent(10), .a = any_slot()};
  const auto number = [&](bool divides) { return small(divides ? 2 : random_.below(5) - 1); };
  if (dice < 26) {
    const bool no_grad = s.no_grad;
    s = propose_view();
    s.no_grad = no_grad;
  } else if (dice < 36 || (dice >= 50 && dice < 60)) {
    s.code = dice < 36 ? Code::Binary : Code::BinaryWrite;
    if (s.code == Code::BinaryWrite) s.a = slot_to_write();
    s.b = partner_of(s.a);
    s.which = static_cast<uint8_t>(random_.below(static_cast<int>(binary_ops().size())));
    s.n[0] = small(binary_ops()[s.which].takes_number ? 1 + random_.below(2) : 0);
    if (s.code == Code::Binary) s.out = slot_for_result();
  } else if (dice < 50) {
    s.code = dice < 40 ? Code::Unary : Code::UnaryWrite;
    if (s.code == Code::UnaryWrite) s.a = slot_to_write();
    s.which = static_cast<uint8_t>(random_.below(static_cast<int>(unary_ops().size())));
    const UnaryOp& op = unary_ops()[s.which];
    if (op.real_only && oracle().field() == Field::Exact) s.which = 2;
    if (unary_ops()[s.which].takes_number) s.n[0] = number(s.which == 3);
    if (s.code == Code::Unary) s.out = slot_for_result();
  } else if (dice < 69) {
    const Code codes[] = {Code::Take, Code::Put, Code::Put, Code::PutAt};
    const bool no_grad = s.no_grad;
    s = propose_index(codes[random_.below(4)]);
    s.no_grad = no_grad;
  } else if (dice < 76) {
    const Code codes[] = {Code::Matmul, Code::Sum, Code::Cat};
    s.code = codes[random_.below(3)];
    s.b = s.code == Code::Sum ? kNoSlot : any_slot();
    s.n[0] = small(random_.below(3) - 1);
    s.out = slot_for_result();
  } else if (dice < 82) {
    const Code codes[] = {Code::Detach, Code::DetachWrite, Code::Data};
    s.code = codes[random_.below(3)];
    s.no_grad = false;
    s.out = slot_for_result();
  } else if (dice < 84) {
    s.code = Code::SetData;
    s.no_grad = false;
    s.b = partner_of(s.a);
  } else if (dice < 92) {
    s.code = Code::Function;
    s.which = static_cast<uint8_t>(random_.below(static_cast<int>(function_kinds().size())));
    if (function_kinds()[s.which].is_dirty()) s.a = slot_to_write();
    if (function_kinds()[s.which].takes_two()) s.b = partner_of(s.a);
    s.out = slot_for_result();
    s.n[0] = small(slot_for_result());
  } else if (dice < 94) {
    s.code = Code::Hook;
    s.no_grad = false;
    s.n[0] = small(1 + random_.below(2));
  } else if (dice < 96) {
    s.code = Code::Drop;
    s.no_grad = false;
  } else if (dice < 100) {
    s.code = random_.percent(50) ? Code::Backward : Code::Grad;
    if (oracle().features().second && random_.percent(50)) s.code = Code::GradGrad;
    s.no_grad = false;
    s.which = random_.percent(85);
  } else if (dice < 102 || !oracle().features().tangents) {
    s.code = Code::RawWrite;
    s.no_grad = false;
    s.which = static_cast<uint8_t>(random_.below(3));
    s.n[0] = small(random_.below(11));
  } else {
    s.code = Code::Dual;
    s.out = slot_for_result();
    s.n[0] = small(random_.below(11));
  }
  return s;
}

void Generator::add_random() {
  illegal_ = random_.percent(6);
  for (int tries = 0; tries < 12; ++tries) {
    const Statement s = propose();
    if (!add(s, illegal_)) continue;
    // A hook tells most right behind the statement that made its tensor.
    if (s.out != kNoSlot && random_.percent(6))
      add({.code = Code::Hook, .a = s.out, .n = {small(1 + random_.below(2))}});
    return;
  }
}

void Generator::add_gradient() {
  for (int tries = 0; tries < 20; ++tries) {
    const uint8_t a = any_slot();
    const Alias& root = oracle().alias(a);
    if (!oracle().needs(root) ||
        (tries < 14 && !root.is_view && oracle().is_leaf_or_view_of_leaf(root)))
      continue;
    Statement s{.code = random_.percent(40) ? Code::Backward : Code::Grad,
                .which = random_.percent(60),
                .a = a};
    if (oracle().features().second && random_.percent(60)) s.code = Code::GradGrad;
    if (s.code == Code::Grad && random_.percent(40)) s.b = any_slot();
    if (add(s)) return;
  }
}

/// A table filled cell by cell, each from an earlier one.
void Generator::fill_table() {
  const auto x = uint8_t{0}, table = uint8_t{1}, previous = uint8_t{2}, next = uint8_t{3};
  const int size = 3 + random_.below(6);
  add({.code = Code::Leaf, .out = x, .n = {1, 0, 0, 0, small(random_.below(3)), 0}});
  add({.code = Code::Constant, .out = table, .n = {small(size), 0, 0, 0, 0, 1}});
  for (int i = 1; i < size; ++i) {
    const int from = random_.percent(70) ? i - 1 : random_.below(i);
    add({.code = Code::View,
         .which = kSelectKind,
         .out = previous,
         .a = table,
         .n = {0, small(from)}});
    add({.code = Code::Binary,
         .which = static_cast<uint8_t>(random_.percent(60) ? 2 : 0),
         .out = next,
         .a = previous,
         .b = x,
         .n = {1}});
    add({.code = Code::Put, .which = 0, .a = table, .b = next, .n = {small(i)}});
  }
  add({.code = oracle().features().second ? Code::GradGrad : Code::Grad, .a = table});
}

const TrialResult& Generator::run(uint64_t seed, Program& program) {
  random_ = Random(seed);
  program_ = &program;
  program.clear();
  const int kind = random_.below(100);
  trial_.begin({.tangents = kind < 10, .second = kind >= 10 && kind < 22});
  if (oracle().policy() != Policy::Paper2017 && random_.percent(3)) {
    fill_table();
    return trial_.end();
  }
  const int shape = random_.below(kShapeCount);
  add_tensor(Code::Leaf, shape);
  if (program.empty()) add_tensor(Code::Leaf, 0);
  add_tensor(Code::Leaf, random_.percent(50) ? shape : random_.below(kShapeCount));
  add_tensor(Code::Constant, shape);
  if (random_.percent(30)) add_tensor(Code::Constant, random_.below(kShapeCount));
  if (oracle().features().tangents)
    for (int i = 0; i < 2; ++i)
      add({.code = Code::Dual,
           .out = slot_for_result(),
           .a = program[static_cast<std::size_t>(i)].out,
           .n = {small(random_.below(11))}});
  // Something interior, which may be written.
  add({.code = Code::Unary, .which = 2, .out = slot_for_result(), .a = program[0].out, .n = {2}});
  const int length = 4 + random_.below(14);
  for (int i = 0; i < length && !trial_.has_failed(); ++i) add_random();
  for (int i = 0; i < 2 && !trial_.has_failed(); ++i) add_gradient();
  return trial_.end();
}

/// The distribution of the executable model: vectors, slices, sums and products, in place or not.
const TrialResult& Generator::run_plain(uint64_t seed, Program& program) {
  constexpr uint8_t kAdd = 0, kMul = 2, kCopy = 3, kFill = 9;
  random_ = Random(seed);
  program_ = &program;
  program.clear();
  trial_.begin();
  const auto vector = [&](Code code, uint8_t out) {
    add({.code = code, .out = out, .n = {6, 0, 0, 0, small(random_.below(11)), 1}});
  };
  vector(Code::Leaf, 0);
  vector(Code::Leaf, 1);
  vector(Code::Constant, 2);
  add({.code = Code::Binary, .which = kMul, .out = 3, .a = 0, .b = 1});
  add({.code = Code::Binary, .which = kAdd, .out = 4, .a = 0, .b = 2, .n = {1}});
  const int length = 4 + random_.below(18);
  for (int i = 0; i < length; ++i) {
    const int dice = random_.below(100);
    Statement s{.a = any_slot()};
    const int size = oracle().alias(s.a).numel;
    if (dice < 35) {
      s.code = Code::View;
      s.which = kSliceKind;
      s.out = slot_for_result();
      const int kind = random_.below(3), half = std::max(1, size / 2);
      const int length_of_slice = std::min(1 + random_.below(3), size);
      const int start = random_.below(size - length_of_slice + 1);
      if (kind == 0)
        s.n = {0, small(start), small(start + length_of_slice), 1};
      else if (kind == 1)
        s.n = {0, small(random_.below(std::min(2, size))), small(size), 2};
      else
        s.n = random_.percent(50) ? Numbers{0, 0, small(half), 1}
                                  : Numbers{0, small(size - half), small(size), 1};
    } else if (dice < 60) {
      s.code = Code::Binary;
      s.which = random_.percent(50) ? kMul : kAdd;
      s.out = slot_for_result();
      s.b = partner_of(s.a);
      if (s.which == kAdd) s.n[0] = 1;
    } else {
      if (oracle().is_leaf_or_view_of_leaf(oracle().alias(s.a)) && !random_.percent(10)) continue;
      constexpr uint8_t kKinds[] = {kAdd, kMul, kFill, kCopy, kAdd, kMul};
      const auto kind = static_cast<std::size_t>(random_.below(6));
      s.code = kind < 3 ? Code::UnaryWrite : Code::BinaryWrite;
      s.which = kKinds[kind];
      if (kind >= 3) s.b = partner_of(s.a);
      s.n[0] = small(kind < 3 ? 2 + random_.below(5) : kind == 4);
    }
    // Everything has the shape of a vector; the model knows no broadcasting.
    if (s.b != kNoSlot && oracle().alias(s.b).numel != size) continue;
    add(s, /*may_be_illegal=*/true);
  }
  uint8_t root = any_slot();
  for (int tries = 0; tries < 20 && root < 3; ++tries) root = any_slot();
  add({.code = Code::Grad, .a = root});
  return trial_.end();
}

}  // namespace notape::verify::alias
