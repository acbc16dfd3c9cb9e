/* Dispatches: derive the waves' initial state from registers and run them on the emulator. */
#include <stdio.h>

#include "fake.h"

struct setup {
	uint32_t rsrc1, rsrc2, rsrc3;
	unsigned wave, n_user, n_vgprs, n_waves;
	uint32_t group[3], n_items;
	uint64_t va;
	const struct gcn_target *target;
	struct amd_start start;
	uint32_t user[16];
};

static uint32_t
bits(uint32_t v, unsigned hi, unsigned lo)
{
	return v >> lo & (uint32_t)((UINT64_C(1) << (hi - lo + 1)) - 1);
}

static bool
bad(struct exec *x, const char *reg, uint32_t v, const char *what)
{
	return exec_wrong(x, CHECK_reg_value, "%s is 0x%x: %s", reg, v, what);
}

/* -- Field values ------------------------------------------------------------------ */

/* Checks the bits that belong to the kernel driver or are reserved. */
static bool
check_rsrc(struct exec *x, const struct setup *s)
{
	enum gen g = gen_of(x->d);
	static const uint32_t zero1[N_GEN] = { 0xfb500c00, 0xfb500c00, 0xfb500c00, 0xfb500c00,
					       0x1b500c00, 0x1b500c00, 0x1b500c00, 0x1bf00c00 };
	static const uint32_t zero3[N_GEN] = { 0,	   0,	       0xfffeffc0, 0xfffeffc0,
					       0xffffffff, 0xffffffff, 0x7ffffc0f, 0x7fffd00f };
	static const uint32_t zero2 = 0xff006040;
	enum { MEM_ORDERED = 1 << 30 };
	if (s->rsrc1 & zero1[g])
		return bad(x, "PGM_RSRC1", s->rsrc1, "bits that must be zero");
	if (g >= G101 && !(s->rsrc1 & MEM_ORDERED))
		return bad(x, "PGM_RSRC1", s->rsrc1,
			   "MEM_ORDERED is not set, but in-order waits rely on it");
	if (g >= G101 && bits(s->rsrc1, 9, 6))
		exec_wrong(x, CHECK_sgprs_field, "PGM_RSRC1 is 0x%x", s->rsrc1);
	if (s->rsrc2 & zero2)
		return bad(x, "PGM_RSRC2", s->rsrc2, "bits that must be zero");
	if (bits(s->rsrc2, 12, 11) == 3)
		return bad(x, "PGM_RSRC2", s->rsrc2, "TIDIG_COMP_CNT is 3");
	if (s->n_user > 16)
		return bad(x, "PGM_RSRC2", s->rsrc2, "more than 16 user registers");
	if (reg_there(x, R_PGM_RSRC3) && (s->rsrc3 & zero3[g]))
		return bad(x, "PGM_RSRC3", s->rsrc3, "bits that must be zero");
	if (reg_of(x, R_PGM_HI) >> 8)
		return bad(x, "PGM_HI", reg_of(x, R_PGM_HI), "an address has 48 bits");
	return true;
}

static bool
check_limits(struct exec *x, const struct setup *s)
{
	uint32_t v = reg_of(x, R_RESOURCE_LIMITS), waves = bits(v, 9, 0);
	if (v & 0xf8000c00)
		return bad(x, "RESOURCE_LIMITS", v, "bits that must be zero");
	if (waves && waves < s->n_waves)
		return exec_wrong(x, CHECK_group_fits,
				  "RESOURCE_LIMITS allows %u waves, a work group has %u", waves,
				  s->n_waves);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t restart = reg_of(x, (enum reg)(R_RESTART_X + i));
		if (restart)
			return bad(x, "RESTART", restart,
				   "it is the resume state of an interrupted dispatch");
	}
	return true;
}

static bool
check_initiator(struct exec *x, uint32_t v)
{
	enum { ENABLE = 1, START_0 = 4, THREAD_DIMS = 1 << 5, ORDER = 1 << 6, WAVE32 = 1 << 15 };
	bool narrow = gen_of(x->d) >= G101;
	if (!(v & ENABLE))
		return exec_wrong(x, CHECK_initiator, "0x%x: COMPUTE_SHADER_EN is not set", v);
	if ((v & WAVE32) && !narrow)
		return exec_wrong(x, CHECK_initiator, "0x%x: wave size 32, which %s does not have",
				  v, x->d->gpu->name);
	if (v & THREAD_DIMS)
		return exec_wrong(x, CHECK_initiator, "0x%x: USE_THREAD_DIMENSIONS is not modeled",
				  v);
	if (v & ~(uint32_t)(ENABLE | START_0 | ORDER | WAVE32))
		return exec_wrong(x, CHECK_initiator, "0x%x: bits that must not be set", v);
	for (unsigned i = 0; i < 3 && !(v & START_0); i++) {
		if (reg_of(x, (enum reg)(R_START_X + i)))
			return exec_wrong(x, CHECK_group_start,
					  "START is %u, and FORCE_START_AT_000 is not set",
					  reg_of(x, (enum reg)(R_START_X + i)));
	}
	return true;
}

