/* Configuration of the fake: the environment variable QD_FAKE_CUDA, read at first use, or the same
 * text in a call of fake_cuda_set. The words are separated by blanks:
 *
 *   devices=2           number of devices
 *   sm=90,70            of each device; the last value applies to the remaining devices
 *   name=X              their name, with _ for blanks; the device's number is appended
 *   memory=N            bytes of each
 *   version=12040       result of cuDriverGetVersion
 *   ptx=78              the highest .version accepted; default: that of the driver's version
 *   target=90           the highest .target accepted
 *   unified=0 mode=2 warp=64 timeout=1 threads=N shared=N blocks=N uuid=0	attributes of the devices
 *   maxthreads=N        maximum threads per block of every function
 *   delays=0            streams run without random delays
 *   compile=N           microseconds that compiling a PTX module takes; a cubin takes none
 *   steps=N             maximum instructions of a thread
 *   fail=cuMemAlloc_v2:3:2	the third such call returns 2; call 0: every call
 *   fail=kernel:2:700	 the second kernel that runs fails and breaks its context
 *
 * A string replaces the previous configuration and restarts the counts of calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "fake.h"

enum { MAX_COUNTS = 128 };

struct config config;
static bool reported;

static struct {
	const char *name;
	unsigned n;
} counts[MAX_COUNTS];
static unsigned n_counts;
static bool hit;

/* Returns the PTX version of a toolkit (PTX ISA, release notes). */
static unsigned
ptx_of(int version)
{
	static const struct {
		int cuda;
		unsigned ptx;
	} rows[] = { { 9000, 60 },  { 9010, 61 },  { 9020, 61 },  { 10000, 63 }, { 10010, 64 },
		     { 10020, 65 }, { 11000, 70 }, { 11010, 71 }, { 11020, 72 }, { 11030, 73 },
		     { 11040, 74 }, { 11050, 75 }, { 11060, 76 }, { 11070, 77 }, { 11080, 78 },
		     { 12000, 80 }, { 12010, 81 }, { 12020, 82 }, { 12030, 83 }, { 12040, 84 },
		     { 12050, 85 }, { 12080, 87 }, { 12090, 88 }, { 13000, 90 } };
	unsigned ptx = 43;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].cuda <= version)
			ptx = rows[i].ptx;
	}
	return ptx;
}

static bool
set_number(const char *word, const char *key, int64_t *out)
{
	size_t len = strlen(key);
	if (strncmp(word, key, len) != 0 || word[len] != '=')
		return false;
	*out = strtoll(word + len + 1, NULL, 0);
	return true;
}

static void
set_sms(const char *s)
{
	unsigned sm = 0;
	for (unsigned i = 0; i < MAX_DEVICES; i++) {
		char *end;
		if (*s)
			sm = (unsigned)strtoul(s, &end, 10), s = *end ? end + 1 : end;
		config.sm[i] = sm;
	}
}

static void
set_fault(const char *s)
{
	const char *colon = strchr(s, ':');
	struct fault *f = &config.faults[config.n_faults];
	if (!colon || (size_t)(colon - s) >= sizeof f->function || config.n_faults == MAX_FAULTS)
		wrong("fake_cuda_set", "no room for fail=%s", s);
	memcpy(f->function, s, (size_t)(colon - s));
	char *end;
	f->at = (unsigned)strtoul(colon + 1, &end, 10);
	f->code = *end == ':' ? atoi(end + 1) : 0;
	config.n_faults++;
}

