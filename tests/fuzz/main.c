/* A driver for a fuzz target without libFuzzer.
 *
 *	fuzz_X_plain FILE...       replays inputs
 *	fuzz_X_plain --random N [SEED]   runs N randomly damaged seeds
 *	fuzz_X_plain --seconds S [SEED]  runs as many as fit in S seconds
 *	fuzz_X_plain --seeds DIR   writes the seeds, as libFuzzer's initial corpus
 *
 * An input that crashes is written to the file fuzz-crash. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum { CAP = 1 << 16, HANGS = 30 /* seconds */ };

static struct {
	const uint8_t *p;
	size_t size;
} current;

static void
keep_input(int signal_number)
{
	static const char note[] = "fuzz: the input is in fuzz-crash\n";
	int f = open("fuzz-crash", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (f >= 0 && write(f, current.p, current.size) == (ssize_t)current.size &&
	    write(2, note, sizeof note - 1) < 0)
		_exit(3);
	signal(SIGABRT, SIG_DFL);
	signal(signal_number, SIG_DFL);
	raise(signal_number == SIGALRM ? SIGABRT : signal_number);
}

/* Keeps the handlers of a sanitizer, which end in abort. */
static void
catch_signals(void)
{
	static const int signals[] = { SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGALRM };
	struct sigaction old;

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			signal(signals[i], keep_input);
}

/* Runs the target on an exact-size copy, so that a sanitizer detects an overrun. */
static void
run(const uint8_t *p, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(3);
	memcpy(copy, p, size);
	current.p = p;
	current.size = size;
	alarm(HANGS);
	LLVMFuzzerTestOneInput(copy, size);
	alarm(0);
	free(copy);
}

static double
seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Runs n inputs, or, if seconds is not 0, inputs for that long. */
static void
run_random(uint64_t n, double seconds, uint64_t seed)
{
	static uint8_t input[CAP];
	struct fuzz_dice d = { seed * UINT64_C(0x9e3779b97f4a7c15) | 1 };
	double end = seconds_now() + seconds;
	size_t n_seeds = 0;
	uint64_t i = 0;

	while (fuzz_seed(n_seeds, input, sizeof input))
		n_seeds++;
	/* The undamaged seeds are inputs too. */
	for (size_t s = 0; s < n_seeds; s++)
		run(input, fuzz_seed(s, input, sizeof input));
	for (; seconds > 0 ? seconds_now() < end : i < n; i++) {
		size_t size = fuzz_seed((size_t)fuzz_random(&d, n_seeds), input, sizeof input);
		run(input, fuzz_damage(input, size, sizeof input, &d));
	}
	printf("%llu inputs from %zu seeds\n", (unsigned long long)i, n_seeds);
}

static void
replay(const char *path)
{
	static uint8_t input[1 << 21];
	FILE *f = fopen(path, "rb");

	if (!f) {
		fprintf(stderr, "cannot open %s\n", path);
		exit(3);
	}
	run(input, fread(input, 1, sizeof input, f));
	fclose(f);
}

static void
write_seeds(const char *folder)
{
	static uint8_t input[CAP];
	size_t size;

	for (size_t i = 0; (size = fuzz_seed(i, input, sizeof input)) != 0; i++) {
		char path[512];
		snprintf(path, sizeof path, "%s/seed%zu", folder, i);
		FILE *f = fopen(path, "wb");
		if (!f || fwrite(input, 1, size, f) != size || fclose(f) != 0) {
			fprintf(stderr, "cannot write %s\n", path);
			exit(3);
		}
	}
}

int
main(int argc, char **argv)
{
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;

	catch_signals();
	if (argc >= 3 && strcmp(argv[1], "--random") == 0) {
		run_random(strtoull(argv[2], NULL, 0), 0, seed);
	} else if (argc >= 3 && strcmp(argv[1], "--seconds") == 0) {
		run_random(0, strtod(argv[2], NULL), seed);
	} else if (argc == 3 && strcmp(argv[1], "--seeds") == 0) {
		write_seeds(argv[2]);
	} else {
		for (int i = 1; i < argc; i++)
			replay(argv[i]);
	}
	return 0;
}
