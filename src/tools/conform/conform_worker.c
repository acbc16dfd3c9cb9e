/* A worker of qd-conform --jobs: a process that opens the device and runs pieces. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <unistd.h>

#include "conform.h"

#ifndef INJECT
#define INJECT false
#endif

static int out; /* the socket */
static struct suite suite;
static struct worker_seen *seen;
static const char *family; /* the current family */
static uint32_t n_kernels; /* its number of kernels so far */

/* -- Messages ------------------------------------------------------------------------- */

/* Sends bytes. Ends the process if the parent is gone. */
static void
put(const void *bytes, size_t size)
{
	const char *p = bytes;

	while (size) {
		ssize_t n = send(out, p, size, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(EXIT_ENVIRONMENT);
		p += n;
		size -= (size_t)n;
	}
}

static void
put_message(struct worker_message m, const void *bytes)
{
	put(&m, sizeof m);
	put(bytes, m.size);
}

static bool
get_request(struct worker_request *r)
{
	char *p = (char *)r;

	for (size_t at = 0; at < sizeof *r;) {
		ssize_t n = recv(out, p + at, sizeof *r - at, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

static void
put_failure(const char *line)
{
	uint64_t failed = suite.failed;
	size_t len = strlen(line) + 1;

	struct worker_message m = { WORKER_FAILURE, (uint32_t)(sizeof failed + len) };

	put(&m, sizeof m);
	put(&failed, sizeof failed);
	put(line, len);
}

/* -- Current cells --------------------------------------------------------------------- */

/* Injects faults for tests: ends or stops a worker in the named cells, or at "open" or "close"; or
 * gives the device to one process only, through a file that only one can create. */
static bool
inject_refusal(struct qd_error *err)
{
	const char *path = INJECT ? getenv("QD_TEST_ALONE") : NULL;
	int fd = path ? open(path, O_CREAT | O_EXCL | O_WRONLY, 0600) : -1;

	if (!path)
		return false;
	if (fd >= 0) {
		close(fd);
		return false;
	}
	qd_fail(err, QD_E_UNAVAILABLE, "another process uses the device exclusively");
	return true;
}

static void
inject_end(const char *cells)
{
	const char *die = INJECT ? getenv("QD_TEST_DIE") : NULL,
		   *hang = INJECT ? getenv("QD_TEST_HANG") : NULL;

	if (die && strcmp(die, cells) == 0)
		abort();
	while (hang && strcmp(hang, cells) == 0)
		pause();
}

static void
begins(const char *cells)
{
	if (cells)
		snprintf(seen->cells, sizeof seen->cells, "%s", cells);
	else if (family)
		snprintf(seen->cells, sizeof seen->cells, "kernel %u of family %s", ++n_kernels,
			 family);
	atomic_fetch_add(&seen->begun, 1);
	inject_end(seen->cells);
}

/* -- Pieces ---------------------------------------------------------------------------- */

static bool
run_piece(const struct piece *p, bool inject)
{
	struct worker_outcome o = { .passed = 0 };
	struct family f;
	struct row row;

	piece_family(p, &row, &f);
	family = p->row ? NULL : f.name;
	n_kernels = 0;
	seen->cells[0] = '\0';
	suite.passed = suite.failed = suite.skipped = 0;
	suite.skip_reasons[0] = '\0';
	suite.wrong = suite.injected = false;
	suite.inject = inject;
	suite_run(&suite, &f);
	o.passed = suite.passed;
	o.failed = suite.failed;
	o.skipped = suite.skipped;
	o.wrong = suite.wrong;
	o.injected = suite.injected;
	memcpy(o.skip_reasons, suite.skip_reasons, sizeof o.skip_reasons);
	o.lost = qd_stream_sync(suite.stream, NULL) == QD_E_DEVICE_LOST;
	put_message((struct worker_message){ WORKER_DONE, sizeof o }, &o);
	return !o.lost;
}

static bool
open_device(const struct worker_task *t, struct qd_context **ctx)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_error err;

	*ctx = NULL;
	inject_end("open");
	if (inject_refusal(&err) || qd_context_create(&desc, ctx, &err) ||
	    suite_start(&suite, *ctx, t->device, &err)) {
		put_message((struct worker_message){ WORKER_REFUSED, sizeof err }, &err);
		qd_context_free(*ctx);
		return false;
	}
	suite.seed = t->seed;
	suite.print = put_failure;
	suite.begins = begins;
	put_message((struct worker_message){ WORKER_OPENED, sizeof suite }, &suite);
	return true;
}

void
worker_run(const struct worker_task *t, int socket)
{
	struct worker_request r;
	struct qd_context *ctx;

	out = socket;
	seen = t->seen;
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (open_device(t, &ctx)) {
		while (get_request(&r) && run_piece(&t->pieces[r.piece], r.inject))
			;
		inject_end("close");
		suite_close(&suite);
		qd_context_free(ctx);
	}
	_exit(EXIT_OK); /* do not flush or undo the parent's state */
}
