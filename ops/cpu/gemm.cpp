// gemm on the CPU: OpenBLAS or oneDNN for large real matrices, blocks of our own for middling ones,
// for few rows of large ones and for all of 16 bits, direct loops for small ones (where a BLAS call
// would cost more than the work) and for integers.
#include "ops/linalg/gemm.h"

#include "ops/core/allocate.h"
#include "ops/cpu/blas.h"
#include "ops/cpu/blas_threads.h"
#include "ops/cpu/block_gemm.h"
#include "ops/cpu/packed_gemm.h"
#include "ops/cpu/small_gemm.h"
#include "ops/cpu/thin_gemm.h"
#include "ops/parallel.h"

namespace notape {
namespace {

/// n m k up to which the direct loops win, for matrices and for a matrix with a vector.
constexpr int64_t kSmallWork = 256, kSmallVectorWork = 1 << 15;
/// n m k of blocks that are worth a thread. Below 100^3 OpenBLAS has other loops, which round in
/// another order; so results hardly ever depend on the number of threads.
constexpr int64_t kBlockWork = 1 << 21;
/// n m k from which on oneDNN wins: measured for 64 to 1024 rows, columns and terms. It depends on
/// the whole product alone, so that this has the same bits each time.
constexpr int64_t kOneDnnWork = 1 << 24;
/// n m k up to which OpenBLAS keeps to one thread by itself.
constexpr int64_t kOneThreadWork = 1 << 18;

template <typename T>
void copy_matrix(const Matrix& to, const Matrix& from) {
  for (int64_t i = 0; i < to.rows; ++i)
    for (int64_t j = 0; j < to.columns; ++j)
      static_cast<T*>(to.data)[i * to.row_stride + j * to.column_stride] =
          static_cast<const T*>(from.data)[i * from.row_stride + j * from.column_stride];
}

/// A factor as BLAS takes it; in memory of its own if neither its rows nor its columns are dense.
template <typename T>
class Factor {
 public:
  explicit Factor(const Matrix& given) {
    if (blas::fits(given)) {
      operand_ = {given};
    } else if (blas::fits(given.transposed())) {
      operand_ = {given.transposed(), CblasTrans};
    } else {
      copy_ = allocate({given.rows, given.columns}, scalar_type_of<T>, kCPU);
      operand_ = {matrix_of(copy_)};
      copy_matrix<T>(operand_.matrix, given);
    }
  }
  operator const blas::Operand&() const { return operand_; }
  /// Of the product's left factor.
  blas::Operand rows(int64_t first, int64_t last) const {
    blas::Operand part = operand_;
    Matrix& m = part.matrix;
    const bool is_transposed = part.transpose == CblasTrans;
    m.data = static_cast<T*>(m.data) + first * (is_transposed ? m.column_stride : m.row_stride);
    (is_transposed ? m.columns : m.rows) = last - first;
    return part;
  }

