/* SPDX-License-Identifier: Apache-2.0
 * Names -> locations on one plan. */
#include "engine/debug/run/sonde-plan-locations-private.h"

#include <string.h>

#include "engine/debug/run/sonde-location-match.h"
#include "engine/debug/run/sonde-step-scope.h"
#include "engine/live/sonde-nearest.h"

/* Steps that an original node became. */
typedef struct
{
  guint first, last;
} Range;

/* Kinds whose origin is the node that they stand for; a gradient only mentions where it is from. */
static gboolean
stands_for_origin (const SondeNode *node)
{
  switch (node->origin_kind)
    {
    case SONDE_ORIGIN_SOURCE:
    case SONDE_ORIGIN_LEGALISED:
    case SONDE_ORIGIN_FOLDED:
    case SONDE_ORIGIN_FUSED:
    case SONDE_ORIGIN_DECOMPOSED:
      return TRUE;
    case SONDE_ORIGIN_INSERTED:
    case SONDE_ORIGIN_GRADIENT:
    case SONDE_ORIGIN_OPTIMISER:
    case SONDE_ORIGIN_LOSS:
    default:
      return FALSE;
    }
}

static void
extend_range (GHashTable *ranges, const char *name, guint step)
{
  Range *range = g_hash_table_lookup (ranges, name);

  if (range == NULL)
    {
      range = g_new (Range, 1);
      range->first = step;
      g_hash_table_insert (ranges, g_strdup (name), range);
    }
  range->last = step;
}

static void
index_ranges (SondePlanLocations *index)
{
  guint n_steps = sonde_plan_get_n_steps (index->plan);

  for (guint k = 0; k < n_steps; k++)
    {
      const SondeStep *step = sonde_plan_get_step (index->plan, k);

      for (guint i = 0; i < step->n_nodes; i++)
        {
          const SondeNode *node = step->nodes[i];

          if (!stands_for_origin (node))
            continue;
          if (node->origins->len == 0)
            extend_range (index->ranges, node->name, k);
          for (guint o = 0; o < node->origins->len; o++)
            extend_range (index->ranges, g_ptr_array_index (node->origins, o), k);
        }
    }
}

/* First step that needs a value of @node, through nodes that have no step themselves. */
static guint
first_use (SondePlanLocations *index, const SondeNode *node)
{
  guint first = G_MAXUINT;

  for (guint o = 0; o < node->outputs->len; o++)
    {
      const SondeGraphValue *value = g_ptr_array_index (node->outputs, o);

      for (guint u = 0; value != NULL && u < value->users->len; u++)
        {
          const SondeNode *user = g_ptr_array_index (value->users, u);
          const Range *range = g_hash_table_lookup (index->ranges, user->name);

          if (range != NULL)
            first = MIN (first, range->first);
          else
            first = MIN (first, GPOINTER_TO_UINT (g_hash_table_lookup (index->absent, user)) - 1);
        }
    }
  return first;
}

static void
index_absent (SondePlanLocations *index)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (index->original, NULL);

  for (guint i = order != NULL ? order->len : 0; i > 0; i--)
    {
      SondeNode *node = g_ptr_array_index (order, i - 1);

      /* stored plus one, so that 0 (not there) becomes "never" by its wrap-around */
      if (!g_hash_table_contains (index->ranges, node->name))
        g_hash_table_insert (index->absent, node, GUINT_TO_POINTER (first_use (index, node) + 1));
    }
}

SondePlanLocations *
sonde_plan_locations_new (SondePlan *plan, SondeGraph *original)
{
  SondePlanLocations *index = g_new0 (SondePlanLocations, 1);

  index->plan = sonde_plan_ref (plan);
  index->original = original != NULL ? sonde_graph_ref (original) : NULL;
  return index;
}

void
sonde_plan_locations_free (gpointer data)
{
  SondePlanLocations *index = data;

  g_clear_pointer (&index->ranges, g_hash_table_unref);
  g_clear_pointer (&index->absent, g_hash_table_unref);
  g_clear_pointer (&index->original, sonde_graph_unref);
  g_free (index->base);
  g_clear_pointer (&index->plan, sonde_plan_unref);
  g_free (index);
}

/* Made when the first name is looked for: a run without breakpoints never pays for it. */
static void
ensure_ranges (SondePlanLocations *index)
{
  if (index->ranges != NULL)
    return;
  index->ranges = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  index->absent = g_hash_table_new (NULL, NULL);
  index_ranges (index);
  if (index->original != NULL)
    index_absent (index);
}

