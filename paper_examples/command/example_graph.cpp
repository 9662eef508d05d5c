#include "paper_examples/command/example_graph.h"

#include <iostream>
#include <sstream>

#include "autograd/interchange/graph_export.h"
#include "autograd/interchange/output_file.h"
#include "autograd/observer.h"
#include "paper_examples/command/command.h"
#include "paper_examples/command/find_example.h"
#include "paper_examples/command/interruptible_output.h"

namespace notape::command {
namespace {

using Export = std::string (*)(const TensorList& roots);

Export export_for(const std::string& path) {
  if (path.ends_with(".svg")) return autograd::to_svg;
  if (path.ends_with(".dot")) return autograd::to_dot;
  if (path.ends_with(".json")) return autograd::to_json;
  throw ValueError("{}: the name of a graph ends in .svg, .dot or .json", path);
}

/// While it lives it counts backward runs, and exports the graph of one when it begins.
class GraphOfRun final : public Observer {
 public:
  GraphOfRun(Export format, int wanted)
      : format_(format), wanted_(wanted), before_(set_observer(this)) {}
  ~GraphOfRun() override { set_observer(before_); }
  GraphOfRun(const GraphOfRun&) = delete;
  GraphOfRun& operator=(const GraphOfRun&) = delete;

  void operator_begin(const char*, uint64_t) noexcept override {}
  void operator_end(const char*, uint64_t) noexcept override {}
  void node_begin(const Node&) noexcept override {}
  void node_end(const Node&) noexcept override {}
  void backward_begin(const Tensor* roots, std::size_t count) noexcept override {
    if (++runs_ != wanted_) return;
    try {
      text_ = format_(TensorList(roots, roots + count));
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  int runs() const { return runs_; }
  const std::string& text() const {
    if (error_) std::rethrow_exception(error_);
    return text_;
  }

 private:
  const Export format_;
  const int wanted_;
  Observer* const before_;
  int runs_ = 0;
  std::string text_;
  std::exception_ptr error_;
};

}  // namespace

int write_example_graph(const ExampleGraphOptions& options) {
  const Example& example = find_example(options.example);
  const std::string path = options.path.empty() ? options.example + ".svg" : options.path;
  const Export format = export_for(path);
  interchange::OutputFile file(path);

  GraphOfRun graph(format, options.run);
  std::ostringstream unseen_text;
  InterruptibleOutput unseen(unseen_text);
  const int status = example.run(unseen);
  verify::Interruption::check();
  if (graph.runs() < options.run)
    throw ValueError("--run {}: {} calls backward() or grad() {} times", options.run,
                     options.example, graph.runs());
  file.write(graph.text());
  file.commit();
  std::cout << "written: " << path << ", the graph of run " << options.run << " of " << graph.runs()
            << std::endl;
  if (status == 0) return kFine;
  std::cout << "the example failed; see notape examples run " << options.example << std::endl;
  return kFailed;
}

}  // namespace notape::command
