/* The disk cache with several processes, on the driver of tests/fake_cuda.
 *
 *	disk cold [PROCESSES]	all start at once on an empty directory; then again
 *	disk kill [ROUNDS]	two processes a round are killed at a random time
 *	disk flip [FLIPS]	a bit of every file is flipped, between processes
 *	disk full		a file system without room, and limits of a process
 *	disk closed		a directory that is not writable, or is another user's
 *
 * Results must always be right, no launch may fail, every entry must be valid, and the next sweep
 * must remove abandoned files.
 *
 * QD_TEST_MUTATION=1: one result is reported wrong. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_fake.h"
#include "disk.h"

enum { VALUES = 4, WORDS = 64, MAX_PROCESSES = 64, LIMIT = 120 /* seconds */ };

static const char source[] = "kernel lanes<static L in 0..=5>(a: u32[], by: u32) block(32) {\n"
			     "  for i in grid(a.len) { a[i] = a[i] + subgroup.tile_lane(L) * by; }\n"
			     "}\n"
			     "kernel tail<static L in 0..=5>(a: u32[], by: u32) block(32) {\n"
			     "  for i in grid(a.len) { a[i] = a[i] + by; }\n"
			     "}\n";

static unsigned n_bad;

static void QD_PRINTF(2, 3)
check(bool good, const char *fmt, ...)
{
	va_list ap;
	if (good)
		return;
	n_bad++;
	va_start(ap, fmt);
	fprintf(stderr, "disk: ");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

/* -- Directories --------------------------------------------------------------------- */

static char top[64], dir[80];

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)st, (void)kind, (void)f;
	return remove(path);
}

static void
make_top(void)
{
	snprintf(top, sizeof top, "/tmp/qd-disk-XXXXXX");
	if (!mkdtemp(top)) {
		perror("mkdtemp");
		exit(3);
	}
	snprintf(dir, sizeof dir, "%s/cache", top);
}

static void
remove_top(void)
{
	nftw(top, remove_one, 8, FTW_PHYS | FTW_DEPTH);
}

struct seen {
	unsigned n, n_wrong;
};

static bool
see(void *user, const struct disk_item *i)
{
	struct seen *s = user;
	s->n++;
	s->n_wrong += i->wrong != NULL;
	if (i->wrong)
		fprintf(stderr, "disk: %s: %s\n", i->file, i->wrong);
	return false;
}

/* Checks that all entries are valid and that a sweep leaves no temporary file. Returns the number
 * of entries. */
static unsigned
check_folder(const char *what)
{
	struct pool pool;
	struct qd_error e = { 0 };
	struct disk_dir d;
	struct disk_total total = { 0 }, gone;
	struct seen s = { 0 };
	pool_init(&pool, &pool_malloc);
	bool ok = disk_dir_open(&d, &pool, dir, false, false, &e) == QD_OK;
	ok = ok && disk_each(&d, see, &s, &e) == QD_OK;
	ok = ok && disk_sweep(&d, 0, 0, &gone, &e) == QD_OK && disk_total(&d, &total, &e) == QD_OK;
	check(ok, "%s: %s", what, e.text);
	check(!s.n_wrong, "%s: %u entries of %u are wrong", what, s.n_wrong, s.n);
	check(!total.temporaries && total.entries == s.n,
	      "%s: %u temporary files remain, %u entries of %u", what, (unsigned)total.temporaries,
	      (unsigned)total.entries, s.n);
	disk_dir_close(&d);
	pool_fini(&pool);
	return s.n;
}

/* -- One process -------------------------------------------------------------------- */

struct result {
	unsigned n_bad, links, texts; /* compilations with and without the disk cache */
	unsigned hits, misses, damaged, dropped;
};

struct program {
	struct qd_context *ctx;
	struct qd_module *module;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_buffer *buf;
	struct qd_error e;
};

static qd_status
open_program(struct program *p)
{
	struct qd_context_desc desc = { .version = QD_VERSION, .cache_dir = dir, .cache_mode = QD_CACHE_ON };
	QD_TRY(qd_context_create(&desc, &p->ctx, &p->e));
	QD_TRY(qd_module_parse(p->ctx, source, sizeof source - 1, "disk.qdk", &p->module, &p->e));
	QD_TRY(qd_device_open(p->ctx, "cuda", &p->dev, &p->e));
	QD_TRY(qd_stream_create(p->dev, &p->stream, &p->e));
	return qd_buffer_create(p->dev, WORDS * sizeof(uint32_t), 0, &p->buf, &p->e);
}

