// A record with texts that may come from a file or a plugin, made safe to print.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

/// Every text as printable() has it: nothing in it acts on a terminal or breaks a report. Names,
/// places and commands become one line; sentences keep their lines.
void make_printable(Record& record);

}  // namespace notape::verify
