/* bench/encode: measures the cost of the AMD tables:
 *
 * - nanoseconds per encoded instruction, by format and in a typical mix, by calls and by checked
 *   fields
 * - megabytes of code per second, decoded to fields and to text, by the functions alone and by
 *   qd-dis, compared with llvm-objdump on the same bytes in the same run
 * - nanoseconds per parsed line of text
 *
 *	encode [--json] [FOLDER]
 *
 * The code is from the objects in FOLDER (default: the corpus for gfx1100 of
 * tests/gcn/kernels.sh). If there are none, it is the code encoded by the bench itself. */
#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call.h"

#include "bench.h"

enum {
	PER_SAMPLE = 4096, /* instructions encoded in one sample */
	CODE_SIZE = 4 << 20, /* minimum bytes of code in the file that the tools read */
	N_LINES = 2000, /* lines of text to parse */
	TEXT_SIZE = 512,
};
#define OBJDUMP "llvm-objdump-22"

extern char **environ;

/* -- Encoding ------------------------------------------------------------------------- */

struct encoder {
	const struct gcn_target *target;
	void (*some)(struct gcn_out *o, unsigned i);
	unsigned n; /* instructions per call of `some` */
	uint32_t *words;
	size_t n_words, cap;
	struct gcn_insn *insns; /* the same instructions, for encoding by fields */
	size_t n_insns;
	struct qd_error err;
};

static void
four_sop2(struct gcn_out *o, unsigned i)
{
	gcn_sop2(o, GCN_s_mul_i32, gcn_s(i % 100), gcn_s(4), gcn_s(5));
	gcn_sop2(o, GCN_s_and_b32, gcn_s(3), gcn_s(i % 100), 129);
	gcn_sop2(o, GCN_s_lshl_b32, gcn_s(8), gcn_s(9), 128 + i % 32);
	gcn_sop2(o, GCN_s_and_b64, gcn_s(2 * (i % 40)), gcn_s(6), gcn_s(20));
}

static void
four_vop2(struct gcn_out *o, unsigned i)
{
	gcn_vop2(o, GCN_v_mul_f32, gcn_v(i % 256), gcn_s(2), gcn_v(3));
	gcn_vop2(o, GCN_v_and_b32, gcn_v(1), gcn_v(i % 256), gcn_v(2));
	gcn_vop2(o, GCN_v_xor_b32, gcn_v(4), 242, gcn_v(i % 256));
	gcn_vop2(o, GCN_v_lshlrev_b32, gcn_v(i % 256), 130, gcn_v(9));
}

static void
four_vop3(struct gcn_out *o, unsigned i)
{
	gcn_vop3(o, GCN_v_fma_f32, gcn_v(i % 256), gcn_v(2), gcn_s(3), gcn_v(4));
	gcn_vop3(o, GCN_v_bfe_u32, gcn_v(1), gcn_v(i % 256), 133, 136);
	gcn_vop3(o, GCN_v_lshl_add_u32, gcn_v(7), gcn_v(8), 130, gcn_v(i % 256));
	gcn_vop3(o, GCN_v_bfi_b32, gcn_v(i % 256), gcn_v(1), gcn_v(2), gcn_v(3));
}

static void
four_ds(struct gcn_out *o, unsigned i)
{
	gcn_ds(o, GCN_ds_add_u32, GCN_OFF, gcn_v(2), gcn_v(i % 256), GCN_OFF,
	       (uint16_t)(4 * (i % 64)));
	gcn_ds(o, GCN_ds_or_b32, GCN_OFF, gcn_v(i % 256), gcn_v(3), GCN_OFF, 0);
	gcn_ds(o, GCN_ds_max_u32, GCN_OFF, gcn_v(5), gcn_v(4), GCN_OFF, (uint16_t)i);
	gcn_ds(o, GCN_ds_add_u32, GCN_OFF, gcn_v(8), gcn_v(7), GCN_OFF, 16);
}

static const struct gcn_dpp shift_one = { .ctrl = 0x111, .row_mask = 15, .bank_mask = 15 };

