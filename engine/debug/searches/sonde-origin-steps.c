/* SPDX-License-Identifier: Apache-2.0
 * Origins in earlier steps. A weight that is bad stays so, so that the step that made it bad is
 * found by going back by 1, 2, 4, … runs and halving what is left, reading one element each
 * time. */
#include <math.h>
#include <string.h>

#include "engine/debug/sonde-reverse-execution.h"
#include "engine/debug/searches/sonde-origin-private.h"

#define MOST_HOPS 16 /* steps that a chain may lead through */

/* ---- the step that made it bad ------------------------------------------- */

typedef struct
{
  SondeDebugger *debugger;
  SondeOriginProgress progress;
  gpointer data;
  guint64 first, last; /* runs that are looked through */
  gboolean given_up;
} Search;

static gboolean
tell (Search *search, guint64 run)
{
  double range = (double) MAX (search->last - search->first, 1);

  if (search->progress != NULL
      && search->progress ((double) (search->last - run) / range, search->data))
    search->given_up = TRUE;
  return !search->given_up;
}

/* What a run begins with: parameters and states. */
static SondeGraphValue *
find_kept (SondeDebugger *debugger, const SondeOriginLink *link)
{
  SondeExecution *execution = sonde_debugger_get_execution (debugger);
  SondeGraphValue *value = sonde_graph_find_value (
      sonde_plan_get_graph (sonde_execution_get_plan (execution)), link->value);

  if (value == NULL || link->node != NULL
      || (value->role != SONDE_ROLE_PARAMETER && value->role != SONDE_ROLE_STATE))
    return NULL;
  return value;
}

/* Whether the element is bad at the beginning of @run; -1: cannot be said. */
static int
is_bad_before (Search *search, guint64 run, const SondeOriginLink *link)
{
  const SondeRunPosition at = { .run = run, .n_levels = 1 };
  g_autoptr (SondeTensor) tensor = NULL;
  SondeGraphValue *value;

  if (!tell (search, run)
      || !sonde_debugger_travel_to (search->debugger, &at, SONDE_STOP_STEP, NULL))
    return -1;
  value = find_kept (search->debugger, link);
  if (value != NULL)
    tensor = sonde_execution_read (sonde_debugger_get_execution (search->debugger), value, NULL);
  if (tensor == NULL || link->element >= sonde_tensor_n_elements (tensor))
    return -1;
  return !isfinite (sonde_tensor_get_double (tensor, link->element));
}

/* The run that made it bad, of those before @run, before which it is bad. FALSE: it cannot be said;
 * @since_first: because it was bad already before the first that can be gone to. */
static gboolean
find_run (Search *search, guint64 run, const SondeOriginLink *link, guint64 *made,
          gboolean *since_first)
{
  guint64 bad = run, good, stride = 1;
  int is_bad = 1;

  *since_first = FALSE;
  for (; is_bad == 1; stride *= 2)
    {
      if (bad <= search->first)
        {
          *since_first = TRUE;
          return FALSE;
        }
      good = bad - MIN (stride, bad - search->first);
      is_bad = is_bad_before (search, good, link);
      if (is_bad == 1)
        bad = good;
    }
  while (is_bad >= 0 && bad - good > 1)
    {
      guint64 middle = good + (bad - good) / 2;

      is_bad = is_bad_before (search, middle, link);
      if (is_bad == 1)
        bad = middle;
      else if (is_bad == 0)
        good = middle;
    }
  *made = good;
  return is_bad >= 0;
}

/* "3, 7" */
static char *
index_of (const SondeOriginLink *link)
{
  g_autofree char *text = sonde_shape_format_index (&link->shape, link->element);
  gsize length = strlen (text);

  return length >= 2 && *text == '[' ? g_strndup (text + 1, length - 2) : g_strdup ("");
}

static SondeGraphValue *
find_update (const SondeGraph *graph, const char *name)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && value->update_of != NULL && g_str_equal (value->update_of->name, name))
        return value;
    }
  return NULL;
}

