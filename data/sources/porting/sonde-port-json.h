/* SPDX-License-Identifier: Apache-2.0
 * A report for machines: JSON and CSV, English in every locale. */
#pragma once

#include "data/sources/porting/sonde-port-report.h"

G_BEGIN_DECLS

/* One object: files, references, apis, possible, summary, models, blockers, arguments (docs/scan.md).
 * (transfer full) */
GString *sonde_port_report_to_json (const SondePortReport *report);

/* One line a reference, RFC 4180, with a head. (transfer full) */
GString *sonde_port_report_to_csv (const SondePortReport *report);

G_END_DECLS
