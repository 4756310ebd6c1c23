/* SPDX-License-Identifier: Apache-2.0
 * Two models on the same samples: which misclassifications went, which came, which stayed, and whether
 * that is more than luck. */
#pragma once

#include "explain/browsing/sonde-explain-item.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_EXPLAIN_FIXED, /* wrong by the first, right by the second */
  SONDE_EXPLAIN_NEW,   /* right by the first, wrong by the second */
  SONDE_EXPLAIN_STILL, /* wrong by both */
  SONDE_N_EXPLAIN_CHANGES
} SondeExplainChange;

/* What became of it; SONDE_N_EXPLAIN_CHANGES: right by both, or it cannot be told. */
SondeExplainChange sonde_explain_change_of (SondeExplainItem *item);

/**
 * SondeModelChanges: counted over samples
 * @n: that have a label and an answer of both models
 * @counts: of each change; @n_moved: of STILL: those that the models take for different classes
 */
typedef struct
{
  guint n, n_moved;
  guint counts[SONDE_N_EXPLAIN_CHANGES];
} SondeModelChanges;

/* @items: (element-type SondeExplainItem) */
void sonde_model_changes_count (SondeModelChanges *changes, GPtrArray *items);
/* The accuracy of each, in three lines. @first, @second: names. (transfer full) */
char *sonde_model_changes_dup_models (const SondeModelChanges *changes, const char *first,
                                      const char *second);
/* "The second model is better: 3 fixed, 1 new. …", by McNemar's exact test. (transfer full) */
char *sonde_model_changes_dup_sentence (const SondeModelChanges *changes);

G_END_DECLS
