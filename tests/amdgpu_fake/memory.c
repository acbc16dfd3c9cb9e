/* Memory as the GPU sees it, through caches that only the program invalidates.
 *
 * A buffer's GPU side represents both L2 and device memory. A page is copied from the host
 * side on first access, and again only after an invalidation of L2. The writes of waves reach the
 * host side when the fence is signaled. The vector and scalar caches are masks: bytes that an
 * earlier dispatch wrote are stale in them until they are invalidated after a wait. */
#include <stdio.h>
#include <stdlib.h>

#include "fake.h"

enum { WORDS = PAGE / 64 };

/* For bytes that the program may write at the same time. The fake reports such a race and must not
 * have undefined behavior or trip the thread sanitizer itself. */
#if defined(__clang__) || defined(__GNUC__)
#define UNREPORTED __attribute__((no_sanitize("thread"), noinline))
#else
#define UNREPORTED
#endif

UNREPORTED void
copy_unreported(uint8_t *to, const uint8_t *from, size_t n)
{
	size_t i = 0;
	if (!(((uintptr_t)to | (uintptr_t)from) & 7)) {
		for (; i + 8 <= n; i += 8)
			*(volatile uint64_t QD_ALIAS *)(void *)(to + i) =
				*(const volatile uint64_t QD_ALIAS *)(const void *)(from + i);
	}
	for (; i < n; i++)
		((volatile uint8_t *)to)[i] = ((const volatile uint8_t *)from)[i];
}

/* Copies the bytes of 64 whose bit is set. */
UNREPORTED static void
copy_some(uint8_t *to, const uint8_t *from, uint64_t bits)
{
	if (bits == UINT64_MAX) {
		copy_unreported(to, from, 64);
		return;
	}
	for (; bits; bits &= bits - 1) {
		unsigned i = qd_lowest_bit(bits);
		((volatile uint8_t *)to)[i] = ((const volatile uint8_t *)from)[i];
	}
}

/* Returns a bit for each of 64 bytes that differ. */
UNREPORTED static uint64_t
differing(const uint8_t *a, const uint8_t *b)
{
	uint64_t bits = 0, x, y;
	for (unsigned i = 0; i < 64; i += 8) {
		x = *(const volatile uint64_t QD_ALIAS *)(const void *)(a + i);
		y = *(const volatile uint64_t QD_ALIAS *)(const void *)(b + i);
		for (unsigned k = 0; x != y && k < 8; k++)
			bits |= (uint64_t)((x >> 8 * k & 0xff) != (y >> 8 * k & 0xff)) << (i + k);
	}
	return bits;
}

static bool
any(const struct mask *m)
{
	uint64_t all = 0;
	for (unsigned i = 0; i < WORDS; i++)
		all |= m->w[i];
	return all != 0;
}

/* -- Pages ------------------------------------------------------------------------- */

void
mem_page_free(struct page *p)
{
	if (p)
		free(p->old);
	free(p);
}

/* Returns the index among the pages that the job touched. */
static size_t
note_touched(struct job *j, struct bo *b, uint64_t at)
{
	if (j->n_touched == j->cap_touched) {
		size_t cap = j->cap_touched ? 2 * j->cap_touched : 16;
		struct page_of *to = realloc(j->touched, cap * sizeof *to);
		if (!to)
			abort();
		j->touched = to;
		j->cap_touched = cap;
	}
	j->touched[j->n_touched] = (struct page_of){ .bo = b, .at = at };
	return j->n_touched++;
}

/* Merges the accesses of the dispatch that touched the page last into those of earlier ones. */
static void
fold(const struct exec *x, struct page *p)
{
	bool drained = p->at_drain != x->drain, vector = p->at_vector != x->vector,
	     scalar = p->at_scalar != x->scalar;
	uint64_t all = 0;
	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t wrote = p->wrote.w[i], read = p->read.w[i];
		p->fresh.w[i] = drained ? 0 : p->fresh.w[i] | wrote;
		p->seen.w[i] = drained ? 0 : p->seen.w[i] | read;
		p->stale_v.w[i] = vector ? 0 : p->stale_v.w[i] | wrote;
		p->stale_s.w[i] = scalar ? 0 : p->stale_s.w[i] | wrote;
		p->wrote.w[i] = p->read.w[i] = 0;
		all |= p->fresh.w[i] | p->seen.w[i] | p->stale_v.w[i] | p->stale_s.w[i];
	}
	p->hazard = all != 0;
	p->at_drain = x->drain;
	p->at_vector = x->vector;
	p->at_scalar = x->scalar;
	p->dispatch = x->dispatch;
	if (!any(&p->stale_v) && !any(&p->stale_s) && !any(&p->fresh)) {
		free(p->old);
		p->old = NULL;
	}
}

