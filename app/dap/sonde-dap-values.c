/* SPDX-License-Identifier: Apache-2.0
 * Values as variables: a tensor's children are its slices along the first dimension, down to the
 * elements, page by page. The session is asked for all values of a request at once. */
#include "app/dap/sonde-dap-values.h"

#include "data/models/sonde-model-file.h"
#include "engine/debug/changes/sonde-change-node.h"
#include "engine/ops/sonde-engine-error.h"

#define PAGE 100      /* children when the editor requests no range */
#define MAX_PAGE 5000 /* at most */
#define MAX_READ ((gint64) 4 << 20)

/* ---- a value as text ----------------------------------------------------- */

static char *
format_number (double number)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.6g", number));
}

/* "float32 [2, 3] min … max … mean …". (transfer full) */
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
  g_string_append_c (text, ' ');
  g_string_append_printf (text, _ ("min %s max %s mean %s"), min, max, mean);
  if (statistics->nan > 0)
    g_string_append_printf (text, " nan %" PRIi64, statistics->nan);
  if (statistics->pos_inf + statistics->neg_inf > 0)
    g_string_append_printf (text, " inf %" PRIi64, statistics->pos_inf + statistics->neg_inf);
  return g_string_free (text, FALSE);
}

/* ---- several values ------------------------------------------------------ */

/**
 * Shown: one value of an answer
 * @label: (nullable): its "name"; @value, @indices: of which value
 * @statistics: (nullable): NULL with @problem; @number: (nullable): of a single element
 */
typedef struct
{
  char *label, *value, *indices;
  SondeSessionReply *statistics;
  char *number, *problem;
} Shown;

static void
shown_free (gpointer data)
{
  Shown *shown = data;

  g_free (shown->label);
  g_free (shown->value);
  g_free (shown->indices);
  sonde_session_reply_free (shown->statistics);
  g_free (shown->number);
  g_free (shown->problem);
  g_free (shown);
}

/**
 * Showing: an answer under construction
 * @shown: (element-type Shown); @member: "value" or "result"
 * @is_list: the body is a list of variables, else the one value
 */
typedef struct
{
  GPtrArray *shown;
  const char *member;
  gboolean is_list;
} Showing;

static Showing *
showing_new (const char *member, gboolean is_list)
{
  Showing *showing = g_new0 (Showing, 1);

  *showing = (Showing){ g_ptr_array_new_with_free_func (shown_free), member, is_list };
  return showing;
}

static Shown *
add_shown (Showing *showing, const char *label, const char *value, const char *indices)
{
  Shown *shown = g_new0 (Shown, 1);

  shown->label = g_strdup (label);
  shown->value = g_strdup (value);
  shown->indices = g_strdup (indices);
  g_ptr_array_add (showing->shown, shown);
  return shown;
}

/* Members of the object that is open. */
static void
append_shown (SondeDap *dap, JsonBuilder *body, const char *member, const Shown *shown)
{
  const SondeSessionReply *reply = shown->statistics;
  g_autofree char *whole = sonde_dap_slice (shown->value, shown->indices);
  g_autofree char *text = shown->problem != NULL  ? g_strdup (shown->problem)
                          : shown->number != NULL ? g_strdup (shown->number)
                                                  : summarise (reply);
  guint reference = reply != NULL && reply->shape.rank > 0 ? sonde_dap_variables_add_elements (
                        dap->variables, shown->value, shown->indices, &reply->shape)
                                                           : 0;

  sonde_json_set_string (body, member, text);
  if (reply != NULL)
    sonde_json_set_string (body, "type", sonde_dtype_name (reply->dtype));
  sonde_json_set_int (body, "variablesReference", reference);
  if (reference > 0)
    sonde_json_set_int (body, "indexedVariables", MIN (reply->shape.dims[0], G_MAXINT32));
  if (reply != NULL)
    sonde_json_set_string (body, "memoryReference", whole);
  sonde_json_set_string (body, "evaluateName", whole);
}

