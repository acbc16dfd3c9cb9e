/* Fatbins: a list of the entries, or the code of the selected ones, printed according to their
 * kinds. */
#include "dis_fatbin.h"

#include "dis_device.h"
#include "fatbin.h"
#include "image_file.h"

/* -- Selection ----------------------------------------------------------------------------- */

/* -t is a target's name, or its start up to a colon; for a cubin "cubin:sm_90". */
static bool
target_wanted(const struct dis *s, const struct fatbin_place *at)
{
	const char *want = s->req->target;
	size_t front = strlen(fatbin_target_front(at));
	struct target t;

	if (!want)
		return true;
	if (at->row.kind == CODE_CUBIN) {
		return strncmp(want, fatbin_target_front(at), front) == 0 &&
		       strcmp(want + front, fatbin_target_rest(at)) == 0;
	}
	size_t len = strlen(want);
	if (strncmp(want, at->target, len) == 0 && (!at->target[len] || at->target[len] == ':'))
		return true;
	return isa_target(want, &t, QD_IGNORE_ERROR) == QD_OK && strcmp(t.m.name, at->target) == 0;
}

static bool
values_wanted(const struct dis *s, const struct fatbin_place *at)
{
	struct qd_tmpl have[MAX_TMPL];
	char names[FATBIN_NAMES];
	uint32_t n;

	if (!s->req->tmpl.n)
		return true;
	if (fatbin_values(at->variant, have, &n, names, QD_IGNORE_ERROR) != QD_OK)
		return false;
	for (uint32_t i = 0; i < s->req->tmpl.n; i++) {
		const struct qd_tmpl *want = &s->req->tmpl.v[i];
		uint32_t j = 0;
		while (j < n && strcmp(have[j].name, want->name) != 0)
			j++;
		if (j == n || have[j].type != want->type || have[j].value != want->value)
			return false;
	}
	return true;
}

static bool
wanted(const struct dis *s, const struct fatbin_place *at)
{
	return dis_wanted(s, at->kernel) && target_wanted(s, at) && values_wanted(s, at);
}

/* -- One entry ------------------------------------------------------------------------------- */

/* Writes "sum (T=f32;L=5) for gfx1100", and the optimization level if it is not the full one. */
static void
put_title(struct buf *out, const struct fatbin_place *at)
{
	const uint32_t below = (at->row.flags & FATBIN_OPT) >> FATBIN_OPT_AT;

	buf_printf(out, "%s%s%s%s for %s%s", at->kernel, *at->variant ? " (" : "", at->variant,
		   *at->variant ? ")" : "", fatbin_target_front(at), fatbin_target_rest(at));
	if (below)
		buf_printf(out, " at optimization level %u", OPT_FULL - below);
}

/* Prints an entry that is the kernel's IR, without instructions. */
static void
show_kernel(struct dis *s, const char *label, const char *text, size_t size)
{
	FILE *f = s->out.file;
	struct qd_kernel *k;
	struct qd_error e;

	s->n_shown++;
	if (s->parts) {
		if (qd_kernel_read(s->ctx, text, size, label, &k, &e))
			tool_fail(&e);
		dis_part_kernel(s, k);
		qd_kernel_free(k);
	} else if (s->req->view == DIS_JSON) {
		fputs(s->n_files++ ? ",\n{\"file\":" : "{\"file\":", f);
		tool_json_string(f, label);
		fputs(",\"target\":\"qdir\",\"version\":null,\"functions\":[],\"text\":", f);
		tool_json_string(f, text);
		fputc('}', f);
	} else if (s->req->view == DIS_TEXT) {
		fwrite(text, 1, size, f);
	}
}

/* Writes the suffix that distinguishes entries of one kernel: the values, and the target if -t does
 * not select it. */
static void
put_suffix(struct buf *out, const struct dis *s, const struct fatbin_place *at)
{
	if (*at->variant)
		buf_printf(out, " (%s)", at->variant);
	if (!s->req->target)
		buf_printf(out, " for %s%s", fatbin_target_front(at), fatbin_target_rest(at));
	buf_put(out, "", 1);
}

