/* Texts that are run: a part of t_lang.c. */
#ifndef LANG_RUN_H
#define LANG_RUN_H

#include "unit.h"

void lang_run_cases(struct unit_ctx *t);
void lang_jump_cases(struct unit_ctx *t); /* lang_jump.c */
/* The i-th text of them into out; its length, 0 behind the last. */
size_t lang_run_text(size_t i, char *out, size_t cap);

#endif
