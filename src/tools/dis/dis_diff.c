/* --diff: compares the functions of two inputs line by line. Register names may differ, if each
 * register of one side corresponds to one of the other, from top to bottom. */
#include <stdlib.h>

#include "dis.h"

enum { CONTEXT = 3, MAX_EDITS = 4096, WORD = 64 };
#define NONE UINT32_MAX

struct line {
	const char *text; /* with marks */
	uint64_t key[2];  /* hash without the names of registers, and of the whole text */
	bool counts;
};

struct part {
	const char *name;
	uint32_t first, n, n_code;
	bool used;
};

struct dis_side {
	struct arena *mem;
	const char *file, *target;
	struct buf parts, lines;
};

static void *
need(void *p)
{
	if (!p)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return p;
}

struct dis_side *
dis_side_new(struct dis *s, struct arena *mem, const char *file, const char *target)
{
	struct dis_side *p = need(arena_zalloc(mem, sizeof *p));

	p->mem = mem;
	p->file = file;
	p->target = target;
	buf_init(&p->parts, &s->ctx->pool);
	buf_init(&p->lines, &s->ctx->pool);
	return p;
}

void
dis_side_free(struct dis_side *p)
{
	buf_fini(&p->parts);
	buf_fini(&p->lines);
}

static uint32_t
n_lines(const struct dis_side *p)
{
	return (uint32_t)(p->lines.len / sizeof(struct line));
}

static struct part *
parts_of(const struct dis_side *p, uint32_t *n)
{
	*n = (uint32_t)(p->parts.len / sizeof(struct part));
	return (struct part *)(void *)buf_data(&p->parts);
}

static void
add(struct buf *b, const void *row, size_t size)
{
	buf_put(b, row, size);
	if (b->nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
}

void
dis_part_begin(struct dis *s, const char *name)
{
	const char *suffix = s->entry ? s->entry : "";
	size_t len = strlen(name) + strlen(suffix) + 1;
	char *copy = need(arena_alloc(s->parts->mem, len));
	struct part part = { .name = copy, .first = n_lines(s->parts) };

	snprintf(copy, len, "%s%s", name, suffix);
	add(&s->parts->parts, &part, sizeof part);
}

static const char *
name_end(const char *s)
{
	while (*s && *s != DIFF_END)
		s++;
	return *s ? s + 1 : s;
}

static uint64_t
key_of(const char *s, bool names)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	while (*s) {
		unsigned char c = (unsigned char)*s;
		h = (h ^ c) * UINT64_C(0x100000001b3);
		s = !names && c >= DIFF_USE && c <= DIFF_NAME ? name_end(s) : s + 1;
	}
	return h;
}

void
dis_part_line(struct dis *s, const char *marked, bool counts)
{
	struct dis_side *p = s->parts;
	struct line l = { .text = need(arena_strdup(p->mem, marked, strlen(marked))), .key = { key_of(marked, false), key_of(marked, true) },
			  .counts = counts };
	uint32_t n;
	struct part *part = &parts_of(p, &n)[n - 1];

	add(&p->lines, &l, sizeof l);
	part->n++;
	part->n_code += counts;
}

/* -- Matching lines ---------------------------------------------------------------------- */

/* Myers: An O(ND) Difference Algorithm and Its Variations, 1986. The furthest points of every
 * number of edits are kept, to trace the path back. */
struct match {
	const struct line *a, *b;
	uint32_t n, m;
	int key; /* index of the key to compare */
	uint32_t *with; /* by line of a: line of b, or NONE */
};

/* Rows are consecutive. Row d has a point for each of its d + 1 diagonals. */
static size_t
row_at(uint32_t d)
{
	return (size_t)d * (d + 1) / 2;
}

static int64_t
furthest(const struct match *x, const int32_t *rows, uint32_t d, int64_t k)
{
	const int32_t *row = d ? rows + row_at(d - 1) : NULL;
	int64_t i = 0;

	/* Diagonals of row d - 1 are -(d-1), -(d-3), ..., d-1. */
	if (d) {
		int64_t last = (int64_t)d - 1;
		int64_t below = k - 1 >= -last ? row[(k - 1 + last) / 2] + 1 : -1;
		int64_t above = k + 1 <= last ? row[(k + 1 + last) / 2] : -1;
		i = below > above ? below : above;
	}
	while (i >= 0 && i < x->n && i - k >= 0 && i - k < x->m && x->a[i].key[x->key] == x->b[i - k].key[x->key])
		i++;
	return i;
}