/* Copies from the host side the bytes that the GPU has not written. */
static void
fetch(const struct exec *x, struct bo *b, struct page *p, uint64_t at)
{
	uint8_t *to = b->gpu + at * PAGE;
	const uint8_t *from = b->host + at * PAGE;
	for (unsigned i = 0; i < WORDS; i++)
		copy_some(to + 64 * i, from + 64 * i, ~p->dirty.w[i]);
	p->copied = x->l2;
}

static struct page *
touch(struct exec *x, struct bo *b, uint64_t at)
{
	struct page *p = b->pages[at];
	if (!p) {
		p = b->pages[at] = calloc(1, sizeof *p);
		if (!p)
			abort();
	}
	if (b->host && p->copied != x->l2 && (!p->copied || x->emptied[L2_CACHE]))
		fetch(x, b, p, at);
	if (p->job != x->job->id) {
		p->job = x->job->id;
		memset(&p->used, 0, sizeof p->used);
		p->slot = note_touched(x->job, b, at);
	}
	if (p->dispatch != x->dispatch)
		fold(x, p);
	return p;
}

/* -- Hazards ----------------------------------------------------------------------- */

static bool
bytes_in(const struct mask *m, unsigned off, unsigned n)
{
	for (unsigned i = off; i < off + n; i++)
		if (m->w[i / 64] >> i % 64 & 1)
			return true;
	return false;
}

static void
set_bytes(struct mask *m, unsigned off, unsigned n)
{
	while (n) {
		unsigned at = off % 64, part = n < 64 - at ? n : 64 - at;
		uint64_t bits = part == 64 ? UINT64_MAX : (UINT64_C(1) << part) - 1;
		m->w[off / 64] |= bits << at;
		off += part;
		n -= part;
	}
}

/* Returns what a cache with older bytes returns. */
static uint8_t *
older(struct exec *x, const struct page *p, const struct mask *stale, const uint8_t *now,
      unsigned off, unsigned n)
{
	uint8_t *to = x->old + (off & 15);
	for (unsigned i = 0; i < n; i++) {
		bool is_old =
			(stale->w[(off + i) / 64] | p->fresh.w[(off + i) / 64]) >> (off + i) % 64 &
			1;
		to[i] = is_old && p->old ? p->old[off + i] : now[i];
	}
	return to;
}

static void
check_host(struct exec *x, const struct bo *b, const struct page *p, uint64_t va,
	   const uint8_t *now, unsigned off, unsigned n)
{
	const uint8_t *host = b->host + (now - b->gpu);
	uint8_t there[64];
	copy_unreported(there, host, n);
	for (unsigned i = 0; i < n; i++) {
		if (there[i] == now[i] || (p->dirty.w[(off + i) / 64] >> (off + i) % 64 & 1))
			continue;
		exec_wrong(x, CHECK_stale,
			   "0x%llx: the host has written it since, and L2 was not invalidated",
			   (unsigned long long)va + i);
		return;
	}
}

static uint8_t *
read_page(struct exec *x, struct bo *b, struct page *p, uint64_t va, uint8_t *now, unsigned n,
	  enum access how)
{
	unsigned off = (unsigned)(va % PAGE);
	const struct mask *stale = how == SCALAR ? &p->stale_s : &p->stale_v;
	uint8_t *from = now;
	if (!x->emptied[L2_CACHE] && b->host && n <= 64 && how != STREAM)
		check_host(x, b, p, va, now, off, n);
	if (p->hazard && n <= 64 && how != FETCH && how != STREAM) {
		bool running = bytes_in(&p->fresh, off, n);
		bool held = (how == READ || how == SCALAR) && bytes_in(stale, off, n);
		if (running || held)
			exec_wrong(x, CHECK_read_early, "0x%llx: %s", (unsigned long long)va,
				   running	   ? "the dispatch that writes it may still run "
						     "(CS_PARTIAL_FLUSH)"
				   : how == SCALAR ? "the scalar cache was not invalidated"
						   : "the vector caches were not invalidated");
		if (running || held)
			from = older(x, p, stale, now, off, n);
	}
	if (how != QUEUE_READ && how != STREAM)
		set_bytes(&p->read, off, n);
	set_bytes(&p->used, off, n);
	return from;
}

