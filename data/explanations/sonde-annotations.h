/* SPDX-License-Identifier: Apache-2.0
 * The user's own verdicts and notes on samples of a session: a small TSV file in the user's data
 * folder, for what a person wrote must survive that a cache is emptied. */
#pragma once

#include <glib.h>

#include "data/explanations/sonde-explanation-settings.h"
#include "data/explanations/sonde-error-category.h"

G_BEGIN_DECLS

/* What the user says of the reason that was given. */
typedef enum
{
  SONDE_VERDICT_NONE,
  SONDE_VERDICT_AGREE,
  SONDE_VERDICT_OTHER,    /* another reason, in SondeVerdict.reason */
  SONDE_VERDICT_NO_ERROR, /* the prediction is right, or as good as the label */
} SondeVerdictKind;

/* @reason: of OTHER, else SONDE_N_CATEGORIES; @note: (nullable) */
typedef struct
{
  SondeVerdictKind kind;
  SondeErrorCategory reason;
  char *note;
} SondeVerdict;

typedef struct _SondeVerdicts SondeVerdicts;

/* Where those of a session are kept. (transfer full) */
char *sonde_verdicts_dup_path (const SondeExplanationSettings *settings);

/* @path: need not be there. Lines that cannot be read are left out and counted. */
SondeVerdicts *sonde_verdicts_new (const char *path);
/* What was not written yet is written first. */
void sonde_verdicts_free (SondeVerdicts *verdicts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeVerdicts, sonde_verdicts_free)

guint sonde_verdicts_get_n (SondeVerdicts *verdicts);
guint sonde_verdicts_get_n_unread (SondeVerdicts *verdicts);
/* @sample: its name. (nullable) (transfer none) */
const SondeVerdict *sonde_verdicts_get (SondeVerdicts *verdicts, const char *sample);
/* @note: (nullable). Neither verdict nor note: forgotten. Written in a moment, all changes at once;
 * what a write says against is told by sonde_verdicts_get_problem(). */
void sonde_verdicts_set (SondeVerdicts *verdicts, const char *sample, SondeVerdictKind kind,
                         SondeErrorCategory reason, const char *note);
const char *sonde_verdicts_get_problem (SondeVerdicts *verdicts); /* (nullable) */

/* "file verdict reason note", sorted by file; tabs, line ends and backslashes escaped. (transfer
 * full) */
char *sonde_verdicts_dup_tsv (SondeVerdicts *verdicts);

G_END_DECLS
