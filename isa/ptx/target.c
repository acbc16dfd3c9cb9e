/* PTX targets: names, capabilities, native operations. */
#include <stdio.h>

#include "ptx.h"

extern const struct isa isa_ptx;

/* -- Tables ------------------------------------------------------------------------ */

const struct ptx_row ptx_insns[N_PTX] = {
#define PTX(name, text, sm, version) [PTX_##name] = { text, sizeof text - 1, sm, version },
#include "insn.def"
};

const struct ptx_target ptx_targets[] = {
#define PTX_TARGET(sm, version) { sm, version },
#include "target.def"
};
const uint32_t ptx_n_targets = QD_COUNT(ptx_targets);

/* -- Native operations ----------------------------------------------------------------- */

/* Leading types of the native operations, except arithmetic, memory and reductions. */
static const uint32_t lane_ops[N_OP] = {
	[OP_SHUFFLE] = TM_NUM,	    [OP_BROADCAST] = TM_NUM,	[OP_SHUFFLE_UP] = TM_NUM,
	[OP_SHUFFLE_DOWN] = TM_NUM, [OP_LANE_PATTERN] = TM_NUM, [OP_BALLOT_WORD] = TM_BOOL,
	[OP_MATCH_ANY] = TM_NUM,    [OP_MATCH_ALL] = TM_NUM,	[OP_VOTE_ALL] = TM_BOOL,
	[OP_VOTE_ANY] = TM_BOOL,    [OP_VOTE_UNI] = TM_BOOL,	[OP_VOTE_BALLOT] = TM_BOOL,
	[OP_SHFL_UP] = TM_NUM,	    [OP_SHFL_DOWN] = TM_NUM,	[OP_SHFL_BFLY] = TM_NUM,
	[OP_SHFL_IDX] = TM_NUM,
	[OP_BLOCK_SYNC_ALL_NONZERO] = TM_BOOL, [OP_BLOCK_SYNC_ANY_NONZERO] = TM_BOOL,
	[OP_BLOCK_SYNC_COUNT_NONZERO] = TM_BOOL,
};

/* `native` receives only the machine, so its features store the processor number. */
static uint32_t
sm_of(const struct machine *m)
{
	return m->features;
}

static bool
native(const struct machine *m, const struct query *q)
{
	const struct op_info *info = &op_info[q->op];

	switch (info->expand) {
	case EXPAND_alu:
		if (q->op == OP_NARROW_BF16 && ptx_insns[PTX_CVT_BF16].sm > sm_of(m))
			return false;
		if (op_info[q->op].sig == SIG_DOT4 && ptx_insns[PTX_DP4A].sm > sm_of(m))
			return false;
		return ptx_has_alu(q->op, q->type, q->to);
	case EXPAND_load:
	case EXPAND_store: return true;
	case EXPAND_atomic:
		return ptx_has_atomic(sm_of(m), q->op, q->type, (enum mem_scope)q->scope);
	case EXPAND_vote: return q->type == QD_TYPE_BOOL && q->log2_size == LOG2_FULL;
	case EXPAND_scan: return ptx_has_scan((enum op)info->combine, q->type);
	case EXPAND_reduce: {
		enum ptx_insn insn = ptx_redux((enum op)info->combine, q->type);
		return insn != N_PTX && q->log2_size == LOG2_FULL && ptx_insns[insn].sm <= sm_of(m);
	}
	case EXPAND_place:
	case EXPAND_cp_async:
	case EXPAND_cp_async_wait: return ptx_insns[PTX_CP_ASYNC_CA].sm <= sm_of(m);
	case EXPAND_nanosleep: return ptx_insns[PTX_NANOSLEEP].sm <= sm_of(m);
	case EXPAND_match:
		return type_is(q->type, lane_ops[q->op]) && ptx_insns[PTX_MATCH_ANY_32].sm <= sm_of(m);
	default: return type_is(q->type, lane_ops[q->op]);
	}
}

/* -- Names -------------------------------------------------------------------------------- */

/* Limits that every device supports (CUDA programming guide, compute capabilities). The shared
 * memory limit is that of static arrays, which kernels use. */
static const struct machine usual = {
	.subgroup_size = 32,
	.lanes = 32,
	.max_block_dim = ISA_USUAL_BLOCK,
	.max_shared = 48 << 10,
	.inline_args = 4096,
	/* ptxas unrolls single loops of few operations, but no nests, and tests each access of a copy. */
	.unroll = 1024,
};
enum { USUAL_SM = 70 };

/* Returns a hint for common mistakes, or "". */
static const char *
hint(const char *s, size_t len)
{
	bool digit = len && *s >= '0' && *s <= '9';

	if (len > 3 && memcmp(s, "sm_", 3) == 0 && (s[len - 1] == 'a' || s[len - 1] == 'f'))
		return " (code for a single processor is not emitted: remove the letter)";
	if (digit || (len > 2 && memcmp(s, "sm", 2) == 0 && s[2] != '_'))
		return " (a processor is sm_NN)";
	if (isa_parse_lanes(s, len))
		return " (a warp has 32 lanes)";
	return "";
}

