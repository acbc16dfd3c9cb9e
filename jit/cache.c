/* In-memory cache of images, one per context: 16 shards, each with a mutex and a hash table
 * that is chained through the images. Single flight: the first thread that misses compiles
 * without a lock, and other threads with the same key wait for it. A failure is reported to all
 * waiters and is not cached. A hit allocates nothing.
 *
 * All shards together hold at most the context's max_image_bytes. Beyond that, the cache evicts
 * the least recently used image, even if it has other users. */
#include "disk.h"
#include "key.h"

enum { N_SHARD = 16, FIRST_BUCKETS = 32 };

/* A compile in progress, owned by the compiling thread and every waiter. */
struct flight {
	struct flight *next;
	const struct jit_key *key; /* on the compiling thread's stack; valid while linked */
	uint32_t refs;		   /* guarded by the shard's lock */
	bool done;
	struct qd_image *image; /* a reference, or NULL after a failure */
	struct qd_error error;
};

struct shard {
	pthread_mutex_t lock;
	pthread_cond_t landed;
	struct flight *flights;
	struct qd_image **buckets;
	uint32_t n_buckets, n_images; /* n_buckets: a power of two, or 0 at first */
	struct qd_image *newest, *oldest;
	_Atomic uint64_t oldest_used; /* UINT64_MAX: the shard is empty */
	struct qd_cache_stats stats;
};

struct cache {
	struct shard shard[N_SHARD];
	_Atomic uint64_t clock; /* number of uses */
	_Atomic uint64_t bytes; /* of all shards */
	_Atomic uint64_t n_held, held_bytes;
	pthread_mutex_t lock; /* guards the fields below */
	struct jit_hits *hits;
	uint64_t n_hits; /* of closed jit_hits */
};

static uint32_t
shard_of(uint64_t hash)
{
	return hash % N_SHARD;
}

static uint32_t
bucket_of(uint64_t hash, uint32_t n_buckets)
{
	return (uint32_t)(hash / N_SHARD) & (n_buckets - 1);
}

/* -- Held images ----------------------------------------------------------------- */

/* Returns the pool's bytes of an image and its kernel. */
static uint64_t
bytes_of(const struct qd_image *img)
{
	return ((const struct pool_block *)img - 1)->size +
	       (img->kernel ? kernel_bytes(img->kernel) : 0);
}

static void
hold(struct cache *c, struct qd_image *img)
{
	if (atomic_fetch_add(&img->n_held, 1) != 0)
		return;
	atomic_fetch_add(&c->n_held, 1);
	atomic_fetch_add(&c->held_bytes, bytes_of(img));
}

static void
let_go(struct cache *c, struct qd_image *img)
{
	if (atomic_fetch_sub(&img->n_held, 1) != 1)
		return;
	atomic_fetch_sub(&c->n_held, 1);
	atomic_fetch_sub(&c->held_bytes, bytes_of(img));
}

/* Returns the cache, or NULL: a context with an open device may have freed it already. */
static struct cache *
made_cache(struct qd_context *ctx)
{
	return atomic_load_explicit(&ctx->slot[CTX_SLOT_CACHE].p, memory_order_acquire);
}

void
image_hold(struct qd_image *img)
{
	struct cache *c = made_cache(img->ctx);
	if (c)
		hold(c, img);
}

void
image_let_go(struct qd_image *img)
{
	struct cache *c = made_cache(img->ctx);
	if (c)
		let_go(c, img);
}

/* Releases the cache's hold and reference. */
static void
drop(struct cache *c, struct qd_image *img)
{
	let_go(c, img);
	qd_image_free(img);
}

/* -- The cache as an object --------------------------------------------------------- */

static void cache_trim(struct qd_context *ctx, void *p);

static void
cache_free(struct qd_context *ctx, void *p)
{
	struct cache *c = p;
	for (int i = 0; i < N_SHARD; i++) {
		struct shard *s = &c->shard[i];
		for (uint32_t j = 0; j < s->n_buckets; j++) {
			for (struct qd_image *img = s->buckets[j], *next; img; img = next) {
				next = img->next;
				drop(c, img);
			}
		}
		if (s->buckets)
			pool_delete(&ctx->pool, s->buckets);
		pthread_cond_destroy(&s->landed);
		pthread_mutex_destroy(&s->lock);
	}
	pthread_mutex_destroy(&c->lock);
	pool_delete(&ctx->pool, c);
}

