/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect MODEL --cost`: what a model costs by its sizes, without running it. */
#pragma once

#include "app/cli/sonde-cli.h"

G_BEGIN_DECLS

/**
 * sonde_inspect_cost:
 * @shapes: (array zero-terminated=1) (nullable): "NAME=D,D,…" each
 *
 * Prints one JSON object, {"cost": {…}}, or a table that fits the terminal.
 * Returns: the exit status
 */
int sonde_inspect_cost (const SondeCliCommand *command, const char *path, char **shapes,
                        gboolean json);

G_END_DECLS
