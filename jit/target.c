/* Targets: selection of a kernel's subgroup size, targets at that size, and the interned targets
 * of a context. */
#include <stdio.h>

#include "jit.h"

static QD_COLD qd_status
no_size(const struct qd_kernel *k, uint32_t have, uint32_t sizes, const char *device,
	struct qd_error *err)
{
	char want[64] = "", got[64] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < k->n_sizes; i++)
		n += (size_t)snprintf(want + n, sizeof want - n, "%s%u", i ? ", " : "",
				      1u << k->size_order[i]);
	n = 0;
	for (uint32_t i = 0; i <= MAX_LOG2; i++) {
		if (sizes >> i & 1 || have == 1u << i)
			n += (size_t)snprintf(got + n, sizeof got - n, "%s%u", n ? ", " : "",
					      1u << i);
	}
	return diag_kernel(k, k->sizes_pos, err, DIAG_E0504, want, device, got);
}

/* Returns the hardware subgroup size for subgroups of `size`: the same size, else the largest
 * smaller one, else the smallest larger one. */
static uint32_t
lanes_for(uint32_t sizes, uint32_t size)
{
	uint32_t below = sizes & (size - 1);

	if (sizes & size || !sizes)
		return size;
	return below ? 1u << qd_log2(below) : sizes & -sizes;
}

qd_status
jit_pick_size(const struct qd_kernel *k, const struct target *t, uint32_t sizes,
	      const char *device, uint32_t *out, struct qd_error *err)
{
	uint32_t have = t->m.subgroup_size;
	*out = have;
	if (k->n_sizes == 0)
		return QD_OK;
	for (uint32_t i = 0; i < k->n_sizes; i++) {
		if (have == 1u << k->size_order[i])
			return QD_OK;
	}
	for (uint32_t i = 0; i < k->n_sizes; i++) {
		if (sizes >> k->size_order[i] & 1) {
			*out = 1u << k->size_order[i];
			return QD_OK;
		}
	}
	/* First sizes that consist of several hardware subgroups, then parts of one. */
	for (uint32_t parts = 0; parts < 2; parts++) {
		for (uint32_t i = 0; i < k->n_sizes; i++) {
			uint32_t size = 1u << k->size_order[i];
			if ((lanes_for(sizes, size) > size) == parts &&
			    jit_sized_target(t, size, sizes, &(struct target){ .isa = NULL },
					     NULL) == QD_OK) {
				*out = size;
				return QD_OK;
			}
		}
	}
	return no_size(k, have, sizes, device, err);
}

qd_status
jit_sized_target(const struct target *t, uint32_t size, uint32_t sizes, struct target *out,
		 struct qd_error *err)
{
	uint32_t lanes = lanes_for(sizes, size);
	if (size == t->m.subgroup_size && lanes == t->m.lanes) {
		*out = *t;
		return QD_OK;
	}
	/* Replace the options wN and hN in the name. */
	char text[sizeof t->m.name + 16];
	size_t n = strcspn(t->m.name, ":");
	memcpy(text, t->m.name, n);
	for (const char *s = t->m.name + n; *s; ) {
		size_t len = strcspn(s + 1, ":");
		if (!isa_parse_size(s + 1, len) && !isa_parse_lanes(s + 1, len)) {
			memcpy(text + n, s, len + 1);
			n += len + 1;
		}
		s += len + 1;
	}
	n += (size_t)snprintf(text + n, sizeof text - n, ":w%u", size);
	if (lanes != size)
		snprintf(text + n, sizeof text - n, ":h%u", lanes);
	return isa_target(text, out, err);
}

/* -- Interned targets -------------------------------------------------------------- */

enum { N_BUCKET = 16, N_NAME = 32 };

/* A caller's text and its target. */
struct name {
	char *text; /* from the pool; NULL: unused */
	const struct jit_target *target;
};

struct targets {
	pthread_mutex_t lock;
	struct jit_target *buckets[N_BUCKET];
	struct name names[N_NAME]; /* by the text's hash; a new text replaces the old one */
};

static void
targets_free(struct qd_context *ctx, void *p)
{
	struct targets *l = p;
	/* Live objects point to the targets; then both are leaked. */
	if (ctx_has_live(ctx))
		return;
	for (uint32_t i = 0; i < N_BUCKET; i++) {
		for (struct jit_target *t = l->buckets[i], *next; t; t = next) {
			next = t->next;
			pool_delete(&ctx->pool, t);
		}
	}
	for (uint32_t i = 0; i < N_NAME; i++) {
		if (l->names[i].text)
			pool_delete(&ctx->pool, l->names[i].text);
	}
	pthread_mutex_destroy(&l->lock);
	pool_delete(&ctx->pool, l);
}

