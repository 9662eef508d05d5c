#include "trace/gpu/from_environment.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "autograd/printable.h"
#include "autograd/tensor/registered_device.h"
#include "trace/gpu/cupti/cupti_program.h"
#include "trace/gpu/emulated/emulated_device.h"
#include "trace/gpu/gpu_session.h"
#include "trace/write/trace_stream.h"

namespace notape::trace {
namespace {

constexpr const char* kProcess = "NOTAPE_TRACE_PROCESS";  // the process that records into the file

TraceStream* stream = nullptr;  // lives until the process ends
pid_t recording_process = 0;

void complain(const std::string& what) {
  std::fprintf(stderr, "notape: NOTAPE_TRACE: %s\n", printable_lines(what).c_str());
}

void finish_at_exit() {
  if (getpid() != recording_process) return;
  const std::unique_ptr<TraceStream> ending(std::exchange(stream, nullptr));
  try {
    ending->finish();
  } catch (const Error& error) {
    complain(error.what_without_backtrace());
  }
}

/// The recording is brought to its end, for which 2 s must do, and then the signal does what it
/// would have done.
void on_signal(int number) {
  if (getpid() == recording_process && stream) {
    stream->interrupt(number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP");
    for (int i = 0; i < 200 && !stream->has_ended(); ++i) {
      const timespec pause{0, 10'000'000};
      nanosleep(&pause, nullptr);
    }
  }
  signal(number, SIG_DFL);
  raise(number);
}

/// Where the program would just end. One that installs a handler of its own later decides for
/// itself.
void watch_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    now.sa_handler = on_signal;
    now.sa_flags = SA_RESTART;
    sigaction(number, &now, nullptr);
  }
}

std::size_t to_events(std::string_view word) {
  std::size_t events = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), events);
  if (error != std::errc() || end != word.data() + word.size() || events < 1 ||
      events > std::size_t{1} << 28)
    throw ValueError("NOTAPE_TRACE_OPTIONS: events={}: it is no whole number from 1 to 2^28", word);
  return events;
}

void take_option(Recorder::Options& options, std::string_view word) {
  constexpr std::string_view kEvents = "events=";
  if (word == "shapes")
    options.shapes = true;
  else if (word == "memory")
    options.memory = true;
  else if (word.starts_with(kEvents))
    options.events_per_thread = to_events(word.substr(kEvents.size()));
  else if (!word.empty())
    throw ValueError("NOTAPE_TRACE_OPTIONS: there is shapes, memory and events=N, but no '{}'",
                     word);
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

cupti::CuptiProgram* gpu_program = nullptr;

bool is_gpu_in_use() noexcept { return is_device_registered(kCUDA); }

/// Handlers run in the opposite order: the rows are taken before the driver goes.
void say_state() {
  std::atexit([] {
    if (getpid() == recording_process) gpu_program->stop();
  });
  if (!cupti::collector().is_recording())
    complain("GPU: CUPTI is " + cupti::collector().state() + "; rows of the CPU alone");
}

void start() {
  const EnvironmentRequest request = request_of(
      std::string(variable("NOTAPE_TRACE")), variable("NOTAPE_TRACE_OPTIONS"), variable(kProcess));
  recording_process = getpid();
  setenv(kProcess, std::to_string(recording_process).c_str(), 1);
  Recorder::Options options = request.options;
  TraceStream::FinishDevices finish_devices;
  if (wants_emulated_device()) {
    static auto* const program = new EmulatedProgram(Recorder::instance());
    options.in_front = program;
    finish_devices = [] { return program->finish(); };
  } else if (has_gpu_driver()) {
    static auto* const program = new cupti::CuptiProgram(Recorder::instance(), cupti::collector(),
                                                         {is_gpu_in_use, say_state});
    gpu_program = program;
    options.in_front = program;
    finish_devices = [] { return gpu_program->finish(); };
  }
  stream = new TraceStream(request.path, options, finish_devices);
  std::atexit(finish_at_exit);
  pthread_atfork([] { Recorder::instance().before_fork(); },
                 [] { Recorder::instance().after_fork_in_parent(); },
                 [] { Recorder::instance().after_fork_in_child(); });
  watch_signals();
}

}  // namespace

EnvironmentRequest request_of(std::string path, std::string_view options,
                              std::string_view recorded_process) {
  const std::string pid = std::to_string(getpid());
  EnvironmentRequest request;
  const bool is_inner = !recorded_process.empty() && recorded_process != pid;
  if (const std::size_t place = path.find("%p"); place != std::string::npos)
    path.replace(place, 2, pid);
  else if (is_inner)
    path = beside(path, pid);
  request.path = std::move(path);
  while (!options.empty()) {
    const std::size_t comma = std::min(options.find(','), options.size());
    take_option(request.options, options.substr(0, comma));
    options.remove_prefix(std::min(comma + 1, options.size()));
  }
  return request;
}

}  // namespace notape::trace

void notape_record_from_environment() {
  using namespace notape;
  if (trace::stream || !std::getenv("NOTAPE_TRACE")) return;
  try {
    trace::start();
  } catch (const Error& error) {
    trace::complain(error.what_without_backtrace());
  } catch (const std::exception& error) {
    trace::complain(error.what());
  }
}
