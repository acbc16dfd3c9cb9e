/* Fuzz target: bytes as .qdk text: parsed, every kernel built with a few choices of its templates,
 * printed, read back, and compiled. Nothing runs. A form feed begins another file, which an import
 * names: a, b, c. */
#include <string.h>

#include "text.h"

enum { MAX_KERNELS = 8, MAX_TMPLS = 8, N_CHOICES = 3, MAX_TEXTS = 4 };

/* clang-format off */
const char *const fuzz_words[] = {
	"kernel", "fn", "const", "instantiate", "let", "var", "if", "else", "while", "for", "in", "grid",
	"unroll", "static", "break;", "continue;", "return;", "block(64)", "block(7, 3)", "subgroup(4, 32)",
	"requires(subgroup.count >= 2)", "as", "op", "step", "shared", "identity", "assume_uniform(\"x\")",
	"assume_in_bounds(\"x\")", "f32", "i32", "u32", "u64", "i64", "f64", "bool", "u8", "f16", "bf16",
	"f32[]", "u8[]", "x", "y", "i", "0", "1", "2u", "3l", "4ul", "1.5", "1e9", "0x1f", "2.5d", "inf",
	"nan", "true", "false", "(", ")", "{", "}", "[", "]", "<", ">", ",", ";", ":", ".", "..", "..=", "->",
	"=", "==", "!=", "+", "-", "*", "/", "%", "&", "&&", "|", "||", "^", "~", "!", "<<", ">>", "+=", "<<=",
	"subgroup.shuffle", "subgroup.shuffle_down", "subgroup.reduce_add", "subgroup.reduce_all_min_tiled",
	"subgroup.inclusive_add_tiled", "subgroup.reduce", "subgroup.inclusive_scan", "subgroup.broadcast",
	"subgroup.broadcast_first", "subgroup.ballot_first_n", "subgroup.elect()", "subgroup.id",
	"subgroup.invocation_id()", "subgroup.group_size()", "subgroup.log2_group_size()",
	"subgroup.tile_lane", "block.thread_idx()", "block.idx", "block.dim", "grid.dim", "a.len", "a[i]",
	"max(x, y)", "fma(x, y, x)", "select(x, y, 1)", "floordiv(x, 3)", "mulhi(x, y)", "pow(x, exp(1.0))", "T.max", "i32.min",
	"u32(x)", "f32(x)", "i64(x)", "bitcast<u32>(x)", "return x;", "let z = 1;", "var w = 2;", "a[i] = x;",
	"else 7", "for j in 0..4 {", "unroll for j in 0..3 {", "while x < 9 {", "if x > 1 {",
	"static if L > 1 {", "for i in grid(a.len) {", "fn f(x: i32) -> i32 { return x; }",
	"<T in {f32, i32}, static L in 0..=3>", "import \"a\";", "import \"b\" as m;", "import \"c\";", "\n#line 7\n", "\n#line 9 \"x.py\"\n", "\f", "m.x", "m.f(1)",
	"\ffn g(x: u32) -> u32 { return x; } const y = 3; const t: u32[2] = [1, 2];", "m.g(x)", "m.y", "m.t[i]", "op = m.g",
	"instantiate m.k<1> as n;", "/*", "*/", "//", "\"", "$", "\n",
};
/* clang-format on */
const size_t fuzz_n_words = QD_COUNT(fuzz_words);

/* Chooses template values: c = 0 the lowest, 1 the highest, 2 the middle. With c = 2 integers are
 * specialized later: they follow the given ones in t. Returns the number of given ones. */
static uint32_t
choose(const struct qd_module *m, uint32_t kernel, uint32_t c, struct qd_tmpl *t, uint32_t *n_later)
{
	uint32_t n = qd_module_tmpl_count(m, kernel), given = 0, later = 0;
	struct qd_tmpl rest[MAX_TMPLS];

	for (uint32_t i = 0; i < n && i < MAX_TMPLS; i++) {
		struct qd_tmpl_info info;
		struct qd_tmpl v = { 0 };

		if (qd_module_tmpl(m, kernel, i, &info, NULL))
			kit_broken("a template that is counted is not reported", "");
		v.name = info.name;
		v.value = c == 0 ? info.lo : c == 1 ? info.hi : info.lo + (info.hi - info.lo) / 2;
		for (qd_type type = 1; info.is_type && type <= QD_TYPE_BF16; type++)
			if (info.type_mask >> type & 1 && (!v.type || c == 1))
				v.type = type;
		if (!info.is_type && c == 2)
			rest[later++] = v;
		else
			t[given++] = v;
	}
	memcpy(t + given, rest, later * sizeof *rest);
	*n_later = later;
	return given;
}

