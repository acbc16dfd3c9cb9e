/* Packet streams that tests share, and queries of streams. */
#include "pm4_stream.h"

const uint32_t *
stream_register(enum pm4_gen gen, const uint32_t *words, uint32_t n, enum pm4_word reg)
{
	bool uconfig = pm4_regs[reg].space == PM4_SPACE_UCONFIG;
	const struct pm4_packet *set = &pm4_packets[uconfig ? PM4_PKT_SET_UCONFIG_REG : PM4_PKT_SET_SH_REG];
	const uint32_t *found = NULL;
	struct pm4_read r;
	uint32_t at = 0;

	while (pm4_next(words, n, &at, &r)) {
		uint32_t want = pm4_regs[reg].offset[gen];
		if (r.packet == set && want >= r.body[0] && want < r.body[0] + r.n - 1)
			found = r.body + 1 + (want - r.body[0]);
	}
	return found;
}

/* -- Whole streams: a kernel that adds, with 4 blocks of 64 lanes in x ---------------------- */

/* Descriptors of clang 19. The streams have the order of tinygrad's and the registers of Mesa's. A
 * slash separates packets. */
const struct pm4_golden pm4_goldens[PM4_N_GOLDEN] = {
	{ "gfx906", { 0x00af0041, 0x8c, 0 }, 0x09, 4,
	  "C0017900 7B 0 / C0055800 28C40000 FFFFFFFF FFFFFF 0 0 A / C0027602 20C 1000013 0 / C0027602 212 AF0041 8C / "
	  "C0017602 218 0 / C0027602 20A 0 0 / C0017602 215 0 / C0047602 21B 0 0 0 0 / C0027602 216 FFFFFFFF FFFFFFFF / "
	  "C0027602 219 FFFFFFFF FFFFFFFF / C0067602 240 0 0 0 0 20000 1 / C0067602 204 0 0 0 40 1 1 / C0031502 4 1 1 5 / "
	  "C0004600 407 / FFFF1000 FFFF1000 FFFF1000 FFFF1000 FFFF1000 FFFF1000 FFFF1000" },
	{ "gfx90a", { 0x00af0040, 0x8c, 1 }, 0x09, 8,
	  "C0017900 7B 0 / C0055800 28C40000 FFFFFFFF FFFFFF 0 0 A / C0027602 20C 1000013 0 / C0027602 212 AF0040 8C / "
	  "C0017602 22D 1 / C0017602 218 0 / C0027602 20A 0 0 / C0017602 215 0 / C0047602 21B 0 0 0 0 / C0027602 216 "
	  "FFFFFFFF FFFFFFFF / C0027602 219 FFFFFFFF FFFFFFFF / C0047602 225 FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF / "
	  "C0067602 240 0 0 0 0 20000 1 / C0067602 204 0 0 0 40 1 1 / C0031502 4 1 1 5 / C0004600 407 / FFFF1000 FFFF1000 "
	  "FFFF1000 FFFF1000 FFFF1000 FFFF1000" },
	{ "gfx942", { 0x00af0040, 0x84, 1 }, 0x08, 4,
	  "C0017900 7B 0 / C0055800 28C40000 FFFFFFFF FFFFFF 0 0 A / C0027602 20C 1000013 0 / C0027602 212 AF0040 84 / "
	  "C0017602 22D 1 / C0017602 218 0 / C0027602 210 0 0 / C0027602 20A 0 0 / C0017602 215 0 / C0047602 21B 0 0 0 0 / "
	  "C0017602 227 0 / C0027602 216 FFFFFFFF FFFFFFFF / C0027602 219 FFFFFFFF FFFFFFFF / C0027602 240 20000 1 / "
	  "C0067602 204 0 0 0 40 1 1 / C0031502 4 1 1 5 / C0004600 407 / FFFF1000" },
	{ "gfx1030", { 0x60af0040, 0x8c, 0 }, 0x409, 4,
	  "C0017900 7B 20 / C0065800 0 FFFFFFFF FFFFFF 0 0 A C3B1 / C0027602 20C 1000013 0 / C0027602 212 60AF0040 8C / "
	  "C0017602 228 0 / C0017602 218 0 / C0027602 210 0 0 / C0027602 20A 0 0 / C0017602 215 0 / C0047602 21B 0 0 0 0 / "
	  "C0047602 224 0 0 0 0 / C0017602 27D 0 / C0027602 216 FFFFFFFF FFFFFFFF / C0027602 219 FFFFFFFF FFFFFFFF / "
	  "C0067602 240 0 0 0 0 20000 1 / C0067602 204 0 0 0 40 1 1 / C0031502 4 1 1 8005 / C0004600 407 / FFFF1000 "
	  "FFFF1000 FFFF1000 FFFF1000 FFFF1000 FFFF1000" },
	{ "gfx1100", { 0x60af0080, 0x9e, 0 }, 0x408, 6,
	  "C0065800 0 FFFFFFFF FFFFFF 0 0 A C3B1 / C0027602 20C 1000013 0 / C0027602 212 60AF0080 9E / C0017602 228 0 / "
	  "C0017602 218 0 / C0027602 210 0 0 / C0027602 20A 0 0 / C0017602 215 0 / C0047602 21B 0 0 0 0 / C0047602 224 0 0 "
	  "0 0 / C0017602 22F 40 / C0017602 27D 0 / C0027602 216 FFFFFFFF FFFFFFFF / C0027602 219 FFFFFFFF FFFFFFFF / "
	  "C0047602 22B FFFFFFFF FFFFFFFF 0 0 / C00F7602 240 20000 1 0 0 0 0 0 0 0 0 0 0 0 0 0 / C0067602 204 0 0 0 40 1 1 "
	  "/ C0031502 4 1 1 8005 / C0004600 407 / FFFF1000 FFFF1000 FFFF1000 FFFF1000 FFFF1000 FFFF1000 FFFF1000" },
	{ "gfx1201", { 0x600f0000, 0x84, 0 }, 0x408, 4,
	  "C0065800 0 FFFFFFFF FFFFFF 0 0 A C3B1 / C0027602 20C 1000013 0 / C0027602 212 600F0000 84 / C0017602 228 0 / "
	  "C0017602 218 0 / C0027602 210 0 0 / C0027602 20A 0 0 / C0027602 20E 0 0 / C0017602 215 0 / C0047602 21B 0 0 0 0 "
	  "/ C0047602 224 0 0 0 0 / C0017602 22F 40 / C0017602 27D 0 / C0027602 216 FFFFFFFF FFFFFFFF / C0027602 219 "
	  "FFFFFFFF FFFFFFFF / C0047602 22B 0 0 0 0 / C0017602 223 0 / C0027602 240 20000 1 / C0067602 204 0 0 0 40 1 1 / "
	  "C0031502 4 1 1 8005 / C0004600 407 / FFFF1000 FFFF1000 FFFF1000 FFFF1000 FFFF1000" },
};

