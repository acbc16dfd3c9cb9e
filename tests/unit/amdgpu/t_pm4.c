/* Packet streams, word for word. */
#include "jit.h"
#include "pm4_stream.h"
#include "wave_kernels.h"

#include <stdlib.h>

extern const struct isa isa_amdgcn;

enum { CAP = PM4_GOLDEN_CAP };

/* Parses the words of a golden's text. */
static uint32_t
words_of(const char *text, uint32_t *out)
{
	uint32_t n = 0;

	for (const char *at = text; *at;) {
		if (*at == ' ' || *at == '/') {
			at++;
			continue;
		}
		char *end;
		out[n++] = (uint32_t)strtoul(at, &end, 16);
		at = end;
	}
	return n;
}

static void
same_words(struct unit_ctx *t, const char *what, const uint32_t *words, uint32_t n, const char *text)
{
	uint32_t want[CAP], n_want = words_of(text, want);

	UNIT_CHECK(t, n == n_want, "%s: %u words, not %u", what, n, n_want);
	for (uint32_t i = 0; i < n && i < n_want; i++)
		UNIT_CHECK(t, words[i] == want[i], "%s: word %u is %08X, not %08X", what, i, words[i], want[i]);
}

static void
golden(struct unit_ctx *t)
{
	for (size_t i = 0; i < PM4_N_GOLDEN; i++) {
		uint32_t words[CAP], n;
		struct pm4_kernel k;
		struct pm4_dispatch d;
		struct qd_error e = { .text = "" };
		pm4_made_dispatch(t, &pm4_goldens[i], &k, &d);
		UNIT_CHECK(t, !pm4_made_stream(&pm4_goldens[i], &d, words, CAP, &n, &e), "%s: %s", pm4_goldens[i].target, e.text);
		same_words(t, pm4_goldens[i].target, words, n, pm4_goldens[i].words);
		UNIT_CHECK(t, n % 8 == 0, "%s: %u words", pm4_goldens[i].target, n);
	}
}

/* -- Other streams ----------------------------------------------------------------------------- */

/* Checks the registers that Mesa sets to fixed values at the start of each stream. Each stream must
 * set them, on the same generations. Otherwise a dispatch uses the values of the previous
 * client. */
static void
fixed(struct unit_ctx *t)
{
#define GEN(g) (1u << PM4_##g)
	static const unsigned cdna = GEN(G908) | GEN(G90A) | GEN(G94), rdna1 = GEN(G10) | GEN(G103),
			      gfx11 = GEN(G11), gfx12 = GEN(G12);
	static const struct {
		enum pm4_word reg;
		uint32_t n, value;
		unsigned gens;
	} rows[] = {
		{ PM4_PERFCOUNT_ENABLE, 1, 0, cdna | gfx12 },
		{ PM4_DISPATCH_PKT_ADDR_LO, 2, 0, gfx12 },
		{ PM4_THREAD_TRACE_ENABLE, 1, 0, cdna },
		{ PM4_TG_CHUNK_SIZE, 1, 0, GEN(G94) },
		{ PM4_USER_ACCUM, 4, 0, rdna1 | gfx11 | gfx12 },
		{ PM4_DISPATCH_INTERLEAVE, 1, 64, gfx11 | gfx12 },
		{ PM4_DISPATCH_TUNNEL, 1, 0, rdna1 | gfx11 | gfx12 },
		{ PM4_STATIC_THREAD_MGMT_SE8, 1, 0, gfx12 },
		{ PM4_CP_COHER_START_DELAY, 1, 0, GEN(G9) | cdna },
		{ PM4_CP_COHER_START_DELAY, 1, 0x20, rdna1 },
	};
	static const char *const target[PM4_N_GEN] = { "gfx906",  "gfx908",  "gfx90a",	"gfx942",
						       "gfx1010", "gfx1030", "gfx1100", "gfx1201" };

	for (unsigned g = 0; g < PM4_N_GEN; g++) {
		bool old = g < PM4_G10;
		const struct pm4_golden made = { target[g], { old ? 0xaf0040 : g == PM4_G12 ? 0x600f0000 : 0x60af0040, 0x84, 0 },
						 0x08, 1, NULL };
		uint32_t words[CAP], n;
		struct pm4_kernel k;
		struct pm4_dispatch d;
		struct qd_error e = { .text = "" };
		pm4_made_dispatch(t, &made, &k, &d);
		UNIT_CHECK(t, !pm4_made_stream(&made, &d, words, CAP, &n, &e), "%s: %s", target[g], e.text);
		for (size_t i = 0; i < QD_COUNT(rows); i++) {
			if (!(rows[i].gens >> g & 1))
				continue;
			const uint32_t *got = stream_register((enum pm4_gen)g, words, n, rows[i].reg);
			UNIT_CHECK(t, got != NULL, "%s: %s is not set", target[g], pm4_word_name(rows[i].reg));
			for (uint32_t j = 0; got && j < rows[i].n; j++)
				UNIT_CHECK(t, got[j] == rows[i].value, "%s: %s, word %u is 0x%x, not 0x%x", target[g],
					   pm4_word_name(rows[i].reg), j, got[j], rows[i].value);
		}
	}
#undef GEN
}

