/* SPDX-License-Identifier: Apache-2.0
 * Names and watches as the texts that sonde-expression.h and sonde-watch-table.h read: any name may
 * stand in them, with blanks and quotes too. */
#pragma once

#include "engine/live/sonde-condition.h"

G_BEGIN_DECLS

/* "\"my value\"[0, :]": @name in quotes, for an expression. @slice: (nullable): what stands in
 * brackets behind it; "": nothing. (transfer full) */
char *sonde_expression_quote (const char *name, const char *slice);

/* "EXPRESSION on \"PATTERN\"". @pattern: (nullable): nothing or "": the expression alone. (transfer
 * full) */
char *sonde_watch_text_of_expression (const char *expression, const char *pattern);

/* "preset NAME key=value on \"PATTERN\"".
 * @values: (array): a text for each parameter of @klass; NULL or "": its default
 * @pattern: (nullable): as above
 * Returns: (transfer full) */
char *sonde_watch_text_of_condition (const SondeConditionClass *klass, const char *const *values,
                                     const char *pattern);

G_END_DECLS
