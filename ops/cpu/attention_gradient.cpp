// The gradients of attention on the CPU. With weights p of a query q and the gradient g of its
// result o = sum(p v): dv = p g, and with d = p (v . g - o . g) that of the scores
// dq = scale sum(d k), dk = d scale q. Weights are computed again, block by block. A weight of
// nearly 1 would leave nothing right of its d, a difference of nearly the same numbers; but all d
// of a query come to 0, so this one is what the others lack.
#include "ops/core/run_wide.h"
#include "ops/cpu/attention_blocks.h"

namespace notape {
namespace {

using namespace attention;

/// A block of scores and one of their gradients are kept: of fewer keys than forwards.
inline constexpr int64_t kGradientKeys = 48;

/// Which part of a matrix of scores, and what is to be computed of it.
struct AttentionGradientPart {
  int64_t which;
  int64_t first_query, end_query, first_key, end_key;
  bool of_queries, of_keys;
  bool of_rows = false;  // what Rows know once all keys were seen is kept for others
};

/// What is known of the scores of each query of a block.
template <typename T>
struct AttentionGradientRows {
  T products[kQueries], largest[kQueries], factors[kQueries];  // o . g, and as Attended says
  T others[kQueries];            // the sum of all d but that of the dominating weight
  int64_t dominating[kQueries];  // which key has it; -1: none
};

/// No two weights of a row exceed it, however they are rounded.
inline constexpr double kDominating = 0.75;

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
  void run() {
    const int64_t count = query_.count(), queries = query_.rows(), keys = key_.rows();
    const bool of_queries = gradients_[0].defined();
    const bool of_keys = gradients_[1].defined() || gradients_[2].defined();
    constexpr int64_t kShare = 4 * kGradientKeys;
    const int64_t work = queries * keys * (query_.columns() + value_.columns()) / 4 + 1;
    const auto whole = [&](int64_t which) {
      return AttentionGradientPart{which, 0, queries, 0, keys, of_queries, of_keys};
    };
    if (count >= get_num_threads() || work < 4 * kParallelGrain)
      return share_out(count, work, whole);
    const bool of_rows = gradients_[1].defined();
    if (of_rows) {
      others_ = allocate(IntArrayRef({count, queries}), scalar_type_of<T>, kCPU);
      dominating_ = allocate(IntArrayRef({count, queries}), kInt64, kCPU);
    }
    if (of_queries || of_rows) {
      const int64_t parts = (queries + kQueries - 1) / kQueries;
      share_out(count * parts, work / parts, [&](int64_t i) {
        AttentionGradientPart part = whole(i / parts);
        part.of_keys = false;
        part.of_rows = of_rows;
        part.first_query = i % parts * kQueries;
        part.end_query = std::min(part.first_query + kQueries, queries);
        return part;
      });
    }
    if (of_keys) {
      const int64_t parts = (keys + kShare - 1) / kShare;
      share_out(count * parts, work / parts, [&](int64_t i) {
        AttentionGradientPart part = whole(i / parts);
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
    T *weights, *of_scores, *of_queries;

    Memory(int64_t columns, int64_t value_columns)
        : all(PackedRows<T>::elements(columns) + PackedRows<T>::elements(value_columns) +
              2 * kGradientKeys * kQueries + kQueries * padded(columns)),
          queries(all, columns),
          grads(all, value_columns),
          weights(all.take(kGradientKeys * kQueries)),
          of_scores(all.take(kGradientKeys * kQueries)),
          of_queries(all.take(kQueries * padded(columns))) {}
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
    return all.at(which) + row * all.row_step();
  }

  void clear_rows(std::size_t which_gradient, const AttentionGradientPart& part) const {
    const Matrices<T> all(gradients_[which_gradient]);
    T* to = rows_of(which_gradient, part.which, part.first_key);
    for (int64_t s = part.first_key; s < part.end_key; ++s, to += all.row_step())
      std::fill_n(to, all.columns(), T(0));
  }

  void run(const AttentionGradientPart& part, Memory& m) const {
    for (std::size_t i : {1, 2})
      if (part.of_keys && gradients_[i].defined()) clear_rows(i, part);
    for (int64_t first = part.first_query; first < part.end_query; first += kQueries) {
      Block block{.which = part.which,
                  .first_query = first,
                  .queries = std::min(kQueries, part.end_query - first),
                  .first_key = part.first_key,
                  .keys = 0};
      const int64_t end = std::min(part.end_key, keys_seen(in_, key_.rows(), first, block.queries));
      m.queries.pack(query_, block.which, first, block.queries, static_cast<T>(in_.scale));
      m.grads.pack(grad_, block.which, first, block.queries, T(1));
      AttentionGradientRows<T> rows = rows_of_block(block, m.grads);
      std::fill_n(m.of_queries, kQueries * m.queries.width, T(0));
      for (; block.first_key < end; block.first_key += kGradientKeys) {
        block.keys = std::min(kGradientKeys, end - block.first_key);
        run(part, block, rows, m);
      }
      share_rows(part, block, rows);
      add_dominating(part, block, rows, m);
      if (part.of_queries) finish_queries(block, m);
    }
  }

  AttentionGradientRows<T> rows_of_block(const Block& b, const PackedRows<T>& grads) const {
    AttentionGradientRows<T> rows{};  // zeros make weights of 0 beyond the queries
    std::fill_n(rows.dominating, kQueries, -1);
    const T* const largest = statistics_.at(b.which) + b.first_query;
    std::copy_n(largest, b.queries, rows.largest);
    std::copy_n(largest + query_.rows(), b.queries, rows.factors);
    if (!gradients_[0].defined() && !gradients_[1].defined()) return rows;
    const T* result = result_.at(b.which) + b.first_query * result_.row_step();
    for (int64_t q = 0; q < b.queries; ++q, result += result_.row_step())
      rows.products[q] = static_cast<T>(sum_lanes<double>(result_.columns(), [&](int64_t e) {
        return result[e] * grads.rows[q * grads.width + e];
      }));
    return rows;
  }

  /// Who has seen all keys tells those who see some.
  void share_rows(const AttentionGradientPart& part, const Block& b,
                  AttentionGradientRows<T>& rows) const {
    if (!others_.defined()) return;
    const int64_t place = b.which * query_.rows() + b.first_query;
    T* const others = others_.impl().data_as<T>() + place;
    int64_t* const dominating = dominating_.impl().data_as<int64_t>() + place;
    if (part.of_rows) {
      std::copy_n(rows.others, b.queries, others);
      std::copy_n(rows.dominating, b.queries, dominating);
    } else {
      std::copy_n(others, b.queries, rows.others);
      std::copy_n(dominating, b.queries, rows.dominating);
    }
  }

  void add_dominating(const AttentionGradientPart& part, const Block& b,
                      const AttentionGradientRows<T>& rows, const Memory& m) const {
    const int64_t columns = key_.columns();
    for (int64_t q = 0; q < b.queries; ++q) {
      const int64_t s = rows.dominating[q];
      if (s < part.first_key || s >= part.end_key) continue;
      const T of_score = -rows.others[q];
      const T* const key = key_.at(b.which) + s * key_.row_step();
      if (part.of_queries)
        for (int64_t e = 0; e < columns; ++e)
          m.of_queries[e * kQueries + q] += of_score * key[e * key_.column_step()];
      if (!part.of_keys || !gradients_[1].defined()) continue;
      T* const to = rows_of(1, b.which, s);
      for (int64_t e = 0; e < columns; ++e)
        to[e] += of_score * m.queries.rows[q * m.queries.width + e];
    }
  }

  /// d in place of the products v . g, 0 for dominating weights.
  void through_softmax(const Block& b, const T* weights, T* products,
                       AttentionGradientRows<T>& rows) const {
    using Whole = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    Whole places[kQueries];
    std::fill_n(places, kQueries, Whole(-1));
    detail::run_wide<T>([&] {
      for (int64_t s = 0; s < b.keys; ++s, weights += kQueries, products += kQueries)
        for (int64_t q = 0; q < b.width(); ++q) {
          const bool dominates = weights[q] > T(kDominating);
          const T d = weights[q] * (products[q] - rows.products[q]);
          products[q] = dominates ? T(0) : d;
          rows.others[q] += products[q];
          places[q] = dominates ? static_cast<Whole>(s) : places[q];
        }
    });
    for (int64_t q = 0; q < b.queries; ++q)
      if (places[q] >= 0) rows.dominating[q] = b.first_key + places[q];
  }

  void run(const AttentionGradientPart& part, const Block& b, AttentionGradientRows<T>& rows,
           Memory& m) const {
    compute_scores(in_, key_, b, m.queries, m.weights);
    detail::run_wide<T>([&] {
      for (int64_t s = 0; s < b.keys; ++s) {
        T* const row = m.weights + s * kQueries;
        exponentials(row, rows.largest, b.width());
        for (int64_t q = 0; q < b.width(); ++q) row[q] *= rows.factors[q];
      }
    });
    if (part.of_keys && gradients_[2].defined()) add_to_keys(b, m.weights, m.grads, 2);
    const bool to_key = part.of_keys && gradients_[1].defined();
    if (!part.of_queries && !to_key && !part.of_rows) return;
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
    through_softmax(b, m.weights, m.of_scores, rows);
    if (to_key) add_to_keys(b, m.of_scores, m.queries, 1);
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

  /// Of key or value: gradient (keys, columns) += factors (keys, queries) times what is packed of
  /// the queries.
  void add_to_keys(const Block& b, const T* factors, const PackedRows<T>& packed,
                   std::size_t which_gradient) const {
    const Matrices<T> all(gradients_[which_gradient]);
    multiply<T>({.rows = b.keys,
                 .columns = all.columns(),
                 .terms = b.queries,
                 .a = factors,
                 .a_row = kQueries,
                 .a_term = 1,
                 .b = packed.rows,
                 .b_row = packed.width,
                 .c = rows_of(which_gradient, b.which, b.first_key),
                 .c_row = all.row_step(),
                 .adds = true});
  }

  void finish_queries(const Block& b, Memory& m) const {
    const int64_t columns = query_.columns(), width = m.queries.width;
    T* const rows = m.queries.across;  // these queries are done with
    PackedRows<T>::transpose(rows, width, m.of_queries, kQueries, b.width(), width);
    const int64_t step = Matrices<T>(gradients_[0]).row_step();
    T* to = rows_of(0, b.which, b.first_query);
    for (int64_t q = 0; q < b.queries; ++q, to += step)
      for (int64_t e = 0; e < columns; ++e) to[e] = rows[q * width + e] * static_cast<T>(in_.scale);
  }

  const Attending& in_;
  const AttentionGradients& gradients_;
  const Matrices<const T> query_, key_, value_, grad_, result_, statistics_;
  Tensor others_, dominating_;  // of all queries, where these and keys are shared out
};

void gradient_on_cpu(const Operation&, const AttentionGradients& gradients, const Tensor& grad,
                     const Attended& out, const Attending& in) {
  visit_floating(in.query.dtype(),
                 [&]<typename T>() { Backward<T>(gradients, grad, out, in).run(); });
}

}  // namespace

constinit AttentionGradientKernel attention_gradient_kernel(gradient_on_cpu);

}  // namespace notape
