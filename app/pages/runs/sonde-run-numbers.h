/* SPDX-License-Identifier: Apache-2.0
 * What the store knows of a run, as numbers: a row each of the table of runs, and of what is copied from it. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

/**
 * SondeRunNumber:
 * @name: of its column, kept in settings; @title: marked for translation
 * @value: sorts the column
 * @format: shows it; @copy: (nullable): as copied, NULL: a whole number. (transfer full) both
 * @is_text: aligned left
 */
typedef struct
{
  const char *name, *title;
  double (*value) (SondeRun *run);
  char *(*format) (double value);
  char *(*copy) (double value);
  gboolean is_text;
} SondeRunNumber;

extern const SondeRunNumber sonde_run_numbers[]; /* ended by a NULL name */

double sonde_run_count_points (SondeRun *run); /* of scalars */
double sonde_run_count_bytes (SondeRun *run);
double sonde_run_get_start (SondeRun *run); /* ns, as sonde_run_get_start_ns() */

G_END_DECLS
