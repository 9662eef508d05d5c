// Decompositions by cuSOLVER, which is the emulated one: the CPU's values without a wait, errors
// that name operator and matrix, and what a real one would refuse.
#include <cusolverDn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "autograd/autograd.h"
#include "cuda/cusolver/decomposition_library.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

using emulator::Order;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Device kOfSolver(kCUDA);

struct Decomposition {
  const char* name;
  std::function<TensorList(const Tensor& x)> f;
  /// Of square matrices whose symmetric part is positive definite, else of any.
  bool is_square = true;
};
void PrintTo(const Decomposition& one, std::ostream* out) { *out << one.name; }

template <typename... Results>
TensorList listed(const std::tuple<Results...>& results) {
  return std::apply([](const auto&... each) { return TensorList{each...}; }, results);
}
Tensor symmetric(const Tensor& x) { return x + x.transpose(-2, -1); }
/// Of vectors that are determined but for their signs.
TensorList products_of_svd(const Tensor& x, bool full) {
  const auto [u, s, vh] = linalg_svd(x, full);
  const int64_t k = s.size(-1);
  return {s, matmul(u.narrow(-1, 0, k) * s.unsqueeze(-2), vh.narrow(-2, 0, k)),
          matmul(u.transpose(-2, -1), u), matmul(vh, vh.transpose(-2, -1))};
}
/// Other vectors are the LAPACK's that the emulator shares with the CPU, signs included.
const Decomposition kDecompositions[] = {
    {"cholesky", [](const Tensor& x) { return TensorList{linalg_cholesky(symmetric(x))}; }},
    {"upper", [](const Tensor& x) { return TensorList{linalg_cholesky(symmetric(x), true)}; }},
    {"inv", [](const Tensor& x) { return TensorList{linalg_inv(x)}; }},
    {"inv_of_transposes",
     [](const Tensor& x) { return TensorList{linalg_inv(x.transpose(-2, -1))}; }},
    {"det", [](const Tensor& x) { return TensorList{linalg_det(x)}; }},
    {"slogdet", [](const Tensor& x) { return listed(linalg_slogdet(x.flip({-1}))); }},
    {"solve",
     [](const Tensor& x) { return TensorList{linalg_solve(x, x.narrow(-1, 0, x.size(-1) / 2))}; }},
    {"solve_right",
     [](const Tensor& x) { return TensorList{linalg_solve(x, x.transpose(-2, -1), false)}; }},
    {"triangular",
     [](const Tensor& x) {
       return TensorList{linalg_solve_triangular(x, x, true),
                         linalg_solve_triangular(x * 0.1, x, false, true, true),
                         linalg_solve_triangular(x, x, true, false)};
     }},
    {"eigh", [](const Tensor& x) { return listed(linalg_eigh(symmetric(x))); }},
    {"eigvalsh", [](const Tensor& x) { return TensorList{linalg_eigvalsh(x, "U")}; }},
    {"qr", [](const Tensor& x) { return listed(linalg_qr(x)); }, false},
    {"qr_complete", [](const Tensor& x) { return listed(linalg_qr(x, "complete")); }, false},
    {"r", [](const Tensor& x) { return TensorList{std::get<1>(linalg_qr(x, "r"))}; }, false},
    {"svd", [](const Tensor& x) { return products_of_svd(x, false); }, false},
    {"svd_full", [](const Tensor& x) { return products_of_svd(x, true); }, false},
    {"svdvals", [](const Tensor& x) { return TensorList{linalg_svdvals(x)}; }, false},
};
class Decompositions : public ::testing::TestWithParam<Decomposition> {
 protected:
  void TearDown() override {
    emulator::set_order(Order::Eager);
    EXPECT_THAT(emulator::take_findings(), IsEmpty());
  }
  /// Of (.., m, n).
  static Tensor matrices(std::vector<int64_t> batch, int64_t m, int64_t n, ScalarType type) {
    batch.insert(batch.end(), {m, n});
    const Tensor x = randn(batch, type);
    return GetParam().is_square ? 0.2 * x + static_cast<double>(n) * eye(n, type) : x;
  }
  static void expect_as_on_the_cpu(const Tensor& x, const Tensor& there) {
    const double error = x.scalar_type() == kFloat64 ? 1e-11 : 1e-4;
    emulator::take_counts();
    const TensorList got = GetParam().f(there);
    EXPECT_EQ(emulator::take_counts().waits, 0);
    const TensorList expected = GetParam().f(x);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(allclose(got[i].cpu(), expected[i], error, error))
          << to_string(x.sizes()) << " " << i;
  }
};

