/* Configuration of the fake: the environment variable QD_FAKE_AMDGPU, read at first use, or the
 * same text in a call of fake_amdgpu_set. The words are separated by blanks:
 *
 *   gpu=gfx1100,gfx906  the devices (gpu.def); gpu= for none
 *   minor=61            minor version of the kernel's interface, whose major version is 3
 *   driver=amdgpu       the kernel driver's name
 *   access=0            opening a node fails: EACCES
 *   reverse=1           the last device is listed first
 *   xcp=N               the last N devices are partitions of the one before them: platform
 *                       devices; faux=1: devices of the faux bus
 *   dies=N              blocks are distributed over N dies; only the first die executes its blocks
 *   page=N              the host's page size in bytes; mappings are whole pages
 *   discovery=0         the kernel does not report the version of the graphics core
 *   rings=0             there are no compute queues
 *   vram=N gtt=N        MiB of each heap; visible=N: of the VRAM that the host can map
 *   apu=1               every device shares the host's memory, whatever its row specifies
 *   delays=0            fences are signaled as soon as possible
 *   seed=N              seed of orders, times and initial contents
 *   steps=N             instructions that a wave may execute; a wave that needs more hangs
 *   lost=N              microseconds that a queue hangs before it is reset
 *   fail=amdgpu_bo_alloc:3:12	the third such call returns -12; call 0: every call
 *   job=3:62:guilty     the third job ends with -62, its context lost and guilty; innocent:
 *                       another context's fault; reset, vram: all contexts are lost, with vram
 *                       VRAM as well; soft: no context is lost and later jobs run
 *   strict=1            the process fails if the fake printed a complaint
 *
 * A string replaces the previous configuration and restarts the counts of calls. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"

enum { MAX_COUNTS = 128, MAX_REPORTED = 256, TEXT = 512, STATUS = 86 };

static const struct gpu gpus[] = {
#define GPU(name, gen, family, rev, a, b, c, pci, se, sa, cu, marketing, apu)                      \
	{ #name, gen, family, rev, { a, b, c }, pci, se, sa, cu, marketing, apu },
#include "gpu.def"
};
static const struct check_row checks[] = {
#define CHECK(name, end, what) { #name, what, end },
#include "check.def"
};
static const char *const ends[] = { "refused", "hang", "fault", "reported", "warned" };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config config;
static bool ready, hit;
static struct {
	char name[NAME];
	unsigned n;
} counts[MAX_COUNTS];
static unsigned n_counts, n_jobs;
static unsigned n_reported[N_CHECK];
static char *reported[MAX_REPORTED];
static unsigned n_texts;
static enum check reported_check[MAX_REPORTED];

static void
wrong(const char *what, const char *word)
{
	fprintf(stderr, "fake amdgpu: %s '%s'\n", what, word);
	abort();
}

static bool
number(const char *word, const char *key, uint64_t *out)
{
	size_t len = strlen(key);
	if (strncmp(word, key, len) != 0 || word[len] != '=')
		return false;
	*out = strtoull(word + len + 1, NULL, 0);
	return true;
}

static void
set_gpus(const char *s)
{
	config.n_devices = 0;
	while (*s) {
		size_t len = strcspn(s, ",");
		const struct gpu *g = NULL;
		for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
			if (strlen(gpus[i].name) == len && !strncmp(gpus[i].name, s, len))
				g = &gpus[i];
		if (!g || config.n_devices == MAX_DEVICES)
			wrong("no GPU, or one too many:", s);
		config.gpus[config.n_devices++] = g;
		s += len + (s[len] == ',');
	}
}

static void
set_fault(const char *s)
{
	const char *colon = strchr(s, ':');
	struct fault *f = &config.faults[config.n_faults];
	char *end;
	if (!colon || (size_t)(colon - s) >= sizeof f->function || config.n_faults == MAX_FAULTS)
		wrong("no room for fail=", s);
	memcpy(f->function, s, (size_t)(colon - s));
	f->at = (unsigned)strtoul(colon + 1, &end, 10);
	f->code = *end == ':' ? atoi(end + 1) : 22;
	config.n_faults++;
}

static void
set_mishap(const char *s)
{
	struct mishap *m = &config.mishaps[config.n_mishaps];
	char *end;
	if (config.n_mishaps == MAX_FAULTS)
		wrong("no room for job=", s);
	m->at = (unsigned)strtoul(s, &end, 10);
	m->code = *end == ':' ? (int)strtol(end + 1, &end, 10) : 62;
	m->guilty = strstr(end, "guilty") != NULL;
	m->soft = strstr(end, "soft") != NULL;
	m->vram_lost = strstr(end, "vram") != NULL;
	m->reset = m->vram_lost || strstr(end, "reset") || strstr(end, "innocent");
	config.n_mishaps++;
}

static void
set_word(const char *word)
{
	static const struct {
		const char *key;
		unsigned *at;
	} rows[] = { { "minor", &config.minor },     { "discovery", &config.discovery },
		     { "rings", &config.rings },     { "access", &config.access },
		     { "visible", &config.visible }, { "vram", &config.vram },
		     { "gtt", &config.gtt },	     { "apu", &config.unified },
		     { "delays", &config.delays },   { "strict", &config.strict },
		     { "lost", &config.lost },	     { "reverse", &config.reverse },
		     { "page", &config.page },	     { "xcp", &config.xcp },
		     { "faux", &config.faux },	     { "dies", &config.dies } };
	uint64_t n;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (number(word, rows[i].key, &n)) {
			*rows[i].at = (unsigned)n;
			return;
		}
	}
	if (!strncmp(word, "gpu=", 4))
		set_gpus(word + 4);
	else if (!strncmp(word, "fail=", 5))
		set_fault(word + 5);
	else if (!strncmp(word, "job=", 4))
		set_mishap(word + 4);
	else if (!strncmp(word, "driver=", 7))
		snprintf(config.driver, sizeof config.driver, "%.15s", word + 7);
	else if (number(word, "seed", &n))
		config.seed = n;
	else if (number(word, "steps", &n))
		config.steps = n;
	else
		wrong("no word", word);
}

static void
forget(void)
{
	for (unsigned i = 0; i < n_texts; i++)
		free(reported[i]);
	n_texts = 0;
	memset(n_reported, 0, sizeof n_reported);
}

static void
read_text(const char *text)
{
	char word[256];
	config = (struct config){ .minor = 61,
				  .discovery = 1,
				  .rings = 15,
				  .access = 1,
				  .visible = UINT32_MAX,
				  .vram = 8192,
				  .gtt = 8192,
				  .delays = 1,
				  .lost = 20000,
				  .page = 4096,
				  .driver = "amdgpu",
				  .seed = 1,
				  .steps = 20000000 };
	while (*text) {
		size_t len = strcspn(text, " ");
		if (len >= sizeof word)
			wrong("a word is too long:", text);
		memcpy(word, text, len);
		word[len] = '\0';
		if (len)
			set_word(word);
		text += len + (text[len] == ' ');
	}
	ready = true;
	hit = false;
	n_counts = n_jobs = 0;
	forget();
}

static void
need_config(void)
{
	const char *text = ready ? NULL : getenv("QD_FAKE_AMDGPU");
	if (!ready)
		read_text(text ? text : "");
}

const struct config *
fake_config(void)
{
	pthread_mutex_lock(&lock);
	need_config();
	pthread_mutex_unlock(&lock);
	return &config;
}

int
fake_call(const char *function)
{
	unsigned i = 0;
	int code = 0;
	pthread_mutex_lock(&lock);
	need_config();
	while (i < n_counts && strcmp(counts[i].name, function) != 0)
		i++;
	if (i == MAX_COUNTS)
		wrong("too many functions:", function);
	if (i == n_counts) {
		snprintf(counts[i].name, sizeof counts[i].name, "%s", function);
		counts[n_counts++].n = 0;
	}
	counts[i].n++;
	for (unsigned k = 0; k < config.n_faults && !code; k++) {
		const struct fault *f = &config.faults[k];
		if (!strcmp(f->function, function) && (!f->at || f->at == counts[i].n)) {
			hit = true;
			code = -f->code;
		}
	}
	pthread_mutex_unlock(&lock);
	return code;
}

const struct mishap *
fake_job(void)
{
	const struct mishap *m = NULL;
	pthread_mutex_lock(&lock);
	n_jobs++;
	for (unsigned i = 0; i < config.n_mishaps; i++) {
		if (config.mishaps[i].at == n_jobs)
			m = &config.mishaps[i];
	}
	hit = hit || m;
	pthread_mutex_unlock(&lock);
	return m;
}

/* -- Complaints -------------------------------------------------------------------- */

