// ActivityApi: the part of CUPTI's activity API that the collector calls. The real one is in
// cupti_library.h; tests have one that loses, reorders and refuses.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/gpu/cupti/activity_record.h"
#include "trace/gpu/cupti/buffer_pool.h"

namespace notape::trace::cupti {

/// What can be recorded. CUPTI's kind KERNEL is missing: it makes kernels run one after the other,
/// and so destroys what is to be measured.
enum class ActivityKind : uint8_t {
  Runtime,
  Driver,
  ConcurrentKernel,
  Copy,
  Fill,
  Synchronization,
  ExternalCorrelation,
  Overhead,
  Event,
};

/// A CUptiResult; 0: fine.
struct ActivityStatus {
  int code = 0;
  bool is_fine() const { return code == 0; }
};

inline constexpr int kNotCompatible = 14, kInsufficientPrivileges = 35, kMultipleSubscribers = 39,
                     kVirtualDevice = 40;

struct Subscription {
  ActivityStatus status = {};
  std::string holder = {};  ///< who has it, if that is known
};

enum class FlushMode : uint8_t { Finished, Forced };

class ActivityApi {
 public:
  using Clock = uint64_t (*)();
  virtual ~ActivityApi() = default;

  /// Why it cannot be used at all, in one line; empty if it can.
  virtual std::string unavailable() = 0;
  /// The status in CUPTI's words.
  virtual std::string message(ActivityStatus status) = 0;
  /// Such as "CUPTI 13.0".
  virtual std::string version() = 0;

  virtual Subscription subscribe() = 0;
  virtual ActivityStatus unsubscribe() = 0;
  /// Threads as the system numbers them, instead of pthread_self().
  virtual ActivityStatus use_system_thread_ids() = 0;
  virtual ActivityStatus register_clock(Clock clock) = 0;
  virtual ActivityStatus set_attributes() = 0;
  /// The pool must live as long as the process may call CUDA.
  virtual ActivityStatus register_buffers(BufferPool& pool) = 0;
  virtual ActivityStatus enable(ActivityKind kind) = 0;
  virtual ActivityStatus disable(ActivityKind kind) = 0;
  /// Leaves one function's calls out, of those that Runtime and Driver bring.
  virtual ActivityStatus leave_out(std::string_view function) = 0;

  /// On the calling thread.
  virtual ActivityStatus push_external(ExternalKind kind, uint64_t id) noexcept = 0;
  virtual ActivityStatus pop_external(ExternalKind kind) noexcept = 0;

  /// Waits for all devices.
  virtual ActivityStatus synchronize() = 0;
  virtual ActivityStatus flush(FlushMode mode) = 0;
  /// CUPTI's clock, in ns.
  virtual std::optional<uint64_t> time() = 0;
  /// Records lost since the last time one asked. Never called from a callback.
  virtual uint64_t take_dropped() = 0;
  virtual void read(std::span<const uint8_t> buffer, std::vector<ActivityRecord>& records) = 0;
};

}  // namespace notape::trace::cupti
