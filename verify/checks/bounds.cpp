// bounds: of a user's function in C++, which allocates its own tensors, nothing is written outside
// of them, not by one entry, and nothing that is read there or was never written reaches a result.
// While it runs all memory of tensors comes with red zones. (Buffers of C operators have their own
// in every call.) Under AddressSanitizer the zones are poisoned, and it says where.
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>

#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/device_allocator.h"
#include "verify/checks/comparer.h"
#include "verify/checks/shared_questions.h"
#include "verify/plugin/c_operator.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace notape::verify {
namespace {

#ifdef __SANITIZE_ADDRESS__
void close_zone(const void* from, std::size_t bytes) { __asan_poison_memory_region(from, bytes); }
void open_zone(const void* from, std::size_t bytes) { __asan_unpoison_memory_region(from, bytes); }
#else
void close_zone(const void*, std::size_t) {}
void open_zone(const void*, std::size_t) {}
#endif

/// Memory for tensors with red zones, for all threads. Blocks that outlive a RedZones are given
/// back here, too.
class ZonedMemory {
 public:
  static ZonedMemory& the() {
    static auto& one = *new ZonedMemory;
    return one;
  }
  const PluggableAllocator& allocator() const { return allocator_; }

  /// From now on, what fresh memory and the zones around it are full of.
  void fill_with(unsigned char inside, unsigned char zones) {
    inside_ = inside;
    zones_ = zones;
    const std::lock_guard lock(mutex_);
    fault_.clear();
  }
  /// What was written outside of a block that has been given back since.
  std::string fault() const {
    const std::lock_guard lock(mutex_);
    return fault_;
  }

 private:
  static constexpr std::size_t kZone = 512;

  static std::size_t whole(std::size_t bytes) { return 2 * kZone + (bytes + 63) / 64 * 64; }

  void* allocate(std::size_t bytes) {
    auto* all = static_cast<unsigned char*>(
        ::operator new(whole(bytes), std::align_val_t(64), std::nothrow));
    if (!all) return nullptr;
    // The filling may change while the block lives; its first byte says what it was.
    std::memset(all, zones_, whole(bytes));
    std::memset(all + kZone, inside_, bytes);
    close_zone(all, kZone);
    close_zone(all + kZone + bytes, whole(bytes) - kZone - bytes);
    return all + kZone;
  }

  void release(void* data, std::size_t bytes) {
    auto* all = static_cast<unsigned char*>(data) - kZone;
    open_zone(all, whole(bytes));
    const auto look = [&](std::size_t i) { return all[i] != all[0]; };
    std::size_t wrong = kZone + bytes;
    while (wrong < whole(bytes) && !look(wrong)) ++wrong;
    if (wrong < whole(bytes))
      say(format_message("past the end of a tensor's {} bytes, at byte {}",
                         {bytes, wrong - kZone}));
    for (std::size_t i = kZone; i-- > 1;)
      if (look(i)) {
        say(format_message("before the start of a tensor's {} bytes, at byte -{}",
                           {bytes, kZone - i}));
        break;
      }
    ::operator delete(all, std::align_val_t(64));
  }

  void say(std::string fault) {
    const std::lock_guard lock(mutex_);
    if (fault_.empty()) fault_ = std::move(fault);
  }

  std::atomic<unsigned char> inside_ = 0, zones_ = 0;
  mutable std::mutex mutex_;
  std::string fault_;
  const PluggableAllocator allocator_ = {
      [this](std::size_t bytes, int, void*) { return allocate(bytes); },
      [this](void* data, std::size_t bytes, int, void*) { release(data, bytes); }};
};

/// While it lives, tensors on the CPU lie in such memory.
class RedZones {
 public:
  RedZones(unsigned char inside, unsigned char zones) {
    ZonedMemory::the().fill_with(inside, zones);
    before_ = own_cpu_allocator.exchange(&ZonedMemory::the().allocator());
  }
  ~RedZones() { own_cpu_allocator = before_; }
  RedZones(const RedZones&) = delete;
  RedZones& operator=(const RedZones&) = delete;

 private:
  const PluggableAllocator* before_;
};

struct Zoned {
  Run run;
  std::string fault;
};

Zoned run_in_zones(const Subject& subject, unsigned char inside, unsigned char zones) {
  const RedZones here(inside, zones);
  const EnableGradGuard recording;
  Zoned result;
  result.run = subject.run(subject.inputs(), subject.incoming_tensor());
  result.fault = ZonedMemory::the().fault();
  return result;
}

}  // namespace

bool has_own_tensors(const Subject& subject) {
  return subject.device.is_cpu() && ways_of(subject.spec) == 0 && has_function_of_users(subject);
}

Outcome check_bounds(const Subject& subject) {
  constexpr unsigned char kNan = 0xFF, kNumber = 0x3C;  // 0.0115 in float32, 1.6e-17 in float64
  Comparer comparer(subject);
  const Zoned first = run_in_zones(subject, kNumber, kNan);
  if (!first.fault.empty()) {
    comparer.fail(Verdict::Fail, "bounds", "a call writes " + first.fault);
    return comparer.finish("bounds", "");
  }
  const auto expect = [&](const Zoned& other, const char* what) {
    Comparer same(subject);
    same.same("output", first.run.sizes, first.run.output, other.run.output);
    same.same_gradients(subject, first.run, other.run);
    const Outcome outcome = same.finish("", "");
    if (same.failed())
      comparer.fail(Verdict::Fail, "bounds",
                    format_message("{} depends on {}",
                                   {outcome.guilty.value_or(Guilty()).where, std::string(what)}));
    comparer.same("bits", {}, {0}, {0});
  };
  // What differs between equal calls is for `repeat` to say.
  Comparer repeated(subject);
  const Zoned again = run_in_zones(subject, kNumber, kNan);
  repeated.same("output", first.run.sizes, first.run.output, again.run.output);
  repeated.same_gradients(subject, first.run, again.run);
  if (repeated.failed()) return comparer.finish("bounds", "");
  expect(run_in_zones(subject, kNumber, kNumber),
         "memory past the end, or before the start, of a tensor");
  expect(run_in_zones(subject, kNan, kNan), "memory that was never written");
  return comparer.finish("bounds", "");
}

}  // namespace notape::verify
