// What is red as annotations of GitHub Actions: `::error file=...,line=...::message`, at most ten,
// then how many more there are.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

std::string github_annotations(const std::vector<Record>& records, const Gates& gates = {});

}  // namespace notape::verify
