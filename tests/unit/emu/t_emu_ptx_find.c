/* Findings and errors of the PTX interpreter, each with its exact text and position. Single
 * instructions are tested in corner cases, with results derived by hand from the manual. */
#include <stdio.h>
#include <stdlib.h>

#include "ptx.h"
#include "unit.h"

enum { WORDS = 256 };

/* Head of a kernel with a buffer as its parameter; the body begins in line 10. */
#define HEAD(version, target)                                                                      \
	".version " version "\n.target " target "\n.address_size 64\n"                             \
	".visible .entry k(.param .u64 p)\n{\n"                                                    \
	".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<16>;\n"                 \
	".reg .f32 %f<8>; .reg .f64 %g<8>; .shared .align 16 .b8 s[256];\n"                        \
	"ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;\n"                  \
	"add.s64 %d2, %d0, %d1;\n"
#define TAIL "\nret;\n}\n"

struct rig {
	struct pool pool;
	struct unit_alloc mem;
	struct qd_allocator hooks;
	struct qd_error e;
	union {
		_Alignas(16) uint32_t w[WORDS];
		uint64_t d[WORDS / 2];
		float f[WORDS];
	} out;
};

static void
rig_open(struct rig *r)
{
	unit_alloc_init(&r->mem);
	r->hooks = unit_alloc_hooks(&r->mem);
	pool_init(&r->pool, &r->hooks);
	memset(&r->out, 0, sizeof r->out);
	memset(&r->e, 0, sizeof r->e);
}

static void
rig_close(struct unit_ctx *t, struct rig *r)
{
	pool_fini(&r->pool);
	UNIT_CHECK(t, !r->mem.n_out, "%zu blocks are not freed", r->mem.n_out);
	unit_alloc_fini(&r->mem);
}

static qd_status
run_text(struct rig *r, const char *text, uint32_t blocks, uint32_t threads)
{
	struct ptx_module *m;
	uint64_t params = (uintptr_t)r->out.w;
	struct ptx_range range = { params, sizeof r->out };
	qd_status st = ptx_module_parse(&r->pool, text, strlen(text), &m, &r->e);

	if (st != QD_OK)
		return st;
	struct ptx_launch l = { .entry = ptx_module_first(m),
				.grid = { blocks, 1, 1 },
				.block = { threads, 1, 1 },
				.dynamic_shared = 64,
				.params = &params,
				.ranges = &range,
				.n_ranges = 1,
				.max_steps = 10000,
				.seed = 3 };

	st = ptx_run(&r->pool, &l, &r->e);
	ptx_module_free(m);
	return st;
}

