/* The functions that sem.def names. */
#ifndef EMU_AMD_OPS_H
#define EMU_AMD_OPS_H

#include "sem.h"

#define SEM(row, unit, fn, ...) op_fn amd_op_##fn;
#include "sem.def"

#endif
