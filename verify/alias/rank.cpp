#include "verify/alias/rank.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <tuple>

namespace notape::verify::alias {
namespace {

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  int value = 0;
  if (!text) return {};
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  return error == std::errc() && *end == '\0' ? std::optional(value) : std::nullopt;
}

std::string word_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? text : "";
}

}  // namespace

std::optional<Rank> rank_here() {
  for (const auto& [rank, size, local] :
       {std::tuple("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"),
        std::tuple("PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS")}) {
    const auto which = number_in(rank), count = number_in(size);
    if (!which || !count || *which < 0 || *which >= *count || *count < 2) continue;
    Rank here{.rank = *which, .size = *count};
    here.same_machine = number_in(local).value_or(*count) == *count;
    for (const char* variable : {"PMIX_NAMESPACE", "PMI_JOBID", "OMPI_MCA_ess_base_jobid"})
      if (here.job.empty()) here.job = word_in(variable);
    if (here.job.empty()) here.job = "of-" + std::to_string(::getppid());
    return here;
  }
  return {};
}

std::string meeting_folder(const Rank& rank) {
  std::string job = rank.job;
  for (char& letter : job)
    if (letter == '/') letter = '-';
  return (std::filesystem::temp_directory_path() /
          ("notape-alias-" + std::to_string(::getuid()) + "-" + job))
      .string();
}

}  // namespace notape::verify::alias
