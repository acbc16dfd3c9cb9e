/* Vector and scalar memory instructions at issue: addresses and data. */
#include "wave.h"

/* Returns the offset in the instruction; unsigned for buffers, and for flat addresses before
 * gfx12. */
static int64_t
offset_of(const struct run *r, const struct insn *i)
{
	static const uint8_t width[GCN_N_GEN] = { 13, 13, 13, 12, 13, 24, 24 };
	unsigned format = gcn_rows[i->in.row].format, n = width[r->t->gen];
	uint32_t v = i->in.field[GCN_F_OFFSET];

	if (gcn_is_buffer(format) || (format == GCN_FLAT && r->t->gen < GCN_G12))
		return v;
	return (int64_t)((uint64_t)v << (64 - n)) >> (64 - n);
}

static bool
scalar_at(struct run *r, const struct wave *w, const struct insn *i, const struct gcn_view *o,
	  uint64_t *v)
{
	uint64_t undef = 0;

	*v = 0;
	if (!o || o->kind.bank == BANK_OFF)
		return true;
	if (!amd_scalar(r, w, i, o, v, &undef))
		return false;
	return !undef || amd_find(r, w, i, NO_LANE, "the scalar part of the address is undefined");
}

static bool
vector_at(struct run *r, const struct wave *w, const struct insn *i, unsigned reg, unsigned n,
	  unsigned lane, uint64_t *v)
{
	*v = w->v[reg][lane];
	if (w->vu[reg][lane] || (n == 2 && w->vu[reg + 1][lane]))
		return amd_find(r, w, i, lane, "the address is undefined");
	if (n == 2)
		*v |= (uint64_t)w->v[reg + 1][lane] << 32;
	return true;
}

/* -- Flat, global, scratch ------------------------------------------------------------------ */

static bool
flat_addresses(struct run *r, struct wave *w, const struct insn *i, struct pending *f)
{
	const struct gcn_view *a = view_of(i, GCN_F_ADDR), *s = view_of(i, GCN_F_SADDR);
	bool scratch = gcn_rows[i->in.row].format == GCN_SCRATCH;
	uint64_t base, v;

	if (!scalar_at(r, w, i, s, &base) || (scratch && !amd_scratch_check(r, w, i)))
		return false;
	for (unsigned lane = 0; lane < wave_size(r); lane++) {
		v = 0;
		if (!(f->lanes >> lane & 1))
			continue;
		if (a && a->kind.bank != BANK_OFF &&
		    !vector_at(r, w, i, vector_of(a->v), a->kind.n, lane, &v))
			return false;
		f->addr[lane] = base + v + (uint64_t)offset_of(r, i);
		if (scratch)
			f->addr[lane] = (uint64_t)PRIVATE_HIGH << 32 | (uint32_t)f->addr[lane];
		else if (i->fx.class == CL_FLAT && f->addr[lane] >> 32 == PRIVATE_HIGH && !amd_scratch_check(r, w, i))
			return false;
	}
	return true;
}

/* -- Buffers ------------------------------------------------------------------------------------ */

struct buffer {
	uint64_t base, stride, records, soffset;
	unsigned check; /* 0 index and offset, 1 index, 2 whether there are records, 3 bytes */
};

static bool
read_buffer(struct run *r, struct wave *w, const struct insn *i, struct buffer *b, unsigned reg)
{
	uint32_t word[4];

	for (unsigned k = 0; k < 4; k++) {
		word[k] = w->s[reg + k];
		if (w->su[reg + k])
			return amd_find(r, w, i, NO_LANE, "word %u of the descriptor is undefined", k);
	}
	b->base = word[0] | (uint64_t)(word[1] & 0xffff) << 32;
	b->stride = word[1] >> 16 & 0x3fff;
	b->records = word[2];
	if (word[1] >> (r->t->gen >= GCN_G11 ? 30 : 31) || word[3] >> 23 & 1)
		return amd_find(r, w, i, NO_LANE, "a swizzled buffer is not emulated");
	b->check = r->t->gen >= GCN_G10 ? word[3] >> 28 & 3
		   : b->stride && i->in.field[GCN_F_IDXEN] ? 1u
							   : 3u;
	return true;
}

/* Sets *in to whether the access is in range; partly in range is not modeled. */
static bool
in_range(struct run *r, struct wave *w, const struct insn *i, const struct buffer *b,
	 unsigned lane, uint64_t index, uint64_t offset, bool *in)
{
	uint64_t end = offset + b->soffset + i->sem->bytes;

	switch (b->check) {
	case 0: *in = index < b->records && (!b->stride || offset < b->stride); return true;
	case 1: *in = index < b->records; return true;
	case 2: *in = b->records; return true;
	default: *in = end <= b->records; break;
	}
	if (!*in && offset + b->soffset < b->records)
		return amd_find(r, w, i, lane, "an access partly out of range is not emulated");
	return true;
}

