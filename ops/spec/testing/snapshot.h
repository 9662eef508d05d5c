// What tensors are and hold, to be compared with what an error left.
#pragma once
#include <cstring>

#include "autograd/autograd.h"

namespace notape::testing {

class Snapshot {
 public:
  explicit Snapshot(const variable_list& tensors) {
    for (const Tensor& tensor : tensors) parts_.emplace_back(tensor);
  }

  /// "the values of argument 1"; empty if nothing has changed.
  std::string change_of(const variable_list& tensors) const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (const char* what = parts_[i].change_of(tensors.at(i)))
        return format_message("{} of argument {}", {what, i});
    return "";
  }

 private:
  struct Part {
    explicit Part(const Tensor& now) : tensor(now), history(history_of(now)) {
      if (!now.defined()) return;
      const Storage& storage = *now.impl().storage();
      sizes = now.sizes().vec();
      strides = now.strides().vec();
      offset = now.storage_offset();
      version = storage.version();
      requires_grad = now.requires_grad();
      bytes.resize(storage.bytes());
      if (!bytes.empty()) std::memcpy(bytes.data(), storage.data(), bytes.size());
    }

    const char* change_of(const Tensor& now) const {
      if (!now.is_same(tensor)) return "the object";
      if (!now.defined()) return nullptr;
      const Storage& storage = *now.impl().storage();
      if (now.sizes().vec() != sizes || now.strides().vec() != strides ||
          now.storage_offset() != offset)
        return "the shape";
      if (storage.bytes() != bytes.size() ||
          (!bytes.empty() && std::memcmp(bytes.data(), storage.data(), bytes.size()) != 0))
        return "the values";
      if (storage.version() != version) return "the version";
      if (now.requires_grad() != requires_grad || history_of(now) != history) return "the history";
      return nullptr;
    }

    static const Node* history_of(const Tensor& tensor) {
      return tensor.defined() ? tensor.grad_fn().get() : nullptr;
    }

    Tensor tensor;
    std::vector<int64_t> sizes, strides;
    int64_t offset = 0;
    uint64_t version = 0;
    bool requires_grad = false;
    const Node* history;
    std::vector<char> bytes;
  };

  std::vector<Part> parts_;
};

}  // namespace notape::testing
