/* Runs a program's main several times in one start, to count its instructions under valgrind, which
 * takes a quarter of a second to start.
 *
 * A library for LD_PRELOAD. PROGRAM --forks FILE...: each FILE has the arguments of a run, each ended by a NUL. A run is a
 * child process whose messages go to FILE.err; its other output is discarded. The parent prints a line for each: the
 * child's process ID and its exit status: 126 if the run did not begin, minus the signal's number if a signal ended it.
 * With other arguments the program runs as usual. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_fn(int, char **, char **);
typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

__attribute__((visibility("default"))) start_fn __libc_start_main;

static main_fn *program;

/* Runs main with the arguments in a file. */
static int
run(char *name, const char *path, char **env)
{
	static char text[1 << 16], errors[4096];
	char *argv[64] = { name };
	int argc = 1;
	FILE *f = fopen(path, "rb");
	size_t size = f ? fread(text, 1, sizeof text - 1, f) : 0;
	char *s = text;
	for (; s < text + size && argc < 63; s += strlen(s) + 1)
		argv[argc++] = s;
	snprintf(errors, sizeof errors, "%s.err", path);
	if (!f || size == sizeof text - 1 || s < text + size || fclose(f) || !freopen("/dev/null", "w", stdout) || !freopen(errors, "w", stderr))
		_exit(126);
	return program(argc, argv, env);
}

static int
fork_each(int argc, char **argv, char **env)
{
	if (argc < 2 || strcmp(argv[1], "--forks") != 0)
		return program(argc, argv, env);
	for (int i = 2; i < argc; i++) {
		int status = -1;
		pid_t pid = fork();
		if (pid == 0)
			return run(argv[0], argv[i], env);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 1;
		printf("%d %d\n", (int)pid, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
		fflush(stdout);
	}
	return 0;
}

int
__libc_start_main(main_fn *m, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *end)
{
	start_fn *start = (start_fn *)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
	program = m;
	return start(fork_each, argc, argv, init, fini, rtld_fini, end);
}
