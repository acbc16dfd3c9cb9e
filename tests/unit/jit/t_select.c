/* Choice of a fatbin's entry for a device, with artificial fatbins and devices, and the reason for
 * each entry that is not used. */
#include "select.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "fatbin_kit.h"

/* -- Entries ------------------------------------------------------------------------------ */

enum { MAX_ENTRY = 24 };

/* Properties of an entry that the choice depends on. */
struct made_entry {
	struct isa_meta meta;
	struct launch_layout d;
	char target[MACHINE_NAME];
};

struct made {
	struct fatbin_item item[MAX_ENTRY];
	struct made_entry entry[MAX_ENTRY];
	uint32_t n;
};

/* Returns the value of option `c`, as 2000 in "/n2000". The value of n is hexadecimal, others are
 * decimal. */
static uint64_t
option(const char *s, size_t len, char c, uint64_t usual)
{
	for (size_t i = 0; i + 1 < len; i++) {
		if (s[i] == '/' && s[i + 1] == c)
			return strtoull(s + i + 2, NULL, c == 'n' ? 16 : 10);
	}
	return usual;
}

/* Adds an entry: "ptx:sm_70", "cubin:sm_86" or "qdir", with options. Option /k is the kind, /n
 * needs, /s bytes of shared memory, /l threads, /a bytes of arguments, /w the subgroup size. Option
 * /d1 means that the kernel requires that size. */
static void
add_entry(struct made *m, const char *s, size_t len)
{
	struct made_entry *e = &m->entry[m->n];
	struct fatbin_item *i = &m->item[m->n++];
	size_t name = 0;
	struct target t;
	char text[MACHINE_NAME];

	while (name < len && s[name] != '/')
		name++;
	bool cubin = name > 6 && memcmp(s, "cubin:", 6) == 0;
	snprintf(text, sizeof text, "%s%.*s", cubin ? "ptx:" : "", (int)(name - (cubin ? 6 : 0)), s + (cubin ? 6 : 0));
	bool known = isa_target(text, &t, QD_IGNORE_ERROR) == QD_OK, ir = strcmp(text, "qdir") == 0;
	snprintf(e->target, sizeof e->target, "%s", known ? t.m.name : text);
	e->meta = (struct isa_meta){ .version = ISA_META_VERSION,
				     .local_size = (uint32_t)option(s, len, 'l', 64),
				     .shared_size = (uint32_t)option(s, len, 's', 0),
				     .needs = option(s, len, 'n', 0) };
	e->d = (struct launch_layout){ .size = sizeof e->d,
				     .version = LAYOUT_VERSION,
				     .args_size = (uint16_t)option(s, len, 'a', 16),
				     .subgroup_size = (uint16_t)option(s, len, 'w', known ? t.m.subgroup_size : 128) };
	uint64_t kind = ir ? CODE_IR : cubin ? CODE_CUBIN : known ? t.isa->code : CODE_PTX;
	*i = (struct fatbin_item){ .kernel = "sum",
				   .variant = "",
				   .target = e->target,
				   .kind = (enum code_kind)option(s, len, 'k', kind),
				   .flags = option(s, len, 'd', 0) ? FATBIN_SIZE_DEMANDED : 0,
				   .meta = &e->meta,
				   .layout = &e->d,
				   .code = "",
				   .code_size = 0 };
}

static void
add_entries(struct made *m, const char *s)
{
	m->n = 0;
	while (*s) {
		size_t len = strcspn(s, " ");
		add_entry(m, s, len);
		s += len;
		s += strspn(s, " ");
	}
}

/* -- The table ------------------------------------------------------------------------------ */

/* Entries of many targets. */
#define PTX "ptx:sm_50 ptx:sm_60 ptx:sm_70 ptx:sm_80 ptx:sm_90"
#define AMD "gfx906 gfx90a gfx942 gfx1030 gfx1100 gfx1100:w64 gfx1151 gfx1201"
#define FAULTY "spirv:w8:+hidezero:+u32f32:+trunc64:+sign32:+fence5:+syncfence"

