/* Status codes and errors, pool, arena, buffer, text escapes, hash. */
#include "show.h"
#include "unit.h"

#include <stdio.h>

/* -- Status ------------------------------------------------------------------- */

/* Checks that each status has a name of its own, because users see the names in messages. */
static void
status_names(struct unit_ctx *t)
{
	static const struct {
		qd_status code;
		const char *name;
	} known[] = {
		{ QD_OK, "QD_OK" },
		{ QD_E_NOMEM, "QD_E_NOMEM" },
		{ QD_E_DEVICE_NOMEM, "QD_E_DEVICE_NOMEM" },
		{ QD_E_INTERNAL, "QD_E_INTERNAL" },
		{ QD_E_CANCELED, "QD_E_CANCELED" },
	};
	static const qd_status unknown[] = { -1, QD_E_CANCELED + 1, INT32_MAX, INT32_MIN };

	for (size_t i = 0; i < QD_COUNT(known); i++)
		UNIT_CHECK(t, !strcmp(qd_status_name(known[i].code), known[i].name), "%d is '%s'",
			   known[i].code, qd_status_name(known[i].code));
	for (size_t i = 0; i < QD_COUNT(unknown); i++) {
		UNIT_CHECK(t, !strcmp(qd_status_name(unknown[i]), "QD_E_UNKNOWN"), "%d has a name",
			   unknown[i]);
		UNIT_CHECK(t, *qd_status_text(unknown[i]), "%d has no text", unknown[i]);
	}
	for (qd_status a = QD_OK; a <= QD_E_CANCELED; a++)
		for (qd_status b = QD_OK; b < a; b++)
			UNIT_CHECK(t, strcmp(qd_status_name(a), qd_status_name(b)) &&
					   strcmp(qd_status_text(a), qd_status_text(b)),
				   "%d and %d read the same", a, b);
	UNIT_CHECK(t, !strcmp(qd_status_text(QD_E_NOMEM), "out of memory"), "'%s'",
		   qd_status_text(QD_E_NOMEM));
	UNIT_CHECK(t, qd_version() == QD_VERSION, "%u", qd_version());
}

/* Checks that the error is complete in err and in the thread's copy. */
static void
status_fail(struct unit_ctx *t)
{
	struct qd_error e = { .code = 77 };

	UNIT_CHECK(t, qd_fail(&e, QD_E_LIMIT, "%s has %d", "x", 3) == QD_E_LIMIT, "status");
	UNIT_CHECK(t, e.code == QD_E_LIMIT && e.line == 0 && e.col == 0, "%d at %u:%u", e.code,
		   e.line, e.col);
	UNIT_CHECK(t, !strcmp(e.text, "x has 3"), "'%s'", e.text);
	UNIT_CHECK(t, !memcmp(qd_last_error(), &e, sizeof e), "the copy differs");
	UNIT_CHECK(t, qd_fail_text(NULL, QD_E_SYNTAX, 4, 7, "some text", 4) == QD_E_SYNTAX,
		   "status");
	UNIT_CHECK(t, qd_last_error()->line == 4 && qd_last_error()->col == 7, "position");
	UNIT_CHECK(t, !strcmp(qd_last_error()->text, "some"), "'%s'", qd_last_error()->text);
	/* An error whose arguments are its own text. */
	qd_fail(&e, QD_E_IO, "first");
	qd_fail(&e, e.code, "second: %s", e.text);
	UNIT_CHECK(t, !strcmp(e.text, "second: first"), "'%s'", e.text);
	qd_fail_text(&e, QD_E_IO, 0, 0, e.text + 8, 5);
	UNIT_CHECK(t, !strcmp(e.text, "first"), "'%s'", e.text);
	qd_fail_text(&e, QD_E_IO, 0, 0, qd_last_error()->text + 1, 3);
	UNIT_CHECK(t, !strcmp(e.text, "irs"), "'%s'", e.text);
}

#define MORE "... and more, see the log (QD_LOG=error)"

/* Checks messages around the size limit: complete, or truncated after a line, never inside a
 * character. */