static void *
cache_make(struct qd_context *ctx)
{
	struct cache *c = pool_new(&ctx->pool, sizeof *c);
	if (!c)
		return NULL;
	for (int i = 0; i < N_SHARD; i++) {
		pthread_mutex_init(&c->shard[i].lock, NULL);
		pthread_cond_init(&c->shard[i].landed, NULL);
		atomic_init(&c->shard[i].oldest_used, UINT64_MAX);
	}
	pthread_mutex_init(&c->lock, NULL);
	ctx_slot_trim(ctx, CTX_SLOT_CACHE, cache_trim);
	return c;
}

/* -- LRU list, guarded by the shard's lock ------------------------------------------ */

static void
note_oldest(struct shard *s)
{
	atomic_store_explicit(&s->oldest_used, s->oldest ? s->oldest->used : UINT64_MAX,
			      memory_order_relaxed);
}

static void
push_newest(struct cache *c, struct shard *s, struct qd_image *img)
{
	img->used = atomic_fetch_add_explicit(&c->clock, 1, memory_order_relaxed);
	img->newer = NULL;
	img->older = s->newest;
	if (s->newest)
		s->newest->newer = img;
	else
		s->oldest = img;
	s->newest = img;
	note_oldest(s);
}

static void
pull(struct shard *s, struct qd_image *img)
{
	if (img->newer)
		img->newer->older = img->older;
	else
		s->newest = img->older;
	if (img->older)
		img->older->newer = img->newer;
	else
		s->oldest = img->newer;
	note_oldest(s);
}

/* Removes the image from the shard. The caller takes over the cache's hold and reference. */
static void
take_out(struct cache *c, struct shard *s, struct qd_image *img)
{
	struct qd_image **at = &s->buckets[bucket_of(img->hash, s->n_buckets)];
	while (*at != img)
		at = &(*at)->next;
	*at = img->next;
	pull(s, img);
	s->n_images--;
	atomic_fetch_sub(&c->bytes, bytes_of(img));
}

/* Evicts least recently used images until the cache fits its limit. */
static void
shrink(struct qd_context *ctx, struct cache *c)
{
	while (atomic_load(&c->bytes) > ctx->max_image_bytes) {
		struct shard *s = NULL;
		uint64_t oldest = UINT64_MAX;
		for (int i = 0; i < N_SHARD; i++) {
			uint64_t used = atomic_load_explicit(&c->shard[i].oldest_used,
							     memory_order_relaxed);
			if (used < oldest) {
				oldest = used;
				s = &c->shard[i];
			}
		}
		if (!s)
			return;
		pthread_mutex_lock(&s->lock);
		struct qd_image *img = s->oldest;
		if (img)
			take_out(c, s, img);
		pthread_mutex_unlock(&s->lock);
		if (img)
			drop(c, img);
	}
}

/* Evicts all images that only the cache references. */
static void
cache_trim(struct qd_context *ctx, void *p)
{
	struct cache *c = p;
	(void)ctx;
	for (int i = 0; i < N_SHARD; i++) {
		struct shard *s = &c->shard[i];
		struct qd_image *out = NULL;
		pthread_mutex_lock(&s->lock);
		for (struct qd_image *img = s->oldest, *newer; img; img = newer) {
			newer = img->newer;
			/* New references are taken under the lock, or from an existing one. */
			if (atomic_load(&img->refs) != 1)
				continue;
			take_out(c, s, img);
			img->next = out;
			out = img;
		}
		pthread_mutex_unlock(&s->lock);
		while (out) {
			struct qd_image *img = out;
			out = img->next;
			drop(c, img);
		}
	}
}

/* -- Lookup ----------------------------------------------------------------------- */

static struct qd_image *
find(struct shard *s, const struct jit_key *key)
{
	if (s->n_buckets == 0)
		return NULL;
	struct qd_image *img = s->buckets[bucket_of(key->hash, s->n_buckets)];
	while (img && !jit_key_is_image(key, img))
		img = img->next;
	return img;
}

