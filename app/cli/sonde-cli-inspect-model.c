/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: models: their inputs and outputs, operators, and what cannot be executed. */
#include "app/cli/sonde-cli-inspect-executed.h"
#include "app/cli/sonde-cli-inspect-private.h"
#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-text.h"
#include "data/models/sonde-model-file.h"
#include "engine/passes/sonde-model-census.h"

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

static JsonObject *
make_model (const char *path, const char *format, SondeGraph *graph, const SondeModelCensus *census)
{
  JsonObject *object = sonde_inspect_finding_new (path, format), *ops = json_object_new ();
  JsonArray *unsupported = json_array_new ();

  json_object_set_int_member (object, "ir_version", graph->ir_version);
  json_object_set_object_member (object, "opsets", make_opsets (graph));
  json_object_set_array_member (object, "inputs", make_values (graph->inputs));
  json_object_set_array_member (object, "outputs", make_values (graph->outputs));
  json_object_set_int_member (object, "parameters", (gint64) census->n_parameters);
  json_object_set_int_member (object, "nodes", census->n_nodes);
  for (guint i = 0; i < census->ops->len; i++)
    json_object_set_int_member (ops, census->ops->pdata[i],
                                sonde_model_census_get_count (census, census->ops->pdata[i]));
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
print_model (const char *path, const char *format, SondeGraph *graph,
             const SondeModelCensus *census)
{
  static const char *const columns[] = { N_ ("<OPERATOR"), N_ (">NODES"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  g_autofree char *parameters = sonde_cli_format_count (census->n_parameters);
  g_autofree char *head = g_strdup_printf (
      _ ("%s model, IR %" PRIi64 ", opset %d, %u nodes, %s parameters"), format, graph->ir_version,
      sonde_graph_get_opset (graph, ""), census->n_nodes, parameters);

  sonde_inspect_print_head (path, head);
  print_values (graph->inputs, N_ ("<INPUT"));
  print_values (graph->outputs, N_ ("<OUTPUT"));
  for (guint i = 0; i < census->ops->len; i++)
    {
      const char *name = census->ops->pdata[i];
      g_autofree char *count = sonde_cli_format_count (sonde_model_census_get_count (census, name));

      sonde_table_add (table, name, count, NULL);
    }
  sonde_table_print (table, 2);
  for (guint i = 0; i < census->unsupported->len; i++)
    {
      g_autofree char *name = sonde_cli_make_printable (g_ptr_array_index (census->unsupported, i));

      sonde_cli_print (_ ("  unsupported operator: %s; the model can be inspected but not run\n"),
                       name);
    }
  if (census->unsupported->len == 0)
    sonde_inspect_print_executed (graph);
  else
    sonde_cli_print ("\n");
}

gboolean
sonde_inspect_model (SondeFindings *findings, const char *path, const char *format, GError **error)
{
  g_autoptr (SondeWeightReport) weights = NULL;
  g_autoptr (SondeGraph) graph = sonde_model_choice_open (findings->choice, path, &weights, error);
  g_autoptr (SondeModelCensus) census = graph != NULL ? sonde_model_census_new (graph) : NULL;

  if (graph == NULL)
    return FALSE;
  if (findings->text)
    print_model (path, format, graph, census);
  else
    json_array_add_object_element (findings->models, make_model (path, format, graph, census));
  return TRUE;
}
