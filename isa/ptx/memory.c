/* Parameters, and loads and stores through the addresses among them.
 *
 * The argument block is the only parameter of the entry. Addresses of buffers are loaded once, at
 * the start of the body, and converted to global ones. The address of a shared array or a table is
 * its symbol. */
#include "ptx.h"

void
ptx_load_argument(struct emitter *e, struct val d, uint32_t at)
{
	ptx_begin(e);
	if (d.kind == VAL_PAIR)
		PTX_TEXT(e, "ld.param.b64 ");
	else
		PTX_TEXT(e, "ld.param.b32 ");
	ptx_put_val(e, d);
	PTX_TEXT(e, ", [args+");
	ptx_put_number(e, at);
	PTX_TEXT(e, "];\n");
}

/* -- Addresses ----------------------------------------------------------------------- */

static bool
is_shared(const struct emitter *e, uint32_t mem)
{
	return e->mems[mem].space == SPACE_SHARED;
}

static bool
is_table(const struct emitter *e, uint32_t mem)
{
	return e->mems[mem].space == SPACE_TABLE;
}

/* Returns true if the byte offset of element `index`, and of those that ATTR_NEAR may add, fits in the
 * address operand. */
static bool
is_near(const struct emitter *e, uint32_t mem, uint64_t index)
{
	return (index + MAX_NEAR) * type_info[e->mems[mem].type].size <= INT32_MAX;
}

const char *
ptx_space(const struct emitter *e, uint32_t mem)
{
	return is_shared(e, mem) ? ".shared" : is_table(e, mem) ? ".const" : ".global";
}

void
ptx_emit_bases(struct emitter *e)
{
	for (uint32_t i = 1; i < e->ir->n; i++) {
		const struct ins *s = &e->ir->ins[i];

		if (QD_LIKELY(op_info[s->op].is_alu) || op_sig((enum op)s->op)->x != X_MEMORY)
			continue;
		e->used[s->x] = true;
		/* symbol + constant offset needs no base register */
		if (e->mems[s->x].space == SPACE_GLOBAL || e->ir->ins[s->a].op != OP_CONST ||
		    !is_near(e, s->x, const_bits(&e->ir->ins[s->a])))
			e->base[s->x].kind = VAL_WORD;
	}
	for (uint32_t x = 0; x < e->in->body->n_mems && ptx_room(e); x++) {
		if (!e->base[x].kind)
			continue;
		if (is_shared(e, x)) {
			e->base[x] = ptx_new(e, QD_TYPE_U32);
			ptx_line(e, "mov.u32 %v, s%u", e->base[x], x);
			continue;
		}
		e->base[x] = ptx_new(e, QD_TYPE_U64);
		if (is_table(e, x)) {
			ptx_line(e, "mov.u64 %v, %s$%u", e->base[x], e->entry, x);
			continue;
		}
		struct val generic = ptx_new(e, QD_TYPE_U64);
		ptx_load_argument(e, generic, body_buffer_at(e->in->body, e->k, x));
		ptx_begin(e);
		PTX_TEXT(e, "cvta.to.global.u64 ");
		ptx_put_val(e, e->base[x]);
		PTX_TEXT(e, ", ");
		ptx_put_val(e, generic);
		PTX_TEXT(e, ";\n");
	}
}

struct address
ptx_address(struct emitter *e, const struct ins *ins)
{
	const struct memory *mem = &e->mems[ins->x];
	uint32_t size = type_info[mem->type].size;
	struct address a = { .base = e->base[ins->x], .symbol = ins->x };
	struct val index = ptx_use(e, ins->a);
	bool shared = is_shared(e, ins->x);

	if (index.kind == VAL_CONST && is_near(e, ins->x, index.bits)) {
		a.offset = (uint32_t)index.bits * size;
		return a;
	}
	index = ptx_reg(e, index);
	a.base = ptx_new(e, shared ? QD_TYPE_U32 : QD_TYPE_U64);
	if (shared) {
		ptx_line(e, "mad.lo.u32 %v, %v, %u, %v", a.base, index, size, e->base[ins->x]);
		return a;
	}
	struct val offset = ptx_new(e, QD_TYPE_U64);
	ptx_line(e, "mul.wide.u32 %v, %v, %u", offset, index, size);
	ptx_line(e, "add.u64 %v, %v, %v", a.base, e->base[ins->x], offset);
	return a;
}

/* -- Parameters ------------------------------------------------------------------------ */

qd_status
ptx_emit_param(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	const struct param *p = s->op == OP_ARGWORD ? NULL : &e->k->params[s->x];
	uint32_t at = s->op == OP_ARGWORD ? 4 * s->x : s->op == OP_LEN ? p->offset + 8 : p->offset;

	(void)err;
	e->id[i] = ptx_new(e, (qd_type)s->type);
	ptx_load_argument(e, e->id[i], at);
	return QD_OK;
}

/* -- Loads and stores --------------------------------------------------------------------- */

