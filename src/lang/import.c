/* Reads the files of a module: the text that is given, then what it imports, each file once. Their
 * texts are appended to one text, so an offset identifies a file. */
#include "lang.h"

struct reader {
	struct qd_module *m;
	struct sink *sink;
	const struct qd_imports *imports; /* NULL: none */
	struct node **tail;		  /* of the module's items */
};

/* -- Rows and lines ------------------------------------------------------------- */

/* Greatest column of a row. ORDER ir.h POS. */
static uint32_t
row_width(uint32_t row)
{
	return row > MAX_NARROW ? MAX_NARROW : MAX_WIDE - 1;
}

static bool
add_part(struct qd_module *m, struct line_part part)
{
	uint32_t n = m->map.n;
	struct line_part *all = m->parts;

	if (!(n & (n - 1))) {
		all = arena_alloc(&m->arena, (n ? 2 * n : 1) * sizeof *all);
		if (!all)
			return false;
		if (n)
			memcpy(all, m->parts, n * sizeof *all);
		m->map.part = m->parts = all;
	}
	all[m->map.n++] = part;
	return true;
}

static char *
copy_string(struct qd_module *m, const char *s, size_t len)
{
	char *to = arena_zalloc(&m->arena, len + 1);

	return to && len ? memcpy(to, s, len) : to;
}

/* Makes room for n more rows. */
static bool
grow_rows(struct qd_module *m, uint32_t n)
{
	uint32_t *lines = arena_alloc(&m->arena, (m->n_lines + n) * sizeof *lines);

	if (!lines)
		return false;
	if (m->n_lines)
		memcpy(lines, m->lines, m->n_lines * sizeof *lines);
	m->lines = lines;
	return true;
}

/* Adds the rows of a line, from start to end. Returns false if out of memory. */
static bool
add_line(struct qd_module *m, const struct file *f, uint32_t line, uint32_t start, uint32_t end)
{
	uint32_t width, first = m->n_lines, text = m->n_text_lines++;

	m->lines[m->n_lines++] = start;
	while (end - start >= (width = row_width(m->n_lines))) {
		start += width;
		m->lines[m->n_lines++] = start;
		if (!add_part(m, (struct line_part){ m->n_lines, text + 1, line, start - m->lines[first], f->name }))
			return false;
	}
	if (m->n_lines - first > 1 && !add_part(m, (struct line_part){ m->n_lines + 1, text + 2, line + 1, 0, f->name }))
		return false;
	return true;
}

/* Adds the rows of a file whose text is the end of the module's text. */
static bool
add_rows(struct qd_module *m, const struct file *f)
{
	const char *text = m->text, *eol;
	uint32_t n = 1, line = 1;

	for (uint32_t i = f->from; i < m->len; i++)
		n += text[i] == '\n';
	if (!grow_rows(m, n + (m->len - f->from) / MAX_NARROW + 1))
		return false;
	if (m->map.n && m->parts[m->map.n - 1].row == m->n_lines + 1)
		m->map.n--; /* the part after a long last line is empty */
	if (m->n_files && !add_part(m, (struct line_part){ m->n_lines + 1, m->n_text_lines + 1, 1, 0, f->name }))
		return false;
	for (uint32_t at = f->from;; at = (uint32_t)(eol - text) + 1, line++) {
		eol = memchr(text + at, '\n', m->len - at);
		if (!add_line(m, f, line, at, eol ? (uint32_t)(eol - text) : m->len))
			return false;
		if (!eol)
			return true;
	}
}

/* Inserts a part before part i. */
static bool
insert_part(struct qd_module *m, uint32_t i, struct line_part part)
{
	if (!add_part(m, part))
		return false;
	memmove(m->parts + i + 1, m->parts + i, (m->map.n - 1 - i) * sizeof part);
	m->parts[i] = part;
	return true;
}

