/* Execution of one submission: runs its streams in order and reports errors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake.h"

void
exec_where(const struct exec *x, char *text, size_t size)
{
	const struct entity *e = x->job->e;
	snprintf(text, size, "%s ring %u, submission %llu, stream %u, word %u",
		 e->ip == IP_DMA ? "SDMA" : "compute", e->ring, (unsigned long long)x->job->seq,
		 x->stream, x->word);
}

bool
exec_wrong(struct exec *x, enum check c, const char *format, ...)
{
	static const int errors[] = { [HANG] = -ETIME, [FAULT] = -ENODATA };
	enum end end = fake_check(c)->end;
	char text[1024], where[128];
	va_list ap;
	if (!x->error && (end == HANG || end == FAULT))
		x->error = errors[end];
	if (x->reported[c / 32] >> c % 32 & 1)
		return false;
	x->reported[c / 32] |= 1u << c % 32;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	exec_where(x, where, sizeof where);
	fake_report(c, where, "%s", text);
	return false;
}

/* Reads the stream as the GPU sees it; its words at submission are in s->words. */
static uint32_t *
read_stream(struct exec *x, const struct stream *s)
{
	const struct map *m = vm_find(x->vm, s->va);
	uint64_t bytes = 4 * (uint64_t)s->n;
	uint32_t *words = malloc(bytes);
	if (!words)
		abort();
	if (!m || m->bo->listed != x->job->id)
		exec_wrong(x, CHECK_ib_listed, "0x%llx", (unsigned long long)s->va);
	else if (mem_read(x, s->va, words, bytes, STREAM))
		return words;
	free(words);
	return NULL;
}

/* Compares with host memory, because queues read streams past L2. If a stream's memory is reused,
 * L2 still holds older words. */
static void
check_edited(struct exec *x, const struct stream *s)
{
	uint32_t now;
	for (uint32_t i = 0; s->words && i < s->n; i++) {
		copy_unreported((uint8_t *)&now, s->bo->host + s->at + 4 * (uint64_t)i, 4);
		if (now == s->words[i])
			continue;
		x->word = i;
		exec_wrong(x, CHECK_ib_edited, "0x%x became 0x%x", s->words[i], now);
		return;
	}
}

static void
run_stream(struct exec *x, const struct stream *s)
{
	enum { COMPUTE_ALIGN = 32, SDMA_ALIGN = 4 };
	bool dma = x->job->e->ip == IP_DMA;
	uint32_t *words;
	x->word = 0;
	if (s->va % (dma ? SDMA_ALIGN : COMPUTE_ALIGN))
		exec_wrong(x, CHECK_ib_align, "0x%llx", (unsigned long long)s->va);
	if (!dma && s->n % 8)
		exec_wrong(x, CHECK_ib_pad, "%u words", s->n);
	check_edited(x, s);
	words = x->error ? NULL : read_stream(x, s);
	if (words && s->words)
		memcpy(words, s->words, 4 * (size_t)s->n);
	if (words && s->flags & IB_EMIT_MEM_SYNC)
		mem_empty(x, (bool[4]){ true, true, true, true });
	if (words)
		(dma ? sdma_run : pm4_run)(x, words, s->n);
	free(words);
}

/* Called before the fence is signaled, to check that the streams have not changed. */
void
exec_finish(struct exec *x, struct job *j)
{
	x->job = j;
	memset(x->reported, 0, sizeof x->reported);
	for (x->stream = 0; x->stream < j->n_streams; x->stream++)
		check_edited(x, &j->streams[x->stream]);
	x->stream = x->word = 0;
	mem_finish(x, j);
}

void
exec_job(struct exec *x, struct job *j)
{
	x->job = j;
	x->error = 0;
	memset(x->reported, 0, sizeof x->reported);
	mem_begin(x);
	regs_poison(x);
	for (x->stream = 0; x->stream < j->n_streams && !x->error; x->stream++)
		run_stream(x, &j->streams[x->stream]);
	mem_drain(x);
}
