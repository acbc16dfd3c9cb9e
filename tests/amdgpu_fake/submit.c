/* Submissions: the kernel's checks before it accepts one, by amdgpu_cs.c. */
#include <errno.h>
#include <stdlib.h>

#include "fake.h"

enum { MAX_WORDS = 0xfffff, MAX_STREAMS = 64, MEM_SYNC_MINOR = 38 };

/* A submission, through any of the calls. */
struct request {
	const char *call;
	struct ctx *ctx;
	struct entity *e;
	struct bo_list *list;
	struct bo **bos; /* of the submission's own list */
	uint32_t n_bos;
	struct cs_ib ibs[MAX_STREAMS];
	uint32_t n_ibs;
	const struct cs_fence *deps;
	uint32_t n_deps;
};

static int
refuse(const struct request *q, const char *what, uint64_t v)
{
	fake_report(CHECK_submit_args, q->call, "%s (0x%llx)", what, (unsigned long long)v);
	return -EINVAL;
}

void
job_free(struct job *j)
{
	for (uint32_t i = 0; i < j->n_streams; i++)
		free(j->streams[i].words);
	for (uint32_t i = 0; i < j->n_bos; i++) {
		j->bos[i]->n_jobs--;
		bo_unref(j->bos[i]);
	}
	free(j->streams);
	free(j->bos);
	free(j->deps);
	free(j->touched);
	free(j);
}

static int
add_stream(const struct request *q, const struct cs_ib *ib, const struct job *j, struct stream *s)
{
	uint64_t bytes = 4 * (uint64_t)ib->size;
	const struct map *m = vm_find(q->ctx->d->vm, ib->va);
	if (!ib->size || ib->size > MAX_WORDS) {
		fake_report(CHECK_ib_size, q->call, "%u words; there may be 1 to %d", ib->size,
			  MAX_WORDS);
		return -EINVAL;
	}
	if (!m || m->size - (ib->va - m->va) < bytes) {
		fake_report(CHECK_ib_mapped, q->call, "%llu bytes at 0x%llx, where %s",
			    (unsigned long long)bytes, (unsigned long long)ib->va,
			    m ? "the mapping ends earlier" : "nothing is mapped");
		return -EINVAL;
	}
	if (ib->flags & ~(uint64_t)IB_KNOWN_FLAGS)
		return refuse(q, "unknown flags of a stream", ib->flags);
	if ((ib->flags & IB_EMIT_MEM_SYNC) && fake_config()->minor < MEM_SYNC_MINOR)
		return refuse(q, "EMIT_MEM_SYNC, which this kernel does not support", ib->flags);
	*s = (struct stream){ .va = ib->va, .n = ib->size, .flags = (uint32_t)ib->flags };
	/* A buffer that is not listed may be freed before the stream is compared again. */
	for (uint32_t i = 0; i < j->n_bos; i++)
		s->bo = j->bos[i] == m->bo ? m->bo : s->bo;
	s->at = m->off + (ib->va - m->va);
	if (!s->bo || !s->bo->host)
		return 0;
	s->words = malloc(bytes);
	if (!s->words)
		return -ENOMEM;
	copy_unreported((uint8_t *)s->words, s->bo->host + s->at, bytes);
	return 0;
}

static int
add_dep(const struct request *q, const struct cs_fence *f, struct job *j)
{
	struct entity *e = f->ctx && object_ok(q->call, f->ctx, CTX)
				   ? entity_of(f->ctx, f->ip_type, f->ip_instance, f->ring)
				   : NULL;
	if (!e || f->ctx->d != q->ctx->d)
		return refuse(q, "a dependency on a ring that this device lacks", f->ring);
	if (f->fence > e->last)
		return refuse(q, "a dependency on a fence that was never issued", f->fence);
	if (f->fence > e->passed) {
		j->deps[j->n_deps].e = e;
		j->deps[j->n_deps++].seq = f->fence;
	}
	return 0;
}

