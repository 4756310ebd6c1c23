/* SPDX-License-Identifier: Apache-2.0
 * Steps that the plan put between the nodes of the graph: they are stopped at as any other, so they have
 * lines of the listing. */
#include "engine/frontend/sonde-debug-steps.h"

#include "data/base/sonde-text.h"

gboolean
sonde_debug_step_is_inserted (const SondeStepInfo *step)
{
  return step->nodes == NULL || step->nodes[0] == NULL;
}

guint
sonde_debug_steps_find_shown (SondeDebugSteps *steps, guint position)
{
  guint n = sonde_debug_steps_get_n (steps);

  while (position < n && sonde_debug_step_is_inserted (sonde_debug_steps_get (steps, position)))
    position++;
  return position < n ? position : SONDE_DEBUG_NO_STEP;
}

/* Step -> the line of the text that it comes before: that of the next node; behind the last line where
 * none follows. (transfer full) */
static guint *
find_next_lines (SondeDebugSteps *steps, guint n_text_lines)
{
  guint n = sonde_debug_steps_get_n (steps), next = n_text_lines + 1;
  guint *before = g_new (guint, n + 1);

  for (guint i = n; i > 0; i--)
    {
      guint line = sonde_debug_steps_get_line (steps, i - 1);

      if (line > 0)
        next = line;
      before[i - 1] = next;
    }
  return before;
}

static void
append_inserted (GString *text, const SondeStepInfo *step)
{
  g_autofree char *input = g_strjoinv (", ", step->inputs),
                  *output = g_strjoinv (", ", step->outputs);

  g_string_append_printf (text, "%s: %s = %s (%s)  # %s\n", step->name, output, step->op, input,
                          _ ("inserted: memory layout"));
}

/* By the line that they come before, then as they run. */
static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const guint *before = data, i = *(const guint *) a, k = *(const guint *) b;

  if (before[i] != before[k])
    return before[i] < before[k] ? -1 : 1;
  return i < k ? -1 : i > k;
}

/* (transfer full) (element-type guint): positions, in the order of their lines */
static GArray *
list_inserted (SondeDebugSteps *steps, guint *before)
{
  GArray *inserted = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < sonde_debug_steps_get_n (steps); i++)
    if (sonde_debug_step_is_inserted (sonde_debug_steps_get (steps, i)))
      g_array_append_val (inserted, i);
  g_array_sort_with_data (inserted, compare, before);
  return inserted;
}

char *
sonde_debug_steps_insert_lines (SondeDebugSteps *steps, const char *text)
{
  g_autofree char *whole = g_strchomp (g_strdup (text));
  g_auto (GStrv) old = g_strsplit (whole, "\n", -1);
  guint n_old = g_strv_length (old), n = sonde_debug_steps_get_n (steps), made = 0, next = 0;
  g_autofree guint *before = find_next_lines (steps, n_old), *moved = g_new0 (guint, n_old + 2);
  g_autoptr (GArray) inserted = list_inserted (steps, before);
  guint *lines = g_new0 (guint, n + 1);
  GString *all = g_string_new (NULL);

  for (guint line = 1; line <= n_old + 1; line++)
    {
      for (; next < inserted->len && before[g_array_index (inserted, guint, next)] == line; next++)
        {
          guint position = g_array_index (inserted, guint, next);

          append_inserted (all, sonde_debug_steps_get (steps, position));
          lines[position] = ++made;
        }
      if (line <= n_old)
        g_string_append_printf (all, "%s\n", old[line - 1]);
      moved[line] = ++made;
    }
  for (guint i = 0; i < n; i++)
    if (lines[i] == 0)
      lines[i] = moved[MIN (sonde_debug_steps_get_line (steps, i), n_old)];
  sonde_debug_steps_set_lines (steps, lines, n);
  return g_string_free (all, FALSE);
}
