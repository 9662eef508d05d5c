// `--shard I/N`, `notape verify merge` and `--budget`: one command's work on any number of
// machines.
#pragma once
#include <optional>

#include "verify/command/session.h"
#include "verify/processes/shards.h"
#include "verify/report/record.h"

namespace notape::verify {

using Answer = int (*)(const std::vector<std::string>& words, const Session& session);

/// If these are words with `--shard I/N`, or of a campaign with `--budget`: does that part of the
/// work by `answer`, and returns the exit code. A shard says nothing of what it found; that is in
/// its file, shard-I-of-N.gz in --out, and its exit code is 0 if that was written. Throws
/// UsageError.
std::optional<int> share_out(std::vector<std::string> words, const Session& session, Answer answer);

/// notape verify merge DIR... [OPTION...]: says by `answer` what the command says that was shared
/// out, from the answers in its shards' files. Names shards that are lost, and how to run them
/// again; then 5 instead of 0. Throws UsageError for shards of two commands or two commits, and for
/// one that is there twice.
int merge_shards(std::vector<std::string> words, const Session& session, Answer answer);

/// "shard 3/4", "shards 1/4 and 3/4"
std::string lost_text(const Shards& shards);

/// Certificates that no task gives, in and out of the shards' answers.
void keep_certificates(Shards& shards, const std::vector<Record>& records);
std::vector<Certificate> kept_certificates(const Shards& shards, const SpecList& specs);

}  // namespace notape::verify
