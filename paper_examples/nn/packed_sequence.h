// PackedSequence: sequences of several lengths without their padding, as recurrent layers take them
// (LibTorch's torch::nn::utils::rnn).
#pragma once
#include <tuple>
#include <vector>

#include "autograd/autograd.h"

namespace notape::nn::utils::rnn {

/// The steps of all sequences one after the other, each step of those that are as long, the longest
/// first.
class PackedSequence {
 public:
  PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices = {},
                 Tensor unsorted_indices = {})
      : data_(std::move(data)),
        batch_sizes_(std::move(batch_sizes)),
        sorted_indices_(std::move(sorted_indices)),
        unsorted_indices_(std::move(unsorted_indices)) {}
  /// With the order known on the CPU, too, so that no GPU is asked for it.
  PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices, Tensor unsorted_indices,
                 Tensor unsorted_on_cpu)
      : PackedSequence(std::move(data), std::move(batch_sizes), std::move(sorted_indices),
                       std::move(unsorted_indices)) {
    unsorted_on_cpu_ = std::move(unsorted_on_cpu);
  }
  /// Other data of sequences as long.
  PackedSequence with_data(Tensor data) const {
    PackedSequence result = *this;
    result.data_ = std::move(data);
    return result;
  }

  const Tensor& data() const { return data_; }                // (sum of lengths, ..)
  const Tensor& batch_sizes() const { return batch_sizes_; }  // (T), int64
  /// Which sequence of the caller's is first, second, ... here, and where here the caller's first,
  /// second, ... is; undefined if they came sorted.
  const Tensor& sorted_indices() const { return sorted_indices_; }
  const Tensor& unsorted_indices() const { return unsorted_indices_; }
  Tensor unsorted_on_cpu() const {
    return unsorted_on_cpu_.defined() ? unsorted_on_cpu_ : unsorted_indices_.cpu();
  }

 private:
  Tensor data_, batch_sizes_, sorted_indices_, unsorted_indices_, unsorted_on_cpu_;
};

/// input (T, N, ..), or (N, T, ..) with batch_first; lengths (N), integers, above 0. With
/// enforce_sorted they have to descend (ValueError), else sequences are sorted.
PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                    bool batch_first = false, bool enforce_sorted = true);
/// {(T, N, ..) or (N, T, ..), lengths (N)} in the caller's order; what is beyond a sequence's end
/// is padding_value, and T the longest length, or total_length if it is more (ValueError if less).
std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence,
                                               bool batch_first = false, double padding_value = 0,
                                               int64_t total_length = -1);
/// Sequences (L, ..) side by side, padded to the longest: (T, N, ..) or (N, T, ..). Throws
/// ValueError if there is none.
Tensor pad_sequence(const std::vector<Tensor>& sequences, bool batch_first = false,
                    double padding_value = 0);
/// pad_sequence and pack_padded_sequence together.
PackedSequence pack_sequence(const std::vector<Tensor>& sequences, bool enforce_sorted = true);

}  // namespace notape::nn::utils::rnn
