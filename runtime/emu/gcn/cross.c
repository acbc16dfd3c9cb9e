/* Lane operations: DPP patterns, access to a single lane, permutation of rows. */
#include "wave.h"

static int
in_row(unsigned lane, int from)
{
	return from >= 0 && from < 16 ? (int)(lane & ~15u) + from : -1;
}

/* DPP patterns across rows; only before gfx10. */
static int
across_rows(const struct run *r, unsigned ctrl, unsigned lane, bool *known)
{
	int n = (int)wave_size(r), at = (int)lane;
	bool old = r->t->gen < GCN_G10;

	*known = old;
	switch (ctrl) {
	case 0x130: return at + 1 < n ? at + 1 : -1;
	case 0x134: return (at + 1) % n;
	case 0x138: return at - 1;
	case 0x13c: return (at + n - 1) % n;
	case 0x142: return at < 16 ? -1 : (at & ~15) - 1;
	case 0x143: return at < 32 ? -1 : (at & ~31) - 1;
	default: *known = false; return -1;
	}
}

int
amd_dpp_lane(const struct run *r, const struct insn *i, unsigned lane, bool *known)
{
	unsigned ctrl = i->in.field[GCN_F_CTRL], n = ctrl & 15;
	int at = (int)(lane & 15);

	*known = true;
	if (i->in.form == GCN_FORM_DPP8)
		return (int)((lane & ~7u) + (i->in.field[GCN_F_SEL8] >> 3 * (lane & 7) & 7));
	if (ctrl < 0x100)
		return (int)((lane & ~3u) + (ctrl >> 2 * (lane & 3) & 3));
	switch (ctrl >> 4) {
	case 0x10: return in_row(lane, at + (int)n);
	case 0x11: return in_row(lane, at - (int)n);
	case 0x12: return in_row(lane, (at + 16 - (int)n) & 15);
	case 0x14:
		if (n < 2)
			return n ? (int)(lane ^ 7u) : (int)(lane ^ 15u);
		break;
	case 0x15:
		*known = r->t->gen >= GCN_G90A;
		return in_row(lane, (int)n);
	case 0x16:
		*known = r->t->gen >= GCN_G10;
		return in_row(lane, at ^ (int)n);
	default: break;
	}
	return across_rows(r, ctrl, lane, known);
}

/* -- Single lanes --------------------------------------------------------------------------- */

static unsigned
first_lane(uint64_t exec)
{
	return exec ? (unsigned)__builtin_ctzll(exec) : 0;
}

/* If no lane is active, an undefined index is no finding: the vector unit has not computed it, and
 * the result is undefined too. */
static bool
read_lane(struct run *r, struct wave *w, const struct insn *i)
{
	const struct gcn_view *dst = &i->view[0], *src = &i->view[1];
	uint64_t exec = exec_of(r, w);
	unsigned lane = first_lane(exec);
	uint64_t v, undef;

	if (i->n_view > 2) {
		if (!amd_scalar(r, w, i, &i->view[2], &v, &undef))
			return false;
		if (undef && exec)
			return amd_find(r, w, i, NO_LANE, "the lane index is undefined");
		if (undef) {
			amd_set_scalar(r, w, dst->v, 1, 0, UINT32_MAX);
			return true;
		}
		lane = (unsigned)v & (wave_size(r) - 1);
	}
	if (src->v < 256)
		return amd_find(r, w, i, NO_LANE, "this source is not emulated");
	amd_set_scalar(r, w, dst->v, 1, w->v[vector_of(src->v)][lane],
		       w->vu[vector_of(src->v)][lane]);
	return true;
}

static bool
write_lane(struct run *r, struct wave *w, const struct insn *i)
{
	uint64_t v, lane, undef, no_lane;
	unsigned reg = vector_of(i->view[0].v);

	if (!amd_scalar(r, w, i, &i->view[1], &v, &undef) ||
	    !amd_scalar(r, w, i, &i->view[2], &lane, &no_lane))
		return false;
	if (no_lane)
		return amd_find(r, w, i, NO_LANE, "the lane index is undefined");
	lane &= wave_size(r) - 1;
	w->v[reg][lane] = (uint32_t)v;
	w->vu[reg][lane] = (uint32_t)undef;
	return true;
}

