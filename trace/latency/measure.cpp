// Batches of all cases and libraries, in turn.
#include <algorithm>
#include <memory>

#include "ops/parallel.h"
#include "trace/latency/instruction_counter.h"
#include "trace/latency/latency.h"
#include "trace/record/recorder.h"

namespace notape::trace {
namespace {

constexpr int64_t kBatchNs = 1'000'000;
constexpr int64_t kCurveBatchNs = 250'000;
constexpr int64_t kMostCalls = int64_t{1} << 24;

/// What the figures are about is one thread's.
class OneThread {
 public:
  OneThread() { set_num_threads(1); }
  ~OneThread() { set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_ = get_num_threads();
};

/// One kind of work of one library.
struct Case {
  Source* source;
  Work work;
  int64_t least_ns = kBatchNs;
  int64_t calls = 1;         ///< per batch
  std::vector<double> ns{};  ///< per operation, of each batch

  /// Warms up and finds how many calls fill a batch. Two runs, since one may be interrupted by
  /// another program and seem long.
  void prepare() {
    while (std::min(source->run(work, calls), source->run(work, calls)) < least_ns) {
      if (calls > kMostCalls) throw ProcessError("it says that nothing takes any time");
      calls *= 2;
    }
  }
  /// ns per operation. The first calls, after another case's, are not counted.
  double batch() const {
    source->run(work, calls / 8 + 1);
    const int64_t operations = calls * operations_of(work.work);
    return static_cast<double>(source->run(work, calls)) / static_cast<double>(operations);
  }
};

/// A library and its cases.
struct Side {
  Source* source = nullptr;  ///< null: not here, or not any more
  std::vector<Case> classes{}, curve{};

  void add_cases(const LatencyOptions& options) {
    for (const WorkClass work : kWorkClasses)
      classes.push_back({source, {options.operation, work, kLatencySize}});
    if (!options.with_curve) return;
    for (const int64_t size : kCurveSizes)
      for (const WorkClass work : kWorkClasses)
        curve.push_back({source, {options.operation, work, size}, kCurveBatchNs});
  }
  void prepare(const std::function<bool()>& enough) {
    for (Case& one : classes) one.prepare();
    for (Case& one : curve) {
      if (enough && enough()) curve.clear();
      if (curve.empty()) return;
      one.prepare();
    }
  }
};

class Measurement {
 public:
  explicit Measurement(const LatencyOptions& options)
      : options_(options), report_(planned_latency(options)), sides_(options.others.size() + 1) {
    sides_[0].source = &own_;
    start_others();
    for (std::size_t i = 0; i < sides_.size(); ++i)
      if (sides_[i].source)
        attempt(i, [&](Side& side) {
          side.add_cases(options_);
          side.prepare(options_.enough);
        });
    for (Case& one : sides_[0].classes) trace_batch(one, nullptr);  // touches the log's memory
  }

  LatencyReport run() {
    const int64_t begin = now_ns();
    const auto is_enough = [&] { return options_.enough && options_.enough(); };
    for (int i = 0; i < options_.repetitions && !(i > 0 && is_enough()); ++i) run_round();
    count_instructions();
    report_.took_ns = now_ns() - begin;
    for (std::size_t i = 0; i < sides_.size(); ++i) take_samples(i);
    return std::move(report_);
  }

 private:
  void start_others() {
    for (std::size_t i = 0; i < options_.others.size(); ++i) {
      LibraryRow& row = report_.libraries[i];
      processes_.emplace_back();
      try {
        processes_[i] = std::make_unique<OtherProcess>(options_.others[i], options_.enough);
        sides_[i + 1].source = processes_[i].get();
        row.name = processes_[i]->name();
      } catch (const ProcessError& error) {
        row.reason = error.what_without_backtrace();
      }
    }
  }

  /// Another library that fails is left out from then on.
  template <typename F>
  void attempt(std::size_t place, F f) {
    try {
      f(sides_[place]);
    } catch (const ProcessError& error) {
      sides_[place].source = nullptr;
      report_.libraries.at(place - 1).reason = error.what_without_backtrace();
    }
  }

  void run_round() {
    ++report_.repetitions;
    for (std::size_t i = 0; i < sides_.size(); ++i)
      if (sides_[i].source)
        attempt(i, [](Side& side) {
          for (Case& one : side.classes) one.ns.push_back(one.batch());
        });
    for (std::size_t i = 0; i < report_.rows.size(); ++i)
      trace_batch(sides_[0].classes[i], &report_.rows[i]);
    for (std::size_t at = 0; at < sides_[0].curve.size(); ++at)
      for (std::size_t i = 0; i < sides_.size(); ++i)
        if (sides_[i].source && at < sides_[i].curve.size())
          attempt(i, [at](Side& side) { side.curve[at].ns.push_back(side.curve[at].batch()); });
  }

  void trace_batch(const Case& one, LatencyRow* row) {
    Recorder& recorder = Recorder::instance();
    recorder.start();
    const int64_t calls = std::max<int64_t>(1, one.calls / 4);  // recorded, they take longer
    const int64_t ns = one.source->run(one.work, calls);
    const Recording recording = recorder.stop();
    report_.recorder_cost = recording.cost;
    if (!row) return;
    row->traced.ns.push_back(static_cast<double>(ns) /
                             static_cast<double>(calls * operations_of(one.work.work)));
    row->recorded.add(recording, row->work);
  }

  void count_instructions() {
    const InstructionCounter counter;
    report_.no_instructions = counter.reason();
    if (!counter.reason().empty()) return;
    for (std::size_t i = 0; i < report_.rows.size(); ++i)
      report_.rows[i].instructions = own_.instructions(sides_[0].classes[i].work, counter);
  }

  void take_samples(std::size_t place) {
    Side& side = sides_[place];
    for (std::size_t i = 0; i < side.classes.size(); ++i) {
      Samples samples = make_samples(std::move(side.classes[i].ns));
      if (place > 0) {
        report_.libraries[place - 1].classes[i] = std::move(samples);
        continue;
      }
      report_.rows[i].untraced = std::move(samples);
      report_.rows[i].traced = make_samples(std::move(report_.rows[i].traced.ns));
    }
    constexpr std::size_t kClasses = std::size(kWorkClasses);
    for (std::size_t i = 0; i < side.curve.size(); ++i) {
      LatencyCurve& curve = report_.curves[place * kClasses + i % kClasses];
      curve.samples[i / kClasses] = make_samples(std::move(side.curve[i].ns));
      if (place > 0) curve.name = report_.libraries[place - 1].name;
    }
  }

  const LatencyOptions& options_;
  const OneThread one_thread_{};
  OwnSource own_;
  std::vector<std::unique_ptr<OtherProcess>> processes_;
  LatencyReport report_;
  std::vector<Side> sides_;
};

}  // namespace

LatencyReport measure_latency(const LatencyOptions& options) { return Measurement(options).run(); }

}  // namespace notape::trace
