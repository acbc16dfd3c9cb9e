/* Results of programs: each case runs on the interpreter, with four lanes to a subgroup, and lists
 * the results of eight threads. A warning, a finding or a remark fails it. */
#include <stdio.h>

#include "lang_run.h"
#include "ref_rig.h"

enum { N = 8 };

/* A program: decl, then kernel k(s: in u32[], o: u32[]) block(8) { body }. Initially s is 10..17
 * and o is 0..7. A body that begins with '=' is the body of a grid loop over i; '?' before it
 * permits remarks. */
struct run_case {
	const char *decl, *body;
	uint32_t want[N];
};

/* clang-format off */
static const struct run_case cases[] = {
	/* Loops. */
	{ "", "= var n = 0u; for j in 0..i { n += j; } o[i] = n;",
	  { 0, 0, 1, 3, 6, 10, 15, 21 } },
	{ "", "= var n = 0u; for j in 1..i step 3 { n += j; } o[i] = n;",
	  { 0, 0, 1, 1, 1, 5, 5, 5 } },
	{ "", "= var n = 0u; for j in 0..i { if j % 2 == 0 { continue; } n += j; } o[i] = n;",
	  { 0, 0, 1, 1, 4, 4, 9, 9 } },
	{ "", "= var n = 0u; for j in 0..i step 2 { if j == 2 { continue; } n += j; } o[i] = n;",
	  { 0, 0, 0, 0, 0, 4, 4, 10 } },
	{ "", "= var n = 0u; for j in 0..10u { if j == i { break; } n += 1; } o[i] = n;",
	  { 0, 1, 2, 3, 4, 5, 6, 7 } },
	/* Loops at the ends of their types. */
	{ "", "= var n = 0u; for j in 4294967290u..u32.max step 4 { n += 1; } o[i] = n;",
	  { 2, 2, 2, 2, 2, 2, 2, 2 } },
	{ "", "= var n = 0u; for j in u32.max - i..u32.max { n += 1; } o[i] = n;",
	  { 0, 1, 2, 3, 4, 5, 6, 7 } },
	{ "", "= var n = 0u; for j in -2147483648..2147483647 step 1000000000 { n += 1; } o[i] = n;",
	  { 5, 5, 5, 5, 5, 5, 5, 5 } },
	{ "", "= var n = 0u; var last = 0; for j in -2147483648..2147483647 step 1000000000 { last = j; } "
	  "o[i] = bitcast<u32>(last);",
	  { 1852516352, 1852516352, 1852516352, 1852516352, 1852516352, 1852516352, 1852516352,
	    1852516352 } },
	{ "", "= var n = 0u; for j in i32.min..i32.max step i32.max { n += 1; } o[i] = n;",
	  { 3, 3, 3, 3, 3, 3, 3, 3 } },
	{ "", "= var n = 0u; for j in 0l..i64.max step 4611686018427387904 { n += 1; } o[i] = n;",
	  { 2, 2, 2, 2, 2, 2, 2, 2 } },
	{ "", "= var n = 0u; for j in 0..5 step i32(i) - 1 { n += 1; } o[i] = n;",
	  { 0, 0, 5, 3, 2, 2, 1, 1 } },
	{ "", "= var n = 0u; for j in 0..5u step i { n += 1; } o[i] = n;",
	  { 0, 5, 3, 2, 2, 1, 1, 1 } },
	{ "", "= var n = 0u; for j in 5..3 { n += 1; } for j in i..0 { n += 1; } o[i] = n;",
	  { 0, 0, 0, 0, 0, 0, 0, 0 } },
	{ "", "= var n = i; var r = 0u; while n > 0 { n -= 1; if n == 2 { continue; } r += n; } o[i] = r;",
	  { 0, 0, 1, 1, 4, 8, 13, 19 } },
	{ "", "= var r = 0u; while true { r += 1; if r * r > i { break; } } o[i] = r;",
	  { 1, 2, 2, 2, 3, 3, 3, 3 } },
	/* Values without a type of their own: constants, templates, variables of unrolled loops. */
	{ "const N = 3; const M = N * 2 + 1; const H = 0.1; const BIG = 1 << 40; const ALL = -1;",
	  "= let x = i * N + M; let y = N - i * 0; var z = i64(i) + BIG; z += ALL; "
	  "o[i] = x * 1000 + y * 100 + u32(z >> 40) * 10 + u32(f32(s[0]) * H == 1.0) + u32(f64(s[0]) * H == 1.0);",
	  { 7302, 10312, 13312, 16312, 19312, 22312, 25312, 28312 } },
	{ "fn f<static L in -2..=6>(x: u32) -> u32 { return x * (L + 2) + L + max(x, L) + select(x > L, 1, L); }",
	  "= o[i] = f(i, L = 2) + f(i, L = 0);",
	  { 6, 14, 21, 28, 36, 44, 52, 60 } },
	{ "const N = 2; fn g<T in {i32, u32, f32}>(x: T, y: T) -> T { return x * y; }",
	  "= var n = 0u; unroll for j in 0..3 { n += j * i + g(N, i) + u32(g(j, N)); } for j in N..i { n += 1000 * j; } o[i] = n << N;",
	  { 24, 60, 96, 8132, 20168, 36204, 56240, 80276 } },
	{ "const T: u32[3] = [5, 6, 7];", "= var n = 0u; unroll for j in 0..3 { n += T[j - 1] * (i + 1); } o[i] = n;",
	  { 11, 22, 33, 44, 55, 66, 77, 88 } },
	{ "const A = 7; const F = 2.5; const D = 1 / 2.0;",
	  "= let x = A / 2 * F; let y: f64 = A * D; o[i] = u32(x * 10) + u32(y * 1000) + u32(-A % 4 == -3) + u32(A);",
	  { 3583, 3583, 3583, 3583, 3583, 3583, 3583, 3583 } },
	/* unroll, with divergent jumps. */
	{ "", "= var n = 0u; unroll for j in 0..4u { n += j * i; } o[i] = n;",
	  { 0, 6, 12, 18, 24, 30, 36, 42 } },
	{ "", "= var n = 0u; unroll for j in 0..5u { if j == i { continue; } n |= 1 << j; } o[i] = n;",
	  { 30, 29, 27, 23, 15, 31, 31, 31 } },
	{ "", "= var n = 0u; unroll for j in 0..5u { if j == i { break; } n |= 1 << j; } o[i] = n;",
	  { 0, 1, 3, 7, 15, 31, 31, 31 } },
	{ "", "= var n = 0u; unroll for j in 0..6u { if j == i { n += 100; if i > 2 { break; } continue; } "
	  "n += 1; } o[i] = n;",
	  { 105, 105, 105, 103, 104, 105, 6, 6 } },
	{ "", "= var n = 0u; unroll for j in 0..6u { if j < i { if j == 1 { continue; } n += 1; } "
	  "else { n += 10; if j == 4 { break; } } n += 100; } o[i] = n;",
	  { 450, 441, 331, 322, 313, 514, 505, 505 } },
	/* unroll, with a continue that determines whether the break is reached. */
	{ "", "= var n = 0u; unroll for j in 0..5u { n += 1; if j < i { continue; } break; } o[i] = n;",
	  { 1, 2, 3, 4, 5, 5, 5, 5 } },
	{ "", "= var n = 0u; unroll for j in 0..5u { if j < i { n += 1; } else { n += 10; if j == 3 { n += 100; "
	  "continue; } } if i == 6 { break; } n += 1000; } o[i] = n;",
	  { 4150, 4141, 4132, 4123, 5014, 5005, 1, 5005 } },
	{ "const W = 3;", "= var n = 0u; unroll for j in 0..9 { static if j >= W { break; } n += 1; } "
	  "o[i] = n;",
	  { 3, 3, 3, 3, 3, 3, 3, 3 } },
	{ "", "= var n = 0u; unroll for j in 10..0 { n += 1; } unroll for j in -3..3 step 2 { n += 1; } "
	  "o[i] = n;",
	  { 3, 3, 3, 3, 3, 3, 3, 3 } },
	{ "", "= var n = 0u; for a in 0..3u { unroll for b in 0..3u { if b > a { break; } n += 1; } "
	  "if a == i { break; } } o[i] = n;",
	  { 1, 3, 6, 6, 6, 6, 6, 6 } },
	/* Uniform jumps. */
	{ "", "= var n = 0u; unroll for j in 0..4u { n += 1; static if j == 1 { continue; } n += 10; "
	  "static if j == 2 { break; } n += 100; } o[i] = n;",
	  { 123, 123, 123, 123, 123, 123, 123, 123 } },
	{ "", "= var n = 0u; while false { n = 1; if i > 2 { break; } } while i * 0 != 0 { n += 2; } "
	  "for j in 3..1 { n += 4; } o[i] = n;",
	  { 0, 0, 0, 0, 0, 0, 0, 0 } },
	{ "fn f(x: u32) -> u32 { while true { for j in 0..9u { if j > x { return j; } } return 20; } }",
	  "= o[i] = f(i * 2);",
	  { 1, 3, 5, 7, 20, 20, 20, 20 } },
	/* Functions and their returns. */
	{ "fn sign(x: i32) -> i32 { if x < 0 { return -1; } if x > 0 { return 1; } return 0; }",
	  "= o[i] = bitcast<u32>(sign(i32(i) - 3) + 5);",
	  { 4, 4, 4, 5, 6, 6, 6, 6 } },
	{ "fn root(n: u32) -> u32 { for j in 0..10u { if j * j >= n { return j; } } return 99; }",
	  "= o[i] = root(i);",
	  { 0, 1, 2, 2, 2, 3, 3, 3 } },
	{ "fn two(n: u32) -> u32 { for a in 1..3u { for b in 0..3u { if a * b == n { return a * 10 + b; } "
	  "} } return 77; }",
	  "= o[i] = two(i);",
	  { 10, 11, 12, 77, 22, 77, 77, 77 } },
	{ "fn two(n: u32) -> u32 { var t = 0u; while true { unroll for b in 0..3u { t += 1; "
	  "if t > n { return t * 10 + b; } if b == n { break; } } } }",
	  "= o[i] = two(i);",
	  { 10, 21, 32, 40, 51, 62, 70, 81 } },
	{ "fn mixed(n: u32) -> u32 { var t = n; if n > 4 { if n == 6 { return 60; } t += 1; } "
	  "else { t += 2; } if t == 2 { return 20; } return t; }",
	  "= o[i] = mixed(i);",
	  { 20, 3, 4, 5, 6, 6, 60, 8 } },
	{ "fn divide(a: u32, b: u32) -> u32, u32 { return a / b, a % b; }",
	  "= let q, r = divide(s[i], 3); o[i] = q * 10 + r;",
	  { 31, 32, 40, 41, 42, 50, 51, 52 } },
	{ "fn set(o: u32[], i: u32, v: u32) { if v == 2 { return; } o[i] = v; }",
	  "= set(o, i, i / 2 * 2); set(o, i, i & 3);",
	  { 0, 1, 2, 3, 0, 1, 6, 3 } },
	{ "fn set(o: u32[], i: u32) { o[i] = 9; }",
	  "= if i > 5 { return set(o, i); } o[i] += 20;",
	  { 20, 21, 22, 23, 24, 25, 9, 9 } },
	{ "fn set(o: u32[], i: u32) { o[i] = 9; }",
	  "= if i > 5 { return set(o, i); } o[i] += 20;",
	  { 20, 21, 22, 23, 24, 25, 9, 9 } },
	{ "fn a(x: u32) -> u32 { return b(x) + b(x + 1); } fn b(x: u32) -> u32 { return x * x; }",
	  "= o[i] = a(i);",
	  { 1, 5, 13, 25, 41, 61, 85, 113 } },
	{ "fn twice<T in {u32, f32}>(x: T) -> T { return x + x; }",
	  "= o[i] = twice(i) + u32(twice(f32(i))) + u32(twice(1.5));",
	  { 3, 7, 11, 15, 19, 23, 27, 31 } },
	{ "fn pow<static P in 0..=4>(x: u32) -> u32 { var r = 1u; unroll for j in 0..P { r *= x; } return r; }",
	  "= o[i] = pow(i, P = 3);",
	  { 0, 1, 8, 27, 64, 125, 216, 343 } },
	{ "fn nth(x: u32, static n: i32) -> u32 { static if n == 0 { return x; } else { return nth2(x, n - 1) "
	  "+ 1; } } fn nth2(x: u32, static n: i32) -> u32 { return x * u32(n + 1); }",
	  "= o[i] = nth(i, 0) + nth(i, 2) * 10;",
	  { 10, 31, 52, 73, 94, 115, 136, 157 } },
	/* Early returns from kernels. */
	{ "", "= if i == 3 { return; } o[i] = 100;",
	  { 100, 100, 100, 3, 100, 100, 100, 100 } },
	{ "", "= if i % 2 == 1 { continue; } o[i] = 50;",
	  { 50, 1, 50, 3, 50, 5, 50, 7 } },
	{ "", "for i in grid(o.len) { if i == 2 { return; } if i == 3 { continue; } o[i] = 100; } "
	  "o[block.thread_idx()] += 10;",
	  { 110, 110, 2, 13, 110, 110, 110, 110 } },
	{ "", "for i in grid(o.len) { for j in 0..4u { if j == i { return; } if j + 4 == i { break; } "
	  "o[i] += 10; } if i == 5 { continue; } o[i] += 100; } o[block.thread_idx()] += 1000;",
	  { 0, 11, 22, 33, 1104, 1015, 1126, 1137 } },
	/* Code after the grid loop, where all threads of the block are active. */
	{ "", "for i in grid(6u) { o[i] = 5; return; } o[block.thread_idx()] += 1;",
	  { 5, 5, 5, 5, 5, 5, 7, 8 } },
	{ "", "for i in grid(6u) { if i == 1 { continue; } o[i] = 5; } o[block.thread_idx()] += 1;",
	  { 6, 2, 6, 6, 6, 6, 7, 8 } },
	{ "", "var n = 1u; for i in grid(6u) { n = i * 10; if i == 2 { return; } n += 1; } "
	  "let t = block.thread_idx(); if t == 3 { return; } o[t] = n;",
	  { 1, 11, 2, 3, 41, 51, 1, 1 } },
	{ "", "let t = block.thread_idx(); for i in grid(6u) { o[i] = subgroup.reduce_add(i); } "
	  "o[t] += subgroup.reduce_add(1u) * 100;",
	  { 406, 406, 406, 406, 409, 409, 406, 407 } },
	{ "", "= for j in 0..9u { if j == i { return; } o[i] += 10; }",
	  { 0, 11, 22, 33, 44, 55, 66, 77 } },
	{ "", "let t = block.thread_idx(); if t > 5 { return; } o[t] = 1; if t > 3 { return; } o[t] += 1;",
	  { 2, 2, 2, 2, 1, 1, 6, 7 } },
	/* Assignments. */
	{ "", "= var a, b = i, s[i]; a, b = b, a; o[i] = a * 100 + b;",
	  { 1000, 1101, 1202, 1303, 1404, 1505, 1606, 1707 } },
	{ "", "= var j = i; o[j], j = j * 2, 7u; o[i] += j;",
	  { 7, 9, 11, 13, 15, 17, 19, 21 } },
	{ "", "= o[i] <<= 2; o[i] |= 1; o[i] -= 1; o[i] ^= 3; o[i] *= 3; o[i] %= 50; o[i] >>= 1u; o[i] &= 31;",
	  { 4, 10, 16, 22, 3, 9, 15, 21 } },
	{ "", "= var x, y = 1u, 2u; x, y += 10, i; o[i] = x * 100 + y;",
	  { 1102, 1103, 1104, 1105, 1106, 1107, 1108, 1109 } },
	{ "", "= let x = i; { let x = x + 1; o[i] = x; } o[i] += x * 10;",
	  { 1, 12, 23, 34, 45, 56, 67, 78 } },
	/* Logical operators evaluate the right side only if needed. */
	{ "fn mark(o: u32[], i: u32) -> bool { o[i] = 9; return true; }",
	  "= if i % 2 == 0 && mark(o, i) { o[i] += 100; }",
	  { 109, 1, 109, 3, 109, 5, 109, 7 } },
	{ "fn mark(o: u32[], i: u32) -> bool { o[i] = 9; return false; }",
	  "= if i % 2 == 0 || mark(o, i) { o[i] += 100; }",
	  { 100, 9, 102, 9, 104, 9, 106, 9 } },
	{ "", "= o[i] = u32(i > 1 && i < 4 || i == 6 && !(s[i] == 10)) + u32(true && i) * 2;",
	  { 0, 2, 3, 3, 2, 2, 3, 2 } },
	/* Unevaluated right sides cause no remarks. */
	{ "", "= let x = i % 4; if x != 0 && 12 / x > 5 { o[i] = 50; } if x == 0 || s[i] % x == 0 { o[i] += 100; }",
	  { 100, 150, 150, 3, 104, 150, 150, 7 } },
	{ "", "= var x = 0u; if x != 0 && floordiv(s[i], x) > 2 { o[i] = 50; } if i < 2 || s[i - 2] > 14 "
	  "{ o[i] += 100; } if i < 7 && s[i + 1] > 15 { o[i] += 200; }",
	  { 100, 101, 2, 3, 4, 205, 206, 107 } },
	{ "const D = 0; const B = D != 0 && 10 / D > 1; fn f(x: u32, static d: u32) -> u32 { "
	  "if d != 0 { return x / d; } else if d == 1 { return x % d; } return 77; }",
	  "= static if B || D != 0 && D % D == 0 { o[i] = 1; } else { o[i] = f(i, 0) + f(i, 2) + u32(D > 0 && i / u32(D) > 0); }",
	  { 77, 77, 78, 78, 79, 79, 80, 80 } },
	/* A condition may be any scalar; NaN counts as nonzero. */
	{ "", "= var n = 0u; if i { n += 1; } if f32(i) - 2 { n += 10; } if i64(i) - 3 { n += 100; } "
	  "if nan { n += 1000; } if 0.0 || -0.0 { n += 5; } if !f64(i) { n += 7; } o[i] = n;",
	  { 1117, 1111, 1101, 1011, 1111, 1111, 1111, 1111 } },
	{ "", "= var n = f32(i); var m = 0u; while n { n -= 1; m += 2; } static if 0.5 { m += 100; } static if 0l { m += 1000; } "
	  "o[i] = m + select(i & 4, 10, 20) + u32(s[i] && f32(i));",
	  { 120, 123, 125, 127, 119, 121, 123, 125 } },
	{ "", "= if i & 1 { o[i] = 70; } else if i & 2 { o[i] = 80; } else { o[i] = 90; }",
	  { 90, 70, 80, 70, 90, 70, 80, 70 } },
	/* Precedence, literals, casts. */
	{ "", "= o[i] = i | 2 ^ 3 & 5 + 1 << 1 * 2 - 1;", { 2, 3, 2, 3, 6, 7, 6, 7 } },
	{ "", "= o[i] = select(i + 1 & 3 == i, 10 - 3 - 2, 100 / 5 / 2);",
	  { 10, 10, 10, 10, 10, 10, 10, 10 } },
	{ "", "= o[i] = 7 - (3 - i % 2) - 1;", { 3, 4, 3, 4, 3, 4, 3, 4 } },
	{ "const ALL: u32 = ~0; const TOP: u32 = 1 << 31; const LO = -2147483648;",
	  "= o[i] = u32(ALL == u32(-1)) + u32(TOP == 0x80000000) * 2 + u32(LO == i32.min) * 4 + "
	  "u32(i32.max == 0x7fffffff) * 8 + u32(u64.max == 18446744073709551615) * 16;",
	  { 31, 31, 31, 31, 31, 31, 31, 31 } },
	{ "const A: i32 = B * 2; const B = 5 + 3;", "= o[i] = u32(A) + i;",
	  { 16, 17, 18, 19, 20, 21, 22, 23 } },
	{ "", "= o[i] = u32(i32(-2.75) + 10) + u32(1e10) / 4294967295 + u32(f32(nan)) + u32(i64(1e18) / "
	  "1000000000000000000) * 100 + u32(i32(1e10) == i32.max) * 200;",
	  { 309, 309, 309, 309, 309, 309, 309, 309 } },
	{ "", "= let x = f32(i) * 2 + 0.5; o[i] = u32(x * 10) + u32(isnan(x - nan)) * 100 + u32(isinf(inf)) * 200;",
	  { 305, 325, 345, 365, 385, 405, 425, 445 } },
	{ "", "= o[i] = bitcast<u32>(-0.0) >> 31 | bitcast<u32>(f32(-0)) | u32(0x1.8p1) << 4;",
	  { 49, 49, 49, 49, 49, 49, 49, 49 } },
	{ "", "= let d = i32(i) - 4; o[i] = bitcast<u32>(floordiv(d, 3) * 10 + floormod(d, 3) + 20);",
	  { 2, 10, 11, 12, 20, 21, 22, 30 } },
	{ "", "= o[i] = u32(floordiv(-7, 2) + 10) + u32(floormod(-7, 2)) * 10 + u32(-7 / 2 + 10) * 100;",
	  { 716, 716, 716, 716, 716, 716, 716, 716 } },
	{ "", "= o[i] = u32(clamp(i32(i), 2, 5)) + popcount(i) * 10 + ffs(i) * 100 + min(i, 3) * 1000;",
	  { 2, 1112, 2212, 3123, 3314, 3125, 3225, 3135 } },
	{ "", "= let w = u64(i) << 32 | 5; o[i] = u32(w >> 32) + u32(w) + u32(w > 4294967296ul) * 100;",
	  { 5, 106, 107, 108, 109, 110, 111, 112 } },
	/* Loads out of range. */
	{ "", "?= o[i] = s[i + 4] + (s[i + 4] else 7);", { 28, 30, 32, 34, 7, 7, 7, 7 } },
	{ "", "?= o[i] = s[-1l] + s[9000000000ul] + s[i32(i) - 1];", { 0, 10, 11, 12, 13, 14, 15, 16 } },
	/* Cross-lane operations with four lanes to a subgroup. */
	{ "", "= o[i] = subgroup.shuffle(s[i], 1) + subgroup.broadcast_first(i) * 100;",
	  { 11, 11, 11, 11, 415, 415, 415, 415 } },
	{ "", "= o[i] = subgroup.shuffle_up(i, 1) + subgroup.shuffle_down(i, 1) * 10 + subgroup.shuffle_xor(i, 3) * 100 "
	  "+ subgroup.broadcast(i, 2) * 1000;",
	  { 2310, 2220, 2131, 2032, 6754, 6664, 6575, 6476 } },
	{ "", "= o[i] = subgroup.reduce_add(i) + subgroup.reduce_all_max_tiled(i, 1) * 100 + "
	  "subgroup.inclusive_add_tiled(i, 1) * 1000;",
	  { 106, 1106, 2306, 5306, 4522, 9522, 6722, 13722 } },
	/* Tiles whose size the target determines. */
	{ "fn sum<static L in 0..=7>(x: u32) -> u32 { return subgroup.reduce_add_tiled(x, L); }",
	  "= o[i] = sum(i, L = subgroup.log2_group_size()) + 1000 * subgroup.inclusive_add_tiled(i, "
	  "subgroup.log2_group_size() - 1);",
	  { 6, 1006, 2006, 5006, 4022, 9022, 6022, 13022 } },
	{ "fn max2(a: u32, b: u32) -> u32 { return max(a, b); }",
	  "= let l = subgroup.log2_group_size(); o[i] = subgroup.ballot_first_n(i, subgroup.group_size() / 2 + 1) "
	  "+ 100 * u32(subgroup.tile_lane(l >> 1)) + 1000 * subgroup.reduce_tiled(i, min(l, 1), op = max2);",
	  { 1006, 1106, 3006, 3106, 5007, 5107, 7007, 7107 } },
	{ "", "= o[i] = subgroup.ballot_first_n(i % 3, 3) + subgroup.id * 100 + u32(subgroup.elect()) * 1000 + "
	  "subgroup.tile_lane(1) * 10000;",
	  { 1006, 10006, 6, 10006, 1103, 10103, 103, 10103 } },
	/* Cross-lane operations before a divergent jump. */
	{ "", "= var n = 0u; for j in 0..2u { n += subgroup.reduce_add(i); if j == i { continue; } n += 100; } "
	  "o[i] = n;",
	  { 112, 112, 212, 212, 244, 244, 244, 244 } },
	/* An element of the loop's own array is active where the thread is. */
	{ "", "= o[i] = subgroup.reduce_min(o[i]) + subgroup.reduce_all_max_tiled(o[i], 1) * 10;",
	  { 10, 10, 30, 30, 54, 54, 74, 74 } },
	{ "fn affine(a: u32, b: u32, c: u32, d: u32) -> u32, u32 { return a * c, b * c + d; }",
	  "= let a, b = subgroup.inclusive_scan(i + 1, 1, op = affine); o[i] = a * 100 + b;",
	  { 101, 203, 610, 2441, 501, 3007, 21050, 168401 } },
	{ "fn later(a: u32, b: u32) -> u32 { var r = a; r = b; let keep = r; r += a * 0; return keep; }",
	  "= o[i] = subgroup.reduce_all_tiled(s[i], 1, op = later);",
	  { 11, 11, 13, 13, 15, 15, 17, 17 } },
	{ "", "= o[i] = block.dim + block.idx + grid.dim + subgroup.count + block.thread_idx(0) * 100 "
	  "+ subgroup.group_size();",
	  { 15, 115, 215, 315, 415, 515, 615, 715 } },
	/* Segments and sorts: heads that are not bools, one of them a NaN; equal keys. */
	{ "", "= o[i] = subgroup.segmented_reduce_add(s[i], i == 2 || i == 5);",
	  { 10, 21, 12, 25, 14, 15, 31, 48 } },
	{ "", "= o[i] = subgroup.segmented_reduce_max_tiled(s[i] ^ 1, i & 6, 1);",
	  { 11, 11, 13, 12, 15, 14, 17, 16 } },
	{ "", "= o[i] = subgroup.segmented_reduce_add(i + 1, select(i == 6, sqrt(0.0 - f32(i)), -0.0));",
	  { 1, 3, 6, 10, 5, 11, 7, 15 } },
	{ "", "= let k, v = subgroup.bitonic_sort_kv(s[i] * 5 % 8, i); o[i] = k * 10 + v;",
	  { 13, 20, 42, 71, 6, 35, 57, 64 } },
	{ "", "= let k, v = subgroup.bitonic_sort_kv_tiled(select((i & 1) == 0, 0.0, -0.0), "
	  "7 - i / 4 * (i & 1 ^ 1), 1); o[i] = bitcast<u32>(k) / 0x80000000 * 100 + v;",
	  { 107, 7, 107, 7, 6, 107, 6, 107 } },
	{ "", "= let k, v = subgroup.bitonic_sort_kv(i32.max, select(i % 4 == 0, 1005, -1)); "
	  "o[i] = bitcast<u32>(v + 1);",
	  { 0, 0, 0, 1006, 0, 0, 0, 1006 } },
	/* Shared arrays of any shape and type, as parameters, and one for each call. */
	{ "", "= shared s: u32[2, 4]; let t = block.thread_idx(); s[t / 4, t % 4] = i * 10; block.sync(); "
	  "o[i] = s[1 - t / 4, 3 - t % 4] + s.len;",
	  { 78, 68, 58, 48, 38, 28, 18, 8 } },
	{ "", "= shared s: i8[8]; shared h: f16[2, 2, 2]; s[i] = i32(i) * 40; h[i / 4, i / 2 % 2, i % 2] = f32(i) + 0.5; "
	  "o[i] = bitcast<u32>(s[i]) + u32(h[i / 4, i / 2 % 2, i % 2] * 2.0);",
	  { 1, 43, 85, 127, 4294967209u, 4294967251u, 4294967293u, 39 } },
	{ "fn other(s: shared u32[8], t: u32) -> u32 { return s[7 - t]; } "
	  "fn own(x: u32, t: u32) -> u32 { shared s: u32[8]; s[t] = x; block.sync(); return other(s, t); }",
	  "= o[i] = own(i, i) * 100 + own(i * 2, i);",
	  { 714, 612, 510, 408, 306, 204, 102, 0 } },
	{ "fn sum(s: shared u32[]) -> u32 { var n = 0u; for j in 0..s.len { n += s[j]; } return n; }",
	  "= shared a: u32[3]; shared b: u32[2]; if i < 3 { a[i] = i + 1; } if i < 2 { b[i] = 10; } block.sync(); "
	  "o[i] = sum(a) * 100 + sum(b);",
	  { 620, 620, 620, 620, 620, 620, 620, 620 } },
	{ "", "= if i < 4 { shared s: u32[4]; s[i] = i; o[i] = s[i]; } else { shared s: u32[9]; s[i] = i; o[i] = s[i] + 10; }",
	  { 0, 1, 2, 3, 14, 15, 16, 17 } },
	/* Shared arrays with an index range that only a target determines. */
	{ "", "= shared s: u32[4]; if subgroup.group_size() >= 8 { s[7] = 1; } o[i] = subgroup.reduce_max(s.len + i);",
	  { 7, 7, 7, 7, 11, 11, 11, 11 } },
	/* Atomics: compound assignment, results, order and scope. */
	{ "", "shared c: u32[2]; let t = block.thread_idx(); if t < 2 { c[t] = 5 * t; } block.sync(); "
	  "atomic.add(c[t % 2], t, scope = block); atomic.max(c[1], 3, order = acq_rel); block.sync(); "
	  "o[t] = c[t % 2];",
	  { 12, 21, 12, 21, 12, 21, 12, 21 } },
	{ "", "= shared c: u32[8]; c[i] = i; let a = atomic.exchange(c[i], i + 100); let b = atomic.cas(c[i], i + 100, 7, scope = subgroup); "
	  "let d = atomic.cas(c[i], 8, 9, order = release, scope = device); o[i] = a + b * 10 + d * 10000;",
	  { 71000, 71011, 71022, 71033, 71044, 71055, 71066, 71077 } },
	{ "", "= let was = atomic.sub(o[7 - i], 1); o[7 - i] = was + atomic.load(o[7 - i], order = acquire);",
	  { 4294967295u, 1, 3, 5, 7, 9, 11, 13 } },
	{ "", "= block.mem_fence(order = release); grid.mem_fence(); subgroup.mem_fence(order = acquire); subgroup.sync(); "
	  "grid.mem_fence(scope = system); o[i] = i;",
	  { 0, 1, 2, 3, 4, 5, 6, 7 } },
};
/* clang-format on */

