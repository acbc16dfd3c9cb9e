/* SPIR-V targets: options, capabilities, native operations. */
#include <stdio.h>

#include "emit.h"

extern const struct isa isa_spirv;

/* -- Features ---------------------------------------------------------------- */

#define MODE(name) (1u << (FEATURE_MODES + MODE_##name))

enum { HALF_MODES = MODE(ZEROS16) | MODE(DENORM16) | MODE(RTE16) };

/* Options +name and -name. Options that are on by default are part of the language. The others are
 * driver faults, or features of few devices. */
static const struct feature {
	const char *name;
	bool on;
	uint32_t cap, feature;
} features[] = {
	{ "i64", true, CAP_I64, 0 },
	{ "f64", true, CAP_F64, 0 },
	{ "i8", true, CAP_STORE8, 0 },
	{ "i16", true, CAP_STORE16, 0 },
	{ "atomic64", true, CAP_ATOMIC64, 0 },
	/* a literal 0.0 operand is folded as if x * 0 were 0 and x + 0 were x */
	{ "hidezero", false, CAP_HIDE_ZERO, 0 },
	/* the xor of a float's sign bit becomes a negation by arithmetic */
	{ "hidesign", false, CAP_HIDE_SIGN, 0 },
	/* u32 to f32 does not round to nearest */
	{ "u32f32", false, CAP_U32_TO_F32_INEXACT, 0 },
	/* trunc and round of f64 keep fractions of large values and lose -0 */
	{ "trunc64", false, CAP_F64_TRUNC_WRONG, 0 },
	/* floor, ceil, trunc and round of f32 lose the sign of a zero */
	{ "sign32", false, CAP_F32_SIGN_LOST, 0 },
	/* a fence of workgroup or device scope suspends the subgroup: use queue
	 * family scope, 5 */
	{ "fence5", false, 0, FEATURE_FENCE5 },
	/* a relaxed atomic load of a shared array is moved out of its loop: use a
	 * read-modify-write */
	{ "rmwload", false, 0, FEATURE_RMW_LOAD },
	/* the driver limits the iterations of a subgroup's loops: a thread that has not left its
	 * loop reports it */
	{ "looplimit", false, CAP_LOOP_LIMIT, 0 },
	/* a control barrier of subgroup scope is one of the block, and lanes execute in
	 * lockstep: use a memory barrier */
	{ "syncfence", false, 0, FEATURE_SYNC_FENCE },
	/* classes of subgroup operations */
	{ "shuffle", true, 0, FEATURE_SHUFFLE },
	{ "ballot", true, 0, FEATURE_BALLOT },
	{ "arith", true, 0, FEATURE_ARITHMETIC },
	/* reductions of tiles: both CPU drivers lack them and compute something else */
	{ "clusters", false, 0, FEATURE_CLUSTERS },
	/* float controls for 32 and 64 bits: preserve signed zeros, infinities and NaN; preserve
	 * subnormals; round to nearest even */
	{ "zeros32", false, 0, MODE(ZEROS32) },
	{ "zeros64", false, 0, MODE(ZEROS64) },
	{ "denorm32", false, 0, MODE(DENORM32) },
	{ "denorm64", false, 0, MODE(DENORM64) },
	{ "rte32", false, 0, MODE(RTE32) },
	{ "rte64", false, 0, MODE(RTE64) },
	/* all of these of f16: its conversions are instructions */
	{ "half", false, 0, HALF_MODES },
	/* SPV_KHR_subgroup_uniform_control_flow */
	{ "flow", false, 0, MODE(UNIFORM_FLOW) },
};

static QD_COLD qd_status
bad_option(const char *s, size_t len, struct qd_error *err)
{
	char names[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < QD_COUNT(features) && n < sizeof names; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "",
				      features[i].name);
	return qd_fail(err, QD_E_INVALID,
		       "target 'spirv' has no option '%.*s'; it takes wN (N one of 4, 8, 16, 32, "
		       "64, 128), hN (lanes of a hardware subgroup), %s and +x or -x with x one of %s",
		       (int)(len > 40 ? 40 : len), s, isa_limits_help, names);
}

