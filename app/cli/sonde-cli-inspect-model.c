/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: models: what they take and give, what they consist of, what we cannot run. */
#include "app/cli/sonde-cli-inspect-private.h"
#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-text.h"
#include "data/models/sonde-model-file.h"
#include "engine/passes/sonde-passes.h"

/* What a model consists of, subgraphs included. */
typedef struct
{
  guint n_nodes;
  guint64 n_parameters;
  GHashTable *ops;        /* name -> count */
  GPtrArray *unsupported; /* element-type utf8: names, each once */
  GHashTable *functions;  /* of the model */
} Census;

static void census_add_graph (Census *census, const SondeGraph *graph);

static void
census_add_node (Census *census, const SondeNode *node)
{
  g_autofree char *name
      = *node->domain ? g_strconcat (node->domain, ".", node->op, NULL) : g_strdup (node->op);
  guint count = GPOINTER_TO_UINT (g_hash_table_lookup (census->ops, name));

  census->n_nodes++;
  if (count == 0 && sonde_function_of_node (census->functions, node) == NULL
      && !sonde_pass_knows_operator (node->domain, node->op))
    g_ptr_array_add (census->unsupported, g_strdup (name));
  g_hash_table_insert (census->ops, g_steal_pointer (&name), GUINT_TO_POINTER (count + 1));
  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
        census_add_graph (census, attribute->u.graph);
      for (gsize k = 0; attribute->kind == SONDE_ATTRIBUTE_GRAPHS && k < attribute->n; k++)
        census_add_graph (census, attribute->u.graphs[k]);
    }
}

/* The loader bounds how deep graphs lie in each other, so recursion is bounded too. */
static void
census_add_graph (Census *census, const SondeGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    if (g_ptr_array_index (graph->nodes, i))
      census_add_node (census, g_ptr_array_index (graph->nodes, i));
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor = value ? sonde_value_get_tensor (value->constant) : NULL;

      if (tensor && value->role == SONDE_ROLE_PARAMETER)
        census->n_parameters += (guint64) sonde_tensor_n_elements (tensor);
    }
}

JsonArray *
sonde_inspect_make_shape (const SondeType *type)
{
  JsonArray *array = json_array_new ();

  for (int i = 0; i < type->rank; i++)
    if (type->dims[i].size >= 0)
      json_array_add_int_element (array, type->dims[i].size);
    else if (type->dims[i].symbol)
      json_array_add_string_element (array, type->dims[i].symbol);
    else
      json_array_add_null_element (array);
  return array;
}

static JsonArray *
make_values (GPtrArray *values)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (values, i);
      JsonObject *object = json_object_new ();

      sonde_inspect_set_text (object, "name", value->name);
      json_object_set_string_member (object, "dtype", sonde_dtype_name (value->type.dtype));
      if (value->type.rank >= 0)
        json_object_set_array_member (object, "shape", sonde_inspect_make_shape (&value->type));
      else
        json_object_set_null_member (object, "shape");
      json_array_add_object_element (array, object);
    }
  return array;
}

static JsonObject *
make_opsets (const SondeGraph *graph)
{
  JsonObject *object = json_object_new ();

  for (guint i = 0; i < graph->opsets->len; i++)
    {
      const SondeOpset *opset = &g_array_index (graph->opsets, SondeOpset, i);

      json_object_set_int_member (object, *opset->domain ? opset->domain : "ai.onnx",
                                  opset->version);
    }
  return object;
}

/* Names of operators, sorted. Returns: (transfer container) */
static GPtrArray *
sort_ops (const Census *census)
{
  GPtrArray *names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, census->ops);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (names, name);
  g_ptr_array_sort (names, sonde_inspect_compare_strings);
  return names;
}

static JsonObject *
make_model (const char *path, const char *format, SondeGraph *graph, const Census *census)
{
  g_autoptr (GPtrArray) names = sort_ops (census);
  JsonObject *object = sonde_inspect_finding_new (path, format), *ops = json_object_new ();
  JsonArray *unsupported = json_array_new ();

  json_object_set_int_member (object, "ir_version", graph->ir_version);
  json_object_set_object_member (object, "opsets", make_opsets (graph));
  json_object_set_array_member (object, "inputs", make_values (graph->inputs));
  json_object_set_array_member (object, "outputs", make_values (graph->outputs));
  json_object_set_int_member (object, "parameters", (gint64) census->n_parameters);
  json_object_set_int_member (object, "nodes", census->n_nodes);
  for (guint i = 0; i < names->len; i++)
    json_object_set_int_member (
        ops, names->pdata[i],
        GPOINTER_TO_UINT (g_hash_table_lookup (census->ops, names->pdata[i])));
  json_object_set_object_member (object, "ops", ops);
  for (guint i = 0; i < census->unsupported->len; i++)
    json_array_add_string_element (unsupported, g_ptr_array_index (census->unsupported, i));
  json_object_set_array_member (object, "unsupported", unsupported);
  json_object_set_object_member (object, "executed", sonde_inspect_make_executed (graph));
  return object;
}

static void
print_values (GPtrArray *values, const char *what)
{
  const char *columns[] = { what, N_ ("<TYPE"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);

  for (guint i = 0; i < values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (values, i);
      g_autofree char *type = sonde_type_to_string (&value->type);

      sonde_table_add (table, value->name, type, NULL);
    }
  sonde_table_print (table, 2);
  sonde_cli_print ("\n");
}

static void
print_model (const char *path, const char *format, SondeGraph *graph, const Census *census)
{
  static const char *const columns[] = { N_ ("<OPERATOR"), N_ (">NODES"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  g_autoptr (GPtrArray) names = sort_ops (census);
  g_autofree char *parameters = sonde_cli_format_count (census->n_parameters);
  g_autofree char *head = g_strdup_printf (
      _ ("%s model, IR %" PRIi64 ", opset %d, %u nodes, %s parameters"), format, graph->ir_version,
      sonde_graph_get_opset (graph, ""), census->n_nodes, parameters);

  sonde_inspect_print_head (path, head);
  print_values (graph->inputs, N_ ("<INPUT"));
  print_values (graph->outputs, N_ ("<OUTPUT"));
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i];
      g_autofree char *count
          = sonde_cli_format_count (GPOINTER_TO_UINT (g_hash_table_lookup (census->ops, name)));

      sonde_table_add (table, name, count, NULL);
    }
  sonde_table_print (table, 2);
  for (guint i = 0; i < census->unsupported->len; i++)
    {
      g_autofree char *name = sonde_cli_make_printable (g_ptr_array_index (census->unsupported, i));

      sonde_cli_print (_ ("  unsupported: %s; the model can be inspected but not run\n"), name);
    }
  if (census->unsupported->len == 0)
    sonde_inspect_print_executed (graph);
  else
    sonde_cli_print ("\n");
}

gboolean
sonde_inspect_model (SondeFindings *findings, const char *path, const char *format, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_model_load (NULL, path, error);
  g_autoptr (GHashTable) ops = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) unsupported = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) functions = graph ? sonde_functions_by_name (graph) : NULL;
  Census census = { .ops = ops, .unsupported = unsupported, .functions = functions };

  if (graph == NULL)
    return FALSE;
  census_add_graph (&census, graph);
  g_ptr_array_sort (unsupported, sonde_inspect_compare_strings);
  if (findings->text)
    print_model (path, format, graph, &census);
  else
    json_array_add_object_element (findings->models, make_model (path, format, graph, &census));
  return TRUE;
}
