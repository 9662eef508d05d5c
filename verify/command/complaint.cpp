#include "verify/command/complaint.h"

#include <fmt/format.h>
#include <stdio_ext.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "autograd/printable.h"

namespace notape::verify {
namespace {

// Paths may be long, and have to be seen.
constexpr std::size_t kMostOfAWord = 300, kShownOfIt = 60, kMostOfAComplaint = 4000;

/// A word, or what stands in it between these characters, as parsers take words apart.
std::vector<std::string> pieces_of(const std::string& word) {
  std::vector<std::string> pieces = {word};
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t end = std::min(word.find_first_of("=,:", begin), word.size());
    pieces.push_back(word.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

}  // namespace

std::string complaint(const std::string& message, const std::vector<std::string>& words) {
  std::string text = message;
  for (const std::string& word : words) {
    if (word.size() <= kMostOfAWord) continue;
    for (const std::string& piece : pieces_of(word)) {
      if (piece.size() <= kMostOfAWord) continue;
      const std::string brief = shortened(piece, kShownOfIt);
      for (std::size_t at = 0; (at = text.find(piece, at)) != text.npos; at += brief.size())
        text.replace(at, piece.size(), brief);
    }
  }
  return printable_lines(shortened(text, kMostOfAComplaint));
}

int written_out(std::FILE* out, std::FILE* err, const char* who, int code, int reason) {
  errno = 0;
  if (std::fflush(out) == 0 && !std::ferror(out)) return code;
  if (errno != 0) reason = errno;
  // Whoever read it, as `head` does, wanted no more: the same end as by the signal, and as quietly.
  constexpr int kEndedByPipe = 128 + SIGPIPE;
  if (reason != EPIPE)
    fmt::print(err, "{}: standard output cannot be written{}\n", who,
               reason ? std::string(": ") + std::strerror(reason) : "");
  __fpurge(out);  // or it would be tried, and told, again
  std::clearerr(out);
  return reason == EPIPE ? kEndedByPipe : 2;
}

}  // namespace notape::verify
