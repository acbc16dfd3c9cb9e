/* Address spaces: allocated ranges and mappings. A change creates a new space, so a running
 * submission keeps the space it began with. */
#include <errno.h>
#include <stdlib.h>

#include "fake.h"

enum { GAP = 1 << 16 }; /* between ranges; never mapped */

void
vm_ref(struct vm *vm)
{
	vm->refs++;
}

void
vm_unref(struct vm *vm)
{
	if (!--vm->refs)
		free(vm);
}

const struct map *
vm_find(const struct vm *vm, uint64_t va)
{
	uint32_t lo = 0, hi = vm->n;
	while (lo < hi) {
		uint32_t at = (lo + hi) / 2;
		if (vm->maps[at].va <= va)
			lo = at + 1;
		else
			hi = at;
	}
	return lo && va - vm->maps[lo - 1].va < vm->maps[lo - 1].size ? &vm->maps[lo - 1] : NULL;
}

/* -- Ranges ------------------------------------------------------------------------ */

static uint64_t
align_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

/* Finds the first free hole at or after `from`; *link: the link to insert it at. */
static bool
find_hole(struct device *d, uint64_t from, uint64_t end, uint64_t size, uint64_t align,
	  uint64_t *va, struct va_range ***link)
{
	struct va_range **at = &d->ranges;
	uint64_t v = align_up(from, align);
	for (; *at; at = &(*at)->next) {
		const struct va_range *r = *at;
		if (r->va + r->size + GAP <= v)
			continue;
		if (r->va >= v + size + GAP)
			break;
		v = align_up(r->va + r->size + GAP, align);
	}
	*va = v;
	*link = at;
	return v + size <= end && v + size > v;
}

int
amdgpu_va_range_alloc(struct device *d, int type, uint64_t size, uint64_t align, uint64_t want,
		      uint64_t *va, struct va_range **out, uint64_t flags)
{
	int r = fake_call(__func__);
	uint64_t base = flags & VA_HIGH ? HIGH_VA : 0;
	struct va_range **link;
	bool ok;
	if (r)
		return r;
	if (type || !size || (flags & ~7u))
		return -EINVAL;
	align = align < fake_config()->page ? fake_config()->page : align;
	size = align_up(size, fake_config()->page);
	if (want % align)
		return -EINVAL;
	struct va_range *v = calloc(1, sizeof *v);
	if (!v)
		return -ENOMEM;
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, d, DEVICE)) {
		r = -EINVAL;
		goto fail;
	}
	if (want)
		ok = find_hole(d, want, want + size, size, align, va, &link) && *va == want;
	else if (flags & VA_32_BIT)
		ok = find_hole(d, MIN_VA, FIRST_VA, size, align, va, &link);
	else
		ok = find_hole(d, base + FIRST_VA, base + MAX_VA, size, align, va, &link);
	if (!ok) {
		r = -ENOMEM;
		goto fail;
	}
	v->d = d;
	v->va = *va;
	v->size = size;
	v->next = *link;
	*link = v;
	object_add(&v->o, VA_RANGE);
	*out = v;
	pthread_mutex_unlock(&lock);
	return 0;
fail:
	pthread_mutex_unlock(&lock);
	free(v);
	return r;
}

int
amdgpu_va_range_free(struct va_range *v)
{
	int r = fake_call(__func__);
	if (!v)
		return r;
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, v, VA_RANGE)) {
		pthread_mutex_unlock(&lock);
		return -EINVAL;
	}
	const struct vm *vm = v->d->vm;
	for (uint32_t i = 0; i < vm->n; i++) {
		if (vm->maps[i].va < v->va + v->size && v->va < vm->maps[i].va + vm->maps[i].size) {
			fake_report(CHECK_va_args, __func__,
				  "something is still mapped in the range at 0x%llx",
				  (unsigned long long)v->va);
			break;
		}
	}
	struct va_range **at = &v->d->ranges;
	while (*at != v)
		at = &(*at)->next;
	*at = v->next;
	object_end(&v->o);
	pthread_mutex_unlock(&lock);
	return r;
}

int
amdgpu_va_range_query(struct device *d, int type, uint64_t *start, uint64_t *end)
{
	(void)d;
	if (type)
		return -EINVAL;
	*start = MIN_VA;
	*end = MAX_VA;
	return fake_call(__func__);
}

/* -- Mappings ---------------------------------------------------------------------- */

static bool
overlaps(const struct map *m, uint64_t va, uint64_t size)
{
	return m->va < va + size && va < m->va + m->size;
}

static void
check_busy(const struct map *m, const char *call)
{
	if (m->bo->n_jobs)
		fake_report(CHECK_busy, call, "the mapping at 0x%llx, whose buffer %u submission%s",
			  (unsigned long long)m->va, m->bo->n_jobs,
			  m->bo->n_jobs == 1 ? " lists" : "s list");
}

