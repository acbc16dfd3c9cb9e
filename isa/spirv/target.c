/* SPIR-V targets: options, capabilities, what is native. */
#include <stdio.h>

#include "emit.h"

extern const struct isa isa_spirv;

/* -- Features ---------------------------------------------------------------- */

enum { QUIRK_FENCE5 = 1 };

/* Said as +name or -name.  Those that are on unless said otherwise are of the
 * language; the others are faults of a driver. */
static const struct feature {
	const char *name;
	bool on;
	uint32_t cap, quirk;
} features[] = {
	{ "i64", true, CAP_I64, 0 },
	{ "f64", true, CAP_F64, 0 },
	{ "i8", true, CAP_STORE8, 0 },
	{ "i16", true, CAP_STORE16, 0 },
	/* a literal 0.0 operand is folded as if x * 0 were 0 and x + 0 were x */
	{ "hidezero", false, CAP_HIDE_ZERO, 0 },
	/* u32 to f32 does not round to nearest */
	{ "u32f32", false, CAP_U32_TO_F32_INEXACT, 0 },
	/* trunc and round of f64 keep fractions of large values and lose -0 */
	{ "trunc64", false, CAP_F64_TRUNC_WRONG, 0 },
	/* a fence of workgroup or device scope suspends the subgroup: use queue
	 * family scope, 5 */
	{ "fence5", false, 0, QUIRK_FENCE5 },
};

static QD_COLD qd_status
bad_option(const char *s, size_t len, struct qd_error *err)
{
	return qd_fail(err, QD_E_INVALID,
		       "target 'spirv' has no option '%.*s'; it takes wN (N one of 4, 8, 16, 32, 64, "
		       "128) and +x or -x with x one of i64, f64, i8, i16, hidezero, u32f32, trunc64, "
		       "fence5",
		       (int)(len > 40 ? 40 : len), s);
}

static bool
set_feature(struct target *t, const char *s, size_t len)
{
	for (size_t i = 0; i < QD_COUNT(features); i++) {
		const struct feature *f = &features[i];
		if (strlen(f->name) != len - 1 || memcmp(f->name, s + 1, len - 1) != 0)
			continue;
		if (*s == '+') {
			t->m.caps |= f->cap;
			t->quirks |= f->quirk;
		} else {
			t->m.caps &= ~f->cap;
			t->quirks &= ~f->quirk;
		}
		return true;
	}
	return false;
}

static void
make_name(struct target *t)
{
	char *s = t->m.name;
	size_t cap = sizeof t->m.name;
	size_t n = (size_t)snprintf(s, cap, "spirv:w%u", t->m.subgroup_size);

	for (size_t i = 0; i < QD_COUNT(features); i++) {
		const struct feature *f = &features[i];
		bool on = (t->m.caps & f->cap) || (t->quirks & f->quirk);
		if (on != f->on)
			n += (size_t)snprintf(s + n, cap - n, ":%c%s", on ? '+' : '-', f->name);
	}
	assert(n < cap);
}

/* -- What is native -------------------------------------------------------------- */

static bool
native(const struct machine *m, enum op op, qd_type type, uint32_t log2_size)
{
	bool is_64 = type_info[type].size == 8, is_int = type_is(type, TM_INT);

	if (is_64 && !(m->caps & (is_int ? (uint32_t)CAP_I64 : (uint32_t)CAP_F64)))
		return false;
	switch (op) {
	case OP_POPCOUNT:
	case OP_CLZ:
	case OP_FFS:
	case OP_BREV:
	case OP_MULHI: return !is_64;
	case OP_TRUNC:
	case OP_ROUND: return !is_64 || !(m->caps & CAP_F64_TRUNC_WRONG);
	case OP_CONST:
	case OP_PARAM:
	case OP_LEN:
	case OP_ARGWORD:
	case OP_BLOCK_IDX:
	case OP_GRID_DIM:
	case OP_THREAD_IDX:
	case OP_LANE:
	case OP_SUBGROUP_ID:
	case OP_CVT:
	case OP_BITCAST:
	case OP_VAR:
	case OP_GET:
	case OP_SET:
	case OP_IF:
	case OP_ELSE:
	case OP_LOOP:
	case OP_BREAK_IF:
	case OP_END:
	case OP_LOAD:
	case OP_STORE:
	case OP_SHUFFLE:
	case OP_SHUFFLE_XOR:
	case OP_BROADCAST:
	case OP_BALLOT_FIRST_N: return true;
	case OP_SELECT: return true;
	case OP_REDUCE_ADD:
	case OP_REDUCE_MIN:
	case OP_REDUCE_MAX:
	case OP_INCLUSIVE_ADD:
		return is_int && (log2_size == LOG2_FULL || log2_size == m->log2_size);
	default: return spv_form(op, type) != 0;
	}
}

/* -- The row -------------------------------------------------------------------- */

qd_status
spv_parse(const char *options, struct target *out, struct qd_error *err)
{
	struct machine *m = &out->m;

	m->subgroup_size = 32;
	m->caps = CAP_FLAG_LOOPS;
	for (size_t i = 0; i < QD_COUNT(features); i++) {
		if (features[i].on)
			m->caps |= features[i].cap;
	}
	while (*options == ':') {
		const char *s = ++options;
		size_t len = strcspn(s, ":");
		uint32_t size = isa_parse_size(s, len);
		if (size)
			m->subgroup_size = size;
		else if (len < 2 || (*s != '+' && *s != '-') || !set_feature(out, s, len))
			return bad_option(s, len, err);
		options += len;
	}
	while (1u << m->log2_size < m->subgroup_size)
		m->log2_size++;
	m->max_block_dim = 1024;
	m->max_shared = 32 << 10;
	m->inline_args = 128;
	m->native = native;
	make_name(out);
	return QD_OK;
}

const struct isa isa_spirv = {
	.name = "spirv",
	.number = 1,
	.version = 2,
	.parse = spv_parse,
	.emit = spv_emit,
	.dis = spv_dis,
	.extension = "spv",
	.probe = spv_probe,
};
