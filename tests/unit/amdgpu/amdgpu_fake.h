/* The libdrm.so.2 and libdrm_amdgpu.so.1 of tests/amdgpu_fake. They must be in the process's
 * library path (driver.sh fakeamd), because other users of libdrm, such as Mesa, must get the same
 * libraries. */
#ifndef AMDGPU_FAKE_H
#define AMDGPU_FAKE_H

#include "unit.h"

struct amdgpu_fake {
	void (*set)(const char *text); /* syntax: tests/amdgpu_fake/config.c */
	unsigned (*calls)(const char *function); /* since the last set */
	int (*hit)(void); /* has a configured failure occurred since the last set? */
	unsigned (*complaints)(const char *check, char *text, size_t size);
	void (*forget)(void);
	unsigned (*left)(char *text, size_t size);
};

/* Returns NULL if the fake is not loaded. */
const struct amdgpu_fake *amdgpu_fake(void);
/* Configures the fake. Returns false, and skips the test, if there is none. */
bool amdgpu_fake_begin(struct unit_ctx *t, const char *text);
/* Checks that nothing is leaked and that the fake has no complaints. Removes the device. */
void amdgpu_fake_end(struct unit_ctx *t);

#endif
