/* Loads of two elements of a shared array by one instruction.
 *
 * The indices are constants apart. Both offsets of the instruction count words and have 8 bits, so a far
 * array needs an address of its own. The later load moves to the earlier one: nothing between them
 * writes the array, waits for other threads or changes exec. */
#include "word.h"

enum {
	MAX_APART = 24,	   /* instructions between the loads */
	MAX_OFFSET = 255,  /* words */
	MAX_TERMS = 4,	   /* constants in an index */
	SPARE_V = 8,	   /* vector registers that remain free */
	MANY = 4	   /* loads for which an address is worthwhile */
};

static bool
is_pairable(const struct emit *e, uint32_t i, uint32_t mem)
{
	const struct ins *s = gen_ins(e, i);

	return s->op == OP_LOAD && s->x == mem && !s->c && !(s->attr & ATTR_NEAR) && type_info[e->body->mems[mem].type].size == 4 &&
	       e->loc[i].at == AT_NONE && !(e->plan[i].flags & (GEN_INTO | GEN_HALF | GEN_FUSE));
}

/* Splits an index into a value and a constant in words. Only fused additions are split if `fused`: the
 * operand of another one may no longer be in its register. */
static uint32_t
split(const struct emit *e, uint32_t index, bool fused, uint32_t *constant)
{
	uint64_t bits = 0;

	*constant = 0;
	for (uint32_t n = 0; n < MAX_TERMS && gen_ins(e, index)->op == OP_ADD; n++) {
		const struct ins *s = gen_ins(e, index);
		if ((fused && !gen_is_fused(e, index)) || !gen_known(e, s->b, &bits))
			break;
		*constant += (uint32_t)bits;
		index = s->a;
	}
	return index;
}

/* Finds a load whose index is *other words after `base`, and that may move to i. Sets *n to the number
 * of such loads, including i. Returns 0 if there is none. */
static uint32_t
find_other(const struct emit *e, uint32_t i, uint32_t base, uint32_t *other, uint32_t *n)
{
	const uint32_t mem = gen_ins(e, i)->x, end = e->ir->n - i > MAX_APART ? i + MAX_APART : e->ir->n;
	uint32_t found = 0;

	*n = 1;
	for (uint32_t j = i + 1; j < end; j++) {
		const struct ins *s = gen_ins(e, j);
		const enum effect effect = (enum effect)op_info[s->op].effect;
		uint32_t constant;

		if (op_flow[s->op] || effect >= EFFECT_FENCE)
			break;
		if ((effect == EFFECT_WRITE || effect == EFFECT_ATOMIC) && s->x == mem && GEN_RULE(STORE))
			break;
		if (!is_pairable(e, j, mem) || split(e, s->a, false, &constant) != base || constant > MAX_OFFSET)
			continue;
		if (!found) {
			found = j;
			*other = constant;
		}
		++*n;
	}
	return found;
}

bool
gen_has_room_v(const struct emit *e, uint32_t n)
{
	uint32_t left = 0;
	uint64_t runs = 0;

	for (uint32_t k = 0; k < QD_COUNT(e->free_v) && left < SPARE_V; k++) {
		uint64_t two = e->free_v[k] & e->free_v[k] >> 1 & UINT64_C(0x5555555555555555);

		runs |= n > 2 ? two & two >> 2 & UINT64_C(0x1111111111111111) : two;
		for (uint64_t bits = e->free_v[k]; bits && left < SPARE_V; bits &= bits - 1)
			left++;
	}
	return runs && left == SPARE_V;
}

bool
gen_emit_pair(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t here, there, n, base, other, reg, dst, at = e->base[s->x] / 4;
	uint64_t bits;

	if (e->loc[i].at != AT_NONE) /* loaded with an earlier one */
		return true;
	if (e->spilled || !is_pairable(e, i, s->x) || !gen_has_room_v(e, 2)) /* the base may be spilled */
		return false;
	base = split(e, s->a, true, &here);
	if (gen_known(e, base, &bits) || !(other = find_other(e, i, base, &there, &n)) || here > MAX_OFFSET)
		return false;
	const bool far = at + here > MAX_OFFSET || at + there > MAX_OFFSET;
	if (far && n < MANY)
		return false;
	reg = gen_scaled_from(e, base, 2, far ? 4 * at : 0);
	dst = gen_take_v(e, 2);
	at = far ? 0 : at;
	gen_memory_reads(e, true);
	gcn_ds(gen_out(e), gen_row(e, GCN_OP_ds_read2_b32), 256 + dst, 256 + reg, GCN_OFF, GCN_OFF,
	       (uint16_t)((at + here) | (at + there) << 8));
	gen_issued(e, CNT_DS, 256 + dst, 2);
	gen_assign_v(e, i, dst, 1);
	gen_assign_v(e, other, dst + 1, 1);
	return true;
}
