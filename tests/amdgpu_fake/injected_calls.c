/* Injected violations in calls: objects, buffers, addresses, submissions, fences. */
#include <errno.h>
#include <string.h>

#include "injected.h"

/* -- Objects, buffers, addresses --------------------------------------------------- */

static int
inject_handle(struct rig *r)
{
	struct bo_request q = { .size = 4096, .heap = DOMAIN_GTT };
	struct bo *b;
	void *p;
	amdgpu_bo_alloc(r->d, &q, &b);
	amdgpu_bo_free(b);
	return amdgpu_bo_cpu_map(b, &p);
}

static int
inject_left(struct rig *r)
{
	uint32_t major, minor;
	struct device *d;
	struct bo *b;
	struct bo_request q = { .size = 4096, .heap = DOMAIN_GTT };
	/* A second device of this test's own. */
	int err = amdgpu_device_initialize2(r->fd, false, &major, &minor, &d);
	if (err || amdgpu_bo_alloc(d, &q, &b))
		return err;
	err = amdgpu_device_deinitialize(d);
	amdgpu_bo_free(b);
	return err;
}

static int
inject_unmap(struct rig *r)
{
	struct bo_request q = { .size = 4096, .heap = DOMAIN_GTT };
	struct bo *b;
	void *p;
	amdgpu_bo_alloc(r->d, &q, &b);
	amdgpu_bo_cpu_map(b, &p);
	amdgpu_bo_cpu_unmap(b);
	int err = amdgpu_bo_cpu_unmap(b);
	amdgpu_bo_free(b);
	return err;
}

static int
inject_bo_args(struct rig *r)
{
	struct bo_request q = { .size = 0, .heap = DOMAIN_GTT };
	struct bo *b;
	return amdgpu_bo_alloc(r->d, &q, &b);
}

static int
map_at(struct rig *r, uint64_t off, uint64_t size, uint64_t va, uint64_t flags)
{
	return amdgpu_bo_va_op_raw(r->d, r->data.bo, off, size, va, flags, VA_MAP);
}

static int
inject_va_align(struct rig *r)
{
	return map_at(r, 0, 4096, (UINT64_C(1) << 40) + 256, 0xe);
}

static int
inject_va_size(struct rig *r)
{
	return map_at(r, 0, 100, UINT64_C(1) << 40, 0xe);
}

static int
inject_va_past(struct rig *r)
{
	return map_at(r, 65536 - 4096, 8192, UINT64_C(1) << 40, 0xe);
}

static int
inject_va_low(struct rig *r)
{
	return map_at(r, 0, 4096, 4096, 0xe);
}

static int
inject_va_hole(struct rig *r)
{
	return map_at(r, 0, 4096, UINT64_C(1) << 48, 0xe);
}

static int
inject_va_flags(struct rig *r)
{
	return map_at(r, 0, 4096, UINT64_C(1) << 40, 0xe | 1 << 20);
}

int amdgpu_cs_create_syncobj(void);

static int
inject_unimplemented(struct rig *r)
{
	(void)r;
	return amdgpu_cs_create_syncobj() == -ENOSYS ? -EINVAL : 0;
}

static int
inject_va_unmap(struct rig *r)
{
	return amdgpu_bo_va_op_raw(r->d, r->data.bo, 0, 4096, UINT64_C(1) << 40, 0, VA_UNMAP) ==
			       -ENOENT
		       ? -EINVAL
		       : 0;
}

static int
inject_va_overlap(struct rig *r)
{
	return map_at(r, 0, 4096, r->data.va + 4096, 0xe);
}

static const uint32_t no_packet = 0xc0001200; /* CLEAR_STATE, at which the queue hangs until it is reset */

/* Submits the usual stream with such a packet, and returns when the queue has reached it: the submission is then
 * pending, and its dispatch has written. */
static int
submit_hanging(struct rig *r)
{
	uint64_t before, jobs, dispatches;
	fake_amdgpu_counts(&before, &dispatches);
	rig_stream(r);
	rig_word(r, no_packet);
	rig_pad(r);
	int err = rig_submit(r);
	do
		fake_amdgpu_counts(&jobs, &dispatches);
	while (!err && jobs == before);
	return err;
}

static int
inject_busy(struct rig *r)
{
	int err = submit_hanging(r);
	if (err)
		return err;
	amdgpu_bo_va_op(r->data.bo, 0, r->data.size, r->data.va, 0, VA_UNMAP);
	amdgpu_bo_va_op(r->data.bo, 0, r->data.size, r->data.va, 0, VA_MAP);
	rig_wait(r);
	return 0;
}

static int
inject_busy_free(struct rig *r)
{
	struct rig_memory was = r->data;
	int err = submit_hanging(r);
	amdgpu_bo_list_destroy(r->list);
	r->list = NULL;
	if (err)
		return err;
	amdgpu_bo_cpu_unmap(was.bo);
	amdgpu_bo_free(was.bo);
	rig_wait(r);
	amdgpu_va_range_free(was.range);
	r->data = (struct rig_memory){ 0 };
	return 0;
}

