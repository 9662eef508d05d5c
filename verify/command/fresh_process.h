// Equal bits in a process of its own: other addresses, other contents of fresh memory, no history.
#pragma once
#include "verify/command/session.h"
#include "verify/report/summary.h"

namespace notape::verify {

/// A line for each of the first cases of every operator and dtype: its name, the dtype, the case,
/// and the fingerprints of its result and its gradients.
std::string digests_text(const SpecList& specs, const Options& options);

/// One certificate for every operator and dtype in `here`, named kFreshProcess:
/// NONDETERMINISTIC where `there`, which another process printed, differs.
std::vector<Certificate> compare_digests(const SpecList& specs, const Options& options,
                                         const std::string& here, const std::string& there);

/// compare_digests() with what `program` prints in a new process. None if that cannot be run.
std::vector<Certificate> fresh_process_certificates(const SpecList& specs, const Options& options,
                                                    const std::string& program);

/// `notape verify digests`, which the new process runs: the seed, the dtype names, a comma, the
/// operators. Throws ValueError.
int run_digests(const std::vector<std::string>& words, const Session& session);

/// The file that this process runs; empty if that is unknown.
std::string this_program();

}  // namespace notape::verify
