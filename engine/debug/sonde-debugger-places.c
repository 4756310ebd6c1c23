/* SPDX-License-Identifier: Apache-2.0
 * Names -> places on a plan. The user names nodes of the graph as written or as executed; a plan
 * knows steps. Provenance joins the two, and a node that has no step (it was folded or pruned) is
 * where it would have run: before the first step that needs it. */
#include "engine/debug/sonde-debugger-private.h"

#include <fnmatch.h>
#include <string.h>

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
index_ranges (SondePlaceIndex *index)
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
first_use (SondePlaceIndex *index, const SondeNode *node)
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
index_absent (SondePlaceIndex *index)
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

SondePlaceIndex *
sonde_place_index_new (SondePlan *plan, SondeGraph *original)
{
  SondePlaceIndex *index = g_new0 (SondePlaceIndex, 1);

  index->plan = sonde_plan_ref (plan);
  index->original = original != NULL ? sonde_graph_ref (original) : NULL;
  return index;
}

void
sonde_place_index_free (SondePlaceIndex *index)
{
  if (index == NULL)
    return;
  g_clear_pointer (&index->ranges, g_hash_table_unref);
  g_clear_pointer (&index->absent, g_hash_table_unref);
  g_clear_pointer (&index->original, sonde_graph_unref);
  g_free (index->base);
  g_clear_pointer (&index->plan, sonde_plan_unref);
  g_free (index);
}

/* Made when the first name is looked for: a run without breakpoints never pays for it. */
static void
ensure_ranges (SondePlaceIndex *index)
{
  if (index->ranges != NULL)
    return;
  index->ranges = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  index->absent = g_hash_table_new (NULL, NULL);
  index_ranges (index);
  if (index->original != NULL)
    index_absent (index);
}

/* ---- matching ------------------------------------------------------------ */

typedef enum
{
  MATCH_NODE,  /* a node's name */
  MATCH_VALUE, /* the name of a value it makes */
  MATCH_GLOB,  /* either */
  MATCH_OP,    /* a glob over operators */
} MatchKind;

