/* Streams of PM4 packets for a device, as bytes or as hexadecimal text. */
#include "dis.h"

#include "hex.h"
#include "pm4.h"

static const struct amd_gpu *
device_of(const char *text)
{
	const struct amd_gpu *g = amd_gpu_find(text, strlen(text));

	if (!g)
		tool_usage("--pm4 takes an AMD target, gfx900 to gfx1201, not '%s'", text);
	return g;
}

static void
check_options(const struct dis_request *r)
{
	if (r->target || r->kernel || r->tmpl.n || r->raw || r->binary || r->text || r->view != DIS_TEXT ||
	    r->diff || r->source != DIS_SOURCE_USUAL || r->style != DIS_QD || r->no_addr || r->no_hex || r->no_meta || r->waits || r->live || r->block)
		tool_usage("--pm4 prints a stream; it can be combined with -o only");
}

static const uint32_t *
words_of(const struct dis *s, struct arena *mem, uint32_t *n)
{
	const char *bytes = s->data;
	size_t size = s->size;
	struct qd_error e;

	if (!size)
		tool_die(EXIT_INPUT, "'%s': offset 0x0: the file is empty", s->req->file);
	if (hex_is_text(s->data, s->size)) {
		uint8_t *read;
		if (hex_read(mem, s->req->file, s->data, s->size, &read, &size, &e))
			tool_fail(&e);
		bytes = (const char *)read;
	}
	if (size > UINT32_MAX)
		tool_die(EXIT_INPUT, "'%s': a stream of more than 4 GiB", s->req->file);
	uint32_t *words = arena_alloc(mem, size);
	if (!words)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	*n = (uint32_t)(size / 4);
	memcpy(words, bytes, *n * sizeof *words);
	return words;
}

void
dis_pm4(struct dis *s)
{
	const struct amd_gpu *g = device_of(s->req->pm4);
	struct arena mem;
	struct buf text;
	struct qd_error e;
	uint32_t n;

	check_options(s->req);
	arena_init(&mem, &s->ctx->pool);
	buf_init(&text, &s->ctx->pool);
	const uint32_t *words = words_of(s, &mem, &n);
	qd_status st = pm4_dis(g->gen, words, n, &text, &e);
	tool_output_open(&s->out, s->req->output, false, s->req->force);
	tool_output_text(&s->out);
	if (text.len)
		dis_write(s, &text);
	if (st == QD_E_INVALID)
		tool_message("error", "'%s': %s", s->req->file, e.text);
	else if (st)
		tool_fail(&e);
	/* hexadecimal text has whole words; bytes may end within one */
	if (s->size % 4 && !hex_is_text(s->data, s->size)) {
		tool_message("error", "'%s': offset 0x%x: %u bytes at the end do not form a word",
			     s->req->file, n * 4, (unsigned)(s->size % 4));
		st = QD_E_INVALID;
	}
	s->exit = st ? EXIT_INPUT : EXIT_OK;
	buf_fini(&text);
	arena_fini(&mem);
}