static bool
set_feature(struct target *t, const char *s, size_t len)
{
	if (len < 2 || (*s != '+' && *s != '-'))
		return false;
	for (size_t i = 0; i < QD_COUNT(features); i++) {
		const struct feature *f = &features[i];
		if (strlen(f->name) != len - 1 || memcmp(f->name, s + 1, len - 1) != 0)
			continue;
		if (*s == '+') {
			t->m.caps |= f->cap;
			t->m.features |= f->feature;
		} else {
			t->m.caps &= ~f->cap;
			t->m.features &= ~f->feature;
		}
		return true;
	}
	return false;
}

static bool
set_option(struct target *t, const char *s, size_t len)
{
	uint32_t size = isa_parse_size(s, len), lanes = isa_parse_lanes(s, len);

	if (size)
		t->m.subgroup_size = size;
	if (lanes)
		t->m.lanes = lanes;
	return size || lanes || isa_parse_limit(&t->m, s, len) || set_feature(t, s, len);
}

/* Limits of nearly every Vulkan 1.3 device. */
static const struct machine usual = {
	.subgroup_size = 32,
	.max_block_dim = ISA_USUAL_BLOCK,
	.max_shared = 32 << 10,
	.inline_args = 128,
};

static qd_status
make_name(struct target *t, struct qd_error *err)
{
	QD_TRY(isa_name(t, err, "spirv:w%u", t->m.subgroup_size));
	if (machine_makes(&t->m))
		QD_TRY(isa_name(t, err, ":h%u", t->m.lanes));
	QD_TRY(isa_name_limits(t, &usual, err));
	for (size_t i = 0; i < QD_COUNT(features); i++) {
		const struct feature *f = &features[i];
		bool on = (t->m.caps & f->cap) || (t->m.features & f->feature);
		if (on != f->on)
			QD_TRY(isa_name(t, err, ":%c%s", on ? '+' : '-', f->name));
	}
	return QD_OK;
}

/* -- Native operations ----------------------------------------------------------- */

/* Leading types and feature of the native operations, except arithmetic, memory, reductions and
 * scans. */
static const struct {
	uint32_t types, feature;
} lane_ops[N_OP] = {
	[OP_SUBGROUP_ID] = { TM(U32), 0 },
	[OP_SHUFFLE] = { TM_NUM, FEATURE_SHUFFLE },
	[OP_BROADCAST] = { TM_NUM, FEATURE_BALLOT },
	[OP_BALLOT_WORD] = { TM_BOOL, FEATURE_BALLOT },
	[OP_LANE_PATTERN] = { TM_NUM, FEATURE_SHUFFLE },
};

/* Operations that a driver computes incorrectly. */
static const struct {
	uint32_t cap;
	enum op op;
	uint32_t types;
} denied[] = {
	{ CAP_F64_TRUNC_WRONG, OP_TRUNC, TM(F64) },
	{ CAP_F64_TRUNC_WRONG, OP_ROUND, TM(F64) },
	{ CAP_F32_SIGN_LOST, OP_FLOOR, TM(F32) },
	{ CAP_F32_SIGN_LOST, OP_CEIL, TM(F32) },
	{ CAP_F32_SIGN_LOST, OP_TRUNC, TM(F32) },
	{ CAP_F32_SIGN_LOST, OP_ROUND, TM(F32) },
};

static const struct {
	uint32_t cap, types, elements;
} cap_types[] = {
	{ CAP_I64, TM_I64, TM_I64 },
	{ CAP_F64, TM(F64), TM(F64) },
	{ CAP_STORE8, 0, TM(I8) | TM(U8) },
	{ CAP_STORE16, 0, TM(I16) | TM(U16) | TM(F16) | TM(BF16) },
};

static uint32_t
value_types(const struct machine *m)
{
	uint32_t set = TM_BOOL | TM_I32 | TM(F32);

	for (size_t i = 0; i < QD_COUNT(cap_types); i++)
		set |= m->caps & cap_types[i].cap ? cap_types[i].types : 0;
	return set;
}

/* Returns the types of elements in memory. Shared arrays contain values. */
static uint32_t
element_types(const struct machine *m, enum space space)
{
	uint32_t set = value_types(m) & ~(uint32_t)TM_BOOL;

	if (space == SPACE_SHARED)
		return set;
	for (size_t i = 0; i < QD_COUNT(cap_types); i++)
		set |= m->caps & cap_types[i].cap ? cap_types[i].elements : 0;
	return set;
}