static void
status_cut(struct unit_ctx *t)
{
	struct qd_error e;
	char text[3000];
	size_t cap = sizeof e.text;

	memset(text, 'a', sizeof text);
	qd_fail_text(&e, QD_E_IO, 0, 0, text, cap - 1);
	UNIT_CHECK(t, strlen(e.text) == cap - 1 && !strstr(e.text, MORE), "1023 are cut");
	qd_fail_text(&e, QD_E_IO, 0, 0, text, cap);
	UNIT_CHECK(t, strlen(e.text) == cap - 1, "%zu", strlen(e.text));
	UNIT_CHECK(t, strstr(e.text, "a\n" MORE), "no '" MORE "'");

	for (size_t i = 79; i < sizeof text; i += 80)
		text[i] = '\n';
	for (size_t len = cap; len < sizeof text; len += 13) {
		qd_fail_text(&e, QD_E_IO, 0, 0, text, len);
		char *more = strstr(e.text, "\n" MORE);
		UNIT_CHECK(t, more && more[strlen("\n" MORE)] == '\0', "%zu: no '" MORE "'", len);
		if (!more)
			return;
		size_t n = (size_t)(more - e.text) + 1;
		UNIT_CHECK(t, n % 80 == 0 && !memcmp(e.text, text, n), "cut after %zu", n);
		UNIT_CHECK(t, n + 80 + strlen(MORE) >= cap, "a line was lost: %zu", n);
	}
	/* The first line consists of two-byte characters, at both parities. */
	for (size_t at = 0; at < 2; at++) {
		memset(text, 'x', sizeof text);
		for (size_t i = at; i + 1 < sizeof text; i += 2)
			memcpy(text + i, "\xc3\xa4", 2);
		qd_fail_text(&e, QD_E_IO, 0, 0, text, sizeof text);
		char *more = strstr(e.text, "\n" MORE);
		UNIT_CHECK(t, more && more > e.text && (unsigned char)more[-1] == 0xa4,
			   "cut inside a character");
	}
	/* Formatted strings, including some longer than the formatter's buffer. */
	memset(text, 'a', sizeof text);
	text[500] = '\n';
	text[sizeof text - 1] = '\0';
	qd_fail(&e, QD_E_IO, "%s%s", text, text);
	UNIT_CHECK(t, !strcmp(e.text + 501, MORE), "'%s'", e.text + 501);
}

static void *
fail_in_thread(void *user)
{
	(void)user;
	static const char clean[sizeof(struct qd_error)];
	bool fresh = !memcmp(qd_last_error(), clean, sizeof clean);
	qd_fail(NULL, QD_E_BUSY, "another thread");
	return fresh && qd_last_error()->code == QD_E_BUSY ? (void *)(uintptr_t)clean : NULL;
}

static void
status_thread(struct unit_ctx *t)
{
	pthread_t thread;
	void *good = NULL;

	qd_fail(NULL, QD_E_IO, "mine");
	if (pthread_create(&thread, NULL, fail_in_thread, NULL)) {
		unit_skip(t, "no thread to be had");
		return;
	}
	pthread_join(thread, &good);
	UNIT_CHECK(t, good, "the other thread's error is not its own");
	UNIT_CHECK(t, !strcmp(qd_last_error()->text, "mine"), "'%s'", qd_last_error()->text);
}

/* -- Pool ------------------------------------------------------------------------ */

