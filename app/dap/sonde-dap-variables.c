/* SPDX-License-Identifier: Apache-2.0
 * Values as variables: a tensor's children are its slices along the first dimension, down to the
 * elements, page by page. */
#include "app/dap/sonde-dap-private.h"

#include <string.h>

#include "data/models/sonde-model-file.h"

#define PAGE 100      /* children when the editor asks for no part */
#define MAX_PAGE 5000 /* and at most */

/* ---- references ---------------------------------------------------------- */

void
sonde_dap_reference_free (gpointer data)
{
  SondeDapReference *reference = data;

  if (reference == NULL)
    return;
  g_free (reference->node);
  g_free (reference->value);
  g_free (reference->indices);
  g_free (reference);
}

guint
sonde_dap_add_reference (SondeDap *dap, SondeDapReferenceKind kind, const char *node,
                         const char *value, const char *indices)
{
  SondeDapReference *reference = g_new0 (SondeDapReference, 1);

  reference->kind = kind;
  reference->node = g_strdup (node);
  reference->value = g_strdup (value);
  reference->indices = g_strdup (indices != NULL ? indices : "");
  g_ptr_array_add (dap->references, reference);
  return dap->references->len;
}

/* ---- a value ------------------------------------------------------------- */

static char *
sliced (const char *value, const char *indices)
{
  return *indices != '\0' ? g_strdup_printf ("%s[%s]", value, indices) : g_strdup (value);
}

static char *
format_number (double number)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.6g", number));
}

/* What one line can say of a value. (transfer full) */
static char *
summarise (const SondeSessionReply *reply)
{
  const SondeStatistics *statistics = &reply->statistics;
  g_autofree char *shape = sonde_shape_to_string (&reply->shape),
                  *min = format_number (statistics->min);
  g_autofree char *max = format_number (statistics->max), *mean = format_number (statistics->mean);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s %s", sonde_dtype_name (reply->dtype), shape);
  if (reply->dtype == SONDE_DTYPE_STRING || statistics->count == 0)
    return g_string_free (text, FALSE);
  g_string_append_printf (text, " min %s max %s mean %s", min, max, mean);
  if (statistics->nan > 0)
    g_string_append_printf (text, " nan %" G_GINT64_FORMAT, statistics->nan);
  if (statistics->pos_inf + statistics->neg_inf > 0)
    g_string_append_printf (text, " inf %" G_GINT64_FORMAT,
                            statistics->pos_inf + statistics->neg_inf);
  return g_string_free (text, FALSE);
}

static char *
format_element (SondeTensor *tensor)
{
  g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (tensor);

  return sonde_tensor_n_elements (plain) == 1 ? sonde_tensor_format_element (plain, 0)
                                              : g_strdup ("");
}

/* One element is its number; more are a summary with children. */
static void
append_there (SondeDap *dap, SondeJsonText *body, const char *value_member, const char *name,
              const char *indices, const char *whole, const SondeSessionReply *reply)
{
  g_autofree char *text = NULL;
  guint reference = 0;

  if (reply->shape.rank == 0)
    {
      g_autoptr (SondeSessionReply) one
          = sonde_session_client_call (dap->client, sonde_session_request_tensor (whole), -1, NULL);

      text = one != NULL && one->tensor != NULL ? format_element (one->tensor) : NULL;
    }
  else
    reference = sonde_dap_add_reference (dap, SONDE_DAP_ELEMENTS, NULL, name, indices);
  if (text == NULL)
    text = summarise (reply);
  sonde_json_text_string (body, value_member, text);
  sonde_json_text_string (body, "type", sonde_dtype_name (reply->dtype));
  sonde_json_text_uint (body, "variablesReference", reference);
  if (reference > 0)
    sonde_json_text_int (body, "indexedVariables", MIN (reply->shape.dims[0], G_MAXINT32));
  sonde_json_text_string (body, "memoryReference", whole);
}

void
sonde_dap_append_value (SondeDap *dap, SondeJsonText *body, const char *value_member,
                        const char *name, const char *indices)
{
  g_autofree char *whole = sliced (name, indices);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply = sonde_session_client_call (
      dap->client, sonde_session_request_statistics (whole), -1, &error);

  if (reply != NULL)
    append_there (dap, body, value_member, name, indices, whole, reply);
  else
    {
      sonde_json_text_string (body, value_member, error->message);
      sonde_json_text_uint (body, "variablesReference", 0);
    }
  sonde_json_text_string (body, "evaluateName", whole);
}

static void
append_variable (SondeDap *dap, SondeJsonText *body, const char *label, const char *name,
                 const char *indices)
{
  sonde_json_text_begin_object (body, NULL);
  sonde_json_text_string (body, "name", label);
  sonde_dap_append_value (dap, body, "value", name, indices);
  sonde_json_text_end_object (body);
}