static void
reply_shown (SondeDapRequest *request, Showing *showing)
{
  JsonBuilder *body = sonde_dap_body_new ();

  if (showing->is_list)
    sonde_json_begin_array (body, "variables");
  for (guint i = 0; i < showing->shown->len; i++)
    {
      const Shown *shown = g_ptr_array_index (showing->shown, i);

      if (showing->is_list)
        json_builder_begin_object (body);
      if (showing->is_list)
        sonde_json_set_string (body, "name", shown->label);
      append_shown (request->dap, body, showing->member, shown);
      if (showing->is_list)
        json_builder_end_object (body);
    }
  if (showing->is_list)
    json_builder_end_array (body);
  g_ptr_array_unref (showing->shown);
  g_free (showing);
  sonde_dap_request_reply (request, body);
}

static gboolean
is_single (const Shown *shown)
{
  return shown->statistics != NULL && shown->statistics->shape.rank == 0;
}

/* One element each, of those that are single. */
static void
take_numbers (SondeDapRequest *request, GPtrArray *answers, gpointer data)
{
  Showing *showing = data;

  for (guint i = 0, k = 0; i < showing->shown->len; i++)
    {
      Shown *shown = g_ptr_array_index (showing->shown, i);
      const SondeDapAnswer *one = is_single (shown) ? g_ptr_array_index (answers, k++) : NULL;
      g_autoptr (SondeTensor) tensor
          = one != NULL && one->reply != NULL && one->reply->tensor != NULL
                ? sonde_tensor_contiguous (one->reply->tensor)
                : NULL;

      if (tensor != NULL && sonde_tensor_n_elements (tensor) == 1)
        shown->number = sonde_tensor_format_element (tensor, 0);
    }
  reply_shown (request, showing);
}

/* Statistics are known; single elements also need their number. */
static void
show_numbers (SondeDapRequest *request, Showing *showing)
{
  GPtrArray *questions = g_ptr_array_new ();

  for (guint i = 0; i < showing->shown->len; i++)
    {
      const Shown *shown = g_ptr_array_index (showing->shown, i);
      g_autofree char *whole = sonde_dap_slice (shown->value, shown->indices);

      if (is_single (shown))
        g_ptr_array_add (questions, sonde_session_request_tensor (whole));
    }
  sonde_dap_ask_all (request, questions, take_numbers, showing);
}

static void
take_statistics (SondeDapRequest *request, GPtrArray *answers, gpointer data)
{
  Showing *showing = data;

  for (guint i = 0; i < answers->len; i++)
    {
      SondeDapAnswer *one = g_ptr_array_index (answers, i);
      Shown *shown = g_ptr_array_index (showing->shown, i);

      shown->statistics = g_steal_pointer (&one->reply);
      shown->problem = one->error != NULL ? g_strdup (sonde_error_get_text (one->error)) : NULL;
    }
  show_numbers (request, showing);
}

static void
show (SondeDapRequest *request, Showing *showing)
{
  GPtrArray *questions = g_ptr_array_new ();

  for (guint i = 0; i < showing->shown->len; i++)
    {
      const Shown *shown = g_ptr_array_index (showing->shown, i);
      g_autofree char *whole = sonde_dap_slice (shown->value, shown->indices);

      g_ptr_array_add (questions, sonde_session_request_statistics (whole));
    }
  sonde_dap_ask_all (request, questions, take_statistics, showing);
}

void
sonde_dap_reply_value (SondeDapRequest *request, const char *member, const char *name)
{
  Showing *showing = showing_new (member, FALSE);

  add_shown (showing, NULL, name, "");
  show (request, showing);
}

void
sonde_dap_reply_statistics (SondeDapRequest *request, const char *member, const char *name,
                            SondeSessionReply *reply)
{
  Showing *showing = showing_new (member, FALSE);

  add_shown (showing, NULL, name, "")->statistics = reply;
  show_numbers (request, showing);
}

