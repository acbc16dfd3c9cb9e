/* What the tests of the SPIR-V back end share. */
#include "t_spirv.h"

void
spirv_start(struct spirv_fx *f, struct unit_ctx *t, const char *target, qd_type element)
{
	memset(f, 0, sizeof *f);
	f->t = t;
	unit_alloc_init(&f->alloc);
	struct qd_allocator hooks = unit_alloc_hooks(&f->alloc);
	pool_init(&f->pool, &hooks);
	arena_init(&f->mem, &f->pool);
	buf_init(&f->code, &f->pool);
	qd_type wide = type_info[element].wide;
	f->params[SRC] = (struct param){ "src", (uint8_t)element, QD_ACCESS_IN, 0 };
	f->params[DST] = (struct param){ "dst", (uint8_t)element, QD_ACCESS_INOUT, 16 };
	f->params[SCALE] = (struct param){ "scale", (uint8_t)wide, 0, 32 };
	f->k.name = "k";
	f->k.params = f->params;
	f->k.n_params = 3;
	f->k.block_dim = 64;
	f->k.tail = 40;
	f->k.args_size = 56;
	UNIT_CHECK(t, !isa_target(target, &f->target, &f->err), "%s", f->err.text);
	ir_push(&f->ir, &f->mem, (struct ins){ .op = OP_NONE }, 0);
}

void
spirv_stop(struct spirv_fx *f)
{
	buf_fini(&f->code);
	arena_fini(&f->mem);
	pool_fini(&f->pool);
	UNIT_CHECK(f->t, f->alloc.n_out == 0, "%zu blocks are lost", f->alloc.n_out);
	unit_alloc_fini(&f->alloc);
}

uint32_t
spirv_push(struct spirv_fx *f, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c,
	   uint32_t x)
{
	return ir_push(&f->ir, &f->mem,
		       (struct ins){ .op = (uint16_t)op, .type = (uint8_t)type, .a = a, .b = b,
				     .c = c, .x = x },
		       0);
}

uint32_t
spirv_u32(struct spirv_fx *f, uint32_t v)
{
	return spirv_push(f, OP_CONST, QD_TYPE_U32, v, 0, 0, 0);
}

uint32_t
spirv_load(struct spirv_fx *f, uint32_t index, uint32_t where)
{
	return spirv_push(f, OP_LOAD, type_info[f->params[SRC].type].wide, index, 0, where, SRC);
}

void
spirv_store(struct spirv_fx *f, uint32_t index, uint32_t v, uint32_t where)
{
	spirv_push(f, OP_STORE, QD_TYPE_NONE, index, v, where, DST);
}

qd_status
spirv_emit(struct spirv_fx *f)
{
	struct isa_in in = { .k = &f->k, .ir = &f->ir, .target = &f->target, .mem = &f->mem };
	qd_status st = f->target.isa->emit(&in, &f->code, &f->meta, &f->err);

	f->w = (const uint32_t *)(const void *)buf_data(&f->code);
	f->n = st ? 0 : (uint32_t)(f->code.len / 4);
	return st;
}

void
spirv_must_emit(struct spirv_fx *f)
{
	qd_status st = spirv_emit(f);
	UNIT_CHECK(f->t, !st, "%s", f->err.text);
}

void
spirv_plain_body(struct spirv_fx *f, qd_type type)
{
	uint32_t i = spirv_push(f, OP_THREAD_IDX, QD_TYPE_I32, 0, 0, 0, 0);
	uint32_t len = spirv_push(f, OP_LEN, QD_TYPE_U32, 0, 0, 0, SRC);
	uint32_t in = spirv_push(f, OP_LT, QD_TYPE_BOOL, i, len, 0, 0);
	uint32_t x = spirv_load(f, i, in);
	uint32_t scale = spirv_push(f, OP_PARAM, type, 0, 0, 0, SCALE);
	uint32_t y = spirv_push(f, OP_MUL, type, x, scale, 0, 0);
	uint32_t var = spirv_push(f, OP_VAR, type, y, 0, 0, 0);
	uint32_t z = spirv_push(f, OP_GET, type, var, 0, 0, 0);
	spirv_push(f, OP_SET, QD_TYPE_NONE, var, spirv_push(f, OP_ADD, type, z, x, 0, 0), 0, 0);
	spirv_store(f, i, spirv_push(f, OP_GET, type, var, 0, 0, 0), in);
}

void
spirv_count_loop(struct spirv_fx *f)
{
	uint32_t zero = spirv_u32(f, 0), n = spirv_push(f, OP_LEN, QD_TYPE_U32, 0, 0, 0, SRC);
	uint32_t var = spirv_push(f, OP_VAR, QD_TYPE_U32, zero, 0, 0, 0);
	uint32_t loop = spirv_push(f, OP_LOOP, QD_TYPE_NONE, 0, 0, 0, 0);
	uint32_t i = spirv_push(f, OP_GET, QD_TYPE_U32, var, 0, 0, 0);
	uint32_t stop = spirv_push(f, OP_LE, QD_TYPE_BOOL, n, i, 0, 0);
	spirv_push(f, OP_BREAK_IF, QD_TYPE_NONE, stop, 0, 0, 0);
	spirv_store(f, i, spirv_load(f, i, 0), 0);
	uint32_t after = spirv_push(f, OP_ADD, QD_TYPE_U32, i, spirv_u32(f, 1), 0, 0);
	spirv_push(f, OP_SET, QD_TYPE_NONE, var, after, 0, 0);
	f->ir.ins[loop].x = spirv_push(f, OP_END, QD_TYPE_NONE, 0, 0, 0, loop);
}
