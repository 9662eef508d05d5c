#include "ops/cpu/lapack.h"

#include <type_traits>

#include "ops/core/kernel_slot.h"
#include "ops/cpu/blas_library.h"

#ifdef NOTAPE_LINKED_LAPACK
extern "C" {
// Their types are lapack::Library's; here only their addresses are taken.
void strsm_();
void sgetrf_();
void sgetrs_();
void spotrf_();
void sgeqrf_();
void sorgqr_();
void ssyevd_();
void sgesdd_();
void dtrsm_();
void dgetrf_();
void dgetrs_();
void dpotrf_();
void dgeqrf_();
void dorgqr_();
void dsyevd_();
void dgesdd_();
}
#endif

namespace notape::lapack {
namespace {

/// One function's names and, where it is linked, addresses: for float and for double.
struct LapackEntry {
  const char *of_float, *of_double;
  void (*float_address)() = nullptr;
  void (*double_address)() = nullptr;
};

#ifdef NOTAPE_LINKED_LAPACK
constexpr LapackEntry kTrsm{"strsm_", "dtrsm_", strsm_, dtrsm_};
constexpr LapackEntry kGetrf{"sgetrf_", "dgetrf_", sgetrf_, dgetrf_};
constexpr LapackEntry kGetrs{"sgetrs_", "dgetrs_", sgetrs_, dgetrs_};
constexpr LapackEntry kPotrf{"spotrf_", "dpotrf_", spotrf_, dpotrf_};
constexpr LapackEntry kGeqrf{"sgeqrf_", "dgeqrf_", sgeqrf_, dgeqrf_};
constexpr LapackEntry kOrgqr{"sorgqr_", "dorgqr_", sorgqr_, dorgqr_};
constexpr LapackEntry kSyevd{"ssyevd_", "dsyevd_", ssyevd_, dsyevd_};
constexpr LapackEntry kGesdd{"sgesdd_", "dgesdd_", sgesdd_, dgesdd_};
#else
constexpr LapackEntry kTrsm{"strsm_", "dtrsm_"};
constexpr LapackEntry kGetrf{"sgetrf_", "dgetrf_"};
constexpr LapackEntry kGetrs{"sgetrs_", "dgetrs_"};
constexpr LapackEntry kPotrf{"spotrf_", "dpotrf_"};
constexpr LapackEntry kGeqrf{"sgeqrf_", "dgeqrf_"};
constexpr LapackEntry kOrgqr{"sorgqr_", "dorgqr_"};
constexpr LapackEntry kSyevd{"ssyevd_", "dsyevd_"};
constexpr LapackEntry kGesdd{"sgesdd_", "dgesdd_"};
#endif

template <typename T, typename Function>
bool find_lapack(const LapackEntry& entry, Function& function) {
  constexpr bool is_float = std::is_same_v<T, float>;
  if (const auto linked = is_float ? entry.float_address : entry.double_address)
    function = reinterpret_cast<Function>(linked);  // NOLINT
  else
    function = reinterpret_cast<Function>(  // NOLINT
        blas::symbol(is_float ? entry.of_float : entry.of_double));
  return function != nullptr;
}

template <typename T>
Library<T> found() {
  Library<T> all;
  const bool complete = find_lapack<T>(kTrsm, all.trsm) && find_lapack<T>(kGetrf, all.getrf) &&
                        find_lapack<T>(kGetrs, all.getrs) && find_lapack<T>(kPotrf, all.potrf) &&
                        find_lapack<T>(kGeqrf, all.geqrf) && find_lapack<T>(kOrgqr, all.orgqr) &&
                        find_lapack<T>(kSyevd, all.syevd) && find_lapack<T>(kGesdd, all.gesdd);
  return complete ? all : Library<T>();
}

}  // namespace

template <typename T>
const Library<T>& library(const Operation& op) {
  // Where opening throws, the next call tries again.
  static const Library<T> opened = found<T>();
  if (!opened.getrf) no_kernel(op, scalar_type_of<T>, kCPU);
  return opened;
}

template const Library<float>& library<float>(const Operation& op);
template const Library<double>& library<double>(const Operation& op);

}  // namespace notape::lapack