static bool
check_group(struct exec *x, struct setup *s)
{
	uint64_t n = 1;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t v = reg_of(x, (enum reg)(R_NUM_THREAD_X + i));
		bool short_field = gen_of(x->d) == G12 && i < 2;
		if (v >> 16 || (short_field && v >> 13))
			return bad(x, "NUM_THREAD", v,
				   "partial groups and interleaving are not enabled");
		s->group[i] = v;
		n *= v;
	}
	if (!n || n > 1024)
		return exec_wrong(x, CHECK_group_size, "%u x %u x %u", s->group[0], s->group[1],
				  s->group[2]);
	s->n_items = (uint32_t)n;
	s->n_waves = (s->n_items + s->wave - 1) / s->wave;
	return true;
}

/* -- Capacity ---------------------------------------------------------------------- */

static uint32_t
up(uint32_t v, uint32_t to)
{
	return (v + to - 1) / to * to;
}

/* Checks that a work group's waves fit the register files of the SIMDs it may use. */
static bool
check_room(struct exec *x, const struct setup *s)
{
	const struct gcn_target *t = s->target;
	bool wide = t->other_wave && s->wave == 64, wgp = s->rsrc1 >> 29 & 1;
	uint32_t unit = wide ? t->vgpr_unit / 2 : t->vgpr_unit,
		 file = wide ? t->vgpr_file / 2 : t->vgpr_file;
	uint32_t waves = file / up(s->n_vgprs, unit), simds = gen_of(x->d) >= G101 && !wgp ? 2 : 4;
	waves = waves < t->max_waves ? waves : t->max_waves;
	if (s->n_waves > waves * simds)
		return exec_wrong(x, CHECK_group_fits,
				  "%u waves of %u registers; a SIMD holds %u, and there are %u",
				  s->n_waves, s->n_vgprs, waves, simds);
	return true;
}

static bool
check_vgprs(struct exec *x, struct setup *s)
{
	enum gen g = gen_of(x->d);
	bool unified = g == G90A || g == G94;
	uint32_t granule = unified ? 8 : g < G101 || s->wave == 64 ? 4 : 8;
	uint32_t most = unified ? 512 : 256,
		 arch = s->n_vgprs = (bits(s->rsrc1, 5, 0) + 1) * granule;
	if (s->n_vgprs > most)
		return bad(x, "PGM_RSRC1", s->rsrc1, "more vector registers than the GPU has");
	s->start.n_accs = g == G908 ? arch : 0;
	if (unified) {
		arch = 4 * (bits(s->rsrc3, 5, 0) + 1);
		if (arch > s->n_vgprs)
			return bad(x, "PGM_RSRC3", s->rsrc3,
				   "ACCUM_OFFSET is beyond the allocated registers");
		s->start.n_accs = s->n_vgprs - arch;
		arch = arch < 256 ? arch : 256;
	}
	s->start.n_vgprs = arch;
	s->start.n_sgprs = g < G101 ? (bits(s->rsrc1, 9, 6) / 2 + 1) * 16 : 0;
	return check_room(x, s);
}

static bool
check_lds(struct exec *x, struct setup *s)
{
	s->start.lds_size = bits(s->rsrc2, 23, 15) * s->target->lds_granule;
	if (s->start.lds_size > s->target->lds_size)
		return exec_wrong(x, CHECK_lds_size, "%u bytes of %u", s->start.lds_size,
				  s->target->lds_size);
	return true;
}

/* gfx1100 and gfx1102 initialize the scalar registers of wave32 waves incorrectly if there are
 * fewer than 16. */
