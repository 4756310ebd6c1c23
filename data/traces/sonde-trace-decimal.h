/* SPDX-License-Identifier: Apache-2.0
 * Times that are written as decimal microseconds become integer nanoseconds without passing through
 * a double, which holds a quarter of a microsecond at today's clocks. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of SondeTraceDecimal.rest, a nanosecond: two of them fit 63 bits. */
#define SONDE_TRACE_DECIMAL_ONE G_GINT64_CONSTANT (1000000000000000000)

/* ns + rest · 10⁻¹⁸ nanoseconds; |rest| < 10¹⁸, of the sign of the whole. */
typedef struct
{
  gint64 ns;
  gint64 rest;
} SondeTraceDecimal;

/**
 * sonde_trace_decimal_parse:
 * @text: -?d+(.d+)?(e±d+)? and nothing around it: microseconds
 *
 * Digits beyond the eighteenth after the nanosecond are cut off. Returns FALSE when it is no such number
 * or not below 2⁶³ ns.
 */
gboolean sonde_trace_decimal_parse (const char *text, gsize n, SondeTraceDecimal *decimal);

/* To the nearest nanosecond, halves away from zero. Returns FALSE beyond ±(2⁶³ − 1). */
gboolean sonde_trace_decimal_round (const SondeTraceDecimal *decimal, gint64 *ns);

/* As sonde_trace_decimal_round() of the sum, so that rounding never breaks nesting. */
gboolean sonde_trace_decimal_round_sum (const SondeTraceDecimal *a, const SondeTraceDecimal *b,
                                        gint64 *ns);

G_END_DECLS