/* Copies the mappings outside the range and adds one (bo not NULL), in order. */
static struct vm *
changed(const struct vm *vm, uint64_t va, uint64_t size, const struct map *add, bool whole)
{
	struct vm *out = malloc(sizeof *out + (vm->n + 3) * sizeof *out->maps);
	uint32_t n = 0;
	if (!out)
		return NULL;
	for (uint32_t i = 0; i < vm->n; i++) {
		struct map m = vm->maps[i];
		if (add && m.va > add->va) {
			out->maps[n++] = *add;
			add = NULL;
		}
		if (!size || !overlaps(&m, va, size)) {
			out->maps[n++] = m;
			continue;
		}
		check_busy(&m, "amdgpu_bo_va_op");
		if (!whole && m.va < va) {
			out->maps[n] = m;
			out->maps[n++].size = va - m.va;
		}
		if (add && m.va + m.size > va + size) {
			out->maps[n++] = *add;
			add = NULL;
		}
		if (!whole && m.va + m.size > va + size) {
			uint64_t cut = va + size - m.va;
			out->maps[n] = m;
			out->maps[n].va += cut;
			out->maps[n].off += cut;
			out->maps[n++].size -= cut;
		}
	}
	if (add)
		out->maps[n++] = *add;
	out->n = n;
	out->refs = 1;
	return out;
}

static int
change(struct device *d, uint64_t va, uint64_t size, const struct map *add, bool whole)
{
	struct vm *vm = changed(d->vm, va, size, add, whole);
	if (!vm)
		return -ENOMEM;
	vm_unref(d->vm);
	d->vm = vm;
	return 0;
}

static int
refuse(const char *what, uint64_t v)
{
	fake_report(CHECK_va_args, "amdgpu_bo_va_op", "%s (0x%llx)", what, (unsigned long long)v);
	return -EINVAL;
}

static int
check_args(const struct bo *b, uint64_t off, uint64_t size, uint64_t va, uint64_t flags,
	   uint32_t op)
{
	uint64_t low = va >= HIGH_VA ? va - HIGH_VA : va, page = fake_config()->page;
	if (va % page || off % page || size % page)
		return refuse("address, offset and size are not all multiples of a page",
			      va | off | size);
	if (!size && op != VA_UNMAP)
		return refuse("no size", size);
	if (va < MIN_VA || low >= MAX_VA || size > MAX_VA - low)
		return refuse("the address is outside the mappable range", va);
	if (flags & ~(uint64_t)VM_KNOWN)
		return refuse("unknown flags", flags);
	if ((op == VA_MAP || op == VA_REPLACE) && b && (off > b->size || size > b->size - off))
		return refuse("it extends beyond the buffer", off + size);
	return 0;
}

static int
va_op(struct device *d, struct bo *b, uint64_t off, uint64_t size, uint64_t va, uint64_t flags,
      uint32_t op)
{
	struct map add = { va, size, off, b, (uint32_t)flags };
	const struct map *there;
	int r = check_args(b, off, size, va, flags, op);
	if (r)
		return r;
	switch (op) {
	case VA_MAP:
		if (!b)
			return refuse("no buffer", 0);
		for (uint32_t i = 0; i < d->vm->n; i++) {
			if (overlaps(&d->vm->maps[i], va, size)) {
				fake_report(CHECK_va_overlap, "amdgpu_bo_va_op", "at 0x%llx",
					  (unsigned long long)d->vm->maps[i].va);
				return -EINVAL;
			}
		}
		return change(d, 0, 0, &add, false);
	case VA_UNMAP:
		there = vm_find(d->vm, va);
		if (!there || there->va != va || there->bo != b) {
			refuse("the address is not mapped", va);
			return -ENOENT;
		}
		return change(d, va, there->size, NULL, true);
	case VA_CLEAR: return change(d, va, size, NULL, false);
	case VA_REPLACE: return change(d, va, size, b ? &add : NULL, false);
	default: return refuse("an unknown operation", op);
	}
}

int
amdgpu_bo_va_op_raw(struct device *d, struct bo *b, uint64_t off, uint64_t size, uint64_t va,
		    uint64_t flags, uint32_t op)
{
	int r = fake_call(__func__);
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, d, DEVICE) || (b && !object_ok(__func__, b, BO)))
		r = -EINVAL;
	else
		r = va_op(d, b, off, size, va, flags, op);
	pthread_mutex_unlock(&lock);
	return r;
}

/* All accesses are allowed, whatever the flags; the size is rounded up. */
int
amdgpu_bo_va_op(struct bo *b, uint64_t off, uint64_t size, uint64_t va, uint64_t flags, uint32_t op)
{
	int r = fake_call(__func__);
	(void)flags;
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, b, BO))
		r = -EINVAL;
	else
		r = va_op(b->d, b, off, align_up(size, fake_config()->page), va, VM_READ | VM_WRITE | VM_EXEC, op);
	pthread_mutex_unlock(&lock);
	return r;
}
