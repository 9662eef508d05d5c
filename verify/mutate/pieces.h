// Pieces: the parts of a kill matrix that can be filled alone, by this process or a worker.
#pragma once
#include "verify/mutate/kill_matrix.h"

namespace notape::verify::mutate {

/// A mutant in an operator; without a mutant, false alarms of the operator; or a library's fault.
struct Piece {
  const OpSpec* spec = nullptr;
  const Mutant* mutant = nullptr;
  const LibraryFault* fault = nullptr;
};

/// In the order in which the matrix holds them.
std::vector<Piece> pieces_of(const SpecList& specs, const std::vector<const Mutant*>& mutants,
                             const MatrixOptions& options);
/// A matrix of nothing else.
KillMatrix fill(const Piece& piece, const MatrixOptions& options);
/// A matrix of nothing but the news that filling it ended the process.
KillMatrix crashed(const Piece& piece, const std::string& how);
void add(KillMatrix& sum, const KillMatrix& part);

/// What fill() gave, as text and back.
std::string piece_text(const KillMatrix& part);
KillMatrix piece_of(const std::string& text, const Piece& piece);

}  // namespace notape::verify::mutate
