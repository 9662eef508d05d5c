// The gradients of attention on the CPU. With weights p of a query q and the gradient g of its
// result o = sum(p v): dv = p g, and with d = p (v . g - o . g) that of the scores
// dq = scale sum(d k), dk = d scale q. Weights are computed again, block by block.
#include "ops/core/run_wide.h"
#include "ops/cpu/attention_blocks.h"

namespace notape {
namespace {

using namespace attention;

/// Which part of a matrix of scores, and what is to be computed of it.
struct Part {
  int64_t which;
  int64_t first_query, end_query, first_key, end_key;
  bool of_queries, of_keys;
};

template <typename T>
struct Sums {
  T of_products[kQueries], largest[kQueries], factors[kQueries];
};

template <typename T>
class Backward {
 public:
  Backward(const AttentionGradients& gradients, const Tensor& grad, const Attended& out,
           const Attending& in)
      : in_(in),
        gradients_(gradients),
        query_(in.query),
        key_(in.key),
        value_(in.value),
        grad_(grad),
        result_(out.result),
        statistics_(out.statistics) {}

  /// Where there are too few matrices for the threads, their queries and keys are shared out
  /// instead, and scores are computed twice. Every sum has the same order either way.
  void run() const {
    const int64_t count = query_.count(), queries = query_.rows(), keys = key_.rows();
    const bool of_queries = gradients_[0].defined();
    const bool of_keys = gradients_[1].defined() || gradients_[2].defined();
    constexpr int64_t kShare = 4 * kKeys;
    const int64_t work = queries * keys * (query_.columns() + value_.columns()) / 4 + 1;
    const auto whole = [&](int64_t which) {
      return Part{which, 0, queries, 0, keys, of_queries, of_keys};
    };
    if (count >= get_num_threads() || work < 4 * kParallelGrain)
      return share_out(count, work, whole);
    if (of_queries) {
      const int64_t parts = (queries + kQueries - 1) / kQueries;
      share_out(count * parts, work / parts, [&](int64_t i) {
        Part part = whole(i / parts);
        part.of_keys = false;
        part.first_query = i % parts * kQueries;
        part.end_query = std::min(part.first_query + kQueries, queries);
        return part;
      });
    }
    if (of_keys) {
      const int64_t parts = (keys + kShare - 1) / kShare;
      share_out(count * parts, work / parts, [&](int64_t i) {
        Part part = whole(i / parts);
        part.of_queries = false;
        part.first_key = i % parts * kShare;
        part.end_key = std::min(part.first_key + kShare, keys);
        return part;
      });
    }
  }

 private:
  /// Packed queries and gradients, weights, gradients of scores and, transposed, of queries.
  struct Memory {
    Workspace<T> all;
    PackedRows<T> queries, grads;
    T *weights, *of_scores, *of_queries, *rows;

    Memory(int64_t columns, int64_t value_columns)
        : all(PackedRows<T>::elements(columns) + PackedRows<T>::elements(value_columns) +
              2 * kKeys * kQueries + 2 * kQueries * padded(columns)),
          queries(all, columns),
          grads(all, value_columns),
          weights(all.take(kKeys * kQueries)),
          of_scores(all.take(kKeys * kQueries)),
          of_queries(all.take(kQueries * padded(columns))),
          rows(all.take(kQueries * padded(columns))) {}
  };

  template <typename PartOf>
  void share_out(int64_t parts, int64_t work, const PartOf& part_of) const {
    parallel_for(0, parts, std::max<int64_t>(1, kParallelGrain / (work + 1)),
                 [&](int64_t first, int64_t last) {
                   Memory memory(query_.columns(), value_.columns());
                   for (int64_t i = first; i < last; ++i) run(part_of(i), memory);
                 });
  }

  T* rows_of(std::size_t which_gradient, int64_t which, int64_t row) const {
    const Matrices<T> all(gradients_[which_gradient]);
    return all.at(which) + row * all.columns();
  }

  void run(const Part& part, Memory& m) const {
    for (std::size_t i : {1, 2})
      if (part.of_keys && gradients_[i].defined())
        std::fill(rows_of(i, part.which, part.first_key), rows_of(i, part.which, part.end_key),
                  T(0));
    for (int64_t first = part.first_query; first < part.end_query; first += kQueries) {
      Block block{.which = part.which,
                  .first_query = first,
                  .queries = std::min(kQueries, part.end_query - first),
                  .first_key = part.first_key,
                  .keys = 0};
      const int64_t end = std::min(part.end_key, keys_seen(in_, key_.rows(), first, block.queries));
      m.queries.pack(query_, block.which, first, block.queries, static_cast<T>(in_.scale));
      m.grads.pack(grad_, block.which, first, block.queries, T(1));
      const Sums<T> sums = sums_of(block, m.grads);
      std::fill_n(m.of_queries, kQueries * m.queries.width, T(0));
      for (; block.first_key < end; block.first_key += kKeys) {
        block.keys = std::min(kKeys, end - block.first_key);
        run(part, block, sums, m);
      }
      if (part.of_queries) finish_queries(block, m);
    }
  }

