// The families of the corpus, each in the file of its name.
#pragma once
#include "verify/corpus/entry.h"

namespace notape::verify::corpus {

void add_activations(std::vector<Entry>& entries);
void add_piecewise_activations(std::vector<Entry>& entries);
void add_normalisations(std::vector<Entry>& entries);
void add_losses(std::vector<Entry>& entries);
void add_attention(std::vector<Entry>& entries);
void add_physics(std::vector<Entry>& entries);
void add_statistics(std::vector<Entry>& entries);
void add_distances(std::vector<Entry>& entries);
void add_interpolation(std::vector<Entry>& entries);
void add_tables(std::vector<Entry>& entries);
void add_linear_algebra(std::vector<Entry>& entries);
void add_stateful(std::vector<Entry>& entries);
void add_hard_inputs(std::vector<Entry>& entries);
void add_c_pairs(std::vector<Entry>& entries);

}  // namespace notape::verify::corpus
