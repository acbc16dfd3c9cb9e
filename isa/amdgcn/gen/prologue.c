/* Launch inputs: s[0:1] contains the address of the argument block, v0 the thread's index in its
 * block, a scalar register the block's index. The words of the argument block that the body reads
 * are loaded once, at the start of the code, as far as registers suffice. The others are loaded on
 * use. */
#include "word.h"

enum { MAX_ARG_SGPRS = 64, KERNARG = 0 };

/* Loads n consecutive words of the argument block; n is 1, 2, 4, 8 or 16. */
static void
load_words(struct emit *e, uint32_t dst, uint32_t word, uint32_t n)
{
	static const uint16_t rows[] = { GCN_OP_s_load_dword, GCN_OP_s_load_dwordx2, GCN_OP_s_load_dwordx4,
					 GCN_OP_s_load_dwordx8, GCN_OP_s_load_dwordx16 };

	bool old = e->gcn->gen < GCN_G10;
	word_put(gen_out_scalar(e), GCN_SMEM, gen_row(e, (enum gcn_op)rows[qd_log2(n)]), GCN_SMEM,
		 (struct gcn_fields){ .SDST = dst, .SBASE = KERNARG / 2, .OFFSET = 4 * word, .IMM = old,
				      .SOFFSET = old ? 0 : gcn_null_of(e->gcn) });
	gen_issued(e, CNT_SMEM, dst, n);
}

struct src
gen_arg(struct emit *e, uint32_t word)
{
	uint32_t reg = e->arg[word];

	if (reg == REG_NONE) {
		reg = gen_temp_s(e, 1);
		load_words(e, reg, word, 1);
	}
	gen_wait_reg(e, reg, 1);
	return src_of(reg);
}

/* Completes a descriptor. The element size replaces the bits above the address, which are ones if
 * the address is sign-extended. */
static void
layout_buffer(struct emit *e, uint32_t mem, uint32_t reg)
{
	gen_wait_reg(e, reg, 4);
	put_sop2(e, GCN_OP_s_pack_ll_b32_b16, reg + 1, src_of(reg + 1),
		 gen_const(type_info[e->body->mems[mem].type].size));
	put_mov_s(e, reg + 3, gen_const(e->t->word3));
}

uint32_t
gen_descriptor(struct emit *e, uint32_t mem)
{
	bool table = e->body->mems[mem].space == SPACE_TABLE;
	uint32_t word = table ? 0 : body_buffer_at(e->body, e->k, mem) / 4, reg;

	if (e->described[mem])
		return table ? e->base[mem] : e->arg[word];
	if (table) {
		reg = gen_temp_s4(e);
		gen_table_descriptor(e, mem, reg);
		return reg;
	}
	reg = gen_temp_s4(e);
	load_words(e, reg, word, 4);
	layout_buffer(e, mem, reg);
	return reg;
}

/* Returns true if the word is wanted and not loaded yet. */
static bool
is_wanted(const struct emit *e, uint32_t word)
{
	return word < e->body->args_size / 4 && gen_has_word(&e->g.inputs, word);
}

/* Returns the first such word at or after `word`, or the end. */
static uint32_t
next_wanted(const struct emit *e, uint32_t word)
{
	const uint64_t *words = e->g.inputs.words;
	uint32_t end = e->body->args_size / 4;

	for (; word < end; word = (word | 63) + 1)
		if (words[word / 64] >> word % 64)
			return word + qd_lowest_bit(words[word / 64] >> word % 64);
	return end;
}

static void
load_run(struct emit *e, uint32_t word, uint32_t n, uint32_t align)
{
	uint32_t reg = gen_take_s_at(e, n, align);

	load_words(e, reg, word, n);
	for (uint32_t i = 0; i < n; i++)
		e->arg[word + i] = (uint16_t)(reg + i);
	gen_set_bits(e->g.inputs.words, word, n, false);
}

