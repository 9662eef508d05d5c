#include "ops/cpu/blas_threads.h"

#include <mutex>

#include "ops/cpu/blas_library.h"

namespace notape::blas {
namespace {

struct Scopes {
  std::mutex lock;
  int open = 0;
  int before = 1;
};
constinit Scopes scopes;

}  // namespace

OneThread::OneThread(bool is_wanted)
    : is_wanted_(is_wanted && library().get_num_threads && library().set_num_threads) {
  if (!is_wanted_) return;
  const std::lock_guard guard(scopes.lock);
  if (scopes.open++ > 0) return;
  scopes.before = library().get_num_threads();
  if (scopes.before > 1) library().set_num_threads(1);
}

OneThread::~OneThread() {
  if (!is_wanted_) return;
  const std::lock_guard guard(scopes.lock);
  if (--scopes.open > 0 || scopes.before <= 1) return;
  if (library().get_num_threads() == 1) library().set_num_threads(scopes.before);
}

}  // namespace notape::blas