static void
sync_words(struct unit_ctx *t)
{
	static const uint32_t data[] = { 7, 8 };
	static const struct {
		enum pm4_gen gen;
		const char *words;
	} rows[] = {
		{ PM4_G9, "C0055800 08400000 FFFFFFFF FFFFFF 0 0 A / C0055800 28400000 FFFFFFFF FFFFFF 0 0 A / "
			  "C0055800 40008 FFFFFFFF FFFFFF 0 0 A / C0064900 238514 23000000 1008 1 9 0 0 / "
			  "C0064900 238514 42000000 1008 1 A 1 0 / C0044000 110509 0 0 1010 1 / "
			  "C0064900 528 63000000 1018 1 0 0 0 / C0043700 100500 1020 1 7 8" },
		{ PM4_G94, "C0055800 08400000 FFFFFFFF FFFFFF 0 0 A / C0055800 28400000 FFFFFFFF FFFFFF 0 0 A / "
			   "C0055800 840000 FFFFFFFF FFFFFF 0 0 A / C0064900 238514 23000000 1008 1 9 0 0 / "
			   "C0064900 238514 42000000 1008 1 A 1 0 / C0044000 110509 0 0 1010 1 / "
			   "C0064900 528 63000000 1018 1 0 0 0 / C0043700 100500 1020 1 7 8" },
		{ PM4_G11, "C0065800 0 FFFFFFFF FFFFFF 0 0 A 380 / C0065800 0 FFFFFFFF FFFFFF 0 0 A 381 / "
			   "C0065800 0 FFFFFFFF FFFFFF 0 0 A 8000 / C0064900 6603514 23000000 1008 1 9 0 0 / "
			   "C0064900 6603514 42000000 1008 1 A 1 0 / C0044000 110509 0 0 1010 1 / "
			   "C0064900 528 63000000 1018 1 0 0 0 / C0043700 100500 1020 1 7 8" },
		{ PM4_G12, "C0065800 0 FFFFFFFF FFFFFF 0 0 A 380 / C0065800 0 FFFFFFFF FFFFFF 0 0 A 381 / "
			   "C0065800 0 FFFFFFFF FFFFFF 0 0 A 8000 / C0064900 6600514 23000000 1008 1 9 0 0 / "
			   "C0064900 6600514 42000000 1008 1 A 1 0 / C0044000 110509 0 0 1010 1 / "
			   "C0064900 528 63000000 1018 1 0 0 0 / C0043700 100500 1020 1 7 8" },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		uint32_t words[CAP];
		struct qd_error e = { .text = "" };
		struct pm4 p;
		pm4_begin(&p, rows[i].gen, words, CAP, &e);
		pm4_cache(&p, PM4_CACHE_DATA);
		pm4_cache(&p, PM4_CACHE_CODE);
		pm4_cache(&p, PM4_CACHE_HOST);
		pm4_fence(&p, &(struct pm4_fence){ .addr = 0x100001008, .value = 9 });
		pm4_fence(&p, &(struct pm4_fence){ .addr = 0x100001008, .value = UINT64_C(0x10000000a), .wide = true,
						   .interrupt = true });
		pm4_clock(&p, 0x100001010);
		pm4_clock_end(&p, 0x100001018);
		pm4_write(&p, 0x100001020, data, 2);
		UNIT_CHECK(t, !p.st, "%s", e.text);
		same_words(t, "sync", words, p.n, rows[i].words);
	}
}