static int
fill(const struct request *q, struct job *j)
{
	struct bo **bos = q->list ? q->list->bos : q->bos;
	uint32_t n = q->list ? q->list->n : q->n_bos;
	int r = 0;
	j->streams = calloc(q->n_ibs, sizeof *j->streams);
	j->bos = calloc(n + q->ctx->d->n_always + 1, sizeof(struct bo *));
	j->deps = calloc(q->n_deps + 1, sizeof *j->deps);
	if (!j->streams || !j->bos || !j->deps)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		bos[i]->refs++;
		bos[i]->n_jobs++;
		j->bos[j->n_bos++] = bos[i];
	}
	if (q->ctx->d->n_always)
		bos_always(q->ctx->d, j);
	for (uint32_t i = 0; i < q->n_ibs && !r; i++) {
		r = add_stream(q, &q->ibs[i], j, &j->streams[i]);
		j->n_streams += !r;
	}
	for (uint32_t i = 0; i < q->n_deps && !r; i++)
		r = add_dep(q, &q->deps[i], j);
	return r;
}

/* Waits while the maximum number of remembered fences is in flight, as the kernel does. */
static int
take(const struct request *q, uint64_t *seq)
{
	static uint64_t last;
	struct entity *e = q->e;
	struct job *j;
	int r = ctx_refuses(q->ctx);
	if (r)
		return r;
	while (e->last - e->passed >= FENCES)
		pthread_cond_wait(&moved, &lock);
	j = calloc(1, sizeof *j);
	if (!j)
		return -ENOMEM;
	r = fill(q, j);
	if (r) {
		job_free(j);
		return r;
	}
	j->e = e;
	j->id = ++last;
	j->seq = *seq = ++e->last;
	struct job **at = &e->first;
	while (*at)
		at = &(*at)->next;
	*at = j;
	pthread_cond_broadcast(&moved);
	return 0;
}

static int
find_ring(struct request *q, uint32_t ip, uint32_t instance, uint32_t ring)
{
	q->e = ip < N_IP && ring < MAX_RINGS ? entity_of(q->ctx, ip, instance, ring) : NULL;
	return q->e ? 0 : refuse(q, "a ring that does not exist", (uint64_t)ip << 16 | ring);
}

/* -- amdgpu_cs_submit -------------------------------------------------------------- */

static int
submit_one(struct ctx *c, struct cs_request *r)
{
	struct request q = { .call = "amdgpu_cs_submit",
			     .ctx = c,
			     .list = r->list,
			     .deps = r->deps,
			     .n_deps = r->n_deps };
	int err = find_ring(&q, r->ip_type, r->ip_instance, r->ring);
	if (err)
		return err;
	if (!r->n_ibs) {
		r->seq = 0;
		return 0;
	}
	if (r->n_ibs > MAX_STREAMS)
		return refuse(&q, "too many streams", r->n_ibs);
	if (r->list && (!object_ok(q.call, r->list, LIST) || r->list->d != c->d))
		return -EINVAL;
	if (r->flags)
		return refuse(&q, "flags of a submission", r->flags);
	if (r->fence.bo)
		return refuse(&q, "a user fence, which is not modeled", r->fence.offset);
	memcpy(q.ibs, r->ibs, r->n_ibs * sizeof *r->ibs);
	q.n_ibs = r->n_ibs;
	return take(&q, &r->seq);
}

int
amdgpu_cs_submit(struct ctx *c, uint64_t flags, struct cs_request *requests, uint32_t n)
{
	int r = fake_call(__func__);
	if (r)
		return r;
	if (!c || !requests || !n)
		return -EINVAL;
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, c, CTX)) {
		r = -EINVAL;
	} else if (flags) {
		fake_report(CHECK_submit_args, __func__, "flags 0x%llx", (unsigned long long)flags);
		r = -EINVAL;
	}
	for (uint32_t i = 0; i < n && !r; i++)
		r = submit_one(c, &requests[i]);
	pthread_mutex_unlock(&lock);
	return r;
}

/* -- amdgpu_cs_submit_raw ---------------------------------------------------------- */

static struct ctx *
ctx_of_id(const struct device *d, uint32_t id)
{
	struct ctx *c = d->ctxs;
	while (c && c->id != id)
		c = c->next;
	return c;
}

