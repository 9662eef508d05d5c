// Attention on the CPU: for each block of queries one pass over the keys, in which the largest
// score so far, the sum of exponentials and the weighted sum of values are kept, and scaled when a
// larger score comes (M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax").
#include "ops/core/run_wide.h"
#include "ops/cpu/attention_blocks.h"

namespace notape {
namespace {

using namespace attention;

/// What is known of a block of queries from the keys so far.
template <typename T>
struct Running {
  T largest[kQueries], shrinking[kQueries], block_sums[kQueries];
  double sums[kQueries];

  Running() {
    std::fill_n(largest, kQueries, -std::numeric_limits<T>::infinity());
    std::fill_n(sums, kQueries, 0.0);
  }

  /// Scores become exponentials. What was summed before is to be multiplied by `shrinking`.
  void take(T* scores, int64_t keys, int64_t width) {
    T before[kQueries], base[kQueries];
    for (int64_t q = 0; q < width; ++q) before[q] = largest[q];
    for (int64_t s = 0; s < keys; ++s) {
      const T* const row = scores + s * kQueries;
      for (int64_t q = 0; q < width; ++q) largest[q] = row[q] > largest[q] ? row[q] : largest[q];
    }
    for (int64_t q = 0; q < width; ++q) {
      base[q] = base_of(largest[q]);
      shrinking[q] = before[q];
      block_sums[q] = 0;
    }
    exponentials(shrinking, base, width);
    for (int64_t s = 0; s < keys; ++s) {
      T* const row = scores + s * kQueries;
      exponentials(row, base, width);
      for (int64_t q = 0; q < width; ++q) block_sums[q] += row[q];
    }
    for (int64_t q = 0; q < width; ++q)
      sums[q] = sums[q] * static_cast<double>(shrinking[q]) + static_cast<double>(block_sums[q]);
  }
  bool shrinks(int64_t width) const {
    return std::any_of(shrinking, shrinking + width, [](T factor) { return factor != T(1); });
  }
  /// What exponentials are of distances to: anything that is finite where all was hidden so far.
  static T base_of(T largest) {
    return largest == -std::numeric_limits<T>::infinity() ? T(0) : largest;
  }
};

template <typename T>
class Forward {
 public:
  Forward(const Attended& out, const Attending& in)
      : in_(in),
        query_(in.query),
        key_(in.key),
        value_(in.value),
        result_(out.result),
        statistics_(out.statistics) {}

  int64_t blocks() const { return (query_.rows() + kQueries - 1) / kQueries; }
  int64_t pieces() const { return query_.count() * blocks(); }
  /// About how many elements of cheap work.
  int64_t work() const {
    return std::min(kQueries, query_.rows()) * key_.rows() * (query_.columns() + value_.columns()) /
           8;
  }

  void run(int64_t first, int64_t last) const {
    const int64_t width = padded(value_.columns());
    Workspace<T> memory(PackedRows<T>::elements(query_.columns()) + kKeys * kQueries +
                        2 * width * kQueries);
    PackedRows<T> queries(memory, query_.columns());
    T *const scores = memory.take(kKeys * kQueries), *const sums = memory.take(width * kQueries),
             *const rows = memory.take(width * kQueries);
    for (int64_t piece = first; piece < last; ++piece) {
      Block block{.which = piece / blocks(),
                  .first_query = piece % blocks() * kQueries,
                  .queries = 0,
                  .first_key = 0,
                  .keys = 0};
      block.queries = std::min(kQueries, query_.rows() - block.first_query);
      queries.pack(query_, block.which, block.first_query, block.queries,
                   static_cast<T>(in_.scale));
      Running<T> running;
      std::fill_n(sums, width * kQueries, T(0));
      const int64_t keys = keys_seen(in_, key_.rows(), block.first_query, block.queries);
      for (; block.first_key < keys; block.first_key += kKeys) {
        block.keys = std::min(kKeys, keys - block.first_key);
        compute_scores(in_, key_, block, queries, scores);
        detail::run_wide<T>([&] { running.take(scores, block.keys, block.width()); });
        if (block.first_key > 0 && running.shrinks(block.width())) shrink(running, sums, block);
        add_values(block, scores, sums);
      }
      finish(running, block, sums, rows);
    }
  }

 private:
  /// sums[e kQueries + q]
  void shrink(const Running<T>& running, T* sums, const Block& b) const {
    detail::run_wide<T>([&] {
      for (int64_t e = 0; e < value_.columns(); ++e)
        for (int64_t q = 0; q < b.width(); ++q) sums[e * kQueries + q] *= running.shrinking[q];
    });
  }

  void add_values(const Block& b, const T* weights, T* sums) const {
    multiply<T>({.rows = value_.columns(),
                 .columns = b.width(),
                 .terms = b.keys,
                 .a = value_.at(b.which) + b.first_key * value_.row_step(),
                 .a_row = value_.column_step(),
                 .a_term = value_.row_step(),
                 .b = weights,
                 .b_row = kQueries,
                 .c = sums,
                 .c_row = kQueries,
                 .adds = true});
  }

  void finish(const Running<T>& running, const Block& b, T* sums, T* rows) const {
    const int64_t columns = value_.columns(), width = padded(columns);
    T* const largest = statistics_.at(b.which) + b.first_query;
    T* const factors = largest + query_.rows();
    for (int64_t q = 0; q < b.queries; ++q) {
      largest[q] = Running<T>::base_of(running.largest[q]);
      factors[q] = static_cast<T>(1 / running.sums[q]);
      // A mask may leave nothing of a row; scores of -inf alone have no softmax.
      if (running.sums[q] == 0)
        factors[q] = in_.mask.defined() ? T(0) : std::numeric_limits<T>::quiet_NaN();
    }
    PackedRows<T>::transpose(rows, width, sums, kQueries, b.width(), width);
    T* to = result_.at(b.which) + b.first_query * result_.row_step();
    for (int64_t q = 0; q < b.queries; ++q, to += result_.row_step())
      for (int64_t e = 0; e < columns; ++e) to[e] = rows[q * width + e] * factors[q];
  }

  const Attending& in_;
  const Matrices<const T> query_, key_, value_;
  const Matrices<T> result_, statistics_;
};

void attention_on_cpu(const Operation&, const Attended& out, const Attending& in) {
  visit_floating(in.query.dtype(), [&]<typename T>() {
    const Forward<T> forward(out, in);
    parallel_for(0, forward.pieces(), std::max<int64_t>(1, kParallelGrain / (forward.work() + 1)),
                 [&](int64_t first, int64_t last) { forward.run(first, last); });
  });
}

}  // namespace

constinit AttentionKernel attention_kernel(attention_on_cpu);

}  // namespace notape