/* Checks that freed blocks are reused, so that a warm compile allocates nothing. */
static void
pool_reuse(struct unit_ctx *t)
{
	static const size_t sizes[] = { 0, 1, 240, 241, 4080, 4081, 100000, (1u << 24) - 16 };
	struct unit_alloc a;
	struct pool p;

	unit_alloc_init(&a);
	struct qd_allocator hooks = unit_alloc_hooks(&a);
	pool_init(&p, &hooks);
	for (int round = 0; round < 3; round++) {
		struct pool_block *b[QD_COUNT(sizes)];
		for (size_t i = 0; i < QD_COUNT(sizes); i++) {
			b[i] = pool_get(&p, sizes[i]);
			UNIT_CHECK(t, b[i], "no %zu bytes", sizes[i]);
			if (!b[i])
				continue;
			UNIT_CHECK(t, pool_room(b[i]) >= sizes[i], "room %zu < %zu",
				   pool_room(b[i]), sizes[i]);
			size_t need = sizes[i] + sizeof *b[i];
			UNIT_CHECK(t, b[i]->size <= 64 || b[i]->size <= need + need / 8,
				   "%zu bytes take %zu", need, b[i]->size);
			UNIT_CHECK(t, (uintptr_t)pool_data(b[i]) % 16 == 0, "alignment");
			memset(pool_data(b[i]), 0x5a, pool_room(b[i]));
		}
		for (size_t i = 0; i < QD_COUNT(sizes); i++)
			pool_put(&p, b[i]);
		UNIT_CHECK(t, a.n_calls == QD_COUNT(sizes), "round %d: %zu calls", round,
			   a.n_calls);
	}
	pool_put(&p, NULL);
	uint64_t *obj = pool_new(&p, 3 * sizeof *obj);
	UNIT_CHECK(t, obj && !obj[0] && !obj[1] && !obj[2], "pool_new does not zero");
	pool_delete(&p, obj);
	pool_delete(&p, NULL);
	UNIT_CHECK(t, a.n_calls == QD_COUNT(sizes), "an object took %zu calls",
		   a.n_calls - QD_COUNT(sizes));
	pool_fini(&p);
	UNIT_CHECK(t, a.n_out == 0 && !a.wrong_size, "%zu blocks leak", a.n_out);
	unit_alloc_fini(&a);
}

/* Checks that large blocks are not kept, and that sizes that overflow and failing allocators return
 * NULL. */
static void
pool_limits(struct unit_ctx *t)
{
	struct unit_alloc a;
	struct pool p;

	unit_alloc_init(&a);
	struct qd_allocator hooks = unit_alloc_hooks(&a);
	pool_init(&p, &hooks);
	struct pool_block *b = pool_get(&p, (1u << 24) - 15);
	UNIT_CHECK(t, b && b->size == (1u << 24) + 1, "size %zu", b ? b->size : 0);
	pool_put(&p, b);
	UNIT_CHECK(t, a.n_out == 0, "a large block is kept");
	UNIT_CHECK(t, !pool_get(&p, SIZE_MAX), "SIZE_MAX bytes");
	UNIT_CHECK(t, !pool_get(&p, SIZE_MAX - 15), "SIZE_MAX - 15 bytes");
	a.fail_at = a.n_calls + 1;
	a.fail_on = true;
	UNIT_CHECK(t, !pool_get(&p, 1), "out of memory returns a block");
	UNIT_CHECK(t, !pool_get(&p, 1u << 25), "out of memory returns a large block");
	UNIT_CHECK(t, !pool_new(&p, 1), "out of memory returns an object");
	pool_fini(&p);
	UNIT_CHECK(t, a.n_out == 0, "%zu blocks leak", a.n_out);
	unit_alloc_fini(&a);
}

enum { N_THREAD = 4, N_HELD = 8 };

struct pool_thread {
	struct pool *pool;
	uint64_t seed;
	unsigned bad;
};

static void *
churn(void *user)
{
	struct pool_thread *me = user;
	struct unit_rng rng = { me->seed };
	struct pool_block *held[N_HELD] = { 0 };

	for (int i = 0; i < 4000; i++) {
		struct pool_block **b = &held[unit_random(&rng) % N_HELD];
		if (*b) {
			unsigned char *data = pool_data(*b);
			for (size_t k = 0; k < pool_room(*b); k += 61)
				me->bad += data[k] != (unsigned char)me->seed;
			pool_put(me->pool, *b);
			*b = NULL;
		} else {
			*b = pool_get(me->pool, (size_t)1 << unit_random(&rng) % 14);
			if (*b)
				memset(pool_data(*b), (int)(unsigned char)me->seed, pool_room(*b));
			else
				me->bad++;
		}
	}
	for (int i = 0; i < N_HELD; i++)
		pool_put(me->pool, held[i]);
	return NULL;
}

/* Checks for blocks owned by two threads at once, which would contain the other thread's bytes. */
static void
pool_threads(struct unit_ctx *t)
{
	struct unit_alloc a;
	struct pool p;
	struct pool_thread me[N_THREAD];
	pthread_t thread[N_THREAD];
	int n = 0;

	unit_alloc_init(&a);
	struct qd_allocator hooks = unit_alloc_hooks(&a);
	pool_init(&p, &hooks);
	for (; n < N_THREAD; n++) {
		me[n] = (struct pool_thread){ &p, 17 + (uint64_t)n, 0 };
		if (pthread_create(&thread[n], NULL, churn, &me[n]))
			break;
	}
	for (int i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		UNIT_CHECK(t, me[i].bad == 0, "thread %d found %u wrong bytes", i, me[i].bad);
	}
	UNIT_CHECK(t, a.n_calls <= N_THREAD * N_HELD * 9, "%zu calls: nothing is reused",
		   a.n_calls);
	pool_fini(&p);
	UNIT_CHECK(t, a.n_out == 0 && !a.wrong_size, "%zu blocks leak", a.n_out);
	unit_alloc_fini(&a);
}

