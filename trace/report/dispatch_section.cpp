// How long an operator takes to launch its work, by class.
#include <fmt/format.h>

#include <algorithm>

#include "trace/analysis/quantile.h"
#include "trace/report/curve.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

struct OpClass {
  const char *name, *curve, *mark;
  const char* plural;
  std::vector<int64_t> samples = {};
};

/// Launch latencies by class; of files of the CPU alone what an op takes beside its arithmetic.
std::vector<OpClass> op_classes(const Facts& facts) {
  const TraceModel& model = facts.model();
  const DispatchTimes& times = facts.whole().file().dispatch_times();
  DispatchSamples tensor, differentiable, backward, cpu;
  facts.whole().each(model.ops, [&](const HostOp& op) {
    const std::size_t i = model.place_of(op);
    times.add(i, cpu);
    if (op.is_backward_root) times.add_backward(i, backward);
    if (!times.is_backward(i)) times.add(i, op.sequence_number >= 0 ? differentiable : tensor);
  });
  std::vector<OpClass> classes{
      {"tensor", "curve", "call", "tensor operators", std::move(tensor.pre_launch)},
      {"differentiable", "curve second", "setup", "differentiable operators",
       std::move(differentiable.pre_launch)},
      {"backward node", "curve third", "copy", "backward nodes", std::move(backward.pre_launch)}};
  if (!model.host_kernels.empty())
    classes.push_back({"on the CPU", "curve second", "setup", "operators on the CPU",
                       std::move(cpu.around_host_kernel)});
  std::erase_if(classes, [](const OpClass& one) { return one.samples.empty(); });
  return classes;
}

Figure distribution_figure(const std::vector<OpClass>& classes, const std::string& doubt) {
  Figure figure{
      .id = "fig-dispatch",
      .title = "Start of an operator to its first launch: share of operators up to a time",
      .definition = "def-dispatch",
      .doubt = doubt};
  int64_t least = INT64_MAX, most = 1;
  for (const OpClass& one : classes) {
    least = std::min(least, quantile(one.samples, 0));
    most = std::max(most, quantile(one.samples, 100));
  }
  const auto low = static_cast<double>(std::max<int64_t>(100, least));
  const Axis across = Axis::logarithmic(
      low * 0.8, std::max(10 * low, 1.2 * static_cast<double>(most)), kChartLeft, kChartRight);
  const Axis vertical(0, 1, kCurveBottom, kCurveTop);
  std::string elements =
      value_axis_svg(vertical, [](double share) { return fmt::format("{:.0f} %", 100 * share); }) +
      across_axis_svg(across, kCurveTop, kCurveBottom, time_label, 9);
  for (const OpClass& one : classes) {
    elements += distribution_svg(one.samples, across, vertical, one.curve);
    figure.legend.push_back({one.mark, one.name});
  }
  figure.svg = svg_element(kCurveBottom + 24, figure.title, elements);
  return figure;
}

FigureTable class_table(const std::vector<OpClass>& classes, const std::string& doubt) {
  FigureTable table{.id = "tab-dispatch",
                    .title = "Start of an operator to its first launch, by class",
                    .definition = "def-dispatch",
                    .doubt = doubt,
                    .columns = {"class", "operators", "median", "95 %", "99 %", "longest"}};
  for (const OpClass& one : classes) {
    std::vector<Cell> row{text_cell(one.name),
                          number_cell(count_words(static_cast<int64_t>(one.samples.size())))};
    for (const std::size_t percent : {50, 95, 99, 100})
      row.push_back(number_cell(time_words(quantile(one.samples, percent))));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Section dispatch_section(const Facts& facts) {
  Section section{.id = "dispatch",
                  .question = "How long does an operator take to launch its work?"};
  if (facts.model().ops.empty()) {
    section.say(Tone::Plain, "The file has no operators.");
    return section;
  }
  const std::vector<OpClass> classes = op_classes(facts);
  if (classes.empty()) {
    section.say(Tone::Plain, "No operator of the file launches a kernel.");
    return section;
  }
  const std::string doubt = facts.whole().doubts(kNeedsOps | kNeedsNoStacks | kNeedsFinerUs);
  for (const OpClass& one : classes)
    section.findings.push_back({one.plural, time_words(median(one.samples)),
                                facts.model().host_kernels.empty()
                                    ? "median time to the first launch"
                                    : "median time to the first launch, or beside the arithmetic",
                                doubt, doubt.empty() ? Tone::Plain : Tone::Warning});
  section.figures.push_back(distribution_figure(classes, doubt));
  section.tables.push_back(class_table(classes, doubt));
  section.definitions.push_back(
      {"def-dispatch", "Dispatch latency",
       "From the start of an operator to the start of the first kernel launch that has no other "
       "operator around it; of a backward node, to the first launch anywhere in it. Differentiable "
       "operators carry a sequence number, tensor operators carry none; in real files most "
       "operators under grad mode carry one. On the CPU: the operator without its arithmetic."});
  return section;
}

}  // namespace notape::trace
