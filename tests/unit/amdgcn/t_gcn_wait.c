/* Wait counters: operations that a wait covers, outstanding operations, and results used too
 * early. */
#include "gcn_code.h"

#include <stdio.h>

struct said {
	char text[600];
	size_t len;
};

static const struct gcn_target *target;

/* Prints "0 vmcnt 1; 2<0; 3!0 v1". Line 0 raises vmcnt to 1, line 2 waits for line 0, and line 3
 * uses v1 of line 0 too early. */
static void
say(void *user, const struct gcn_wait_note *n)
{
	struct said *s = user;
	size_t room = sizeof s->text - s->len;
	const char *sep = s->len ? "; " : "";
	int len = 0;

	switch (n->kind) {
	case WAIT_COVERS:
		len = snprintf(s->text + s->len, room, "%s%u<%u", sep, n->line, n->other);
		break;
	case WAIT_OUTSTANDING:
		len = snprintf(s->text + s->len, room, "%s%u %s %u", sep, n->line,
			       gcn_counter_of(target, n->counter)->name, n->n);
		break;
	default:
		len = snprintf(s->text + s->len, room, "%s%u!%u %c%u", sep, n->line, n->other,
			       "svax"[n->range.file], n -> range.first);
		break;
	}
	if (len > 0 && (size_t)len < room)
		s->len += (size_t)len;
}

static struct gcn_code code;

