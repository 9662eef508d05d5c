// The fields of a certificate, once for writing and reading: SCHEMA.md says what they mean.
// An archive is called with a name and a value for each field; object() opens a nested object, and
// optional() visits a value that may be missing.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

inline constexpr const char* kCertificateSchema = "notape.certificate/1";

template <typename Archive>
void fields(Archive& archive, Rung& rung) {
  archive("level", rung.exponent);
  archive("D", rung.quotient);
  archive("R", rung.extrapolated);
  archive("e", rung.error);
  archive("eta", rung.noise);
}

template <typename Archive>
void fields(Archive& archive, Leg& leg) {
  archive("leg", leg.name);
  archive("value", leg.value);
  archive("error", leg.error);
  archive("absent", leg.absent);
}

template <typename Archive>
void fields(Archive& archive, ShownTensor& tensor) {
  archive("shape", tensor.sizes);
  archive("strides", tensor.strides);
  archive("offset", tensor.offset);
  archive("dtype", tensor.dtype);
  archive("device", tensor.device);
  archive("layout", tensor.layout);
  archive("requires_grad", tensor.requires_grad);
  archive("entries", tensor.entries);
  archive("values", tensor.values);
}

template <typename Archive>
void fields(Archive& archive, Guilty& guilty) {
  archive("where", guilty.where);
  archive("expected", guilty.expected);
  archive("got", guilty.got);
  archive("ulps", guilty.ulps);
}

template <typename Archive>
void fields(Archive& archive, Bits& bits) {
  archive("output", bits.output);
  archive("gradients", bits.gradients);
}

/// What a case says about the way it was judged.
template <typename Archive>
void fields(Archive& archive, Evidence& evidence) {
  archive("along", evidence.along);
  archive("S", evidence.scale);
  archive("radius", evidence.radius);
  archive("legs", evidence.legs);
  archive("ladder", evidence.rungs);
}

template <typename Archive>
void fields(Archive& archive, Exhibit& exhibit) {
  Outcome& outcome = exhibit.outcome;
  archive("code", exhibit.code);
  archive("label", exhibit.label);
  archive("verdict", outcome.verdict);
  archive("reason", outcome.reason);
  archive("message", outcome.message);
  archive("blame", outcome.blame);
  archive.optional("guilty", outcome.guilty);
  archive("comparisons", outcome.comparisons);
  archive("unresolved", outcome.unresolved);
  archive("detectable_relative", outcome.detectable);
  archive("direction", outcome.weakest);
  archive("inputs", exhibit.inputs);
  archive.optional("incoming", exhibit.incoming);
  archive.optional("bits", exhibit.bits);
  archive.optional("evidence", exhibit.evidence);
}

template <typename Archive>
void fields(Archive& archive, Undecided& undecided) {
  archive("entries", undecided.entries);
  archive("of", undecided.of);
  archive("slope", undecided.slope);
}

template <typename Archive>
void fields(Archive& archive, NearZero& zeros) {
  archive("entries", zeros.entries);
  archive("of", zeros.of);
  archive("slope", zeros.slope);
}

template <typename Archive>
void fields(Archive& archive, Record& record) {
  archive("id", record.id);
  archive("verdict", record.verdict);
  archive("detail", record.detail);
  archive.object("subject", [&] {
    archive("operator", record.op);
    archive("family", record.family);
    archive("file", record.file);
    archive("line", record.line);
    archive("order", record.order);
    archive.optional("plugin", record.plugin);
  });
  archive("check", record.check);
  archive("dtype", record.dtype);
  archive("device", record.device);
  archive.object("acceptance", [&] {
    archive("K", record.ladder_factor);
    archive("noise", record.noise_factor);
    archive("c", record.rounding_factor);
    archive("epsilon", record.epsilon);
    archive("gate", record.gate);
  });
  archive.object("power", [&] { archive("detectable_relative", record.detectable); });
  archive.optional("undecided", record.undecided);
  archive.optional("near_zero", record.near_zero);
  archive("environment", record.environment);
  archive.object("random", [&] {
    archive("seed", record.seed);
    archive("samples", record.samples);
    archive("generator", record.generator);
  });
  archive.object("cost", [&] {
    archive("cases", record.cases);
    archive("comparisons", record.comparisons);
    archive("unresolved", record.unresolved);
    archive("seconds", record.seconds);
  });
  archive.optional("case", record.exhibit);
  archive("replay", record.replay);
}

}  // namespace notape::verify
