// What `notape bench` has, a file each. All parse the words that follow their names, and return the
// exit status.
#pragma once
#include "paper_examples/command/command.h"

namespace notape::command::bench {

/// notape bench table1
int table1(const Arguments& arguments);
/// notape bench fig1
int fig1(const Arguments& arguments);
/// notape bench fig2
int fig2(const Arguments& arguments);
/// notape bench dispatch
int dispatch(const Arguments& arguments);
/// notape bench ops
int ops(const Arguments& arguments);
/// notape bench step: what table1 starts, and nobody by hand.
int step(const Arguments& arguments);

}  // namespace notape::command::bench