static bool
alu_native(const struct machine *m, const struct query *q)
{
	for (size_t i = 0; i < QD_COUNT(denied); i++) {
		if (denied[i].op == q->op && type_is(q->type, denied[i].types) &&
		    (m->caps & denied[i].cap))
			return false;
	}
	if ((q->op == OP_WIDEN_F16 || q->op == OP_NARROW_F16) && (m->features & HALF_MODES) != HALF_MODES)
		return false;
	return spv_form(q->op, q->type) != 0;
}

static bool
group_native(const struct machine *m, const struct query *q, bool reduction)
{
	bool tile = q->log2_size != LOG2_FULL && q->log2_size != m->log2_size;

	if (tile && !(reduction && m->features & FEATURE_CLUSTERS && q->log2_size < m->log2_size))
		return false;
	return (tile || m->features & FEATURE_ARITHMETIC) &&
	       spv_group_form((enum op)op_info[q->op].combine, q->type) != 0;
}

/* Floats are not native: only moves could be, and pointers to shared floats cannot be cast to
 * pointers to words. legalize uses the bits instead (ATTR_BITS). */
static bool
atomic_native(const struct machine *m, const struct query *q)
{
	return type_is(q->type, value_types(m) & TM_INT) && spv_atomic_form(q->op, q->type) &&
	       (type_info[q->type].size == 4 || m->caps & CAP_ATOMIC64);
}

static bool
native(const struct machine *m, const struct query *q)
{
	const struct op_info *info = &op_info[q->op];
	uint32_t have = value_types(m);

	if (info->expand == EXPAND_atomic)
		return atomic_native(m, q);
	if (info->expand == EXPAND_load || info->expand == EXPAND_store)
		return type_is(q->type, element_types(m, (enum space)q->space));
	if (!type_is(q->type, have) || (q->to != QD_TYPE_NONE && !type_is(q->to, have)))
		return false;
	switch (info->expand) {
	case EXPAND_alu: return alu_native(m, q);
	case EXPAND_reduce:
	case EXPAND_scan:
	case EXPAND_exclusive: return group_native(m, q, info->expand == EXPAND_reduce);
	default:
		if (q->op == OP_LANE_PATTERN && q->pattern != PATTERN_XOR &&
		    q->pattern != PATTERN_PARTNER)
			return false;
		return type_is(q->type, lane_ops[q->op].types) &&
		       !(lane_ops[q->op].feature & ~m->features);
	}
}

/* -- The row -------------------------------------------------------------------- */

qd_status
spv_parse(const char *options, struct target *out, struct qd_error *err)
{
	struct machine *m = &out->m;

	*m = usual;
	m->caps = CAP_FLAG_LOOPS | CAP_SHARED_TESTS | CAP_WIDE;
	for (size_t i = 0; i < QD_COUNT(features); i++) {
		if (!features[i].on)
			continue;
		m->caps |= features[i].cap;
		m->features |= features[i].feature;
	}
	while (*options == ':') {
		const char *s = ++options;
		size_t len = strcspn(s, ":");
		if (!set_option(out, s, len))
			return bad_option(s, len, err);
		options += len;
	}
	QD_TRY(isa_finish_sizes(out, err));
	m->native = native;
	return make_name(out, err);
}

/* -- Code of one target on a device of another -------------------------------------------- */

/* Options that the device must have to run a module with these needs. */
static const struct {
	uint64_t needs;
	const char *option;
	bool replaced; /* code for a target without the option is equivalent */
} needed[] = {
	{ SPV_NEED_I64, "i64", true },
	{ SPV_NEED_F64, "f64", false },
	{ SPV_NEED_I8 | SPV_NEED_STORE8, "i8", false },
	{ SPV_NEED_I16 | SPV_NEED_STORE16, "i16", false },
	{ SPV_NEED_ATOMIC64 | SPV_NEED_SHARED64, "atomic64", false },
	{ SPV_NEED_SHUFFLE, "shuffle", true },
	{ SPV_NEED_BALLOT, "ballot", true },
	{ SPV_NEED_ARITHMETIC, "arith", true },
	{ SPV_NEED_CLUSTERED, "clusters", true },
	{ SPV_NEED_ZEROS32, "zeros32", true },
	{ SPV_NEED_ZEROS64, "zeros64", true },
	{ SPV_NEED_DENORM32, "denorm32", true },
	{ SPV_NEED_DENORM64, "denorm64", true },
	{ SPV_NEED_RTE32, "rte32", true },
	{ SPV_NEED_RTE64, "rte64", true },
	{ SPV_NEED_UNIFORM_FLOW, "flow", true },
	{ SPV_NEED_HALF, "half", true },
};

