/* Builder calls: attributes, parameters, templates, constants. */
#include "build_call.h"

/* -- Attributes and parameters ----------------------------------------------------------- */

void
qd_block(struct qd_builder *b, uint32_t x, uint32_t y, uint32_t z)
{
	struct qd_kernel *k = b ? b->k : NULL;

	if (!build_enter(b, "qd_block"))
		return;
	if (!x || !y || !z || x > MAX_BLOCK || y > MAX_BLOCK || z > MAX_BLOCK ||
	    (uint64_t)x * y > MAX_BLOCK || (uint64_t)x * y * z > MAX_BLOCK) {
		FAIL(b, DIAG_E0319, x, y, z, MAX_BLOCK);
		return;
	}
	if (b->shape_used) {
		FAIL(b, DIAG_E0352);
		return;
	}
	k->block[0] = x;
	k->block[1] = y;
	k->block[2] = z;
	k->block_dim = x * y * z;
	k->block_pos = b->pos;
}

void
qd_subgroup_sizes(struct qd_builder *b, const uint32_t *sizes, uint32_t n)
{
	struct qd_kernel *k = b ? b->k : NULL;

	if (!build_enter(b, "qd_subgroup_sizes"))
		return;
	if (!sizes && n) {
		FAIL(b, DIAG_E0354, "the list of sizes");
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t log2 = 2;

		while (log2 <= MAX_LOG2 && 1u << log2 != sizes[i])
			log2++;
		if (log2 > MAX_LOG2) {
			FAIL(b, DIAG_E0320, sizes[i]);
			return;
		}
		if (k->sizes >> log2 & 1)
			continue;
		if (!k->sizes)
			k->sizes_pos = b->pos;
		k->sizes |= 1u << log2;
		k->size_order[k->n_sizes++] = (uint8_t)log2;
	}
}

static void
assume(struct qd_builder *b, const char *name, const char *why, const char **out)
{
	if (!build_enter(b, name))
		return;
	if (!why || !*why) {
		FAIL(b, DIAG_E0325, name + 3);
		return;
	}
	if (!(*out = arena_strdup(&b->k->arena, why, strlen(why))))
		build_nomem(b);
}

void
qd_assume_uniform(struct qd_builder *b, const char *why)
{
	assume(b, "qd_assume_uniform", why, b ? &b->k->assume_uniform : NULL);
}

void
qd_assume_in_bounds(struct qd_builder *b, const char *why)
{
	assume(b, "qd_assume_in_bounds", why, b ? &b->k->assume_in_bounds : NULL);
}

bool
build_name(struct qd_builder *b, const char *name)
{
	if (!name || !*name) {
		FAIL(b, DIAG_E0330);
		return false;
	}
	if (strlen(name) > MAX_TEXT_NAME) {
		FAIL(b, DIAG_E0121, MAX_TEXT_NAME);
		return false;
	}
	return true;
}

/* Reserves 8 rows first, and MAX_PARAM when they are full. */
static bool
grow_params(struct qd_builder *b)
{
	struct qd_kernel *k = b->k;
	uint32_t n = k->n_params, cap = n ? MAX_PARAM : 8;
	struct param *p;
	struct memory *m;

	if (n != 0 && n != 8)
		return true;
	p = arena_zalloc(&k->arena, cap * sizeof *p);
	m = arena_zalloc(&k->arena, cap * sizeof *m);
	if (!p || !m) {
		build_nomem(b);
		return false;
	}
	if (n) {
		memcpy(p, k->params, n * sizeof *p);
		memcpy(m, k->mems, n * sizeof *m);
	}
	k->params = p;
	k->mems = m;
	return true;
}

/* Adds a parameter and its row of the memory table. */
static bool
add_param(struct qd_builder *b, const char *name, qd_type type, qd_access access)
{
	struct qd_kernel *k = b->k;
	const char *copy;

	if (!build_name(b, name))
		return false;
	if (k->n_params == MAX_PARAM) {
		FAIL(b, DIAG_E0321, MAX_PARAM);
		return false;
	}
	if (k->n_mems > k->n_params) {
		FAIL(b, DIAG_E0361, name);
		return false;
	}
	for (uint32_t i = 0; i < k->n_params; i++) {
		if (strcmp(k->params[i].name, name) == 0) {
			FAIL(b, DIAG_E0322, name);
			return false;
		}
	}
	if (!grow_params(b))
		return false;
	if (!(copy = arena_strdup(&k->arena, name, strlen(name)))) {
		build_nomem(b);
		return false;
	}
	k->params[k->n_params++] =
		(struct param){ .name = copy, .type = (uint8_t)type, .access = (uint8_t)access };
	k->mems[k->n_mems++] = (struct memory){ .name = copy,
						.type = (uint8_t)type,
						.space = access ? SPACE_GLOBAL : SPACE_NONE,
						.access = (uint8_t)access };
	return true;
}

struct qd_array
qd_param_buffer(struct qd_builder *b, const char *name, qd_type element, qd_access access)
{
	if (!build_enter(b, "qd_param_buffer"))
		return (struct qd_array){ 0 };
	if (element >= N_TYPE || !type_info[element].size) {
		FAIL(b, DIAG_E0324, qd_type_name(element), "a buffer's elements");
		return (struct qd_array){ 0 };
	}
	if (!access || access > QD_ACCESS_INOUT) {
		FAIL(b, DIAG_E0353, (unsigned)access);
		return (struct qd_array){ 0 };
	}
	if (!add_param(b, name, element, access))
		return (struct qd_array){ 0 };
	return (struct qd_array){ b->k->n_params };
}

