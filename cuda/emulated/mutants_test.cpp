// The kernels as they are and without each of their barriers, rows without each kernel and parts of
// them, programs without each wait of a stream for another: who takes one away has to hear of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "cuda/library/library.h"
#include "cuda/testing/every_row.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

using ::testing::IsEmpty;

/// A block of threads at each of three rows.
const Device kGpu(kCUDA);

struct OfRows {
  const char* name;
  std::function<Tensor(const Tensor& x)> f;
  /// Barriers that can go alone. The last one of a block guards scratch memory that only a block
  /// with several slices uses again. In a scan the 16th stands between reads of the lower half and
  /// writes to the upper. In a sum of columns, a thread that adds the third of three rows
  /// adds the second.
  std::vector<int> needless = {};
};
void PrintTo(const OfRows& rows, std::ostream* out) { *out << rows.name; }

class EachBarrier : public ::testing::TestWithParam<OfRows> {};

TEST_P(EachBarrier, IsMissedOnceItIsGone) {
  manual_seed(5);
  const Tensor x = randn({3, 300}, kFloat64), there = x.to(kGpu);
  const Tensor expected = GetParam().f(x);
  const auto is_right = [&] { return allclose(GetParam().f(there).cpu(), expected, 1e-9, 1e-9); };
  EXPECT_TRUE(is_right());
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
  std::vector<int> survivors;
  int mutants = 0;
  for (;; ++mutants) {
    emulator::drop_barrier(mutants + 1);
    bool is_found = false;
    try {
      is_found = !is_right();
    } catch (const DeviceError&) {
      is_found = true;
    }
    emulator::drop_barrier(0);
    is_found |= !emulator::take_findings().empty();
    if (!emulator::has_dropped()) break;
    if (!is_found) survivors.push_back(mutants + 1);
  }
  EXPECT_GT(mutants, 0);
  RecordProperty("mutants", mutants);
  EXPECT_EQ(survivors, GetParam().needless) << "of " << mutants;
}

INSTANTIATE_TEST_SUITE_P(
    Of, EachBarrier,
    ::testing::Values(
        OfRows{"sum", [](const Tensor& x) { return sum(x, {1}); }, {10}},
        OfRows{
            "sum_of_columns", [](const Tensor& x) { return sum(x.t().contiguous(), {0}); }, {7, 8}},
        OfRows{"logsumexp", [](const Tensor& x) { return logsumexp(x, {1}); }, {20}},
        OfRows{"softmax", [](const Tensor& x) { return softmax(x, 1); }, {20}},
        OfRows{"cumsum", [](const Tensor& x) { return cumsum(x, 1); }, {16, 18, 19}},
        OfRows{"max", [](const Tensor& x) { return std::get<0>(max(x, 1)); }, {10}},
        OfRows{"sort", [](const Tensor& x) { return std::get<0>(sort(x.slice(1, 0, 100), 1)); }},
        OfRows{"var", [](const Tensor& x) { return var(x, {1}); }, {20}},
        OfRows{"layer_norm", [](const Tensor& x) { return layer_norm(x, {300}); }, {20}},
        OfRows{"layer_norm_gradient",
               [](const Tensor& x) {
                 const Tensor leaf = x.detach().requires_grad_();
                 return autograd::grad({layer_norm(leaf, {300})}, {leaf}, {x * x})[0];
               },
               {20}},
        OfRows{"nll_loss",
               [](const Tensor& x) {
                 const Tensor labels = zeros({300}, x.options().dtype(kInt64));
                 return nll_loss(x.t(), labels);
               },
               {10}}),
    [](const auto& rows) { return std::string(rows.param.name); });

/// What a row queues to compute its value, and parts of it: the first block, as where a bound is
/// wrong, and the first thread of each block, as where a mask is.
struct Mutant {
  int work;
  emulator::Part part;
};

/// A case of a row, and its results on the CPU.
class CaseOfRow {
 public:
  CaseOfRow(const OpSpec& spec, uint64_t seed) : row_(spec.name) {
    notape::testing::DrawOfSeed draw(seed);
    one_ = spec.draw(draw);
    for (const Argument& argument : one_.arguments)
      drawn_.push_back(notape::testing::draw_argument(argument, draw).detach());
    expected_ = results(kCPU);
  }

  /// Numbers in the result.
  int64_t size() const { return expected_[0].numel(); }

  /// What it queues. Its results have to be the CPU's.
  int count_works() const {
    int works = 0;
    EXPECT_TRUE(are_expected(results(kGpu, {0, emulator::Part::None}, &works)))
        << row_ << ", " << one_.label;
    return works;
  }

  /// Whether somebody hears of it. Nothing, if there is no such part.
  std::optional<bool> finds(Mutant mutant) const {
    bool is_found = false;
    try {
      is_found = !are_expected(results(kGpu, mutant));
      synchronize(kGpu);
    } catch (const Error&) {
      is_found = true;
    }
    emulator::drop_work(0, emulator::Part::None);
    try {  // a wrong position that nobody has waited for yet
      synchronize(kGpu);
    } catch (const Error&) {
      is_found = true;
    }
    is_found |= !emulator::take_findings().empty();
    return emulator::has_dropped() ? std::optional(is_found) : std::nullopt;
  }