static void
four_dpp(struct gcn_out *o, unsigned i)
{
	gcn_dpp2(o, GCN_v_add_f32, gcn_v(i % 256), gcn_v(2), gcn_v(3), shift_one);
	gcn_dpp2(o, GCN_v_and_b32, gcn_v(1), gcn_v(i % 256), gcn_v(3), shift_one);
	gcn_dpp1(o, GCN_v_mov_b32, gcn_v(1), gcn_v(i % 256), shift_one);
	gcn_dpp2(o, GCN_v_max_i32, gcn_v(1), gcn_v(2), gcn_v(i % 256), shift_one);
}

static void
four_global(struct gcn_out *o, unsigned i)
{
	/* Loads and stores have these names from gfx11 on. */
	struct gcn_mem m = { .dst = gcn_v(i % 256), .addr = gcn_v(2), .data = GCN_OFF, .base = gcn_s(4), .offset = (int32_t)(i % 64) };
	struct gcn_mem w = { .dst = GCN_OFF, .addr = gcn_v(2), .data = gcn_v(i % 256), .base = gcn_s(6), .offset = -16 };

	gcn_global(o, GCN_global_load_b32, m);
	gcn_global(o, GCN_global_store_b32, w);
	gcn_global(o, GCN_global_load_b32, m);
	gcn_global(o, GCN_global_store_b32, w);
}

/* Encodes a mix like that of a compiled kernel: a third moves and adds, a few scalar
 * operations, one access to shared memory. */
static void
mix(struct gcn_out *o, unsigned i)
{
	four_vop2(o, i);
	gcn_vop1(o, GCN_v_mov_b32, gcn_v(i % 256), gcn_s(1));
	gcn_sopc(o, GCN_s_cmp_eq_u32, gcn_s(i % 100), 128);
	gcn_sopp(o, GCN_s_cbranch_scc1, (uint16_t)i);
	four_vop3(o, i);
	gcn_sop1(o, GCN_s_mov_b32, gcn_s(3), gcn_s(i % 100));
	four_sop2(o, i);
	gcn_ds(o, GCN_ds_add_u32, GCN_OFF, gcn_v(2), gcn_v(i % 256), GCN_OFF, 64);
}

static bool
encode_all(void *user)
{
	struct encoder *e = user;
	struct gcn_out o;

	gcn_out_init(&o, e->target, e->words, e->cap);
	for (unsigned i = 0; i < PER_SAMPLE; i += e->n)
		e->some(&o, i);
	e->n_words = (size_t)(o.at - e->words);
	return !o.bad;
}

/* Encodes the same instructions from their fields, with checks. */
static bool
encode_fields(void *user)
{
	struct encoder *e = user;
	uint32_t *at = e->words;
	int n;

	for (size_t i = 0; i < e->n_insns; i++, at += n)
		if (gcn_encode(e->target, &e->insns[i], at, &n, &e->err))
			return false;
	return true;
}

static bool
take_fields(struct encoder *e)
{
	if (!encode_all(e))
		return false;
	e->n_insns = 0;
	for (size_t at = 0; at < e->n_words; e->n_insns++) {
		int n = gcn_decode(e->target, e->words + at, e->n_words - at, &e->insns[e->n_insns]);
		if (!n)
			return false;
		at += (size_t)n;
	}
	return true;
}

/* -- Code ---------------------------------------------------------------------------- */

struct code {
	const struct gcn_target *target;
	uint32_t *words;
	size_t n;
};

static bool
append(struct code *c, const void *words, size_t size)
{
	uint32_t *more = realloc(c->words, (c->n + size / 4) * 4);

	if (!more)
		return false;
	c->words = more;
	memcpy(c->words + c->n, words, size / 4 * 4);
	c->n += size / 4;
	return true;
}