  Sums<T> sums_of(const Block& b, const PackedRows<T>& grads) const {
    Sums<T> sums{};  // zeros make weights of 0 beyond the queries
    const T* const largest = statistics_.at(b.which) + b.first_query;
    std::copy_n(largest, b.queries, sums.largest);
    std::copy_n(largest + query_.rows(), b.queries, sums.factors);
    if (!gradients_[0].defined() && !gradients_[1].defined()) return sums;
    const T* result = result_.at(b.which) + b.first_query * result_.columns();
    for (int64_t q = 0; q < b.queries; ++q, result += result_.columns())
      sums.of_products[q] = static_cast<T>(sum_lanes<double>(result_.columns(), [&](int64_t e) {
        return result[e] * grads.rows[q * grads.width + e];
      }));
    return sums;
  }

  void run(const Part& part, const Block& b, const Sums<T>& sums, Memory& m) const {
    compute_scores(in_, key_, b, m.queries, m.weights);
    detail::run_wide<T>([&] {
      for (int64_t s = 0; s < b.keys; ++s) {
        T* const row = m.weights + s * kQueries;
        exponentials(row, sums.largest, b.width());
        for (int64_t q = 0; q < b.width(); ++q) row[q] *= sums.factors[q];
      }
    });
    if (part.of_keys && gradients_[2].defined())
      add_to_keys(b, m.weights, m.grads, rows_of(2, b.which, b.first_key), value_.columns());
    const bool to_key = part.of_keys && gradients_[1].defined();
    if (!part.of_queries && !to_key) return;
    multiply<T>({.rows = b.keys,
                 .columns = b.width(),
                 .terms = value_.columns(),
                 .a = value_.at(b.which) + b.first_key * value_.row_step(),
                 .a_row = value_.row_step(),
                 .a_term = value_.column_step(),
                 .b = m.grads.across,
                 .b_row = kQueries,
                 .c = m.of_scores,
                 .c_row = kQueries});
    detail::run_wide<T>([&] {
      for (int64_t s = 0; s < b.keys; ++s) {
        const T* const weights = m.weights + s * kQueries;
        T* const row = m.of_scores + s * kQueries;
        for (int64_t q = 0; q < b.width(); ++q)
          row[q] = weights[q] * (row[q] - sums.of_products[q]);
      }
    });
    if (to_key)
      add_to_keys(b, m.of_scores, m.queries, rows_of(1, b.which, b.first_key), key_.columns());
    if (!part.of_queries) return;
    multiply<T>({.rows = key_.columns(),
                 .columns = b.width(),
                 .terms = b.keys,
                 .a = key_.at(b.which) + b.first_key * key_.row_step(),
                 .a_row = key_.column_step(),
                 .a_term = key_.row_step(),
                 .b = m.of_scores,
                 .b_row = kQueries,
                 .c = m.of_queries,
                 .c_row = kQueries,
                 .adds = true});
  }

  /// to (keys, columns) += factors (keys, queries) times what is packed of the queries.
  void add_to_keys(const Block& b, const T* factors, const PackedRows<T>& packed, T* to,
                   int64_t columns) const {
    multiply<T>({.rows = b.keys,
                 .columns = columns,
                 .terms = b.queries,
                 .a = factors,
                 .a_row = kQueries,
                 .a_term = 1,
                 .b = packed.rows,
                 .b_row = packed.width,
                 .c = to,
                 .c_row = columns,
                 .adds = true});
  }

  void finish_queries(const Block& b, Memory& m) const {
    const int64_t columns = query_.columns(), width = m.queries.width;
    PackedRows<T>::transpose(m.rows, width, m.of_queries, kQueries, b.width(), width);
    T* to = rows_of(0, b.which, b.first_query);
    for (int64_t q = 0; q < b.queries; ++q, to += columns)
      for (int64_t e = 0; e < columns; ++e)
        to[e] = m.rows[q * width + e] * static_cast<T>(in_.scale);
  }

  const Attending& in_;
  const AttentionGradients& gradients_;
  const Matrices<const T> query_, key_, value_, grad_, result_, statistics_;
};

void gradient_on_cpu(const Operation&, const AttentionGradients& gradients, const Tensor& grad,
                     const Attended& out, const Attending& in) {
  visit_floating(in.query.dtype(),
                 [&]<typename T>() { Backward<T>(gradients, grad, out, in).run(); });
}

}  // namespace

constinit AttentionGradientKernel attention_gradient_kernel(gradient_on_cpu);

}  // namespace notape
