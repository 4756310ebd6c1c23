/* SPDX-License-Identifier: Apache-2.0
 * Rows and fields of a CSV text. Source: RFC 4180, with any one-byte separator. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_CSV_MAX_FIELDS (1 << 20) /* a row */

/* A field, quotes undone; lent until the next row. */
typedef struct
{
  const char *text; /* no NUL behind it */
  gsize length;
} SondeCsvField;

/**
 * SondeCsvReader: zero-initialise with @path (for messages), @at, @end and @separator; then clear
 * @line: of the row read last, from 1
 */
typedef struct
{
  const char *path;
  const char *at, *end;
  char separator;
  guint64 line, next_line;
  GArray *fields; /* of SondeCsvField */
  GString *unquoted;
} SondeCsvReader;

void sonde_csv_reader_clear (SondeCsvReader *reader);

/* The next row that is not empty. FALSE: an error, or the end without one. Errors: DAMAGED, LIMIT,
 * with the line. */
gboolean sonde_csv_reader_next (SondeCsvReader *reader, GError **error);

/* A finite number or infinity; FALSE when it is none, or NaN. Blanks around it are fine. */
gboolean sonde_csv_field_number (const SondeCsvField *field, double *number);

G_END_DECLS
