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

  /// Of each work that it queues, whether anybody reads what it writes: values that are overwritten
  /// before, results that the row does not return, checks of what is right. Its results have to be
  /// the CPU's.
  std::vector<bool> works() const {
    emulator::take_reads();
    int works = 0;
    EXPECT_TRUE(are_expected(results(kGpu, {0, emulator::Part::None}, &works)))
        << row_ << ", " << one_.label;
    std::vector<bool> reads = emulator::take_reads();
    reads.erase(reads.begin(), reads.begin() + copies_to_gpu_);
    reads.resize(static_cast<std::size_t>(works));
    return reads;
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
    const emulator::Counts before = emulator::take_counts();
    copies_to_gpu_ = before.launches + before.copies;
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
  mutable int copies_to_gpu_ = 0;  // works before those of the operator
};

/// Mutants of rows that no result shows: of 2,437 these 19.
constexpr struct Unseen {
  const char* row;
  int most;
} kUnseen[] = {
    // Which matrices are singular: what is right for these is right for all. And the first number
    // of the copy that brings LU back to where A was: it is A's where no rows are exchanged.
    {"cofactors", 5},
    // The result, where the mask alone is returned.
    {"native_dropout", 1},
    // Entries beside a padding, and of a mask that are false.
    {"conv_transpose3d", 1},
    {"ctc_loss", 1},
    {"masked_select", 1},
    // The first entry of a factor, which is copied onto itself.
    {"linalg_cholesky", 1},
    // Which matrices are not finite: none.
    {"linalg_qr", 6},
    {"linalg_svd", 3},
};

TEST(EachWork, OfARowIsMissedOnceItIsGone) {
  using emulator::Part;
  cuda_device().allocator(0).set_caching(false);  // old results are not taken for new ones
  struct Survivors {
    int count = 0;
    std::string names;
  };
  std::map<std::string, Survivors> survivors;
  int mutants = 0;
  for (const OpSpec* spec : op_specs()) {
    // What one case hides (a gate of zero, positions that repeat), another may show: so cases that
    // queue as much as the first do are asked, too.
    std::vector<Mutant> unseen;
    std::map<int, std::string> names;
    const auto finds = [&](const CaseOfRow& one, Mutant mutant) {
      const std::optional<bool> is_found = one.finds(mutant);
      names[mutant.work] = emulator::name_of_dropped();
      return is_found;
    };
    std::size_t works = 0;
    std::vector<bool> is_read;  // in any case
    for (uint64_t seed = 1; seed < 60 && (works == 0 || !unseen.empty()); ++seed) {
      const CaseOfRow one(*spec, seed);
      if (one.size() < 2 && seed < 19) continue;
      const std::vector<bool> reads = one.works();
      if (works == 0) {
        works = reads.size();
        is_read.resize(works);
        for (const Part part : {Part::All, Part::FirstBlock, Part::FirstThreads})
          for (int n = 1; n <= static_cast<int>(works); ++n) unseen.push_back({n, part});
        std::erase_if(unseen, [&](Mutant mutant) { return !finds(one, mutant); });
        mutants += static_cast<int>(unseen.size());
      }
      if (reads.size() != works) continue;
      std::erase_if(unseen, [&](Mutant mutant) { return finds(one, mutant).value_or(false); });
      for (std::size_t i = 0; i < works; ++i) is_read[i] = is_read[i] || reads[i];
    }
    mutants -= static_cast<int>(std::erase_if(unseen, [&](const Mutant& mutant) {
      return !is_read[static_cast<std::size_t>(mutant.work - 1)];  // as good as gone
    }));
    for (const auto& [n, part] : unseen) {
      Survivors& of_row = survivors[spec->name];
      ++of_row.count;
      of_row.names += "\n  " + std::to_string(n) + ", " + names[n] +
                      (part == Part::All          ? ""
                       : part == Part::FirstBlock ? ": first block"
                                                  : ": first threads");
    }
  }
  cuda_device().allocator(0).set_caching(true);
  RecordProperty("mutants", mutants);
  EXPECT_GT(mutants, 2000);
  for (const Unseen& one : kUnseen) survivors[one.row].count -= one.most;
  for (const auto& [row, more] : survivors) EXPECT_LE(more.count, 0) << row << more.names;
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
