/* The builder: lifetime, sticky error, appending, and the operand checks that all calls share. The
 * calls are in build_attr.c, build_op.c, build_flow.c and build_lane.c. verify.c checks nesting,
 * scope and the properties of the whole body. */
#include "build_call.h"

/* -- Lifetime --------------------------------------------------------------- */

qd_status
qd_builder_create(struct qd_context *ctx, const char *name, struct qd_builder **out,
		  struct qd_error *err)
{
	struct arena a;
	struct qd_kernel *k;
	struct qd_builder *b;

	QD_CHECK_ARG(ctx && out, err, "context or result pointer is NULL");
	QD_CHECK_ARG(name && *name && strlen(name) <= MAX_TEXT_NAME, err,
		     "a kernel's name has 1 to 255 bytes");
	QD_CHECK_CTX(ctx, err);
	arena_init(&a, &ctx->pool);
	k = arena_zalloc(&a, sizeof *k);
	b = arena_zalloc(&a, sizeof *b);
	if (!k || !b || !(k->name = arena_strdup(&a, name, strlen(name))) ||
	    !ir_reserve(&k->ir, &a, 1)) {
		arena_fini(&a);
		return qd_fail(err, QD_E_NOMEM, "qd_builder_create: out of memory");
	}
	k->ctx = ctx;
	k->refs = 1;
	k->block[0] = k->block_dim = 64;
	k->block[1] = k->block[2] = 1;
	k->arena = a;
	if (!append_init(&b->o, &k->ir, &k->arena)) {
		a = k->arena;
		arena_fini(&a);
		return qd_fail(err, QD_E_NOMEM, "qd_builder_create: out of memory");
	}
	b->o.marks = true;
	b->o.literal = !ctx->opt;
	b->ctx = ctx;
	b->max_ins = ctx->limits.max_instructions;
	b->k = k;
	ctx_born(ctx, LIVE_KERNEL);
	*out = b;
	return QD_OK;
}

void
qd_builder_free(struct qd_builder *b)
{
	if (b)
		qd_kernel_free(b->k);
}

void
build_set_source(struct qd_builder *b, struct source *source)
{
	struct qd_kernel *k = b->k;

	k->source = source_ref(source);
	k->file = source->file;
	k->lines = source->lines;
	k->from_text = true;
}

void
build_at(struct qd_builder *b, uint32_t pos)
{
	b->pos = pos;
	b->positioned = true;
}

void
build_arg_at(struct qd_builder *b, uint32_t pos)
{
	b->arg_pos = pos;
}

bool
build_is_const(const struct qd_builder *b, struct qd_val v, uint64_t *bits)
{
	if (!v.id || v.id >= b->k->ir.n || b->k->ir.ins[v.id].op != OP_CONST)
		return false;
	*bits = const_bits(&b->k->ir.ins[v.id]);
	return true;
}

qd_type
qd_val_type(const struct qd_builder *b, struct qd_val v)
{
	return b ? build_type(b, v) : QD_TYPE_NONE;
}

qd_status
qd_builder_status(const struct qd_builder *b)
{
	return b ? b->failed : QD_E_INVALID;
}

/* -- Positions in C ---------------------------------------------------------- */

/* Makes room for one more element of a list in the kernel's arena. */
static void *
grown(struct qd_builder *b, void *list, uint32_t n, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? 2 * *cap : 16;
	void *p;

	if (n < *cap)
		return list;
	p = arena_alloc(&b->k->arena, more * size);
	if (!p) {
		build_nomem(b);
		return NULL;
	}
	if (n)
		memcpy(p, list, n * size);
	*cap = more;
	return p;
}

/* Stores the file's number, adding the file if it is new. Most calls ask for the last file. */
static bool
number_file(struct qd_builder *b, const char *file, uint32_t *out)
{
	struct qd_kernel *k = b->k;
	const char **files;

	for (uint32_t i = k->n_files; i-- > 0;) {
		*out = i;
		if (strcmp(k->files[i], file) == 0)
			return true;
	}
	files = grown(b, (void *)k->files, k->n_files, &b->cap_files, sizeof *files);
	if (!files)
		return false;
	k->files = files;
	files[k->n_files] = arena_strdup(&k->arena, file, strlen(file));
	if (!files[k->n_files]) {
		build_nomem(b);
		return false;
	}
	*out = k->n_files++;
	return true;
}