 private:
  variable_list results(Device device, Mutant mutant = {0, emulator::Part::None},
                        int* works = nullptr) const {
    variable_list arguments;
    for (const Tensor& tensor : drawn_) arguments.push_back(tensor.clone().to(device));
    manual_seed(3);
    emulator::take_counts();
    emulator::drop_work(mutant.work, mutant.part);
    variable_list all = {one_.call(arguments)};
    if (one_.beside) all.push_back(one_.beside(arguments));
    const emulator::Counts counts = emulator::take_counts();
    if (works) *works = counts.launches + counts.copies;
    for (Tensor& result : all) result = result.cpu();
    return all;
  }
  bool are_expected(const variable_list& there) const {
    for (std::size_t i = 0; i < there.size(); ++i)
      if (!testing::is_close(expected_[i], there[i], 1e-8)) return false;
    return true;
  }

  const char* const row_;
  OpCase one_;
  variable_list drawn_, expected_;
};

/// Mutants of rows that no result shows: of 2,497 these 73.
constexpr struct Unseen {
  const char* row;
  int most;
} kUnseen[] = {
    // Flags of errors that there are not, signs and sums that the row multiplies by 1 or 0, entries
    // beyond the diagonal.
    {"cofactors", 10},
    {"linalg_cholesky", 1},
    {"linalg_eigh", 3},
    {"linalg_inv", 3},
    {"linalg_qr", 6},
    {"linalg_solve", 1},
    {"linalg_solve_triangular", 3},
    {"linalg_svd", 6},
    // Zeros of a padding that is none.
    {"conv1d", 1},
    {"conv1d_padding", 1},
    {"conv3d_padding", 1},
    {"conv_transpose3d", 1},
    {"im2col", 1},
    // Checks of values and positions that are right; of a bag also the copy of its length, where
    // memory holds it from before.
    {"embedding_bag", 10},
    {"index", 1},
    {"index_put", 1},
    {"index_put_accumulate", 1},
    {"native_dropout", 1},
    {"normal", 3},
    // The first copy of what is overwritten, or of a target of which only the type counts.
    {"copy", 3},
    {"fill", 3},
    {"hinge_embedding_loss", 3},
    // Positions of medians, which the row does not return.
    {"median", 3},
    {"median_dim", 3},
    // Entries of a mask that are false.
    {"ctc_loss", 1},
    {"masked_select", 1},
    {"scaled_dot_product_attention", 1},
};

TEST(EachWork, OfARowIsMissedOnceItIsGone) {
  using emulator::Part;
  cuda_device().allocator(0).set_caching(false);  // old results are not taken for new ones
  std::map<std::string, int> survivors;
  int mutants = 0;
  for (const OpSpec* spec : op_specs()) {
    // What one case hides (a gate of zero, positions that repeat), another may show: so cases that
    // queue as much as the first do are asked, too.
    std::vector<Mutant> unseen;
    int works = 0;
    for (uint64_t seed = 1; seed < 60 && (works == 0 || !unseen.empty()); ++seed) {
      const CaseOfRow one(*spec, seed);
      if (one.size() < 2 && seed < 19) continue;
      const int count = one.count_works();
      if (works == 0) {
        works = count;
        for (const Part part : {Part::All, Part::FirstBlock, Part::FirstThreads})
          for (int n = 1; n <= works; ++n) unseen.push_back({n, part});
        std::erase_if(unseen, [&](Mutant mutant) { return !one.finds(mutant); });
        mutants += static_cast<int>(unseen.size());
      }
      if (count == works)
        std::erase_if(unseen, [&](Mutant mutant) { return one.finds(mutant).value_or(false); });
    }
    if (!unseen.empty()) survivors[spec->name] = static_cast<int>(unseen.size());
  }
  cuda_device().allocator(0).set_caching(true);
  RecordProperty("mutants", mutants);
  EXPECT_GT(mutants, 2000);
  for (const Unseen& one : kUnseen) survivors[one.row] -= one.most;
  for (const auto& [row, more] : survivors) EXPECT_LE(more, 0) << row;
}

TEST(EachWait, OfAStreamForAnotherIsMissedOnceItIsGone) {
  const Stream side = new_stream(Device(kCUDA));
  const Tensor made_before = ones({1000}, kGpu);
  const auto program = [&] {
    Event ready, done;
    const Tensor x = made_before + 1;
    ready.record(current_stream(Device(kCUDA)));
    Tensor y;
    {
      const StreamGuard guard(side);
      ready.block(side);
      record_stream(x, side);
      y = x + x;
      done.record(side);
    }
    done.block(current_stream(Device(kCUDA)));
    const Tensor z = y + 1;
    device_interface(kGpu).synchronize(0);
  };
  program();
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
  int waits = 0;
  for (;; ++waits) {
    emulator::drop_wait(waits + 1);
    try {
      program();
    } catch (const DeviceError&) {
    }
    emulator::drop_wait(0);
    const bool is_found = !emulator::take_findings().empty();
    if (!emulator::has_dropped()) break;
    EXPECT_TRUE(is_found) << waits + 1;
  }
  EXPECT_EQ(waits, 2);
}

}  // namespace
}  // namespace notape::cuda
