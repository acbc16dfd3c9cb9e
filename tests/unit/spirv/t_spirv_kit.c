/* Fixture declared in t_spirv.h. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "t_spirv.h"

const qd_type spirv_types[N_SPIRV_TYPES] = { QD_TYPE_I32, QD_TYPE_U32, QD_TYPE_I64,
					     QD_TYPE_U64, QD_TYPE_F32, QD_TYPE_F64 };

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
	f->mems[SRC] = (struct memory){ "src", (uint8_t)element, SPACE_GLOBAL, QD_ACCESS_IN, 0, 0, NULL };
	f->mems[DST] = (struct memory){ "dst", (uint8_t)element, SPACE_GLOBAL, QD_ACCESS_INOUT, 0, 0, NULL };
	f->mems[SCALE] = (struct memory){ "scale", (uint8_t)wide, SPACE_NONE, 0, 0, 0, NULL };
	f->body.mems = f->mems;
	f->body.n_mems = 3;
	f->k.name = "k";
	f->k.params = f->params;
	f->k.n_params = 3;
	f->k.block_dim = 64;
	f->k.tail = 40;
	f->k.args_size = f->body.args_size = 56;
	f->body.report = NO_MEMORY;
	UNIT_CHECK(t, !isa_target(target, &f->target, &f->err), "%s", f->err.text);
	ir_push(&f->body.ir, &f->mem, (struct ins){ .op = OP_NONE }, 0);
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
spirv_push_attr(struct spirv_fx *f, enum op op, qd_type type, uint32_t attr, uint32_t a, uint32_t b,
		uint32_t c, uint32_t x)
{
	return ir_push(&f->body.ir, &f->mem,
		       (struct ins){ .op = (uint8_t)op, .type = (uint8_t)type,
				     .attr = (uint16_t)attr, .a = a, .b = b, .c = c, .x = x },
		       0);
}

uint32_t
spirv_push(struct spirv_fx *f, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c,
	   uint32_t x)
{
	return spirv_push_attr(f, op, type, 0, a, b, c, x);
}

uint32_t
spirv_shared(struct spirv_fx *f, qd_type type, uint32_t len)
{
	uint32_t row = f->body.n_mems++;

	f->mems[row] = (struct memory){ NULL, (uint8_t)type, SPACE_SHARED, QD_ACCESS_INOUT, len, 0, NULL };
	f->body.shared_size += len * type_info[type].size;
	return row;
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
	struct isa_in in = { .k = &f->k, .body = &f->body, .target = &f->target, .mem = &f->mem };
	qd_status st = f->target.isa->emit(&in, &f->code, &f->meta, &f->err);

	f->w = (const uint32_t *)(const void *)buf_data(&f->code);
	f->n = st ? 0 : (uint32_t)(f->code.len / 4);
	return st;
}

/* Keeps the module for oracle.c, because modules built here have constructs that no kernel
 * produces. */
static void
keep(const struct spirv_fx *f)
{
	const char *kinds = getenv("QD_DUMP"), *dir = getenv("QD_DUMP_DIR");
	struct hash128 h = hash_bytes(f->w, f->code.len);
	char path[512];

	if (!kinds || !strstr(kinds, "bin") || !dir || !*dir)
		return;
	snprintf(path, sizeof path, "%s/unit_%016llx.spv", dir, (unsigned long long)h.lo);
	mkdir(dir, 0777);
	FILE *out = fopen(path, "wb");
	bool good = out && fwrite(f->w, 1, f->code.len, out) == f->code.len;
	UNIT_CHECK(f->t, out && fclose(out) == 0 && good, "cannot write '%s'", path);
}

void
spirv_must_emit(struct spirv_fx *f)
{
	qd_status st = spirv_emit(f);
	UNIT_CHECK(f->t, !st, "%s", f->err.text);
	if (!st)
		keep(f);
}

uint32_t
spirv_count(const struct spirv_fx *f, uint32_t op)
{
	uint32_t n = 0;

	EACH(f, i)
		n += OPCODE(f, i) == op;
	return n;
}

bool
spirv_has_cap(const struct spirv_fx *f, uint32_t cap)
{
	EACH(f, i) {
		if (OPCODE(f, i) == SPV_Capability && f->w[i + 1] == cap)
			return true;
	}
	return false;
}

uint32_t
spirv_find(const struct spirv_fx *f, uint32_t op, uint32_t n)
{
	EACH(f, i) {
		if (OPCODE(f, i) == op && n-- == 0)
			return i;
	}
	return 0;
}

void
spirv_plain_body(struct spirv_fx *f, qd_type type)
{
	uint32_t i = spirv_push(f, OP_THREAD_IDX, QD_TYPE_U32, 0, 0, 0, 0);
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
	spirv_push(f, OP_BREAK, QD_TYPE_NONE, stop, 1, 0, loop);
	spirv_store(f, i, spirv_load(f, i, 0), 0);
	uint32_t after = spirv_push(f, OP_ADD, QD_TYPE_U32, i, spirv_u32(f, 1), 0, 0);
	spirv_push(f, OP_SET, QD_TYPE_NONE, var, after, 0, 0);
	f->body.ir.ins[loop].x = spirv_push(f, OP_END, QD_TYPE_NONE, 0, 0, 0, loop);
}
