/* SPDX-License-Identifier: Apache-2.0
 * What is worth a column of a table of trials: the parameters, and of each scalar one number out of
 * its points; which of them differ, which say the same as another, and what stands in a cell. */
#pragma once

#include "data/browsing/sonde-trials.h"

G_BEGIN_DECLS

/* In the order in which columns are shown. */
typedef enum
{
  SONDE_TRIAL_DIFFERS, /* a parameter that is not the same in all trials */
  SONDE_TRIAL_METRIC,  /* a number out of the points of a scalar */
  SONDE_TRIAL_SAME,    /* a parameter that is */
} SondeTrialRank;

/* Which number of a scalar. Points that are not finite are left out of all but LAST. */
typedef enum
{
  SONDE_TRIAL_LAST, /* in file and record order */
  SONDE_TRIAL_BEST, /* MIN where less is better by the tag's name, else MAX */
  SONDE_TRIAL_MIN,
  SONDE_TRIAL_MAX,
  SONDE_TRIAL_MEAN, /* of the last n_last points */
  SONDE_TRIAL_N_STATISTICS
} SondeTrialStatistic;

#define SONDE_TRIAL_N_LAST 10     /* what n_last begins with */
#define SONDE_TRIAL_MAX_LAST 4096 /* and its end */

/**
 * SondeTrialColumn:
 * @name: of the parameter, or the tag
 * @twin: (nullable): a column before or behind it that says the same in every trial under a name
 *   that shares a word: "data.batch" of "batch_size". Of such a pair the longer name has it
 */
typedef struct
{
  SondeTrialRank rank;
  char *name;
  char *twin;
  SondeTrialStatistic statistic; /* of a METRIC */
  guint n_last;
} SondeTrialColumn;

SondeTrialColumn *sonde_trial_column_copy (const SondeTrialColumn *column);
void sonde_trial_column_free (SondeTrialColumn *column); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrialColumn, sonde_trial_column_free)

/* Of the SondeTrials in @trials, by rank, then name. The work grows with what they hold, and with
 * the columns that share a word. (transfer full) (element-type SondeTrialColumn) */
GPtrArray *sonde_trial_columns_collect (GListModel *trials);
/* The same columns in the same order. */
gboolean sonde_trial_columns_equal (GPtrArray *a, GPtrArray *b);
/* Shown until somebody chooses: what differs or came out, each fact once. */
gboolean sonde_trial_column_is_usual (const SondeTrialColumn *column);
/**
 * sonde_trial_columns_find:
 * @name: as written by a person: a column's name, or the end of just one behind "/" or "."; case
 *   does not count, and "_" is as good as any other sign between words
 * Returns: (nullable) (transfer none)
 */
SondeTrialColumn *sonde_trial_columns_find (GPtrArray *columns, const char *name);

/* "loss", "test/error", "perplexity": less is better. */
gboolean sonde_trial_less_is_better (const char *tag);

/* What stands in the column as a number; NaN: no number, or none that is finite where MIN, MAX, BEST
 * and MEAN are asked for. */
double sonde_trial_get_number (SondeTrial *trial, const SondeTrialColumn *column);
/* As shown: numbers of scalars in four digits, of parameters in six (whole ones in full), texts as
 * they are. NULL: nothing. @number: (out): as above. (transfer full) (nullable) */
char *sonde_trial_dup_text (SondeTrial *trial, const SondeTrialColumn *column, double *number);
/* In full: parameters as recorded, numbers so that they read back the same. (transfer full)
 * (nullable) */
char *sonde_trial_dup_exact (SondeTrial *trial, const SondeTrialColumn *column);

G_END_DECLS
