// Certificates as JSON, one object per check (schema notape.certificate/1, described in SCHEMA.md);
// a bundle is a file with one to a line.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

/// A file that holds no certificates of a schema known here. One line: file, line, field, fault.
struct BadCertificate : ErrorOf<"BadCertificate"> {
  using ErrorOf::ErrorOf;
};

/// One line, without its end.
std::string certificate_json(const Record& record);
/// One line each, with its end.
std::string bundle_json(const std::vector<Record>& records);

/// Reads what certificate_json() wrote. `where` names the line in errors.
Record parse_certificate(std::string_view text, const std::string& where);
/// All certificates of a text; ids are unique. Throws BadCertificate, also if there are none.
std::vector<Record> parse_bundle(std::string_view text, const std::string& name);
/// What a file of certificates holds, which may be compressed, and have `.gz` behind the name that
/// is given. Throws BadCertificate.
std::string bundle_text(const std::string& path);
/// All of its certificates.
std::vector<Record> read_bundle(const std::string& path);

/// The certificate of `spec`, which must outlive it, that was written as `record`. Throws
/// BadCertificate if there is no such check here.
Certificate certificate_of(Record record, const OpSpec& spec, const Origin* origin = nullptr);

}  // namespace notape::verify