/* ---- of a node ----------------------------------------------------------- */

/* Values of an enclosing graph have the role that they have there. */
static gboolean
is_weight (const SondeGraphValue *value)
{
  while (value->outer != NULL)
    value = value->outer;
  return value->producer == NULL
         && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_CONSTANT
             || value->role == SONDE_ROLE_STATE || value->constant != NULL);
}

/* @weights: 1: only weights, 0: only others, -1: all */
static void
show_values (SondeDapRequest *request, const GPtrArray *values, int weights)
{
  Showing *showing = showing_new ("value", TRUE);

  for (guint i = 0; i < values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (values, i);

      if (value != NULL && (weights < 0 || is_weight (value) == (weights == 1)))
        add_shown (showing, value->name, value->name, "");
    }
  show (request, showing);
}

static void
append_text (JsonBuilder *body, const char *name, const char *value, guint reference)
{
  json_builder_begin_object (body);
  sonde_json_set_string (body, "name", name);
  sonde_json_set_string (body, "value", value);
  sonde_json_set_int (body, "variablesReference", reference);
  json_builder_end_object (body);
}

static JsonBuilder *
begin_list (void)
{
  JsonBuilder *body = sonde_dap_body_new ();

  sonde_json_begin_array (body, "variables");
  return body;
}

static void
reply_list (SondeDapRequest *request, JsonBuilder *body)
{
  json_builder_end_array (body);
  sonde_dap_request_reply (request, body);
}

static void
reply_attributes (SondeDapRequest *request, const SondeNode *node)
{
  JsonBuilder *body = begin_list ();

  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);
      g_autofree char *text = sonde_attribute_to_text (attribute);

      append_text (body, attribute->name, text, 0);
    }
  reply_list (request, body);
}

static void
append_statistics_of (SondeDap *dap, JsonBuilder *body, const GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (values, i);

      if (value != NULL)
        append_text (body, value->name, "",
                     sonde_dap_variables_add (dap->variables, SONDE_DAP_VALUE_STATISTICS, NULL,
                                              value->name, NULL));
    }
}

/* The executed graph has been read, or could not be. @number: of the reference */
static void
reply_of_node (SondeDapRequest *request, gint64 number)
{
  SondeDap *dap = request->dap;
  const SondeDapReference *reference = sonde_dap_variables_find (dap->variables, number);
  SondeNode *node = dap->variables->graph != NULL && reference != NULL
                        ? sonde_find_node_deep (dap->variables->graph, reference->node, NULL)
                        : NULL;
  JsonBuilder *body;

  if (node == NULL)
    {
      reply_list (request, begin_list ());
      return;
    }
  switch (reference->kind)
    {
    case SONDE_DAP_INPUTS:
      show_values (request, node->inputs, 0);
      break;
    case SONDE_DAP_OUTPUTS:
      show_values (request, node->outputs, -1);
      break;
    case SONDE_DAP_WEIGHTS:
      show_values (request, node->inputs, 1);
      break;
    case SONDE_DAP_ATTRIBUTES:
      reply_attributes (request, node);
      break;
    case SONDE_DAP_STATISTICS:
    case SONDE_DAP_VALUE_STATISTICS:
    case SONDE_DAP_ELEMENTS:
    default:
      body = begin_list ();
      append_statistics_of (dap, body, node->inputs);
      append_statistics_of (dap, body, node->outputs);
      reply_list (request, body);
    }
}

static void
take_graph (SondeDapRequest *request, GPtrArray *answers, gpointer data)
{
  SondeDap *dap = request->dap;
  const SondeDapAnswer *graph = g_ptr_array_index (answers, 0),
                       *values = g_ptr_array_index (answers, 1);
  GBytes *bytes = graph->reply != NULL ? graph->reply->bytes : NULL;

  if (bytes != NULL)
    dap->variables->graph = sonde_model_parse (g_bytes_get_data (bytes, NULL),
                                               g_bytes_get_size (bytes), dap->source->title, NULL);
  /* Large constants came as inputs: their roles are known by the session. */
  for (guint i = 0;
       dap->variables->graph != NULL && values->reply != NULL && i < values->reply->values->len;
       i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (values->reply->values, i);
      SondeGraphValue *value = sonde_graph_find_value (dap->variables->graph, info->name);

      if (value != NULL)
        value->role = info->role;
    }
  reply_of_node (request, sonde_dap_get_int (request->arguments, "variablesReference", 0));
}