/* -- Rows ------------------------------------------------------------------------------------- */

static bool
permute_rows(struct run *r, struct wave *w, const struct insn *i, bool other)
{
	uint32_t now[64], undef[64];
	uint64_t exec = exec_of(r, w), lo, hi, u0, u1;
	unsigned dst = vector_of(i->view[0].v), src = vector_of(i->view[1].v);
	bool fetch = i->in.field[GCN_F_OPSEL] & 1, zero = i->in.field[GCN_F_OPSEL] & 2;

	if (!amd_scalar(r, w, i, &i->view[2], &lo, &u0) ||
	    !amd_scalar(r, w, i, &i->view[3], &hi, &u1))
		return false;
	if (u0 || u1)
		return amd_find(r, w, i, NO_LANE, "the lane indices are undefined");
	lo = (uint32_t)lo | hi << 32;
	memcpy(now, w->v[src], sizeof now);
	memcpy(undef, w->vu[src], sizeof undef);
	for (unsigned lane = 0; lane < wave_size(r); lane++) {
		unsigned from = ((lane & ~15u) ^ (other ? 16 : 0)) + (lo >> 4 * (lane & 15) & 15);
		if (!(exec >> lane & 1))
			continue;
		if (!fetch && !(exec >> from & 1)) {
			if (!zero)
				return amd_find(r, w, i, lane,
						"the instruction reads lane %u, which is inactive",
						from);
			w->v[dst][lane] = w->vu[dst][lane] = 0;
			continue;
		}
		w->v[dst][lane] = now[from];
		w->vu[dst][lane] = undef[from];
	}
	return true;
}

/* Swaps the halves of 64 lanes; with 32 lanes it is a copy. */
static bool
swap_halves(struct run *r, struct wave *w, const struct insn *i)
{
	uint32_t now[64], undef[64];
	unsigned dst = vector_of(i->view[0].v), src = vector_of(i->view[1].v);
	unsigned flip = wave_size(r) == 64 ? 32 : 0;
	uint64_t exec = exec_of(r, w);

	memcpy(now, w->v[src], sizeof now);
	memcpy(undef, w->vu[src], sizeof undef);
	for (unsigned lane = 0; lane < wave_size(r); lane++) {
		if (!(exec >> lane & 1))
			continue;
		if (!(exec >> (lane ^ flip) & 1))
			return amd_find(r, w, i, lane,
					"the instruction reads lane %u, which is inactive",
					lane ^ flip);
		w->v[dst][lane] = now[lane ^ flip];
		w->vu[dst][lane] = undef[lane ^ flip];
	}
	return true;
}

/* Exchanges two registers in the active lanes. */
static bool
swap(const struct run *r, struct wave *w, const struct insn *i)
{
	unsigned a = vector_of(i->view[0].v), b = vector_of(i->view[1].v);

	for (uint64_t left = exec_of(r, w); left; left &= left - 1) {
		unsigned lane = qd_lowest_bit(left);
		uint32_t v = w->v[a][lane], u = w->vu[a][lane];
		w->v[a][lane] = w->v[b][lane];
		w->vu[a][lane] = w->vu[b][lane];
		w->v[b][lane] = v;
		w->vu[b][lane] = u;
	}
	return true;
}

bool
amd_cross(struct run *r, struct wave *w, const struct insn *i)
{
	switch (i->in.row) {
	case GCN_v_readfirstlane_b32:
	case GCN_v_readlane_b32: return read_lane(r, w, i);
	case GCN_v_writelane_b32: return write_lane(r, w, i);
	case GCN_v_swap_b32: return swap(r, w, i);
	case GCN_v_permlane16_b32: return permute_rows(r, w, i, false);
	case GCN_v_permlanex16_b32: return permute_rows(r, w, i, true);
	default: return swap_halves(r, w, i);
	}
}