/* Type of a memory access. Elements under 32 bits are loaded to and stored from word registers. */
static const char *const element[N_TYPE] = {
	[QD_TYPE_I8] = "s8",	[QD_TYPE_U8] = "u8",   [QD_TYPE_I16] = "s16",
	[QD_TYPE_U16] = "u16",	[QD_TYPE_F16] = "u16", [QD_TYPE_BF16] = "u16",
	[QD_TYPE_I32] = "b32",	[QD_TYPE_U32] = "b32", [QD_TYPE_F32] = "b32",
	[QD_TYPE_I64] = "b64",	[QD_TYPE_U64] = "b64", [QD_TYPE_F64] = "b64",
};

/* Returns the address of an access that follows others to the same index, or only stores of their results. */
static struct address
near_address(struct emitter *e, uint32_t i)
{
	const struct ins *s = &e->ir->ins[i], *last = &e->ir->ins[e->near_access];
	struct address a = e->near;

	if (!e->near_access || i - e->near_access > 2 || (i - e->near_access == 2 && s[-1].op != OP_SET) || last->x != s->x ||
	    last->a != s->a)
		a = ptx_address(e, s);
	e->near_access = i;
	e->near = a;
	a.offset += ((uint32_t)s->attr >> ATTR_NEAR_AT & MAX_NEAR) * type_info[e->mems[s->x].type].size;
	return a;
}

struct val
ptx_loaded(struct emitter *e, uint32_t i)
{
	const struct ins *user = e->mems[e->ir->ins[i].x].type == QD_TYPE_F16 ? ptx_only_user(e, i) : NULL;

	return user && user->op == OP_WIDEN_F16 ? ptx_new_half(e) : ptx_result(e, i);
}

/* `in` buffers are constant while the kernel runs, so .nc is correct for them. */
qd_status
ptx_emit_load(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	const struct memory *mem = &e->mems[s->x];

	(void)err;
	if (e->id[i].kind || ptx_load_vector(e, i))
		return QD_OK;
	struct val d = ptx_loaded(e, i);
	struct address a = s->attr & ATTR_NEAR ? near_address(e, i) : ptx_address(e, s);
	const char *cached = mem->space == SPACE_GLOBAL && mem->access == QD_ACCESS_IN ? ".nc" : "";
	if (s->c) {
		ptx_move(e, d, s->b ? ptx_use(e, s->b) : ptx_const((qd_type)s->type, 0));
		ptx_guard(e, ptx_reg(e, ptx_use(e, s->c)), false);
	}
	ptx_line(e, "ld%s%s.%s %v, %a", ptx_space(e, s->x), cached, element[mem->type], d, &a);
	ptx_unguard(e);
	e->id[i] = d;
	return QD_OK;
}

qd_status
ptx_emit_store(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];

	(void)err;
	if (i <= e->stored || ptx_store_vector(e, i))
		return QD_OK;
	struct address a = s->attr & ATTR_NEAR ? near_address(e, i) : ptx_address(e, s);
	struct val v = ptx_reg(e, ptx_use(e, s->b));
	if (s->c)
		ptx_guard(e, ptx_reg(e, ptx_use(e, s->c)), false);
	ptx_line(e, "st%s.%s %a, %v", ptx_space(e, s->x), element[e->mems[s->x].type], &a, v);
	ptx_unguard(e);
	return QD_OK;
}

/* -- Asynchronous copies --------------------------------------------------------------------- */

/* Emits nothing: the copy computes the address of its destination. */
qd_status
ptx_emit_place(struct emitter *e, uint32_t i, struct qd_error *err)
{
	(void)e, (void)i, (void)err;
	return QD_OK;
}

/* .cg bypasses L1 and supports only copies of 16 bytes. */
qd_status
ptx_emit_copy(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	uint32_t size = ir_count(s) * type_info[e->mems[s->x].type].size;
	struct address from = ptx_address(e, s), to = ptx_address(e, &e->ir->ins[s->b]);
	enum ptx_insn insn = size == 16 ? PTX_CP_ASYNC_CG : PTX_CP_ASYNC_CA;

	(void)err;
	if (s->c)
		ptx_guard(e, ptx_reg(e, ptx_use(e, s->c)), false);
	if (s->d)
		ptx_line(e, "%i %a, %a, %u, %v", insn, &to, &from, size, ptx_use(e, s->d));
	else
		ptx_line(e, "%i %a, %a, %u", insn, &to, &from, size);
	ptx_unguard(e);
	return QD_OK;
}

qd_status
ptx_emit_copy_wait(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];

	(void)err;
	if (s->op == OP_CP_ASYNC_WAIT)
		ptx_line(e, "%i %u", PTX_CP_ASYNC_WAIT, s->x);
	else
		ptx_line(e, "%i", s->op == OP_CP_ASYNC_COMMIT ? PTX_CP_ASYNC_COMMIT : PTX_CP_ASYNC_WAIT_ALL);
	return QD_OK;
}