static void
close_program(struct program *p)
{
	qd_buffer_free(p->buf);
	qd_stream_free(p->stream);
	qd_module_free(p->module);
	qd_device_close(p->dev);
	qd_context_free(p->ctx);
}

/* Adds to the buffer, which contains zeros. */
static void
run(struct program *p, const char *name, int l, uint32_t by)
{
	static const uint32_t zeros[WORDS];
	struct qd_tmpl tmpl = { .name = "L", .value = l };
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	uint32_t got[WORDS];
	qd_status st = qd_module_kernel(p->module, name, NULL, 0, &k, &p->e);
	st = st ? st : qd_function_get(p->dev, k, &tmpl, 1, &fn, &p->e);
	struct qd_arg args[] = { qd_arg_buffer(p->buf), qd_arg_u32(by) };
	st = st ? st : qd_buffer_upload(p->stream, p->buf, 0, zeros, sizeof zeros, &p->e);
	st = st ? st : qd_launch(p->stream, fn, QD_GRID, args, 2, &p->e);
	st = st ? st : qd_buffer_download(p->stream, p->buf, 0, got, sizeof got, &p->e);
	check(st == QD_OK, "%s, L %d: %s", name, l, p->e.text);
	for (uint32_t i = 0; i < WORDS && st == QD_OK; i++) {
		uint32_t want = *name == 't' ? by : i % (1u << l) * by;
		if (getenv("QD_TEST_MUTATION"))
			want++;
		check(got[i] == want, "%s, L %d: %u at %u, not %u", name, l, got[i], i, want);
	}
	qd_function_free(fn);
	qd_kernel_free(k);
}

static rlim_t file_limit; /* file size limit once the device is open; 0: none */

static struct result
work(void)
{
	struct program p = { 0 };
	struct result r = { 0 };
	struct qd_cache_stats s;
	const struct cuda_fake *f = cuda_fake();
	if (!f) {
		fprintf(stderr, "disk: the fake driver is missing\n");
		_exit(3);
	}
	n_bad = 0; /* not the parent's */
	f->set("devices=1 delays=0");
	qd_status st = open_program(&p);
	if (file_limit) { /* the fake's memory is a file too */
		struct rlimit limit = { file_limit, file_limit };
		setrlimit(RLIMIT_FSIZE, &limit);
	}
	check(st == QD_OK, "%s", p.e.text);
	for (int l = 0; l < VALUES && st == QD_OK; l++) {
		run(&p, "lanes", l, 3);
		run(&p, "tail", l, (uint32_t)l + 7);
	}
	if (p.ctx)
		disk_flush(p.ctx);
	qd_cache_stats(p.ctx, &s);
	r = (struct result){ n_bad, f->calls("cuLinkComplete"), 0, (unsigned)s.disk_hits,
			     (unsigned)s.disk_misses, (unsigned)s.disk_damaged, (unsigned)s.disk_dropped };
	r.texts = f->calls("cuModuleLoadDataEx");
	close_program(&p);
	return r;
}

/* -- Cold --------------------------------------------------------------------------- */

/* Starts all processes at about the same time, by closing a pipe. */
static void
wave(unsigned n, struct result *sum)
{
	int gate[2], out[2];
	pid_t pid[MAX_PROCESSES];
	memset(sum, 0, sizeof *sum);
	if (pipe(gate) != 0 || pipe(out) != 0)
		exit(3);
	for (unsigned i = 0; i < n; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			char c;
			alarm(LIMIT);
			close(gate[1]);
			while (read(gate[0], &c, 1) > 0)
				;
			struct result r = work();
			_exit(write(out[1], &r, sizeof r) != sizeof r);
		}
	}
	close(gate[0]);
	close(gate[1]);
	close(out[1]);
	for (struct result r; read(out[0], &r, sizeof r) == sizeof r;) {
		sum->n_bad += r.n_bad;
		sum->links += r.links;
		sum->hits += r.hits;
		sum->misses += r.misses;
		sum->damaged += r.damaged;
		sum->dropped += r.dropped;
	}
	close(out[0]);
	for (unsigned i = 0; i < n; i++) {
		int status;
		waitpid(pid[i], &status, 0);
		check(status == 0, "process %u ended with %x", i, (unsigned)status);
	}
}