/* Checks which operations each wait covers, and that exactly the missing waits are reported. */
static void
notes(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text, *notes;
	} rows[] = {
		{ "gfx906", "global_load_dword v1, v[2:3], off; s_waitcnt vmcnt(0); v_mov_b32_e32 v4, v1; s_endpgm",
		  "0 vmcnt 1; 1<0" },
		{ "gfx906", "global_load_dword v1, v[2:3], off; v_mov_b32_e32 v4, v1; s_endpgm",
		  "0 vmcnt 1; 1!0 v1" },
		/* an overwrite is a use too */
		{ "gfx906", "global_load_dword v1, v[2:3], off; v_mov_b32_e32 v1, 0; s_endpgm",
		  "0 vmcnt 1; 1!0 v1" },
		/* except by a load of the same kind, which completes later */
		{ "gfx906", "global_load_dword v1, v[2:3], off; global_load_dword v1, v[4:5], off; s_endpgm",
		  "0 vmcnt 1; 1 vmcnt 2" },
		/* in order: vmcnt(1) leaves the younger load */
		{ "gfx906", "global_load_dword v1, v[2:3], off; global_load_dword v4, v[2:3], off; "
			    "s_waitcnt vmcnt(1); v_mov_b32_e32 v5, v1; v_mov_b32_e32 v6, v4; s_endpgm",
		  "0 vmcnt 1; 1 vmcnt 2; 2<0; 4!1 v4" },
		/* gfx9 counts stores with loads, gfx10 does not */
		{ "gfx906", "global_load_dword v1, v[2:3], off; global_store_dword v[2:3], v7, off; "
			    "s_waitcnt vmcnt(1); v_mov_b32_e32 v5, v1; s_endpgm",
		  "0 vmcnt 1; 1 vmcnt 2; 2<0" },
		{ "gfx1030", "global_load_dword v1, v[2:3], off; global_store_dword v[2:3], v7, off; "
			     "s_waitcnt vmcnt(0); s_waitcnt_vscnt null, 0x0; s_endpgm",
		  "0 vmcnt 1; 1 vscnt 1; 2<0; 3<1" },
		/* scalar loads complete in any order: lgkmcnt(1) guarantees nothing */
		{ "gfx1030", "s_load_dword s0, s[2:3], null; s_load_dword s1, s[2:3], null; "
			     "s_waitcnt lgkmcnt(1); s_mov_b32 s4, s0; s_endpgm",
		  "0 lgkmcnt 1; 1 lgkmcnt 2; 3!0 s0" },
		{ "gfx1030", "s_load_dword s0, s[2:3], null; s_load_dword s1, s[2:3], null; "
			     "s_waitcnt lgkmcnt(0); s_mov_b32 s4, s0; s_endpgm",
		  "0 lgkmcnt 1; 1 lgkmcnt 2; 2<0; 2<1" },
		/* nor does it with LDS in between */
		{ "gfx1030", "ds_read_b32 v0, v1; s_load_dword s1, s[2:3], null; s_waitcnt lgkmcnt(1); "
			     "v_mov_b32_e32 v2, v0; s_endpgm", "0 lgkmcnt 1; 1 lgkmcnt 2; 3!0 v0" },
		{ "gfx1030", "ds_read_b32 v0, v1; ds_read_b32 v3, v1; s_waitcnt lgkmcnt(1); "
			     "v_mov_b32_e32 v2, v0; s_endpgm", "0 lgkmcnt 1; 1 lgkmcnt 2; 2<0" },
		/* gfx12 has separate counters */
		{ "gfx1200", "ds_load_b32 v0, v1; s_load_b32 s1, s[2:3], 0x0; s_wait_dscnt 0x0; "
			     "v_mov_b32_e32 v2, v0; s_wait_kmcnt 0x0; s_endpgm",
		  "0 dscnt 1; 1 kmcnt 1; 2<0; 4<1" },
		{ "gfx1200", "global_load_b32 v0, v[2:3], off; ds_load_b32 v1, v4; s_wait_loadcnt_dscnt 0x0; s_endpgm",
		  "0 loadcnt 1; 1 dscnt 1; 2<0; 2<1" },
		{ "gfx1200", "global_load_b32 v0, v[2:3], off; global_store_b32 v[2:3], v9, off; "
			     "s_wait_idle; s_endpgm", "0 loadcnt 1; 1 storecnt 1; 2<0; 2<1" },
		/* flat loads use two counters; both waits are needed */
		{ "gfx906", "flat_load_dword v0, v[2:3]; s_waitcnt vmcnt(0); v_mov_b32_e32 v1, v0; s_endpgm",
		  "0 vmcnt 1; 0 lgkmcnt 1; 2!0 v0" },
		{ "gfx1030", "flat_load_dword v0, v[2:3]; s_waitcnt lgkmcnt(0); v_mov_b32_e32 v1, v0; s_endpgm",
		  "0 vmcnt 1; 0 lgkmcnt 1; 2!0 v0" },
		{ "gfx1200", "flat_load_b32 v0, v[2:3]; s_wait_loadcnt 0x0; s_wait_dscnt 0x0; v_mov_b32_e32 v1, v0; s_endpgm",
		  "0 loadcnt 1; 0 dscnt 1; 2<0" },
		/* on gfx9 younger loads may complete first */
		{ "gfx906", "flat_load_dword v0, v[2:3]; global_load_dword v4, v[2:3], off; "
			    "s_waitcnt vmcnt(1) lgkmcnt(0); v_mov_b32_e32 v1, v0; s_endpgm",
		  "0 vmcnt 1; 0 lgkmcnt 1; 1 vmcnt 2; 3!0 v0" },
		{ "gfx1030", "flat_load_dword v0, v[2:3]; global_load_dword v4, v[2:3], off; "
			     "s_waitcnt vmcnt(1) lgkmcnt(0); v_mov_b32_e32 v1, v0; s_endpgm",
		  "0 vmcnt 1; 0 lgkmcnt 1; 1 vmcnt 2; 2<0" },
		{ "gfx906", "flat_load_dword v0, v[2:3]; s_waitcnt vmcnt(0) lgkmcnt(0); v_mov_b32_e32 v1, v0; s_endpgm",
		  "0 vmcnt 1; 0 lgkmcnt 1; 1<0" },
		{ "gfx1030", "flat_load_dword v0, v[2:3]; ds_read_b32 v4, v5; s_waitcnt lgkmcnt(1); "
			    "v_mov_b32_e32 v1, v4; s_endpgm",
		  "0 vmcnt 1; 0 lgkmcnt 1; 1 lgkmcnt 2; 3!1 v4" },
		/* halves of one register, loaded one after the other */
		{ "gfx1030", "global_load_ubyte_d16 v0, v[2:3], off; global_load_ubyte_d16_hi v0, v[2:3], off; "
			     "s_waitcnt vmcnt(1); v_mov_b32_e32 v1, v0; s_endpgm",
		  "0 vmcnt 1; 1 vmcnt 2; 2<0; 3!1 v0" },
		/* an atomic returns a value only on request */
		{ "gfx906", "global_atomic_add v0, v[2:3], v1, off glc; v_mov_b32_e32 v4, v0; s_endpgm",
		  "0 vmcnt 1; 1!0 v0" },
		{ "gfx906", "global_atomic_add v[2:3], v1, off; v_mov_b32_e32 v4, v1; s_endpgm", "0 vmcnt 1" },
		{ "gfx1100", "global_atomic_add_u32 v[2:3], v1, off; s_waitcnt_vscnt null, 0x0; s_endpgm",
		  "0 vscnt 1; 1<0" },
		{ "gfx1100", "s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_REALTIME); s_mov_b32 s1, s0; s_endpgm",
		  "0 lgkmcnt 1; 1!0 s0" },
		{ "gfx1200", "s_barrier_signal_isfirst -1; s_cbranch_scc0 0; s_endpgm", "0 kmcnt 1; 1!0 x0" },
		{ "gfx1200", "s_barrier_signal_isfirst -1; s_wait_kmcnt 0x0; s_cbranch_scc0 0; s_endpgm",
		  "0 kmcnt 1; 1<0" },
		/* joins: one path loads, the other waits */
		{ "gfx1030", "global_load_dword v1, v[2:3], off; s_cbranch_scc0 1; s_waitcnt vmcnt(0); "
			     "v_mov_b32_e32 v4, v1; s_endpgm", "0 vmcnt 1; 2<0; 3!0 v1" },
		{ "gfx1030", "s_cbranch_scc0 2; global_load_dword v1, v[2:3], off; "
			     "global_load_dword v4, v[2:3], off; s_waitcnt vmcnt(0); v_mov_b32_e32 v5, v1; s_endpgm",
		  "1 vmcnt 1; 2 vmcnt 2; 3<1; 3<2" },
		/* a loop: the load of the last iteration */
		{ "gfx1030", "v_mov_b32_e32 v4, v1; global_load_dword v1, v[2:3], off; s_cbranch_scc0 65532; "
			     "s_endpgm", "0!1 v1; 1 vmcnt 63" },
		{ "gfx1030", "s_waitcnt vmcnt(0); v_mov_b32_e32 v4, v1; global_load_dword v1, v[2:3], off; "
			     "s_cbranch_scc0 65531; s_endpgm", "0<2; 2 vmcnt 1" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct said s = { .len = 0 };
		target = gcn_target_find(rows[i].target, 0);
		if (!gcn_code_read(t, &code, target, rows[i].text))
			continue;
		gcn_waits(&code.flow, code.state, say, &s);
		UNIT_CHECK(t, !strcmp(s.text, rows[i].notes), "%s %s: %s, wanted %s",
			   rows[i].target, rows[i].text, s.text, rows[i].notes);
	}
}

