// What a walk found, as a line of a file and of a table.
#pragma once
#include <nlohmann/json.hpp>

#include "verify/exhaustive/walk.h"

namespace notape::verify::exhaustive {

inline constexpr const char* kSchema = "notape.exhaustive/1";
inline constexpr ScalarType kWalkedTypes[] = {kFloat16, kBFloat16, kFloat32};

using Row = nlohmann::ordered_json;  ///< or a list of them

/// How a walk was made.
struct Circumstances {
  uint64_t stride = 1;
  bool of_pairs = false;
  double seconds = 0;  ///< of one processor
  std::string processor, command;
};
/// "Intel(R) Xeon(R) ..., AVX-512"
std::string processor_and_instructions();

Row row_of(const OpSpec& spec, const OpCase& one, ScalarType dtype, const Findings& findings,
           const Circumstances& made);
bool is_right(const Row& rows);
std::string table_header();
std::string table_row(const Row& row);
/// Why rows need not reach the goal.
std::string reasons_of(const Row& rows);
/// A sentence for everything that is not right.
std::string complaints_of(const Row& rows);
/// The rows, those of the same operator, parameters and dtype replaced.
Row merged(const Row& earlier, const Row& rows);
/// A row is a line.
std::string file_text(const Row& rows);

/// On their way between processes.
std::string packed_findings(const Findings& findings, double seconds);
/// Adds to `seconds`.
Findings unpacked_findings(const std::string& bytes, double& seconds);

}  // namespace notape::verify::exhaustive
