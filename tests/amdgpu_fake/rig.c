/* A handwritten program that uses the fake (rig.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gcn.h"
#include "rig.h"

static const struct {
	const char *name;
	unsigned gen;
} gens[] = { { "gfx906", 9 },	{ "gfx908", 9 },   { "gfx90a", 90 },  { "gfx942", 94 },
	     { "gfx950", 94 },	{ "gfx1010", 10 }, { "gfx1030", 10 }, { "gfx1100", 11 },
	     { "gfx1102", 11 }, { "gfx1150", 11 }, { "gfx1200", 12 }, { "gfx1201", 12 } };

static bool
said(const char *what, int r)
{
	if (r)
		fprintf(stderr, "rig: %s returns %d\n", what, r);
	return r == 0;
}

bool
rig_memory(struct rig *r, struct rig_memory *m, uint64_t size, uint32_t heap, uint64_t bo_flags,
	   uint64_t va_flags)
{
	struct bo_request q = { .size = size, .align = 4096, .heap = heap, .flags = bo_flags };
	void *host = NULL;
	*m = (struct rig_memory){ .size = size };
	bool ok = said("amdgpu_bo_alloc", amdgpu_bo_alloc(r->d, &q, &m->bo));
	ok = ok && said("amdgpu_va_range_alloc",
			amdgpu_va_range_alloc(r->d, 0, size, 4096, 0, &m->va, &m->range, 0));
	ok = ok && said("amdgpu_bo_va_op_raw",
			amdgpu_bo_va_op_raw(r->d, m->bo, 0, size, m->va, va_flags, VA_MAP));
	if (ok && !(bo_flags & BO_NO_CPU_ACCESS))
		ok = said("amdgpu_bo_cpu_map", amdgpu_bo_cpu_map(m->bo, &host));
	m->host = host;
	return ok;
}

void
rig_memory_free(struct rig_memory *m)
{
	if (m->host)
		amdgpu_bo_cpu_unmap(m->bo);
	if (m->range) {
		amdgpu_bo_va_op(m->bo, 0, m->size, m->va, 0, VA_UNMAP);
		amdgpu_va_range_free(m->range);
	}
	if (m->bo)
		amdgpu_bo_free(m->bo);
	*m = (struct rig_memory){ 0 };
}

bool
rig_open(struct rig *r, const char *gpu, unsigned wave, const char *more)
{
	char text[256];
	uint32_t major, minor;
	*r = (struct rig){ .gpu = gpu, .fd = -1, .ip = IP_COMPUTE };
	snprintf(text, sizeof text, "gpu=%s %s", gpu, more);
	fake_amdgpu_set(text);
	for (unsigned i = 0; i < sizeof gens / sizeof *gens; i++)
		if (!strcmp(gens[i].name, gpu))
			r->gen = gens[i].gen;
	r->wave = wave ? wave : r->gen == 10 || r->gen == 11 || r->gen == 12 ? 32 : 64;
	r->fd = drmOpenRender(128);
	if (r->fd < 0 || !said("amdgpu_device_initialize",
			       amdgpu_device_initialize(r->fd, &major, &minor, &r->d)))
		return false;
	return said("amdgpu_cs_ctx_create2", amdgpu_cs_ctx_create2(r->d, 0, &r->ctx)) &&
	       rig_memory(r, &r->code, 16384, DOMAIN_VRAM, BO_CPU_ACCESS, 0xe) &&
	       rig_memory(r, &r->stream, 16384, DOMAIN_GTT, BO_USWC, 0xe) &&
	       rig_memory(r, &r->args, 4096, DOMAIN_GTT, BO_USWC, 0xe) &&
	       rig_memory(r, &r->data, 65536, DOMAIN_GTT, 0, 0xe);
}

void
rig_close(struct rig *r)
{
	if (r->list)
		amdgpu_bo_list_destroy(r->list);
	rig_memory_free(&r->data);
	rig_memory_free(&r->args);
	rig_memory_free(&r->stream);
	rig_memory_free(&r->code);
	if (r->ctx)
		amdgpu_cs_ctx_free(r->ctx);
	if (r->d)
		amdgpu_device_deinitialize(r->d);
	if (r->fd >= 0)
		drmClose(r->fd);
}

/* -- Kernels ----------------------------------------------------------------------- */

bool
rig_kernel(struct rig *r, uint32_t at, const char *text)
{
	const struct gcn_target *t = gcn_target_find(r->gpu, r->wave);
	uint32_t words[512], tail = gcn_filler(t);
	struct qd_error err;
	size_t n;
	if (gcn_assemble(t, text, strlen(text), words, 512, &n, &err) != QD_OK) {
		fprintf(stderr, "rig: %s\n%s", err.text, text);
		return false;
	}
	memcpy(r->code.host + at, words, 4 * n);
	for (size_t i = n; i < n + 256; i++)
		memcpy(r->code.host + at + 4 * i, &tail, 4);
	return true;
}