static void
go_back(const struct match *x, const int32_t *rows, uint32_t d)
{
	int64_t i = x->n, j = x->m;

	for (;; d--) {
		int64_t k = i - j, from = 0;
		if (d) {
			const int32_t *row = rows + row_at(d - 1);
			int64_t last = (int64_t)d - 1;
			int64_t below = k - 1 >= -last ? row[(k - 1 + last) / 2] + 1 : -1;
			int64_t above = k + 1 <= last ? row[(k + 1 + last) / 2] : -1;
			from = below > above ? below : above;
			while (i > from)
				x->with[--i] = (uint32_t)--j;
			if (below > above)
				i--;
			else
				j--;
		} else {
			while (i > 0)
				x->with[--i] = (uint32_t)--j;
			return;
		}
	}
}

/* With more than MAX_EDITS edits, all lines between the equal ends count as changed. */
static void
match_middle(const struct match *x)
{
	uint32_t most = x->n + x->m < MAX_EDITS ? x->n + x->m : MAX_EDITS, cap = 16;
	int32_t *rows = need(malloc(row_at(cap + 1) * sizeof *rows));

	for (uint32_t d = 0; d <= most; d++) {
		if (d == cap) {
			cap = 2 * cap < most ? 2 * cap : most + 1;
			rows = need(realloc(rows, row_at(cap + 1) * sizeof *rows));
		}
		for (int64_t k = -(int64_t)d; k <= (int64_t)d; k += 2) {
			int64_t i = furthest(x, rows, d, k);
			/* a diagonal ends at the border of the square */
			bool inside = i >= 0 && i <= x->n && i - k <= x->m && i - k >= 0;
			rows[row_at(d) + (size_t)((k + d) / 2)] = inside ? (int32_t)i : INT32_MIN / 2;
			if (inside && i == x->n && i - k == x->m) {
				go_back(x, rows, d);
				free(rows);
				return;
			}
		}
	}
	free(rows);
}

static void
match_lines(const struct match *x)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < x->n; i++)
		x->with[i] = NONE;
	while (head < x->n && head < x->m && x->a[head].key[x->key] == x->b[head].key[x->key]) {
		x->with[head] = head;
		head++;
	}
	while (tail < x->n - head && tail < x->m - head &&
	       x->a[x->n - 1 - tail].key[x->key] == x->b[x->m - 1 - tail].key[x->key]) {
		x->with[x->n - 1 - tail] = x->m - 1 - tail;
		tail++;
	}
	struct match y = { x->a + head, x->b + head, x->n - head - tail, x->m - head - tail, x->key, x->with + head };
	if (!y.n || !y.m)
		return;
	match_middle(&y);
	for (uint32_t i = 0; i < y.n; i++)
		y.with[i] += y.with[i] == NONE ? 0 : head;
}

/* -- Correspondence of registers --------------------------------------------------------------- */

/* A register of one side, hashed by name, and the corresponding one of the other side. */
struct name {
	const char *s;
	uint32_t len;
	struct name *is; /* NULL: none yet */
	struct name *next;
};

struct names {
	struct arena mem;
	struct name *side[2][256];
};

static struct name *
name_of(struct names *x, int side, const char *s, uint32_t len)
{
	uint32_t h = 0x811c9dc5u;

	for (uint32_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)s[i]) * 0x01000193u;
	struct name **at = &x->side[side][(h ^ h >> 8) & 255];
	for (struct name *n = *at; n; n = n->next) {
		if (n->len == len && memcmp(n->s, s, len) == 0)
			return n;
	}
	struct name *n = need(arena_zalloc(&x->mem, sizeof *n));
	*n = (struct name){ .s = s, .len = len, .next = *at };
	return *at = n;
}

static void
tie(struct name *a, struct name *b)
{
	if (a->is)
		a->is->is = NULL;
	if (b->is)
		b->is->is = NULL;
	a->is = b;
	b->is = a;
}

/* Returns true if a corresponds to b. Registers without a counterpart correspond from now on,
 * except hardware registers with different names: they contain the kernel's initial state. */
static bool
stands_for(struct name *a, struct name *b, bool fixed)
{
	if (a->is || b->is)
		return a->is == b;
	if (fixed && (a->len != b->len || memcmp(a->s, b->s, a->len) != 0))
		return false;
	tie(a, b);
	return true;
}

