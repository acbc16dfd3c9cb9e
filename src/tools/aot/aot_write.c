/* Writes the outputs: a fatbin with its header and depfile, or a file for each image. */
#include "aot.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* -- Items --------------------------------------------------------------------------------- */

static struct fatbin_item
item_of(const struct aot_cell *c)
{
	const struct qd_image *img = c->image;
	struct fatbin_item i = {
		.kernel = c->variant->name,
		.variant = c->variant->text,
		.target = c->target->name,
		.kind = c->target->is_cubin ? CODE_CUBIN : img->kind,
		.flags = c->variant->kernel->n_sizes ? FATBIN_SIZE_DEMANDED : 0,
		.meta = &img->meta,
		.layout = img->layout,
		.code = img->code,
		.code_size = img->code_size,
	};

	if (c->target->is_ir || c->target->is_cubin) {
		const struct buf *b = c->target->is_ir ? &c->ir : &c->cubin;
		i.code = buf_data(b);
		i.code_size = b->len;
	}
	/* A kernel with declared subgroup sizes was compiled for another target of the same
	 * kind. */
	if (!c->target->is_ir)
		i.target = img->target->m.name;
	return i;
}

/* Each (kernel, values, target) is written once: targets of two sizes can become the same. */
static bool
is_there(const struct fatbin_item *items, uint32_t n, const struct fatbin_item *i)
{
	for (uint32_t j = n; j-- > 0 && strcmp(items[j].kernel, i->kernel) == 0 &&
			     strcmp(items[j].variant, i->variant) == 0;) {
		if (items[j].kind == i->kind && strcmp(items[j].target, i->target) == 0)
			return true;
	}
	return false;
}

static struct fatbin_item *
make_items(const struct aot_matrix *m, uint32_t *n)
{
	struct fatbin_item *items = calloc(m->n_cells + 1, sizeof *items);

	if (!items)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	*n = 0;
	for (uint32_t i = 0; i < m->n_cells; i++) {
		if (m->cells[i].why)
			continue;
		struct fatbin_item item = item_of(&m->cells[i]);
		if (!is_there(items, *n, &item))
			items[(*n)++] = item;
	}
	return items;
}

/* -- Names --------------------------------------------------------------------------------- */

void
aot_stem(const char *path, char out[64])
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = 0, len = strcspn(name, ".");

	for (size_t i = 0; i < len && n < 63; i++) {
		char c = name[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		bool digit = c >= '0' && c <= '9';
		if (!n && digit)
			out[n++] = '_';
		out[n++] = letter || digit ? c : '_';
	}
	if (!n)
		out[n++] = '_';
	out[n] = '\0';
}

void
aot_check_stem(const char *stem)
{
	char same[64];

	aot_stem(stem, same);
	if (strcmp(same, stem) != 0)
		tool_usage("--stem takes a C identifier of at most 63 letters, not '%s'", stem);
}

/* Compares the files, or the names if one does not exist. */
static bool
same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
		return false;
	if (stat(a, &x) != 0 || stat(b, &y) != 0)
		return strcmp(a, b) == 0;
	return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Converts "x.o" to "x.h". */
static char *
header_path(const struct aot_request *r)
{
	const char *slash = strrchr(r->output, '/'), *dot = strrchr(r->output, '.');
	size_t len = dot && (!slash || dot > slash) ? (size_t)(dot - r->output) : strlen(r->output);
	char *path = malloc(len + 3);

	if (!path)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	memcpy(path, r->output, len);
	memcpy(path + len, ".h", 3);
	return path;
}

static bool
has_header(const struct aot_request *r)
{
	return r->emit == AOT_OBJ && !r->no_header &&
	       (r->header || (r->output && strcmp(r->output, "-") != 0));
}

/* Characters of a name that make reads only after a backslash, and characters that it cannot read:
 * GNU make's manual, "Rule Syntax" and "Using Wildcard Characters in File Names". Targets and
 * prerequisites differ, and a name here can be either. */
static const char make_escaped[] = " #:", make_unreadable[] = ";|=%*?[";

