/* Statements of a program as .qdk text, and the whole file. */
#include "program_text.h"

/* -- Statements ----------------------------------------------------------------------- */

static void put_list(struct out *o, const struct stmt *first);

static void
put_indent(struct out *o)
{
	text_put(o, "%*s", 2 * o->depth, "");
}

/* Emits an asynchronous copy. It stores an error if the copy differs from the source. */
static void
put_copy(struct out *o)
{
	text_put(o, "  { shared copied: u32[%u]; let own = block.thread_idx();\n", o->p->block_dim);
	text_put(o, "    nvvm.cp_async(copied[own], %s[own], 1); nvvm.cp_async_commit_group();\n",
		 o->p->array[A_SRC].name);
	text_put(o, "    nvvm.cp_async_wait_group(0); nvvm.cp_async_wait_all();\n");
	text_put(o, "    if copied[own] != %s[own] { %s[0] = 1; } }\n", o->p->array[A_SRC].name,
		 o->p->array[A_ACC].name);
}

static void
put_body(struct out *o, const struct stmt *first)
{
	text_put(o, " {\n");
	o->depth++;
	if (program_has(o->p, HAS_FENCE) && first == o->p->kernel.body)
		put_copy(o);
	/* Without a print, the compiler may remove unused values. */
	if (program_has(o->p, HAS_REPORTED) && first == o->p->kernel.body)
		text_put(o, "  print(\"\");\n");
	put_list(o, first);
	o->depth--;
	put_indent(o);
	text_put(o, "}");
}

static void
put_assign(struct out *o, const struct stmt *s)
{
	text_put(o, " %s= ", text_operator(s->op));
}

static void
put_if(struct out *o, const struct stmt *s)
{
	text_put(o, s->flag ? "static if " : "if ");
	text_put_expr(o, s->e[0], LOOSEST);
	put_body(o, s->body);
	if (!s->other)
		return;
	text_put(o, " else");
	if (s->other->kind == S_IF && !s->other->next && !s->other->removed) {
		text_put(o, " ");
		put_if(o, s->other);
	} else {
		put_body(o, s->other);
	}
}

/* "s: u32[8, 4]" */
static void
put_shape(struct out *o, const struct shared *a)
{
	if (a->flat)
		text_put(o, "%s[%u]", qd_type_name(a->type), o->p->block_dim * a->own);
	else
		text_put(o, "%s[%u, %u]", qd_type_name(a->type), o->p->block_dim, a->own);
}

static void
put_declaration(struct out *o, const struct stmt *s)
{
	const struct shared *a = program_shared(o->p, o->f, s->id[0]);

	text_put(o, "shared ");
	text_put_shared(o, s->id[0]);
	text_put(o, ": ");
	put_shape(o, a);
	text_put(o, ";\n");
	for (uint32_t i = 0; i < a->own; i++) {
		put_indent(o);
		text_put_shared(o, s->id[0]);
		if (a->flat)
			text_put(o, "[block.thread_idx() * %u + %u] = ", a->own, i);
		else
			text_put(o, "[block.thread_idx(), %u] = ", i);
		text_put_expr(o, s->e[0], LOOSEST);
		text_put(o, ";\n");
	}
}

static const char *
sync_text(const struct program *p, const struct stmt *s)
{
	if (!s->flag && program_has(p, HAS_WARP))
		return "nvvm.syncwarp(0xffffffff)";
	return s->flag ? "block.sync()" : "subgroup.sync()";
}

static void
put_phases(struct out *o, const struct stmt *s)
{
	text_put(o, "%s;\n", sync_text(o->p, s));
	for (; s; s = s->other) {
		if (s->removed)
			continue;
		/* A grid loop cannot be in braces. */
		if (s->typed) {
			put_list(o, s->body);
		} else {
			put_indent(o);
			text_put(o, "{\n");
			o->depth++;
			put_list(o, s->body);
			o->depth--;
			put_indent(o);
			text_put(o, "}\n");
		}
		put_indent(o);
		text_put(o, "%s;\n", sync_text(o->p, s));
	}
}

/* Emits a condition that the compiler cannot prove. */
static void
put_reported(struct out *o, const struct stmt *s)
{
	text_put(o, "assert((");
	text_put_expr(o, s->e[0], BIT_OR + 1);
	text_put(o, " | 1) != 0, \"it holds\");\n");
	put_indent(o);
	text_put(o, "print(\"values\"");
	for (uint32_t i = 1; i < s->n; i++) {
		text_put(o, ", ");
		text_put_expr(o, s->e[i], LOOSEST);
	}
	text_put(o, ");\n");
}

static void
put_wide_array(struct out *o, const struct stmt *s)
{
	if (s->typed)
		text_put_shared(o, s->id[0]);
	else
		text_put(o, "%s", text_array(o, s->id[0]));
}