/* Writes the k-th register of a name: s2 to s5 for s[2:5]. Returns false after the last. */
static bool
one_register(const char *s, uint32_t len, uint32_t k, char out[WORD], bool *fixed)
{
	unsigned from, to;
	char text[WORD], bank;

	snprintf(text, sizeof text, "%.*s", (int)(len < WORD ? len : WORD - 1), s);
	*fixed = false;
	if (sscanf(text, "%c[%u:%u]", &bank, &from, &to) == 3 && to >= from) {
		*fixed = true;
		if (k > to - from)
			return false;
		snprintf(out, WORD, "%c%u", bank, from + k);
		return true;
	}
	*fixed = strchr("vsa", text[0]) && text[1] >= '0' && text[1] <= '9';
	snprintf(out, WORD, "%s", text);
	return k == 0;
}

static bool
same_name(struct names *x, int mark, const char *a, uint32_t a_len, const char *b, uint32_t b_len, bool defs)
{
	char one[2][WORD];
	bool fixed[2];

	for (uint32_t k = 0;; k++) {
		bool more[2] = { one_register(a, a_len, k, one[0], &fixed[0]), one_register(b, b_len, k, one[1], &fixed[1]) };
		if (more[0] != more[1])
			return false;
		if (!more[0])
			return true;
		const char *copy[2];
		for (int i = 0; i < 2; i++)
			copy[i] = need(arena_strdup(&x->mem, one[i], strlen(one[i])));
		struct name *na = name_of(x, 0, copy[0], (uint32_t)strlen(copy[0]));
		struct name *nb = name_of(x, 1, copy[1], (uint32_t)strlen(copy[1]));
		if (defs && mark != DIFF_USE && mark != DIFF_NAME)
			tie(na, nb);
		else if (!defs && mark != DIFF_DEF && !stands_for(na, nb, fixed[0] && fixed[1]))
			return false;
	}
}

/* Compares the uses of both lines first, and then their definitions. */
static bool
same_registers(struct names *x, const struct line *a, const struct line *b)
{
	for (int defs = 0; defs < 2; defs++) {
		const char *s = a->text, *t = b->text;
		while (*s && *t) {
			unsigned char c = (unsigned char)*s;
			if (c < DIFF_USE || c > DIFF_NAME) {
				s++;
				t++;
				continue;
			}
			const char *s_end = name_end(s), *t_end = name_end(t);
			if (!same_name(x, c, s + 1, (uint32_t)(s_end - s - 2), t + 1, (uint32_t)(t_end - t - 2), defs))
				return false;
			s = s_end;
			t = t_end;
		}
	}
	return true;
}

static uint32_t
check_registers(struct dis *s, const struct match *x)
{
	struct names names;
	uint32_t same = 0;

	memset(names.side, 0, sizeof names.side);
	arena_init(&names.mem, &s->ctx->pool);
	for (uint32_t i = 0; i < x->n; i++) {
		if (x->with[i] != NONE && !same_registers(&names, &x->a[i], &x->b[x->with[i]]))
			x->with[i] = NONE;
		same += x->with[i] != NONE;
	}
	arena_fini(&names.mem);
	return same;
}

/* Matches the lines without and then with the names of registers. Keeps the result with more equal
 * lines. */
static void
match_best(struct dis *s, struct match *x)
{
	uint32_t *with = x->with, *other = need(malloc((x->n + (size_t)1) * sizeof *other));

	match_lines(x);
	uint32_t same = check_registers(s, x);
	x->key = 1;
	x->with = other;
	match_lines(x);
	if (check_registers(s, x) > same)
		memcpy(with, other, x->n * sizeof *with);
	x->with = with;
	free(other);
}

/* -- Output ---------------------------------------------------------------------------------------- */

static void
put_line(FILE *f, char sign, const struct line *l)
{
	fputc(sign, f);
	for (const char *s = l->text; *s; s++) {
		if ((unsigned char)*s < DIFF_USE || (unsigned char)*s > DIFF_END)
			fputc(*s, f);
	}
	fputc('\n', f);
}

struct edit {
	uint32_t i, j; /* preceding lines of both sides */
	char sign;     /* ' ', '-', '+' */
};