/* The chain of what run @run left in @link's value, from its end. (transfer full) (nullable) */
static SondeOrigin *
find_in_run (Search *search, guint64 run, const SondeOriginLink *link)
{
  g_autofree char *index = index_of (link);
  SondeExecution *execution;
  SondeGraphValue *update;
  SondeRunPosition end;
  SondeOrigin *origin;
  SondeStop stop;

  if (!sonde_debugger_get_run_end (search->debugger, run, &end)
      || !sonde_debugger_travel_to (search->debugger, &end, SONDE_STOP_STEP, NULL))
    return NULL;
  execution = sonde_debugger_get_execution (search->debugger);
  update = find_update (sonde_plan_get_graph (sonde_execution_get_plan (execution)), link->value);
  origin = update != NULL ? sonde_origin_find (
               execution, sonde_debugger_get_original (search->debugger), update, index, NULL)
                          : NULL;
  sonde_debugger_get_stop (search->debugger, &stop);
  if (origin != NULL)
    sonde_origin_set_step (origin, stop.step);
  return origin;
}

/* @origin goes on with @further, which is freed. */
static void
join (SondeOrigin *origin, SondeOrigin *further)
{
  guint64 step = origin->step;
  SondeOrigin kept = *origin;

  g_ptr_array_extend_and_steal (origin->chain, g_ptr_array_ref (further->chain));
  *origin = *further;
  *further = kept;
  {
    GPtrArray *own = origin->chain;

    origin->chain = further->chain;
    further->chain = own;
  }
  origin->step = step;
  sonde_origin_free (further);
}

static void
say_since (SondeOrigin *origin, guint64 step)
{
  const SondeOriginLink *link = g_ptr_array_index (origin->chain, origin->chain->len - 1);

  sonde_message_free (origin->cause);
  origin->cause = sonde_message_new ("%s was bad already before step %" PRIu64
                                     ", the earliest step that can be gone back to",
                                     link->value, step);
}

static void
follow (Search *search, SondeOrigin *origin)
{
  guint64 run = search->last;

  for (guint hop = 0; hop < MOST_HOPS && origin->first_bad_node == NULL && !search->given_up; hop++)
    {
      const SondeOriginLink *link = g_ptr_array_index (origin->chain, origin->chain->len - 1);
      gboolean since_first;
      SondeOrigin *further;
      guint64 made;

      if (find_kept (search->debugger, link) == NULL)
        return;
      if (!find_run (search, run, link, &made, &since_first))
        {
          SondeStop stop;

          sonde_debugger_get_stop (search->debugger, &stop);
          if (since_first)
            say_since (origin, stop.step);
          return;
        }
      further = find_in_run (search, made, link);
      if (further == NULL)
        return;
      join (origin, further);
      run = made;
    }
}

static gboolean
can_go_back (SondeDebugger *debugger, const SondeOrigin *origin)
{
  return sonde_debugger_can_travel (debugger) && origin->first_bad_node == NULL
         && find_kept (debugger, g_ptr_array_index (origin->chain, origin->chain->len - 1)) != NULL;
}

SondeOrigin *
sonde_debugger_trace_origin (SondeDebugger *debugger, const char *text,
                             SondeOriginProgress progress, gpointer data, GError **error)
{
  g_autoptr (SondeOrigin) origin = sonde_debugger_find_origin (debugger, text, error);
  Search search = { .debugger = debugger, .progress = progress, .data = data };
  SondeReturnPoint saved;
  gboolean good;

  if (origin == NULL || !can_go_back (debugger, origin))
    return g_steal_pointer (&origin);
  sonde_return_point_init (&saved, debugger);
  search.first = sonde_debugger_get_first_run (debugger);
  search.last = saved.is_over ? sonde_debugger_get_last_run (debugger) : saved.at.run;
  follow (&search, origin);
  good = sonde_return_point_go (&saved, debugger, error);
  if (!good)
    sonde_prefix_error (error, "The origin lies in an earlier step. ");
  sonde_return_point_clear (&saved);
  return good ? g_steal_pointer (&origin) : NULL;
}
