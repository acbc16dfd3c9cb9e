/* qd-conform --jobs: pieces of the cases in several processes. The parent opens no device. It
 * gives each worker a piece at a time and takes the results in the order of the pieces. A
 * worker that dies, or begins no kernel for too long, fails the cells of its piece; another
 * process takes its place. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conform.h"

enum { TICK_MS = 200, MAX_LOST_STARTS = 3, N_DEFAULT_REASON = 96 };

struct text {
	char *bytes;
	size_t len, room;
	uint32_t n; /* lines */
};

struct result {
	struct worker_outcome o;
	struct text lines;
	bool done;
};

struct worker {
	pid_t pid;
	int socket;	/* -1: no process */
	bool open;	/* the device is open */
	bool leaves;	/* its device is lost, and it is ending */
	uint32_t piece; /* the current piece, or NO_PIECE */
	struct worker_seen *seen;
	uint64_t begun, since; /* kernels begun at the last progress, and its time */
	struct text in;	       /* an incomplete message */
};

#define NO_PIECE UINT32_MAX

struct run {
	const struct jobs *j;
	struct worker *w;
	struct worker_seen *seen;
	struct result *results;
	uint32_t n_given, n_done, n_taken; /* pieces assigned, run, reported */
	struct suite suite;		   /* from the first worker that opened the device */
	bool opened, injected;
	uint32_t n_lost_starts, n_last_chances; /* workers that could not open the device; attempts
						 * without a live worker since one did */
	struct qd_error refusal;		/* from the first worker that could not */
};

static void *
must(void *p)
{
	if (!p)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return p;
}

static void
text_put(struct text *t, const void *bytes, size_t size)
{
	if (t->room - t->len < size) {
		t->room = 2 * (t->len + size);
		t->bytes = must(realloc(t->bytes, t->room));
	}
	memcpy(t->bytes + t->len, bytes, size);
	t->len += size;
}

/* -- Processes --------------------------------------------------------------------------- */

static void
start(struct run *r, uint32_t i)
{
	struct worker *w = &r->w[i];
	int pair[2];

	fflush(NULL); /* the buffered output is the parent's */
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		tool_die(EXIT_ENVIRONMENT, "socketpair: %s", strerror(errno));
	w->piece = NO_PIECE;
	w->open = w->leaves = false;
	w->in.len = 0;
	w->seen = &r->seen[i];
	w->begun = atomic_load(&w->seen->begun);
	w->since = clock_ns();
	w->pid = fork();
	if (w->pid < 0)
		tool_die(EXIT_ENVIRONMENT, "fork: %s", strerror(errno));
	if (w->pid == 0) {
		struct worker_task t = r->j->task;
		t.seen = w->seen;
		/* Close the other workers' sockets, so that they end when the parent closes
		 * them. */
		for (uint32_t k = 0; k < r->j->n_workers; k++)
			if (k != i && r->w[k].socket >= 0)
				close(r->w[k].socket);
		close(pair[0]);
		worker_run(&t, pair[1]);
	}
	close(pair[1]);
	w->socket = pair[0];
}