static void
cold(unsigned n)
{
	/* Each kernel with each value, and the driver's probe. */
	const unsigned keys = 2 * VALUES + 1;
	struct result r;
	for (int again = 0; again < 2; again++) {
		wave(n, &r);
		unsigned entries = check_folder(again ? "warm" : "cold");
		printf("%s: %u processes, %u keys: %u compiled, %u hits, %u entries\n",
		       again ? "warm" : "cold", n, keys, r.links, r.hits, entries);
		check(!r.n_bad && !r.damaged && !r.dropped, "%u wrong, %u damaged, %u dropped", r.n_bad,
		      r.damaged, r.dropped);
		check(r.hits + r.misses == n * keys && r.links == r.misses, "%u hits and %u misses of %u",
		      r.hits, r.misses, n * keys);
		check(entries == keys, "%u entries of %u keys", entries, keys);
		check(again ? r.links == 0 : r.links >= keys && r.links <= n * keys, "%u compiled", r.links);
	}
}

/* -- Killed ------------------------------------------------------------------------- */

/* Works until it is killed. */
static void
churn(void)
{
	for (;;)
		work();
}

static void
kills(unsigned rounds)
{
	uint64_t state = 88172645463325252u;
	unsigned entries = 0;
	for (unsigned i = 0; i < rounds; i++) {
		state ^= state << 13, state ^= state >> 7, state ^= state << 17;
		pid_t pid[2];
		for (int k = 0; k < 2; k++) {
			pid[k] = fork();
			if (pid[k] == 0)
				churn();
		}
		usleep((useconds_t)(2000 + state % 20000));
		for (int k = 0; k < 2; k++) {
			kill(pid[k], SIGKILL);
			waitpid(pid[k], NULL, 0);
		}
		/* The process may have been killed before it created the directory or its
		 * subfolder. */
		char inside[sizeof dir + 4];
		snprintf(inside, sizeof inside, "%s/v1", dir);
		DIR *d = opendir(inside);
		if (d) {
			closedir(d);
			entries += check_folder("killed");
			/* Existing entries are never written again, so start from an empty
			 * directory. */
			if (i % 4 != 3)
				nftw(dir, remove_one, 8, FTW_PHYS | FTW_DEPTH);
		}
	}
	pid_t pid = fork();
	if (pid == 0) {
		alarm(LIMIT);
		struct result r = work();
		_exit(r.n_bad || r.damaged);
	}
	int status;
	waitpid(pid, &status, 0);
	check(status == 0, "the last process ended with %x", (unsigned)status);
	check(check_folder("after the kills") == 2 * VALUES + 1, "not all entries are kept");
	check(entries > 0, "no process was killed late enough to have written an entry");
	printf("%u rounds of 2 processes killed, %u entries seen\n", rounds, entries);
}

/* -- Flipped ------------------------------------------------------------------------ */

static uint64_t flip_state = 88172645463325252u;
static unsigned n_flips;

/* Flips a random bit of an entry or of the index; the lock file is empty. */
static int
flip_one(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)f;
	if (kind != FTW_F || st->st_size == 0)
		return 0;
	flip_state ^= flip_state << 13, flip_state ^= flip_state >> 7, flip_state ^= flip_state << 17;
	uint64_t bit = flip_state % (8 * (uint64_t)st->st_size);
	FILE *file = fopen(path, "r+b");
	int c = EOF;
	if (file && fseek(file, (long)(bit / 8), SEEK_SET) == 0)
		c = fgetc(file);
	bool ok = c != EOF && fseek(file, (long)(bit / 8), SEEK_SET) == 0 && fputc(c ^ 1 << bit % 8, file) != EOF;
	if (file)
		ok = fclose(file) == 0 && ok;
	check(ok, "%s: bit %llu cannot be flipped", path, (unsigned long long)bit);
	n_flips++;
	return 0;
}