/* Doubles the table. If memory is exhausted, the table keeps its size. */
static void
grow(struct shard *s, struct pool *pool)
{
	uint32_t n = s->n_buckets ? 2 * s->n_buckets : FIRST_BUCKETS;
	struct qd_image **to = pool_new(pool, n * sizeof *to);
	if (!to)
		return;
	for (uint32_t i = 0; i < s->n_buckets; i++) {
		for (struct qd_image *img = s->buckets[i], *next; img; img = next) {
			next = img->next;
			struct qd_image **at = &to[bucket_of(img->hash, n)];
			img->next = *at;
			*at = img;
		}
	}
	if (s->buckets)
		pool_delete(pool, s->buckets);
	s->buckets = to;
	s->n_buckets = n;
}

/* Adds the image with a new reference. If memory is exhausted, does not add it. */
static void
keep(struct cache *c, struct shard *s, struct qd_image *img)
{
	if (s->n_images >= s->n_buckets)
		grow(s, &img->ctx->pool);
	if (s->n_buckets == 0)
		return;
	struct qd_image **at = &s->buckets[bucket_of(img->hash, s->n_buckets)];
	img->next = *at;
	*at = image_ref(img);
	s->n_images++;
	push_newest(c, s, img);
	hold(c, img);
	atomic_fetch_add(&c->bytes, bytes_of(img));
}

/* Returns the result of a finished flight, releases one reference to it, and unlocks. */
static qd_status
leave(struct qd_context *ctx, struct shard *s, struct flight *f, struct qd_image **out,
      struct qd_error *err)
{
	qd_status st = QD_OK;
	if (f->image)
		*out = image_ref(f->image);
	else
		st = qd_fail_text(err, f->error.code, f->error.line, f->error.col, f->error.text,
				  strlen(f->error.text));
	bool last = --f->refs == 0;
	pthread_mutex_unlock(&s->lock);
	if (last) {
		qd_image_free(f->image);
		pool_delete(&ctx->pool, f);
	}
	return st;
}

/* Compiles after a miss. The lock is held on entry, released while compiling, and released on
 * return. */
static qd_status
fly(struct qd_context *ctx, struct cache *c, struct shard *s, const struct jit_key *key,
    struct qd_image **out, struct qd_error *err)
{
	struct flight *f = pool_new(&ctx->pool, sizeof *f);
	if (!f) {
		pthread_mutex_unlock(&s->lock);
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory", key->k->name);
	}
	f->key = key;
	f->refs = 1;
	f->next = s->flights;
	s->flights = f;
	s->stats.misses++;
	pthread_mutex_unlock(&s->lock);

	struct qd_image *img = NULL;
	qd_status st = jit_compile_key(ctx, key, &img, &f->error);

	pthread_mutex_lock(&s->lock);
	struct flight **at = &s->flights;
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	f->done = true;
	f->image = st == QD_OK ? img : NULL;
	if (f->image)
		keep(c, s, img);
	else
		s->stats.failures++;
	if (f->refs > 1)
		pthread_cond_broadcast(&s->landed);
	st = leave(ctx, s, f, out, err);
	shrink(ctx, c);
	return st;
}

qd_status
jit_get_key(struct qd_context *ctx, const struct jit_key *key, struct qd_image **out,
	    struct qd_error *err)
{
	struct cache *c = ctx_slot(ctx, CTX_SLOT_CACHE, cache_make, cache_free);
	if (!c)
		return qd_fail(err, QD_E_NOMEM, "the image cache: out of memory");
	struct shard *s = &c->shard[shard_of(key->hash)];
	pthread_mutex_lock(&s->lock);
	struct qd_image *img = find(s, key);
	if (QD_LIKELY(img != NULL)) {
		s->stats.hits++;
		pull(s, img);
		push_newest(c, s, img);
		*out = image_ref(img);
		pthread_mutex_unlock(&s->lock);
		return QD_OK;
	}
	if (QD_UNLIKELY(ctx->no_jit) && !key->target->isa->runs_ir) {
		pthread_mutex_unlock(&s->lock);
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "kernel '%s': QD_JIT=0 forbids compilation at run time; use a "
			       "fatbin with an entry for target %s",
			       key->k->name, key->target->m.name);
	}
	struct flight *f = s->flights;
	while (f && !key_equal(key, f->key))
		f = f->next;
	if (!f)
		return fly(ctx, c, s, key, out, err);
	s->stats.waits++;
	f->refs++;
	while (!f->done)
		pthread_cond_wait(&s->landed, &s->lock);
	return leave(ctx, s, f, out, err);
}