/* -- Findings ----------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *text, *says;
	uint32_t blocks, threads, line, col;
} findings[] = {
#define AT90(body) HEAD("8.0", "sm_90") body TAIL
	{ AT90("st.global.u32 [%d2+1024], %r0;"),
	  "thread (0, 0, 0) of block (0, 0, 0): st.global.u32: 4 bytes at 0x@400 are outside the launch's memory", 1, 1, 10, 1 },
	{ AT90("add.s64 %d3, %d2, 2;\nld.global.u32 %r1, [%d3];"),
	  "thread (0, 0, 0) of block (0, 0, 0): ld.global.u32: address 0x@2 is misaligned: expected a multiple of 4", 1, 1, 11, 1 },
	{ AT90("mul.lo.u32 %r1, %r0, 16; mov.u32 %r2, s; add.u32 %r1, %r1, %r2;\n  ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1];"),
	  "thread (16, 0, 0) of block (0, 0, 0): ld.shared.v4.u32: 16 bytes at 0x100 are outside the launch's shared memory", 1, 20, 11, 3 },
	{ AT90("st.global.u32 [%d2], %r1;"), "thread (0, 0, 0) of block (0, 0, 0): st.global.u32: the stored value was never written", 1, 1, 10, 1 },
	{ AT90("setp.eq.u32 %p1, %r0, 5;\n@%p1 mov.u32 %r1, 7;\nadd.u32 %r2, %r1, 1;\nsetp.gt.u32 %p2, %r2, 0;\n@%p2 bra L;\nL:"),
	  "thread (0, 0, 0) of block (0, 0, 0): bra: the predicate was never written", 1, 32, 14, 6 },
	{ AT90("ld.global.u32 %r1, [%d5];"), "thread (0, 0, 0) of block (0, 0, 0): ld.global.u32: the address was never written", 1, 1, 10, 1 },
	{ AT90("shfl.sync.idx.b32 %r1, %r0, 9, 31, 0xff;\nst.global.u32 [%d2], %r1;"),
	  "thread (0, 0, 0) of block (0, 0, 0): st.global.u32: the stored value comes from an inactive lane", 1, 8, 11, 1 },
	{ AT90("shfl.sync.idx.b32 %r1, %r0, 0, 31, 2;"),
	  "thread (0, 0, 0) of block (0, 0, 0): shfl.sync.idx.b32: the member mask does not include the executing lane: 0x2", 1, 8, 10, 1 },
	{ AT90("setp.lt.u32 %p1, %r0, 4;\n@%p1 bra L;\nbar.warp.sync 0xff;\nbra M;\nL: bar.warp.sync 0xff;\nM:"),
	  "thread (0, 0, 0) of block (0, 0, 0): bar.warp.sync: the instruction waits for lane 4, which waits in line 12", 1, 8, 14, 4 },
	{ AT90("setp.lt.u32 %p1, %r0, 4;\nselp.b32 %r1, 0x0f, 0xf0, %p1;\nbar.warp.sync %r1;\n@%p1 ret;\nbar.warp.sync 0xff;\n"),
	  NULL, 1, 8, 0, 0 }, /* a barrier does not wait for ended threads */
	{ AT90("setp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 0;\n@!%p1 bar.sync 1;"),
	  "thread (0, 0, 0) of block (0, 0, 0): bar.sync: barrier 0 waits for threads that never arrive", 1, 64, 11, 6 },
	{ AT90("mov.u32 %r1, 48; bar.sync 1, %r1;"), "thread (0, 0, 0) of block (0, 0, 0): bar.sync: barrier thread count 48: expected a multiple of 32 from 32 to 32", 1, 32, 10, 18 },
	{ AT90("mov.u32 %r1, 16; bar.sync %r1;"), "thread (0, 0, 0) of block (0, 0, 0): bar.sync: barrier 16 is out of range: expected 0 to 15", 1, 32, 10, 18 },
	{ AT90("bar.sync %r0;"), "thread (1, 0, 0) of block (0, 0, 0): bar.sync: lanes specify different barriers: 0 and 1", 1, 32, 10, 1 },
	{ AT90("setp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 1, 64;\n@!%p1 bar.sync 1, 96;"), "barrier 1 expects 64 threads, but this instruction specifies 96", 1, 96, 0, 0 },
	{ AT90("trap;"), "thread (0, 0, 0) of block (0, 0, 0): trap: the kernel executed a trap", 1, 1, 10, 1 },
	{ AT90("setp.lt.u32 %p1, %r0, 4;\n@%p1 bra.uni L;\nL:"),
	  "thread (4, 0, 0) of block (0, 0, 0): bra.uni: lanes diverge at a branch marked .uni", 1, 32, 11, 6 },
	{ AT90("L: add.u32 %r0, %r0, 1;\nbra L;"), "thread (0, 0, 0) of block (0, 0, 0): add.u32: the thread has executed 10000 instructions and has not ended", 1, 1, 10, 4 },
	{ AT90("mov.u32 %r1, 3;\nB: .branchtargets L, L;\nbrx.idx %r1, B;\nL:"),
	  "thread (0, 0, 0) of block (0, 0, 0): brx.idx: the list has 2 labels, but the index is 3", 1, 1, 12, 1 },
	{ AT90("mov.u32 %r1, 8; cp.async.ca.shared.global [s], [%d0], 4, %r1;"), "thread (0, 0, 0) of block (0, 0, 0): cp.async.ca.shared.global: the copy size is 4 bytes, but the source size is 8", 1, 1, 10, 17 },
	{ HEAD("6.0", "sm_60") "setp.lt.u32 %p1, %r0, 4;\n@%p1 bra L;\nadd.u32 %r0, %r0, 1;\nL: bar.warp.sync 0xff;\n@%p1 bar.warp.sync 0xff;" TAIL,
	  "thread (4, 0, 0) of block (0, 0, 0): bar.warp.sync: the lane is in the member mask but has diverged, which targets below sm_70 do not allow", 1, 8, 14, 6 },
	/* Shared memory: bytes that no thread of the block has written are uninitialized. */
	{ AT90("ld.shared.u32 %r1, [s];\nst.global.u32 [%d2], %r1;"),
	  "thread (0, 0, 0) of block (0, 0, 0): st.global.u32: the stored value was never written", 1, 1, 11, 1 },
	{ AT90("ld.shared.u32 %r1, [s];\nadd.u32 %r1, %r1, 1;"), NULL, 1, 1, 0, 0 }, /* the value is
										      * not used */
	{ AT90("st.shared.u8 [s+3], %r0;\nst.shared.u16 [s], %r0;\nld.shared.u32 %r1, [s];\nst.global.u32 [%d2], %r1;"),
	  "thread (0, 0, 0) of block (0, 0, 0): st.global.u32: the stored value was never written", 1, 1, 13, 1 },
	{ AT90("st.shared.u16 [s+2], %r0;\nst.shared.u16 [s], %r0;\nld.shared.u32 %r1, [s];\nst.global.u32 [%d2], %r1;"), NULL, 1, 1, 0, 0 },
	{ AT90("setp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared.v2.u32 [s], {%r0, %r0};\nbar.sync 0;\nld.shared.v2.u32 {%r4, %r5}, [s];\nst.global.u32 [%d2], %r5;"), NULL, 1, 1, 0, 0 },
	{ AT90("st.shared.v2.u32 [s], {%r0, %r0};\nld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [s];\nst.global.u32 [%d2], %r5;\nst.global.u32 [%d2], %r6;"),
	  "thread (0, 0, 0) of block (0, 0, 0): st.global.u32: the stored value was never written", 1, 1, 13, 1 },
	{ AT90("atom.shared.add.u32 %r1, [s], 1;"),
	  "thread (0, 0, 0) of block (0, 0, 0): atom.shared.add.u32: the memory operand was never written", 1, 1, 10, 1 },
	{ AT90("st.shared.u32 [s], %r0;\natom.shared.add.u32 %r1, [s], 1;\nst.global.u32 [%d2], %r1;"), NULL, 1, 1, 0, 0 },
	{ AT90("st.shared.u32 [s], %r0;\ncp.async.ca.shared.global [s], [%d0], 4;\nld.shared.u32 %r1, [s];\nst.global.u32 [%d2], %r1;"),
	  "thread (0, 0, 0) of block (0, 0, 0): st.global.u32: the stored value was never written", 1, 1, 13, 1 },
	{ AT90("cp.async.ca.shared.global [s], [%d0], 4;\ncp.async.commit_group;\ncp.async.wait_group 1;\nld.shared.u32 %r1, [s];\nst.global.u32 [%d2], %r1;"),
	  "thread (0, 0, 0) of block (0, 0, 0): st.global.u32: the stored value was never written", 1, 1, 14, 1 },
	{ AT90("cp.async.ca.shared.global [s], [%d0], 4;\ncp.async.wait_all;\nld.shared.u32 %r1, [s];\nst.global.u32 [%d2], %r1;"), NULL, 1, 1, 0, 0 },
	{ AT90("st.global.u32 [s], %r0;"), NULL, 1, 1, 0, 0 },
};
/* clang-format on */

