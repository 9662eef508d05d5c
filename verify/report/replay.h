// Replay: the case of a certificate run again, and every recorded number compared bit for bit.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

struct Replay {
  /// A number, or a fingerprint of many, that was recorded.
  struct Item {
    std::string leg, name, then, now;
    bool same() const { return then == now; }
  };
  Exhibit again;
  Run run;  ///< the operator's plain run; empty if it throws
  std::vector<Item> items;

  std::size_t differing() const;
  /// That of the case now; NONDETERMINISTIC if it came out differently in the same environment.
  Verdict verdict(const Record& record) const;
};

/// `leg` limits what is compared; empty for everything. Throws BadCertificate if the certificate
/// has no case that this program can run.
Replay replay_case(const Record& record, const OpSpec& spec, const std::string& leg = "");

/// What was compared, and, where bits differ, what differs in the environment.
std::string replay_text(const Record& record, const Replay& replay);
/// Inputs, results and every step.
std::string trace_text(const Replay& replay);

}  // namespace notape::verify