static uint32_t
list_edits(const struct match *x, struct edit *e)
{
	uint32_t n = 0, j = 0;

	for (uint32_t i = 0; i <= x->n; i++) {
		uint32_t k = i;
		while (k < x->n && x->with[k] == NONE)
			k++;
		uint32_t to = k < x->n ? x->with[k] : x->m;
		for (; i < k; i++)
			e[n++] = (struct edit){ i, j, '-' };
		for (; j < to; j++)
			e[n++] = (struct edit){ i, j, '+' };
		if (i < x->n)
			e[n++] = (struct edit){ i, j++, ' ' };
	}
	return n;
}

/* Prints runs of changes, with CONTEXT lines around them. */
static void
put_hunks(FILE *f, const struct match *x, const struct edit *e, uint32_t n)
{
	for (uint32_t at = 0; at < n;) {
		if (e[at].sign == ' ') {
			at++;
			continue;
		}
		uint32_t from = at > CONTEXT ? at - CONTEXT : 0, to = at, quiet = 0, rows[2] = { 0 };
		while (to < n && quiet <= 2 * CONTEXT) {
			quiet = e[to].sign == ' ' ? quiet + 1 : 0;
			to++;
		}
		to = quiet > CONTEXT ? to - (quiet - CONTEXT) : to;
		for (uint32_t i = from; i < to; i++) {
			rows[0] += e[i].sign != '+';
			rows[1] += e[i].sign != '-';
		}
		fprintf(f, "@@ -%u,%u +%u,%u @@\n", e[from].i + (rows[0] != 0), rows[0], e[from].j + (rows[1] != 0), rows[1]);
		for (uint32_t i = from; i < to; i++)
			put_line(f, e[i].sign, e[i].sign == '+' ? &x->b[e[i].j] : &x->a[e[i].i]);
		at = to;
	}
}

static const char *
label(struct dis_side const *p, char text[256])
{
	snprintf(text, 256, p->target ? "%.180s (%.60s)" : "%.180s", p->file, p->target);
	return text;
}

static bool
compare(struct dis *s, const struct dis_side *a, const struct dis_side *b, const struct part *pa, const struct part *pb)
{
	struct match x = { (const struct line *)(const void *)buf_data(&a->lines) + pa->first,
			   (const struct line *)(const void *)buf_data(&b->lines) + pb->first, pa->n, pb->n, 0, NULL };
	uint32_t n[2] = { 0 };
	FILE *f = s->out.file;
	char text[256];

	x.with = need(malloc((x.n + (size_t)1) * sizeof *x.with));
	struct edit *e = need(malloc((x.n + (size_t)x.m + 1) * sizeof *e));
	match_best(s, &x);
	uint32_t n_edit = list_edits(&x, e);
	for (uint32_t i = 0; i < n_edit; i++) {
		n[0] += e[i].sign == '-';
		n[1] += e[i].sign == '+';
	}
	dis_put_written(s, pa->name);
	fprintf(f, ": %u -> %u instructions, ", pa->n_code, pb->n_code);
	if (n[0] || n[1]) {
		fprintf(f, "%u line%s removed, %u added\n", n[0], n[0] == 1 ? "" : "s", n[1]);
		fprintf(f, "--- %s ", label(a, text));
		dis_put_written(s, pa->name);
		fprintf(f, "\n+++ %s ", label(b, text));
		dis_put_written(s, pb->name);
		fputc('\n', f);
		put_hunks(f, &x, e, n_edit);
	} else {
		fputs("the same\n", f);
	}
	free(e);
	free(x.with);
	return n[0] || n[1];
}

static void
only_in(struct dis *s, const struct dis_side *p, const struct part *part)
{
	char text[256];

	dis_put_written(s, part->name);
	fprintf(s->out.file, ": only in %s, %u instruction%s\n", label(p, text), part->n_code, part->n_code == 1 ? "" : "s");
}

bool
dis_diff(struct dis *s, const struct dis_side *a, const struct dis_side *b)
{
	uint32_t n, m;
	struct part *pa = parts_of(a, &n), *pb = parts_of(b, &m);
	bool differ = false;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = 0;
		/* A single function of each side is compared whatever its name. */
		while (k < m && (pb[k].used || strcmp(pa[i].name, pb[k].name) != 0) && !(n == 1 && m == 1))
			k++;
		if (k == m) {
			only_in(s, a, &pa[i]);
			differ = true;
			continue;
		}
		pb[k].used = true;
		differ |= compare(s, a, b, &pa[i], &pb[k]);
	}
	for (uint32_t k = 0; k < m; k++) {
		if (pb[k].used)
			continue;
		only_in(s, b, &pb[k]);
		differ = true;
	}
	return differ;
}