struct qd_builder *
qd_at(struct qd_builder *b, const char *file, uint32_t line)
{
	struct c_place p = { .line = line };
	struct c_place *last, *places;

	if (!b || b->failed || b->positioned || !file)
		return b;
	b->name = "qd_at";
	p.call = b->call + 1;
	if (!number_file(b, file, &p.file))
		return b;
	last = b->k->n_places ? &b->places[b->k->n_places - 1] : NULL;
	if (last && last->call == p.call) {
		*last = p;
		return b;
	}
	places = grown(b, b->places, b->k->n_places, &b->cap_places, sizeof *places);
	if (!places)
		return b;
	b->places = places;
	b->k->places = places;
	places[b->k->n_places++] = p;
	return b;
}

/* -- Errors -------------------------------------------------------------------- */

static QD_COLD void
fail_v(struct qd_builder *b, const struct diag_note *note, enum diag d, va_list ap)
{
	const struct source *s = b->k->source;
	struct diag_at at = { .file = b->k->file, .lines = &b->k->lines, .pos = b->pos, .c = diag_place(b->k, b->pos),
			      .note_c = diag_place(b->k, note ? note->pos : 0) };
	struct diag_note own;

	if (s) {
		at.source = s->text;
		at.source_len = s->len;
	} else {
		note = diag_call_note(note, d, &own);
	}

	if (b->failed)
		return;
	b->failed = diag_vreport(b->ctx, &b->err, at, b->name, note, d, ap);
}

void
build_fail(struct qd_builder *b, const struct diag_note *note, enum diag d, ...)
{
	va_list ap;

	va_start(ap, d);
	fail_v(b, note, d, ap);
	va_end(ap);
}

QD_COLD void
build_nomem(struct qd_builder *b)
{
	if (!b->failed)
		b->failed = qd_fail(&b->err, QD_E_NOMEM, "%s: out of memory", b->name);
}

static bool
note_call(struct qd_builder *b)
{
	if (b->call >= b->cap_calls) {
		uint32_t cap = b->cap_calls ? 2 * b->cap_calls : 64;
		const char **calls = arena_alloc(&b->k->arena, cap * sizeof *calls);

		if (!calls) {
			build_nomem(b);
			return false;
		}
		calls[0] = NULL;
		if (b->cap_calls)
			memcpy(calls, b->calls, b->cap_calls * sizeof *calls);
		b->calls = calls;
		b->cap_calls = cap;
	}
	b->calls[b->call] = b->name;
	return true;
}

static QD_COLD bool
no_builder(const char *name)
{
	qd_fail(NULL, QD_E_INVALID, "%s: builder is NULL", name);
	return false;
}

/* Begins a call. Returns false after an error. */
bool
build_enter(struct qd_builder *b, const char *name)
{
	if (QD_UNLIKELY(!b))
		return no_builder(name);
	if (QD_UNLIKELY(b->failed))
		return false;
	b->call++;
	b->name = name;
	if (forked_since(b->ctx->forks)) {
		b->failed = fork_refused(&b->err, name);
		return false;
	}
	if (!b->positioned) {
		b->pos = b->call;
		return note_call(b);
	}
	return true;
}

/* -- Appending --------------------------------------------------------------------- */

/* Returns whether a region may contain the operation. */
static bool
fits_region(enum op op)
{
	return op_info[op].is_alu || op == OP_CONST || op == OP_ARG || op == OP_YIELD || op == OP_END;
}

uint32_t
build_push_at(struct qd_builder *b, struct ins ins, uint32_t pos)
{
	uint32_t id;

	if (QD_UNLIKELY(b->failed))
		return 0;
	if (QD_UNLIKELY(b->o.region) && !fits_region((enum op)ins.op)) {
		FAIL(b, DIAG_E0326, b->name);
		return 0;
	}
	if (QD_UNLIKELY(b->k->ir.n >= b->max_ins)) {
		FAIL(b, DIAG_E0332, b->max_ins, LIMIT_FIELD(b->ctx, max_instructions, MAX_INS));
		return 0;
	}
	b->o.pos = pos;
	id = append(&b->o, ins);
	if (QD_UNLIKELY(b->o.too_deep || b->o.n_open > MAX_NEST))
		FAIL(b, DIAG_E0315, MAX_NEST);
	else if (QD_UNLIKELY(b->o.nomem))
		build_nomem(b);
	return id;
}

