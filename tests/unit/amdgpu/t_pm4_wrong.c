/* Rejections of dispatches and descriptors that would hang a device, and streams that are full. */
#include "pm4_stream.h"

enum { CAP = PM4_GOLDEN_CAP };

enum change { BLOCKS_X0, BLOCKS_Y, BLOCK_0, BLOCK_1025, BLOCK_WRAPS, KERNARG_0, KERNARG_ODD, KERNARG_HIGH, LDS_1, SCRATCH_NONE,
	      SCRATCH_ODD, SCRATCH_SMALL, SCRATCH_WAVES, REGISTERS, REGISTERS_64, MASK, GENERATION, PACKET_NONE, N_CHANGE };

static void
change(enum change c, struct pm4_dispatch *d, struct pm4_kernel *k)
{
	if (c >= SCRATCH_NONE && c <= SCRATCH_WAVES) {
		k->scratch_size = 16;
		k->rsrc[1] |= 1;
		d->scratch = (struct pm4_scratch){ 0x100000000, 1u << 26, 1024 };
	}
	switch (c) {
	case BLOCKS_X0: d->blocks[0] = 0; break;
	case BLOCKS_Y: d->blocks[1] = 65536; break;
	case BLOCK_0: d->block[2] = 0; break;
	case BLOCK_1025: d->block[0] = 1025; break;
	case BLOCK_WRAPS: /* 2^64 + 4 */
		d->block[0] = 769546, d->block[1] = 494770, d->block[2] = 48448661;
		break;
	case KERNARG_0: d->kernarg = 0; break;
	case KERNARG_ODD: d->kernarg += 8; break;
	case KERNARG_HIGH: d->kernarg = UINT64_C(0xffff800000000000); break;
	case LDS_1: d->dynamic_lds = 65537; break;
	case SCRATCH_NONE: d->scratch = (struct pm4_scratch){ 0 }; break;
	case SCRATCH_ODD: d->scratch.addr += 128; break;
	case SCRATCH_SMALL: d->scratch.size = 1024; break;
	case SCRATCH_WAVES: d->scratch.waves = 4096; break;
	case REGISTERS: k->rsrc[0] |= 63; d->block[0] = 1024; break;
	case REGISTERS_64: k->rsrc[0] |= 63; k->wave = 64; d->block[0] = 1024; break;
	case MASK: d->cu_mask[8] = 1; break;
	case GENERATION: break;
	case PACKET_NONE: k->user |= PM4_USER_DISPATCH_PTR; break;
	case N_CHANGE: break;
	}
}

static void
refused(struct unit_ctx *t)
{
	static const char *const want[N_CHANGE] = {
		[BLOCKS_X0] = "0 blocks in x; the number must be 1 to 4294967295",
		[BLOCKS_Y] = "65536 blocks in y; the number must be 1 to 65535",
		[BLOCK_0] = "a block of 64 x 1 x 0 lanes; the number must be 1 to 1024",
		[BLOCK_1025] = "a block of 1025 x 1 x 1 lanes; the number must be 1 to 1024",
		[BLOCK_WRAPS] = "a block of 769546 x 494770 x 48448661 lanes; the number must be 1 to 1024",
		[KERNARG_0] = "the arguments at 0x0 are not at a multiple of 16 below 2^48",
		[KERNARG_ODD] = "the arguments at 0x100020008 are not at a multiple of 16 below 2^48",
		[KERNARG_HIGH] = "the arguments at 0xffff800000000000 are not at a multiple of 16 below 2^48",
		[LDS_1] = "65537 bytes of LDS; the limit for a block on gfx1100 is 65536",
		[SCRATCH_NONE] = "the kernel needs scratch; 0x0 for 0 waves is not a valid address (a multiple of 256 below 2^48)",
		[SCRATCH_ODD] = "the kernel needs scratch; 0x100000080 for 1024 waves is not a valid address (a multiple of 256 below 2^48)",
		[SCRATCH_SMALL] = "scratch of 1024 bytes is less than 1024 waves of 512 bytes need",
		[SCRATCH_WAVES] = "TMPRING_SIZE.WAVES has 12 bits; 4096 does not fit",
		[REGISTERS] = "a block of 1024 lanes needs 32 waves of 512 registers, 8 waves per SIMD: more than gfx1100 supports",
		[REGISTERS_64] = "a block of 1024 lanes needs 16 waves of 256 registers, 4 waves per SIMD: more than gfx1100 supports",
		[MASK] = "shader engine 8 has a mask, but the device has 8",
		[GENERATION] = "a stream for a device other than gfx1100",
		[PACKET_NONE] = "the kernel reads the dispatch packet, but 0x0 is not a valid address of one",
	};
	const struct pm4_golden *g = &pm4_goldens[4];

	for (enum change c = 0; c < N_CHANGE; c++) {
		struct pm4_kernel k;
		struct pm4_dispatch d;
		struct qd_error e = { .text = "" };
		uint32_t words[CAP];
		struct pm4 p;
		const struct amd_gpu *gpu = pm4_made_dispatch(t, g, &k, &d);
		k.rsrc[0] |= 1u << 29; /* both compute units of a work-group processor */
		change(c, &d, &k);
		pm4_begin(&p, c == GENERATION ? PM4_G12 : gpu->gen, words, CAP, &e);
		pm4_cache(&p, PM4_CACHE_START);
		uint32_t before = p.n;
		pm4_dispatch(&p, gpu, &d);
		UNIT_CHECK(t, p.st && p.n == before && strcmp(e.text, want[c]) == 0, "change %d: %s: %s, %u words", (int)c,
			   qd_status_name(p.st), e.text, p.n);
		pm4_pad(&p);
		UNIT_CHECK(t, p.n == before && p.st, "change %d: it went on", (int)c);
	}
}

