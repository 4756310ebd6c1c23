/* SPDX-License-Identifier: Apache-2.0
 * `sonde check --roofline`: what this machine can do at best, measured. */
#pragma once

#include "app/cli/sonde-cli.h"

G_BEGIN_DECLS

/* @n_threads: 0: as many as a run takes by itself; @forget: what was measured before does not count.
 * Returns: the exit status */
int sonde_check_roofline (const SondeCliCommand *command, guint n_threads, gboolean forget,
                          gboolean json);

G_END_DECLS