/* Checks that waits and cache invalidations are only between dispatches that share memory that one
 * of them writes. */
static void
barrier(struct unit_ctx *t)
{
	static const struct {
		struct pm4_use a, b;
		const char *words; /* for gfx11 */
	} rows[] = {
		{ { 0x1000, 64, true, false }, { 0x1000, 64, false, false }, "C0004600 407 C0065800 0 FFFFFFFF FFFFFF 0 0 A 380" },
		{ { 0x1000, 64, false, false }, { 0x103f, 1, true, false }, "C0004600 407 C0065800 0 FFFFFFFF FFFFFF 0 0 A 380" },
		{ { 0x1020, 64, true, false }, { 0x1000, 0x21, true, false }, "C0004600 407 C0065800 0 FFFFFFFF FFFFFF 0 0 A 380" },
		{ { 0x1000, 64, true, false }, { 0x1000, 64, false, true }, "C0004600 407 C0065800 0 FFFFFFFF FFFFFF 0 0 A 381" },
		{ { 0x1000, 64, false, false }, { 0x1000, 64, false, false }, "" },
		{ { 0x1000, 64, true, false }, { 0x1040, 64, true, false }, "" },
		{ { 0x1040, 64, true, false }, { 0x1000, 64, true, false }, "" },
		{ { 0x1000, 0, true, false }, { 0x1000, 64, true, false }, "" },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const struct pm4_use before[] = { { 0x9000, 16, true, false }, rows[i].a };
		uint32_t words[CAP];
		struct qd_error e = { .text = "" };
		struct pm4 p;
		pm4_begin(&p, PM4_G11, words, CAP, &e);
		bool did = pm4_barrier(&p, before, 2, &rows[i].b, 1);
		UNIT_CHECK(t, !p.st && did == (*rows[i].words != '\0'), "row %zu: %d %s", i, did, e.text);
		same_words(t, "barrier", words, p.n, rows[i].words);
	}
}

