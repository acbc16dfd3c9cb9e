/* Kernels of tests/emu: their launches, input data and reference functions. */
#include <math.h>

#include "emu_want.h"
#include "emu_texts.h"

/* -- Table -------------------------------------------------------------------------------- */

/* clang-format off */
const struct emu_kernel emu_kernels[] = {
	{ "diverge", "collatz", { 3, 1, 1 }, { 96, 1, 1 }, 0, 270, FILL_BITS, want_collatz, NULL, NULL, false },
	{ "diverge", "factors", { 2, 1, 1 }, { 64, 1, 1 }, 0, 128, FILL_BITS, want_factors, NULL, NULL, false },
	{ "shuffle", "shuffle", { 3, 1, 1 }, { 96, 1, 1 }, 0, 288, FILL_BITS, want_shuffle, NULL, NULL, false },
	{ "shuffle", "shuffle64", { 2, 1, 1 }, { 64, 1, 1 }, 0, 128, FILL_BITS, want_shuffle64, NULL, NULL, false },
	{ "shuffle", "control", { 2, 1, 1 }, { 128, 1, 1 }, 0, 256, FILL_BITS, want_control, NULL, NULL, false },
	{ "vote", "vote", { 6, 1, 1 }, { 32, 1, 1 }, 0, 192, FILL_BITS, want_vote, NULL, NULL, false },
	{ "vote", "match64", { 2, 1, 1 }, { 64, 1, 1 }, 0, 128, FILL_BITS, want_match64, NULL, NULL, false },
	{ "redux", "redux", { 2, 1, 1 }, { 64, 1, 1 }, 0, 128, FILL_BITS, want_redux, NULL, NULL, false },
	{ "block", "block_sum", { 3, 1, 1 }, { 256, 1, 1 }, 0, 1999, FILL_BITS, want_block_sum, NULL, NULL, false },
	{ "block", "block_scan", { 3, 1, 1 }, { 160, 1, 1 }, 640, 450, FILL_BITS, want_block_scan, NULL, NULL, false },
	{ "block", "block_sort", { 3, 1, 1 }, { 128, 1, 1 }, 0, 350, FILL_BITS, want_block_sort, NULL, NULL, false },
	{ "block", "matmul", { 2, 2, 1 }, { 16, 16, 1 }, 0, 32, FILL_SMALL, want_matmul, NULL, NULL, false },
	{ "atomic", "atomics", { 3, 1, 1 }, { 96, 1, 1 }, 0, 288, FILL_BITS, want_atomics, settle_atomics, begin_atomics, false },
	{ "wide", "wide", { 2, 1, 1 }, { 64, 1, 1 }, 0, 128, FILL_BITS, want_wide, NULL, NULL, false },
	{ "real", "real32", { 4, 1, 1 }, { 64, 1, 1 }, 0, 256, FILL_F32, want_real32, settle_real32, NULL, false },
	{ "real", "real64", { 4, 1, 1 }, { 64, 1, 1 }, 0, 256, FILL_F64, want_real64, settle_real64, NULL, false },
	{ "half", "half_floats", { 4, 1, 1 }, { 64, 1, 1 }, 0, 256, FILL_F32, want_half, settle_half, NULL, false },
	{ "async", "async_copy", { 1, 1, 1 }, { 32, 1, 1 }, 0, 411, FILL_BITS, want_async_copy, NULL, NULL, false },
	{ "barrier", "barriers", { 2, 1, 1 }, { 128, 1, 1 }, 0, 256, FILL_BITS, want_barriers, NULL, NULL, false },
	{ "spin", "spin", { 20, 1, 1 }, { 32, 1, 1 }, 0, 640, FILL_BITS, want_spin, NULL, NULL, true },
	{ "spin", "lock", { 2, 1, 1 }, { 64, 1, 1 }, 0, 128, FILL_BITS, want_lock, NULL, NULL, true },
	{ "bits", "bits", { 3, 1, 1 }, { 96, 1, 1 }, 0, 288, FILL_BITS, want_bits, NULL, NULL, false },
	{ "memory", "spaces", { 2, 2, 1 }, { 16, 3, 1 }, 0, 512, FILL_BITS, want_spaces, NULL, NULL, false },
	{ "memory", "calls", { 2, 1, 1 }, { 64, 1, 1 }, 0, 128, FILL_BITS, want_calls, NULL, NULL, false },
};
/* clang-format on */
const unsigned emu_n_kernels = QD_COUNT(emu_kernels);

