/* SPDX-License-Identifier: Apache-2.0
 * The table of commands. */
#include "engine/commands/sonde-command-table.h"

#define ADDRESS(name) &sonde_command_class_##name,

static const SondeCommandClass *const table[] = { SONDE_COMMANDS (ADDRESS) };

const SondeCommandClass *
sonde_command_table_get (guint k)
{
  return k < G_N_ELEMENTS (table) ? table[k] : NULL;
}