const struct check_row *
fake_check(enum check c)
{
	return &checks[c];
}

void
fake_report(enum check c, const char *where, const char *format, ...)
{
	char text[TEXT];
	va_list ap;
	int n = snprintf(text, sizeof text, "%s: %s%s%s: ", checks[c].name, where,
			 *where ? ": " : "", checks[c].what);

	va_start(ap, format);
	if (n > 0 && (size_t)n < sizeof text)
		vsnprintf(text + n, sizeof text - (size_t)n, format, ap);
	va_end(ap);
	pthread_mutex_lock(&lock);
	n_reported[c]++;
	if (n_texts < MAX_REPORTED && (reported[n_texts] = strdup(text)))
		reported_check[n_texts++] = c;
	pthread_mutex_unlock(&lock);
}

static unsigned
complaints(void)
{
	unsigned n = 0;
	for (unsigned i = 0; i < N_CHECK; i++)
		n += checks[i].end == WARNED ? 0 : n_reported[i];
	return n;
}

void
fake_end(const char *left)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n_texts; i++)
		fprintf(stderr, "fake amdgpu: %s%s\n", reported[i],
			checks[reported_check[i]].end == WARNED ? " (a warning)" : "");
	if (*left)
		fprintf(stderr, "fake amdgpu: not freed at the end: %s\n", left);
	bool fails = config.strict && (complaints() || (*left && !hit));
	forget();
	pthread_mutex_unlock(&lock);
	if (!fails)
		return;
	fflush(NULL);
	_exit(STATUS);
}

