// NVTX ranges for NVIDIA's tools, in the domain "notape". Without NVTX headers in the build, or
// without a tool in the process, they do nothing.
#pragma once
#include "trace/record/event_log.h"
#include "trace/record/observer_in_front.h"

namespace notape::trace {

/// Whether this build has NVTX.
bool nvtx_is_available() noexcept;
/// Whether an NvtxObserver exists; Range asks before it marks.
bool nvtx_is_on() noexcept;
void nvtx_begin(EventKind kind, const char* name, uint64_t number) noexcept;
void nvtx_end() noexcept;
/// A range of its own, which need not nest and may end on another thread; its number.
uint64_t nvtx_start(const char* name) noexcept;
void nvtx_finish(uint64_t range) noexcept;
/// A mark for memory that a tensor got, or gave back (negative).
void nvtx_memory(int64_t bytes) noexcept;

/// Marks every operator and node.
class NvtxObserver final : public ObserverInFront {
 public:
  explicit NvtxObserver(Observer& behind) noexcept;
  ~NvtxObserver() override;

  void operator_begin(const char* name, uint64_t sequence_nr) noexcept override;
  void operator_end(const char* name, uint64_t sequence_nr) noexcept override;
  void node_begin(const Node& node) noexcept override;
  void node_end(const Node& node) noexcept override;
};

}  // namespace notape::trace
