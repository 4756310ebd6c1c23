/* SPDX-License-Identifier: Apache-2.0
 * How much of the machine's processor time other programs take while something is measured. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeOtherLoad: a moment
 * @busy, @total: s that all processors worked and passed, since the machine started; NaN: unknown
 * @own: s that this process took
 */
typedef struct
{
  double busy, total, own;
} SondeOtherLoad;

void sonde_other_load_begin (SondeOtherLoad *load);
/* Since then. Returns: 0…1; NaN where the system does not tell, or less than 0.1 s passed: its clock
 * is too coarse */
double sonde_other_load_end (const SondeOtherLoad *load);

/* The first line of /proc/stat. FALSE: it is none */
gboolean sonde_other_load_parse (const char *line, double ticks_a_second, SondeOtherLoad *load);

G_END_DECLS
