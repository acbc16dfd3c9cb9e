/* gpu-nan DEVICE: the bits of NaNs on a device. Fails if -x, abs or a move changes more than the
 * language allows (docs/semantics.md: only the sign bit, or nothing). Prints the results of
 * arithmetic, for which any NaN is correct.
 *
 * QD_TEST_MUTATION: "bit" flips a bit of a result, which must be detected. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/example.h"
#include "qd.h"

enum { N = 4 };

/* Elements of each type's result: -x, abs(x), select, a move through a variable, x + 1, x * x, fma. */
enum { NEG, ABS, SELECT, MOVE, ADD, MUL, FMA, N_OP };
static const char *const op_names[N_OP] = { "-x", "abs(x)", "select", "move", "x + 1", "x * x", "fma(x, x, x)" };

#define KERNEL(F, U)                                                                                          \
	"kernel nans_" F "(a: in " F "[], o: out " U "[]) block(32) {\n"                                       \
	"  for i in grid(a.len) {\n"                                                                           \
	"    let x = a[i];\n"                                                                                  \
	"    var v = " F "(0);\n"                                                                              \
	"    if i < 100 { v = x; }\n"                                                                          \
	"    o[7 * i] = bitcast<" U ">(-x);\n"                                                                 \
	"    o[7 * i + 1] = bitcast<" U ">(abs(x));\n"                                                         \
	"    o[7 * i + 2] = bitcast<" U ">(select(i < 100, x, " F "(1)));\n"                                   \
	"    o[7 * i + 3] = bitcast<" U ">(v);\n"                                                              \
	"    o[7 * i + 4] = bitcast<" U ">(x + " F "(1));\n"                                                   \
	"    o[7 * i + 5] = bitcast<" U ">(x * x);\n"                                                          \
	"    o[7 * i + 6] = bitcast<" U ">(fma(x, x, x));\n"                                                   \
	"  }\n"                                                                                                \
	"}\n"

static const char text[] = KERNEL("f32", "u32") KERNEL("f64", "u64");

static const uint32_t nans32[N] = { 0x7fc00001, 0xffc00002, 0x7f800003, 0xff923456 };
static const uint64_t nans64[N] = { 0x7ff8000000000001, 0xfff8000000000002, 0x7ff0000000000003, 0xfff2345678912345 };

/* Checks one value. */
static bool
is_right(int op, uint64_t x, uint64_t got, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1), exponent = bits == 32 ? 0x7f800000 : 0x7ff0000000000000;

	switch (op) {
	case NEG: return got == (x ^ sign);
	case ABS: return got == (x & ~sign);
	case SELECT:
	case MOVE: return got == x;
	default: return (got & ~sign) > exponent; /* any NaN */
	}
}

static bool
check(struct qd_device *dev, unsigned bits)
{
	uint32_t in32[N], out32[N * N_OP] = { 0 };
	uint64_t in64[N], out64[N * N_OP] = { 0 };
	struct qd_arg args[2];
	struct qd_error err;
	unsigned n_wrong = 0;

	memcpy(in32, nans32, sizeof in32);
	memcpy(in64, nans64, sizeof in64);
	args[0] = bits == 32 ? qd_arg_host(in32, sizeof in32) : qd_arg_host(in64, sizeof in64);
	args[1] = bits == 32 ? qd_arg_host(out32, sizeof out32) : qd_arg_host(out64, sizeof out64);
	if (qd_run(dev, text, strlen(text), "nans.qdk", bits == 32 ? "nans_f32" : "nans_f64", NULL, 0, QD_GRID, args, 2, &err)) {
		if (err.code == QD_E_TARGET && bits == 64) {
			printf("f64: not available on this device: %s\n", err.text);
			return true;
		}
		printf("FAIL f%u: %s\n", bits, err.text);
		return false;
	}
	if (example_injected("bit"))
		out32[0] ^= 1;
	for (int op = 0; op < N_OP; op++) {
		printf("f%u %-13s", bits, op_names[op]);
		for (int i = 0; i < N; i++) {
			uint64_t x = bits == 32 ? in32[i] : in64[i];
			uint64_t got = bits == 32 ? out32[i * N_OP + op] : out64[i * N_OP + op];
			bool right = is_right(op, x, got, bits);

			printf(" %0*llx: %0*llx%s", (int)bits / 4, (unsigned long long)x, (int)bits / 4,
			       (unsigned long long)got, right ? "" : " wrong");
			n_wrong += !right;
		}
		puts("");
	}
	if (n_wrong)
		printf("FAIL f%u: %u of %d values are wrong\n", bits, n_wrong, N * N_OP);
	return !n_wrong;
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_error err;
	bool good;

	if (argc != 2) {
		fprintf(stderr, "usage: gpu-nan DEVICE\n");
		return 2;
	}
	if (qd_context_create(&desc, &ctx, &err)) {
		printf("FAIL %s\n", err.text);
		return 1;
	}
	if (qd_device_open(ctx, argv[1], &dev, &err)) {
		printf("FAIL %s\n", err.text);
		qd_context_free(ctx);
		return 1;
	}
	good = check(dev, 32);
	good &= check(dev, 64);
	if (good)
		puts("negation, abs, select and moves keep the bits of a NaN");
	qd_device_close(dev);
	qd_context_free(ctx);
	return !good;
}
