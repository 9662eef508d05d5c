// Rows of recurrent cells and layers: drawn sizes and parameters, and one plain step of each cell.
#pragma once
#include "ops/spec/op_spec.h"

namespace notape {

enum class PlainCell { RnnTanh, RnnRelu, Gru, Lstm };

OpCase draw_cell(Draw& draw, PlainCell cell);
OpCase draw_layers(Draw& draw, PlainCell cell);
/// Layers run along a packed sequence.
OpCase draw_packed(Draw& draw, PlainCell cell);
/// The row of an operator that is drawn by one of these.
OpSpec recurrent_spec(const char* name, OpCase (*draw)(Draw& draw, PlainCell cell), PlainCell cell);
/// Lengths of some sequences, the longest, at most `most`, first.
std::vector<int64_t> draw_lengths(Draw& draw, int64_t most);

}  // namespace notape