static void
show_entry(struct dis *s, struct qd_fatbin *f, uint32_t i)
{
	char target[MACHINE_NAME];
	struct fatbin_place at;
	struct image_parts p;
	struct buf title, file, suffix;
	struct qd_error e;

	fatbin_at(f, i, &at);
	if (fatbin_layout(f, i, &p, &e))
		tool_fail(&e);
	buf_init(&title, &s->ctx->pool);
	buf_init(&file, &s->ctx->pool);
	buf_init(&suffix, &s->ctx->pool);
	put_suffix(&suffix, s, &at);
	put_title(&title, &at);
	buf_put(&title, "", 1);
	image_file(&p, &file);
	buf_put(&file, "", 1); /* terminates text */
	if (title.nomem || file.nomem || suffix.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	const char *data = buf_data(&file), *label = buf_data(&title);
	size_t size = file.len - 1;
	dis_unpacked(s, size);
	if (s->req->view == DIS_TEXT && !s->parts)
		fprintf(s->out.file, "%s%s %s\n", s->n_shown ? "\n" : "",
			at.row.kind == CODE_PTX ? "//" : ";", label);
	s->entry = s->parts ? buf_data(&suffix) : NULL;
	switch (at.row.kind) {
	case CODE_PTX: dis_ptx(s, label, data, size, at.kernel, NULL); break;
	case CODE_SPIRV: dis_spirv(s, label, data, size, at.kernel, NULL); break;
	case CODE_AMD: dis_gcn_object(s, label, data, size, 0); break;
	case CODE_CUBIN:
		snprintf(target, sizeof target, "%s%s", fatbin_target_front(&at), fatbin_target_rest(&at));
		dis_cubin_at(s, label, target, data, size);
		break;
	case CODE_IR: show_kernel(s, label, data, size); break;
	default:
		tool_message("warning", "'%s': %s: an unsupported kind of code, %u", s->req->file,
			     label, at.row.kind);
	}
	s->entry = NULL;
	buf_fini(&suffix);
	buf_fini(&title);
	buf_fini(&file);
}

/* -- The file ----------------------------------------------------------------------------------- */

static void
list_entry(struct dis *s, const struct fatbin_place *at)
{
	struct buf title;

	buf_init(&title, &s->ctx->pool);
	put_title(&title, at);
	fprintf(s->out.file, ";   %.*s: %s, block %u, %u bytes\n", (int)title.len, buf_data(&title),
		code_kind_name(at->row.kind), at->row.local_size, at->row.size);
	buf_fini(&title);
}

/* Returns true if only a list is printed, as a fatbin may have hundreds of entries. -k or -t
 * selects code. */
static bool
lists(const struct dis *s)
{
	const struct dis_request *r = s->req;

	return !r->kernel && !r->target && !r->tmpl.n && r->view == DIS_TEXT && !s->parts && !r->live && !r->waits;
}

void
dis_fatbin(struct dis *s)
{
	struct qd_fatbin *f;
	struct fatbin_place at;
	struct qd_error e;
	uint32_t n = 0;

	if (qd_fatbin_open(s->ctx, s->data, s->size, s->req->file, &f, &e))
		tool_fail(&e);
	dis_choose_begin(s);
	for (uint32_t i = 0; i < fatbin_count(f); i++) {
		fatbin_at(f, i, &at);
		dis_choose(s, at.kernel);
	}
	if (lists(s))
		fprintf(s->out.file, "; %s: a fatbin of %u entries\n", s->req->file, fatbin_count(f));
	for (uint32_t i = 0; i < fatbin_count(f); i++) {
		fatbin_at(f, i, &at);
		if (!wanted(s, &at))
			continue;
		n++;
		if (lists(s)) {
			list_entry(s, &at);
			s->n_shown++;
		} else {
			show_entry(s, f, i);
		}
	}
	if (!n)
		tool_die(EXIT_INPUT,
			 "'%s' has no entry with that kernel, target and values; without -k, -t "
			 "and -D all are listed",
			 s->req->file);
	qd_fatbin_free(f);
}