/* Checks scratch and LDS sizes by generation, and the user registers of kernels. */
static void
scratch(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		uint32_t rsrc2, properties, rsrc1, rsrc3, scratch, lds, dynamic, n_cu, n_engine;
		uint32_t waves, size, tmpring, base, rsrc2_sent;
		const char *user;
	} rows[] = {
		/* 260 bytes for 64 lanes: 16640, rounded to 17 KiB */
		{ "gfx906", 0x91, 0x29, 0xaf0080, 0, 260, 0, 0, 60, 4, 1920, 1920 * 17408, 0x11780, 0, 0x91,
		  "0 80000001 1FE0000 EA4FAC 20000 1 0 1" },
		{ "gfx90a", 0x91, 0x29, 0xaf0080, 1, 260, 100, 1000, 104, 8, 3328, 3328 * 17408, 0x11d00, 0, 0x18091,
		  "0 80000001 3740000 EA4FAC 20000 1 0 1" },
		/* at most 4095, a multiple of 8 for 8 engines */
		{ "gfx90a", 0x91, 0x29, 0xaf0080, 1, 260, 0, 0, 256, 8, 4088, 4088 * 17408, 0x11ff8, 0, 0x91,
		  "0 80000001 43DE000 EA4FAC 20000 1 0 1" },
		{ "gfx942", 0x85, 0x08, 0xaf0080, 1, 260, 512, 0, 38, 4, 1280, 1280 * 17408, 0x11500, 0x1000000, 0x8085,
		  "20000 1" },
		{ "gfx950", 0x85, 0x08, 0xaf0080, 1, 4, 1281, 0, 32, 4, 1024, 1024 * 1024, 0x1400, 0x1000000, 0x10085,
		  "20000 1" },
		/* for 32 lanes 8320: 9 KiB, or 33 times 256 */
		{ "gfx1030", 0x91, 0x429, 0x60af0041, 0, 260, 0, 768, 40, 2, 1280, 1280 * 9216, 0x9500, 0, 0x10091,
		  "0 80000001 B40000 21C14FAC 20000 1 0 1" },
		{ "gfx1030", 0x91, 0x29, 0x60af0041, 0, 260, 0, 0, 40, 2, 1280, 1280 * 17408, 0x11500, 0, 0x91,
		  "0 80000001 1540000 21E14FAC 20000 1 0 1" },
		{ "gfx1100", 0x9f, 0x408, 0x60af0041, 0, 260, 0, 65536, 96, 6, 512, 6 * 512 * 8448, 0x21200, 0x1000000, 0x40009f,
		  "20000 1 0 0 0 0 0 0 0 0 0 0 0 0 0" },
		{ "gfx1201", 0x85, 0x408, 0x600f0041, 0, 260, 0, 0, 64, 4, 512, 4 * 512 * 8448, 0x21200, 0x1000000, 0x85,
		  "20000 1" },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const struct pm4_golden g = { rows[i].target, { rows[i].rsrc1, rows[i].rsrc2, rows[i].rsrc3 },
					  rows[i].properties, rows[i].n_engine, NULL };
		const struct amd_gpu *gpu = amd_gpu_find(g.target, strlen(g.target));
		uint8_t bytes[AMD_DESCRIPTOR_SIZE];
		uint32_t words[CAP], n;
		struct qd_error e = { .text = "" };
		struct pm4_kernel k;
		pm4_made_describe(&g, bytes);
		pm4_made_put(bytes, 0, rows[i].lds);
		pm4_made_put(bytes, 4, rows[i].scratch);
		UNIT_CHECK(t, !pm4_kernel_read(gpu, bytes, PM4_MADE_DESCRIPTOR, &k, &e), "row %zu: %s", i, e.text);
		struct pm4_dispatch d = { .kernel = &k, .blocks = { 1, 1, 1 }, .block = { 64, 1, 1 },
					  .dynamic_lds = rows[i].dynamic, .kernarg = PM4_MADE_KERNARG,
					  .scratch.addr = 0x100000000 };
		UNIT_CHECK(t, !pm4_scratch_need(gpu, &k, rows[i].n_cu, rows[i].n_engine, &d.scratch, &e), "%s", e.text);
		UNIT_CHECK(t, d.scratch.waves == rows[i].waves && d.scratch.size == rows[i].size, "row %zu: %u waves, %llu bytes",
			   i, d.scratch.waves, (unsigned long long)d.scratch.size);
		pm4_all_units(d.cu_mask, rows[i].n_engine);
		UNIT_CHECK(t, !pm4_made_stream(&g, &d, words, CAP, &n, &e), "row %zu: %s", i, e.text);
		const uint32_t *got = stream_register(gpu->gen, words, n, PM4_TMPRING_SIZE);
		UNIT_CHECK(t, got && *got == rows[i].tmpring, "row %zu: TMPRING_SIZE %x", i, got ? *got : 0);
		got = stream_register(gpu->gen, words, n, PM4_PGM_RSRC2);
		UNIT_CHECK(t, got && *got == rows[i].rsrc2_sent, "row %zu: PGM_RSRC2 %x", i, got ? *got : 0);
		got = stream_register(gpu->gen, words, n, PM4_DISPATCH_SCRATCH_BASE_LO);
		UNIT_CHECK(t, (got ? *got : 0) == rows[i].base, "row %zu: base %x", i, got ? *got : 0);
		got = stream_register(gpu->gen, words, n, PM4_USER_DATA);
		if (got)
			same_words(t, rows[i].target, got, k.n_user, rows[i].user);
		UNIT_CHECK(t, got != NULL, "row %zu: no user data", i);
	}
}

