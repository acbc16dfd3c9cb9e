/* The libcuda.so.1 of tests/fake_cuda in this process. */
#ifndef CUDA_FAKE_H
#define CUDA_FAKE_H

#include "unit.h"

struct cuda_fake {
	void (*set)(const char *text); /* tests/fake_cuda/config.c says what */
	unsigned (*calls)(const char *function); /* since then; NULL: of all */
	int (*hit)(void);	       /* has a call been told to fail since then? */
	unsigned (*left)(char *text, size_t size);
	unsigned (*depth)(void **current);
	/* The driver's own. */
	int (*retain)(void **ctx, int dev);
	int (*release)(int dev);
	int (*push)(void *ctx);
	int (*pop)(void **ctx);
};

/* NULL where it cannot be loaded, or another is in the process already. */
const struct cuda_fake *cuda_fake(void);
/* The same of a copy of the library, in a process that has not called cuda_fake yet. */
const struct cuda_fake *cuda_fake_of(const char *path);
/* The same, told to be this; false: the test is skipped. */
bool cuda_fake_begin(struct unit_ctx *t, const char *text);
/* Nothing may be left; from here on there is no device again. */
void cuda_fake_end(struct unit_ctx *t);

#endif
