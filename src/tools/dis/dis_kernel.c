/* Kernels of .qdk text and printed IR, shown as IR or as the code of a target. */
#include "dis.h"

#include "hsa.h"
#include "isa_dis.h"
#include "key.h"

/* Adds the text of the IR to --diff line by line, without source positions. */
static void
part_ir(struct dis *s, const struct qd_kernel *k, const char *text)
{
	struct buf line;

	buf_init(&line, &s->ctx->pool);
	dis_part_begin(s, qd_kernel_name(k));
	while (*text) {
		const char *eol = text + strcspn(text, "\n"), *end = eol;
		const char *place = memmem(text, (size_t)(eol - text), " ; ", 3);
		const char *first = text + strspn(text, " ");
		end = place ? place : eol;
		line.len = 0;
		for (const char *p = text; p < end; p++) {
			size_t len = *p == '%' ? 1 + strspn(p + 1, "0123456789") : 1;
			if (len > 1)
				buf_printf(&line, "%c%.*s%c", p == first ? DIFF_DEF : DIFF_USE, (int)len, p, DIFF_END);
			else
				buf_put(&line, p, 1);
			p += len - 1;
		}
		buf_put(&line, "", 1);
		if (line.nomem)
			tool_die(EXIT_ENVIRONMENT, "out of memory");
		if (strncmp(text, "file ", 5) != 0)
			dis_part_line(s, buf_data(&line), *text == ' ');
		text = *eol ? eol + 1 : eol;
	}
	buf_fini(&line);
}

