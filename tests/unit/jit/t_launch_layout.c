/* Descriptions of launches. They must match their kernel and count threads as it does. Descriptions
 * from files are rejected unless they are safe to use. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "jit.h"

struct rig {
	struct unit_rig u;
	struct arena arena;
};

static bool
open_rig(struct unit_ctx *t, struct rig *r)
{
	if (!unit_rig_open(t, &r->u))
		return false;
	arena_init(&r->arena, &r->u.ctx->pool);
	return true;
}

static void
close_rig(struct unit_ctx *t, struct rig *r)
{
	arena_fini(&r->arena);
	unit_rig_close(t, &r->u);
}

/* -- Counts ------------------------------------------------------------------------------- */

/* Operands of counts: the length of a, scalars of every kind, a template. */
struct parts {
	struct qd_val len, i, u, l, f, tmpl;
};
enum { A, I, U, L, F, N_PARTS }; /* parameters */

static struct qd_val
count_len(struct qd_builder *b, const struct parts *p)
{
	(void)b;
	return p->len;
}

static struct qd_val
count_wide(struct qd_builder *b, const struct parts *p)
{
	return qd_add(b, qd_mul(b, p->l, qd_i64(b, 2)), qd_i64(b, -3));
}

static struct qd_val
count_template(struct qd_builder *b, const struct parts *p)
{
	return qd_mul(b, qd_add(b, p->tmpl, qd_i32(b, 1)), qd_i32(b, 10));
}

static struct qd_val
count_mixed(struct qd_builder *b, const struct parts *p)
{
	struct qd_val shift = qd_bitcast(b, QD_TYPE_U32, p->tmpl);

	return qd_sub(b, qd_shr(b, p->len, shift), qd_and(b, p->u, qd_u32(b, 12)));
}

static struct qd_val
count_divided(struct qd_builder *b, const struct parts *p)
{
	return qd_div(b, p->i, qd_sub(b, p->i, p->tmpl));
}

static struct qd_val
count_float(struct qd_builder *b, const struct parts *p)
{
	return qd_cast(b, QD_TYPE_U64, qd_mul(b, p->f, qd_f32(b, 1.5f)));
}

static struct qd_val
count_twice(struct qd_builder *b, const struct parts *p)
{
	struct qd_val v = qd_add(b, qd_cast(b, QD_TYPE_I64, p->i), p->l);

	return qd_mul(b, v, v);
}

static struct qd_val
count_chosen(struct qd_builder *b, const struct parts *p)
{
	struct qd_val two = qd_u32(b, 2);

	return qd_select(b, qd_lt(b, p->len, two), p->u, qd_sub(b, p->len, two));
}

static struct qd_val
count_constant(struct qd_builder *b, const struct parts *p)
{
	(void)p;
	return qd_u32(b, 77);
}

enum { TEMPLATE = 3 };

static const struct count {
	const char *name;
	struct qd_val (*make)(struct qd_builder *b, const struct parts *p);
	qd_type type;
	uint32_t n_steps;
	uint64_t args[N_PARTS], want;
	bool wraps;
} counts[] = {
	{ "len", count_len, QD_TYPE_U32, 1, { 1000 }, 1000, false },
	{ "wide", count_wide, QD_TYPE_I64, 5, { [L] = 50 }, 97, false },
	{ "wide, negative", count_wide, QD_TYPE_I64, 5, { [L] = 1 }, 0, false },
	{ "wide, beyond 32 bits",
	  count_wide,
	  QD_TYPE_I64,
	  5,
	  { [L] = UINT64_C(1) << 40 },
	  (UINT64_C(1) << 41) - 3, false },
	{ "template", count_template, QD_TYPE_I32, 1, { 0 }, 40, false },
	{ "mixed", count_mixed, QD_TYPE_U32, 7, { [A] = 1000, [U] = 6 }, 121, false },
	{ "mixed, wrapped", count_mixed, QD_TYPE_U32, 7, { [A] = 8, [U] = 4 }, 0xfffffffd, true },
	{ "divided", count_divided, QD_TYPE_I32, 4, { [I] = 9 }, 1, false },
	{ "divided by 0", count_divided, QD_TYPE_I32, 4, { [I] = 3 }, 0, true }, /* -1 */
	{ "float", count_float, QD_TYPE_U64, 4, { [F] = 0x42200000 /* 40 */ }, 60, false },
	{ "float, nan", count_float, QD_TYPE_U64, 4, { [F] = 0x7fc00000 }, 0, false },
	{ "twice", count_twice, QD_TYPE_I64, 5, { [I] = 0xfffffffb, [L] = 12 }, 49, false },
	{ "chosen", count_chosen, QD_TYPE_U32, 6, { [A] = 1, [U] = 4 }, 4, false },
	{ "not chosen", count_chosen, QD_TYPE_U32, 6, { [A] = 7, [U] = 4 }, 5, false },
	{ "constant", count_constant, QD_TYPE_U32, 1, { 0 }, 77, false },
};

