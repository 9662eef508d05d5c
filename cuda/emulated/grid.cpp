// A block after the other, in any order. A fiber runs one thread of the block after the other until
// one has to wait; then another fiber goes on, so that kernels without barriers switch never. Which
// goes first is drawn: code that relies on an order fails.
#include "cuda/emulated/grid.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <vector>

#include "cuda/emulated/emulator.h"
#include "cuda/emulated/findings.h"
#include "cuda/emulated/work.h"

namespace emulator {
namespace {

constexpr std::size_t kGuard = 4096;
constexpr uint32_t kLanes = 32;

struct Indices {
  uint3 thread, block;
  dim3 block_size, grid_size;
};

enum class State { New, Ready, InBlock, InWarp, Done };

/// Of __builtin_setjmp, which keeps three words: a barrier of a block is two jumps for each thread.
using Jump = void* [5];

struct Fiber {
  ucontext_t context;
  Jump at;
  char* stack = nullptr;
  bool is_started = false;
  Fiber* next = nullptr;  // in the list of idle ones
};

struct Member {
  State state = State::New;
  Fiber* fiber = nullptr;
  uint3 index{};
  unsigned mask = 0;           // the lanes that it waits for
  const char* file = nullptr;  // the barrier that it waits at
  int line = 0;
  int barriers = 0;  // that it has come to
};

struct Warp {
  uint32_t meetings = 0;
  Given given[2][kLanes];  // a lane may be at the next meeting before others have read the last
};

struct Block {
  std::vector<Member> threads;
  std::vector<Warp> warps;
  std::vector<uint32_t> fresh, ready;  // threads that may run
  uint32_t waiting = 0, done = 0;
};

Indices now;
std::minstd_rand random_numbers;
Block block;
uint32_t first_of_block = 0;  // thread of the grid
uint32_t current = 0;         // thread of the block
Fiber* fiber = nullptr;
Fiber* idle = nullptr;
Jump scheduler, fault;
Thread body = nullptr;
void* body_arguments = nullptr;
std::string name;
uint32_t block_numbers = 0;
int barrier_to_drop = 0;

/// A number below `end`. Without a division: each thread of a grid draws one.
uint32_t draw(std::size_t end) {
  return static_cast<uint32_t>((random_numbers() - random_numbers.min()) * uint64_t{end} >> 31);
}

[[noreturn, gnu::noinline]] void back_to_scheduler() { __builtin_longjmp(scheduler, 1); }

void make_current(uint32_t thread) {
  current = thread;
  stack = fiber->stack;
  block.threads[thread].fiber = fiber;
  now.thread = block.threads[thread].index;
  here.thread = first_of_block + thread;
  here.warp_phase = block.warps[thread / kLanes].meetings;
}

uint32_t take(std::vector<uint32_t>& from) {
  const uint32_t at = draw(from.size()), thread = from[at];
  from[at] = from.back();
  from.pop_back();
  return thread;
}

void fiber_main() {
  for (;;) {
    while (!block.fresh.empty() && (block.ready.empty() || draw(2) == 0)) {
      make_current(take(block.fresh));
      body(body_arguments);
      block.threads[current].state = State::Done;
      ++block.done;
    }
    Fiber* const self = fiber;
    self->next = idle;
    idle = self;
    if (__builtin_setjmp(self->at) == 0) back_to_scheduler();
  }
}

Fiber* idle_fiber() {
  if (idle) return std::exchange(idle, idle->next);
  auto* const made = new Fiber;
  void* const memory = ::mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::mprotect(memory, kGuard, PROT_NONE);
  made->stack = static_cast<char*>(memory);
  return made;
}

[[gnu::noinline]] void go_on(Fiber* with) {
  fiber = with;
  if (with->is_started) __builtin_longjmp(with->at, 1);
  with->is_started = true;
  ::getcontext(&with->context);
  with->context.uc_stack.ss_sp = with->stack;
  with->context.uc_stack.ss_size = kStack;
  ::makecontext(&with->context, fiber_main, 0);
  ::setcontext(&with->context);
}

void wait(State state) {
  block.threads[current].state = state;
  Fiber* const self = fiber;
  if (__builtin_setjmp(self->at) == 0) back_to_scheduler();
}

void make_ready(uint32_t thread) {
  block.threads[thread].state = State::Ready;
  block.ready.push_back(thread);
}

std::string barrier_of(const Member& thread) {
  const std::string file = thread.file;
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(thread.line);
}

/// All that have not ended are there.
void open_barrier() {
  const Member* first = nullptr;
  for (uint32_t i = 0; i < block.threads.size(); ++i) {
    const Member& one = block.threads[i];
    if (one.state != State::InBlock) continue;
    if (!first) first = &one;
    if (one.line != first->line || one.file != first->file)
      found("barrier: threads of a block of " + name + " wait at different ones, " +
            barrier_of(*first) + " and " + barrier_of(one));
    make_ready(i);
  }
  block.waiting = 0;
  ++here.phase;
}

[[noreturn]] void end_in_deadlock() {
  for (const Member& thread : block.threads)
    if (thread.state == State::InWarp || thread.state == State::InBlock) {
      found("deadlock: threads of " + name + " wait for others that do not come" +
            (thread.state == State::InBlock ? ", " + barrier_of(thread) : ""));
      break;
    }
  end_kernel();
}

void run_block() {
  block.fresh.resize(block.threads.size());
  for (uint32_t i = 0; i < block.fresh.size(); ++i) block.fresh[i] = i;
  block.ready.clear();
  block.waiting = block.done = 0;
  if (missing_part == Part::FirstThreads) {  // as if it had returned at once
    block.fresh.erase(block.fresh.begin());
    block.threads[0].state = State::Done;
    block.done = 1;
  }
  for (Warp& warp : block.warps) warp.meetings = 0;
  here.phase = 0;
  here.block = ++block_numbers;
  static_cast<void>(__builtin_setjmp(scheduler));  // fibers come back here
  if (!block.ready.empty() && (block.fresh.empty() || draw(2) == 0)) {
    const uint32_t thread = take(block.ready);
    fiber = block.threads[thread].fiber;
    make_current(thread);
    go_on(fiber);
  }
  if (!block.fresh.empty()) go_on(idle_fiber());
  if (block.waiting > 0 && block.waiting + block.done == block.threads.size()) {
    open_barrier();
    back_to_scheduler();
  }
  if (block.done < block.threads.size()) end_in_deadlock();
}

uint3 position_in(dim3 size, uint32_t i) {
  return {i % size.x, i / size.x % size.y, i / size.x / size.y};
}

}  // namespace

std::atomic<void*> runner = nullptr;
Place here;
const char* stack = nullptr;

const std::string& kernel_name() { return name; }
unsigned lane() { return current % kLanes; }
unsigned index_now(int which) { return reinterpret_cast<const unsigned*>(&now)[which]; }
void end_kernel() { __builtin_longjmp(fault, 1); }

bool run_grid(dim3 grid, dim3 size, uint32_t launch, const std::string& kernel, Thread thread,
              void* arguments) {
  const uint32_t threads = size.x * size.y * size.z;
  random_numbers.seed(launch * 2654435761u);  // else neighbours begin alike
  name = kernel;
  body = thread;
  body_arguments = arguments;
  here.launch = launch;
  const dim3 before = std::exchange(now.block_size, size);
  now.grid_size = grid;
  if (before.x != size.x || before.y != size.y || before.z != size.z) {
    block.threads.assign(threads, Member{});
    block.warps.resize((threads + kLanes - 1) / kLanes);
    for (uint32_t i = 0; i < threads; ++i) block.threads[i].index = position_in(size, i);
  }
  std::vector<uint32_t> order(std::size_t{grid.x} * grid.y * grid.z);
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random_numbers);
  runner = __builtin_thread_pointer();
  const bool is_well = __builtin_setjmp(fault) == 0;
  if (is_well) {
    was_dropped |= missing_part != Part::None;
    for (const uint32_t i : order) {
      if (i == 0 && missing_part == Part::FirstBlock) continue;
      const uint3 at = position_in(grid, i);
      now.block = at;
      first_of_block = i * threads;
      for (Member& one : block.threads) {
        one.state = State::New;
        one.barriers = 0;
      }
      run_block();
    }
  } else {
    idle = nullptr;  // fibers that stopped in the middle are not used again
  }
  runner = nullptr;
  return is_well;
}

