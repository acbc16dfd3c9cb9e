/* Buffers, with a host side and a GPU side. New VRAM contains random bytes, and a freed buffer is
 * unmapped from the host immediately. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake.h"

enum { RUBBISH = 1 << 20 };

/* -- Backing memory ---------------------------------------------------------------- */

static uint8_t *
map_zeros(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static int
rubbish_file(void)
{
	static int file = -1;
	uint8_t text[4096];
	if (file >= 0)
		return file;
	file = memfd_create("rubbish", MFD_CLOEXEC);
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (uint8_t)(0xa5 ^ i * 29);
	for (int i = 0; file >= 0 && i < RUBBISH / (int)sizeof text; i++)
		if (write(file, text, sizeof text) != (ssize_t)sizeof text)
			abort();
	return file;
}

/* Maps pages of random bytes: copy-on-write mappings of one file, repeated. */
static uint8_t *
map_rubbish(size_t size)
{
	int file = rubbish_file();
	uint8_t *at = file < 0 ? NULL : map_zeros(size);
	for (size_t i = 0; at && i < size; i += RUBBISH) {
		size_t part = size - i < RUBBISH ? size - i : RUBBISH;
		if (mmap(at + i, part, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED) {
			munmap(at, size);
			return NULL;
		}
	}
	return at;
}

static bool
has_host(const struct bo_request *q)
{
	return !(q->flags & BO_NO_CPU_ACCESS);
}

static bool
make_sides(struct bo *b, bool host)
{
	bool rubbish = b->heap == DOMAIN_VRAM && !(b->flags & BO_CLEARED);
	size_t n_pages = (size_t)(b->size / PAGE);
	if (host && !b->user)
		b->host = rubbish ? map_rubbish((size_t)b->size) : map_zeros((size_t)b->size);
	b->gpu = rubbish && !host ? map_rubbish((size_t)b->size) : map_zeros((size_t)b->size);
	b->pages = calloc(n_pages, sizeof(struct page *));
	return b->gpu && b->pages && (b->host || !host);
}

static void
free_sides(struct bo *b)
{
	for (uint64_t i = 0; b->pages && i < b->size / PAGE; i++)
		mem_page_free(b->pages[i]);
	free(b->pages);
	if (b->gpu)
		munmap(b->gpu, (size_t)b->size);
	if (b->host && !b->user)
		munmap(b->host, (size_t)b->size);
	b->pages = NULL;
	b->gpu = b->host = NULL;
}

static uint64_t *
used(struct device *d, uint32_t heap)
{
	return heap == DOMAIN_VRAM ? &d->used_vram : &d->used_gtt;
}

/* -- Creation and destruction ------------------------------------------------------ */

enum { USED_ONCE = 4096 };
static struct bo **by_handle;
static uint32_t n_handles, cap_handles, next_handle;

/* Handles are small numbers. They are reused only after many allocations. */
static bool
take_handle(struct bo *b)
{
	for (uint32_t i = 0; n_handles >= USED_ONCE && i < n_handles; i++) {
		next_handle = (next_handle + 1) % n_handles;
		if (by_handle[next_handle])
			continue;
		by_handle[next_handle] = b;
		b->handle = next_handle + 1;
		return true;
	}
	if (n_handles == cap_handles) {
		uint32_t cap = cap_handles ? 2 * cap_handles : 256;
		struct bo **to = realloc(by_handle, cap * sizeof *to);
		if (!to)
			return false;
		by_handle = to;
		cap_handles = cap;
	}
	by_handle[n_handles++] = b;
	b->handle = n_handles;
	return true;
}

struct bo *
bo_of_handle(struct device *d, uint32_t handle)
{
	struct bo *b = handle && handle <= n_handles ? by_handle[handle - 1] : NULL;
	return b && b->d == d && !b->o.dead ? b : NULL;
}

void
bos_lost(struct device *d)
{
	for (uint32_t i = 0; i < n_handles; i++) {
		struct bo *b = by_handle[i];
		if (!b || b->d != d || b->heap != DOMAIN_VRAM)
			continue;
		for (uint64_t k = 0; k < b->size / PAGE; k++) {
			mem_page_free(b->pages[k]);
			b->pages[k] = NULL;
		}
		/* A private mapping has its first contents again at the next access. */
		madvise(b->gpu, (size_t)b->size, MADV_DONTNEED);
		if (b->host)
			madvise(b->host, (size_t)b->size, MADV_DONTNEED);
	}
}

/* Adds the buffers that every submission may access. */
void
bos_always(struct device *d, struct job *j)
{
	for (uint32_t i = 0; i < n_handles; i++) {
		struct bo *b = by_handle[i];
		bool listed = !b || b->d != d || !(b->flags & BO_ALWAYS_VALID);
		for (uint32_t k = 0; k < j->n_bos && !listed; k++)
			listed = j->bos[k] == b;
		if (listed)
			continue;
		b->refs++;
		b->n_jobs++;
		j->bos[j->n_bos++] = b;
	}
}

static int
refuse(const char *what, uint64_t v)
{
	fake_report(CHECK_bo_args, "amdgpu_bo_alloc", "%s (0x%llx)", what, (unsigned long long)v);
	return -EINVAL;
}

static int
check_request(const struct device *d, const struct bo_request *q)
{
	const struct config *c = fake_config();
	bool vram = q->heap == DOMAIN_VRAM;
	uint64_t size = (uint64_t)(vram ? c->vram : c->gtt) << 20;
	uint64_t visible = (uint64_t)c->visible << 20;
	if (q->heap != DOMAIN_VRAM && q->heap != DOMAIN_GTT)
		return refuse("a heap that is neither VRAM nor GTT", q->heap);
	if (!q->size)
		return refuse("no size", 0);
	if (q->flags & ~(uint64_t)BO_KNOWN_FLAGS)
		return refuse("unknown flags", q->flags);
	if ((q->flags & BO_CPU_ACCESS) && (q->flags & BO_NO_CPU_ACCESS))
		return refuse("flags that contradict each other", q->flags);
	if (q->align & (q->align - 1))
		return refuse("an alignment that is not a power of two", q->align);
	if (q->size > size || (vram ? d->used_vram : d->used_gtt) > size - q->size)
		return -ENOMEM;
	if (vram && (q->flags & BO_CPU_ACCESS) && q->size > visible)
		return -ENOMEM;
	return 0;
}

static int
bo_new(struct device *d, const struct bo_request *q, void *user, struct bo **out)
{
	struct bo *b = calloc(1, sizeof *b);
	uint64_t page = fake_config()->page, size = (q->size + page - 1) / page * page;
	if (!b)
		return -ENOMEM;
	*b = (struct bo){ .d = d,
			  .refs = 1,
			  .heap = q->heap,
			  .size = size,
			  .flags = q->flags,
			  .host = user,
			  .user = user != NULL };
	if (!make_sides(b, user || has_host(q)) || !take_handle(b)) {
		free_sides(b);
		free(b);
		return -ENOMEM;
	}
	object_add(&b->o, BO);
	d->n_bos++;
	d->n_always += (b->flags & BO_ALWAYS_VALID) != 0;
	*used(d, b->heap) += size;
	*out = b;
	return 0;
}

int
amdgpu_bo_alloc(struct device *d, struct bo_request *q, struct bo **out)
{
	int r = fake_call(__func__);
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	r = object_ok(__func__, d, DEVICE) ? check_request(d, q) : -EINVAL;
	if (!r)
		r = bo_new(d, q, NULL, out);
	pthread_mutex_unlock(&lock);
	return r;
}

int
amdgpu_create_bo_from_user_mem(struct device *d, void *at, uint64_t size, struct bo **out)
{
	struct bo_request q = { .size = size, .heap = DOMAIN_GTT };
	int r = fake_call(__func__);
	if (r)
		return r;
	if (!at || (uintptr_t)at % PAGE || size % PAGE)
		return refuse("memory that does not begin and end at a page", (uintptr_t)at | size);
	pthread_mutex_lock(&lock);
	r = object_ok(__func__, d, DEVICE) ? check_request(d, &q) : -EINVAL;
	if (!r)
		r = bo_new(d, &q, at, out);
	pthread_mutex_unlock(&lock);
	return r;
}

/* Removes the remaining mappings as well, as the kernel does when it closes a handle. */
static void
unmap_all(struct bo *b)
{
	struct vm *vm = b->d->vm, *to;
	uint32_t n = 0;
	for (uint32_t i = 0; i < vm->n; i++)
		n += vm->maps[i].bo == b;
	to = n ? malloc(sizeof *to + vm->n * sizeof *to->maps) : NULL;
	if (!n)
		return;
	if (!to)
		abort();
	to->refs = 1;
	to->n = 0;
	for (uint32_t i = 0; i < vm->n; i++)
		if (vm->maps[i].bo != b)
			to->maps[to->n++] = vm->maps[i];
	vm_unref(vm);
	b->d->vm = to;
}

void
bo_unref(struct bo *b)
{
	if (--b->refs)
		return;
	unmap_all(b);
	*used(b->d, b->heap) -= b->size;
	b->d->n_bos--;
	b->d->n_always -= (b->flags & BO_ALWAYS_VALID) != 0;
	by_handle[b->handle - 1] = NULL;
	free_sides(b);
	object_end(&b->o);
}

int
amdgpu_bo_free(struct bo *b)
{
	int r = fake_call(__func__);
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, b, BO)) {
		r = -EINVAL;
	} else {
		if (b->n_jobs && b->refs == 1 + b->n_jobs)
			fake_report(CHECK_busy, __func__, "a buffer of %llu bytes",
				  (unsigned long long)b->size);
		bo_unref(b);
	}
	pthread_mutex_unlock(&lock);
	return r;
}