static struct result
work_apart(void)
{
	struct result r = { .n_bad = 1 };
	int out[2], status;
	if (pipe(out) != 0)
		exit(3);
	pid_t pid = fork();
	if (pid == 0) {
		alarm(LIMIT);
		r = work();
		_exit(write(out[1], &r, sizeof r) != sizeof r);
	}
	close(out[1]);
	bool reported = read(out[0], &r, sizeof r) == sizeof r;
	close(out[0]);
	waitpid(pid, &status, 0);
	check(reported && status == 0, "a process ended with %x", (unsigned)status);
	return r;
}

/* All entries are damaged: none may be used, and all are rebuilt with correct results. */
static void
flips(unsigned most)
{
	const unsigned keys = 2 * VALUES + 1;
	unsigned rounds = 0;
	work_apart();
	for (; n_flips < most && !n_bad; rounds++) {
		nftw(dir, flip_one, 8, FTW_PHYS);
		struct result r = work_apart();
		check(!r.n_bad && r.damaged == keys && !r.hits && !r.dropped, "round %u: %u wrong, %u damaged, %u hits, %u dropped",
		      rounds, r.n_bad, r.damaged, r.hits, r.dropped);
	}
	check(check_folder("flipped") == keys, "not all entries are kept");
	printf("%u bits flipped in %u rounds\n", n_flips, rounds);
}

/* -- Without room ------------------------------------------------------------------- */

/* Runs in a process that cannot keep all entries: some must be dropped. */
static void
starved(const char *what, rlim_t file_size)
{
	pid_t pid = fork();
	if (pid == 0) {
		alarm(LIMIT);
		file_limit = file_size;
		struct result r = work();
		check(!r.n_bad && r.dropped > 0 && !r.damaged, "%s: %u wrong, %u dropped, %u damaged", what,
		      r.n_bad, r.dropped, r.damaged);
		_exit(n_bad != 0);
	}
	int status;
	waitpid(pid, &status, 0);
	check(status == 0, "%s: ended with %x", what, (unsigned)status);
	printf("%s: %u entries\n", what, check_folder(what));
}

static void
full(void)
{
	starved("files of 1 byte", 1);
	starved("files of 1500 bytes", 1500);
	char mounted[sizeof top + 8];
	snprintf(mounted, sizeof mounted, "%s/small", top);
	mkdir(mounted, 0700);
	if (mount("none", mounted, "tmpfs", 0, "size=16k,mode=0700") != 0) {
		printf("part skipped: disk full: tmpfs: %s\n", strerror(errno));
		return;
	}
	snprintf(dir, sizeof dir, "%s/c", mounted);
	starved("16 KiB of tmpfs", 0);
	starved("the same, full", 0);
	umount(mounted);
}

/* -- Closed ------------------------------------------------------------------------- */

static void
go_on(const char *what, unsigned hits, uid_t as)
{
	pid_t pid = fork();
	if (pid == 0) {
		alarm(LIMIT);
		if (as && (setgid((gid_t)as) != 0 || setuid(as) != 0))
			_exit(3);
		struct result r = work();
		check(!r.n_bad && r.hits == hits, "%s: %u wrong, %u hits", what, r.n_bad, r.hits);
		_exit(n_bad != 0);
	}
	int status;
	waitpid(pid, &status, 0);
	check(status == 0, "%s: ended with %x", what, (unsigned)status);
	printf("%s: ok\n", what);
}

/* A set-uid program ignores its caller's environment, so it must not use the caller's cache
 * directory. This function runs in such a copy of the program. */
static int
one(const char *driver)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct program p = { 0 };
	struct qd_cache_stats s;
	if (!getauxval(AT_SECURE))
		return 77;
	const struct cuda_fake *f = cuda_fake_of(driver);
	if (!f)
		return 3;
	f->set("devices=1 delays=0");
	qd_status st = qd_context_create(&desc, &p.ctx, &p.e);
	st = st ? st : qd_device_open(p.ctx, "cuda", &p.dev, &p.e);
	check(st == QD_OK, "%s", p.e.text);
	qd_cache_stats(p.ctx, &s);
	check(s.disk_off == 1 && s.disk_misses == 1, "the caller's directory is used");
	close_program(&p);
	return n_bad != 0;
}

