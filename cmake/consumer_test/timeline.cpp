#include <notape/notape.h>
#include <notape/trace.h>

#include <iostream>

using namespace notape;

int main() {
  trace::Recorder& recorder = trace::Recorder::instance();
  recorder.start();
  {
    const trace::Range range("my loss");
    const Tensor x = ones({3}, requires_grad());
    x.tanh().sum().backward();
  }
  const trace::Recording recording = recorder.stop();
  const trace::Timeline timeline = trace::make_timeline(recording);
  trace::print_summary(std::cout, recording, timeline);
  trace::write_chrome_trace(recording, timeline, "timeline.json");
  const trace::TraceCheck check = trace::check_trace("timeline.json");
  return check.complaints.empty() && check.flows > 0 ? 0 : 1;
}
