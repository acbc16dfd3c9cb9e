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

/* clang-format off */
const struct diag_case diag_cases_lang[] = {
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\ta[i] = subgroup.shuffle(a[i] 0);\n"
	  "}\n",
	  .line = 2, .col = 31, .want =
	  "t.qdk:2:31: error: expected ')', found '0' [E0101]\n"
	  "    2 |  a[i] = subgroup.shuffle(a[i] 0);\n"
	  "      |                               ^\n"
	  "help: separate arguments with ',' and write ')' after the last" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) block(64) {\n"
	  "  for i in grid(a.len) {\n"
	  "    a[i] = subgroup.shuffle(a[i] 0);\n"
	  "  }\n"
	  "}\n",
	  .line = 3, .col = 34, .want =
	  "t.qdk:3:34: error: expected ')', found '0' [E0101]\n"
	  "    3 |     a[i] = subgroup.shuffle(a[i] 0);\n"
	  "      |                                  ^\n"
	  "help: separate arguments with ',' and write ')' after the last" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 1\n"
	  "}\n",
	  .line = 2, .col = 11, .want =
	  "t.qdk:2:11: error: expected ';', found '}' [E0101]\n"
	  "    2 |  let x = 1\n"
	  "      |           ^\n"
	  "help: a statement ends with ';'" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = ;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: expected an expression, found ';' [E0101]\n"
	  "    2 |  let x = ;\n"
	  "      |          ^\n"
	  "help: something is missing before this ';', or the ';' is superfluous" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet f32 = 1;\n"
	  "}\n",
	  .line = 2, .col = 6, .want =
	  "t.qdk:2:6: error: expected a name, found 'f32' [E0101]\n"
	  "    2 |  let f32 = 1;\n"
	  "      |      ^~~\n"
	  "help: the type follows the name: let x: f32 = ...;" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = n +\n"
	  "}\n",
	  .line = 3, .col = 1, .want =
	  "t.qdk:3:1: error: expected an expression, found '}' [E0101]\n"
	  "    3 | }\n"
	  "      | ^\n"
	  "help: a statement ends with ';'" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = (n;\n"
	  "}\n",
	  .line = 2, .col = 12, .want =
	  "t.qdk:2:12: error: expected ')', found ';' [E0101]\n"
	  "    2 |  let x = (n;\n"
	  "      |            ^\n"
	  "help: close the '(' before the ';'" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tif n > 1 let x = 2;\n"
	  "}\n",
	  .line = 2, .col = 11, .want =
	  "t.qdk:2:11: error: expected '{', found 'let' [E0101]\n"
	  "    2 |  if n > 1 let x = 2;\n"
	  "      |           ^~~\n"
	  "help: a body needs braces, even for one statement" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tfor j of 0..3 { }\n"
	  "}\n",
	  .line = 2, .col = 8, .want =
	  "t.qdk:2:8: error: expected 'in', found 'of' [E0101]\n"
	  "    2 |  for j of 0..3 { }\n"
	  "      |        ^~\n"
	  "help: write for i in 0..n { }" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tn, u;\n"
	  "}\n",
	  .line = 2, .col = 6, .want =
	  "t.qdk:2:6: error: expected an assignment, found ';' [E0101]\n"
	  "    2 |  n, u;\n"
	  "      |      ^\n"
	  "help: write a, b = x, y;" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a f32[]) { }\n",
	  .line = 1, .col = 12, .want =
	  "t.qdk:1:12: error: expected ':', found 'f32' [E0101]\n"
	  "    1 | kernel k(a f32[]) { }\n"
	  "      |            ^~~\n"
	  "help: the name comes first, then its type: a: f32[], n: i32" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) blok(64) { }\n",
	  .line = 1, .col = 20, .want =
	  "t.qdk:1:20: error: expected '{' or an attribute, found 'blok' [E0101]\n"
	  "    1 | kernel k(a: f32[]) blok(64) { }\n"
	  "      |                    ^~~~\n"
	  "help: attributes are block(n), subgroup(n), requires(c), assume_uniform(\"why\") and assume_in_bounds(\"why\")" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) assume_uniform(64) { }\n",
	  .line = 1, .col = 35, .want =
	  "t.qdk:1:35: error: expected a string with the reason, found '64' [E0101]\n"
	  "    1 | kernel k(a: f32[]) assume_uniform(64) { }\n"
	  "      |                                   ^~\n"
	  "help: write assume_uniform(\"all lanes hold the same n\")" },
	{ DIAG_E0142, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\tif a[0] > 1.0 {\n",
	  .line = 2, .col = 16, .want =
	  "t.qdk:2:16: error: this '{' is not closed [E0142]\n"
	  "    2 |  if a[0] > 1.0 {\n"
	  "      |                ^\n"
	  "note: the file ends before its '}'\n"
	  "help: write the '}' that ends its body" },
	{ DIAG_E0101, .qdk =
	  "let x = 1;\n",
	  .line = 1, .col = 1, .want =
	  "t.qdk:1:1: error: expected 'kernel', 'fn', 'const' or 'instantiate', found 'let' [E0101]\n"
	  "    1 | let x = 1;\n"
	  "      | ^~~\n"
	  "help: outside functions write 'const'" },
	{ DIAG_E0101, .qdk =
	  "kernel k() { }\n"
	  "qdk 1;\n",
	  .line = 2, .col = 1, .want =
	  "t.qdk:2:1: error: expected 'kernel', 'fn', 'const' or 'instantiate', found 'qdk' [E0101]\n"
	  "    2 | qdk 1;\n"
	  "      | ^~~\n"
	  "help: write fn f(x: f32) -> f32 { } or kernel k(a: f32[]) { }" },
	{ DIAG_E0101, .qdk =
	  "instantiate k<f32> is x;\n",
	  .line = 1, .col = 20, .want =
	  "t.qdk:1:20: error: expected 'as', found 'is' [E0101]\n"
	  "    1 | instantiate k<f32> is x;\n"
	  "      |                    ^~" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = \"text\";\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: expected an expression, found '\"text\"' [E0101]\n"
	  "    2 |  let x = \"text\";\n"
	  "      |          ^~~~~~\n"
	  "help: a string is the first argument of print and the last of assert" },
	{ DIAG_E0102, .qdk =
	  "kernel t<static L in 0..6>(a: f32[]) block(64) {\n"
	  "}\n",
	  .line = 1, .col = 23, .want =
	  "t.qdk:1:23: error: expected '..=', found '..': a template range includes both ends [E0102]\n"
	  "    1 | kernel t<static L in 0..6>(a: f32[]) block(64) {\n"
	  "      |                       ^~\n"
	  "help: write lo..=hi" },
	{ DIAG_E0103, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tfor j in 0..=4 { }\n"
	  "}\n",
	  .line = 2, .col = 12, .want =
	  "t.qdk:2:12: error: expected '..', found '..=': the range of a 'for' excludes its end [E0103]\n"
	  "    2 |  for j in 0..=4 { }\n"
	  "      |            ^~~\n"
	  "help: write a..b for a, ..., b - 1, or a..b + 1" },
	{ DIAG_E0104, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = n $ 2;\n"
	  "}\n",
	  .line = 2, .col = 12, .want =
	  "t.qdk:2:12: error: '$' is not a character of the language [E0104]\n"
	  "    2 |  let x = n $ 2;\n"
	  "      |            ^" },
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
	{ DIAG_E0106, .qdk =
	  "kernel k() { }\n"
	  "/* no end\n",
	  .line = 2, .col = 1, .want =
	  "t.qdk:2:1: error: this comment is not closed [E0106]\n"
	  "    2 | /* no end\n"
	  "      | ^~\n"
	  "help: close it with */" },
	{ DIAG_E0107, .qdk =
	  "kernel k() assume_uniform(\"no end) { }\n",
	  .line = 1, .col = 27, .want =
	  "t.qdk:1:27: error: this string is not closed on its line [E0107]\n"
	  "    1 | kernel k() assume_uniform(\"no end) { }\n"
	  "      |                           ^~~~~~~~~~~~\n"
	  "help: close it with \" on the same line" },
	{ DIAG_E0108, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 0x;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: malformed number '0x': hexadecimal digits are missing [E0108]\n"
	  "    2 |  let x = 0x;\n"
	  "      |          ^~\n"
	  "help: numbers look like 1 0x1f 1u 1l 1ul 1.0 1e-3 1.0d" },
	{ DIAG_E0108, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 1.5f;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: malformed number '1.5f': a decimal literal takes no suffix but d [E0108]\n"
	  "    2 |  let x = 1.5f;\n"
	  "      |          ^~~~\n"
	  "help: write 1.5, which is an f32" },
	{ DIAG_E0108, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 12ab;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: malformed number '12ab': an integer literal takes no suffix but u, l and ul [E0108]\n"
	  "    2 |  let x = 12ab;\n"
	  "      |          ^~~~\n"
	  "help: numbers look like 1 0x1f 1u 1l 1ul 1.0 1e-3 1.0d" },
	{ DIAG_E0108, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 0x1.8;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: malformed number '0x1.8': a hexadecimal fraction needs an exponent, as in 0x1.8p0 [E0108]\n"
	  "    2 |  let x = 0x1.8;\n"
	  "      |          ^~~~~\n"
	  "help: numbers look like 1 0x1f 1u 1l 1ul 1.0 1e-3 1.0d" },
	{ DIAG_E0109, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 18446744073709551616;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: the integer 18446744073709551616 does not fit 64 bits [E0109]\n"
	  "    2 |  let x = 18446744073709551616;\n"
	  "      |          ^~~~~~~~~~~~~~~~~~~~\n"
	  "help: the largest is 18446744073709551615" },
	{ DIAG_E0109, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 0x10000000000000000;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: the integer 0x10000000000000000 does not fit 64 bits [E0109]\n"
	  "    2 |  let x = 0x10000000000000000;\n"
	  "      |          ^~~~~~~~~~~~~~~~~~~\n"
	  "help: the largest is 18446744073709551615" },
	{ DIAG_E0110, .qdk =
	  "qdk 7;\n"
	  "\n"
	  "kernel k() { }\n",
	  .line = 1, .col = 5, .want =
	  "t.qdk:1:5: error: the text has language version 7; this library reads version 1 [E0110]\n"
	  "    1 | qdk 7;\n"
	  "      |     ^\n"
	  "help: write 'qdk 1;', or read it with a newer qd" },
	{ DIAG_E0110, .qdk =
	  "// above it comments may stand\n"
	  "qdk 0;\n",
	  .line = 2, .col = 5, .want =
	  "t.qdk:2:5: error: the text has language version 0; this library reads version 1 [E0110]\n"
	  "    2 | qdk 0;\n"
	  "      |     ^\n"
	  "help: write 'qdk 1;', or read it with a newer qd" },
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
	{ DIAG_E0112, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((n)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));\n"
	  "}\n",
	  .line = 2, .col = 73, .want =
	  "t.qdk:2:73: error: nested deeper than 64 [E0112]\n"
	  "    2 |  let x = (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((n)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));\n"
	  "      |                                                                         ^\n"
	  "help: move the inner part to a 'let' or a 'fn'" },
	{ DIAG_E0112, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = ----------------------------------------------------------------------n;\n"
	  "}\n",
	  .line = 2, .col = 73, .want =
	  "t.qdk:2:73: error: nested deeper than 64 [E0112]\n"
	  "    2 |  let x = ----------------------------------------------------------------------n;\n"
	  "      |                                                                         ^\n"
	  "help: move the inner part to a 'let' or a 'fn'" },
	{ DIAG_E0112, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\t{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}\n"
	  "}\n",
	  .line = 2, .col = 65, .want =
	  "t.qdk:2:65: error: nested deeper than 64 [E0112]\n"
	  "    2 |  {{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}\n"
	  "      |                                                                 ^\n"
	  "help: move the inner part to a 'let' or a 'fn'" },
	{ DIAG_E0113, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tunroll for j in 0..1000001 {\n"
	  "\t\tlet x = j;\n"
	  "\t}\n"
	  "}\n",
	  .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: more than 1000000 statements after unrolling and inlining [E0113]\n"
	  "    2 |  unroll for j in 0..1000001 {\n"
	  "      |             ^\n"
	  "help: write 'for' without 'unroll', or call the function in a loop" },
	{ DIAG_E0114, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 1 < 2 < 3;\n"
	  "}\n",
	  .line = 2, .col = 16, .want =
	  "t.qdk:2:16: error: comparisons do not chain [E0114]\n"
	  "    2 |  let x = 1 < 2 < 3;\n"
	  "      |                ^\n"
	  "help: write a < b && b < c" },
	{ DIAG_E0115, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 1;\n"
	  "\tlet x = 2;\n"
	  "}\n",
	  .line = 3, .col = 6, .want =
	  "t.qdk:3:6: error: 'x' is declared twice [E0115]\n"
	  "    3 |  let x = 2;\n"
	  "      |      ^\n"
	  "t.qdk:2:6: note: the first one is here\n"
	  "    2 |  let x = 1;\n"
	  "      |      ^\n"
	  "help: rename one of them" },
	{ DIAG_E0115, .qdk =
	  "kernel k(a: f32[], a: i32) { }\n",
	  .line = 1, .col = 20, .want =
	  "t.qdk:1:20: error: 'a' is declared twice [E0115]\n"
	  "    1 | kernel k(a: f32[], a: i32) { }\n"
	  "      |                    ^\n"
	  "t.qdk:1:10: note: the first one is here\n"
	  "    1 | kernel k(a: f32[], a: i32) { }\n"
	  "      |          ^\n"
	  "help: rename one of them" },
	{ DIAG_E0115, .qdk =
	  "const N = 1;\n"
	  "fn N() { }\n"
	  "kernel k() { }\n",
	  .line = 2, .col = 4, .want =
	  "t.qdk:2:4: error: 'N' is declared twice [E0115]\n"
	  "    2 | fn N() { }\n"
	  "      |    ^\n"
	  "t.qdk:1:7: note: the first one is here\n"
	  "    1 | const N = 1;\n"
	  "      |       ^\n"
	  "help: rename one of them" },
	{ DIAG_E0116, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\ta[i] = 1;\n"
	  "}\n",
	  .line = 2, .col = 4, .want =
	  "t.qdk:2:4: error: unknown name 'i' [E0116]\n"
	  "    2 |  a[i] = 1;\n"
	  "      |    ^\n"
	  "help: 'for i in grid(n) { }' makes it the thread's index" },
	{ DIAG_E0116, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet lanes = 4;\n"
	  "\tlet x = lane;\n"
	  "}\n",
	  .line = 3, .col = 10, .want =
	  "t.qdk:3:10: error: unknown name 'lane' [E0116]\n"
	  "    3 |  let x = lane;\n"
	  "      |          ^~~~\n"
	  "help: did you mean 'lanes'?" },
	{ DIAG_E0116, .qdk =
	  "instantiate sum<f32> as sum_f32;\n",
	  .line = 1, .col = 13, .want =
	  "t.qdk:1:13: error: unknown name 'sum' [E0116]\n"
	  "    1 | instantiate sum<f32> as sum_f32;\n"
	  "      |             ^~~\n"
	  "help: declare it: by 'let', 'var', 'const' or 'fn', or as a parameter" },
	{ DIAG_E0233, .qdk =
	  "kernel k(a: f32[]) block(64) {\n"
	  "\tfor i in grid(a.len) { a[i] = block.reduce_add(a[i], 128); }\n"
	  "}\n",
	  .line = 2, .col = 55, .want =
	  "t.qdk:2:55: error: 'block.reduce_add' is given a block_dim of 128, but the kernel has block(64): omit the argument [E0233]\n"
	  "    2 |  for i in grid(a.len) { a[i] = block.reduce_add(a[i], 128); }\n"
	  "      |                                                       ^~~" },
	{ DIAG_E0234, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or(a[i], 13, 0, 4, s, e);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 50, .want =
	  "t.qdk:6:50: error: radix_bits 13 is outside 0..=12 [E0234]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or(a[i], 13, 0, 4, s, e);\n"
	  "      |                                                  ^~" },
	{ DIAG_E0235, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or(a[i], 4, 32, 4, s, e);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 53, .want =
	  "t.qdk:6:53: error: bit_start 32 is outside 0..=31 [E0235]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or(a[i], 4, 32, 4, s, e);\n"
	  "      |                                                     ^~" },
	{ DIAG_E0236, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or(a[i], 4, 0, -1, s, e);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 56, .want =
	  "t.qdk:6:56: error: num_bits -1 is outside 0..=12 [E0236]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or(a[i], 4, 0, -1, s, e);\n"
	  "      |                                                        ^~" },
	{ DIAG_E0237, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or(a[i], 4, 0, 5, s, e);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 11, .want =
	  "t.qdk:6:11: error: num_bits 5 is above radix_bits 4 [E0237]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or(a[i], 4, 0, 5, s, e);\n"
	  "      |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ DIAG_E0238, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or(a[i], 4, 29, 4, s, e);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 11, .want =
	  "t.qdk:6:11: error: a u32 key does not have 4 bits from bit 29 on [E0238]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or(a[i], 4, 29, 4, s, e);\n"
	  "      |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ DIAG_E0239, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or(a[i], 64, 5, 0, 4, s, e);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 11, .want =
	  "t.qdk:6:11: error: 's' has 16 elements, but radix_bits 5 needs 32 [E0239]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or(a[i], 64, 5, 0, 4, s, e);\n"
	  "      |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ DIAG_E0233, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or(a[i], 256, 4, 0, 4, s, e);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 50, .want =
	  "t.qdk:6:50: error: 'block.radix_rank_match_atomic_or' is given a block_dim of 256, but the kernel has block(64): omit the argument [E0233]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or(a[i], 256, 4, 0, 4, s, e);\n"
	  "      |                                                  ^~~" },
	{ DIAG_E0373, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or(a[i], 4, 0, 4, s, u);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 11, .want =
	  "t.qdk:6:11: error: 'u' must be a shared array of i32 [E0373]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or(a[i], 4, 0, 4, s, u);\n"
	  "      |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ DIAG_E0374, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or(a[i], 4, 0, 4, s, s);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 11, .want =
	  "t.qdk:6:11: error: bins and excl_prefix are the same array, 's' [E0374]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or(a[i], 4, 0, 4, s, s);\n"
	  "      |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ DIAG_E0375, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or((a[i], i, 1, 2, 3, 4, 5, 6, 7), 4, 0, 4, s, e);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 44, .want =
	  "t.qdk:6:44: error: a thread has 1 to 8 keys, not 9 [E0375]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or((a[i], i, 1, 2, 3, 4, 5, 6, 7), 4, 0, 4, s, e);\n"
	  "      |                                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ DIAG_E0376, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or(i32(i), 4, 0, 4, s, e);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 44, .want =
	  "t.qdk:6:44: error: a key must be u32, not i32 [E0376]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or(i32(i), 4, 0, 4, s, e);\n"
	  "      |                                            ^~~~~~\n"
	  "help: convert it: u32(x)" },
	{ DIAG_E0129, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: i32[16];\n"
	  "\tshared e: i32[16];\n"
	  "\tshared u: u32[16];\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tlet r = block.radix_rank_match_atomic_or(a[i], 4, 0, 4);\n"
	  "\t}\n"
	  "}\n",
	  .line = 6, .col = 11, .want =
	  "t.qdk:6:11: error: 'block.radix_rank_match_atomic_or' takes 6 arguments, not 4 [E0129]\n"
	  "    6 |   let r = block.radix_rank_match_atomic_or(a[i], 4, 0, 4);\n"
	  "      |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
	  "help: write block.radix_rank_match_atomic_or(key, radix_bits, bit_start, num_bits, bins, excl_prefix)" },
	{ DIAG_E0402, .qdk =
	  "kernel k(a: f32[]) block(64) {\n"
	  "\tfor i in grid(a.len) { a[i] = block.broadcast(a[i], subgroup.id); }\n"
	  "}\n",
	  .line = 2, .col = 32, .want =
	  "t.qdk:2:32: error: the broadcast index is not uniform in the block; use shuffle [E0402]\n"
	  "    2 |  for i in grid(a.len) { a[i] = block.broadcast(a[i], subgroup.id); }\n"
	  "      |                                ^~~~~~~~~~~~~~~" },
	{ DIAG_E0405, .qdk =
	  "kernel k(a: f32[]) block(64) {\n"
	  "\tfor i in grid(a.len) { a[i] = block.reduce_add(a[i], n_active = i); }\n"
	  "}\n",
	  .line = 2, .col = 32, .want =
	  "t.qdk:2:32: error: n_active is not uniform in the block [E0405]\n"
	  "    2 |  for i in grid(a.len) { a[i] = block.reduce_add(a[i], n_active = i); }\n"
	  "      |                                ^~~~~~~~~~~~~~~~" },
	{ DIAG_E0143, .qdk =
	  "kernel k(a: f32[]) block(64) {\n"
	  "\tfor i in grid(a.len) { a[i] = block.reduce_add(a[i], n_active = 3, n_active = 4); }\n"
	  "}\n",
	  .line = 2, .col = 69, .want =
	  "t.qdk:2:69: error: argument 'n_active' is given twice [E0143]\n"
	  "    2 |  for i in grid(a.len) { a[i] = block.reduce_add(a[i], n_active = 3, n_active = 4); }\n"
	  "      |                                                                     ^~~~~~~~" },
	{ DIAG_E0117, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = grid.sync();\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'grid.sync' is not available in this version [E0117]\n"
	  "    2 |  let x = grid.sync();\n"
	  "      |          ^~~~~~~~~\n"
	  "help: end the kernel there, and launch a second kernel on the same stream for the rest" },
	{ DIAG_E0118, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.shufle(n, 1);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'subgroup' has no member 'shufle' [E0118]\n"
	  "    2 |  let x = subgroup.shufle(n, 1);\n"
	  "      |          ^~~~~~~~~~~~~~~\n"
	  "help: did you mean 'shuffle'?" },
	{ DIAG_E0118, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = a.size;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: a buffer has no member 'size' [E0118]\n"
	  "    2 |  let x = a.size;\n"
	  "      |          ^~~~~~\n"
	  "help: write a.len" },
	{ DIAG_E0118, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = f32.least;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: f32 has no member 'least' [E0118]\n"
	  "    2 |  let x = f32.least;\n"
	  "      |          ^~~~~~~~~\n"
	  "help: a type has .max, .min and .zero" },
	{ DIAG_E0118, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = n.len;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: a value has no member 'len' [E0118]\n"
	  "    2 |  let x = n.len;\n"
	  "      |          ^~~~~\n"
	  "help: buffers (.len), types (.max, .min, .zero) and groups of primitives have members" },
	{ DIAG_E0119, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tn = 3;\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: cannot assign to 'n': it is a parameter [E0119]\n"
	  "    2 |  n = 3;\n"
	  "      |  ^\n"
	  "t.qdk:1:20: note: it is declared here\n"
	  "    1 | kernel k(a: f32[], n: i32, u: u32) {\n"
	  "      |                    ^\n"
	  "help: declare it 'var', or copy it: var y = x;" },
	{ DIAG_E0119, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 1;\n"
	  "\tx += 1;\n"
	  "}\n",
	  .line = 3, .col = 2, .want =
	  "t.qdk:3:2: error: cannot assign to 'x': it is a 'let' [E0119]\n"
	  "    3 |  x += 1;\n"
	  "      |  ^\n"
	  "t.qdk:2:6: note: it is declared here\n"
	  "    2 |  let x = 1;\n"
	  "      |      ^\n"
	  "help: declare it 'var', or copy it: var y = x;" },
	{ DIAG_E0119, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tfor j in 0..3 { j = 2; }\n"
	  "}\n",
	  .line = 2, .col = 18, .want =
	  "t.qdk:2:18: error: cannot assign to 'j': it is a loop variable [E0119]\n"
	  "    2 |  for j in 0..3 { j = 2; }\n"
	  "      |                  ^\n"
	  "t.qdk:2:6: note: it is declared here\n"
	  "    2 |  for j in 0..3 { j = 2; }\n"
	  "      |      ^\n"
	  "help: declare it 'var', or copy it: var y = x;" },
	{ DIAG_E0119, .qdk =
	  "const N = 1;\n"
	  "kernel k() { N = 2; }\n",
	  .line = 2, .col = 14, .want =
	  "t.qdk:2:14: error: cannot assign to 'N': it is a constant [E0119]\n"
	  "    2 | kernel k() { N = 2; }\n"
	  "      |              ^\n"
	  "help: declare it 'var', or copy it: var y = x;" },
	{ DIAG_E0120, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tbreak;\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: 'break' is outside a loop [E0120]\n"
	  "    2 |  break;\n"
	  "      |  ^~~~~\n"
	  "help: move it into a 'for' or a 'while'" },
	{ DIAG_E0120, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tif n > 1 { continue; }\n"
	  "}\n",
	  .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: 'continue' is outside a loop [E0120]\n"
	  "    2 |  if n > 1 { continue; }\n"
	  "      |             ^~~~~~~~\n"
	  "help: move it into a 'for' or a 'while'" },
	{ DIAG_E0121, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet xyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy = 1;\n"
	  "}\n",
	  .line = 2, .col = 6, .want =
	  "t.qdk:2:6: error: a name has at most 255 bytes [E0121]" },
	{ DIAG_E0122, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tn + 1;\n"
	  "}\n",
	  .line = 2, .col = 4, .want =
	  "t.qdk:2:4: error: this expression has no effect [E0122]\n"
	  "    2 |  n + 1;\n"
	  "      |    ^\n"
	  "help: remove it, or name its value: let x = ...;" },
	{ DIAG_E0123, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\treturn n;\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: 'k' returns 0 values, not 1 [E0123]\n"
	  "    2 |  return n;\n"
	  "      |  ^~~~~~\n"
	  "help: a kernel returns nothing: store the value in an 'out' buffer" },
	{ DIAG_E0123, .qdk =
	  "fn f() -> i32, i32 {\n"
	  "\treturn 1;\n"
	  "}\n"
	  "kernel k() { let x, y = f(); }\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: 'f' returns 2 values, not 1 [E0123]\n"
	  "    2 |  return 1;\n"
	  "      |  ^~~~~~\n"
	  "help: write 'return' with one value for each type after '->'" },
	{ DIAG_E0123, .qdk =
	  "fn g(a: i32[]) { a[2] = 1; }\n"
	  "fn h(a: i32[]) -> i32 { return g(a); }\n"
	  "kernel k(a: i32[]) { a[1] = h(a); }\n",
	  .line = 2, .col = 25, .want =
	  "t.qdk:2:25: error: 'h' returns 1 values, not 0 [E0123]\n"
	  "    2 | fn h(a: i32[]) -> i32 { return g(a); }\n"
	  "      |                         ^~~~~~\n"
	  "help: write 'return' with one value for each type after '->'" },
	{ DIAG_E0124, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\tif a.len == 0 { return; }\n"
	  "\tfor i in grid(a.len) { a[i] = 0; }\n"
	  "}\n",
	  .line = 2, .col = 18, .want =
	  "t.qdk:2:18: error: 'return' must not precede the grid loop [E0124]\n"
	  "    2 |  if a.len == 0 { return; }\n"
	  "      |                  ^~~~~~\n"
	  "help: write it in the loop, or put the code that must not run into an 'if'" },
	{ DIAG_E0125, .qdk =
	  "fn f(x: i32) -> i32 {\n"
	  "\tif x > 0 { return 1; }\n"
	  "}\n"
	  "kernel k(a: i32[]) { a[0] = f(a[1]); }\n",
	  .line = 1, .col = 4, .want =
	  "t.qdk:1:4: error: 'f' can end without a 'return' [E0125]\n"
	  "    1 | fn f(x: i32) -> i32 {\n"
	  "      |    ^\n"
	  "help: end it with 'return'" },
	{ DIAG_E0126, .qdk =
	  "fn f(x: i32) -> i32 { return g(x); }\n"
	  "fn g(x: i32) -> i32 { return f(x); }\n"
	  "kernel k(a: i32[]) { a[0] = f(1); }\n",
	  .line = 2, .col = 30, .want =
	  "t.qdk:2:30: error: 'f' calls itself [E0126]\n"
	  "    2 | fn g(x: i32) -> i32 { return f(x); }\n"
	  "      |                              ^~~~\n"
	  "t.qdk:1:4: note: functions are always inlined\n"
	  "    1 | fn f(x: i32) -> i32 { return g(x); }\n"
	  "      |    ^\n"
	  "help: write a loop" },
	{ DIAG_E0127, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = a;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'a' is a buffer, not a value [E0127]\n"
	  "    2 |  let x = a;\n"
	  "      |          ^\n"
	  "help: an element is a[i], the number of elements a.len" },
	{ DIAG_E0127, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = max;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'max' is a function, not a value [E0127]\n"
	  "    2 |  let x = max;\n"
	  "      |          ^~~" },
	{ DIAG_E0127, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = u32;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'u32' is a type, not a value [E0127]\n"
	  "    2 |  let x = u32;\n"
	  "      |          ^~~" },
	{ DIAG_E0127, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tn(1);\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: 'n' is a value, not a function [E0127]\n"
	  "    2 |  n(1);\n"
	  "      |  ^" },
	{ DIAG_E0127, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x: n = 1;\n"
	  "}\n",
	  .line = 2, .col = 9, .want =
	  "t.qdk:2:9: error: 'n' is a value, not a type [E0127]\n"
	  "    2 |  let x: n = 1;\n"
	  "      |         ^" },
	{ DIAG_E0127, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'subgroup' is a group of primitives, not a value [E0127]\n"
	  "    2 |  let x = subgroup;\n"
	  "      |          ^~~~~~~~" },
	{ DIAG_E0127, .qdk =
	  "fn f() { }\n"
	  "instantiate f<f32> as g;\n",
	  .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: 'f' is a function, not a kernel with templates [E0127]\n"
	  "    2 | instantiate f<f32> as g;\n"
	  "      |             ^" },
	{ DIAG_E0128, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\tlet x = a[0](1);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: only functions, types and primitives can be called [E0128]\n"
	  "    2 |  let x = a[0](1);\n"
	  "      |          ^~~~\n"
	  "help: write the call of a function, or a name without parentheses" },
	{ DIAG_E0134, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = a.len(1);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'len' is written without parentheses [E0134]\n"
	  "    2 |  let x = a.len(1);\n"
	  "      |          ^~~~~\n"
	  "help: remove the parentheses" },
	{ DIAG_E0129, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = min(1);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'min' takes 2 arguments, not 1 [E0129]\n"
	  "    2 |  let x = min(1);\n"
	  "      |          ^~~~~~" },
	{ DIAG_E0129, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.shuffle(n);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'subgroup.shuffle' takes 2 arguments, not 1 [E0129]\n"
	  "    2 |  let x = subgroup.shuffle(n);\n"
	  "      |          ^~~~~~~~~~~~~~~~~~~\n"
	  "help: write subgroup.shuffle(v, lane)" },
	{ DIAG_E0129, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x, y = subgroup.bitonic_sort_kv_tiled(n, u);\n"
	  "}\n",
	  .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: 'subgroup.bitonic_sort_kv_tiled' takes 3 arguments, not 2 [E0129]\n"
	  "    2 |  let x, y = subgroup.bitonic_sort_kv_tiled(n, u);\n"
	  "      |             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
	  "help: write subgroup.bitonic_sort_kv_tiled(key, value, log2_size)" },
	{ DIAG_E0129, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.segmented_reduce_min(n);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'subgroup.segmented_reduce_min' takes 2 arguments, not 1 [E0129]\n"
	  "    2 |  let x = subgroup.segmented_reduce_min(n);\n"
	  "      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
	  "help: write subgroup.segmented_reduce_min(v, head)" },
	{ DIAG_E0302, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x, y = subgroup.bitonic_sort_kv(n, n < 3);\n"
	  "}\n",
	  .line = 2, .col = 43, .want =
	  "t.qdk:2:43: error: a bool operand is not allowed here; it takes i32, u32, i64, u64, f32 or f64 [E0302]\n"
	  "    2 |  let x, y = subgroup.bitonic_sort_kv(n, n < 3);\n"
	  "      |                                           ^\n"
	  "help: convert it, as in i32(x)" },
	{ DIAG_E0129, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = block.thread_idx(0, 1);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'block.thread_idx' takes at most 1 argument, not 2 [E0129]\n"
	  "    2 |  let x = block.thread_idx(0, 1);\n"
	  "      |          ^~~~~~~~~~~~~~~~~~~~~~" },
	{ DIAG_E0129, .qdk =
	  "fn f(x: i32) { }\n"
	  "kernel k() { f(1, 2); }\n",
	  .line = 2, .col = 14, .want =
	  "t.qdk:2:14: error: 'f' takes 1 argument, not 2 [E0129]\n"
	  "    2 | kernel k() { f(1, 2); }\n"
	  "      |              ^~~~~~~" },
	{ DIAG_E0129, .qdk =
	  "kernel k() block(1, 2, 3, 4) { }\n",
	  .line = 1, .col = 12, .want =
	  "t.qdk:1:12: error: 'block' takes 1 to 3 sizes, not 4 [E0129]\n"
	  "    1 | kernel k() block(1, 2, 3, 4) { }\n"
	  "      |            ^~~~~~~~~~~~~~~~~" },
	{ DIAG_E0130, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x, y = 1;\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: 2 on the left, 1 on the right [E0130]\n"
	  "    2 |  let x, y = 1;\n"
	  "      |  ^~~\n"
	  "help: each name takes one value" },
	{ DIAG_E0130, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\ta[0], a[1] = 1, 2, 3;\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: 2 on the left, 3 on the right [E0130]\n"
	  "    2 |  a[0], a[1] = 1, 2, 3;\n"
	  "      |  ^~~~~~~~~~~~~~~~~~~~\n"
	  "help: each name takes one value" },
	{ DIAG_E0130, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\ta[0], a[1] += 1;\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: 2 on the left, 1 on the right [E0130]\n"
	  "    2 |  a[0], a[1] += 1;\n"
	  "      |  ^~~~~~~~~~~~~~~\n"
	  "help: each name takes one value" },
	/* A function without results. */
	{ DIAG_E0130, .qdk =
	  "fn g() { }\n"
	  "kernel k(a: i32[]) { let x = g(); a[0] = x; }\n",
	  .line = 2, .col = 22, .want =
	  "t.qdk:2:22: error: 1 on the left, 0 on the right [E0130]\n"
	  "    2 | kernel k(a: i32[]) { let x = g(); a[0] = x; }\n"
	  "      |                      ^~~\n"
	  "help: the call returns no value: write it as a statement" },
	{ DIAG_E0130, .qdk =
	  "fn g() { }\n"
	  "kernel k(a: i32[]) { a[0] = g(); }\n",
	  .line = 2, .col = 22, .want =
	  "t.qdk:2:22: error: 1 on the left, 0 on the right [E0130]\n"
	  "    2 | kernel k(a: i32[]) { a[0] = g(); }\n"
	  "      |                      ^~~~~~~~~~\n"
	  "help: the call returns no value: write it as a statement" },
	{ DIAG_E0131, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = min(1, op = 2);\n"
	  "}\n",
	  .line = 2, .col = 17, .want =
	  "t.qdk:2:17: error: 'min' takes no argument named 'op' [E0131]\n"
	  "    2 |  let x = min(1, op = 2);\n"
	  "      |                 ^~" },
	{ DIAG_E0131, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.reduce(n, by = 2);\n"
	  "}\n",
	  .line = 2, .col = 29, .want =
	  "t.qdk:2:29: error: 'subgroup.reduce' takes no argument named 'by' [E0131]\n"
	  "    2 |  let x = subgroup.reduce(n, by = 2);\n"
	  "      |                             ^~" },
	{ DIAG_E0229, .qdk =
	  "fn f(a: i32, b: i32) -> i32 { return a + b; }\n"
	  "kernel k(n: i32) {\n"
	  "\tlet x = subgroup.exclusive_scan(n, op = f, identity = (1, 2));\n"
	  "}\n",
	  .line = 3, .col = 45, .want =
	  "t.qdk:3:45: error: 'subgroup.exclusive_scan' of 1 values needs as many in identity = (...), not 2 [E0229]\n"
	  "    3 |  let x = subgroup.exclusive_scan(n, op = f, identity = (1, 2));\n"
	  "      |                                             ^~~~~~~~" },
	{ DIAG_E0132, .qdk =
	  "kernel k() block(64) subgroup(32) block(32) { }\n",
	  .line = 1, .col = 35, .want =
	  "t.qdk:1:35: error: attribute 'block' is given twice [E0132]\n"
	  "    1 | kernel k() block(64) subgroup(32) block(32) { }\n"
	  "      |                                   ^~~~~~~~~\n"
	  "help: write it once, with all its arguments" },
	{ DIAG_E0133, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tfor i in grid(n) { break; }\n"
	  "}\n",
	  .line = 2, .col = 21, .want =
	  "t.qdk:2:21: error: 'break' cannot leave the grid loop [E0133]\n"
	  "    2 |  for i in grid(n) { break; }\n"
	  "      |                     ^~~~~\n"
	  "help: write 'continue', which ends this thread's iteration" },
	{ DIAG_E0134, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = block.idx();\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'block.idx' is written without parentheses [E0134]\n"
	  "    2 |  let x = block.idx();\n"
	  "      |          ^~~~~~~~~~~\n"
	  "help: remove the parentheses" },
	{ DIAG_E0135, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = block.thread_idx;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'block.thread_idx' is written with parentheses [E0135]\n"
	  "    2 |  let x = block.thread_idx;\n"
	  "      |          ^~~~~~~~~~~~~~~~\n"
	  "help: write () after it" },
	{ DIAG_E0136, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tn + 1 = 2;\n"
	  "}\n",
	  .line = 2, .col = 4, .want =
	  "t.qdk:2:4: error: this cannot be assigned to [E0136]\n"
	  "    2 |  n + 1 = 2;\n"
	  "      |    ^\n"
	  "help: assign to a variable or to an element of a buffer" },
	{ DIAG_E0136, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\ta[0] else 1 = 2;\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: this cannot be assigned to [E0136]\n"
	  "    2 |  a[0] else 1 = 2;\n"
	  "      |  ^~~~~~~~~~~\n"
	  "help: assign to a variable or to an element of a buffer" },
	{ DIAG_E0137, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = (1, 2);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: expected one value, found 2 [E0137]\n"
	  "    2 |  let x = (1, 2);\n"
	  "      |          ^~~~~~\n"
	  "help: name them: let a, b = ...;" },
	{ DIAG_E0137, .qdk =
	  "fn two() -> i32, i32 { return 1, 2; }\n"
	  "kernel k(a: i32[]) { a[0] = 1 + two(); }\n",
	  .line = 2, .col = 33, .want =
	  "t.qdk:2:33: error: expected one value, found 2 [E0137]\n"
	  "    2 | kernel k(a: i32[]) { a[0] = 1 + two(); }\n"
	  "      |                                 ^~~~~\n"
	  "help: name them: let a, b = ...;" },
	{ DIAG_E0137, .qdk =
	  "fn none(a: u32[]) { a[0] = 1; }\n"
	  "kernel k(a: u32[]) { a[1] = 1 + none(a); }\n",
	  .line = 2, .col = 33, .want =
	  "t.qdk:2:33: error: expected one value, found 0 [E0137]\n"
	  "    2 | kernel k(a: u32[]) { a[1] = 1 + none(a); }\n"
	  "      |                                 ^~~~~~~\n"
	  "help: the call returns no value: write it as a statement" },
	{ DIAG_E0130, .qdk =
	  "kernel k(a: u32[]) {\n"
	  "\tlet x = block.sync();\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: 1 on the left, 0 on the right [E0130]\n"
	  "    2 |  let x = block.sync();\n"
	  "      |  ^~~\n"
	  "help: the call returns no value: write it as a statement" },
	{ DIAG_E0138, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.reduce(n);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'subgroup.reduce' needs an operator: op = name of a function [E0138]\n"
	  "    2 |  let x = subgroup.reduce(n);\n"
	  "      |          ^~~~~~~~~~~~~~~~~~\n"
	  "help: declare fn f(a: f32, b: f32) -> f32 { ... } and write op = f" },
	{ DIAG_E0138, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.reduce(n, op = max);\n"
	  "}\n",
	  .line = 2, .col = 34, .want =
	  "t.qdk:2:34: error: 'subgroup.reduce' needs an operator: op = name of a function [E0138]\n"
	  "    2 |  let x = subgroup.reduce(n, op = max);\n"
	  "      |                                  ^~~\n"
	  "help: declare fn f(a: f32, b: f32) -> f32 { ... } and write op = f" },
	{ DIAG_E0139, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6 = 1;\n"
	  "}\n",
	  .line = 2, .col = 70, .want =
	  "t.qdk:2:70: error: more than 16 names or values [E0139]\n"
	  "    2 |  let a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6 = 1;\n"
	  "      |                                                                      ^~\n"
	  "help: write several statements" },
	{ DIAG_E0140, .qdk =
	  "const A = B + 1;\n"
	  "const B = A + 1;\n"
	  "kernel k() { }\n",
	  .line = 2, .col = 11, .want =
	  "t.qdk:2:11: error: 'A' depends on itself [E0140]\n"
	  "    2 | const B = A + 1;\n"
	  "      |           ^" },
	{ .d = DIAG_E0141, .custom = many_arms, .line = 1002, .col = 6, .want =
	  "t.qdk:1002:6: error: an 'if' has more than 1000 arms [E0141]\n"
	  " 1002 | else if n == 1 { } }\n"
	  "      |      ^~\n"
	  "help: compute an index and load from a buffer" },
	{ DIAG_E0201, .qdk =
	  "kernel k<static N in 1..=4>(a: f32[]) {\n"
	  "\tunroll for j in 0..N { a[j] = 0; }\n"
	  "}\n",
	  .line = 1, .col = 17, .want =
	  "t.qdk:1:17: error: template parameter 'N' has no value; it takes 1..=4 [E0201]\n"
	  "    1 | kernel k<static N in 1..=4>(a: f32[]) {\n"
	  "      |                 ^\n"
	  "help: pass it to qd_module_kernel: an 'unroll', a 'static if' or a size depends on it" },
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
	{ DIAG_E0203, .qdk =
	  "kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "\ta[0] = T.zero;\n"
	  "}\n"
	  "instantiate k<f32, 7> as x;\n",
	  .line = 4, .col = 20, .want =
	  "t.qdk:4:20: error: L = 7 is outside its range 0..=6 [E0203]\n"
	  "    4 | instantiate k<f32, 7> as x;\n"
	  "      |                    ^" },
	{ DIAG_E0204, .qdk =
	  "kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "\ta[0] = T.zero;\n"
	  "}\n",
	  .choose = { { "L", .type = QD_TYPE_F32 }, { "T", .type = QD_TYPE_F32 } }, .n_choose = 2,
	  .line = 1, .col = 34, .want =
	  "t.qdk:1:34: error: template parameter 'L' is an integer, not a type [E0204]\n"
	  "    1 | kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "      |                                  ^" },
	{ DIAG_E0205, .qdk =
	  "kernel k<static L in 6..=0>() { }\n",
	  .line = 1, .col = 22, .want =
	  "t.qdk:1:22: error: template range 6..=0 is empty [E0205]\n"
	  "    1 | kernel k<static L in 6..=0>() { }\n"
	  "      |                      ^\n"
	  "help: write the smaller one first" },
	{ DIAG_E0211, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.reduce_add_tiled(n, 9);\n"
	  "}\n",
	  .line = 2, .col = 39, .want =
	  "t.qdk:2:39: error: log2_size 9 is outside 0..=7 [E0211]\n"
	  "    2 |  let x = subgroup.reduce_add_tiled(n, 9);\n"
	  "      |                                       ^\n"
	  "help: it is a logarithm: 5 for tiles of 32 lanes" },
	{ DIAG_E0212, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.ballot_first_n(n, 33);\n"
	  "}\n",
	  .line = 2, .col = 37, .want =
	  "t.qdk:2:37: error: n = 33 is outside 1..=32 [E0212]\n"
	  "    2 |  let x = subgroup.ballot_first_n(n, 33);\n"
	  "      |                                     ^~" },
	{ DIAG_E0216, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.reduce_add_tiled(n, n);\n"
	  "}\n",
	  .line = 2, .col = 39, .want =
	  "t.qdk:2:39: error: log2_size must be a constant or a template parameter [E0216]\n"
	  "    2 |  let x = subgroup.reduce_add_tiled(n, n);\n"
	  "      |                                       ^\n"
	  "help: use a number, a template parameter or subgroup.log2_group_size()" },
	{ DIAG_E0217, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = n / 0;\n"
	  "}\n",
	  .line = 2, .col = 12, .want =
	  "t.qdk:2:12: error: division by the constant 0 [E0217]\n"
	  "    2 |  let x = n / 0;\n"
	  "      |            ^" },
	{ DIAG_E0217, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = floormod(u, 0);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: division by the constant 0 [E0217]\n"
	  "    2 |  let x = floormod(u, 0);\n"
	  "      |          ^~~~~~~~~~~~~~" },
	{ DIAG_E0217, .qdk =
	  "const N = 1 % 0;\n"
	  "kernel k() { }\n",
	  .line = 1, .col = 13, .want =
	  "t.qdk:1:13: error: division by the constant 0 [E0217]\n"
	  "    1 | const N = 1 % 0;\n"
	  "      |             ^" },
	{ DIAG_E0218, .qdk =
	  "const E = exp(1.0);\n"
	  "kernel k(a: f32[]) { a[0] = E; }\n",
	  .line = 1, .col = 11, .want =
	  "t.qdk:1:11: error: the value of a 'const' must be a constant [E0218]\n"
	  "    1 | const E = exp(1.0);\n"
	  "      |           ^~~~~~~~\n"
	  "help: it is computed when the kernel runs: write the number" },
	{ DIAG_E0218, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tstatic if n > 1 { }\n"
	  "}\n",
	  .line = 2, .col = 14, .want =
	  "t.qdk:2:14: error: the condition of a 'static if' must be a constant [E0218]\n"
	  "    2 |  static if n > 1 { }\n"
	  "      |              ^\n"
	  "help: use a number, a 'const' or a template parameter" },
	{ DIAG_E0218, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tunroll for j in 0..n { }\n"
	  "}\n",
	  .line = 2, .col = 21, .want =
	  "t.qdk:2:21: error: the bound of an 'unroll for' must be a constant [E0218]\n"
	  "    2 |  unroll for j in 0..n { }\n"
	  "      |                     ^\n"
	  "help: use a number, a 'const' or a template parameter" },
	{ DIAG_E0218, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = block.thread_idx(n);\n"
	  "}\n",
	  .line = 2, .col = 27, .want =
	  "t.qdk:2:27: error: an axis must be a constant [E0218]\n"
	  "    2 |  let x = block.thread_idx(n);\n"
	  "      |                           ^\n"
	  "help: use a number, a 'const' or a template parameter" },
	{ DIAG_E0218, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.ballot_first_n(n, u);\n"
	  "}\n",
	  .line = 2, .col = 37, .want =
	  "t.qdk:2:37: error: n must be a constant [E0218]\n"
	  "    2 |  let x = subgroup.ballot_first_n(n, u);\n"
	  "      |                                     ^\n"
	  "help: use a number, a 'const' or a template parameter" },
	{ DIAG_E0218, .qdk =
	  "const N = block.idx;\n"
	  "kernel k() { }\n",
	  .line = 1, .col = 11, .want =
	  "t.qdk:1:11: error: the value of a 'const' must be a constant [E0218]\n"
	  "    1 | const N = block.idx;\n"
	  "      |           ^~~~~~~~~\n"
	  "help: use a number, a 'const' or a template parameter" },
	{ DIAG_E0218, .qdk =
	  "fn f(static s: i32) { }\n"
	  "kernel k(n: i32) { f(n); }\n",
	  .line = 2, .col = 22, .want =
	  "t.qdk:2:22: error: an argument for a 'static' parameter must be a constant [E0218]\n"
	  "    2 | kernel k(n: i32) { f(n); }\n"
	  "      |                      ^\n"
	  "help: use a number, a 'const' or a template parameter" },
	{ DIAG_E0219, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tfor j in 0..n step 0 { }\n"
	  "}\n",
	  .line = 2, .col = 21, .want =
	  "t.qdk:2:21: error: the step is 0; it must be positive [E0219]\n"
	  "    2 |  for j in 0..n step 0 { }\n"
	  "      |                     ^" },
	{ DIAG_E0219, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tfor j in 0..n step -2 { }\n"
	  "}\n",
	  .line = 2, .col = 21, .want =
	  "t.qdk:2:21: error: the step is -2; it must be positive [E0219]\n"
	  "    2 |  for j in 0..n step -2 { }\n"
	  "      |                     ^~" },
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
	{ DIAG_E0221, .qdk =
	  "kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "\ta[0] = T.zero;\n"
	  "}\n",
	  .line = 1, .col = 10, .want =
	  "t.qdk:1:10: error: template parameter 'T' has no value; it is one of i32 or f32 [E0221]\n"
	  "    1 | kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "      |          ^\n"
	  "help: pass it to qd_module_kernel" },
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
	{ DIAG_E0222, .qdk =
	  "kernel k<static N in {1, 2, 4}>() { }\n"
	  "instantiate k<3> as k3;\n",
	  .line = 2, .col = 15, .want =
	  "t.qdk:2:15: error: N = 3 is not one of its choices: 1, 2, 4 [E0222]\n"
	  "    2 | instantiate k<3> as k3;\n"
	  "      |               ^" },
	{ DIAG_E0222, .qdk =
	  "fn f<static N in {1, 2, 4}>(x: i32) -> i32 { return x * N; }\n"
	  "kernel k(a: i32[]) { a[0] = f(a[0], N = 3); }\n",
	  .line = 2, .col = 41, .want =
	  "t.qdk:2:41: error: N = 3 is not one of its choices: 1, 2, 4 [E0222]\n"
	  "    2 | kernel k(a: i32[]) { a[0] = f(a[0], N = 3); }\n"
	  "      |                                         ^" },
	{ DIAG_E0223, .qdk =
	  "kernel k<T in {f32, i32}, static L in 0..=6>(a: T[]) {\n"
	  "\ta[0] = T.zero;\n"
	  "}\n"
	  "instantiate k<f32> as x;\n",
	  .line = 4, .col = 13, .want =
	  "t.qdk:4:13: error: 'k' has 2 template parameters, not 1 [E0223]\n"
	  "    4 | instantiate k<f32> as x;\n"
	  "      |             ^" },
	{ DIAG_E0224, .qdk =
	  "kernel k<L in 0..=6>() { }\n",
	  .line = 1, .col = 10, .want =
	  "t.qdk:1:10: error: an integer template parameter is written 'static L' [E0224]\n"
	  "    1 | kernel k<L in 0..=6>() { }\n"
	  "      |          ^\n"
	  "help: write 'static' before its name" },
	{ DIAG_E0225, .qdk =
	  "kernel k<static T in {f32}>() { }\n",
	  .line = 1, .col = 17, .want =
	  "t.qdk:1:17: error: a type parameter is not 'static' [E0225]\n"
	  "    1 | kernel k<static T in {f32}>() { }\n"
	  "      |                 ^\n"
	  "help: remove 'static'" },
	{ DIAG_E0226, .qdk =
	  "fn f<T in {f32, i32}>() -> T { return T.zero; }\n"
	  "kernel k(a: f32[]) { a[0] = f(); }\n",
	  .line = 2, .col = 29, .want =
	  "t.qdk:2:29: error: template parameter 'T' cannot be inferred from the arguments [E0226]\n"
	  "    2 | kernel k(a: f32[]) { a[0] = f(); }\n"
	  "      |                             ^~~\n"
	  "help: name it in the call: f(x, N = 4)" },
	{ DIAG_E0227, .qdk =
	  "kernel k<T in {f32, 3}>() { }\n",
	  .line = 1, .col = 21, .want =
	  "t.qdk:1:21: error: the choices of 'T' must all be types or all be integers [E0227]\n"
	  "    1 | kernel k<T in {f32, 3}>() { }\n"
	  "      |                     ^" },
	{ DIAG_E0301, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = n + u;\n"
	  "}\n",
	  .line = 2, .col = 12, .want =
	  "t.qdk:2:12: error: operands have types i32 and u32; convert one [E0301]\n"
	  "    2 |  let x = n + u;\n"
	  "      |            ^\n"
	  "help: convert one: u32(n); if one may be negative, convert the other: i32(u)" },
	{ DIAG_E0301, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = n > u;\n"
	  "}\n",
	  .line = 2, .col = 12, .want =
	  "t.qdk:2:12: error: operands have types i32 and u32; convert one [E0301]\n"
	  "    2 |  let x = n > u;\n"
	  "      |            ^\n"
	  "help: convert one: u32(n); if one may be negative, convert the other: i32(u)" },
	{ DIAG_E0302, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = -true;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: a bool operand is not allowed here; it takes i32, u32, i64, u64, f32 or f64 [E0302]\n"
	  "    2 |  let x = -true;\n"
	  "      |          ^~~~~\n"
	  "help: convert it, as in i32(x)" },
	{ DIAG_E0302, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = ~1.5;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: a f32 operand is not allowed here; it takes i32, u32, i64 or u64 [E0302]\n"
	  "    2 |  let x = ~1.5;\n"
	  "      |          ^~~~\n"
	  "help: convert it, as in i32(x)" },
	{ DIAG_E0302, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.shuffle(n > 1, 1);\n"
	  "}\n",
	  .line = 2, .col = 29, .want =
	  "t.qdk:2:29: error: a bool operand is not allowed here; it takes i32, u32, i64, u64, f32 or f64 [E0302]\n"
	  "    2 |  let x = subgroup.shuffle(n > 1, 1);\n"
	  "      |                             ^\n"
	  "help: convert it, as in i32(x)" },
	{ DIAG_E0304, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = bitcast<i64>(n);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: cannot take the bits of i32 as i64: the widths differ [E0304]\n"
	  "    2 |  let x = bitcast<i64>(n);\n"
	  "      |          ^~~~~~~~~~~~~~~" },
	{ DIAG_E0305, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.shuffle(n, 1l);\n"
	  "}\n",
	  .line = 2, .col = 30, .want =
	  "t.qdk:2:30: error: the index operand must be i32 or u32, not i64 [E0305]\n"
	  "    2 |  let x = subgroup.shuffle(n, 1l);\n"
	  "      |                              ^~\n"
	  "help: convert it: u32(x)" },
	{ DIAG_E0306, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tvar x = 1;\n"
	  "\tx = u;\n"
	  "}\n",
	  .line = 3, .col = 6, .want =
	  "t.qdk:3:6: error: variable is i32, the value is u32 [E0306]\n"
	  "    3 |  x = u;\n"
	  "      |      ^\n"
	  "help: convert it: i32(u)" },
	{ DIAG_E0307, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = a[a[0]];\n"
	  "}\n",
	  .line = 2, .col = 12, .want =
	  "t.qdk:2:12: error: an index must be an integer, not f32 [E0307]\n"
	  "    2 |  let x = a[a[0]];\n"
	  "      |            ^~~~\n"
	  "help: convert it: u32(x)" },
	{ DIAG_E0308, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\ta[0] = n;\n"
	  "}\n",
	  .line = 2, .col = 9, .want =
	  "t.qdk:2:9: error: elements are f32, the value is i32 [E0308]\n"
	  "    2 |  a[0] = n;\n"
	  "      |         ^\n"
	  "help: convert it: f32(n)" },
	{ DIAG_E0308, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\ta[0], a[1] = 1.0, (n + 1) * (2 - n);\n"
	  "}\n",
	  .line = 2, .col = 20, .want =
	  "t.qdk:2:20: error: elements are f32, the value is i32 [E0308]\n"
	  "    2 |  a[0], a[1] = 1.0, (n + 1) * (2 - n);\n"
	  "      |                    ^~~~~~~~~~~~~~~~~\n"
	  "help: convert it: f32((n + 1) * (2 - n))" },
	{ DIAG_E0301, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\ta[0] += n * 2;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: operands have types f32 and i32; convert one [E0301]\n"
	  "    2 |  a[0] += n * 2;\n"
	  "      |          ^~~~~\n"
	  "help: convert it: f32(n * 2)" },
	{ DIAG_E0308, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = a[0] else n;\n"
	  "}\n",
	  .line = 2, .col = 20, .want =
	  "t.qdk:2:20: error: elements are f32, the value is i32 [E0308]\n"
	  "    2 |  let x = a[0] else n;\n"
	  "      |                    ^\n"
	  "help: convert it: f32(x)" },
	{ DIAG_E0311, .qdk =
	  "kernel k(a: out f32[]) { let x = a[0]; }\n",
	  .line = 1, .col = 34, .want =
	  "t.qdk:1:34: error: 'a' is an out parameter and cannot be read [E0311]\n"
	  "    1 | kernel k(a: out f32[]) { let x = a[0]; }\n"
	  "      |                                  ^~~~\n"
	  "help: declare it without 'out'" },
	{ DIAG_E0312, .qdk =
	  "kernel k(a: in f32[]) { a[0] = 1; }\n",
	  .line = 1, .col = 25, .want =
	  "t.qdk:1:25: error: 'a' is an in parameter and cannot be written [E0312]\n"
	  "    1 | kernel k(a: in f32[]) { a[0] = 1; }\n"
	  "      |                         ^~~~\n"
	  "help: declare it without 'in'" },
	{ DIAG_E0316, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tfor i in grid(n) { }\n"
	  "\tfor i in grid(n) { }\n"
	  "}\n",
	  .line = 3, .col = 6, .want =
	  "t.qdk:3:6: error: more than one grid loop [E0316]\n"
	  "    3 |  for i in grid(n) { }\n"
	  "      |      ^\n"
	  "help: put both into one loop, or write two kernels; inside it each thread loops by for j in 0..n" },
	{ DIAG_E0317, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tif n > 1 { for i in grid(n) { } }\n"
	  "}\n",
	  .line = 2, .col = 17, .want =
	  "t.qdk:2:17: error: a grid loop must be outside control flow [E0317]\n"
	  "    2 |  if n > 1 { for i in grid(n) { } }\n"
	  "      |                 ^\n"
	  "help: move it to the top of the kernel's body" },
	{ DIAG_E0318, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tfor i in grid(n * clz(n)) { }\n"
	  "}\n",
	  .line = 2, .col = 20, .want =
	  "t.qdk:2:20: error: the grid loop's count may use constants, scalar parameters, lengths, operators, min, max, abs, select and conversions only, not clz [E0318]\n"
	  "    2 |  for i in grid(n * clz(n)) { }\n"
	  "      |                    ^~~\n"
	  "help: compute it before the launch and pass it as a scalar parameter" },
	{ DIAG_E0319, .qdk =
	  "kernel k() block(0) { }\n",
	  .line = 1, .col = 12, .want =
	  "t.qdk:1:12: error: block(0, 1, 1): a block has 1 to 65535 threads [E0319]\n"
	  "    1 | kernel k() block(0) { }\n"
	  "      |            ^~~~~" },
	{ DIAG_E0319, .qdk =
	  "kernel k() block(256, 256) { }\n",
	  .line = 1, .col = 12, .want =
	  "t.qdk:1:12: error: block(256, 256, 1): a block has 1 to 65535 threads [E0319]\n"
	  "    1 | kernel k() block(256, 256) { }\n"
	  "      |            ^~~~~" },
	{ DIAG_E0320, .qdk =
	  "kernel k() subgroup(32, 48) { }\n",
	  .line = 1, .col = 25, .want =
	  "t.qdk:1:25: error: subgroup size 48 is not one of 4, 8, 16, 32, 64, 128 [E0320]\n"
	  "    1 | kernel k() subgroup(32, 48) { }\n"
	  "      |                         ^~" },
	{ DIAG_E0321, .qdk =
	  "kernel k(p0: i32, p1: i32, p2: i32, p3: i32, p4: i32, p5: i32, p6: i32, p7: i32, p8: i32, p9: i32, p10: i32, p11: i32, p12: i32, p13: i32, p14: i32, p15: i32, p16: i32, p17: i32, p18: i32, p19: i32, p20: i32, p21: i32, p22: i32, p23: i32, p24: i32, p25: i32, p26: i32, p27: i32, p28: i32, p29: i32, p30: i32, p31: i32, p32: i32, p33: i32, p34: i32, p35: i32, p36: i32, p37: i32, p38: i32, p39: i32, p40: i32, p41: i32, p42: i32, p43: i32, p44: i32, p45: i32, p46: i32, p47: i32, p48: i32, p49: i32, p50: i32, p51: i32, p52: i32, p53: i32, p54: i32, p55: i32, p56: i32, p57: i32, p58: i32, p59: i32, p60: i32, p61: i32, p62: i32, p63: i32, p64: i32) { }\n",
	  .line = 1, .col = 640, .want =
	  "t.qdk:1:640: error: more than 64 parameters [E0321]" },
	{ DIAG_E0323, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = block.thread_idx(3);\n"
	  "}\n",
	  .line = 2, .col = 27, .want =
	  "t.qdk:2:27: error: axis 3 is not 0, 1 or 2 [E0323]\n"
	  "    2 |  let x = block.thread_idx(3);\n"
	  "      |                           ^" },
	{ DIAG_E0323, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = block.thread_idx(4294967296l);\n"
	  "}\n",
	  .line = 2, .col = 27, .want =
	  "t.qdk:2:27: error: axis 4294967295 is not 0, 1 or 2 [E0323]\n"
	  "    2 |  let x = block.thread_idx(4294967296l);\n"
	  "      |                           ^~~~~~~~~~~" },
	{ DIAG_E0324, .qdk =
	  "kernel k(a: bool[]) { }\n",
	  .line = 1, .col = 13, .want =
	  "t.qdk:1:13: error: type bool is not allowed for a buffer's elements [E0324]\n"
	  "    1 | kernel k(a: bool[]) { }\n"
	  "      |             ^~~~~~\n"
	  "help: use u32: 0 or 1" },
	{ DIAG_E0324, .qdk =
	  "kernel k(a: bool) { }\n",
	  .line = 1, .col = 13, .want =
	  "t.qdk:1:13: error: type bool is not allowed for a scalar parameter [E0324]\n"
	  "    1 | kernel k(a: bool) { }\n"
	  "      |             ^~~~\n"
	  "help: use u32: 0 or 1" },
	{ DIAG_E0325, .qdk =
	  "kernel k() assume_uniform(\"\") { }\n",
	  .line = 1, .col = 27, .want =
	  "t.qdk:1:27: error: 'assume_uniform' needs a reason [E0325]\n"
	  "    1 | kernel k() assume_uniform(\"\") { }\n"
	  "      |                           ^" },
	{ DIAG_E0372, .qdk =
	  "kernel k(a: f32[]) { assert(a[0] > 0.0); }\n",
	  .line = 1, .col = 22, .want =
	  "t.qdk:1:22: error: 'assert' needs a string: assert(condition, \"why\") [E0372]\n"
	  "    1 | kernel k(a: f32[]) { assert(a[0] > 0.0); }\n"
	  "      |                      ^~~~~~~~~~~~~~~~~~" },
	{ DIAG_E0372, .qdk =
	  "kernel k(a: f32[]) { print(a[0]); }\n",
	  .line = 1, .col = 22, .want =
	  "t.qdk:1:22: error: 'print' needs a string: print(\"text\", value, ...) [E0372]\n"
	  "    1 | kernel k(a: f32[]) { print(a[0]); }\n"
	  "      |                      ^~~~~~~~~~~" },
	{ DIAG_E0371, .qdk =
	  "kernel k() { print(\"17\", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17); }\n",
	  .line = 1, .col = 14, .want =
	  "t.qdk:1:14: error: 'print' takes at most 16 values [E0371]\n"
	  "    1 | kernel k() { print(\"17\", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17); }\n"
	  "      |              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
	  "help: print the other values in a second 'print'" },
	{ DIAG_E0127, .qdk =
	  "kernel k(a: f32[]) { print(\"a\", a); }\n",
	  .line = 1, .col = 33, .want =
	  "t.qdk:1:33: error: 'a' is a buffer, not a value [E0127]\n"
	  "    1 | kernel k(a: f32[]) { print(\"a\", a); }\n"
	  "      |                                 ^\n"
	  "help: an element is a[i], the number of elements a.len" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) { print(\"a\", \"b\"); }\n",
	  .line = 1, .col = 33, .want =
	  "t.qdk:1:33: error: expected an expression, found '\"b\"' [E0101]\n"
	  "    1 | kernel k(a: f32[]) { print(\"a\", \"b\"); }\n"
	  "      |                                 ^~~\n"
	  "help: a string is the first argument of print and the last of assert" },
	{ DIAG_E0326, .qdk =
	  "fn f(x: f32, y: f32) -> f32 { assert(x > y, \"no\"); return x; }\n"
	  "kernel k(a: f32[]) { for i in grid(a.len) { a[i] = subgroup.reduce(a[i], op = f); } }\n",
	  .line = 1, .col = 31, .want =
	  "t.qdk:1:31: error: an operator may use arithmetic only, not assert [E0326]\n"
	  "    1 | fn f(x: f32, y: f32) -> f32 { assert(x > y, \"no\"); return x; }\n"
	  "      |                               ^~~~~~~~~~~~~~~~~~~\n"
	  "help: compute both values and use select(c, a, b)" },
	{ DIAG_E0127, .qdk =
	  "fn print(x: f32) { }\n"
	  "kernel k(a: f32[]) { print(\"x\"); }\n",
	  .line = 2, .col = 28, .want =
	  "t.qdk:2:28: error: 'string' is a text, not a value [E0127]\n"
	  "    2 | kernel k(a: f32[]) { print(\"x\"); }\n"
	  "      |                            ^~~" },
	{ DIAG_E0326, .qdk =
	  "fn f(x: f32, y: f32) -> f32 {\n"
	  "\tif x > y { return x; }\n"
	  "\treturn y;\n"
	  "}\n"
	  "kernel k(a: f32[]) { a[0] = subgroup.reduce(a[0], op = f); }\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: an operator may use arithmetic only, not 'if' [E0326]\n"
	  "    2 |  if x > y { return x; }\n"
	  "      |  ^~\n"
	  "help: compute both values and use select(c, a, b)" },
	{ DIAG_E0326, .qdk =
	  "fn f(x: f32, y: f32) -> f32 { return x + subgroup.shuffle(y, 0); }\n"
	  "kernel k(a: f32[]) { a[0] = subgroup.reduce(a[0], op = f); }\n",
	  .line = 1, .col = 42, .want =
	  "t.qdk:1:42: error: an operator may use arithmetic only, not subgroup.shuffle [E0326]\n"
	  "    1 | fn f(x: f32, y: f32) -> f32 { return x + subgroup.shuffle(y, 0); }\n"
	  "      |                                          ^~~~~~~~~~~~~~~~~~~~~~\n"
	  "help: compute both values and use select(c, a, b)" },
	{ DIAG_E0327, .qdk =
	  "fn f() { }\n"
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.reduce(1, 2, 3, 4, 5, 6, 7, 8, 9, op = f);\n"
	  "}\n",
	  .line = 3, .col = 10, .want =
	  "t.qdk:3:10: error: an operator has 1 to 8 values, not 9 [E0327]\n"
	  "    3 |  let x = subgroup.reduce(1, 2, 3, 4, 5, 6, 7, 8, 9, op = f);\n"
	  "      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ DIAG_E0328, .qdk =
	  "fn f(x: i32, y: i32) -> f32 { return f32(x); }\n"
	  "kernel k(a: i32[]) { a[0] = subgroup.reduce(a[0], op = f); }\n",
	  .line = 2, .col = 56, .want =
	  "t.qdk:2:56: error: value 1 of the operator is f32, not i32 [E0328]\n"
	  "    2 | kernel k(a: i32[]) { a[0] = subgroup.reduce(a[0], op = f); }\n"
	  "      |                                                        ^\n"
	  "help: convert it: i32(x)" },
	{ DIAG_E0329, .qdk =
	  "kernel k<static T0 in 0..=1, static T1 in 0..=1, static T2 in 0..=1, static T3 in 0..=1, static T4 in 0..=1, static T5 in 0..=1, static T6 in 0..=1, static T7 in 0..=1, static T8 in 0..=1, static T9 in 0..=1, static T10 in 0..=1, static T11 in 0..=1, static T12 in 0..=1, static T13 in 0..=1, static T14 in 0..=1, static T15 in 0..=1, static T16 in 0..=1>() { }\n",
	  .line = 1, .col = 336, .want =
	  "t.qdk:1:336: error: more than 16 template parameters [E0329]" },
	{ DIAG_E0340, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 4000000000;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 4000000000 does not fit i32 [E0340]\n"
	  "    2 |  let x = 4000000000;\n"
	  "      |          ^~~~~~~~~~\n"
	  "help: 4000000000u is u32" },
	{ DIAG_E0340, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x: u32 = -1;\n"
	  "}\n",
	  .line = 2, .col = 15, .want =
	  "t.qdk:2:15: error: -1 does not fit u32 [E0340]\n"
	  "    2 |  let x: u32 = -1;\n"
	  "      |               ^~\n"
	  "help: u32 takes 0 to 4294967295; u32(-1) wraps to 4294967295" },
	{ DIAG_E0340, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x: i32 = -2147483649;\n"
	  "}\n",
	  .line = 2, .col = 15, .want =
	  "t.qdk:2:15: error: -2147483649 does not fit i32 [E0340]\n"
	  "    2 |  let x: i32 = -2147483649;\n"
	  "      |               ^~~~~~~~~~~\n"
	  "help: -2147483649l is i64" },
	{ DIAG_E0340, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x: i32 = 1.5;\n"
	  "}\n",
	  .line = 2, .col = 15, .want =
	  "t.qdk:2:15: error: 1.5 does not fit i32 [E0340]\n"
	  "    2 |  let x: i32 = 1.5;\n"
	  "      |               ^~~\n"
	  "help: an integer is expected here: write one, or convert the other operand: f32(x)" },
	{ DIAG_E0340, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x: f32 = 1e39;\n"
	  "}\n",
	  .line = 2, .col = 15, .want =
	  "t.qdk:2:15: error: 1e39 does not fit f32 [E0340]\n"
	  "    2 |  let x: f32 = 1e39;\n"
	  "      |               ^~~~" },
	{ DIAG_E0340, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = 4294967296u;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 4294967296u does not fit u32 [E0340]\n"
	  "    2 |  let x = 4294967296u;\n"
	  "      |          ^~~~~~~~~~~" },
	{ DIAG_E0341, .qdk =
	  "fn f(x: f32) { }\n"
	  "kernel k(n: i32) { f(n); }\n",
	  .line = 2, .col = 22, .want =
	  "t.qdk:2:22: error: argument 1 of 'f' is i32, not f32 [E0341]\n"
	  "    2 | kernel k(n: i32) { f(n); }\n"
	  "      |                      ^\n"
	  "help: convert it: f32(x)" },
	{ DIAG_E0341, .qdk =
	  "fn f(x: f32[]) { }\n"
	  "kernel k(a: i32[]) { f(a); }\n",
	  .line = 2, .col = 24, .want =
	  "t.qdk:2:24: error: argument 1 of 'f' is i32[], not f32[] [E0341]\n"
	  "    2 | kernel k(a: i32[]) { f(a); }\n"
	  "      |                        ^" },
	{ DIAG_E0342, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x: f32 = n;\n"
	  "}\n",
	  .line = 2, .col = 15, .want =
	  "t.qdk:2:15: error: 'x' is declared f32, the value is i32 [E0342]\n"
	  "    2 |  let x: f32 = n;\n"
	  "      |               ^\n"
	  "help: convert it: f32(n)" },
	{ DIAG_E0342, .qdk =
	  "const N: u32 = 1l;\n"
	  "kernel k() { }\n",
	  .line = 1, .col = 16, .want =
	  "t.qdk:1:16: error: 'N' is declared u32, the value is i64 [E0342]\n"
	  "    1 | const N: u32 = 1l;\n"
	  "      |                ^~\n"
	  "help: convert it: u32(1l)" },
	{ DIAG_E0343, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x: foo = 1;\n"
	  "}\n",
	  .line = 2, .col = 9, .want =
	  "t.qdk:2:9: error: unknown type 'foo' [E0343]\n"
	  "    2 |  let x: foo = 1;\n"
	  "      |         ^~~\n"
	  "help: types are bool i32 u32 i64 u64 f32 f64; in buffers also i8 u8 i16 u16 f16 bf16" },
	{ DIAG_E0343, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x: u23 = 1;\n"
	  "}\n",
	  .line = 2, .col = 9, .want =
	  "t.qdk:2:9: error: unknown type 'u23' [E0343]\n"
	  "    2 |  let x: u23 = 1;\n"
	  "      |         ^~~\n"
	  "help: did you mean 'u32'?" },
	{ DIAG_E0344, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x: f16 = 1;\n"
	  "}\n",
	  .line = 2, .col = 9, .want =
	  "t.qdk:2:9: error: f16 is a storage type: only elements of buffers have it [E0344]\n"
	  "    2 |  let x: f16 = 1;\n"
	  "      |         ^~~\n"
	  "help: values are bool i32 u32 i64 u64 f32 f64" },
	{ DIAG_E0345, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = a[0, 1];\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: a buffer has one index, not 2 [E0345]\n"
	  "    2 |  let x = a[0, 1];\n"
	  "      |          ^~~~~~~\n"
	  "help: compute one: a[y * width + x]" },
	{ DIAG_E0346, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = n[0];\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: only a buffer has elements [E0346]\n"
	  "    2 |  let x = n[0];\n"
	  "      |          ^\n"
	  "help: declare a buffer as a parameter: a: f32[]" },
	{ DIAG_E0347, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x: f32[4] = 1;\n"
	  "}\n",
	  .line = 2, .col = 9, .want =
	  "t.qdk:2:9: error: an array is not allowed for a local [E0347]\n"
	  "    2 |  let x: f32[4] = 1;\n"
	  "      |         ^~~~~~" },
	{ DIAG_E0347, .qdk =
	  "kernel k(static n: i32) { }\n",
	  .line = 1, .col = 17, .want =
	  "t.qdk:1:17: error: 'static' is not allowed for a kernel's parameter [E0347]\n"
	  "    1 | kernel k(static n: i32) { }\n"
	  "      |                 ^" },
	{ DIAG_E0347, .qdk =
	  "kernel k(n: in i32) { }\n",
	  .line = 1, .col = 10, .want =
	  "t.qdk:1:10: error: 'in' is not allowed for a scalar [E0347]\n"
	  "    1 | kernel k(n: in i32) { }\n"
	  "      |          ^" },
	{ DIAG_E0348, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tfor j in 0.0..1.0 { }\n"
	  "}\n",
	  .line = 2, .col = 11, .want =
	  "t.qdk:2:11: error: the bounds of a 'for' must be integers, not f32 [E0348]\n"
	  "    2 |  for j in 0.0..1.0 { }\n"
	  "      |           ^~~\n"
	  "help: convert it: i32(x)" },
	{ DIAG_E0349, .qdk =
	  "fn f(x: i32) -> f32 { return x; }\n"
	  "kernel k(a: f32[]) { a[0] = f(1); }\n",
	  .line = 1, .col = 30, .want =
	  "t.qdk:1:30: error: value 1 of 'return' is i32, 'f' declares f32 [E0349]\n"
	  "    1 | fn f(x: i32) -> f32 { return x; }\n"
	  "      |                              ^\n"
	  "help: convert it: f32(x)" },
	{ DIAG_E0350, .qdk =
	  "fn f(x: f32) -> f32 { return x; }\n"
	  "kernel k(a: f32[]) { a[0] = subgroup.reduce(a[0], op = f); }\n",
	  .line = 2, .col = 56, .want =
	  "t.qdk:2:56: error: an operator on 1 values takes 2 and returns 1; 'f' takes 1 and returns 1 [E0350]\n"
	  "    2 | kernel k(a: f32[]) { a[0] = subgroup.reduce(a[0], op = f); }\n"
	  "      |                                                        ^" },
	/* Permitted before a divergent jump (lang_run.c), but not after it. */
	{ DIAG_E0401, .qdk =
	  "kernel k(a: u32[]) {\n"
	  "\tvar x = 1u;\n"
	  "\tfor i in grid(a.len) { x = 2u; }\n"
	  "\tif x == 2 { a[0] = subgroup.inclusive_add(x); }\n"
	  "}\n",
	  .line = 4, .col = 21, .want =
	  "t.qdk:4:21: error: subgroup.inclusive_add() in non-uniform control flow is undefined [E0401]\n"
	  "    4 |  if x == 2 { a[0] = subgroup.inclusive_add(x); }\n"
	  "      |                     ^~~~~~~~~~~~~~~~~~~~~~\n"
	  "t.qdk:4:2: note: this condition depends on the index of the grid loop\n"
	  "    4 |  if x == 2 { a[0] = subgroup.inclusive_add(x); }\n"
	  "      |  ^~\n"
	  "help: call it before the 'if', in all lanes: let r = subgroup.inclusive_add(select(c, v, 0)); c is the condition of the 'if', !c in its 'else'" },
	{ DIAG_E0401, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tfor i in grid(a.len) {\n"
	  "\t\tfor j in 0..4u {\n"
	  "\t\t\tif j == i { continue; }\n"
	  "\t\t\ta[i] += subgroup.reduce_add(i);\n"
	  "\t\t}\n"
	  "\t}\n"
	  "}\n",
	  .line = 5, .col = 12, .want =
	  "t.qdk:5:12: error: subgroup.reduce_add() in non-uniform control flow is undefined [E0401]\n"
	  "    5 |    a[i] += subgroup.reduce_add(i);\n"
	  "      |            ^~~~~~~~~~~~~~~~~~~\n"
	  "t.qdk:4:4: note: this condition depends on the index of the grid loop\n"
	  "    4 |    if j == i { continue; }\n"
	  "      |    ^~\n"
	  "help: call it before the jump, in all lanes: let r = subgroup.reduce_add(select(!c, v, 0)); c is the condition of the jump" },
	{ DIAG_E0401, .qdk =
	  "fn f(x: u32) -> u32 {\n"
	  "\tif x > 3 { return 1; }\n"
	  "\treturn subgroup.reduce_add(x);\n"
	  "}\n"
	  "kernel k(a: u32[]) block(64) { for i in grid(a.len) { a[i] = f(i); } }\n",
	  .line = 3, .col = 9, .want =
	  "t.qdk:3:9: error: subgroup.reduce_add() in non-uniform control flow is undefined [E0401]\n"
	  "    3 |  return subgroup.reduce_add(x);\n"
	  "      |         ^~~~~~~~~~~~~~~~~~~\n"
	  "t.qdk:2:2: note: this condition depends on the index of the grid loop\n"
	  "    2 |  if x > 3 { return 1; }\n"
	  "      |  ^~\n"
	  "help: call it before the jump, in all lanes: let r = subgroup.reduce_add(select(!c, v, 0)); c is the condition of the jump" },
	/* Threads that returned in the grid loop are inactive after it. */
	{ DIAG_E0401, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tfor i in grid(a.len) { if a[i] == 1 { return; } }\n"
	  "\ta[0] = subgroup.reduce_add(a[0]);\n"
	  "}\n",
	  .line = 3, .col = 9, .want =
	  "t.qdk:3:9: error: subgroup.reduce_add() in non-uniform control flow is undefined [E0401]\n"
	  "    3 |  a[0] = subgroup.reduce_add(a[0]);\n"
	  "      |         ^~~~~~~~~~~~~~~~~~~\n"
	  "t.qdk:2:25: note: this condition depends on a load from 'a'\n"
	  "    2 |  for i in grid(a.len) { if a[i] == 1 { return; } }\n"
	  "      |                         ^~\n"
	  "help: instead of the jump, put the rest of the loop body into an 'if'" },
	{ DIAG_W0301, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.reduce_min(a[0]);\n"
	  "}\n",
	  .line = 0, .col = 0, .want =
	  "t.qdk:2:30: warning: this load returns 0 if the index is out of range; 0 is not the identity of min: write '... else f32.max' [W0301]\n"
	  "    2 |  let x = subgroup.reduce_min(a[0]);\n"
	  "      |                              ^~~~" },
	{ DIAG_W0301, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tlet x = subgroup.reduce_all_max_tiled(a[0], 2);\n"
	  "}\n",
	  .line = 0, .col = 0, .want =
	  "t.qdk:2:40: warning: this load returns 0 if the index is out of range; 0 is not the identity of max: write '... else f32.min' [W0301]\n"
	  "    2 |  let x = subgroup.reduce_all_max_tiled(a[0], 2);\n"
	  "      |                                        ^~~~" },
	/* Padding threads beyond the loop's count, and elements beyond the end of b. */
	{ DIAG_W0301, .qdk =
	  "kernel k(a: i32[], b: i32[]) {\n"
	  "\tfor i in grid(a.len) { b[i] = subgroup.reduce_max(a[i]) + subgroup.reduce_max(b[i]); }\n"
	  "}\n",
	  .line = 0, .col = 0, .want =
	  "t.qdk:2:80: warning: this load returns 0 if the index is out of range; 0 is not the identity of max: write '... else i32.min' [W0301]\n"
	  "    2 |  for i in grid(a.len) { b[i] = subgroup.reduce_max(a[i]) + subgroup.reduce_max(b[i]); }\n"
	  "      |                                                                                ^~~~" },
	{ DIAG_W0301, .qdk =
	  "kernel k(a: i32[], n: u32) {\n"
	  "\tfor i in grid(n) { a[i] = subgroup.reduce_min(a[i]); }\n"
	  "}\n",
	  .line = 0, .col = 0, .want =
	  "t.qdk:2:48: warning: this load returns 0 if the index is out of range; 0 is not the identity of min: write '... else i32.max' [W0301]\n"
	  "    2 |  for i in grid(n) { a[i] = subgroup.reduce_min(a[i]); }\n"
	  "      |                                                ^~~~" },
	{ DIAG_W0302, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\twhile a[0] == 0.0 { }\n"
	  "}\n",
	  .line = 0, .col = 0, .want =
	  "t.qdk:2:13: warning: this loop waits for a value that it never changes, without a fence or an atomic [W0302]\n"
	  "    2 |  while a[0] == 0.0 { }\n"
	  "      |             ^~" },
	{ DIAG_W0304, .qdk =
	  "kernel k(a: f32[], n: i32, u: u32) {\n"
	  "\tfor j in 0..n { break; a[0] = 1; }\n"
	  "}\n",
	  .line = 0, .col = 0, .want =
	  "t.qdk:2:18: warning: the code after this statement is unreachable [W0304]\n"
	  "    2 |  for j in 0..n { break; a[0] = 1; }\n"
	  "      |                  ^~~~~" },
	/* Constructs of other languages, and suppressed follow-up errors. */
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\tfloat x = 1.0;\n"
	  "\ta[0] = x;\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: expected a statement, found 'float' [E0101]\n"
	  "    2 |  float x = 1.0;\n"
	  "      |  ^~~~~\n"
	  "help: write var x: f32 = ...; or 'let' if it never changes" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\tint i = 0;\n"
	  "\ta[0] = i;\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: expected a statement, found 'int' [E0101]\n"
	  "    2 |  int i = 0;\n"
	  "      |  ^~~\n"
	  "help: write var i: i32 = ...; or 'let' if it never changes" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\tf32 x = 1.0;\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: expected a statement, found 'f32' [E0101]\n"
	  "    2 |  f32 x = 1.0;\n"
	  "      |  ^~~\n"
	  "help: write var x: f32 = ...; or 'let' if it never changes" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\tvar x = 1;\n"
	  "\tx++;\n"
	  "}\n",
	  .line = 3, .col = 4, .want =
	  "t.qdk:3:4: error: expected an expression, found '+' [E0101]\n"
	  "    3 |  x++;\n"
	  "      |    ^\n"
	  "help: there is no unary + and no ++: write x += 1;" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\tvar x = 1;\n"
	  "\tx--;\n"
	  "}\n",
	  .line = 3, .col = 5, .want =
	  "t.qdk:3:5: error: expected an expression, found ';' [E0101]\n"
	  "    3 |  x--;\n"
	  "      |     ^\n"
	  "help: there is no --: write x -= 1;" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32) {\n"
	  "\tfor (int i = 0; i < n; i++) {\n"
	  "\t\ta[i] = 1;\n"
	  "\t}\n"
	  "}\n",
	  .line = 2, .col = 6, .want =
	  "t.qdk:2:6: error: expected the loop's name, found '(' [E0101]\n"
	  "    2 |  for (int i = 0; i < n; i++) {\n"
	  "      |      ^\n"
	  "help: write for i in 0..n { }, without parentheses" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32) {\n"
	  "\tif n > 1 and n < 3 { }\n"
	  "}\n",
	  .line = 2, .col = 11, .want =
	  "t.qdk:2:11: error: expected '{', found 'and' [E0101]\n"
	  "    2 |  if n > 1 and n < 3 { }\n"
	  "      |           ^~~\n"
	  "help: 'and' is written &&" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32) {\n"
	  "\tlet b = n > 1 or n < 3;\n"
	  "}\n",
	  .line = 2, .col = 16, .want =
	  "t.qdk:2:16: error: expected ';', found 'or' [E0101]\n"
	  "    2 |  let b = n > 1 or n < 3;\n"
	  "      |                ^~\n"
	  "help: 'or' is written ||" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32) {\n"
	  "\tif not n { }\n"
	  "}\n",
	  .line = 2, .col = 5, .want =
	  "t.qdk:2:5: error: expected an expression, found 'not' [E0101]\n"
	  "    2 |  if not n { }\n"
	  "      |     ^~~\n"
	  "help: 'not' is written !" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32) {\n"
	  "\tif n = 1 { a[0] = 1; } else { a[0] = 2; }\n"
	  "}\n",
	  .line = 2, .col = 7, .want =
	  "t.qdk:2:7: error: expected '{', found '=' [E0101]\n"
	  "    2 |  if n = 1 { a[0] = 1; } else { a[0] = 2; }\n"
	  "      |       ^\n"
	  "help: write '==' to compare" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32) {\n"
	  "\tif (n > 1) a[0] = 1; else a[0] = 2;\n"
	  "}\n",
	  .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: expected '{', found 'a' [E0101]\n"
	  "    2 |  if (n > 1) a[0] = 1; else a[0] = 2;\n"
	  "      |             ^\n"
	  "help: a body needs braces, even for one statement" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[], n: i32) {\n"
	  "\tif n > 1 { } elif n > 2 { }\n"
	  "}\n",
	  .line = 2, .col = 15, .want =
	  "t.qdk:2:15: error: expected a statement, found 'elif' [E0101]\n"
	  "    2 |  if n > 1 { } elif n > 2 { }\n"
	  "      |               ^~~~\n"
	  "help: write 'else if'" },
	{ DIAG_E0142, .qdk =
	  "kernel k(a: f32[], n: i32) {\n"
	  "\tif n > 1 {\n"
	  "\t\ta[0] = 1;\n"
	  "}\n"
	  "kernel l() { }\n",
	  .line = 2, .col = 11, .want =
	  "t.qdk:2:11: error: this '{' is not closed [E0142]\n"
	  "    2 |  if n > 1 {\n"
	  "      |           ^\n"
	  "t.qdk:5:1: note: its '}' is missing before this\n"
	  "    5 | kernel l() { }\n"
	  "      | ^~~~~~\n"
	  "help: write the '}' that ends its body" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) { } }\n",
	  .line = 1, .col = 24, .want =
	  "t.qdk:1:24: error: expected 'kernel', 'fn', 'const' or 'instantiate', found '}' [E0101]\n"
	  "    1 | kernel k(a: f32[]) { } }\n"
	  "      |                        ^\n"
	  "help: there is an extra '}', here or above" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\tconst n = 4;\n"
	  "\ta[n] = 1;\n"
	  "}\n",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: expected a statement, found 'const' [E0101]\n"
	  "    2 |  const n = 4;\n"
	  "      |  ^~~~~\n"
	  "help: in a function write 'let'" },
	{ DIAG_E0101, .qdk =
	  "fn f(x: f32): f32 { return x; }\n"
	  "kernel k() { }\n",
	  .line = 1, .col = 13, .want =
	  "t.qdk:1:13: error: expected '{', found ':' [E0101]\n"
	  "    1 | fn f(x: f32): f32 { return x; }\n"
	  "      |             ^\n"
	  "help: results follow '->'" },
	{ DIAG_E0101, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\tvar x: i32;\n"
	  "}\n",
	  .line = 2, .col = 12, .want =
	  "t.qdk:2:12: error: expected '=', found ';' [E0101]\n"
	  "    2 |  var x: i32;\n"
	  "      |            ^\n"
	  "help: a variable needs an initial value: var x = 0;" },
	{ DIAG_E0101, .qdk =
	  "kernel k(float *a) { }\n",
	  .line = 1, .col = 16, .want =
	  "t.qdk:1:16: error: expected ':', found '*' [E0101]\n"
	  "    1 | kernel k(float *a) { }\n"
	  "      |                ^\n"
	  "help: the name comes first, then its type: a: f32[], n: i32" },
	{ DIAG_E0104, .qdk =
	  "kernel k(a: i32[], n: i32) {\n"
	  "\ta[0] = n > 1 ? 2 : 3;\n"
	  "}\n",
	  .line = 2, .col = 15, .want =
	  "t.qdk:2:15: error: '?' is not a character of the language [E0104]\n"
	  "    2 |  a[0] = n > 1 ? 2 : 3;\n"
	  "      |               ^\n"
	  "help: write select(c, a, b), which computes both, or an 'if'" },
	{ DIAG_E0104, .qdk =
	  "#define N 4\n"
	  "kernel k() { }\n",
	  .line = 1, .col = 1, .want =
	  "t.qdk:1:1: error: '#' is not a character of the language [E0104]\n"
	  "    1 | #define N 4\n"
	  "      | ^\n"
	  "help: there is no preprocessor; write const N = 1;" },
	{ DIAG_E0116, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\ta[0] = warp.reduce_add(a[0]);\n"
	  "}\n",
	  .line = 2, .col = 9, .want =
	  "t.qdk:2:9: error: unknown name 'warp' [E0116]\n"
	  "    2 |  a[0] = warp.reduce_add(a[0]);\n"
	  "      |         ^~~~\n"
	  "help: a warp is a subgroup: subgroup.reduce_add(v)" },
	{ DIAG_E0116, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\ta[0] = float(q);\n"
	  "}\n",
	  .line = 2, .col = 9, .want =
	  "t.qdk:2:9: error: unknown name 'float' [E0116]\n"
	  "    2 |  a[0] = float(q);\n"
	  "      |         ^~~~~\n"
	  "help: write f32" },
	{ DIAG_E0116, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\ta[0] = q;\n"
	  "\ta[1] = q + 1.0;\n"
	  "\tq[2] = 1;\n"
	  "}\n",
	  .line = 2, .col = 9, .want =
	  "t.qdk:2:9: error: unknown name 'q' [E0116]\n"
	  "    2 |  a[0] = q;\n"
	  "      |         ^\n"
	  "help: declare it: by 'let', 'var', 'const' or 'fn', or as a parameter" },
	{ DIAG_E0116, .qdk =
	  "kernel k(a: f32[]) {\n"
	  "\ta[0] = /* \033[31m \302\233 \377 caf\303\251 \a */ q;\n"
	  "}\n",
	  .line = 2, .col = 34, .want =
	  "t.qdk:2:34: error: unknown name 'q' [E0116]\n"
	  "    2 |  a[0] = /* ?[31m ?? ? caf\303\251 ? */ q;\n"
	  "      |                                  ^\n"
	  "help: declare it: by 'let', 'var', 'const' or 'fn', or as a parameter" },
	{ DIAG_E0116, .qdk =
	  "kernel sum<static L in 0..=1>() { }\n"
	  "instantiate sun<1> as s;\n",
	  .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: unknown name 'sun' [E0116]\n"
	  "    2 | instantiate sun<1> as s;\n"
	  "      |             ^~~\n"
	  "help: did you mean 'sum'?" },
	{ DIAG_E0118, .qdk =
	  "kernel k(a: i32[]) {\n"
	  "\tlet x = subgroup.any(a[0] > 1);\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: 'subgroup' has no member 'any' [E0118]\n"
	  "    2 |  let x = subgroup.any(a[0] > 1);\n"
	  "      |          ^~~~~~~~~~~~\n"
	  "help: write subgroup.any_true" },
	{ DIAG_E0118, .qdk =
	  "kernel k(a: i32[]) {\n"
	  "\tlet x = a.length;\n"
	  "}\n",
	  .line = 2, .col = 10, .want =
	  "t.qdk:2:10: error: a buffer has no member 'length' [E0118]\n"
	  "    2 |  let x = a.length;\n"
	  "      |          ^~~~~~~~\n"
	  "help: write a.len" },
	{ DIAG_E0324, .qdk =
	  "kernel k(b: bool[]) {\n"
	  "\tb[0] = true;\n"
	  "\tlet x = b.len;\n"
	  "}\n",
	  .line = 1, .col = 13, .want =
	  "t.qdk:1:13: error: type bool is not allowed for a buffer's elements [E0324]\n"
	  "    1 | kernel k(b: bool[]) {\n"
	  "      |             ^~~~~~\n"
	  "help: use u32: 0 or 1" },
	{ DIAG_E0401, .qdk =
	  "kernel k(a: i32[]) {\n"
	  "\tif a[0] > 1 { a[0] = subgroup.reduce_all_add(a[0]); }\n"
	  "}\n",
	  .line = 2, .col = 23, .want =
	  "t.qdk:2:23: error: subgroup.reduce_all_add() in non-uniform control flow is undefined [E0401]\n"
	  "    2 |  if a[0] > 1 { a[0] = subgroup.reduce_all_add(a[0]); }\n"
	  "      |                       ^~~~~~~~~~~~~~~~~~~~~~~\n"
	  "t.qdk:2:2: note: this condition depends on a load from 'a'\n"
	  "    2 |  if a[0] > 1 { a[0] = subgroup.reduce_all_add(a[0]); }\n"
	  "      |  ^~\n"
	  "help: call it before the 'if', in all lanes: let r = subgroup.reduce_all_add(select(c, v, 0)); c is the condition of the 'if', !c in its 'else'" },
	{ DIAG_E0401, .qdk =
	  "kernel k(a: i32[]) {\n"
	  "\tif subgroup.tile_lane(2) > 1 { a[0] = subgroup.reduce_all_max_tiled(a[0], 2); }\n"
	  "}\n",
	  .line = 2, .col = 40, .want =
	  "t.qdk:2:40: error: subgroup.reduce_all_max_tiled() in non-uniform control flow is undefined [E0401]\n"
	  "    2 |  if subgroup.tile_lane(2) > 1 { a[0] = subgroup.reduce_all_max_tiled(a[0], 2); }\n"
	  "      |                                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
	  "t.qdk:2:2: note: this condition depends on subgroup.tile_lane()\n"
	  "    2 |  if subgroup.tile_lane(2) > 1 { a[0] = subgroup.reduce_all_max_tiled(a[0], 2); }\n"
	  "      |  ^~\n"
	  "help: call it before the 'if', in all lanes: let r = subgroup.reduce_all_max_tiled(select(c, v, i32.min), 2); c is the condition of the 'if', !c in its 'else'" },
	{ DIAG_E0210, .qdk =
	  "kernel k(a: i32[]) {\n"
	  "\ta[0] = subgroup.reduce_add_tiled(a[0], subgroup.log2_group_size() + 1);\n"
	  "}\n",
	  .target = "spirv:w8", .line = 2, .col = 68, .want =
	  "t.qdk:2:68: error: log2_size 4 needs 16 lanes but target spirv:w8 has 8 [E0210]\n"
	  "    2 |  a[0] = subgroup.reduce_add_tiled(a[0], subgroup.log2_group_size() + 1);\n"
	  "      |                                                                    ^" },
	{ DIAG_E0216, .qdk =
	  "kernel k(a: i32[]) {\n"
	  "\ta[0] = subgroup.reduce_add_tiled(a[0], subgroup.invocation_id());\n"
	  "}\n",
	  .line = 2, .col = 41, .want =
	  "t.qdk:2:41: error: log2_size must be a constant or a template parameter [E0216]\n"
	  "    2 |  a[0] = subgroup.reduce_add_tiled(a[0], subgroup.invocation_id());\n"
	  "      |                                         ^~~~~~~~~~~~~~~~~~~~~~~~\n"
	  "help: use a number, a template parameter or subgroup.log2_group_size()" },
	{ DIAG_E0218, .qdk =
	  "kernel k(a: i32[]) {\n"
	  "\tunroll for j in 0..subgroup.group_size() { a[j] = 1; }\n"
	  "}\n",
	  .line = 2, .col = 21, .want =
	  "t.qdk:2:21: error: the bound of an 'unroll for' must be a constant [E0218]\n"
	  "    2 |  unroll for j in 0..subgroup.group_size() { a[j] = 1; }\n"
	  "      |                     ^~~~~~~~~~~~~~~~~~~~~\n"
	  "help: use a number, a 'const' or a template parameter" },
	{ DIAG_E0222, .qdk =
	  "fn f<static L in {1, 4, 2}>(x: i32) -> i32 { return x << L; }\n"
	  "kernel k(a: i32[]) { a[0] = f(a[1], L = 3); }\n",
	  .line = 2, .col = 41, .want =
	  "t.qdk:2:41: error: L = 3 is not one of its choices: 1, 4, 2 [E0222]\n"
	  "    2 | kernel k(a: i32[]) { a[0] = f(a[1], L = 3); }\n"
	  "      |                                         ^" },
	{ DIAG_E0341, .qdk =
	  "fn f(x: f32, y: f32) -> f32 { return x; }\n"
	  "kernel k(a: i32[]) { a[0] = subgroup.reduce(a[0], op = f); }\n",
	  .line = 2, .col = 56, .want =
	  "t.qdk:2:56: error: argument 1 of 'f' is i32, not f32 [E0341]\n"
	  "    2 | kernel k(a: i32[]) { a[0] = subgroup.reduce(a[0], op = f); }\n"
	  "      |                                                        ^\n"
	  "help: convert it: f32(x)" },
};
/* clang-format on */
const unsigned n_diag_cases_lang = sizeof diag_cases_lang / sizeof diag_cases_lang[0];
