#include "cuda/emulated/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "cuda/emulated/work.h"

namespace emulator {
namespace {

constexpr std::size_t kPage = 4096;

std::map<const char*, Memory>& memories() {
  static auto* const all = new std::map<const char*, Memory>;
  return *all;
}
Memory* found_lately[4];  // kernels go to and fro between a few
unsigned next_found = 0;
std::vector<Memory*> opened;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void say_once_that_nothing_is_computed() {
  static const int said = std::fputs(
      "emulated GPU: nothing is computed, only timed: all that is read from it is 0 "
      "(NOTAPE_EMULATED_VALUES=0)\n",
      stderr);
  static_cast<void>(said);
}

void forget_found() {
  for (Memory*& one : found_lately) one = nullptr;
}

}  // namespace

void spoil(void* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto mixed = static_cast<uint32_t>(i / 8) * 2654435761u >> 24 | 0x40;
    static_cast<unsigned char*>(data)[i] = i % 8 ? 0xcb : static_cast<unsigned char>(mixed);
  }
}

void* allocate(Kind kind, int device, std::size_t bytes) {
  const std::size_t mapped = whole_pages(bytes) + 2 * kPage;
  void* const all = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  char* const data = static_cast<char*>(all) + kPage;
  if (has_values())
    spoil(data, bytes);
  else
    say_once_that_nothing_is_computed();
  const bool is_open = kind == Kind::Pinned;
  if (!is_open) ::mprotect(data, whole_pages(bytes), PROT_NONE);
  Cell* const cells = has_values() ? make_cells(bytes) : nullptr;
  const std::size_t part = std::max(4 * kPage, whole_pages((bytes + 63) / 64));
  memories()[data] = {data, kind, device, bytes, cells, part, is_open ? ~0ull : 0, mapped};
  return data;
}

bool release(Kind kind, void* data) {
  const auto found = memories().find(static_cast<char*>(data));
  if (found == memories().end() || found->second.kind != kind) return false;
  if (found->second.cells) free_cells(found->second.cells, found->second.bytes);
  ::munmap(static_cast<char*>(data) - kPage, found->second.mapped);
  memories().erase(found);
  forget_found();
  return true;
}

Memory* find_memory(const void* data) {
  const char* const at = static_cast<const char*>(data);
  for (Memory* const one : found_lately)
    if (one && at >= one->begin && at < one->begin + one->bytes) return one;
  auto after = memories().upper_bound(at);
  if (after == memories().begin()) return nullptr;
  Memory& before = std::prev(after)->second;
  if (at >= before.begin + whole_pages(before.bytes) + kPage) return nullptr;
  found_lately[next_found++ % 4] = &before;
  return &before;
}

int owner_of(const void* data, std::size_t bytes) {
  const Memory* const memory = find_memory(data);
  if (!memory) return kOtherMemory;
  if (static_cast<const char*>(data) + bytes > memory->begin + memory->bytes) return kBeyondItsEnd;
  return memory->kind == Kind::Pinned ? kPinnedMemory : memory->device;
}

void open(Memory& memory, const char* at, std::size_t bytes) {
  const auto offset = static_cast<std::size_t>(at - memory.begin);
  const std::size_t first = offset / memory.part;
  const std::size_t last = std::min((offset + bytes - 1) / memory.part, std::size_t{63});
  const uint64_t asked = (~0ull >> (63 - (last - first))) << first;
  if ((memory.open_parts & asked) == asked) return;
  if (memory.open_parts == 0) opened.push_back(&memory);
  memory.open_parts |= asked;
  const std::size_t end = std::min((last + 1) * memory.part, whole_pages(memory.bytes));
  ::mprotect(memory.begin + first * memory.part, end - first * memory.part, PROT_READ | PROT_WRITE);
}

void close_memory() {
  for (Memory* const memory : opened) {
    ::mprotect(memory->begin, whole_pages(memory->bytes), PROT_NONE);
    memory->open_parts = 0;
  }
  opened.clear();
}

}  // namespace emulator
