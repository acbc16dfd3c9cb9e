/* Reads the header of a line number program: sizes, directories and files (DWARF 5, 6.2.4, and
 * versions 2 to 4). */
#include "lines_read.h"
#include "show.h"

/* Forms and content types of DWARF 5, 7.5.6 and 7.22. */
enum {
	FORM_DATA2 = 5,
	FORM_DATA4 = 6,
	FORM_DATA8 = 7,
	FORM_STRING = 8,
	FORM_BLOCK = 9,
	FORM_DATA1 = 11,
	FORM_STRP = 14,
	FORM_UDATA = 15,
	FORM_DATA16 = 30,
	FORM_LINE_STRP = 31,
	CONTENT_PATH = 1,
	CONTENT_DIRECTORY = 2,
	MAX_FORMATS = 255
};

struct entry {
	const char *name;
	uint64_t dir;
};

struct format {
	uint8_t n;
	struct {
		uint64_t content, form;
	} part[MAX_FORMATS];
};

/* Returns the string at an offset of a section, or NULL if there is none or the budget is used
 * up. */
static const char *
string_in(struct line_reader *r, const struct elf_section *s, uint64_t at)
{
	if (!s || !s->data || at >= s->size)
		return NULL;
	const char *text = (const char *)s->data + at;
	size_t left = (size_t)(s->size - at), most = left < r->budget ? left : (size_t)r->budget;
	size_t len = strnlen(text, most);
	r->budget -= len;
	return len < most ? text : NULL;
}

/* Reads a value of this form; *text is set if it is a string. Returns false for an unknown form. */
static bool
read_form(struct line_reader *r, uint64_t form, unsigned offset_size, uint64_t *v,
	  const char **text)
{
	*v = 0;
	*text = NULL;
	switch (form) {
	case FORM_DATA1: *v = lines_number(r, 1); break;
	case FORM_DATA2: *v = lines_number(r, 2); break;
	case FORM_DATA4: *v = lines_number(r, 4); break;
	case FORM_DATA8: *v = lines_number(r, 8); break;
	case FORM_UDATA: *v = lines_leb(r, false); break;
	case FORM_DATA16:
		lines_number(r, 8);
		lines_number(r, 8);
		break;
	case FORM_BLOCK: {
		uint64_t size = lines_leb(r, false);
		r->short_of |= size > r->end - r->at;
		r->at = r->short_of ? r->end : r->at + (size_t)size;
		break;
	}
	case FORM_STRING: *text = lines_string(r); break;
	case FORM_STRP: *text = string_in(r, r->str, lines_number(r, offset_size)); break;
	case FORM_LINE_STRP: *text = string_in(r, r->line_str, lines_number(r, offset_size)); break;
	default: return false;
	}
	return true;
}

static void
read_format(struct line_reader *r, struct format *f)
{
	f->n = (uint8_t)lines_number(r, 1);
	for (unsigned i = 0; i < f->n; i++) {
		f->part[i].content = lines_leb(r, false);
		f->part[i].form = lines_leb(r, false);
	}
}

static bool
read_entry(struct line_reader *r, const struct format *f, unsigned offset_size, struct entry *e)
{
	*e = (struct entry){ 0 };
	for (unsigned i = 0; i < f->n; i++) {
		uint64_t v;
		const char *text;
		if (!read_form(r, f->part[i].form, offset_size, &v, &text))
			return false;
		if (f->part[i].content == CONTENT_PATH)
			e->name = text;
		else if (f->part[i].content == CONTENT_DIRECTORY)
			e->dir = v;
	}
	return true;
}

/* Returns the path in printable form, or NULL if out of memory. */
static const char *
shown_path(struct arena *mem, const char *path)
{
	return path ? show_in(mem, path) : NULL;
}

/* Returns "dir/name", or the name if it is absolute or there is no directory. */
static const char *
path(struct arena *mem, struct line_reader *r, const char *dir, const char *name)
{
	size_t dir_len = dir ? strlen(dir) : 0, len;

	if (!name || name[0] == '/' || !dir_len)
		return name;
	len = strlen(name);
	if (dir_len + len + 2 > r->budget)
		return name;
	r->budget -= dir_len + len + 2;
	char *text = arena_alloc(mem, dir_len + len + 2);
	if (!text)
		return name;
	memcpy(text, dir, dir_len);
	text[dir_len] = '/';
	memcpy(text + dir_len + 1, name, len + 1);
	return text;
}

/* Reads the number of entries. Each entry has at least one byte, so the remaining bytes limit the
 * number; a format without parts allows no entries. */
static qd_status
count_entries(struct line_reader *r, const struct format *f, uint64_t *n, struct qd_error *err)
{
	*n = lines_leb(r, false);
	if (r->short_of || (*n && !f->n) || *n > r->end - r->at)
		return lines_fail(r, err, "too many directories or files");
	return QD_OK;
}

