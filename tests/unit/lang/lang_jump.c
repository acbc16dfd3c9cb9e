/* Jumps out of nested loops: every kind of jump from every kind of loop. Each program runs on the
 * interpreter, with eight threads in subgroups of four, and is compared with a loop in C. */
#include <stdio.h>

#include "lang_run.h"
#include "ref_rig.h"

enum { N = 8, N_ORDINARY = 6, ROUNDS = 3 };
enum jump { NONE, BREAK, CONTINUE, RETURN, N_JUMP };

/* Location of the two loops. */
enum place { IN_FUNCTION, IN_KERNEL, IN_GRID, IN_GRID_WITH_MORE, N_PLACE };

/* A program with four jumps. The first is in the outer loop before the inner one. The second and
 * third are in the inner loop, the third at its end and without a condition. The fourth is in the
 * outer loop after the inner one. */
struct program {
	uint32_t outer, inner; /* kinds of loop */
	enum jump jump[4];
	enum place place;
};

#define LOOPS(x)                                                                                   \
	{                                                                                          \
		"var n" #x " = 0u; while n" #x " < 3 { let " #x " = n" #x "; n" #x " += 1;",       \
			"for " #x " in 0..3u {", "unroll for " #x " in 0..3u {"                    \
	}
enum { N_LOOP = 3 };
static const char *const loops[2][N_LOOP] = { LOOPS(a), LOOPS(b) };

/* -- Text ---------------------------------------------------------------------------- */

static const char *
jump_text(const struct program *p, uint32_t i)
{
	switch (p->jump[i]) {
	case BREAK: return "break;";
	case CONTINUE: return "continue;";
	case RETURN: return p->place == IN_FUNCTION ? "return r;" : "return;";
	default: return "r += 0;";
	}
}

/* Writes the program. r counts the statements executed; outside functions it is an element of o. */
static void
write_text(const struct program *p, char *text, size_t size)
{
	static const char *const head[N_PLACE] = {
		"fn f(t: u32) -> u32 { var r = 0u;",
		"kernel k(o: u32[]) block(8) { let t = block.thread_idx();",
		"kernel k(o: u32[]) block(8) { for t in grid(6u) {",
		"kernel k(o: u32[]) block(8) { for t in grid(6u) {",
	};
	static const char *const tail[N_PLACE] = {
		("return r + 100000; }\n"
		 "kernel k(o: u32[]) block(8) { for i in grid(6u) { o[i] = f(i); } }"),
		"o[t] += 100000; }",
		"o[t] += 100000; } }",
		"o[t] += 100000; } o[block.thread_idx()] += 1000000; }",
	};
	const char *r = p->place == IN_FUNCTION ? "r" : "o[t]";
	char body[1024], *to = text;

	snprintf(body, sizeof body,
		 "%s\n r += 1; if t == a + 1 { %s }\n"
		 " %s\n r += 10; if t %% 4 == b { %s } r += 100; %s }\n"
		 " r += 1000; if t & 3 == a { %s } r += 10000; }\n",
		 loops[0][p->outer], jump_text(p, 0), loops[1][p->inner], jump_text(p, 1),
		 jump_text(p, 2), jump_text(p, 3));
	to += snprintf(to, size, "%s\n", head[p->place]);
	for (const char *c = body; *c && to + 8 < text + size; c++) {
		if (c[0] == 'r' && c[1] == ' ' && c[-1] == ' ')
			to += snprintf(to, 8, "%s", r);
		else
			*to++ = *c;
	}
	snprintf(to, (size_t)(text + size - to), "%s\n", tail[p->place]);
}

/* -- Expected results --------------------------------------------------------------- */

static uint32_t
expected(const struct program *p, uint32_t t)
{
	bool more = p->place == IN_GRID_WITH_MORE;
	uint32_t r = 0;

	if (p->place != IN_KERNEL && t >= N_ORDINARY)
		return more ? 1000000 : 0;
	for (uint32_t a = 0; a < ROUNDS; a++) {
		enum jump j = t == a + 1 ? p->jump[0] : NONE;

		r += 1;
		for (uint32_t b = 0; j == NONE && b < ROUNDS; b++) {
			enum jump i = t % 4 == b ? p->jump[1] : NONE;

			r += 10;
			if (i == RETURN)
				return r;
			if (i == BREAK)
				break;
			r += i == NONE ? 100 : 0;
			if (i == NONE && p->jump[2] == RETURN)
				return r;
			if (i == NONE && p->jump[2] == BREAK)
				break;
		}
		if (j == NONE) {
			r += 1000;
			j = (t & 3) == a ? p->jump[3] : NONE;
		}
		if (j == RETURN)
			return r;
		if (j == BREAK)
			break;
		r += j == NONE ? 10000 : 0;
	}
	return r + 100000 + (more ? 1000000 : 0);
}

/* -- Execution ----------------------------------------------------------------------- */

static void
run_program(struct unit_ctx *t, struct rig *r, const struct program *p)
{
	uint32_t o[N] = { 0 };
	struct io io[1] = { IO(o) };
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	char text[1536];
	qd_status st;

	write_text(p, text, sizeof text);
	r->len = 0;
	r->log[0] = '\0';
	st = qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &m, &r->err);
	if (!st)
		st = qd_module_kernel(m, "k", NULL, 0, &k, &r->err);
	UNIT_CHECK(t, !st && !r->len, "%s:\n%s%s", text, r->err.text, r->log);
	qd_module_free(m);
	if (!k)
		return;
	st = rig_launch(r, k, 1, io, 1);
	UNIT_CHECK(t, !st && !r->len, "%s:\n%s%s", text, r->err.text, r->log);
	for (uint32_t i = 0; i < N; i++)
		UNIT_CHECK(t, o[i] == expected(p, i), "%s: thread %u has %u, expected %u", text, i,
			   o[i], expected(p, i));
	qd_kernel_free(k);
}

void
lang_jump_cases(struct unit_ctx *t)
{
	uint32_t n_jumps = N_JUMP * N_JUMP * N_JUMP * N_JUMP, n_loops = N_LOOP * N_LOOP;
	struct rig r;

	if (!rig_open(&r, t, "ref:4"))
		return;
	for (uint32_t i = 0; i < n_jumps * n_loops * N_PLACE; i++) {
		uint32_t j = i / n_loops;
		struct program p = { .outer = i % N_LOOP,
				     .inner = i / N_LOOP % N_LOOP,
				     .jump = { j % N_JUMP, j / N_JUMP % N_JUMP,
					       j / N_JUMP / N_JUMP % N_JUMP,
					       j / N_JUMP / N_JUMP / N_JUMP % N_JUMP },
				     .place = j / n_jumps };

		run_program(t, &r, &p);
	}
	rig_close(&r);
}