static void
copy(const char *from_path, const char *to)
{
	char buf[1 << 16];
	FILE *from = fopen(from_path, "rb"), *f = fopen(to, "wb");
	size_t n;
	while (from && f && (n = fread(buf, 1, sizeof buf, from)) > 0)
		fwrite(buf, 1, n, f);
	if (from)
		fclose(from);
	if (f)
		fclose(f);
}

static void
foreign_program(uid_t owner, uid_t as)
{
	char path[sizeof top + 8], driver[sizeof top + 16], open_to_all[sizeof top + 8];
	snprintf(path, sizeof path, "%s/own", top);
	snprintf(driver, sizeof driver, "%s/libcuda.so.1", top);
	snprintf(open_to_all, sizeof open_to_all, "%s/all", top);
	/* Copies of program and driver, since the user may not read the build directory. */
	copy("/proc/self/exe", path);
	copy(FAKE_CUDA, driver);
	check(chmod(top, 0755) == 0 && chmod(driver, 0644) == 0 && mkdir(open_to_all, 0700) == 0 &&
		      chown(open_to_all, owner, (gid_t)-1) == 0 &&
		      chown(path, owner, (gid_t)-1) == 0 && chmod(path, 04755) == 0,
	      "a program of another user");
	pid_t pid = fork();
	if (pid == 0) {
		alarm(LIMIT);
		setenv("QD_CACHE_DIR", open_to_all, 1);
		setenv("XDG_CACHE_HOME", open_to_all, 1);
		setenv("HOME", open_to_all, 1);
		unsetenv("QD_CACHE");
		if (setgid((gid_t)as) == 0 && setuid(as) == 0)
			execl(path, path, "one", driver, (char *)NULL);
		_exit(3);
	}
	int status;
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		printf("part skipped: disk closed: /tmp does not allow set-user-ID programs\n");
		return;
	}
	check(status == 0, "a program of another user: ended with %x", (unsigned)status);
	check(rmdir(open_to_all) == 0, "it has created a file in the caller's directory");
	printf("a program of another user: ok\n");
}

static void
closed(void)
{
	enum { NOBODY = 65534 };
	const unsigned keys = 2 * VALUES + 1;
	uid_t as = geteuid() == 0 ? NOBODY : 0;
	char path[sizeof dir + 16];
	if (as && chown(top, as, (gid_t)-1) != 0)
		check(false, "chown");
	cuda_fake(); /* loads the file while it is readable: it can be below /root */
	go_on("cold", 0, as);
	go_on("warm", keys, as);
	chmod(dir, 0500);
	snprintf(path, sizeof path, "%s/v1", dir);
	chmod(path, 0500);
	go_on("a read-only directory", keys, as);
	chmod(path, 0000);
	go_on("a directory without read permission", 0, as);
	chmod(path, 0700);
	chmod(dir, 0700);
	if (!as) {
		printf("part skipped: disk closed: only root can change the owner of a "
		       "directory\n");
		return;
	}
	go_on("another user's folder", 0, 12345);
	go_on("a directory of another user, as root", 0, 0);
	go_on("its own again", keys, as);
	check(chown(dir, 0, (gid_t)-1) == 0, "chown");
	go_on("root's folder", 0, as);
	foreign_program(as, 12345);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	setvbuf(stdout, NULL, _IOLBF, 0); /* otherwise a child would print pending output again */
	if (strcmp(what, "one") == 0 && argc > 2)
		return one(argv[2]);
	make_top();
	if (strcmp(what, "cold") == 0 && n <= MAX_PROCESSES) {
		cold(n ? n : 32);
	} else if (strcmp(what, "kill") == 0) {
		kills(n ? n : 30);
	} else if (strcmp(what, "flip") == 0) {
		flips(n ? n : 1000);
	} else if (strcmp(what, "full") == 0) {
		full();
	} else if (strcmp(what, "closed") == 0) {
		closed();
	} else {
		fprintf(stderr, "usage: disk cold [PROCESSES] | kill [ROUNDS] | flip [FLIPS] | full | closed\n");
		n_bad = 1;
	}
	remove_top();
	return n_bad != 0;
}
