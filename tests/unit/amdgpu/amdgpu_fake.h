/* The libdrm.so.2 and libdrm_amdgpu.so.1 of tests/amdgpu_fake, where this process has them:
 * by its library path (driver.sh fakeamd), since what else uses libdrm, such as Mesa, gets
 * the same. */
#ifndef AMDGPU_FAKE_H
#define AMDGPU_FAKE_H

#include "unit.h"

struct amdgpu_fake {
	void (*set)(const char *text); /* tests/amdgpu_fake/config.c says what */
	unsigned (*calls)(const char *function); /* since then */
	int (*hit)(void); /* has a call or a job been told to fail since then? */
	unsigned (*complaints)(const char *check, char *text, size_t size);
	void (*forget)(void);
	unsigned (*left)(char *text, size_t size);
};

/* NULL where there is none. */
const struct amdgpu_fake *amdgpu_fake(void);
/* The same, told to be this; false: the test is skipped. */
bool amdgpu_fake_begin(struct unit_ctx *t, const char *text);
/* Nothing may be left, or have been complained of; from here on there is no device. */
void amdgpu_fake_end(struct unit_ctx *t);

#endif
