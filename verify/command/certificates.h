// The commands about certificates that exist already: replay, explain, diff, render.
#pragma once
#include "verify/command/session.h"
#include "verify/report/record.h"

namespace notape::verify {

/// `words` are those after the name. Returns the exit code; throws UsageError or BadCertificate,
/// which is exit code 2.
using CertificateCommand = int (*)(std::vector<std::string> words, const Session& session);

/// The command of this name; null for another word.
CertificateCommand certificate_command(std::string_view name);

/// `notape verify replay`.
int run_replay(std::vector<std::string> words, const Session& session);

/// The certificates of a file whose id the glob matches. Without a glob the file must hold one.
std::vector<Record> choose_certificates(const std::string& path, const std::string& id);

}  // namespace notape::verify
