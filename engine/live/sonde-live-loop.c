/* SPDX-License-Identifier: Apache-2.0
 * The life of a debugger for a loop that is not ours, and its values as a source of expressions. */
#include "engine/live/sonde-live-loop-private.h"

static SondeLiveLoop *
loop_of_source (SondeExpressionSource *source)
{
  return (SondeLiveLoop *) ((char *) source - G_STRUCT_OFFSET (SondeLiveLoop, source));
}

/* ---- values -------------------------------------------------------------- */

static SondeTensor *
get_tensor (SondeExpressionSource *source, const SondeReference *reference, GError **error)
{
  SondeLiveLoop *loop = loop_of_source (source);

  return loop->hooks->get_value (loop->data, reference->name, reference->previous, error);
}

static gboolean
get_number (SondeExpressionSource *source, const char *name, double *number)
{
  if (!g_str_equal (name, "step"))
    return FALSE;
  *number = (double) loop_of_source (source)->step;
  return TRUE;
}

/* ---- life ---------------------------------------------------------------- */

SondeLiveLoop *
sonde_live_loop_new (const SondeLiveHooks *hooks, gpointer data)
{
  SondeLiveLoop *loop = g_new0 (SondeLiveLoop, 1);

  sonde_live_loop_init_target (loop);
  loop->source.get_tensor = get_tensor;
  loop->source.get_number = get_number;
  loop->hooks = hooks;
  loop->data = data;
  loop->hits = g_array_new (FALSE, FALSE, sizeof (guint));
  loop->found_hits = g_array_new (FALSE, FALSE, sizeof (guint));
  loop->found_watches = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_watch_hit_free);
  loop->old = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                     (GDestroyNotify) sonde_tensor_unref);
  sonde_breakpoint_table_init (&loop->breakpoints);
  sonde_watch_table_init (&loop->watches);
  return loop;
}

void
sonde_live_loop_free (SondeLiveLoop *loop)
{
  if (loop == NULL)
    return;
  sonde_live_loop_let_go (loop);
  sonde_watch_table_clear (&loop->watches);
  sonde_breakpoint_table_clear (&loop->breakpoints);
  g_array_unref (loop->hits);
  g_array_unref (loop->found_hits);
  g_ptr_array_unref (loop->found_watches);
  g_hash_table_unref (loop->old);
  g_free (loop->stop.node);
  g_free (loop->stop.op);
  g_free (loop->stop.scope);
  g_free (loop->stop.source);
  g_free (loop->stop.thread);
  g_free (loop->stop.error);
  g_free (loop->begins);
  g_free (loop);
}

void
sonde_live_loop_set_log (SondeLiveLoop *loop, SondeBreakpointLog log, gpointer data)
{
  loop->breakpoints.log = log;
  loop->breakpoints.log_data = data;
}

SondeLiveTarget *
sonde_live_loop_get_target (SondeLiveLoop *loop)
{
  return &loop->target;
}

SondeExpressionSource *
sonde_live_loop_get_source (SondeLiveLoop *loop)
{
  return &loop->source;
}
