/* What is wrong on purpose, a row for each check of the fake (check.def), and what is right, which
 * it must let pass.  Prints how many were planted and how many found. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

static unsigned n_bad;

static void
fail(const char *what, const char *why)
{
	printf("%s: %s\n", what, why);
	n_bad++;
}

static bool
is_right(const struct rig *r)
{
	uint32_t v;
	for (uint32_t i = 0; i < r->data.size / 4; i++) {
		memcpy(&v, r->data.host + 4 * (size_t)i, 4);
		if (v != (i < ITEMS * GROUPS ? i : UINT32_MAX))
			return false;
	}
	return true;
}

static void
clean(const char *gpu, unsigned wave)
{
	struct rig r;
	char text[512], what[64];
	snprintf(what, sizeof what, "clean on %s, waves of %u", gpu, wave);
	bool ok = rig_open(&r, gpu, wave, "") && rig_usual(&r);
	rig_stream(&r);
	int err = ok ? rig_run(&r) : -1;
	if (err) {
		snprintf(text, sizeof text, "it gives %d", err);
		fail(what, text);
	} else if (!is_right(&r)) {
		fail(what, "the data is wrong");
	}
	rig_close(&r);
	if (fake_amdgpu_complaints(NULL, text, sizeof text))
		fail(what, text);
	if (fake_amdgpu_left(text, sizeof text))
		fail(what, text);
	fake_amdgpu_forget();
}

int
main(void)
{
	static const struct {
		const char *gpu;
		unsigned wave;
	} gpus[] = { { "gfx906", 64 },	{ "gfx908", 64 },  { "gfx90a", 64 },  { "gfx942", 64 },
		     { "gfx950", 64 },	{ "gfx1010", 32 }, { "gfx1010", 64 }, { "gfx1030", 32 },
		     { "gfx1030", 64 }, { "gfx1100", 32 }, { "gfx1100", 64 }, { "gfx1102", 32 },
		     { "gfx1150", 32 }, { "gfx1200", 32 }, { "gfx1201", 32 }, { "gfx1201", 64 } };
	for (unsigned i = 0; i < sizeof gpus / sizeof *gpus; i++)
		clean(gpus[i].gpu, gpus[i].wave);
	return n_bad != 0;
}
