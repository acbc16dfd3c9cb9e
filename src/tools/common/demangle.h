/* Demangles C++ names of the Itanium ABI: _Z5scaleIfEvPT_S0_i is void scale<float>(float*, float,
 * int). Supported are the forms that kernels use: names, templates with types and integers,
 * lambdas, all kinds of types. Names with expressions (decltype, requires, sizes that depend on a
 * parameter) are unsupported and yield NULL. */
#ifndef QD_TOOLS_DEMANGLE_H
#define QD_TOOLS_DEMANGLE_H

#include "base.h"

/* Returns the text that llvm-cxxfilt prints, in mem; NULL if the name is not mangled or
 * unsupported, or if out of memory. */
const char *demangle(struct arena *mem, const char *name);
/* Returns whether a mangled name is `name`: the same text, the text of the demangled name, or that
 * text without return type and parameters. */
bool demangle_is(struct arena *mem, const char *mangled, const char *name);

#endif
