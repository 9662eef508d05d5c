#include "trace/range.h"

#include <atomic>

#include "trace/nvtx_observer.h"
#include "trace/recorder.h"

namespace notape::trace {

Range::Range(EventKind kind, const char* name, uint64_t number) noexcept
    : recorded_(Recorder::instance().is_recording()), marked_(nvtx_is_on()) {
  if (marked_) nvtx_begin(kind, name, number);
  if (recorded_) Recorder::instance().range_begin(kind, name, number);
}

Range::~Range() {
  if (recorded_) Recorder::instance().range_end();
  if (marked_) nvtx_end();
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
