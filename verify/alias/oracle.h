// The oracle: runs a program on memory cells, each with its value and its exact derivative with
// respect to every leaf cell. It knows the rules of writing (SEMANTICS: in-place operations), but
// no graphs, no versions, no saved values, and is therefore right about any aliasing.
#pragma once
#include "autograd/modes/thread_state.h"
#include "verify/alias/failure.h"
#include "verify/alias/function_kinds.h"
#include "verify/alias/memory.h"
#include "verify/alias/operations.h"
#include "verify/alias/view_kinds.h"

namespace notape::verify::alias {

enum class Field : uint8_t { Exact, Real };
using Policy = AliasPolicy;

/// What the rules say about a statement, before it runs.
struct Expectation {
  bool skip = false;           ///< makes no sense here; nobody runs it
  FailureSet must = 0;         ///< one of these has to be raised, if any
  FailureSet may = 0;          ///< these may be raised
  bool writes_anyway = false;  ///< a refused user function has already written its input
};

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
  void apply_refused(const Statement& s);

  const Alias& alias(int slot) const { return aliases_[static_cast<std::size_t>(slot)]; }
  bool is_defined(uint8_t slot) const { return slot < kSlots && aliases_[slot].defined; }
  double value(const Alias& a, int i) const;
  /// Whether gradients come through it.
  bool needs(const Alias& a) const;
  /// What requires_grad() says, and whether what is computed from it is recorded: also for a view
  /// made in no-grad mode whose base requires grad, though no gradient comes through it.
  bool says(const Alias& a) const;
  /// Whether reading its history is an error: a recorded write reached a tagged view.
  FailureSet stale(const Alias& a) const;
  /// Whether a window onto the storage is more than a part of `a`, and so one of the base.
  static bool is_past(const Alias& a, const Window& window);
  bool is_leaf_or_view_of_leaf(const Alias& a) const { return family_of(a).is_leaf; }
  bool may_hook(const Alias& a) const;
  /// The forward-mode tangent of element i.
  double tangent(const Alias& a, int i) const;
  const Features& features() const { return features_; }

  /// Sum of weight times row over the cells of a, times the hooks' scales.
  void add_gradient(const Alias& a, Row& sum) const;
  const std::vector<LeafColumns>& leaves() const { return leaves_; }
  const std::vector<HookState>& hooks() const { return hooks_; }
  /// The slot that still holds the tensor as it was hooked, or -1.
  int slot_of_hook(const HookState& hook) const;
  /// Whether some value saved so far has been overwritten: SavedTensorModified has a reason.
  bool saved_was_overwritten() const;
  /// By a write that the library was not told of: nothing but an error is right.
  bool saved_was_overwritten_unseen() const;
  /// A backward pass that was to free the graph has begun, and failed.
  void note_freed() { freed_ = true; }
  Field field() const { return field_; }
  Policy policy() const { return policy_; }

 private:
  struct Save {
    int16_t storage;
    CellMask mask;
    uint16_t at;
  };
  /// Numbers read from an alias: values, and rows if they are wanted and not all zero.
  struct Cells {
    std::array<double, kMaxCells> value;
    std::array<double, kMaxCells> tangent;  ///< if Features::tangents
    std::array<double, kMaxCells> along;    ///< change along the direction of Row's second half
    std::array<const Row*, kMaxCells> row;
    bool has_rows = false;
  };

  const Family& family_of(const Alias& a) const {
    return families_[static_cast<std::size_t>(a.family)];
  }
  Family& family_of(const Alias& a) { return families_[static_cast<std::size_t>(a.family)]; }
  const CellStorage& storage_of(const Alias& a) const {
    return storages_[static_cast<std::size_t>(a.storage)];
  }
  CellStorage& storage_of(const Alias& a) { return storages_[static_cast<std::size_t>(a.storage)]; }
  /// As what an alias is read: a view that is written takes part as a window of its base, except
  /// that hooks of its own see what it was.
  enum class As : uint8_t { Operand, Target };
  bool has_own_rows(const Alias& a, As as) const;
  Cells read(const Alias& a, bool with_rows, As as = As::Operand) const;
  bool may_have_tangent(const Alias& a) const { return tangents_[index_of(a.tangents)].exists; }
  static std::size_t index_of(int16_t i) { return static_cast<std::size_t>(i); }
  double largest(const Alias& a) const;

  // Rules (oracle_rules.cpp)
  Expectation expect_write(const Statement& s, const Alias& target, const Alias* operand,
                           bool needs_old) const;
  Expectation expect_function(const Statement& s) const;
  Expectation expect_view(const Statement& s) const;
  Expectation expect_backward(const Statement& s) const;
  Expectation expect_read(const Statement& s) const;
  Expectation expect_make(const Statement& s) const;
  Expectation expect_put(const Statement& s) const;
  Expectation expect_put_at(const Statement& s) const;
  Expectation expect_binary_write(const Statement& s) const;
  Expectation expect_set_data(const Statement& s) const;
  Expectation expect_dual(const Statement& s) const;
  Expectation expect_raw_write(const Statement& s) const;
  void note_missing_jvp(const Alias& a, Expectation& result) const;
  bool affordable(const Statement& s) const;
  double bits_of(const Statement& s) const;
  bool put_window(const Statement& s, Window& result) const;
  int sharers(const Alias& a) const;

  // Effects (oracle_effects.cpp)
  Alias make(const Window& window, int storage, int family);
  /// The layout is known if `from` is row-major and without gaps.
  Alias make_fresh(const Window& shape, bool needed, const Alias* from = nullptr,
                   const Alias* other = nullptr);
  int new_storage(int cells);
  int new_family(int storage);
  void set(uint8_t slot, Alias a);
  void set_window(Alias& a, const Window& window) const;
  Alias view_of(const Alias& a, const Window& window, bool no_grad);
  void ensure_rows(Family& family);
  /// One element of a result or of a written window.
  struct Result {
    double value = 0, tangent = 0;
    Row row;
  };
  static void clear(Result& result) {
    result.value = result.tangent = 0;
    result.row.fill(0);
  }
  /// result.row += factor * row, where the factor changes by `bend` along the direction.
  void add(Row& into, const Row& row, double factor, double bend = 0) const;
  /// One element as it is.
  Result element(const Cells& cells, std::size_t i) const;
  void store(const Alias& fresh, const std::array<Result, kMaxCells>& results, bool rows);
  void write(const Alias& target, const std::array<Result, kMaxCells>& results, bool records,
             bool in_graph);
  void compute_unary(const Statement& s, const Alias& a, std::array<Result, kMaxCells>& results);
  void compute_binary(const Statement& s, const Window& shape, const Alias& a, const Alias& b,
                      std::array<Result, kMaxCells>& results);
  void apply_view(const Statement& s);
  void apply_binary(const Statement& s);
  void apply_copy_like(const Statement& s);
  void apply_put(const Statement& s);
  void apply_set_data(const Statement& s);
  void apply_function(const Statement& s);
  void apply_hook(const Statement& s);
  void apply_dual(const Statement& s);
  void apply_raw_write(const Statement& s);
  void apply_leaf(const Statement& s);
  void apply_unary(const Statement& s);
  /// What detach() of it is.
  Alias detached(const Alias& a);
  void apply_detach(const Statement& s);
  int16_t new_tangents();
  int16_t new_block();
  void save(const Alias& a, int when);
  bool can_store(int storages, int families) const;
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