struct qd_val
qd_param_scalar(struct qd_builder *b, const char *name, qd_type type)
{
	if (!build_enter(b, "qd_param_scalar"))
		return no_val;
	if (!type_given(type, TM_NUM)) {
		FAIL(b, DIAG_E0324, qd_type_name(type), "a scalar parameter");
		return no_val;
	}
	if (!add_param(b, name, type, 0))
		return no_val;
	return build_push(
		b, (struct ins){ .op = OP_PARAM, .type = (uint8_t)type, .x = b->k->n_params - 1 });
}

uint32_t
qd_template(struct qd_builder *b, const char *name, int32_t lo, int32_t hi)
{
	struct qd_kernel *k = b ? b->k : NULL;
	struct tmpl_param *t;

	if (!build_enter(b, "qd_template"))
		return 0;
	if (!build_name(b, name))
		return 0;
	if (lo > hi) {
		FAIL(b, DIAG_E0205, lo, hi);
		return 0;
	}
	if (k->n_tmpls == MAX_TMPL) {
		FAIL(b, DIAG_E0329, MAX_TMPL);
		return 0;
	}
	if (!k->tmpls && !(k->tmpls = arena_zalloc(&k->arena, MAX_TMPL * sizeof *t))) {
		build_nomem(b);
		return 0;
	}
	for (uint32_t i = 0; i < k->n_tmpls; i++) {
		if (strcmp(k->tmpls[i].name, name) == 0) {
			FAIL(b, DIAG_E0322, name);
			return 0;
		}
	}
	t = &k->tmpls[k->n_tmpls];
	if (!(t->name = arena_strdup(&k->arena, name, strlen(name)))) {
		build_nomem(b);
		return 0;
	}
	t->lo = lo;
	t->hi = hi;
	t->pos = b->pos;
	return TOKEN_TEMPLATE | k->n_tmpls++;
}

struct qd_val
qd_template_value(struct qd_builder *b, uint32_t token)
{
	if (!build_enter(b, "qd_template_value"))
		return no_val;
	if (!(token & TOKEN_TEMPLATE)) {
		FAIL(b, DIAG_E0310, "template parameter");
		return no_val;
	}
	return build_tmpl_operand(b, token, 0, 0, DIAG_E0211);
}

uint32_t
qd_template_arg(struct qd_builder *b, struct qd_val v)
{
	qd_type t;

	if (!build_enter(b, "qd_template_arg"))
		return 0;
	t = build_operand(b, v, TM_I32);
	if (t == QD_TYPE_U32)
		v = build_push_op(b, OP_BITCAST, QD_TYPE_I32, v, no_val, no_val);
	return t && !b->failed ? TOKEN_VALUE | v.id : 0;
}

bool
build_text(struct qd_builder *b, const char *text, uint32_t *x)
{
	struct qd_kernel *k = b->k;

	if ((k->n_texts & (k->n_texts - 1)) == 0) {
		const char **t =
			arena_alloc(&k->arena, (k->n_texts ? 2 * k->n_texts : 1) * sizeof *t);

		if (!t) {
			build_nomem(b);
			return false;
		}
		if (k->n_texts)
			memcpy(t, k->texts, k->n_texts * sizeof *t);
		k->texts = t;
	}
	if (!(k->texts[k->n_texts] = arena_strdup(&k->arena, text, strlen(text)))) {
		build_nomem(b);
		return false;
	}
	*x = k->n_texts++;
	return true;
}

void
qd_require(struct qd_builder *b, struct qd_val cond, const char *text)
{
	struct ins ins = { .op = OP_REQUIRE };

	if (!build_enter(b, "qd_require"))
		return;
	ins.a = build_truth(b, cond).id;
	if (!text || !*text)
		FAIL(b, DIAG_E0330);
	else if (build_text(b, text, &ins.x))
		build_push(b, ins);
}

/* -- Constants -------------------------------------------------------------------------- */

struct qd_val
qd_const_bits(struct qd_builder *b, qd_type type, uint64_t bits)
{
	if (!build_enter(b, "qd_const_bits"))
		return no_val;
	if (!type_given(type, TM_ALL)) {
		FAIL(b, DIAG_E0324, qd_type_name(type), "a constant");
		return no_val;
	}
	if (type_bits(type) < 64)
		bits &= (UINT64_C(1) << type_bits(type)) - 1;
	return build_constant(b, type, bits);
}

struct qd_val
qd_bool(struct qd_builder *b, bool v)
{
	return build_enter(b, "qd_bool") ? build_constant(b, QD_TYPE_BOOL, v) : no_val;
}

struct qd_val
qd_i32(struct qd_builder *b, int32_t v)
{
	return build_enter(b, "qd_i32") ? build_constant(b, QD_TYPE_I32, (uint32_t)v) : no_val;
}

struct qd_val
qd_u32(struct qd_builder *b, uint32_t v)
{
	return build_enter(b, "qd_u32") ? build_constant(b, QD_TYPE_U32, v) : no_val;
}

struct qd_val
qd_i64(struct qd_builder *b, int64_t v)
{
	return build_enter(b, "qd_i64") ? build_constant(b, QD_TYPE_I64, (uint64_t)v) : no_val;
}

struct qd_val
qd_u64(struct qd_builder *b, uint64_t v)
{
	return build_enter(b, "qd_u64") ? build_constant(b, QD_TYPE_U64, v) : no_val;
}

struct qd_val
qd_f32(struct qd_builder *b, float v)
{
	return build_enter(b, "qd_f32") ? build_constant(b, QD_TYPE_F32, f32_bits(v)) : no_val;
}

struct qd_val
qd_f64(struct qd_builder *b, double v)
{
	return build_enter(b, "qd_f64") ? build_constant(b, QD_TYPE_F64, f64_bits(v)) : no_val;
}
