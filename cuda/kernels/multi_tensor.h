// Many tensors' steps of an optimizer as the arguments of one launch: tensors are cut into parts of
// one size, and a team works at each part. Compiled for the host, too, where it is tested.
#pragma once
#include <new>

#include "ops/optimize/multi_tensor.h"

namespace notape::cuda {

inline constexpr int64_t kPart = 16384;          // elements
inline constexpr std::size_t kRows = 30;         // of a launch
inline constexpr std::size_t kArguments = 4096;  // bytes, that every GPU takes

/// At most kRows rows.
template <typename T, typename Update>
class StepOfRows {
 public:
  void add(const optimize::Row& row, const Update& update) {
    const int64_t count = row.parameter.numel();
    parts_ += (count + kPart - 1) / kPart;
    new (memory_ + size_++ * sizeof(Tensors))
        Tensors{optimize::Pointers<T>(row, 0), count, parts_, update};
  }
  int64_t parts() const { return parts_; }
  template <typename Team>
  NOTAPE_HD void operator()(int64_t part, const Team& team) const {
    std::size_t row = 0;
    while (at(row).parts_so_far <= part) ++row;
    const Tensors& tensors = at(row);
    const int64_t first = (part - (row == 0 ? 0 : at(row - 1).parts_so_far)) * kPart;
    const int64_t end = first + kPart < tensors.count ? first + kPart : tensors.count;
    for (int64_t i = first + team.rank(); i < end; i += team.size())
      tensors.pointers.move(tensors.update, i);
  }

 private:
  struct Tensors {
    optimize::Pointers<T> pointers;
    int64_t count, parts_so_far;
    Update update;
  };
  NOTAPE_HD const Tensors& at(std::size_t row) const {
    return reinterpret_cast<const Tensors*>(memory_)[row];
  }
  alignas(Tensors) unsigned char memory_[kRows * sizeof(Tensors)];
  int64_t parts_ = 0;
  std::size_t size_ = 0;
};

}  // namespace notape::cuda
