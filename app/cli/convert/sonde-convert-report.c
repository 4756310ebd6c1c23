/* SPDX-License-Identifier: Apache-2.0
 * The report of a conversion as JSON and as a table. */
#include "app/cli/convert/sonde-convert-report.h"

#include <math.h>
#include <string.h>

#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-text.h"

/* ---- operators ----------------------------------------------------------- */

static void
free_operator (gpointer data)
{
  SondeConvertOperator *operator= data;

  g_ptr_array_unref (operator->to);
  g_free (operator);
}

static void
add_target (GPtrArray *to, const char *op)
{
  for (guint i = 0; i < to->len; i++)
    if (strcmp (to->pdata[i], op) == 0)
      return;
  g_ptr_array_add (to, (gpointer) op);
}

static gint
compare_operators (gconstpointer a, gconstpointer b)
{
  const SondeConvertOperator *one = *(SondeConvertOperator *const *) a;
  const SondeConvertOperator *other = *(SondeConvertOperator *const *) b;

  if (one->how != other->how)
    return one->how < other->how ? -1 : 1;
  return strcmp (one->op, other->op);
}

/* One operator may end in several ways: a row each. */
GPtrArray *
sonde_convert_report_list_operators (const SondeConvertReport *report)
{
  GPtrArray *operators = g_ptr_array_new_with_free_func (free_operator);
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const GPtrArray *nodes = report->conversion->nodes;

  for (guint i = 0; i < nodes->len; i++)
    {
      const SondeConvertedNode *node = nodes->pdata[i];
      char *key = g_strdup_printf ("%d %s", (int) node->how, node->op);
      SondeConvertOperator *row = g_hash_table_lookup (rows, key);

      if (row == NULL)
        {
          row = g_new0 (SondeConvertOperator, 1);
          row->op = node->op;
          row->how = node->how;
          row->to = g_ptr_array_new ();
          g_ptr_array_add (operators, row);
          g_hash_table_insert (rows, g_strdup (key), row);
        }
      g_free (key);
      row->count++;
      for (guint k = 0; k < node->to->len; k++)
        add_target (row->to, ((const SondeNode *) node->to->pdata[k])->op);
    }
  g_ptr_array_sort (operators, compare_operators);
  return operators;
}

/* ---- JSON ---------------------------------------------------------------- */

static void
add_text (JsonBuilder *builder, const char *name, const char *text)
{
  json_builder_set_member_name (builder, name);
  if (text != NULL)
    json_builder_add_string_value (builder, text);
  else
    json_builder_add_null_value (builder);
}

static void
add_number (JsonBuilder *builder, const char *name, gint64 number)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, number);
}

/* JSON has no infinity: a value that cannot be compared has none. */
static void
add_error (JsonBuilder *builder, const char *name, double error)
{
  json_builder_set_member_name (builder, name);
  if (isfinite (error))
    json_builder_add_double_value (builder, error);
  else
    json_builder_add_string_value (builder, "inf");
}

static const SondeConversionPort *
find_port (const GPtrArray *ports, const char *name)
{
  for (guint i = 0; i < ports->len; i++)
    if (strcmp (((SondeConversionPort *) ports->pdata[i])->name, name) == 0)
      return ports->pdata[i];
  return NULL;
}

static void
add_shape (JsonBuilder *builder, const SondeType *type)
{
  json_builder_set_member_name (builder, "shape");
  if (type->rank < 0)
    {
      json_builder_add_null_value (builder);
      return;
    }
  json_builder_begin_array (builder);
  for (int i = 0; i < type->rank; i++)
    if (type->dims[i].size >= 0)
      json_builder_add_int_value (builder, type->dims[i].size);
    else if (type->dims[i].symbol != NULL)
      json_builder_add_string_value (builder, type->dims[i].symbol);
    else
      json_builder_add_null_value (builder);
  json_builder_end_array (builder);
}

static void
add_quantisation (JsonBuilder *builder, const SondeConversionPort *port)
{
  json_builder_set_member_name (builder, "scale");
  json_builder_begin_array (builder);
  for (gsize i = 0; port != NULL && i < port->n_scales; i++)
    json_builder_add_double_value (builder, port->scales[i]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "zero_point");
  json_builder_begin_array (builder);
  for (gsize i = 0; port != NULL && i < port->n_scales; i++)
    json_builder_add_int_value (builder, port->zero_points[i]);
  json_builder_end_array (builder);
}

