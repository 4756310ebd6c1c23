/* SPDX-License-Identifier: Apache-2.0
 * Numbers, counts, sizes and times as short text, the same everywhere. Pure functions. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  SONDE_NOTATION_AUTOMATIC, /* "0.01234", "12.35 M", "3.1e-07" */
  SONDE_NOTATION_PLAIN,     /* "12350000"; below 1e-8 and from 1e15 on as automatic */
  SONDE_NOTATION_SCIENTIFIC,
} SondeNotation;

typedef enum
{
  SONDE_GROUPING_COMMA, /* 1,200,000 */
  SONDE_GROUPING_SPACE, /* with narrow spaces that do not break */
  SONDE_GROUPING_NONE,
} SondeGrouping;

/* How sonde_format_number() and sonde_format_count() write: @digits: significant, 3…9 */
typedef struct
{
  int digits;
  SondeNotation notation;
  SondeGrouping grouping;
} SondeNumberStyle;

#define SONDE_NUMBER_STYLE_DEFAULT                                                                 \
  ((SondeNumberStyle){ 4, SONDE_NOTATION_AUTOMATIC, SONDE_GROUPING_COMMA })

/* Of this process from now on, in all threads; the window alone sets another than the default. What is out of
 * range is brought into it. */
void sonde_format_set_style (const SondeNumberStyle *style);
SondeNumberStyle sonde_format_get_style (void);

/* By default, of the style, four significant digits: "0.01234", "1.5", "12.35 M", "3.1e-07", "nan", "−inf" as "-inf".
 * From 10,000 on with k, M, G, T. Returns: (transfer full) */
char *sonde_format_number (double value);
/* Shortest text that reads back to the same double. Returns: (transfer full) */
char *sonde_format_exact (double value);
/* Whole numbers in groups of three: "1,200,000". Returns: (transfer full) */
char *sonde_format_count (gint64 value);
/* "512 B", "1.5 MiB". Returns: (transfer full) */
char *sonde_format_bytes (guint64 bytes);
/* "350 ns", "1.2 µs", "12.3 ms", "4.5 s", "2 min 3 s", "1 h 5 min". Returns: (transfer full) */
char *sonde_format_duration (gint64 ns);
/* "2026-05-03 14:05:30". @wall_ns: since 1970 UTC; @zone: (nullable): the local one. Returns:
 * (transfer full) */
char *sonde_format_clock (gint64 wall_ns, GTimeZone *zone);
/* "just now", "12 s ago", "3 min ago", "2 h ago", "5 days ago". Returns: (transfer full) */
char *sonde_format_ago (gint64 ns);

G_END_DECLS
