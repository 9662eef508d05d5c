// Decompositions with orthogonal factors by LAPACK: QR, eigenvectors and singular values.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/cpu/lapack_matrices.h"
#include "ops/linalg/decompositions.h"

namespace notape {
namespace {

using lapack::as_int, lapack::for_types, lapack::part, lapack::spoiled;

/// A function of LAPACK says in work[0] how much memory it wants when it is asked with size -1.
constexpr blasint kAsk = -1;

template <typename T>
blasint wanted(T answer) {
  // float rounds large sizes, maybe down.
  return static_cast<blasint>(std::nextafter(answer, std::numeric_limits<T>::max()));
}
template <typename T>
std::vector<T> workspace(blasint size) {
  return std::vector<T>(static_cast<std::size_t>(std::max<blasint>(size, 1)));
}

void qr_on_cpu(const Operation& op, const Tensor& matrices, const Tensor& q) {
  const blasint m = as_int(op, matrices.size(1)), n = as_int(op, matrices.size(2));
  const blasint reflectors = std::min(m, n), k = q.defined() ? as_int(op, q.size(2)) : 0;
  if (m == 0) return;
  for_types(op, matrices, [&]<typename T>() {
    const auto& lapack = lapack::library<T>(op);
    blasint info = 0;
    T answer = 0, answer_too = 0;
    T unused = 0;
    lapack.geqrf(&m, &n, &unused, &m, &unused, &answer, &kAsk, &info);
    if (k > 0) lapack.orgqr(&m, &k, &reflectors, &unused, &m, &unused, &answer_too, &kAsk, &info);
    const blasint size = std::max(wanted(answer), wanted(answer_too));
    auto work = workspace<T>(size), tau = workspace<T>(reflectors);
    for (int64_t i = 0; i < matrices.size(0); ++i) {
      if (spoiled<T>(matrices, i, matrices, q)) continue;
      T* a = part<T>(matrices, i);
      if (n > 0) lapack.geqrf(&m, &n, a, &m, tau.data(), work.data(), &size, &info);
      if (k == 0) continue;
      T* to = part<T>(q, i);
      std::copy_n(a, m * std::min(n, k), to);
      lapack.orgqr(&m, &k, &reflectors, to, &m, tau.data(), work.data(), &size, &info);
    }
  });
}

void eigh_on_cpu(const Operation& op, const Tensor& matrices, const Tensor& values, bool vectors,
                 Infos infos) {
  const blasint n = as_int(op, matrices.size(1));
  if (n == 0) return;
  for_types(op, matrices, [&]<typename T>() {
    const auto& lapack = lapack::library<T>(op);
    const char* job = vectors ? "V" : "N";
    blasint info = 0, integers = 0;
    T answer = 0, unused = 0;
    lapack.syevd(job, "L", &n, &unused, &n, &unused, &answer, &kAsk, &integers, &kAsk, &info, 1, 1);
    const blasint size = wanted(answer);
    auto work = workspace<T>(size);
    auto iwork = workspace<blasint>(integers);
    for (int64_t i = 0; i < matrices.size(0); ++i) {
      // What is not read may be NaN.
      for (blasint j = 1; j < n; ++j)
        std::fill_n(part<T>(matrices, i) + static_cast<int64_t>(j) * n, j, T(0));
      if (spoiled<T>(matrices, i, matrices, values)) continue;
      lapack.syevd(job, "L", &n, part<T>(matrices, i), &n, part<T>(values, i), work.data(), &size,
                   iwork.data(), &integers, &info, 1, 1);
      infos.impl().data_as<int32_t>()[i] = info;
    }
  });
}

void svd_on_cpu(const Operation& op, const Tensor& matrices, const Tensor& u, const Tensor& s,
                const Tensor& vh, Infos infos) {
  const blasint m = as_int(op, matrices.size(1)), n = as_int(op, matrices.size(2));
  if (m == 0 || n == 0) return;
  const blasint rows = u.defined() ? as_int(op, vh.size(1)) : 1;
  const bool full = u.defined() && u.size(2) == m && rows == n;
  const char* job = !u.defined() ? "N" : full ? "A" : "S";
  for_types(op, matrices, [&]<typename T>() {
    const auto& lapack = lapack::library<T>(op);
    blasint info = 0;
    T answer = 0, unused = 0;
    auto integers = workspace<blasint>(8 * std::min(m, n));
    lapack.gesdd(job, &m, &n, &unused, &m, &unused, &unused, &m, &unused, &rows, &answer, &kAsk,
                 integers.data(), &info, 1);
    const blasint size = wanted(answer);
    auto work = workspace<T>(size);
    for (int64_t i = 0; i < matrices.size(0); ++i) {
      T* a = part<T>(matrices, i);
      const bool finite = std::all_of(a, a + static_cast<int64_t>(m) * n,
                                      [](T entry) { return std::isfinite(entry); });
      if (finite)
        lapack.gesdd(job, &m, &n, a, &m, part<T>(s, i), u.defined() ? part<T>(u, i) : &unused, &m,
                     u.defined() ? part<T>(vh, i) : &unused, &rows, work.data(), &size,
                     integers.data(), &info, 1);
      infos.impl().data_as<int32_t>()[i] = finite ? info : -1;
    }
  });
}

}  // namespace

constinit QrKernel qr_kernel(qr_on_cpu);
constinit EighKernel eigh_kernel(eigh_on_cpu);
constinit SvdKernel svd_kernel(svd_on_cpu);

}  // namespace notape
