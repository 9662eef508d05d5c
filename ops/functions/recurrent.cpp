#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions recurrent_functions([](Functions& f) {
  f("rnn_tanh_cell", rnn_tanh_cell);
  f("rnn_relu_cell", rnn_relu_cell);
  f("gru_cell", gru_cell);
  f("lstm_cell", lstm_cell);
  f.of<Two(X, X, Tensors, bool, I, double, bool, bool, bool)>("rnn_tanh", rnn_tanh);
  f.of<Two(X, X, X, Tensors, bool, I, double, bool, bool)>("rnn_tanh", rnn_tanh);
  f.of<Two(X, X, Tensors, bool, I, double, bool, bool, bool)>("rnn_relu", rnn_relu);
  f.of<Two(X, X, X, Tensors, bool, I, double, bool, bool)>("rnn_relu", rnn_relu);
  f.of<Two(X, X, Tensors, bool, I, double, bool, bool, bool)>("gru", gru);
  f.of<Two(X, X, X, Tensors, bool, I, double, bool, bool)>("gru", gru);
  f.of<Three(X, Tensors, Tensors, bool, I, double, bool, bool, bool)>("lstm", lstm);
  f.of<Three(X, X, Tensors, Tensors, bool, I, double, bool, bool)>("lstm", lstm);
  f("_pack_padded_sequence", _pack_padded_sequence);
  f("_pad_packed_sequence", _pad_packed_sequence);
});

}  // namespace
}  // namespace notape::functions
