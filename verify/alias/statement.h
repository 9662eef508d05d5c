// A program of the alias campaign: a list of plain statements over numbered tensor slots. It has no
// pointers, and hardly any shapes of its own, so that any statement can be removed: those that then
// make no sense are skipped by everyone in the same way.
//
// A kind of statement is a struct below and a file in kinds/, which has everything about it:
//   propose  one that makes sense, or nearly, drawn at random
//   expect   what the rules say about it before it runs
//   apply    what it does to the oracle's cells, derivatives and aliases
//   run      what it asks of the library
//   text     its C++
//   parts    its fields, for whoever takes all kinds alike
// A new kind is that, its name in Kind, and its chances in generator.cpp.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "verify/alias/window.h"

namespace notape::verify::alias {

class Draws;
class Executor;
class Oracle;
struct Expectation;

inline constexpr int kSlots = 20;
inline constexpr Slot kNoSlot = 255;

using Numbers = std::array<int8_t, 6>;

/// The fields of a statement by what they are.
struct Parts {
  Slot* out = nullptr;
  /// Operands; and where a view's second result goes, since what was there is let go.
  std::array<Slot*, 2> operands{};
  Slot* second_out = nullptr;  ///< of a Call
  std::array<int8_t*, 6> numbers{};
};

/// What a program needs from its first statement on.
struct Features {
  bool tangents = false;  ///< forward mode: a level is open
  bool second = false;    ///< second derivatives are asked for

  bool curves() const { return tangents || second; }
};

/// out = a new tensor
struct Make {
  Slot out = kNoSlot;
  std::array<int8_t, kMaxDims> sizes{};
  int8_t rank = 1;
  int8_t pattern = 0;
  bool is_leaf = false;  ///< requires grad

  static constexpr int kShapes = 15;  ///< to choose from
  static Make propose(Draws& draws, int shape, bool is_leaf);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {&out, {}, {}, {&sizes[0], &sizes[1], &sizes[2], &pattern, &rank}}; }
  std::vector<Make> simpler() const;
  int numel() const;
  bool operator==(const Make&) const = default;
};

/// out = op(a, number), or a.op_(number)
struct Unary {
  Slot out = kNoSlot, a = kNoSlot;
  uint8_t op = 0;  ///< in unary_ops()
  int8_t number = 0;
  bool in_place = false;

  static Unary propose(Draws& draws, Slot a);
  static Unary propose_in_place(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {&out, {&a}, {}, {&number}}; }
  bool writes() const { return in_place; }
  bool operator==(const Unary&) const = default;
};

/// out = op(a, b, alpha), or a.op_(b, alpha)
struct Binary {
  Slot out = kNoSlot, a = kNoSlot, b = kNoSlot;
  uint8_t op = 0;  ///< in binary_ops()
  int8_t alpha = 0;
  bool in_place = false;

  static Binary propose(Draws& draws, Slot a);
  static Binary propose_in_place(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {&out, {&a, &b}, {}, {&alpha}}; }
  bool writes() const { return in_place; }
  bool operator==(const Binary&) const = default;
};

/// out = a.view(numbers), and second_out = another one of several results
struct View {
  Slot out = kNoSlot, second_out = kNoSlot, a = kNoSlot;
  uint8_t kind = 0;   ///< in view_kinds()
  Numbers numbers{};  ///< what they mean is up to the kind

  static View propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() {
    auto& n = numbers;
    return {&out, {&a, &second_out}, {}, {&n[0], &n[1], &n[2], &n[3], &n[4], &n[5]}};
  }
  std::vector<View> simpler() const;
  bool operator==(const View&) const = default;
};

/// out = a b
struct Matmul {
  Slot out = kNoSlot, a = kNoSlot, b = kNoSlot;

  static Matmul propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {&out, {&a, &b}, {}, {}}; }
  bool operator==(const Matmul&) const = default;
};

/// out = sum of a over a dimension
struct Sum {
  Slot out = kNoSlot, a = kNoSlot;
  int8_t dim = -1;  ///< negative: of everything

  static Sum propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {&out, {&a}, {}, {&dim}}; }
  bool operator==(const Sum&) const = default;
};

/// out = a and b joined along dimension 0
struct Cat {
  Slot out = kNoSlot, a = kNoSlot, b = kNoSlot;

  static Cat propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {&out, {&a, &b}, {}, {}}; }
  bool operator==(const Cat&) const = default;
};

/// A list of positions along dimension 0.
struct Positions {
  std::array<int8_t, 4> at{};
  int8_t count = 0;

  static Positions propose(Draws& draws, int size);
  bool fit(const Window& window) const;
  std::vector<int64_t> list() const { return {at.begin(), at.begin() + count}; }
  /// "{2, 0}"
  std::string text() const;
  std::array<int8_t*, 6> numbers() { return {&at[0], &at[1], &at[2], &at[3], &count}; }
  bool operator==(const Positions&) const = default;
};

/// out = a[positions]
struct Take {
  Slot out = kNoSlot, a = kNoSlot;
  Positions positions{};

  static Take propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {&out, {&a}, {}, positions.numbers()}; }
  bool operator==(const Take&) const = default;
};

