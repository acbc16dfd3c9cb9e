/* Device access for the bring-up steps: opening, memory, submission, waiting, and error
 * messages. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bringup.h"

enum { WAIT_SECONDS = 5 };

enum bringup_state
bringup_say(struct bringup *l, enum bringup_state state, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->text, sizeof l->text, fmt, ap);
	va_end(ap);
	return state;
}

enum bringup_state
bringup_call_failed(struct bringup *l, const char *call, int r)
{
	return bringup_say(l, BRINGUP_FAILED, "%s failed: %s (%d)", call, kgd_result_name(r), r);
}

/* For functions that return bool. */
#define BRINGUP_TRY(l, name, ...)                                                                  \
	do {                                                                                       \
		int bringup_try_ = (l)->drm->name(__VA_ARGS__);                                    \
		if (bringup_try_ != 0) {                                                           \
			bringup_call_failed(l, #name, bringup_try_);                               \
			return false;                                                              \
		}                                                                                  \
	} while (0)

/* -- Memory --------------------------------------------------------------------------- */

bool
bringup_memory(struct bringup *l, struct bringup_memory *m, uint32_t domain, uint64_t flags,
	      uint64_t size)
{
	uint64_t page = l->physical.page;
	size = (size + page - 1) / page * page;
	struct kgd_bo_request ask = {
		.size = size, .alignment = page, .domain = domain, .flags = flags
	};

	m->size = size;
	BRINGUP_TRY(l, amdgpu_bo_alloc, l->handle, &ask, &m->bo);
	BRINGUP_TRY(l, amdgpu_va_range_alloc, l->handle, KGD_VA_GENERAL, size, page, 0, &m->addr,
		   &m->va, 0);
	BRINGUP_TRY(l, amdgpu_bo_va_op_raw, l->handle, m->bo, 0, size, m->addr, KGD_PAGE_ALL,
		   KGD_VA_MAP);
	m->mapped = true;
	BRINGUP_TRY(l, amdgpu_bo_cpu_map, m->bo, &m->host);
	return true;
}

void
bringup_memory_free(struct bringup *l, struct bringup_memory *m)
{
	if (m->host)
		l->drm->amdgpu_bo_cpu_unmap(m->bo);
	if (m->mapped)
		l->drm->amdgpu_bo_va_op_raw(l->handle, m->bo, 0, m->size, m->addr, 0, KGD_VA_UNMAP);
	if (m->va)
		l->drm->amdgpu_va_range_free(m->va);
	if (m->bo)
		l->drm->amdgpu_bo_free(m->bo);
	*m = (struct bringup_memory){ 0 };
}

uint32_t *
bringup_out(struct bringup *l, unsigned slot)
{
	return (uint32_t *)l->data.host + slot * (BRINGUP_OUT_SIZE / 4);
}

uint32_t *
bringup_in(struct bringup *l)
{
	return (uint32_t *)l->data.host + BRINGUP_IN_AT / 4;
}

/* -- The device ----------------------------------------------------------------------- */

bool
bringup_open(struct bringup *l)
{
	uint32_t major, minor;

	l->fd = l->drm->drmOpenRender(l->physical.minor);
	if (l->fd < 0) {
		bringup_call_failed(l, "drmOpenRender", l->fd);
		return false;
	}
	BRINGUP_TRY(l, amdgpu_device_initialize, l->fd, &major, &minor, &l->handle);
	kgd_library_hold();
	BRINGUP_TRY(l, amdgpu_query_info, l->handle, KGD_INFO_DEVICE, sizeof l->info, &l->info);
	BRINGUP_TRY(l, amdgpu_query_hw_ip_info, l->handle, KGD_IP_COMPUTE, 0, &l->compute);
	BRINGUP_TRY(l, amdgpu_cs_ctx_create2, l->handle, KGD_PRIORITY_NORMAL, &l->ctx);
	return true;
}

void
bringup_close(struct bringup *l)
{
	if (l->list)
		l->drm->amdgpu_bo_list_destroy(l->list);
	if (l->ctx)
		l->drm->amdgpu_cs_ctx_free(l->ctx);
	bringup_memory_free(l, &l->stream);
	bringup_memory_free(l, &l->data);
	bringup_memory_free(l, &l->code);
	if (l->handle) {
		l->drm->amdgpu_device_deinitialize(l->handle);
		kgd_library_release();
	}
	if (l->fd >= 0)
		close(l->fd);
}

/* -- Submitting ------------------------------------------------------------------------- */

uint32_t *
bringup_words(struct bringup *l, unsigned slot)
{
	return (uint32_t *)l->stream.host + slot * BRINGUP_SLOT_WORDS;
}

void
bringup_begin(struct bringup *l, unsigned slot, struct pm4 *p, struct qd_error *err)
{
	l->engine = KGD_IP_COMPUTE;
	pm4_begin(p, l->gpu->gen, bringup_words(l, slot), BRINGUP_SLOT_WORDS, err);
}

bool
bringup_submit(struct bringup *l, unsigned slot, struct pm4 *p)
{
	pm4_pad(p);
	if (p->st) {
		bringup_say(l, BRINGUP_FAILED, "the stream cannot be written: %.400s",
			    p->err->text);
		return false;
	}
	return bringup_submit_words(l, slot, p->n);
}

bool
bringup_submit_words(struct bringup *l, unsigned slot, uint32_t n)
{
	struct kgd_ib ib = {
		.addr = l->stream.addr + slot * BRINGUP_SLOT_WORDS * 4,
		.n_words = n,
	};
	struct kgd_request r = { .ip_type = l->engine, .list = l->list, .n_ibs = 1, .ibs = &ib };

	l->n_words[slot] = n;
	l->shown = l->last = (int)slot;
	atomic_thread_fence(memory_order_seq_cst);
	BRINGUP_TRY(l, amdgpu_cs_submit, l->ctx, 0, &r, 1);
	l->seq[slot] = r.seq;
	l->shown = -1;
	return true;
}

bool
bringup_wait(struct bringup *l, unsigned slot)
{
	struct kgd_fence f = { .ctx = l->ctx, .ip_type = l->engine, .seq = l->seq[slot] };
	uint32_t expired = 0;

	l->shown = (int)slot;
	BRINGUP_TRY(l, amdgpu_cs_query_fence_status, &f, (uint64_t)WAIT_SECONDS * 1000000000, 0,
		   &expired);
	if (!expired) {
		bringup_say(l, BRINGUP_FAILED, "it did not finish within %d seconds", WAIT_SECONDS);
		return false;
	}
	l->shown = -1;
	atomic_thread_fence(memory_order_seq_cst);
	return true;
}