/* Loads the descriptors of buffers, four registers each. Adjacent buffers share a load. */
static void
load_buffers(struct emit *e, uint32_t *room)
{
	uint32_t n_params = e->k->n_params;

	for (uint32_t x = 0; x < n_params;) {
		uint32_t word = e->k->params[x].offset / 4, n = 0;
		while (x + n < n_params && n < 4 && e->body->mems[x + n].space == SPACE_GLOBAL &&
		       is_wanted(e, word + 4 * n) && e->k->params[x + n].offset / 4 == word + 4 * n &&
		       4 * (n + 1) <= *room)
			n++;
		n = n == 3 ? 2 : n;
		if (!n) {
			x++;
			continue;
		}
		load_run(e, word, 4 * n, 4);
		*room -= 4 * n;
		for (uint32_t i = 0; i < n; i++)
			e->described[x + i] = true;
		x += n;
	}
}

static void
load_scalars(struct emit *e, uint32_t *room)
{
	uint32_t end = e->body->args_size / 4;

	for (uint32_t word = 0; (word = next_wanted(e, word)) < end;) {
		uint32_t n = 0;
		while (n < 4 && is_wanted(e, word + n) && n < *room)
			n++;
		n = n == 3 ? 2 : n;
		if (!n)
			return;
		load_run(e, word, n, n);
		*room -= n;
	}
}

static void
place_shared(struct emit *e)
{
	uint32_t size = 0;

	for (uint32_t x = 0; x < e->body->n_mems; x++) {
		const struct memory *mem = &e->body->mems[x];
		uint32_t element = type_info[mem->type].size, copied;
		if (mem->space != SPACE_SHARED)
			continue;
		copied = x < e->k->n_mems ? ir_copy_size(&e->k->ir, e->k->mems, x) : 0;
		copied = copied > element ? copied : element;
		if (ir_vector_size(e->ir, x) > copied)
			copied = ir_vector_size(e->ir, x);
		size = (size + copied - 1) / copied * copied;
		e->base[x] = size;
		size += mem->len * element;
	}
	e->far_base = (size + 3) / 4 * 4;
}

/* Reserves a register that the launch initializes. */
static void
keep(uint64_t *map, uint32_t reg)
{
	map[reg / 64] &= ~(UINT64_C(1) << reg % 64);
}

void
gen_prologue(struct emit *e)
{
	struct gen_kernel_inputs *w = &e->g.inputs;
	uint32_t room = MAX_ARG_SGPRS, wg_id = e->t->wg_id;

	memset(e->arg, 0xff, e->body->args_size / 4 * sizeof *e->arg); /* REG_NONE */
	place_shared(e);
	w->thread |= gen_needs_lds(e);
	keep(e->free_s, KERNARG);
	keep(e->free_s, KERNARG + 1);
	e->max_s = 2;
	if (w->thread) {
		keep(e->free_v, 0);
		e->max_v = 1;
	}
	e->scratch_base = GCN_OFF;
	if (QD_UNLIKELY(e->sets_scratch)) {
		wg_id += GEN_SCRATCH_USER;
		gen_init_scratch(e, e->t->user, wg_id + 1);
	}
	if (w->block && wg_id < e->gcn->n_sgpr) {
		keep(e->free_s, wg_id);
		e->max_s = wg_id + 1u > e->max_s ? wg_id + 1u : e->max_s;
	}
	load_buffers(e, &room);
	load_scalars(e, &room);
	gen_load_tables(e, &room);
	if (w->block) {
		struct src base = gen_arg(e, e->k->tail / 4 + TAIL_BLOCK_BASE);
		e->block_idx = (uint16_t)(wg_id < e->gcn->n_sgpr ? wg_id : gen_take_s(e, 1));
		put_sop2(e, GCN_OP_s_add_i32, e->block_idx, src_of(wg_id), base);
	}
	for (uint32_t x = 0; x < e->k->n_params; x++)
		if (e->described[x])
			layout_buffer(e, x, e->arg[e->k->params[x].offset / 4]);
	gen_end(e);
}