static void
append_text (SondeJsonText *body, const char *name, const char *value, const char *type)
{
  sonde_json_text_begin_object (body, NULL);
  sonde_json_text_string (body, "name", name);
  sonde_json_text_string (body, "value", value);
  if (type != NULL)
    sonde_json_text_string (body, "type", type);
  sonde_json_text_uint (body, "variablesReference", 0);
  sonde_json_text_end_object (body);
}

/* ---- of a node ----------------------------------------------------------- */

/* A value that the enclosing graph has is what that one says. */
static gboolean
is_weight (const SondeGraphValue *value)
{
  while (value->outer != NULL)
    value = value->outer;
  return value->producer == NULL
         && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_CONSTANT
             || value->role == SONDE_ROLE_STATE || value->constant != NULL);
}

/* The executed graph, once; without it nothing is known of attributes and weights. */
static void
need_graph (SondeDap *dap)
{
  g_autoptr (SondeSessionReply) values = NULL;
  g_autoptr (SondeSessionReply) reply = NULL;
  gsize size;
  const guint8 *data;

  if (dap->graph != NULL)
    return;
  reply = sonde_session_client_call (
      dap->client, sonde_session_request_graph (SONDE_SESSION_GRAPH_EXECUTED), -1, NULL);
  if (reply == NULL || reply->bytes == NULL)
    return;
  data = g_bytes_get_data (reply->bytes, &size);
  dap->graph = sonde_model_parse (data, size, dap->title, NULL);
  if (dap->graph == NULL)
    return;
  /* Large constants came as inputs: their roles are known by the session. */
  values = sonde_session_client_call (dap->client, sonde_session_request_values (NULL), -1, NULL);
  for (guint i = 0; values != NULL && i < values->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (values->values, i);
      SondeGraphValue *value = sonde_graph_find_value (dap->graph, info->name);

      if (value != NULL)
        value->role = info->role;
    }
}

/* The node of that name, in @graph or its bodies. */
static const SondeNode *
find_node (const SondeGraph *graph, const char *name)
{
  const SondeNode *found = sonde_graph_find_node (graph, name);

  for (guint i = 0; found == NULL && i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      for (guint k = 0; node != NULL && found == NULL && k < node->attributes->len; k++)
        {
          const SondeAttribute *attribute = g_ptr_array_index (node->attributes, k);

          if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
            found = find_node (attribute->u.graph, name); /* as deep as a reader allows */
        }
    }
  return found;
}

/* @weights: 1: only weights, 0: only others, -1: all */
static void
append_values (SondeDap *dap, SondeJsonText *body, const GPtrArray *values, int weights)
{
  for (guint i = 0; i < values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (values, i);

      if (value != NULL && (weights < 0 || is_weight (value) == (weights == 1)))
        append_variable (dap, body, value->name, value->name, "");
    }
}

static void
append_attributes (SondeJsonText *body, const SondeNode *node)
{
  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);
      g_autofree char *text = sonde_attribute_to_text (attribute);

      append_text (body, attribute->name, text, NULL);
    }
}

static void
append_statistics (SondeDap *dap, SondeJsonText *body, const char *value)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (dap->client, sonde_session_request_statistics (value), -1, NULL);
  const SondeStatistics *statistics = reply != NULL ? &reply->statistics : NULL;
  const struct
  {
    const char *name;
    double number;
  } rows[] = {
    { "count", statistics != NULL ? (double) statistics->count : 0 },
    { "min", statistics != NULL ? statistics->min : 0 },
    { "max", statistics != NULL ? statistics->max : 0 },
    { "mean", statistics != NULL ? statistics->mean : 0 },
    { "std", statistics != NULL ? statistics->std : 0 },
    { "abs_mean", statistics != NULL ? statistics->abs_mean : 0 },
    { "zeros", statistics != NULL ? (double) statistics->zeros : 0 },
    { "negatives", statistics != NULL ? (double) statistics->negatives : 0 },
    { "nan", statistics != NULL ? (double) statistics->nan : 0 },
    { "pos_inf", statistics != NULL ? (double) statistics->pos_inf : 0 },
    { "neg_inf", statistics != NULL ? (double) statistics->neg_inf : 0 },
  };

  for (gsize i = 0; statistics != NULL && i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = format_number (rows[i].number);

      append_text (body, rows[i].name, text, NULL);
    }
}

static void
append_statistics_of (SondeDap *dap, SondeJsonText *body, const GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (values, i);

      if (value == NULL)
        continue;
      sonde_json_text_begin_object (body, NULL);
      sonde_json_text_string (body, "name", value->name);
      sonde_json_text_string (body, "value", "");
      sonde_json_text_uint (
          body, "variablesReference",
          sonde_dap_add_reference (dap, SONDE_DAP_VALUE_STATISTICS, NULL, value->name, NULL));
      sonde_json_text_end_object (body);
    }
}

/* ---- elements ------------------------------------------------------------ */

/* Shape of what a reference stands for; rank 0 when it cannot be read. */
static SondeShape
shape_of (SondeDap *dap, const SondeDapReference *reference)
{
  g_autofree char *whole = sliced (reference->value, reference->indices);
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (dap->client, sonde_session_request_statistics (whole), -1, NULL);

  return reply != NULL ? reply->shape : (SondeShape){ 0 };
}

