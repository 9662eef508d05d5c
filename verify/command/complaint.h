// How a command ends: what it says about what went wrong, and whether all it said was written.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

namespace notape::verify {

/// A complaint as a terminal may have it: printable, and with long words of the command line, which
/// are known to whoever typed them, shortened.
std::string complaint(const std::string& message, const std::vector<std::string>& words);

/// `code`, unless what was printed to `out` could not be written, as on a full disk: then 2, after
/// one line on `err`, or, where a pipe's reader has gone, 141 without a word, as if SIGPIPE had not
/// been ignored. To be called last. `reason` is the errno of a failure that was seen before.
int written_out(std::FILE* out, std::FILE* err, const char* who, int code, int reason = 0);

}  // namespace notape::verify
