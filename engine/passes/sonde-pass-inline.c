/* SPDX-License-Identifier: Apache-2.0
 * Calls of the model's own functions -> what their bodies say, without recursion over calls: nodes
 * of a body are appended to the graph of the call and reached again. That this comes to an end is
 * known before. */
#include "engine/passes/sonde-functions.h"
#include "data/base/sonde-text.h"
#include "engine/passes/sonde-legalise.h"

#include "data/base/sonde-budget.h"

#include <string.h>

#define MOST_BYTES ((guint64) 1 << 30)

#define invalid(error, ...)                                                                        \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, __VA_ARGS__), FALSE)

/**
 * Inliner:
 * @functions: sonde_functions_by_name()
 */
typedef struct
{
  GHashTable *functions;
  SondeBudget budget;
} Inliner;

/**
 * Expansion: one call being replaced
 * @scope: of the body's nodes; interned
 * @values: value of the body or of a subgraph in it -> value of the graph that takes its place;
 * NULL: absent
 */
typedef struct
{
  Inliner *inliner;
  SondeFunction *function;
  SondeGraph *graph;
  SondeNode *node;
  const char *scope;
  GHashTable *values;
} Expansion;

static void
inliner_clear (Inliner *inliner)
{
  g_clear_pointer (&inliner->functions, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Inliner, inliner_clear)

static void
expansion_clear (Expansion *expansion)
{
  g_clear_pointer (&expansion->values, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Expansion, expansion_clear)

/* ---- limits -------------------------------------------------------------- */

static guint64 graph_bytes (const SondeGraph *graph);

/* About what a copy takes. Tensors are shared. */
static guint64
attribute_bytes (const SondeAttribute *attribute)
{
  guint64 bytes = sizeof *attribute + strlen (attribute->name) + 8 * (guint64) attribute->n;

  if (attribute->kind == SONDE_ATTRIBUTE_STRING)
    bytes += strlen (attribute->u.string);
  for (gsize i = 0; attribute->kind == SONDE_ATTRIBUTE_STRINGS && i < attribute->n; i++)
    bytes += strlen (attribute->u.strings[i]);
  if (attribute->kind == SONDE_ATTRIBUTE_TYPE)
    bytes += attribute->n * sizeof (SondeType);
  if (attribute->kind == SONDE_ATTRIBUTE_GRAPH && attribute->u.graph != NULL)
    bytes += graph_bytes (attribute->u.graph);
  for (gsize i = 0; attribute->kind == SONDE_ATTRIBUTE_GRAPHS && i < attribute->n; i++)
    bytes += graph_bytes (attribute->u.graphs[i]);
  return bytes;
}

/* Names count twice: they are in a table too. */
static guint64
node_bytes (const SondeNode *node, const char *name)
{
  guint64 bytes = sizeof *node + 2 * strlen (name)
                  + 16 * (guint64) (node->inputs->len + node->outputs->len) + 256;

  for (guint i = 0; i < node->attributes->len; i++)
    bytes += attribute_bytes (node->attributes->pdata[i]);
  return bytes;
}

static guint64
value_bytes (const char *name)
{
  return sizeof (SondeGraphValue) + 2 * strlen (name) + 256;
}

/* Graphs lie in each other no deeper than sonde_functions_measure() found. */
static guint64
graph_bytes (const SondeGraph *graph)
{
  guint64 bytes = 1024;

  for (guint i = 0; i < graph->nodes->len; i++)
    if (graph->nodes->pdata[i] != NULL)
      bytes += node_bytes (graph->nodes->pdata[i], ((SondeNode *) graph->nodes->pdata[i])->name);
  for (guint i = 0; i < graph->values->len; i++)
    if (graph->values->pdata[i] != NULL)
      bytes += value_bytes (((SondeGraphValue *) graph->values->pdata[i])->name);
  return bytes;
}

static gboolean
take_bytes (Expansion *expansion, guint64 bytes, GError **error)
{
  return sonde_budget_take (&expansion->inliner->budget, bytes,
                            N_ ("the bodies of called functions"), error);
}

/* ---- attributes ---------------------------------------------------------- */

static const SondeAttribute *
callers_attribute (const Expansion *expansion, const char *name)
{
  const SondeAttribute *given = sonde_node_find_attribute (expansion->node, name);
  GPtrArray *defaults = expansion->function->defaults;

  for (guint i = 0; i < defaults->len && given == NULL; i++)
    if (strcmp (((SondeAttribute *) defaults->pdata[i])->name, name) == 0)
      given = defaults->pdata[i];
  return given;
}

/* What a reference stands for, as a new attribute; NULL without an error when nobody gave one. */
static gboolean
resolve_reference (Expansion *expansion, SondeGraph *graph, const SondeNode *node,
                   const SondeAttribute *reference, SondeAttribute **result, GError **error)
{
  const SondeAttribute *given = callers_attribute (expansion, reference->u.string);
  SondeAttribute *copy = NULL;
  gboolean found = TRUE;

  *result = NULL;
  if (given == NULL || given->kind == SONDE_ATTRIBUTE_REFERENCE)
    return TRUE;
  if (given->kind != reference->reference_kind)
    return invalid (
        error, "node “%s” calls “%s” with an attribute “%s” of a kind other than “%s” in it needs",
        expansion->node->name, expansion->function->name, given->name, node->name);
  if (!take_bytes (expansion, attribute_bytes (given), error))
    return FALSE;
  copy = sonde_attribute_copy (given);
  g_free (copy->name);
  copy->name = g_strdup (reference->name);
  if (copy->kind == SONDE_ATTRIBUTE_GRAPH)
    found = sonde_graph_set_parent (copy->u.graph, graph);
  for (gsize i = 0; copy->kind == SONDE_ATTRIBUTE_GRAPHS && i < copy->n; i++)
    found = sonde_graph_set_parent (copy->u.graphs[i], graph) && found;
  *result = copy;
  return found
         || invalid (error,
                     "node “%s” calls “%s” with a graph “%s” that reads values which are not "
                     "visible where it is used",
                     expansion->node->name, expansion->function->name, given->name);
}

static gboolean copy_body (Expansion *expansion, SondeGraph *from, SondeGraph *to, GError **error);

static SondeGraph *
copy_subgraph (Expansion *expansion, SondeGraph *from, SondeGraph *parent, GError **error)
{
  g_autoptr (SondeGraph) copy = sonde_graph_new_subgraph (parent, from->name);

  if (!copy_body (expansion, from, copy, error))
    return NULL;
  for (guint i = 0; i < from->outputs->len; i++)
    {
      SondeGraphValue *output = g_hash_table_lookup (expansion->values, from->outputs->pdata[i]);

      if (output == NULL)
        {
          (void) invalid (
              error, "a subgraph in the function “%s” returns “%s”, which the call “%s” leaves out",
              expansion->function->name, ((SondeGraphValue *) from->outputs->pdata[i])->name,
              expansion->node->name);
          return NULL;
        }
      sonde_graph_add_output (copy, output);
    }
  return g_steal_pointer (&copy);
}

static gboolean
copy_attribute (Expansion *expansion, SondeGraph *graph, const SondeNode *from, SondeNode *to,
                const SondeAttribute *attribute, GError **error)
{
  SondeAttribute *copy = NULL;

  if (attribute->kind == SONDE_ATTRIBUTE_REFERENCE)
    {
      gboolean good = resolve_reference (expansion, graph, from, attribute, &copy, error);

      if (copy != NULL)
        sonde_node_take_attribute (to, copy);
      return good;
    }
  if (attribute->kind != SONDE_ATTRIBUTE_GRAPH && attribute->kind != SONDE_ATTRIBUTE_GRAPHS)
    {
      sonde_node_take_attribute (to, sonde_attribute_copy (attribute));
      return TRUE;
    }
  copy = sonde_attribute_new (attribute->name, attribute->kind);
  sonde_node_take_attribute (to, copy);
  if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
    return (copy->u.graph = copy_subgraph (expansion, attribute->u.graph, graph, error)) != NULL;
  copy->u.graphs = g_new0 (SondeGraph *, attribute->n + 1);
  for (; copy->n < attribute->n; copy->n++)
    if ((copy->u.graphs[copy->n]
         = copy_subgraph (expansion, attribute->u.graphs[copy->n], graph, error))
        == NULL)
      return FALSE;
  return TRUE;
}

/* ---- bodies -------------------------------------------------------------- */

static char *
inner_name (const Expansion *expansion, const char *name)
{
  return g_strconcat (expansion->node->name, *name == '/' ? "" : "/", name, NULL);
}

/* Sizes that a function's file wrote down for one caller say nothing of another; types are inferred
 * again. */
static void
copy_type (SondeGraphValue *to, const SondeGraphValue *from)
{
  if (from->producer != NULL)
    return;
  to->type = from->type;
  for (int d = 0; d < to->type.rank; d++)
    to->type.dims[d].symbol = NULL;
}

static gboolean
copy_value (Expansion *expansion, SondeGraphValue *from, SondeGraph *to, GError **error)
{
  g_autofree char *name = inner_name (expansion, from->name);
  SondeGraphValue *made = NULL;

  if (!take_bytes (expansion, value_bytes (name), error))
    return FALSE;
  if (from->outer != NULL)
    {
      SondeGraphValue *outer = g_hash_table_lookup (expansion->values, from->outer);

      made = outer ? sonde_graph_add_capture (to, name, outer) : NULL;
    }
  else
    {
      made = from->role == SONDE_ROLE_INPUT ? sonde_graph_add_input (to, name, NULL)
                                            : sonde_graph_add_value (to, name, NULL);
      made->role = from->role;
      made->constant = from->constant ? sonde_value_ref (from->constant) : NULL;
      copy_type (made, from);
    }
  g_hash_table_insert (expansion->values, from, made);
  return TRUE;
}

static gboolean
copy_node (Expansion *expansion, const SondeNode *from, SondeGraph *to, GError **error)
{
  g_autofree char *name = inner_name (expansion, from->name);
  SondeNode *made = NULL;

  if (!take_bytes (expansion, node_bytes (from, name), error))
    return FALSE;
  made = sonde_graph_add_node (to, name, from->domain, from->op, NULL, 0, 0);
  made->overload = from->overload;
  made->version = from->version > 0 ? from->version : made->version;
  made->phase = expansion->node->phase;
  made->doc = g_strdup (from->doc);
  made->scope = expansion->scope;
  if (from->scope != NULL)
    {
      g_autofree char *scope = g_strconcat (expansion->scope, "/", from->scope, NULL);

      made->scope = g_intern_string (scope);
    }
  sonde_node_add_origin (made, expansion->node, SONDE_ORIGIN_DECOMPOSED);
  for (guint k = 0; k < from->inputs->len; k++)
    sonde_node_set_input (to, made, k,
                          from->inputs->pdata[k]
                              ? g_hash_table_lookup (expansion->values, from->inputs->pdata[k])
                              : NULL);
  for (guint k = 0; k < from->outputs->len; k++)
    sonde_node_set_output (to, made, k,
                           from->outputs->pdata[k]
                               ? g_hash_table_lookup (expansion->values, from->outputs->pdata[k])
                               : NULL);
  for (guint i = 0; i < from->attributes->len; i++)
    if (!copy_attribute (expansion, to, from, made, from->attributes->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* Values that have their place already are those of the call. */
static gboolean
copy_body (Expansion *expansion, SondeGraph *from, SondeGraph *to, GError **error)
{
  for (guint i = 0; i < from->inputs->len; i++)
    if (!g_hash_table_contains (expansion->values, from->inputs->pdata[i])
        && !copy_value (expansion, from->inputs->pdata[i], to, error))
      return FALSE;
  for (guint i = 0; i < from->values->len; i++)
    if (from->values->pdata[i] != NULL
        && !g_hash_table_contains (expansion->values, from->values->pdata[i])
        && !copy_value (expansion, from->values->pdata[i], to, error))
      return FALSE;
  for (guint i = 0; i < from->nodes->len; i++)
    if (from->nodes->pdata[i] != NULL && !copy_node (expansion, from->nodes->pdata[i], to, error))
      return FALSE;
  return TRUE;
}

/* ---- calls --------------------------------------------------------------- */

static gboolean
check_arity (const SondeNode *node, const SondeFunction *function, GError **error)
{
  guint n_inputs = function->body->inputs->len, n_outputs = function->body->outputs->len;

  if (node->inputs->len > n_inputs)
    return invalid (error, "node “%s” has %u inputs, but the function “%s” takes %u", node->name,
                    node->inputs->len, function->name, n_inputs);
  if (node->outputs->len > n_outputs)
    return invalid (error, "node “%s” has %u outputs, but the function “%s” returns %u", node->name,
                    node->outputs->len, function->name, n_outputs);
  return TRUE;
}

/* An output that the body makes is the call's; one that is an input, or there twice, is made of the
 * other. */
static gboolean
connect_output (Expansion *expansion, guint k, GError **error)
{
  SondeGraphValue *inner = expansion->function->body->outputs->pdata[k];
  SondeGraphValue *output = sonde_node_get_output (expansion->node, k);
  SondeGraphValue *from = g_hash_table_lookup (expansion->values, inner);
  g_autofree char *name = inner_name (expansion, "Identity");
  SondeNode *identity = NULL;

  if (output == NULL || from == output)
    return TRUE;
  if (from == NULL)
    return invalid (error,
                    "output “%s” of the function “%s” is an input that the call “%s” leaves out",
                    inner->name, expansion->function->name, expansion->node->name);
  sonde_node_set_output (expansion->graph, expansion->node, k, NULL);
  identity = sonde_graph_add_node (expansion->graph, name, "", "Identity", &from, 1, 0);
  identity->version = SONDE_CURRENT_OPSET;
  identity->scope = expansion->scope;
  sonde_node_add_origin (identity, expansion->node, SONDE_ORIGIN_DECOMPOSED);
  sonde_node_set_output (expansion->graph, identity, 0, output);
  return TRUE;
}

static gboolean
replace_call (Expansion *expansion, GError **error)
{
  SondeGraph *body = expansion->function->body;
  SondeNode *node = expansion->node;
  guint n_outputs = node->outputs->len;

  for (guint k = 0; k < body->inputs->len; k++)
    g_hash_table_insert (expansion->values, body->inputs->pdata[k], sonde_node_get_input (node, k));
  for (guint k = 0; k < n_outputs; k++)
    {
      SondeGraphValue *inner = body->outputs->pdata[k];
      SondeGraphValue *output = sonde_node_get_output (node, k);

      if (output == NULL || inner->producer == NULL
          || g_hash_table_contains (expansion->values, inner))
        continue;
      output->producer = NULL; /* the call still lists it, for connect_output () */
      g_hash_table_insert (expansion->values, inner, output);
    }
  if (!copy_body (expansion, body, expansion->graph, error))
    return FALSE;
  for (guint k = 0; k < n_outputs; k++)
    if (!connect_output (expansion, k, error))
      return FALSE;
  g_ptr_array_set_size (node->outputs, 0);
  sonde_graph_remove_node (expansion->graph, node);
  return TRUE;
}

/* Scope of what stands inside of @node: the names of the nodes around it, slash by slash. */
static const char *
scope_inside (const SondeNode *node)
{
  g_autofree char *inside = NULL;
  gsize n = node->scope ? strlen (node->scope) : 0;
  const char *name = node->name;

  while (*name == '/')
    name++;
  if (n == 0 || (strncmp (name, node->scope, n) == 0 && name[n] == '/'))
    return g_intern_string (name);
  inside = g_strconcat (node->scope, "/", name, NULL);
  return g_intern_string (inside);
}

static gboolean
expand (Inliner *inliner, SondeGraph *graph, SondeNode *node, SondeFunction *function,
        GError **error)
{
  g_auto (Expansion) expansion
      = { .inliner = inliner, .function = function, .graph = graph, .node = node };

  if (!check_arity (node, function, error))
    return FALSE;
  expansion.scope = scope_inside (node);
  expansion.values = g_hash_table_new (NULL, NULL);
  return replace_call (&expansion, error);
}

/* Nodes of a body come after those that are there, so that the loop reaches them too. */
static gboolean
inline_graph (Inliner *inliner, SondeGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = graph->nodes->pdata[i];
      SondeFunction *function = node ? sonde_function_of_node (inliner->functions, node) : NULL;

      if (function != NULL && !expand (inliner, graph, node, function, error))
        return FALSE;
      for (guint k = 0; node != NULL && function == NULL && k < node->attributes->len; k++)
        {
          SondeAttribute *attribute = node->attributes->pdata[k];
          SondeGraph **subgraphs = attribute->kind == SONDE_ATTRIBUTE_GRAPH    ? &attribute->u.graph
                                   : attribute->kind == SONDE_ATTRIBUTE_GRAPHS ? attribute->u.graphs
                                                                               : NULL;

          for (gsize g = 0; subgraphs != NULL && g < attribute->n; g++)
            if (subgraphs[g] != NULL && !inline_graph (inliner, subgraphs[g], error))
              return FALSE;
        }
    }
  return TRUE;
}

gboolean
sonde_pass_inline (SondeGraph *graph, GError **error)
{
  g_auto (Inliner) inliner = { .functions = sonde_functions_by_name (graph) };

  if (g_hash_table_size (inliner.functions) == 0)
    return TRUE;
  if (!sonde_functions_measure (inliner.functions, graph, error))
    return FALSE;
  sonde_budget_init (&inliner.budget, MOST_BYTES, N_ ("inlining of functions"));
  if (!inline_graph (&inliner, graph, error))
    return FALSE;
  g_ptr_array_set_size (graph->functions, 0);
  return TRUE;
}
