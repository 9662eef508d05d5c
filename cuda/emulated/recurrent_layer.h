// What the emulated cuDNN computes of a layer of an LSTM or GRU along packed sequences, added up in
// double. Weights lie one after the other. As a real one's, its backward by data leaves in the
// reserve space what its backward by weights reads.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/emulated/cudnn_state.h"

namespace emulator {

/// Per row, direction and hidden unit, in numbers of double: gates, what the state was made of, and
/// gradients of the gates.
inline constexpr int kKept = 10;

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// A call's arrays; null ones are zero, or not wanted.
template <typename T>
struct RecurrentLayer {
  cudnnRNNStruct rnn;
  cudnnRNNDataStruct data;
  const T *x = nullptr, *h = nullptr, *c = nullptr, *weights = nullptr;
  double* kept = nullptr;

  int direction = 0;
  std::vector<int64_t> first_row = {};  // of each step

  void begin(int which) {
    direction = which;
    first_row.assign(1, 0);
    for (int t = 0; t < data.steps; ++t) first_row.push_back(first_row.back() + data.present(t));
  }
  int step(int i) const { return direction == 0 ? i : data.steps - 1 - i; }
  const T* matrix(bool of_h) const {
    return weights + direction * rnn.matrices_of_direction() +
           (of_h ? int64_t{rnn.gates()} * rnn.hidden * rnn.input : 0);
  }
  double bias(bool of_h, int row) const {
    if (!rnn.has_biases) return 0;
    return weights[rnn.directions * rnn.matrices_of_direction() +
                   (2 * direction + of_h) * rnn.gates() * rnn.hidden + row];
  }
  double* kept_at(int64_t row, int part) const {
    return kept + ((row * rnn.directions + direction) * kKept + part) * rnn.hidden;
  }
  std::vector<double> state(const T* given) const {
    const auto count =
        static_cast<std::size_t>(data.samples) * static_cast<std::size_t>(rnn.hidden);
    std::vector<double> result(count, 0);
    if (given) std::copy_n(given + direction * static_cast<int64_t>(count), count, result.begin());
    return result;
  }
  void store(T* to, const std::vector<double>& state) const {
    if (to)
      std::transform(state.begin(), state.end(),
                     to + direction * static_cast<int64_t>(state.size()),
                     [](double one) { return static_cast<T>(one); });
  }
  double product(const T* matrix, int row, const auto* vector, int width) const {
    double sum = 0;
    for (int k = 0; k < width; ++k) sum += double(matrix[int64_t{row} * width + k]) * vector[k];
    return sum;
  }

  void forward(T* y, T* last_h, T* last_c) {
    const int hidden = rnn.hidden;
    for (int d = 0; d < rnn.directions; ++d) {
      begin(d);
      std::vector<double> now_h = state(h), now_c = state(c);
      for (int i = 0; i < data.steps; ++i)
        for (int s = 0; s < data.present(step(i)); ++s) {
          const int64_t row = first_row[static_cast<std::size_t>(step(i))] + s;
          double* const own_h = &now_h[static_cast<std::size_t>(s * hidden)];
          double* const own_c = &now_c[static_cast<std::size_t>(s * hidden)];
          const std::vector<double> before(own_h, own_h + hidden);
          for (int j = 0; j < hidden; ++j) {
            double of_x[4], of_h[4];
            for (int g = 0; g < rnn.gates(); ++g) {
              const int r = g * hidden + j;
              of_x[g] = product(matrix(false), r, x + row * rnn.input, rnn.input) + bias(false, r);
              of_h[g] = product(matrix(true), r, before.data(), hidden) + bias(true, r);
            }
            double parts[6];
            if (rnn.is_lstm) {
              for (int g = 0; g < 4; ++g)
                parts[g] = g == 2 ? std::tanh(of_x[g] + of_h[g]) : sigmoid(of_x[g] + of_h[g]);
              parts[4] = own_c[j];
              own_c[j] = parts[1] * own_c[j] + parts[0] * parts[2];
              parts[5] = own_c[j];
              own_h[j] = parts[3] * std::tanh(own_c[j]);
            } else {
              for (int g = 0; g < 2; ++g) parts[g] = sigmoid(of_x[g] + of_h[g]);
              parts[2] = std::tanh(of_x[2] + parts[0] * of_h[2]);
              parts[3] = before[static_cast<std::size_t>(j)];
              parts[4] = of_h[2];
              parts[5] = 0;
              own_h[j] = parts[2] + parts[1] * (parts[3] - parts[2]);
            }
            own_h[j] = static_cast<T>(own_h[j]);
            y[(row * rnn.directions + d) * hidden + j] = static_cast<T>(own_h[j]);
            for (int part = 0; kept && part < 6; ++part) kept_at(row, part)[j] = parts[part];
          }
        }
      store(last_h, now_h);
      if (rnn.is_lstm) store(last_c, now_c);
    }
  }