static bool
check_sgprs(struct exec *x, const struct setup *s)
{
	const char *name = x->d->gpu->name;
	unsigned n = s->n_user + bits(s->rsrc2, 7, 7) + bits(s->rsrc2, 8, 8) +
		     bits(s->rsrc2, 9, 9) + bits(s->rsrc2, 10, 10);
	bool affected = !strcmp(name, "gfx1100") || !strcmp(name, "gfx1102");
	if (affected && s->wave == 32 && n < 16)
		return exec_wrong(x, CHECK_user_sgprs, "%u of user data, %u in total", s->n_user, n);
	return true;
}

static bool
check_scratch(struct exec *x, struct setup *s)
{
	enum gen g = gen_of(x->d);
	uint32_t v = reg_of(x, R_TMPRING_SIZE), waves = bits(v, 11, 0);
	unsigned top = g == G12 ? 29 : g == G11 ? 26 : 24;
	uint64_t wave_size = (uint64_t)bits(v, top, 12) * (g >= G11 ? 256 : 1024);
	uint64_t base = (uint64_t)reg_of(x, R_SCRATCH_BASE_LO) << 8 |
			(uint64_t)reg_of(x, R_SCRATCH_BASE_HI) << 40;
	bool architected = g == G94 || g >= G11;
	if (v >> top >> 1)
		return bad(x, "TMPRING_SIZE", v, "bits that must be zero");
	if (!(s->rsrc2 & 1))
		return true;
	if (!waves || !wave_size)
		return exec_wrong(x, CHECK_scratch, "SCRATCH_EN is set, and TMPRING_SIZE is 0x%x",
				  v);
	s->start.scratch_size = (uint32_t)(wave_size / s->wave) & ~3u;
	if (s->start.scratch_size > AMD_MAX_SCRATCH)
		return exec_wrong(x, CHECK_scratch,
				  "%u bytes per lane are more than the model supports",
				  s->start.scratch_size);
	s->start.wave_offset = !architected;
	if (!architected)
		return true;
	uint64_t size = wave_size * waves * (g >= G11 ? x->d->gpu->n_se : 1), end = base + size;
	for (uint64_t at = base; at < end;) {
		const struct map *m = vm_find(x->vm, at);
		if (!m || m->bo->listed != x->job->id || !(m->flags & VM_WRITE))
			return exec_wrong(
				x, CHECK_scratch,
				"%llu bytes at 0x%llx: 0x%llx is not mapped, listed and writable",
				(unsigned long long)size, (unsigned long long)base,
				(unsigned long long)at);
		at = m->va + m->size;
	}
	return true;
}

/* -- Kernel descriptor ------------------------------------------------------------- */

static bool
check_descriptor(struct exec *x, const struct setup *s, const struct code *c)
{
	enum { LDS_FIELD = 0x1ff << 15, WAVE32 = 1 << 10 };
	uint32_t d[16];
	if (!c->descriptor || !mem_peek(x, c->descriptor, d, sizeof d))
		return true;
	uint32_t props = d[14] & 0xffff, wave = gen_of(x->d) >= G101 && (props & WAVE32) ? 32 : 64;
	if (wave != s->wave)
		return exec_wrong(x, CHECK_kernel_wave, "wave size %u, expected %u", wave, s->wave);
	if (d[12] != s->rsrc1 || d[13] != (s->rsrc2 & ~(uint32_t)LDS_FIELD) ||
	    (reg_there(x, R_PGM_RSRC3) && (d[11] ^ s->rsrc3) & ~(gen_of(x->d) == G12   ? 0xff0u
								 : gen_of(x->d) == G11 ? 0x3f0u
										       : 0u)))
		exec_wrong(x, CHECK_kernel_regs, "0x%x 0x%x 0x%x for 0x%x 0x%x 0x%x", s->rsrc1,
			   s->rsrc2, s->rsrc3, d[12], d[13], d[11]);
	if (s->start.lds_size < d[0])
		exec_wrong(x, CHECK_kernel_lds, "%u bytes for %u", s->start.lds_size, d[0]);
	return true;
}

static void
check_prefetch(struct exec *x, const struct setup *s)
{
	enum gen g = gen_of(x->d);
	uint64_t bytes = 128 * (uint64_t)(g == G12   ? bits(s->rsrc3, 11, 4)
					  : g == G11 ? bits(s->rsrc3, 9, 4)
						     : 0);
	if (mem_code_size(x, s->va) < bytes)
		exec_wrong(x, CHECK_code_tail,
			   "INST_PREF_SIZE fetches %llu bytes starting at 0x%llx",
			   (unsigned long long)bytes, (unsigned long long)s->va);
}

/* -- Execution --------------------------------------------------------------------- */

