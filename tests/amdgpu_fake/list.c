/* Buffer lists. A list holds references to its buffers until it is destroyed. */
#include <errno.h>
#include <stdlib.h>

#include "fake.h"

enum { USED_ONCE = 4096 };
static struct bo_list **by_id;
static uint32_t n_ids, cap_ids, next_id;

/* Returns whether numbers are reused, which begins after many lists. */
static bool
take_id(struct bo_list *l)
{
	for (uint32_t i = 0; n_ids >= USED_ONCE && i < n_ids; i++) {
		next_id = (next_id + 1) % n_ids;
		if (by_id[next_id])
			continue;
		by_id[next_id] = l;
		l->id = next_id + 1;
		return true;
	}
	if (n_ids == cap_ids) {
		uint32_t cap = cap_ids ? 2 * cap_ids : 64;
		struct bo_list **to = realloc(by_id, cap * sizeof *to);
		if (!to)
			return false;
		by_id = to;
		cap_ids = cap;
	}
	by_id[n_ids++] = l;
	l->id = n_ids;
	return true;
}

struct bo_list *
list_of_id(struct device *d, uint32_t id)
{
	struct bo_list *l = id && id <= n_ids ? by_id[id - 1] : NULL;
	return l && l->d == d && !l->o.dead ? l : NULL;
}

static void
drop(struct bo_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		bo_unref(l->bos[i]);
	free(l->bos);
	l->bos = NULL;
	l->n = 0;
}

/* The caller holds the lock, which is never released here. */
static int
fill(const char *call, struct bo_list *l, uint32_t n, struct bo *const *bos)
{
	struct bo **to = calloc(n, sizeof(struct bo *));
	if (!to)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		to[i] = bos[i];
		bool ok = bos[i] && object_ok(call, bos[i], BO) && bos[i]->d == l->d;
		for (uint32_t k = 0; ok && k < i; k++)
			ok = to[k] != bos[i];
		if (!ok) {
			fake_report(CHECK_submit_args, call,
				    "buffer %u of the list is invalid, belongs to another device, "
				    "or is a duplicate",
				    i);
			free(to);
			return -EINVAL;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		to[i]->refs++;
	drop(l);
	l->bos = to;
	l->n = n;
	return 0;
}

static int
list_new(const char *call, struct device *d, uint32_t n, struct bo **bos, struct bo_list **out)
{
	struct bo_list *l;
	int r;
	if (!object_ok(call, d, DEVICE))
		return -EINVAL;
	if (!n) {
		fake_report(CHECK_submit_args, call, "an empty list of buffers");
		return -EINVAL;
	}
	l = calloc(1, sizeof *l);
	if (!l)
		return -ENOMEM;
	l->d = d;
	r = fill(call, l, n, bos);
	if (!r && !take_id(l)) {
		drop(l);
		r = -ENOMEM;
	}
	if (r) {
		free(l);
		return r;
	}
	object_add(&l->o, LIST);
	*out = l;
	return 0;
}

int
amdgpu_bo_list_create(struct device *d, uint32_t n, struct bo **bos, uint8_t *priorities,
		      struct bo_list **out)
{
	int r = fake_call(__func__);
	(void)priorities;
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	r = list_new(__func__, d, n, bos, out);
	pthread_mutex_unlock(&lock);
	return r;
}

int
amdgpu_bo_list_create_raw(struct device *d, uint32_t n, const struct list_entry *entries,
			  uint32_t *out)
{
	int r = fake_call(__func__);
	struct bo_list *l;
	struct bo **bos;
	if (r)
		return r;
	bos = calloc(n + 1, sizeof(struct bo *));
	if (!bos)
		return -ENOMEM;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < n; i++)
		bos[i] = bo_of_handle(d, entries[i].bo);
	r = list_new(__func__, d, n, bos, &l);
	if (!r)
		*out = l->id;
	pthread_mutex_unlock(&lock);
	free(bos);
	return r;
}

static void
list_end(struct bo_list *l)
{
	drop(l);
	by_id[l->id - 1] = NULL;
	object_end(&l->o);
}

int
amdgpu_bo_list_destroy(struct bo_list *l)
{
	int r = fake_call(__func__);
	pthread_mutex_lock(&lock);
	if (object_ok(__func__, l, LIST))
		list_end(l);
	else
		r = -EINVAL;
	pthread_mutex_unlock(&lock);
	return r;
}

int
amdgpu_bo_list_destroy_raw(struct device *d, uint32_t id)
{
	int r = fake_call(__func__);
	pthread_mutex_lock(&lock);
	struct bo_list *l = list_of_id(d, id);
	if (l) {
		list_end(l);
	} else {
		fake_report(CHECK_handle, __func__, "no list has the number %u", id);
		r = -EINVAL;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int
amdgpu_bo_list_update(struct bo_list *l, uint32_t n, struct bo **bos, uint8_t *priorities)
{
	int r = fake_call(__func__);
	(void)priorities;
	if (r || !n)
		return r ? r : -EINVAL;
	pthread_mutex_lock(&lock);
	r = object_ok(__func__, l, LIST) ? fill(__func__, l, n, bos) : -EINVAL;
	pthread_mutex_unlock(&lock);
	return r;
}