static void
write_page(struct exec *x, struct page *p, uint64_t va, const uint8_t *now, unsigned n,
	   enum access how)
{
	unsigned off = (unsigned)(va % PAGE);
	if (p->hazard && how != QUEUE_END) {
		bool wrote = bytes_in(&p->fresh, off, n);
		if (wrote || bytes_in(&p->seen, off, n))
			exec_wrong(x, CHECK_write_early,
				   "0x%llx: the dispatch that %s it may still run",
				   (unsigned long long)va, wrote ? "writes" : "reads");
	}
	if (!p->old) {
		p->old = malloc(PAGE);
		if (!p->old)
			abort();
		memcpy(p->old, now - off, PAGE);
	}
	set_bytes(&p->dirty, off, n);
	set_bytes(&x->job->touched[p->slot].wrote, off, n);
	if (how == WRITE || how == ATOMIC) {
		set_bytes(&p->wrote, off, n);
		return;
	}
	/* The queue's own writes complete before its next packet. */
	set_bytes(&p->stale_v, off, n);
	set_bytes(&p->stale_s, off, n);
	p->hazard = true;
}

/* -- Addresses --------------------------------------------------------------------- */

static const struct map *
find(struct exec *x, uint64_t va)
{
	uint64_t page = va / PAGE;
	unsigned i = (unsigned)(page % QD_COUNT(x->near));
	if (x->near[i].page != page || !x->near[i].map) {
		x->near[i].page = page;
		x->near[i].map = vm_find(x->vm, va);
	}
	return x->near[i].map;
}

static const char *const verbs[] = { [READ] = "read",
				     [SCALAR] = "scalar read",
				     [WRITE] = "write",
				     [ATOMIC] = "atomic",
				     [FETCH] = "fetch",
				     [STREAM] = "read of the stream",
				     [QUEUE_READ] = "read of the queue",
				     [QUEUE_WRITE] = "write of the queue",
				     [QUEUE_END] = "write of the queue" };

static void *
fault(struct exec *x, enum check c, uint64_t va, uint64_t n, enum access how)
{
	pthread_mutex_lock(&lock);
	x->d->fault_va = va & ~(uint64_t)(PAGE - 1);
	x->d->fault_status = 1;
	pthread_mutex_unlock(&lock);
	exec_wrong(x, how == FETCH ? CHECK_code_fetch : c, "%s of %llu bytes at 0x%llx%s",
		   verbs[how], (unsigned long long)n, (unsigned long long)va,
		   how != FETCH		     ? ""
		   : c == CHECK_mem_unmapped ? ", which is not mapped"
		   : c == CHECK_mem_listed   ? ", in a buffer that is not in the list"
					     : ", which may not be executed");
	return NULL;
}

static const struct map *
allowed(struct exec *x, uint64_t va, uint64_t n, enum access how)
{
	static const uint32_t needs[] = { [READ] = VM_READ,	  [SCALAR] = VM_READ,
					  [WRITE] = VM_WRITE,	  [ATOMIC] = VM_READ | VM_WRITE,
					  [FETCH] = VM_EXEC,	  [STREAM] = VM_READ,
					  [QUEUE_READ] = VM_READ, [QUEUE_WRITE] = VM_WRITE,
					  [QUEUE_END] = VM_WRITE };
	const struct map *m = find(x, va);
	if (!m || m->size - (va - m->va) < n)
		return fault(x, CHECK_mem_unmapped, m ? m->va + m->size : va, n, how);
	if (m->bo->listed != x->job->id)
		return fault(x, CHECK_mem_listed, va, n, how);
	if ((m->flags & needs[how]) != needs[how])
		return fault(x, CHECK_mem_rights, va, n, how);
	return m;
}

void *
mem_at(struct exec *x, uint64_t va, uint64_t n, enum access how)
{
	bool reads = how != WRITE && how < QUEUE_WRITE, writes = !reads || how == ATOMIC;
	const struct map *m = allowed(x, va, n, how);
	uint8_t *now, *from;
	if (!m)
		return NULL;
	uint64_t at = m->off + (va - m->va);
	now = from = m->bo->gpu + at;
	for (uint64_t done = 0; done < n;) {
		uint64_t left = PAGE - (at + done) % PAGE, part = n - done < left ? n - done : left;
		struct page *p = touch(x, m->bo, (at + done) / PAGE);
		uint8_t *got = now + done;
		if (reads)
			got = read_page(x, m->bo, p, va + done, now + done, (unsigned)part,
					how == ATOMIC ? QUEUE_READ : how);
		if (writes)
			write_page(x, p, va + done, now + done, (unsigned)part, how);
		else if (!done && part == n)
			from = got;
		done += part;
	}
	return from;
}

