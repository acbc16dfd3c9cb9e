/* Exact text, line and column of every diagnostic. The text is an interface: a changed word fails
 * here. */
#include <stdio.h>
#include <stdlib.h>

#include "diag_case.h"
#include "unit.h"

struct heard {
	char all[2048]; /* the messages, with a newline between two */
	char error[1024]; /* the first error */
	unsigned n_errors;
};

static void
listen(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	struct heard *h = user;

	(void)component;
	(void)len;
	size_t at = strlen(h->all);
	snprintf(h->all + at, sizeof h->all - at, "%s%s", at ? "\n" : "", msg);
	if (level == QD_LOG_ERROR && !h->n_errors++)
		snprintf(h->error, sizeof h->error, "%s", msg);
}

static qd_status
make_kernel(struct qd_context *ctx, const struct diag_case *c, struct qd_kernel **k,
	    struct qd_error *err)
{
	struct qd_module *m = NULL;
	struct qd_builder *b;
	qd_status st;

	if (c->custom)
		return c->custom(ctx, err);
	if (c->build) {
		if ((st = qd_builder_create(ctx, "k", &b, err)))
			return st;
		c->build(b);
		return qd_builder_finish(b, k, err);
	}
	if (c->ir)
		return qd_kernel_read(ctx, c->ir, strlen(c->ir), "t.ir", k, err);
	size_t len = strlen(c->qdk);
	char *text = malloc(len + c->n_spaces + 1);

	if (!text)
		return QD_E_NOMEM;
	memcpy(text, c->qdk, len);
	memset(text + len, ' ', c->n_spaces);
	struct qd_text texts[QD_COUNT(c->texts)];
	struct qd_imports imports = { .texts = texts };

	for (; imports.n_texts < QD_COUNT(texts) && c->texts[imports.n_texts].name; imports.n_texts++) {
		texts[imports.n_texts] = c->texts[imports.n_texts];
		texts[imports.n_texts].len = strlen(texts[imports.n_texts].text);
	}
	st = qd_module_parse_imports(ctx, &(struct qd_text){ "t.qdk", text, len + c->n_spaces }, &imports, &m, err);
	free(text);
	if (!st)
		st = qd_module_kernel(m, c->kernel ? c->kernel : qd_module_kernel_name(m, 0),
				      c->choose, c->n_choose, k, err);
	qd_module_free(m);
	return st;
}

/* Returns the first error of the messages, or the first message. */
static const char *
first_of(const char *want)
{
	const char *error = strstr(want, ": error: ");

	while (error && error > want && error[-1] != '\n')
		error--;
	return error ? error : want;
}

static void
run_case(struct unit_ctx *t, const struct diag_case *c)
{
	struct heard heard = { .all = "" };
	struct qd_context_desc desc = { .version = QD_VERSION, .log = listen, .log_user = &heard,
					.limits = c->limits };
	const struct diag_info *info = &diag_info[c->d];
	struct qd_context *ctx;
	struct qd_kernel *k = NULL;
	struct qd_image *image = NULL;
	struct qd_error err = { 0 };
	qd_status st = qd_context_create(&desc, &ctx, &err);

	UNIT_CHECK(t, st == QD_OK, "%s", err.text);
	if (st)
		return;
	st = make_kernel(ctx, c, &k, &err);
	if (!st && c->target)
		st = qd_compile(ctx, k, c->target, c->tmpl, c->n_tmpl, &image, &err);
	UNIT_CHECK(t, st == info->status, "%s: status %s, want %s: %s", info->code,
		   qd_status_name(st), qd_status_name(info->status), err.text);
	UNIT_CHECK(t, strcmp(heard.all, c->want) == 0, "%s: logged\n%s\nwant\n%s", info->code,
		   heard.all, c->want);
	if (info->status != QD_OK) {
		size_t at = strlen(heard.error);
		if (heard.n_errors > 1)
			snprintf(heard.error + at, sizeof heard.error - at,
				 "\n... and %u more, see the log (QD_LOG=error)", heard.n_errors - 1);
		UNIT_CHECK(t, strcmp(err.text, heard.error) == 0, "%s:\n%s\nlogged\n%s",
			   info->code, err.text, heard.error);
		UNIT_CHECK(t, err.line == c->line && err.col == c->col, "%s: at %u:%u, want %u:%u",
			   info->code, err.line, err.col, c->line, c->col);
	}
	/* Every text ends its first line with the code, which identifies it. */
	const char *first = first_of(c->want), *eol = strchr(first, '\n'), *code = strstr(first, info->code);
	UNIT_CHECK(t, code && (!eol || code < eol), "%s: its text does not name it", info->code);
	qd_image_free(image);
	qd_kernel_free(k);
	qd_context_free(ctx);
}

