/* Declarations shared by behaves.c and behaves_run.c. */
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

/* Closes the rig; checks that there was no complaint and that no object is leaked. */
void behaves_close(struct rig *r);
uint32_t behaves_data(const struct rig *r, uint32_t i);
/* Fences, and the effects of streams: behaves_run.c. */
void behaves_fences(void);
void behaves_streams(void);

#endif
