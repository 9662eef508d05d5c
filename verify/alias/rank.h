// Rank: which of several equal processes this one is, as their launcher says it in the environment.
// No MPI library is needed, and MPI_Init() is never called.
#pragma once
#include <optional>
#include <string>

namespace notape::verify::alias {

struct Rank {
  int rank = 0, size = 1;
  std::string job = {};      ///< the same for all ranks of one run
  bool same_machine = true;  ///< whether all ranks are on this machine, as far as known
};

/// None unless a launcher (Open MPI's mpirun; MPICH's, with PMI_RANK and PMI_SIZE) started several.
std::optional<Rank> rank_here();
/// Where ranks of one machine meet by default.
std::string meeting_folder(const Rank& rank);

}  // namespace notape::verify::alias