static void
put_wide_load(struct out *o, const struct stmt *s)
{
	text_put(o, s->flag ? "var " : "let ");
	for (uint32_t i = 0; i < s->n; i++) {
		text_put(o, i ? ", " : "");
		text_put_var(o, s->id[1] + i);
	}
	text_put(o, " = ");
	put_wide_array(o, s);
	text_put(o, ".load%u(", s->n);
	text_put_expr(o, s->e[0], LOOSEST);
	text_put(o, s->e[1] ? ") else " : ")");
	if (s->e[1])
		text_put_expr(o, s->e[1], UNARY);
	text_put(o, ";\n");
}

static void
put_wide_store(struct out *o, const struct stmt *s)
{
	put_wide_array(o, s);
	text_put(o, ".store%u(", s->n);
	text_put_expr(o, s->e[0], LOOSEST);
	for (uint32_t i = 1; i < 3 && s->e[i]; i++) {
		text_put(o, ", ");
		text_put_args(o, s->e[i]->arg, s->e[i]->n);
	}
	text_put(o, ");\n");
}

static void
put_stmt(struct out *o, const struct stmt *s)
{
	uint32_t n_values = 0;

	while (n_values < MAX_VALUES && s->e[n_values])
		n_values++;
	switch ((enum skind)s->kind) {
	case S_LET:
	case S_SET:
		if (s->kind == S_LET)
			text_put(o, s->flag ? "var " : "let ");
		for (uint32_t i = 0; i < s->n; i++) {
			text_put(o, i ? ", " : "");
			text_put_var(o, s->id[i]);
		}
		if (s->typed)
			text_put(o, ": %s", qd_type_name(o->f->var[s->id[0]].type));
		put_assign(o, s);
		text_put_args(o, s->e, n_values);
		text_put(o, ";\n");
		break;
	case S_STORE:
		text_put(o, "%s[", text_array(o, s->id[0]));
		text_put_expr(o, s->e[0], LOOSEST);
		text_put(o, "]");
		put_assign(o, s);
		text_put_expr(o, s->e[1], LOOSEST);
		text_put(o, ";\n");
		break;
	case S_IF:
		put_if(o, s);
		text_put(o, "\n");
		break;
	case S_WHILE:
		text_put(o, "while ");
		text_put_expr(o, s->e[0], LOOSEST);
		put_body(o, s->body);
		text_put(o, "\n");
		break;
	case S_FOR:
		text_put(o, s->flag ? "unroll for " : "for ");
		text_put_var(o, s->id[0]);
		text_put(o, " in ");
		text_put_expr(o, s->e[0], LOOSEST);
		text_put(o, "..");
		text_put_expr(o, s->e[1], LOOSEST);
		if (s->e[2]) {
			text_put(o, " step ");
			text_put_expr(o, s->e[2], LOOSEST);
		}
		put_body(o, s->body);
		text_put(o, "\n");
		break;
	case S_GRID:
		text_put(o, "for ");
		text_put_var(o, s->id[0]);
		text_put(o, " in grid(");
		text_put_expr(o, s->e[0], LOOSEST);
		text_put(o, ")");
		put_body(o, s->body);
		text_put(o, "\n");
		break;
	case S_BLOCK:
		text_put(o, "{\n");
		o->depth++;
		put_list(o, s->body);
		o->depth--;
		put_indent(o);
		text_put(o, "}\n");
		break;
	case S_WIDE_LOAD: put_wide_load(o, s); break;
	case S_WIDE_STORE: put_wide_store(o, s); break;
	case S_SHARED: put_declaration(o, s); break;
	case S_SHARED_STORE:
		text_put_element(o, s->id[0], &s->e[1]);
		put_assign(o, s);
		text_put_expr(o, s->e[0], LOOSEST);
		text_put(o, ";\n");
		break;
	case S_SYNC: text_put(o, "%s;\n", sync_text(o->p, s)); break;
	case S_FENCE:
		text_put(o, "%s.mem_fence(", s->op == WITHIN_DEVICE ? "grid" : scope_text[s->op]);
		text_put(o, order_text[s->n] ? "order = %s);\n" : ");\n", order_text[s->n]);
		put_indent(o);
		text_put(o, "nvvm.nanosleep(block.dim);\n");
		break;
	case S_DEBUG: put_reported(o, s); break;
	case S_PHASES: put_phases(o, s); break;
	case S_BREAK: text_put(o, "break;\n"); break;
	case S_CONTINUE: text_put(o, "continue;\n"); break;
	case S_RETURN:
		text_put(o, s->n ? "return " : "return");
		text_put_args(o, s->e, s->n);
		text_put(o, ";\n");
		break;
	case S_DO:
		text_put_expr(o, s->e[0], LOOSEST);
		text_put(o, ";\n");
		break;
	}
}

static void
put_list(struct out *o, const struct stmt *first)
{
	for (const struct stmt *s = first; s; s = s->next) {
		if (s->removed || (s->kind == S_DEBUG && o->p->quiet))
			continue;
		put_indent(o);
		put_stmt(o, s);
	}
}

