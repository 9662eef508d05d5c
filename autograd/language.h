// What notape needs of a compiler, said in one line before anything else can go wrong.
#pragma once

#if defined(__clang__)
#if __clang_major__ < 16
#error "notape needs clang 16, g++ 12 or a newer compiler; this one is too old"
#define NOTAPE_LANGUAGE_TOO_OLD
#endif
#elif defined(__GNUC__) && __GNUC__ < 12
#error "notape needs g++ 12, clang 16 or a newer compiler; this one is too old"
#define NOTAPE_LANGUAGE_TOO_OLD
#endif

#if !defined(NOTAPE_LANGUAGE_TOO_OLD) && __cplusplus < 202002L
#error "notape needs C++20: compile with -std=c++20 or newer"
#define NOTAPE_LANGUAGE_TOO_OLD
#endif

#ifdef NOTAPE_LANGUAGE_TOO_OLD
#include "notape cannot be compiled like this"  // There is none: nothing follows the line above.
#endif