/* Replaces 0x@400 with the address 0x400 beyond the start of the buffer. */
static void
fill_address(const struct rig *r, const char *from, char *to, size_t size)
{
	const char *at = strstr(from, "0x@");
	char *end;

	if (!at) {
		snprintf(to, size, "%s", from);
		return;
	}
	unsigned long long off = strtoull(at + 3, &end, 16);

	snprintf(to, size, "%.*s0x%llx%s", (int)(at - from), from,
		 (unsigned long long)(uintptr_t)r->out.w + off, end);
}

static void
every_finding(struct unit_ctx *t)
{
	for (size_t i = 0; i + 1 < QD_COUNT(findings); i++) {
		struct rig r;
		char want[600];
		qd_status st;

		rig_open(&r);
		st = run_text(&r, findings[i].text, findings[i].blocks, findings[i].threads);
		if (!findings[i].says) {
			UNIT_CHECK(t, st == QD_OK, "finding %zu: %s", i, r.e.text);
			rig_close(t, &r);
			continue;
		}
		fill_address(&r, findings[i].says, want, sizeof want);
		UNIT_CHECK(t, st == QD_E_FINDING, "finding %zu is %d: %s", i, st, r.e.text);
		if (findings[i].line) {
			UNIT_CHECK(t, !strcmp(r.e.text, want), "finding %zu: '%s'", i, r.e.text);
			UNIT_CHECK(t, r.e.line == findings[i].line && r.e.col == findings[i].col,
				   "finding %zu is at %u:%u", i, r.e.line, r.e.col);
		} else {
			UNIT_CHECK(t, strstr(r.e.text, want), "finding %zu: '%s'", i, r.e.text);
		}
		rig_close(t, &r);
	}
}

