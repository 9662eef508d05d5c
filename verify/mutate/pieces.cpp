#include "verify/mutate/pieces.h"

#include <ctime>
#include <nlohmann/json.hpp>

#include "verify/generate/drawn_case.h"

namespace notape::verify::mutate {
namespace {

using Json = nlohmann::json;

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

LibraryCell hunt_in_library(const LibraryFault& fault, uint64_t seed) {
  constexpr int64_t kPrograms = 1000;
  const std::clock_t start = std::clock();
  alias::CampaignOptions options;
  options.settings.fault = fault.fault;
  options.programs = kPrograms;
  options.seed = seed;
  options.findings = 0;  // no time for shrinking
  options.stop_at_failure = true;
  const alias::CampaignResult result = alias::run_campaign(options);
  return {&fault, result.has_failed(), result.programs, seconds_since(start)};
}

/// The check's own name, which outlives the text.
const char* name_of_check(const std::string& name) {
  const Check* check = find_check(name);
  return check ? check->name : "";
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::vector<Piece> pieces_of(const SpecList& specs, const std::vector<const Mutant*>& mutants,
                             const MatrixOptions& options) {
  std::vector<Piece> pieces;
  uint32_t pair = 0;
  for (const OpSpec* spec : specs) {
    pieces.push_back({.spec = spec});
    for (const Mutant* mutant : mutants) {
      const uint32_t draw = keyed_bits(static_cast<uint32_t>(options.hunt.seed), 0, pair++);
      if (draw % static_cast<uint32_t>(options.every) == 0 || mutant->baseline)
        pieces.push_back({.spec = spec, .mutant = mutant});
    }
  }
  if (options.library)
    for (const LibraryFault& fault : library_faults()) pieces.push_back({.fault = &fault});
  return pieces;
}

KillMatrix fill(const Piece& piece, const MatrixOptions& options) {
  const std::clock_t start = std::clock();
  KillMatrix part{.options = options.hunt};
  if (piece.fault) {
    part.library.push_back(hunt_in_library(*piece.fault, options.hunt.seed));
  } else if (piece.mutant) {
    part.cells.push_back(hunt(*piece.spec, *piece.mutant, options.hunt));
  } else {
    part.right_operators = 1;
    part.right_cases = 2 * options.right_cases;
    part.false_alarms = false_alarms(*piece.spec, options.hunt, options.right_cases);
  }
  part.seconds = seconds_since(start);
  return part;
}

KillMatrix crashed(const Piece& piece, const std::string& how) {
  KillMatrix part;
  part.crashes.push_back({piece.fault    ? piece.fault->id
                          : piece.mutant ? piece.mutant->id
                                         : "",
                          piece.spec ? piece.spec->name : "the library", how});
  return part;
}

void add(KillMatrix& sum, const KillMatrix& part) {
  append(sum.cells, part.cells);
  append(sum.library, part.library);
  append(sum.false_alarms, part.false_alarms);
  append(sum.crashes, part.crashes);
  sum.right_operators += part.right_operators;
  sum.right_cases += part.right_cases;
  sum.seconds += part.seconds;
}

std::string piece_text(const KillMatrix& part) {
  Json json = {{"operators", part.right_operators},
               {"right_cases", part.right_cases},
               {"seconds", part.seconds},
               {"alarms", Json::array()}};
  for (const Cell& cell : part.cells)
    json["cell"] = {{"fate", static_cast<int>(cell.fate)},
                    {"leg", cell.leg},
                    {"as_meant", cell.as_meant},
                    {"cases", cell.cases},
                    {"seconds", cell.seconds}};
  for (const LibraryCell& cell : part.library)
    json["library"] = {
        {"killed", cell.killed}, {"programs", cell.programs}, {"seconds", cell.seconds}};
  for (const FalseAlarm& alarm : part.false_alarms)
    json["alarms"].push_back({{"check", alarm.check},
                              {"dtype", static_cast<int>(alarm.dtype)},
                              {"code", alarm.code},
                              {"message", alarm.message}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

KillMatrix piece_of(const std::string& text, const Piece& piece) {
  const Json json = Json::parse(text);
  KillMatrix part;
  part.right_operators = json["operators"];
  part.right_cases = json["right_cases"];
  part.seconds = json["seconds"];
  if (json.contains("cell")) {
    const Json& cell = json["cell"];
    part.cells.push_back({.mutant = piece.mutant,
                          .spec = piece.spec,
                          .fate = static_cast<Fate>(cell["fate"].get<int>()),
                          .leg = name_of_check(cell["leg"]),
                          .as_meant = cell["as_meant"],
                          .cases = cell["cases"],
                          .seconds = cell["seconds"]});
  }
  if (json.contains("library")) {
    const Json& cell = json["library"];
    part.library.push_back({piece.fault, cell["killed"], cell["programs"], cell["seconds"]});
  }
  for (const Json& alarm : json["alarms"])
    part.false_alarms.push_back({piece.spec, name_of_check(alarm["check"]),
                                 static_cast<ScalarType>(alarm["dtype"].get<int>()), alarm["code"],
                                 alarm["message"]});
  return part;
}

}  // namespace notape::verify::mutate
