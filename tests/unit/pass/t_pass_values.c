/* Variables to values: the exact body before and after the pass. */
#include "t_pass.h"

/* A second copy of the pass, in which `fault` disables one rule. */
enum fault {
	FAULT_NONE,
	FAULT_READ,
	FAULT_SAME_ARM,
	FAULT_JUMP,
	FAULT_LANDED,
	FAULT_LOOP,
	FAULT_RESTORE,
	FAULT_MERGE,
	N_FAULT
};
static enum fault fault;
#define VALUES_RULE(name) (fault != FAULT_##name)
#define pass_values	  values_without
static qd_status values_without(struct pass_ctx *p, const struct ir *in, struct ir *out);
#include "../../../src/pass/values.c"
#undef pass_values

static const char head[] = "kernel \"k\"\nblock 64 1 1\n"
			   "param \"a\" in u32[]\nparam \"b\" out u32[]\n{\n";

struct rewriting {
	const char *name, *before, *after; /* after: without dead code */
};

/* clang-format off */
static const struct rewriting rewritings[] = {
	{ "a store in straight-line code is its value",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = var u32 %2\n"
	  "  %4 = get u32 %3\n"
	  "  %5 = add u32 %4 %2\n"
	  "  set %3 %5\n"
	  "  %7 = get u32 %3\n"
	  "  store \"b\" %2 %7 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = add u32 %2 %2\n"
	  "  store \"b\" %2 %3 _ !1\n" },
	{ "a constant in a variable folds a branch",
	  "  %1 = const u32 0x7\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = get u32 %2\n"
	  "  %4 = lt bool %1 %3\n"
	  "  if %4\n"
	  "    store \"b\" %1 %1 _ !1\n"
	  "  else\n"
	  "    set %2 %3\n"
	  "  end\n"
	  "  %10 = get u32 %2\n"
	  "  store \"b\" %10 %1 _ !1\n",
	  "  %1 = const u32 0x7\n"
	  "  store \"b\" %1 %1 _ !1\n" },
	{ "a merge stays, and is read once",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  if %4\n"
	  "    set %2 %3\n"
	  "  end\n"
	  "  %8 = get u32 %2\n"
	  "  store \"b\" %8 %8 _ !1\n"
	  "  %10 = get u32 %2\n"
	  "  store \"b\" %1 %10 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  if %4\n"
	  "    set %2 %3\n"
	  "  end\n"
	  "  %8 = get u32 %2\n"
	  "  store \"b\" %8 %8 _ !1\n"
	  "  store \"b\" %1 %8 _ !1\n" },
	{ "a loop merges the variables that it sets, and no others",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = var u32 %1\n"
	  "  %4 = const u32 0x1\n"
	  "  loop\n"
	  "    %6 = get u32 %2\n"
	  "    %7 = get u32 %3\n"
	  "    %8 = lt bool %7 %6\n"
	  "    break %8 1\n"
	  "    %10 = get u32 %2\n"
	  "    %11 = add u32 %10 %4\n"
	  "    set %2 %11\n"
	  "  end\n"
	  "  %14 = get u32 %2\n"
	  "  %15 = get u32 %3\n"
	  "  store \"b\" %14 %15 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x1\n"
	  "  loop\n"
	  "    %5 = get u32 %2\n"
	  "    %6 = lt bool %1 %5\n"
	  "    break %6 1\n"
	  "    %8 = add u32 %5 %3\n"
	  "    set %2 %8\n"
	  "  end\n"
	  "  %11 = get u32 %2\n"
	  "  store \"b\" %11 %1 _ !1\n" },
	{ "a store that another one replaces is dead, but not before a jump",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  block\n"
	  "    set %2 %3\n"
	  "    break %4 1\n"
	  "    %8 = add u32 %1 %1\n"
	  "    set %2 %8\n"
	  "    %10 = add u32 %8 %1\n"
	  "    set %2 %10\n"
	  "  end\n"
	  "  %13 = get u32 %2\n"
	  "  store \"b\" %1 %13 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  block\n"
	  "    set %2 %3\n"
	  "    break %4 1\n"
	  "    %8 = add u32 %1 %1\n"
	  "    %9 = add u32 %8 %1\n"
	  "    set %2 %9\n"
	  "  end\n"
	  "  %12 = get u32 %2\n"
	  "  store \"b\" %1 %12 _ !1\n" },
	{ "a store before a jump out of a construct that follows it is read",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  block\n"
	  "    set %2 %3\n"
	  "    loop\n"
	  "      break %4 2\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    %11 = add u32 %1 %1\n"
	  "    set %2 %11\n"
	  "  end\n"
	  "  %14 = get u32 %2\n"
	  "  store \"b\" %1 %14 _ !1\n",
	  NULL },
	{ "a store before a jump inside a construct that follows it is dead",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  block\n"
	  "    break %4 1\n"
	  "    set %2 %3\n"
	  "    loop\n"
	  "      store \"b\" %3 %3 _ !1\n"
	  "      break %4 1\n"
	  "    end\n"
	  "    set %2 %3\n"
	  "    %13 = add u32 %1 %1\n"
	  "    set %2 %13\n"
	  "  end\n"
	  "  %16 = get u32 %2\n"
	  "  store \"b\" %1 %16 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  block\n"
	  "    break %4 1\n"
	  "    loop\n"
	  "      store \"b\" %3 %3 _ !1\n"
	  "      break %4 1\n"
	  "    end\n"
	  "    %11 = add u32 %1 %1\n"
	  "    set %2 %11\n"
	  "  end\n"
	  "  %14 = get u32 %2\n"
	  "  store \"b\" %1 %14 _ !1\n" },
	{ "a store that a loop reads is alive, though the loop stores nothing new",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  set %2 %3\n"
	  "  loop\n"
	  "    %7 = get u32 %2\n"
	  "    store \"b\" %7 %7 _ !1\n"
	  "    break %4 1\n"
	  "    set %2 %7\n"
	  "  end\n"
	  "  set %2 %1\n"
	  "  %13 = get u32 %2\n"
	  "  store \"b\" %13 %13 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  set %2 %3\n"
	  "  loop\n"
	  "    %7 = get u32 %2\n"
	  "    store \"b\" %7 %7 _ !1\n"
	  "    break %4 1\n"
	  "  end\n"
	  "  set %2 %1\n"
	  "  store \"b\" %1 %1 _ !1\n" },
	{ "a store before an if that stores is alive",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  set %2 %3\n"
	  "  if %4\n"
	  "    %7 = add u32 %1 %3\n"
	  "    set %2 %7\n"
	  "  end\n"
	  "  %10 = get u32 %2\n"
	  "  store \"b\" %10 %10 _ !1\n",
	  NULL },
	{ "each arm begins with the values before the if",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x7\n"
	  "  %3 = var u32 %2\n"
	  "  %4 = lt bool %1 %2\n"
	  "  if %4\n"
	  "    set %3 %1\n"
	  "    %7 = get u32 %3\n"
	  "    store \"b\" %1 %7 _ !1\n"
	  "  else\n"
	  "    %10 = get u32 %3\n"
	  "    store \"b\" %2 %10 _ !1\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x7\n"
	  "  %3 = lt bool %1 %2\n"
	  "  if %3\n"
	  "    store \"b\" %1 %1 _ !1\n"
	  "  else\n"
	  "    store \"b\" %2 %2 _ !1\n"
	  "  end\n" },
	{ "an arm reads again what the other arm sets",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x7\n"
	  "  %3 = var u32 %1\n"
	  "  %4 = lt bool %1 %2\n"
	  "  if %4\n"
	  "    set %3 %2\n"
	  "  else\n"
	  "    %8 = get u32 %3\n"
	  "    store \"b\" %2 %8 _ !1\n"
	  "  end\n"
	  "  %11 = get u32 %3\n"
	  "  store \"b\" %2 %11 _ !1\n",
	  NULL },
	{ "code after a jump on a constant is dead",
	  "  %1 = const bool 0x1\n"
	  "  %2 = var bool %1\n"
	  "  %3 = len u32 \"a\"\n"
	  "  loop\n"
	  "    store \"b\" %3 %3 _ !1\n"
	  "    %6 = get bool %2\n"
	  "    if %6\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    store \"b\" %3 %3 _ !1\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  loop\n"
	  "    store \"b\" %1 %1 _ !1\n"
	  "    break _ 1\n"
	  "  end\n" },
};
/* clang-format on */