  /// Gradients of the gates, in what is kept, and of the state before, through all but the weights.
  void through_gates(int64_t row, int j, double& of_h, double& of_c) const {
    const auto at = [&](int part) -> double& { return kept_at(row, part)[j]; };
    if (rnn.is_lstm) {
      const double t = std::tanh(at(5)), e = of_c + of_h * at(3) * (1 - t * t);
      at(6) = e * at(2) * at(0) * (1 - at(0));
      at(7) = e * at(4) * at(1) * (1 - at(1));
      at(8) = e * at(0) * (1 - at(2) * at(2));
      at(9) = of_h * t * at(3) * (1 - at(3));
      of_h = 0;
      of_c = e * at(1);
    } else {
      at(7) = of_h * (at(3) - at(2)) * at(1) * (1 - at(1));
      at(8) = of_h * (1 - at(1)) * (1 - at(2) * at(2));
      at(6) = at(8) * at(4) * at(0) * (1 - at(0));
      at(9) = at(8) * at(0);  // of the part of n that comes from h
      of_h *= at(1);
    }
    for (int part = 0; part < 6; ++part) at(part) = std::nan("");  // it serves once
  }
  int gradient_part(bool of_h, int gate) const {
    return !rnn.is_lstm && of_h && gate == 2 ? 9 : 6 + gate;
  }

  void backward(const T* dy, const T* last_dh, const T* last_dc, T* dx, T* dh, T* dc) {
    const int hidden = rnn.hidden;
    std::vector<double> of_x(static_cast<std::size_t>(data.rows() * rnn.input), 0);
    for (int d = 0; d < rnn.directions; ++d) {
      begin(d);
      std::vector<double> of_h = state(last_dh), of_c = state(last_dc);
      for (int i = data.steps; i-- > 0;)
        for (int s = 0; s < data.present(step(i)); ++s) {
          const int64_t row = first_row[static_cast<std::size_t>(step(i))] + s;
          double* const own = &of_h[static_cast<std::size_t>(s * hidden)];
          for (int j = 0; j < hidden; ++j) {
            own[j] += dy[(row * rnn.directions + d) * hidden + j];
            through_gates(row, j, own[j], of_c[static_cast<std::size_t>(s * hidden + j)]);
          }
          for (int g = 0; g < rnn.gates(); ++g)
            for (int j = 0; j < hidden; ++j) {
              const int64_t r = g * hidden + j;
              const double by_x = kept_at(row, gradient_part(false, g))[j];
              const double by_h = kept_at(row, gradient_part(true, g))[j];
              for (int k = 0; k < rnn.input; ++k)
                of_x[static_cast<std::size_t>(row * rnn.input + k)] +=
                    by_x * matrix(false)[r * rnn.input + k];
              for (int k = 0; k < hidden; ++k) own[k] += by_h * matrix(true)[r * hidden + k];
            }
        }
      store(dh, of_h);
      if (rnn.is_lstm) store(dc, of_c);
    }
    for (std::size_t i = 0; i < of_x.size(); ++i) dx[i] = static_cast<T>(of_x[i]);
  }

  /// Adds to them.
  void gradients_of_weights(const T* y, T* gradients) {
    const int hidden = rnn.hidden;
    std::vector<double> sums(static_cast<std::size_t>(rnn.weights()), 0);
    for (int d = 0; d < rnn.directions; ++d) {
      begin(d);
      const int64_t matrices = d * rnn.matrices_of_direction();
      const int64_t biases =
          rnn.directions * rnn.matrices_of_direction() + int64_t{2} * d * rnn.gates() * hidden;
      const std::vector<double> first = state(h);
      for (int i = 0; i < data.steps; ++i)
        for (int s = 0; s < data.present(step(i)); ++s) {
          const int64_t row = first_row[static_cast<std::size_t>(step(i))] + s;
          const bool is_first = i == 0 || s >= data.present(step(i - 1));
          const auto before = [&](int k) -> double {
            if (is_first) return first[static_cast<std::size_t>(s * hidden + k)];
            const int64_t earlier = first_row[static_cast<std::size_t>(step(i - 1))] + s;
            return y[(earlier * rnn.directions + d) * hidden + k];
          };
          const auto add = [&](int64_t at, double value) {
            sums[static_cast<std::size_t>(at)] += value;
          };
          for (int g = 0; g < rnn.gates(); ++g)
            for (int j = 0; j < hidden; ++j) {
              const int64_t r = g * hidden + j, rows = int64_t{rnn.gates()} * hidden;
              const double by_x = kept_at(row, gradient_part(false, g))[j];
              const double by_h = kept_at(row, gradient_part(true, g))[j];
              for (int k = 0; k < rnn.input; ++k)
                add(matrices + r * rnn.input + k, by_x * x[row * rnn.input + k]);
              for (int k = 0; k < hidden; ++k)
                add(matrices + rows * rnn.input + r * hidden + k, by_h * before(k));
              if (!rnn.has_biases) continue;
              add(biases + r, by_x);
              add(biases + rows + r, by_h);
            }
        }
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
      gradients[i] = static_cast<T>(gradients[i] + sums[i]);
  }
};

}  // namespace emulator