static struct qd_kernel *
make_kernel(struct unit_ctx *t, struct rig *r, const struct count *c)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct parts p;
	if (qd_builder_create(r->u.ctx, "count", &b, &r->u.e)) {
		UNIT_CHECK(t, false, "%s", r->u.e.text);
		return NULL;
	}
	qd_block(b, 5, 3, 2);
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U16, QD_ACCESS_INOUT);
	p.i = qd_param_scalar(b, "i", QD_TYPE_I32);
	p.u = qd_param_scalar(b, "u", QD_TYPE_U32);
	p.l = qd_param_scalar(b, "l", QD_TYPE_I64);
	p.f = qd_param_scalar(b, "f", QD_TYPE_F32);
	p.tmpl = qd_template_value(b, qd_template(b, "T", 0, 7));
	p.len = qd_len(b, a);
	struct qd_val i = qd_grid(b, c->make(b, &p));
	qd_store(b, a, i, qd_u32(b, 1));
	UNIT_CHECK(t, qd_builder_finish(b, &k, &r->u.e) == QD_OK, "%s: %s", c->name, r->u.e.text);
	return k;
}

static const struct launch_layout *
make_description(struct unit_ctx *t, struct rig *r, const struct count *c)
{
	const int32_t tmpl[] = { TEMPLATE };
	struct qd_kernel *k = make_kernel(t, r, c);
	const struct launch_layout *d = k ? layout_kernel(k, tmpl, 16, false, &r->arena) : NULL;
	UNIT_CHECK(t, d, "%s: out of memory", c->name);
	qd_kernel_free(k);
	return d;
}

/* Fails if the host miscounts the threads of a grid loop, or evaluates templates at launch. */
static void
grid_counts(struct unit_ctx *t)
{
	struct rig r;
	if (!open_rig(t, &r))
		return;
	for (size_t i = 0; i < QD_COUNT(counts); i++) {
		const struct count *c = &counts[i];
		const struct launch_layout *d = make_description(t, &r, c);
		if (!d)
			continue;
		UNIT_CHECK(t, layout_check(d, d->size, &r.u.e) == QD_OK, "%s: %s", c->name,
			   r.u.e.text);
		UNIT_CHECK(t, d->n_steps == c->n_steps && d->index_type == c->type,
			   "%s: %u steps, %s", c->name, d->n_steps, qd_type_name(d->index_type));
		uint64_t got;
		bool exact = layout_grid(d, c->args, &got);
		UNIT_CHECK(t, got == c->want && exact == !c->wraps, "%s: %llu%s, not %llu", c->name,
			   (unsigned long long)got, exact ? "" : ", wrapped",
			   (unsigned long long)c->want);
	}
	close_rig(t, &r);
}