size_t
lang_run_text(size_t i, char *out, size_t cap)
{
	const struct run_case *c = &cases[i];
	const char *body;
	bool grid;

	if (i >= QD_COUNT(cases))
		return 0;
	body = c->body + (c->body[0] == '?');
	grid = body[0] == '=';
	return (size_t)snprintf(out, cap,
				"%s\nkernel k(s: in u32[], o: u32[]) block(8) allow(\"W0308\", \"one full block\") {\n%s%s\n%s}\n",
				c->decl, grid ? "for i in grid(o.len) {" : "", body + grid,
				grid ? "}" : "");
}

static struct qd_kernel *
make(struct unit_ctx *t, struct rig *r, const struct run_case *c)
{
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	char text[2048];
	qd_status st;

	lang_run_text((size_t)(c - cases), text, sizeof text);
	r->len = 0;
	r->log[0] = '\0';
	st = qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &m, &r->err);
	if (!st)
		st = qd_module_kernel(m, "k", NULL, 0, &k, &r->err);
	UNIT_CHECK(t, !st && !r->len, "%s:\n%s%s", c->body, r->err.text, r->log);
	qd_module_free(m);
	return k;
}

void
lang_run_cases(struct unit_ctx *t)
{
	struct rig r;

	if (!rig_open(&r, t, "ref:4"))
		return;
	for (size_t n = 0; n < QD_COUNT(cases); n++) {
		const struct run_case *c = &cases[n];
		uint32_t s[N], o[N];
		struct io io[2] = { IO(s), IO(o) };
		bool remarks = c->body[0] == '?';
		struct qd_kernel *k = make(t, &r, c);
		qd_status st;

		for (uint32_t i = 0; i < N; i++) {
			s[i] = 10 + i;
			o[i] = i;
		}
		if (!k)
			continue;
		st = rig_launch(&r, k, 1, io, 2);
		UNIT_CHECK(t, !st && remarks == (r.len > 0), "%s:\n%s%s", c->body, r.err.text,
			   r.log);
		for (uint32_t i = 0; i < N; i++)
			UNIT_CHECK(t, o[i] == c->want[i], "%s: thread %u has %u, expected %u",
				   c->body, i, o[i], c->want[i]);
		qd_kernel_free(k);
	}
	rig_close(&r);
}
