/* SPDX-License-Identifier: Apache-2.0
 * Functions of a model. They may call each other, but not themselves, not even over others: an
 * inliner has to come to an end. */
#include "data/models/onnx/sonde-onnx-graph.h"

#include "data/models/onnx/sonde-onnx-reader.h"

#define MAX_FUNCTIONS 10000

static const char *
text_or_empty (const char *text)
{
  return text ? text : "";
}

/* ---- reading one --------------------------------------------------------- */

static gboolean
check_function_texts (SondeOnnxReader *reader, const Onnx__FunctionProto *proto, GError **error)
{
  if (!sonde_onnx_check_text (reader, N_ ("the name of a function"), proto->name, error)
      || !sonde_onnx_check_text (reader, N_ ("the domain of a function"), proto->domain, error)
      || !sonde_onnx_check_text (reader, N_ ("the overload of a function"), proto->overload, error))
    return FALSE;
  if (proto->name != NULL && *proto->name != '\0')
    return TRUE;
  return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                          "a function of domain “%s” has no name", text_or_empty (proto->domain));
}

static gboolean
read_formal_inputs (SondeOnnxReader *reader, const Onnx__FunctionProto *proto, SondeGraph *body,
                    GError **error)
{
  for (gsize i = 0; i < proto->n_input; i++)
    {
      if (!sonde_onnx_check_text (reader, N_ ("the name of a value"), proto->input[i], error))
        return FALSE;
      if (*proto->input[i] == '\0' || sonde_graph_find_value (body, proto->input[i]) != NULL)
        return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                                "input %zu of function “%s” is empty or there twice", i,
                                proto->name);
      sonde_graph_add_input (body, proto->input[i], NULL);
    }
  return TRUE;
}

static gboolean
read_formal_outputs (SondeOnnxReader *reader, const Onnx__FunctionProto *proto, SondeGraph *body,
                     GError **error)
{
  for (gsize i = 0; i < proto->n_output; i++)
    {
      SondeGraphValue *value = sonde_graph_find_value (body, proto->output[i]);

      if (!sonde_onnx_check_text (reader, N_ ("the name of an output"), proto->output[i], error))
        return FALSE;
      if (value == NULL)
        return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                                "output “%s” of function “%s” is made by no node", proto->output[i],
                                proto->name);
      sonde_graph_add_output (body, value);
    }
  return TRUE;
}

static gboolean
read_formal_attributes (SondeOnnxReader *reader, Onnx__FunctionProto *proto,
                        SondeFunction *function, GError **error)
{
  g_strfreev (function->attribute_names);
  function->attribute_names = g_new0 (char *, proto->n_attribute + 1);
  for (gsize i = 0; i < proto->n_attribute; i++)
    {
      if (!sonde_onnx_check_text (reader, N_ ("the name of an attribute"), proto->attribute[i],
                                  error))
        return FALSE;
      function->attribute_names[i] = g_strdup (proto->attribute[i]);
    }
  for (gsize i = 0; i < proto->n_attribute_proto; i++)
    {
      SondeAttribute *attribute = sonde_onnx_read_attribute (
          reader, proto->attribute_proto[i], N_ ("function"), proto->name, function->body, error);

      if (attribute == NULL)
        return FALSE;
      g_ptr_array_add (function->defaults, attribute);
    }
  return TRUE;
}

static gboolean
read_function (SondeOnnxReader *reader, Onnx__FunctionProto *proto, SondeFunction *function,
               GError **error)
{
  SondeGraph *body = function->body;

  function->doc = sonde_onnx_dup_doc (proto->doc_string);
  return sonde_onnx_read_opsets (reader, proto->opset_import, proto->n_opset_import, body, error)
         && read_formal_inputs (reader, proto, body, error)
         && read_formal_attributes (reader, proto, function, error)
         && sonde_onnx_read_nodes (reader, proto->node, proto->n_node, body, error)
         && sonde_onnx_read_value_infos (reader, proto->value_info, proto->n_value_info, body,
                                         error)
         && read_formal_outputs (reader, proto, body, error);
}