static const struct row {
	const char *device; /* its target; after blanks sNN: subgroup sizes of the hardware,
			     * "asked", "nojit", "only=TARGET" */
	const char *entries, *taken; /* in the order in which they are tried; "" none */
	const char *why;	     /* "TARGET: sentence" of an entry not used; NULL: not tested */
} rows[] = {
	/* PTX: the latest that is not later than the device. */
	{ "ptx:sm_50", PTX " qdir", "ptx:sm_50 qdir", "ptx:sm_60: it is for later processors; the device is sm_50" },
	{ "ptx:sm_60", PTX " qdir", "ptx:sm_60 ptx:sm_50 qdir", NULL },
	{ "ptx:sm_70", PTX " qdir", "ptx:sm_70 ptx:sm_60 ptx:sm_50 qdir", "ptx:sm_80: it is for later processors; the device is sm_70" },
	{ "ptx:sm_75", PTX, "ptx:sm_70 ptx:sm_60 ptx:sm_50", NULL },
	{ "ptx:sm_80", PTX, "ptx:sm_80 ptx:sm_70 ptx:sm_60 ptx:sm_50", NULL },
	{ "ptx:sm_86", PTX, "ptx:sm_80 ptx:sm_70 ptx:sm_60 ptx:sm_50", NULL },
	{ "ptx:sm_90", PTX, "ptx:sm_90 ptx:sm_80 ptx:sm_70 ptx:sm_60 ptx:sm_50", NULL },
	{ "ptx:sm_100", PTX, "ptx:sm_90 ptx:sm_80 ptx:sm_70 ptx:sm_60 ptx:sm_50", NULL },
	{ "ptx:sm_120", "qdir " PTX, "ptx:sm_90 ptx:sm_80 ptx:sm_70 ptx:sm_60 ptx:sm_50 qdir", NULL },
	/* NVIDIA machine code: same major number, and not later than the device. */
	{ "ptx:sm_86", "cubin:sm_80 cubin:sm_86 ptx:sm_80 qdir", "cubin:sm_86 cubin:sm_80 ptx:sm_80 qdir", NULL },
	{ "ptx:sm_89", "cubin:sm_80 cubin:sm_86 ptx:sm_80", "cubin:sm_86 cubin:sm_80 ptx:sm_80", NULL },
	{ "ptx:sm_80", "cubin:sm_86 ptx:sm_50", "ptx:sm_50", "cubin:sm_86: it is machine code for sm_86; the device is sm_80" },
	{ "ptx:sm_90", "cubin:sm_86 cubin:sm_80 ptx:sm_50", "ptx:sm_50", "cubin:sm_80: it is machine code for sm_80; the device is sm_90" },
	{ "ptx:sm_75", "cubin:sm_70 cubin:sm_75 cubin:sm_80", "cubin:sm_75 cubin:sm_70", NULL },
	{ "ptx:sm_120", "cubin:sm_100 cubin:sm_120", "cubin:sm_120", "cubin:sm_100: it is machine code for sm_100; the device is sm_120" },
	{ "ptx:sm_103", "cubin:sm_100 cubin:sm_90", "cubin:sm_100", NULL },
	{ "ptx:sm_60", "cubin:sm_50 qdir", "qdir", "cubin:sm_50: it is machine code for sm_50; the device is sm_60" },
	/* Machine code of a Tegra runs only there, and a Tegra runs no other. */
	{ "ptx:sm_87", "cubin:sm_86 cubin:sm_80 cubin:sm_87 ptx:sm_80", "cubin:sm_87 ptx:sm_80", "cubin:sm_86: it is machine code for sm_86; the device is sm_87" },
	{ "ptx:sm_89", "cubin:sm_87 ptx:sm_50", "ptx:sm_50", "cubin:sm_87: it is machine code for sm_87; the device is sm_89" },
	{ "ptx:sm_53", "cubin:sm_52 cubin:sm_50 qdir", "qdir", NULL },
	/* AMD processors do not run each other's code. */
	{ "gfx906", AMD, "gfx906", "gfx90a: it is for another processor; the device is gfx906" },
	{ "gfx90a", AMD, "gfx90a", "gfx942: it is for another processor; the device is gfx90a" },
	{ "gfx942", AMD, "gfx942", NULL },
	{ "gfx1030 s32 s64", AMD, "gfx1030", NULL },
	{ "gfx1100 s32 s64", AMD, "gfx1100 gfx1100:w64", NULL },
	{ "gfx1100:w64 s32 s64", AMD, "gfx1100:w64 gfx1100", NULL },
	{ "gfx1100:w64 s32 s64 asked", AMD " qdir", "gfx1100:w64 qdir", "gfx1100: it is for subgroups of 32; the device was opened for 64" },
	{ "gfx1100", "gfx1100:w64", "", "gfx1100:w64: it is for subgroups of 64; the device has 32" },
	{ "gfx1151 s32 s64", AMD, "gfx1151", "gfx1100: it is for another processor; the device is gfx1151" },
	{ "gfx1201 s32 s64", AMD, "gfx1201", NULL },
	{ "gfx1102 s32 s64", AMD, "", "gfx906: it is for another processor; the device is gfx1102" },
	{ "gfx1102 s32 s64", AMD " qdir", "qdir", NULL },
	/* Subgroups that consist of several hardware subgroups or of a part of one. */
	{ "gfx1100 s32 s64", "gfx1100:w16:h32 gfx1100:w128:h64", "gfx1100:w128:h64 gfx1100:w16:h32", NULL },
	{ "ptx:sm_90:w16", "ptx:sm_90 ptx:sm_50:w16", "ptx:sm_50:w16 ptx:sm_90", NULL },
	{ "ptx:sm_90:w16 asked", "ptx:sm_90 ptx:sm_50:w16", "ptx:sm_50:w16", "ptx:sm_90: it is for subgroups of 32; the device was opened for 16" },
	{ "ptx:sm_90:w16 asked", "ptx:sm_90/d1", "ptx:sm_90", NULL },
	{ "ptx:sm_90 asked", "ptx:sm_90:w64/d1 ptx:sm_80", "ptx:sm_80 ptx:sm_90:w64", NULL },
	/* Vulkan: subgroup sizes of the device. */
	{ "spirv:w4", "spirv:w4 spirv:w8 spirv:w16 spirv:w32 spirv:w64", "spirv:w4", "spirv:w8: it is for subgroups of 8; the device has 4" },
	{ "spirv:w8", "spirv:w4 spirv:w8 spirv:w16 spirv:w32 spirv:w64", "spirv:w8", NULL },
	{ "spirv:w16", "spirv:w4 spirv:w8 spirv:w16 spirv:w32 spirv:w64", "spirv:w16", NULL },
	{ "spirv:w32 s8 s16 s32", "spirv:w4 spirv:w8 spirv:w16 spirv:w32 spirv:w64", "spirv:w32 spirv:w16 spirv:w8", "spirv:w64: it is for subgroups of 64; the device has 8, 16, 32" },
	{ "spirv:w16 s8 s16 s32 asked", "spirv:w8 spirv:w16 spirv:w32", "spirv:w16", "spirv:w8: it is for subgroups of 8; the device was opened for 16" },
	{ "spirv:w64 s32 s64", "spirv:w32 spirv:w64", "spirv:w64 spirv:w32", NULL },
	{ "spirv:w4", "spirv:w16:h4 spirv:w4:+zeros32", "spirv:w4:+zeros32 spirv:w16:h4", NULL },
	/* Missing features, which matter only if the module needs them. */
	{ "spirv:w32:-f64", "spirv:w32/n2", "", "spirv:w32: it needs 'f64', which the device lacks" },
	{ "spirv:w32:-f64", "spirv:w32", "spirv:w32", NULL },
	{ "spirv:w32:-i64", "spirv:w32/n1 spirv:w32:-i64", "spirv:w32:-i64", "spirv:w32: it needs 'i64', which the device lacks; compile it for spirv:w32:-i64" },
	{ "spirv:w32:-i8", "spirv:w32/n4", "", "spirv:w32: it needs 'i8', which the device lacks" },
	{ "spirv:w32:-i8", "spirv:w32/n200", "", "spirv:w32: it needs 'i8', which the device lacks" },
	{ "spirv:w32:-i16", "spirv:w32/n8", "", "spirv:w32: it needs 'i16', which the device lacks" },
	{ "spirv:w32:-i16", "spirv:w32/n400", "", "spirv:w32: it needs 'i16', which the device lacks" },
	{ "spirv:w32:-atomic64", "spirv:w32/n80000", "", "spirv:w32: it needs 'atomic64', which the device lacks" },
	{ "spirv:w32:-atomic64", "spirv:w32/n100000", "", "spirv:w32: it needs 'atomic64', which the device lacks" },
	{ "spirv:w32:-shuffle", "spirv:w32/n20", "", "spirv:w32: it needs 'shuffle', which the device lacks; compile it for spirv:w32:-shuffle" },
	{ "spirv:w32:-ballot", "spirv:w32/n40", "", "spirv:w32: it needs 'ballot', which the device lacks; compile it for spirv:w32:-ballot" },
	{ "spirv:w32:-arith", "spirv:w32/n80", "", "spirv:w32: it needs 'arith', which the device lacks; compile it for spirv:w32:-arith" },
	{ "spirv:w32", "spirv:w32:+clusters/n800", "", "spirv:w32:+clusters: it needs 'clusters', which the device lacks; compile it for spirv:w32" },
	{ "spirv:w32", "spirv:w32:+zeros32/n1000", "", "spirv:w32:+zeros32: it needs 'zeros32', which the device lacks; compile it for spirv:w32" },
	{ "spirv:w32", "spirv:w32:+zeros64/n2000", "", "spirv:w32:+zeros64: it needs 'zeros64', which the device lacks; compile it for spirv:w32" },
	{ "spirv:w32", "spirv:w32:+denorm32/n4000", "", "spirv:w32:+denorm32: it needs 'denorm32', which the device lacks; compile it for spirv:w32" },
	{ "spirv:w32", "spirv:w32:+denorm64/n8000", "", "spirv:w32:+denorm64: it needs 'denorm64', which the device lacks; compile it for spirv:w32" },
	{ "spirv:w32", "spirv:w32:+rte32/n10000", "", "spirv:w32:+rte32: it needs 'rte32', which the device lacks; compile it for spirv:w32" },
	{ "spirv:w32", "spirv:w32:+rte64/n20000", "", "spirv:w32:+rte64: it needs 'rte64', which the device lacks; compile it for spirv:w32" },
	{ "spirv:w32", "spirv:w32:+flow/n40000 spirv:w32", "spirv:w32", "spirv:w32:+flow: it needs 'flow', which the device lacks; compile it for spirv:w32" },
	/* The entry closest to the device's options is preferred. */
	{ "spirv:w32:+zeros32:+rte32", "spirv:w32 spirv:w32:+zeros32/n1000 spirv:w32:+zeros32:+rte32/n11000",
	  "spirv:w32:+zeros32:+rte32 spirv:w32:+zeros32 spirv:w32", NULL },
	{ "spirv:w32", "spirv:w32:-f64 spirv:w32 spirv:w32:-f64:-i64", "spirv:w32 spirv:w32:-f64 spirv:w32:-f64:-i64", NULL },
	{ "spirv:w32 s32 s64", "spirv:w64 spirv:w32:-f64:-i64", "spirv:w32:-f64:-i64 spirv:w64", NULL },
	/* Driver faults that the code must work around. */
	{ FAULTY, FAULTY " spirv:w8", FAULTY, "spirv:w8: it lacks the workaround for a driver bug, 'hidezero'; compile it for " FAULTY },
	{ "spirv:w8:+u32f32", "spirv:w8", "", "spirv:w8: it lacks the workaround for a driver bug, 'u32f32'; compile it for spirv:w8:+u32f32" },
	{ "spirv:w8:+trunc64", "spirv:w8:+u32f32", "", "spirv:w8:+u32f32: it lacks the workaround for a driver bug, 'trunc64'; compile it for spirv:w8:+trunc64" },
	{ "spirv:w8:+sign32", "spirv:w8", "", "spirv:w8: it lacks the workaround for a driver bug, 'sign32'; compile it for spirv:w8:+sign32" },
	{ "spirv:w8:+looplimit", "spirv:w8", "", "spirv:w8: it lacks the workaround for a driver bug, 'looplimit'; compile it for spirv:w8:+looplimit" },
	{ "spirv:w8:+fence5", "spirv:w8", "", "spirv:w8: it lacks the workaround for a driver bug, 'fence5'; compile it for spirv:w8:+fence5" },
	{ "spirv:w32:+hidesign", "spirv:w32", "", "spirv:w32: it lacks the workaround for a driver bug, 'hidesign'; compile it for spirv:w32:+hidesign" },
	{ "spirv:w32:+rmwload", "spirv:w32", "", "spirv:w32: it lacks the workaround for a driver bug, 'rmwload'; compile it for spirv:w32:+rmwload" },
	{ "spirv:w8:+syncfence", "spirv:w8", "", "spirv:w8: it lacks the workaround for a driver bug, 'syncfence'; compile it for spirv:w8:+syncfence" },
	{ "spirv:w8", FAULTY " spirv:w8", "spirv:w8 " FAULTY, NULL },
	/* Limits common to all back ends. */
	{ "spirv:w32:b256", "spirv:w32/l256", "spirv:w32", NULL },
	{ "spirv:w32:b256", "spirv:w32/l257", "", "spirv:w32: its blocks have 257 threads; the device supports 256" },
	{ "spirv:w32:s16384", "spirv:w32/s16384", "spirv:w32", NULL },
	{ "spirv:w32:s16384", "spirv:w32/s16388", "", "spirv:w32: it needs 16388 bytes of shared memory; the device has 16384" },
	{ "spirv:w32", "spirv:w32/a128", "spirv:w32", NULL },
	{ "spirv:w32", "spirv:w32/a132", "", "spirv:w32: its launches pass 132 bytes of arguments; the device supports 128" },
	{ "ptx:sm_70", "ptx:sm_70/s49153 ptx:sm_60/l1025 ptx:sm_50/a4097 qdir", "qdir", "ptx:sm_60: its blocks have 1025 threads; the device supports 1024" },
	/* The kernel itself, which needs permission to compile. */
	{ "ptx:sm_70 nojit", "ptx:sm_80 qdir", "", "qdir: QD_JIT=0 forbids compilation" },
	{ "ptx:sm_70 nojit", "ptx:sm_60 qdir", "ptx:sm_60", NULL },
	{ "ref:w8 nojit", "ptx:sm_60 qdir", "qdir", "ptx:sm_60: it is code of 'ptx', and the device is 'ref'" },
	{ "ref:w8", "ref:w8 qdir ref:w32", "qdir ref:w32 ref:w8", NULL },
	/* Code for other back ends. */
	{ "ptx:sm_70", "gfx906 spirv:w32", "", "gfx906: it is code of 'amdgcn', and the device takes 'ptx'" },
	{ "gfx906", "ptx:sm_70 spirv:w32", "", "spirv:w32: it is code of 'spirv', and the device takes 'amdgcn'" },
	{ "spirv:w32", "sparc:v9", "", "sparc:v9: this library does not support the target" },
	{ "ptx:sm_90", "ptx:sm_999 ptx:sm_90", "ptx:sm_90", "ptx:sm_999: this library does not support the target" },
	{ "ptx:sm_90", "ptx:sm_90/k9 qdir", "qdir", "ptx:sm_90: this library does not support its kind of code, 9" },
	{ "ptx:sm_90", "ptx:sm_90/k0", "", "ptx:sm_90: this library does not support its kind of code, 0" },
	{ "ptx:sm_90", "ptx:sm_90/k4", "", "ptx:sm_90: its kind of code does not match its target, spirv" },
	{ "ref:w8", "ref:w8/k1", "", "ref:w8: its kind of code does not match its target, ptx" },
	{ "spirv:w32", "spirv:w32/k2", "", "spirv:w32: its kind of code does not match its target, cubin" },
	/* QD_TARGET, as the same text or an equivalent one. */
	{ "ptx:sm_90 only=ptx:sm_60", PTX " qdir", "ptx:sm_60", "ptx:sm_90: QD_TARGET requests 'ptx:sm_60'" },
	{ "ptx:sm_90 only=ptx", PTX " qdir", "ptx:sm_70", "qdir: QD_TARGET requests 'ptx'" },
	{ "ptx:sm_90 only=qdir", PTX " qdir", "qdir", "ptx:sm_50: QD_TARGET requests 'qdir'" },
	{ "ptx:sm_60 only=ptx:sm_90", PTX, "", "ptx:sm_90: it is for later processors; the device is sm_60" },
	{ "gfx1100 s32 s64 only=gfx1100:w64", AMD, "gfx1100:w64", NULL },
	{ "ptx:sm_90 only=sparc:v9", "ptx:sm_90", NULL, "QD_TARGET='sparc:v9' is not a target" },
};

