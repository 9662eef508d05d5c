// 2017 paper, 3 "Memory management": "As one of the biggest limitations of GPUs is low memory
// capacity, PyTorch takes great care to make sure that all intermediate values are freed as soon as
// they become unneeded."
//
// How many bytes are alive after each layer of a network and after each node of its backward():
// where backward() frees what it has used, and where retain_graph keeps it to the end.
#include <algorithm>
#include <cmath>

#include "autograd/interchange/svg.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/example_options.h"
#include "paper_examples/support/passing_observer.h"
#include "paper_examples/support/picture.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

constexpr int64_t kLayers = 24, kBatch = 512, kWidth = 64;
constexpr int64_t kActivation = kBatch * kWidth * 8;  // bytes of what one layer saves

/// Bytes alive beyond those at its start, in the order in which they were noted.
class Curve : public PassingObserver {
 public:
  void note() { bytes.push_back(counters().live_bytes - at_start_); }

  void node_end(const Node& node) noexcept override {
    PassingObserver::node_end(node);
    note();
  }

  std::vector<int64_t> bytes;

 private:
  int64_t at_start_ = counters().live_bytes;
};

enum class Graph { Freed, Retained };

struct Run {
  std::vector<int64_t> bytes;
  std::size_t forward;  // how many of them are from before backward()
  Tensor gradient;
};

Run run(Graph graph) {
  manual_seed(0);
  const Tensor x = randn({kBatch, kWidth}, kFloat64);
  const Variable w =
      (randn({kWidth, kWidth}, kFloat64) / std::sqrt(kWidth * 1.0)).requires_grad_(true);
  Curve curve;
  Variable y = x;
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    y = mm(y, w).tanh();
    curve.note();
  }
  Variable loss = y.sum();
  y.reset();
  curve.note();
  const std::size_t forward = curve.bytes.size();
  loss.backward({}, /*retain_graph=*/graph == Graph::Retained);
  return {curve.bytes, forward, w.grad()};
}

double megabytes(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

/// Both curves over layers and nodes, as steps.
std::string picture_of(const Run& freed, const Run& retained) {
  constexpr double left = 60, top = 50, width = 640, height = 260;
  const int64_t most = *std::max_element(retained.bytes.begin(), retained.bytes.end());
  const auto x = [&](std::size_t i) {
    return left + width * static_cast<double>(i) / static_cast<double>(retained.bytes.size());
  };
  const auto y = [&](int64_t bytes) {
    return top + height * (1 - static_cast<double>(bytes) / static_cast<double>(most));
  };
  const auto curve = [&](const Run& one, std::string_view classes) {
    std::string path = fmt::format("M{:.1f} {:.1f}", x(0), y(0));
    for (std::size_t i = 0; i < one.bytes.size(); ++i)
      path += fmt::format("V{:.1f}H{:.1f}", y(one.bytes[i]), x(i + 1));
    return fmt::format(R"(<path class="{}" d="{}"/>)", classes, path);
  };
  using interchange::svg_line;
  using interchange::svg_text;
  std::string elements = svg_text(left, 24, "title", "Bytes alive during forward and backward()");
  for (int64_t mark = 0; mark <= most; mark += 2'000'000) {
    elements += svg_line(left, y(mark), left + width, y(mark), "grid");
    elements += svg_text(left - 8, y(mark) + 4, "end", fmt::format("{:.0f} MB", megabytes(mark)));
  }
  elements += svg_line(x(freed.forward), top, x(freed.forward), top + height, "turn");
  elements += svg_text(x(0), top + height + 20, "", fmt::format("{} layers", kLayers));
  elements += svg_text(x(freed.forward) + 6, top + height + 20, "", "nodes of backward()");
  elements += curve(retained, "retained") + curve(freed, "freed");
  elements += svg_text(x(freed.forward + 12), y(most) + 18, "", "kept by retain_graph");
  elements += svg_text(x(freed.bytes.size() * 2 / 3), y(most / 5), "", "freed as it goes");
  return interchange::svg_file({.width = left + width + 20,
                                .height = top + height + 40,
                                .title = "Bytes alive with and without retain_graph",
                                .rules =
                                    ".grid { stroke: var(--line); }\n"
                                    ".turn { stroke: var(--quiet); stroke-dasharray: 3 3; }\n"
                                    ".freed { fill: none; stroke: var(--teal); stroke-width: 2; }\n"
                                    ".retained { fill: none; stroke: var(--orange); "
                                    "stroke-width: 2; }\n",
                                .elements = elements});
}

}  // namespace

int memory(std::ostream& out, const ExampleOptions& options) {
  Report report;
  const Run freed = run(Graph::Freed), retained = run(Graph::Retained);
  fmt::print(out,
             "{} layers tanh(y w), y ({}, {}): each saves {:.2f} MB. Megabytes alive after\n"
             "    nodes of backward()    freed as it goes    retain_graph\n",
             kLayers, kBatch, kWidth, megabytes(kActivation));
  const std::size_t nodes = freed.bytes.size() - freed.forward;
  for (std::size_t part = 0; part <= 4; ++part) {
    const std::size_t i = freed.forward - 1 + nodes * part / 4;
    fmt::print(out, "    {:>19}    {:>16.2f}    {:>12.2f}\n", nodes * part / 4,
               megabytes(freed.bytes[i]), megabytes(retained.bytes[i]));
  }
  write_picture(out, options, "memory.svg", "both curves",
                [&] { return picture_of(freed, retained); });

  // Beside what is saved there are the gradient of w and at most three tensors under way.
  const int64_t rest = 3 * kActivation + 2 * kWidth * kWidth * 8;
  const std::size_t half = freed.forward + nodes / 2;
  report.add_fact("half of it gone halfway", freed.bytes[half] <= kLayers / 2 * kActivation + rest);
  report.add_fact("all but a gradient at the end", freed.bytes.back() <= rest);
  report.add_fact("all kept by retain_graph", retained.bytes.back() >= kLayers * kActivation);
  report.add_fact("the same gradient", freed.gradient.equal(retained.gradient));
  return report.conclude(out);
}

}  // namespace notape::paper
