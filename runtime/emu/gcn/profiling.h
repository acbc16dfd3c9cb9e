/* Calls of a wave that is profiled. Only waves of launches with a profile have w->profile. */
#ifndef EMU_AMD_PROFILING_H
#define EMU_AMD_PROFILING_H

#include "wave.h"

size_t amd_profile_wave_size(void);
void amd_profile_begin(struct wave *w);
/* Counts an instruction that has been executed. */
void amd_profile(struct run *r, struct wave *w, const struct insn *i);
/* The wait that is being executed covers this operation. */
void amd_profile_covered(struct wave *w, const struct pending *f);

#endif