static void *
memory_at(void *user, uint64_t addr, unsigned n, enum amd_access how)
{
	static const enum access access[] = { [AMD_LOAD] = READ,
					      [AMD_SCALAR_LOAD] = SCALAR,
					      [AMD_STORE] = WRITE,
					      [AMD_ATOMIC] = ATOMIC };
	return mem_at(user, addr, n, access[how]);
}

static bool
run(struct exec *x, const struct setup *s, const struct code *c, const uint32_t dims[3])
{
	struct amd_memory memory = { memory_at, x };
	struct qd_error err = { .text = "" };
	struct amd_launch l = {
		.code = c->code,
		.start = &s->start,
		.code_addr = s->va - 4 * (uint64_t)c->before,
		.entry = c->before,
		.grid = { dims[0], dims[1], dims[2] },
		.block = { s->group[0], s->group[1], s->group[2] },
		.dies = fake_config()->dies,
		.memory = &memory,
		.max_steps = fake_config()->steps,
		.seed = next_random(&x->d->random),
	};
	qd_status st = amd_run(&x->mem, &l, &err);
	if (st != QD_OK && !x->error)
		exec_wrong(x, CHECK_wave, "%.900s", err.text);
	return !x->error;
}

static bool
set_up(struct exec *x, struct setup *s, uint32_t initiator)
{
	s->rsrc1 = reg_of(x, R_PGM_RSRC1);
	s->rsrc2 = reg_of(x, R_PGM_RSRC2);
	s->rsrc3 = reg_of(x, R_PGM_RSRC3);
	s->n_user = bits(s->rsrc2, 5, 1);
	s->wave = initiator >> 15 & 1 ? 32 : 64;
	s->va = (uint64_t)reg_of(x, R_PGM_LO) << 8 | (uint64_t)reg_of(x, R_PGM_HI) << 40;
	s->target = gcn_target_find(x->d->gpu->name, s->wave);
	for (unsigned i = 0; i < 16; i++)
		s->user[i] = reg_of(x, (enum reg)(R_USER_DATA_0 + i));
	s->start.mode =
		bits(s->rsrc1, 19, 12) | bits(s->rsrc1, 21, 21) << 8 | bits(s->rsrc1, 23, 23) << 9;
	s->start.dispatch_ptr = s->start.kernarg_ptr = s->start.dispatch_id = s->start.scratch_init = AMD_NONE;
	s->start.n_user = (uint8_t)s->n_user;
	s->start.user = s->user;
	s->start.group_ids = (uint8_t)bits(s->rsrc2, 9, 7);
	s->start.group_info = bits(s->rsrc2, 10, 10);
	s->start.last_id = (uint8_t)bits(s->rsrc2, 12, 11);
	/* Kernels for targets before gfx942 use only the base in their user data. */
	bool base = (s->rsrc2 & 1) && gen_of(x->d) >= G94;
	return regs_needed(x, base, s->n_user < 16 ? s->n_user : 16) && check_rsrc(x, s) &&
	       check_group(x, s) && check_limits(x, s) && check_vgprs(x, s) && check_lds(x, s) &&
	       check_sgprs(x, s) && check_scratch(x, s);
}

bool
dispatch_run(struct exec *x, const uint32_t dims[3], uint32_t initiator)
{
	struct setup s = { 0 };
	struct code *c;
	x->dispatch++;
	if (!(x->emptied[I_CACHE] && x->emptied[S_CACHE] && x->emptied[V_CACHE] &&
	      x->emptied[L2_CACHE]))
		exec_wrong(x, CHECK_acquire, "%s%s%s%s: other submissions left their data there",
			   x->emptied[I_CACHE] ? "" : " instructions",
			   x->emptied[S_CACHE] ? "" : " scalar",
			   x->emptied[V_CACHE] ? "" : " vector", x->emptied[L2_CACHE] ? "" : " L2");
	for (unsigned i = 0; i < 3; i++) {
		if (!dims[i] || (i && dims[i] > 0xffff))
			return exec_wrong(x, CHECK_group_count, "%u x %u x %u", dims[0], dims[1],
					  dims[2]);
	}
	if (!check_initiator(x, initiator) || !set_up(x, &s, initiator))
		return false;
	c = code_at(x, s.va, s.target);
	if (!c || !check_descriptor(x, &s, c))
		return false;
	check_prefetch(x, &s);
	x->undrained++;
	x->n_dispatches++;
	return run(x, &s, c, dims);
}
