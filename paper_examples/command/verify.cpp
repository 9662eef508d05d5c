// notape verify [SELECTOR...], notape verify models
#include "verify/command/command.h"

#include "paper_examples/command/command.h"

namespace notape::command {

int verify(const Arguments& arguments) {
  if (!arguments.empty() && arguments[0] == "models")
    return verify_models(Arguments(arguments.begin() + 1, arguments.end()));
  Arguments words = {"notape verify"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return verify_command(static_cast<int>(words.size()), pointers.data());
}

}  // namespace notape::command
