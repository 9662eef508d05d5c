// What the emulator has found.
#pragma once
#include <string>

namespace emulator {

/// Says it on stderr, and by the next call that waits for the device.
void found(const std::string& text);
/// What was found and neither taken nor told by a call, for cudaGetErrorString(); "" if nothing.
std::string untold_findings();
/// "function at file:line" of a place in the code.
std::string where(const void* code);

}  // namespace emulator
