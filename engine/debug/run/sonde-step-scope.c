/* SPDX-License-Identifier: Apache-2.0
 * Scopes and depths of steps. */
#include "engine/debug/run/sonde-step-scope.h"

#include <string.h>

guint
sonde_execution_depth (SondeExecution *execution)
{
  guint depth = 0;

  while ((execution = sonde_execution_get_parent (execution)) != NULL)
    depth++;
  return depth;
}

const char *
sonde_step_scope (const SondeStep *step)
{
  return step->n_nodes > 0 ? step->nodes[step->n_nodes - 1]->scope : NULL;
}

const char *
sonde_execution_scope (SondeExecution *execution)
{
  const SondeNode *node = sonde_execution_get_node (execution);

  return node != NULL ? node->scope : NULL;
}

char *
sonde_call_scope (const SondeNode *node)
{
  const char *name = node->name + strspn (node->name, "/");
  gsize n = node->scope != NULL ? strlen (node->scope) : 0;

  if (n == 0 || (strncmp (name, node->scope, n) == 0 && name[n] == '/'))
    return g_strdup (name);
  return g_strconcat (node->scope, "/", name, NULL);
}

gboolean
sonde_scope_contains (const char *scope, const char *other)
{
  gsize length;

  if (scope == NULL || *scope == '\0')
    return TRUE;
  if (other == NULL)
    return FALSE;
  length = strlen (scope);
  return strncmp (scope, other, length) == 0 && (other[length] == '\0' || other[length] == '/');
}
