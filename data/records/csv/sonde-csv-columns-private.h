/* SPDX-License-Identifier: Apache-2.0
 * What the columns of a CSV file are to a run: the step, the time, and everything else. */
#pragma once

#include "data/base/sonde-csv.h"

G_BEGIN_DECLS

/**
 * SondeCsvColumns: by a header
 * @n: columns
 * @names: (array length=n): without blanks around; "" is left out of the run
 * @step: its column; @wall: -1 without one; @wall_is_sure: its name can mean nothing else
 * @tag, @value, @run: of the long form, a tag and its value in each row; -1 in the wide one
 */
typedef struct
{
  guint n;
  char **names;
  int step, wall, tag, value, run;
  gboolean wall_is_sure;
} SondeCsvColumns;

/* Whether @fields are a header with a step column, and of at least two columns. @columns: (out)
 * (optional) */
gboolean sonde_csv_columns_parse (GArray *fields, SondeCsvColumns *columns);
void sonde_csv_columns_clear (SondeCsvColumns *columns);

/* The separator that a header's line has most of: comma, semicolon, tab; 0 without any. */
char sonde_csv_guess_separator (const char *line, gsize length);

typedef enum
{
  SONDE_CSV_EMPTY, /* nothing, or a word that stands for nothing ("NA", "null") */
  SONDE_CSV_NUMBER,
  SONDE_CSV_TEXT,
} SondeCsvKind;

/* NaN and infinities are numbers; a comma is the decimal point where it is no separator. */
SondeCsvKind sonde_csv_field_value (const SondeCsvField *field, char separator, double *number);

/* Seconds or milliseconds since 1970, or an ISO 8601 time. */
gboolean sonde_csv_field_time (const SondeCsvField *field, char separator, gint64 *wall_time_ns);

/* A whole number; fractions of one are cut off. */
gboolean sonde_csv_field_step (const SondeCsvField *field, char separator, gint64 *step);

G_END_DECLS