/* data[group * ITEMS + item] = the same number. The arguments' address is in s[0:1], and the work
 * group's number in the register after the user data. */
static const char *
usual_text(const struct rig *r)
{
	switch (r->gen) {
	case 9:
	case 90:
	case 94:
		return "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
		       "s_lshl_b32 s6, s2, 6\n"
		       "v_and_b32_e32 v0, 0x3ff, v0\n"
		       "v_add_u32_e32 v0, s6, v0\n"
		       "v_lshlrev_b32_e32 v2, 2, v0\n"
		       "s_waitcnt lgkmcnt(0)\n"
		       "global_store_dword v2, v0, s[4:5]\n"
		       "s_endpgm\n";
	case 10:
		return "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
		       "s_lshl_b32 s6, s2, 6\n"
		       "v_and_b32_e32 v0, 0x3ff, v0\n"
		       "v_add_nc_u32_e32 v0, s6, v0\n"
		       "v_lshlrev_b32_e32 v2, 2, v0\n"
		       "s_waitcnt lgkmcnt(0)\n"
		       "global_store_dword v2, v0, s[4:5]\n"
		       "s_endpgm\n";
	case 11:
		return "s_load_b64 s[4:5], s[0:1], 0x0\n"
		       "s_lshl_b32 s6, s15, 6\n"
		       "v_and_b32_e32 v0, 0x3ff, v0\n"
		       "v_add_nc_u32_e32 v0, s6, v0\n"
		       "v_lshlrev_b32_e32 v2, 2, v0\n"
		       "s_waitcnt lgkmcnt(0)\n"
		       "global_store_b32 v2, v0, s[4:5]\n"
		       "s_endpgm\n";
	default:
		return "s_load_b64 s[4:5], s[0:1], 0x0\n"
		       "s_lshl_b32 s6, ttmp9, 6\n"
		       "v_and_b32_e32 v0, 0x3ff, v0\n"
		       "v_add_nc_u32_e32 v0, s6, v0\n"
		       "v_lshlrev_b32_e32 v2, 2, v0\n"
		       "s_wait_kmcnt 0x0\n"
		       "global_store_b32 v2, v0, s[4:5]\n"
		       "s_endpgm\n";
	}
}

static void
add(struct rig *r, uint32_t at, uint32_t value)
{
	r->regs[r->n_regs++] = (struct rig_reg){ at, value, false };
}

struct rig_reg *
rig_reg(struct rig *r, uint32_t at)
{
	for (unsigned i = 0; i < r->n_regs; i++)
		if (r->regs[i].at == at)
			return &r->regs[i];
	add(r, at, 0);
	return &r->regs[r->n_regs - 1];
}

bool
rig_usual(struct rig *r)
{
	static const uint32_t same[] = { 0x204, 0x205, 0x206, 0x20a, 0x20b, 0x215,
					 0x218, 0x21b, 0x21c, 0x21d, 0x21e };
	bool newer = r->gen == 10 || r->gen == 11 || r->gen == 12;
	if (!rig_kernel(r, 0, usual_text(r)))
		return false;
	r->n_regs = 0;
	r->n_user = r->gen == 11 ? 15 : 2;
	for (unsigned i = 0; i < sizeof same / sizeof *same; i++)
		add(r, same[i], 0);
	add(r, 0x207, ITEMS);
	add(r, 0x208, 1);
	add(r, 0x209, 1);
	add(r, 0x20c, (uint32_t)(r->code.va >> 8));
	add(r, 0x20d, (uint32_t)(r->code.va >> 40));
	add(r, 0x212, newer ? 0x600f0000 | (r->gen == 12 ? 0 : 0xa00000) : 0xaf0041);
	add(r, 0x213, 0x80 | r->n_user << 1);
	if (r->gen == 90 || r->gen == 94)
		add(r, 0x22d, 1);
	else if (newer)
		add(r, 0x228, 0);
	if (r->gen == 94)
		add(r, 0x227, 0);
	for (uint32_t i = 0; newer && i < 4; i++)
		add(r, 0x224 + i, 0);
	if (newer)
		add(r, 0x27d, 0);
	if (r->gen == 11 || r->gen == 12)
		add(r, 0x22f, 64);
	if (r->gen == 12) {
		add(r, 0x20e, 0);
		add(r, 0x20f, 0);
		add(r, 0x223, 0);
	}
	for (uint32_t i = 0; i < 2; i++) {
		add(r, 0x216 + i, UINT32_MAX);
		add(r, 0x219 + i, UINT32_MAX);
	}
	if (r->gen == 90 || !strcmp(r->gpu, "gfx908"))
		for (uint32_t i = 0; i < 4; i++)
			add(r, 0x225 + i, UINT32_MAX);
	if (r->gen == 11 || r->gen == 12)
		for (uint32_t i = 0; i < 4; i++)
			add(r, 0x22b + i, UINT32_MAX);
	for (uint32_t i = 0; i < r->n_user; i++)
		add(r, 0x240 + i, i < 2 ? (uint32_t)(r->args.va >> 32 * i) : 0);
	r->dims[0] = GROUPS;
	r->dims[1] = r->dims[2] = 1;
	r->initiator = r->wave == 32 ? 0x8005 : 0x5;
	memcpy(r->args.host, &r->data.va, 8);
	memset(r->data.host, 0xff, r->data.size);
	return true;
}