/* -- Control ----------------------------------------------------------------------- */

void
fake_amdgpu_set(const char *text)
{
	pthread_mutex_lock(&lock);
	read_text(text);
	pthread_mutex_unlock(&lock);
}

unsigned
fake_amdgpu_calls(const char *function)
{
	unsigned n = 0;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n_counts; i++) {
		if (!strcmp(counts[i].name, function))
			n = counts[i].n;
	}
	pthread_mutex_unlock(&lock);
	return n;
}

int
fake_amdgpu_hit(void)
{
	pthread_mutex_lock(&lock);
	bool was = hit;
	pthread_mutex_unlock(&lock);
	return was;
}

unsigned
fake_amdgpu_complaints(const char *check, char *text, size_t size)
{
	unsigned n = 0;
	if (size)
		*text = '\0';
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < N_CHECK && check; i++) {
		if (!strcmp(checks[i].name, check))
			n = n_reported[i];
	}
	if (!check)
		n = complaints();
	for (unsigned i = 0; i < n_texts && size; i++) {
		const struct check_row *row = &checks[reported_check[i]];
		if (check ? !strcmp(row->name, check) : row->end != WARNED)
			snprintf(text, size, "%s", reported[i]);
	}
	pthread_mutex_unlock(&lock);
	return n;
}

void
fake_amdgpu_forget(void)
{
	pthread_mutex_lock(&lock);
	forget();
	pthread_mutex_unlock(&lock);
}

const char *
fake_amdgpu_check(unsigned i, const char **end)
{
	if (i >= N_CHECK)
		return NULL;
	*end = ends[checks[i].end];
	return checks[i].name;
}