static bool
buffer_addresses(struct run *r, struct wave *w, const struct insn *i, struct pending *f)
{
	const struct gcn_view *a = view_of(i, GCN_F_ADDR), *s = view_of(i, GCN_F_SRSRC);
	bool idxen = i->in.field[GCN_F_IDXEN], offen = i->in.field[GCN_F_OFFEN], in;
	struct buffer b;

	if (!read_buffer(r, w, i, &b, s->v) ||
	    !scalar_at(r, w, i, view_of(i, GCN_F_SOFFSET), &b.soffset))
		return false;
	for (unsigned lane = 0; lane < wave_size(r); lane++) {
		uint64_t index = 0, offset = 0;
		if (!(f->lanes >> lane & 1))
			continue;
		if ((idxen && !vector_at(r, w, i, vector_of(a->v), 1, lane, &index)) ||
		    (offen && !vector_at(r, w, i, vector_of(a->v) + idxen, 1, lane, &offset)))
			return false;
		offset += (uint64_t)offset_of(r, i);
		if (!in_range(r, w, i, &b, lane, index, offset, &in))
			return false;
		f->addr[lane] = b.base + b.soffset + index * b.stride + offset;
		f->dead |= (uint64_t)!in << lane;
	}
	if (f->dead && i->sem->kind == M_KIND_ATOMIC)
		return amd_find(r, w, i, (unsigned)__builtin_ctzll(f->dead),
				"the atomic is outside the buffer");
	return true;
}

/* -- Data ------------------------------------------------------------------------------------------ */

/* Copies n registers from `reg` on to the operation's data from `at` on. If a value has less than 32
 * bits, only the stored bits must be defined. */
bool
amd_take_data(struct run *r, struct wave *w, struct pending *f, unsigned reg, unsigned n, unsigned at)
{
	const struct sem *sem = f->i->sem;
	unsigned shift = sem->flags & F_HI ? 16 : 0;
	uint32_t bits = sem->bytes < 4 ? (1u << 8 * sem->bytes) - 1 : UINT32_MAX;

	for (unsigned lane = 0; lane < wave_size(r); lane++) {
		for (unsigned k = 0; k < n && (f->lanes >> lane & 1); k++) {
			f->data[at + k][lane] = w->v[reg + k][lane] >> shift & bits;
			if (w->vu[reg + k][lane] >> shift & bits)
				return amd_find(r, w, f->i, lane, "the value stored is undefined");
		}
	}
	return true;
}

bool
amd_vmem(struct run *r, struct wave *w, const struct insn *i)
{
	bool buffer = gcn_is_buffer(gcn_rows[i->in.row].format);
	const struct gcn_view *data = view_of(i, buffer ? GCN_F_VDST : GCN_F_DATA0);
	const struct gcn_view *dst = view_of(i, GCN_F_VDST);
	const struct sem *sem = i->sem;
	struct pending *f = amd_pending_new(r, w, i);
	unsigned n = (sem->bytes + 3u) / 4;

	if (!f)
		return false;
	amd_pending_issue(r, w, f);
	if (i->in.field[GCN_F_LDS] || (buffer && i->in.field[GCN_F_TFE]))
		return amd_find(r, w, i, NO_LANE, "this form is not emulated");
	if (!(buffer ? buffer_addresses : flat_addresses)(r, w, i, f))
		return false;
	if (sem->kind != M_KIND_LOAD &&
	    !amd_take_data(r, w, f, vector_of(data->v), sem->atomic == A_CMPSWAP ? 2 * n : n, 0))
		return false;
	if (sem->kind == M_KIND_LOAD || (sem->kind == M_KIND_ATOMIC && gcn_returns(r->t, &i->in))) {
		f->dst = (uint16_t)vector_of(dst->v);
		f->n_dst = (uint8_t)n;
	}
	return true;
}

/* -- Scalar ------------------------------------------------------------------------------------------- */

static bool
scalar_offset(struct run *r, struct wave *w, const struct insn *i, int64_t *offset)
{
	unsigned n = r->t->gen >= GCN_G12 ? 24 : 21, reg = i->in.field[GCN_F_SOFFSET];
	uint64_t v = i->in.field[GCN_F_OFFSET], more = 0;
	bool uses = reg != gcn_null_of(r->t), imm = true;

	if (r->t->gen < GCN_G10) {
		imm = i->in.field[GCN_F_IMM];
		uses = i->in.field[GCN_F_SOE] || !imm;
		if (!i->in.field[GCN_F_SOE])
			reg = (unsigned)v & 127;
	}
	*offset = imm ? (int64_t)(v << (64 - n)) >> (64 - n) : 0;
	if (uses && !scalar_at(r, w, i,
			       &(struct gcn_view){ .v = reg, .kind = { .bank = BANK_S, .n = 1 } }, &more))
		return false;
	*offset += (int64_t)more;
	return true;
}

bool
amd_smem(struct run *r, struct wave *w, const struct insn *i)
{
	const struct gcn_view *dst = view_of(i, GCN_F_SDST), *base = view_of(i, GCN_F_SBASE);
	struct pending *f = amd_pending_new(r, w, i);
	struct buffer b = { 0 };
	int64_t offset;
	uint64_t v;

	if (!f)
		return false;
	amd_pending_issue(r, w, f);
	if (!scalar_offset(r, w, i, &offset))
		return false;
	if (base->kind.n == 4) {
		if (!read_buffer(r, w, i, &b, base->v))
			return false;
		v = b.base;
		if ((uint64_t)offset + i->sem->bytes > (b.stride ? b.stride * b.records : b.records))
			return amd_find(r, w, i, NO_LANE, "the access ends beyond the buffer");
	} else if (!scalar_at(r, w, i, base, &v)) {
		return false;
	}
	f->broadcast = true;
	f->lanes = 1;
	f->addr[0] = v + (uint64_t)offset;
	if ((i->sem->bytes >= 4 && f->addr[0] & 3) || (i->sem->bytes == 2 && f->addr[0] & 1))
		return amd_find(r, w, i, NO_LANE, "address 0x%llx is misaligned",
				(unsigned long long)f->addr[0]);
	f->file = FILE_S;
	f->dst = (uint16_t)dst->v;
	f->n_dst = (uint8_t)((i->sem->bytes + 3) / 4);
	return true;
}
