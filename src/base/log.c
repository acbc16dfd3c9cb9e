/* The log. A message is formatted on the stack and passed to the context's callback. Messages
 * below the level are not formatted. */
#include "log.h"
#include "show.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *const level_name[] = {
	[QD_LOG_ERROR] = "error",
	[QD_LOG_WARNING] = "warning",
	[QD_LOG_INFO] = "info",
	[QD_LOG_DEBUG] = "debug",
};

void
ctx_log(struct qd_context *ctx, qd_log_level level, const char *component, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	int saved = errno;

	if (level > ctx->log_max || !ctx->log)
		return;
	/* The callback might take a lock that a thread of the parent held. */
	if (forked_since(ctx->forks) && ctx->log != log_sink_write)
		return;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = snprintf(text, sizeof text, "a message that cannot be formatted: %s", fmt);
	if ((size_t)n >= sizeof text) {
		static const char cut[] = "...";
		memcpy(text + sizeof text - sizeof cut, cut, sizeof cut);
		n = (int)sizeof text - 1;
	}
	char shown[sizeof text];
	const char *msg = text;
	if (QD_UNLIKELY(!show_is_plain(text, (size_t)n, SHOW_LINES))) { /* it quotes a file */
		n = (int)show_text(shown, sizeof shown, text, (size_t)n, SHOW_LINES);
		msg = shown;
	}
	ctx->log(ctx->log_user, level, component, msg, (size_t)n);
	errno = saved;
}

/* -- The stderr sink ------------------------------------------------------------ */

static qd_log_level
parse_level(const char *s, size_t len)
{
	for (qd_log_level l = QD_LOG_ERROR; l <= QD_LOG_DEBUG; l++)
		if (strlen(level_name[l]) == len && !memcmp(level_name[l], s, len))
			return l;
	/* "trace", a level beyond the highest one, selects all messages. */
	return len == 5 && !memcmp(s, "trace", 5) ? QD_LOG_DEBUG : 0;
}

static bool
parse_rule(struct log_sink *sink, const char *s, size_t len)
{
	const char *colon = memchr(s, ':', len);
	const char *at = colon ? colon + 1 : s;
	qd_log_level level = parse_level(at, (size_t)(s + len - at));

	if (!level)
		return false;
	if (!colon) {
		sink->others = level;
		return true;
	}
	size_t n = (size_t)(colon - s);
	if (n == 0 || n >= LOG_MAX_NAME || sink->n_rules == LOG_MAX_RULES)
		return false;
	struct log_rule *rule = &sink->rules[sink->n_rules++];
	memcpy(rule->component, s, n);
	rule->component[n] = '\0';
	rule->max = level;
	return true;
}

bool
log_sink_parse(struct log_sink *sink, const char *text)
{
	memset(sink, 0, sizeof *sink);
	for (;;) {
		size_t len = strcspn(text, ",");
		if (!parse_rule(sink, text, len))
			return false;
		if (text[len] == '\0')
			return true;
		text += len + 1;
	}
}

qd_log_level
log_sink_max(const struct log_sink *sink)
{
	qd_log_level max = sink->others;

	for (uint32_t i = 0; i < sink->n_rules; i++)
		if (sink->rules[i].max > max)
			max = sink->rules[i].max;
	return max;
}

static qd_log_level
component_max(const struct log_sink *sink, const char *component)
{
	qd_log_level max = sink->others;

	for (uint32_t i = 0; i < sink->n_rules; i++) /* the last rule takes precedence */
		if (!strcmp(sink->rules[i].component, component))
			max = sink->rules[i].max;
	return max;
}

void
log_sink_write(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	char prefix[128];

	assert(level >= QD_LOG_ERROR && level <= QD_LOG_DEBUG);
	if (level > component_max(user, component))
		return;
	int n = snprintf(prefix, sizeof prefix, "qd[%ld.%ld] %s %.*s: ", (long)getpid(),
			 (long)gettid(), level_name[level], LOG_MAX_NAME, component);
	for (;;) {
		const char *end = len ? memchr(msg, '\n', len) : NULL;
		size_t line = end ? (size_t)(end - msg) : len;
		struct iovec v[] = {
			{ prefix, (size_t)n },
			{ (void *)(uintptr_t)msg, line },
			{ (void *)(uintptr_t)"\n", 1 },
		};
		ssize_t rc;
		do
			rc = writev(STDERR_FILENO, v, 3);
		while (rc < 0 && errno == EINTR);
		if (!end || line + 1 == len)
			return;
		msg += line + 1;
		len -= line + 1;
	}
}
