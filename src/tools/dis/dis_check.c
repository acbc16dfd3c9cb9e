/* Analyses of AMD code: the loads that a wait is for (--waits), and sequences that the hardware
 * executes incorrectly (--hazards). */
#include "dis_gcn.h"

#include "hazard.h"
#include "wait.h"

/* The analyses need memory per block. Compilers emit fewer blocks than this. */
enum { MAX_BLOCKS = 1 << 14, MAX_NAMED = 4 };

bool
dis_gcn_too_large(const struct dis_piece *p, const char *option)
{
	if (p->flow.n_block <= MAX_BLOCKS)
		return false;
	tool_message("warning", "%s skips '%s': %zu basic blocks, more than %d", option,
		     p->name ? p->name : p->file->label, p->flow.n_block, MAX_BLOCKS);
	return true;
}

static void *
room(struct arena *mem, size_t size)
{
	void *p = arena_zalloc(mem, size);

	if (!p)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return p;
}

static unsigned long long
addr_of(const struct dis_piece *p, uint32_t line)
{
	return (unsigned long long)(p->addr + p->flow.line[line].offset);
}

/* -- Waits ------------------------------------------------------------------------- */

static void
add_note(void *user, const struct gcn_wait_note *n)
{
	buf_put(user, n, sizeof *n);
}

void
dis_gcn_waits(struct dis *s, const struct dis_piece *p, struct dis_notes *notes)
{
	struct arena mem;

	*notes = (struct dis_notes){ 0 };
	buf_init(&notes->buf, &s->ctx->pool);
	arena_init(&mem, &s->ctx->pool);
	gcn_waits(&p->flow, room(&mem, (p->flow.n_block + 1) * sizeof(struct gcn_wait_state)),
		  add_note, &notes->buf);
	arena_fini(&mem);
	if (notes->buf.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	notes->n = (uint32_t)(notes->buf.len / sizeof(struct gcn_wait_note));
}

/* Writes "v3", "v[2:3]" or "vcc". */
static void
range_name(const struct gcn_range *r, char text[32])
{
	static const char letters[] = { [FILE_S] = 's', [FILE_V] = 'v', [FILE_A] = 'a' };
	static const char *const special[GCN_N_SPECIAL] = {
		[X_SCC] = "scc",   [X_M0] = "m0",
		[X_MODE] = "mode", [X_FLAT_SCRATCH] = "flat_scratch",
		[X_VCC] = "vcc",   [X_EXEC] = "exec"
	};

	if (r->file == FILE_X)
		snprintf(text, 32, "%s", r->first < GCN_N_SPECIAL ? special[r->first] : "?");
	else if (r->file == FILE_S && (r->first == GCN_VCC || r->first == GCN_EXEC))
		snprintf(text, 32, "%s%s", r->first == GCN_VCC ? "vcc" : "exec",
			 r->n == 1 ? "_lo" : "");
	else if (r->n <= 1)
		snprintf(text, 32, "%c%u", letters[r->file], r->first);
	else
		snprintf(text, 32, "%c[%u:%u]", letters[r->file], r->first, r->first + r->n - 1u);
}

/* Writes the notes of a line as a comment, and advances *next past them. */
void
dis_gcn_wait_remark(const struct dis_piece *p, const struct dis_notes *notes, uint32_t *next,
		    uint32_t line, char *text, size_t cap)
{
	size_t len = 0;
	unsigned n_covered = 0;
	char name[32];

	text[0] = '\0';
	for (; *next < notes->n; ++*next) {
		struct gcn_wait_note n;
		memcpy(&n, buf_data(&notes->buf) + *next * sizeof n, sizeof n);
		if (n.line > line)
			return;
		if (n.line < line || len + 100 > cap)
			continue;
		const char *sep = len ? "; " : "";
		const struct gcn_counter *c = gcn_counter_of(p->target, n.counter);
		switch (n.kind) {
		case WAIT_OUTSTANDING:
			len += (size_t)snprintf(text + len, cap - len, "%s%s %u outstanding", sep,
						c ? c->name : "?", n.n);
			break;
		case WAIT_COVERS:
			if (n_covered++ > MAX_NAMED)
				break;
			len += (size_t)snprintf(text + len, cap - len,
						n_covered > MAX_NAMED ? ", ..." : "%s%04llx",
						n_covered > 1 ? ", "
						: len	      ? "; waits for "
							      : "waits for ",
						addr_of(p, n.other));
			break;
		default:
			range_name(&n.range, name);
			len += (size_t)snprintf(text + len, cap - len,
						"%sreads %s, which %04llx may not have written yet",
						sep, name, addr_of(p, n.other));
			break;
		}
	}
}

/* -- Hazards ------------------------------------------------------------------------ */

struct finding {
	struct dis *s;
	const struct dis_piece *p;
};

static void
put_line(const struct finding *f, uint32_t line, const char *who)
{
	char text[GCN_TEXT_SIZE];

	gcn_print(f->p->target, &f->p->flow.line[line].insn, text, sizeof text);
	fprintf(f->s->out.file, "  %04llx  %-50s ; %s\n", addr_of(f->p, line), text, who);
}

static void
put_hazard(void *user, const struct gcn_hazard *h)
{
	const struct finding *f = user;
	FILE *out = f->s->out.file;

	f->s->exit = EXIT_INPUT;
	fprintf(out, "%s: ", f->p->file->label);
	if (f->p->name) {
		dis_put_written(f->s, f->p->name);
		fputs(": ", out);
	}
	fprintf(out, "%s on %s: %s\n", h->rule, f->p->target->name, h->what);
	put_line(f, h->earlier, h->earlier == h->later ? "here" : "this");
	if (h->middle != GCN_NOWHERE)
		put_line(f, h->middle, "then this");
	if (h->earlier != h->later)
		put_line(f, h->later, "and then this");
	if (h->missing)
		fprintf(out, "  needs %u more wait state%s in between: %s %u\n", h->missing,
			h->missing == 1 ? "" : "s", h->fix, h->missing - 1u);
	else
		fprintf(out, "  needs %s%s\n", h->fix, h->earlier == h->later ? "" : " in between");
}

static void
find_hazards(struct dis *s, const struct dis_piece *p,
	     void (*found)(void *user, const struct gcn_hazard *h), void *user)
{
	uint32_t off = p->file->object.xnack == CODE_MODE_OFF ? GCN_XNACK : 0;
	struct arena mem;

	arena_init(&mem, &s->ctx->pool);
	struct gcn_hazard_line *line = room(&mem, p->flow.n_line * sizeof *line);
	struct gcn_hazard_block *block = room(&mem, p->flow.n_block * sizeof *block);
	gcn_hazards(&p->flow, line, block, off, found, user);
	arena_fini(&mem);
}

void
dis_gcn_hazards(struct dis *s, const struct dis_piece *p)
{
	struct finding f = { s, p };

	if (!dis_gcn_too_large(p, "--hazards"))
		find_hazards(s, p, put_hazard, &f);
}

static void
add_hazard(void *user, const struct gcn_hazard *h)
{
	buf_put(user, h, sizeof *h);
}

void
dis_gcn_hazard_list(struct dis *s, const struct dis_piece *p, struct dis_notes *hazards)
{
	*hazards = (struct dis_notes){ 0 };
	buf_init(&hazards->buf, &s->ctx->pool);
	find_hazards(s, p, add_hazard, &hazards->buf);
	if (hazards->buf.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	hazards->n = (uint32_t)(hazards->buf.len / sizeof(struct gcn_hazard));
}