static const struct {
	const struct diag_case *cases;
	const unsigned *n;
} tables[] = {
	{ diag_cases_build, &n_diag_cases_build },
	{ diag_cases_read, &n_diag_cases_read },
	{ diag_cases_pass, &n_diag_cases_pass },
	{ diag_cases_lang, &n_diag_cases_lang },
	{ diag_cases_shared, &n_diag_cases_shared },
};

/* The case of tests/diag as a row of a table. */
static struct diag_case
row_of(const struct diag_text_case *text)
{
	const char *first = first_of(text->want), *end = strchr(first, '\n');
	struct diag_case c = { .d = N_DIAG, .qdk = text->qdk, .target = text->target, .want = text->want };

	sscanf(first, "t.qdk:%u:%u:", &c.line, &c.col);
	for (unsigned d = 0; d < N_DIAG; d++) {
		const char *code = strstr(first, diag_info[d].code);
		if (code && code[-1] == '[' && (!end || code < end))
			c.d = (enum diag)d;
	}
	return c;
}

static void
exact_texts(struct unit_ctx *t)
{
	struct diag_text_case text = { 0 };

	while (diag_text_next(&text)) {
		struct diag_case c = row_of(&text);
		UNIT_CHECK(t, text.valid && c.d < N_DIAG, "%s: no case of this form: %.60s",
			   diag_texts[text.file].name, text.head);
		if (text.valid && c.d < N_DIAG)
			run_case(t, &c);
	}
	for (size_t i = 0; i < QD_COUNT(tables); i++)
		for (unsigned n = 0; n < *tables[i].n; n++)
			run_case(t, &tables[i].cases[n]);
}

static void
every_row(struct unit_ctx *t)
{
	struct diag_text_case text = { 0 };
	bool covered[N_DIAG + 1] = { false };

	while (diag_text_next(&text))
		covered[row_of(&text).d] = true;
	for (size_t i = 0; i < QD_COUNT(tables); i++)
		for (unsigned n = 0; n < *tables[i].n; n++)
			covered[tables[i].cases[n].d] = true;
	for (unsigned d = 0; d < N_DIAG; d++)
		UNIT_CHECK(t, covered[d], "%s has no test of its text", diag_info[d].code);
}

/* Checks that at least half of all errors of the language, by row and by case, contain help. */
static void
helps(struct unit_ctx *t)
{
	bool row[N_DIAG] = { false }, helped[N_DIAG] = { false };
	unsigned n = 0, n_helped = 0, rows = 0, rows_helped = 0;
	struct diag_text_case text = { 0 };

	while (diag_text_next(&text)) {
		enum diag d = row_of(&text).d;
		bool help = strstr(text.want, "\nhelp: ") != NULL;

		if (diag_info[d].code[0] != 'E' || strcmp(diag_texts[text.file].name, "lang"))
			continue;
		n++;
		n_helped += help;
		row[d] = true;
		helped[d] |= help;
	}
	for (unsigned d = 0; d < N_DIAG; d++) {
		rows += row[d];
		rows_helped += helped[d];
	}
	UNIT_CHECK(t, 2 * n_helped >= n, "%u of %u cases", n_helped, n);
	UNIT_CHECK(t, 2 * rows_helped >= rows, "%u of %u rows", rows_helped, rows);
}

const struct unit units_diag[] = {
	{ "helps", helps },
	{ "exact_texts", exact_texts },
	{ "every_row", every_row },
};
const unsigned n_units_diag = QD_COUNT(units_diag);
