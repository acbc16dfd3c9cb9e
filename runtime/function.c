/* Functions: images loaded on a device, found by the key of their image. A lookup takes only the
 * device's lock. Loading may take the driver milliseconds, so no lock is held meanwhile; other
 * threads that request the image wait for the thread that loads it. Functions count the user's
 * references, under the same lock. */
#include "function.h"
#include "stream.h"
#include "variables.h"

enum { FIRST_LOG2 = 5, LOOK = 4 }; /* LOOK: unused functions examined at each free */

struct loading {
	struct loading *next;
	const struct qd_image *image;
};

static uint32_t
bucket(uint64_t hash, uint32_t log2_size)
{
	return (uint32_t)(hash >> (64 - log2_size));
}

/* A function with variables is never shared, because each holder must begin with the image's
 * values. */
static struct qd_function *
find(const struct qd_device *dev, const struct jit_key *key)
{
	if (QD_UNLIKELY(!dev->functions))
		return NULL;
	struct qd_function *f = dev->functions[bucket(key->hash, dev->log2_functions)];
	while (f && (f->hash != key->hash || f->has_variables || !jit_key_is_image(key, f->image)))
		f = f->next;
	return f;
}

/* Makes room for one more function. Returns false if there is no table. */
static bool
reserve(struct qd_device *dev)
{
	uint32_t old_n = dev->functions ? 1u << dev->log2_functions : 0;
	if (dev->n_functions < old_n)
		return true;
	uint32_t log2_size = old_n ? dev->log2_functions + 1 : FIRST_LOG2;
	struct qd_function **to = pool_new(&dev->ctx->pool, sizeof *to << log2_size);
	if (!to)
		return old_n != 0;
	for (uint32_t i = 0; i < old_n; i++) {
		for (struct qd_function *f = dev->functions[i], *next; f; f = next) {
			next = f->next;
			struct qd_function **at = &to[bucket(f->hash, log2_size)];
			f->next = *at;
			*at = f;
		}
	}
	if (old_n)
		pool_delete(&dev->ctx->pool, dev->functions);
	dev->functions = to;
	dev->log2_functions = log2_size;
	return true;
}

void
function_take_out(struct qd_function *fn)
{
	struct qd_device *dev = fn->dev;
	struct qd_function **at = &dev->functions[bucket(fn->hash, dev->log2_functions)];
	while (*at != fn)
		at = &(*at)->next;
	*at = fn->next;
	dev->n_functions--;
	atomic_store_explicit(&dev->hits.n_functions, dev->n_functions, memory_order_relaxed);
}

/* Removes a reference, and returns whether there was any. The caller holds the device's lock. */
static bool
let_go(struct qd_function *fn)
{
	if (!fn->refs)
		return false;
	if (--fn->refs == 0)
		unused_push(fn);
	return true;
}

void
function_unload(struct qd_function *fn)
{
	struct qd_image *img = fn->image;
	struct qd_device *dev = fn->dev;
	struct qd_function *general = atomic_load(&fn->general);

	if (general) {
		pthread_mutex_lock(&dev->lock);
		let_go(general);
		pthread_mutex_unlock(&dev->lock);
	}
	dev->driver->unload(fn);
	image_let_go(img);
	qd_image_free(img);
}

void
functions_fini(struct qd_device *dev)
{
	while (dev->oldest)
		unused_pull(dev->oldest);
	if (!dev->functions)
		return;
	for (uint32_t i = 0; i < 1u << dev->log2_functions; i++) {
		for (struct qd_function *f = dev->functions[i], *next; f; f = next) {
			next = f->next;
			atomic_store(&f->general, NULL);
			function_unload(f);
		}
	}
	pool_delete(&dev->ctx->pool, dev->functions);
	dev->functions = NULL;
}

/* Adds a reference, under the device's lock. */
static struct qd_function *
take(struct qd_function *f)
{
	if (QD_UNLIKELY(f->refs++ == 0))
		unused_pull(f);
	return f;
}

/* Compares keys, not images: if the cache drops an image, its key gets a second one. */
static bool
is_loading(const struct qd_device *dev, const struct jit_key *key)
{
	for (const struct loading *l = dev->loading; l; l = l->next) {
		if (jit_key_is_image(key, l->image))
			return true;
	}
	return false;
}