/* -- Arena -------------------------------------------------------------------------- */

static void
arena_pieces(struct unit_ctx *t)
{
	struct unit_alloc a;
	struct pool p;
	struct arena mem;
	char *piece[200];

	unit_alloc_init(&a);
	struct qd_allocator hooks = unit_alloc_hooks(&a);
	pool_init(&p, &hooks);
	arena_init(&mem, &p);
	UNIT_CHECK(t, arena_alloc(&mem, 0), "a piece of no bytes has no address");
	UNIT_CHECK(t, a.n_calls == 0, "an empty arena has a block");
	size_t warm = 0;
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < QD_COUNT(piece); i++) {
			piece[i] = arena_alloc(&mem, i * 7);
			UNIT_CHECK(t, piece[i] && (uintptr_t)piece[i] % 16 == 0, "piece %zu", i);
			if (piece[i])
				memset(piece[i], (int)i, i * 7);
		}
		for (size_t i = 0; i < QD_COUNT(piece); i++)
			for (size_t k = 0; piece[i] && k < i * 7; k++)
				if (piece[i][k] != (char)(unsigned char)i) {
					UNIT_CHECK(t, false, "piece %zu overlaps", i);
					break;
				}
		arena_reset(&mem);
		if (round == 0)
			warm = a.n_calls;
		UNIT_CHECK(t, mem.blocks && !mem.blocks->next, "reset keeps one block");
	}
	UNIT_CHECK(t, a.n_calls == warm, "warm rounds take %zu blocks more", a.n_calls - warm);
	/* Pieces larger than any block. If reset cannot allocate a block for their total size, it
	 * keeps the largest. */
	char *big = arena_zalloc(&mem, 3u << 20);
	UNIT_CHECK(t, big && big[0] == 0 && big[(3u << 20) - 1] == 0, "a large piece");
	UNIT_CHECK(t, arena_alloc(&mem, 2u << 20), "and another");
	a.fail_at = a.n_calls + 1;
	arena_reset(&mem);
	/* two calls: before its retry the pool frees the blocks it keeps */
	UNIT_CHECK(t, a.n_calls == a.fail_at + 1 && mem.blocks->size == 13u << 18,
		   "reset keeps %zu", mem.blocks->size);
	UNIT_CHECK(t, !mem.blocks->next && mem.at == (char *)pool_data(mem.blocks), "not reset");
	char *s = arena_strdup(&mem, "hello, world", 5);
	UNIT_CHECK(t, s && !strcmp(s, "hello"), "'%s'", s ? s : "NULL");
	s = arena_strdup(&mem, NULL, 0);
	UNIT_CHECK(t, s && !*s, "an empty string");
	arena_fini(&mem);
	arena_fini(&mem);
	UNIT_CHECK(t, arena_alloc(&mem, 100), "an arena may be used again");
	arena_fini(&mem);
	arena_reset(&mem);
	pool_fini(&p);
	UNIT_CHECK(t, a.n_out == 0 && !a.wrong_size, "%zu blocks leak", a.n_out);
	unit_alloc_fini(&a);
}

/* Checks that the arena stays valid after each allocation that fails. */
static void
arena_nomem(struct unit_ctx *t)
{
	for (size_t fail = 1; fail < 8; fail++) {
		struct unit_alloc a;
		struct pool p;
		struct arena mem;
		unsigned n_null = 0;

		unit_alloc_init(&a);
		struct qd_allocator hooks = unit_alloc_hooks(&a);
		a.fail_at = fail;
		pool_init(&p, &hooks);
		arena_init(&mem, &p);
		for (int i = 0; i < 64; i++) {
			char *s = arena_alloc(&mem, 1000);
			if (s)
				memset(s, i, 1000);
			else
				n_null++;
		}
		UNIT_CHECK(t, n_null == (a.n_calls >= fail), "call %zu: %u pieces fail", fail,
			   n_null);
		arena_fini(&mem);
		pool_fini(&p);
		UNIT_CHECK(t, a.n_out == 0, "call %zu: %zu blocks leak", fail, a.n_out);
		unit_alloc_fini(&a);
	}
}

