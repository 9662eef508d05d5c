#include "verify/schedule/slices.h"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "verify/processes/interruption.h"
#include "verify/processes/workers.h"
#include "verify/report/json.h"
#include "verify/schedule/wire.h"

namespace notape::verify {
namespace {

/// Leaves word of what is running: "NUMBER CHECK CODE" of a Crash.
class Noting final : public Listener {
 public:
  explicit Noting(ToParent& note) : note_(note) {}
  void case_begin(int number) override {
    number_ = number;
    making_ = true;
    note_.note(fmt::format("{} {} ", number, Crash::kMakingTheCase));
  }
  void check_begin(const Certificate& certificate, const Choices& choices) override {
    const auto checks = all_checks();
    const auto check = std::find_if(checks.begin(), checks.end(), [&](const Check& one) {
      return std::string_view(one.name) == certificate.check;
    });
    const auto index = std::exchange(making_, false) ? Crash::kMakingTheCase
                                                     : static_cast<int>(check - checks.begin());
    note_.note(fmt::format("{} {} {}", number_, index, encode_choices(choices)));
  }

 private:
  ToParent& note_;
  int number_ = 0;
  bool making_ = true;
};

Crash crash_of(const WorkerDeath& death) {
  Crash crash{.how = death.how};
  std::istringstream(death.doing) >> crash.number >> crash.check >> crash.code;
  return crash;
}

/// Of a slice that was not run to its end only failures are of use. False if there are none.
bool keep_failures(Part& part) {
  bool any = false;
  for (Certificate& one : part.certificates) {
    any = any || is_red(one.verdict);
    if (!is_red(one.verdict))  // as if no case had been run
      one = {.spec = one.spec, .check = one.check, .dtype = one.dtype, .device = one.device};
  }
  return any;
}

/// Slices on workers, their parts put in order again.
class Distribution {
 public:
  Distribution(const std::vector<Slice>& slices, const Options& options, Listener& listener,
               const std::function<bool(std::size_t, Part)>& done)
      : slices_(slices),
        options_(options),
        listener_(listener),
        done_(done),
        crashes_(slices.size()) {}

  void run() {
    run_in_workers(
        {.tasks = slices_.size(),
         .jobs = options_.jobs,
         .run =
             [&](std::size_t i, ToParent& note) {
               Noting noting(note);
               const Part part = run_slice(slices_[i], options_, noting, crashes_[i]);
               return bundle_json(records_of(part.certificates, options_)) + line_of(part);
             },
         .done =
             [&](std::size_t i, const std::string& text) {
               keep(i, std::move(parts_of(text, *slices_[i].spec).at(0)));
             },
         .died = [&](const WorkerDeath& death) { return note_death(death); },
         .enough = [&] { return enough_; },
         .name = [&](std::size_t i) { return slice_name(*slices_[i].spec, slices_[i].dtype); }});
  }

 private:
  void keep(std::size_t i, Part part) {
    waiting_[i] = std::move(part);
    while (!enough_ && waiting_.contains(next_)) {
      listener_.part_begin(*slices_[next_].spec, slices_[next_].dtype);
      enough_ = !done_(next_, std::move(waiting_[next_]));
      waiting_.erase(next_++);
    }
  }

  bool note_death(const WorkerDeath& death) {
    const Slice& slice = slices_[death.task];
    std::vector<Crash>& known = crashes_[death.task];
    const Crash crash = crash_of(death);
    const bool again = std::none_of(known.begin(), known.end(), [&](const Crash& one) {
      return one.number == crash.number && one.check == crash.check;
    });
    if (again) {
      known.push_back(crash);
      return true;
    }
    // It ends where no check is running: nothing more can be learned about this operator.
    keep(death.task, crashed_part(slice, options_, crash));
    return false;
  }

  const std::vector<Slice>& slices_;
  const Options& options_;
  Listener& listener_;
  const std::function<bool(std::size_t, Part)>& done_;
  std::vector<std::vector<Crash>> crashes_;  // per slice
  std::map<std::size_t, Part> waiting_;
  std::size_t next_ = 0;
  bool enough_ = false;
};

}  // namespace

std::string slice_name(const OpSpec& spec, ScalarType dtype) {
  return fmt::format("{} {}", spec.name, name_of(dtype));
}

void run_slices(const std::vector<Slice>& slices, const Options& options, Listener& listener,
                const std::function<bool(std::size_t, Part)>& done) {
  if (options.jobs > 0) {
    Distribution(slices, options, listener, done).run();
    return;
  }
  for (std::size_t i = 0; i < slices.size() && !Interruption::requested(); ++i) {
    listener.part_begin(*slices[i].spec, slices[i].dtype);
    Part part = run_slice(slices[i], options, listener, {});
    if (Interruption::requested() && !keep_failures(part)) return;
    if (!done(i, std::move(part))) return;
  }
}

}  // namespace notape::verify
