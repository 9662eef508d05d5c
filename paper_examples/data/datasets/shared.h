// SharedBatchDataset: one data set for all workers of a loader, where copies are too large.
// (LibTorch: the same)
#pragma once
#include <memory>

#include "paper_examples/data/datasets/base.h"

namespace notape::data::datasets {

/// Its get_batch() is called by several threads at once: that of the data set has to stand it.
template <typename Shared>
class SharedBatchDataset
    : public BatchDataset<SharedBatchDataset<Shared>, typename Shared::BatchType,
                          typename Shared::BatchRequestType> {
 public:
  using BatchType = typename Shared::BatchType;
  using BatchRequestType = typename Shared::BatchRequestType;

  SharedBatchDataset(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  BatchType get_batch(BatchRequestType request) override { return shared_->get_batch(request); }
  std::optional<std::size_t> size() const override { return shared_->size(); }

  Shared& operator*() const { return *shared_; }
  Shared* operator->() const { return shared_.get(); }

 private:
  std::shared_ptr<Shared> shared_;
};

template <typename Shared, typename... Arguments>
SharedBatchDataset<Shared> make_shared_dataset(Arguments&&... arguments) {
  return {std::make_shared<Shared>(std::forward<Arguments>(arguments)...)};
}

}  // namespace notape::data::datasets