static void
show_ir(struct dis *s, const struct qd_kernel *k, const struct ir *ir)
{
	struct buf text;
	buf_init(&text, &s->ctx->pool);
	ir_print(&text, k, ir);
	buf_put(&text, "", 1);
	if (text.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	text.len--;
	if (s->parts)
		part_ir(s, k, buf_data(&text));
	else
		dis_write(s, &text);
	buf_fini(&text);
}

void
dis_part_kernel(struct dis *s, const struct qd_kernel *k)
{
	show_ir(s, k, &k->ir);
}

/* -- Code with source lines and other remarks ---------------------------------------- */

/* Prints code with each source line as a comment before its instructions. */
static void
show_marked(struct dis *s, const struct target *t, const void *bytes, size_t size, struct buf *marks)
{
	size_t n = marks->len / sizeof(struct isa_mark), at = 0;
	struct buf code;
	uint32_t last = 0;
	struct qd_error e;

	buf_init(&code, &s->ctx->pool);
	if (isa_dis(t, bytes, size, marks, &code, &e))
		tool_fail(&e);
	if (marks->nomem || code.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	const struct isa_mark *m = (const struct isa_mark *)(const void *)buf_data(marks);
	const char *from = buf_data(&code);
	for (size_t i = 0; i < n; i++) {
		struct line_place place = line_map_place(&s->lines, s->req->file, m[i].pos);
		uint32_t line = POS_LINE(m[i].pos);

		if (line == last || m[i].at < at)
			continue;
		fwrite(from + at, 1, m[i].at - at, s->out.file);
		fprintf(s->out.file, "\t%s ", t->isa->remark);
		dis_put_source(s, place.file, place.line);
		fputc('\n', s->out.file);
		at = m[i].at;
		last = line;
	}
	fwrite(from + at, 1, code.len - at, s->out.file);
	buf_fini(&code);
}

/* Wraps AMD code in a code object, which the views read. */
static void
show_object(struct dis *s, const struct qd_image *img, struct buf *marks)
{
	struct hsa_kernel kernel = { img->code, img->code_size, &img->meta, img->layout,
				     img->target->m.name };
	struct isa_object object;
	struct buf out;
	struct qd_error e;

	buf_init(&out, &s->ctx->pool);
	img->target->isa->object(img->target, &object);
	if (hsa_write(&out, &object, &kernel, 1, &e))
		tool_fail(&e);
	dis_gcn_kernel(s, buf_data(&out), out.len, s->from_text ? marks : NULL);
	buf_fini(&out);
}

/* Returns true if more than the text of the code is requested. */
static bool
wants_views(const struct dis *s)
{
	const struct dis_request *r = s->req;

	return r->view != DIS_TEXT || r->live || r->waits || r->block || r->no_meta || r->no_hex || r->no_addr ||
	       r->style != DIS_QD || s->parts;
}

static void
show_ptx_views(struct dis *s, const struct buf *module, const struct buf *marks)
{
	const char *only = s->req->kernel;

	dis_refuse_amd_options(s, "this target has none of");
	s->n_shown = 0; /* dis_ptx counts the kernels */
	s->req->kernel = NULL; /* already selected */
	dis_ptx(s, s->req->file, buf_data(module), module->len, NULL, marks);
	s->req->kernel = only;
}

static void
show_views(struct dis *s, const struct qd_image *img, struct buf *marks)
{
	const char *isa = img->target->isa->name, *name = qd_kernel_name(img->kernel);
	const char *only = s->req->kernel;

	s->n_shown--; /* the printers count it */
	s->req->kernel = NULL; /* already selected */
	if (img->target->isa->object) {
		show_object(s, img, marks);
	} else {
		dis_refuse_amd_options(s, "this target has none of");
		(strcmp(isa, "ptx") == 0 ? dis_ptx : dis_spirv)(s, s->req->file, img->code, img->code_size, name,
								   s->from_text ? marks : NULL);
	}
	s->req->kernel = only;
}

static void
show_image(struct dis *s, const struct qd_image *img, struct buf *marks)
{
	if (s->req->binary && !img->code_size)
		tool_die(EXIT_INPUT, "target %s executes IR and has no code", img->target->m.name);
	if (s->req->binary)
		fwrite(img->code, 1, img->code_size, s->out.file);
	else if (img->target->isa->runs_ir)
		show_ir(s, img->kernel, &img->ir);
	else if (wants_views(s))
		show_views(s, img, marks);
	else if (marks->len && img->target->isa->remark && dis_shows_source(s))
		show_marked(s, img->target, img->code, img->code_size, marks);
	else
		dis_code(s, img->target, img->code, img->code_size);
}

/* Prints the PTX kernels that were joined into one module. */
static void
show_module(struct dis *s)
{
	const struct buf *text = dis_module_text(s);
	struct buf *marks = &s->ptx.marks;
	struct target t;
	struct qd_error e;

	if (text->len && isa_target(s->req->target, &t, &e))
		tool_fail(&e);
	if (text->len && wants_views(s))
		show_ptx_views(s, text, s->from_text ? marks : NULL);
	else if (marks->len && dis_shows_source(s))
		show_marked(s, &t, buf_data(text), text->len, marks);
	else if (text->len)
		dis_write(s, text);
	dis_module_fini(s);
}

/* tmpl: the template values for this kernel. */
static void
show_kernel(struct dis *s, const struct qd_kernel *k, const struct qd_tmpl *tmpl, uint32_t n)
{
	struct qd_error e;
	if (s->n_shown++ && s->req->binary && !s->req->object)
		tool_usage("a file of code holds one kernel; choose it with -k");
	s->from_text = k->from_text && k->source;
	s->lines = k->lines;
	bool text = s->req->view == DIS_TEXT && !s->parts && !s->req->binary;
	if (!s->req->target) {
		if (s->n_shown > 1 && text)
			fputc('\n', s->out.file);
		show_ir(s, k, &k->ir);
		return;
	}
	struct qd_tmpl own[MAX_TMPL];
	uint32_t n_own = 0;
	for (uint32_t i = 0; i < n; i++) {
		/* The others have been resolved by the parser. */
		if (kernel_find_tmpl(k, tmpl[i].name) < k->n_tmpls)
			own[n_own++] = tmpl[i];
	}
	struct jit_key key;
	struct qd_image *img;
	struct buf marks;
	buf_init(&marks, &s->ctx->pool);
	if (jit_key_named(&key, s->ctx, k, s->req->target, own, n_own, &e))
		tool_fail(&e);
	key.marks = &marks;
	if (jit_compile_key(s->ctx, &key, &img, &e))
		tool_fail(&e);
	if (machine_makes(&img->target->m))
		tool_message("note",
			     "kernel '%s': subgroups of %u lanes are %s the hardware's of %u: "
			     "%u barrier%s and %u bytes of shared memory in total",
			     qd_kernel_name(k), img->target->m.subgroup_size,
			     machine_gathers(&img->target->m) ? "composed of" : "parts of",
			     img->target->m.lanes, img->meta.barriers,
			     img->meta.barriers == 1 ? "" : "s", img->meta.shared_size);
	if (s->req->object) {
		dis_object_add(s, img);
	} else {
		if (!text || !dis_module_add(s, img, &marks)) {
			if (s->n_shown > 1 && text && !wants_views(s))
				fputc('\n', s->out.file);
			show_image(s, img, &marks);
		}
		qd_image_free(img);
	}
	buf_fini(&marks);
}

/* -- Kinds of input ------------------------------------------------------------ */

static void
read_ir(struct dis *s, struct dis_request *r, const char *text, size_t size)
{
	struct qd_error e;
	struct qd_kernel *k;
	if (qd_kernel_read(s->ctx, text, size, r->file, &k, &e))
		tool_fail(&e);
	for (uint32_t i = 0; i < r->tmpl.n; i++)
		r->tmpl.used[i] = kernel_find_tmpl(k, r->tmpl.v[i].name) < k->n_tmpls;
	tmpl_check_used(&r->tmpl);
	dis_choose(s, qd_kernel_name(k));
	if (dis_wanted(s, qd_kernel_name(k)))
		show_kernel(s, k, r->tmpl.v, r->tmpl.n);
	qd_kernel_free(k);
}

static void
read_module(struct dis *s, struct dis_request *r, const char *text, size_t size)
{
	struct qd_error e;
	struct qd_module *m = tool_parse(&r->imports, s->ctx, r->file, text, size);
	for (uint32_t i = 0; i < qd_module_kernel_count(m); i++)
		dis_choose(s, qd_module_kernel_name(m, i));
	/* reports errors of the command line before any output */
	for (uint32_t i = 0; i < qd_module_kernel_count(m); i++) {
		struct qd_tmpl tmpl[QD_COUNT(r->tmpl.v)];
		if (dis_wanted(s, qd_module_kernel_name(m, i)))
			tmpl_choose(&r->tmpl, m, i, r->target != NULL, tmpl);
	}
	tmpl_check_used(&r->tmpl);
	*s->others = (struct tool_names){ .n = 0 }; /* the loop below adds them again */
	for (uint32_t i = 0; i < qd_module_kernel_count(m); i++) {
		const char *name = qd_module_kernel_name(m, i);
		struct qd_tmpl tmpl[QD_COUNT(r->tmpl.v)];
		struct qd_kernel *k;
		if (!dis_wanted(s, name))
			continue;
		uint32_t n = tmpl_choose(&r->tmpl, m, i, r->target != NULL, tmpl);
		if (qd_module_kernel(m, name, tmpl, n, &k, &e))
			tool_fail(&e);
		show_kernel(s, k, tmpl, n);
		qd_kernel_free(k);
	}
	qd_module_free(m);
}

/* The IR has no views, and neither has a target that interprets it. */
void
dis_check_kernels(const struct dis *s)
{
	const struct dis_request *r = s->req;
	struct target t;

	if (r->view == DIS_TEXT && r->style == DIS_QD && !r->no_addr && !r->no_hex && !r->no_meta && !r->waits && !r->live &&
	    !r->block)
		return;
	/* an unknown target is reported with the kernel */
	if (!r->target || (isa_target(r->target, &t, QD_IGNORE_ERROR) == QD_OK && t.isa->runs_ir))
		tool_usage("--style, --no-addr, --no-hex, --no-meta, --stats, --mix, --block, "
			   "--json, --waits, --live, --hazards and --cfg need code; choose a "
			   "target for '%s' with -t",
			   r->file);
}

void
dis_kernels(struct dis *s)
{
	buf_init(&s->images, &s->ctx->pool);
	dis_module_init(s);
	dis_choose_begin(s);
	if (s->kind == KIND_IR)
		read_ir(s, s->req, s->data, s->size);
	else
		read_module(s, s->req, s->data, s->size);
	dis_object_write(s);
	show_module(s);
	buf_fini(&s->images);
}