static gboolean
makes_value (const SondeNode *node, const char *pattern, MatchKind kind)
{
  for (guint o = 0; o < node->outputs->len; o++)
    {
      const SondeGraphValue *value = g_ptr_array_index (node->outputs, o);

      if (value == NULL)
        continue;
      if (kind == MATCH_VALUE ? g_str_equal (pattern, value->name)
                              : fnmatch (pattern, value->name, 0) == 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
node_matches (const SondeNode *node, const char *pattern, MatchKind kind)
{
  switch (kind)
    {
    case MATCH_NODE:
      return g_str_equal (pattern, node->name);
    case MATCH_OP:
      return fnmatch (pattern, node->op, 0) == 0;
    case MATCH_GLOB:
      return fnmatch (pattern, node->name, 0) == 0 || makes_value (node, pattern, kind);
    case MATCH_VALUE:
    default:
      return makes_value (node, pattern, kind);
    }
}

/* A step without nodes, as a reorder, has only its own name. */
static gboolean
step_matches (const SondeStep *step, const char *pattern, MatchKind kind)
{
  switch (kind)
    {
    case MATCH_NODE:
      return g_str_equal (pattern, step->name);
    case MATCH_OP:
      return fnmatch (pattern, step->op, 0) == 0;
    case MATCH_GLOB:
      return fnmatch (pattern, step->name, 0) == 0;
    case MATCH_VALUE:
    default:
      return FALSE;
    }
}

static void
add_place (GArray *places, guint step, SondeMoment moment, const SondeNode *node)
{
  SondePlace place = { .step = step, .moment = moment, .node = node };

  g_array_append_val (places, place);
}

static void
add_original (SondePlaceIndex *index, GArray *places, const SondeNode *node, SondeMoment moment)
{
  const Range *range = g_hash_table_lookup (index->ranges, node->name);
  guint n_steps = sonde_plan_get_n_steps (index->plan);
  guint use;

  if (range != NULL)
    {
      add_place (places, moment == SONDE_MOMENT_BEFORE ? range->first : range->last, moment, node);
      return;
    }
  use = GPOINTER_TO_UINT (g_hash_table_lookup (index->absent, node)) - 1;
  if (n_steps > 0)
    add_place (places, use < n_steps ? use : 0, SONDE_MOMENT_BEFORE, node);
}

static void
find_in_original (SondePlaceIndex *index, GArray *places, const char *pattern, MatchKind kind,
                  SondeMoment moment)
{
  for (guint i = 0; index->original != NULL && i < index->original->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (index->original->nodes, i);

      if (node != NULL && node_matches (node, pattern, kind))
        add_original (index, places, node, moment);
    }
}

static void
find_in_steps (SondePlaceIndex *index, GArray *places, const char *pattern, MatchKind kind,
               SondeMoment moment)
{
  guint n_steps = sonde_plan_get_n_steps (index->plan);

  for (guint k = 0; k < n_steps; k++)
    {
      const SondeStep *step = sonde_plan_get_step (index->plan, k);
      const SondeNode *found = NULL;

      for (guint i = 0; i < step->n_nodes && found == NULL; i++)
        if (node_matches (step->nodes[i], pattern, kind))
          found = step->nodes[i];
      if (found != NULL)
        add_place (places, k, moment, found);
      else if (step->n_nodes == 0 && step_matches (step, pattern, kind))
        add_place (places, k, moment, NULL);
    }
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const SondePlace *x = a, *y = b;

  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  return (int) x->moment - (int) y->moment;
}

static void
make_unique (GArray *places)
{
  guint kept = 0;

  g_array_sort (places, compare_places); /* stable: original nodes were added first and stay */
  for (guint i = 0; i < places->len; i++)
    {
      SondePlace *place = &g_array_index (places, SondePlace, i);

      if (kept > 0 && compare_places (&g_array_index (places, SondePlace, kept - 1), place) == 0)
        continue;
      g_array_index (places, SondePlace, kept++) = *place;
    }
  g_array_set_size (places, kept);
}

static gboolean
is_glob (const char *pattern)
{
  return strpbrk (pattern, "*?[") != NULL;
}

/* Adds the places of @pattern unless there are some already. */
static void
find_kind (SondePlaceIndex *index, GArray *places, const char *pattern, MatchKind kind,
           SondeMoment moment)
{
  gboolean exact = kind == MATCH_NODE || kind == MATCH_VALUE;

  if (places->len > 0)
    return;
  /* A name of the original is one node, and one place: what it was decomposed into are no further
   * ones. */
  find_in_original (index, places, pattern, kind, moment);
  if (!exact || places->len == 0)
    find_in_steps (index, places, pattern, kind, moment);
}

/* ---- scopes and phases --------------------------------------------------- */

/* The outermost part of @scope that @glob matches, of its length in *@length; NULL when none
 * does. */
static const char *
matching_part (const char *scope, const char *glob, gsize *length)
{
  for (const char *end = scope; end != NULL && *end != '\0'; end++)
    {
      const char *slash = strchr (end, '/');
      g_autofree char *part
          = slash != NULL ? g_strndup (scope, (gsize) (slash - scope)) : g_strdup (scope);

      *length = strlen (part);
      if (fnmatch (glob, part, 0) == 0)
        return scope;
      if (slash == NULL)
        return NULL;
      end = slash;
    }
  return NULL;
}

static gboolean
is_same_part (const char *a, const char *b, const char *glob)
{
  gsize length_a = 0, length_b = 0;
  const char *part_a = matching_part (a, glob, &length_a),
             *part_b = matching_part (b, glob, &length_b);

  return part_a != NULL && part_b != NULL && length_a == length_b
         && strncmp (part_a, part_b, length_a) == 0;
}

/* Whether what comes before (or after) step @k of the plan, its step @next, lies in the same scope.
 * Around a body lies the scope of its node. */
static gboolean
goes_on (SondePlaceIndex *index, int k, int next, const char *glob)
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
find_scopes (SondePlaceIndex *index, GArray *places, const char *glob, SondeMoment moment)
{
  int n_steps = (int) sonde_plan_get_n_steps (index->plan);
  gsize length;

  for (int k = 0; k < n_steps; k++)
    {
      const SondeStep *step = sonde_plan_get_step (index->plan, (guint) k);

      if (matching_part (sonde_step_scope (step), glob, &length) == NULL)
        continue;
      if (!goes_on (index, k, moment == SONDE_MOMENT_BEFORE ? k - 1 : k + 1, glob))
        add_place (places, (guint) k, moment, NULL);
    }
}

static void
find_phases (SondePlaceIndex *index, GArray *places, const char *name, SondeMoment moment)
{
  int n_steps = index->is_body ? 0 : (int) sonde_plan_get_n_steps (index->plan);

  for (int k = 0; k < n_steps; k++)
    {
      SondePhase phase = sonde_plan_get_step (index->plan, (guint) k)->phase;
      int next = moment == SONDE_MOMENT_BEFORE ? k - 1 : k + 1;

      if (g_str_equal (sonde_phase_name (phase), name)
          && (next < 0 || next >= n_steps
              || sonde_plan_get_step (index->plan, (guint) next)->phase != phase))
        add_place (places, (guint) k, moment, NULL);
    }
}

GArray *
sonde_place_index_find (SondePlaceIndex *index, const char *pattern, SondeMoment moment)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (SondePlace));

  ensure_ranges (index);
  /* exact first: names may hold glob characters */
  find_kind (index, places, pattern, MATCH_NODE, moment);
  find_kind (index, places, pattern, MATCH_VALUE, moment);
  if (g_str_has_prefix (pattern, "op:"))
    find_kind (index, places, pattern + strlen ("op:"), MATCH_OP, moment);
  if (places->len == 0 && g_str_has_prefix (pattern, "scope:"))
    find_scopes (index, places, pattern + strlen ("scope:"), moment);
  if (places->len == 0 && g_str_has_prefix (pattern, "phase:"))
    find_phases (index, places, pattern + strlen ("phase:"), moment);
  if (is_glob (pattern))
    find_kind (index, places, pattern, MATCH_GLOB, moment);
  make_unique (places);
  return places;
}

/* ---- bodies that were not planned yet ------------------------------------ */

static guint
count_kind (const SondeGraph *graph, const char *pattern, MatchKind kind)
{
  guint n = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      n += node != NULL && node_matches (node, pattern, kind);
    }
  return n;
}

