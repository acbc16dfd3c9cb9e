/* Options of a SPIR-V target that request float controls and uniform control flow: each one on and
 * off, alone and among all others. spirv-val checks the modules elsewhere. */
#include "t_spirv.h"

extern const struct unit units_spirv_mode[];
extern const unsigned n_units_spirv_mode;

static const struct mode {
	const char *option;
	uint32_t mode, width, cap;
	uint64_t need;
} modes[] = {
	{ "zeros32", SPV_ExecutionMode_SignedZeroInfNanPreserve, 32,
	  SPV_Capability_SignedZeroInfNanPreserve, SPV_NEED_ZEROS32 },
	{ "zeros64", SPV_ExecutionMode_SignedZeroInfNanPreserve, 64,
	  SPV_Capability_SignedZeroInfNanPreserve, SPV_NEED_ZEROS64 },
	{ "denorm32", SPV_ExecutionMode_DenormPreserve, 32, SPV_Capability_DenormPreserve,
	  SPV_NEED_DENORM32 },
	{ "denorm64", SPV_ExecutionMode_DenormPreserve, 64, SPV_Capability_DenormPreserve,
	  SPV_NEED_DENORM64 },
	{ "rte32", SPV_ExecutionMode_RoundingModeRTE, 32, SPV_Capability_RoundingModeRTE,
	  SPV_NEED_RTE32 },
	{ "rte64", SPV_ExecutionMode_RoundingModeRTE, 64, SPV_Capability_RoundingModeRTE,
	  SPV_NEED_RTE64 },
	{ "flow", SPV_ExecutionMode_SubgroupUniformControlFlowKHR, 0,
	  SPV_Capability_GroupNonUniform, SPV_NEED_UNIFORM_FLOW },
};
enum { N_MODE = QD_COUNT(modes) };

/* Returns how many times the module requests the mode. */
static uint32_t
asked(const struct spirv_fx *f, const struct mode *m)
{
	uint32_t n = 0;
	EACH(f, i) {
		if (OPCODE(f, i) == SPV_ExecutionMode && f->w[i + 2] == m->mode)
			n += !m->width || f->w[i + 3] == m->width;
	}
	return n;
}

/* Checks one module for a target with these modes. The modes used depend on its types, and on
 * whether it has cross-lane operations. */
static void
check(struct unit_ctx *t, uint32_t on, qd_type element, bool lanes)
{
	struct spirv_fx f;
	char target[160] = "spirv";
	size_t n = strlen(target);
	for (uint32_t i = 0; i < N_MODE; i++) {
		if (on >> i & 1)
			n += (size_t)snprintf(target + n, sizeof target - n, ":+%s", modes[i].option);
	}
	spirv_start(&f, t, target, element);
	spirv_plain_body(&f, element);
	if (lanes) {
		uint32_t x = spirv_load(&f, spirv_u32(&f, 3), 0);
		spirv_push(&f, OP_BROADCAST, element, x, spirv_u32(&f, 1), 0, 0);
	}
	spirv_must_emit(&f);
	uint32_t width = element == QD_TYPE_F32 ? 32 : element == QD_TYPE_F64 ? 64 : 0;
	uint64_t needs = 0;
	bool flow = false;
	for (uint32_t i = 0; i < N_MODE; i++) {
		const struct mode *m = &modes[i];
		bool used = on >> i & 1 && (m->width ? m->width == width : lanes);
		UNIT_CHECK(t, asked(&f, m) == used, "%s, %s: %s %u times", target,
			   type_info[element].name, m->option, asked(&f, m));
		UNIT_CHECK(t, !used || spirv_has_cap(&f, m->cap), "%s: no capability %u", target,
			   m->cap);
		needs |= used ? m->need : 0;
		flow |= used && !m->width;
		/* a capability is declared if and only if one of its widths is used */
		bool any = used;
		for (uint32_t j = 0; j < N_MODE; j++)
			any |= modes[j].cap == m->cap && asked(&f, &modes[j]);
		UNIT_CHECK(t, !m->width || any == spirv_has_cap(&f, m->cap), "%s: capability %u",
			   target, m->cap);
	}
	uint64_t all = 0;
	for (uint32_t i = 0; i < N_MODE; i++)
		all |= modes[i].need;
	UNIT_CHECK(t, (f.meta.needs & all) == needs, "%s: needs %llx", target,
		   (unsigned long long)f.meta.needs);
	UNIT_CHECK(t, spirv_count(&f, SPV_Extension) == flow, "%s: an extension", target);
	spirv_stop(&f);
}

static void
on_and_off(struct unit_ctx *t)
{
	static const qd_type elements[] = { QD_TYPE_U32, QD_TYPE_F32, QD_TYPE_F64 };
	const uint32_t all = (1u << N_MODE) - 1;
	for (size_t k = 0; k < QD_COUNT(elements); k++) {
		for (int lanes = 0; lanes < 2; lanes++) {
			check(t, 0, elements[k], lanes);
			check(t, all, elements[k], lanes);
			for (uint32_t i = 0; i < N_MODE; i++) {
				check(t, 1u << i, elements[k], lanes);
				check(t, all & ~(1u << i), elements[k], lanes);
			}
		}
	}
}

