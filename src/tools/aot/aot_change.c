/* qd-aot extract, merge, strip: writes a fatbin's images to files, and fatbins from fatbins. */
#include "aot.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* -- extract --------------------------------------------------------------------------------- */

static void
write_entry(struct qd_context *ctx, const struct aot_request *r, struct qd_fatbin *f, uint32_t i)
{
	struct image_parts p;
	struct tool_output o;
	struct fatbin_place at;
	struct qd_error e;
	struct buf path, out;

	fatbin_at(f, i, &at);
	if (fatbin_layout(f, i, &p, &e))
		tool_fail(&e);
	buf_init(&path, &ctx->pool);
	buf_init(&out, &ctx->pool);
	if (r->output)
		buf_printf(&path, "%s", r->output);
	else
		aot_image_path(&path, r->folder ? r->folder : ".", at.kernel, at.variant, at.target,
			       (enum code_kind)at.row.kind);
	buf_put(&path, "", 1);
	image_file(&p, &out);
	if (path.nomem || out.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	tool_output_open(&o, buf_data(&path), at.row.kind != CODE_PTX && at.row.kind != CODE_IR, r->force);
	fwrite(buf_data(&out), 1, out.len, o.file);
	tool_output_close(&o);
	if (!r->output && !r->quiet)
		fprintf(stderr, "%s\n", buf_data(&path));
	buf_fini(&path);
	buf_fini(&out);
}

int
aot_extract(struct qd_context *ctx, const struct aot_request *r)
{
	uint32_t n;

	if (r->files.n != 1)
		tool_usage("extract takes one file");
	if (r->emit != AOT_FILES && (r->emit != AOT_OBJ || r->emit_asked))
		tool_usage("extract takes no --emit but files:DIR");
	if (r->output && r->folder)
		tool_usage("--emit=files:DIR writes into that directory; -o cannot be combined "
			   "with it");
	struct qd_fatbin *f = aot_open(ctx, r->files.v[0]);
	struct aot_request one = *r;
	one.exact = r->output != NULL;
	uint32_t *rows = aot_rows(&one, f, &n);
	if (!n) {
		free(rows);
		rows = aot_rows(r, f, &n);
	}
	if (!n) {
		free(rows);
		tool_die(EXIT_INPUT, "no entry matches; 'qd-aot list %s' shows them", r->files.v[0]);
	}
	if (r->output && n > 1)
		tool_usage(
			"%u entries match, but -o names one file; choose one with -k, -D and -t, "
			"or pass a directory with --emit=files:DIR",
			n);
	if (r->folder && mkdir(r->folder, 0777) != 0 && errno != EEXIST)
		tool_die(EXIT_ENVIRONMENT, "cannot create '%s': %s", r->folder, strerror(errno));
	for (uint32_t i = 0; i < n; i++)
		write_entry(ctx, r, f, rows[i]);
	free(rows);
	qd_fatbin_free(f);
	return EXIT_OK;
}

/* -- merge, strip ----------------------------------------------------------------------------- */

struct gathered {
	struct fatbin_item *items;
	uint32_t n;
};

/* Collects the file's selected entries, or the others. */
static void
gather(struct gathered *g, const struct aot_request *r, struct qd_fatbin *f, bool wanted)
{
	g->items = realloc(g->items, (g->n + fatbin_count(f)) * sizeof *g->items);
	if (!g->items)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	for (uint32_t i = 0; i < fatbin_count(f); i++) {
		struct image_parts p;
		struct fatbin_place at;
		struct qd_error e;
		fatbin_at(f, i, &at);
		if (aot_wanted(r, &at) != wanted)
			continue;
		if (fatbin_layout(f, i, &p, &e))
			tool_fail(&e);
		g->items[g->n++] = (struct fatbin_item){
			.kernel = at.kernel,
			.variant = at.variant,
			.target = at.target,
			.kind = p.kind,
			.flags = at.row.flags,
			.meta = p.meta,
			.layout = p.layout,
			.code = p.code,
			.code_size = p.code_size,
		};
	}
}

/* Orders entries as the header requires: by kernel, then by values, so that equal ones are
 * adjacent. */
static int
by_kernel(const void *a, const void *b)
{
	const struct fatbin_item *x = a, *y = b;
	int c = strcmp(x->kernel, y->kernel);

	c = c ? c : strcmp(x->variant, y->variant);
	c = c ? c : strcmp(x->target, y->target);
	return c ? c : (int)x->kind - (int)y->kind;
}

static int
rewrite(struct qd_context *ctx, const struct aot_request *r, bool wanted)
{
	struct qd_fatbin **files = calloc(r->files.n, sizeof *files);
	struct gathered g = { .n = 0 };
	struct fatbin_sum sum;
	char stem[64];

	if (!r->output)
		tool_usage("no output; use -o FILE");
	if (r->header && strcmp(r->header, r->output) == 0)
		tool_usage("the header would overwrite the output, '%s'", r->output);
	if (r->stem)
		aot_check_stem(r->stem);
	if (!files)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	for (uint32_t i = 0; i < r->files.n; i++) {
		files[i] = aot_open(ctx, r->files.v[i]);
		gather(&g, r, files[i], wanted);
	}
	if (!g.n)
		tool_die(EXIT_INPUT, "no entry is left");
	aot_stem(r->stem ? r->stem : r->output, stem);
	qsort(g.items, g.n, sizeof *g.items, by_kernel);
	aot_write_fatbin(ctx, r, g.items, g.n, stem, &sum);
	if (r->header)
		aot_put_header(ctx, r, g.items, g.n, stem);
	tool_output_commit();
	if (!r->quiet)
		fprintf(stderr, "%u images, %u of them differ; %llu bytes, %llu stored\n", sum.n_rows,
			sum.n_images, (unsigned long long)sum.raw, (unsigned long long)sum.stored);
	for (uint32_t i = 0; i < r->files.n; i++)
		qd_fatbin_free(files[i]);
	free(files);
	free(g.items);
	return EXIT_OK;
}

int
aot_merge(struct qd_context *ctx, const struct aot_request *r)
{
	return rewrite(ctx, r, true);
}

/* Writes the fatbin without the entries that -k, -t and -D select. */
int
aot_strip(struct qd_context *ctx, const struct aot_request *r)
{
	if (r->files.n != 1)
		tool_usage("strip takes one file");
	if (!r->kernel && !r->targets.n && !r->n_sets)
		tool_usage("strip removes the entries that -k, -t and -D select; none of them is "
			   "given");
	return rewrite(ctx, r, false);
}