/* Appends the executable sections of an object; ignores objects for other targets. */
static bool
append_object(struct code *c, const char *path)
{
	FILE *f = fopen(path, "rb");
	static unsigned char data[4 << 20];
	size_t size = f ? fread(data, 1, sizeof data, f) : 0;
	Elf64_Ehdr h;
	bool ok = true;

	if (f)
		fclose(f);
	if (size < sizeof h || memcmp(data, ELFMAG, SELFMAG) != 0)
		return true;
	memcpy(&h, data, sizeof h);
	if ((h.e_flags & 255) != (c->target->e_flags & 255) || h.e_shoff > size ||
	    size - h.e_shoff < (size_t)h.e_shnum * sizeof(Elf64_Shdr))
		return true;
	for (unsigned i = 0; i < h.e_shnum && ok; i++) {
		Elf64_Shdr s;
		memcpy(&s, data + h.e_shoff + i * sizeof s, sizeof s);
		if ((s.sh_flags & SHF_EXECINSTR) && s.sh_offset <= size &&
		    s.sh_size <= size - s.sh_offset)
			ok = append(c, data + s.sh_offset, s.sh_size);
	}
	return ok;
}

static bool
read_folder(struct code *c, const char *folder)
{
	char pattern[4096];
	glob_t g;
	bool ok = true;

	snprintf(pattern, sizeof pattern, "%s/*.hsaco", folder);
	if (glob(pattern, 0, NULL, &g))
		return true;
	for (size_t i = 0; i < g.gl_pathc && ok; i++)
		ok = append_object(c, g.gl_pathv[i]);
	globfree(&g);
	return ok;
}

/* -- Functions ------------------------------------------------------------------------- */

struct reader {
	const struct code *code;
	size_t n_insns, text_size;
	char (*lines)[TEXT_SIZE];
	size_t n_lines;
};

static bool
decode_all(void *user)
{
	struct reader *r = user;
	const struct code *c = r->code;
	struct gcn_insn in;

	r->n_insns = 0;
	for (size_t at = 0; at < c->n; r->n_insns++) {
		int n = gcn_decode(c->target, c->words + at, c->n - at, &in);
		at += n ? (size_t)n : 1;
	}
	return true;
}

static bool
print_all(void *user)
{
	struct reader *r = user;
	const struct code *c = r->code;
	struct gcn_insn in;
	char text[TEXT_SIZE];

	r->text_size = 0;
	for (size_t at = 0; at < c->n;) {
		int n = gcn_decode(c->target, c->words + at, c->n - at, &in);
		if (n)
			r->text_size += gcn_print(c->target, &in, text, sizeof text);
		at += n ? (size_t)n : 1;
	}
	return true;
}

/* Takes lines at regular intervals of the code. */
static void
take_lines(struct reader *r)
{
	const struct code *c = r->code;
	size_t at = 0, i = 0, step = r->n_insns / N_LINES + 1;

	for (; at < c->n && r->n_lines < N_LINES; i++) {
		struct gcn_insn in;
		int n = gcn_decode(c->target, c->words + at, c->n - at, &in);
		if (n && i % step == 0)
			gcn_print(c->target, &in, r->lines[r->n_lines++], TEXT_SIZE);
		at += n ? (size_t)n : 1;
	}
}

static bool
parse_all(void *user)
{
	struct reader *r = user;
	struct gcn_insn in;
	struct qd_error err;

	for (size_t i = 0; i < r->n_lines; i++) {
		if (gcn_parse(r->code->target, r->lines[i], &in, &err)) {
			fprintf(stderr, "%s: %s\n", r->lines[i], err.text);
			return false;
		}
	}
	return true;
}

/* -- Tools ------------------------------------------------------------------------------ */

/* Writes an object that contains the code, repeated to at least `least` bytes. */
static bool
write_object(const char *path, const struct code *c, size_t least)
{
	static const char names[] = "\0.text\0.shstrtab";
	size_t copies = least / (c->n * 4) + 1, size = copies * c->n * 4;
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				      EV_CURRENT, 64, 4 },
			 .e_type = ET_DYN, .e_machine = EM_AMDGPU, .e_version = EV_CURRENT,
			 .e_flags = c->target->e_flags, .e_ehsize = sizeof h,
			 .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2,
			 .e_shoff = sizeof h };
	Elf64_Off text = sizeof h + 3 * sizeof(Elf64_Shdr);
	Elf64_Shdr s[3] = {
		{ 0 },
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		  .sh_addr = 0x1000, .sh_offset = text, .sh_size = size, .sh_addralign = 4 },
		{ .sh_name = 7, .sh_type = SHT_STRTAB, .sh_offset = text + size,
		  .sh_size = sizeof names, .sh_addralign = 1 },
	};
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(&h, sizeof h, 1, f) == 1 && fwrite(s, sizeof s, 1, f) == 1;

	for (size_t i = 0; i < copies && ok; i++)
		ok = fwrite(c->words, 4, c->n, f) == c->n;
	ok = ok && fwrite(names, sizeof names, 1, f) == 1;
	return (!f || fclose(f) == 0) && ok;
}

