/* gcn_trace [--programs N] [--seed N] [TARGET...]: checks that the generator reports to its
 * dependency state (gen/wait_states.c) every scalar register that its instructions read and write.
 * On targets whose scalar registers have such dependencies (gfx11 in waves of 64, gfx12) that state
 * inserts waits; an unreported register gets none. This program compiles the generator again with
 * GEN_TRACE of wait_state.h, which records the reports. The expected reads and writes come from
 * effect.def, which the hazard checker also uses. Kernels: N (40) random programs, and one row of
 * each family of the conformance suite.
 *
 * QD_TEST_MUTATION=1 drops the report of vcc before a branch; the test must then fail. */
#define GEN_TRACE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "effect.h"
#include "emu.h"
#include "function.h"
#include "program.h"
#include "gen_emit.h"
#include "table.h"
#include "wait_state.h"

enum { MOST_EVENT = 1 << 20, PAIRS = 54 /* s0 to vcc */, CODE_AT = GEN_CODE_AT / 4, SHOWN = 20 };

static const char *const all_targets[] = { "gfx1100:w64", "gfx1150:w64", "gfx1200", "gfx1201:w64" };

static struct {
	const char *target;
	const struct gcn_target *t;
	uint64_t n_programs, seed;
	bool inject;
	uint64_t n_images, n_insns, n_reads, n_bad;
} now = { .n_programs = 40, .seed = 1 };

/* -- Reports ------------------------------------------------------------------------------------ */

static struct event {
	uint32_t at; /* words of code before it */
	uint16_t what, reg;
} events[MOST_EVENT];
static uint32_t n_events;

void
gen_trace(const struct emit *e, enum gen_trace what, uint32_t reg)
{
	if (what == TRACE_BEGIN)
		n_events = 0;
	else if (n_events == MOST_EVENT)
		abort();
	else
		events[n_events++] = (struct event){ (uint32_t)(e->o.at - e->o.begin), (uint16_t)what, (uint16_t)reg };
}

/* -- Check --------------------------------------------------------------------------------------- */

/* Reports about each register pair. Reads: since the last write or label. Mask reads: ever.
 * Writes: since the last write. */
struct account {
	bool read[PAIRS], read_by_valu[PAIRS], mask[PAIRS], write[2][PAIRS];
	uint32_t address; /* the pair that s_getpc wrote last, plus 1 */
};

static void
take(struct account *a, const struct event *e)
{
	uint32_t p = e->reg / 2;

	if (e->what == TRACE_LABEL) {
		memset(a->read, 0, sizeof a->read);
		memset(a->read_by_valu, 0, sizeof a->read_by_valu);
		memset(a->mask, 1, sizeof a->mask);
	}
	if (e->what == TRACE_LABEL || p >= PAIRS)
		return;
	switch ((enum gen_trace)e->what) {
	case TRACE_MASK: a->mask[p] = true; /* fall through */
	case TRACE_VALU: a->read_by_valu[p] = true; /* fall through */
	case TRACE_SALU: a->read[p] = true; break;
	case TRACE_VALU_WRITES: a->write[1][p] = true; break;
	case TRACE_SALU_WRITES: a->write[0][p] = true; break;
	default: break;
	}
}

static void
complain(const struct gcn_insn *in, uint32_t at, const char *what, uint32_t pair)
{
	char text[128];

	if (now.n_bad++ >= SHOWN)
		return;
	gcn_print(now.t, in, text, sizeof text);
	printf("%s: offset 0x%x: %s: s[%u:%u] %s, which is not reported\n", now.target, 4 * at, text, 2 * pair, 2 * pair + 1, what);
}

/* The address of a table: s_getpc and up to three instructions on the same pair. The generator reports the pair
 * before all of them, and gcn_label_address waits between them. */
static bool
is_address(struct account *a, const struct gcn_insn *in, const struct gcn_range *r, uint32_t pair)
{
	const char *name = gcn_row_name(&gcn_rows[in->row]);

	return r->file == FILE_S && a->address == pair + 1 &&
	       (!strncmp(name, "s_add", 5) || !strcmp(name, "s_sext_i32_i16"));
}

static void
check(struct account *a, const struct gcn_insn *in, uint32_t at)
{
	struct gcn_effect f;

	gcn_effect_of(now.t, in, &f);
	if (!strncmp(gcn_row_name(&gcn_rows[in->row]), "s_getpc", 7))
		a->address = in->field[GCN_F_SDST] / 2u + 1;
	bool valu = f.class == CL_VALU || f.class == CL_MATRIX;
	if (!valu && f.class != CL_SALU && f.class != CL_BRANCH)
		return;
	for (uint32_t i = 0; i < f.n_range; i++) {
		const struct gcn_range *r = &f.range[i];
		for (uint32_t p = r->first / 2; r->file == FILE_S && p < PAIRS && p <= (r->first + r->n - 1u) / 2; p++) {
			if (is_address(a, in, r, p))
				continue;
			if (r->access & GCN_READ) {
				bool mask = f.flags & E(LANE_MASK) && (r->role == ROLE_MASK || r->role == ROLE_IMPLICIT);
				now.n_reads++;
				if (!(valu ? a->read_by_valu : a->read)[p])
					complain(in, at, "is read", p);
				else if (mask && !a->mask[p])
					complain(in, at, "is read as a mask", p);
			}
			if (r->access & GCN_WRITE && !a->write[valu][p])
				complain(in, at, "is written", p);
		}
	}
	for (uint32_t i = 0; i < f.n_range; i++) {
		const struct gcn_range *r = &f.range[i];
		for (uint32_t p = r->first / 2; r->file == FILE_S && r->access & GCN_WRITE && p < PAIRS && p <= (r->first + r->n - 1u) / 2; p++)
			a->read[p] = a->read_by_valu[p] = a->write[0][p] = a->write[1][p] = false;
	}
}

