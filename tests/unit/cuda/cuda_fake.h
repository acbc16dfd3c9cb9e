/* The libcuda.so.1 of tests/fake_cuda in this process. */
#ifndef CUDA_FAKE_H
#define CUDA_FAKE_H

#include "unit.h"

struct cuda_fake {
	void (*set)(const char *text); /* syntax: tests/fake_cuda/config.c */
	unsigned (*calls)(const char *function); /* since the last set; NULL: of all */
	int (*hit)(void);	       /* has a configured failure occurred? */
	unsigned (*left)(char *text, size_t size);
	unsigned (*depth)(void **current);
	/* Functions of the driver. */
	int (*retain)(void **ctx, int dev);
	int (*release)(int dev);
	int (*push)(void *ctx);
	int (*pop)(void **ctx);
};

/* Returns NULL if it cannot be loaded, or if another is in the process. */
const struct cuda_fake *cuda_fake(void);
/* Loads a copy of the library instead, in a process that has not called cuda_fake yet. */
const struct cuda_fake *cuda_fake_of(const char *path);
/* Configures the fake. Returns false, and skips the test, if there is none. */
bool cuda_fake_begin(struct unit_ctx *t, const char *text);
/* Checks that nothing is leaked. Removes the device. */
void cuda_fake_end(struct unit_ctx *t);

#endif
