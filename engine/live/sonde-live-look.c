/* SPDX-License-Identifier: Apache-2.0
 * A glance at one value for all conditions on it. */
#include "engine/live/sonde-live-look.h"

#include "engine/live/sonde-live-watch.h"

/* @range: which of the request's it counts; -1: none */
typedef struct
{
  const SondeCondition *condition;
  int range;
} Glance;

struct _SondeLiveLook
{
  SondeFactsRequest request;
  GArray *glances;
};

/* FALSE: there are more ranges than one pass counts. */
static gboolean
add_range (SondeFactsRequest *request, const SondeCondition *condition, int *place)
{
  SondeFactsRange range;

  *place = -1;
  if (!sonde_condition_get_range (condition, &range))
    return TRUE;
  for (guint i = 0; i < request->n_ranges && *place < 0; i++)
    if (request->ranges[i].low == range.low && request->ranges[i].high == range.high)
      *place = (int) i;
  if (*place >= 0)
    return TRUE;
  if (request->n_ranges == SONDE_FACTS_MAX)
    return FALSE;
  *place = (int) request->n_ranges;
  request->ranges[request->n_ranges++] = range;
  return TRUE;
}

static gboolean
add_watch (SondeLiveLook *look, const SondeArmedWatch *watch)
{
  Glance glance = { .condition = &watch->condition };

  if (watch->expression != NULL || sonde_live_watch_needs_old (watch)
      || !add_range (&look->request, &watch->condition, &glance.range))
    return FALSE;
  g_array_append_val (look->glances, glance);
  return TRUE;
}

SondeLiveLook *
sonde_live_look_new (const SondeWatchTable *watches, const SondeLiveNode *node, const char *value)
{
  g_autoptr (SondeLiveLook) look = g_new0 (SondeLiveLook, 1);

  look->glances = g_array_new (FALSE, FALSE, sizeof (Glance));
  for (guint i = 0; i < watches->list->len; i++)
    {
      const SondeArmedWatch *watch = g_ptr_array_index (watches->list, i);

      if (watch->info.enabled && sonde_live_watch_get_moment (watch) == SONDE_MOMENT_AFTER
          && sonde_live_watch_is_on (watch, node, value) && !add_watch (look, watch))
        return NULL;
    }
  return look->glances->len > 0 ? g_steal_pointer (&look) : NULL;
}

void
sonde_live_look_free (SondeLiveLook *look)
{
  if (look == NULL)
    return;
  g_array_unref (look->glances);
  g_free (look);
}

static gboolean
is_sound (const Glance *glance, const SondeFacts *facts)
{
  SondeWatchFacts known = { .facts = facts, .inputs_finite = TRUE };
  SondeOutcome outcome;

  if (glance->range >= 0)
    known.in_range = facts->in_range[glance->range];
  sonde_condition_evaluate (glance->condition, &known, &outcome);
  return !outcome.is_hit && outcome.unchecked == 0 && !outcome.is_near;
}

gboolean
sonde_live_look_is_sound (const SondeLiveLook *look, SondeDtype dtype, const void *data, gsize n)
{
  SondeFacts facts;

  sonde_facts_init (&facts);
  sonde_facts_add (&facts, &look->request, dtype, data, NULL, n);
  for (guint i = 0; i < look->glances->len; i++)
    if (!is_sound (&g_array_index (look->glances, Glance, i), &facts))
      return FALSE;
  return TRUE;
}
