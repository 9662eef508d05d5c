#include "paper_examples/command/bench/paper_table.h"

#include <fmt/format.h>

#include <iterator>

namespace notape::command::bench {
namespace {

std::string number(double value) {
  return value < 1e5 ? fmt::format("{:g}", value) : fmt::format("{:.1f}e6", value / 1e6);
}

}  // namespace

std::string PaperCell::text() const {
  if (!is_there()) return "-";
  return number(mean) + " ± " + fmt::format("{:g}{}", spread, in_percent ? " %" : "");
}

const std::vector<PaperRow>& paper_table() {
  static const std::vector<PaperRow> rows = {
      {"Chainer", {{778, 15}, {}, {219, 1}, {}, {}, {}}},
      {"CNTK", {{845, 8}, {84, 3}, {210, 1}, {}, {}, {}}},
      {"MXNet", {{1554, 22}, {113, 1}, {218, 2}, {444, 2}, {}, {}}},
      {"PaddlePaddle", {{933, 123}, {112, 2}, {192, 4}, {557, 24}, {}, {}}},
      {"TensorFlow",
       {{1422, 27}, {66, 2}, {200, 1}, {216, 15}, {9631, 1.3, true}, {4.8e6, 2.9, true}}},
      {"PyTorch",
       {{1547, 316}, {119, 1}, {212, 2}, {463, 17}, {15512, 4.8, true}, {5.4e6, 3.4, true}}},
  };
  return rows;
}

std::vector<PaperGap> paper_gaps() {
  std::vector<PaperGap> gaps;
  for (std::size_t i = 0; i < std::size(kPaperModels); ++i) {
    PaperGap gap{kPaperModels[i], {}, paper_table().back().cells[i], {}, 0};
    for (const PaperRow& row : paper_table())
      if (row.cells[i].mean >= gap.best.mean) gap.fastest = row.framework, gap.best = row.cells[i];
    gap.percent = 100 * (gap.pytorch.mean / gap.best.mean - 1);
    gaps.push_back(gap);
  }
  return gaps;
}

PaperCell paper_cell(const std::string& model) {
  for (std::size_t i = 0; i < std::size(kPaperModels); ++i)
    if (model.substr(0, model.find('_')) == kPaperModels[i]) return paper_table().back().cells[i];
  return {};
}

}  // namespace notape::command::bench
