/* SPDX-License-Identifier: Apache-2.0
 * The classes of all commands, see SONDE_COMMANDS. */
#pragma once

#include "engine/commands/sonde-command-class.h"

G_BEGIN_DECLS

#define SONDE_COMMAND_DECLARE(name) extern const SondeCommandClass sonde_command_class_##name;
SONDE_COMMANDS (SONDE_COMMAND_DECLARE)
#undef SONDE_COMMAND_DECLARE

/* Class @k of the table, NULL behind the last. */
const SondeCommandClass *sonde_command_table_get (guint k);

G_END_DECLS
