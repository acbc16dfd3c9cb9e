/* AMD targets as back ends: names, capabilities, native operations. */
#include "gen_emit.h"

#include <stdio.h>

extern const struct isa isa_amdgcn;

const struct gen_target gen_targets[] = {
#define GEN_CLASS(cls, cm, salu, bs, wg, us, w3, tr, x, h, bf, dt)                                      \
	{ .salu_f32 = salu, .cmpx = cm, .trans = tr, .x16 = x, .half = h, .bf16 = bf, .dot = dt, .bus = bs, .wg_id = wg, .user = us, \
	  .wraps = !(x) ? 64 : (wg) < SRC_VCC ? 32 : 0, .word3 = w3, .classes = cls, .dpp = { x ? 0xfffe : 0x818e, 0x0116, x ? 0x0106 : 0x0006 } },
#include "class.def"
};

/* Instructions that a loop may become. clang's limit is similar. */
enum { GEN_UNROLL = 1024 };

/* -- Native operations ------------------------------------------------------------------------- */

static bool
native(const struct machine *m, const struct query *q)
{
	const struct gen_target *t = &gen_targets[m->features];

	switch (op_info[q->op].expand) {
	case EXPAND_alu: return gen_has_alu(t, q->op, q->type, q->to);
	case EXPAND_load:
	case EXPAND_store: return true;
	case EXPAND_atomic: return gen_has_atomic(q->op, q->type);
	case EXPAND_scan: return gen_has_scan(q);
	case EXPAND_reduce: return gen_has_reduce(t, q);
	case EXPAND_order: return true;
	default: break;
	}
	if (q->op == OP_LANE_PATTERN)
		return type_is(q->type, TM_NUM);
	if (q->op == OP_SHUFFLE || q->op == OP_BROADCAST)
		return type_is(q->type, TM_NUM);
	return q->op == OP_BALLOT_WORD || q->op == OP_SUBGROUP_ID;
}

/* -- Names ----------------------------------------------------------------------------------------- */

static bool
is_generated(const struct gcn_target *t)
{
	bool found = false;

	for (size_t i = 0; i < QD_COUNT(gen_targets); i++)
		found |= (gen_targets[i].classes & t->class_bit) != 0;
	return found && !(t->e_flags >> AMD_FLAG_GENERIC_SHIFT);
}

/* Returns the i-th target that has a code generator, with its default wave size, or NULL. */
static const struct gcn_target *
target_at(uint32_t i)
{
	const struct gcn_target *t;

	for (size_t k = 0; (t = gcn_target_at(k)); k++) {
		if (is_generated(t) && i-- == 0)
			return t;
	}
	return NULL;
}

static const struct gcn_target *
find_target(const char *name, size_t len)
{
	const struct gcn_target *t;

	for (uint32_t i = 0; (t = target_at(i)); i++) {
		if (strlen(t->name) == len && memcmp(t->name, name, len) == 0)
			return t;
	}
	return NULL;
}

static bool
gen_names(const char *name, size_t len)
{
	return find_target(name, len) != NULL;
}

static struct machine
usual_of(const struct gcn_target *t)
{
	return (struct machine){ .subgroup_size = t->wave,
				 .lanes = t->wave,
				 .max_block_dim = AMD_MAX_BLOCK,
				 .max_shared = t->lds_size,
				 .inline_args = 4096 };
}

static QD_COLD qd_status
bad_option(const char *name, const char *s, size_t len, struct qd_error *err)
{
	return qd_fail(err, QD_E_INVALID,
		       "target '%s' has no option '%.*s'; it takes hN, the wave size (32 or 64, if "
		       "the target supports both), wN (N one of " SUBGROUP_SIZES "), and %s",
		       name, (int)(len > 40 ? 40 : len), s, isa_limits_help);
}

struct chosen {
	const struct gcn_target *t;
	uint32_t wave, size; /* 0: unspecified */
};

static bool
set_option(struct target *out, struct chosen *c, const char *s, size_t len)
{
	const struct gcn_target *t = find_target(s, len);
	uint32_t size = isa_parse_size(s, len), lanes = isa_parse_lanes(s, len);

	if (t)
		c->t = t;
	if (size)
		c->size = size;
	if (lanes)
		c->wave = lanes;
	return t || size || lanes || isa_parse_limit(&out->m, s, len);
}

/* Selects the wave size. A subgroup size that is a wave size selects it unless the lanes are given. */
static const struct gcn_target *
resolve(struct chosen *c)
{
	const struct gcn_target *t = gcn_target_find(c->t->name, c->wave);

	if (t && !c->wave && c->size) {
		const struct gcn_target *other = gcn_target_find(c->t->name, c->size);
		t = other ? other : t;
	}
	return t;
}