qd_status
device_accepts(const struct qd_device *dev, const struct qd_image *img, struct qd_error *err)
{
	const struct target *want = img->target, *have = &dev->target;
	if (want->isa != have->isa)
		return qd_fail(err, QD_E_TARGET,
			       "%s (%s): kernel '%s' is compiled for target %s; the device runs %s",
			       dev->info.selector, dev->info.name, layout_name(img->layout),
			       want->m.name, have->m.name);
	if (!(dev->sizes >> want->m.log2_lanes & 1))
		return qd_fail(err, QD_E_TARGET,
			       "%s (%s): kernel '%s' is compiled for subgroups of %u; the device "
			       "has %u to %u",
			       dev->info.selector, dev->info.name, layout_name(img->layout),
			       want->m.lanes, dev->info.min_subgroup_size,
			       dev->info.max_subgroup_size);
	uint32_t block[3];
	image_block(img, block);
	if (block[1] * block[2] > 1 && !dev->solid_blocks)
		return qd_fail(err, QD_E_TARGET,
			       "%s (%s): kernel '%s' has blocks of %u x %u x %u threads; the "
			       "device supports one dimension",
			       dev->info.selector, dev->info.name, layout_name(img->layout),
			       block[0], block[1], block[2]);
	return dev->driver->accepts(dev, img, err);
}

/* Returns the function of the key's image. The caller keeps its reference to the image. */
static qd_status
load(struct qd_device *dev, const struct jit_key *key, struct qd_image *img,
     struct qd_function **out, struct qd_error *err)
{
	pthread_mutex_lock(&dev->lock);
	struct qd_function *f;
	while (!(f = find(dev, key)) && is_loading(dev, key))
		pthread_cond_wait(&dev->loaded, &dev->lock);
	if (f) {
		*out = take(f);
		pthread_mutex_unlock(&dev->lock);
		return QD_OK;
	}
	struct loading mine = { .next = dev->loading, .image = img };
	dev->loading = &mine;
	pthread_mutex_unlock(&dev->lock);

	qd_status st = device_check_lost(dev, err);
	if (st == QD_OK)
		st = device_accepts(dev, img, err);
	if (st == QD_OK)
		st = dev->driver->load(dev, img, &f, err);
	if (device_retry(dev, st))
		st = dev->driver->load(dev, img, &f, err);
	if (st == QD_OK) {
		f->dev = dev;
		f->image = img;
		f->hash = img->hash;
		f->refs = 1;
		f->has_variables = image_has_variables(img);
		f->relies = jit_relies(img);
		f->extent = jit_extent(img);
	}

	pthread_mutex_lock(&dev->lock);
	struct loading **at = &dev->loading;
	while (*at != &mine)
		at = &(*at)->next;
	*at = mine.next;
	bool kept = st == QD_OK && reserve(dev);
	if (kept) {
		image_hold(image_ref(img));
		f->next = dev->functions[bucket(f->hash, dev->log2_functions)];
		dev->functions[bucket(f->hash, dev->log2_functions)] = f;
		dev->n_functions++;
		atomic_store_explicit(&dev->hits.n_functions, dev->n_functions,
				      memory_order_relaxed);
	}
	pthread_cond_broadcast(&dev->loaded);
	pthread_mutex_unlock(&dev->lock);
	if (st == QD_OK && !kept) {
		dev->driver->unload(f);
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory",
			       layout_name(img->layout));
	}
	if (st == QD_OK)
		*out = f;
	return st;
}

/* Returns the target to compile the kernel for: the device's, at the subgroup size that the kernel
 * requires, with launch facts unless the context has none. */
static qd_status
pick_target(struct qd_device *dev, const struct qd_kernel *k, const struct jit_target **out,
	    struct qd_error *err)
{
	const struct target *t = &dev->target;
	uint32_t size;
	QD_TRY(jit_pick_size(k, t, dev->sizes, dev->info.selector, &size, err));
	_Atomic(const struct jit_target *) *at = &dev->sized[qd_log2(size)];
	*out = atomic_load_explicit(at, memory_order_acquire);
	if (QD_LIKELY(*out != NULL))
		return QD_OK;
	struct target sized;
	QD_TRY(jit_sized_target(t, size, dev->sizes, &sized, err));
	QD_TRY(jit_target(dev->ctx, &sized, out, err));
	if (!dev->ctx->no_facts && (*out)->other)
		*out = (*out)->other;
	atomic_store_explicit(at, *out, memory_order_release);
	return QD_OK;
}

