#include "trace/range.h"

#include "trace/cupti/correlation_observer.h"
#include "trace/nvtx_observer.h"
#include "trace/recorder.h"

namespace notape::trace {

Range::Range(EventKind kind, const char* name, uint64_t number) noexcept
    : name_(name),
      recorded_(Recorder::instance().is_recording()),
      marked_(nvtx_is_on()),
      correlated_(recorded_ && cupti::correlates_ranges()) {
  if (marked_) nvtx_begin(kind, name, number);
  if (recorded_) Recorder::instance().range_begin(kind, name, number);
  if (correlated_) cupti::correlate_range_begin();
}

Range::~Range() {
  if (correlated_) cupti::correlate_range_end();
  if (recorded_) Recorder::instance().range_end(name_);
  if (marked_) nvtx_end();
}

}  // namespace notape::trace
