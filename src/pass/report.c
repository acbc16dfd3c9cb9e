/* Emits reports in a legal body, with operations that every target has, to a buffer of their
 * own. */
#include "rewrite.h"

#include <assert.h>

/* Returns the row of the report buffer in p->mems. Adds it on the first call. */
static uint32_t
report_memory(struct rw *w)
{
	struct pass_ctx *p = w->p;
	struct memory *mems;

	if (p->report != NO_MEMORY)
		return p->report;
	mems = arena_alloc(p->mem, (p->n_mems + 1) * sizeof *mems);
	if (!mems) {
		w->o.nomem = true;
		return 0;
	}
	if (p->n_mems)
		memcpy(mems, p->mems, p->n_mems * sizeof *mems);
	mems[p->n_mems] = (struct memory){ .type = QD_TYPE_U32,
					   .space = SPACE_GLOBAL,
					   .access = QD_ACCESS_INOUT };
	p->mems = mems;
	p->report = p->n_mems++;
	p->cap_mems = p->n_mems;
	return p->report;
}

static uint32_t
u32(struct rw *w, uint32_t n)
{
	return rw_const(w, QD_TYPE_U32, n);
}

static uint32_t
word(struct rw *w, uint32_t at)
{
	return rw_ins(w, (struct ins){ .op = OP_ARGWORD, .type = QD_TYPE_U32, .x = at / 4 });
}

static uint32_t
touch(struct rw *w, enum op op, uint32_t mem, enum report_head at, uint32_t v)
{
	struct ins s = { .op = (uint8_t)op, .type = QD_TYPE_U32, .a = u32(w, at), .x = mem };

	s.attr = (uint16_t)(MEM_DEVICE << ATTR_SCOPE_AT | MEM_RELAXED << ATTR_ORDER_AT);
	s.b = v;
	return append_raw(&w->o, s);
}

/* Stores v at word n of the record at `at`. */
static void
put(struct rw *w, uint32_t mem, uint32_t at, uint32_t n, uint32_t v)
{
	struct ins s = { .op = OP_STORE, .b = v, .x = mem };

	s.a = rw_bin(w, OP_ADD, at, u32(w, REPORT_HEAD + n));
	append_raw(&w->o, s);
}

void
rw_report(struct rw *w, uint32_t where, enum report_kind kind, uint32_t pos, const uint32_t *values,
	  uint32_t n_values)
{
	const struct qd_kernel *k = w->p->k;
	uint32_t mem = report_memory(w), n = REPORT_VALUES + n_values, room, at, end, thread, head;

	assert(n_values <= REPORT_MAX_VALUES);
	rw_open(w, OP_IF, where);
	touch(w, OP_ATOMIC_ADD, mem, REPORT_ASKED, u32(w, 1));
	room = word(w, report_args_at(k) + 8);
	head = u32(w, REPORT_HEAD);
	room = rw_bin(w, OP_SUB, room, head);
	/* This load precedes the add so that the sum of the reserved words cannot wrap. */
	at = touch(w, OP_ATOMIC_LOAD, mem, REPORT_USED, 0);
	rw_open(w, OP_IF, rw_cmp(w, OP_LT, at, room));
	at = touch(w, OP_ATOMIC_ADD, mem, REPORT_USED, u32(w, n));
	end = rw_bin(w, OP_ADD, at, u32(w, n));
	rw_open(w, OP_IF, rw_cmp(w, OP_LE, end, room));
	thread = rw_ins(w, (struct ins){ .op = OP_THREAD_IDX, .type = QD_TYPE_U32 });
	put(w, mem, at, REPORT_KIND, u32(w, REPORT_FIRST(kind, n, k->from_text)));
	put(w, mem, at, REPORT_LAUNCH, word(w, k->tail + 4 * TAIL_LAUNCH));
	put(w, mem, at, REPORT_POS, pos);
	put(w, mem, at, REPORT_BLOCK,
	    rw_ins(w, (struct ins){ .op = OP_BLOCK_IDX, .type = QD_TYPE_U32 }));
	put(w, mem, at, REPORT_THREAD, thread);
	for (uint32_t i = 0; i < n_values; i++)
		put(w, mem, at, REPORT_VALUES + i, values[i]);
	rw_close(w);
	rw_close(w);
	rw_close(w);
}