struct qd_val
build_push(struct qd_builder *b, struct ins ins)
{
	return (struct qd_val){ build_push_at(b, ins, b->pos) };
}

struct qd_val
build_push_op(struct qd_builder *b, enum op op, qd_type type, struct qd_val x, struct qd_val y,
	      struct qd_val z)
{
	return build_push(b, (struct ins){ .op = (uint8_t)op,
					   .type = (uint8_t)type,
					   .a = x.id,
					   .b = y.id,
					   .c = z.id });
}

struct qd_val
build_constant(struct qd_builder *b, qd_type type, uint64_t bits)
{
	return build_push(b, (struct ins){ .op = OP_CONST,
					   .type = (uint8_t)type,
					   .a = (uint32_t)bits,
					   .b = (uint32_t)(bits >> 32) });
}

struct qd_val
build_wrapped(struct qd_builder *b, qd_type type, uint64_t bits)
{
	return build_push(b, (struct ins){ .op = OP_CONST,
					   .type = (uint8_t)type,
					   .attr = ATTR_WRAPPED,
					   .a = (uint32_t)bits,
					   .b = (uint32_t)(bits >> 32) });
}

/* -- Operand checks ------------------------------------------------------------------- */

/* Returns the operand's type if it is in mask, else fails and returns NONE. */
qd_type
build_operand(struct qd_builder *b, struct qd_val v, uint32_t mask)
{
	qd_type t = build_type(b, v);
	char list[96];

	if (QD_LIKELY(type_is(t, mask) && t != QD_TYPE_NONE))
		return t;
	if (b->failed)
		return QD_TYPE_NONE;
	if (t == QD_TYPE_NONE)
		FAIL(b, DIAG_E0309);
	else
		FAIL(b, DIAG_E0302, type_info[t].name, type_list(list, sizeof list, mask));
	return QD_TYPE_NONE;
}

qd_type
build_operands(struct qd_builder *b, struct qd_val x, struct qd_val y, uint32_t mask)
{
	qd_type t = build_operand(b, x, mask), u = build_operand(b, y, mask);

	if (t == u)
		return t;
	if (t && u)
		FAIL(b, DIAG_E0301, type_info[t].name, type_info[u].name);
	return QD_TYPE_NONE;
}

/* Converts a lane, offset or mask operand to u32. */
struct qd_val
build_lane_operand(struct qd_builder *b, struct qd_val v, const char *what)
{
	qd_type t = build_type(b, v);

	if (t == QD_TYPE_U32)
		return v;
	if (t == QD_TYPE_I32)
		return build_push_op(b, OP_BITCAST, QD_TYPE_U32, v, no_val, no_val);
	if (!b->failed) {
		if (t == QD_TYPE_NONE)
			FAIL(b, DIAG_E0309);
		else
			FAIL(b, DIAG_E0305, what, type_info[t].name);
	}
	return no_val;
}

struct qd_val
build_truth(struct qd_builder *b, struct qd_val v)
{
	qd_type t = build_operand(b, v, TM_ALL);

	if (t == QD_TYPE_BOOL || t == QD_TYPE_NONE)
		return v;
	return build_push_op(b, OP_NE, QD_TYPE_BOOL, v, build_constant(b, t, 0), no_val);
}

/* Returns a template argument as an operand. It is an instruction of its own, so that a message
 * can point at it. */
