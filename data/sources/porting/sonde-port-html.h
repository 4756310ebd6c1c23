/* SPDX-License-Identifier: Apache-2.0
 * A report for people: one page without scripts or anything from elsewhere, the sources beside the
 * table. */
#pragma once

#include "data/sources/porting/sonde-port-report.h"

G_BEGIN_DECLS

/* Sources beyond this are left out, and the page says so. */
#define SONDE_PORT_HTML_MAX_SOURCES (32u << 20)

/* In the user's language. @io: (nullable): sources are read again. (transfer full) */
GString *sonde_port_report_to_html (const SondePortReport *report, const SondeIo *io,
                                    const char *title);

G_END_DECLS