/* -- Submissions ------------------------------------------------------------------- */

static int
inject_ring(struct rig *r)
{
	r->ring = 7;
	int err = injected_run(r);
	r->ring = 0;
	return err;
}

static int
inject_ib_flags(struct rig *r)
{
	r->ib_flags = 1 << 20;
	return injected_run(r);
}

static int
inject_list_empty(struct rig *r)
{
	struct bo_list *l;
	return amdgpu_bo_list_create(r->d, 0, NULL, NULL, &l);
}

static int
inject_fence(struct rig *r)
{
	int err = injected_run(r);
	r->seq = 99;
	return err ? 0 : rig_wait(r);
}

static int
inject_ib_mapped(struct rig *r)
{
	uint64_t was = r->stream.va;
	r->stream.va = UINT64_C(1) << 40;
	int err = injected_run(r);
	r->stream.va = was;
	return err;
}

static int
inject_ib_end(struct rig *r)
{
	uint64_t was = r->stream.va;
	r->stream.va += r->stream.size - 32;
	int err = injected_run(r);
	r->stream.va = was;
	return err;
}

static int
inject_ib_size(struct rig *r)
{
	r->n = 0;
	return rig_run(r);
}

static int
inject_ib_align(struct rig *r)
{
	r->stream.va += 16;
	r->stream.host += 16;
	int err = injected_run(r);
	r->stream.va -= 16;
	r->stream.host -= 16;
	return err;
}

static int
inject_ib_pad(struct rig *r)
{
	rig_stream(r);
	rig_word(r, 0xffff1000);
	return rig_run(r);
}

static int
inject_ib_listed(struct rig *r)
{
	r->stream.unlisted = true;
	return injected_run(r);
}

static int
inject_ib_edited(struct rig *r)
{
	const uint32_t nop = 0xffff1000;
	int err = submit_hanging(r);
	memcpy(r->stream.host + 4 * (size_t)(r->n - 1), &no_packet, 4);
	if (!err)
		rig_wait(r);
	memcpy(r->stream.host + 4 * (size_t)(r->n - 1), &nop, 4);
	return err;
}

static int
inject_cpu_wrote(struct rig *r)
{
	int err = submit_hanging(r);
	memset(r->args.host, 0x55, 8);
	if (!err)
		rig_wait(r);
	return err;
}

/* -- The table --------------------------------------------------------------------- */

const struct injected injected_calls[] = {
	{ "handle", "gfx1100", inject_handle, NULL, "" },
	{ "left", "gfx1100", inject_left, NULL, "" },
	{ "unimplemented", "gfx1100", inject_unimplemented, NULL, "" },
	{ "unmap", "gfx1100", inject_unmap, NULL, "" },
	{ "bo_args", "gfx1100", inject_bo_args, NULL, "" },
	{ "va_args", "gfx1100", inject_va_align, NULL, "" },
	{ "va_args", "gfx1100", inject_va_size, NULL, "" },
	{ "va_args", "gfx1100", inject_va_past, NULL, "" },
	{ "va_args", "gfx1100", inject_va_low, NULL, "" },
	{ "va_args", "gfx1100", inject_va_hole, NULL, "" },
	{ "va_args", "gfx1100", inject_va_flags, NULL, "" },
	{ "va_args", "gfx1100", inject_va_unmap, NULL, "" },
	{ "va_overlap", "gfx1100", inject_va_overlap, NULL, "" },
	{ "busy", "gfx1100", inject_busy, "packet_opcode", "lost=100000" },
	{ "busy", "gfx1100", inject_busy_free, "packet_opcode", "lost=100000" },
	{ "submit_args", "gfx1100", inject_ring, NULL, "" },
	{ "submit_args", "gfx1100", inject_ring, NULL, "rings=0" },
	{ "submit_args", "gfx1100", inject_ib_flags, NULL, "" },
	{ "submit_args", "gfx1100", inject_list_empty, NULL, "" },
	{ "fence_args", "gfx1100", inject_fence, NULL, "" },
	{ "ib_mapped", "gfx1100", inject_ib_mapped, NULL, "" },
	{ "ib_mapped", "gfx1100", inject_ib_end, NULL, "" },
	{ "ib_size", "gfx1100", inject_ib_size, NULL, "" },
	{ "ib_align", "gfx1100", inject_ib_align, NULL, "" },
	{ "ib_pad", "gfx1100", inject_ib_pad, NULL, "" },
	{ "ib_listed", "gfx1100", inject_ib_listed, NULL, "" },
	{ "ib_edited", "gfx1100", inject_ib_edited, "packet_opcode", "lost=100000" },
	{ "cpu_wrote", "gfx1100", inject_cpu_wrote, "packet_opcode", "lost=100000" },
};
const unsigned n_injected_calls = sizeof injected_calls / sizeof *injected_calls;