static qd_status
make_name(struct target *t, const struct gcn_target *gcn, const struct machine *usual, struct qd_error *err)
{
	const struct gcn_target *first = gcn_target_find(gcn->name, 0);
	struct machine *m = &t->m;

	QD_TRY(isa_name(t, err, "%s", gcn->name));
	if (machine_makes(m))
		QD_TRY(isa_name(t, err, ":w%u:h%u", m->subgroup_size, m->lanes));
	else if (m->lanes != first->wave)
		QD_TRY(isa_name(t, err, ":w%u", m->lanes));
	return isa_name_limits(t, usual, err);
}

/* Returns the index of the target's properties in gen_targets. */
static uint32_t
target_class(const struct gcn_target *t)
{
	uint32_t i = 0;

	while (!(gen_targets[i].classes & t->class_bit))
		i++;
	return i;
}

static qd_status
gen_parse(const char *options, struct target *out, struct qd_error *err)
{
	struct chosen c = { .t = gcn_target_find(AMD_USUAL, 0) };
	struct machine *m = &out->m, usual;
	const char *first = options + (*options == ':');
	size_t first_len = strcspn(first, ":");
	const struct gcn_target *gcn;

	if (find_target(first, first_len))
		c.t = find_target(first, first_len);
	usual = usual_of(c.t);
	*m = usual;
	for (const char *s = first; *s; s += *s == ':') {
		size_t len = strcspn(s, ":");
		if (!set_option(out, &c, s, len))
			return bad_option(c.t->name, s, len, err);
		s += len;
	}
	if (!(gcn = resolve(&c)))
		return qd_fail(err, QD_E_INVALID, "target '%s' does not support waves of %u lanes",
			       c.t->name, c.wave);
	if (m->max_block_dim > usual.max_block_dim || m->max_shared > usual.max_shared ||
	    m->inline_args > usual.inline_args)
		return qd_fail(err, QD_E_INVALID,
			       "target '%s': a kernel has at most %u threads in a block (b), %u "
			       "bytes of shared memory (s) and %u of arguments (a)",
			       c.t->name, usual.max_block_dim, usual.max_shared, usual.inline_args);
	m->lanes = gcn->wave;
	m->subgroup_size = c.size ? c.size : gcn->wave;
	QD_TRY(isa_finish_sizes(out, err));
	m->features = target_class(gcn);
	out->arch = gcn_target_index(gcn);
	m->caps = CAP_I64 | CAP_F64 | CAP_STORE8 | CAP_STORE16 | CAP_CVT_SATURATES | CAP_SHIFT_MASKS | CAP_LEVELS | CAP_SYSTEM | CAP_ATOMIC64 |
		  CAP_RANGE_CHECKED | CAP_WIDE | CAP_BALLOT_FREE | CAP_LANES_CHEAP | CAP_INT_DIV_CHECKED;
	m->load_registers = gcn_full_vgprs(gcn);
	m->unroll = GEN_UNROLL;
	m->native = native;
	return make_name(out, gcn, &usual, err);
}

/* -- Back end ------------------------------------------------------------------------------------- */

/* Code runs only on the processor that it was compiled for. */
static bool
gen_runs(const struct target *device, const struct target *code, uint64_t needs, uint32_t *near,
	 char why[ISA_WHY])
{
	(void)needs;
	*near = 1;
	if (code->arch == device->arch)
		return true;
	snprintf(why, ISA_WHY, "it is for another processor; the device is %s",
		 gcn_target_of(device->arch, device->m.lanes)->name);
	return false;
}

/* Returns the name of processor i, with its default wave size. */
static const char *
gen_all(uint32_t i)
{
	const struct gcn_target *t = target_at(i);

	return t ? t->name : NULL;
}

static void
gen_object(const struct target *t, struct isa_object *out)
{
	const struct gcn_target *gcn = gcn_target_of(t->arch, t->m.lanes);

	*out = (struct isa_object){ .processor = gcn->name,
				    .flags = gcn->e_flags,
				    .has = (gcn->features & GCN_AGPR ? (uint32_t)ISA_OBJECT_AGPRS : 0u) |
					   (gcn->gen >= GCN_G10 ? (uint32_t)ISA_OBJECT_WGP : 0u),
				    .filler = gcn_filler(gcn) };
}

static bool
gen_choice(uint32_t i, char *text, size_t cap)
{
	const char *name = gen_all(i);

	return name && snprintf(text, cap, "%s", name) > 0;
}

const struct isa isa_amdgcn = {
	.name = "amdgcn",
	.code = CODE_AMD,
	.number = 4,
	.version = 15,
	.names = gen_names,
	.parse = gen_parse,
	.emit = gen_emit_isa,
	.runs = gen_runs,
	.all = gen_all,
	.remark = "//",
	.choice = gen_choice,
	.extension = "gcn",
	.object = gen_object,
};
