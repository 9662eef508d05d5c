// The oracle: runs a program on memory cells, each with its value and its exact derivative with
// respect to every leaf cell. It knows the rules of writing (SEMANTICS: in-place operations), but
// no graphs, no versions, no saved values, and is therefore right about any aliasing.
#pragma once
#include <vector>

#include "autograd/modes/thread_state.h"
#include "verify/alias/failure.h"

#include "verify/alias/memory.h"
#include "verify/alias/parts.h"
#include "verify/alias/patterns.h"

namespace notape::verify::alias {

struct Call;
struct Statement;

enum class Field : uint8_t { Exact, Real };
using Policy = AliasPolicy;

struct LeafColumns {
  int8_t first = 0, count = 0;
};

struct HookState {
  double scale = 1;
  uint16_t serial = 0;  ///< of the hooked tensor
  uint16_t at = 0;
  int16_t family = 0;
  bool of_view = false;
};

class Oracle {
 public:
  Oracle(Field field, Policy policy);
  /// Ready for the next program.
  void reset(Features features = {});

  Expectation expect(const Statement& s) const;
  /// The statement has run.
  void apply(const Statement& s);
  /// It was refused, but its user function had written already.
  void apply_refused(const Call& call);

  const Features& features() const { return features_; }
  Field field() const { return field_; }
  Policy policy() const { return policy_; }

  const Alias& alias(int slot) const { return aliases_[at(slot)]; }
  bool is_defined(Slot slot) const { return slot < kSlots && aliases_[slot].defined; }
  double value(const Alias& a, int i) const { return storage_of(a).value[at(a.cell[at(i)])]; }
  /// The forward-mode tangent of element i.
  double tangent(const Alias& a, int i) const { return tangents_of(a).of[at(a.cell[at(i)])]; }
  /// Whether gradients come through it.
  bool needs(const Alias& a) const;
  /// What requires_grad() says, and whether what is computed from it is recorded: also for a view
  /// made in no-grad mode whose base requires grad, though no gradient comes through it.
  bool says(const Alias& a) const;
  /// Whether reading its history is an error: a recorded write reached a tagged view.
  FailureSet stale(const Alias& a) const;
  bool is_leaf_or_view_of_leaf(const Alias& a) const { return family_of(a).is_leaf; }
  /// Whether a window onto the storage is more than a part of `a`, and so one of the base.
  static bool is_past(const Alias& a, const Window& window);

  /// Sum of weight times row over the cells of a, times the hooks' scales.
  void add_gradient(const Alias& a, Row& sum) const;
  const std::vector<LeafColumns>& leaves() const { return leaves_; }
  const std::vector<HookState>& hooks() const { return hooks_; }
  /// The slot that still holds the tensor as it was hooked, or -1.
  int slot_of_hook(const HookState& hook) const;
  /// Whether some value saved so far has been overwritten: SavedTensorModified has a reason.
  bool saved_was_overwritten() const;
  /// By a write that was not reported to the library: only an error is right.
  bool saved_was_overwritten_unseen() const;
  /// A backward pass that was to free the graph has begun.
  void note_freed() { freed_ = true; }

  // What follows is what the kinds of statements are made of.

  // Rules (oracle_rules.cpp)
  bool can_store(int storages, int families) const;
  bool can_make_block() const { return blocks_.size() < kMaxBlocks; }
  bool has_column_for(int leaf_cells) const { return columns_ + leaf_cells <= kLeafColumns; }
  /// Whether the numbers stay exact, or moderate, if they grow by so many bits.
  bool affordable(double bits) const;
  /// By how many bits a product of the two grows.
  double bits_of_product(Slot a, Slot b) const;
  double largest(const Alias& a) const;
  /// What reading `a`, and `b` if there is one, into a new tensor in `out` may lead to.
  Expectation expect_read(Slot out, Slot a, bool no_grad) const;
  Expectation expect_read(Slot out, Slot a, Slot b, bool no_grad) const;
  Expectation expect_write(const Alias& target, const Alias* operand, bool needs_old,
                           bool no_grad) const;
  /// Whether an operand has a tangent that is zero everywhere, only the library knows.
  void note_missing_jvp(const Alias& a, Expectation& result) const;
  int sharers(const Alias& a) const;
  bool was_freed() const { return freed_; }
  bool has_error_node() const { return has_error_node_; }