/* ---- calls between them -------------------------------------------------- */

static char *
key_of (const char *domain, const char *name, const char *overload)
{
  return g_strjoin ("\n", domain, name, overload ? overload : "", NULL);
}

/* Numbers of the functions that the nodes of @graph call, subgraphs included. */
static void
collect_calls (SondeGraph *graph, GHashTable *numbers, /* key -> number + 1 */
               GArray *calls)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = graph->nodes->pdata[i];
      g_autofree char *key = key_of (node->domain, node->op, node->overload);
      gpointer number = g_hash_table_lookup (numbers, key);

      if (number != NULL)
        g_array_append_vals (calls, &(guint){ GPOINTER_TO_UINT (number) - 1 }, 1);
      for (guint k = 0; k < node->attributes->len; k++)
        {
          SondeAttribute *attribute = node->attributes->pdata[k];

          if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
            collect_calls (attribute->u.graph, numbers, calls);
          else if (attribute->kind == SONDE_ATTRIBUTE_GRAPHS)
            for (gsize g = 0; g < attribute->n; g++)
              collect_calls (attribute->u.graphs[g], numbers, calls);
        }
    }
}

/* Takes away functions that nobody left calls; what cannot be taken away calls itself. */
static gboolean
check_recursion (SondeOnnxReader *reader, GPtrArray *functions, GHashTable *numbers, GError **error)
{
  guint n = functions->len, left = n;
  g_autofree guint *n_callers = g_new0 (guint, n + 1);
  g_autoptr (GPtrArray) calls = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (GArray) free_ones = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < n; i++)
    {
      GArray *of_one = g_array_new (FALSE, FALSE, sizeof (guint));

      collect_calls (((SondeFunction *) functions->pdata[i])->body, numbers, of_one);
      g_ptr_array_add (calls, of_one);
      for (guint k = 0; k < of_one->len; k++)
        n_callers[g_array_index (of_one, guint, k)]++;
    }
  for (guint i = 0; i < n; i++)
    if (n_callers[i] == 0)
      g_array_append_val (free_ones, i);
  while (free_ones->len > 0)
    {
      guint at = g_array_index (free_ones, guint, free_ones->len - 1);
      GArray *of_one = calls->pdata[at];

      g_array_set_size (free_ones, free_ones->len - 1);
      left--;
      for (guint k = 0; k < of_one->len; k++)
        if (--n_callers[g_array_index (of_one, guint, k)] == 0)
          g_array_append_val (free_ones, g_array_index (of_one, guint, k));
    }
  for (guint i = 0; i < n && left > 0; i++)
    if (n_callers[i] > 0)
      return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                              "function “%s” calls itself, directly or over others",
                              ((SondeFunction *) functions->pdata[i])->name);
  return TRUE;
}

gboolean
sonde_onnx_read_functions (SondeOnnxReader *reader, Onnx__ModelProto *proto, SondeGraph *graph,
                           GError **error)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (proto->n_functions > MAX_FUNCTIONS)
    return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_LIMIT,
                            "the model has %zu functions; at most %d are read", proto->n_functions,
                            MAX_FUNCTIONS);
  reader->in_function = TRUE;
  for (gsize i = 0; i < proto->n_functions; i++)
    {
      Onnx__FunctionProto *one = proto->functions[i];
      SondeFunction *function = NULL;

      if (!check_function_texts (reader, one, error))
        return FALSE;
      function = sonde_function_new (one->domain, one->name, one->overload);
      g_ptr_array_add (graph->functions, function);
      if (!g_hash_table_insert (numbers,
                                key_of (function->domain, function->name, function->overload),
                                GUINT_TO_POINTER (i + 1)))
        return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                                "the model has the function “%s” of domain “%s” twice", one->name,
                                function->domain);
      if (!read_function (reader, one, function, error))
        return FALSE;
    }
  reader->in_function = FALSE;
  return check_recursion (reader, graph->functions, numbers, error);
}
