/* SPDX-License-Identifier: Apache-2.0
 * What is answered of a value, wherever it comes from. */
#pragma once

#include "engine/live/sonde-expression.h"
#include "engine/session/server/sonde-serve.h"

G_BEGIN_DECLS

/* What came out of an expression as a tensor. (transfer full) */
SondeTensor *sonde_serve_dup_result (const SondeExpressionResult *result);
/* @want: SondeSessionWant, but SAVED. Errors: MEMORY */
gboolean sonde_serve_answer_wanted (SondeSessionAnswer *answer, guint want, SondeTensor *tensor,
                                    GError **error);
/* A check that is unknown does not hold, and is no error. Returns: TRUE */
gboolean sonde_serve_answer_unknown (SondeSessionAnswer *answer, const GError *reason);
/* Form and histogram. Errors: INVALID for strings, naming @name */
gboolean sonde_serve_answer_histogram (SondeSessionAnswer *answer, const char *name,
                                       SondeTensor *tensor, GError **error);

G_END_DECLS