static void
set_word(const char *word)
{
	int64_t n;
	if (set_number(word, "devices", &n))
		config.n_devices = (unsigned)n;
	else if (strncmp(word, "sm=", 3) == 0)
		set_sms(word + 3);
	else if (strncmp(word, "name=", 5) == 0)
		snprintf(config.name, sizeof config.name, "%.63s", word + 5);
	else if (strncmp(word, "fail=", 5) == 0)
		set_fault(word + 5);
	else if (set_number(word, "memory", &n))
		config.memory = (uint64_t)n;
	else if (set_number(word, "version", &n))
		config.version = (int)n;
	else if (set_number(word, "ptx", &n))
		config.ptx = (unsigned)n;
	else if (set_number(word, "target", &n))
		config.max_target = (unsigned)n;
	else if (set_number(word, "unified", &n))
		config.unified = (int)n;
	else if (set_number(word, "mode", &n))
		config.mode = (int)n;
	else if (set_number(word, "warp", &n))
		config.warp = (int)n;
	else if (set_number(word, "timeout", &n))
		config.timeout = (int)n;
	else if (set_number(word, "threads", &n))
		config.threads = (int)n;
	else if (set_number(word, "shared", &n))
		config.shared = (int)n;
	else if (set_number(word, "blocks", &n))
		config.blocks = (int)n;
	else if (set_number(word, "uuid", &n))
		config.uuid = (int)n;
	else if (set_number(word, "maxthreads", &n))
		config.max_threads = (int)n;
	else if (set_number(word, "delays", &n))
		config.delays = n != 0;
	else if (set_number(word, "compile", &n))
		config.compile_us = (unsigned)n;
	else if (set_number(word, "steps", &n))
		config.max_steps = (uint64_t)n;
	else
		wrong("fake_cuda_set", "no word '%s'", word);
}

static void
read_text(const char *text)
{
	char word[256];
	config = (struct config){
		.name = "Fake_GPU", .memory = UINT64_C(1) << 30, .version = 12040,
		.max_target = 999, .unified = 1, .warp = 32, .threads = 1024, .shared = 48 << 10, .blocks = 0x7fffffff,
		.uuid = 1, .delays = true, .max_steps = 20000000,
	};
	set_sms("90");
	while (*text) {
		size_t len = strcspn(text, " ");
		if (len >= sizeof word)
			wrong("fake_cuda_set", "a word is too long");
		memcpy(word, text, len);
		word[len] = '\0';
		if (len)
			set_word(word);
		text += len + (text[len] == ' ');
	}
	if (!config.ptx)
		config.ptx = ptx_of(config.version);
	reported = true;
	n_counts = 0;
	hit = false;
}

void
config_read(void)
{
	if (!reported) {
		const char *text = getenv("QD_FAKE_CUDA");
		read_text(text ? text : "");
	}
}

static unsigned
count(const char *function)
{
	unsigned i = 0;
	while (i < n_counts && strcmp(counts[i].name, function) != 0)
		i++;
	if (i == MAX_COUNTS)
		wrong(function, "too many functions");
	if (i == n_counts)
		counts[n_counts++].name = function, counts[i].n = 0;
	return ++counts[i].n;
}

int
config_call(const char *function)
{
	config_read();
	unsigned n = count(function);
	for (unsigned i = 0; i < config.n_faults; i++) {
		const struct fault *f = &config.faults[i];
		if (strcmp(f->function, function) == 0 && (f->at == 0 || f->at == n)) {
			hit = true;
			return f->code;
		}
	}
	return OK;
}

/* -- Control ------------------------------------------------------------------------ */

void
fake_cuda_set(const char *text)
{
	pthread_mutex_lock(&lock);
	read_text(text);
	pthread_mutex_unlock(&lock);
}

unsigned
fake_cuda_calls(const char *function)
{
	unsigned n = 0;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n_counts; i++) {
		const char *name = counts[i].name;
		if (function ? strcmp(name, function) == 0 : strncmp(name, "cu", 2) == 0)
			n += counts[i].n;
	}
	pthread_mutex_unlock(&lock);
	return n;
}

int
fake_cuda_hit(void)
{
	pthread_mutex_lock(&lock);
	bool was = hit;
	pthread_mutex_unlock(&lock);
	return was;
}

unsigned
fake_cuda_left(char *text, size_t size)
{
	pthread_mutex_lock(&lock);
	unsigned n = objects_left(text, size);
	pthread_mutex_unlock(&lock);
	return n;
}
