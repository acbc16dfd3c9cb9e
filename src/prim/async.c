/* Asynchronous copies from buffers to shared arrays. They use the target's own instructions if it
 * has them. Otherwise each copy is loads and stores, and a wait does nothing. */
#include "prim.h"

static bool
is_native(struct lg *l)
{
	return lg_native(l, OP_CP_ASYNC, QD_TYPE_NONE);
}

/* Returns how many bytes of n elements from `index` on are below the buffer's length. */
static uint32_t
bytes_there(struct lg *l, const struct ins *s, uint32_t index, uint32_t n)
{
	uint32_t len = lg_push(l, (struct ins){ .op = OP_LEN, .type = QD_TYPE_U32, .x = s->x });
	uint32_t left = lg_bin(l, OP_SUB, len, lg_bin(l, OP_MIN, index, len));

	left = lg_imm(l, OP_MIN, left, n);
	return lg_imm(l, OP_MUL, left, type_info[l->p->mems[s->x].type].size);
}

static uint32_t
offset_by(struct lg *l, uint32_t index, uint32_t k)
{
	return k ? lg_imm(l, OP_ADD, index, k) : index;
}

static void
by_elements(struct lg *l, const struct ins *s, uint32_t from, uint32_t where, uint32_t n)
{
	const struct ins *place = &l->w.in->ins[s->b];
	struct ins load = *s;
	uint32_t to = l->w.map[place->a], v[4];

	load.attr = 0;
	load.b = load.d = 0;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t in = 0;

		load.a = offset_by(l, from, k);
		if (s->attr & ATTR_GUARD) {
			uint32_t len = lg_push(l, (struct ins){ .op = OP_LEN, .type = QD_TYPE_U32, .x = s->x });
			in = lg_cmp(l, OP_LT, load.a, len);
		}
		load.c = in && where ? lg_bin(l, OP_AND, in, where) : in ? in : where;
		v[k] = prim_load(l, load);
	}
	for (uint32_t k = 0; k < n; k++)
		prim_store(l, (struct ins){ .x = place->x, .a = offset_by(l, to, k), .b = v[k], .c = where });
}

void
expand_cp_async(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t from = l->w.map[s->a], where = l->w.map[s->c], n = ir_count(s);
	struct ins copy = *s;

	if (lg_failed(l))
		return;
	if (!is_native(l)) {
		by_elements(l, s, from, where, n);
		return;
	}
	copy.attr = s->attr & ATTR_COUNT;
	copy.a = from;
	copy.b = l->w.map[s->b];
	copy.c = where;
	copy.d = s->attr & ATTR_GUARD ? bytes_there(l, s, from, n) : 0;
	lg_push(l, copy);
}

void
expand_place(struct lg *l, uint32_t i)
{
	if (is_native(l))
		rw_copy(&l->w, i);
}

void
expand_cp_async_wait(struct lg *l, uint32_t i)
{
	if (is_native(l))
		rw_copy(&l->w, i);
}
