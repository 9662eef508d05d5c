#include "cuda/emulated/accesses.h"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <set>
#include <vector>

#include "cuda/emulated/findings.h"
#include "cuda/emulated/grid.h"
#include "cuda/emulated/memory.h"
#include "cuda/emulated/work.h"

namespace emulator {
namespace {

struct Range {
  const char *begin = nullptr, *end = nullptr;
  bool has(const void* data) const { return data >= begin && data < end; }
};

Range arguments;
int launch_device = 0;
std::set<std::pair<uint32_t, uint32_t>> told_pairs;

// ---- Shared memory is thread-local memory of the libraries that kernels are in.

struct Shared {
  Range range;
  Cell* cells;
};
thread_local std::vector<Shared> shared;
const Shared* shared_lately = nullptr;      // of the thread that runs a grid
thread_local std::vector<Range> constants;  // parts of libraries that are never written to

void look_for_libraries() {
  if (!constants.empty()) return;
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void*) {
        for (int i = 0; i < library->dlpi_phnum; ++i) {
          const auto& part = library->dlpi_phdr[i];
          if (part.p_type == PT_TLS && library->dlpi_tls_data) {
            const auto* begin = static_cast<const char*>(library->dlpi_tls_data);
            shared.push_back({{begin, begin + part.p_memsz}, make_cells(part.p_memsz)});
          }
          if (part.p_type == PT_LOAD && !(part.p_flags & PF_W)) {
            const auto* begin = reinterpret_cast<const char*>(library->dlpi_addr + part.p_vaddr);
            constants.push_back({begin, begin + part.p_memsz});
          }
        }
        return 0;
      },
      nullptr);
}

// ---- Races

uint32_t threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

std::string name_of(uint32_t thread) {
  const uint32_t size = threads_of_block();
  return "thread " + std::to_string(thread % size) + " of block " + std::to_string(thread / size);
}

/// Of two launches; for all elements of a tensor it is mostly one pair.
bool is_before_lately(uint32_t earlier, uint32_t later) {
  static uint32_t asked[2] = {0, 0};
  static bool answer = true;
  if (asked[0] != earlier || asked[1] != later) {
    answer = is_before(earlier, later);
    asked[0] = earlier;
    asked[1] = later;
  }
  return answer;
}

bool is_ordered(const Access& before, const Access& now, bool is_shared) {
  if (before.launch == 0) return true;
  if (before.launch != now.launch) return is_shared || is_before_lately(before.launch, now.launch);
  if (before.thread == now.thread) return true;
  const uint32_t size = threads_of_block();
  if (before.thread / size != now.thread / size) return false;
  if (before.phase < now.phase) return true;
  return before.thread / 32 == now.thread / 32 && before.warp_phase < now.warp_phase;
}

const void* code_at(uint32_t lower, const void* like) {
  const auto full = (reinterpret_cast<uintptr_t>(like) & ~uintptr_t{0xffffffff}) | lower;
  return reinterpret_cast<const void*>(full);
}

void tell_race(const char* what, const Access& before, const Access& now, const void* code,
               bool is_shared) {
  if (!told_pairs.insert({before.code, now.code}).second) return;
  std::string text = "race: " + std::string(what) +
                     (is_shared ? " in shared memory, " : " in device memory, ") + kernel_name();
  if (is_shared || before.launch == now.launch)
    text += ": " + name_of(now.thread) + ", " + where(code) + ", after " + name_of(before.thread) +
            ", " + where(code_at(before.code, code));
  else
    text += ", is not in order with " + name_of_launch(before.launch);
  found(text);
}

void check_cell(Cell& cell, const Access& now, bool writes, bool is_shared, const void* code) {
  const auto conflicts = [&](const Access& before) {
    return (before.bytes & now.bytes) && !(before.is_atomic && now.is_atomic) &&
           !is_ordered(before, now, is_shared);
  };
  if (conflicts(cell.written))
    tell_race(writes ? "two writes" : "read of what is being written", cell.written, now, code,
              is_shared);
  if (writes && conflicts(cell.read))
    tell_race("write of what is being read", cell.read, now, code, is_shared);
  const uint8_t known = is_shared && cell.written.launch != now.launch ? 0 : cell.written.known;
  if ((!writes || now.is_atomic) && !is_shared) note_read(cell.written.launch);
  if (!writes && (known & now.bytes) != now.bytes && told_pairs.insert({0, now.code}).second)
    found("uninitialized: " + kernel_name() + " reads what nobody has written, " + where(code));
  Access& kept = writes ? cell.written : cell.read;
  // A reader of another thread stays: a write has to come after it, too.
  if (!writes && kept.launch == now.launch && kept.thread != now.thread && kept.phase == now.phase)
    return;
  kept = now;
  if (writes) kept.known = known | now.bytes;
}

