// The families of the corpus, each in the file of its name.
#pragma once
#include "verify/corpus/entry.h"

namespace notape::verify::corpus {

using AddFamily = void(std::vector<Entry>& entries);
AddFamily add_activations, add_piecewise_activations, add_normalisations, add_losses, add_attention,
    add_physics, add_statistics, add_distances, add_interpolation, add_tables, add_linear_algebra,
    add_stateful, add_hard_inputs, add_c_pairs;

}  // namespace notape::verify::corpus
