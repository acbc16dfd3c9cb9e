/* Diagnostics of the reader of .qdk text, row by row. */
#include "diag_case.h"
#include "lang.h"
#include "lang_text.h"

static qd_status
many_arms(struct qd_context *ctx, struct qd_error *err)
{
	struct text x = { 0 };
	struct qd_module *m;
	qd_status st;

	put(&x, "kernel k(n: i32) {\nif n == 0 { }");
	repeat(&x, "\nelse if n == 1 { }", MAX_ARMS);
	put(&x, " }");
	st = qd_module_parse(ctx, x.s, x.len, "t.qdk", &m, err);
	free(x.s);
	return st;
}

static qd_status
next_file(void *user, const char *name, const char *from, struct qd_text *out, struct qd_error *err)
{
	char *text = user;

	(void)from;
	(void)err;
	out->name = name;
	out->len = (size_t)snprintf(text, 64, "import \"f%d\" as f;", atoi(name + 1) + 1);
	out->text = text;
	return QD_OK;
}

static qd_status
many_files(struct qd_context *ctx, struct qd_error *err)
{
	char text[64];
	const struct qd_imports imports = { .resolve = next_file, .user = text };
	static const char first[] = "import \"f1\" as f;";
	struct qd_module *m;

	return qd_module_parse_imports(ctx, &(struct qd_text){ "f0", first, sizeof first - 1 }, &imports, &m, err);
}