Part missing_part = Part::None;
void drop_barrier(int n) { barrier_to_drop = n; }

void meet_in_block(const char* file, int line) {
  Member& thread = block.threads[current];
  if (++thread.barriers == barrier_to_drop) {
    was_dropped = true;
    return;
  }
  thread.file = file;
  thread.line = line;
  ++block.waiting;
  wait(State::InBlock);
}

__attribute__((noinline)) const Given* meet_in_warp(unsigned mask, const void* mine,
                                                    std::size_t bytes) {
  const uint32_t self = current, first = self / kLanes * kLanes;
  Warp& warp = block.warps[self / kLanes];
  Given* const given = warp.given[warp.meetings % 2];
  if (bytes > 0) __builtin_memcpy(given[self % kLanes].bytes, mine, bytes);
  block.threads[self].mask = mask;
  const void* const code = __builtin_return_address(0);
  if (!(mask >> self % kLanes & 1)) {
    found("warp: a thread of " + name + " is not in the mask that it gives, " + where(code));
    end_kernel();
  }
  bool all_are_there = true;
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!(mask >> i & 1) || first + i == self) continue;
    const bool exists = first + i < block.threads.size();
    if (!exists || block.threads[first + i].state == State::Done) {
      if (!exists && mask == ~0u) continue;  // the last warp of a block that is no multiple of 32
      found("warp: " + name + " waits for a lane that has ended or does not exist, " + where(code));
      end_kernel();
    }
    const Member& other = block.threads[first + i];
    all_are_there &= other.state == State::InWarp && other.mask == mask;
  }
  if (!all_are_there) {
    wait(State::InWarp);
    return given;
  }
  here.warp_phase = ++warp.meetings;
  for (uint32_t i = 0; i < kLanes; ++i)
    if (mask >> i & 1 && first + i < block.threads.size() && first + i != self &&
        block.threads[first + i].state == State::InWarp)
      make_ready(first + i);
  return given;
}

}  // namespace emulator
