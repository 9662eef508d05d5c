// The command `notape verify`: checks the derivatives of operators and says what it found.
#pragma once

namespace notape {

/// `argv[0]` is what the command is called, the words after it are its arguments; prints to
/// standard output and error. Returns the exit code: 0 all is well, 1 a wrong value or derivative,
/// 2 bad usage or a file that cannot be read or written, 3 a power gate missed, 4 equal calls gave
/// different bits, 5 nothing was checked or the device is absent, 6 an operator threw an unnamed
/// exception or crashed. A crash ends the run and, with it, the process.
int verify_command(int argc, char** argv);

}  // namespace notape