/* Fails if a description differs from its kernel. */
static void
says_what_the_kernel_says(struct unit_ctx *t)
{
	static const struct layout_param want[N_PARTS] = {
		[A] = { 0, 0, 2, QD_TYPE_U16, 2, QD_ACCESS_INOUT },
		[I] = { 0, 16, 0, QD_TYPE_I32, 4, 0 },
		[U] = { 0, 20, 0, QD_TYPE_U32, 4, 0 },
		[L] = { 0, 24, 0, QD_TYPE_I64, 8, 0 },
		[F] = { 0, 32, 0, QD_TYPE_F32, 4, 0 },
	};
	static const char *const names[N_PARTS] = { "a", "i", "u", "l", "f" };
	struct rig r;
	if (!open_rig(t, &r))
		return;
	const struct launch_layout *d = make_description(t, &r, &counts[0]);
	if (!d) {
		close_rig(t, &r);
		return;
	}
	UNIT_CHECK(t, strcmp(layout_name(d), "count") == 0 && d->n_params == N_PARTS, "name");
	for (uint32_t i = 0; i < N_PARTS; i++) {
		struct layout_param p = layout_params(d)[i];
		UNIT_CHECK(t, strcmp(layout_param_name(d, i), names[i]) == 0, "parameter %u", i);
		p.name = 0;
		UNIT_CHECK(t, memcmp(&p, &want[i], sizeof p) == 0, "parameter %u at %u", i,
			   p.offset);
	}
	UNIT_CHECK(t, d->tail == 36 && d->args_size == 56, "tail %u, size %u", d->tail,
		   d->args_size);
	UNIT_CHECK(t,
		   d->block[0] == 5 && d->block[1] == 3 && d->block[2] == 2 && d->block_dim == 30 &&
			   d->subgroup_size == 16,
		   "block");
	close_rig(t, &r);
}

/* Checks that an image contains the description for its own template values. */
static void
of_an_image(struct unit_ctx *t)
{
	static const char *const targets[] = { "spirv:w8", "ref:w8" };
	struct rig r;
	if (!open_rig(t, &r))
		return;
	struct qd_kernel *k = make_kernel(t, &r, &counts[4]);
	for (size_t i = 0; k && i < 2 * QD_COUNT(targets); i++) {
		const struct qd_tmpl tmpl = { "T", (int32_t)i, QD_TYPE_NONE };
		struct qd_image *img = NULL;
		qd_status st = qd_compile(r.u.ctx, k, targets[i / 2], &tmpl, 1, &img, &r.u.e);
		UNIT_CHECK(t, !st, "%s", r.u.e.text);
		if (st)
			continue;
		const struct launch_layout *d = img->layout;
		UNIT_CHECK(t, !layout_check(d, d->size, &r.u.e) && d->subgroup_size == 8, "%s",
			   r.u.e.text);
		uint64_t n;
		UNIT_CHECK(t, layout_grid(d, NULL, &n) && n == 10 * (i + 1), "T = %zu counts %llu",
			   i, (unsigned long long)n);
		UNIT_CHECK(t, !isa_meta_check(&img->meta, &r.u.e), "%s", r.u.e.text);
		qd_image_free(img);
	}
	qd_kernel_free(k);
	close_rig(t, &r);
}

/* -- Damaged descriptions ----------------------------------------------------------------- */

/* Returns the part of a description that is unsafe for a launch, or NULL. It applies rules
 * independent of layout_check. */
static const char *
trap_in(const struct launch_layout *d, size_t size)
{
	if (size < sizeof *d || d->size != size)
		return "size";
	if (d->steps % 8 || d->steps + 16u * d->n_steps > size || d->params % 8 ||
	    d->params + 8u * d->n_params > size || d->n_params > MAX_PARAM ||
	    d->n_steps > MAX_GRID_STEPS)
		return "tables";
	if (d->name >= size || !memchr(layout_name(d), '\0', size - d->name))
		return "name";
	if (!d->block_dim || (d->n_steps != 0) != (d->index_type != QD_TYPE_NONE))
		return "block";
	if (d->args_size > MAX_PARAM * 16 + 24 + REPORT_ARGS || d->tail + 16u > d->args_size)
		return "argument block";
	for (uint32_t i = 0; i < d->n_params; i++) {
		const struct layout_param *p = &layout_params(d)[i];
		if (p->name >= size || !memchr((const char *)d + p->name, '\0', size - p->name))
			return "a parameter's name";
		if (!p->size || p->offset + (p->align ? 16u : p->size) > d->tail)
			return "a parameter's place";
	}
	for (uint32_t i = 0; i < d->n_steps; i++) {
		const struct layout_step *s = &layout_steps(d)[i];
		if (s->op >= N_LAYOUT_OP || s->type == QD_TYPE_NONE || s->type > QD_TYPE_F64)
			return "a step";
		if (s->op == LAYOUT_ARG ? s->x >= d->n_params
					  : s->op > LAYOUT_ARG && (s->a >= i || (s->b && s->b >= i)))
			return "a step's operand";
		if (s->op == LAYOUT_SELECT && s->x >= i)
			return "a select's operand";
		if (s->op != LAYOUT_ARG && s->op != LAYOUT_SELECT && s->x >= size)
			return "a step's place";
	}
	return NULL;
}

