// Prefetch: results that worker threads compute ahead of who takes them, in the order of the
// requests.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "paper_examples/data/datasets/base.h"
#include "paper_examples/data/worker_exception.h"

namespace notape::data {

struct PrefetchOptions {
  std::size_t max_jobs = 1;  ///< how many results may be asked for and not taken yet
  bool enforce_ordering = true;
  std::optional<std::chrono::milliseconds> timeout;  ///< of one wait
};

/// One object is for one thread; its destructor ends the workers, each after the result it is at.
template <typename Request, typename Result>
class Prefetch {
 public:
  /// Computes results on a thread of its own, one at a time.
  using Worker = std::function<Result(Request)>;
  /// Called on the thread of take() only; nullopt at the end.
  using NextRequest = std::function<std::optional<Request>()>;

  Prefetch(std::vector<Worker> workers, NextRequest next_request, const PrefetchOptions& options)
      : next_request_(std::move(next_request)), options_(options) {
    for (Worker& worker : workers)
      threads_.emplace_back([this, work = std::move(worker)](const std::stop_token& stop) {
        while (std::optional<Job> job = next_job(stop)) put(job->number, done(work, *job));
      });
  }

  ~Prefetch() { request_stop(); }  // of all, before one is waited for
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  /// No worker begins another result.
  void request_stop() {
    for (std::jthread& thread : threads_) thread.request_stop();
  }
  /// Whether take() has thrown for the timeout.
  bool has_timed_out() const { return has_timed_out_; }

  /// The next result, nullopt at the end. Throws WorkerException in the place of a result that
  /// could not be computed, and Error if the wait is longer than the timeout; one may go on after
  /// either.
  std::optional<Result> take() {
    std::unique_lock lock(mutex_);
    while (!is_at_end_ && asked_ - taken_ < options_.max_jobs) {
      std::optional<Request> request = next_request_();
      is_at_end_ = !request;
      if (!request) break;
      jobs_.push_back({asked_++, std::move(*request)});
      job_came_.notify_one();
    }
    if (taken_ == asked_) return {};
    const auto is_there = [&] {
      return options_.enforce_ordering ? results_.contains(taken_) : !results_.empty();
    };
    if (!options_.timeout)
      result_came_.wait(lock, is_there);
    else if (!result_came_.wait_for(lock, *options_.timeout, is_there)) {
      has_timed_out_ = true;
      throw Error("Timeout in DataLoader: no batch within " +
                  std::to_string(options_.timeout->count()) + " ms");
    }
    ++taken_;
    Done result = std::move(results_.extract(results_.begin()).mapped());
    if (result.error) throw WorkerException(result.error, result.failed_example);
    return std::move(result.value);
  }

 private:
  struct Job {
    std::size_t number;
    Request request;
  };
  struct Done {
    std::optional<Result> value;
    std::exception_ptr error;
    std::optional<std::size_t> failed_example;
  };

  std::optional<Job> next_job(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    job_came_.wait(lock, stop, [&] { return !jobs_.empty(); });
    if (stop.stop_requested()) return {};
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

  static Done done(const Worker& work, Job& job) {
    datasets::example_being_made.reset();
    try {
      return {work(std::move(job.request)), nullptr, {}};
    } catch (...) {
      return {{}, std::current_exception(), datasets::example_being_made};
    }
  }

  void put(std::size_t number, Done result) {
    const std::lock_guard lock(mutex_);
    results_.emplace(number, std::move(result));
    result_came_.notify_one();
  }

  NextRequest next_request_;
  PrefetchOptions options_;
  std::size_t asked_ = 0, taken_ = 0;  // of the thread that takes
  bool is_at_end_ = false, has_timed_out_ = false;

  std::mutex mutex_;
  std::condition_variable_any job_came_;
  std::condition_variable result_came_;
  std::deque<Job> jobs_;
  std::map<std::size_t, Done> results_;  // by number
  std::vector<std::jthread> threads_;    // last: they end before what they use
};

}  // namespace notape::data
