/* SPDX-License-Identifier: Apache-2.0
 * A report on what a port costs, made on a thread of its own and then shared by what shows it. */
#pragma once

#include <gio/gio.h>

#include "data/sources/porting/sonde-port-report.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PORT_SCAN (sonde_port_scan_get_type ())
G_DECLARE_FINAL_TYPE (SondePortScan, sonde_port_scan, SONDE, PORT_SCAN, GObject)

/* @paths: (array zero-terminated=1): Python files and folders */
void sonde_port_scan_make_async (const char *const *paths, SondePortTarget target,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer data);
/* (transfer full) (nullable): NULL with @error set, also when it was cancelled */
SondePortScan *sonde_port_scan_make_finish (GAsyncResult *result, GError **error);

const SondePortReport *sonde_port_scan_get_report (SondePortScan *scan);

/* References of one API: indices. (transfer none) @n: (out) */
const guint32 *sonde_port_scan_get_places (SondePortScan *scan, guint api, guint *n);

G_END_DECLS