uint8_t bytes_of_cell(std::size_t cell, std::size_t offset, std::size_t bytes) {
  const std::size_t first = cell == offset / 4 ? offset % 4 : 0;
  const std::size_t end = std::min<std::size_t>(4, offset + bytes - 4 * cell);
  return static_cast<uint8_t>((1u << end) - (1u << first));
}

void check_cells(Cell* cells, std::size_t offset, std::size_t bytes, Access now, bool writes,
                 bool is_shared, const void* code) {
  for (std::size_t i = offset / 4; i <= (offset + bytes - 1) / 4; ++i) {
    now.bytes = bytes_of_cell(i, offset, bytes);
    check_cell(cells[i], now, writes, is_shared, code);
  }
}

[[noreturn]] void fault(const std::string& what, const void* data, std::size_t bytes, bool writes,
                        const void* code) {
  char address[32];
  std::snprintf(address, sizeof address, "%p", data);
  found("illegal address: " + name_of(place()->thread) + " of " + kernel_name() +
        (writes ? " writes " : " reads ") + std::to_string(bytes) + " bytes at " + address + ", " +
        what + ", " + where(code));
  end_kernel();
}

std::size_t cells_of(std::size_t bytes) { return (bytes / 4 + 2) * sizeof(Cell); }

}  // namespace

Cell* make_cells(std::size_t bytes) {
  void* const memory = ::mmap(nullptr, cells_of(bytes), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<Cell*>(memory);
}
void free_cells(Cell* cells, std::size_t bytes) { ::munmap(cells, cells_of(bytes)); }

void check_access(const void* data, std::size_t bytes, bool writes, bool is_atomic,
                  const void* code) {
  const Place* const at = place();
  if (!at || is_on_stack(data) || arguments.has(data)) return;
  Access now{at->launch,
             at->thread,
             at->phase,
             at->warp_phase,
             static_cast<uint32_t>(reinterpret_cast<uintptr_t>(code)),
             0,
             is_atomic};
  if (shared_lately && shared_lately->range.has(data)) {
    now.launch = at->block;
    const auto offset = static_cast<const char*>(data) - shared_lately->range.begin;
    return check_cells(shared_lately->cells, static_cast<std::size_t>(offset), bytes, now, writes,
                       true, code);
  }
  if (Memory* const memory = find_memory(data)) {
    const auto* const address = static_cast<const char*>(data);
    if (memory->kind == Kind::Device && memory->device != launch_device)
      fault("memory of another device", data, bytes, writes, code);
    if (address < memory->begin || address + bytes > memory->begin + memory->bytes)
      fault(std::to_string(address + bytes - (memory->begin + memory->bytes)) +
                " bytes beyond the end of " + std::to_string(memory->bytes),
            data, bytes, writes, code);
    if (bytes <= 16 && reinterpret_cast<uintptr_t>(data) % bytes != 0)
      fault("not aligned", data, bytes, writes, code);
    open(*memory, address, bytes);
    if (writes && memory->kind == Kind::Pinned) note_read(now.launch);  // by the CPU
    return check_cells(memory->cells, static_cast<std::size_t>(address - memory->begin), bytes, now,
                       writes, false, code);
  }
  look_for_libraries();
  for (const Shared& one : shared)
    if (one.range.has(data)) {
      shared_lately = &one;
      return check_access(data, bytes, writes, is_atomic, code);
    }
  if (!writes)
    for (const Range& constant : constants)
      if (constant.has(data)) return;
  fault("which is memory of no device", data, bytes, writes, code);
}

void note_access(const void* data, std::size_t bytes, bool writes, uint32_t launch,
                 const std::string& who) {
  Memory* const memory = find_memory(data);
  if (!memory || bytes == 0) return;
  open(*memory, static_cast<const char*>(data), bytes);
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(data) - memory->begin);
  Access now{launch, 0, 0, 0, 0, 15, false};
  for (std::size_t i = offset / 4; i <= (offset + bytes - 1) / 4; ++i) {
    Cell& cell = memory->cells[i];
    now.bytes = bytes_of_cell(i, offset, bytes);
    now.known = static_cast<uint8_t>(cell.written.known | now.bytes);
    if (!writes) note_read(cell.written.launch);
    for (const Access* before : {&cell.written, &cell.read})
      if ((writes || before == &cell.written) && !is_ordered(*before, now, false) &&
          told_pairs.insert({before->code, launch}).second)
        found("race: " + who + " is not in order with " + name_of_launch(before->launch));
    if (writes || cell.written.launch != 0) (writes ? cell.written : cell.read) = now;
  }
}

void set_arguments(const void* data, std::size_t bytes, int device) {
  arguments = {static_cast<const char*>(data), static_cast<const char*>(data) + bytes};
  launch_device = device;
  shared_lately = nullptr;
}

void forget_pairs() { told_pairs.clear(); }

void atomic_access(void* data, std::size_t bytes) {
  check_access(data, bytes, true, true, __builtin_return_address(0));
}

}  // namespace emulator
