#include "cuda/cudnn/right_engines.h"

#include <cudnn.h>

#include <nlohmann/json.hpp>

#include "autograd/interchange/input_file.h"
#include "autograd/warning.h"

namespace notape::cuda {

const RightEngines* right_engines = nullptr;

namespace {

std::string row_of(std::string_view product, std::string_view dtype, bool tf32,
                   const std::string& problem) {
  return std::string(product) + " " + std::string(dtype) + (tf32 ? " tf32 " : " ") + problem;
}
std::string named(const std::string& row, const std::string& algorithm) {
  return row + " " + algorithm;
}

bool is_row_major(const PlanKey::Sizes& sizes, const PlanKey::Sizes& strides) {
  int expected = 1;
  for (std::size_t d = 4; d-- > 0; expected *= sizes[d])
    if (strides[d] != expected) return false;
  return true;
}

}  // namespace

RightEngines::RightEngines(const std::string& path)
    : RightEngines(interchange::InputFile(path).read_all(), path) {}

RightEngines::RightEngines(std::string_view text, const std::string& path) {
  try {
    const nlohmann::json census = nlohmann::json::parse(text);
    const std::string version = census.at("cudnn");
    if (version != cudnn_version())
      throw FileError("NOTAPE_CUDNN_ENGINES: {} is a census of cuDNN {}, and this is {}", path,
                      version, cudnn_version());
    for (const nlohmann::json& row : census.at("rows")) {
      const std::string of =
          row_of(row.at("product").get<std::string>(), row.at("dtype").get<std::string>(),
                 row.at("tf32").get<bool>(), row.at("problem").get<std::string>());
      problems_.insert(of);
      if (row.at("verdict") == "pass")
        right_.insert(named(of, row.at("algorithm").get<std::string>()));
    }
  } catch (const nlohmann::json::exception& error) {
    throw FileError("NOTAPE_CUDNN_ENGINES: {} is no census of notape verify engines: {}", path,
                    error.what());
  }
}

std::string RightEngines::refusal(const PlanKey& key, const std::string& name) const {
  const std::string problem = problem_text(key);
  const std::string row = row_of(name_of(key.product), name_of(key.dtype),
                                 key.allows_tf32 && key.dtype == kFloat32, problem);
  if (!problems_.contains(row)) {
    warn_once(row.c_str(),
              "NOTAPE_CUDNN_ENGINES: the census has no row of '" + row +
                  "', so that convolution does without cuDNN. notape verify engines --json FILE "
                  "--problem " +
                  problem + " makes some",
              SourceLocation::current());
    return "is in no census";
  }
  if (!is_row_major(key.image, key.image_strides) ||
      !is_row_major(key.response, key.response_strides))
    return "was seen with row-major operands only";
  return right_.contains(named(row, name)) ? "" : "was not found right";
}

std::string cudnn_version() {
  const std::size_t version = cudnnGetVersion();
  const auto part = [&](std::size_t unit) { return std::to_string(version / unit % 100); };
  return part(10000) + "." + part(100) + "." + part(1);
}

}  // namespace notape::cuda
