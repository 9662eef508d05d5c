#include "verify/mutate/kill_matrix.h"

#include <algorithm>
#include <ctime>

#include "verify/generate/drawn_case.h"
#include "verify/processes/interruption.h"
#include "verify/processes/packed.h"
#include "verify/processes/workers.h"

namespace notape::verify::mutate {

// What a worker says; the rest is in its piece.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cell, fate, leg, as_meant, cases, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LibraryCell, killed, programs, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FalseAlarm, check, dtype, code, message)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KillMatrix, cells, library, false_alarms, right_operators,
                                   right_cases, seconds)

namespace {

constexpr LibraryFault kFaults[] = {
    {"M57", "a saved value read after a write, unchecked, in the library",
     alias::Fault::NoVersionCheck},
    {"M58", "view history not rebased, in the library", alias::Fault::StaleViews}};

constexpr LeftOut kLeftOut[] = {
    {"M25", "convention differs between two spellings",
     "no single operator is wrong: it takes a table of the spellings that must agree"},
    {"M36", "pooling border count wrong",
     "not planted yet: avg_pool2d has a reference that counts by itself"}};

/// A part that can be filled alone: a mutant in an operator; without a mutant, false alarms of the
/// operator; or a library's fault.
struct Piece {
  const OpSpec* spec = nullptr;
  const Mutant* mutant = nullptr;
  const LibraryFault* fault = nullptr;
  bool is_right_operator() const { return spec && !mutant; }
};

/// In the order in which the matrix holds them.
std::vector<Piece> pieces_of(const SpecList& specs, const std::vector<const Mutant*>& mutants,
                             const MatrixOptions& options) {
  std::vector<Piece> pieces;
  uint32_t pair = 0;
  for (const OpSpec* spec : specs) {
    pieces.push_back({.spec = spec});
    for (const Mutant* mutant : mutants) {
      const uint32_t draw = keyed_bits(static_cast<uint32_t>(options.hunt.seed), 0, pair++);
      if (draw % static_cast<uint32_t>(options.every) == 0 || mutant->baseline)
        pieces.push_back({.spec = spec, .mutant = mutant});
    }
  }
  if (options.library)
    for (const LibraryFault& fault : kFaults) pieces.push_back({.fault = &fault});
  return pieces;
}

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

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

/// A matrix of nothing else.
KillMatrix fill(const Piece& piece, const MatrixOptions& options) {
  const std::clock_t start = std::clock();
  KillMatrix part;
  if (piece.fault) {
    part.library.push_back(hunt_in_library(*piece.fault, options.hunt.seed));
  } else if (piece.mutant) {
    part.cells.push_back(hunt(*piece.spec, *piece.mutant, options.hunt));
  } else {
    part.right_operators = 1;
    part.right_cases = 2 * options.right_cases;
    part.false_alarms = false_alarms(*piece.spec, options.hunt, options.right_cases);
  }
  part.seconds = seconds_since(start);
  return part;
}

KillMatrix unpacked_part(const std::string& answer, const Piece& piece) {
  auto part = unpacked<KillMatrix>(answer);
  for (Cell& cell : part.cells)
    std::tie(cell.mutant, cell.spec) = std::tie(piece.mutant, piece.spec);
  for (LibraryCell& cell : part.library) cell.fault = piece.fault;
  for (FalseAlarm& alarm : part.false_alarms) alarm.spec = piece.spec;
  return part;
}

/// A matrix of nothing but the news that filling it ended the process.
KillMatrix crashed(const Piece& piece, const std::string& how) {
  KillMatrix part;
  part.crashes.push_back({piece.fault    ? piece.fault->id
                          : piece.mutant ? piece.mutant->id
                                         : "",
                          piece.spec ? piece.spec->name : "the library", how});
  return part;
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void add(KillMatrix& sum, const KillMatrix& part) {
  append(sum.cells, part.cells);
  append(sum.library, part.library);
  append(sum.false_alarms, part.false_alarms);
  append(sum.crashes, part.crashes);
  sum.right_operators += part.right_operators;
  sum.right_cases += part.right_cases;
  sum.seconds += part.seconds;
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
  const std::vector<Piece> pieces = pieces_of(specs, mutants, options);
  std::vector<KillMatrix> parts(pieces.size());
  std::size_t filled = 0;
  const auto tell = [&](std::size_t i, bool here) {
    if (options.progress && pieces[i].is_right_operator() && here == (options.jobs == 0))
      options.progress(pieces[i].spec->name);
  };
  run_in_workers({.tasks = pieces.size(),
                  .jobs = options.jobs,
                  .run =
                      [&](std::size_t i, ToParent&) {
                        tell(i, /*here=*/true);
                        return packed(fill(pieces[i], options));
                      },
                  .done =
                      [&](std::size_t i, const std::string& answer) {
                        parts[i] = unpacked_part(answer, pieces[i]);
                        ++filled;
                        tell(i, /*here=*/false);
                      },
                  .died =
                      [&](const WorkerDeath& death) {
                        parts[death.task] = crashed(pieces[death.task], death.how);
                        ++filled;
                        return false;
                      }});
  KillMatrix matrix{.options = options.hunt};
  for (const KillMatrix& part : parts) add(matrix, part);
  if (Interruption::requested() && filled < pieces.size())
    matrix.interrupted =
        format_message("{} after {} of {} pairs", {Interruption::name(), filled, pieces.size()});
  return matrix;
}

}  // namespace notape::verify::mutate