static qd_status
run(struct fx *f, const struct qd_kernel *k, struct buf *out)
{
	struct ir a, b;

	f->k = NULL;
	pass_ctx_init(&f->p, k, &f->m, &f->mem, &f->err);
	QD_TRY(pass_specialize(&f->p, &k->ir, &a));
	if (fault)
		QD_TRY(values_without(&f->p, &a, &b));
	else
		QD_TRY(pass_values(&f->p, &a, &b));
	QD_TRY(ir_verify_body(k, &b, f->p.mems, f->p.n_mems, STAGE_FOLDED, &f->err));
	QD_TRY(pass_dce(&f->p, &b, &b, NULL));
	ir_print(out, k, &b);
	buf_put(out, "", 1);
	return QD_OK;
}

/* Returns whether the pass rewrites the body as the row says.  Without a fault it must. */
static bool
rewrites(struct unit_ctx *t, const struct rewriting *r)
{
	const char *want = r->after ? r->after : r->before, *got = NULL;
	struct qd_kernel *k = NULL;
	struct buf text, out;
	bool same = false;
	struct fx f;

	fx_start(&f, t);
	buf_init(&text, &f.ctx->pool);
	buf_init(&out, &f.ctx->pool);
	buf_printf(&text, "%s%s}\n", head, r->before);
	UNIT_CHECK(t, !ir_read(f.ctx, buf_data(&text), text.len, "t", &k, &f.err), "%s: %s",
		   r->name, f.err.text);
	if (k && !run(&f, k, &out) && (got = strstr(buf_data(&out), "{\n")) != NULL) {
		got += 2;
		same = strncmp(got, want, strlen(want)) == 0 && !strcmp(got + strlen(want), "}\n");
	}
	UNIT_CHECK(t, same || fault, "%s: is\n%s", r->name, got ? got : f.err.text);
	qd_kernel_free(k);
	buf_fini(&text);
	buf_fini(&out);
	qd_builder_free(f.b);
	fx_stop(&f);
	return same;
}

