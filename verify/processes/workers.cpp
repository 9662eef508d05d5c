#include "verify/processes/workers.h"

#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <list>
#include <new>
#include <system_error>
#include <vector>

#include "verify/processes/interruption.h"
#include "verify/processes/shards.h"

namespace notape::verify {
namespace {

/// A number that parent and workers share.
class SharedCounter {
 public:
  SharedCounter() {
    memory_ = ::mmap(nullptr, sizeof(std::atomic<std::size_t>), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    counter_ = new (memory_) std::atomic<std::size_t>(0);
  }
  ~SharedCounter() { ::munmap(memory_, sizeof(std::atomic<std::size_t>)); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  std::size_t next() { return counter_->fetch_add(1); }

 private:
  void* memory_;
  std::atomic<std::size_t>* counter_;
};

// What a worker says: "begin TASK 0\n" and "answer TASK BYTES\n", followed by so many bytes.
constexpr std::string_view kBegin = "begin", kAnswer = "answer";

std::string line(std::string_view word, std::size_t task, std::size_t bytes) {
  return std::string(word) + ' ' + std::to_string(task) + ' ' + std::to_string(bytes) + '\n';
}

std::size_t number_at(const std::string& text, std::size_t& position) {
  std::size_t value = 0;
  const char* begin = text.data() + position;
  position += static_cast<std::size_t>(
      std::from_chars(begin, text.data() + text.size(), value).ptr - begin + 1);
  return value;
}

class Crew {
 public:
  explicit Crew(const Work& work) : work_(work) {}

  void run() {
    for (int i = 0; i < work_.jobs; ++i) hire({});
    while (!workers_.empty() && !(work_.enough && work_.enough()) && !Interruption::requested())
      listen();
  }

 private:
  struct Worker {
    Child child;
    std::string said = {};
    std::optional<std::size_t> task = {};  ///< begun and not answered

    explicit Worker(const std::function<void(ToParent&)>& work) : child(work, kNoLimits) {}
  };

  std::optional<std::size_t> claim() {
    if (work_.until && std::chrono::steady_clock::now() >= *work_.until) return {};
    const std::size_t task = next_.next();
    return task < work_.tasks ? std::optional(task) : std::nullopt;
  }

  /// A new worker, at this task first.
  void hire(std::optional<std::size_t> first) {
    workers_.emplace_back([this, first](ToParent& parent) {
      for (auto task = first ? first : claim(); task; task = claim()) {
        parent.note("");
        parent.send(line(kBegin, *task, 0));
        const std::string answer = work_.run(*task, parent);
        parent.send(line(kAnswer, *task, answer.size()) + answer);
      }
    });
  }

  void listen() {
    std::vector<pollfd> ready;
    for (const Worker& worker : workers_) ready.push_back({worker.child.descriptor(), POLLIN, 0});
    constexpr int kPatience = 100;  // milliseconds, for an interruption that another thread got
    if (::poll(ready.data(), ready.size(), kPatience) < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "poll");
    auto worker = workers_.begin();
    for (const pollfd& one : ready) {
      const auto here = worker++;
      if (one.revents == 0) continue;
      const bool goes_on = here->child.read(here->said);
      hear(*here);
      if (Interruption::requested()) return;  // how it ended is then no news
      if (!goes_on) bury(here);
    }
  }

  void hear(Worker& worker) {
    std::string& said = worker.said;
    for (;;) {
      const std::size_t end = said.find('\n');
      if (end == said.npos) return;
      std::size_t at = said.find(' ') + 1;
      const std::size_t task = number_at(said, at), bytes = number_at(said, at);
      if (said.size() < end + 1 + bytes) return;
      if (said.starts_with(kBegin)) {
        worker.task = task;
      } else {
        worker.task.reset();
        work_.done(task, said.substr(end + 1, bytes));
      }
      said.erase(0, end + 1 + bytes);
    }
  }

  void bury(std::list<Worker>::iterator worker) {
    const std::optional<std::size_t> task = worker->task;
    ChildEnd end;
    try {
      end = worker->child.wait();
    } catch (const Interrupted&) {
      return;
    }
    workers_.erase(worker);
    if (end.kind == ChildEnd::Kind::Finished) return;
    if (!task && ++died_idle_ > work_.jobs)
      throw std::system_error(ECHILD, std::generic_category(), "workers die before they begin");
    const bool again = task && work_.died({*task, end.doing, end.detail});
    hire(again ? task : std::nullopt);
  }

  const Work& work_;
  SharedCounter next_;
  std::list<Worker> workers_;
  int died_idle_ = 0;
};

void run_here(const Work& work) {
  ToNobody nobody;
  for (std::size_t task = 0; task < work.tasks && !Interruption::requested(); ++task) {
    const std::string answer = work.run(task, nobody);
    // What was interrupted may have ended before it found anything.
    if (!Interruption::requested()) work.done(task, answer);
  }
}

void take_answers(Shards& shards, const Work& work, const std::vector<std::size_t>& tasks,
                  const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < tasks.size() && !(work.enough && work.enough()); ++i) {
    if (!shards.has(names[i])) continue;
    ++shards.done;
    if (const auto answer = shards.answers.find(names[i]); answer != shards.answers.end()) {
      work.done(tasks[i], answer->second);
      continue;
    }
    WorkerDeath death = shards.deaths.at(names[i]);
    death.task = tasks[i];
    while (work.died(death)) {  // it was tried again there, too
    }
  }
}

void share_out(Shards& shards, const Work& work) {
  std::vector<std::size_t> tasks;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < work.tasks; ++i) {
    if (!work.name && !shards.merging && shards.shard_of(i) != shards.part) continue;
    tasks.push_back(i);
    names.push_back(work.name ? work.name(i) : std::to_string(i));
  }
  shards.began = true;
  shards.tasks += tasks.size();
  if (shards.merging) return take_answers(shards, work, tasks, names);
  Work own = work;
  own.tasks = tasks.size();
  own.jobs = std::max(1, work.jobs);
  own.until = shards.until;
  own.run = [&](std::size_t i, ToParent& parent) { return work.run(tasks[i], parent); };
  own.done = [&](std::size_t i, const std::string& answer) {
    ++shards.done;
    shards.answers[names[i]] = answer;
    work.done(tasks[i], answer);
  };
  own.died = [&](WorkerDeath death) {
    const std::string& name = names[death.task];
    death.task = tasks[death.task];
    if (work.died(death)) return true;
    ++shards.done;
    shards.deaths[name] = death;
    return false;
  };
  Crew(own).run();
}

}  // namespace

double seconds_since(Work::Time start) {
  const Shards* const shards = Shards::current();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() +
         (shards ? shards->seconds : 0);
}

Shards*& Shards::current() {
  static Shards* shards = nullptr;
  return shards;
}

void run_in_workers(const Work& work) {
  if (Shards* shards = Shards::current()) {
    const ShardsGuard none(nullptr);  // what a task shares out is its own business
    share_out(*shards, work);
  } else {
    work.jobs == 0 ? run_here(work) : Crew(work).run();
  }
}

}  // namespace notape::verify