void
pm4_made_put(uint8_t *d, unsigned at, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		d[at + i] = (uint8_t)(v >> 8 * i);
}

void
pm4_made_describe(const struct pm4_golden *g, uint8_t d[AMD_DESCRIPTOR_SIZE])
{
	memset(d, 0, AMD_DESCRIPTOR_SIZE);
	pm4_made_put(d, 8, 24);
	pm4_made_put(d, 16, PM4_MADE_CODE);
	pm4_made_put(d, 44, g->rsrc[2]);
	pm4_made_put(d, 48, g->rsrc[0]);
	pm4_made_put(d, 52, g->rsrc[1]);
	pm4_made_put(d, 56, g->properties);
}

/* Writes the whole stream of a golden's dispatch. */
qd_status
pm4_made_stream(const struct pm4_golden *g, const struct pm4_dispatch *d, uint32_t *words, uint32_t cap, uint32_t *n,
      struct qd_error *err)
{
	const struct amd_gpu *gpu = amd_gpu_find(g->target, strlen(g->target));
	struct pm4 p;

	pm4_begin(&p, gpu->gen, words, cap, err);
	pm4_cache(&p, PM4_CACHE_START);
	pm4_dispatch(&p, gpu, d);
	pm4_drain(&p);
	pm4_pad(&p);
	*n = p.n;
	return p.st;
}

/* Fills in a golden's kernel and dispatch. */
const struct amd_gpu *
pm4_made_dispatch(struct unit_ctx *t, const struct pm4_golden *g, struct pm4_kernel *k, struct pm4_dispatch *d)
{
	const struct amd_gpu *gpu = amd_gpu_find(g->target, strlen(g->target));
	uint8_t bytes[AMD_DESCRIPTOR_SIZE];
	struct qd_error e = { .text = "" };

	pm4_made_describe(g, bytes);
	UNIT_CHECK(t, !pm4_kernel_read(gpu, bytes, PM4_MADE_DESCRIPTOR, k, &e), "%s: %s", g->target, e.text);
	*d = (struct pm4_dispatch){ .kernel = k, .blocks = { 4, 1, 1 }, .block = { 64, 1, 1 }, .kernarg = PM4_MADE_KERNARG };
	pm4_all_units(d->cu_mask, g->n_engine);
	return gpu;
}