static bool injected; /* injected fault: the check ignores the parameter index of a step */

static qd_status
check(void *bytes, size_t size, struct qd_error *err)
{
	struct launch_layout *d = bytes;
	qd_status st = layout_check(bytes, size, err);
	if (!injected || !st || size < sizeof *d || d->steps + 16u > size || d->steps % 8)
		return st;
	struct layout_step *s = (struct layout_step *)(void *)((char *)bytes + d->steps);
	uint32_t x = s->x;
	s->x = 0;
	st = layout_check(bytes, size, err);
	s->x = x;
	return st;
}

/* Returns a copy of exactly size bytes, so that a sanitizer reports reads past its end. */
static void *
copy_of(const void *p, size_t size)
{
	void *copy = malloc(size ? size : 1);
	if (!copy)
		abort();
	return memcpy(copy, p, size);
}

static void
use(struct unit_ctx *t, const struct count *c, void *bytes, size_t size, size_t at,
    uint32_t *n_taken)
{
	struct launch_layout *d = bytes;
	struct qd_error e = { 0 };
	qd_status st = check(bytes, size, &e);
	UNIT_CHECK(t, st == QD_OK || st == QD_E_INVALID || st == QD_E_VERSION, "%s, byte %zu: %s",
		   c->name, at, qd_status_name(st));
	UNIT_CHECK(t, st == QD_OK || strstr(e.text, "the launch layout has "),
		   "%s, byte %zu: %s", c->name, at, e.text);
	if (st)
		return;
	++*n_taken;
	const char *trap = trap_in(d, size);
	UNIT_CHECK(t, !trap, "%s, byte %zu: taken, but %s", c->name, at, trap);
	if (trap || !d->n_steps)
		return;
	uint64_t *args = copy_of(c->args, d->n_params * sizeof *args);
	uint64_t count;
	layout_grid(d, args, &count);
	UNIT_CHECK(t, count / d->block_dim <= count && layout_last_index(d), "%s", c->name);
	free(args);
}

/* Fails if a description with one changed byte, or a truncated one, is accepted and then accessed
 * past its end. */
static void
damaged(struct unit_ctx *t)
{
	struct rig r;
	uint32_t n_taken = 0, n_cut = 0, n = 0;
	injected = getenv("QD_TEST_MUTATION") != NULL;
	if (!open_rig(t, &r))
		return;
	for (size_t i = 0; i < QD_COUNT(counts); i++) {
		const struct launch_layout *d = make_description(t, &r, &counts[i]);
		for (size_t at = 0; d && at < d->size; at++) {
			for (int value = 0; value < 256; value++) {
				unsigned char *bytes = copy_of(d, d->size);
				bytes[at] = (unsigned char)value;
				use(t, &counts[i], bytes, d->size, at, &n_taken);
				free(bytes);
				n++;
			}
			unsigned char *cut = copy_of(d, at);
			use(t, &counts[i], cut, at, at, &n_cut);
			free(cut);
		}
	}
	/* valid: other letters in names, other constants, the unchanged byte; invalid: any
	 * truncation */
	UNIT_CHECK(t, n_cut == 0, "%u cut ones were taken", n_cut);
	UNIT_CHECK(t, n_taken > n / 256 && n_taken < n / 2, "%u of %u were taken", n_taken, n);
	close_rig(t, &r);
}