static void
add_location (GArray *locations, guint step, SondeMoment moment, const SondeNode *node)
{
  SondeLocation location = { .step = step, .moment = moment, .node = node };

  g_array_append_val (locations, location);
}

static void
add_original (SondePlanLocations *index, GArray *locations, const SondeNode *node,
              SondeMoment moment)
{
  const Range *range = g_hash_table_lookup (index->ranges, node->name);
  guint n_steps = sonde_plan_get_n_steps (index->plan);
  guint use;

  if (range != NULL)
    {
      add_location (locations, moment == SONDE_MOMENT_BEFORE ? range->first : range->last, moment,
                    node);
      return;
    }
  use = GPOINTER_TO_UINT (g_hash_table_lookup (index->absent, node)) - 1;
  if (n_steps > 0)
    add_location (locations, use < n_steps ? use : 0, SONDE_MOMENT_BEFORE, node);
}

static void
find_in_original (SondePlanLocations *index, GArray *locations, const char *pattern,
                  SondeMatchKind kind, SondeMoment moment)
{
  for (guint i = 0; index->original != NULL && i < index->original->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (index->original->nodes, i);

      if (node != NULL && sonde_match_node (node, pattern, kind))
        add_original (index, locations, node, moment);
    }
}

static void
find_in_steps (SondePlanLocations *index, GArray *locations, const char *pattern,
               SondeMatchKind kind, SondeMoment moment)
{
  guint n_steps = sonde_plan_get_n_steps (index->plan);

  for (guint k = 0; k < n_steps; k++)
    {
      const SondeStep *step = sonde_plan_get_step (index->plan, k);
      const SondeNode *found = NULL;

      for (guint i = 0; i < step->n_nodes && found == NULL; i++)
        if (sonde_match_node (step->nodes[i], pattern, kind))
          found = step->nodes[i];
      if (found != NULL)
        add_location (locations, k, moment, found);
      else if (step->n_nodes == 0 && sonde_match_step (step, pattern, kind))
        add_location (locations, k, moment, NULL);
    }
}

static int
compare_locations (gconstpointer a, gconstpointer b)
{
  const SondeLocation *x = a, *y = b;

  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  return (int) x->moment - (int) y->moment;
}

static void
make_unique (GArray *locations)
{
  guint kept = 0;

  g_array_sort (locations,
                compare_locations); /* stable: original nodes were added first and stay */
  for (guint i = 0; i < locations->len; i++)
    {
      SondeLocation *location = &g_array_index (locations, SondeLocation, i);

      if (kept > 0
          && compare_locations (&g_array_index (locations, SondeLocation, kept - 1), location) == 0)
        continue;
      g_array_index (locations, SondeLocation, kept++) = *location;
    }
  g_array_set_size (locations, kept);
}

/* Adds the locations of @pattern unless there are some already. */
static void
find_kind (SondePlanLocations *index, GArray *locations, const char *pattern, SondeMatchKind kind,
           SondeMoment moment)
{
  gboolean exact = kind == SONDE_MATCH_NODE || kind == SONDE_MATCH_VALUE;

  if (locations->len > 0)
    return;
  /* A name of the original is one node, and one location: what it was decomposed into are no further
   * ones. */
  find_in_original (index, locations, pattern, kind, moment);
  if (!exact || locations->len == 0)
    find_in_steps (index, locations, pattern, kind, moment);
}

/* ---- scopes and phases --------------------------------------------------- */

static gboolean
is_same_part (const char *a, const char *b, const char *glob)
{
  gsize length_a = 0, length_b = 0;
  const char *part_a = sonde_match_scope (a, glob, &length_a),
             *part_b = sonde_match_scope (b, glob, &length_b);

  return part_a != NULL && part_b != NULL && length_a == length_b
         && strncmp (part_a, part_b, length_a) == 0;
}

/* Whether what comes before (or after) step @k of the plan, its step @next, lies in the same scope.
 * Around a body lies the scope of its node. */
static gboolean
goes_on (SondePlanLocations *index, int k, int next, const char *glob)
{
  const SondeStep *step = sonde_plan_get_step (index->plan, (guint) k), *other;

  if (next < 0 || next >= (int) sonde_plan_get_n_steps (index->plan))
    return is_same_part (sonde_step_scope (step), index->base, glob);
  other = sonde_plan_get_step (index->plan, (guint) next);
  return step->phase == other->phase
         && is_same_part (sonde_step_scope (step), sonde_step_scope (other), glob);
}

