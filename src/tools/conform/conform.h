/* What the files of qd-conform share. */
#ifndef QD_TOOLS_CONFORM_H
#define QD_TOOLS_CONFORM_H

#include <stdio.h>

#include "cases.h"
#include "tool.h"

/* -- conform_report.c: what people read ---------------------------------------------------- */

/* A file that has all of it too, line by line as it comes; NULL: none. */
void report_open(const char *path);
/* Nothing of it to stdout, where JSON goes. */
void report_silence(void);
void report_print(const char *fmt, ...) QD_PRINTF(1, 2);
/* What the standard error is told, to the file alone: why there is no device. */
void report_error(const struct qd_error *e);
/* Exits where the file could not be written. */
void report_close(void);

/* -- conform_bringup.c: what comes before the cases on a device of AMD's
 * ---------------------------- */

bool ladder_wanted(const char *selector);
/* False: a step failed.  json: NULL, or what gets an array of the steps. */
bool ladder_run(const char *selector, FILE *json);
void ladder_list(void);

/* -- conform_piece.c: the cases as pieces, each of which can be run alone ------------------- */

/* A row of a family on one type; row NULL: what the family runs that is no row. */
struct piece {
	uint32_t family; /* its place in the report */
	const struct family *of;
	const struct row *row;
	qd_type type;
};

/* The piece as a family of one row; `row` is storage for it. */
void piece_family(const struct piece *p, struct row *row, struct family *out);
/* "reduce/subgroup.reduce_add f32", "program". */
void piece_name(const struct piece *p, char *out, size_t size);

/* -- conform_worker.c: a process that runs pieces ------------------------------------------- */

/* What a worker and its parent share: what it runs just now, and how many kernels it has
 * begun.  The parent reads `cells` when the worker has ended. */
struct worker_seen {
	_Atomic uint64_t begun;
	char cells[160];
};

struct worker_task {
	const struct piece *pieces;
	const char *device; /* or NULL */
	uint64_t seed;
	struct worker_seen *seen;
};

/* A request to a worker: the piece's number.  Its messages: a head, then what its kind has. */
struct worker_request {
	uint32_t piece;
	uint32_t inject; /* flip a bit of a result */
};
struct worker_message {
	enum {
		WORKER_OPENED,	/* the device is open: struct suite, whose pointers mean nothing */
		WORKER_REFUSED, /* it is not: struct qd_error; the worker ends */
		WORKER_FAILURE, /* uint64_t: cells of the piece that have failed so far; a line */
		WORKER_DONE	/* struct worker_outcome */
	} kind;
	uint32_t size;
};
struct worker_outcome {
	uint64_t passed, failed, skipped;
	bool wrong, injected;
	bool lost; /* the device: the worker ends */
	char skip_reasons[512];
};

/* Runs what it is asked for on the socket, until that is closed. */
TOOL_NORETURN void worker_run(const struct worker_task *t, int socket);

/* -- conform_jobs.c: pieces in several processes -------------------------------------------- */

/* In place of the number of failed cells before a line: the line is shown after any number. */
#define JOBS_ALWAYS UINT64_MAX

struct jobs {
	struct worker_task task;
	uint32_t n_pieces;
	uint32_t n_workers;
	uint64_t timeout_ms; /* without a kernel begun, until a worker is ended */
	bool inject;
	/* Once, when the first worker has opened the device. */
	void (*opened)(void *user, const struct suite *suite);
	/* Each piece in order, when it and all before it are done; lines: so many, each as
	 * WORKER_FAILURE has it. */
	void (*done)(void *user, const struct piece *p, const struct worker_outcome *o,
		     const char *lines, uint32_t n_lines);
	/* A worker ended as none should, and ran no piece. */
	void (*broke)(void *user, const char *how);
	/* So many of the pieces are done. */
	void (*progress)(void *user, uint32_t done);
	void *user;
};

/* False: no process could open the device.  err: why one could not, or QD_OK. */
bool jobs_run(const struct jobs *j, struct qd_error *err);

#endif
