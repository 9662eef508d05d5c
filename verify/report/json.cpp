#include "verify/report/json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "verify/numeric/tolerance.h"
#include "verify/report/location.h"

namespace notape::verify {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN or infinity; and a decimal may not be the whole number.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return {{"decimal", value}, {"hex", fmt::format("{:a}", value)}};
}

Json ladder(const std::vector<Rung>& rungs) {
  Json list = Json::array();
  for (const Rung& rung : rungs)
    list.push_back({{"h", fmt::format("2^-{}", rung.exponent)},
                    {"D", number(static_cast<double>(rung.quotient))},
                    {"R", number(static_cast<double>(rung.extrapolated))},
                    {"e", number(static_cast<double>(rung.error))}});
  return list;
}

Json environment() {
  return {{"compiler", __VERSION__},
          {"contraction", "off"},
          {"fast_math", false},
          {"reference", "binary128"}};
}

void add_failure(Json& json, const Certificate& certificate) {
  const Failure& failure = *certificate.failure;
  json["message"] = failure.outcome.message;
  json["case"] = failure.label;
  json["inputs"] = failure.inputs;
  json["incoming"] = failure.incoming;
  json["blame"] = failure.outcome.blame;
  if (const auto& guilty = failure.outcome.guilty)
    json["guilty"] = {{"where", guilty->where},
                      {"expected", number(guilty->expected)},
                      {"got", number(guilty->got)},
                      {"ulps", number(guilty->ulps)}};
  json["ladder"] = ladder(failure.outcome.rungs);
  json["replay"] = replay_command(certificate, failure.code);
}

}  // namespace

std::string certificate_json(const Certificate& certificate, const Options& options) {
  const OpSpec& spec = *certificate.spec;
  const double epsilon = epsilon_of(certificate.dtype);
  Json json = {{"schema", kCertificateSchema},
               {"id", id_of(certificate)},
               {"verdict", name_of(certificate.verdict)},
               {"detail", certificate.detail},
               {"subject",
                {{"operator", spec.name},
                 {"family", spec.family},
                 {"file", file_of(spec.at)},
                 {"line", spec.at.line()},
                 {"order", spec.order == OpSpec::kAnyOrder ? Json("any") : Json(spec.order)}}},
               {"check", certificate.check},
               {"dtype", name_of(certificate.dtype)},
               {"device", to_string(certificate.device)},
               {"acceptance",
                {{"K", kLadderFactor},
                 {"noise", kNoiseFactor},
                 {"c", rounding_factor(certificate.dtype)},
                 {"epsilon", number(epsilon)},
                 {"gate", power_gate(certificate.dtype)}}},
               {"power", {{"detectable_relative", number(certificate.detectable)}}},
               {"environment", environment()},
               {"random", {{"seed", options.seed}, {"samples", options.samples}, {"generator", 1}}},
               {"cost",
                {{"cases", certificate.cases},
                 {"comparisons", certificate.comparisons},
                 {"unresolved", certificate.unresolved},
                 {"seconds", certificate.seconds}}}};
  if (certificate.failure) add_failure(json, certificate);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace notape::verify
