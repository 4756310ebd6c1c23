/* SPDX-License-Identifier: Apache-2.0
 * Values by the names that a user gives them. */
#include "engine/debug/run/sonde-value-lookup.h"

#include <string.h>

#include "engine/debug/run/sonde-location-match.h"

static SondeGraph *
graph_of (SondeExecution *execution)
{
  return execution != NULL ? sonde_plan_get_graph (sonde_execution_get_plan (execution)) : NULL;
}

/* A value's name, or a node's, meaning its first output. */
static SondeGraphValue *
find_named (const SondeGraph *graph, const char *name)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, name);
  const SondeNode *node = value == NULL ? sonde_graph_find_node (graph, name) : NULL;

  return node != NULL ? sonde_node_get_output (node, 0) : value;
}

/* "x[0, :]" -> "x" and "0, :"; FALSE when @text does not end in brackets. */
static gboolean
split_slice (const char *text, char **name, char **slice)
{
  gsize length = strlen (text);
  const char *open = strrchr (text, '[');

  if (open == NULL || open == text || text[length - 1] != ']')
    return FALSE;
  *name = g_strchomp (g_strndup (text, (gsize) (open - text)));
  *slice = g_strndup (open + 1, (gsize) (text + length - 1 - (open + 1)));
  return TRUE;
}

static void
set_value_error (const SondeValueLookup *lookup, SondeGraph *graph, const char *name,
                 GError **error)
{
  const char *nearest;

  if (lookup->debuggee->original != NULL && find_named (lookup->debuggee->original, name) != NULL)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
          "“%s” is in the model, but no executed node makes it: it was optimised away.", name);
      return;
    }
  nearest = sonde_nearest_in_graph (name, graph);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no value “%s”; the nearest is “%s”.", name, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no value “%s”; info values lists them.", name);
}

/* ---- in frames and bodies ------------------------------------------------ */

/* One place where a name was found. @path: owned */
typedef struct
{
  SondeExecution *execution;
  SondeGraphValue *value;
  char *path;
} Found;

static void
found_clear (void *data)
{
  g_free (((Found *) data)->path);
}

/* @name without "NODE/BODY/" in front, NULL when it does not begin so. */
static const char *
skip_path (const char *name, SondeExecution *body)
{
  g_autofree char *path = g_strdup_printf ("%s/%s/", sonde_execution_get_node (body)->name,
                                           sonde_execution_get_body_name (body));

  return g_str_has_prefix (name, path) ? name + strlen (path) : NULL;
}

/* In the bodies below @execution that have run: what @name alone means, or as a path. As deep as
 * bodies lie in each other, which the plan bounds. */
static void
find_below (SondeExecution *execution, const char *name, const char *around, GArray *list)
{
  SondePlan *plan = sonde_execution_get_plan (execution);

  for (guint k = 0; k < sonde_plan_get_n_steps (plan); k++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);
      SondeExecution *body
          = step->n_nodes == 1 ? sonde_execution_find_inner (execution, step->nodes[0]) : NULL;
      const char *rest = body != NULL ? skip_path (name, body) : NULL;
      g_autofree char *path = NULL;
      Found found = { .execution = body };

      if (body == NULL)
        continue;
      path = g_strdup_printf ("%s%s/%s/", around, step->nodes[0]->name,
                              sonde_execution_get_body_name (body));
      found.value = find_named (graph_of (body), rest != NULL ? rest : name);
      if (found.value != NULL)
        {
          found.path = g_strconcat (path, found.value->name, NULL);
          g_array_append_val (list, found);
        }
      find_below (body, rest != NULL ? rest : name, path, list);
    }
}

/* What a body only captured is left to the one that made it. */
static void
drop_captures (GArray *list)
{
  gboolean made = FALSE;

  for (guint i = 0; i < list->len; i++)
    made = made || g_array_index (list, Found, i).value->producer != NULL;
  for (guint i = list->len; made && i > 0; i--)
    if (g_array_index (list, Found, i - 1).value->producer == NULL)
      g_array_remove_index (list, i - 1);
}

static SondeGraphValue *
find_in_bodies (const SondeValueLookup *lookup, const char *name, SondeExecution **execution,
                GError **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (Found));
  g_autoptr (GString) paths = g_string_new (NULL);

  g_array_set_clear_func (list, found_clear);
  find_below (sonde_debuggee_get_execution (lookup->debuggee), name, "", list);
  drop_captures (list);
  if (list->len == 1)
    {
      *execution = g_array_index (list, Found, 0).execution;
      return g_array_index (list, Found, 0).value;
    }
  for (guint i = 0; i < MIN (list->len, 3); i++)
    g_string_append_printf (paths, "%s%s", i > 0 ? ", " : "", g_array_index (list, Found, i).path);
  if (list->len > 1)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "“%s” is in %u bodies: name one as %s.", name, list->len, paths->str);
  return NULL;
}