/* Formats "was killed by signal 11 (Segmentation fault)". */
static void
how_it_ended(int status, char *out, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(out, size, "was killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(out, size, "ended with exit status %d", WEXITSTATUS(status));
}

/* Adds a line that is always shown. */
static void
add_line(struct result *res, const char *line)
{
	static const uint64_t always = JOBS_ALWAYS;

	text_put(&res->lines, &always, sizeof always);
	text_put(&res->lines, line, strlen(line) + 1);
	res->lines.n++;
}

static uint64_t
count_cells(const struct run *r, const struct piece *p)
{
	struct family f;
	struct row row;

	piece_family(p, &row, &f);
	return suite_count(&r->suite, &f);
}

static void
piece_ends(struct run *r, uint32_t piece)
{
	r->results[piece].done = true;
	r->n_done++;
	r->j->progress(r->j->user, r->n_done);
}

/* Fails all cells of a piece that has no result. */
static void
fail_piece(struct run *r, uint32_t piece, const char *why, const char *cells)
{
	const struct piece *p = &r->j->task.pieces[piece];
	struct result *res = &r->results[piece];
	char name[160], line[512];

	piece_name(p, name, sizeof name);
	res->o = (struct worker_outcome){ .failed = count_cells(r, p), .wrong = true };
	snprintf(line, sizeof line,
		 "FAIL %s S=%u seed=%llu: %s: the process that ran it %s%s%s; its %llu cells fail",
		 r->suite.selector, r->suite.size, (unsigned long long)r->suite.seed, name, why,
		 cells[0] ? ", in " : "", cells, (unsigned long long)res->o.failed);
	add_line(res, line);
	piece_ends(r, piece);
}

/* Handles a process that has ended or was killed. why: the reason for killing it, or NULL. */
static void
ended(struct run *r, struct worker *w, const char *why)
{
	char text[N_DEFAULT_REASON];
	int status = 0;

	close(w->socket);
	w->socket = -1;
	/* A killed process can remain in the kernel as long as its driver does. */
	bool known = waitpid(w->pid, &status, why ? WNOHANG : 0) == w->pid;
	bool bad = why || !known || status != 0;
	if (!why) {
		how_it_ended(known ? status : 0, text, sizeof text);
		why = text;
	}
	if (w->piece != NO_PIECE) {
		fail_piece(r, w->piece, why, w->seen->cells);
	} else if (w->open || w->leaves) {
		if (bad)
			r->j->broke(r->j->user, why);
	} else {
		r->n_lost_starts++;
		if (!r->refusal.code)
			qd_fail(&r->refusal, QD_E_DRIVER, "a process that opened the device %s",
				why);
	}
	w->piece = NO_PIECE;
}

/* -- Messages ---------------------------------------------------------------------------- */

static void
take_message(struct run *r, struct worker *w, const struct worker_message *m, const char *bytes)
{
	struct result *res = w->piece != NO_PIECE ? &r->results[w->piece] : NULL;

	switch (m->kind) {
	case WORKER_OPENED:
		w->open = true;
		r->n_last_chances = 0;
		if (!r->opened) {
			memcpy(&r->suite, bytes, sizeof r->suite);
			r->suite.ctx = NULL;
			r->suite.dev = NULL;
			r->suite.stream = NULL;
			r->opened = true;
			r->j->opened(r->j->user, &r->suite);
		}
		break;
	case WORKER_REFUSED:
		if (!r->refusal.code)
			memcpy(&r->refusal, bytes, sizeof r->refusal);
		break;
	case WORKER_FAILURE:
		if (res) {
			text_put(&res->lines, bytes, m->size);
			res->lines.n++;
		}
		break;
	case WORKER_DONE:
		if (res) {
			memcpy(&res->o, bytes, sizeof res->o);
			r->injected |= res->o.injected;
			uint32_t piece = w->piece;
			w->piece = NO_PIECE;
			w->leaves = res->o.lost;
			w->open = !w->leaves;
			piece_ends(r, piece);
		}
		break;
	}
}

static void
take_messages(struct run *r, struct worker *w)
{
	struct worker_message m;
	size_t at = 0;

	while (w->in.len - at >= sizeof m) {
		memcpy(&m, w->in.bytes + at, sizeof m);
		if (w->in.len - at - sizeof m < m.size)
			break;
		take_message(r, w, &m, w->in.bytes + at + sizeof m);
		at += sizeof m + m.size;
	}
	w->in.len -= at;
	if (at)
		memmove(w->in.bytes, w->in.bytes + at, w->in.len);
}

static void
read_worker(struct run *r, struct worker *w)
{
	char bytes[4096];

	for (;;) {
		ssize_t n = recv(w->socket, bytes, sizeof bytes, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (n <= 0) {
			take_messages(r, w);
			ended(r, w, NULL);
			return;
		}
		text_put(&w->in, bytes, (size_t)n);
	}
	if (w->in.len)
		take_messages(r, w);
}

/* -- The loop ---------------------------------------------------------------------------- */

static void
give(struct run *r, struct worker *w)
{
	struct worker_request q = { .piece = r->n_given,
				    .inject = r->j->inject && !r->injected && r->n_given == 0 };

	w->since = clock_ns();
	/* If the worker has died, the next read detects it and fails this piece. */
	w->piece = r->n_given++;
	send(w->socket, &q, sizeof q, MSG_NOSIGNAL);
}

static uint32_t
count_live(const struct run *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->j->n_workers; i++)
		n += r->w[i].socket >= 0;
	return n;
}

/* Returns whether to start a worker. A device may accept one process at a time, so the number of
 * attempts is bounded. */
static bool
may_start(struct run *r)
{
	if (!r->opened)
		return false;
	return r->n_lost_starts < MAX_LOST_STARTS ||
	       (!count_live(r) && r->n_last_chances++ < MAX_LOST_STARTS);
}

static void
give_all(struct run *r)
{
	for (uint32_t i = 0; i < r->j->n_workers; i++) {
		struct worker *w = &r->w[i];
		bool more = r->n_given < r->j->n_pieces;
		if (more && w->socket < 0 && may_start(r))
			start(r, i);
		else if (more && w->socket >= 0 && w->open && w->piece == NO_PIECE)
			give(r, w);
	}
}

/* Kills the workers that have begun no kernel within the timeout. */
static void
end_stuck(struct run *r)
{
	uint64_t now = clock_ns();
	char why[N_DEFAULT_REASON];

	for (uint32_t i = 0; i < r->j->n_workers; i++) {
		struct worker *w = &r->w[i];
		uint64_t begun = w->seen ? atomic_load(&w->seen->begun) : 0;
		if (begun != w->begun ||
		    (w->open && w->piece == NO_PIECE && r->n_done < r->j->n_pieces))
			w->begun = begun, w->since = now;
		if (w->socket < 0 || now - w->since < r->j->timeout_ms * 1000000)
			continue;
		kill(w->pid, SIGKILL);
		snprintf(why, sizeof why, "took longer than %llu ms (--timeout) and was ended",
			 (unsigned long long)r->j->timeout_ms);
		ended(r, w, why);
	}
}

static void
wait_for_workers(struct run *r, struct pollfd *fds)
{
	for (uint32_t i = 0; i < r->j->n_workers; i++)
		fds[i] = (struct pollfd){ .fd = r->w[i].socket, .events = POLLIN };
	if (poll(fds, r->j->n_workers, TICK_MS) < 0 && errno != EINTR)
		tool_die(EXIT_ENVIRONMENT, "poll: %s", strerror(errno));
	for (uint32_t i = 0; i < r->j->n_workers; i++)
		if (r->w[i].socket >= 0 && fds[i].fd == r->w[i].socket && fds[i].revents)
			read_worker(r, &r->w[i]);
	end_stuck(r);
}

/* Reports the results whose predecessors are complete. */
static void
report(struct run *r)
{
	while (r->n_taken < r->j->n_pieces && r->results[r->n_taken].done) {
		struct result *res = &r->results[r->n_taken];
		r->j->done(r->j->user, &r->j->task.pieces[r->n_taken], &res->o, res->lines.bytes,
			   res->lines.n);
		free(res->lines.bytes);
		res->lines.bytes = NULL;
		r->n_taken++;
	}
}

/* Fails the pieces that were not assigned, since no process can run them. */
static void
fail_rest(struct run *r)
{
	char why[QD_COUNT(r->refusal.text) + 64];

	snprintf(why, sizeof why, "did not start: %.200s", r->refusal.text);
	while (r->n_given < r->j->n_pieces)
		fail_piece(r, r->n_given++, why, "");
}

/* Ends the workers, which close their devices. A worker that crashes meanwhile is a failure. */
static void
close_all(struct run *r, struct pollfd *fds)
{
	for (uint32_t i = 0; i < r->j->n_workers; i++)
		if (r->w[i].socket >= 0) {
			shutdown(r->w[i].socket, SHUT_WR);
			r->w[i].since = clock_ns();
		}
	while (count_live(r))
		wait_for_workers(r, fds);
}

bool
jobs_run(const struct jobs *j, struct qd_error *err)
{
	struct run *r = must(calloc(1, sizeof *r));
	struct pollfd *fds = must(calloc(j->n_workers, sizeof *fds));
	size_t seen_size = j->n_workers * sizeof *r->seen;

	r->j = j;
	r->w = must(calloc(j->n_workers, sizeof *r->w));
	r->results = must(calloc(j->n_pieces, sizeof *r->results));
	r->seen = mmap(NULL, seen_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r->seen == MAP_FAILED)
		tool_die(EXIT_ENVIRONMENT, "mmap: %s", strerror(errno));
	for (uint32_t i = 0; i < j->n_workers; i++)
		r->w[i].socket = -1;
	for (uint32_t i = 0; i < j->n_workers; i++)
		start(r, i);
	while (r->n_done < j->n_pieces) {
		give_all(r);
		if (!count_live(r)) {
			if (!r->opened)
				break;
			fail_rest(r);
		} else {
			wait_for_workers(r, fds);
		}
		report(r);
	}
	close_all(r, fds);
	bool opened = r->opened;
	*err = r->refusal;
	for (uint32_t i = 0; i < j->n_workers; i++)
		free(r->w[i].in.bytes);
	munmap(r->seen, seen_size);
	free(r->results);
	free(r->w);
	free(fds);
	free(r);
	return opened;
}
