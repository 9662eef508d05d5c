// A record whose texts may have come from a file or a plugin, made fit to be shown.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

/// Every text as printable() has it: nothing in it acts on a terminal or breaks a report. Names,
/// places and commands become one line; sentences keep their lines.
void make_printable(Record& record);

}  // namespace notape::verify