/* The elements of a vector, in one question. */
static void
append_elements (SondeDap *dap, SondeJsonText *body, const SondeDapReference *reference,
                 gint64 start, gint64 count)
{
  g_autofree char *slice = g_strdup_printf (
      "%s[%s%s%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT "]", reference->value, reference->indices,
      *reference->indices != '\0' ? ", " : "", start, start + count);
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (dap->client, sonde_session_request_tensor (slice), -1, NULL);
  g_autoptr (SondeTensor) tensor
      = reply != NULL && reply->tensor != NULL ? sonde_tensor_contiguous (reply->tensor) : NULL;
  gint64 n = tensor != NULL ? sonde_tensor_n_elements (tensor) : 0;

  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *label = g_strdup_printf ("[%" G_GINT64_FORMAT "]", start + i);
      g_autofree char *text = sonde_tensor_format_element (tensor, i);
      g_autofree char *name
          = g_strdup_printf ("%s[%s%s%" G_GINT64_FORMAT "]", reference->value, reference->indices,
                             *reference->indices != '\0' ? ", " : "", start + i);

      sonde_json_text_begin_object (body, NULL);
      sonde_json_text_string (body, "name", label);
      sonde_json_text_string (body, "value", text);
      sonde_json_text_string (body, "type", sonde_dtype_name (reply->dtype));
      sonde_json_text_string (body, "evaluateName", name);
      sonde_json_text_uint (body, "variablesReference", 0);
      sonde_json_text_end_object (body);
    }
}

static void
append_children (SondeDap *dap, SondeJsonText *body, const SondeDapReference *reference,
                 JsonObject *arguments)
{
  SondeShape shape = shape_of (dap, reference);
  gint64 n = shape.rank > 0 ? shape.dims[0] : 0;
  gint64 start = CLAMP (sonde_dap_get_int (arguments, "start", 0), 0, n);
  gint64 asked = sonde_dap_get_int (arguments, "count", 0);
  gint64 count = MIN (asked > 0 ? MIN (asked, MAX_PAGE) : PAGE, n - start);

  if (g_strcmp0 (sonde_dap_get_string (arguments, "filter"), "named") == 0)
    return;
  if (shape.rank == 1)
    {
      append_elements (dap, body, reference, start, count);
      return;
    }
  for (gint64 i = start; i < start + count; i++)
    {
      g_autofree char *label = g_strdup_printf ("[%" G_GINT64_FORMAT "]", i);
      g_autofree char *indices = g_strdup_printf ("%s%s%" G_GINT64_FORMAT, reference->indices,
                                                  *reference->indices != '\0' ? ", " : "", i);

      append_variable (dap, body, label, reference->value, indices);
    }
}

/* ---- variables ----------------------------------------------------------- */

static void
append_of_node (SondeDap *dap, SondeJsonText *body, const SondeDapReference *reference)
{
  const SondeNode *node;

  need_graph (dap);
  node = dap->graph != NULL ? find_node (dap->graph, reference->node) : NULL;
  if (node == NULL)
    return;
  switch (reference->kind)
    {
    case SONDE_DAP_INPUTS:
      append_values (dap, body, node->inputs, 0);
      break;
    case SONDE_DAP_OUTPUTS:
      append_values (dap, body, node->outputs, -1);
      break;
    case SONDE_DAP_WEIGHTS:
      append_values (dap, body, node->inputs, 1);
      break;
    case SONDE_DAP_ATTRIBUTES:
      append_attributes (body, node);
      break;
    case SONDE_DAP_STATISTICS:
    case SONDE_DAP_VALUE_STATISTICS:
    case SONDE_DAP_ELEMENTS:
    default:
      append_statistics_of (dap, body, node->inputs);
      append_statistics_of (dap, body, node->outputs);
    }
}

gboolean
sonde_dap_variables (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  gint64 number = sonde_dap_get_int (arguments, "variablesReference", 0);
  g_autofree char *node = NULL, *value = NULL, *indices = NULL;
  SondeDapReference reference;
  SondeJsonText body;

  if (!sonde_dap_need_pause (dap, error))
    return FALSE;
  if (number < 1 || number > dap->references->len)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "There is no variables reference %" G_GINT64_FORMAT
                   "; references end when the run goes on.",
                   number);
      return FALSE;
    }
  /* the list grows below */
  reference = *(SondeDapReference *) g_ptr_array_index (dap->references, (guint) number - 1);
  reference.node = node = g_strdup (reference.node);
  reference.value = value = g_strdup (reference.value);
  reference.indices = indices = g_strdup (reference.indices);
  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "variables");
  if (reference.kind == SONDE_DAP_ELEMENTS)
    append_children (dap, &body, &reference, arguments);
  else if (reference.kind == SONDE_DAP_VALUE_STATISTICS)
    append_statistics (dap, &body, reference.value);
  else
    append_of_node (dap, &body, &reference);
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}
