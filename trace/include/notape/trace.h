// The convenience header for timelines of one's own programs: trace::Recorder notes what runs,
// write_chrome_trace() writes it for ui.perfetto.dev, write_timeline_svg() as a picture, and
// print_summary() says where the time went. Link notape::trace.
#pragma once
#include "autograd/language.h"  // first

#include "trace/check_trace.h"
#include "trace/chrome_writer.h"
#include "trace/gpu_session.h"
#include "trace/range.h"
#include "trace/recorder.h"
#include "trace/summary.h"
#include "trace/timeline_svg.h"
