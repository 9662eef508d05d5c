// LongInputs: an operator on inputs that are much longer along one dimension, held against its own
// pieces or its own slope.
#pragma once
#include "verify/checks/long_dims.h"

namespace notape::verify {

/// Keeps a reference to the subject.
class LongInputs {
 public:
  LongInputs(const Subject& subject, LongDims dims);

  /// Whether the operator takes twice the size.
  bool is_possible() const { return kind_ != Kind::Unknown; }
  /// Nothing more is to be learned from other lengths.
  bool is_over() const { return over_; }
  int64_t entries_at(int64_t length) const;
  /// How many a result has, as it grew when the size was doubled.
  double results_at(int64_t length) const;
  /// What is wrong with the gradients where the dimension is this long; empty if nothing is, or
  /// nothing can be said. Throws what the operator throws.
  std::string fault_at(int64_t length);
  /// The same by the slope along all entries, which takes nothing for granted that is right at
  /// other lengths. Lengths that the operator does not take are not judged.
  std::string slope_fault_at(int64_t length);
  /// Lengths that cannot be judged, because the function reads past the end of its inputs there.
  const std::vector<int64_t>& unjudged() const { return unjudged_; }
  /// What the last length took, without what a fault costs to look into.
  double seconds() const { return seconds_; }

 private:
  /// What a longer result is: its pieces side by side, their sum or mean, or something else.
  enum class Kind : uint8_t { Unknown, Rows, Sum, Mean, Other };

  /// The operator at one point, or at its first `rows` rows.
  struct Piece {
    Tensor output;
    variable_list gradients;
    variable_list inputs;
    Tensor incoming;
  };

  /// The operator where the dimension is this long.
  struct Call {
    int64_t length;
    variable_list inputs;
    Tensor incoming;
  };

  Piece piece(std::size_t point, int64_t rows) const;
  std::string fault_of_pieces_at(int64_t length);
  std::string fault_of_value_at(int64_t length, const Tensor& output);
  /// Its shapes are guessed where they are longer: only what is of pieces says that they were
  /// right.
  bool is_c_operator() const;
  /// What a result, or its incoming gradient, should be by that of its pieces.
  Tensor of_pieces(int64_t length, const std::function<Tensor(const Piece&)>& part) const;
  variable_list gradients_of(const Call& call, const Tensor& output) const;
  std::string fault_of_gradient(const Call& call, std::size_t a, const Tensor& got) const;
  /// Whether the value depends on memory past the end of inputs of that length: a function for one
  /// size, or for whole blocks, reads it unchecked.
  bool reads_behind(int64_t length) const;
  /// Whether sizes that do not belong together may have been taken because one of them is 1: a
  /// dimension of size 1 grows, and another stays. A backward that refuses them is not to blame.
  bool broadcasts() const;
  variable_list inputs_at(int64_t length) const;
  Tensor put_together(int64_t length, int64_t dim, const std::function<Tensor(const Piece&)>& part,
                      int64_t rows_per_piece) const;
  Tensor added_up(int64_t length, const std::function<Tensor(const Piece&)>& part) const;
  double weight(int64_t rows, int64_t length) const;
  void classify();
  std::string judge_by_slope(int64_t length, const variable_list& inputs);
  /// Whether values say that the gradient of this entry is `wanted` rather than `got`.
  bool is_confirmed_by_slope(const variable_list& inputs, const Tensor& incoming,
                             std::size_t argument, int64_t entry, double wanted, double got) const;
  std::size_t copies(int64_t length) const { return static_cast<std::size_t>(length / rows_); }

  const Subject& subject_;
  const LongDims dims_;
  const Points points_;
  const Pattern pattern_;
  std::vector<int64_t> unjudged_;
  double seconds_ = 0;
  bool is_of_pieces_ = true;                      ///< whether the last value was that of its pieces
  bool was_of_pieces_ = false, was_not_ = false;  ///< at some length before, at some
  int64_t rows_ = 0;                              ///< of the case along the dimension
  int64_t output_dim_ = -1;                       ///< of the result, where that grows
  Kind kind_ = Kind::Unknown;
  bool over_ = false;
  double results_ = 0, growth_ = 0;  ///< entries of a result, and the power of the length in them
  std::vector<Piece> pieces_;        ///< one per point
  Piece tail_;                       ///< the last, shorter one of the present length
  int64_t tail_rows_ = 0;
};

}  // namespace notape::verify
