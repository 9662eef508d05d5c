#include <notape/notape.h>
#include <notape/trace.h>

#include <iostream>

using namespace notape;

int main() {
  const Tensor w = ones({4, 4}, requires_grad());
  trace::Recorder& recorder = trace::Recorder::instance();
  recorder.start();
  for (int i = 0; i < 3; ++i) {
    const trace::Step step(static_cast<uint64_t>(i));
    const trace::Range range("forward and backward");
    w.mm(w).tanh().sum().backward();
  }
  const trace::Recording recording = recorder.stop();

  const trace::Timeline timeline = trace::make_timeline(recording);
  trace::print_summary(std::cout, recording, timeline);
  trace::write_timeline_svg(timeline, "three steps", "timeline.svg");
  trace::write_chrome_trace(recording, timeline, "timeline.json");
  const trace::TraceCheck check = trace::check_trace("timeline.json");
  return check.complaints.empty() && check.flows > 0 ? 0 : 1;
}
