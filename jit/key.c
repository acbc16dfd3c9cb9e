/* Keys of images. Kernels and interned targets store their hashes, and kernels their canonical
 * bytes, so a lookup hashes only the template values and does not traverse IR. */
#include "key.h"

/* Sets resolved template values and adds them to the hash. */
static void
put_values(struct jit_key *key, const int32_t *values, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t h = (key->hash ^ (uint32_t)values[i]) * UINT64_C(0x9e3779b97f4a7c15);
		key->hash = h ^ h >> 32;
		key->tmpl[i] = values[i];
	}
}

static void
put_target(struct jit_key *key, const struct qd_kernel *k, const struct jit_target *t)
{
	key->k = k;
	key->image = NULL;
	key->target = &t->t;
	/* A general image is complete; one that relies on facts is not. */
	key->same = t->t.m.facts && t->other ? &t->other->t : NULL;
	key->answers = &t->answers;
	/* All keys of a context have one level; those of the disk cache contain the metadata. */
	key->hash = k->hash.lo ^ t->hash ^
		    (uint64_t)(OPT_FULL - k->ctx->opt) * UINT64_C(0xc2b2ae3d27d4eb4f);
	key->device = NULL;
	key->marks = NULL;
}

qd_status
jit_key_init(struct jit_key *key, const struct qd_kernel *k, const struct jit_target *t,
	     const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_error *err)
{
	put_target(key, k, t);
	if (QD_LIKELY(k->n_tmpls == 0 && n_tmpl == 0))
		return QD_OK;
	struct pass_ctx p = { .k = k, .m = &t->t.m, .err = err };
	QD_TRY(pass_set_tmpl(&p, tmpl, n_tmpl));
	put_values(key, p.tmpl, k->n_tmpls);
	return QD_OK;
}

void
key_like(struct jit_key *key, const struct qd_image *img, const struct jit_target *t)
{
	put_target(key, img->kernel, t);
	put_values(key, img->tmpl, img->kernel->n_tmpls);
}

void
jit_key_of(struct jit_key *key, const struct qd_image *img)
{
	*key = (struct jit_key){
		.k = img->kernel, .image = img, .target = img->target, .hash = img->hash
	};
	if (img->kernel && img->kernel->n_tmpls)
		memcpy(key->tmpl, img->tmpl, img->kernel->n_tmpls * sizeof key->tmpl[0]);
}

/* Returns whether two kernels were built at the same places in C. */
static bool
same_c_places(const struct qd_kernel *a, const struct qd_kernel *b)
{
	if (a->n_places != b->n_places || a->n_files != b->n_files ||
	    (a->n_places && memcmp(a->places, b->places, a->n_places * sizeof *a->places) != 0))
		return false;
	for (uint32_t i = 0; i < a->n_files; i++) {
		if (strcmp(a->files[i], b->files[i]) != 0)
			return false;
	}
	return true;
}

static bool
same_lines(const struct line_map *a, const struct line_map *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct line_part *x = &a->part[i], *y = &b->part[i];

		if (x->row != y->row || x->line != y->line || x->shift != y->shift || strcmp(x->file, y->file) != 0)
			return false;
	}
	return true;
}

/* Returns whether messages about two equal kernels contain the same source locations. Only IR
 * that is run and code that may report have such messages. */
static bool
same_places(const struct qd_kernel *a, const struct qd_kernel *b)
{
	if (a->from_text != b->from_text || a->n_calls != b->n_calls ||
	    strcmp(a->file ? a->file : "", b->file ? b->file : "") != 0 ||
	    memcmp(a->ir.pos, b->ir.pos, a->ir.n * sizeof *a->ir.pos) != 0 ||
	    !same_lines(&a->lines, &b->lines) || !same_c_places(a, b))
		return false;
	for (uint32_t i = 0; i < a->n_calls; i++) {
		const char *x = a->calls[i], *y = b->calls[i];
		if (x != y && (!x || !y || strcmp(x, y) != 0))
			return false;
	}
	return true;
}

bool
jit_same_kernel(const struct qd_kernel *a, const struct qd_kernel *b, bool places)
{
	return a == b || (a->key_size == b->key_size && memcmp(a->key, b->key, a->key_size) == 0 &&
			  (!places || same_places(a, b)));
}

static bool
same_file(const struct qd_image *a, const struct qd_image *b)
{
	return a->kind == b->kind && a->code_size == b->code_size && a->layout->size == b->layout->size &&
	       memcmp(&a->meta, &b->meta, sizeof a->meta) == 0 && memcmp(a->layout, b->layout, a->layout->size) == 0 &&
	       memcmp(a->code, b->code, a->code_size) == 0;
}

bool
jit_same_file(const struct qd_image *a, const struct qd_image *b)
{
	for (; a != b; a = a->general, b = b->general)
		if (!a || !b || !same_file(a, b))
			return false;
	return true;
}

bool
key_equal(const struct jit_key *a, const struct jit_key *b)
{
	/* Before the compile it is unknown whether the code will report. */
	bool places = a->target->isa->runs_ir || a->target->m.caps & CAP_LOOP_LIMIT;

	return a->hash == b->hash && a->target == b->target &&
	       jit_same_kernel(a->k, b->k, places) &&
	       memcmp(a->tmpl, b->tmpl, a->k->n_tmpls * sizeof a->tmpl[0]) == 0;
}
