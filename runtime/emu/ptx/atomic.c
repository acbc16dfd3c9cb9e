/* Atomic operations. Shared memory belongs to one host thread; in global memory, they are host
 * atomics. */
#include <math.h>

#include "exec.h"
#include "half.h"

static uint64_t
add(unsigned type, uint64_t a, uint64_t b)
{
	struct half_format f = half_f16;

	switch (type) {
	case T_f32: {
		float v = f32_of((uint32_t)a) + f32_of((uint32_t)b);

		return v == v ? f32_bits(v) : 0x7fffffff;
	}
	case T_f64: return f64_bits(f64_of(a) + f64_of(b));
	case T_bf16:
	case T_bf16x2: f = half_bf16; break;
	case T_f16:
	case T_f16x2: break;
	default: return a + b;
	}
	uint64_t v = half_round(
		f, sum_to_odd(half_value(f, (uint16_t)a), half_value(f, (uint16_t)b)), ROUND_NEAR);

	if (ptx_type[type].size == 4)
		v |= (uint64_t)half_round(f,
					  sum_to_odd(half_value(f, (uint16_t)(a >> 16)),
						     half_value(f, (uint16_t)(b >> 16))),
					  ROUND_NEAR)
		     << 16;
	return v;
}

static bool
less(unsigned type, uint64_t a, uint64_t b)
{
	switch (type) {
	case T_s32: return (int32_t)a < (int32_t)b;
	case T_s64: return (int64_t)a < (int64_t)b;
	default: return a < b;
	}
}

static uint64_t
becomes(unsigned op, unsigned type, uint64_t was, uint64_t b, uint64_t c)
{
	switch (op) {
	case OP_ADD: return add(type, was, b);
	case OP_MIN: return less(type, b, was) ? b : was;
	case OP_MAX: return less(type, was, b) ? b : was;
	case OP_AND: return was & b;
	case OP_OR: return was | b;
	case OP_XOR: return was ^ b;
	case OP_INC: return was >= b ? 0 : was + 1;
	case OP_DEC: return was == 0 || was > b ? b : was - 1;
	case OP_EXCH: return b;
	default: return was == b ? c : was; /* cas */
	}
}

#define ON_HOST(T)                                                                                 \
	do {                                                                                       \
		T QD_ALIAS *at = (T QD_ALIAS *)(void *)p;                                          \
		T now = __atomic_load_n(at, __ATOMIC_RELAXED);                                     \
		while (!__atomic_compare_exchange_n(at, &now, (T)becomes(op, type, now, b, c),     \
						    false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))    \
			;                                                                          \
		was = now;                                                                         \
	} while (0)

bool
exec_atom(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	unsigned op = i->form->op[0], type = i->form->type[0];
	uint32_t size = ptx_type[type].size;
	unsigned n = i->n_dst;
	uint64_t old[32];

	if (!CHECK_POISON(r, w, i, i->o[n], act, "the address"))
		return false;
	for (unsigned k = 1; k < i->n_src; k++)
		if (!CHECK_POISON(r, w, i, i->o[n + k], act, "an operand"))
			return false;
	EACH_LANE(l, act)
	{
		uint64_t addr = lane_address(r, w, i, i->o[n], l), was;
		uint64_t b = lane_value(src_at(r, w, i->o[n + 1]), size, l);
		uint64_t c = i->n_src > 2 ? lane_value(src_at(r, w, i->o[n + 2]), size, l) : 0;
		bool own;
		uint8_t *p = mem_at(r, w, i, l, (enum space)i->space, addr, size, true, &own);

		if (!p)
			return false;
		const uint8_t *unwritten = own ? mem_unwritten(r, w, p) : NULL;

		if (unwritten && mem_holds_nothing(unwritten, size))
			return find_lane(r, w, i, l, "the memory operand was never written");
		if (own) {
			was = mem_get(p, size, true);
			mem_put(p, size, becomes(op, type, was, b, c), true);
		} else if (size == 8) {
			ON_HOST(uint64_t);
		} else if (size == 4) {
			ON_HOST(uint32_t);
		} else {
			ON_HOST(uint16_t);
		}
		old[l] = was;
	}
	if (n) {
		void *d = dst_at(w, i->o[0]);

		EACH_LANE(l, act)
		lane_put(d, i->d_size, l, old[l]);
		poison_set(w, i->o[0], act, 0);
	}
	return true;
}
