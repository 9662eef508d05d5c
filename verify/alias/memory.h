// What the oracle remembers: cells with values, families with exact derivatives of cells, aliases.
#pragma once
#include "verify/alias/failure.h"
#include "verify/alias/window.h"

namespace notape::verify::alias {

inline constexpr int kLeafColumns = 12;  ///< one per leaf cell
inline constexpr int kHooks = 4;         ///< one column each, see direction_value()
inline constexpr std::size_t kMaxStorages = 64, kMaxFamilies = 64, kMaxBlocks = 32;
inline constexpr int kColumns = kLeafColumns + kHooks;

/// The derivative of one cell with respect to every leaf cell and every hooked tensor; then the
/// derivative of each of those along a direction, kept where Features::curves().
using Row = std::array<double, 2 * kColumns>;

/// Numbers read from an alias: values, and rows if they are wanted and not all zero.
struct Cells {
  std::array<double, kMaxCells> value;
  std::array<double, kMaxCells> tangent;  ///< if Features::tangents
  std::array<double, kMaxCells> along;    ///< change along the direction of Row's second half
  std::array<const Row*, kMaxCells> row;
  bool has_rows = false;
};

/// One element of a result or of what is written.
struct Element {
  double value = 0, tangent = 0;
  Row row{};

  Element& operator*=(double factor) {
    value *= factor;
    tangent *= factor;
    for (double& entry : row) entry *= factor;
    return *this;
  }
};
using Elements = std::array<Element, kMaxCells>;

struct CellStorage {
  std::array<double, kMaxCells> value;
  std::array<uint16_t, kMaxCells> written;  ///< when each cell was last written, by anyone
  /// When by a write that was not reported to the library.
  std::array<uint16_t, kMaxCells> written_unseen;
  uint16_t any_written = 0;
  int8_t cells = 0;
  bool unknown_layout = false;  ///< its strides may follow those of operands
  bool hidden_sharers = false;  ///< somebody without a slot may hold it
};

/// A base and its differentiable views: they share derivatives. A detached alias has its own family
/// over the same cells.
struct Family {
  std::array<Row, kMaxCells> row;            ///< of each cell of the storage, if `needs`
  std::array<uint16_t, kMaxCells> recorded;  ///< when the family's history last changed there
  int16_t storage = 0;
  bool needs = false;            ///< the base requires grad
  bool is_leaf = false;          ///< and is a leaf: it must not be written
  bool whole = true;             ///< the base shows the storage, in order
  bool overlaps_itself = false;  ///< the base shows a cell twice
  bool used = false;             ///< something was computed or viewed since its history was made
};

/// The forward-mode tangents that a tensor and what was made from it by views share.
struct TangentField {
  std::array<double, kMaxCells> of;  ///< each cell of the storage
  bool exists = false;               ///< somebody has given one
};

enum class Tag : uint8_t { Plain, NoGrad, Function };
/// How a recorded write through a view of this tag is refused.
constexpr FailureSet refusal(Tag tag) {
  return tag == Tag::Plain      ? 0
         : tag == Tag::Function ? bit(Failure::FunctionViewWrite)
                                : bit(Failure::AmbiguousViewWrite);
}

struct Alias {
  static constexpr int16_t kOfFamily = -1, kZero = -2;

  bool defined = false;
  bool is_view = false;
  bool needed = false;  ///< required grad when it was made
  Tag tag = Tag::Plain;
  uint16_t made = 0;  ///< when
  int16_t storage = 0, family = 0;
  int16_t rows = kOfFamily;  ///< or a block of its own, by cell, for tagged and hooked views
  int16_t tangents = 0;
  bool hooked = false;  ///< a view whose block comes from a hook
  bool used = false;    ///< something was computed or viewed from it
  uint16_t serial = 0;  ///< of the tensor object
  int8_t numel = 0;
  CellMask mask = 0;
  Window window;
  std::array<int8_t, kMaxCells> cell{};

  bool overlaps_itself() const { return __builtin_popcount(mask) != numel; }
};

}  // namespace notape::verify::alias