/* All sentences of select.c and of the back ends' `runs`. Each must occur in a test above. */
static const char *const sentences[] = {
	"it is for subgroups of #; the device has *",
	"it is for subgroups of #; the device was opened for #",
	"its blocks have # threads; the device supports #",
	"it needs # bytes of shared memory; the device has #",
	"its launches pass # bytes of arguments; the device supports #",
	"it is machine code for sm_#; the device is sm_#",
	"this library does not support the target",
	"it is code of *, and the device is *",
	"it is code of *, and the device takes *",
	"its kind of code does not match its target, *",
	"this library does not support its kind of code, #",
	"QD_JIT=0 forbids compilation",
	"QD_TARGET requests *",
	"it is for later processors; the device is sm_#",
	"it is for another processor; the device is gfx*",
	"it needs 'i64', which the device lacks; compile it for *",
	"it needs 'f64', which the device lacks",
	"it needs 'i8', which the device lacks",
	"it needs 'i16', which the device lacks",
	"it needs 'atomic64', which the device lacks",
	"it needs 'shuffle', which the device lacks; compile it for *",
	"it needs 'ballot', which the device lacks; compile it for *",
	"it needs 'arith', which the device lacks; compile it for *",
	"it needs 'clusters', which the device lacks; compile it for *",
	"it needs 'zeros32', which the device lacks; compile it for *",
	"it needs 'zeros64', which the device lacks; compile it for *",
	"it needs 'denorm32', which the device lacks; compile it for *",
	"it needs 'denorm64', which the device lacks; compile it for *",
	"it needs 'rte32', which the device lacks; compile it for *",
	"it needs 'rte64', which the device lacks; compile it for *",
	"it needs 'flow', which the device lacks; compile it for *",
	"it lacks the workaround for a driver bug, 'hidezero'; compile it for *",
	"it lacks the workaround for a driver bug, 'u32f32'; compile it for *",
	"it lacks the workaround for a driver bug, 'trunc64'; compile it for *",
	"it lacks the workaround for a driver bug, 'sign32'; compile it for *",
	"it lacks the workaround for a driver bug, 'fence5'; compile it for *",
	"it lacks the workaround for a driver bug, 'hidesign'; compile it for *",
	"it lacks the workaround for a driver bug, 'rmwload'; compile it for *",
	"it lacks the workaround for a driver bug, 'looplimit'; compile it for *",
	"it lacks the workaround for a driver bug, 'syncfence'; compile it for *",
};

