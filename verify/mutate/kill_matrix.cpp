#include "verify/mutate/kill_matrix.h"

#include <algorithm>

#include "verify/mutate/pieces.h"
#include "verify/processes/interruption.h"
#include "verify/processes/workers.h"

namespace notape::verify::mutate {
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

void note_interruption(KillMatrix& matrix, std::size_t done, std::size_t planned) {
  if (Interruption::requested() && done < planned)
    matrix.interrupted =
        format_message("{} after {} of {} pairs", {Interruption::name(), done, planned});
}

/// Fills the pieces on workers. A piece that ends its worker is told of; the others are filled.
KillMatrix fill_on_workers(const std::vector<Piece>& pieces, const MatrixOptions& options) {
  std::vector<KillMatrix> parts(pieces.size());
  std::size_t filled = 0;
  run_in_workers(
      {.tasks = pieces.size(),
       .jobs = options.jobs,
       .run = [&](std::size_t i, ToParent&) { return piece_text(fill(pieces[i], options)); },
       .done =
           [&](std::size_t i, const std::string& text) {
             parts[i] = piece_of(text, pieces[i]);
             ++filled;
             if (options.progress && parts[i].right_operators > 0)
               options.progress(pieces[i].spec->name);
           },
       .died =
           [&](const WorkerDeath& death) {
             parts[death.task] = crashed(pieces[death.task], death.how);
             ++filled;
             return false;
           }});
  KillMatrix matrix{.options = options.hunt};
  for (const KillMatrix& part : parts) add(matrix, part);
  note_interruption(matrix, filled, pieces.size());
  return matrix;
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
  if (options.jobs > 0) return fill_on_workers(pieces, options);
  KillMatrix matrix{.options = options.hunt};
  std::size_t filled = 0;
  for (const Piece& piece : pieces) {
    if (Interruption::requested()) break;
    if (options.progress && piece.spec && !piece.mutant) options.progress(piece.spec->name);
    const KillMatrix part = fill(piece, options);
    if (Interruption::requested()) break;  // it may have ended before it found anything
    add(matrix, part);
    ++filled;
  }
  note_interruption(matrix, filled, pieces.size());
  return matrix;
}

}  // namespace notape::verify::mutate
