// PyTorch in Python, as another library: the program text is part of the command.
#pragma once

namespace notape::trace {

/// For `python3 -c`; it follows the protocol of OtherProcess, and says so if torch is missing.
extern const char* const kPytorchProgram;

}  // namespace notape::trace