  // Cells (oracle_memory.cpp)
  const Family& family_of(const Alias& a) const { return families_[at(a.family)]; }
  Family& family_of(const Alias& a) { return families_[at(a.family)]; }
  const CellStorage& storage_of(const Alias& a) const { return storages_[at(a.storage)]; }
  CellStorage& storage_of(const Alias& a) { return storages_[at(a.storage)]; }
  const TangentField& tangents_of(const Alias& a) const { return tangents_[at(a.tangents)]; }
  TangentField& tangents_of(const Alias& a) { return tangents_[at(a.tangents)]; }
  std::array<Row, kMaxCells>& block_of(const Alias& a) { return blocks_[at(a.rows)]; }
  /// As what an alias is read: a view that is written takes part as a window of its base, except
  /// that hooks of its own see what it was.
  enum class As : uint8_t { Operand, Target };
  Cells read(const Alias& a, bool with_rows, As as = As::Operand) const;
  bool has_own_rows(const Alias& a, As as) const;
  bool may_have_tangent(const Alias& a) const { return tangents_of(a).exists; }
  /// One element as it is.
  Element element(const Cells& cells, std::size_t i) const;
  /// Adds slope times the derivative of cell i, where the slope changes by `bend` along the
  /// direction. The value is left alone.
  void add_slope(Element& into, const Cells& from, std::size_t i, double slope,
                 double bend = 0) const;
  void grow_by(double bits) { bits_ += bits; }

  Alias& held(Slot slot) { return aliases_[slot]; }
  void set(Slot slot, Alias a);
  static void set_window(Alias& a, const Window& window);
  Alias make(const Window& window, int storage, int family);
  /// On a storage of its own. The layout is known if operands are row-major and without gaps.
  Alias make_fresh(const Window& shape, bool needed, const Alias* from = nullptr,
                   const Alias* other = nullptr);
  Alias make_fresh(const Window& shape, bool needed, const Elements& elements,
                   const Alias* from = nullptr, const Alias* other = nullptr);
  Alias view_of(const Alias& a, const Window& window, bool no_grad);
  /// The same cells in a family of their own, without tangents.
  Alias detached(const Alias& a);
  Alias detached(const Alias& a, bool whole);
  int new_family(int storage);
  int16_t new_tangents();
  /// Rows of the alias' own.
  std::array<Row, kMaxCells>& new_block(Alias& a);
  static void ensure_rows(Family& family);
  void write(const Alias& target, const Elements& elements, bool records, bool in_graph);
  enum class When : uint8_t { Before = 0, After = 2 };
  /// The graph keeps the values that `a` has before or after the statement.
  void save(const Alias& a, When when);
  /// A leaf of so many cells is about to be made; the first of its columns.
  int add_leaf(int cells);
  void add_hook(const Alias& a, double scale);
  uint16_t next_time() const { return static_cast<uint16_t>(now_ + 2); }
  void note_error_node() { has_error_node_ = true; }

 private:
  struct Save {
    int16_t storage;
    CellMask mask;
    uint16_t at;
  };

  int new_storage(int cells);
  /// into += factor * row, where the factor changes by `bend` along the direction.
  void add(Row& into, const Row& row, double factor, double bend = 0) const;
  bool was_overwritten(const Save& saved, const std::array<uint16_t, kMaxCells>& written) const;

  Field field_;
  Policy policy_;
  Features features_;
  std::array<Alias, kSlots> aliases_{};
  std::vector<CellStorage> storages_;
  std::vector<Family> families_;
  std::vector<std::array<Row, kMaxCells>> blocks_;
  std::vector<TangentField> tangents_;
  std::vector<LeafColumns> leaves_;
  std::vector<HookState> hooks_;
  std::vector<Save> saves_;
  int columns_ = 0;
  uint16_t now_ = 4, serial_ = 0;
  double bits_ = 0;
  bool freed_ = false;
  bool operand_has_tangent_ = false;  ///< of the statement that is being applied
  bool has_error_node_ = false;       ///< a user function saved what it computed unrecorded
};

}  // namespace notape::verify::alias
