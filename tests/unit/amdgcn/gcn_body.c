/* Random kernel bodies with the results of the passes, and a reference interpreter of one lane. */
#include "gcn_body.h"

#include <stdlib.h>

/* -- The kernel ------------------------------------------------------------------------ */

bool
gcn_rig_open(struct gcn_rig *r, struct unit_ctx *t)
{
	struct qd_builder *b = fx_start(&r->f, t);

	/* The fixture's src and dst of f32 precede the parameters of the bodies. */
	qd_param_buffer(b, "in", QD_TYPE_U32, QD_ACCESS_IN);
	qd_param_buffer(b, "out", QD_TYPE_U32, QD_ACCESS_INOUT);
	qd_param_scalar(b, "n", QD_TYPE_U32);
	r->src = 2;
	r->dst = 3;
	r->scalar = 4;
	r->f.m.caps |= CAP_LEVELS;
	return fx_finish(&r->f);
}

void
gcn_rig_close(struct gcn_rig *r)
{
	fx_stop(&r->f);
}

/* -- Bodies ----------------------------------------------------------------------------- */

static bool
count_uses(struct gcn_rig *r)
{
	const struct ir *ir = &r->body.ir;

	r->body.uses = arena_zalloc(&r->f.mem, ir->n * sizeof *r->body.uses);
	for (uint32_t i = 1; r->body.uses && i < ir->n; i++)
		for (uint32_t values = op_values[ir->ins[i].op], j = 0; values; values >>= 1, j++)
			if (values & 1 && ir->ins[i].arg[j])
				r->body.uses[ir->ins[i].arg[j]]++;
	return r->body.uses != NULL;
}

/* Lane patterns that are one DPP control. Since gfx10 these include every xor below 16. */
static const struct gen_target targets[] = {
	{ .dpp = { 0x808e, 0x0116, 0x0006, 0 } },
	{ .salu_f32 = true, .dpp = { 0xfffe, 0x0116, 0x0006, 0 } },
};

static bool
begin(struct gcn_rig *r, struct appender *a)
{
	struct fx *f = &r->f;

	arena_reset(&f->mem);
	pass_ctx_init(&f->p, f->k, &f->m, &f->mem, &f->err);
	r->body = (struct body){ .mems = f->p.mems, .n_mems = f->p.n_mems, .report = NO_MEMORY,
				 .args_size = f->k->args_size };
	r->in = (struct isa_in){ .k = f->k, .body = &r->body, .mem = &f->mem };
	return append_init(a, &r->body.ir, &f->mem);
}

/* Verifies the body, and runs the passes whose results the generator needs. */
static bool
finish(struct gcn_rig *r, const struct appender *a, uint64_t seed)
{
	struct fx *f = &r->f;
	bool good =
		r->body.ir.n < BODY_MAX && !a->nomem &&
		!ir_verify_body(f->k, &r->body.ir, f->p.mems, f->p.n_mems, STAGE_LEGAL, &f->err) &&
		!pass_levels(&f->p, &r->body.ir, &r->body.level) && count_uses(r);

	UNIT_CHECK(f->t, good, "seed %llu: %u instructions, %s", (unsigned long long)seed,
		   r->body.ir.n, f->err.text);
	return good;
}

bool
gcn_rig_make(struct gcn_rig *r, uint64_t seed)
{
	struct appender a;

	memset(&a, 0, sizeof a);
	if (!begin(r, &a))
		return false;
	r->target = targets[seed % QD_COUNT(targets)];
	gcn_body_write(r, &a, seed);
	return finish(r, &a, seed);
}

bool
gcn_rig_take(struct gcn_rig *r, const struct ins *ins, uint32_t n)
{
	struct appender a;

	memset(&a, 0, sizeof a);
	if (!begin(r, &a))
		return false;
	r->target = targets[0];
	for (uint32_t i = 1; i < n; i++)
		append_raw(&a, ins[i]);
	return finish(r, &a, 0);
}

void
gcn_rig_print(const struct gcn_rig *r, uint64_t seed)
{
	struct buf text;

	buf_init(&text, &r->f.ctx->pool);
	ir_print(&text, r->f.k, &r->body.ir);
	fprintf(stderr, "seed %llu:\n%.*s\n", (unsigned long long)seed, (int)text.len,
		buf_data(&text));
	buf_fini(&text);
}

uint32_t
gcn_body_count(uint32_t usual)
{
	const char *s = getenv("QD_TEST_ITERATIONS");

	return s && *s ? (uint32_t)strtoul(s, NULL, 10) : usual;
}

/* -- One lane ------------------------------------------------------------------------------ */

static uint64_t
mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15;
	return a ^ a >> 29;
}

void
gcn_trace_add(struct gcn_trace *t, uint32_t i, uint64_t at, uint64_t value)
{
	t->hash = mix(mix(mix(t->hash, i), at), value);
	t->n++;
}

uint64_t
gcn_body_eval(const struct ir *ir, uint32_t i, const uint64_t arg[3], uint32_t lane, uint32_t jumps)
{
	const struct ins *s = &ir->ins[i];

	switch (s->op) {
	case OP_CONST: return const_bits(s);
	case OP_THREAD_IDX: return lane;
	case OP_PARAM: return 5;
	case OP_LOAD: return mix(arg[0], 77) % 7;
	case OP_LANE_PATTERN: return (uint32_t)mix(mix(arg[0], jumps), s->b * 4 + s->x);
	case OP_BITCAST:
	case OP_UNIFORM: return arg[0];
	default:
		return ir_eval((enum op)s->op, ir_lead_type(ir, s), (qd_type)s->type, arg[0],
			       arg[1], arg[2]);
	}
}

struct gcn_trace
gcn_body_run(const struct ir *ir, uint32_t lane)
{
	struct gcn_trace trace = { 0 };
	uint64_t value[BODY_MAX];
	uint32_t jumps = 0;

	for (uint32_t i = 1; i < ir->n; i++) {
		const struct ins *s = &ir->ins[i];
		uint64_t arg[3] = { 0 };

		for (uint32_t j = 0; j < 3; j++)
			if (op_values[s->op] >> j & 1 && s->arg[j])
				arg[j] = value[s->arg[j]];
		switch (s->op) {
		case OP_VAR:
		case OP_GET: value[i] = arg[0]; break;
		case OP_SET: value[s->a] = arg[1]; break;
		case OP_IF: i = arg[0] ? i : s->x; break;
		case OP_ELSE: i = s->x; break;
		case OP_END: i = ir->ins[s->x].op == OP_LOOP ? s->x : i; break;
		case OP_BREAK:
			jumps++;
			i = !s->a || arg[0] ? ir_end_of(ir, s->x) : i;
			break;
		case OP_LOOP:
		case OP_BLOCK: break;
		case OP_STORE:
			if (!s->c || arg[2])
				gcn_trace_add(&trace, i, arg[0], arg[1]);
			break;
		default: value[i] = gcn_body_eval(ir, i, arg, lane, jumps);
		}
	}
	return trace;
}
