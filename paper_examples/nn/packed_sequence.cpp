#include "paper_examples/nn/packed_sequence.h"

#include "ops/ops.h"

namespace notape::nn::utils::rnn {

PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths, bool batch_first,
                                    bool enforce_sorted) {
  if (enforce_sorted) {
    auto [data, batch_sizes] = _pack_padded_sequence(input, lengths.to(kInt64), batch_first);
    return {std::move(data), std::move(batch_sizes)};
  }
  const auto [sorted, places] = lengths.to(kInt64).sort(0, true);
  const Tensor order = places.to(input.device()), back = argsort(places);
  auto [data, batch_sizes] =
      _pack_padded_sequence(input.index_select(batch_first ? 0 : 1, order), sorted, batch_first);
  return {std::move(data), std::move(batch_sizes), order, back.to(input.device()), back};
}

std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence, bool batch_first,
                                               double padding_value, int64_t total_length) {
  auto [padded, lengths] = _pad_packed_sequence(sequence.data(), sequence.batch_sizes(),
                                                batch_first, padding_value, total_length);
  const Tensor& order = sequence.unsorted_indices();
  if (!order.defined()) return {std::move(padded), std::move(lengths)};
  return {padded.index_select(batch_first ? 0 : 1, order),
          lengths.index_select(0, sequence.unsorted_on_cpu())};
}

Tensor pad_sequence(const std::vector<Tensor>& sequences, bool batch_first, double padding_value) {
  if (sequences.empty()) throw ValueError("pad_sequence: there are no sequences");
  int64_t longest = 0;
  for (const Tensor& one : sequences) {
    if (one.dim() == 0) throw ShapeError("pad_sequence: a sequence without dimensions");
    longest = std::max(longest, one.size(0));
  }
  std::vector<Tensor> padded;
  for (const Tensor& one : sequences) {
    std::vector<int64_t> padding(static_cast<std::size_t>(2 * one.dim()), 0);
    padding.back() = longest - one.size(0);
    padded.push_back(constant_pad_nd(one, padding, padding_value));
  }
  return stack(padded, batch_first ? 0 : 1);
}

PackedSequence pack_sequence(const std::vector<Tensor>& sequences, bool enforce_sorted) {
  std::vector<int64_t> lengths;
  for (const Tensor& one : sequences) lengths.push_back(one.dim() == 0 ? 0 : one.size(0));
  return pack_padded_sequence(pad_sequence(sequences), tensor(lengths), false, enforce_sorted);
}

}  // namespace notape::nn::utils::rnn
