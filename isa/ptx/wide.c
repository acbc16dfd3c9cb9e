/* Vector loads and stores. The address is a multiple of the vector's size: shared arrays are aligned to 16 bytes, and
 * buffers are with launch facts. A vector has words or pairs of words; elements of 8 and 16 bits are parts of words. */
#include "ptx.h"
#include "vector.h"

/* Returns whether the vector at access i may be emitted: without launch facts the address of a buffer is unknown. */
static bool
begins(struct emitter *e, uint32_t i, struct vector *v)
{
	if (!vector_find(e->in->body, i, v))
		return false;
	if (e->mems[e->ir->ins[i].x].space == SPACE_SHARED)
		return true;
	e->facts_differ = true;
	return e->machine->facts;
}

static struct address
address_of(struct emitter *e, const struct ins *s, const struct vector *v)
{
	struct address a = ptx_address(e, s);

	a.offset += v->first * v->size;
	return a;
}

/* Appends the registers of a vector: {%r1, %r2}. */
static void
put_vector(struct emitter *e, const struct val *part, uint32_t n)
{
	if (n > 1)
		PTX_TEXT(e, "{");
	for (uint32_t k = 0; k < n; k++) {
		if (k)
			PTX_TEXT(e, ", ");
		ptx_put_val(e, part[k]);
	}
	if (n > 1)
		PTX_TEXT(e, "}");
}

/* Returns the suffix of an instruction that moves n registers. */
static const char *
form(uint32_t n, bool pairs)
{
	static const char *const of[] = { ".b32", ".v2.b32", ".v4.b32" };

	return pairs ? ".v2.b64" : of[qd_log2(n)];
}

/* -- Loads ---------------------------------------------------------------------------------------- */

/* Emits the elements of 16 bits in a word. */
static void
unpack_halves(struct emitter *e, struct val word, const uint32_t *of, bool is_signed)
{
	struct val half[2], d;

	for (uint32_t k = 0; k < 2; k++) {
		d = ptx_loaded(e, of[k]);
		half[k] = d.kind == VAL_HALF ? d : ptx_new_half(e);
		e->id[of[k]] = d;
	}
	ptx_line(e, "mov.b32 {%v, %v}, %v", half[0], half[1], word);
	for (uint32_t k = 0; k < 2; k++)
		if (e->id[of[k]].kind != VAL_HALF)
			ptx_line(e, is_signed ? "cvt.s32.s16 %v, %v" : "cvt.u32.u16 %v, %v", e->id[of[k]], half[k]);
}

static void
unpack(struct emitter *e, const struct vector *v, const struct val *part, bool is_signed)
{
	for (uint32_t k = 0; k < v->n && ptx_room(e); k++) {
		const struct val word = part[k * v->size / 4];

		if (v->size == 2 && !(k % 2))
			unpack_halves(e, word, &v->of[k], is_signed);
		if (v->size == 2)
			continue;
		e->id[v->of[k]] = ptx_new(e, QD_TYPE_U32);
		ptx_line(e, is_signed ? "bfe.s32 %v, %v, %u, 8" : "bfe.u32 %v, %v, %u, 8", e->id[v->of[k]], word, k % 4 * 8);
	}
}

bool
ptx_load_vector(struct emitter *e, uint32_t i)
{
	const struct ins *s = &e->ir->ins[i];
	const struct memory *mem = &e->mems[s->x];
	struct vector v;
	struct val part[4];
	uint32_t n;

	if (!begins(e, i, &v))
		return false;
	n = vector_parts(&v);
	for (uint32_t k = 0; k < n; k++) {
		part[k] = ptx_new(e, v.size == 8 ? QD_TYPE_U64 : QD_TYPE_U32);
		if (s->c)
			ptx_move(e, part[k], s->b ? ptx_use(e, s->b) : ptx_const(v.size == 8 ? QD_TYPE_U64 : QD_TYPE_U32, 0));
		if (v.size >= 4)
			e->id[v.of[k]] = part[k];
	}
	struct address a = address_of(e, s, &v);
	if (s->c)
		ptx_guard(e, ptx_reg(e, ptx_use(e, s->c)), false);
	ptx_begin(e);
	PTX_TEXT(e, "ld");
	ptx_put_text(e, ptx_space(e, s->x));
	ptx_put_text(e, mem->space == SPACE_GLOBAL && mem->access == QD_ACCESS_IN ? ".nc" : "");
	ptx_put_text(e, form(n, v.size == 8));
	PTX_TEXT(e, " ");
	put_vector(e, part, n);
	PTX_TEXT(e, ", ");
	ptx_put_address(e, &a);
	PTX_TEXT(e, ";\n");
	ptx_unguard(e);
	if (v.size < 4)
		unpack(e, &v, part, type_info[mem->type].is_signed);
	return true;
}

/* -- Stores --------------------------------------------------------------------------------------- */

/* Returns a value in a register of 16 bits. */
static struct val
as_half(struct emitter *e, struct val v)
{
	struct val h = v;

	if (v.kind != VAL_HALF)
		ptx_line(e, "cvt.u16.u32 %v, %v", h = ptx_new_half(e), ptx_reg(e, v));
	return h;
}

/* Returns a word of elements of 8 or 16 bits. */
static struct val
packed(struct emitter *e, const uint32_t *of, uint32_t size)
{
	struct val word = ptx_use(e, e->ir->ins[of[0]].b), d;

	if (size == 2) {
		struct val lo = as_half(e, word), hi = as_half(e, ptx_use(e, e->ir->ins[of[1]].b));

		ptx_line(e, "mov.b32 %v, {%v, %v}", d = ptx_new(e, QD_TYPE_U32), lo, hi);
		return d;
	}
	for (uint32_t k = 1; k < 4; k++) {
		struct val byte = ptx_use(e, e->ir->ins[of[k]].b);

		d = ptx_new(e, QD_TYPE_U32);
		ptx_line(e, "bfi.b32 %v, %v, %v, %u, 8", d, byte, word, 8 * k);
		word = d;
	}
	return word;
}

bool
ptx_store_vector(struct emitter *e, uint32_t i)
{
	const struct ins *s = &e->ir->ins[i];
	struct vector v;
	struct val part[4];
	uint32_t n;

	if (!begins(e, i, &v))
		return false;
	n = vector_parts(&v);
	for (uint32_t k = 0; k < n && ptx_room(e); k++)
		part[k] = v.size < 4 ? packed(e, &v.of[k * 4 / v.size], v.size) : ptx_reg(e, ptx_use(e, e->ir->ins[v.of[k]].b));
	struct address a = address_of(e, s, &v);
	if (s->c)
		ptx_guard(e, ptx_reg(e, ptx_use(e, s->c)), false);
	ptx_begin(e);
	PTX_TEXT(e, "st");
	ptx_put_text(e, ptx_space(e, s->x));
	ptx_put_text(e, form(n, v.size == 8));
	PTX_TEXT(e, " ");
	ptx_put_address(e, &a);
	PTX_TEXT(e, ", ");
	put_vector(e, part, n);
	PTX_TEXT(e, ";\n");
	ptx_unguard(e);
	for (uint32_t k = 0; k < v.n; k++)
		e->stored = v.of[k] > e->stored ? v.of[k] : e->stored;
	return true;
}