/* -- Errors ------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *text, *says;
	qd_status code;
	uint32_t line, col;
} refused[] = {
	{ "", "expected .version at the start of the module", QD_E_SYNTAX, 1, 1 },
	{ ".version 5.0\n", "unsupported .version 5.0: expected 6.0 to 9.0", QD_E_TARGET, 1, 10 },
	{ ".version 6.0\n.target sm_80", "sm_80 requires .version 7.0 or later, found 6.0", QD_E_TARGET, 2, 9 },
	{ ".version 6.0\n.target sm_99", "unknown target sm_99", QD_E_TARGET, 2, 9 },
	{ ".version 6.0\n.target sm_70\n.address_size 32", "expected .address_size 64, found '.address_size 32'", QD_E_SYNTAX, 3, 15 },
	{ ".version 6.0\n.target sm_70\n.address_size 64\n.entry k() { frob.u32 %r1; }", "unknown instruction frob", QD_E_SYNTAX, 4, 14 },
	{ AT90("add.u33 %r1, %r2, %r3;"), "unknown instruction 'add.u33': unexpected .u33", QD_E_SYNTAX, 10, 1 },
	{ AT90("setp.eq %p1, %r2, %r3;"), "incomplete instruction 'setp.eq': a modifier or type is missing", QD_E_SYNTAX, 10, 1 },
	{ AT90("add.u32 %r1, %r2, %r99;"), "unknown register %r99", QD_E_SYNTAX, 10, 19 },
	{ AT90("add.u32 %r1, %d2, %r3;"), "expected a register of type .u32, but %d2 has type .b64", QD_E_SYNTAX, 10, 14 },
	{ AT90("add.f32 %f1, %f2, 1;"), "expected a register or a float, found '1'", QD_E_SYNTAX, 10, 19 },
	{ AT90("add.u32 %r1, %r2"), "expected ',', found 'ret'", QD_E_SYNTAX, 11, 1 },
	{ AT90("bra nowhere;"), "unknown label nowhere", QD_E_SYNTAX, 10, 5 },
	{ AT90("mov.u32 %r1, %pm0;"), "unsupported special register %pm0", QD_E_SYNTAX, 10, 14 },
	{ AT90("shfl.bfly.b32 %r1, %r2, 1, 31;"), "shfl.bfly.b32 is not supported on sm_70 and later: use the form with .sync", QD_E_TARGET, 10, 1 },
	{ HEAD("6.3", "sm_75") "redux.sync.add.u32 %r1, %r2, -1;" TAIL, "redux.sync.add.u32 requires .version 7.0 or later, found 6.3", QD_E_TARGET, 10, 1 },
	{ HEAD("7.0", "sm_75") "redux.sync.add.u32 %r1, %r2, -1;" TAIL, "redux.sync.add.u32 requires .target sm_80 or later, found sm_75", QD_E_TARGET, 10, 1 },
	{ HEAD("8.6", "sm_100") "redux.sync.min.f32 %f1, %f2, -1;" TAIL, "redux.sync.min.f32 requires .target sm_100a", QD_E_TARGET, 10, 1 },
	{ ".version 6.0\n.target sm_70\n.address_size 64\n.func f() { call g; }", "unknown function g; indirect calls are not supported", QD_E_SYNTAX, 4, 18 },
	{ ".version 6.0\n.target sm_70\n.address_size 64\n.func f() { call f; }", "recursion is not supported", QD_E_SYNTAX, 4, 13 },
	{ ".version 6.0\n.target sm_70\n.address_size 64\n/* no end", "unterminated comment", QD_E_SYNTAX, 4, 1 },
	{ ".version 6.0\n.target sm_70\n.address_size 64\n.extern .global .u32 x;", "x is .extern: linking modules is not supported", QD_E_SYNTAX, 4, 23 },
	{ AT90(".reg .b32 %r<3>;"), "%r is already declared in this scope", QD_E_SYNTAX, 10, 11 },
	{ AT90("mov.b32 %r1, 0f123;"), "expected 8 hexadecimal digits after 0f", QD_E_SYNTAX, 10, 14 },
};
/* clang-format on */

