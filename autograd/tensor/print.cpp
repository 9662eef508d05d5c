// Printing as LibTorch does it: columns of one width, a common scale if needed, then the type.
#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/tensor.h"

namespace notape {
namespace {

constexpr int64_t kLineWidth = 80;

/// The values in row-major order.
std::vector<double> values_of(const Tensor& tensor) {
  const TensorImpl& impl = tensor.impl();
  const Geometry& geometry = impl.geometry();
  std::vector<double> values(static_cast<std::size_t>(geometry.numel()));
  if (values.empty()) return values;
  std::vector<char> bytes(static_cast<std::size_t>(geometry.storage_end()) * tensor.element_size());
  device_interface(tensor.device())
      .copy(bytes.data(), Device(), impl.storage()->data(), tensor.device(), bytes.size());
  visit_type(tensor.dtype(), [&]<typename T>() {
    const T* data = reinterpret_cast<const T*>(bytes.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto rest = static_cast<int64_t>(i);
      int64_t at = geometry.offset();
      for (int d = geometry.dim(); d-- > 0; rest /= geometry.size(d))
        at += rest % geometry.size(d) * geometry.stride(d);
      values[i] = static_cast<double>(data[at]);
    }
  });
  return values;
}

/// How a block of numbers is shown; sets the stream up for it.
struct Format {
  double scale = 1;
  int width = 0;

  Format(std::ostream& out, const double* values, int64_t count) {
    bool integers = true;
    double low = INFINITY, high = INFINITY;  // until the first finite value
    for (int64_t i = 0; i < count; ++i) {
      if (!std::isfinite(values[i])) continue;
      if (values[i] != std::ceil(values[i])) integers = false;
      const double magnitude = std::abs(values[i]);
      low = std::min(low, magnitude);
      high = std::isfinite(high) ? std::max(high, magnitude) : magnitude;
    }
    const auto digits = [](double v) {
      return v == 0 || !std::isfinite(v) ? 1.0 : std::floor(std::log10(v)) + 1;
    };
    choose(out, integers, digits(low), digits(high));
  }

 private:
  void choose(std::ostream& out, bool integers, double low, double high) {
    width = 11;
    if (integers && high <= 9) {
      width = static_cast<int>(high) + 1;
      out << std::defaultfloat;
    } else if (integers || high - low > 4) {
      if (!integers && (std::abs(high) > 99 || std::abs(low) > 99)) ++width;
      out << std::scientific << std::setprecision(4);
    } else {
      out << std::fixed << std::setprecision(4);
      width = high == 0 ? 7 : static_cast<int>(high) + 6;
      if (high > 5 || high < 0) {
        width = 7;
        scale = std::pow(10, high - 1);
      }
    }
  }
};

void print_scale(std::ostream& out, double scale) {
  std::ostringstream text;
  text << std::setprecision(4) << scale;
  out << text.str() << " *\n";
}

void print_matrix(std::ostream& out, const double* values, int64_t rows, int64_t columns,
                  int indent) {
  const Format format(out, values, rows * columns);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const int64_t per_line = std::max<int64_t>((kLineWidth - indent) / (format.width + 1), 1);
  out << margin;
  for (int64_t first = 0; first < columns; first += per_line) {
    const int64_t last = std::min(first + per_line, columns);
    if (per_line < columns) {
      if (first != 0) out << '\n';
      out << "Columns " << first + 1 << " to " << last << margin;
    }
    if (format.scale != 1) {
      print_scale(out, format.scale);
      out << margin;
    }
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = first; column < last; ++column)
        out << (column == first ? "" : " ") << std::setw(format.width)
            << values[row * columns + column] / format.scale;
      out << '\n';
      if (row + 1 < rows) out << margin << (format.scale != 1 ? " " : "");
    }
  }
}

/// Matrices one below the other, titled "(2,1,.,.) = "; the first dimension runs fastest.
void print_matrices(std::ostream& out, const double* values, IntArrayRef sizes) {
  const std::size_t outer = sizes.size() - 2;
  const int64_t rows = sizes[outer], columns = sizes[outer + 1];
  std::vector<int64_t> counter(outer, 0);
  for (bool first = true;; first = false) {
    if (!first) out << '\n';
    out << '(';
    int64_t at = 0;
    for (std::size_t d = 0; d < outer; ++d) {
      at = at * sizes[d] + counter[d];
      out << counter[d] + 1 << ',';
    }
    out << ".,.) = \n";
    print_matrix(out, values + at * rows * columns, rows, columns, 1);
    std::size_t d = 0;
    while (d < outer && ++counter[d] >= sizes[d]) counter[d++] = 0;
    if (d == outer) return;
  }
}

void print_values(std::ostream& out, const std::vector<double>& values, IntArrayRef sizes) {
  if (sizes.empty()) {
    out << std::defaultfloat << values[0] << '\n';
  } else if (values.empty()) {
    return;
  } else if (sizes.size() == 1) {
    const Format format(out, values.data(), sizes[0]);
    if (format.scale != 1) print_scale(out, format.scale);
    for (double value : values) out << std::setw(format.width) << value / format.scale << '\n';
  } else if (sizes.size() == 2) {
    print_matrix(out, values.data(), sizes[0], sizes[1], 0);
  } else {
    print_matrices(out, values.data(), sizes);
  }
}

}  // namespace

std::string Tensor::to_string() const {
  if (!defined()) return "[ Tensor (undefined) ]";
  in_memory("to_string");
  std::ostringstream out;
  print_values(out, values_of(*this), sizes());
  static constexpr const char* kDevices[kDeviceTypes] = {"CPU", "CUDA", "SIM", "Batched"};
  out << "[ " << kDevices[static_cast<int>(device().type)] << type_name_of(dtype()) << "Type{";
  for (std::size_t d = 0; d < sizes().size(); ++d) out << (d ? "," : "") << sizes()[d];
  out << "} ]";
  return out.str();
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << tensor.to_string();
}

}  // namespace notape