/* Returns true if s matches the pattern: # is a number, * is any text. */
static bool
is_sentence(const char *s, const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern == '#') {
			if (!isdigit((unsigned char)*s))
				return false;
			while (isdigit((unsigned char)*s))
				s++;
		} else if (*pattern == '*') {
			while (*s && !is_sentence(s, pattern + 1))
				s++;
			return !pattern[1] || *s;
		} else if (*s++ != *pattern) {
			return false;
		}
	}
	return !*s;
}

/* -- A row ------------------------------------------------------------------------------------- */

struct seen {
	uint32_t n[QD_COUNT(sentences)];
};

static void
read_device(struct unit_ctx *t, const char *text, struct target *target, char only[64], struct select_device *out)
{
	char name[MACHINE_NAME];
	struct qd_error e;
	size_t len = strcspn(text, " ");

	snprintf(name, sizeof name, "%.*s", (int)len, text);
	UNIT_CHECK(t, isa_target(name, target, &e) == QD_OK, "%s", e.text);
	*only = '\0';
	*out = (struct select_device){ .name = "made up", .target = target, .jit = true, .only = only };
	for (const char *s = text + len; *s; s += strcspn(s, " ")) {
		s += strspn(s, " ");
		if (*s == 's')
			out->sizes |= (uint32_t)strtoul(s + 1, NULL, 10); /* 1u << log2(size) is size */
		else if (strncmp(s, "asked", 5) == 0)
			out->size_asked = true;
		else if (strncmp(s, "nojit", 5) == 0)
			out->jit = false;
		else if (strncmp(s, "only=", 5) == 0)
			snprintf(only, 64, "%.*s", (int)strcspn(s + 5, " "), s + 5);
	}
	if (!out->sizes)
		out->sizes = 1u << target->m.log2_lanes;
}