TEST_P(Decompositions, AreTheCpusWithoutAWait) {
  manual_seed(3);
  for (const Order order : {Order::Eager, Order::Late, Order::Random}) {
    emulator::set_order(order, 5);
    for (const ScalarType type : {kFloat64, kFloat32})
      for (const std::vector<int64_t>& batch :
           std::vector<std::vector<int64_t>>{{}, {0}, {1}, {5}, {2, 3}})
        for (const auto& [m, n] : {std::pair(0, 0), {1, 1}, {4, 4}, {5, 3}, {3, 5}, {0, 2}, {2, 0}})
          if (m == n || !GetParam().is_square) {
            const Tensor x = matrices(batch, m, n, type);
            expect_as_on_the_cpu(x, x.to(kOfSolver));
          }
  }
}

TEST_P(Decompositions, TakeLargeMatricesAndAnyLayout) {
  manual_seed(4);
  const int64_t n = GetParam().is_square ? 130 : 20;  // these are taken one after another
  const Tensor large = matrices({2}, n, n, kFloat64), x = matrices({3}, 6, 6, kFloat64);
  expect_as_on_the_cpu(large, large.to(kOfSolver));
  expect_as_on_the_cpu(x, x.transpose(0, 2).contiguous().to(kOfSolver).transpose(0, 2));
  expect_as_on_the_cpu(x, x.repeat({1, 1, 2}).to(kOfSolver).narrow(2, 6, 6));
}

TEST_P(Decompositions, AreInOrderOnTwoStreams) {
  const Tensor x = matrices({4}, 5, 5, kFloat64), there = x.to(kOfSolver);
  synchronize(kOfSolver);
  emulator::set_order(Order::Random, 9);
  const TensorList expected = GetParam().f(x);
  std::vector<TensorList> got;
  for (int i = 0; i < 4; ++i) {
    const StreamGuard guard(new_stream(kOfSolver));
    got.push_back(GetParam().f(there));
  }
  synchronize(kOfSolver);
  for (const TensorList& results : got)
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_TRUE(allclose(results[i].cpu(), expected[i], 1e-11, 1e-11));
}

INSTANTIATE_TEST_SUITE_P(Of, Decompositions, ::testing::ValuesIn(kDecompositions),
                         [](const auto& one) { return std::string(one.param.name); });

std::string later_error_of(const std::function<void()>& call) {
  emulator::take_counts();
  call();
  EXPECT_EQ(emulator::take_counts().waits, 0);
  try {
    synchronize(kOfSolver);
  } catch (const LinalgError& error) {
    return error.what_without_backtrace();
  }
  return {};
}

TEST(DecompositionsOnGpu, TellWhichMatrixIsWrongWhenTheProgramWaits) {
  const Tensor one = eye(2, kFloat64), wrong = ones({2, 2}, kFloat64) - 2 * one;  // -1, 1; 1, -1
  const Tensor alone = wrong.to(kOfSolver), both = stack({one, wrong}).to(kOfSolver);
  const Tensor no_number = (both.square() * NAN).select(0, 0);
  EXPECT_THAT(later_error_of([&] { linalg_cholesky(both); }),
              AllOf(HasSubstr("linalg_cholesky: (Batch element 1): The factorization"),
                    HasSubstr("the leading minor of order 1 is not"),
                    HasSubstr("decompositions_test.cpp:")));
  EXPECT_THAT(later_error_of([&] { linalg_cholesky(alone); }),
              AllOf(HasSubstr("linalg_cholesky: The factorization"), Not(HasSubstr("Batch"))));
  EXPECT_THAT(later_error_of([&] { linalg_inv(both); }),
              HasSubstr("linalg_inv: (Batch element 1): The diagonal element 2 is zero"));
  EXPECT_THAT(later_error_of([&] { linalg_inv(alone); }),
              HasSubstr("linalg_inv: The diagonal element 2 is zero"));
  EXPECT_THAT(later_error_of([&] { linalg_solve(both, both); }),
              HasSubstr("linalg_solve: (Batch element 1): The solver failed"));
  EXPECT_THAT(later_error_of([&] { linalg_svd(no_number); }),
              HasSubstr("linalg_svd: The algorithm failed to converge because the input matrix "
                        "contained non-finite values."));
  EXPECT_EQ(later_error_of([&] { linalg_det(both); }), "");
  EXPECT_EQ(later_error_of([&] { linalg_inv(alone + alone.t().triu(1)); }), "");
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
}

