/* SPDX-License-Identifier: Apache-2.0
 * What a logpoint prints: a text with expressions, as "loss {mean(x)}"; {{ and }} stand for the
 * characters themselves. */
#pragma once

#include "engine/live/sonde-expression.h"

G_BEGIN_DECLS

typedef GPtrArray SondeLogText;

/* Errors: INVALID for a { that is not closed; those of sonde_expression_parse(). (transfer full) */
SondeLogText *sonde_log_text_parse (const char *text, GError **error);
void sonde_log_text_free (SondeLogText *log);

/* Its expression number @k, NULL behind the last. (transfer none) */
SondeExpression *sonde_log_text_get_expression (const SondeLogText *log, guint k);

/* The text with values from @source; an expression that fails stands as "{MESSAGE}". (transfer
 * full) */
char *sonde_log_text_format (const SondeLogText *log, SondeExpressionSource *source);

G_END_DECLS
