/* SPDX-License-Identifier: Apache-2.0
 * Positions over all runs, and lengths of runs. */
#include "engine/debug/run/sonde-run-position.h"

#include "engine/debug/run/sonde-step-scope.h"

SondeRunPosition
sonde_run_position (guint64 run, guint position)
{
  SondeRunPosition at = { .run = run, .n_levels = 1 };

  at.levels[0].position = position;
  return at;
}

SondeRunPosition
sonde_run_position_in (const SondeDebuggee *debuggee, SondeExecution *execution, guint position)
{
  guint depth = sonde_execution_depth (execution);
  SondeRunPosition at = { .run = debuggee->run, .n_levels = MIN (depth + 1, SONDE_MOST_LEVELS) };

  for (; execution != NULL; execution = sonde_execution_get_parent (execution), depth--)
    {
      if (depth < SONDE_MOST_LEVELS)
        {
          at.levels[depth].position = position;
          at.levels[depth].iteration = depth > 0 ? sonde_execution_get_iteration (execution) : 0;
        }
      if (depth > 0)
        position = sonde_execution_get_position (sonde_execution_get_parent (execution));
    }
  return at;
}

SondeRunPosition
sonde_run_position_now (const SondeDebuggee *debuggee)
{
  SondeExecution *execution = sonde_debuggee_get_innermost (debuggee);

  if (!sonde_debuggee_is_in_run (debuggee))
    return sonde_run_position (
        debuggee->history != NULL ? debuggee->history->get_run (debuggee->history_data) : 0, 0);
  return sonde_run_position_in (debuggee, execution, sonde_execution_get_position (execution));
}

int
sonde_run_position_compare (const SondeRunPosition *a, const SondeRunPosition *b)
{
  if (a->run != b->run)
    return a->run < b->run ? -1 : 1;
  for (guint i = 0; i < MIN (a->n_levels, b->n_levels); i++)
    {
      if (a->levels[i].iteration != b->levels[i].iteration)
        return a->levels[i].iteration < b->levels[i].iteration ? -1 : 1;
      if (a->levels[i].position != b->levels[i].position)
        return a->levels[i].position < b->levels[i].position ? -1 : 1;
    }
  return a->n_levels < b->n_levels ? -1 : a->n_levels > b->n_levels;
}

gboolean
sonde_run_position_is_first (const SondeRunPosition *at)
{
  return at->n_levels == 1 && at->levels[0].position == 0;
}

guint64
sonde_debuggee_get_first_run (const SondeDebuggee *debuggee, guint64 here)
{
  guint64 first;

  if (debuggee->history == NULL || debuggee->history->get_first == NULL
      || !debuggee->history->get_first (debuggee->history_data, &first))
    return here;
  return MIN (first, here);
}

/* ---- the length of runs -------------------------------------------------- */

/* Runs from @first on have @n_steps, up to the next span. */
typedef struct
{
  guint64 first;
  guint n_steps;
} Span;

void
sonde_run_lengths_clear (SondeRunLengths *lengths)
{
  g_clear_pointer (&lengths->spans, g_array_unref);
}

void
sonde_run_lengths_note (SondeRunLengths *lengths, const SondeDebuggee *debuggee, guint n_steps)
{
  const Span span = { debuggee->run, n_steps };
  const Span *last;

  if (lengths->spans == NULL)
    lengths->spans = g_array_new (FALSE, FALSE, sizeof (Span));
  if (debuggee->history == NULL)
    g_array_set_size (lengths->spans, 0);
  last = lengths->spans->len > 0 ? &g_array_index (lengths->spans, Span, lengths->spans->len - 1)
                                 : NULL;
  if (last != NULL && debuggee->run < lengths->n_seen)
    return;
  lengths->n_seen = debuggee->run + 1;
  if (last == NULL || last->n_steps != n_steps)
    g_array_append_val (lengths->spans, span);
}

void
sonde_run_lengths_forget (SondeRunLengths *lengths, guint64 run)
{
  while (lengths->spans != NULL && lengths->spans->len > 0
         && g_array_index (lengths->spans, Span, lengths->spans->len - 1).first >= run)
    g_array_set_size (lengths->spans, lengths->spans->len - 1);
  lengths->n_seen = MIN (lengths->n_seen, run);
}

guint
sonde_run_lengths_get (const SondeRunLengths *lengths, guint64 run, guint *cursor)
{
  while (*cursor > 0 && g_array_index (lengths->spans, Span, *cursor - 1).first > run)
    (*cursor)--;
  return *cursor > 0 ? g_array_index (lengths->spans, Span, *cursor - 1).n_steps : 0;
}

guint
sonde_run_lengths_end (const SondeRunLengths *lengths)
{
  return lengths->spans != NULL ? lengths->spans->len : 0;
}