static void
audit(const struct qd_image *image)
{
	const uint32_t *words = (const uint32_t *)(const void *)image->code;
	const uint32_t code = image->meta.own[ISA_AMD_TEXT_SIZE];
	size_t n = code ? code / 4 : image->code_size / 4 - CODE_AT;
	struct account a = { 0 };
	uint32_t next = 0;

	now.n_images++;
	for (size_t at = 0; at < n;) {
		struct gcn_insn in;
		int len = gcn_decode(now.t, words + CODE_AT + at, n - at, &in);
		if (len <= 0)
			break;
		for (; next < n_events && events[next].at <= at; next++) {
			/* Fault injection: drops the report of vcc immediately before a branch. */
			bool branch = in.row == GCN_s_cbranch_vccz || in.row == GCN_s_cbranch_vccnz;
			if (now.inject && branch && events[next].what == TRACE_SALU &&
			    events[next].reg == SRC_VCC)
				continue;
			take(&a, &events[next]);
		}
		check(&a, &in, (uint32_t)at);
		now.n_insns++;
		at += (size_t)len;
	}
}

/* -- A device that checks each image --------------------------------------------------------------- */

static struct emu_kind kind;

static qd_status
load(struct pool *pool, const struct qd_image *image, void **code, struct qd_function_info *info,
     struct qd_error *err)
{
	audit(image);
	return emu_amd.load(pool, image, code, info, err);
}

static qd_status
open_here(struct qd_context *ctx, const struct selector *sel, struct qd_device **out, struct qd_error *err)
{
	struct target t;

	(void)sel;
	kind = emu_amd;
	kind.load = load;
	QD_TRY(isa_target(now.target, &t, err));
	return emu_open(ctx, &kind, &t, now.target, out, err);
}

static void
silent(const char *line)
{
	(void)line;
}

static bool
run_target(void)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct selector sel = { .driver = "emu" };
	static struct driver driver;
	const char *wave = strstr(now.target, ":w");
	struct qd_context *ctx = NULL;
	struct qd_device *dev = NULL;
	struct qd_error e = { 0 };
	struct suite t;
	char name[32];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(now.target, ":"), now.target);
	now.t = gcn_target_find(name, wave ? (unsigned)strtoul(wave + 2, NULL, 10) : 0);
	driver = driver_emu;
	driver.open = open_here;
	qd_status st = now.t ? qd_context_create(&desc, &ctx, &e) : qd_fail(&e, QD_E_INVALID, "no such target");
	st = st ? st : device_open_with(ctx, &driver, &sel, &dev, &e);
	st = st ? st : suite_start_on(&t, ctx, dev, now.target, &e);
	if (st) {
		printf("%s: %s\n", now.target, e.text);
		qd_context_free(ctx);
		return false;
	}
	t.print = silent;
	t.seed = now.seed;
	t.some = true;
	now.n_images = now.n_insns = now.n_reads = now.n_bad = 0;
	for (uint64_t n = 0; n < now.n_programs; n++)
		program_run(&t, t.seed * 1000 + n);
	for (uint32_t i = 0; i < n_families && !now.inject; i++) {
		struct family f = *families[i];
		if (f.n_rows && !f.run) {
			f.n_rows = 1;
			suite_run(&t, &f);
		}
	}
	suite_close(&t);
	qd_context_free(ctx);
	printf("%s: %llu images, %llu instructions, %llu reads of scalar registers, %llu not reported\n", now.target,
	       (unsigned long long)now.n_images, (unsigned long long)now.n_insns, (unsigned long long)now.n_reads,
	       (unsigned long long)now.n_bad);
	return now.n_images && now.n_reads && !now.n_bad;
}

int
main(int argc, char **argv)
{
	bool ok = true, given = false;

	now.inject = getenv("QD_TEST_MUTATION") != NULL;
	setenv("QD_EMU_STEPS", "100000", 1);
	unsetenv("QD_EMU_SEED");
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--programs") && i + 1 < argc) {
			now.n_programs = strtoull(argv[++i], NULL, 0);
		} else if (!strcmp(argv[i], "--seed") && i + 1 < argc) {
			now.seed = strtoull(argv[++i], NULL, 0);
		} else {
			now.target = argv[i];
			given = true;
			ok &= run_target();
		}
	}
	for (size_t i = 0; i < QD_COUNT(all_targets) && !given; i++) {
		now.target = all_targets[i];
		ok &= run_target();
	}
	return !ok;
}
