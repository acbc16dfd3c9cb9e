/* Output of qd-conform, on stdout and in a file that can be sent to others. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "conform.h"
#include "qd.h"

static FILE *file;
static const char *file_name;
static int why_bad; /* errno of the first failed write; 0: none */
static bool silent;

/* Writes the file to disk, because a fault of the device can crash the machine. fdatasync fails
 * with EINVAL for a pipe. */
static void
settle(void)
{
	bool bad = fflush(file) != 0 || (fdatasync(fileno(file)) != 0 && errno != EINVAL && errno != EROFS);

	if (bad && !why_bad)
		why_bad = errno;
}

void
report_open(const char *path)
{
	struct utsname host;

	file = fopen(path, "w");
	if (!file)
		tool_die(EXIT_ENVIRONMENT, "'%s': %s", path, strerror(errno));
	file_name = path;
	uint32_t v = qd_version();
	fprintf(file, "qd-conform %u.%u.%u", v / 1000000, v / 1000 % 1000, v % 1000);
	if (uname(&host) == 0)
		fprintf(file, ", %s %s %s", host.sysname, host.release, host.machine);
	fputc('\n', file);
	settle();
}

void
report_silence(void)
{
	silent = true;
}

void
report_print(const char *fmt, ...)
{
	va_list ap;

	if (!silent) {
		va_start(ap, fmt);
		vprintf(fmt, ap);
		va_end(ap);
		fflush(stdout);
	}
	if (!file)
		return;
	va_start(ap, fmt);
	vfprintf(file, fmt, ap);
	va_end(ap);
	settle();
}

void
report_error(const struct qd_error *e)
{
	if (!file)
		return;
	fprintf(file, "error: %s\n", e->text);
	settle();
}

void
report_close(void)
{
	if (!file)
		return;
	int bad = fclose(file) ? errno : 0;
	file = NULL;
	if (why_bad || bad)
		tool_die(EXIT_ENVIRONMENT, "'%s' could not be written: %s", file_name,
			 strerror(why_bad ? why_bad : bad));
}