/* Driver faults that code must avoid if the device has them. */
static const char *const faults[] = { "hidezero", "hidesign", "u32f32", "trunc64", "sign32", "fence5", "rmwload",
					"looplimit", "syncfence" };

static bool
has_option(const struct target *t, const char *name)
{
	for (size_t i = 0; i < QD_COUNT(features); i++) {
		const struct feature *f = &features[i];
		if (strcmp(f->name, name) == 0)
			return (t->m.caps & f->cap) || (t->m.features & f->feature);
	}
	return false;
}

/* The nearest code has the device's options and no others. */
static bool
spv_runs(const struct target *device, const struct target *code, uint64_t needs, uint32_t *near,
	 char why[ISA_WHY])
{
	uint32_t alike = 0;

	for (size_t i = 0; i < QD_COUNT(needed); i++) {
		if ((needs & needed[i].needs) && !has_option(device, needed[i].option)) {
			const char *target = needed[i].replaced ? device->m.name : "";
			snprintf(why, ISA_WHY, "it needs '%s', which the device lacks%s%s", needed[i].option,
				 *target ? "; compile it for " : "", target);
			return false;
		}
	}
	for (size_t i = 0; i < QD_COUNT(faults); i++) {
		if (has_option(device, faults[i]) && !has_option(code, faults[i])) {
			snprintf(
				why, ISA_WHY,
				"it lacks the workaround for a driver bug, '%s'; compile it for %s",
				faults[i], device->m.name);
			return false;
		}
	}
	for (size_t i = 0; i < QD_COUNT(features); i++)
		alike += has_option(device, features[i].name) == has_option(code, features[i].name);
	*near = alike;
	return true;
}

/* Subgroups of 4 to 16 lanes belong to CPUs: code for them avoids the faults of their drivers. Most
 * devices support the float controls. A few, in phones, and SwiftShader lack 64-bit types. */
static const char *
spv_all(uint32_t i)
{
#define FAULTS "+hidezero:+u32f32:+trunc64:+sign32:+fence5:+looplimit:+syncfence"
#define FLOATS "+zeros32:+zeros64:+rte32:+rte64"
#define NO_64 "-i64:-f64:-atomic64"
	static const char *const all[] = {
		"spirv:w32:" FLOATS,		"spirv:w32",
		"spirv:w64:" FLOATS,		"spirv:w64:" NO_64,
		"spirv:w4:" NO_64 ":" FAULTS,	"spirv:w4:" FAULTS ":" FLOATS,
		"spirv:w8:" FAULTS ":" FLOATS,	"spirv:w16:" FAULTS ":" FLOATS,
	};
#undef NO_64
#undef FLOATS
#undef FAULTS

	return i < QD_COUNT(all) ? all[i] : NULL;
}

static bool
choice(uint32_t i, char *text, size_t cap)
{
	return i <= MAX_LOG2 - 2 && snprintf(text, cap, "spirv:w%u", 4u << i) > 0;
}

static bool
spv_probe(const void *code, size_t size)
{
	uint32_t magic;

	if (size < 4 * SPV_HEADER_WORDS || size & 3)
		return false;
	memcpy(&magic, code, 4);
	return magic == SPV_MAGIC;
}

const struct isa isa_spirv = {
	.name = "spirv",
	.code = CODE_SPIRV,
	.number = 1,
	.version = 19,
	.facts = true,
	.parse = spv_parse,
	.emit = spv_emit,
	.runs = spv_runs,
	.all = spv_all,
	.remark = ";",
	.choice = choice,
	.extension = "spv",
	.probe = spv_probe,
};