struct command {
	const char *argv[5];
};

static bool
run_command(void *user)
{
	const struct command *c = user;
	posix_spawn_file_actions_t to_null;
	pid_t pid;
	int status = 1;
	bool ok;

	posix_spawn_file_actions_init(&to_null);
	posix_spawn_file_actions_addopen(&to_null, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&to_null, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	ok = !posix_spawnp(&pid, c->argv[0], &to_null, NULL, (char *const *)c->argv, environ) &&
	     waitpid(pid, &status, 0) == pid && status == 0;
	posix_spawn_file_actions_destroy(&to_null);
	return ok;
}

struct tool {
	double all, start; /* us for the large file, for a file with one instruction */
};

/* Returns false if the tool cannot be run. */
static bool
time_tool(struct tool *t, const char *name, struct command *large, struct command *small, bool json)
{
	static struct bench r, start;
	char label[128];

	snprintf(label, sizeof label, "encode/%s start", name);
	if (!bench_run(&start, label, 10, run_command, small))
		return false;
	snprintf(label, sizeof label, "encode/%s", name);
	if (!bench_run(&r, label, 3, run_command, large))
		return false;
	bench_print(&start, json);
	bench_print(&r, json);
	t->all = bench_median(&r);
	t->start = bench_median(&start);
	return true;
}

/* -- Results ----------------------------------------------------------------------------- */

static double
ns_each(const struct bench *b, size_t n)
{
	return 1000 * bench_median(b) / (double)n;
}

struct kind {
	const char *name;
	void (*some)(struct gcn_out *o, unsigned i);
	unsigned n;
	bool gfx11; /* its instructions have their names from gfx11 on */
};

static bool
bench_encode(const char *target, const struct kind *k, bool json, struct code *keep)
{
	static uint32_t words[PER_SAMPLE * 4];
	static struct gcn_insn insns[PER_SAMPLE + 32];
	static struct bench calls, fields;
	struct encoder e = { .target = gcn_target_find(target, 0), .some = k->some, .n = k->n,
			     .words = words, .cap = QD_COUNT(words), .insns = insns };
	unsigned n = (PER_SAMPLE + k->n - 1) / k->n * k->n;
	char name[96], other[96];

	if (k->gfx11 && e.target->gen < GCN_G11)
		return true;
	snprintf(name, sizeof name, "encode/%s/%s x%u", target, k->name, n);
	snprintf(other, sizeof other, "encode/%s/%s x%u by fields", target, k->name, n);
	if (!take_fields(&e) || e.n_insns != n || !bench_run(&calls, name, 300, encode_all, &e) ||
	    !bench_run(&fields, other, 100, encode_fields, &e)) {
		fprintf(stderr, "%s: %s\n", name, e.err.text);
		return false;
	}
	bench_print(&calls, json);
	bench_print(&fields, json);
	if (!json)
		printf("%44s %.1f ns per instruction, %.1f by fields and checked\n", "",
		       ns_each(&calls, n), ns_each(&fields, n));
	return !keep || append(keep, words, e.n_words * 4);
}

static bool
bench_text(const struct code *c, bool json)
{
	static struct bench decode, print, parse;
	struct reader r = { .code = c, .lines = calloc(N_LINES, TEXT_SIZE) };
	double bytes = (double)c->n * 4;
	bool ok = r.lines && bench_run(&decode, "encode/words to fields", 50, decode_all, &r) &&
		  bench_run(&print, "encode/words to text", 50, print_all, &r);

	if (ok) {
		take_lines(&r);
		bench_print(&decode, json);
		bench_print(&print, json);
		ok = bench_run(&parse, "encode/text to fields", 50, parse_all, &r);
	}
	if (ok)
		bench_print(&parse, json);
	if (ok && !json)
		printf("%44s %zu instructions, %.0f KB of code, %.0f KB of text\n"
		       "%44s decode %.1f MB/s, %.1f ns each; with text %.1f MB/s, %.1f ns\n"
		       "%44s %.0f ns per line read back (%zu lines)\n",
		       "", r.n_insns, bytes / 1e3, (double)r.text_size / 1e3, "",
		       bytes / bench_median(&decode), ns_each(&decode, r.n_insns),
		       bytes / bench_median(&print), ns_each(&print, r.n_insns), "",
		       ns_each(&parse, r.n_lines), r.n_lines);
	free(r.lines);
	return ok;
}

static bool
bench_tools(struct code *c, bool json)
{
	char large[] = "/tmp/qd-bench-XXXXXX", small[] = "/tmp/qd-bench-XXXXXX";
	int fds[2] = { mkstemp(large), mkstemp(small) };
	struct code one = { c->target, c->words, 1 };
	struct command ours = { { QD_DIS, "--style=llvm", large, NULL } };
	struct command ours_start = { { QD_DIS, "--style=llvm", small, NULL } };
	struct command llvm = { { OBJDUMP, "-d", large, NULL } };
	struct command llvm_start = { { OBJDUMP, "-d", small, NULL } };
	struct tool q, l;
	bool ok = fds[0] >= 0 && fds[1] >= 0 && write_object(large, c, CODE_SIZE) &&
		  write_object(small, &one, 0);
	double bytes = (double)(CODE_SIZE / (c->n * 4) + 1) * (double)c->n * 4;

	if (!ok)
		fprintf(stderr, "the object of code cannot be written to /tmp\n");
	if (ok && !(ok = time_tool(&q, "qd-dis", &ours, &ours_start, json)))
		fprintf(stderr, "%s does not run\n", QD_DIS);
	if (ok && !json)
		printf("%44s qd-dis %.1f MB/s, %.1f without its start\n", "", bytes / q.all,
		       bytes / (q.all - q.start));
	if (ok && !time_tool(&l, OBJDUMP, &llvm, &llvm_start, json))
		printf("%s is not installed: no numbers of it\n", OBJDUMP);
	else if (ok && !json)
		printf("%44s %s %.1f MB/s, %.1f without its start\n"
		       "%44s qd-dis is %.1f times as fast, %.1f times without the starts\n",
		       "", OBJDUMP, bytes / l.all, bytes / (l.all - l.start), "", l.all / q.all,
		       (l.all - l.start) / (q.all - q.start));
	for (int i = 0; i < 2; i++) {
		if (fds[i] >= 0) {
			close(fds[i]);
			unlink(i ? small : large);
		}
	}
	return ok;
}

int
main(int argc, char **argv)
{
	static const char *const targets[] = { "gfx906", "gfx1100", "gfx1200" };
	static const struct kind kinds[] = {
		{ "sop2", four_sop2, 4, false }, { "vop2", four_vop2, 4, false },
		{ "vop3", four_vop3, 4, false }, { "dpp16", four_dpp, 4, false },
		{ "ds", four_ds, 4, false },	 { "global", four_global, 4, true },
		{ "mix", mix, 17, false },
	};
	bool json = false, ok = true;
	const char *folder =
		bench_args(argc, argv, "bench-encode [--json] [FOLDER]", CORPUS, &json);
	struct code own = { gcn_target_find("gfx1100", 0), NULL, 0 }, corpus = own;

	for (size_t i = 0; i < QD_COUNT(targets); i++)
		for (size_t j = 0; j < QD_COUNT(kinds) && ok; j++)
			ok = bench_encode(targets[i], &kinds[j], json,
					  kinds[j].some == mix && gcn_target_find(targets[i], 0) == own.target
						  ? &own
						  : NULL);
	ok = ok && read_folder(&corpus, folder);
	if (ok && !json)
		printf("%s\n", corpus.n ? folder : "no objects: the code encoded above");
	ok = ok && bench_text(corpus.n ? &corpus : &own, json) &&
	     bench_tools(corpus.n ? &corpus : &own, json);
	free(own.words);
	free(corpus.words);
	return ok ? 0 : 1;
}