/* -- Buffer ---------------------------------------------------------------------------- */

static void
buf_text(struct unit_ctx *t)
{
	struct pool p;
	struct buf b;
	struct qd_error e;
	char out[16];
	size_t len = 0;

	pool_init(&p, &pool_malloc);
	buf_init(&b, &p);
	UNIT_CHECK(t, buf_data(&b) && b.len == 0, "a new buffer has no address, or has data");
	UNIT_CHECK(t, buf_copy_out(&b, out, sizeof out, &len, &e) == QD_OK && !len && !*out,
		   "an empty text");
	buf_put(&b, NULL, 0);
	for (int i = 0; i < 3000; i++)
		buf_printf(&b, "%d,%s;", i, "x");
	char want[32];
	size_t at = 0;
	for (int i = 0; i < 3000; i++) {
		size_t n = (size_t)snprintf(want, sizeof want, "%d,x;", i);
		UNIT_CHECK(t, at + n <= b.len && !memcmp(buf_data(&b) + at, want, n), "item %d", i);
		at += n;
	}
	UNIT_CHECK(t, at == b.len && !b.nomem, "%zu bytes, not %zu", b.len, at);
	/* An output longer than the space left. */
	b.len = 0;
	buf_printf(&b, "%70000d", 7);
	UNIT_CHECK(t, b.len == 70000 && buf_data(&b)[69999] == '7', "%zu", b.len);
	b.len = 0;
	buf_printf(&b, "0123456789");
	UNIT_CHECK(t, buf_copy_out(&b, NULL, 0, &len, &e) == QD_OK && len == 10, "measured %zu",
		   len);
	memset(out, '#', sizeof out);
	UNIT_CHECK(t, buf_copy_out(&b, out, 4, &len, &e) == QD_OK && len == 10 &&
			      !memcmp(out, "012\0#", 5),
		   "cut");
	UNIT_CHECK(t, buf_copy_out(&b, out, 11, NULL, NULL) == QD_OK && !strcmp(out, "0123456789"),
		   "whole");
	UNIT_CHECK(t, buf_copy_out(&b, NULL, 4, &len, &e) == QD_E_INVALID, "no text, cap 4");
	buf_fini(&b);
	buf_fini(&b);
	pool_fini(&p);
}

/* Checks that a failed allocation is sticky, keeps the text written before, and is reported. */
static void
buf_nomem(struct unit_ctx *t)
{
	for (size_t fail = 1; fail < 6; fail++) {
		struct unit_alloc a;
		struct pool p;
		struct buf b;
		struct qd_error e;
		size_t n = 0, stuck = 0;

		unit_alloc_init(&a);
		struct qd_allocator hooks = unit_alloc_hooks(&a);
		a.fail_at = fail;
		pool_init(&p, &hooks);
		buf_init(&b, &p);
		for (; n < 10000 && !b.nomem; n++)
			buf_put(&b, "abcd", 4);
		UNIT_CHECK(t, b.nomem, "call %zu did not fail", fail);
		stuck = b.len;
		UNIT_CHECK(t, stuck == 4 * (n - 1), "%zu bytes of %zu appends", stuck, n);
		buf_printf(&b, "%d", 5);
		buf_put(&b, "x", 1);
		UNIT_CHECK(t, !buf_extend(&b, 1) && b.len == stuck, "continues after an error");
		UNIT_CHECK(t, buf_copy_out(&b, NULL, 0, &n, &e) == QD_E_NOMEM, "not reported");
		buf_fini(&b);
		pool_fini(&p);
		UNIT_CHECK(t, a.n_out == 0, "call %zu: %zu blocks leak", fail, a.n_out);
		unit_alloc_fini(&a);
	}
	struct pool p;
	struct buf b;
	pool_init(&p, &pool_malloc);
	buf_init(&b, &p);
	buf_put(&b, "abcd", 4);
	UNIT_CHECK(t, !buf_extend(&b, SIZE_MAX - 2) && b.nomem, "a size that wraps");
	buf_fini(&b);
	pool_fini(&p);
}

