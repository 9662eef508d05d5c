// The command with operators and streams of a test's own.
#pragma once
#include <cstdio>
#include <string>

#include "autograd/testing/temporary_folder.h"
#include "verify/command/session.h"
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {

struct Said {
  int code = -1;
  std::string out, err;
};

inline std::string contents(std::FILE* file) {
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  return text;
}

/// What `notape verify words...` says and returns where these are the operators.
inline Said say(const std::vector<std::string>& words, const SpecList& specs,
                const char* rc_params = nullptr) {
  std::FILE *out = std::tmpfile(), *err = std::tmpfile();
  Said said;
  said.code = run_session(words, {specs, out, err, rc_params});
  said.out = contents(out);
  said.err = contents(err);
  std::fclose(out);
  std::fclose(err);
  return said;
}

/// `spec` under another name.
inline OpSpec named(const char* name, OpSpec spec) {
  spec.name = name;
  return spec;
}

/// tanh whose gradient is too large by a factor.
inline OpSpec tanh_too_steep(double factor) {
  return unary_mutant(
      [=](const variable_list& x) {
        const auto rule = elementwise(
            [=](const Tensor& grad, const Output& y) { return grad * (1 - square(y)) * factor; });
        return with_derivative(derivative("Mutant", rule), plain_tanh, x[0]);
      },
      plain_tanh);
}
inline OpSpec right_operator() { return named("right", tanh_too_steep(1)); }
inline OpSpec wrong_operator() { return named("wrong", tanh_too_steep(1.5)); }

/// An operator whose call does something else.
template <typename F>
OpSpec operator_that(F act) {
  return named("actor", unary_mutant(
                            [=](const variable_list& x) {
                              act();
                              return tanh(x[0]);
                            },
                            plain_tanh));
}

}  // namespace notape::verify
