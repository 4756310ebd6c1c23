/* SPDX-License-Identifier: Apache-2.0
 * The text form of a report on what a port costs. */
#pragma once

#include "data/sources/porting/sonde-port-report.h"

G_BEGIN_DECLS

/* On stdout, in the user's language. */
void sonde_scan_print (const SondePortReport *report, gboolean possible);

G_END_DECLS