/* Exits if make would read another name, or more than a name. */
static void
check_make_name(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i], next = (unsigned char)name[i + 1];
		bool ends = next == '\0' && strchr("&) \\", c);
		if (c < ' ' || c == 127)
			tool_usage("--depfile: byte %zu of a file's name is the control character 0x%02x, which make "
				   "cannot read; rename the file", i, c);
		if (strchr(make_unreadable, c) || ends || (c == '~' && i == 0))
			tool_usage("--depfile: '%s' has '%c'%s, which make does not accept in a "
				   "name; rename the file",
				   name, c,
				   ends			? " at its end"
				   : i == 0 && c == '~' ? " at its beginning"
							: "");
		if (c == '\\' && strchr(make_escaped, next))
			tool_usage("--depfile: '%s' has a backslash before '%c', which make does "
				   "not accept in a name; rename the file",
				   name, next);
	}
}

static void
put_make_name(FILE *f, const char *name)
{
	for (; *name; name++) {
		if (strchr(make_escaped, *name))
			fputc('\\', f);
		else if (*name == '$')
			fputc('$', f);
		fputc(*name, f);
	}
}

void
aot_check_paths(const struct aot_request *r)
{
	char *named = has_header(r) && !r->header ? header_path(r) : NULL;
	const char *const out[] = { r->emit == AOT_FILES ? NULL : r->output,
				    has_header(r) ? named ? named : r->header : NULL, r->depfile };
	static const char *const what[] = { "the output", "the header", "the depfile" };

	for (size_t i = 0; i < QD_COUNT(out); i++) {
		for (uint32_t j = 0; out[i] && j < r->files.n; j++) {
			if (same_file(out[i], r->files.v[j]))
				tool_usage("%s '%s' would overwrite an input", what[i], out[i]);
		}
		for (size_t j = 0; out[i] && j < i; j++) {
			if (out[j] && same_file(out[i], out[j]))
				tool_usage(
					"%s would overwrite %s, '%s'%s", what[i], what[j], out[j],
					i == 1 ? "; set its name with --header, or use --no-header"
					       : "");
		}
	}
	free(named);
	if (!r->depfile)
		return;
	check_make_name(r->output);
	for (uint32_t j = 0; j < r->files.n; j++)
		check_make_name(r->files.v[j]);
}