/* Checks all user registers that HSA defines, in order. */
static void
user(struct unit_ctx *t)
{
	const struct pm4_golden g = { "gfx1010", { 0x60af0040, 0x80 | 15 << 1, 0 }, 0x47f, 2, NULL };
	struct pm4_kernel k;
	struct pm4_dispatch d;
	struct qd_error e = { .text = "" };
	const struct amd_gpu *gpu = pm4_made_dispatch(t, &g, &k, &d);
	static const uint32_t packet[16] = { 0x20002, 0x20040, 1, 256, 6, 1, 0, 100, 0x1000, 1, 0x20000, 1 };
	uint32_t words[CAP], n, out[16], bytes[16];

	d.packet = 0x300000040;
	d.scratch.addr = 0x100000000; /* unused by this kernel */
	d.blocks[1] = 3;
	d.block[1] = 2;
	d.dynamic_lds = 100;
	UNIT_CHECK(t, !pm4_made_stream(&g, &d, words, CAP, &n, &e), "%s", e.text);
	const uint32_t *got = stream_register(gpu->gen, words, n, PM4_USER_DATA);
	UNIT_CHECK(t, got != NULL, "no user data");
	if (got)
		same_words(t, "user", got, 15, "0 0 0 0 40 3 0 0 20000 1 0 0 0 0 0");
	UNIT_CHECK(t, pm4_dispatch_packet(&d, (uint8_t *)bytes), "no packet");
	memcpy(out, bytes, sizeof out);
	for (unsigned i = 0; i < 16; i++)
		UNIT_CHECK(t, out[i] == packet[i], "packet: word %u is %x, not %x", i, out[i], packet[i]);
	d.blocks[0] = 1u << 27;
	UNIT_CHECK(t, !pm4_dispatch_packet(&d, (uint8_t *)bytes), "2^33 lanes in 32 bits");
}

/* Checks that the descriptors of clang's kernels are accepted and sent. */
static void
compiled(struct unit_ctx *t)
{
	unsigned n_kernels = 0;

	for (unsigned i = 0; i < wave_n_objects; i++) {
		const struct wave_object *o = &wave_objects[i];
		const struct amd_gpu *gpu = amd_gpu_find(o->target, strlen(o->target));
		struct wave_code c;
		UNIT_CHECK(t, gpu != NULL, "%s is not a device", o->target);
		if (!gpu || !wave_code_read(t, &c, o))
			continue;
		for (unsigned j = 0; j < c.n_kernels; j++, n_kernels++) {
			const uint8_t *d = c.kernel[j].descriptor;
			uint64_t offset = 0, entry = UINT64_C(0x200000000);
			for (unsigned b = 0; b < 8; b++)
				offset |= (uint64_t)d[16 + b] << 8 * b;
			struct pm4_kernel k;
			uint32_t words[CAP], at;
			struct qd_error e = { .text = "" };
			struct pm4 p;
			qd_status st = pm4_kernel_read(gpu, d, entry - offset, &k, &e);
			UNIT_CHECK(t, !st, "%s %s: %s", o->target, c.kernel[j].name, e.text);
			if (st)
				continue;
			struct pm4_dispatch go = { .kernel = &k, .blocks = { 3, 1, 1 }, .block = { 64, 1, 1 },
						   .kernarg = PM4_MADE_KERNARG, .scratch.addr = 0x100000000, .packet = 0x400000000 };
			pm4_all_units(go.cu_mask, 4);
			UNIT_CHECK(t, !pm4_scratch_need(gpu, &k, 40, 4, &go.scratch, &e), "%s", e.text);
			pm4_begin(&p, gpu->gen, words, CAP, &e);
			pm4_dispatch(&p, gpu, &go);
			UNIT_CHECK(t, !p.st, "%s %s: %s", o->target, c.kernel[j].name, e.text);
			if (p.st)
				continue;
			memcpy(&at, d + 48, 4);
			const uint32_t *rsrc1 = stream_register(gpu->gen, words, p.n, PM4_PGM_RSRC1);
			UNIT_CHECK(t, rsrc1 && *rsrc1 == at, "%s %s: PGM_RSRC1", o->target, c.kernel[j].name);
			UNIT_CHECK(t, k.entry == entry && k.wave == c.target->wave, "%s %s: entry 0x%llx, %u lanes", o->target,
				   c.kernel[j].name, (unsigned long long)k.entry, k.wave);
			UNIT_CHECK(t, words[p.n - 1] == (k.wave == 32 ? 0x8005 : 5), "%s: initiator %x", o->target, words[p.n - 1]);
		}
		wave_code_free(&c);
	}
	UNIT_CHECK(t, n_kernels > 100, "only %u kernels", n_kernels);
}

