/* SPDX-License-Identifier: Apache-2.0
 * What info nodes and info ops have in common: the nodes of the frame, those that a pattern means, and
 * names like it where it means none. */
#pragma once

#include "engine/commands/sonde-command-class.h"

G_BEGIN_DECLS

/**
 * SondeStepNames:
 * @matches: @pattern, not NULL, means @step
 * @list: adds the names by which @step can be asked for to @names (element-type utf8, lent)
 */
typedef struct
{
  gboolean (*matches) (const SondeStepInfo *step, const char *pattern);
  void (*list) (const SondeStepInfo *step, GPtrArray *names);
} SondeStepNames;

/* Asks for the nodes of the selected frame. @pattern: (nullable): all. Errors: of the session. */
gboolean sonde_command_nodes_read (SondeCommandNodes *nodes, SondeCommandRunner *runner,
                                   const char *pattern, const SondeStepNames *names,
                                   GError **error);
void sonde_command_nodes_clear (SondeCommandNodes *nodes);
/* The names like the pattern: "a, b"; "": there are none. (transfer full) */
char *sonde_command_nodes_dup_near (const SondeCommandNodes *nodes);

G_END_DECLS