static int
read_stream(struct request *q, const struct cs_chunk *c)
{
	const struct cs_chunk_ib *ib = (const void *)(uintptr_t)c->data;
	if (c->n_words < sizeof *ib / 4 || ib->bytes % 4 || q->n_ibs == MAX_STREAMS)
		return refuse(
			q, "a stream chunk that is too short, or whose size is not a multiple of 4",
			c->n_words);
	struct entity *was = q->e;
	int r = find_ring(q, ib->ip_type, ib->ip_instance, ib->ring);
	if (!r && was && was != q->e)
		r = refuse(q, "streams for two different rings", ib->ring);
	q->ibs[q->n_ibs++] = (struct cs_ib){ ib->flags, ib->va, ib->bytes / 4 };
	return r;
}

static int
read_deps(struct request *q, const struct cs_chunk *c, struct cs_fence **deps)
{
	const struct cs_chunk_dep *from = (const void *)(uintptr_t)c->data;
	uint32_t n = c->n_words / (uint32_t)(sizeof *from / 4);
	struct cs_fence *to = realloc(*deps, (q->n_deps + n + 1) * sizeof *to);
	if (!to)
		return -ENOMEM;
	*deps = to;
	for (uint32_t i = 0; i < n; i++)
		to[q->n_deps++] =
			(struct cs_fence){ ctx_of_id(q->ctx->d, from[i].ctx), from[i].ip_type,
					   from[i].ip_instance, from[i].ring, from[i].handle };
	q->deps = to;
	return 0;
}

static int
read_handles(struct request *q, const struct cs_chunk *c)
{
	const struct list_in *in = (const void *)(uintptr_t)c->data;
	const struct list_entry *e = (const void *)(uintptr_t)in->entries;
	if (c->n_words < sizeof *in / 4 || in->entry_size != sizeof *e || q->bos || q->list)
		return refuse(q, "a chunk of handles in addition to a list, or of an invalid size",
			      c->n_words);
	q->bos = calloc(in->n + 1, sizeof(struct bo *));
	if (!q->bos)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->n; i++) {
		q->bos[i] = bo_of_handle(q->ctx->d, e[i].bo);
		if (!q->bos[i])
			return refuse(q, "a handle that names no buffer", e[i].bo);
	}
	q->n_bos = in->n;
	return 0;
}

static int
submit_chunks(struct request *q, int n, const struct cs_chunk *chunks, uint64_t *seq)
{
	struct cs_fence *deps = NULL;
	int r = n > 0 ? 0 : refuse(q, "no chunks", (uint64_t)n);
	for (int i = 0; i < n && !r; i++) {
		switch (chunks[i].id) {
		case CHUNK_IB: r = read_stream(q, &chunks[i]); break;
		case CHUNK_DEPENDENCIES: r = read_deps(q, &chunks[i], &deps); break;
		case CHUNK_BO_HANDLES: r = read_handles(q, &chunks[i]); break;
		default: r = refuse(q, "a chunk that is not modeled", chunks[i].id);
		}
	}
	if (!r && !q->n_ibs)
		r = refuse(q, "no stream", 0);
	if (!r)
		r = take(q, seq);
	free(deps);
	free(q->bos);
	return r;
}

int
amdgpu_cs_submit_raw2(struct device *d, struct ctx *c, uint32_t list, int n,
		      struct cs_chunk *chunks, uint64_t *seq)
{
	struct request q = { .call = __func__, .ctx = c };
	int r = fake_call(__func__);
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, d, DEVICE) || !object_ok(__func__, c, CTX) || c->d != d) {
		r = -EINVAL;
	} else if (list && !(q.list = list_of_id(d, list))) {
		fake_report(CHECK_handle, __func__, "no list has the number %u", list);
		r = -EINVAL;
	} else {
		r = submit_chunks(&q, n, chunks, seq);
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int
amdgpu_cs_submit_raw(struct device *d, struct ctx *c, struct bo_list *l, int n,
		     struct cs_chunk *chunks, uint64_t *seq)
{
	return amdgpu_cs_submit_raw2(d, c, l ? l->id : 0, n, chunks, seq);
}
