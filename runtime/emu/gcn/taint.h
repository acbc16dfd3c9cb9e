/* Undefined bits. */
#ifndef EMU_AMD_TAINT_H
#define EMU_AMD_TAINT_H

#include "sem.h"

/* Returns the undefined bits of o->d, after o was computed; *out_undef: of o->out. */
uint64_t amd_taint(const struct sem *sem, const struct op *o, const uint64_t u[3], bool in_undef,
		   bool *out_undef);

#endif
