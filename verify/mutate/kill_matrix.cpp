#include "verify/mutate/kill_matrix.h"

#include <algorithm>
#include <ctime>

#include "verify/generate/drawn_case.h"

namespace notape::verify::mutate {
namespace {

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

constexpr LibraryFault kFaults[] = {
    {"M57", "a saved value read after a write, unchecked, in the library",
     alias::Fault::NoVersionCheck},
    {"M58", "view history not rebased, in the library", alias::Fault::StaleViews}};

constexpr LeftOut kLeftOut[] = {
    {"M25", "convention differs between two spellings",
     "no single operator is wrong: it takes a table of the spellings that must agree"},
    {"M36", "pooling border count wrong", "there is no average pooling"}};

LibraryCell hunt_in_library(const LibraryFault& fault, uint64_t seed) {
  constexpr int64_t kPrograms = 1000;
  const std::clock_t start = std::clock();
  alias::CampaignOptions options;
  options.settings.fault = fault.fault;
  options.programs = kPrograms;
  options.seed = seed;
  options.findings = 0;  // no time for shrinking
  options.stop_at_failure = true;
  const alias::CampaignResult result = alias::run_campaign(options);
  return {&fault, result.has_failed(), result.programs, seconds_since(start)};
}

}  // namespace

std::span<const LibraryFault> library_faults() { return kFaults; }
std::span<const LeftOut> left_out() { return kLeftOut; }

int64_t KillMatrix::count(Fate fate) const {
  return std::count_if(cells.begin(), cells.end(),
                       [=](const Cell& cell) { return cell.fate == fate; });
}

int64_t KillMatrix::killed() const {
  return count(Fate::Killed) +
         std::count_if(library.begin(), library.end(), [](const auto& one) { return one.killed; });
}

int64_t KillMatrix::wrong() const {
  return count(Fate::Killed) + count(Fate::Survived) + static_cast<int64_t>(library.size());
}

double KillMatrix::score() const {
  return wrong() == 0 ? 1 : static_cast<double>(killed()) / static_cast<double>(wrong());
}

bool KillMatrix::baseline_is_complete() const {
  return std::none_of(cells.begin(), cells.end(), [](const Cell& cell) {
    return cell.mutant->baseline && cell.fate == Fate::Survived;
  });
}

KillMatrix fill_matrix(const SpecList& specs, const std::vector<const Mutant*>& mutants,
                       const MatrixOptions& options) {
  const std::clock_t start = std::clock();
  KillMatrix matrix{.options = options.hunt};
  uint32_t pair = 0;
  for (const OpSpec* spec : specs) {
    if (options.progress) options.progress(spec->name);
    ++matrix.right_operators;
    matrix.right_cases += 2 * options.right_cases;
    for (FalseAlarm& alarm : false_alarms(*spec, options.hunt, options.right_cases))
      matrix.false_alarms.push_back(std::move(alarm));
    for (const Mutant* mutant : mutants) {
      const uint32_t draw = keyed_bits(static_cast<uint32_t>(options.hunt.seed), 0, pair++);
      if (draw % static_cast<uint32_t>(options.every) != 0 && !mutant->baseline) continue;
      matrix.cells.push_back(hunt(*spec, *mutant, options.hunt));
    }
  }
  if (options.library)
    for (const LibraryFault& fault : kFaults)
      matrix.library.push_back(hunt_in_library(fault, options.hunt.seed));
  matrix.seconds = seconds_since(start);
  return matrix;
}

}  // namespace notape::verify::mutate