void
amdgpu_bo_inc_ref(struct bo *b)
{
	pthread_mutex_lock(&lock);
	if (object_ok(__func__, b, BO))
		b->refs++;
	pthread_mutex_unlock(&lock);
}

/* -- Host mappings ----------------------------------------------------------------- */

/* Returns whether the host cannot map this buffer: it did not request host-visible VRAM and is
 * larger than that. */
static bool
is_hidden(const struct bo *b)
{
	uint64_t visible = (uint64_t)fake_config()->visible << 20;
	return b->heap == DOMAIN_VRAM && !(b->flags & BO_CPU_ACCESS) && b->size > visible;
}

int
amdgpu_bo_cpu_map(struct bo *b, void **out)
{
	int r = fake_call(__func__);
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, b, BO))
		r = -EINVAL;
	else if (!b->host || b->user || is_hidden(b))
		r = b->host ? -EINVAL : -EPERM;
	else {
		b->n_maps++;
		*out = b->host;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int
amdgpu_bo_cpu_unmap(struct bo *b)
{
	int r = fake_call(__func__);
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, b, BO)) {
		r = -EINVAL;
	} else if (!b->n_maps) {
		fake_report(CHECK_unmap, __func__, "it was not mapped");
		r = -EINVAL;
	} else {
		b->n_maps--;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int
amdgpu_bo_wait_for_idle(struct bo *b, uint64_t timeout_ns, bool *busy)
{
	int r = fake_call(__func__);
	uint64_t end = timeout_ns > UINT64_MAX / 4 ? UINT64_MAX / 4 : now_ns() + timeout_ns;
	struct timespec t = { (time_t)(end / 1000000000), (long)(end % 1000000000) };
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, b, BO)) {
		pthread_mutex_unlock(&lock);
		return -EINVAL;
	}
	while (b->n_jobs && !pthread_cond_timedwait(&moved, &lock, &t))
		;
	*busy = b->n_jobs != 0;
	pthread_mutex_unlock(&lock);
	return 0;
}