/* -- The file ------------------------------------------------------------------------------ */

static void
put_function(struct out *o, uint32_t id)
{
	const struct function *f = &o->p->fn[id];
	const char *comma = "";

	qd_type t = f->templated ? f->var[f->templated - 1].type : QD_TYPE_NONE;

	o->f = f;
	text_put(o, "fn f%u", id);
	if (t)
		text_put(o, "<T in {%s, %s}%s", qd_type_name(t), t == QD_TYPE_I32 ? "f32" : "i32",
		    f->shaped ? ", " : ">");
	if (f->shaped)
		text_put(o, "%sstatic L in 0..=7, static N in 1..=4>", t ? "" : "<");
	text_put(o, "(");
	for (uint32_t i = 0; i < f->n_arrays; i++, comma = ", ")
		text_put(o, "%s%s: %su32[]", comma, text_array(o, i),
		    o->p->array[f->array[i]].access == QD_ACCESS_IN ? "in " : "");
	if (f->shared) {
		text_put(o, "%s", comma);
		text_put_shared(o, f->shared - 1u);
		text_put(o, ": shared ");
		if (f->shared_any)
			text_put(o, "%s[]", qd_type_name(o->p->shared[f->shared - 1].type));
		else
			put_shape(o, &o->p->shared[f->shared - 1]);
		comma = ", ";
	}
	for (uint32_t i = 0; i < f->n_params; i++, comma = ", ") {
		text_put(o, "%s", comma);
		text_put_var(o, i);
		text_put(o, ": %s", i + 1 == f->templated ? "T" : qd_type_name(f->var[i].type));
	}
	text_put(o, ")");
	for (uint32_t i = 0; i < f->n_results; i++)
		text_put(o, "%s %s", i ? "," : " ->",
		    f->result[i] == t ? "T" : qd_type_name(f->result[i]));
	put_body(o, f->body);
	text_put(o, "\n");
}

static void
put_kernel(struct out *o)
{
	static const char *const access[] = { "", "in ", "out ", "" };
	const struct program *p = o->p;

	o->f = &p->kernel;
	text_put(o, "kernel program<static N in 1..=4, static L in 0..=7>(");
	for (uint32_t i = 0; i < N_ARRAY; i++)
		text_put(o, "%s: %s%s[], ", p->array[i].name, access[p->array[i].access],
		    qd_type_name(p->array[i].type));
	for (uint32_t i = 0; i < N_SCALAR; i++) {
		text_put(o, i ? ", " : "");
		text_put_var(o, i);
		text_put(o, ": %s", qd_type_name(p->kernel.var[i].type));
	}
	if (p->block[1] * p->block[2] > 1)
		text_put(o, ") block(%u, %u, %u)", p->block[0], p->block[1], p->block[2]);
	else
		text_put(o, ") block(%u)", p->block[0]);
	if (program_has(p, HAS_WARP))
		text_put(o, " subgroup(32, 64, 128, 16, 8, 4)");
	if (p->requires)
		text_put(o, " requires(block.dim <= 128, subgroup.group_size() + u32(N) >= 5)");
	put_body(o, p->kernel.body);
	text_put(o, "\n");
}

/* The size in the brackets may be omitted. */
static void
put_table(struct out *o, uint32_t id)
{
	const struct const_table *t = &o->p->table[id];

	text_put(o, "const T%u: %s[", id, qd_type_name(t->type));
	text_put(o, id ? "%u] = [" : "] = [", t->len);
	for (uint32_t i = 0; i < t->len; i++) {
		const struct expr x = { .type = (uint8_t)t->type, .bits = t->bits[i], .plain = true };

		text_put(o, i ? ", " : "");
		text_put_literal(o, &x);
	}
	text_put(o, "];\n");
}

size_t
program_text(const struct program *p, char *out, size_t cap)
{
	struct out o = { .s = out, .cap = cap, .p = p };

	text_put(&o, "qdk 2;\n");
	for (uint32_t i = 0; i < N_CONST; i++)
		text_put(&o, "const C%u: u32 = %u;\n", i, (uint32_t)p->constant[i]);
	for (uint32_t i = 0; i < N_TABLE; i++)
		if (program_has(p, HAS_TABLE))
			put_table(&o, i);
	for (uint32_t i = 0; i < N_OPER; i++)
		if (p->used_opers >> i & 1)
			text_put(&o, "%s\n", opers[i].text);
	/* Some functions follow their callers. */
	for (uint32_t i = 0; i < p->n_fn; i++)
		if (p->fn[i].printed)
			put_function(&o, i);
	put_kernel(&o);
	for (uint32_t i = 0; i < p->n_fn; i++)
		if (!p->fn[i].printed)
			put_function(&o, i);
	return o.len;
}

size_t
program_random_text(uint64_t seed, char *out, size_t cap)
{
	struct program *p = program_make(seed, DEVICE_ALL);
	size_t len = program_text(p, out, cap);

	program_free(p);
	return len;
}
