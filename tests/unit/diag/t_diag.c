/* Exact text, line and column of every diagnostic. The text is an interface: a changed word fails
 * here. */
#include <stdio.h>
#include <stdlib.h>

#include "diag_case.h"
#include "unit.h"

struct heard {
	const char *want;
	bool found;
	char last[2048];
};

static void
listen(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	struct heard *h = user;

	(void)level;
	(void)component;
	(void)len;
	h->found |= strcmp(msg, h->want) == 0;
	snprintf(h->last, sizeof h->last, "%s", msg);
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
	st = qd_module_parse(ctx, text, len + c->n_spaces, "t.qdk", &m, err);
	free(text);
	if (!st)
		st = qd_module_kernel(m, c->kernel ? c->kernel : qd_module_kernel_name(m, 0),
				      c->choose, c->n_choose, k, err);
	qd_module_free(m);
	return st;
}

static void
run_case(struct unit_ctx *t, const struct diag_case *c)
{
	struct heard heard = { .want = c->want };
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
	if (info->status == QD_OK) {
		UNIT_CHECK(t, heard.found, "%s: logged\n%s\nwant\n%s", info->code, heard.last,
			   c->want);
	} else {
		UNIT_CHECK(t, strcmp(err.text, c->want) == 0, "%s:\n%s\nwant\n%s", info->code,
			   err.text, c->want);
		UNIT_CHECK(t, err.line == c->line && err.col == c->col, "%s: at %u:%u, want %u:%u",
			   info->code, err.line, err.col, c->line, c->col);
		UNIT_CHECK(t, heard.found, "%s is not in the log", info->code);
	}
	/* Every text ends its first line with the code, which identifies it. */
	{
		const char *eol = strchr(c->want, '\n'), *code = strstr(c->want, info->code);

		UNIT_CHECK(t, code && (!eol || code < eol), "%s: its text does not name it",
			   info->code);
	}
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

static void
exact_texts(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(tables); i++)
		for (unsigned n = 0; n < *tables[i].n; n++)
			run_case(t, &tables[i].cases[n]);
}

static void
every_row(struct unit_ctx *t)
{
	bool covered[N_DIAG] = { false };

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

	for (unsigned i = 0; i < n_diag_cases_lang; i++) {
		const struct diag_case *c = &diag_cases_lang[i];
		bool help = strstr(c->want, "\nhelp: ") != NULL;

		if (diag_info[c->d].code[0] != 'E')
			continue;
		n++;
		n_helped += help;
		row[c->d] = true;
		helped[c->d] |= help;
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
