/* Programs that t_lang.c runs. */
#ifndef LANG_RUN_H
#define LANG_RUN_H

#include "unit.h"

void lang_run_cases(struct unit_ctx *t);
void lang_jump_cases(struct unit_ctx *t); /* lang_jump.c */
/* Writes the i-th program of lang_run_cases to out. Returns its length, or 0 after the last. */
size_t lang_run_text(size_t i, char *out, size_t cap);

#endif