/* Wrong descriptors: byte offset, word to put there, error after the prefix. */
static void
descriptors(struct unit_ctx *t)
{
	static const struct {
		unsigned golden, at;
		uint32_t word;
		const char *want;
	} rows[] = {
		{ 0, 12, 1, "reserved byte 12 is 0x1; it must be 0" },
		{ 0, 40, 0x05000000, "reserved byte 43 is 0x5; it must be 0" },
		{ 0, 60, 9, "reserved byte 60 is 0x9; it must be 0" },
		{ 0, 16, 0x310, "its code at 0x100001310 is not at a multiple of 256 below 2^48" },
		{ 0, 20, 0xffff, "its code at 0x1000000001300 is not at a multiple of 256 below 2^48" },
		{ 0, 44, 1, "PGM_RSRC3 is 0x1, but the device has no such register" },
		{ 0, 48, 0x20af0041, "PGM_RSRC1 has bits outside of its fields, 0x20000000" },
		{ 0, 48, 0x00bf0041, "PGM_RSRC1.PRIV is set, which a kernel must not set" },
		{ 5, 48, 0x608f0000, "PGM_RSRC1.DISABLE_PERF is set, which a kernel must not set" },
		{ 0, 52, 0x8000008c, "PGM_RSRC2.SKIP_USGPR0 is set, which a kernel must not set" },
		{ 4, 52, 0x8000009e, "PGM_RSRC2 has bits outside of its fields, 0x80000000" },
		{ 0, 52, 0x0100008c, "PGM_RSRC2.EXCP_EN is set, which a kernel must not set" },
		{ 0, 52, 0x0000808c, "PGM_RSRC2.LDS_SIZE is set, which a kernel must not set" },
		{ 5, 52, 0x000000c4, "PGM_RSRC2.DYNAMIC_VGPR is set, which a kernel must not set" },
		{ 0, 52, 0x0000008d, "it has 0 bytes of scratch, but PGM_RSRC2.SCRATCH_EN is 1" },
		{ 0, 4, 4, "it has 4 bytes of scratch, but PGM_RSRC2.SCRATCH_EN is 0" },
		{ 0, 52, 0x000000a4, "it has 18 user registers; the limit is 16" },
		{ 0, 52, 0x00000088, "its properties 0x9 fill 6 user registers, but it has 4" },
		{ 4, 52, 0x0000008c, "its waves start with 7 scalar registers; gfx1100 needs at least 16 in waves of 32 lanes" },
		{ 0, 56, 0x409, "it is for waves of 32 lanes, which gfx906 does not support" },
		{ 0, 56, 0x809, "its scratch size is unknown (a dynamic stack)" },
		{ 0, 56, 0x1009, "its properties 0x1009 have bits without a meaning" },
		{ 2, 56, 0x09, "it requests scratch in registers; gfx942 sets up scratch itself" },
		{ 0, 0, 65540, "it has 65540 bytes of LDS; the limit for a block on gfx906 is 65536" },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const struct pm4_golden *g = &pm4_goldens[rows[i].golden];
		const char *head = "kernel descriptor at 0x100001000: ";
		uint8_t d[AMD_DESCRIPTOR_SIZE];
		struct pm4_kernel k;
		struct qd_error e = { .text = "" };
		pm4_made_describe(g, d);
		pm4_made_put(d, rows[i].at, rows[i].word);
		qd_status st = pm4_kernel_read(amd_gpu_find(g->target, strlen(g->target)), d, PM4_MADE_DESCRIPTOR, &k, &e);
		UNIT_CHECK(t, st && strncmp(e.text, head, strlen(head)) == 0 && strcmp(e.text + strlen(head), rows[i].want) == 0,
			   "row %zu: %s: %s", i, qd_status_name(st), e.text);
	}
}

/* Checks that a stream of any capacity ends after a whole packet, and that nothing is written past
 * its end. */
