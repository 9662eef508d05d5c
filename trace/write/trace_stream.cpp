#include "trace/write/trace_stream.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <exception>
#include <utility>

#include "trace/write/device_lines.h"

namespace notape::trace {
namespace {

constexpr int64_t kPauseNs = 5'000'000, kFlushNs = 100'000'000;

/// A thread started in its scope leaves all signals to the program's own threads.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

TraceStream::TraceStream(const std::string& path, const Recorder::Options& options,
                         FinishDevices finish_devices)
    : file_(path), finish_devices_(std::move(finish_devices)) {
  to_.totals.is_streamed = true;
  sem_init(&wake_, 0, 0);
  recorder_.start(options);
  session_ = recorder_.session();
  started_ = recorder_.started();
  to_.zero_ns = started_.monotonic_ns;
  const WithoutSignals without_signals;
  thread_ = std::thread([this] { run(); });
}

TraceStream::~TraceStream() {
  try {
    finish();
  } catch (const std::exception&) {
    // finish() tells who asks.
  }
  sem_destroy(&wake_);
}

void TraceStream::finish() {
  is_ending_.store(true);
  sem_post(&wake_);
  if (thread_.joinable()) thread_.join();
  if (!error_.empty()) throw FileError("{}", error_);
}

void TraceStream::interrupt(const char* signal_name) noexcept {
  interrupted_.store(signal_name);
  is_ending_.store(true);
  sem_post(&wake_);
}

void TraceStream::run() noexcept {
  pthread_setname_np(pthread_self(), "notape trace");
  try {
    file_.write(trace_head(started_, ""));
    to_.rows.add_process();
    while (!is_ending_.load()) {
      read_logs();
      add_links(false);
      write_rows();
      timespec until{};
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_nsec += kPauseNs;
      if (until.tv_nsec >= 1'000'000'000) {
        until.tv_nsec -= 1'000'000'000;
        ++until.tv_sec;
      }
      sem_timedwait(&wake_, &until);
    }
    end();
  } catch (const Error& error) {
    error_ = error.what_without_backtrace();
  } catch (const std::exception& error) {
    error_ = error.what();
  }
  if (!error_.empty()) file_.discard();
  if (recorder_.session() == session_) static_cast<void>(recorder_.end());
  has_ended_.store(true, std::memory_order_release);
}

void TraceStream::read_logs() {
  auto logs = recorder_.logs();
  std::erase_if(logs, [&](const auto& log) { return !log->is_of(session_); });
  for (const auto& log : logs) to_.tids.emplace(log->number(), log->tid());
  for (const auto& log : logs) {
    threads_.try_emplace(log->number(), log).first->second.read(to_);
    if (to_.rows.text().size() > 1 << 16) write_rows();
  }
  logs.clear();
  for (auto& [number, thread] : threads_) thread.release_if_gone();
  recorder_.forget_read_logs();
}

/// A node may have ended on a thread whose log was read before that of the thread on which the
/// operator ran: then it is found in the next round.
void TraceStream::add_links(bool last) {
  for (const bool again : {true, false}) {
    std::vector<NodeRow> missing;
    for (const NodeRow& node : again ? old_nodes_ : to_.nodes) {
      const auto forward = threads_.find(node.recorded_by);
      const int64_t begin =
          forward == threads_.end() ? -1 : forward->second.nodes().begin_of(node.number);
      if (begin >= 0)
        to_.rows.add_link(forward->second.tid(), begin, node.tid, node.begin_ns);
      else if (!again && !last)
        missing.push_back(node);
    }
    (again ? old_nodes_ : to_.nodes).clear();
    if (!again) old_nodes_ = std::move(missing);
  }
}

void TraceStream::write_rows() {
  if (!to_.rows.text().empty()) {
    file_.write(to_.rows.text());
    to_.rows.clear();
    has_unflushed_ = true;
  }
  const int64_t now = now_ns();
  if (!has_unflushed_ || now - flushed_ns_ < kFlushNs) return;
  file_.flush();
  flushed_ns_ = now;
  has_unflushed_ = false;
}

void TraceStream::end() {
  DeviceRecording device;
  if (finish_devices_) device = finish_devices_();
  Recording recording = recorder_.end();
  recording.device = std::move(device);
  read_logs();
  const int64_t end_ns = recording.stopped.monotonic_ns - started_.monotonic_ns;
  for (auto& [number, thread] : threads_) {
    thread.finish(end_ns, to_);
    if (thread.dropped()) to_.totals.dropped.emplace_back(thread.tid(), thread.dropped());
  }
  add_links(true);
  const Timeline no_slices;  // calls find their operators by time
  DeviceLines lines(recording, no_slices, to_.rows.pid());
  const DeviceLines::Write add_line = [&](std::string_view line) { to_.rows.add_line(line); };
  lines.write_names(add_line);
  lines.write_rest({}, add_line);
  write_rows();
  to_.totals.threads = threads_.size();
  const char* const interrupted = interrupted_.load();
  if (interrupted) recording.interrupted = interrupted;
  const std::string& path = file_.path();
  file_.write(
      trace_tail(path.substr(path.find_last_of('/') + 1), trace_metadata(recording, to_.totals)));
  file_.commit(interrupted ? beside(path, "interrupted") : path);
}

}  // namespace notape::trace