struct qd_val
build_tmpl_operand(struct qd_builder *b, uint32_t token, int32_t lo, int32_t hi, enum diag range)
{
	uint32_t pos = b->arg_pos ? b->arg_pos : b->pos, i = token & ~TOKEN_TEMPLATE;
	struct ins ins = { .op = OP_CONST, .type = QD_TYPE_I32, .a = token };

	b->arg_pos = 0;
	if (b->failed)
		return no_val;
	if (token & TOKEN_TEMPLATE) {
		if (i >= b->k->n_tmpls) {
			FAIL(b, DIAG_E0310, "template parameter");
			return no_val;
		}
		ins = (struct ins){ .op = OP_TEMPLATE, .type = QD_TYPE_I32, .x = i };
	} else if ((token & TOKEN_VALUE) && (token & ~TOKEN_VALUE) < b->k->ir.n) {
		return (struct qd_val){ token & ~TOKEN_VALUE };
	} else if ((int32_t)token < lo || (int32_t)token > hi) {
		if (b->positioned)
			b->pos = pos;
		FAIL(b, range, (int32_t)token);
		return no_val;
	}
	b->o.pos = pos;
	i = append_raw(&b->o, ins);
	if (!i)
		build_nomem(b);
	return (struct qd_val){ i };
}

/* -- A call from its table row -------------------------------------------------------- */

struct qd_val
build_count_operand(struct qd_builder *b, struct qd_val v)
{
	qd_type t = build_operand(b, v, TM_INT);

	if (t == QD_TYPE_I64 || t == QD_TYPE_U64)
		return build_push_op(b, OP_CVT, QD_TYPE_U32, v, no_val, no_val);
	return t ? build_lane_operand(b, v, "count") : no_val;
}

/* Converts a shift count, a lane or an index to u32. Four bytes must be a u32. */
static struct qd_val
word_operand(struct qd_builder *b, enum op op, struct qd_val v)
{
	if (op_info[op].sig == SIG_DOT4)
		return build_operand(b, v, TM(U32)) ? v : no_val;
	return op_info[op].sig == SIG_SHIFT || op_info[op].sig == SIG_FUNNEL
		       ? build_count_operand(b, v)
		       : build_lane_operand(b, v, "lane");
}

/* Stores the logarithm of a width in lanes; false after an error. */
static bool
width_operand(struct qd_builder *b, uint32_t width, uint32_t *log2)
{
	for (*log2 = 0; *log2 <= WARP_LOG2; ++*log2)
		if (width == 1u << *log2)
			return true;
	FAIL(b, DIAG_E0230, (long long)width);
	return false;
}

qd_type
build_result(enum op op, qd_type lead)
{
	qd_type own = QD_TYPE_NONE;

	if (op_sig(op)->n_results != 1)
		return QD_TYPE_NONE;
	switch ((enum opnd)op_sig(op)->result[0]) {
	case OPND_OWN:
		while (own + 1 < N_TYPE && !(op_info[op].types >> own & 1))
			own++;
		return own;
	case OPND_BOOL: return QD_TYPE_BOOL;
	case OPND_I32: return QD_TYPE_I32;
	case OPND_U32: return QD_TYPE_U32;
	default: return lead;
	}
}

/* Handles most calls: a per-lane operation on values of one accepted type. Returns false for the
 * others. */
static bool
plain_operands(const struct qd_builder *b, struct ins *s, const struct qd_val *arg)
{
	const struct op_plain p = op_plain[s->op];
	qd_type t;

	if (!p.n)
		return false;
	t = build_type(b, arg[0]);
	s->a = arg[0].id;
	if (p.n > 1) {
		s->b = arg[1].id;
		if (build_type(b, arg[1]) != t)
			return false;
	}
	if (p.n > 2) {
		s->c = arg[2].id;
		if (build_type(b, arg[2]) != t)
			return false;
	}
	s->type = (uint8_t)(p.result ? p.result : t);
	return type_is(t, p.types);
}

static struct qd_val
push_plain(struct qd_builder *b, struct ins *s)
{
	uint32_t v;

	b->o.pos = b->pos;
	v = simplify(&b->o, s);
	if (!v)
		v = append_value(&b->o, *s);
	if (QD_UNLIKELY(b->o.nomem))
		build_nomem(b);
	return (struct qd_val){ v };
}

uint32_t
build_take_active(struct qd_builder *b, enum op op)
{
	uint32_t n = b->active.id;

	b->active = no_val;
	if (!n || op_sig(op)->active >= 0)
		return n;
	FAIL(b, DIAG_E0379, op_info[op].text);
	return 0;
}