bool
import_set_line(struct qd_module *m, struct sink *s, uint32_t at, uint32_t line, const char *name, uint32_t len)
{
	const uint32_t row = POS_LINE(sink_pos(s, at));
	const struct line_place old = line_map_place(&m->map, m->files[0].name, POS(row, 1));
	const char *file = name ? copy_string(m, name, len) : old.file;
	uint32_t i = m->map.n;

	while (i && m->parts[i - 1].row >= row)
		i--;
	if (!file || ((i == m->map.n || m->parts[i].row > row) &&
		      !insert_part(m, i, (struct line_part){ row, old.text_line, old.line, 0, old.file })))
		return false;
	for (; i < m->map.n; i++) {
		m->parts[i].line += line - old.line;
		m->parts[i].file = file;
	}
	return true;
}

/* -- Files ---------------------------------------------------------------------------- */

/* Appends a file whose text is the end of the module's text. Returns its index, or MAX_FILES if out
 * of memory. */
static uint32_t
add_file(struct qd_module *m, const char *name, uint32_t from)
{
	uint32_t n = m->n_files;
	struct file f = { .name = name, .from = from };

	if (!(n & (n - 1))) {
		struct file *more = arena_zalloc(&m->arena, (n ? 2 * n : 1) * sizeof *more);

		if (!more)
			return MAX_FILES;
		if (n)
			memcpy(more, m->files, n * sizeof *more);
		m->files = more;
	}
	if (!add_rows(m, &f))
		return MAX_FILES;
	m->files[n] = f;
	return m->n_files++;
}

/* Appends an imported text. Names refer to the text, which moves. */
static uint32_t
append_file(struct qd_module *m, const struct qd_text *t)
{
	uintptr_t old = (uintptr_t)m->text;
	char *name = copy_string(m, t->name, strlen(t->name));
	struct source *longer = name ? source_append(m->source, t->text, t->len) : NULL;
	uint32_t from = m->len + 1;

	if (!longer)
		return MAX_FILES;
	m->source = longer;
	m->name = longer->file;
	m->text = longer->text;
	m->len = (uint32_t)longer->len;
	for (uint32_t i = N_WORD; i < m->syms.n; i++)
		m->syms.sym[i].s = m->text + ((uintptr_t)m->syms.sym[i].s - old);
	return add_file(m, name, from);
}

/* -- Imports ------------------------------------------------------------------------------ */

/* Compares a name with `name` in the directory of the file `from`, which has len bytes. */
static bool
is_beside(const char *s, const char *from, size_t len, const char *name)
{
	return strncmp(s, from, len) == 0 && strcmp(s + len, name) == 0;
}

/* Finds a text of the call: beside the importing file, or with exactly this name. */
static bool
find_text(const struct reader *r, const char *name, const char *from, struct qd_text *out)
{
	const char *slash = strrchr(from, '/');
	size_t len = slash ? (size_t)(slash - from) + 1 : 0;
	uint32_t n = r->imports ? r->imports->n_texts : 0;

	for (int exact = 0; exact < 2; exact++, len = 0) {
		if (r->m->files && is_beside(r->m->name, from, len, name)) {
			*out = (struct qd_text){ .name = r->m->name };
			return true;
		}
		for (uint32_t i = 0; i < n; i++) {
			*out = r->imports->texts[i];
			if (out->name && is_beside(out->name, from, len, name))
				return true;
		}
	}
	return false;
}

/* Finds the text of an import. Reports an error and returns false if there is none. */
static bool
resolve(struct reader *r, const struct node *n, uint32_t from, struct qd_text *out)
{
	struct qd_error err = { .code = QD_OK };
	const char *name = copy_string(r->m, r->m->text + n->a->at + 1, n->a->len - 2), *why = r->imports ? "the call has no such text" : "the call has no imports: use qd_module_parse_imports";
	qd_status st = QD_E_NOT_FOUND;

	if (!name) {
		r->sink->nomem = true;
		return false;
	}
	if (!*name) {
		why = "the name is empty";
	} else if (find_text(r, name, r->m->files[from].name, out)) {
		st = QD_OK;
	} else if (r->imports && r->imports->resolve) {
		*out = (struct qd_text){ .name = name };
		st = r->imports->resolve(r->imports->user, name, r->m->files[from].name, out, &err);
		err.text[sizeof err.text - 1] = '\0';
		why = err.text[0] ? err.text : qd_status_text(st);
	}
	if (st == QD_OK && (out->text || !out->len) && out->name && *out->name)
		return true;
	if (st == QD_OK)
		why = "resolve returned no name or no text";
	if (st == QD_E_NOMEM)
		r->sink->nomem = true;
	sink_error(r->sink, n->a->at, n->a->len, NULL, DIAG_E0145, name, why);
	return false;
}