/* -- Launches ----------------------------------------------------------------------------- */

void
emu_fill(const struct emu_kernel *k, struct emu_memory *m, uint64_t seed)
{
	static const uint32_t odd[] = {
		0,	    0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1,		0x80000001,
		0x7fffff,   0x800000,	0x7f7fffff, 0x3f800000, 0xbf800000, 0x3f000000, 0x4f000000,
		0xcf000000, 0x4f800000, 0x33800000, 0x477fe000, 0x477ff000, 0x38800000
	};
	struct unit_rng r = { seed };

	memset(m, 0, sizeof *m);
	for (size_t i = 0; i < QD_COUNT(m->in.w); i++) {
		uint64_t x = unit_random(&r), pick = unit_random(&r) % 8;

		switch (k->fill) {
		case FILL_BITS: m->in.w[i] = (uint32_t)(pick ? x : x & 3); break;
		case FILL_F32:
			m->in.w[i] =
				pick == 0  ? odd[x % QD_COUNT(odd)]
				: pick < 4 ? (uint32_t)x
					   : (uint32_t)((x & 0x80ffffff) | (0x30 + x % 0x20) << 24);
			break;
		case FILL_F64:
			if (i % 2)
				break;
			if (pick == 0)
				m->in.g[i / 2] = ldexp((double)(x & 7), (int)(x >> 8 & 127) - 64) *
						 (x & 64 ? -1 : 1);
			else if (pick == 1)
				m->in.d[i / 2] = (x & UINT64_C(0x800fffffffffffff)) |
						 (x & 4 ? 0 : UINT64_C(0x7ff0000000000000));
			else
				m->in.d[i / 2] = pick < 5 ? x
							  : (x & UINT64_C(0x800fffffffffffff)) |
								    (0x3d0 + x % 0x60) << 52;
			break;
		default: m->in.f[i] = (float)(int)(x % 17) - 8; break;
		}
	}
	if (k->begin)
		k->begin(m);
}

qd_status
emu_run(struct pool *pool, const struct ptx_module *module, const struct emu_kernel *k,
	struct emu_memory *m, uint64_t seed, struct qd_error *err)
{
	struct {
		uint64_t in, out;
		union {
			uint32_t n;
			uint64_t flags;
		} third;
		struct shape shape;
	} params = { (uintptr_t)&m->in, (uintptr_t)&m->out, { 0 }, emu_shape };
	struct ptx_range ranges[] = { { (uintptr_t)&m->in, sizeof m->in },
				      { (uintptr_t)&m->out, sizeof m->out },
				      { (uintptr_t)&m->flags, sizeof m->flags } };
	struct ptx_launch l = { .entry = ptx_module_entry(module, k->name),
				.dynamic_shared = k->shared,
				.params = &params,
				.ranges = ranges,
				.n_ranges = QD_COUNT(ranges),
				.max_steps = 2000000,
				.seed = seed };

	if (!l.entry)
		return qd_fail(err, QD_E_NOT_FOUND, "%s", k->name);
	if (k->flags)
		params.third.flags = (uintptr_t)&m->flags;
	else
		params.third.n = k->n;
	memcpy(l.grid, k->grid, sizeof l.grid);
	memcpy(l.block, k->block, sizeof l.block);
	return ptx_run(pool, &l, err);
}