static void
add_ports (JsonBuilder *builder, const char *name, const GPtrArray *values, const GPtrArray *ports)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < values->len; i++)
    {
      const SondeGraphValue *value = values->pdata[i];
      const SondeConversionPort *port = find_port (ports, value->name);

      json_builder_begin_object (builder);
      add_text (builder, "name", value->name);
      add_text (builder, "dtype", sonde_dtype_name (value->type.dtype));
      add_shape (builder, &value->type);
      add_text (builder, "layout", port != NULL ? port->layout : NULL);
      add_quantisation (builder, port);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_operators (JsonBuilder *builder, const SondeConvertReport *report)
{
  g_autoptr (GPtrArray) operators = sonde_convert_report_list_operators (report);

  json_builder_set_member_name (builder, "operators");
  json_builder_begin_array (builder);
  for (guint i = 0; i < operators->len; i++)
    {
      const SondeConvertOperator *row = operators->pdata[i];

      json_builder_begin_object (builder);
      add_text (builder, "op", row->op);
      add_number (builder, "count", row->count);
      add_text (builder, "how", sonde_lowered_how_name (row->how));
      json_builder_set_member_name (builder, "to");
      json_builder_begin_array (builder);
      for (guint k = 0; k < row->to->len; k++)
        json_builder_add_string_value (builder, row->to->pdata[k]);
      json_builder_end_array (builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_nodes (JsonBuilder *builder, const GPtrArray *nodes)
{
  json_builder_set_member_name (builder, "nodes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < nodes->len; i++)
    {
      const SondeConvertedNode *node = nodes->pdata[i];

      json_builder_begin_object (builder);
      add_text (builder, "node", node->name);
      add_text (builder, "op", node->op);
      add_text (builder, "how", sonde_lowered_how_name (node->how));
      json_builder_set_member_name (builder, "to");
      json_builder_begin_array (builder);
      for (guint k = 0; k < node->to->len; k++)
        json_builder_add_string_value (builder, ((SondeNode *) node->to->pdata[k])->name);
      json_builder_end_array (builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_message (JsonBuilder *builder, const char *name, const SondeMessage *message)
{
  g_autofree char *text = message != NULL ? sonde_message_dup_english (message) : NULL;

  add_text (builder, name, text);
}

static const char *
get_severity_name (SondeNoteSeverity severity)
{
  static const char *const names[] = { "information", "warning", "error" };

  return names[severity];
}

static void
add_notes (JsonBuilder *builder, const GPtrArray *notes)
{
  json_builder_set_member_name (builder, "notes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < notes->len; i++)
    {
      const SondeConversionNote *note = notes->pdata[i];

      json_builder_begin_object (builder);
      add_text (builder, "where", note->where);
      add_text (builder, "op", note->op);
      add_text (builder, "severity", get_severity_name (note->severity));
      add_message (builder, "what", note->what);
      add_message (builder, "advice", note->advice);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_comparisons (JsonBuilder *builder, const SondeConvertReport *report)
{
  const SondeConvertVerification *verification = report->verification;

  json_builder_set_member_name (builder, "check");
  if (report->check.done)
    {
      json_builder_begin_object (builder);
      add_error (builder, "max_relative_error", report->check.error);
      json_builder_end_object (builder);
    }
  else
    json_builder_add_null_value (builder);
  json_builder_set_member_name (builder, "verify");
  if (verification == NULL)
    {
      json_builder_add_null_value (builder);
      return;
    }
  json_builder_begin_object (builder);
  add_number (builder, "values", verification->n);
  add_error (builder, "max_relative_error", verification->error);
  json_builder_set_member_name (builder, "first");
  if (verification->first_value != NULL)
    {
      json_builder_begin_object (builder);
      add_text (builder, "node", verification->first_node);
      add_text (builder, "value", verification->first_value);
      add_error (builder, "error", verification->first_error);
      json_builder_end_object (builder);
    }
  else
    json_builder_add_null_value (builder);
  json_builder_end_object (builder);
}

static guint64
count_parameters (const SondeGraph *graph)
{
  guint64 count = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = graph->values->pdata[i];

      if (value != NULL && value->role == SONDE_ROLE_PARAMETER && value->constant != NULL
          && sonde_value_get_tensor (value->constant) != NULL)
        count += (guint64) sonde_tensor_n_elements (sonde_value_get_tensor (value->constant));
    }
  return count;
}

static void
add_head (JsonBuilder *builder, const SondeConvertReport *report)
{
  const SondeConversion *conversion = report->conversion;

  add_text (builder, "format", conversion->format);
  add_text (builder, "format_version", conversion->format_version);
  add_text (builder, "producer", conversion->producer);
  add_text (builder, "path", report->path);
  add_text (builder, "signature", conversion->signature);
  json_builder_set_member_name (builder, "signatures");
  json_builder_begin_array (builder);
  for (guint i = 0; i < conversion->signatures->len; i++)
    json_builder_add_string_value (builder, conversion->signatures->pdata[i]);
  json_builder_end_array (builder);
  add_text (builder, "to", report->to);
  add_number (builder, "opset", sonde_graph_get_opset (report->graph, ""));
  add_text (builder, "output", report->output);
  json_builder_set_member_name (builder, "complete");
  json_builder_add_boolean_value (builder, sonde_conversion_is_complete (conversion));
  add_number (builder, "bytes", (gint64) report->bytes);
  add_number (builder, "parameters", (gint64) count_parameters (report->graph));
  add_number (builder, "nodes_in", conversion->nodes->len);
  add_number (builder, "nodes_out", report->n_nodes_out);
}

JsonNode *
sonde_convert_report_to_json (const SondeConvertReport *report)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_head (builder, report);
  add_ports (builder, "inputs", report->graph->inputs, report->conversion->inputs);
  add_ports (builder, "outputs", report->graph->outputs, report->conversion->outputs);
  add_operators (builder, report);
  add_nodes (builder, report->conversion->nodes);
  add_notes (builder, report->conversion->notes);
  add_comparisons (builder, report);
  json_builder_set_member_name (builder, "weights");
  json_builder_add_value (builder, sonde_cli_weights_to_json (report->weights));
  json_builder_set_member_name (builder, "milliseconds");
  json_builder_add_double_value (builder, report->milliseconds);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

/* ---- table --------------------------------------------------------------- */

static char *
join (const GPtrArray *words)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < words->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", (const char *) words->pdata[i]);
  return g_string_free (text, FALSE);
}

static void
print_notes (const SondeConvertReport *report)
{
  static const char *const severities[] = { N_ ("information"), N_ ("warning"), N_ ("error") };

  for (int severity = SONDE_NOTE_ERROR; severity >= SONDE_NOTE_INFORMATION; severity--)
    for (guint i = 0; i < report->conversion->notes->len; i++)
      {
        const SondeConversionNote *note = report->conversion->notes->pdata[i];
        g_autofree char *what = sonde_message_dup_text (note->what);
        g_autofree char *advice
            = note->advice != NULL ? sonde_message_dup_text (note->advice) : g_strdup ("");
        g_autofree char *where = sonde_cli_make_printable (note->where);

        if ((int) note->severity != severity)
          continue;
        sonde_cli_print ("  %s: %s%s%s: %s%s%s\n", _ (severities[severity]), where,
                         note->op != NULL ? " " : "", note->op != NULL ? note->op : "", what,
                         *advice != '\0' ? "; " : "", advice);
      }
}

static void
print_operators (const SondeConvertReport *report)
{
  static const char *const columns[]
      = { N_ ("<OPERATOR"), N_ (">NODES"), N_ ("<HOW"), N_ ("<TO"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  g_autoptr (GPtrArray) operators = sonde_convert_report_list_operators (report);

  for (guint i = 0; i < operators->len; i++)
    {
      const SondeConvertOperator *row = operators->pdata[i];
      g_autofree char *count = sonde_cli_format_count (row->count);
      g_autofree char *to = join (row->to);

      sonde_table_add (table, row->op, count, _ (sonde_lowered_how_name (row->how)), to, NULL);
    }
  sonde_table_print (table, 2);
}

static void
print_comparisons (const SondeConvertReport *report)
{
  const SondeConvertVerification *verification = report->verification;

  if (report->check.done)
    sonde_cli_print (
        _ ("  checked by a run: outputs differ by at most %.3g of their largest element\n"),
        report->check.error);
  else if (report->check.why != NULL)
    sonde_cli_print (_ ("  not checked by a run: %s\n"), report->check.why);
  if (verification == NULL)
    return;
  sonde_cli_print (
      _ ("  verified: %u values, which differ by at most %.3g of their largest element\n"),
      verification->n, verification->error);
  if (verification->first_value != NULL)
    sonde_cli_print (_ ("  the first that differs is “%s”, of node “%s”: by %.3g\n"),
                     verification->first_value, verification->first_node,
                     verification->first_error);
}

void
sonde_convert_report_print (const SondeConvertReport *report)
{
  g_autofree char *path = sonde_cli_make_printable (report->path);
  g_autofree char *bytes = sonde_cli_format_count (report->bytes);

  sonde_cli_print (_ ("%s: %s model, %u nodes\n"), path, report->conversion->format,
                   report->conversion->nodes->len);
  print_notes (report);
  print_operators (report);
  print_comparisons (report);
  if (report->output != NULL)
    sonde_cli_print (_ ("%s: %u nodes, %s bytes\n"), report->output, report->n_nodes_out, bytes);
}
