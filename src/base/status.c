/* Status codes, their messages, and error reporting.
 *
 * The thread's last error is thread-local storage, so that reporting an error, in particular out
 * of memory, allocates nothing. */
#include "base.h"
#include "show.h"

#include <assert.h>
#include <stdio.h>

/* -- The table ------------------------------------------------------------- */

/* qd.h lists the codes for readers. These assertions check that both lists agree and that the
 * values are 0, 1, 2 ..., as the lookup requires. */
enum { QD_E_OK = QD_OK };

enum {
#define QD_STATUS(name, value, text) STATUS_IDX_##name,
#include "status.def"
#undef QD_STATUS
	N_STATUS
};

#define QD_STATUS(name, value, text)                                                               \
	_Static_assert(QD_E_##name == (value) && STATUS_IDX_##name == (value),                     \
		       "qd.h and status.def differ in " #name);
#include "status.def"
#undef QD_STATUS

static const struct {
	const char *name, *text;
} statuses[N_STATUS] = {
#define QD_STATUS(name, value, text) { "QD_E_" #name, text },
#include "status.def"
#undef QD_STATUS
};

const char *
qd_status_name(qd_status code)
{
	if (code == QD_OK)
		return "QD_OK";
	return code > 0 && code < N_STATUS ? statuses[code].name : "QD_E_UNKNOWN";
}

const char *
qd_status_text(qd_status code)
{
	return code >= 0 && code < N_STATUS ? statuses[code].text : "not a status of this library";
}

uint32_t
qd_version(void)
{
	return QD_VERSION;
}

/* -- The last error ---------------------------------------------------------- */

static _Thread_local struct qd_error last_error;
struct qd_error qd_ignored_error; /* only its address is used */

const struct qd_error *
qd_last_error(void)
{
	return &last_error;
}

/* Returns where to truncate a message so that a suffix fits: after the last line that fits,
 * or, if the first line is too long, between two characters. */
static size_t
cut_length(const char *text, size_t room)
{
	for (size_t i = room; i > 0; i--)
		if (text[i - 1] == '\n')
			return i;
	size_t i = room;
	while (i > 0 && ((unsigned char)text[i] & 0xc0) == 0x80)
		i--;
	return i ? i : room;
}

qd_status
qd_fail_text(struct qd_error *err, qd_status code, uint32_t line, uint32_t col, const char *text,
	     size_t len)
{
	static const char more[] = "\n... and more, see the log (QD_LOG=error)";
	struct qd_error e = { .code = code, .line = line, .col = col };

	assert(code != QD_OK);
	if (err == QD_IGNORE_ERROR)
		return code;
	/* Messages quote files. */
	char shown[2 * sizeof e.text];
	if (QD_UNLIKELY(!show_is_plain(text, len, SHOW_LINES))) {
		len = show_text(shown, sizeof shown, text, len, SHOW_LINES);
		text = shown;
	}
	/* Use a local copy: text may be in err or in the thread's last error. */
	if (len < sizeof e.text) {
		memcpy(e.text, text, len);
	} else {
		size_t n = cut_length(text, sizeof e.text - sizeof more);
		const char *tail = n && text[n - 1] == '\n' ? more + 1 : more;
		memcpy(e.text, text, n);
		memcpy(e.text + n, tail, strlen(tail));
	}
	last_error = e;
	if (err)
		*err = e;
	return code;
}

qd_status
qd_vfail(struct qd_error *err, qd_status code, uint32_t line, uint32_t col, const char *fmt,
	 va_list ap)
{
	char text[2 * sizeof err->text];
	int n = vsnprintf(text, sizeof text, fmt, ap);

	if (n < 0) {
		const char *plain = qd_status_text(code);
		return qd_fail_text(err, code, line, col, plain, strlen(plain));
	}
	size_t len = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
	return qd_fail_text(err, code, line, col, text, len);
}

qd_status
qd_fail(struct qd_error *err, qd_status code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	qd_vfail(err, code, 0, 0, fmt, ap);
	va_end(ap);
	return code;
}
