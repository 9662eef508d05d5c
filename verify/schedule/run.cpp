#include "verify/schedule/run.h"

#include "verify/runner/case_source.h"
#include "verify/schedule/slices.h"

namespace notape::verify {

std::vector<Certificate> run(const SpecList& specs, const Options& options, Listener& listener) {
  std::vector<Slice> slices;
  for (const OpSpec* spec : specs)
    for (ScalarType dtype : options.dtypes)
      slices.push_back({spec, dtype, 0, cases_of(*spec, options.samples), /*is_whole=*/true});
  std::vector<Certificate> all;
  bool red = false;
  listener.begin(slices.size());
  run_slices(slices, options, listener, Clock::time_point::max(), [&](std::size_t i, Part part) {
    conclude(part, options);
    listener.part_end(part);
    for (Certificate& certificate : part.certificates) {
      red = red || is_red(certificate.verdict);
      all.push_back(std::move(certificate));
    }
    const bool last_of_operator = (i + 1) % options.dtypes.size() == 0;
    return !(red && options.fail_fast && last_of_operator);
  });
  return all;
}

}  // namespace notape::verify
