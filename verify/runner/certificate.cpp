#include "verify/runner/certificate.h"

#include <fmt/format.h>

#include "verify/checks/check.h"
#include "verify/runner/saved_case.h"

namespace notape::verify {
void conclude(Certificate& certificate, double power_gate) {
  if (certificate.verdict != Verdict::Pass) return;
  const Undecided& undecided = certificate.undecided;
  const bool nothing = certificate.detectable == 0 && certificate.comparisons > 0 &&
                       check_has_trait(certificate.check, kStatesPower);
  if (nothing && undecided.of > 0 && undecided.entries >= undecided.of) {
    certificate.verdict = Verdict::Unresolved;
    certificate.detail = std::string(kAllUndecided) + undecided.text();
  } else if (nothing && certificate.unresolved == certificate.comparisons) {
    certificate.verdict = Verdict::Unresolved;
    certificate.detail =
        format_message("{}each of {} comparisons could have missed an error of the gradient's size",
                       {std::string(kAllUndecided), certificate.comparisons});
  } else if (certificate.comparisons == 0) {
    certificate.verdict = Verdict::Vacuous;
    certificate.detail = "no comparison was made";
  } else if (2 * certificate.unresolved > certificate.comparisons) {
    certificate.verdict = Verdict::Unresolved;
    certificate.detail = format_message("{} of {} comparisons could not decide",
                                        {certificate.unresolved, certificate.comparisons});
  } else if (certificate.detectable > power_gate) {
    certificate.verdict = Verdict::Unresolved;
    certificate.detail = format_message("an error of {} could have passed, the gate is {}",
                                        {certificate.detectable, power_gate});
  }
}

std::string id_of(const Certificate& certificate) {
  return fmt::format("{}/{}/{}/{}", certificate.spec->name, certificate.check,
                     name_of(certificate.dtype), to_string(certificate.device));
}

std::string in_shell(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/=@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

std::string replay_command(const Certificate& certificate, const std::string& code) {
  // A case of a plugin says where the plugin is.
  return fmt::format(
      "notape verify run {}{} --dtype {}{}{}",
      certificate.origin && code.empty() ? in_shell("plugin:" + certificate.origin->plugin) + " "
                                         : "",
      certificate.spec->name, name_of(certificate.dtype),
      certificate.device.is_cpu() ? "" : " --device " + to_string(certificate.device),
      code.empty() ? "" : " --case " + saved_case_of(certificate, code).on_command_line());
}

}  // namespace notape::verify