qd_status
qd_function_get(struct qd_device *dev, const struct qd_kernel *kernel, const struct qd_tmpl *tmpl,
		uint32_t n_tmpl, struct qd_function **out, struct qd_error *err)
{
	QD_CHECK_ARG(dev, err, "the device is NULL");
	QD_CHECK_ARG(kernel, err, "the kernel is NULL");
	QD_CHECK_ARG(kernel->ctx == dev->ctx, err, "kernel and device have different contexts");
	QD_CHECK_ARG(tmpl || n_tmpl == 0, err, "the template values are NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_FORK(dev, err);
	const struct jit_target *target;
	struct jit_key key;
	QD_TRY(pick_target(dev, kernel, &target, err));
	QD_TRY(jit_key_init(&key, kernel, target, tmpl, n_tmpl, err));
	key.device = dev->info.selector;
	pthread_mutex_lock(&dev->lock);
	struct qd_function *f = find(dev, &key);
	if (QD_LIKELY(f != NULL)) {
		take(f);
		jit_hits_add(&dev->hits);
	}
	pthread_mutex_unlock(&dev->lock);
	if (QD_LIKELY(f != NULL)) {
		*out = f;
		return QD_OK;
	}
	struct qd_image *img;
	QD_TRY(jit_get_key(dev->ctx, &key, &img, err));
	qd_status st = load(dev, &key, img, out, err);
	qd_image_free(img);
	return st;
}

qd_status
qd_function_load(struct qd_device *dev, struct qd_image *image, struct qd_function **out,
		 struct qd_error *err)
{
	QD_CHECK_ARG(dev, err, "the device is NULL");
	QD_CHECK_ARG(image, err, "the image is NULL");
	QD_CHECK_ARG(image->ctx == dev->ctx, err, "image and device have different contexts");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_FORK(dev, err);
	struct jit_key key;
	jit_key_of(&key, image);
	key.device = dev->info.selector;
	return load(dev, &key, image, out, err);
}

static qd_status
load_general(struct qd_function *fn, struct qd_function **out, struct qd_error *err)
{
	struct qd_device *dev = fn->dev;
	const struct qd_image *from = fn->image;
	struct qd_image *img;
	struct jit_key key;

	QD_TRY(jit_general(from, &img, err));
	jit_key_of(&key, img);
	key.device = dev->info.selector;
	qd_status st = load(dev, &key, img, out, err);
	qd_image_free(img);
	return st;
}

qd_status
function_general(struct qd_function *fn, struct qd_function **out, struct qd_error *err)
{
	struct qd_function *made, *none = NULL;

	*out = atomic_load_explicit(&fn->general, memory_order_acquire);
	if (QD_LIKELY(*out != NULL))
		return QD_OK;
	QD_TRY(load_general(fn, &made, err));
	/* Other threads have loaded the same function: only one reference remains. */
	if (!atomic_compare_exchange_strong(&fn->general, &none, made)) {
		pthread_mutex_lock(&fn->dev->lock);
		let_go(made);
		pthread_mutex_unlock(&fn->dev->lock);
	}
	*out = made;
	return QD_OK;
}

void
qd_function_free(struct qd_function *fn)
{
	if (!fn || device_forked(fn->dev, __func__))
		return;
	struct qd_device *dev = fn->dev;
	struct qd_function *out = NULL;
	pthread_mutex_lock(&dev->lock);
	bool held = let_go(fn), stuck = false;
	if (QD_LIKELY(held) && !fn->refs) {
		const uint32_t most = dev->ctx->max_functions;
		out = unused_shed(dev, most, LOOK);
		stuck = !out && atomic_load(&dev->hits.n_unused) > most;
	}
	pthread_mutex_unlock(&dev->lock);
	unused_unload(out);
	/* Unused functions may wait for a batch that no other thread submits. */
	if (stuck)
		streams_kick(dev);
	if (!held)
		ctx_log(dev->ctx, QD_LOG_ERROR, "device",
			"%s: the function was already freed as often as it was obtained; this call "
			"does nothing",
			__func__);
}

qd_status
qd_function_info(const struct qd_function *fn, struct qd_function_info *out, struct qd_error *err)
{
	QD_CHECK_ARG(fn, err, "the function is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = fn->info;
	return QD_OK;
}
