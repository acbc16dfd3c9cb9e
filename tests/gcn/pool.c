/* Child processes that share a counter. */
#include "pool.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_PROCESSES = 2 };

bool
pool_run(unsigned n, void (*one)(void *arg, unsigned i), void *arg)
{
	_Atomic unsigned *next = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool ok = next != MAP_FAILED;
	int status;

	fflush(stdout);
	for (unsigned p = 0; p < N_PROCESSES && ok; p++) {
		pid_t pid = fork();
		ok = pid >= 0;
		if (pid)
			continue;
		for (unsigned i = atomic_fetch_add(next, 1); i < n; i = atomic_fetch_add(next, 1))
			one(arg, i);
		fflush(stdout);
		_exit(0);
	}
	while (wait(&status) > 0 || errno == EINTR)
		ok = ok && !status;
	if (next != MAP_FAILED)
		munmap(next, sizeof *next);
	return ok;
}
