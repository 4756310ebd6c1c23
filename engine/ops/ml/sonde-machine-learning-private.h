/* SPDX-License-Identifier: Apache-2.0
 * Shared by the operators of ai.onnx.ml: rows of features, class labels, what is done to scores at
 * last. Where the operator texts leave a case open, ONNX Runtime 1.31 is followed, as long as its
 * answer makes sense. */
#pragma once

#include "engine/ops/text/sonde-string-private.h"

G_BEGIN_DECLS

#define SONDE_ML_DOMAIN "ai.onnx.ml"

/* ---- rows of features ---------------------------------------------------- */

/* Input 0 is of numbers, [N, C], or [C] for one row (or unknown). */
gboolean sonde_ml_need_rows (const SondeInferContext *context, GError **error);

/* Number of rows and of columns of input 0; size -1 where it is unknown; FALSE when not even the
 * rank is known. */
gboolean sonde_ml_get_rows (const SondeInferContext *context, SondeDimension *rows,
                            gint64 *columns);

/* The same of a tensor. */
void sonde_ml_rows_of (const SondeTensor *x, gint64 *rows, gint64 *columns);

/* Row @row as doubles. @features: (out): room for all columns */
void sonde_ml_read_row (const SondeTensor *x, gint64 row, double *features);

/* Floats of an attribute; @n: (out): 0 when it is absent. Returns: (nullable) */
const double *sonde_ml_floats (const SondeNode *node, const char *name, gsize *n);

/* ---- class labels -------------------------------------------------------- */

/**
 * SondeMlLabels: one of two attributes
 * @strings, @ints: (nullable): the one that is there
 */
typedef struct
{
  gsize n;
  char *const *strings;
  const gint64 *ints;
} SondeMlLabels;

/* Errors: SHAPE unless exactly one of the attributes holds labels. */
gboolean sonde_ml_find_labels (const SondeNode *node, const char *ints, const char *strings,
                               SondeMlLabels *labels, GError **error);

/* Types of a classifier's outputs: labels [N], scores float32 [N, @columns]. */
void sonde_ml_infer_classes (SondeInferContext *context, const SondeMlLabels *labels,
                             SondeDimension rows, gint64 columns);

/* Label @class becomes element @row of output 0, if that is named. */
void sonde_ml_give_label (const SondeKernelContext *context, const SondeMlLabels *labels,
                          gint64 row, gsize class);

/* Scores become row @row of output @k, if that is named. */
void sonde_ml_give_scores (const SondeKernelContext *context, guint k, gint64 row,
                           const double *scores, gsize n);

/* The first of the greatest; NaN is no greatest, but for all NaN 0 is returned. */
gsize sonde_ml_argmax (const double *scores, gsize n);

/* ---- what is done to scores ---------------------------------------------- */

typedef enum
{
  SONDE_POST_NONE,
  SONDE_POST_SOFTMAX,
  SONDE_POST_LOGISTIC,
  SONDE_POST_SOFTMAX_ZERO,
  SONDE_POST_PROBIT,
} SondePostTransform;

/* "NONE", …, in the order of the enum; ended by NULL: choices of an attribute rule. */
extern const char *const sonde_post_transform_names[];

/* its attribute post_transform */
SondePostTransform sonde_post_transform_of (const SondeNode *node);

/**
 * sonde_post_transform:
 *
 * SOFTMAX: exp (s − max) / Σ; SOFTMAX_ZERO: the same, but scores of 0 stay 0; LOGISTIC: 1 / (1 +
 * exp (−s)); PROBIT: √2·erf⁻¹ (2s − 1) by Winitzki's approximation with a = 0.147. A single score
 * is only changed by PROBIT.
 */
void sonde_post_transform (SondePostTransform transform, double *scores, gsize n);

/**
 * sonde_post_transform_binary:
 * @score: of the second of two classes
 * @complement: the first class's score is 1 − s, else −s
 * @scores: (out): two of them
 *
 * One score told as two. LOGISTIC: of −s and s; PROBIT: of 1 − s and s; softmaxes leave the two as
 * they are.
 */
void sonde_post_transform_binary (SondePostTransform transform, double score, gboolean complement,
                                  double *scores);

G_END_DECLS
