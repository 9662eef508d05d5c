// What a user may choose for a run of a program: notape examples run NAME --seed 1 --out pictures.
#pragma once
#include <cstdint>
#include <filesystem>

namespace notape::paper {

/// Quick: the mechanisms and a first part of each training, in a second or two; promises about
/// results of training are then left out.
enum class Length : uint8_t { Full, Quick };

struct Settings {
  uint64_t seed = 0;                    ///< of weights, splits, noise
  Length length = Length::Full;         ///< of training
  std::filesystem::path pictures = {};  ///< the folder they go to; empty: none are made
};

}  // namespace notape::paper