void
t_values_exact(struct unit_ctx *t)
{
	for (uint32_t i = 0; i < QD_COUNT(rewritings); i++)
		rewrites(t, &rewritings[i]);
}

/* Checks that a row of the table fails if a rule of the pass is missing. */
void
t_values_faults(struct unit_ctx *t)
{
	for (fault = FAULT_NONE + 1; fault < N_FAULT; fault++) {
		bool found = false;

		for (uint32_t i = 0; i < QD_COUNT(rewritings); i++)
			found = !rewrites(t, &rewritings[i]) || found;
		UNIT_CHECK(t, found, "fault %d is not found", (int)fault);
	}
	fault = FAULT_NONE;
}

/* Checks that the work on constructs that nest deeply is bounded, and that the body then stays as
 * it is. */
void
t_values_deep(struct unit_ctx *t)
{
	enum { N = 1500 };
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val c = qd_lt(b, thread(b), qd_i32(b, 3));
	struct qd_var v[N];
	struct ir in, out;

	for (uint32_t i = 0; i < N; i++)
		v[i] = qd_var(b, qd_i32(b, (int32_t)i));
	for (uint32_t i = 0; i < N; i++)
		qd_if(b, c);
	for (uint32_t i = 0; i < N; i++)
		qd_set(b, v[i], thread(b));
	for (uint32_t i = 0; i < N; i++)
		qd_end(b);
	fx_put(&f, qd_cast(b, QD_TYPE_F32, qd_get(b, v[N - 1])));
	if (fx_finish(&f) && !pass_specialize(&f.p, &f.k->ir, &in)) {
		UNIT_CHECK(t, !pass_values(&f.p, &in, &out), "%s", f.err.text);
		UNIT_CHECK(t, out.ins == in.ins && out.n == in.n, "the body is rewritten");
	}
	fx_stop(&f);
}