static void
room(struct unit_ctx *t)
{
	enum { MARK = 0x5a5a5a5a };

	for (size_t i = 0; i < PM4_N_GOLDEN; i++) {
		struct pm4_kernel k;
		struct pm4_dispatch d;
		uint32_t words[CAP + 1], n_whole, n;
		struct qd_error e = { .text = "" };
		pm4_made_dispatch(t, &pm4_goldens[i], &k, &d);
		UNIT_CHECK(t, !pm4_made_stream(&pm4_goldens[i], &d, words, CAP, &n_whole, &e), "%s", e.text);
		for (uint32_t cap = 0; cap < n_whole; cap++) {
			uint32_t at = 0;
			struct pm4_read r = { 0 };
			for (uint32_t w = 0; w <= CAP; w++)
				words[w] = MARK;
			qd_status st = pm4_made_stream(&pm4_goldens[i], &d, words, cap, &n, &e);
			UNIT_CHECK(t, st == QD_E_LIMIT && strncmp(e.text, "the stream is full", 18) == 0 && n <= cap, "%s in %u: %s",
				   pm4_goldens[i].target, cap, e.text);
			UNIT_CHECK(t, words[cap] == MARK, "%s in %u: written past the end", pm4_goldens[i].target, cap);
			while (pm4_next(words, n, &at, &r))
				UNIT_CHECK(t, !r.missing && r.packet, "%s in %u: a part of a packet", pm4_goldens[i].target, cap);
		}
	}
}

/* Checks the errors of the writer's functions. */
static void
parts(struct unit_ctx *t)
{
	static const uint32_t zeros[300];
	static const char *const want[] = {
		"a fence: 0x1004 is not an address of 8-byte words below 2^48",
		"a fence of 32 bits: 4294967296 does not fit",
		"a time: 0x0 is not an address of 8-byte words below 2^48",
		"a time: 0x1000000000000 is not an address of 8-byte words below 2^48",
		"a write: 0x1002 is not an address of 4-byte words below 2^48",
		"a write of 257 words; the limit is 256",
		"WRITE_DATA has 4 words on this device or more; 3 are given",
		"ACQUIRE_MEM has 7 words on this device; 6 are given",
		"a stream cannot set VMID",
		"a stream cannot set DISPATCH_INITIATOR",
		"there is no register STATIC_THREAD_MGMT_SE8 on this device",
		"USER_DATA and the 16 registers after it: no register at 0x250",
		"PGM_RSRC1 has no field WG_RR_EN on this device",
		"PGM_RSRC2.USER_SGPR has 5 bits; 32 does not fit",
		"NOP has 1 words on this device or more; 0 are given",
	};

	for (unsigned i = 0; i < QD_COUNT(want); i++) {
		uint32_t words[CAP + 64], w = 0;
		struct qd_error e = { .text = "" };
		struct pm4 p;
		pm4_begin(&p, PM4_G11, words, CAP + 64, &e);
		switch (i) {
		case 0: pm4_fence(&p, &(struct pm4_fence){ .addr = 0x1004, .wide = true }); break;
		case 1: pm4_fence(&p, &(struct pm4_fence){ .addr = 0x1004, .value = UINT64_C(1) << 32 }); break;
		case 2: pm4_clock(&p, 0); break;
		case 3: pm4_clock_end(&p, UINT64_C(1) << 48); break;
		case 4: pm4_write(&p, 0x1002, zeros, 1); break;
		case 5: pm4_write(&p, 0x1000, zeros, 257); break;
		case 6: pm4_write(&p, 0x1000, zeros, 0); break;
		case 7: pm4_packet(&p, PM4_PKT_ACQUIRE_MEM, zeros, 6); break;
		case 8: pm4_set(&p, PM4_VMID, zeros, 1); break;
		case 9: pm4_set(&p, PM4_DISPATCH_INITIATOR, zeros, 1); break;
		case 10: pm4_set(&p, PM4_STATIC_THREAD_MGMT_SE8, zeros, 1); break;
		case 11: pm4_set(&p, PM4_USER_DATA, zeros, 17); break;
		case 12: pm4_bits(&p, &w, PM4_F_PGM_RSRC1_WG_RR_EN, 1); break;
		case 13: pm4_bits(&p, &w, PM4_F_PGM_RSRC2_USER_SGPR, 32); break;
		case 14: pm4_packet(&p, PM4_PKT_NOP, zeros, 0); break;
		}

		UNIT_CHECK(t, p.st && !p.n && !w && strcmp(e.text, want[i]) == 0, "%u: %s: %s", i, qd_status_name(p.st), e.text);
	}
}

const struct unit units_pm4_wrong[] = {
	{ "pm4_wrong.dispatches", refused },
	{ "pm4_wrong.descriptors", descriptors },
	{ "pm4_wrong.room", room },
	{ "pm4_wrong.parts", parts },
};
const unsigned n_units_pm4_wrong = QD_COUNT(units_pm4_wrong);
