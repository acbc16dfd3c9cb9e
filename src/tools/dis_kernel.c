/* Kernels for people: .qdk text and printed IR, as IR or as the code that they
 * become. */
#include "dis.h"

#include "key.h"

static void
show_ir(struct dis *s, const struct qd_kernel *k, const struct ir *ir)
{
	struct buf text;
	buf_init(&text, &s->ctx->pool);
	ir_print(&text, k, ir);
	dis_write(s, &text);
	buf_fini(&text);
}

/* -- Lines of the kernel's text beside its code ------------------------------------ */

/* Line n of the file, without what it is indented by. */
static const char *
text_line(const struct dis *s, uint32_t n, int *len)
{
	const char *p = s->data, *end = s->data + s->size;

	for (; n > 1 && p; n--) {
		p = memchr(p, '\n', (size_t)(end - p));
		p += p != NULL;
	}
	if (!p)
		return NULL;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	const char *eol = memchr(p, '\n', (size_t)(end - p));
	*len = (int)((eol ? eol : end) - p);
	return p;
}

/* A remark before what each line of the kernel became. */
static void
show_marked(struct dis *s, const struct qd_image *img, struct buf *marks)
{
	size_t n = marks->len / sizeof(struct isa_mark), at = 0;
	struct buf code, text;
	uint32_t last = 0;
	struct qd_error e;

	buf_init(&code, &s->ctx->pool);
	buf_init(&text, &s->ctx->pool);
	if (img->target->isa->dis(img->target, img->code, img->code_size, marks, &code, &e))
		tool_fail(&e);
	if (marks->nomem || code.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	const struct isa_mark *m = (const struct isa_mark *)(const void *)buf_data(marks);
	const char *from = buf_data(&code);
	for (size_t i = 0; i < n; i++) {
		uint32_t line = POS_LINE(m[i].pos);
		int len = 0;
		const char *source = line == last ? NULL : text_line(s, line, &len);

		if (!source)
			continue;
		buf_put(&text, from + at, m[i].at - at);
		buf_printf(&text, "\t%s %u: %.*s\n", img->target->isa->remark, line, len, source);
		at = m[i].at;
		last = line;
	}
	buf_put(&text, from + at, code.len - at);
	dis_write(s, &text);
	buf_fini(&text);
	buf_fini(&code);
}

static void
show_image(struct dis *s, const struct qd_image *img, struct buf *marks)
{
	if (s->req->binary && !img->code_size)
		tool_die(EXIT_INPUT, "target %s runs the IR and has no code", img->target->m.name);
	if (s->req->binary)
		fwrite(img->code, 1, img->code_size, s->out.file);
	else if (img->target->isa->runs_ir)
		show_ir(s, img->kernel, &img->ir);
	else if (marks->len && img->kernel->from_text && img->kernel->source)
		show_marked(s, img, marks);
	else
		dis_code(s, img->target, img->code, img->code_size);
}

/* tmpl: the values given for this kernel. */
static void
show_kernel(struct dis *s, const struct qd_kernel *k, const struct qd_tmpl *tmpl, uint32_t n)
{
	struct qd_error e;
	if (s->n_shown++ && s->req->binary && !s->req->object)
		tool_usage("a file of code holds one kernel; choose it with -k");
	if (s->n_shown > 1 && !s->req->binary)
		fputc('\n', s->out.file);
	if (!s->req->target) {
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
		tool_message("note", "kernel '%s': subgroups of %u lanes are %s the hardware's of %u: "
				     "%u barrier%s and %u bytes of shared memory in all",
			     qd_kernel_name(k), img->target->m.subgroup_size,
			     machine_gathers(&img->target->m) ? "made of" : "parts of",
			     img->target->m.lanes,
			     img->meta.barriers, img->meta.barriers == 1 ? "" : "s",
			     img->meta.shared_size);
	if (s->req->object) {
		dis_object_add(s, img);
	} else {
		show_image(s, img, &marks);
		qd_image_free(img);
	}
	buf_fini(&marks);
}

/* -- What the file is ---------------------------------------------------------- */

static bool
is_printed_ir(const char *text)
{
	text += strspn(text, " \t\r\n");
	return strncmp(text, "kernel \"", 8) == 0;
}

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
	struct qd_module *m;
	if (qd_module_parse(s->ctx, text, size, r->file, &m, &e))
		tool_fail(&e);
	for (uint32_t i = 0; i < qd_module_kernel_count(m); i++)
		dis_choose(s, qd_module_kernel_name(m, i));
	/* What is wrong with the command line is said before anything is shown. */
	for (uint32_t i = 0; i < qd_module_kernel_count(m); i++) {
		struct qd_tmpl tmpl[QD_COUNT(r->tmpl.v)];
		if (dis_wanted(s, qd_module_kernel_name(m, i)))
			tmpl_choose(&r->tmpl, m, i, r->target != NULL, tmpl);
	}
	tmpl_check_used(&r->tmpl);
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

void
dis_kernels(struct dis *s)
{
	buf_init(&s->images, &s->ctx->pool);
	if (is_printed_ir(s->data))
		read_ir(s, s->req, s->data, s->size);
	else
		read_module(s, s->req, s->data, s->size);
	dis_object_write(s);
	buf_fini(&s->images);
}
