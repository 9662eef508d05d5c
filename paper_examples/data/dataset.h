// A data set of tensors, and how to walk it in batches. A loader is a program, too (2019
// paper, 4.1).
#pragma once
#include <utility>

#include "autograd/autograd.h"

namespace notape::data {

/// Inputs and targets, one of each per first index.
struct Dataset {
  Tensor data, target;

  int64_t size() const { return data.size(0); }
  /// The examples with these numbers, copied. `indices`: (n), int64.
  Dataset at(const Tensor& indices) const;
  Dataset to(Device device) const;
};

/// Two random parts, the first of `first_size` examples, by the default generator (manual_seed).
/// Throws ValueError unless 0 <= first_size <= size.
std::pair<Dataset, Dataset> random_split(const Dataset& dataset, int64_t first_size);

/// One pass in random order: `for (const auto& [data, target] : ShuffledBatches(train, 64))`.
/// Every example comes once; the last batch may be smaller. Copies one batch at a time.
class ShuffledBatches {
 public:
  /// Draws the order from the default generator. Throws ValueError unless batch_size > 0.
  ShuffledBatches(const Dataset& dataset, int64_t batch_size);

  int64_t size() const { return (dataset_.size() + batch_size_ - 1) / batch_size_; }

  struct Iterator {
    const ShuffledBatches& batches;
    int64_t number;
    Dataset operator*() const { return batches.batch(number); }
    Iterator& operator++() { return ++number, *this; }
    bool operator!=(const Iterator& other) const { return number != other.number; }
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  Dataset batch(int64_t number) const;

  Dataset dataset_;
  int64_t batch_size_;
  Tensor order_;
};

}  // namespace notape::data