/* The first, or the last, step of each run of steps that lie in one scope that @glob matches. */
static void
find_scopes (SondePlanLocations *index, GArray *locations, const char *glob, SondeMoment moment)
{
  int n_steps = (int) sonde_plan_get_n_steps (index->plan);
  gsize length;

  for (int k = 0; k < n_steps; k++)
    {
      const SondeStep *step = sonde_plan_get_step (index->plan, (guint) k);

      if (sonde_match_scope (sonde_step_scope (step), glob, &length) == NULL)
        continue;
      if (!goes_on (index, k, moment == SONDE_MOMENT_BEFORE ? k - 1 : k + 1, glob))
        add_location (locations, (guint) k, moment, NULL);
    }
}

static void
find_phases (SondePlanLocations *index, GArray *locations, const char *name, SondeMoment moment)
{
  int n_steps = index->is_body ? 0 : (int) sonde_plan_get_n_steps (index->plan);

  for (int k = 0; k < n_steps; k++)
    {
      SondePhase phase = sonde_plan_get_step (index->plan, (guint) k)->phase;
      int next = moment == SONDE_MOMENT_BEFORE ? k - 1 : k + 1;

      if (g_str_equal (sonde_phase_name (phase), name)
          && (next < 0 || next >= n_steps
              || sonde_plan_get_step (index->plan, (guint) next)->phase != phase))
        add_location (locations, (guint) k, moment, NULL);
    }
}

GArray *
sonde_plan_locations_find (SondePlanLocations *index, const char *pattern, SondeMoment moment)
{
  GArray *locations = g_array_new (FALSE, FALSE, sizeof (SondeLocation));

  ensure_ranges (index);
  /* exact first: names may hold glob characters */
  find_kind (index, locations, pattern, SONDE_MATCH_NODE, moment);
  find_kind (index, locations, pattern, SONDE_MATCH_VALUE, moment);
  if (g_str_has_prefix (pattern, "op:"))
    find_kind (index, locations, pattern + strlen ("op:"), SONDE_MATCH_OP, moment);
  if (locations->len == 0 && g_str_has_prefix (pattern, "scope:"))
    find_scopes (index, locations, pattern + strlen ("scope:"), moment);
  if (locations->len == 0 && g_str_has_prefix (pattern, "phase:"))
    find_phases (index, locations, pattern + strlen ("phase:"), moment);
  if (sonde_match_is_glob (pattern))
    find_kind (index, locations, pattern, SONDE_MATCH_GLOB, moment);
  make_unique (locations);
  return locations;
}

const SondeLocation *
sonde_locations_at (const GArray *locations, guint step, SondeMoment moment)
{
  SondeLocation key = { .step = step, .moment = moment };

  if (locations->len == 0)
    return NULL;
  return bsearch (&key, locations->data, locations->len, sizeof (SondeLocation), compare_locations);
}

/* ---- errors -------------------------------------------------------------- */

static const char *
op_candidate (guint k, gpointer data)
{
  return sonde_plan_get_step (data, k)->op;
}

static gboolean
is_without_producer (SondeGraph *graph, const char *name)
{
  SondeGraphValue *value = graph != NULL ? sonde_graph_find_value (graph, name) : NULL;

  return value != NULL && value->producer == NULL;
}

void
sonde_plan_locations_set_error (SondePlanLocations *index, const char *pattern, GError **error)
{
  SondeGraph *graph = sonde_plan_get_graph (index->plan);
  gboolean op = g_str_has_prefix (pattern, "op:");
  const char *nearest;

  if (g_str_has_prefix (pattern, "scope:") || g_str_has_prefix (pattern, "phase:"))
    {
      if (pattern[0] == 's')
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                         "No node lies in “%s”; list shows the scopes.", pattern);
      else
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                         "No node runs in “%s”. The phases are forward and, in training, backward "
                         "and optimiser.",
                         pattern);
      return;
    }

  if (is_without_producer (graph, pattern) || is_without_producer (index->original, pattern))
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
          "“%s” is an input or a constant: no node makes it. Name a node that uses it.", pattern);
      return;
    }
  if (op)
    nearest = sonde_nearest_name (pattern + strlen ("op:"), op_candidate,
                                  sonde_plan_get_n_steps (index->plan), index->plan);
  else
    nearest = sonde_nearest_in_graph (pattern, index->original != NULL ? index->original : graph);
  if (nearest == NULL && !op && index->original != NULL)
    nearest = sonde_nearest_in_graph (pattern, graph);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no node or value “%s”; the nearest is “%s%s”.", pattern,
                     op ? "op:" : "", nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "No node or value matches “%s”; list shows the names.", pattern);
}
