/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect` of a folder that msprobe dumped into. */
#pragma once

#include "app/cli/sonde-cli-inspect-findings.h"

G_BEGIN_DECLS

/* Whether @path is such a folder, or one in it down to that of a rank. */
gboolean sonde_inspect_is_dump (const char *path);

/* All its steps and ranks, one after the other in memory. Errors: of a listing. */
gboolean sonde_inspect_dump (SondeFindings *findings, const char *path, GError **error);

G_END_DECLS
