/* SPDX-License-Identifier: Apache-2.0
 * Patterns over nodes, steps and scopes. */
#include "engine/debug/run/sonde-location-match.h"

#include <fnmatch.h>
#include <string.h>

#include "engine/live/sonde-nearest.h"

gboolean
sonde_match_is_glob (const char *pattern)
{
  return strpbrk (pattern, "*?[") != NULL;
}

static gboolean
makes_value (const SondeNode *node, const char *pattern, SondeMatchKind kind)
{
  for (guint o = 0; o < node->outputs->len; o++)
    {
      const SondeGraphValue *value = g_ptr_array_index (node->outputs, o);

      if (value == NULL)
        continue;
      if (kind == SONDE_MATCH_VALUE ? g_str_equal (pattern, value->name)
                                    : fnmatch (pattern, value->name, 0) == 0)
        return TRUE;
    }
  return FALSE;
}

gboolean
sonde_match_node (const SondeNode *node, const char *pattern, SondeMatchKind kind)
{
  switch (kind)
    {
    case SONDE_MATCH_NODE:
      return g_str_equal (pattern, node->name) || g_strcmp0 (pattern, node->alias) == 0;
    case SONDE_MATCH_OP:
      return fnmatch (pattern, node->op, 0) == 0;
    case SONDE_MATCH_GLOB:
      return fnmatch (pattern, node->name, 0) == 0 || makes_value (node, pattern, kind);
    case SONDE_MATCH_VALUE:
    default:
      return makes_value (node, pattern, kind);
    }
}

gboolean
sonde_match_step (const SondeStep *step, const char *pattern, SondeMatchKind kind)
{
  switch (kind)
    {
    case SONDE_MATCH_NODE:
      return g_str_equal (pattern, step->name);
    case SONDE_MATCH_OP:
      return fnmatch (pattern, step->op, 0) == 0;
    case SONDE_MATCH_GLOB:
      return fnmatch (pattern, step->name, 0) == 0;
    case SONDE_MATCH_VALUE:
    default:
      return FALSE;
    }
}

const char *
sonde_match_scope (const char *scope, const char *glob, gsize *length)
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

/* ---- bodies that were not planned yet ------------------------------------ */

static guint
count_kind (const SondeGraph *graph, const char *pattern, SondeMatchKind kind)
{
  guint n = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      n += node != NULL && sonde_match_node (node, pattern, kind);
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

      n += node != NULL && sonde_match_scope (node->scope, glob, &length) != NULL;
    }
  return n;
}

/* As sonde_place_index_find() would find them when the body is planned. */
static guint
count_in_graph (const SondeGraph *graph, const char *pattern)
{
  guint n = count_kind (graph, pattern, SONDE_MATCH_NODE);

  if (n == 0)
    n = count_kind (graph, pattern, SONDE_MATCH_VALUE);
  if (n == 0 && g_str_has_prefix (pattern, "op:"))
    n = count_kind (graph, pattern + strlen ("op:"), SONDE_MATCH_OP);
  if (n == 0 && g_str_has_prefix (pattern, "scope:"))
    n = count_scopes (graph, pattern + strlen ("scope:"));
  if (n == 0 && sonde_match_is_glob (pattern))
    n = count_kind (graph, pattern, SONDE_MATCH_GLOB);
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
sonde_match_count_inside (const SondeGraph *graph, const char *pattern)
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
sonde_match_makes_inside (const SondeGraph *graph, const char *pattern, const char *name)
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
          if (next != graph && node != NULL && makes_value (node, name, SONDE_MATCH_VALUE)
              && sonde_match_node (node, op != NULL ? op : pattern,
                                   op != NULL ? SONDE_MATCH_OP : SONDE_MATCH_GLOB))
            return TRUE;
        }
    }
  return FALSE;
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