/* Checks that the fields of wait instructions are decoded. */
static void
limits(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text;
		uint8_t limit[GCN_N_EVENT]; /* load, sample, bvh, store, ds, km, exp */
	} rows[] = {
		{ "gfx906", "s_waitcnt vmcnt(17) expcnt(3) lgkmcnt(5)", { 17, 255, 255, 255, 5, 255, 3 } },
		{ "gfx1030", "s_waitcnt vmcnt(62) lgkmcnt(31)", { 62, 255, 255, 255, 31, 255, 255 } },
		{ "gfx1100", "s_waitcnt vmcnt(33) expcnt(2) lgkmcnt(34)", { 33, 255, 255, 255, 34, 255, 2 } },
		{ "gfx1100", "s_waitcnt_vscnt null, 0x5", { 255, 255, 255, 5, 255, 255, 255 } },
		{ "gfx1200", "s_wait_loadcnt_dscnt 0x203", { 2, 255, 255, 255, 3, 255, 255 } },
		{ "gfx1200", "s_wait_storecnt_dscnt 0x403", { 255, 255, 255, 4, 3, 255, 255 } },
		{ "gfx1200", "s_wait_kmcnt 0x1", { 255, 255, 255, 255, 255, 1, 255 } },
		{ "gfx1200", "s_wait_bvhcnt 0x2", { 255, 255, 2, 255, 255, 255, 255 } },
		{ "gfx1200", "s_wait_samplecnt 0x2", { 255, 2, 255, 255, 255, 255, 255 } },
		{ "gfx1200", "s_wait_idle", { 0, 0, 0, 0, 0, 0, 0 } },
		{ "gfx1200", "s_nop 0", { 255, 255, 255, 255, 255, 255, 255 } },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct gcn_target *g = gcn_target_find(rows[i].target, 0);
		struct qd_error err = { 0 };
		struct gcn_insn in;
		uint8_t limit[GCN_N_EVENT];
		UNIT_CHECK(t, !gcn_parse(g, rows[i].text, &in, &err), "%s: %s", rows[i].text,
			   err.text);
		if (err.code)
			continue;
		gcn_wait_limits(g, &in, limit);
		for (unsigned c = 0; c < GCN_N_EVENT; c++)
			UNIT_CHECK(t, limit[c] == rows[i].limit[c], "%s %s: counter %u has %u",
				   rows[i].target, rows[i].text, c, limit[c]);
	}
}

/* Checks more outstanding operations than the state can hold. Operations that do not fit cause no
 * report, and the state is marked as full. */
static void
many(struct unit_ctx *t)
{
	static char text[100 * 48];
	struct said s = { .len = 0 };
	size_t len = 0;

	/* each uses two counters */
	for (unsigned i = 0; i < 100; i++)
		len += (size_t)snprintf(text + len, sizeof text - len,
					"flat_load_dword v%u, v[200:201];", i);
	snprintf(text + len, sizeof text - len, "v_mov_b32_e32 v210, v99; s_endpgm");
	target = gcn_target_find("gfx1030", 0);
	if (!gcn_code_read(t, &code, target, text))
		return;
	gcn_waits(&code.flow, code.state, say, &s);
	UNIT_CHECK(t, code.state[code.flow.n_block].full, "%u pending",
		   code.state[code.flow.n_block].n);
	UNIT_CHECK(t, s.len && !strchr(s.text, '!'), "%s", s.text);
}

const struct unit units_gcn_wait[] = {
	{ "gcn_wait.notes", notes },
	{ "gcn_wait.limits", limits },
	{ "gcn_wait.many", many },
};
const unsigned n_units_gcn_wait = sizeof units_gcn_wait / sizeof *units_gcn_wait;
