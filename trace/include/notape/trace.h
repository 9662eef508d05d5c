// The convenience header for timelines of one's own programs: trace::Recorder notes what runs,
// write_chrome_trace() writes it for ui.perfetto.dev, write_timeline_svg() as a picture, and
// print_summary() says where the time went. Link notape::trace.
#pragma once
#include "autograd/language.h"  // first

#include "trace/gpu/gpu_session.h"
#include "trace/record/range.h"
#include "trace/record/recorder.h"
#include "trace/write/check_trace.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/summary.h"
#include "trace/write/timeline_svg.h"
