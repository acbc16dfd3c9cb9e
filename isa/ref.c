/* The interpreter's row: its image is the specialized IR, so nothing is emitted
 * and nothing has to be expanded. */
#include "isa.h"

extern const struct isa isa_ref;

static bool
native(const struct machine *m, const struct query *q)
{
	(void)m, (void)q;
	return true;
}

static qd_status
parse(const char *options, struct target *out, struct qd_error *err)
{
	uint32_t size = 32;

	if (*options) {
		size = isa_parse_size(options + 1, strlen(options + 1));
		if (!size)
			return qd_fail(err, QD_E_INVALID,
				       "target 'ref%.40s': the only option is :wN, the subgroup "
				       "size, with N one of " SUBGROUP_SIZES,
				       options);
	}
	struct machine *m = &out->m;
	m->subgroup_size = size;
	m->caps = CAP_I64 | CAP_F64 | CAP_ATOMIC64 | CAP_SYSTEM | CAP_STORE8 | CAP_STORE16 | CAP_INT_DIV_CHECKED |
		  CAP_CVT_SATURATES | CAP_SHIFT_MASKS;
	m->max_block_dim = ISA_USUAL_BLOCK;
	m->max_shared = 64 << 10;
	m->inline_args = 4096;
	m->native = native;
	QD_TRY(isa_finish_sizes(out, err));
	return isa_name(out, err, "ref:w%u", size);
}

static bool
choice(uint32_t i, char *text, size_t cap)
{
	return i <= MAX_LOG2 - 2 && snprintf(text, cap, "ref:w%u", 4u << i) > 0;
}

const struct isa isa_ref = {
	.name = "ref",
	.code = CODE_IR,
	.number = 2,
	.version = 1,
	.runs_ir = true,
	.parse = parse,
	.choice = choice,
};
