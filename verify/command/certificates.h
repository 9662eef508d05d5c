// The commands about certificates that exist already: replay, explain, diff, render.
#pragma once
#include "verify/command/session.h"
#include "verify/report/record.h"

namespace notape::verify {

using CertificateCommand = int (*)(std::vector<std::string> words, const Session& session);

/// The command of this name; null for another word.
CertificateCommand certificate_command(std::string_view name);

// Each is in the file of its name; `words` are those after the name. They return the exit code and
// throw UsageError or BadCertificate, which is exit code 2.
int run_replay(std::vector<std::string> words, const Session& session);
int run_explain(std::vector<std::string> words, const Session& session);
int run_diff(std::vector<std::string> words, const Session& session);
int run_render(std::vector<std::string> words, const Session& session);

/// The certificates of a file whose id the glob matches. Without a glob the file must hold one.
std::vector<Record> choose_certificates(const std::string& path, const std::string& id);

}  // namespace notape::verify
