/* Vector loads and stores of buffers, with launch facts: buffers are aligned to 16 bytes. A vector consists of words,
 * which elements are parts of, or are made of. */
#include "emit.h"
#include "vector.h"

bool
spv_has_vector_form(const struct emitter *e, const struct ins *ins)
{
	return ins->attr & ATTR_NEAR && ins->x < e->k->n_params && !e->k->assume_in_bounds && e->machine->caps & CAP_I64;
}

static bool
begins(const struct emitter *e, uint32_t i, struct vector *v)
{
	return e->machine->facts && spv_has_vector_form(e, &e->ir->ins[i]) && vector_find(e->in->body, i, v);
}

/* Returns the type of n words. */
static enum spv_type
words_type(uint32_t n)
{
	return n == 1 ? T_U32 : n == 2 ? T_UVEC2 : T_UVEC4;
}

/* Returns a pointer to the vector. */
static uint32_t
pointer(struct emitter *e, const struct ins *ins, const struct vector *v, uint32_t n, uint32_t condition)
{
	struct module *m = &e->m;
	const enum spv_type to = n == 1 ? T_MEM_U32 : n == 2 ? T_MEM_UVEC2 : T_MEM_UVEC4;
	const uint32_t offset = spv_byte_offset(e, ins, v->first, condition);
	uint32_t wide = module_type(m, T_U64), sum = module_id(m), type, at;

	PUT(&m->body, IAdd, wide, sum, e->address[ins->x], offset);
	type = module_type(m, to);
	at = module_id(m);
	PUT(&m->body, ConvertUToPtr, type, at, sum);
	return at;
}

/* Appends an instruction with a result and returns it. */
static uint32_t
result(struct emitter *e, enum spv_op op, enum spv_type t, const uint32_t *operands, uint32_t n)
{
	uint32_t words[6] = { module_type(&e->m, t) };

	words[1] = module_id(&e->m);
	memcpy(words + 2, operands, n * sizeof *operands);
	put_words(&e->m.body, op, words, 2 + n);
	return words[1];
}

static uint32_t
bitcast(struct emitter *e, enum spv_type to, uint32_t v)
{
	return result(e, SPV_Bitcast, to, &v, 1);
}

/* -- Loads ------------------------------------------------------------------------------------- */

/* Returns element k of a vector of words, as a value of type t. */
static uint32_t
unpacked(struct emitter *e, const struct vector *v, const uint32_t *word, uint32_t k, bool is_signed, enum spv_type t)
{
	const uint32_t bits = 8 * v->size, at = k * v->size / 4;
	uint32_t field[3];

	if (v->size == 8)
		return bitcast(e, t, result(e, SPV_CompositeConstruct, T_UVEC2, word + at, 2));
	if (v->size == 4)
		return t == T_U32 ? word[at] : bitcast(e, t, word[at]);
	field[0] = word[at];
	field[1] = module_u32(&e->m, k * bits % 32);
	field[2] = module_u32(&e->m, bits);
	return result(e, is_signed ? SPV_BitFieldSExtract : SPV_BitFieldUExtract, T_U32, field, 3);
}

bool
spv_load_vector(struct emitter *e, uint32_t i)
{
	const struct ins *ins = &e->ir->ins[i];
	const struct memory *mem = &e->mems[ins->x];
	const enum spv_type t = spv_value_type(ins->type);
	struct vector v;
	uint32_t n, word[4], load[5];

	if (!begins(e, i, &v))
		return false;
	n = v.n * v.size / 4;
	load[2] = pointer(e, ins, &v, n, ins->c);
	load[0] = module_type(&e->m, words_type(n));
	load[1] = word[0] = module_id(&e->m);
	put_words(&e->m.body, SPV_Load, load, 3 + spv_access_words(mem, 4 * n, load + 3));
	for (uint32_t w = 0; w < n && n > 1; w++)
		word[w] = result(e, SPV_CompositeExtract, T_U32, (const uint32_t[]){ load[1], w }, 2);
	for (uint32_t k = 0; k < v.n && module_room(&e->m); k++) {
		uint32_t value = unpacked(e, &v, word, k, type_info[mem->type].is_signed, t);

		if (ins->c)
			value = spv_chosen(e, t, ins->c, value, ins->b ? e->id[ins->b] : module_const(&e->m, t, 0));
		e->id[v.of[k]] = value;
	}
	return true;
}

/* -- Stores ------------------------------------------------------------------------------------ */

/* Writes the words of element k of a vector. */
static void
pack(struct emitter *e, const struct vector *v, uint32_t *word, uint32_t k)
{
	const uint32_t from = e->ir->ins[v->of[k]].b, bits = 8 * v->size, at = k * v->size / 4;
	const enum spv_type t = spv_value_type(e->ir->ins[from].type);
	uint32_t id = e->id[from], field[4];

	if (v->size == 8) {
		id = bitcast(e, T_UVEC2, id);
		for (uint32_t w = 0; w < 2; w++)
			word[at + w] = result(e, SPV_CompositeExtract, T_U32, (const uint32_t[]){ id, w }, 2);
		return;
	}
	id = t == T_U32 ? id : bitcast(e, T_U32, id);
	if (v->size == 4 || k * bits % 32 == 0) {
		word[at] = id;
		return;
	}
	field[0] = word[at];
	field[1] = id;
	field[2] = module_u32(&e->m, k * bits % 32);
	field[3] = module_u32(&e->m, bits);
	word[at] = result(e, SPV_BitFieldInsert, T_U32, field, 4);
}

bool
spv_store_vector(struct emitter *e, uint32_t i)
{
	const struct ins *ins = &e->ir->ins[i];
	struct vector v;
	uint32_t n, word[4] = { 0 }, store[4], after = 0;

	if (!begins(e, i, &v))
		return false;
	n = v.n * v.size / 4;
	if (ins->c)
		after = spv_open_predicate(e, ins->c);
	for (uint32_t k = 0; k < v.n && module_room(&e->m); k++)
		pack(e, &v, word, k);
	store[1] = n > 1 ? result(e, SPV_CompositeConstruct, words_type(n), word, n) : word[0];
	store[0] = pointer(e, ins, &v, n, 0);
	put_words(&e->m.body, SPV_Store, store, 2 + spv_access_words(&e->mems[ins->x], 4 * n, store + 2));
	if (after)
		spv_close_predicate(e, after);
	for (uint32_t k = 0; k < v.n; k++)
		e->stored = v.of[k] > e->stored ? v.of[k] : e->stored;
	return true;
}