static void
reply_node (SondeDapRequest *request, gint64 number)
{
  GPtrArray *questions;

  if (request->dap->variables->graph != NULL)
    {
      reply_of_node (request, number);
      return;
    }
  questions = g_ptr_array_new ();
  g_ptr_array_add (questions, sonde_session_request_graph (SONDE_SESSION_GRAPH_EXECUTED));
  g_ptr_array_add (questions, sonde_session_request_values (NULL));
  sonde_dap_ask_all (request, questions, take_graph, NULL);
}

/* ---- statistics ---------------------------------------------------------- */

static void
take_value_statistics (SondeDapRequest *request, SondeSessionReply *reply)
{
  const SondeStatistics *statistics = &reply->statistics;
  const struct
  {
    const char *name;
    double number;
  } rows[] = {
    { "count", (double) statistics->count },
    { "min", statistics->min },
    { "max", statistics->max },
    { "mean", statistics->mean },
    { "std", statistics->std },
    { "abs_mean", statistics->abs_mean },
    { "zeros", (double) statistics->zeros },
    { "negatives", (double) statistics->negatives },
    { "nan", (double) statistics->nan },
    { "pos_inf", (double) statistics->pos_inf },
    { "neg_inf", (double) statistics->neg_inf },
  };
  JsonBuilder *body = begin_list ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = format_number (rows[i].number);

      append_text (body, rows[i].name, text, 0);
    }
  reply_list (request, body);
}

/* ---- elements ------------------------------------------------------------ */

/* The elements of a vector, in one question. @data: Elements */
typedef struct
{
  char *value, *indices;
  gint64 start;
} Elements;

static void
take_elements (SondeDapRequest *request, GPtrArray *answers, gpointer data)
{
  g_autofree Elements *elements = data;
  g_autofree char *value = elements->value, *indices = elements->indices;
  const SondeDapAnswer *one = g_ptr_array_index (answers, 0);
  g_autoptr (SondeTensor) tensor = one->reply != NULL && one->reply->tensor != NULL
                                       ? sonde_tensor_contiguous (one->reply->tensor)
                                       : NULL;
  gint64 n = tensor != NULL ? sonde_tensor_n_elements (tensor) : 0;
  JsonBuilder *body = begin_list ();

  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *label = g_strdup_printf ("[%" PRIi64 "]", elements->start + i);
      g_autofree char *text = sonde_tensor_format_element (tensor, i);
      g_autofree char *index = sonde_dap_add_index (indices, elements->start + i);
      g_autofree char *name = sonde_dap_slice (value, index);

      json_builder_begin_object (body);
      sonde_json_set_string (body, "name", label);
      sonde_json_set_string (body, "value", text);
      sonde_json_set_string (body, "type", sonde_dtype_name (one->reply->dtype));
      sonde_json_set_string (body, "evaluateName", name);
      sonde_json_set_int (body, "variablesReference", 0);
      json_builder_end_object (body);
    }
  reply_list (request, body);
}

static void
ask_elements (SondeDapRequest *request, const SondeDapReference *reference, gint64 start,
              gint64 count)
{
  g_autofree char *first = sonde_dap_add_index (reference->indices, start);
  g_autofree char *range = g_strdup_printf ("%s:%" PRIi64, first, start + count);
  g_autofree char *slice = sonde_dap_slice (reference->value, range);
  Elements *elements = g_new0 (Elements, 1);
  GPtrArray *questions = g_ptr_array_new ();

  *elements = (Elements){ g_strdup (reference->value), g_strdup (reference->indices), start };
  g_ptr_array_add (questions, sonde_session_request_tensor (slice));
  sonde_dap_ask_all (request, questions, take_elements, elements);
}

