/* Calls of a warp that is profiled. Only warps of launches with a profile have w->profile. */
#ifndef EMU_PTX_PROFILING_H
#define EMU_PTX_PROFILING_H

#include "exec.h"

/* Counts an instruction, before the lanes of act execute it. */
void ptx_profile(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
/* The warp arrives at a barrier; the barrier lets it continue. */
void ptx_profile_arrive(struct warp *w, struct bar *bar);
void ptx_profile_resume(struct warp *w, const struct bar *bar);

#endif