static QD_COLD qd_status
bad_option(const char *s, size_t len, struct qd_error *err)
{
	char names[256] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < ptx_n_targets && n < sizeof names; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%ssm_%u", i ? ", " : "",
				      ptx_targets[i].sm);
	return qd_fail(err, QD_E_INVALID,
		       "target 'ptx' has no option '%.*s'%s; it takes one of %s, wN (N one of 4, 8, 16, "
		       "32, 64, 128), and %s",
		       (int)(len > 40 ? 40 : len), s, hint(s, len), names, isa_limits_help);
}

/* Returns the number in a processor's name, or 0. */
static uint32_t
processor(const char *s, size_t len)
{
	char name[16];

	for (uint32_t i = 0; i < ptx_n_targets; i++) {
		int n = snprintf(name, sizeof name, "sm_%u", ptx_targets[i].sm);
		if (n > 0 && (size_t)n == len && memcmp(s, name, len) == 0)
			return ptx_targets[i].sm;
	}
	return 0;
}

/* sm_90 is short for ptx:sm_90. */
static bool
ptx_names(const char *name, size_t len)
{
	return processor(name, len) != 0;
}

static bool
set_option(struct target *t, const char *s, size_t len)
{
	uint32_t size = isa_parse_size(s, len), sm = processor(s, len);

	if (size)
		t->m.subgroup_size = size;
	if (sm)
		t->arch = sm;
	return size || sm || isa_parse_lanes(s, len) == usual.lanes || isa_parse_limit(&t->m, s, len);
}

qd_status
ptx_parse(const char *options, struct target *out, struct qd_error *err)
{
	struct machine *m = &out->m;

	*m = usual;
	out->arch = USUAL_SM;
	while (*options) {
		const char *s = options + (*options == ':');
		size_t len = strcspn(s, ":");
		if (!set_option(out, s, len))
			return bad_option(s, len, err);
		options = s + len;
	}
	if (m->max_block_dim > usual.max_block_dim || m->max_shared > usual.max_shared ||
	    m->inline_args > usual.inline_args)
		return qd_fail(err, QD_E_INVALID,
			       "target 'ptx': a kernel has at most %u threads in a block (b), %u "
			       "bytes of shared memory (s) and %u of arguments (a)",
			       usual.max_block_dim, usual.max_shared, usual.inline_args);
	QD_TRY(isa_finish_sizes(out, err));
	m->caps = CAP_I64 | CAP_F64 | CAP_STORE8 | CAP_STORE16 | CAP_CVT_SATURATES |
		  CAP_SHIFT_MASKS | CAP_LEVELS | CAP_ATOMIC64 | CAP_F64_ORDER_SLOW | CAP_SHARED_TESTS | CAP_NEAR | CAP_WIDE;
	if (out->arch >= 60)
		m->caps |= CAP_SYSTEM;
	m->features = out->arch;
	m->native = native;
	QD_TRY(isa_name(out, err, "ptx:sm_%u", out->arch));
	if (machine_makes(m))
		QD_TRY(isa_name(out, err, ":w%u", m->subgroup_size));
	return isa_name_limits(out, &usual, err);
}

/* -- The row -------------------------------------------------------------------------------- */

/* Returns true if .version follows the leading comments and whitespace. */
bool
ptx_probe(const void *code, size_t size)
{
	const char *s = code, *end = s + size;

	while (s < end) {
		if (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n') {
			s++;
		} else if (end - s > 1 && s[0] == '/' && s[1] == '/') {
			while (s < end && *s != '\n')
				s++;
		} else {
			return end - s > 8 && memcmp(s, ".version", 8) == 0;
		}
	}
	return false;
}

/* PTX for a processor also runs on all later ones. Code for the latest suitable processor is the
 * nearest. */
static bool
ptx_runs(const struct target *device, const struct target *code, uint64_t needs, uint32_t *near,
	 char why[ISA_WHY])
{
	(void)needs;
	*near = code->arch;
	if (code->arch <= device->arch)
		return true;
	snprintf(why, ISA_WHY, "it is for later processors; the device is sm_%u", device->arch);
	return false;
}

/* Processors that introduced instructions which shorten the code (insn.def). */
static const char *
ptx_all(uint32_t i)
{
	static const char *const all[] = { "ptx:sm_50", "ptx:sm_60", "ptx:sm_70", "ptx:sm_80",
					   "ptx:sm_90" };

	return i < QD_COUNT(all) ? all[i] : NULL;
}

static bool
choice(uint32_t i, char *text, size_t cap)
{
	return i < ptx_n_targets && snprintf(text, cap, "ptx:sm_%u", ptx_targets[i].sm) > 0;
}

const struct isa isa_ptx = {
	.name = "ptx",
	.code = CODE_PTX,
	.number = 3,
	.version = 12,
	.facts = true,
	.names = ptx_names,
	.parse = ptx_parse,
	.emit = ptx_emit,
	.is_text = true,
	.runs = ptx_runs,
	.all = ptx_all,
	.remark = "//",
	.choice = choice,
	.extension = "ptx",
	.probe = ptx_probe,
};