static bool
is_cubin(const struct fatbin_place *at)
{
	return at->row.kind == CODE_CUBIN && strncmp(at->target, "ptx:", 4) == 0;
}

/* Prints the targets of usable rows, best first. */
static void
taken_text(const struct qd_fatbin *f, const struct select_row *out, uint32_t n, char *text, size_t cap)
{
	size_t len = 0;

	*text = '\0';
	for (uint32_t i = 0; i < n && out[i].rank && len < cap; i++) {
		struct fatbin_place at;
		fatbin_at(f, out[i].row, &at);
		bool cubin = is_cubin(&at);
		len += (size_t)snprintf(text + len, cap - len, "%s%s%s", i ? " " : "", cubin ? "cubin:" : "",
					cubin ? at.target + 4 : at.target);
	}
}

static void
check_whys(struct unit_ctx *t, const struct row *r, const struct qd_fatbin *f, const struct select_row *out,
	   uint32_t n, struct seen *seen)
{
	bool met = !r->why;

	for (uint32_t i = 0; i < n; i++) {
		struct fatbin_place at;
		char text[600];
		uint32_t n_like = 0;
		if (out[i].rank)
			continue;
		fatbin_at(f, out[i].row, &at);
		snprintf(text, sizeof text, "%s: %s", is_cubin(&at) ? at.target + 4 : at.target, out[i].why);
		const char *why = r->why && strncmp(r->why, "cubin:", 6) == 0 ? r->why + 6 : r->why;
		met = met || strcmp(text, why) == 0;
		for (size_t s = 0; s < QD_COUNT(sentences); s++) {
			if (is_sentence(out[i].why, sentences[s])) {
				n_like++;
				seen->n[s]++;
			}
		}
		UNIT_CHECK(t, n_like == 1, "%s: '%s' is %u of the sentences", r->device, out[i].why, n_like);
	}
	UNIT_CHECK(t, met, "%s of %s: no message contains '%s'", r->device, r->entries, r->why);
}