/* Checks the error for each kind of damage. */
static void
refusals(struct unit_ctx *t)
{
	enum { ENTIRE = 4, STEP = sizeof(struct launch_layout) };
	static const struct {
		size_t at;
		uint8_t value;
		qd_status status;
		const char *text;
	} rows[] = {
		{ offsetof(struct launch_layout, version), 1, QD_E_VERSION,
		  "the launch layout has version 1; this library reads 5 to 7" },
		{ offsetof(struct launch_layout, size), 1, QD_E_INVALID,
		  "the launch layout has a size that differs from its header" },
		{ offsetof(struct launch_layout, n_params), 65, QD_E_INVALID,
		  "the launch layout has too many parts" },
		{ offsetof(struct launch_layout, steps), 33, QD_E_INVALID,
		  "the launch layout has steps outside of its bounds" },
		{ offsetof(struct launch_layout, params) + 1, 1, QD_E_INVALID,
		  "the launch layout has parameters outside of its bounds" },
		{ offsetof(struct launch_layout, name) + 1, 1, QD_E_INVALID,
		  "the launch layout has a name outside of its bounds" },
		{ offsetof(struct launch_layout, block), 6, QD_E_INVALID,
		  "the launch layout has an invalid block size" },
		{ offsetof(struct launch_layout, subgroup_size), 24, QD_E_INVALID,
		  "the launch layout has a subgroup size that is not a power of two up to 128" },
		{ offsetof(struct launch_layout, tail), 40, QD_E_INVALID,
		  "the launch layout has an argument block whose size differs from its parameters" },
		{ offsetof(struct launch_layout, index_type), QD_TYPE_I32, QD_E_INVALID,
		  "the launch layout has a grid loop whose index and count differ in type" },
		{ STEP + offsetof(struct layout_step, op), N_LAYOUT_OP, QD_E_INVALID,
		  "the launch layout has a step of an unknown kind" },
		{ STEP + offsetof(struct layout_step, a), 1, QD_E_INVALID,
		  "the launch layout has a step that uses a later step" },
		{ STEP + offsetof(struct layout_step, bits), 1, QD_E_INVALID,
		  "the launch layout has a step with unknown bits" },
		{ STEP + offsetof(struct layout_step, x), N_PARTS, QD_E_INVALID,
		  "the launch layout has a step with wrong types" },
		{ STEP + 16 + offsetof(struct layout_param, name) + 1, 1, QD_E_INVALID,
		  "the launch layout has a parameter name outside of its bounds" },
		{ STEP + 16 + offsetof(struct layout_param, type), QD_TYPE_BOOL, QD_E_INVALID,
		  "the launch layout has a parameter of an unknown kind" },
		{ STEP + 16 + offsetof(struct layout_param, align), 6, QD_E_INVALID,
		  "the launch layout has a parameter of an unknown kind" },
		{ STEP + 16 + offsetof(struct layout_param, align), 1, QD_E_INVALID,
		  "the launch layout has a parameter of an unknown kind" },
		{ STEP + 24 + offsetof(struct layout_param, offset), 20, QD_E_INVALID,
		  "the launch layout has a parameter at a wrong offset" },
	};
	struct rig r;
	if (!open_rig(t, &r))
		return;
	const struct launch_layout *d = make_description(t, &r, &counts[0]);
	for (size_t i = 0; d && i < QD_COUNT(rows); i++) {
		unsigned char *bytes = copy_of(d, d->size);
		bytes[rows[i].at] = rows[i].value;
		qd_status st = layout_check(bytes, d->size, &r.u.e);
		UNIT_CHECK(t, st == rows[i].status && strcmp(r.u.e.text, rows[i].text) == 0,
			   "row %zu: %s: %s", i, qd_status_name(st), st ? r.u.e.text : "");
		free(bytes);
	}
	unsigned char *odd = malloc(d ? d->size + ENTIRE : 1);
	if (d && odd) {
		memcpy(odd + ENTIRE, d, d->size);
		UNIT_CHECK(t,
			   layout_check(odd + ENTIRE, d->size, &r.u.e) == QD_E_INVALID &&
				   strstr(r.u.e.text, "has an odd address"),
			   "%s", r.u.e.text);
		UNIT_CHECK(t,
			   layout_check(d, 31, &r.u.e) == QD_E_INVALID &&
				   strstr(r.u.e.text, "has too few bytes"),
			   "%s", r.u.e.text);
	}
	free(odd);
	close_rig(t, &r);
}