static void
every_refusal(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(refused); i++) {
		struct rig r;
		qd_status st;

		rig_open(&r);
		st = run_text(&r, refused[i].text, 1, 1);
		UNIT_CHECK(t, st == refused[i].code, "text %zu: status %d: %s", i, st, r.e.text);
		UNIT_CHECK(t, !strcmp(r.e.text, refused[i].says), "text %zu: '%s'", i, r.e.text);
		UNIT_CHECK(t, r.e.line == refused[i].line && r.e.col == refused[i].col,
			   "text %zu is at %u:%u", i, r.e.line, r.e.col);
		rig_close(t, &r);
	}
}

/* -- Single instructions ------------------------------------------------------------------ */

/* Value of %r1 after the text, in thread 0 unless `thread` is set. */
/* clang-format off */
static const struct {
	const char *text;
	uint32_t value, threads, thread;
} singles[] = {
#define S(text, value) { HEAD("9.0", "sm_100a") text "\nst.global.u32 [%d2], %r1;" TAIL, value, 1, 0 }
#define S32(text, value, thread) { HEAD("9.0", "sm_100a") text "\nst.global.u32 [%d2], %r1;" TAIL, value, 32, thread }
	S("mov.u32 %r2, 7; add.cc.u32 %r3, %r2, -1; addc.u32 %r1, 0, 0;", 1),
	S("mov.u32 %r2, 7; sub.cc.u32 %r3, %r2, 8; subc.u32 %r1, 0, 0;", 0xffffffff),
	S("mov.u32 %r2, -1; mad.hi.cc.u32 %r3, %r2, %r2, 2; addc.u32 %r1, 0, 0;", 1),
	S("mov.u32 %r2, 1; shl.b32 %r1, %r2, 40;", 0),
	S("mov.u32 %r2, 0x80000000; shr.s32 %r1, %r2, 99;", 0xffffffff),
	S("mov.u32 %r2, 0x80000000; div.s32 %r1, %r2, -1;", 0x80000000),
	S("bmsk.clamp.b32 %r1, 4, 40;", 0xfffffff0),
	S("bmsk.wrap.b32 %r1, 4, 3;", 0x70),
	S("mov.u32 %r2, 0xff; szext.clamp.s32 %r1, %r2, 8;", 0xffffffff),
	S("mov.u32 %r2, 0xffffff; mul24.lo.s32 %r1, %r2, 3;", 0xfffffffd),
	S("cvt.rni.s32.f32 %r1, 0f40200000;", 2),
	S("cvt.rpi.s32.f32 %r1, 0f40200000;", 3),
	S("cvt.rzi.u8.f32 %r1, 0f43900000;", 255),
	S("mov.u32 %r2, 300; cvt.sat.s8.s32 %r1, %r2;", 127),
	S("mov.u32 %r2, 0x80; cvt.s32.s8 %r1, %r2;", 0xffffff80),
	S("cvt.rn.f32.f64 %f1, 0d3ff0000010000000; mov.b32 %r1, %f1;", 0x3f800000),
	S("cvt.rp.f32.f64 %f1, 0d3ff0000010000000; mov.b32 %r1, %f1;", 0x3f800001),
	S("mov.f32 %f1, 0f00000001; add.ftz.f32 %f2, %f1, %f1; mov.b32 %r1, %f2;", 0),
	S("mov.f32 %f1, 0f00000001; add.f32 %f2, %f1, %f1; mov.b32 %r1, %f2;", 2),
	S("mov.f32 %f1, 0f3fc00000; add.sat.f32 %f2, %f1, %f1; mov.b32 %r1, %f2;", 0x3f800000),
	S("mov.f32 %f1, 0f80000000; min.f32 %f2, 0f00000000, %f1; mov.b32 %r1, %f2;", 0x80000000),
	S("max.f32 %f2, 0f7fc00000, 0f3f800000; mov.b32 %r1, %f2;", 0x3f800000),
	S("max.NaN.f32 %f2, 0f7fc00000, 0f3f800000; mov.b32 %r1, %f2;", 0x7fffffff),
	S("mov.f32 %f1, 0f7fc00000; setp.ne.f32 %p1, %f1, %f1; selp.u32 %r1, 1, 0, %p1;", 0),
	S("mov.f32 %f1, 0f7fc00000; setp.neu.f32 %p1, %f1, %f1; selp.u32 %r1, 1, 0, %p1;", 1),
	S("setp.lt.u32 %p1|%p2, 1, 2; selp.u32 %r1, 1, 0, %p2;", 0),
	S("mov.pred %p1, 1; setp.lt.and.u32 %p2|%p3, 2, 1, %p1; selp.u32 %r1, 1, 0, %p3;", 1),
	S("set.lt.f32.s32 %f1, -1, 1; mov.b32 %r1, %f1;", 0x3f800000),
	S("mov.u32 %r2, -5; slct.u32.s32 %r1, 1, 2, %r2;", 2),
	S("mov.b32 %r2, 0x80000001; slct.u32.f32 %r1, 1, 2, %r2;", 2),
	S("mov.b32 %r2, 0x80000001; slct.ftz.u32.f32 %r1, 1, 2, %r2;", 1),
	S("testp.subnormal.f32 %p1, 0f00000001; selp.u32 %r1, 1, 0, %p1;", 1),
	S("testp.normal.f32 %p1, 0f00000000; selp.u32 %r1, 1, 0, %p1;", 1),
	S("copysign.f32 %f1, 0fbf800000, 0f40000000; mov.b32 %r1, %f1;", 0xc0000000),
	S("sqrt.approx.f32 %f1, 0f40800000; mov.b32 %r1, %f1;", 0x40000000),
	S("rsqrt.approx.f32 %f1, 0f80000000; mov.b32 %r1, %f1;", 0xff800000),
	S("ex2.approx.f32 %f1, 0f40400000; mov.b32 %r1, %f1;", 0x41000000),
	S("lg2.approx.f32 %f1, 0f41000000; mov.b32 %r1, %f1;", 0x40400000),
	S("tanh.approx.f32 %f1, 0f7f800000; mov.b32 %r1, %f1;", 0x3f800000),
	S("cos.approx.f32 %f1, 0f00000000; mov.b32 %r1, %f1;", 0x3f800000),
	S("mov.u64 %d3, s; cvta.shared.u64 %d3, %d3; isspacep.shared %p1, %d3; selp.u32 %r1, 1, 0, %p1;", 1),
	S("isspacep.global %p1, %d2; selp.u32 %r1, 1, 0, %p1;", 1),
	S("st.shared.u32 [s+8], 77; cvta.shared.u64 %d3, s; ld.u32 %r1, [%d3+8];", 77),
	S("mov.u32 %r2, 5; st.global.u32 [%d2], %r2; atom.global.add.u32 %r1, [%d2], 3;", 5),
	S("mov.u32 %r2, 0x3c003c00; mov.b32 {%h1, %h2}, %r2; add.f16 %h3, %h1, %h2; mov.b32 %r1, {%h3, 0};", 0x4000),
	S("mov.u32 %r2, 0x3c004000; fma.rn.f16x2 %r1, %r2, %r2, %r2;", 0x40004600),
	S("cvt.rn.bf16x2.f32 %r1, 0f3f800000, 0fc0000000;", 0x3f80c000),
	S("cvt.rn.relu.f16x2.f32 %r1, 0f3f800000, 0fc0000000;", 0x3c000000),
	S("mov.u32 %r2, 1; A: .branchtargets X, Y; brx.idx %r2, A; X: mov.u32 %r1, 4; bra Z; Y: mov.u32 %r1, 6; Z:", 6),
	S("{ .reg .b32 %r1; mov.u32 %r1, 9; bra L; L: } mov.u32 %r1, 8; bra L; L:", 8),
	S("mov.u32 %r1, (1 << 4) | 3 * -(2 - 4) + ~0 & 15;", 21),
	S("nanosleep.u32 20; membar.gl; fence.acq_rel.gpu; mov.u32 %r1, 2;", 2),
	S32("elect.sync %r2|%p1, -1; selp.u32 %r1, %r2, 99, %p1;", 0, 0),
	S32("elect.sync %r2|%p1, -1; selp.u32 %r1, %r2, 99, %p1;", 99, 5),
	S32("activemask.b32 %r1;", 0xffffffff, 9),
	S32("cvt.rn.f32.u32 %f1, %r0; redux.sync.max.f32 %f2, %f1, -1; mov.b32 %r1, %f2;", 0x41f80000, 3),
	S32("cvt.rn.f32.u32 %f1, %r0; neg.f32 %f1, %f1; redux.sync.min.abs.f32 %f2, %f1, -1; mov.b32 %r1, %f2;", 0, 3),
	S32("mov.f32 %f1, 0f3f800000; setp.eq.u32 %p1, %r0, 3; selp.f32 %f1, 0f7fc00000, %f1, %p1; redux.sync.min.NaN.f32 %f2, %f1, -1; mov.b32 %r1, %f2;", 0x7fffffff, 4),
	S32("mov.u32 %r1, %lanemask_ge;", 0xffffffe0, 5),
	S32("mov.u32 %r1, %lanemask_lt;", 0x1f, 5),
	/* Copied data are available after the wait. */
	S("mov.u32 %r2, 17; st.global.u32 [%d2], %r2; cp.async.ca.shared.global [s], [%d2], 4; cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %r1, [s];", 17),
	S("mov.u32 %r2, 17; st.global.u32 [%d2], %r2; cp.async.cg.shared.global [s], [%d0], 16, 4; cp.async.wait_all; ld.shared.u32 %r1, [s+12];", 0),
};
/* clang-format on */