/* Checks that the error text has every entry, and each reason once. */
static void
check_explained(struct unit_ctx *t, struct unit_rig *rig, const struct qd_fatbin *f, const struct select_device *dev,
		const struct select_row *out, uint32_t n)
{
	struct buf text;

	buf_init(&text, &rig->ctx->pool);
	select_explain_device(dev, &text);
	select_explain(f, out, n, &text);
	buf_put(&text, "", 1);
	char *s = buf_data(&text);
	UNIT_CHECK(t, s && strstr(s, "\n  device: made up, target ") == s, "%s", s ? s : "nothing");
	for (uint32_t i = 0; s && i < n; i++) {
		struct fatbin_place at;
		fatbin_at(f, out[i].row, &at);
		const char *why = strstr(s, out[i].why);
		UNIT_CHECK(t, strstr(s, fatbin_target_rest(&at)) && why, "'%s' for %s is not in:%s", out[i].why,
			   at.target, s);
		UNIT_CHECK(t, !*out[i].why || !why || !strchr(why, '\n') || !strstr(strchr(why, '\n'), out[i].why),
			   "'%s' is reported twice in:%s", out[i].why, s);
	}
	buf_fini(&text);
}

static void
check_row(struct unit_ctx *t, struct unit_rig *rig, const struct row *r, struct seen *seen)
{
	static struct made m;
	struct select_row out[MAX_ENTRY];
	struct select_device dev;
	struct target target, one;
	struct qd_fatbin *f = NULL;
	struct qd_error e = { 0 };
	struct fatbin_made fat;
	struct arena mem;
	char only[64], taken[512], want[512] = "";
	uint32_t which[MAX_ENTRY];
	size_t size;

	add_entries(&m, r->entries);
	read_device(t, r->device, &target, only, &dev);
	arena_init(&mem, &rig->ctx->pool);
	buf_init(&fat.index, mem.pool);
	buf_init(&fat.groups, mem.pool);
	struct fatbin_options o = { .codec = FATBIN_RAW };
	uint8_t *bytes = !fatbin_make(&fat, &mem, m.item, m.n, &o, &e) ? fat_link(&fat, &size) : NULL;
	bool good = bytes && !qd_fatbin_open(rig->ctx, bytes, QD_LINKED, "f", &f, &e);
	UNIT_CHECK(t, good && qd_fatbin_count(f) == m.n, "%s: %s", r->entries, e.text);
	for (uint32_t i = 0; i < MAX_ENTRY; i++)
		which[i] = i;
	/* Compare canonical target names. A cubin keeps its prefix. */
	for (const char *s = r->taken ? r->taken : ""; *s; s += strcspn(s, " ")) {
		char name[MACHINE_NAME];
		s += strspn(s, " ");
		bool cubin = strncmp(s, "cubin:", 6) == 0;
		snprintf(name, sizeof name, "%.*s", (int)strcspn(s, " "), s);
		if (!cubin && !isa_target(name, &one, QD_IGNORE_ERROR))
			snprintf(name, sizeof name, "%s", one.m.name);
		snprintf(want + strlen(want), sizeof want - strlen(want), "%s%s", *want ? " " : "", name);
	}
	qd_status st = good ? select_rows(f, &dev, which, m.n, out, &e) : QD_E_INTERNAL;
	if (!r->taken) {
		UNIT_CHECK(t, st == QD_E_NOT_FOUND && !strcmp(e.text, r->why), "%s: %s", r->device, e.text);
	} else if (st == QD_OK) {
		taken_text(f, out, m.n, taken, sizeof taken);
		UNIT_CHECK(t, !strcmp(taken, want), "%s of %s: '%s', not '%s'", r->device, r->entries, taken, want);
		check_whys(t, r, f, out, m.n, seen);
		check_explained(t, rig, f, &dev, out, m.n);
	}
	qd_fatbin_free(f);
	free(bytes);
	buf_fini(&fat.index);
	buf_fini(&fat.groups);
	arena_fini(&mem);
}