uint64_t
mem_run(const struct exec *x, uint64_t va, uint64_t n)
{
	const struct map *m = vm_find(x->vm, va);
	uint64_t left = m ? m->size - (va - m->va) : n;
	uint64_t page = PAGE - va % PAGE;
	left = left < page ? left : page;
	return n < left ? n : left;
}

bool
mem_read(struct exec *x, uint64_t va, void *to, uint64_t n, enum access how)
{
	for (uint64_t done = 0, part; done < n; done += part) {
		part = mem_run(x, va + done, n - done);
		const void *from = mem_at(x, va + done, part, how);
		if (!from)
			return false;
		memcpy((uint8_t *)to + done, from, part);
	}
	return true;
}

bool
mem_write(struct exec *x, uint64_t va, const void *from, uint64_t n, enum access how)
{
	for (uint64_t done = 0, part; done < n; done += part) {
		part = mem_run(x, va + done, n - done);
		void *to = mem_at(x, va + done, part, how);
		if (!to)
			return false;
		memcpy(to, (const uint8_t *)from + done, part);
	}
	return true;
}

bool
mem_peek(struct exec *x, uint64_t va, void *to, uint64_t n)
{
	for (uint64_t done = 0, part; done < n; done += part) {
		part = mem_run(x, va + done, n - done);
		const struct map *m = find(x, va + done);
		if (!m || m->bo->listed != x->job->id)
			return false;
		uint64_t at = m->off + (va + done - m->va);
		touch(x, m->bo, at / PAGE);
		memcpy((uint8_t *)to + done, m->bo->gpu + at, part);
	}
	return true;
}

uint64_t
mem_code_size(const struct exec *x, uint64_t va)
{
	const struct map *m = vm_find(x->vm, va);
	bool ok = m && (m->flags & VM_EXEC) && m->bo->listed == x->job->id;
	return ok ? m->size - (va - m->va) : 0;
}

/* -- Caches ------------------------------------------------------------------------ */

void
mem_begin(struct exec *x)
{
	memset(x->emptied, 0, sizeof x->emptied);
	for (unsigned i = 0; i < QD_COUNT(x->near); i++)
		x->near[i].map = NULL;
	x->undrained = 0;
	x->drain++;
	x->dispatch++;
	x->job->l2 = x->l2;
	for (uint32_t i = 0; i < x->job->n_bos; i++)
		x->job->bos[i]->listed = x->job->id;
}

/* While dispatches run, their writes can enter the invalidated caches again. These caches count as
 * not invalidated. */
void
mem_empty(struct exec *x, const bool which[4])
{
	for (unsigned i = 0; i < 4; i++)
		x->emptied[i] = x->emptied[i] || which[i];
	x->l2 += which[L2_CACHE];
	if (x->undrained)
		return;
	x->insns += which[I_CACHE];
	x->scalar += which[S_CACHE];
	x->vector += which[V_CACHE];
	x->dispatch++;
}

void
mem_drain(struct exec *x)
{
	x->undrained = 0;
	x->drain++;
	x->dispatch++;
}

void
mem_finish(struct exec *x, struct job *j)
{
	uint64_t wrote = 0;
	x->job = j;
	memset(x->reported, 0, sizeof x->reported);
	for (size_t i = 0; i < j->n_touched; i++) {
		struct bo *b = j->touched[i].bo;
		const struct mask *own = &j->touched[i].wrote;
		uint64_t at = j->touched[i].at;
		struct page *p = b->pages[at];
		if (!p)
			continue; /* its memory was lost meanwhile */
		for (unsigned k = 0; b->host && k < WORDS; k++) {
			uint8_t *gpu = b->gpu + at * PAGE + 64 * k,
				*host = b->host + at * PAGE + 64 * k;
			uint64_t read = p->job == j->id ? p->used.w[k] & ~p->dirty.w[k] : 0;
			if (read && p->copied > j->l2) /* copied from the host for this job */
				read &= differing(gpu, host);
			else
				read = 0;
			if (read && !wrote)
				wrote = at * PAGE + 64 * k + qd_lowest_bit(read) + 1;
			copy_some(host, gpu, own->w[k]);
			p->dirty.w[k] &= ~own->w[k];
		}
	}
	if (wrote)
		fake_report(CHECK_cpu_wrote, "", "submission %llu: byte %llu of a buffer",
			  (unsigned long long)j->seq, (unsigned long long)wrote - 1);
}
