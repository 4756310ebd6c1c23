/* SPDX-License-Identifier: Apache-2.0
 * A curve that is calculated of the scalars of one run: "log(train/loss) - test/loss", "ema(loss, 0.9)". The language is
 * that of docs/expressions.md, whose values are curves here: a name is a tag, and arithmetic goes step by step. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

typedef struct _SondeCurveExpression SondeCurveExpression;

/* Errors: INVALID with the column, from 1, and what was expected there. */
SondeCurveExpression *sonde_curve_expression_new (const char *text, GError **error);
void sonde_curve_expression_free (SondeCurveExpression *expression); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeCurveExpression, sonde_curve_expression_free)

/* Tags that it reads, each once. (array zero-terminated=1) (transfer none) */
const char *const *sonde_curve_expression_get_tags (SondeCurveExpression *expression);

/**
 * sonde_curve_expression_compute:
 *
 * At the steps at which every scalar that it reads has a point; of several points of a step the last. The wall time is
 * that of the first scalar named.
 * Returns: (transfer full) (element-type SondePoint): empty where the run lacks a tag. Errors: shapes or types that do
 * not fit, as of sonde_expression_evaluate().
 */
GArray *sonde_curve_expression_compute (SondeCurveExpression *expression, SondeRun *run,
                                        GError **error);

G_END_DECLS