static void
try_kernel(struct kit *k, struct qd_module *m, uint32_t kernel, uint32_t c)
{
	static const char *const targets[] = { "spirv:w4", "spirv:w32:-i64", "ref:w8" };
	struct qd_kernel *built = NULL;
	struct qd_tmpl tmpl[MAX_TMPLS];
	uint32_t n_later = 0, n = choose(m, kernel, c, tmpl, &n_later);

	kit_begin(k, "build");
	if (!kit_end(k, qd_module_kernel(m, qd_module_kernel_name(m, kernel), tmpl, n, &built,
					 &k->err)))
		return;
	if (!kit_is_large(k))
		kit_check_print(k, built);
	for (size_t i = 0; i < QD_COUNT(targets) && !kit_is_large(k); i++)
		kit_compile(k, built, targets[i], tmpl + n, n_later);
	qd_kernel_free(built);
}

/* Returns the text whose name is the letter of an import. */
static qd_status
resolve(void *user, const char *name, const char *from, struct qd_text *out, struct qd_error *err)
{
	const struct qd_text *texts = user;

	(void)from;
	(void)err;
	if (*name < 'a' || *name >= 'a' + MAX_TEXTS - 1 || name[1])
		return QD_E_NOT_FOUND;
	*out = texts[*name - 'a' + 1];
	return QD_OK;
}

static void
split(const uint8_t *data, size_t size, struct qd_text texts[MAX_TEXTS])
{
	static const char *const names[MAX_TEXTS] = { "fuzz.qdk", "a", "b", "c" };

	for (size_t i = 0; i < MAX_TEXTS; i++) {
		const uint8_t *end = i + 1 < MAX_TEXTS && size ? memchr(data, '\f', size) : NULL;
		size_t len = end ? (size_t)(end - data) : size;

		texts[i] = (struct qd_text){ names[i], (const char *)data, len };
		data += len + (end != NULL);
		size -= len + (end != NULL);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct qd_text texts[MAX_TEXTS];
	const struct qd_imports imports = { .resolve = resolve, .user = texts };
	struct qd_module *m = NULL;
	struct kit k;

	kit_open(&k);
	split(data, size, texts);
	kit_begin(&k, "parse");
	if (kit_end(&k, qd_module_parse_imports(k.ctx, texts, &imports, &m, &k.err))) {
		for (uint32_t i = 0; i < qd_module_kernel_count(m) && i < MAX_KERNELS; i++)
			for (uint32_t c = 0; c < (qd_module_tmpl_count(m, i) ? N_CHOICES : 1); c++)
				try_kernel(&k, m, i, c);
	}
	qd_module_free(m);
	kit_close(&k);
	return 0;
}

size_t
fuzz_seed(size_t i, uint8_t *out, size_t cap)
{
	static const char files[] =
		"import \"a\" as m; import \"b\";\n"
		"instantiate m.k<1> as n;\n"
		"kernel k(a: u32[]) { for i in grid(a.len) { a[i] = f(a[i]) + m.f(i) + m.t[i] + subgroup.reduce(i, op = m.g); } }\n"
		"\fimport \"b\";\nconst t: u32[2] = [1, 2];\nfn f(x: u32) -> u32 { return 2 * h(x); }\n"
		"fn g(x: u32, y: u32) -> u32 { return x + y; }\n"
		"kernel k<static L in 0..=3>(a: u32[]) { for i in grid(a.len) { a[i] = f(a[i]) + u32(L); } }\n"
		"\ffn h(x: u32) -> u32 { return x + 1; }\nfn f(x: u32) -> u32 { return h(x) * 3; }\n";
	size_t len = texts_qdk(i, (char *)out, cap);

	if (len || (i && !texts_qdk(i - 1, (char *)out, cap)) || sizeof files > cap)
		return len;
	memcpy(out, files, sizeof files - 1);
	return sizeof files - 1;
}
