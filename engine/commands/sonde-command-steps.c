/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/commands/sonde-command-steps.h"

#include <string.h>

#include "engine/live/sonde-nearest.h"

#define MAX_NEAR 5 /* names that are given for one that is not there */

/* ---- names like a pattern ------------------------------------------------ */

static const char *
get_name (guint k, gpointer names)
{
  return g_ptr_array_index ((GPtrArray *) names, k);
}

static void
add_near (GPtrArray *near, const char *name)
{
  if (near->len < MAX_NEAR && !g_ptr_array_find_with_equal_func (near, name, g_str_equal, NULL))
    g_ptr_array_add (near, g_strdup (name));
}

/* The nearest one, and those that hold what was asked for. */
static void
find_near (SondeCommandNodes *nodes, const SondeStepNames *names)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autofree char *wanted = g_ascii_strdown (nodes->pattern, -1);
  const char *nearest;

  for (guint i = 0; i < nodes->list->len; i++)
    names->list (g_ptr_array_index (nodes->list, i), all);
  g_strdelimit (wanted, "*?[]", ' ');
  g_strstrip (wanted);
  nearest = sonde_nearest_name (wanted, get_name, all->len, all);
  if (nearest != NULL)
    add_near (nodes->near, nearest);
  for (guint i = 0; i < all->len && *wanted != '\0'; i++)
    {
      g_autofree char *name = g_ascii_strdown (get_name (i, all), -1);

      if (strstr (name, wanted) != NULL)
        add_near (nodes->near, get_name (i, all));
    }
}

/* ---- the nodes ----------------------------------------------------------- */

static gboolean
is_any (const SondeCommandNodes *nodes, const SondeStepNames *names)
{
  for (guint i = 0; i < nodes->list->len; i++)
    if (names->matches (g_ptr_array_index (nodes->list, i), nodes->pattern))
      return TRUE;
  return FALSE;
}

static void
keep_matches (SondeCommandNodes *nodes, const SondeStepNames *names)
{
  GPtrArray *all = nodes->list;

  if (!is_any (nodes, names))
    find_near (nodes, names);
  nodes->list = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_step_info_free);
  for (guint i = 0; i < all->len; i++)
    {
      SondeStepInfo *step = g_steal_pointer (&g_ptr_array_index (all, i));

      if (names->matches (step, nodes->pattern))
        g_ptr_array_add (nodes->list, step);
      else
        sonde_step_info_free (step);
    }
  g_ptr_array_set_free_func (all, NULL);
  g_ptr_array_unref (all);
}

gboolean
sonde_command_nodes_read (SondeCommandNodes *nodes, SondeCommandRunner *runner, const char *pattern,
                          const SondeStepNames *names, GError **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (
      runner,
      sonde_session_request_in_frame (sonde_session_request_steps (), SONDE_SESSION_FRAME_SELECTED),
      error);

  if (reply == NULL || reply->steps == NULL)
    return FALSE;
  *nodes = (SondeCommandNodes){ .list = g_steal_pointer (&reply->steps),
                                .pattern = g_strdup (pattern),
                                .near = g_ptr_array_new_with_free_func (g_free) };
  if (pattern != NULL)
    keep_matches (nodes, names);
  return TRUE;
}

void
sonde_command_nodes_clear (SondeCommandNodes *nodes)
{
  g_ptr_array_unref (nodes->list);
  g_ptr_array_unref (nodes->near);
  g_free (nodes->pattern);
}

char *
sonde_command_nodes_dup_near (const SondeCommandNodes *nodes)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < nodes->near->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            (const char *) g_ptr_array_index (nodes->near, i));
  return g_string_free (g_steal_pointer (&text), FALSE);
}
