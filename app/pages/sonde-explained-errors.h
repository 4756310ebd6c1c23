/* SPDX-License-Identifier: Apache-2.0
 * Which class was taken for which, counted over explained samples. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* More classes than this are not shown: those with the most samples stay. */
#define SONDE_EXPLAINED_ERRORS_MAX_CLASSES 14

/**
 * SondeExplainedErrors:
 * @names: (array length=n): classes by number, then by name
 * @counts: (array): n × n, true class down, predicted class across
 */
typedef struct
{
  guint n;
  char **names;
  guint *counts;
} SondeExplainedErrors;

/* @samples: of SondeExplainedSample. Returns: (transfer full) */
SondeExplainedErrors *sonde_explained_errors_new (GListModel *samples);
void sonde_explained_errors_free (SondeExplainedErrors *errors);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainedErrors, sonde_explained_errors_free)

/* Cell of a pair as sonde_explained_sample_get_pair() writes it; -1. */
int sonde_explained_errors_find (const SondeExplainedErrors *errors,
                                 const char                 *pair);
/* (transfer full) */
char *sonde_explained_errors_dup_pair (const SondeExplainedErrors *errors,
                                       guint                       cell);

G_END_DECLS
