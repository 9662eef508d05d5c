// DrawWatch: what is drawn from which generators.
#pragma once
#include <utility>
#include <vector>

#include "autograd/tensor/generator.h"

namespace notape {

/// In its scope it counts what its thread draws from the generator that was its default one at the
/// beginning. Scopes of a thread end in the order opposite to their beginnings.
class DrawWatch {
 public:
  DrawWatch();
  ~DrawWatch();
  DrawWatch(const DrawWatch&) = delete;
  DrawWatch& operator=(const DrawWatch&) = delete;

  /// The generator as it was at the beginning.
  Generator at_start() const { return at_start_.clone(); }
  /// Whether this thread has drawn and another one has taken numbers of the same sequence
  /// meanwhile.
  bool was_disturbed() const;
  /// Other generators that this thread has drawn from, each with one where it was before.
  using Others = std::vector<std::pair<Generator, Generator>>;
  const Others& others() const { return others_; }

  /// Generators report here, before they give a number.
  static void note(const Generator& generator, uint64_t words) {
    for (DrawWatch* watch = innermost_; watch; watch = watch->outer_)
      if (watch->watched_ == generator)
        watch->words_ += words;
      else
        watch->note_other(generator);
  }

 private:
  void note_other(const Generator& generator);

  static constinit thread_local DrawWatch* innermost_;

  Generator watched_, at_start_;
  uint64_t words_ = 0;
  Others others_;
  DrawWatch* outer_;
};

}  // namespace notape
