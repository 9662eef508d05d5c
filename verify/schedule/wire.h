// What a child tells its parent, in lines: certificates as JSON, and after those of an operator in
// one dtype a line that closes this part.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

/// Text of a plugin's, fit for a report: one line of at most `longest` characters, no control
/// characters.
std::string tidy(const std::string& text, std::size_t longest = 2000);

/// With the end of the line. What a plugin had a say in is cut to size.
std::string line_of(const Certificate& certificate, const Options& options = {});
std::string line_of(const Part& part);

/// Parts from lines; a last part that was not closed, and a line that was cut short, are left out.
/// Throws BadCertificate.
std::vector<Part> parts_of(std::string_view lines, const OpSpec& spec,
                           const Origin* origin = nullptr);

}  // namespace notape::verify
