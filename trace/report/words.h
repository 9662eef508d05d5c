// Figures and names as a person reads them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace notape::trace {

/// "43.4 s", "95.7 ms", "5.1 us", "830 ns", "0".
std::string time_words(int64_t ns);
/// "41 %", "0.5 %", "98.4 %"; "none" of a part that is 0; "-" of nothing.
std::string share_words(int64_t part, int64_t whole);
/// The same of a share from 0 to 1.
std::string share_words(double share);
/// "12,345"
std::string count_words(int64_t count);
/// "3 calls", "1 call": the noun gets an "s" unless the count is 1.
std::string count_words(int64_t count, std::string_view noun);
/// "96.6 MiB"
std::string bytes_words(int64_t bytes);
/// "2.89", "0.997", "31.4": about three digits that count.
std::string ratio_words(double ratio);

/// The name with its middle left out if it has more than `most` letters. Cuts between letters.
std::string short_name(std::string_view name, std::size_t most);
/// The part after the last "/".
std::string_view file_name(std::string_view path);

}  // namespace notape::trace
