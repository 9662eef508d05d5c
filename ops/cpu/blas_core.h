// OpenBLAS has several sets of kernels, which it calls cores, and takes one when it is opened. For
// a processor that is newer than it, that may be one for processors of 2004, or one that computes
// wrong products.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string_view>

#include "ops/cpu/blas_library.h"
#include "ops/cpu/onednn.h"

namespace notape::blas {

/// A core each for AVX-512, AVX2, AVX and SSE: the best first, by their names in OPENBLAS_CORETYPE.
inline constexpr std::array<const char*, 4> kCores{"SkylakeX", "Haswell", "Sandybridge", "Nehalem"};

/// The place in kCores of the best core that this processor has the instructions for.
std::size_t best_core();
/// The place in kCores of the one with the same instructions as `core`; none for names that are
/// not known, as those of later OpenBLAS are.
std::optional<std::size_t> rank_of(std::string_view core);

/// Opens OpenBLAS with that core, or with its own choice or the user's if it is null, and closes
/// `before` first: OpenBLAS chooses while it is loaded.
Library open_with_core(const Library& before, const char* core);
using OpenCore = std::function<Library(const Library& before, const char* core)>;

/// OpenBLAS with the best core that multiplies right. Its own choice is kept unless `best` is
/// better; the user's (OPENBLAS_CORETYPE) unless it multiplies wrong or needs instructions that the
/// processor lacks. Warns of what the user should know. Throws BlasMissing if no core is right.
Library choose_core(std::size_t best, bool is_users, const OpenCore& open);

/// Whether products of awkward sizes are right. It takes half a millisecond.
bool multiplies_right(const Library& library);
bool multiplies_right(FloatGemm sgemm);

}  // namespace notape::blas
