/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: models: their inputs and outputs, operators, and what cannot be executed. */
#include "app/cli/models/sonde-cli-model-options.h"
#include "app/cli/models/sonde-source-census.h"
#include "app/cli/sonde-cli-inspect-executed.h"
#include "app/cli/sonde-cli-inspect-private.h"
#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-text.h"
#include "data/models/sonde-model-file.h"

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

/* A model as it was read. @conversion: (nullable): of another format than ONNX */
typedef struct
{
  const char *path, *format;
  SondeGraph *graph;
  SondeConversion *conversion;
  SondeModelCensus *census;
  SondeWeightReport *weights;
} Model;

static void
model_clear (Model *model)
{
  g_clear_pointer (&model->census, sonde_model_census_free);
  g_clear_pointer (&model->weights, sonde_weight_report_free);
  g_clear_pointer (&model->conversion, sonde_conversion_free);
  g_clear_pointer (&model->graph, sonde_graph_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Model, model_clear)

/* Of ONNX: other formats have none. */
static JsonObject *
make_opsets (const Model *model)
{
  JsonObject *object = json_object_new ();

  for (guint i = 0; model->conversion == NULL && i < model->graph->opsets->len; i++)
    {
      const SondeOpset *opset = &g_array_index (model->graph->opsets, SondeOpset, i);

      json_object_set_int_member (object, *opset->domain ? opset->domain : "ai.onnx",
                                  opset->version);
    }
  return object;
}

static void
set_optional (JsonObject *object, const char *name, const char *text)
{
  if (text != NULL && *text != '\0')
    sonde_inspect_set_text (object, name, text);
  else
    json_object_set_null_member (object, name);
}

/* What the file says of itself; an ONNX file in its own members, too. */
static void
add_format (JsonObject *object, const Model *model)
{
  const SondeConversion *conversion = model->conversion;
  g_autofree char *ir_version = g_strdup_printf ("%" PRIi64, model->graph->ir_version);
  JsonArray *signatures = json_array_new ();

  if (conversion != NULL)
    json_object_set_null_member (object, "ir_version");
  else
    json_object_set_int_member (object, "ir_version", model->graph->ir_version);
  json_object_set_object_member (object, "opsets", make_opsets (model));
  set_optional (object, "format_version",
                conversion != NULL ? conversion->format_version : ir_version);
  set_optional (object, "producer",
                conversion != NULL ? conversion->producer : model->graph->producer);
  set_optional (object, "signature", conversion != NULL ? conversion->signature : NULL);
  for (guint i = 0; conversion != NULL && i < conversion->signatures->len; i++)
    json_array_add_string_element (signatures, conversion->signatures->pdata[i]);
  json_object_set_array_member (object, "signatures", signatures);
}

static JsonObject *
make_ops (const SondeModelCensus *census)
{
  JsonObject *ops = json_object_new ();

  for (guint i = 0; i < census->ops->len; i++)
    json_object_set_int_member (ops, census->ops->pdata[i],
                                sonde_model_census_get_count (census, census->ops->pdata[i]));
  return ops;
}

static JsonObject *
make_model (const Model *model)
{
  JsonObject *object = sonde_inspect_finding_new (model->path, model->format);
  const SondeModelCensus *census = model->census;
  JsonArray *unsupported = json_array_new ();

  add_format (object, model);
  json_object_set_array_member (object, "inputs", make_values (model->graph->inputs));
  json_object_set_array_member (object, "outputs", make_values (model->graph->outputs));
  json_object_set_int_member (object, "parameters", (gint64) census->n_parameters);
  json_object_set_int_member (object, "nodes", census->n_nodes);
  json_object_set_object_member (object, "ops", make_ops (census));
  for (guint i = 0; i < census->unsupported->len; i++)
    json_array_add_string_element (unsupported, g_ptr_array_index (census->unsupported, i));
  json_object_set_array_member (object, "unsupported", unsupported);
  json_object_set_object_member (object, "executed", sonde_inspect_make_executed (model->graph));
  if (model->weights != NULL)
    json_object_set_member (object, "weights", sonde_cli_weights_to_json (model->weights));
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

/* "onnx model, IR 8, opset 17, 25 nodes, 225 parameters" (transfer full) */
static char *
make_head (const Model *model)
{
  g_autofree char *parameters = sonde_cli_format_count (model->census->n_parameters);
  const char *version = model->conversion != NULL ? model->conversion->format_version : NULL;
  const guint n = model->census->n_nodes;

  if (model->conversion == NULL)
    return g_strdup_printf (_ ("%s model, IR %" PRIi64 ", opset %d, %u nodes, %s parameters"),
                            model->format, model->graph->ir_version,
                            sonde_graph_get_opset (model->graph, ""), n, parameters);
  if (version != NULL && *version != '\0')
    return g_strdup_printf (_ ("%s model, version %s, %u nodes, %s parameters"), model->format,
                            version, n, parameters);
  return g_strdup_printf (_ ("%s model, %u nodes, %s parameters"), model->format, n, parameters);
}

/* Which of its entry points was read, where there are several. */
static void
print_signatures (const SondeConversion *conversion)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *printable = NULL;

  if (conversion == NULL || conversion->signatures->len < 2)
    return;
  for (guint i = 0; i < conversion->signatures->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
                            (const char *) conversion->signatures->pdata[i]);
  printable = sonde_cli_make_printable (names->str);
  sonde_cli_print (_ ("  signatures: %s; this is %s\n"), printable,
                   conversion->signature != NULL ? conversion->signature : "?");
}

static void
print_operators (const SondeModelCensus *census)
{
  static const char *const columns[] = { N_ ("<OPERATOR"), N_ (">NODES"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);

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
}

static void
print_model (const Model *model)
{
  g_autofree char *head = make_head (model);

  sonde_inspect_print_head (model->path, head);
  print_signatures (model->conversion);
  print_values (model->graph->inputs, N_ ("<INPUT"));
  print_values (model->graph->outputs, N_ ("<OUTPUT"));
  print_operators (model->census);
  if (model->census->unsupported->len == 0)
    sonde_inspect_print_executed (model->graph, model->conversion != NULL);
  else
    sonde_cli_print ("\n");
}

/* Operators that nothing stands for are told, not an error. */
static gboolean
read_model (Model *model, const SondeModelChoice *choice, GError **error)
{
  model->graph = sonde_model_choice_read (choice, model->path, TRUE, SONDE_QUANTISED_EXACT,
                                          &model->conversion, error);
  if (model->graph == NULL
      || !sonde_model_choice_put_weights (choice, model->graph, &model->weights, error))
    return FALSE;
  model->census = model->conversion != NULL
                      ? sonde_source_census_new (model->conversion, model->graph)
                      : sonde_model_census_new (model->graph);
  return TRUE;
}

gboolean
sonde_inspect_model (SondeFindings *findings, const char *path, const char *format, GError **error)
{
  g_auto (Model) model = { .path = path, .format = format };

  if (!read_model (&model, findings->choice, error))
    return FALSE;
  if (findings->text)
    {
      sonde_cli_tell_weights (model.weights);
      print_model (&model);
    }
  else
    json_array_add_object_element (findings->models, make_model (&model));
  return TRUE;
}