/* Checks qd's own kernels for each device that has a code generator. */
static void
own(struct unit_ctx *t)
{
	static const char source[] = "qdk 2; kernel sum(dst: out u32[], src: in u32[]) block(256) {"
				     " for i in grid(src.len) { dst[i] = subgroup.reduce_add(src[i]); } }";
	struct qd_module *module = NULL;
	struct qd_kernel *kernel = NULL;
	const struct amd_gpu *gpu;
	struct unit_rig rig;
	unsigned n = 0;

	if (!unit_rig_open(t, &rig))
		return;
	qd_status st = qd_module_parse(rig.ctx, source, strlen(source), "sum.qdk", &module, &rig.e);
	if (!st)
		st = qd_module_kernel(module, "sum", NULL, 0, &kernel, &rig.e);
	UNIT_CHECK(t, !st, "%s", rig.e.text);
	for (size_t i = 0; !st && (gpu = amd_gpu_at(i)); i++) {
		uint32_t words[CAP];
		struct pm4_kernel k;
		struct qd_image *image;
		struct pm4 p;
		if (qd_compile(rig.ctx, kernel, gpu->name, NULL, 0, &image, &rig.e))
			continue;
		n++;
		UNIT_CHECK(t, !pm4_kernel_read(gpu, image->code, 0x100000000, &k, &rig.e), "%s: %s", gpu->name, rig.e.text);
		struct pm4_dispatch d = { .kernel = &k, .blocks = { 7, 1, 1 }, .block = { image->meta.local_size, 1, 1 },
					  .kernarg = PM4_MADE_KERNARG };
		pm4_all_units(d.cu_mask, 4);
		pm4_begin(&p, gpu->gen, words, CAP, &rig.e);
		pm4_dispatch(&p, gpu, &d);
		UNIT_CHECK(t, !p.st && k.wave == image->meta.wave_size && k.user == PM4_USER_KERNARG_PTR, "%s: %s", gpu->name,
			   rig.e.text);
		qd_image_free(image);
	}
	UNIT_CHECK(t, n > 20 && !isa_amdgcn.all(n) && isa_amdgcn.all(n - 1), "%u devices", n);
	qd_kernel_free(kernel);
	qd_module_free(module);
	unit_rig_close(t, &rig);
}

const struct unit units_pm4[] = {
	{ "pm4.golden", golden },   { "pm4.fixed", fixed }, { "pm4.sync", sync_words }, { "pm4.barrier", barrier },
	{ "pm4.scratch", scratch }, { "pm4.user", user },	 { "pm4.compiled", compiled },
	{ "pm4.own", own },
};
const unsigned n_units_pm4 = QD_COUNT(units_pm4);