/* -- Layout by slots ----------------------------------------------------------------------- */

static struct launch_layout *
make_slots(struct arena *mem)
{
	static const char *const names[] = { "k", "in", "n", "box" };
	static const struct layout_param params[] = {
		{ .align = 4, .type = QD_TYPE_U32, .size = 4, .access = QD_ACCESS_IN },
		{ .type = QD_TYPE_U16, .size = 2 },
		{ .type = QD_TYPE_NONE },
	};
	static const struct layout_slot slots[] = {
		{ .offset = 0, .size = 8, .what = LAYOUT_SLOT_PARAM, .param = 0 },
		{ .offset = 8, .size = 2, .what = LAYOUT_SLOT_PARAM, .param = 1 },
		{ .offset = 12, .size = 12, .what = LAYOUT_SLOT_PARAM, .param = 2 },
		{ .offset = 24, .size = 4, .what = LAYOUT_SLOT_N_BLOCKS },
		{ .offset = 28, .size = 2, .what = LAYOUT_SLOT_BITS, .bits = 64 },
	};
	const struct layout_foreign f = { .names = names,
					    .params = params,
					    .slots = slots,
					    .n_params = QD_COUNT(params),
					    .n_slots = QD_COUNT(slots),
					    .args_size = 32,
					    .block = { 8, 8, 1 },
					    .subgroup_size = 32 };

	return layout_foreign(&f, mem);
}

/* Checks that accepted descriptions keep their slots within the argument block and without overlap,
 * and checks the error for each kind of damage. */
static void
slots(struct unit_ctx *t)
{
	enum { SLOT = sizeof(struct launch_layout), FIRST_PARAM = SLOT + 5 * 16 };
	static const struct {
		size_t at;
		uint8_t value;
		const char *wrong;
	} rows[] = {
		{ offsetof(struct launch_layout, n_slots), 161, "too many parts" },
		{ offsetof(struct launch_layout, n_slots), 2, "an argument block whose size differs from its parameters" },
		{ offsetof(struct launch_layout, n_steps), 1, "too many parts" },
		{ offsetof(struct launch_layout, slots), 33, "slots outside of its bounds" },
		{ offsetof(struct launch_layout, slots) + 1, 1, "slots outside of its bounds" },
		{ offsetof(struct launch_layout, args_size), 29, "a slot of an unknown kind" },
		{ offsetof(struct launch_layout, args_size) + 1, 255, "an argument block whose size differs from its parameters" },
		{ SLOT + offsetof(struct layout_slot, size), 4, "a slot of an unknown kind" },
		{ SLOT + offsetof(struct layout_slot, param), 1, "a slot of an unknown kind" },
		{ SLOT + offsetof(struct layout_slot, what), LAYOUT_SLOT_BITS, "a slot of an unknown kind" },
		{ SLOT + 16 + offsetof(struct layout_slot, size), 4, "a slot of an unknown kind" },
		{ SLOT + 32 + offsetof(struct layout_slot, size), 13, "two slots at the same offset" },
		{ SLOT + 48 + offsetof(struct layout_slot, bits), 1, "a slot of an unknown kind" },
		{ SLOT + 64 + offsetof(struct layout_slot, size), 9, "a slot of an unknown kind" },
		{ SLOT + 64 + offsetof(struct layout_slot, zero), 1, "a slot of an unknown kind" },
		{ FIRST_PARAM + offsetof(struct layout_param, offset), 8, "a slot of an unknown kind" },
		{ FIRST_PARAM + 16 + offsetof(struct layout_param, size), 1, "a parameter of an unknown kind" },
	};
	uint32_t n_taken = 0, n = 0;
	struct rig r;

	if (!open_rig(t, &r))
		return;
	const struct launch_layout *d = make_slots(&r.arena);
	UNIT_CHECK(t, d && layout_check(d, d->size, &r.u.e) == QD_OK && layout_value_size(d, 2) == 12, "%s",
		   r.u.e.text);
	for (size_t i = 0; d && i < QD_COUNT(rows); i++) {
		unsigned char *bytes = copy_of(d, d->size);
		bytes[rows[i].at] = rows[i].value;
		qd_status st = layout_check(bytes, d->size, &r.u.e);
		UNIT_CHECK(t, st == QD_E_INVALID && strstr(r.u.e.text, rows[i].wrong), "row %zu: %s", i,
			   st ? r.u.e.text : "taken");
		free(bytes);
	}
	for (size_t at = 0; d && at < d->size; at++) {
		for (int value = 0; value < 256; value++, n++) {
			unsigned char *bytes = copy_of(d, d->size);
			bytes[at] = (unsigned char)value;
			const struct launch_layout *is = (const void *)bytes;
			bool taken = layout_check(bytes, d->size, &r.u.e) == QD_OK;
			n_taken += taken;
			for (uint32_t i = 0; taken && i < is->n_slots; i++) {
				const struct layout_slot *s = layout_slots(is) + i;
				UNIT_CHECK(t, s->offset + s->size <= is->args_size && is->args_size <= LAYOUT_MAX_ARGS,
					   "byte %zu: a slot past the end", at);
			}
			for (uint32_t i = 0; taken && i < is->n_params; i++)
				UNIT_CHECK(t, strlen(layout_param_name(is, i)) < is->size, "byte %zu: a name", at);
			free(bytes);
		}
		unsigned char *cut = copy_of(d, at);
		UNIT_CHECK(t, layout_check(cut, at, &r.u.e) != QD_OK, "cut at %zu", at);
		free(cut);
	}
	UNIT_CHECK(t, n_taken > n / 256 && n_taken < n / 2, "%u of %u were taken", n_taken, n);
	close_rig(t, &r);
}

