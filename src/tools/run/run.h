/* qd-run from inside: what was asked for, and what it is made with.
 *
 *	run_args.c     kernel and values from the command line
 *	run_object.c   the same of code objects
 *	run_ptx.c      the same of PTX texts
 *	run_place.c    a device with the kernel, its buffers, launches
 *	run_time.c     launches timed
 *	run_compare.c  --expect and --check
 *	run_print.c    buffers to the standard output and to files
 *	run_list.c     --list
 *	run_report.c   --json where something goes wrong
 */
#ifndef QD_TOOLS_RUN_H
#define QD_TOOLS_RUN_H

#include "ir.h"
#include "value.h"

struct request {
	const char *file, *kernel, *device;
	struct tmpl_list tmpl;
	uint32_t grid, repeat; /* grid QD_GRID: counted; repeat 0: once, not timed */
	uint64_t timeout_ms;   /* or 0 */
	uint32_t block[3], shared[16], n_shared; /* of a kernel in a code object */
	bool json, time, check, list;
	/* NAME=TEXT as given */
	struct texts {
		const char *v[MAX_PARAM];
		uint32_t n;
	} values, outputs, expects;
};

/* One parameter's value. */
struct value {
	struct qd_param_info info;
	uint64_t bits;	    /* of a scalar */
	void *raw;	    /* the same as bytes, where its type is none that has a name; or NULL */
	struct fill fill;   /* of a buffer: what it begins with */
	size_t n;	    /* its elements */
	void *first, *last; /* before the launch and, of one that is written, behind it */
	const char *file;   /* -o; NULL: none */
	struct fill expect; /* --expect */
	bool is_expected;
};

/* Where the kernel runs. */
struct place {
	struct qd_device *dev;
	struct qd_function *fn;
	struct qd_stream *stream;
	struct qd_buffer *buffer[MAX_PARAM];
	struct qd_device_info info;
	struct qd_function_info fn_info;
};

struct session {
	struct request *req;
	struct qd_context *ctx;
	struct qd_module *module;
	struct qd_kernel *kernel;
	struct { /* in place of both, of a code object */
		void *bytes;
		size_t size;
		char processor[32]; /* of a bundle whose code it shall be; "": none is named */
	} object;
	struct { /* or of PTX */
		struct ptx_module *module;
		char *text;
		size_t size;
	} ptx;
	struct qd_image *image;
	const char *name; /* the kernel's */
	struct value value[MAX_PARAM];
	uint32_t n_params;
	struct place place;
	uint64_t get_ns;      /* to compile and load */
	struct times {
		uint64_t *ns; /* of each launch */
		uint32_t n;
		bool by_device; /* the device's clock, else the host's */
		uint64_t median, least;
		uint64_t bytes; /* of the buffers, that a launch reads and writes */
	} times;
	int code;		 /* to exit with */
	struct qd_error finding; /* code QD_OK: none */
};

static inline bool
is_output(const struct value *v)
{
	return v->info.is_buffer && (v->info.access & QD_ACCESS_OUT);
}

static inline size_t
bytes_of(const struct value *v)
{
	return v->n * qd_type_size(v->info.type);
}

/* -- run_args.c --------------------------------------------------------------------- */

void run_load(struct session *s);   /* the file, parsed */
void run_choose(struct session *s); /* the kernel, for its template values */
void run_params(struct session *s); /* the values */
/* Buffers that are as long as the grid's count, which the loaded kernel tells. */
void run_count(struct session *s);

/* -- run_object.c ------------------------------------------------------------------- */

bool run_is_object(const void *bytes, size_t size);
/* Of a host program of HIP's the bundle in its .hip_fatbin section, moved to the front; the size. */
size_t run_object_in_host(struct session *s, char *bytes, size_t size);
/* Ends the program for a file of code that is known and not run. */
void run_object_refuse(struct session *s, const char *bytes, size_t size);
void run_object_choose(struct session *s);
const char *run_object_device(struct session *s); /* the selector */
void run_object_value(struct value *v, const char *text);
void run_object_list(struct session *s);

/* -- run_ptx.c ---------------------------------------------------------------------- */

bool run_is_ptx(const char *text, size_t size);
void run_ptx_load(struct session *s, char *text, size_t size); /* the session's then */
void run_ptx_choose(struct session *s);
const char *run_ptx_device(struct session *s);
void run_ptx_list(struct session *s);
void run_ptx_free(struct session *s);

/* -- run_place.c ---------------------------------------------------------------------- */

/* Opens, compiles, loads; the device that was asked for, or the best there is. */
void place_open(struct session *s, const char *selector, struct place *p);
void place_fill(struct session *s, struct place *p); /* makes the buffers and uploads them */
void place_refill(struct session *s, struct place *p); /* those that are written */
/* The launch and what waits for it; false: it ended with a finding, which is noted. */
bool place_launch(struct session *s, struct place *p);
void place_read(struct session *s, struct place *p, uint32_t i, void *memory);
void place_close(struct place *p);

/* -- run_time.c ------------------------------------------------------------------------- */

void run_launches(struct session *s); /* one, or as many as --repeat says */
void run_print_times(const struct session *s);

/* -- run_compare.c ------------------------------------------------------------------------ */

void run_expect(struct session *s);
void run_check(struct session *s);

/* -- run_print.c ---------------------------------------------------------------------------- */

void run_write_files(const struct session *s);
void run_print_text(const struct session *s);
void run_print_json(const struct session *s);

/* -- run_list.c ------------------------------------------------------------------------------- */

void run_list(struct session *s);
void run_list_params(const struct qd_image *image, bool json);
/* The same of one parameter, the i-th; a type that nobody tells is so many bytes. */
void run_list_param(const struct qd_param_info *p, uint32_t i, bool json);

/* -- run_report.c ------------------------------------------------------------------------ */

/* From here on the standard output gets one JSON object, whatever happens. */
void report_start(void);
/* "exit":N,"diagnostics":[...] of that object; once it has begun, nothing else is written. */
void report_put(FILE *f, int code);

/* -- progress.c: one rewriting line ------------------------------------------------------ */

/* On stderr, where that is a terminal, and only of what takes longer than two seconds. */
struct progress {
	const char *what;
	uint64_t total, start;
	bool on, shown;
};
void progress_start(struct progress *p, const char *what, uint64_t total);
void progress_at(struct progress *p, uint64_t done);
void progress_end(struct progress *p);

#endif
