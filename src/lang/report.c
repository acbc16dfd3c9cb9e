/* Diagnostics of one public call. Converts offsets to positions, keeps the first error, logs all
 * errors, and logs none twice. */
#include "lang.h"

/* -- Positions ---------------------------------------------------------------- */

uint32_t
sink_pos(struct sink *s, uint32_t at)
{
	const uint32_t *lines = s->m->lines;
	uint32_t n = s->m->n_lines, line = s->line, col;

	if (line + 1 < n && at >= lines[line + 1] && (line + 2 >= n || at < lines[line + 2]))
		line++;
	if (line >= n || at < lines[line] || (line + 1 < n && at >= lines[line + 1])) {
		uint32_t lo = 0, hi = n;

		while (hi - lo > 1) {
			uint32_t mid = lo + (hi - lo) / 2;

			if (lines[mid] <= at)
				lo = mid;
			else
				hi = mid;
		}
		line = lo;
	}
	s->line = line;
	col = at - lines[line] + 1;
	return POS(line + 1, col);
}

/* Returns the columns from at to the end of the underlined range, or of its line. */
static uint32_t
width(const struct sink *s, uint32_t at, uint32_t len)
{
	const char *p = s->m->text + at, *eol;

	if (len > s->m->len - at)
		len = s->m->len - at;
	eol = memchr(p, '\n', len);
	if (eol)
		len = (uint32_t)(eol - p);
	while (len > 1 && (p[len - 1] == ' ' || p[len - 1] == '\t' || p[len - 1] == '\r'))
		len--;
	return len ? len : 1;
}

static struct diag_at
place(struct sink *s, uint32_t at, uint32_t len)
{
	return (struct diag_at){ .file = s->m->name,
				 .lines = &s->m->map,
				 .source = s->m->text,
				 .source_len = s->m->len,
				 .pos = sink_pos(s, at),
				 .width = width(s, at, len) };
}

/* -- Help texts ------------------------------------------------------------------ */

static const char *const helps[N_DIAG] = {
#define HELP(code, help) [DIAG_##code] = help,
#include "help.def"
};

static const struct {
	const char *what, *found, *help;
} founds[] = {
#define FOUND(what, found, help) { what, found, help },
#include "help.def"
};

static const struct {
	const char *what, *word, *help;
} afters[] = {
#define AFTER(what, word, help) { what, word, help },
#include "help.def"
};

static const struct {
	const char *ours, *help;
} laters[] = {
#define LATER(ours, help) { ours, help },
#include "help.def"
};

const char help_local_array[] =
	"a thread has no arrays: write one 'var' for each element, as in var t0, t1 = 0.0, 0.0; an "
	"array of the block is shared t: f32[4];";

static bool
same(const char *word, const char *s, uint32_t len)
{
	return strncmp(word, s, len) == 0 && !word[len];
}

const char *
help_found(const char *what, const char *found, uint32_t len)
{
	for (size_t i = 0; i < QD_COUNT(founds); i++)
		if ((!*founds[i].what || strcmp(founds[i].what, what) == 0) &&
		    (!*founds[i].found || same(founds[i].found, found, len)))
			return founds[i].help;
	return NULL;
}

const char *
help_after(const char *what, const char *word, uint32_t len)
{
	for (size_t i = 0; i < QD_COUNT(afters); i++)
		if (strcmp(afters[i].what, what) == 0 && same(afters[i].word, word, len))
			return afters[i].help;
	return NULL;
}

const char *
help_later(const char *name)
{
	for (size_t i = 0; i < QD_COUNT(laters); i++) {
		size_t n = strcspn(laters[i].ours, "*");

		if (strncmp(laters[i].ours, name, n) == 0 && (laters[i].ours[n] || !name[n]))
			return laters[i].help;
	}
	return NULL;
}

/* -- Errors and warnings ------------------------------------------------------- */

static bool
is_new(struct sink *s, uint32_t at, enum diag d)
{
	for (uint32_t i = 0; i < s->n_seen; i++)
		if (s->seen[i].at == at && s->seen[i].d == d)
			return false;
	if (s->n_seen == QD_COUNT(s->seen))
		return false;
	s->seen[s->n_seen].at = at;
	s->seen[s->n_seen++].d = d;
	return true;
}

void
sink_verror(struct sink *s, uint32_t at, uint32_t len, const struct help *help, enum diag d,
	    va_list ap)
{
	struct diag_note note = { 0 };

	if (sink_full(s) || !is_new(s, at, d))
		return;
	if (help && help->note) {
		note.text = help->note;
		note.pos = help->len ? sink_pos(s, help->at) : 0;
		note.width = help->len ? width(s, help->at, help->len) : 0;
	}
	note.help = help && help->help ? help->help : helps[d];
	diag_vreport(s->m->ctx, s->n_errors ? NULL : &s->first, place(s, at, len), NULL, &note, d,
		     ap);
	if (++s->n_errors == MAX_ERRORS)
		ctx_log(s->m->ctx, QD_LOG_ERROR, "diag", "%s: %d errors; the rest of the text is not checked",
			s->m->name, MAX_ERRORS);
}

void
sink_error(struct sink *s, uint32_t at, uint32_t len, const struct help *help, enum diag d, ...)
{
	va_list ap;

	va_start(ap, d);
	sink_verror(s, at, len, help, d, ap);
	va_end(ap);
}

void
sink_vwarn(struct sink *s, uint32_t at, uint32_t len, enum diag d, va_list ap)
{
	/* The last entries are reserved for errors. */
	if (!s->quiet && s->n_seen < 3 * MAX_ERRORS && is_new(s, at, d))
		diag_vwarn(s->m->ctx, place(s, at, len), NULL, d, ap);
}

void
sink_take(struct sink *s, const struct qd_error *e)
{
	if (s->n_errors++ == 0)
		s->first = *e;
}

qd_status
sink_end(struct sink *s, struct qd_error *err)
{
	char text[sizeof s->first.text];
	size_t len;

	if (s->nomem)
		return qd_fail(err, QD_E_NOMEM, "%s: out of memory", s->m->name);
	if (!s->n_errors)
		return QD_OK;
	len = strlen(s->first.text);
	memcpy(text, s->first.text, len + 1);
	if (s->n_errors > 1 && len + 64 < sizeof text)
		len += (size_t)snprintf(text + len, sizeof text - len,
					"\n... and %u more, see the log (QD_LOG=error)", s->n_errors - 1);
	return qd_fail_text(err, s->first.code, s->first.line, s->first.col, text, len);
}
