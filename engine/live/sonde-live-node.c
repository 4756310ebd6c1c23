/* SPDX-License-Identifier: Apache-2.0
 * Which nodes of a loop a pattern means. */
#include "engine/live/sonde-live-node.h"

#include <fnmatch.h>
#include <string.h>

/* "conv#*" means all calls of a module, not the operators in them. */
static int
flags_of (const char *pattern)
{
  return strchr (pattern, '#') != NULL ? FNM_PATHNAME : 0;
}

/* "conv#1/convolution" is how a pattern with a "#" calls the first call of a module, which has none in
 * its name. */
static gboolean
matches_first_call (const SondeLiveNode *node, const char *pattern)
{
  gsize length = node->scope != NULL ? strlen (node->scope) : 0;
  g_autofree char *numbered = NULL;

  if (length == 0 || strchr (pattern, '#') == NULL || strchr (node->scope, '#') != NULL
      || !g_str_has_prefix (node->name, node->scope))
    return FALSE;
  numbered = g_strdup_printf ("%s#1%s", node->scope, node->name + length);
  return fnmatch (pattern, numbered, flags_of (pattern)) == 0;
}

char *
sonde_live_name_without_first (const char *name)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (const char *at = name; *at != '\0'; at++)
    if (g_str_has_prefix (at, "#1") && strchr ("/:)]", at[2]) != NULL) /* or the end */
      at++;
    else
      g_string_append_c (text, *at);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
matches_op (const SondeLiveNode *node, const char *op)
{
  for (guint i = 0; node->functions != NULL && node->functions[i] != NULL; i++)
    if (fnmatch (op, node->functions[i], 0) == 0)
      return TRUE;
  return fnmatch (op, node->op, 0) == 0;
}

static gboolean
matches (const SondeLiveNode *node, const char *pattern)
{
  if (g_str_equal (pattern, node->name) || fnmatch (pattern, node->name, flags_of (pattern)) == 0
      || matches_first_call (node, pattern))
    return TRUE;
  if (g_str_has_prefix (pattern, "op:"))
    return matches_op (node, pattern + strlen ("op:"));
  if (g_str_has_prefix (pattern, "scope:"))
    return node->kind == SONDE_LIVE_MODULE
           && fnmatch (pattern + strlen ("scope:"), node->name, 0) == 0;
  if (g_str_has_prefix (pattern, "phase:"))
    return node->kind == SONDE_LIVE_OPERATOR
           && g_str_equal (pattern + strlen ("phase:"), sonde_phase_name (node->phase));
  return g_strv_contains (node->outputs, pattern);
}

gboolean
sonde_live_node_matches (const SondeLiveNode *node, const char *pattern)
{
  g_autofree char *plain
      = strstr (pattern, "#1") != NULL ? sonde_live_name_without_first (pattern) : NULL;

  return matches (node, pattern) || (plain != NULL && matches (node, plain));
}

/* "loss" is what the first operator of backward was called on. */
gboolean
sonde_live_pattern_reaches_operators (const char *pattern)
{
  if (g_str_has_prefix (pattern, "scope:"))
    return FALSE;
  if (strpbrk (pattern, "/:") != NULL || g_str_equal (pattern, "loss"))
    return TRUE;
  return flags_of (pattern) == 0 && strpbrk (pattern, "*?[") != NULL;
}