/* Does the same for the metadata of the code. */
static void
meta(struct unit_ctx *t)
{
	const struct isa_meta good = {
		.version = ISA_META_VERSION, .local_size = 64, .wave_size = 32, .entry = "main"
	};
	struct isa_meta m;
	struct qd_error e;
	UNIT_CHECK(t, isa_meta_check(&good, &e) == QD_OK, "%s", e.text);
#define BROKEN(member, value, status, sentence)                                                    \
	do {                                                                                       \
		m = good;                                                                          \
		m.member = (value);                                                                \
		UNIT_CHECK(t, isa_meta_check(&m, &e) == (status) && strcmp(e.text, sentence) == 0, \
			   "%s: %s", #member, e.text);                                             \
	} while (0)
	BROKEN(version, 2, QD_E_VERSION,
	       "the record of the code has version 2; this library reads version 1");
	BROKEN(flags, 4, QD_E_INVALID, "the record of the code has unknown flags");
	BROKEN(wave_size, 48, QD_E_INVALID,
	       "the record of the code has a subgroup size that is not a power of two up to 128");
	BROKEN(wave_size, 256, QD_E_INVALID,
	       "the record of the code has a subgroup size that is not a power of two up to 128");
	BROKEN(opt_below, 3, QD_E_INVALID, "the record of the code has an unknown optimization level");
	BROKEN(local_size, 0, QD_E_INVALID,
	       "the record of the code has an invalid block size");
	BROKEN(local_size, 1u << 20, QD_E_INVALID,
	       "the record of the code has an invalid block size");
	m = good;
	memset(m.entry, 'x', sizeof m.entry);
	UNIT_CHECK(t,
		   isa_meta_check(&m, &e) == QD_E_INVALID &&
			   strstr(e.text, "an unterminated entry point name"),
		   "%s", e.text);
}

const struct unit units_launch_layout[] = {
	{ "describe.grid_counts", grid_counts },
	{ "describe.says_what_the_kernel_says", says_what_the_kernel_says },
	{ "describe.of_an_image", of_an_image },
	{ "describe.damaged", damaged },
	{ "describe.refusals", refusals },
	{ "describe.slots", slots },
	{ "describe.meta", meta },
};
const unsigned n_units_launch_layout = QD_COUNT(units_launch_layout);
