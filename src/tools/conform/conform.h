/* Interface shared by the files of qd-conform. */
#ifndef QD_TOOLS_CONFORM_H
#define QD_TOOLS_CONFORM_H

#include <stdio.h>

#include "cases.h"
#include "tool.h"

/* -- conform_report.c: output for people --------------------------------------------------- */

/* Opens a file that also gets all output, line by line; NULL: none. */
void report_open(const char *path);
/* Disables stdout, which is used for JSON. */
void report_silence(void);
void report_print(const char *fmt, ...) QD_PRINTF(1, 2);
/* Writes an error to the file only; stderr already has it: why there is no device. */
void report_error(const struct qd_error *e);
/* Exits if the file could not be written. */
void report_close(void);

/* -- conform_bringup.c: bring-up steps, before the cases on an AMD device ------------------- */

bool bringup_wanted(const char *selector);
/* Returns false if a step failed. json: gets an array of the steps; NULL: none. */
bool bringup_run(const char *selector, FILE *json);
void bringup_list(void);

/* -- conform_piece.c: the cases as pieces that can run separately --------------------------- */

/* A row of a family with one type. row NULL: the cases of the family outside its rows. */
struct piece {
	uint32_t family; /* index in the report */
	const struct family *of;
	const struct row *row;
	qd_type type;
};

/* Returns the piece as a family of one row, stored in `row`. */
void piece_family(const struct piece *p, struct row *row, struct family *out);
/* Formats "reduce/subgroup.reduce_add f32", "program". */
void piece_name(const struct piece *p, char *out, size_t size);

/* -- conform_worker.c: a process that runs pieces ------------------------------------------- */

/* Memory shared by a worker and its parent: the current cells, and the number of kernels begun. The
 * parent reads `cells` after the worker has ended. */
struct worker_seen {
	_Atomic uint64_t begun;
	char cells[160];
};

struct worker_task {
	const struct piece *pieces;
	const char *device; /* NULL: the default */
	uint64_t seed;
	struct worker_seen *seen;
};

/* A request to a worker is a piece number. A message of a worker is this head, followed by the
 * data of its kind. */
struct worker_request {
	uint32_t piece;
	uint32_t inject; /* fault injection: flip a bit of a result */
};
struct worker_message {
	enum {
		WORKER_OPENED,	/* the device is open: struct suite; its pointers are invalid */
		WORKER_REFUSED, /* the device cannot be opened: struct qd_error; the worker ends */
		WORKER_FAILURE, /* uint64_t: failed cells of the piece so far; a line */
		WORKER_DONE	/* struct worker_outcome */
	} kind;
	uint32_t size;
};
struct worker_outcome {
	uint64_t passed, failed, skipped;
	bool wrong, injected;
	bool lost; /* the device is lost: the worker ends */
	char skip_reasons[512];
};

/* Runs the pieces requested on the socket until it is closed. */
TOOL_NORETURN void worker_run(const struct worker_task *t, int socket);

/* -- conform_jobs.c: pieces in several processes -------------------------------------------- */

/* Replaces the number of failed cells before a line that is shown in any case. */
#define JOBS_ALWAYS UINT64_MAX

struct jobs {
	struct worker_task task;
	uint32_t n_pieces;
	uint32_t n_workers;
	uint64_t timeout_ms; /* time without a new kernel before a worker is killed */
	bool inject;
	/* Called once, when the first worker has opened the device. */
	void (*opened)(void *user, const struct suite *suite);
	/* Called for each piece in order, when all pieces before it are done. lines: n_lines, in
	 * the form of WORKER_FAILURE. */
	void (*done)(void *user, const struct piece *p, const struct worker_outcome *o,
		     const char *lines, uint32_t n_lines);
	/* Called when a worker without a piece has ended unexpectedly. */
	void (*broke)(void *user, const char *how);
	/* Called with the number of pieces done. */
	void (*progress)(void *user, uint32_t done);
	void *user;
};

/* Returns false if no process could open the device. err: the reason for one process, or QD_OK. */
bool jobs_run(const struct jobs *j, struct qd_error *err);

#endif
