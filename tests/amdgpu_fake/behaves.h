/* What the files of behaves.c share. */
#ifndef FAKE_BEHAVES_H
#define FAKE_BEHAVES_H

#include <stdio.h>

#include "rig.h"

extern unsigned behaves_bad;

#define WANT(cond)                                                                                 \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			printf("%s:%d: not so: %s\n", __func__, __LINE__, #cond);                  \
			behaves_bad++;                                                             \
		}                                                                                  \
	} while (0)

/* Closes it: nothing was complained of, nothing is left. */
void behaves_close(struct rig *r);
uint32_t behaves_data(const struct rig *r, uint32_t i);
/* Fences, and what streams do: behaves_run.c. */
void behaves_fences(void);
void behaves_streams(void);

#endif
