// Whose memory is what. Memory of devices is closed to the CPU except while the emulated device
// works.
#pragma once
#include <cstddef>

#include "cuda/emulated/accesses.h"

namespace emulator {

enum class Kind { Device, Pinned };

struct Memory {
  char* begin;
  Kind kind;
  int device;
  std::size_t bytes;
  Cell* cells;
  std::size_t part;     // bytes that are opened together: of many pages that takes long
  uint64_t open_parts;  // a bit for each
  std::size_t mapped;   // bytes of the mapping, guard pages at both ends included
};

/// What nobody has written: large negative numbers, true. Neighbours differ, since a matrix of
/// equal ones is singular, but by little: a loop from one to the other ends.
void spoil(void* data, std::size_t bytes);
/// Null if the system has none.
void* allocate(Kind kind, int device, std::size_t bytes);
bool release(Kind kind, void* data);
/// The memory that begins at or shortly before `data`; null if there is none.
Memory* find_memory(const void* data);
/// Whose [data, data + bytes) is: a device's number or one of these.
enum Owner { kPinnedMemory = -1, kOtherMemory = -2, kBeyondItsEnd = -3 };
int owner_of(const void* data, std::size_t bytes);

/// Until close_memory() the emulated device may read and write [at, at + bytes) of it.
void open(Memory& memory, const char* at, std::size_t bytes);
void close_memory();

}  // namespace emulator
