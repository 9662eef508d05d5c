// Loops over large tensors, split over threads. The pieces do not depend on the number of threads,
// so neither does a result that is put together from them in order.
#pragma once
#include <algorithm>
#include <cstdint>

namespace notape {

/// How many threads one operation may use. NOTAPE_NUM_THREADS, or one for each processor.
int get_num_threads();
/// Throws ValueError unless `count` > 0.
void set_num_threads(int count);
/// Whether parallel_for() would run here all that it is given: on one thread, or within a piece.
bool runs_on_one_thread();

/// Elements of cheap work that are worth the handing over to another thread.
inline constexpr int64_t kParallelGrain = 32768;

namespace detail {
void run_pieces(int64_t pieces, void (*run)(const void* context, int64_t piece),
                const void* context);
}

/// f(first, last) for [begin, end) in pieces of `grain`, in any order, some at the same time. One
/// piece, a call from within a piece, and a call while another thread's is under way run here and
/// now, in order. Throws what a piece has thrown; pieces that had not begun are then left out.
template <typename F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const F& f) {
  if (end - begin <= grain) {
    if (begin < end) f(begin, end);
    return;
  }
  const auto run_piece = [begin, end, grain, &f](int64_t piece) {
    const int64_t first = begin + piece * grain;
    f(first, std::min(first + grain, end));
  };
  detail::run_pieces((end - begin + grain - 1) / grain,
                     [](const void* context, int64_t piece) {
                       (*static_cast<const decltype(run_piece)*>(context))(piece);
                     },
                     &run_piece);
}

}  // namespace notape
