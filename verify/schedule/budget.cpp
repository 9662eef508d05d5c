#include "verify/schedule/budget.h"

#include <algorithm>

#include "verify/schedule/slices.h"

namespace notape::verify {
namespace {

constexpr int kFirstRound = 2;  // cases of operators at no risk; doubled from round to round

/// An operator in a dtype, with what is known of it so far.
struct Entry {
  const OpSpec* spec;
  ScalarType dtype;
  bool at_risk;
  std::optional<Part> part = {};
  int cases = 0;
  bool is_red() const {
    return part && std::any_of(part->certificates.begin(), part->certificates.end(),
                               [](const Certificate& one) { return verify::is_red(one.verdict); });
  }
};

class BudgetRun {
 public:
  BudgetRun(const Budget& budget, const Options& options, Listener& listener)
      : budget_(budget),
        options_(options),
        listener_(listener),
        deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(budget.seconds))) {
    std::vector<RiskyOperator> order = budget.operators;
    const auto urgent = [](const RiskyOperator& a, const RiskyOperator& b) {
      return a.risk != b.risk ? a.risk < b.risk : a.degree > b.degree;
    };
    std::stable_sort(order.begin(), order.end(), urgent);
    const auto others = std::find_if(order.begin(), order.end(), [](const RiskyOperator& one) {
      return one.risk == Risk::None;
    });
    // Where time is always short, other seeds get to other operators.
    if (others != order.end())
      std::rotate(others,
                  others + static_cast<std::ptrdiff_t>(options.seed %
                                                       static_cast<uint64_t>(order.end() - others)),
                  order.end());
    for (const RiskyOperator& one : order)
      for (ScalarType dtype : options.dtypes)
        entries_.push_back({one.spec, dtype, one.risk != Risk::None});
  }

  BudgetedRun run() {
    listener_.begin(entries_.size());
    run_round(options_.samples, true);
    for (int cases = kFirstRound; goes_on(); cases *= 2) {
      const int most = budget_.most_samples > 0 ? budget_.most_samples : cases;
      run_round(std::min(cases, most), false);
      if (cases >= most && budget_.most_samples > 0) break;
      if (cases > (1 << 28)) break;
    }
    return conclusion();
  }

 private:
  bool goes_on() const {
    return !enough_ && Clock::now() < deadline_ &&
           std::any_of(entries_.begin(), entries_.end(),
                       [](const Entry& entry) { return !entry.is_red(); });
  }

  /// Brings all, or those at risk, to so many cases.
  void run_round(int cases, bool at_risk_only) {
    std::vector<Slice> slices;
    std::vector<Entry*> whose;
    for (Entry& entry : entries_) {
      if (entry.cases >= cases || entry.is_red() || (at_risk_only && !entry.at_risk)) continue;
      slices.push_back({entry.spec, entry.dtype, entry.cases, cases});
      whose.push_back(&entry);
    }
    if (slices.empty()) return;
    run_slices(slices, options_, listener_, deadline_, [&](std::size_t i, Part part) {
      Entry& entry = *whose[i];
      entry.cases += static_cast<int>(part.cases);
      if (entry.part)
        merge(*entry.part, std::move(part));
      else if (part.cases > 0)
        entry.part = std::move(part);
      enough_ = enough_ || (options_.fail_fast && entry.is_red());
      return !enough_;
    });
  }

  /// Nothing to compare in the few cases that there was time for is no fault of the check's.
  void excuse_few_cases(Part& part) const {
    if (part.cases >= options_.samples) return;
    for (Certificate& certificate : part.certificates) {
      if (certificate.verdict != Verdict::Vacuous) continue;
      certificate.verdict = Verdict::Unresolved;
      certificate.detail =
          format_message("nothing to compare in {} cases, for want of time", {part.cases});
    }
  }

  /// In the order of the registry, as everywhere.
  BudgetedRun conclusion() {
    BudgetedRun result;
    for (const RiskyOperator& one : budget_.operators) {
      std::vector<Entry*> mine;
      for (Entry& entry : entries_)
        if (entry.spec == one.spec) mine.push_back(&entry);
      const bool any = std::any_of(mine.begin(), mine.end(),
                                   [](const Entry* entry) { return entry->part.has_value(); });
      if (!any) result.left_out.push_back(one.spec->name);
      if (!any) continue;
      for (Entry* entry : mine) {
        if (!entry->part)
          result.left_out.push_back(
              format_message("{} {}", {one.spec->name, std::string(name_of(entry->dtype))}));
        Part part;
        if (entry->part) part = std::move(*entry->part);
        part.spec = entry->spec;
        part.dtype = entry->dtype;
        conclude(part, options_);
        excuse_few_cases(part);
        listener_.part_end(part);
        for (Certificate& certificate : part.certificates)
          result.certificates.push_back(std::move(certificate));
      }
    }
    return result;
  }

  const Budget& budget_;
  const Options& options_;
  Listener& listener_;
  const Clock::time_point deadline_;
  std::vector<Entry> entries_;
  bool enough_ = false;
};

}  // namespace

BudgetedRun run_within(const Budget& budget, const Options& options, Listener& listener) {
  return BudgetRun(budget, options, listener).run();
}

}  // namespace notape::verify