static void *
targets_make(struct qd_context *ctx)
{
	struct targets *l = pool_new(&ctx->pool, sizeof *l);
	if (l)
		pthread_mutex_init(&l->lock, NULL);
	return l;
}

/* Finds a target by its text, which identifies it. */
static struct jit_target *
find(const struct targets *l, const char *name, uint64_t hash)
{
	struct jit_target *t = l->buckets[hash % N_BUCKET];
	while (t && (t->hash != hash || strcmp(t->t.m.name, name) != 0))
		t = t->next;
	return t;
}

static struct targets *
get_targets(struct qd_context *ctx)
{
	return ctx_slot(ctx, CTX_SLOT_TARGETS, targets_make, targets_free);
}

/* Writes the target's name without launch facts. */
static void
general_name(const struct target *t, char out[MACHINE_NAME])
{
	char *at = strstr(strcpy(out, t->m.name), ":" ISA_FACTS_OPTION);

	if (at && t->m.facts)
		memmove(at, at + strlen(":" ISA_FACTS_OPTION), strlen(at + strlen(":" ISA_FACTS_OPTION)) + 1);
}

static struct jit_target *
make(struct qd_context *ctx, const struct target *t, uint64_t hash)
{
	struct jit_target *made = pool_new(&ctx->pool, sizeof *made);

	if (!made)
		return NULL;
	made->t = *t;
	if (!t->isa->runs_ir)
		machine_ask(&t->m, &made->answers);
	made->hash = hash;
	return made;
}

static void
add(struct targets *l, struct jit_target *made)
{
	struct jit_target **at = &l->buckets[made->hash % N_BUCKET];

	made->next = *at;
	*at = made;
}

/* Adds a target and the other one, or neither. A name that is too long has no other one. */
static struct jit_target *
add_both(struct qd_context *ctx, struct targets *l, const struct target *t, const char *general, uint64_t hash)
{
	struct jit_target *made = make(ctx, t, hash), *second;
	char name[MACHINE_NAME + sizeof ":" ISA_FACTS_OPTION];
	struct target other;

	snprintf(name, sizeof name, "%s%s", general, t->m.facts ? "" : ":" ISA_FACTS_OPTION);
	if (made && t->isa->facts && isa_target(name, &other, QD_IGNORE_ERROR) == QD_OK) {
		second = make(ctx, &other, hash);
		if (!second) {
			pool_delete(&ctx->pool, made);
			return NULL;
		}
		second->other = made;
		made->other = second;
		add(l, second);
	}
	if (made)
		add(l, made);
	return made;
}

qd_status
jit_target(struct qd_context *ctx, const struct target *t, const struct jit_target **out,
	   struct qd_error *err)
{
	struct targets *l = get_targets(ctx);
	struct jit_target *kept = NULL;
	char general[MACHINE_NAME];
	if (l) {
		general_name(t, general);
		uint64_t hash = hash_bytes(general, strlen(general)).lo;
		pthread_mutex_lock(&l->lock);
		kept = find(l, t->m.name, hash);
		if (!kept)
			kept = add_both(ctx, l, t, general, hash);
		pthread_mutex_unlock(&l->lock);
	}
	if (!kept)
		return qd_fail(err, QD_E_NOMEM, "target %s: out of memory", t->m.name);
	*out = kept;
	return QD_OK;
}

qd_status
jit_target_named(struct qd_context *ctx, const char *text, const struct jit_target **out,
		 struct qd_error *err)
{
	struct targets *l = get_targets(ctx);
	size_t len = strlen(text);
	struct name *name = l ? &l->names[hash_bytes(text, len).lo % N_NAME] : NULL;
	if (name) {
		pthread_mutex_lock(&l->lock);
		bool known = name->text && strcmp(name->text, text) == 0;
		*out = name->target;
		pthread_mutex_unlock(&l->lock);
		if (known)
			return QD_OK;
	}
	struct target t;
	QD_TRY(isa_target(text, &t, err));
	QD_TRY(jit_target(ctx, &t, out, err));
	char *kept = name ? pool_new(&ctx->pool, len + 1) : NULL, *old;
	if (!kept)
		return QD_OK; /* not stored, so the next call parses it again */
	memcpy(kept, text, len + 1);
	pthread_mutex_lock(&l->lock);
	old = name->text;
	*name = (struct name){ .text = kept, .target = *out };
	pthread_mutex_unlock(&l->lock);
	if (old)
		pool_delete(&ctx->pool, old);
	return QD_OK;
}
