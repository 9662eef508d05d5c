// Who has written and read each four bytes of device and shared memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace emulator {

struct Access {
  uint32_t launch = 0;  // 0: none. Of shared memory: the block's number
  uint32_t thread = 0, phase = 0, warp_phase = 0;
  uint32_t code = 0;  // the lower half of the address
  uint8_t bytes = 0;  // which of the four
  bool is_atomic = false;
  uint8_t known = 0;  // of writes: those that any has written
};
struct Cell {
  Access written, read;
};
/// Zeros, which take no memory until they are written to. Throws std::bad_alloc.
Cell* make_cells(std::size_t bytes);
void free_cells(Cell* cells, std::size_t bytes);

/// A thread of the running kernel reads or writes there. Does not return after a fault.
void check_access(const void* data, std::size_t bytes, bool writes, bool is_atomic,
                  const void* code);
/// A copy or a library reads or writes there, in place of a kernel.
void note_access(const void* data, std::size_t bytes, bool writes, uint32_t launch,
                 const std::string& who);
/// Where the arguments of the kernel are that runs next, and on which device it does.
void set_arguments(const void* data, std::size_t bytes, int device);
/// Each pair of places in the code is told once, until here.
void forget_pairs();

}  // namespace emulator