/// a[start] = b or a[start:end] = b
struct Put {
  Slot a = kNoSlot, b = kNoSlot;
  bool is_slice = false;
  int8_t start = 0, end = 0;

  static Put propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {nullptr, {&a, &b}, {}, {&start, &end}}; }
  bool writes() const { return true; }
  bool operator==(const Put&) const = default;
};

/// a[positions] = b
struct PutAt {
  Slot a = kNoSlot, b = kNoSlot;
  Positions positions{};

  static PutAt propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {nullptr, {&a, &b}, {}, positions.numbers()}; }
  bool writes() const { return true; }
  bool operator==(const PutAt&) const = default;
};

/// out = a.detach(), a.detach_() or out = a.data()
struct Detach {
  static constexpr bool kIgnoresGradMode = true;
  enum class Way : uint8_t { Detach, InPlace, Data };
  Slot out = kNoSlot;  ///< drawn for detach_(), too, which leaves it alone
  Slot a = kNoSlot;
  Way way = Way::Detach;

  static Detach propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {&out, {&a}, {}, {}}; }
  bool operator==(const Detach&) const = default;
};

/// a.set_data(b)
struct SetData {
  static constexpr bool kIgnoresGradMode = true;
  Slot a = kNoSlot, b = kNoSlot;

  static SetData propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {nullptr, {&a, &b}, {}, {}}; }
  bool operator==(const SetData&) const = default;
};

/// A call of a user function, with up to two results beside what it writes.
struct Call {
  Slot out = kNoSlot, second_out = 0, a = kNoSlot, b = kNoSlot;
  uint8_t function = 0;  ///< in function_kinds()

  static Call propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  /// It was refused, but had written already.
  void apply_refused(Oracle& oracle) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts();
  std::vector<Call> simpler() const;
  bool operator==(const Call&) const = default;
};

/// Observes the gradient of a, and multiplies it.
struct Hook {
  static constexpr bool kIgnoresGradMode = true, kIsNoUse = true;
  Slot a = kNoSlot;
  int8_t scale = 1;

  static Hook propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {nullptr, {&a}, {}, {&scale}}; }
  bool operator==(const Hook&) const = default;
};

/// out = make_dual(a, pattern), at a level that is open all the while
struct Dual {
  Slot out = kNoSlot, a = kNoSlot;
  int8_t pattern = 0;

  static Dual propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {&out, {&a}, {}, {&pattern}}; }
  void need(Features& features) const { features.tangents = true; }
  bool operator==(const Dual&) const = default;
};

/// a's memory = pattern, behind the graph's back
struct RawWrite {
  static constexpr bool kIgnoresGradMode = true;
  enum class By : uint8_t { Ticket, MutableDataPtr, DataPtr };
  Slot a = kNoSlot;
  int8_t pattern = 0;
  By by = By::Ticket;

  static RawWrite propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {nullptr, {&a}, {}, {&pattern}}; }
  bool writes() const { return true; }
  bool operator==(const RawWrite&) const = default;
};

/// a goes out of scope
struct Drop {
  static constexpr bool kIgnoresGradMode = true, kIsNoUse = true;
  Slot a = kNoSlot;

  static Drop propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {nullptr, {&a}, {}, {}}; }
  bool operator==(const Drop&) const = default;
};

/// a.backward(weights); grad of a, and of b if given, at all leaves; grad of direction · (grad of a
/// at all leaves)
struct Gradient {
  static constexpr bool kIgnoresGradMode = true;
  enum class Way : uint8_t { Backward, Grad, GradOfGrad };
  Slot a = kNoSlot, b = kNoSlot;
  Way way = Way::Backward;
  bool retains = false;  ///< the graph

  static Gradient propose(Draws& draws, Slot a);
  Expectation expect(const Oracle& oracle, bool no_grad) const;
  void apply(Oracle& oracle, bool no_grad) const;
  void run(Executor& executor) const;
  std::string text() const;
  Parts parts() { return {nullptr, {&a, &b}, {}, {}}; }
  std::vector<Gradient> simpler() const;
  void need(Features& features) const { features.second |= way == Way::GradOfGrad; }
  bool operator==(const Gradient&) const = default;
};

using Kind = std::variant<Make, Unary, Binary, View, Matmul, Sum, Cat, Take, Put, PutAt, Detach,
                          SetData, Call, Hook, Dual, RawWrite, Drop, Gradient>;

struct Statement {
  Kind what = Drop{};
  bool no_grad = false;  ///< inside a NoGradGuard

  Parts parts() {
    return std::visit([](auto& kind) { return kind.parts(); }, what);
  }
  /// Where its result goes, or kNoSlot.
  Slot out() const;
  /// Operands as in Parts, kNoSlot where there are fewer than two.
  std::array<Slot, 2> operands() const;
  bool writes() const;
  template <typename K>
  const K* as() const {
    return std::get_if<K>(&what);
  }
  bool operator==(const Statement&) const = default;
};

using Program = std::vector<Statement>;

Features features_of(const Program& program);

}  // namespace notape::verify::alias