static void
reply_children (SondeDapRequest *request, const SondeDapReference *reference)
{
  JsonObject *arguments = request->arguments;
  gint64 n = reference->shape.dims[0];
  gint64 start = CLAMP (sonde_dap_get_int (arguments, "start", 0), 0, n);
  gint64 asked = sonde_dap_get_int (arguments, "count", 0);
  gint64 count = MIN (asked > 0 ? MIN (asked, MAX_PAGE) : PAGE, n - start);
  Showing *showing;

  if (g_strcmp0 (sonde_dap_get_string (arguments, "filter"), "named") == 0)
    {
      reply_list (request, begin_list ());
      return;
    }
  if (reference->shape.rank == 1)
    {
      ask_elements (request, reference, start, count);
      return;
    }
  showing = showing_new ("value", TRUE);
  for (gint64 i = start; i < start + count; i++)
    {
      g_autofree char *label = g_strdup_printf ("[%" PRIi64 "]", i);
      g_autofree char *indices = sonde_dap_add_index (reference->indices, i);

      add_shown (showing, label, reference->value, indices);
    }
  show (request, showing);
}

/* ---- variables ----------------------------------------------------------- */

void
sonde_dap_variables (SondeDapRequest *request)
{
  gint64 number = sonde_dap_get_int (request->arguments, "variablesReference", 0);
  const SondeDapReference *reference = sonde_dap_variables_find (request->dap->variables, number);
  g_autoptr (GError) error = NULL;

  if (!sonde_dap_need_pause (request))
    return;
  if (reference == NULL)
    {
      sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "Variables reference %" PRIi64
                       " does not exist; references are valid only until the run resumes.",
                       number);
      sonde_dap_request_fail (request, error);
    }
  else if (reference->kind == SONDE_DAP_ELEMENTS)
    reply_children (request, reference);
  else if (reference->kind == SONDE_DAP_VALUE_STATISTICS)
    sonde_dap_ask (request, sonde_session_request_statistics (reference->value),
                   take_value_statistics);
  else
    reply_node (request, number);
}

/* ---- raw bytes ----------------------------------------------------------- */

static void
take_bytes (SondeDapRequest *request, SondeSessionReply *reply)
{
  gint64 offset = sonde_dap_get_int (request->arguments, "offset", 0),
         count = MAX (sonde_dap_get_int (request->arguments, "count", 0), 0);
  g_autoptr (SondeTensor) tensor = reply->tensor != NULL && reply->dtype != SONDE_DTYPE_STRING
                                       ? sonde_tensor_contiguous (reply->tensor)
                                       : NULL;
  gint64 size = tensor != NULL ? (gint64) sonde_tensor_n_bytes (tensor) : 0;
  gint64 readable = offset >= 0 && offset < size ? MIN (MIN (count, MAX_READ), size - offset) : 0;
  g_autofree char *address
      = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", (guint64) MAX (offset, 0));
  JsonBuilder *body = sonde_dap_body_new ();

  sonde_json_set_string (body, "address", address);
  sonde_json_set_int (body, "unreadableBytes", count - readable);
  if (readable > 0)
    {
      g_autofree char *encoded
          = g_base64_encode ((const guchar *) tensor->data + offset, (gsize) readable);

      sonde_json_set_string (body, "data", encoded);
    }
  sonde_dap_request_reply (request, body);
}

void
sonde_dap_read_memory (SondeDapRequest *request)
{
  const char *place = sonde_dap_get_string (request->arguments, "memoryReference");

  if (place != NULL)
    sonde_dap_ask (request, sonde_session_request_tensor (place), take_bytes);
  else
    sonde_dap_request_refuse (request, SONDE_ENGINE_ERROR_INVALID,
                              "A memory reference is a value's name.");
}