/* Checks a conversion of f16 by an instruction, and its modes. */
static void
half_floats(struct unit_ctx *t)
{
	static const struct mode half[] = {
		{ "half", SPV_ExecutionMode_SignedZeroInfNanPreserve, 16,
		  SPV_Capability_SignedZeroInfNanPreserve, SPV_NEED_HALF },
		{ "half", SPV_ExecutionMode_DenormPreserve, 16, SPV_Capability_DenormPreserve, SPV_NEED_HALF },
		{ "half", SPV_ExecutionMode_RoundingModeRTE, 16, SPV_Capability_RoundingModeRTE, SPV_NEED_HALF },
	};

	for (int narrows = 0; narrows < 2; narrows++) {
		struct spirv_fx f;
		spirv_start(&f, t, "spirv:+half", narrows ? QD_TYPE_F32 : QD_TYPE_U32);
		uint32_t x = spirv_load(&f, spirv_u32(&f, 3), 0);
		if (narrows)
			spirv_push(&f, OP_NARROW_F16, QD_TYPE_U32, x, 0, 0, 0);
		else
			spirv_push(&f, OP_WIDEN_F16, QD_TYPE_F32, x, 0, 0, 0);
		spirv_must_emit(&f);
		for (size_t i = 0; i < QD_COUNT(half); i++) {
			UNIT_CHECK(t, asked(&f, &half[i]) == 1, "mode %u %u times", half[i].mode, asked(&f, &half[i]));
			UNIT_CHECK(t, spirv_has_cap(&f, half[i].cap), "no capability %u", half[i].cap);
		}
		UNIT_CHECK(t, f.meta.needs & SPV_NEED_HALF, "needs %llx", (unsigned long long)f.meta.needs);
		UNIT_CHECK(t, spirv_count(&f, SPV_ExtInst) == 1, "%u instructions of GLSL", spirv_count(&f, SPV_ExtInst));
		spirv_stop(&f);
	}
}

/* Checks that a target without a class of subgroup operations reports them as not native. */
static void
classes(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		enum op op;
		qd_type type;
		uint8_t log2_size, pattern;
		bool native;
	} rows[] = {
		{ "spirv", OP_SHUFFLE, QD_TYPE_U32, LOG2_FULL, 0, true },
		{ "spirv:-shuffle", OP_SHUFFLE, QD_TYPE_U32, LOG2_FULL, 0, false },
		{ "spirv", OP_LANE_PATTERN, QD_TYPE_F32, LOG2_FULL, PATTERN_XOR, true },
		{ "spirv:-shuffle", OP_LANE_PATTERN, QD_TYPE_F32, LOG2_FULL, PATTERN_XOR, false },
		{ "spirv:-shuffle", OP_BROADCAST, QD_TYPE_U32, LOG2_FULL, 0, true },
		{ "spirv:-ballot", OP_BROADCAST, QD_TYPE_U32, LOG2_FULL, 0, false },
		{ "spirv:-ballot", OP_BALLOT_WORD, QD_TYPE_BOOL, LOG2_FULL, 0, false },
		{ "spirv", OP_BALLOT_WORD, QD_TYPE_BOOL, LOG2_FULL, 0, true },
		{ "spirv", OP_REDUCE_ADD, QD_TYPE_U32, LOG2_FULL, 0, true },
		{ "spirv", OP_REDUCE_ADD, QD_TYPE_U32, 3, 0, false },
		{ "spirv:+clusters", OP_REDUCE_ADD, QD_TYPE_U32, 3, 0, true },
		{ "spirv:-arith", OP_REDUCE_ADD, QD_TYPE_U32, LOG2_FULL, 0, false },
		{ "spirv:-arith", OP_REDUCE_ADD, QD_TYPE_U32, 5, 0, false },
		{ "spirv:-arith:+clusters", OP_REDUCE_ADD, QD_TYPE_U32, 3, 0, true },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct target g;
		struct qd_error e;
		struct query q = { .op = rows[i].op, .type = rows[i].type,
				   .pattern = rows[i].pattern, .log2_size = rows[i].log2_size };
		qd_status st = isa_target(rows[i].target, &g, &e);
		UNIT_CHECK(t, st == QD_OK, "%s: %s", rows[i].target, e.text);
		UNIT_CHECK(t, st || g.m.native(&g.m, &q) == rows[i].native, "%s: %s",
			   rows[i].target, op_info[q.op].text);
	}
}

const struct unit units_spirv_mode[] = {
	{ "spirv_mode.on_and_off", on_and_off },
	{ "spirv_mode.half_floats", half_floats },
	{ "spirv_mode.classes", classes },
};
const unsigned n_units_spirv_mode = QD_COUNT(units_spirv_mode);
