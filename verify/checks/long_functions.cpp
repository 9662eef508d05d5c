// `long` for functions of users. Authors choose thresholds (a block, a tile, 1,024 entries, 65,536
// rows), and what is wrong beyond them is right on a few entries. Nobody says which dimension of a
// function may grow, so each is tried, as far as that is cheap: where the longer result is that of
// its pieces, put together or added up, so are the gradients. Where it is something else, the
// gradient is held against the slope. No rows at all are a length, too. In a child process that
// says nothing aloud: a function that takes no other sizes may end it, and that is not wrong. Then
// the other dimensions are tried without that one.
#include <malloc.h>

#include <algorithm>
#include <list>
#include <utility>

#include "autograd/autograd.h"
#include "ops/parallel.h"
#include "verify/checks/comparer.h"
#include "verify/checks/long_inputs.h"
#include "verify/checks/shared_questions.h"
#include "verify/numeric/thresholds.h"
#include "verify/processes/child.h"

namespace notape::verify {
namespace {

/// A single row, and as many as another dimension has: formulas for matrices forget a transpose
/// where they are square, and means divide by n - 1.
std::vector<int64_t> few_of(const Subject& subject) {
  std::vector<int64_t> result = {1};
  for (const DrawnArgument& one : subject.drawn.arguments)
    for (int64_t size : one.argument.sizes)
      if (size > 1 && result.size() < 4 &&
          std::find(result.begin(), result.end(), size) == result.end())
        result.push_back(size);
  return result;
}

/// What a child says of a fault, and of what it could not judge.
constexpr char kWrong = '!', kUnjudged = '?';

struct Lengths {
  LongInputs inputs;
  double last = 0;       ///< what the last of the short lengths took
  bool is_cheap = true;  ///< so that a long one may be tried
  std::string fault = {};

  /// What is wrong, else what could not be judged.
  std::string said() const {
    if (!fault.empty()) return kWrong + fault;
    if (inputs.unjudged().empty()) return "";
    return kUnjudged + format_message("it reads past the end of its inputs at {} rows",
                                      {inputs.unjudged().front()});
  }

  Lengths(const Subject& subject, const LongDims& dims) : inputs(subject, dims) {
    is_cheap = inputs.is_possible();
    for (int64_t length : few_of(subject)) {
      if (!is_cheap) return;
      fault = inputs.slope_fault_at(length);
      is_cheap = fault.empty();
    }
    for (int64_t length : kShortLengths) {
      is_cheap = is_cheap && inputs.results_at(length) <= kMostLongResults;
      if (!is_cheap) return;
      fault = inputs.fault_at(length);
      last = inputs.seconds();
      is_cheap = fault.empty() && !inputs.is_over() && last < kMostSeconds;
    }
    is_cheap = is_cheap && (last < 1e-3 || !grows_too_fast());
  }
  /// Twice as many rows: what takes thrice as long grows too fast to be made longer still. A single
  /// measurement may have been disturbed.
  bool grows_too_fast() {
    for (int k = 0; k < 3; ++k) {
      inputs.fault_at(kShortLengths[4]);
      const double half = inputs.seconds();
      inputs.fault_at(kShortLengths[5]);
      last = std::min(last, inputs.seconds());
      if (last < 3 * half) return false;
    }
    return true;
  }
  double expected_seconds() const {
    return last * static_cast<double>(kLongLength) / static_cast<double>(kShortLengths[5]);
  }
};

/// Long tensors come and go; to get fresh pages for each costs more than what is computed.
void reuse_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 1 << 26);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
}

/// What was found wrong, or could not be judged, in words; empty if neither. Says which dimension
/// it is about to try.
std::string fault_of(const Subject& subject, const std::vector<LongDims>& all_dims,
                     ToParent& parent) {
  std::list<std::pair<std::size_t, Lengths>> cheap;
  std::string unjudged;
  for (std::size_t i = 0; i < all_dims.size(); ++i) {
    try {
      parent.note(std::to_string(i));
      Lengths lengths(subject, all_dims[i]);
      if (!lengths.fault.empty()) return lengths.said();
      if (unjudged.empty()) unjudged = lengths.said();
      if (lengths.is_cheap && lengths.inputs.entries_at(kLongLength) <= kMostLongEntries &&
          lengths.inputs.results_at(kLongLength) <= kMostLongResults)
        cheap.emplace_back(i, std::move(lengths));
    } catch (const std::exception&) {  // it takes no other sizes
    }
  }
  cheap.sort([](const auto& a, const auto& b) {
    return a.second.expected_seconds() < b.second.expected_seconds();
  });
  double left = 4 * kMostSeconds;
  for (auto& [which, lengths] : cheap) {
    left -= lengths.expected_seconds();
    if (left < 0) break;
    parent.note(std::to_string(which));
    lengths.fault = lengths.inputs.fault_at(kLongLength);
    if (!lengths.fault.empty()) return lengths.said();
    if (unjudged.empty()) unjudged = lengths.said();
  }
  return unjudged;
}

}  // namespace

Outcome check_long_functions(const Subject& subject) {
  Outcome total;
  total.comparisons = 1;
  if (!subject.device.is_cpu()) return total;
  subject.base();
  std::vector<LongDims> all_dims = long_dims_of(subject);
  while (!all_dims.empty()) {
    const ChildEnd end = run_in_child(
        [&](ToParent& parent) {
          be_silent();  // what the C library says of a heap that was overrun is nothing to the user
          reuse_memory();
          set_num_threads(1);
          parent.send(fault_of(subject, all_dims, parent));
        },
        {.seconds = kMostOfChild, .bytes = uint64_t(2) << 30});
    if (end.kind == ChildEnd::Kind::Crashed && !end.doing.empty()) {
      all_dims.erase(all_dims.begin() + std::stol(end.doing));
      continue;
    }
    if (end.kind != ChildEnd::Kind::Finished) return total;
    ++total.comparisons;
    if (end.said.empty()) return total;
    Outcome found = end.said[0] == kWrong
                        ? Outcome::of(Verdict::Fail, "length", end.said.substr(1))
                        : Outcome::of(Verdict::Limit, "length", end.said.substr(1));
    found.comparisons = total.comparisons;
    return found;
  }
  return total;
}

}  // namespace notape::verify