qd_status
jit_get(struct qd_context *ctx, const struct qd_kernel *k, const struct target *t,
	const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_image **out, struct qd_error *err)
{
	const struct jit_target *kept;
	struct jit_key key;
	QD_TRY(jit_target(ctx, t, &kept, err));
	QD_TRY(jit_key_init(&key, k, kept, tmpl, n_tmpl, err));
	return jit_get_key(ctx, &key, out, err);
}

qd_status
no_kernel(const struct qd_image *img, struct qd_error *err)
{
	return qd_fail(err, QD_E_NOT_FOUND,
		       "kernel '%s': its image came from a file, without the kernel",
		       layout_name(img->layout));
}

qd_status
jit_general(const struct qd_image *img, struct qd_image **out, struct qd_error *err)
{
	assert(jit_has_general(img));
	if (img->kernel)
		return jit_get_like(img, &jit_target_of(img->target)->other->t, out, err);
	*out = image_ref(img->general);
	return QD_OK;
}

qd_status
jit_get_like(const struct qd_image *img, const struct target *t, struct qd_image **out,
	     struct qd_error *err)
{
	const struct jit_target *kept;
	struct jit_key key;
	if (!img->kernel)
		return no_kernel(img, err);
	QD_TRY(jit_target(img->ctx, t, &kept, err));
	key_like(&key, img, kept);
	return jit_get_key(img->ctx, &key, out, err);
}

/* -- Statistics ---------------------------------------------------------------- */

qd_status
jit_hits_open(struct qd_context *ctx, struct jit_hits *h, struct qd_error *err)
{
	struct cache *c = ctx_slot(ctx, CTX_SLOT_CACHE, cache_make, cache_free);
	if (!c)
		return qd_fail(err, QD_E_NOMEM, "the image cache: out of memory");
	atomic_init(&h->n, 0);
	atomic_init(&h->n_functions, 0);
	atomic_init(&h->n_unused, 0);
	pthread_mutex_lock(&c->lock);
	h->next = c->hits;
	h->link = &c->hits;
	if (h->next)
		h->next->link = &h->next;
	c->hits = h;
	pthread_mutex_unlock(&c->lock);
	return QD_OK;
}

void
jit_hits_close(struct qd_context *ctx, struct jit_hits *h)
{
	struct cache *c = made_cache(ctx);
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->n_hits += atomic_load_explicit(&h->n, memory_order_relaxed);
	*h->link = h->next;
	if (h->next)
		h->next->link = h->link;
	pthread_mutex_unlock(&c->lock);
}

void
qd_cache_stats(struct qd_context *ctx, struct qd_cache_stats *out)
{
	if (!out)
		return;
	memset(out, 0, sizeof *out);
	if (!ctx || forked_since(ctx->forks))
		return;
	struct cache *c = ctx_slot(ctx, CTX_SLOT_CACHE, cache_make, cache_free);
	if (!c)
		return;
	for (int i = 0; i < N_SHARD; i++) {
		struct shard *s = &c->shard[i];
		pthread_mutex_lock(&s->lock);
		out->hits += s->stats.hits;
		out->misses += s->stats.misses;
		out->waits += s->stats.waits;
		out->failures += s->stats.failures;
		pthread_mutex_unlock(&s->lock);
	}
	pthread_mutex_lock(&c->lock);
	out->hits += c->n_hits;
	for (struct jit_hits *h = c->hits; h; h = h->next) {
		out->hits += atomic_load_explicit(&h->n, memory_order_relaxed);
		out->functions += atomic_load_explicit(&h->n_functions, memory_order_relaxed);
		out->unused += atomic_load_explicit(&h->n_unused, memory_order_relaxed);
	}
	pthread_mutex_unlock(&c->lock);
	out->images = atomic_load(&c->n_held);
	out->bytes = atomic_load(&c->held_bytes);
	out->empty_bytes = pool_kept(&ctx->pool);
	disk_stats(ctx, out);
}
