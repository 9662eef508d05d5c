// Certificates as JSON, one object per check (schema notape.certificate/1); a file of them has one
// to a line.
#pragma once
#include "verify/runner/runner.h"

namespace notape::verify {

inline constexpr const char* kCertificateSchema = "notape.certificate/1";

/// One line, without its end.
std::string certificate_json(const Certificate& certificate, const Options& options);

}  // namespace notape::verify
