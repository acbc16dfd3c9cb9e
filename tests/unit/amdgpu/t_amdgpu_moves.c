/* Copies and fills of the amdgpu driver: division into moves, and results of its kernels. */
#include "t_amdgpu.h"

#include <stdio.h>
#include <stdlib.h>

/* -- Moves --------------------------------------------------------------------------- */

enum { ROOM = 4096 };

/* Does what the kernel of this kind does. */
static void
make_move(unsigned char *mem, const struct kgd_move *m)
{
	switch (m->kind) {
	case KGD_COPY_SHIFTED:
		for (uint64_t i = 0; i < m->size; i += 4) {
			uint32_t low, high, v;
			memcpy(&low, mem + m->src + i, 4);
			memcpy(&high, mem + m->src + i + 4, 4);
			v = low >> m->word | high << (32 - m->word);
			memcpy(mem + m->dst + i, &v, 4);
		}
		break;
	default: memcpy(mem + m->dst, mem + m->src, m->size); break;
	}
}

static uint32_t
unit_of(enum kgd_copy_kind kind)
{
	return kind == KGD_COPY_BYTES ? 1 : kind == KGD_COPY_PAIRS ? 8 : 4;
}

/* Checks every alignment of both ends. The result must be memcpy's, with few moves, all aligned.
 * Only words with a byte of the source may be read. */
void
t_amdgpu_moves(struct unit_ctx *t)
{
	static unsigned char mem[2 * ROOM], want[2 * ROOM];
	static const uint64_t sizes[] = { 1, 3, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 79, 200, 1027 };
	uint32_t bad = 0, most = 0;
	for (uint64_t to = 0; to < 9; to++) {
		for (uint64_t from = ROOM; from < ROOM + 9; from++) {
			for (size_t k = 0; k < QD_COUNT(sizes); k++) {
				uint64_t dst = to, src = from, size = sizes[k];
				struct kgd_move m[KGD_MOST_MOVES];
				for (uint32_t i = 0; i < sizeof mem; i++)
					mem[i] = want[i] = (unsigned char)(i * 7 + i / 256);
				memcpy(want + to, want + from, size);
				while (size) {
					uint32_t n = kgd_copy_moves(&dst, &src, &size, m);
					most = n > most ? n : most;
					for (uint32_t i = 0; i < n; i++) {
						uint32_t unit = unit_of(m[i].kind);
						uint64_t past = m[i].src + m[i].size +
								(m[i].kind == KGD_COPY_SHIFTED ? 4 : 0);
						bad += !m[i].size || m[i].size % unit || m[i].dst % unit ||
						       m[i].src % unit || m[i].src + 3 < from ||
						       past > from + sizes[k] + 3;
						make_move(mem, &m[i]);
					}
					bad += !n;
					if (!n)
						break;
				}
				bad += memcmp(mem, want, sizeof mem) != 0;
			}
		}
	}
	UNIT_CHECK(t, bad == 0 && most == KGD_MOST_MOVES, "%u wrong, %u moves at most", bad, most);

	/* Copies larger than the limit of a dispatch are divided. */
	uint64_t dst = 5, src = 1 << 20, size = (uint64_t)KGD_MOVE_MOST * 2 + 77, all = size, sum = 0;
	for (uint32_t parts = 0; size && parts < 8; parts++) {
		struct kgd_move m[KGD_MOST_MOVES];
		uint32_t n = kgd_copy_moves(&dst, &src, &size, m);
		for (uint32_t i = 0; i < n; i++) {
			UNIT_CHECK(t, m[i].size <= KGD_MOVE_MOST, "%llu bytes", (unsigned long long)m[i].size);
			sum += m[i].size;
		}
	}
	UNIT_CHECK(t, size == 0 && sum == all, "%llu of %llu", (unsigned long long)sum,
		   (unsigned long long)all);
}

/* -- On the device ---------------------------------------------------------------------- */

