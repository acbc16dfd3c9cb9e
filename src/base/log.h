/* The log's stderr sink, which QD_LOG installs if the caller set no log function. */
#ifndef QD_BASE_LOG_H
#define QD_BASE_LOG_H

#include "base.h"

enum { LOG_MAX_RULES = 16, LOG_MAX_NAME = 24 };

struct log_rule {
	char component[LOG_MAX_NAME];
	qd_log_level max;
};

struct log_sink {
	qd_log_level others; /* level of components without a rule; 0: none */
	uint32_t n_rules;
	struct log_rule rules[LOG_MAX_RULES];
};

/* Parses "info" or "cache:debug,driver:info". A plain level among the rules applies to all other
 * components. Returns false if the text is malformed. */
bool log_sink_parse(struct log_sink *sink, const char *text);
/* Returns the highest level that it writes for any component. */
qd_log_level log_sink_max(const struct log_sink *sink);
/* A qd_log_fn; user is the sink. Writes each line of msg as one line, with one system call. */
void log_sink_write(void *user, qd_log_level level, const char *component, const char *msg,
		    size_t len);

#endif