TEST(DecompositionsOnGpu, LaunchAsOftenAsIsWrittenHere) {
  const Tensor a = (randn({8, 4, 4}, kFloat64) * 0.1 + eye(4, kFloat64)).to(kOfSolver);
  const Tensor spd = matmul(a, a.transpose(1, 2));
  const auto launches = [](const std::function<void()>& call) {
    emulator::take_counts();
    call();
    const emulator::Counts counts = emulator::take_counts();
    EXPECT_EQ(counts.waits, 0);
    return std::pair(counts.launches, counts.copies);
  };
  // Copies of the operands, zeros for infos, the decomposition, a check, and tril() of a factor.
  // Of several matrices, their addresses are copied from pinned memory.
  EXPECT_EQ(launches([&] { linalg_cholesky(spd); }), std::pair(8, 3));
  EXPECT_EQ(launches([&] { linalg_cholesky(spd[0]); }), std::pair(8, 2));
  EXPECT_EQ(launches([&] { linalg_solve(a, a); }), std::pair(6, 2));
  EXPECT_EQ(launches([&] { linalg_solve(a[0], a[0]); }), std::pair(6, 0));
}

TEST(DecompositionsOnGpu, AreTheCpusWhereCusolverIsMissing) {
  const DecompositionLibrary here = open_decomposition_library("libnotape_cuda_emulated.so");
  EXPECT_EQ(here.version, "12.0.4");
  EXPECT_NE(here.svd, nullptr);
  const DecompositionLibrary missing = open_decomposition_library("libnotape_missing.so");
  EXPECT_THAT(missing.version, HasSubstr("absent (libnotape_missing.so: cannot open"));
  EXPECT_EQ(missing.lu, nullptr);
}

bool are_the_cpus_after_waits() {
  const Tensor x = randn({3, 4, 4}, kFloat64) + 9 * eye(4, kFloat64), there = x.to(kOfSolver);
  for (const Decomposition& one : kDecompositions) {
    emulator::take_counts();
    const TensorList got = one.f(there), expected = one.f(x);
    if (emulator::take_counts().waits == 0) return false;
    for (std::size_t i = 0; i < got.size(); ++i)
      if (!allclose(got[i].cpu(), expected[i], 1e-12, 1e-12)) return false;
  }
  linalg_inv(ones({2, 2}, kOfSolver));
  try {
    synchronize(kOfSolver);
  } catch (const LinalgError&) {
    return true;
  }
  return false;
}

TEST(DecompositionsOnGpuDeathTest, AreSwitchedOffByAVariable) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((::setenv("NOTAPE_NO_CUSOLVER", "1", 1), ::_exit(!are_the_cpus_after_waits())),
              ::testing::ExitedWithCode(0), "");
}

TEST(EmulatedCusolver, RefusesWhatDoesNotFit) {
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t parameters = nullptr;
  cusolverDnCreate(&handle);
  cusolverDnCreateParams(&parameters);
  std::size_t bytes = 0, host_bytes = 0;
  const Tensor x = eye(4, TensorOptions(kFloat64).device(kOfSolver));
  const Tensor work = empty({4096}, TensorOptions(kByte).device(kOfSolver)), info = work[4000];
  double* a = x.data_ptr<double>();
  cusolverDnXpotrf_bufferSize(handle, parameters, CUBLAS_FILL_MODE_LOWER, 4, CUDA_R_64F, a, 4,
                              CUDA_R_64F, &bytes, &host_bytes);
  std::vector<char> host(host_bytes);
  const auto potrf = [&](double* from, int64_t n, int64_t leading, cudaDataType type,
                         std::size_t size, std::size_t host_size) {
    const auto status = cusolverDnXpotrf(handle, parameters, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F,
                                         from, leading, type, work.data_ptr(), size, host.data(),
                                         host_size, static_cast<int*>(info.data_ptr()));
    cudaDeviceSynchronize();
    return status;
  };
  EXPECT_EQ(potrf(a, 4, 4, CUDA_R_64F, bytes, host_bytes), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(potrf(a, 4, 3, CUDA_R_64F, bytes, host_bytes), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(potrf(a, 4, 4, CUDA_R_32F, bytes, host_bytes), CUSOLVER_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(potrf(a, 4, 4, CUDA_R_64F, bytes - 1, host_bytes), CUSOLVER_STATUS_INVALID_WORKSPACE);
  EXPECT_EQ(potrf(a, 4, 4, CUDA_R_64F, bytes, host_bytes - 1), CUSOLVER_STATUS_INVALID_WORKSPACE);
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
  double of_the_cpu[16] = {};
  for (double* const wrong : {of_the_cpu, a + (1 << 20)})
    EXPECT_EQ(potrf(wrong, 4, 4, CUDA_R_64F, bytes, host_bytes), CUSOLVER_STATUS_EXECUTION_FAILED);
  EXPECT_THAT(emulator::take_findings(),
              ::testing::Each(HasSubstr("illegal address: a decomposition")));
}

}  // namespace
}  // namespace notape::cuda
