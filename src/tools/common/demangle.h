/* Names of C++ functions and variables as the Itanium ABI writes them, read back:
 * _Z5scaleIfEvPT_S0_i is void scale<float>(float*, float, int).  What kernels have:
 * names, templates with types and integers, lambdas, all kinds of types.  Names with
 * expressions in them (decltype, requires, sizes that depend on a parameter) are not
 * read, and nothing is made up for them. */
#ifndef QD_TOOLS_DEMANGLE_H
#define QD_TOOLS_DEMANGLE_H

#include "base.h"

/* As llvm-cxxfilt prints it, in mem; NULL where it is no such name, one that is not
 * read, or there is no memory. */
const char *demangle(struct arena *mem, const char *name);

#endif
