/* Kernels of a .qdk text as one PTX module: the head once, with the highest .version that a kernel
 * needs, then each kernel. */
#include "dis.h"

#include "isa.h"
#include "jit.h"

void
dis_module_init(struct dis *s)
{
	buf_init(&s->ptx.head, &s->ctx->pool);
	buf_init(&s->ptx.text, &s->ctx->pool);
	buf_init(&s->ptx.marks, &s->ctx->pool);
}

/* Returns the bytes of the head: the directives before the first empty line. */
static size_t
head_size(const char *text, size_t size)
{
	const char *end = memmem(text, size, "\n\n", 2);

	return end ? (size_t)(end - text) + 2 : 0;
}

/* Returns 100 * major + minor of ".version 7.8". */
static unsigned
version_of(const char *head, size_t size)
{
	char line[32];
	unsigned major = 0, minor = 0;

	snprintf(line, sizeof line, "%.*s", size < 31 ? (int)size : 31, head);
	return sscanf(line, ".version %u.%u", &major, &minor) == 2 ? 100 * major + minor : 0;
}

bool
dis_module_add(struct dis *s, const struct qd_image *img, const struct buf *marks)
{
	const struct isa_mark *m = (const struct isa_mark *)(const void *)buf_data(marks);
	const char *code = (const char *)img->code;
	struct buf *head = &s->ptx.head, *text = &s->ptx.text;

	if (strcmp(img->target->isa->name, "ptx") != 0)
		return false;
	size_t skip = head_size(code, img->code_size);
	if (version_of(code, skip) > version_of(buf_data(head), head->len)) {
		head->len = 0;
		buf_put(head, code, skip);
	}
	if (text->len)
		buf_put(text, "\n", 1);
	/* relative to the end of the head, whose size may still change */
	for (size_t i = 0; i < marks->len / sizeof *m; i++) {
		struct isa_mark moved = { (uint32_t)(text->len + m[i].at - skip), m[i].pos };
		buf_put(&s->ptx.marks, &moved, sizeof moved);
	}
	buf_put(text, code + skip, img->code_size - skip);
	s->ptx.tables += ir_table_bytes(img->kernel, 0);
	return true;
}

const struct buf *
dis_module_text(struct dis *s)
{
	struct buf *head = &s->ptx.head, *text = &s->ptx.text, *marks = &s->ptx.marks;
	struct isa_mark *m = (struct isa_mark *)(void *)buf_data(marks);

	if (s->ptx.tables > MAX_TABLES)
		tool_message("note",
			     "the tables of the kernels have %llu bytes, and ptxas accepts %d in a module; choose kernels "
			     "with -k",
			     (unsigned long long)s->ptx.tables, MAX_TABLES);
	for (size_t i = 0; i < marks->len / sizeof *m; i++)
		m[i].at += (uint32_t)head->len;
	buf_put(head, buf_data(text), text->len);
	if (head->nomem || text->nomem || marks->nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return head;
}

void
dis_module_fini(struct dis *s)
{
	buf_fini(&s->ptx.head);
	buf_fini(&s->ptx.text);
	buf_fini(&s->ptx.marks);
}
