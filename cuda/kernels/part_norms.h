// Norms of the parts of many tensors as the arguments of one launch, a team at each part. Compiled
// for the host, too, where it is tested.
#pragma once
#include "ops/optimize/part_norms.h"
#include "ops/reduce/row.h"
#include "ops/reduce/team.h"

namespace notape::cuda {

/// At most kRows tensors.
class PartNorms {
 public:
  static constexpr std::size_t kRows = 160;

  /// `result` is the place of the first tensor's first part.
  explicit PartNorms(double* result) : result_(result) {}
  void add(const float* data, int64_t size) {
    parts_ += (size + optimize::kNormPart - 1) / optimize::kNormPart;
    rows_[rows_so_far_++] = {data, size, parts_};
  }
  std::size_t rows() const { return rows_so_far_; }
  int64_t parts() const { return parts_; }

  template <typename Team>
  NOTAPE_HD void operator()(int64_t part, const Team& team) const {
    int row = 0;
    while (rows_[row].parts_so_far <= part) ++row;
    const int64_t before = row == 0 ? 0 : rows_[row - 1].parts_so_far;
    const int64_t first = (part - before) * optimize::kNormPart, left = rows_[row].size - first;
    const SharedRow<float, Team> values(
        rows_[row].data + first, left < optimize::kNormPart ? left : optimize::kNormPart, 1, team);
    const double squares = sum_row<double>(values, [&values](int64_t i) {
      return static_cast<double>(values[i]) * static_cast<double>(values[i]);
    });
    if (team.rank() == 0) result_[part] = math::sqrt(squares);
  }

 private:
  struct Rows {
    const float* data;
    int64_t size, parts_so_far;
  };
  double* result_;
  Rows rows_[kRows];
  std::size_t rows_so_far_ = 0;
  int64_t parts_ = 0;
};

}  // namespace notape::cuda
