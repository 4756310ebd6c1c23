/* SPDX-License-Identifier: Apache-2.0
 * Parts of making a report. */
#pragma once

#include "data/sources/porting/sonde-port-report.h"

G_BEGIN_DECLS

/* Fills possible for one file. @meanings: scratch */
void sonde_port_find_possible (SondePortReport *report, SondeSourceResolver *resolver, guint32 file,
                               gboolean all, GArray *meanings);

/* Adds to limits what @reference says of shapes and sparse values. */
void sonde_port_find_limit (SondePortReport *report, const SondePortReference *reference);

/* Adds to arguments what @reference, a call, gives and its counterpart does not take so. */
void sonde_port_check_arguments (SondePortReport *report, const SondePortReference *reference);

G_END_DECLS
