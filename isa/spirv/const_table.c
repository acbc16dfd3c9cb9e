/* Constant tables. The module contains their bytes as a string of hexadecimal digits, which drivers ignore. The
 * runtime copies the bytes to a buffer once, and each launch passes its address. The buffer is a block with an array for
 * each table that the body reads. Arrays with initializers would be part of the module alone, but lavapipe needs
 * minutes to compile one of 1000 elements. */
#include "emit.h"

enum { ALIGN = 8 };

static bool
is_read(const struct emitter *e, uint32_t x)
{
	const uint32_t *base = &e->base[x * N_VIEW];

	return e->mems[x].space == SPACE_TABLE && (base[VIEW_ELEMENT] || base[VIEW_HALF]);
}

/* Declares the array of table x, which is member n of the block. */
static uint32_t
declare(struct emitter *e, uint32_t x, uint32_t n)
{
	const struct memory *mem = &e->mems[x];
	uint32_t *base = &e->base[x * N_VIEW], member = module_u32(&e->m, n);
	bool words = base[VIEW_HALF] != 0;

	base[VIEW_ELEMENT] = member;
	base[VIEW_HALF] = words ? member : 0;
	return module_array(&e->m, words ? T_UVEC2 : spv_value_type((qd_type)mem->type), mem->len,
			    type_info[mem->type].size);
}

bool
spv_declare_tables(struct emitter *e)
{
	struct module *m = &e->m;
	uint32_t n = 0, at = 0, *types, *offsets, block;
	uint8_t *bytes;

	for (uint32_t x = e->k->n_params; x < e->in->body->n_mems; x++) {
		n += is_read(e, x);
		at += is_read(e, x) ? ((uint32_t)ir_table_size(&e->mems[x]) + ALIGN - 1) & ~(ALIGN - 1u) : 0;
	}
	if (!n)
		return true;
	types = arena_alloc(e->in->mem, 2 * n * sizeof *types);
	bytes = arena_zalloc(e->in->mem, at);
	if (!types || !bytes)
		return false;
	offsets = types + n;
	n = at = 0;
	for (uint32_t x = e->k->n_params; x < e->in->body->n_mems; x++) {
		if (!is_read(e, x))
			continue;
		types[n] = declare(e, x, n);
		offsets[n++] = at;
		memcpy(bytes + at, e->mems[x].data, ir_table_size(&e->mems[x]));
		at += ((uint32_t)ir_table_size(&e->mems[x]) + ALIGN - 1) & ~(ALIGN - 1u);
	}
	m->tables = bytes;
	m->tables_size = at;
	block = module_block(m, types, offsets, n);
	for (uint32_t i = 0; i < n; i++)
		PUT(&m->anno, MemberDecorate, block, i, SPV_Decoration_NonWritable);
	e->tables_type = module_pointer(m, SPV_StorageClass_PhysicalStorageBuffer, block);
	return true;
}

bool
spv_args_by_address(const struct emitter *e)
{
	return e->in->body->args_size + (e->tables_type ? 8 : 0) > e->machine->inline_args;
}

void
spv_load_tables(struct emitter *e, uint32_t push, uint32_t n)
{
	struct module *m = &e->m;
	uint32_t to = module_pointer(m, SPV_StorageClass_PushConstant, e->tables_type);
	uint32_t member = module_u32(m, n), at = module_id(m);

	e->tables = module_id(m);
	PUT(&m->body, AccessChain, to, at, push, member);
	PUT(&m->body, Load, e->tables_type, e->tables, at);
}
