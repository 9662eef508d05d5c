// Table 1 of the 2019 paper, as printed: training throughput on one Quadro GP100.
#pragma once
#include <string>
#include <vector>

namespace notape::command::bench {

struct PaperCell {
  double mean = 0;  ///< images, tokens or samples a second; 0: N/A
  double spread = 0;
  bool in_percent = false;  ///< of the spread

  bool is_there() const { return mean > 0; }
  /// "1547 ± 316", "5.4e6 ± 3.4 %"
  std::string text() const;
};

struct PaperRow {
  const char* framework;
  std::vector<PaperCell> cells;  ///< in the order of kPaperModels
};

/// Names as those of models::workloads().
inline constexpr const char* kPaperModels[] = {"alexnet",     "vgg19", "resnet50",
                                               "mobilenetv2", "gnmt",  "ncf"};

const std::vector<PaperRow>& paper_table();

/// How far PyTorch is behind the fastest, which may be itself.
struct PaperGap {
  std::string model, fastest;
  PaperCell pytorch, best;
  double percent = 0;  ///< 0 or less
};
std::vector<PaperGap> paper_gaps();

/// PyTorch's cell for a model, or one that is not there.
PaperCell paper_cell(const std::string& model);

}  // namespace notape::command::bench
