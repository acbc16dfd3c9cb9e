/* Fault injection: rows with violations of each check of the fake (check.def), and correct uses
 * that it must accept. Prints how many violations were injected and how many were found. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "injected.h"

static unsigned n_bad;

static void
fail(const char *what, const char *why)
{
	printf("%s: %s\n", what, why);
	n_bad++;
}

bool
injected_right(const struct rig *r)
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
		snprintf(text, sizeof text, "the result is %d", err);
		fail(what, text);
	} else if (!injected_right(&r)) {
		fail(what, "the data is wrong");
	}
	rig_close(&r);
	if (fake_amdgpu_complaints(NULL, text, sizeof text))
		fail(what, text);
	if (fake_amdgpu_left(text, sizeof text))
		fail(what, text);
	fake_amdgpu_forget();
}

/* -- Helpers of all rows ----------------------------------------------------------- */

const char injected_copy[] = "s_load_b64 s[4:5], s[0:1], 0x0\n"
			    "s_lshl_b32 s6, s15, 6\n"
			    "v_and_b32_e32 v0, 0x3ff, v0\n"
			    "v_add_nc_u32_e32 v0, s6, v0\n"
			    "v_lshlrev_b32_e32 v2, 2, v0\n"
			    "s_waitcnt lgkmcnt(0)\n"
			    "global_load_b32 v3, v2, s[4:5]\n"
			    "v_add_nc_u32_e32 v4, 0x1000, v2\n"
			    "s_waitcnt vmcnt(0)\n"
			    "global_store_b32 v4, v3, s[4:5]\n"
			    "s_endpgm\n";

int
injected_run(struct rig *r)
{
	rig_stream(r);
	return rig_run(r);
}

int
injected_run_with(struct rig *r, const uint32_t *w, unsigned n)
{
	rig_stream(r);
	for (unsigned i = 0; i < n; i++)
		rig_word(r, w[i]);
	rig_pad(r);
	return rig_run(r);
}

bool
injected_kernel(struct rig *r, uint32_t at, const char *text)
{
	rig_reg(r, 0x20c)->value = (uint32_t)((r->code.va + at) >> 8);
	return rig_kernel(r, at, text);
}

int
injected_remap(struct rig *r, struct rig_memory *m, uint64_t flags)
{
	int err = amdgpu_bo_va_op(m->bo, 0, m->size, m->va, 0, VA_UNMAP);
	return err ? 0 : amdgpu_bo_va_op_raw(r->d, m->bo, 0, m->size, m->va, flags, VA_MAP);
}

int
injected_reg(struct rig *r, uint32_t at, uint32_t value)
{
	rig_reg(r, at)->value = value;
	return injected_run(r);
}

/* -- One row ----------------------------------------------------------------------- */

static const char *
end_of(const char *check)
{
	const char *end = "", *name;
	for (unsigned i = 0; (name = fake_amdgpu_check(i, &end)); i++)
		if (!strcmp(name, check))
			return end;
	return "no such check";
}

/* Returns whether the outcome is the one in the check's row. */
static bool
ended(struct rig *r, const char *end, int err, char *text, size_t size)
{
	uint64_t flags = 0, want = 0, fault[2] = { 0 };
	int expected = 0;
	if (!strcmp(end, "refused"))
		expected = -EINVAL;
	if (!strcmp(end, "hang"))
		expected = -ETIME;
	if (!strcmp(end, "fault"))
		expected = -ENODATA;
	if (expected == -ETIME || expected == -ENODATA)
		want = RESET_GUILTY | RESET_RESET;
	if (r->ctx)
		amdgpu_cs_query_reset_state2(r->ctx, &flags);
	snprintf(text, size, "result %d, reset state %llu; expected %d, %llu", err,
		 (unsigned long long)flags, expected, (unsigned long long)want);
	amdgpu_query_info(r->d, INFO_GPUVM_FAULT, sizeof fault, fault);
	return err == expected && (!want || flags == want);
}

