/* The key of an image.  A kernel brings its own canonical bytes and their hash,
 * so a look-up hashes some two hundred bytes and walks no IR. */
#include "key.h"

qd_status
key_init(struct jit_key *key, const struct qd_kernel *k, const struct target *t,
	 const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_error *err)
{
	struct pass_ctx p = { .k = k, .m = &t->m, .err = err };
	QD_TRY(pass_set_tmpl(&p, tmpl, n_tmpl));
	key->k = k;
	key->target = t;
	memset(key->tmpl, 0, sizeof key->tmpl);
	memcpy(key->tmpl, p.tmpl, k->n_tmpls * sizeof key->tmpl[0]);
	return QD_OK;
}

void
key_hash(struct jit_key *key)
{
	const struct target *t = key->target;
	struct {
		struct hash128 kernel;
		uint32_t version, arch, quirks, caps;
		uint32_t size, max_block_dim, max_shared, inline_args;
		int32_t tmpl[MAX_TMPL];
		char name[sizeof t->m.name];
	} h = {
		.kernel = key->k->hash,
		.version = t->isa->version,
		.arch = t->arch,
		.quirks = t->quirks,
		.caps = t->m.caps,
		.size = t->m.subgroup_size,
		.max_block_dim = t->m.max_block_dim,
		.max_shared = t->m.max_shared,
		.inline_args = t->m.inline_args,
	};
	memcpy(h.tmpl, key->tmpl, sizeof h.tmpl);
	size_t len = strnlen(t->m.name, sizeof h.name);
	memcpy(h.name, t->m.name, len);
	key->hash = hash_bytes(&h, sizeof h - sizeof h.name + len);
}

static bool
target_equal(const struct target *a, const struct target *b)
{
	return a == b || (a->isa == b->isa && a->arch == b->arch && a->quirks == b->quirks &&
			  a->m.caps == b->m.caps && a->m.subgroup_size == b->m.subgroup_size &&
			  a->m.log2_size == b->m.log2_size &&
			  a->m.max_block_dim == b->m.max_block_dim &&
			  a->m.max_shared == b->m.max_shared &&
			  a->m.inline_args == b->m.inline_args && a->m.native == b->m.native &&
			  strncmp(a->m.name, b->m.name, sizeof a->m.name) == 0);
}

static bool
kernel_equal(const struct qd_kernel *a, const struct qd_kernel *b)
{
	return a == b || (a->key_size == b->key_size && memcmp(a->key, b->key, a->key_size) == 0);
}

/* Do messages about one of two equal kernels name the places of the other too?
 * Code does not say where it came from, but IR that is run does. */
static bool
same_places(const struct qd_kernel *a, const struct qd_kernel *b)
{
	if (a == b)
		return true;
	if (a->from_text != b->from_text || a->n_calls != b->n_calls ||
	    strcmp(a->file ? a->file : "", b->file ? b->file : "") != 0 ||
	    memcmp(a->ir.pos, b->ir.pos, a->ir.n * sizeof *a->ir.pos) != 0)
		return false;
	for (uint32_t i = 0; i < a->n_calls; i++) {
		const char *x = a->calls[i], *y = b->calls[i];
		if (x != y && (!x || !y || strcmp(x, y) != 0))
			return false;
	}
	return true;
}

static bool
equal(const struct jit_key *key, struct hash128 hash, const struct target *t,
      const struct qd_kernel *k, const int32_t *tmpl)
{
	return key->hash.lo == hash.lo && key->hash.hi == hash.hi && kernel_equal(key->k, k) &&
	       target_equal(key->target, t) && memcmp(key->tmpl, tmpl, sizeof key->tmpl) == 0 &&
	       (!t->isa->runs_ir || same_places(key->k, k));
}

bool
key_equal(const struct jit_key *a, const struct jit_key *b)
{
	return equal(a, b->hash, b->target, b->k, b->tmpl);
}

bool
key_is_image(const struct jit_key *key, const struct qd_image *img)
{
	return equal(key, img->cache_hash, &img->target, img->kernel, img->tmpl);
}