/* Nodes, as it is not known in which order they run. */
static guint
count_scopes (const SondeGraph *graph, const char *glob)
{
  guint n = 0;
  gsize length;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      n += node != NULL && matching_part (node->scope, glob, &length) != NULL;
    }
  return n;
}

/* As sonde_place_index_find() would find them when the body is planned. */
static guint
count_in_graph (const SondeGraph *graph, const char *pattern)
{
  guint n = count_kind (graph, pattern, MATCH_NODE);

  if (n == 0)
    n = count_kind (graph, pattern, MATCH_VALUE);
  if (n == 0 && g_str_has_prefix (pattern, "op:"))
    n = count_kind (graph, pattern + strlen ("op:"), MATCH_OP);
  if (n == 0 && g_str_has_prefix (pattern, "scope:"))
    n = count_scopes (graph, pattern + strlen ("scope:"));
  if (n == 0 && is_glob (pattern))
    n = count_kind (graph, pattern, MATCH_GLOB);
  return n;
}

static void
add_bodies (GPtrArray *graphs, const SondeNode *node)
{
  for (guint i = 0; node != NULL && i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
        g_ptr_array_add (graphs, attribute->u.graph);
    }
}

guint
sonde_places_count_inside (const SondeGraph *graph, const char *pattern)
{
  g_autoptr (GPtrArray) left = g_ptr_array_new ();
  guint n = 0;

  g_ptr_array_add (left, (gpointer) graph);
  while (left->len > 0)
    {
      const SondeGraph *next = g_ptr_array_steal_index_fast (left, left->len - 1);

      n += next != graph ? count_in_graph (next, pattern) : 0;
      for (guint i = 0; i < next->nodes->len; i++)
        add_bodies (left, g_ptr_array_index (next->nodes, i));
    }
  return n;
}

gboolean
sonde_places_make_inside (const SondeGraph *graph, const char *pattern, const char *name)
{
  g_autoptr (GPtrArray) left = g_ptr_array_new ();
  const char *op = g_str_has_prefix (pattern, "op:") ? pattern + strlen ("op:") : NULL;

  g_ptr_array_add (left, (gpointer) graph);
  while (left->len > 0)
    {
      const SondeGraph *next = g_ptr_array_steal_index_fast (left, left->len - 1);

      for (guint i = 0; i < next->nodes->len; i++)
        {
          const SondeNode *node = g_ptr_array_index (next->nodes, i);

          add_bodies (left, node);
          if (next != graph && node != NULL && makes_value (node, name, MATCH_VALUE)
              && node_matches (node, op != NULL ? op : pattern, op != NULL ? MATCH_OP : MATCH_GLOB))
            return TRUE;
        }
    }
  return FALSE;
}

const SondePlace *
sonde_places_at (const GArray *places, guint step, SondeMoment moment)
{
  SondePlace key = { .step = step, .moment = moment };

  if (places->len == 0)
    return NULL;
  return bsearch (&key, places->data, places->len, sizeof (SondePlace), compare_places);
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

/* ---- names that are near ------------------------------------------------- */

static const char *
graph_candidate (guint k, gpointer data)
{
  const SondeGraph *graph = data;

  if (k < graph->nodes->len)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, k);

      return node != NULL ? node->name : NULL;
    }
  else
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, k - graph->nodes->len);

      return value != NULL ? value->name : NULL;
    }
}

const char *
sonde_nearest_in_graph (const char *text, const SondeGraph *graph)
{
  return sonde_nearest_name (text, graph_candidate, graph->nodes->len + graph->values->len,
                             (gpointer) graph);
}

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
sonde_place_index_set_error (SondePlaceIndex *index, const char *pattern, GError **error)
{
  SondeGraph *graph = sonde_plan_get_graph (index->plan);
  gboolean op = g_str_has_prefix (pattern, "op:");
  const char *nearest;

  if (g_str_has_prefix (pattern, "scope:") || g_str_has_prefix (pattern, "phase:"))
    {
      g_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
          pattern[0] == 's'
              ? "No node lies in “%s”; list shows the scopes."
              : "No node runs in “%s”; there are forward and, in training, backward and optimiser.",
          pattern);
      return;
    }

  if (is_without_producer (graph, pattern) || is_without_producer (index->original, pattern))
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "“%s” is an input or a constant: no node makes it. Name a node that uses it.",
                   pattern);
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
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                 "There is no node or value “%s”; the nearest is “%s%s”.", pattern, op ? "op:" : "",
                 nearest);
  else
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                 "No node or value matches “%s”; list shows the names.", pattern);
}