struct qd_val
build_op(struct qd_builder *b, const char *name, enum op op, const struct qd_val *arg,
	 uint32_t token)
{
	const struct op_info *info = &op_info[op];
	const struct sig_info *sig = &sig_info[info->sig];
	struct ins ins = { .op = (uint8_t)op };
	qd_type lead = QD_TYPE_NONE, t;

	if (!build_enter(b, name))
		return no_val;
	if (QD_LIKELY(plain_operands(b, &ins, arg) && b->k->ir.n < b->max_ins))
		return push_plain(b, &ins);
	for (uint32_t j = 0; j < sig->n_opnd; j++) {
		uint8_t kind = opnd_kind(sig->opnd[j]);
		struct qd_val v = no_val;

		switch ((enum opnd)kind) {
		case OPND_T:
			v = arg[j];
			if (!(t = build_operand(b, v, info->types)))
				return no_val;
			if (lead && t != lead) {
				FAIL(b, DIAG_E0301, type_info[lead].name, type_info[t].name);
				return no_val;
			}
			lead = t;
			break;
		case OPND_U:
			v = arg[j];
			if (!build_operand(b, v, info->types))
				return no_val;
			break;
		case OPND_U32:
			if (sig->opnd[j] & OPND_MAY)
				break;
			/* fall through */
		case OPND_INDEX:
		case OPND_UINDEX: v = word_operand(b, op, arg[j]); break;
		case OPND_MEMBERS: v = build_lane_operand(b, arg[j], "mask"); break;
		case OPND_BOOL: v = build_truth(b, arg[j]); break;
		case OPND_K:
			if (token != QD_FULL)
				v = build_tmpl_operand(b, token, 0, MAX_LOG2, DIAG_E0211);
			break;
		case OPND_N: v = build_tmpl_operand(b, token, 1, 32, DIAG_E0212); break;
		default: break;
		}
		ins.arg[j] = v.id;
	}
	if (QD_UNLIKELY(b->active.id) && info->scope == SCOPE_BLOCK) {
		uint32_t n = build_take_active(b, op);

		if (n)
			ins.arg[sig->active] = n;
	}
	if (sig->x == X_NUMBER && !width_operand(b, token, &ins.x))
		return no_val;
	ins.type = (uint8_t)build_result(op, lead);
	return b->failed ? no_val : build_push(b, ins);
}

/* -- The end ---------------------------------------------------------------------------------- */

qd_status
build_finish(struct qd_builder *b, struct qd_kernel **out, struct qd_error *err)
{
	struct qd_kernel *k = b->k;
	qd_status st = b->failed;

	if (!st && b->active.id) {
		b->name = "qd_builder_finish";
		FAIL(b, DIAG_E0379, "the kernel's end");
		st = b->failed;
	}
	/* A kernel's end closes its grid loop. */
	if (!st && b->n_open && k->ir.ins[b->open[b->n_open - 1].at].op == OP_GRID) {
		build_push(b, (struct ins){ .op = OP_END });
		b->n_open--;
		st = b->failed;
	}
	if (!st && b->n_open) {
		uint32_t id = b->open[b->n_open - 1].at;

		b->name = "qd_builder_finish";
		struct diag_note note = { .pos = k->ir.pos[id], .text = "it begins with this call" };

		b->pos = k->from_text ? k->ir.pos[id] : 0;
		build_fail(b, k->from_text ? NULL : &note, DIAG_E0314, op_info[k->ir.ins[id].op].text);
		st = b->failed;
	}
	if (st) {
		qd_fail_text(err, st, b->err.line, b->err.col, b->err.text, strlen(b->err.text));
		qd_builder_free(b);
		return st;
	}
	k->calls = b->calls;
	k->n_calls = b->positioned ? 0 : b->call + (b->calls != NULL);
	if (k->assume_in_bounds) {
		for (uint32_t i = 1; i < k->ir.n; i++)
			k->ir.ins[i].attr &= (uint16_t)~ATTR_GUARD;
	}
	st = ir_verify(k, err);
	if (!st)
		st = kernel_seal(&k, err);
	if (st)
		qd_kernel_free(k);
	else
		*out = k;
	return st;
}
