// PyTorch in Python, as another library: the program text is part of the command.
#pragma once

namespace notape::trace {

/// For `python3 -c`; it speaks as OtherProcess expects, and says what is missing without torch.
extern const char* const kPytorchProgram;

}  // namespace notape::trace
