// Which steps were slow, what took longer in them, and whether the steps changed their level; and
// what the user's own ranges take. A step's time is that of its mark's row. Where the level
// changes, each step is compared with those of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "trace/analysis/analyses.h"
#include "trace/analysis/level_change.h"
#include "trace/analysis/quantile.h"
#include "trace/analysis/step_costs.h"
#include "trace/analysis/whole_file.h"

namespace notape::trace {
namespace {

/// So many rows of "what took longer" a step has, of each kind.
constexpr std::pair<CostKind, std::size_t> kReasons[] = {{CostKind::OpSelf, 3},
                                                         {CostKind::ApiCall, 3},
                                                         {CostKind::Outside, 1},
                                                         {CostKind::Range, 3},
                                                         {CostKind::GpuOp, 2}};

constexpr std::size_t kMostChanges = 10;

/// From this time on a step is an outlier: the third quartile and 1.5 interquartile ranges, and a
/// tenth above the median.
int64_t outlier_bound(const std::vector<int64_t>& times) {
  const int64_t low = quantile(times, 25), high = quantile(times, 75);
  return std::max(high + 3 * (high - low) / 2, median(times) + median(times) / 10);
}

/// Steps that are alike: all, or those on one side of a change of level.
struct Level {
  std::size_t first = 0;  ///< the place of its first step
  std::vector<int64_t> times = {};
  int64_t middle = 0, bound = 0;
};

class StepsReport {
 public:
  StepsReport(const Scope& scope, std::size_t most_rows)
      : scope_(scope), whole_(scope.of_all_steps()), model_(scope.model()), most_rows_(most_rows) {
    for (const ModelStep& step : model_.steps) {
      windows_.push_back(step.time);
      times_.push_back(step.time.length());
    }
    change_ = find_level_change(times_);
    add_level_of(0, change_ ? change_->first : times_.size());
    if (change_) add_level_of(change_->first, times_.size());
  }

  Report run() {
    report_.title = "steps of " + model_.path;
    add_times();
    add_level();
    if (!model_.steps.empty()) add_slowest();
    add_ranges();
    return std::move(report_);
  }

 private:
  void add_level_of(std::size_t first, std::size_t end) {
    if (first == end) return;
    const auto at = [&](std::size_t place) {
      return times_.begin() + static_cast<std::ptrdiff_t>(place);
    };
    Level level{first, {at(first), at(end)}};
    level.middle = median(level.times);
    level.bound = outlier_bound(level.times);
    levels_.push_back(std::move(level));
  }

  const Level& level_of(std::size_t step) const {
    return levels_[change_ && step >= change_->first ? 1 : 0];
  }

  void add(const char* name, Value value, const char* unit) {
    report_.metrics.push_back(
        whole_.metric(name, std::move(value), unit, times_.size(), kNeedsSteps));
  }

  void add_times() {
    if (times_.empty()) {
      for (const char* name : {"steps.time.median", "steps.time.p95", "steps.time.max"})
        add(name, {}, "us");
      return;
    }
    const auto slowest =
        static_cast<std::size_t>(std::max_element(times_.begin(), times_.end()) - times_.begin());
    int64_t total = 0;
    for (const int64_t time : times_) total += time;
    add("steps.count", times_.size(), "steps");
    add("steps.time.total", Nanoseconds{total}, "us");
    add("steps.time.median", Nanoseconds{median(times_)}, "us");
    add("steps.time.p95", Nanoseconds{quantile(times_, 95)}, "us");
    add("steps.time.max", Nanoseconds{times_[slowest]}, "us");
    add("steps.slowest", model_.steps[slowest].number, "step");
    int64_t outliers = 0;
    for (const Level& level : levels_)
      outliers += std::count_if(level.times.begin(), level.times.end(),
                                [&](int64_t time) { return time > level.bound; });
    add("steps.outliers", outliers, "steps");
  }

  void add_level() {
    if (times_.empty()) return;
    if (!change_) {
      const std::string why = times_.size() < kFewestForLevels
                                  ? fmt::format("fewer than {} steps", kFewestForLevels)
                                  : "no change of level";
      report_.metrics.push_back(whole_.no_data("steps.level.from", "step", why));
      return;
    }
    const ModelStep& first = model_.steps[change_->first];
    add("steps.level.from", first.number, "step");
    add("steps.level.before", Nanoseconds{change_->before}, "us");
    add("steps.level.after", Nanoseconds{change_->after}, "us");
    report_.notes.push_back(fmt::format(
        "from {} on steps take {} us (median of {}), before that {} us (median of {})", first.name,
        Value(Nanoseconds{change_->after}).shown(), times_.size() - change_->first,
        Value(Nanoseconds{change_->before}).shown(), change_->first));
  }

  /// Those that take most longer than the median of their level, first; of those that are selected.
  std::vector<std::size_t> listed() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (scope_.steps().empty() ||
          std::binary_search(scope_.steps().begin(), scope_.steps().end(), &model_.steps[i]))
        order.push_back(i);
    const auto more = [&](std::size_t step) { return times_[step] - level_of(step).middle; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return more(a) > more(b); });
    return order;
  }