/* -- Text from files -------------------------------------------------------------------- */

static void
show_rows(struct unit_ctx *t)
{
	static const struct {
		const char *text, *name, *lines;
	} rows[] = {
		{ "plain ~", "plain ~", NULL },
		{ "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", NULL },
		{ "a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd", "a\nb\tc\\x0dd" },
		{ "\x1b[31m\x07\x7f", "\\x1b[31m\\x07\\x7f", NULL },
		{ "\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\u0080\\u009b\\u009f\xc2\xa0", NULL },
		{ "\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f", NULL },
		{ "\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9", "\\u202a\\u202e\\u2066\\u2069", NULL },
		{ "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaf", "\\u2028\\u2029\xe2\x80\xaf", NULL },
		/* Invalid UTF-8: a lone continuation byte, truncated, overlong, a surrogate, above
		 * U+10FFFF. */
		{ "\x80x\xff", "\\x80x\\xff", NULL },
		{ "\xe2\x82", "\\xe2\\x82", NULL },
		{ "\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf", NULL },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80", NULL },
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", NULL },
	};
	char out[128];

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const char *text = rows[i].text, *lines = rows[i].lines ? rows[i].lines : rows[i].name;
		size_t size = strlen(text);

		UNIT_CHECK(t, show_text(out, sizeof out, text, size, SHOW_NAME) == strlen(rows[i].name) &&
				      !strcmp(out, rows[i].name),
			   "row %zu: '%s'", i, out);
		UNIT_CHECK(t, show_is_plain(text, size, SHOW_NAME) == !strcmp(text, rows[i].name), "row %zu",
			   i);
		show_text(out, sizeof out, text, size, SHOW_LINES);
		UNIT_CHECK(t, !strcmp(out, lines), "row %zu: '%s'", i, out);
		UNIT_CHECK(t, !strcmp(SHOWN(text), rows[i].name), "row %zu: '%s'", i, SHOWN(text));
		/* Every capacity cuts between escapes, and the text ends in three dots. */
		for (size_t cap = SHOW_MOST + 1; cap <= strlen(rows[i].name); cap++) {
			size_t n = show_text(out, cap, text, size, SHOW_NAME);
			UNIT_CHECK(t, n < cap && n >= 3 && !strcmp(out + n - 3, "...") &&
					      !memcmp(out, rows[i].name, n - 3),
				   "row %zu of %zu: '%s'", i, cap, out);
		}
	}
	/* Library messages escape quoted file contents. */
	struct qd_error e;
	qd_fail(&e, QD_E_INVALID, "symbol '%s'\nnote: more", "\x1b[2J\xff");
	UNIT_CHECK(t, !strcmp(e.text, "symbol '\\x1b[2J\\xff'\nnote: more"), "'%s'", e.text);
}

/* -- Hash --------------------------------------------------------------------------- */

/* Compares with published values of XXH3-128, because other machines must find the same files. */
static void
hash_vectors(struct unit_ctx *t)
{
	struct hash128 h = hash_bytes("", 0);

	UNIT_CHECK(t, h.lo == 0x6001c324468d497f && h.hi == 0x99aa06d3014798d8,
		   "empty: %016llx%016llx", (unsigned long long)h.hi, (unsigned long long)h.lo);
	h = hash_bytes(NULL, 0);
	UNIT_CHECK(t, h.lo == 0x6001c324468d497f, "no bytes, no address");
	UNIT_CHECK(t, hash_bytes("a", 1).lo != hash_bytes("b", 1).lo, "a and b");
}

const struct unit units_base[] = {
	{ "status.names", status_names },
	{ "status.fail", status_fail },
	{ "status.cut", status_cut },
	{ "status.thread", status_thread },
	{ "pool.reuse", pool_reuse },
	{ "pool.limits", pool_limits },
	{ "pool.threads", pool_threads },
	{ "arena.pieces", arena_pieces },
	{ "arena.nomem", arena_nomem },
	{ "buf.text", buf_text },
	{ "buf.nomem", buf_nomem },
	{ "base.show", show_rows },
	{ "hash.vectors", hash_vectors },
};
const unsigned n_units_base = QD_COUNT(units_base);