/* Reports an import of a file that is being read. The note shows how that file leads here. */
static void
cycle(struct reader *r, const struct node *n, uint32_t from, uint32_t to)
{
	const struct file *f = &r->m->files[from];
	struct help help = { 0 };

	while (f != &r->m->files[to] && f->importer != to)
		f = &r->m->files[f->importer];
	if (f != &r->m->files[to])
		help = (struct help){ f->at, f->len, "this import leads to the file above", NULL };
	sink_error(r->sink, n->a->at, n->a->len, &help, DIAG_E0146, r->m->files[to].name);
}

static uint32_t
find_file(const struct qd_module *m, const char *name)
{
	uint32_t i = 0;

	while (i < m->n_files && strcmp(m->files[i].name, name) != 0)
		i++;
	return i;
}

static void read_file(struct reader *r, uint32_t file);

/* Reads an imported file if it is new. Returns false after an error. */
static bool
read_import(struct reader *r, const struct node *n, uint32_t from, const struct qd_text *t)
{
	struct qd_module *m = r->m;
	unsigned long long size = (unsigned long long)m->len + 1 + t->len;
	uint32_t i;

	if (m->n_files == MAX_FILES) {
		sink_error(r->sink, n->a->at, n->a->len, NULL, DIAG_E0148, MAX_IMPORTS);
		return false;
	}
	if (size > m->ctx->limits.max_text || t->len > size) {
		sink_error(r->sink, n->a->at, n->a->len, &(struct help){ .help = "imported files count" }, DIAG_E0111, size,
			   m->ctx->limits.max_text, LIMIT_FIELD(m->ctx, max_text, LIMIT_TEXT));
		return false;
	}
	if ((i = append_file(m, t)) == MAX_FILES) {
		r->sink->nomem = true;
		return false;
	}
	m->files[i].importer = from;
	m->files[i].at = n->a->at;
	m->files[i].len = n->a->len;
	read_file(r, i);
	return true;
}

static void
import(struct reader *r, struct node *n, uint32_t from)
{
	struct qd_module *m = r->m;
	struct qd_text t;
	uint32_t i;

	if (!resolve(r, n, from, &t))
		return;
	i = find_file(m, t.name);
	if (i < m->n_files && m->files[i].open) {
		cycle(r, n, from, i);
		return;
	}
	if (i == m->n_files && !read_import(r, n, from, &t))
		return;
	n->num = i;
	if (!n->sym)
		m->files[from].sees[i / 64] |= UINT64_C(1) << i % 64;
}

/* Parses a file that was just appended, and then its imports. The depth is bounded by MAX_FILES. */
static void
read_file(struct reader *r, uint32_t file)
{
	struct qd_module *m = r->m;
	struct parser p = { .m = m, .sink = r->sink, .pos = m->files[file].from, .end = m->files[file].from };
	struct list items = { .tail = r->tail };
	struct node *n;

	parse_module(&p, &items);
	m->files[file].items = *r->tail;
	m->files[file].n_items = items.n;
	r->tail = items.tail;
	if (r->sink->n_errors)
		return;
	m->files[file].open = true;
	n = m->files[file].items;
	for (uint32_t i = 0; i < items.n && !sink_full(r->sink); i++, n = n->next)
		if (n->kind == N_IMPORT)
			import(r, n, file);
	m->files[file].open = false;
}

bool
import_read(struct qd_module *m, struct sink *s, const struct qd_imports *imports)
{
	struct reader r = { .m = m, .sink = s, .imports = imports, .tail = &m->items };

	const char *name = copy_string(m, m->name, strlen(m->name));

	if (!name || add_file(m, name, 0) == MAX_FILES)
		return false;
	read_file(&r, 0);
	if (s->nomem || !source_set_lines(m->source, m->parts, m->map.n))
		return false;
	if (m->map.n)
		m->map = m->source->lines;
	m->text_hash = hash_bytes(m->text, m->len);
	return true;
}