enum { LARGE = 96 << 10 };

struct place {
	size_t to, from, size;
};

static const struct place places[] = {
	{ 0, 0, LARGE },      { 8, 16, 4096 },	  { 4, 8, 4100 },    { 4, 4, 1000 },  { 0, 1, 5000 },
	{ 1, 0, 5000 },	      { 3, 2, 777 },	  { 7, 7, 9001 },    { 5, 5, 3 },     { 250, 17, 1 },
	{ 1, 1, LARGE - 2 },  { 2, 4, 70 },	  { 6, 9, 30 << 10 },
};

static void
put_bytes(unsigned char *p, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(i * 13 + i / 251 + seed);
}

static void
check_copies(struct unit_ctx *t, struct fake_rig *r)
{
	unsigned char *src = malloc(LARGE), *want = malloc(LARGE), *got = malloc(LARGE);
	struct qd_buffer *a = NULL, *b = NULL;
	RIG_GOOD(t, r, qd_buffer_create(r->dev, LARGE, 0, &a, &r->e));
	RIG_GOOD(t, r, qd_buffer_create(r->dev, LARGE, 0, &b, &r->e));
	for (size_t k = 0; k < QD_COUNT(places); k++) {
		const struct place *p = &places[k];
		put_bytes(src, LARGE, (unsigned)k);
		put_bytes(want, LARGE, (unsigned)k + 99);
		RIG_GOOD(t, r, qd_buffer_upload(r->stream, a, 0, src, LARGE, &r->e));
		RIG_GOOD(t, r, qd_buffer_upload(r->stream, b, 0, want, LARGE, &r->e));
		memcpy(want + p->to, src + p->from, p->size);
		RIG_GOOD(t, r, qd_buffer_copy(r->stream, b, p->to, a, p->from, p->size, &r->e));
		RIG_GOOD(t, r, qd_buffer_download(r->stream, b, 0, got, LARGE, &r->e));
		UNIT_CHECK(t, memcmp(got, want, LARGE) == 0, "a copy of %zu bytes from %zu to %zu", p->size,
			   p->from, p->to);
		/* Transfers with the same ends. */
		RIG_GOOD(t, r, qd_buffer_upload(r->stream, b, p->from, src, p->size, &r->e));
		memcpy(want + p->from, src, p->size);
		memset(got, 0, LARGE);
		RIG_GOOD(t, r, qd_buffer_download(r->stream, b, p->from, got, p->size, &r->e));
		UNIT_CHECK(t, memcmp(got, want + p->from, p->size) == 0, "an upload of %zu bytes to %zu", p->size,
			   p->from);
		RIG_GOOD(t, r, qd_buffer_fill(r->stream, b, p->to, p->size, "\x5a", 1, &r->e));
		memset(want + p->to, 0x5a, p->size);
		RIG_GOOD(t, r, qd_buffer_download(r->stream, b, 0, got, LARGE, &r->e));
		UNIT_CHECK(t, memcmp(got, want, LARGE) == 0, "a fill of %zu bytes from %zu on", p->size, p->to);
	}
	qd_buffer_free(a);
	qd_buffer_free(b);
	free(src);
	free(want);
	free(got);
}

/* Checks copies between these positions of two buffers, and transfers to and from the host. Runs on
 * a card and on a device that shares the host's memory. */
void
t_amdgpu_copies(struct unit_ctx *t)
{
	static const char *const configs[] = { "gpu=gfx1100 delays=0", "gpu=gfx906 delays=0",
					       "gpu=gfx1201 apu=1 delays=0" };
	for (size_t i = 0; i < QD_COUNT(configs); i++) {
		struct fake_rig r;
		if (!amdgpu_rig_open(t, &r, configs[i]))
			return;
		unsigned before = t->n_failed;
		check_copies(t, &r);
		UNIT_CHECK(t, t->n_failed == before, "that was on %s", configs[i]);
		fake_rig_end(t, &r);
	}
}
