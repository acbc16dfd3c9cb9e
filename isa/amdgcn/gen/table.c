/* Constant tables. Their elements follow the code, which computes their addresses relative to itself. Loads
 * access them through descriptors, as they do buffers. */
#include "word.h"

enum { ALIGN = 4 /* words */ };

void
gen_table_descriptor(struct emit *e, uint32_t mem, uint32_t reg)
{
	const struct memory *table = &e->body->mems[mem];

	if (!e->tables) {
		struct gcn_label *l = arena_zalloc(e->in->mem, e->body->n_mems * sizeof *l);

		if (!(e->tables = l)) {
			gen_fail(e, QD_E_NOMEM, "out of memory");
			return;
		}
	}
	e->scc_of = REG_NONE;
	gen_salu_writes(e, reg);
	gen_salu_writes(e, reg + 1);
	gcn_label_address(gen_out_scalar(e), reg, gen_scalar_wait(e), &e->tables[mem]);
	put_sop2(e, GCN_OP_s_pack_ll_b32_b16, reg + 1, src_of(reg + 1), gen_const(type_info[table->type].size));
	put_mov_s(e, reg + 2, gen_const(table->len));
	put_mov_s(e, reg + 3, gen_const(e->t->word3));
}

void
gen_load_tables(struct emit *e, uint32_t *room)
{
	for (uint32_t x = e->k->n_params; e->g.inputs.tables && x < e->k->n_mems && *room >= 4; x++) {
		if (e->body->mems[x].space != SPACE_TABLE)
			continue;
		e->base[x] = gen_take_s_at(e, 4, 4);
		gen_table_descriptor(e, x, e->base[x]);
		e->described[x] = true;
		*room -= 4;
	}
}

uint32_t
gen_table_words(const struct body *b)
{
	size_t n = 0;

	for (uint32_t x = 0; x < b->n_mems; x++)
		n += b->mems[x].data ? ir_table_size(&b->mems[x]) / 4 + ALIGN : 0;
	return (uint32_t)n;
}

void
gen_put_tables(struct emit *e)
{
	struct gcn_out *o = &e->o;

	for (uint32_t x = 0; e->tables && x < e->body->n_mems; x++) {
		const struct memory *table = &e->body->mems[x];
		size_t size = ir_table_size(table);

		if (!e->tables[x].address || o->bad)
			continue;
		if (o->full < o->at + size / 4 + ALIGN) {
			gcn_no_room(o, GCN_s_endpgm);
			return;
		}
		while ((size_t)(o->at - o->begin) % ALIGN)
			*o->at++ = 0;
		gcn_bind_label(o, &e->tables[x]);
		memcpy(o->at, table->data, size);
		o->at += size / 4;
	}
}
