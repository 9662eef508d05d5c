#include "verify/schedule/run.h"

#include <chrono>

#include "verify/runner/case_source.h"
#include "verify/schedule/slices.h"

namespace notape::verify {

std::vector<Certificate> run(const SpecList& specs, const Options& options, Listener& listener) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto is_late = [&] {
    return options.seconds > 0 &&
           Clock::now() - start >= std::chrono::duration<double>(options.seconds);
  };
  std::vector<Slice> slices;
  for (const OpSpec* spec : specs)
    for (ScalarType dtype : options.dtypes)
      slices.push_back({spec, dtype, cases_of(*spec, options.samples)});
  std::vector<Certificate> all;
  bool red = false;
  listener.begin(slices.size());
  run_slices(slices, options, listener, [&](std::size_t i, Part part) {
    conclude(part, options);
    listener.part_end(part);
    for (Certificate& certificate : part.certificates) {
      red = red || is_red(certificate.verdict);
      all.push_back(std::move(certificate));
    }
    const bool last_of_operator = (i + 1) % options.dtypes.size() == 0;
    return !(last_of_operator && (is_late() || (red && options.fail_fast)));
  });
  return all;
}

}  // namespace notape::verify
