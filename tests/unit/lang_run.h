/* Texts that are run: a part of t_lang.c. */
#ifndef LANG_RUN_H
#define LANG_RUN_H

#include "unit.h"

void lang_run_cases(struct unit_ctx *t);

#endif
