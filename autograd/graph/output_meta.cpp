#include "autograd/graph/output_meta.h"

namespace notape {

void OutputMeta::set_levels(BatchLevels levels) {
  auto* batched = new Batched{sizes(), std::move(levels)};
  release();
  batched_ = batched;
  place_ = Place::Batched;
}

void OutputMeta::set_levels_of(const TensorImpl& tensor) { set_levels(notape::levels_of(tensor)); }

void OutputMeta::release() noexcept {
  if (place_ == Place::Heap) delete[] heap_;
  if (place_ == Place::Batched) delete batched_;
  place_ = Place::Inline;
}

const BatchLevels& OutputMeta::no_levels() {
  static const BatchLevels none;
  return none;
}

}  // namespace notape