/* -- Streams ----------------------------------------------------------------------- */

void
rig_word(struct rig *r, uint32_t w)
{
	if (r->n == MAX_STREAM)
		abort();
	r->w[r->n++] = w;
}

static void
words(struct rig *r, const uint32_t *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		rig_word(r, w[i]);
}

static bool
is_newer(const struct rig *r)
{
	return r->gen == 10 || r->gen == 11 || r->gen == 12;
}

static void
acquire(struct rig *r, uint32_t cntl, uint32_t gcr)
{
	const uint32_t old[] = { 0xc0055800, cntl, 0xffffffff, 0xffffff, 0, 0, 10 };
	const uint32_t new[] = { 0xc0065800, 0, 0xffffffff, 0xffffff, 0, 0, 10, gcr };
	if (is_newer(r))
		words(r, new, 8);
	else
		words(r, old, 7);
}

void
rig_acquire(struct rig *r)
{
	const uint32_t delay[] = { 0xc0017900, 0x7b, r->gen == 10 ? 0x20 : 0 };
	if (r->gen != 11 && r->gen != 12 && !r->no_delay)
		words(r, delay, 3);
	acquire(r, 0x28c40000, 0xc3b1);
}

void
rig_drain(struct rig *r)
{
	rig_word(r, 0xc0004600);
	rig_word(r, 0x407);
}

void
rig_between(struct rig *r)
{
	rig_drain(r);
	acquire(r, 0x08400000, 0x380);
}

void
rig_set_regs(struct rig *r)
{
	for (unsigned i = 0; i < r->n_regs; i++) {
		const uint32_t w[] = { 0xc0017602, r->regs[i].at, r->regs[i].value };
		if (!r->regs[i].left_out)
			words(r, w, 3);
	}
}

void
rig_dispatch(struct rig *r)
{
	const uint32_t w[] = { 0xc0031502, r->dims[0], r->dims[1], r->dims[2], r->initiator };
	words(r, w, 5);
}

void
rig_pad(struct rig *r)
{
	while (r->n % 8)
		rig_word(r, r->ip == IP_DMA ? 0 : 0xffff1000);
}

void
rig_stream(struct rig *r)
{
	r->n = 0;
	if (!r->no_acquire)
		rig_acquire(r);
	rig_set_regs(r);
	rig_dispatch(r);
	if (!r->no_drain)
		rig_drain(r);
	rig_pad(r);
}

int
rig_submit(struct rig *r)
{
	struct rig_memory *m[] = { &r->code, &r->stream, &r->args, &r->data };
	struct bo *bos[4];
	uint32_t n = 0;
	for (unsigned i = 0; i < 4; i++)
		if (!m[i]->unlisted)
			bos[n++] = m[i]->bo;
	if (r->list)
		amdgpu_bo_list_destroy(r->list);
	r->list = NULL;
	int err = amdgpu_bo_list_create(r->d, n, bos, NULL, &r->list);
	if (err)
		return err;
	memcpy(r->stream.host, r->w, 4 * (size_t)r->n);
	struct cs_ib ib = { r->ib_flags, r->stream.va, r->n };
	struct cs_request q = {
		.ip_type = r->ip, .ring = r->ring, .list = r->list, .n_ibs = 1, .ibs = &ib
	};
	err = amdgpu_cs_submit(r->ctx, 0, &q, 1);
	r->seq = q.seq;
	return err;
}

int
rig_wait(struct rig *r)
{
	struct cs_fence f = { r->ctx, r->ip, 0, r->ring, r->seq };
	uint32_t expired = 0;
	int err = amdgpu_cs_query_fence_status(&f, UINT64_C(20000000000), 0, &expired);
	return err ? err : !expired;
}

int
rig_run(struct rig *r)
{
	int err = rig_submit(r);
	return err ? err : rig_wait(r);
}
