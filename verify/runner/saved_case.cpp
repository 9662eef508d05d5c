#include "verify/runner/saved_case.h"

namespace notape::verify {
namespace {

constexpr std::string_view kIdDigits = "0123456789abcdefghijklmnopqrstuv";
constexpr char kIdBegins = 'c';

}  // namespace

std::string SavedCase::id() const {
  // FNV-1a, and a mixing of its bits (of splitmix64), as only the lower 55 are shown.
  uint64_t hash = 14695981039346656037u;
  for (const std::string* part : {&op, &dtype, &device, &plugin, &code}) {
    for (const char letter : *part)
      hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211u;
    hash = (hash ^ 0xff) * 1099511628211u;  // no letter of UTF-8
  }
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
  hash ^= hash >> 31;
  std::string text(1, kIdBegins);
  for (; text.size() < kMostCharacters; hash >>= 5) text += kIdDigits[hash & 31];
  return text;
}

std::string SavedCase::on_command_line() const {
  return plugin.empty() && code.size() <= kMostCharacters ? code : id();
}

bool is_case_id(std::string_view word) {
  return word.size() == SavedCase::kMostCharacters && word.front() == kIdBegins &&
         word.find_first_not_of(kIdDigits) == word.npos;
}

SavedCase saved_case_of(const Certificate& certificate, const std::string& code) {
  return {.op = certificate.spec->name,
          .dtype = std::string(name_of(certificate.dtype)),
          .device = to_string(certificate.device),
          .plugin = certificate.origin ? certificate.origin->plugin : "",
          .check = certificate.check,
          .code = code};
}

}  // namespace notape::verify