static void
single(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(singles); i++) {
		struct rig r;
		qd_status st;

		rig_open(&r);
		st = run_text(&r, singles[i].text, 1, singles[i].threads);
		UNIT_CHECK(t, st == QD_OK, "row %zu: %u:%u: %s", i, r.e.line, r.e.col, r.e.text);
		UNIT_CHECK(t, st != QD_OK || r.out.w[singles[i].thread] == singles[i].value,
			   "row %zu: 0x%x, expected 0x%x", i, r.out.w[singles[i].thread],
			   singles[i].value);
		rig_close(t, &r);
	}
}

/* -- Targets before sm_70, and failed allocations ----------------------------------------- */

/* Checks that a warp before sm_70 runs in lockstep: branches reconverge before the shuffle. */
static void
together(struct unit_ctx *t)
{
	static const char text[] =
		HEAD("6.0", "sm_60") "mov.u32 %r1, 0; and.b32 %r2, %r0, 3;\n"
				     "L: setp.eq.u32 %p1, %r2, 0; @%p1 bra M; add.u32 %r1, %r1, "
				     "%r0; sub.u32 %r2, %r2, 1; bra L;\n"
				     "M: shfl.bfly.b32 %r3, %r1, 1, 31; vote.ballot.b32 %r4, %p1; "
				     "add.u32 %r3, %r3, %r4;\n"
				     "st.global.u32 [%d2], %r3;" TAIL;
	struct rig r;
	qd_status st;

	rig_open(&r);
	st = run_text(&r, text, 1, 32);
	UNIT_CHECK(t, st == QD_OK, "%u:%u: %s", r.e.line, r.e.col, r.e.text);
	for (uint32_t l = 0; l < 32; l++) {
		uint32_t want = (l ^ 1) * ((l ^ 1) & 3) + UINT32_MAX;

		UNIT_CHECK(t, r.out.w[l] == want, "lane %u: %u, not %u", l, r.out.w[l], want);
	}
	rig_close(t, &r);
}