/* Checks the order of the usable entries and the reasons for the others. Each sentence must
 * occur. */
static void
choices(struct unit_ctx *t)
{
	struct seen seen = { 0 };
	struct unit_rig rig;

	if (!unit_rig_open(t, &rig))
		return;
	for (size_t i = 0; i < QD_COUNT(rows); i++)
		check_row(t, &rig, &rows[i], &seen);
	for (size_t i = 0; i < QD_COUNT(sentences); i++)
		UNIT_CHECK(t, seen.n[i], "no message contains '%s'", sentences[i]);
	unit_rig_close(t, &rig);
}

/* -- Targets of the back ends ------------------------------------------------------------------ */

/* Checks that each target in `all` belongs to the back end, is listed once, and runs its own
 * code. */
static void
offered(struct unit_ctx *t)
{
	for (uint32_t i = 0; i < isa_count; i++) {
		const struct isa *isa = isa_table[i];
		const char *name;
		UNIT_CHECK(t, isa->runs_ir == !isa->all && isa->runs_ir == !isa->runs, "%s", isa->name);
		for (uint32_t n = 0; isa->all && (name = isa->all(n)); n++) {
			struct target target, other;
			struct qd_error e;
			uint32_t near = 0;
			char why[ISA_WHY] = "";
			bool good = isa_target(name, &target, &e) == QD_OK;
			UNIT_CHECK(t, good && target.isa == isa && strlen(target.m.name) > 0, "%s: %s", name, e.text);
			if (!good)
				continue;
			UNIT_CHECK(t, isa->runs(&target, &target, 0, &near, why) && near && near < ISA_NEAR, "%s: %s", name, why);
			for (uint32_t j = 0; j < n; j++)
				UNIT_CHECK(t,
					   isa_target(isa->all(j), &other, &e) == QD_OK &&
						   strcmp(other.m.name, target.m.name) != 0,
					   "%s occurs twice", name);
		}
	}
}

const struct unit units_select[] = { { "select.choices", choices }, { "select.offered", offered } };
const unsigned n_units_select = QD_COUNT(units_select);
