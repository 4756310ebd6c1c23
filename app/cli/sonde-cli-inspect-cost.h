/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect MODEL --cost`: what a model costs by its sizes, without running it. */
#pragma once

#include "app/cli/models/sonde-cli-model-options.h"
#include "app/cli/sonde-cli.h"

G_BEGIN_DECLS

/**
 * sonde_inspect_cost:
 * @choice: how the model is opened; unknown sizes that it does not give are 1
 *
 * Prints one JSON object, {"cost": {…}}, or a table that fits the terminal.
 * Returns: the exit status
 */
int sonde_inspect_cost (const SondeCliCommand *command, const char *path,
                        const SondeModelChoice *choice, gboolean json);

G_END_DECLS