/* clang-format off */
const struct diag_case diag_cases_lang[] = {
	{ DIAG_E0105, .qdk = "\xef\xbb\xbfkernel k(a: u32[]) { a[0] = 1; }\n", .line = 1, .col = 1, .want =
	  "t.qdk:1:1: error: characters outside ASCII are allowed in comments only [E0105]\n"
	  "    1 | \xef\xbb\xbfkernel k(a: u32[]) { a[0] = 1; }\n"
	  "      | ^\n"
	  "help: the file begins with a byte order mark: save it as UTF-8 without one" },
	{ DIAG_E0105, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet caf\303\251 = 1;\n"
	  "}\n",
	  .line = 2, .col = 9, .want =
	  "t.qdk:2:9: error: characters outside ASCII are allowed in comments only [E0105]\n"
	  "    2 |  let caf\303\251 = 1;\n"
	  "      |         ^\n"
	  "help: write it in ASCII" },
	{ DIAG_E0105, .qdk =
	  "kernel k() assume_uniform(\"na\303\257ve\") { }\n",
	  .line = 1, .col = 30, .want =
	  "t.qdk:1:30: error: characters outside ASCII are allowed in comments only [E0105]\n"
	  "    1 | kernel k() assume_uniform(\"na\303\257ve\") { }\n"
	  "      |                              ^\n"
	  "help: write it in ASCII" },
	{ DIAG_E0111, .qdk =
	  "kernel k() { }\n",
	  .n_spaces = 1048576,
	  .line = 1, .col = 1, .want =
	  "t.qdk:1:1: error: the text has 1048591 bytes, the limit is 1048576 [E0111]\n"
	  "    1 | kernel k() { }\n"
	  "      | ^~~~~~" },
	{ DIAG_E0144, .limits = { .max_kernels = 1 }, .qdk =
	  "kernel k() { }\n"
	  "kernel l() { }\n",
	  .line = 2, .col = 8, .want =
	  "t.qdk:2:8: error: the text has 2 kernels and instantiations, the limit is 1 "
	  "(limits.max_kernels of the context) [E0144]\n"
	  "    2 | kernel l() { }\n"
	  "      |        ^" },
	{ DIAG_E0145, .qdk = "kernel k() { }\nimport \"a.qdk\" as a;\n", .line = 2, .col = 8, .want =
	  "t.qdk:2:8: error: cannot import 'a.qdk': the call has no such text [E0145]\n"
	  "    2 | import \"a.qdk\" as a;\n"
	  "      |        ^~~~~~~" },
	{ DIAG_E0145, .qdk = "import \"\";\n", .line = 1, .col = 8, .want =
	  "t.qdk:1:8: error: cannot import '': the name is empty [E0145]\n"
	  "    1 | import \"\";\n"
	  "      |        ^~" },
	{ DIAG_E0146, .qdk = "import \"t.qdk\";\n", .line = 1, .col = 8, .want =
	  "t.qdk:1:8: error: the import of 't.qdk' closes a cycle [E0146]\n"
	  "    1 | import \"t.qdk\";\n"
	  "      |        ^~~~~~~\n"
	  "help: move what both files use to a third one" },
	{ DIAG_E0146, .qdk = "import \"a.qdk\";\n",
	  .texts = { { .name = "a.qdk", .text = "import \"b.qdk\" as b;\n" },
		     { .name = "b.qdk", .text = "\n import \"a.qdk\" as a;" } },
	  .line = 2, .col = 9, .want =
	  "b.qdk:2:9: error: the import of 'a.qdk' closes a cycle [E0146]\n"
	  "    2 |  import \"a.qdk\" as a;\n"
	  "      |         ^~~~~~~\n"
	  "a.qdk:1:8: note: this import leads to the file above\n"
	  "    1 | import \"b.qdk\" as b;\n"
	  "      |        ^~~~~~~\n"
	  "help: move what both files use to a third one" },
	{ DIAG_E0147, .qdk = "import \"a.qdk\";\nimport \"b.qdk\";\n",
	  .texts = { { .name = "a.qdk", .text = "const N = 1;\n" },
		     { .name = "b.qdk", .text = "\nfn N() { }\n" } },
	  .line = 2, .col = 1, .want =
	  "t.qdk:2:1: error: this import makes 'N' of b.qdk:2:4 visible, which is declared elsewhere too [E0147]\n"
	  "    2 | import \"b.qdk\";\n"
	  "      | ^~~~~~~~~~~~~~\n"
	  "a.qdk:1:7: note: the other declaration is here\n"
	  "    1 | const N = 1;\n"
	  "      |       ^\n"
	  "help: give one file a name: import \"file.qdk\" as f; then its names are f.x" },
	{ DIAG_E0147, .qdk = "import \"a.qdk\";\nconst N = 2;\n",
	  .texts = { { .name = "a.qdk", .text = "const N = 1;\n" } },
	  .line = 1, .col = 1, .want =
	  "t.qdk:1:1: error: this import makes 'N' of a.qdk:1:7 visible, which is declared elsewhere too [E0147]\n"
	  "    1 | import \"a.qdk\";\n"
	  "      | ^~~~~~~~~~~~~~\n"
	  "t.qdk:2:7: note: the other declaration is here\n"
	  "    2 | const N = 2;\n"
	  "      |       ^\n"
	  "help: give one file a name: import \"file.qdk\" as f; then its names are f.x" },
	{ DIAG_E0118, .qdk = "import \"a.qdk\" as a;\nkernel k(b: u32[]) { b[0] = a.bits(1); }\n",
	  .texts = { { .name = "a.qdk", .text = "fn bit(x: u32) -> u32 { return x; }\n" } },
	  .line = 2, .col = 29, .want =
	  "t.qdk:2:29: error: a.qdk has no member 'bits' [E0118]\n"
	  "    2 | kernel k(b: u32[]) { b[0] = a.bits(1); }\n"
	  "      |                             ^~~~~~\n"
	  "help: did you mean 'bit'?" },
	{ DIAG_E0118, .qdk = "import \"a.qdk\" as a;\nkernel k(b: u32[]) { let x, y = a.T.load2(0); }\n",
	  .texts = { { .name = "a.qdk", .text = "const S: u32[2] = [1, 2];\n" } },
	  .line = 2, .col = 33, .want =
	  "t.qdk:2:33: error: a.qdk has no member 'T' [E0118]\n"
	  "    2 | kernel k(b: u32[]) { let x, y = a.T.load2(0); }\n"
	  "      |                                 ^~~" },
	{ DIAG_E0333, .qdk = "import \"a.qdk\" as a;\nkernel k(b: u32[]) { b[0] = b[0] + a.N; }\n",
	  .texts = { { .name = "a.qdk", .text = "const N = -1;\n" } },
	  .line = 2, .col = 36, .want =
	  "t.qdk:2:36: error: 'N' is -1, which does not fit u32 [E0333]\n"
	  "    2 | kernel k(b: u32[]) { b[0] = b[0] + a.N; }\n"
	  "      |                                    ^~~\n"
	  "help: convert the other operand, if it may be negative: i32(x)" },
	{ DIAG_E0116, .qdk = "kernel k() { }\ninstantiate a.k as l;\n", .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: unknown name 'a' [E0116]\n"
	  "    2 | instantiate a.k as l;\n"
	  "      |             ^\n"
	  "help: declare it: by 'let', 'var', 'const' or 'fn', or as a parameter" },
	{ DIAG_E0127, .qdk = "kernel k() { }\ninstantiate k.a<1> as l;\n", .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: 'k' is a kernel, not an imported file [E0127]\n"
	  "    2 | instantiate k.a<1> as l;\n"
	  "      |             ^" },
	{ DIAG_E0101, .qdk = "import \"a.qdk\" as block;\n", .line = 1, .col = 19, .want =
	  "t.qdk:1:19: error: expected a name, found 'block' [E0101]\n"
	  "    1 | import \"a.qdk\" as block;\n"
	  "      |                   ^~~~~\n"
	  "help: this word names a group of primitives" },
	{ DIAG_E0101, .qdk = "kernel k() { }\n#line x\nkernel l() { }\n", .line = 2, .col = 1, .want =
	  "t.qdk:2:1: error: expected #line 7 or #line 7 \"file\", on a line of its own, found '#line x' [E0101]\n"
	  "    2 | #line x\n"
	  "      | ^~~~~~~" },
	{ DIAG_E0101, .qdk = "#line 3 \"a.py\" 4\nkernel l() { }\n", .line = 1, .col = 1, .want =
	  "t.qdk:1:1: error: expected #line 7 or #line 7 \"file\", on a line of its own, found '#line 3 \"a.py\" 4' [E0101]\n"
	  "    1 | #line 3 \"a.py\" 4\n"
	  "      | ^~~~~~~~~~~~~~~~" },
	{ .d = DIAG_E0148, .custom = many_files, .line = 1, .col = 8, .want =
	  "f255:1:8: error: more than 255 imported files [E0148]\n"
	  "    1 | import \"f256\" as f;\n"
	  "      |        ^~~~~~" },
	{ .d = DIAG_E0141, .custom = many_arms, .line = 1002, .col = 6, .want =
	  "t.qdk:1002:6: error: an 'if' has more than 1000 arms [E0141]\n"
	  " 1002 | else if n == 1 { } }\n"
	  "      |      ^~\n"
	  "help: compute an index and load from a buffer" },
	{ DIAG_E0202, .qdk =
	  "kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "\ta[0] = T.zero;\n"
	  "}\n",
	  .choose = { { "L", .value = 3 }, { "M", .value = 3 }, { "T", .type = QD_TYPE_F32 } }, .n_choose = 3,
	  .line = 1, .col = 8, .want =
	  "t.qdk:1:8: error: kernel 'k' has no template parameter 'M' [E0202]\n"
	  "    1 | kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "      |        ^" },
	{ DIAG_E0203, .qdk =
	  "kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "\ta[0] = T.zero;\n"
	  "}\n",
	  .choose = { { "T", .type = QD_TYPE_F32 }, { "L", .value = 9 } }, .n_choose = 2,
	  .line = 1, .col = 34, .want =
	  "t.qdk:1:34: error: L = 9 is outside its range 0..=6 [E0203]\n"
	  "    1 | kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "      |                                  ^" },
	{ DIAG_E0204, .qdk =
	  "kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "\ta[0] = T.zero;\n"
	  "}\n",
	  .choose = { { "L", .type = QD_TYPE_F32 }, { "T", .type = QD_TYPE_F32 } }, .n_choose = 2,
	  .line = 1, .col = 34, .want =
	  "t.qdk:1:34: error: template parameter 'L' is an integer, not a type [E0204]\n"
	  "    1 | kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "      |                                  ^" },
	{ DIAG_E0206, .qdk =
	  "kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "\ta[0] = T.zero;\n"
	  "}\n",
	  .choose = { { "T", .type = QD_TYPE_F32 }, { "L", .value = 3 }, { "T", .type = QD_TYPE_I32 } }, .n_choose = 3,
	  .line = 1, .col = 10, .want =
	  "t.qdk:1:10: error: template parameter 'T' is given twice [E0206]\n"
	  "    1 | kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "      |          ^\n"
	  "help: remove one of them" },
	{ DIAG_E0220, .qdk =
	  "kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "\ta[0] = T.zero;\n"
	  "}\n",
	  .choose = { { "T", .value = 3 } }, .n_choose = 1,
	  .line = 1, .col = 10, .want =
	  "t.qdk:1:10: error: template parameter 'T' is a type, not an integer [E0220]\n"
	  "    1 | kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "      |          ^" },
	{ DIAG_E0222, .qdk =
	  "kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "\ta[0] = T.zero;\n"
	  "}\n",
	  .choose = { { "T", .type = QD_TYPE_F64 } }, .n_choose = 1,
	  .line = 1, .col = 10, .want =
	  "t.qdk:1:10: error: T = f64 is not one of its choices: i32 or f32 [E0222]\n"
	  "    1 | kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "      |          ^" },
	{ DIAG_E0222, .qdk =
	  "kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "\ta[0] = T.zero;\n"
	  "}\n",
	  .choose = { { "T", .type = 32 + QD_TYPE_F32 } }, .n_choose = 1,
	  .line = 1, .col = 10, .want =
	  "t.qdk:1:10: error: T = none is not one of its choices: i32 or f32 [E0222]\n"
	  "    1 | kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "      |          ^" },
	{ DIAG_E0116, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\ta[0] = /* \033[31m \302\233 \377 caf\303\251 \a */ q;\n"
	  "}\n",
	  .line = 2, .col = 34, .want =
	  "t.qdk:2:34: error: unknown name 'q' [E0116]\n"
	  "    2 |  a[0] = /* ?[31m ?? ? caf\303\251 ? */ q;\n"
	  "      |                                  ^\n"
	  "help: declare it: by 'let', 'var', 'const' or 'fn', or as a parameter" },
};
/* clang-format on */
const unsigned n_diag_cases_lang = sizeof diag_cases_lang / sizeof diag_cases_lang[0];