int
amdgpu_bo_query_info(struct bo *b, struct bo_info *out)
{
	int r = fake_call(__func__);
	if (r)
		return r;
	memset(out, 0, sizeof *out);
	out->size = b->size;
	out->align = PAGE;
	out->heap = b->heap;
	out->flags = b->flags;
	return 0;
}

/* -- Handles ----------------------------------------------------------------------- */

int
amdgpu_bo_export(struct bo *b, int type, uint32_t *out)
{
	enum { KMS = 1, KMS_NOIMPORT = 3 };
	int r = fake_call(__func__);
	if (r)
		return r;
	if (type != KMS && type != KMS_NOIMPORT)
		return -ENOSYS; /* names and files serve other processes, of which there are none */
	*out = b->handle;
	return 0;
}

int
amdgpu_bo_import(struct device *d, int type, uint32_t handle, void *out)
{
	(void)d, (void)type, (void)handle, (void)out;
	fake_call(__func__);
	return -ENOSYS;
}

int
amdgpu_bo_set_metadata(struct bo *b, void *info)
{
	(void)b, (void)info;
	return fake_call(__func__);
}

int
amdgpu_find_bo_by_cpu_mapping(struct device *d, void *at, uint64_t size, struct bo **out,
			      uint64_t *offset)
{
	uint8_t *p = at;
	int r = fake_call(__func__);
	if (r)
		return r;
	r = -ENXIO;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < n_handles && r; i++) {
		struct bo *b = by_handle[i];
		if (!b || b->d != d || !b->host || p < b->host || p >= b->host + b->size ||
		    size > (uint64_t)(b->host + b->size - p))
			continue;
		b->refs++;
		*out = b;
		*offset = (uint64_t)(p - b->host);
		r = 0;
	}
	pthread_mutex_unlock(&lock);
	return r;
}
