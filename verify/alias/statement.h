// A program of the alias campaign: a list of plain statements over numbered tensor slots. It has no
// pointers and no shapes of its own, so that any statement can be removed: those that then make no
// sense are skipped by everyone in the same way.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace notape::verify::alias {

inline constexpr int kSlots = 20;
inline constexpr int kMaxDims = 3;
inline constexpr int kMaxCells = 12;  ///< elements of any tensor
inline constexpr uint8_t kNoSlot = 255;

enum class Code : uint8_t {
  Leaf,         ///< out = leaf that requires grad; n: sizes, n[4]: pattern of values, n[5]: rank
  Constant,     ///< the same without gradient
  Unary,        ///< out = unary[which](a, n[0])
  UnaryWrite,   ///< a.unary[which]_(n[0])
  Binary,       ///< out = binary[which](a, b, n[0])
  BinaryWrite,  ///< a.binary[which]_(b, n[0])
  View,         ///< out = view[which](a, n); multi-output views also give slot b
  Matmul,       ///< out = a b
  Sum,          ///< out = sum of a over dimension n[0], or of everything if n[0] < 0
  Cat,          ///< out = a and b joined along dimension 0
  Take,         ///< out = a[{n[0], n[1], ...}], n[5] positions along dimension 0
  Put,          ///< a[n[0]] = b (which 0) or a[n[0]:n[1]] = b (which 1)
  PutAt,        ///< a[{n[0], n[1], ...}] = b
  Detach,       ///< out = a.detach()
  DetachWrite,  ///< a.detach_()
  Data,         ///< out = a.data()
  SetData,      ///< a.set_data(b)
  Function,     ///< user function `which`
  Hook,         ///< observes the gradient of a, and multiplies it by n[0]
  Dual,         ///< out = make_dual(a, pattern n[0]), at a level that is open all the while
  RawWrite,     ///< a's memory = pattern n[0]; which: ticket, mutable_data_ptr, data_ptr
  Drop,         ///< a goes out of scope
  Backward,     ///< a.backward(weights); which: retain the graph
  Grad,         ///< grad of a, and of b if given, at all leaves; which: retain the graph
  GradGrad,     ///< grad of direction · (grad of a at all leaves); which: retain the graph
};

struct Statement {
  Code code = Code::Drop;
  uint8_t which = 0;
  bool no_grad = false;
  uint8_t out = kNoSlot, a = kNoSlot, b = kNoSlot;
  std::array<int8_t, 6> n{};

  bool operator==(const Statement&) const = default;
};

using Program = std::vector<Statement>;

/// What a program needs from its first statement on.
struct Features {
  bool tangents = false;  ///< forward mode: a level is open
  bool second = false;    ///< second derivatives are asked for

  bool curves() const { return tangents || second; }
};
inline Features features_of(const Program& program) {
  Features result;
  for (const Statement& s : program) {
    result.tangents |= s.code == Code::Dual;
    result.second |= s.code == Code::GradGrad;
  }
  return result;
}

/// The numbers a tensor is made of: small, not zero, different from their neighbours.
constexpr double pattern_value(int pattern, int i) {
  constexpr double kValues[] = {1, 2, -1, 3, -2, 2, 1, -3, 4, -1, 3};
  return kValues[(pattern * 3 + i) % 11];
}
/// The incoming gradient of a backward pass.
constexpr double weight_value(int i) { return 1 + i * 2 % 5; }
/// Direction in which hooks observe a gradient, and in which it is differentiated again.
constexpr double direction_value(int i) { return 1 + i * 7 % 13; }

}  // namespace notape::verify::alias
