// SavedVariable: a snapshot of a tensor's value, taken when an operation is recorded and checked
// when it is used. 2017 paper, 3: it stores "not a full-fledged variable, but instead a saved
// variable, which omits a pointer to the Function" that would close a cycle.
#pragma once
#include "autograd/graph/node.h"

namespace notape {

/// A saved region was overwritten. 2017 paper, 3.1 Invalidation: "the version counter at the time
/// of saving is compared with the one at the time of use".
class SavedTensorModified : public ErrorOf<"SavedTensorModified"> {
 public:
  struct Conflict {
    std::string type;  // "CPUFloatType [3]"
    const Node* saver;
    const char* slot;      // "self", "result", ...
    const char* producer;  // the node whose output the value is
    uint32_t output_nr;
    uint64_t saved_version, current_version;
    const WriteEntry* write;  // null if the policy asks for whole-storage versions
    bool conservative;
  };
  explicit SavedTensorModified(const Conflict& conflict);
  std::string to_json() const override { return json_; }

 private:
  std::string json_;
};

/// While it stands, results saved by `saver` are unpacked as computed by `edge`: a write through a
/// view saves its result in a node that is not itself the view's history, and must not own it.
class OutputEdgeScope {
 public:
  OutputEdgeScope(const Node& saver, Edge edge);
  ~OutputEdgeScope();
  OutputEdgeScope(const OutputEdgeScope&) = delete;
  OutputEdgeScope& operator=(const OutputEdgeScope&) = delete;

  /// Where the saver's result comes from now.
  static Edge edge_of(const Node& saver);

 private:
  const Node& saver_;
  Edge edge_;
  OutputEdgeScope* outer_;
};

class SavedVariable {
 public:
  SavedVariable() = default;
  /// Copies no data. `slot` names the value in messages and must outlive the object.
  SavedVariable(const Tensor& value, const char* slot) { save(value, slot); }
  SavedVariable(SavedVariable&& other) noexcept;
  SavedVariable& operator=(SavedVariable&& other) noexcept;
  ~SavedVariable() { release(); }

  /// Snapshot of `value`; an undefined tensor is saved as such.
  void save(const Tensor& value, const char* slot);
  void release() noexcept;

  /// Throws GraphFreed after release, SavedTensorModified if the region was overwritten. A value
  /// that was never saved passes. `edge` leads to the value's producer; null: the saver itself.
  void check(const Node& saver, const Edge* edge) const;
  /// Throws GraphFreed after release.
  void check_released(const Node& saver) const {
    if (state_ == State::Released) throw_freed(saver);
  }
  /// The value as a tensor whose gradient goes to `edge` (none in no-grad mode). Null: the saver,
  /// which can be said only now, because a node that owned itself would never be freed.
  Tensor unpack(const Node& saver, const Edge* edge) const;

 private:
  enum class State : uint8_t { Empty, Undefined, Held, Released };
  [[noreturn]] void throw_freed(const Node& saver) const;
  void check_newer_writes(const Node& saver, const Edge* edge) const;

  Ref<Storage> storage_;
  Geometry geometry_;
  uint64_t version_ = 0;
  const char* slot_ = "";
  State state_ = State::Empty;
  ScalarType dtype_ = ScalarType::Float;
  bool whole_storage_ = false;  // saved under Paper2017: any write counts
};

}  // namespace notape