 private:
  blas::Operand operand_;
  Tensor copy_;
};

template <typename T>
void blas_gemm(const Matrix& result, const Matrix& a, const Matrix& b, T alpha, T beta,
               blas::FloatGemm sgemm = nullptr) {
  if (blas::fits(result)) {
    const auto k = static_cast<blasint>(a.columns);
    blas::gemm(Factor<T>(a), Factor<T>(b), {result}, k, alpha, beta, sgemm);
  } else if (blas::fits(result.transposed())) {  // C^T = B^T A^T
    blas_gemm<T>(result.transposed(), b.transposed(), a.transposed(), alpha, beta, sgemm);
  } else {
    const Tensor dense = allocate({result.rows, result.columns}, scalar_type_of<T>, kCPU);
    copy_matrix<T>(matrix_of(dense), result);
    blas_gemm<T>(matrix_of(dense), a, b, alpha, beta, sgemm);
    copy_matrix<T>(result, matrix_of(dense));
  }
}

Matrix part_of(const Matrix& m, int64_t first_row, int64_t rows, int64_t first_column,
               int64_t columns, std::size_t item) {
  Matrix part = m;
  part.data =
      static_cast<char*>(m.data) +
      (first_row * m.row_stride + first_column * m.column_stride) * static_cast<int64_t>(item);
  part.rows = rows;
  part.columns = columns;
  return part;
}

template <typename T>
constexpr bool is_16_bits = sizeof(T) == 2 && is_floating_v<T>;
/// What products of T are scaled with.
template <typename T>
using Scale = std::conditional_t<is_16_bits<T>, float, T>;

/// Of two factors that both lie transposed oneDNN gives parts other bits than the whole.
bool is_for_onednn(const Matrix& result, const Matrix& a, const Matrix& b) {
  const bool is_turned = result.column_stride != 1;
  const bool both_lie_transposed =
      (a.column_stride == 1) == is_turned && (b.column_stride == 1) == is_turned;
  return !both_lie_transposed && result.rows * result.columns >= kOneDnnWork / a.columns;
}

/// A result in as many blocks as there are threads, each OpenBLAS's work on one of ours: its own
/// threads are slow to wake. Blocks are as square as they can be, since each packs its factors.
template <typename T>
void share_gemm(const Matrix& result, const Matrix& a, const Matrix& b, Scale<T> alpha,
                Scale<T> beta) {
  const int64_t n = result.rows, m = result.columns, k = a.columns;
  const blas::FloatGemm sgemm =
      std::is_same_v<T, float> && is_for_onednn(result, a, b) ? blas::onednn_sgemm() : nullptr;
  const blas::OneThread alone(!is_16_bits<T> && !sgemm);
  const int64_t worth = n * m / std::max<int64_t>(1, kBlockWork / std::max<int64_t>(1, k));
  const int64_t blocks =
      runs_on_one_thread() ? 1 : std::clamp<int64_t>(worth, 1, get_num_threads());
  int64_t down = 1;  // blocks below one another
  for (int64_t d = 2; d <= blocks; ++d)
    if (blocks % d == 0 && n / d + m / (blocks / d) < n / down + m / (blocks / down)) down = d;
  const int64_t across = blocks / down;
  const auto edge = [](int64_t i, int64_t count, int64_t size) {
    constexpr int64_t kTile = 48;  // OpenBLAS's loops take 16 for AVX-512, 12 and 8 for AVX2
    return i == count ? size : size * i / count / kTile * kTile;
  };
  parallel_for(0, blocks, 1, [&](int64_t first, int64_t last) {
    for (int64_t block = first; block < last; ++block) {
      const int64_t i = block / across, j = block % across;
      const int64_t row = edge(i, down, n), rows = edge(i + 1, down, n) - row;
      const int64_t column = edge(j, across, m), columns = edge(j + 1, across, m) - column;
      if (rows == 0 || columns == 0) continue;
      const Matrix part = part_of(result, row, rows, column, columns, sizeof(T));
      const Matrix left = part_of(a, row, rows, 0, k, sizeof(T));
      const Matrix right = part_of(b, 0, k, column, columns, sizeof(T));
      if constexpr (is_16_bits<T>)
        packed_gemm<T>(panel_kernels<T>()[0], part, left, right, alpha, beta);
      else
        blas_gemm<T>(part, left, right, alpha, beta, sgemm);
    }
  });
}

/// A matrix by a column.
template <typename T>
void blas_gemv(const Matrix& result, const Matrix& a, const Matrix& b, T alpha, T beta) {
  const bool steps_fit = b.row_stride >= 1 && result.row_stride >= 1 &&
                         std::max(b.row_stride, result.row_stride) <= blas::kLargestInt;
  if (!steps_fit) return blas_gemm<T>(result, a, b, alpha, beta);
  const Factor<T> factor(a);
  const int64_t grain = std::max<int64_t>(1, 2 * kParallelGrain / a.columns);
  const blas::OneThread alone(a.rows > grain);
  parallel_for(0, a.rows, grain, [&](int64_t first, int64_t last) {
    blas::gemv(factor.rows(first, last),
               {static_cast<T*>(b.data), static_cast<blasint>(b.row_stride)},
               {static_cast<T*>(result.data) + first * result.row_stride,
                static_cast<blasint>(result.row_stride)},
               alpha, beta);
  });
}

template <typename T>
void multiply(const Matrix& result, const Matrix& a, const Matrix& b, Scale<T> alpha,
              Scale<T> beta) {
  if constexpr (is_16_bits<T>) {
    return share_gemm<T>(result, a, b, alpha, beta);
  } else if constexpr (std::is_floating_point_v<T>) {
    const int64_t n = result.rows, m = result.columns, k = a.columns;
    const bool vector = n == 1 || m == 1;
    const bool thin = k <= 1 || (n == 1 && m == 1);
    const bool beyond_blas = std::max({n, m, k}) > blas::kLargestInt;
    if (!thin && !beyond_blas && n * m > (vector ? kSmallVectorWork : kSmallWork) / k) {
      if (m == 1) return blas_gemv<T>(result, a, b, alpha, beta);
      if (n == 1)
        return blas_gemv<T>(result.transposed(), b.transposed(), a.transposed(), alpha, beta);
      if (is_for_blocks(result, b, alpha, beta)) return block_gemm<T>(result, a, b, beta);
      const Matrix columns = result.transposed();
      if (is_for_blocks(columns, a.transposed(), alpha, beta))
        return block_gemm<T>(columns, b.transposed(), a.transposed(), beta);
      if (thin_gemm<T>(result, a, b, alpha, beta) ||
          thin_gemm<T>(columns, b.transposed(), a.transposed(), alpha, beta))
        return;
      if (n * m > kOneThreadWork / k) return share_gemm<T>(result, a, b, alpha, beta);
      return blas_gemm<T>(result, a, b, alpha, beta);
    }
  }
  if constexpr (!is_16_bits<T>) small_gemm<T>(result, a, b, alpha, beta);
}

template <typename T>
void multiply_all(const GemmCall& call) {
  const auto alpha = call.alpha.to<Scale<T>>(), beta = call.beta.to<Scale<T>>();
  Matrix result = call.result, a = call.a, b = call.b;
  if (alpha == Scale<T>(0)) a.columns = b.rows = 0;
  if (call.batch == 1) return multiply<T>(result, a, b, alpha, beta);
  const auto multiply_some = [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      Matrix matrices[] = {result, a, b};
      for (Matrix& each : matrices) each.data = static_cast<T*>(each.data) + i * each.batch_stride;
      multiply<T>(matrices[0], matrices[1], matrices[2], alpha, beta);
    }
  };
  const int64_t terms = std::max<int64_t>(1, a.columns), places = result.rows * result.columns;
  const bool is_shared_by_blas = places > kOneThreadWork / terms;
  if (result.batch_stride == 0 || (is_shared_by_blas && call.batch < get_num_threads()))
    return multiply_some(0, call.batch);
  const int64_t grain = 4 * kParallelGrain / std::max<int64_t>(1, places * terms);
  parallel_for(0, call.batch, std::max<int64_t>(1, grain), multiply_some);
}

void gemm_on_cpu(const Operation& op, const GemmCall& call) {
  if (call.dtype == kBool) no_kernel(op, call.dtype, call.device);
  if (call.result.rows == 0 || call.result.columns == 0) return;
  if (call.dtype == kHalf) return multiply_all<Half>(call);
  if (call.dtype == kBFloat16) return multiply_all<BFloat16>(call);
  visit_computed(call.dtype, [&]<typename T>() {
    if constexpr (!std::is_same_v<T, Bool>) multiply_all<T>(call);
  });
}

}  // namespace

constinit GemmKernel gemm_kernel(gemm_on_cpu);

}  // namespace notape
