// The table of a run: a line per operator as it finishes, failures in full, a line of counts.
#pragma once
#include "verify/runner/runner.h"

namespace notape::verify {

/// The header of the table, for these dtypes.
std::string table_header(const std::vector<ScalarType>& dtypes);
/// One operator: its parts, one per dtype.
std::string table_row(const std::vector<Part>& parts);
/// One red certificate, as a block of lines.
std::string failure_text(const Certificate& certificate);
/// "83 operators, 1,494 checks (166 of them in a new process, in no row): 1,492 pass, 2 fail; 4,980
/// cases, 41.2 s, seed 1"
std::string summary_line(const std::vector<Certificate>& certificates, std::size_t operators,
                         int64_t cases, double seconds, uint64_t seed);
/// A section on every derivative that was not decided at all, and why; empty if there is none.
std::string undecided_section(const std::vector<Certificate>& certificates);
/// Which check is furthest above a power gate, a line per dtype, and how many could not decide
/// though --require-power wants them to; empty where the gates are met.
std::string missed_gates(const std::vector<Certificate>& certificates, const Gates& gates);

}  // namespace notape::verify
