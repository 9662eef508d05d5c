// Is the first step like the others, and if not, what makes the difference.

#include <algorithm>

#include "trace/analysis/analyses.h"
#include "trace/report/chart.h"
#include "trace/report/paper_figures.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

void add_excess(Section& section, const Facts& facts, const Report& report) {
  const Metric& excess = report["first_iteration.excess"];
  const std::vector<ModelStep>& steps = facts.model().steps;
  section.add(report, {{"first_iteration.time", "first step", "from its mark to the next"},
                       {"first_iteration.steady_time", "median of the others", ""},
                       {"first_iteration.excess", "excess", "of the first over the median"}});
  section.findings[0].tone =
      excess.value.ns() <= report["first_iteration.steady_time"].value.ns() / 10 ? Tone::Good
                                                                                 : Tone::Warning;
  if (const auto left_out = excess.excluded.find("after_level_change");
      left_out != excess.excluded.end())
    section.say(
        Tone::Plain,
        Sentence("The others are those before ").name(steps[steps.size() - left_out->second].name)
            << ", where the steps change their level.");
  for (const std::string& note : report.notes)
    if (steps.front().number != 0 && note.starts_with("the first step"))
      section.say(Tone::Plain, "Note: " + note + ".");
}

}  // namespace

Section first_step_section(const Facts& facts) {
  Section section{.id = "first", .question = "Is the first step like the others?"};
  if (facts.is_of_steps()) {
    section.say(Tone::Plain,
                "This page is about some steps: the page of the whole file compares "
                "the first one.");
    return section;
  }
  const Report report = first_iteration(facts.whole());
  const Metric& excess = report["first_iteration.excess"];
  if (excess.value.is_nothing()) {
    section.say(Tone::Plain, facts.model().steps.empty()
                                 ? "The file marks no steps."
                                 : "The file has one step, and none to compare it with.");
  } else {
    add_excess(section, facts, report);
    section.add(
        table_of({.id = "tab-iterations",
                  .title = "Steps, from mark to mark",
                  .definition = "def-first",
                  .doubt = facts.whole().doubts(kNeedsSteps)},
                 report.find_table("iterations"),
                 {{"step", 0},
                  {"time", 1, Look::Bar},
                  {"device busy", 2},
                  {"share", 3, Look::Share},
                  {"calls for memory", 4},
                  {"host stalled in them", 5}},
                 [&](const std::vector<Value>& row) { return facts.shows(row[0].text()); }));
    section.add(table_of({.id = "tab-causes",
                          .title = "What the first step took longer for",
                          .definition = "def-first",
                          .doubt = excess.reason},
                         report.find_table("excess by cause"),
                         {{"cause", 0, Look::Words},
                          {"excess", 1, Look::Bar},
                          {"share", 2, Look::Share},
                          {"device idle", 3},
                          {"calls in it", 4}},
                         [](const std::vector<Value>& row) { return !row[1].is_nothing(); }));
    section.add(
        table_of({.id = "tab-first-operators",
                  .title = "Operators that took longer in the first step than in the median one",
                  .definition = "def-first"},
                 report.find_table("excess by operator"),
                 {{"operator", 0}, {"own time", 1}, {"median", 2}, {"longer by", 3, Look::Bar}}));
    section.definitions.push_back(
        {"def-first", "First step against the others",
         "The time of a step runs from its mark to the next, of the last one to the end of the "
         "file. The excess is the first one's less the median of the others. A moment of the "
         "host's time belongs to the first cause that fits, in the order shown; a cause counts "
         "with its time in the first step less its median over the others. First use is inferred: "
         "kernel launches of more than 100 median launches, which load modules or make a context. "
         "Of files without API calls the only cause known is being inside operators. Where the "
         "steps change their level to stay, the others are those before that. "
         "What no cause explains is shown as such."});
  }
  const PaperFigure figure = figure2(facts);
  if (figure.elements.empty()) return section;
  section.figures.push_back({.id = "fig-two",
                             .title = figure.title,
                             .svg = svg_element(figure.height, figure.title, figure.elements),
                             .definition = "def-two"});
  section.definitions.push_back(
      {"def-two", "The first step beside the others",
       "As in Figure 2 of the 2019 PyTorch paper: all host threads together above, the device "
       "below; each pixel's column is filled by the shares of its time. Triangles mark calls that "
       "make memory (dark) or free it (light), where there is room for them."});
  return section;
}

}  // namespace notape::trace