/* Writes a file, which gets its name with the next commit. */
static void
write_buf(const char *path, const struct buf *b, bool binary, bool force)
{
	struct tool_output o;

	if (b->nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	tool_output_open(&o, path, binary, force);
	fwrite(buf_data(b), 1, b->len, o.file);
	tool_output_close_later(&o);
}

/* -- The fatbin ------------------------------------------------------------------------------- */

void
aot_write_fatbin(struct qd_context *ctx, const struct aot_request *r, const struct fatbin_item *items,
		 uint32_t n, const char *stem, struct fatbin_sum *sum)
{
	struct fatbin_options o = { .stem = stem, .machine = r->machine, .codec = r->codec,
				    .level = r->level };
	struct qd_error e;
	struct buf out;

	buf_init(&out, &ctx->pool);
	if (fatbin_write(&out, items, n, &o, sum, &e))
		tool_fail(&e);
	write_buf(r->output, &out, true, r->force);
	buf_fini(&out);
}

/* Writes the dependencies for make: the output and its sources. */
void
aot_write_depfile(const struct aot_request *r)
{
	struct tool_output o;

	if (!r->depfile)
		return;
	for (uint32_t i = 0; i < r->imports.n_files; i++)
		check_make_name(r->imports.files[i].path);
	tool_output_open(&o, r->depfile, false, false);
	put_make_name(o.file, r->output);
	fputc(':', o.file);
	for (uint32_t i = 0; i < r->files.n; i++) {
		fputc(' ', o.file);
		put_make_name(o.file, r->files.v[i]);
	}
	for (uint32_t i = 0; i < r->imports.n_files; i++) {
		if (r->imports.files[i].is_main)
			continue;
		fputc(' ', o.file);
		put_make_name(o.file, r->imports.files[i].path);
	}
	fputc('\n', o.file);
	tool_output_close_later(&o);
}

void
aot_put_header(struct qd_context *ctx, const struct aot_request *r, const struct fatbin_item *items,
	       uint32_t n, const char *stem)
{
	struct buf text;

	if (!has_header(r))
		return;
	char *path = r->header ? NULL : header_path(r);
	buf_init(&text, &ctx->pool);
	aot_write_header(&text, items, n, stem);
	write_buf(r->header ? r->header : path, &text, false, false);
	buf_fini(&text);
	free(path);
}

/* -- A file for each image ----------------------------------------------------------------------- */

const char *
aot_extension(enum code_kind kind)
{
	static const char *const extensions[N_CODE_KIND] = {
		[CODE_PTX] = "ptx",   [CODE_CUBIN] = "cubin", [CODE_AMD] = "hsaco",
		[CODE_SPIRV] = "spv", [CODE_IR] = "ir",
	};

	return kind < N_CODE_KIND && extensions[kind] ? extensions[kind] : "bin";
}

/* Replaces ; : and / in the name with -, for shells: "folder/sum-T=f32-L=5-gfx1100.hsaco". */
void
aot_image_path(struct buf *out, const char *folder, const char *kernel, const char *variant,
	       const char *target, enum code_kind kind)
{
	size_t start = out->len;

	buf_printf(out, "%s/", folder);
	size_t name = out->len - start;
	buf_printf(out, "%s%s%s-%s.%s", kernel, *variant ? "-" : "", variant, target,
		   aot_extension(kind));
	for (size_t at = start + name; at < out->len && !out->nomem; at++) {
		char *s = buf_data(out) + at;
		if (*s == ';' || *s == ':' || *s == '/')
			*s = '-';
	}
}

/* Writes AMD machine code as an object, other code unchanged. */
static void
write_image(struct qd_context *ctx, const struct fatbin_item *i, const char *path, bool binary, bool force)
{
	struct image_parts p = { .target = i->target,
				 .kind = i->kind,
				 .meta = i->meta,
				 .layout = i->layout,
				 .layout_size = i->layout->size,
				 .code = i->code,
				 .code_size = i->code_size };
	struct buf out;

	buf_init(&out, &ctx->pool);
	image_file(&p, &out);
	write_buf(path, &out, binary, force);
	buf_fini(&out);
}

static void
write_files(struct qd_context *ctx, const struct aot_request *r, const struct fatbin_item *items,
	    uint32_t n)
{
	if (mkdir(r->folder, 0777) != 0 && errno != EEXIST)
		tool_die(EXIT_ENVIRONMENT, "cannot create '%s': %s", r->folder, strerror(errno));
	for (uint32_t i = 0; i < n; i++) {
		struct buf path;
		buf_init(&path, &ctx->pool);
		aot_image_path(&path, r->folder, items[i].kernel, items[i].variant, items[i].target,
			       items[i].kind);
		buf_put(&path, "", 1);
		if (path.nomem)
			tool_die(EXIT_ENVIRONMENT, "out of memory");
		write_image(ctx, &items[i], buf_data(&path), true, true);
		tool_output_commit();
		buf_fini(&path);
	}
}

/* -- A single image ------------------------------------------------------------------------------- */

void
aot_name_kind(struct aot_request *r)
{
	const char *slash = r->output ? strrchr(r->output, '/') : NULL;
	const char *dot = r->output ? strrchr(slash ? slash : r->output, '.') : NULL;

	if (!dot || r->emit != AOT_OBJ || r->emit_asked)
		return;
	if (strcmp(dot, ".s") == 0)
		tool_usage("'qd-dis -t TARGET' prints the code as text; -o writes it to a file");
	for (uint32_t k = 1; k < N_CODE_KIND; k++) {
		if (strcmp(dot + 1, aot_extension((enum code_kind)k)) == 0) {
			r->emit = AOT_IMAGE;
			r->kind = (enum code_kind)k;
		}
	}
	if (r->emit == AOT_IMAGE && (r->header || r->stem || r->machine || r->verify))
		tool_usage(
			"the name '%s' selects a single image: --header, --stem, --host and "
			"--verify apply to fatbins only; --emit=obj writes a fatbin with that name",
			r->output);
}

/* Writes what the output's name requests: one image, or an object with kernels of one target. */
static void
write_one(struct qd_context *ctx, const struct aot_request *r, const struct fatbin_item *items, uint32_t n)
{
	const char *what = aot_extension(r->kind);
	struct buf out;
	uint32_t n_targets = 1;

	for (uint32_t i = 0; i < n; i++) {
		if (items[i].kind != r->kind)
			tool_usage("'%s' selects .%s, but target %s gives .%s; choose targets with "
				   "-t, or name the output .o for a fatbin",
				   r->output, what, items[i].target, aot_extension(items[i].kind));
		n_targets += strcmp(items[i].target, items[0].target) != 0;
	}
	if (r->kind == CODE_AMD && n > 1 && n_targets == 1) {
		aot_put_object(&out, ctx, items, n);
		write_buf(r->output, &out, true, r->force);
		buf_fini(&out);
		return;
	}
	if (n > 1)
		tool_usage("'%s' holds one image, but there are %u; choose with -k, -D and -t, or "
			   "name the output .o for a fatbin",
			   r->output, n);
	write_image(ctx, &items[0], r->output, r->kind != CODE_PTX && r->kind != CODE_IR, r->force);
}

/* -- Command -------------------------------------------------------------------------------------- */

static void
print_summary(const struct aot_matrix *m, const struct fatbin_sum *sum, uint64_t ns)
{
	if (m->r->quiet)
		return;
	fprintf(stderr, "%u kernel%s with their values, %u target%s: %u images", m->n_variants,
		m->n_variants == 1 ? "" : "s", m->n_targets, m->n_targets == 1 ? "" : "s", sum->n_rows);
	if (m->r->emit == AOT_OBJ)
		fprintf(stderr, ", %u of them differ", sum->n_images);
	fprintf(stderr, ", %u left out; ", m->n_left_out);
	if (m->r->emit == AOT_OBJ)
		fprintf(stderr, "%llu bytes, %llu stored; ", (unsigned long long)sum->raw,
			(unsigned long long)sum->stored);
	fprintf(stderr, "%.2f s\n", (double)ns / 1e9);
}

int
aot_write(struct aot_matrix *m)
{
	const struct aot_request *r = m->r;
	struct fatbin_sum sum = { 0 };
	uint64_t start = clock_ns();
	char stem[64];
	uint32_t n;

	aot_matrix_compile(m);
	if (r->verbose) {
		for (uint32_t i = 0; i < m->n_cells; i++) {
			const struct aot_cell *c = &m->cells[i];
			fprintf(stderr, "%s %s %s: %.*s\n", c->variant->name, c->variant->text,
				c->target->name, c->why ? (int)strcspn(c->why, "\n") : 4,
				c->why ? c->why : "made");
		}
	}
	if (r->dry_run) {
		aot_matrix_list(m);
		return EXIT_OK;
	}
	struct fatbin_item *items = make_items(m, &n);
	if (r->stem)
		aot_check_stem(r->stem);
	aot_stem(r->stem ? r->stem : r->output ? r->output : r->files.v[0], stem);
	sum.n_rows = sum.n_images = n;
	if (r->emit == AOT_OBJ) {
		aot_write_fatbin(m->ctx, r, items, n, stem, &sum);
		aot_put_header(m->ctx, r, items, n, stem);
	} else if (r->emit == AOT_FILES) {
		write_files(m->ctx, r, items, n);
	} else if (r->emit == AOT_IMAGE) {
		write_one(m->ctx, r, items, n);
	} else {
		aot_write_foreign(m->ctx, r, items, n);
	}
	aot_write_depfile(r);
	tool_output_commit();
	print_summary(m, &sum, clock_ns() - start);
	free(items);
	return EXIT_OK;
}