static bool
inject(const struct injected *p)
{
	struct rig r;
	char text[512], what[128];
	const char *end = end_of(p->check);
	snprintf(what, sizeof what, "%s on %s", p->check, p->gpu);

	bool ok = rig_open(&r, p->gpu, 0, p->config) && rig_usual(&r);
	int err = ok ? p->run(&r) : -1;
	bool found = fake_amdgpu_complaints(p->check, text, sizeof text) != 0;
	if (getenv("QD_TEST_VERBOSE"))
		printf("%s\n", text);
	if (!found)
		fail(what, "it is not reported");
	else if (!p->also && !ended(&r, end, err, text, sizeof text))
		fail(what, text);
	/* The row's own checks must be the only ones that complain. */
	unsigned n = fake_amdgpu_complaints(NULL, text, sizeof text),
		 own = fake_amdgpu_complaints(p->check, NULL, 0);
	own = strcmp(end, "warned") ? own : 0;
	if (n != own + (p->also ? fake_amdgpu_complaints(p->also, NULL, 0) : 0))
		fail(what, text);
	rig_close(&r);
	fake_amdgpu_forget();
	return found;
}

/* Omits each register that a dispatch needs, one at a time. */
static unsigned
each_register(const char *gpu, unsigned *n_injected)
{
	struct rig r;
	unsigned found = 0;
	for (unsigned i = 0, n = 1; i < n; i++) {
		char text[128];
		bool ok = rig_open(&r, gpu, 0, "") && rig_usual(&r);
		uint32_t at = r.regs[i].at;
		bool mask = at == 0x216 || at == 0x217 || at == 0x219 || at == 0x21a ||
			    ((at >= 0x225 && at < 0x229 && r.gen < 10) ||
			     (at >= 0x225 && at < 0x229 && r.gen == 90)) ||
			    (at >= 0x22b && at < 0x22f && (r.gen == 11 || r.gen == 12));
		n = r.n_regs;
		r.regs[i].left_out = true;
		int err = ok ? injected_run(&r) : -1;
		unsigned reported = fake_amdgpu_complaints(mask ? "mask_unset" : "reg_unset", NULL, 0);
		/* The masks of engines that this GPU lacks are not required. */
		bool spare = mask && !reported && !err;
		*n_injected += !spare;
		found += reported != 0;
		if (!spare && (!reported || err != (mask ? 0 : -ETIME))) {
			snprintf(text, sizeof text,
				 "without register 0x%x: result %d, reported %u times", at, err,
				 reported);
			fail(gpu, text);
		}
		rig_close(&r);
		fake_amdgpu_forget();
	}
	return found;
}

static const struct {
	const struct injected *rows;
	const unsigned *n;
} tables[] = {
	{ injected_calls, &n_injected_calls },
	{ injected_packets, &n_injected_packets },
	{ injected_waves, &n_injected_waves },
	{ injected_caches, &n_injected_caches },
};

/* Fails for a check that no row violates, since such a check is untested. */
static void
all_checks(void)
{
	const char *name, *end;
	for (unsigned i = 0; (name = fake_amdgpu_check(i, &end)); i++) {
		bool there = false;
		for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
			for (unsigned k = 0; k < *tables[t].n; k++)
				there = there || !strcmp(tables[t].rows[k].check, name);
		if (!there)
			fail(name, "no row violates it");
	}
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
	unsigned n = 0, found = 0;
	for (unsigned i = 0; i < sizeof gpus / sizeof *gpus; i++)
		clean(gpus[i].gpu, gpus[i].wave);
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
		n += *tables[t].n;
		for (unsigned i = 0; i < *tables[t].n; i++)
			found += inject(&tables[t].rows[i]);
	}
	if (getenv("QD_TEST_MUTATION"))
		found += inject(&(struct injected){ "wave", "gfx1100", injected_run, NULL, "" });
	found += each_register("gfx906", &n);
	found += each_register("gfx90a", &n);
	found += each_register("gfx942", &n);
	found += each_register("gfx1030", &n);
	found += each_register("gfx1100", &n);
	found += each_register("gfx1201", &n);
	all_checks();
	printf("injected %u, found %u\n", n, found);
	return n_bad != 0 || n != found;
}
