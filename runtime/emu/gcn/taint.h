/* Undefined bits. */
#ifndef EMU_AMD_TAINT_H
#define EMU_AMD_TAINT_H

#include "sem.h"

/* The undefined bits of o->d, o having been computed; *out_undef: whether o->out is. */
uint64_t amd_taint(const struct sem *sem, const struct op *o, const uint64_t u[3], bool in_undef,
		   bool *out_undef);

#endif