/* A name as it is inside the function, or module, where the selected frame stands: what is inside
 * has its scope in front of the name. */
static SondeGraphValue *
find_in_scopes (const SondeValueLookup *lookup, const char *name, SondeExecution **execution)
{
  g_autofree char *scope = sonde_frames_dup_selected_scope (lookup->debuggee, lookup->record);
  g_autofree char *around = g_strdup (scope != NULL ? scope : "");
  SondeGraphValue *value = NULL;

  *execution = sonde_frames_get_selected (lookup->debuggee, lookup->record);
  while (value == NULL && *around != '\0')
    {
      g_autofree char *inside = g_strconcat (around, "/", name, NULL);
      char *slash = strrchr (around, '/');

      value = find_named (graph_of (*execution), inside);
      *(slash != NULL ? slash : around) = '\0';
    }
  return value;
}

/* From the selected frame outwards, then below. NULL without @error when it is nowhere. */
static SondeGraphValue *
find_around (const SondeValueLookup *lookup, const char *name, SondeExecution **execution,
             GError **error)
{
  SondeGraphValue *value = NULL;

  *execution = sonde_frames_get_selected (lookup->debuggee, lookup->record);
  while (*execution != NULL && (value = find_named (graph_of (*execution), name)) == NULL)
    *execution = sonde_execution_get_parent (*execution);
  if (value == NULL)
    value = find_in_scopes (lookup, name, execution);
  return value != NULL ? value : find_in_bodies (lookup, name, execution, error);
}

/* The node of @graph, or inside its bodies, in whose body @name is. */
static const SondeNode *
find_owner (SondeGraph *graph, const char *name)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      for (guint a = 0; node != NULL && a < node->attributes->len; a++)
        {
          const SondeAttribute *attribute = g_ptr_array_index (node->attributes, a);
          const SondeNode *deeper = NULL;

          if (attribute->kind != SONDE_ATTRIBUTE_GRAPH)
            continue;
          if (find_named (attribute->u.graph, name) != NULL)
            return node;
          deeper = find_owner (attribute->u.graph, name);
          if (deeper != NULL)
            return deeper;
        }
    }
  return NULL;
}

static void
set_nowhere_error (const SondeValueLookup *lookup, const char *name, GError **error)
{
  SondeGraph *graph = graph_of (sonde_frames_get_selected (lookup->debuggee, lookup->record));
  const SondeNode *owner
      = find_owner (graph_of (sonde_debuggee_get_execution (lookup->debuggee)), name);

  if (owner != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "“%s” is inside a body of “%s” (%s) that has not run.", name, owner->name,
                     owner->op);
  else
    set_value_error (lookup, graph, name, error);
}

SondeGraphValue *
sonde_value_lookup_find (const SondeValueLookup *lookup, const char *text,
                         SondeExecution **execution, char **slice, GError **error)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  g_autofree char *name = NULL, *inside = NULL;
  g_autoptr (GError) ambiguous = NULL;
  SondeGraphValue *value;

  *slice = NULL;
  *execution = NULL;
  if (sonde_debuggee_get_execution (lookup->debuggee) == NULL || *trimmed == '\0')
    {
      gboolean open = sonde_debuggee_get_execution (lookup->debuggee) != NULL;

      sonde_set_error (error, SONDE_ENGINE_ERROR,
                       open ? SONDE_ENGINE_ERROR_NOT_FOUND : SONDE_ENGINE_ERROR_STATE, "%-s",
                       open ? N_ ("Name a value.") : N_ ("Nothing is open that has values."));
      return NULL;
    }
  /* the whole text first: names may end in brackets */
  value = find_around (lookup, trimmed, execution, &ambiguous);
  if (value == NULL && ambiguous == NULL && split_slice (trimmed, &name, &inside))
    value = find_around (lookup, name, execution, &ambiguous);
  if (value != NULL)
    *slice = g_steal_pointer (&inside);
  else if (ambiguous != NULL)
    g_propagate_error (error, g_steal_pointer (&ambiguous));
  else
    set_nowhere_error (lookup, name != NULL ? name : trimmed, error);
  return value;
}
