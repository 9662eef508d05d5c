// `long` for users' operators. Authors choose thresholds (a block, a tile, 1,024 entries, 65,536
// rows), and what is wrong beyond them is right on a few entries. Nobody says which dimension of a
// function may grow, so each is tried: where the longer result is that of its pieces, put together
// or added up, so are the gradients. Where it is something else, the gradient is held against the
// slope. No rows at all are a length, too. In a child process: a function that takes no other
// sizes may end it, and that is not wrong.
#include <algorithm>
#include <ctime>
#include <utility>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "verify/checks/check.h"
#include "verify/checks/comparer.h"
#include "verify/checks/grown.h"
#include "verify/checks/structure.h"
#include "verify/runner/child.h"

namespace notape::verify {
namespace {

/// Of this process, so that a busy machine does not cut lengths off.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Beyond, before and at the ends of blocks of a power of two; 201 and 65,536 + 1,225 are multiples
/// of nothing that anybody takes for a block. Longer ones only where they are cheap.
constexpr int64_t kShort[] = {0, 33, 128, 201, 1024, 1029, 2051};
constexpr int64_t kLong[] = {32768 + 1029, 65536 + 1225};
/// What a length may cost, as far as the shorter ones foretell, and a child.
constexpr double kMostSeconds = 0.04, kMostOfChild = 20;
constexpr int64_t kMostEntries = 1 << 19;

class Growing {
 public:
  Growing(const Subject& subject, const Stretching& dims) : grown_(subject, dims) {}

  /// What was found wrong, in words; empty if nothing was.
  std::string fault() {
    if (!grown_.is_possible()) return "";
    double before = 0, last = 0;
    for (int64_t length : kShort) {
      const double start = seconds();
      if (const std::string fault = grown_.fault_at(length); !fault.empty()) return fault;
      if (grown_.is_over()) return "";
      before = std::exchange(last, seconds() - start);
      if (last > kMostSeconds) return "";
    }
    // Twice as many: what takes thrice as long grows too fast to be made longer still.
    if (last > 1e-3 && last > 3 * before) return "";
    for (int64_t length : kLong) {
      if (last * static_cast<double>(length) / static_cast<double>(kShort[6]) > 4 * kMostSeconds ||
          grown_.entries_at(length) > kMostEntries)
        return "";
      if (const std::string fault = grown_.fault_at(length); !fault.empty()) return fault;
    }
    return "";
  }

 private:
  Grown grown_;
};

}  // namespace

Outcome check_growth(const Subject& subject) {
  Outcome total;
  total.comparisons = 1;
  if (!subject.device.is_cpu()) return total;
  subject.base();
  const auto look = [&](const std::function<void(const std::string&)>& say) {
    for (const Stretching& dims : stretchings_of(subject)) {
      std::string fault;
      try {
        fault = Growing(subject, dims).fault();
      } catch (const std::exception&) {  // it takes no other sizes
      }
      if (!fault.empty()) return say(fault);
    }
  };
  const ChildEnd end = run_in_child(
      [&](ToParent& parent) { look([&](const std::string& text) { parent.send(text); }); },
      {.seconds = kMostOfChild, .bytes = uint64_t(2) << 30});
  if (end.kind != ChildEnd::Kind::Finished) return total;
  ++total.comparisons;
  if (end.said.empty()) return total;
  Outcome found = Outcome::of(Verdict::Fail, "length", end.said);
  found.comparisons = total.comparisons;
  return found;
}

}  // namespace notape::verify
