// How much a command may spend: processes and seconds, as words say it.
#pragma once
#include <string>

namespace notape::verify {

/// 1 to 256. Throws UsageError.
int jobs_of(const std::string& text);
/// 1 to 256. Throws UsageError.
int threads_of(const std::string& text);
/// "90", "90s", "1.5m", "2h". Throws UsageError.
double seconds_of(const std::string& text, const char* option);

}  // namespace notape::verify