static qd_status
read_files_5(struct arena *mem, struct line_reader *r, struct line_unit *u, unsigned offset_size,
	     struct qd_error *err)
{
	struct format f = { 0 };
	uint64_t n_dirs;
	struct entry e;

	read_format(r, &f);
	QD_TRY(count_entries(r, &f, &n_dirs, err));
	const char **dirs = arena_zalloc(mem, (size_t)(n_dirs + 1) * sizeof *dirs);
	if (!dirs)
		return qd_fail(err, QD_E_NOMEM, "out of memory for directories");
	for (uint64_t i = 0; i < n_dirs; i++) {
		if (!read_entry(r, &f, offset_size, &e))
			return lines_fail(r, err, "a directory in an unknown form");
		dirs[i] = i ? path(mem, r, dirs[0], e.name) : e.name;
	}
	read_format(r, &f);
	QD_TRY(count_entries(r, &f, &u->n_files, err));
	u->files = arena_zalloc(mem, (size_t)(u->n_files + 1) * sizeof *u->files);
	if (!u->files)
		return qd_fail(err, QD_E_NOMEM, "out of memory for files");
	for (uint64_t i = 0; i < u->n_files; i++) {
		if (!read_entry(r, &f, offset_size, &e))
			return lines_fail(r, err, "a file in an unknown form");
		u->files[i] = shown_path(mem, path(mem, r, e.dir < n_dirs ? dirs[e.dir] : NULL, e.name));
	}
	return QD_OK;
}

/* Reads the lists before version 5: both end in an empty name, and the first file is 1. Directory 0
 * is the compiler's working directory, which is in another section. */
static qd_status
read_files_2(struct arena *mem, struct line_reader *r, struct line_unit *u, struct qd_error *err)
{
	size_t start = r->at, n_dirs = 0, files_at, n = 0;

	while (*lines_string(r) && !r->short_of)
		n_dirs++;
	files_at = r->at;
	while (*lines_string(r) && !r->short_of) {
		for (int i = 0; i < 3; i++)
			lines_leb(r, false);
		n++;
	}
	if (r->short_of)
		return lines_fail(r, err, "the unit ends within its list of files");
	const char **dirs = arena_alloc(mem, (n_dirs + 1) * sizeof *dirs);
	u->files = arena_alloc(mem, (n + 1) * sizeof *u->files);
	if (!dirs || !u->files)
		return qd_fail(err, QD_E_NOMEM, "out of memory for files");
	r->at = start;
	for (size_t i = 0; i < n_dirs; i++)
		dirs[i] = lines_string(r);
	r->at = files_at;
	for (size_t i = 0; i < n; i++) {
		const char *name = lines_string(r);
		uint64_t dir = lines_leb(r, false);
		lines_leb(r, false);
		lines_leb(r, false);
		u->files[i] = shown_path(mem, path(mem, r, dir && dir <= n_dirs ? dirs[dir - 1] : NULL, name));
	}
	u->first_file = 1;
	u->n_files = n;
	return QD_OK;
}

qd_status
lines_unit(struct arena *mem, struct line_reader *r, struct line_unit *u, bool files,
	   struct qd_error *err)
{
	unsigned offset_size = 4, version;
	uint64_t len = lines_number(r, 4);

	*u = (struct line_unit){ 0 };
	if (len == UINT32_MAX) {
		offset_size = 8;
		len = lines_number(r, 8);
	}
	if (r->short_of || len > r->end - r->at)
		return lines_fail(r, err, "a unit that extends past the section");
	u->end = r->end = r->at + (size_t)len;
	version = (unsigned)lines_number(r, 2);
	if (version < 2 || version > 5 || !files)
		return QD_OK;
	if (version == 5)
		lines_number(r, 2); /* sizes of addresses and segments */
	len = lines_number(r, offset_size);
	if (r->short_of || len > r->end - r->at)
		return lines_fail(r, err, "a header that extends past its unit");
	size_t program = r->at + (size_t)len;
	u->least = (uint8_t)lines_number(r, 1);
	if (version >= 4)
		lines_number(r, 1); /* operations of an instruction */
	lines_number(r, 1);	    /* whether rows are statements */
	u->base = (int8_t)lines_number(r, 1);
	u->range = (uint8_t)lines_number(r, 1);
	u->first_special = (uint8_t)lines_number(r, 1);
	if (r->short_of || !u->range || !u->first_special)
		return lines_fail(r, err, "a header too short for its instructions");
	for (unsigned i = 1; i < u->first_special; i++)
		u->n_operands[i] = (uint8_t)lines_number(r, 1);
	r->end = program;
	if (version == 5)
		QD_TRY(read_files_5(mem, r, u, offset_size, err));
	else
		QD_TRY(read_files_2(mem, r, u, err));
	if (r->short_of)
		return lines_fail(r, err, "a header that ends before its files");
	u->program = program;
	return QD_OK;
}