  void add_slowest() {
    std::vector<StepCosts> costs_of;
    for (const Level& level : levels_) {
      const auto first = windows_.begin() + static_cast<std::ptrdiff_t>(level.first);
      costs_of.emplace_back(whole_, std::vector<Interval>(first, first + std::ssize(level.times)));
    }
    std::vector<std::size_t> order = listed();
    const std::size_t all = order.size();
    order.resize(std::min(all, most_rows_));
    Table table{"slowest steps",
                {"step", "start_us", "time_us", "of median", "outlier", "op_self_us", "api_us",
                 "outside_us", "gpu_idle_us"},
                {}};
    Table reasons{
        "what took longer", {"step", "kind", "name", "time_us", "median_us", "more_us"}, {}};
    for (const std::size_t i : order) {
      const ModelStep& step = model_.steps[i];
      const Level& level = level_of(i);
      const StepCosts& costs = costs_of[static_cast<std::size_t>(&level - levels_.data())];
      const std::size_t place = i - level.first;
      Value idle, in_ops, in_calls;
      if (!scope_.devices().empty())
        idle = Nanoseconds{times_[i] -
                           scope_.file().busy(scope_.devices().front()).length_within(windows_[i])};
      if (!model_.ops.empty()) in_ops = Nanoseconds{costs.total(place, CostKind::OpSelf)};
      if (!model_.calls.empty()) in_calls = Nanoseconds{costs.total(place, CostKind::ApiCall)};
      table.rows.push_back({step.name, Nanoseconds{step.time.begin - model_.origin},
                            Nanoseconds{times_[i]}, ratio(times_[i], level.middle),
                            times_[i] > level.bound ? "yes" : "no", in_ops, in_calls,
                            Nanoseconds{costs.total(place, CostKind::Outside)}, idle});
      std::vector<StepCost> longer;
      for (const auto& [kind, most] : kReasons)
        for (const StepCost& cost : costs.more_in(place, kind, most)) longer.push_back(cost);
      std::stable_sort(longer.begin(), longer.end(),
                       [](const StepCost& a, const StepCost& b) { return a.more() > b.more(); });
      for (const StepCost& cost : longer)
        reasons.rows.push_back({step.name, cost_kind_name(cost.kind), std::string(cost.name),
                                Nanoseconds{cost.ns}, Nanoseconds{cost.median_ns},
                                Nanoseconds{cost.more()}});
    }
    if (order.size() < all)
      report_.notes.push_back(fmt::format("the {} slowest of {} steps are listed; --top lists more",
                                          order.size(), all));
    report_.tables.push_back(std::move(table));
    if (!reasons.rows.empty()) report_.tables.push_back(std::move(reasons));
    if (change_) add_changes(costs_of[0].medians(), costs_of[1].medians());
  }

  /// What the median step has more of, or less, since the change of level.
  void add_changes(const std::vector<StepCost>& before, const std::vector<StepCost>& after) {
    std::map<std::pair<CostKind, std::string_view>, std::pair<int64_t, int64_t>> both;
    for (const StepCost& cost : before) both[{cost.kind, cost.name}].first = cost.ns;
    for (const StepCost& cost : after) both[{cost.kind, cost.name}].second = cost.ns;
    std::vector<std::pair<int64_t, decltype(both)::const_iterator>> order;
    for (auto one = both.cbegin(); one != both.cend(); ++one)
      if (const int64_t more = one->second.second - one->second.first; more != 0)
        order.push_back({std::abs(more), one});
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    order.resize(std::min(order.size(), kMostChanges));
    Table table{
        "what changed with the level", {"kind", "name", "before_us", "after_us", "more_us"}, {}};
    for (const auto& [size, one] : order) {
      const auto& [was, is] = one->second;
      table.rows.push_back({cost_kind_name(one->first.first), std::string(one->first.second),
                            Nanoseconds{was}, Nanoseconds{is}, Nanoseconds{is - was}});
    }
    report_.tables.push_back(std::move(table));
  }

  /// Of those that begin in what is selected.
  void add_ranges() {
    struct Sum {
      std::vector<int64_t> lengths = {};
      int64_t total = 0;
      const Annotation* longest = nullptr;
    };
    std::map<std::string_view, Sum> by_name;
    scope_.each(model_.annotations, [&](const Annotation& range) {
      if (!is_user_range(model_, range)) return;
      Sum& sum = by_name[model_.name(range.name)];
      sum.lengths.push_back(range.time.length());
      sum.total += range.time.length();
      if (!sum.longest || range.time.length() > sum.longest->time.length()) sum.longest = &range;
    });
    std::vector<std::pair<std::string_view, const Sum*>> order;
    for (const auto& [name, sum] : by_name) order.push_back({name, &sum});
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.second->total > b.second->total;
    });
    const std::size_t all = order.size();
    order.resize(std::min(all, std::max<std::size_t>(most_rows_, 20)));
    Table table{"user ranges",
                {"range", "n", "total_us", "median_us", "max_us", "longest in", "longest at_us"},
                {}};
    for (const auto& [name, sum] : order)
      table.rows.push_back({std::string(name), sum->lengths.size(), Nanoseconds{sum->total},
                            Nanoseconds{median(sum->lengths)},
                            Nanoseconds{sum->longest->time.length()},
                            step_at(sum->longest->time.begin),
                            Nanoseconds{sum->longest->time.begin - model_.origin}});
    if (order.size() < all)
      report_.notes.push_back(
          fmt::format("{} of {} names of user ranges are listed; --top lists "
                      "more",
                      order.size(), all));
    if (!table.rows.empty()) report_.tables.push_back(std::move(table));
  }

  Value step_at(int64_t time) const {
    auto step = std::partition_point(model_.steps.begin(), model_.steps.end(),
                                     [&](const ModelStep& one) { return one.time.begin <= time; });
    if (step == model_.steps.begin() || !(--step)->time.contains(time)) return {};
    return step->name;
  }

  const Scope& scope_;
  Scope whole_;  // what is compared with: all steps
  const TraceModel& model_;
  std::size_t most_rows_;
  std::vector<Interval> windows_;
  std::vector<int64_t> times_;
  std::optional<LevelChange> change_;
  std::vector<Level> levels_;
  Report report_;
};

}  // namespace

Report steps(const Scope& scope, std::size_t most_rows) {
  return StepsReport(scope, most_rows).run();
}

}  // namespace notape::trace