/* Fails each allocation once. */
static void
no_memory(struct unit_ctx *t)
{
	static const char text[] =
		HEAD("8.0", "sm_90") ".local .b8 room[64]; mov.u32 %r1, %ctaid.x; add.f32 %f1, "
				     "0f3f800000, 0f40000000;\n"
				     "cp.async.ca.shared.global [s], [%d0], 4; cp.async.wait_all;\n"
				     "L: bar.sync 0; st.global.u32 [%d2], %r1;" TAIL;
	size_t n = 0;

	for (size_t at = 1; at < 200; at++) {
		struct rig r;
		qd_status st;

		rig_open(&r);
		r.mem.fail_at = at;
		r.mem.fail_on = true;
		st = run_text(&r, text, 6, 64);
		UNIT_CHECK(t, st == QD_OK || st == QD_E_NOMEM, "allocation %zu: %d, %s", at, st,
			   r.e.text);
		n += st == QD_E_NOMEM;
		rig_close(t, &r);
		if (st == QD_OK)
			break;
	}
	UNIT_CHECK(t, n > 3, "%zu allocations failed", n);
}

const struct unit units_emu_ptx_find[] = {
	{ "findings", every_finding }, { "refused", every_refusal }, { "single", single },
	{ "together", together },      { "nomem", no_memory },
};
const unsigned n_units_emu_ptx_find = QD_COUNT(units_emu_ptx_find);
