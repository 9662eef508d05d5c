#include "trace/record/range.h"

#include <utility>

#include "trace/record/nvtx_observer.h"
#include "trace/record/recorder.h"

namespace notape::trace {

std::atomic<RangeWatcher*> range_watcher{nullptr};

namespace {

void tell(void (RangeWatcher::*what)() noexcept) noexcept {
  if (RangeWatcher* const watcher = range_watcher.load()) (watcher->*what)();
}

}  // namespace

Range::Range(EventKind kind, const char* name, uint64_t number) noexcept
    : recorded_(Recorder::instance().is_recording()),
      marked_(nvtx_is_on()),
      watched_(recorded_ && range_watcher.load(std::memory_order_relaxed)) {
  if (marked_) nvtx_begin(kind, name, number);
  if (recorded_) Recorder::instance().range_begin(kind, name, number);
  if (watched_) tell(&RangeWatcher::range_begin);
}

Range::~Range() {
  if (watched_) tell(&RangeWatcher::range_end);
  if (recorded_) Recorder::instance().range_end();
  if (marked_) nvtx_end();
}

AsynchronousRange::AsynchronousRange(const char* name) noexcept
    : marked_(nvtx_is_on()), number_(marked_ ? nvtx_start(name) : 0) {}
AsynchronousRange::AsynchronousRange(AsynchronousRange&& other) noexcept
    : marked_(std::exchange(other.marked_, false)), number_(other.number_) {}
AsynchronousRange::~AsynchronousRange() {
  if (marked_) nvtx_finish(number_);
}

void step() noexcept {
  static std::atomic<uint64_t> next{0}, of_session{0};
  static constinit thread_local uint64_t open_in = 0;  // the session; 0: none
  Recorder& recorder = Recorder::instance();
  const uint64_t session = recorder.session();
  if (session % 2 == 0) return;
  if (of_session.exchange(session) != session) next.store(0);
  if (open_in == session) recorder.range_end();
  recorder.range_begin(EventKind::Step, "ProfilerStep", next.fetch_add(1));
  open_in = session;
}

}  // namespace notape::trace
