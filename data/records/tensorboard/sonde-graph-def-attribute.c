/* SPDX-License-Identifier: Apache-2.0
 * AttrValue, and notes about what does not fit. Functions in it are named, not entered: nothing
 * here recurses. */
#include "data/records/tensorboard/sonde-graph-def-attribute-private.h"

#include <inttypes.h>

#include "data/records/sonde-record-text.h"

#define MAX_PROBLEMS 200u

void
sonde_graph_def_note_problem (SondeGraph *graph, const char *format, ...)
{
  SondeMetadata problem = { NULL, NULL };
  va_list arguments;

  if (graph->metadata->len >= MAX_PROBLEMS)
    return;
  va_start (arguments, format);
  problem.key = g_strdup ("problem");
  problem.value = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_array_append_val (graph->metadata, problem);
}

static char *
text_of_type (guint64 number)
{
  const gboolean is_reference = number > 100;
  SondeDtype dtype = sonde_tensor_proto_get_dtype ((guint32) MIN (number, G_MAXUINT32), NULL);

  if (dtype == SONDE_DTYPE_INVALID)
    return g_strdup_printf ("type %" PRIu64, number);
  return g_strconcat (sonde_dtype_name (dtype), is_reference ? " reference" : "", NULL);
}

static char *
text_of_shape (ProtobufCBinaryData shape)
{
  gint64 dims[SONDE_MAX_RANK];
  const guint8 *at;
  GString *text;
  int rank;

  if (!sonde_tensor_proto_view_shape (shape.data, shape.len, &rank, dims, &at))
    return g_strdup ("damaged");
  if (rank < 0 || rank > SONDE_MAX_RANK)
    return g_strdup (rank < 0 ? "unknown" : "too many dimensions");
  text = g_string_new ("[");
  for (int i = 0; i < rank; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      if (dims[i] < 0)
        g_string_append_c (text, '?');
      else
        g_string_append_printf (text, "%" PRIi64, dims[i]);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static SondeTensor *
make_tensor (ProtobufCBinaryData bytes, const char *name, SondeBudget *budget, GError **error)
{
  SondeTensorProto proto;
  const guint8 *at = bytes.data;

  if (sonde_tensor_proto_view (&proto, bytes.data, bytes.len, &at))
    return sonde_tensor_proto_to_tensor (&proto, budget, name, error);
  sonde_record_damaged (error, "Tensor of attribute “%s” is not a valid message", name);
  return NULL;
}

/* ---- lists --------------------------------------------------------------- */

typedef Tensorboard__AttrValue__List List;

/* What becomes text; usually it is of one kind. */
static SondeAttribute *
make_texts (const List *list, const char *name)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_STRINGS);
  GPtrArray *texts = g_ptr_array_new ();

  for (gsize i = 0; i < list->n_s; i++)
    g_ptr_array_add (texts, sonde_record_dup_bytes (list->s[i]));
  for (gsize i = 0; i < list->n_type; i++)
    g_ptr_array_add (texts, text_of_type (list->type[i]));
  for (gsize i = 0; i < list->n_shape; i++)
    g_ptr_array_add (texts, text_of_shape (list->shape[i]));
  for (gsize i = 0; i < list->n_func; i++)
    g_ptr_array_add (texts, sonde_record_dup_bytes (list->func[i]->name));
  attribute->u.strings = (char **) g_ptr_array_steal (texts, &attribute->n);
  g_ptr_array_unref (texts);
  return attribute;
}

static SondeAttribute *
make_tensors (const List *list, const char *name, SondeBudget *budget, GError **error)
{
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  SondeAttribute *attribute;

  for (gsize i = 0; i < list->n_tensor; i++)
    {
      SondeTensor *tensor = make_tensor (list->tensor[i], name, budget, error);

      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (tensors, tensor);
    }
  attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_TENSORS);
  attribute->u.tensors = (SondeTensor **) g_ptr_array_steal (tensors, &attribute->n);
  return attribute;
}

static SondeAttribute *
make_numbers (const List *list, const char *name)
{
  SondeAttribute *attribute;

  if (list->n_f > 0)
    {
      attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_FLOATS);
      attribute->n = list->n_f;
      attribute->u.floats = g_new (double, list->n_f);
      for (gsize i = 0; i < list->n_f; i++)
        attribute->u.floats[i] = (double) list->f[i];
      return attribute;
    }
  attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_INTS);
  attribute->n = list->n_i + list->n_b;
  attribute->u.ints = g_new (gint64, attribute->n);
  for (gsize i = 0; i < list->n_i; i++)
    attribute->u.ints[i] = list->i[i];
  for (gsize i = 0; i < list->n_b; i++)
    attribute->u.ints[list->n_i + i] = list->b[i];
  return attribute;
}

static SondeAttribute *
make_list (const List *list, const char *name, gsize n_bytes, SondeBudget *budget, GError **error)
{
  const guint64 n_texts = (guint64) list->n_s + list->n_type + list->n_shape + list->n_func;

  /* numbers take up to eight times their bytes, names of types more */
  if (!sonde_budget_take (budget,
                          16 * (guint64) n_bytes
                              + SONDE_GRAPH_DEF_ATTRIBUTE_BYTES * (n_texts + list->n_tensor),
                          name, error))
    return NULL;
  if (n_texts > 0)
    return make_texts (list, name);
  return list->n_tensor > 0 ? make_tensors (list, name, budget, error) : make_numbers (list, name);
}

/* ---- one ----------------------------------------------------------------- */

static SondeAttribute *
take_text (const char *name, char *text)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_STRING);

  attribute->u.string = text;
  return attribute;
}

static SondeAttribute *
make_int (const char *name, gint64 number)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_INT);

  attribute->u.i = number;
  return attribute;
}

static SondeAttribute *
make_float (const char *name, float number)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_FLOAT);

  attribute->u.f = (double) number;
  return attribute;
}

static SondeAttribute *
take_tensor (const char *name, SondeTensor *tensor)
{
  SondeAttribute *attribute;

  if (tensor == NULL)
    return NULL;
  attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_TENSOR);
  attribute->u.tensor = tensor;
  return attribute;
}

SondeAttribute *
sonde_graph_def_make_attribute (const Tensorboard__AttrValue *value, const char *name,
                                gsize n_bytes, SondeBudget *budget, GError **error)
{
  if (!sonde_budget_take (budget, SONDE_GRAPH_DEF_ATTRIBUTE_BYTES + n_bytes, name, error))
    return NULL;
  switch (value != NULL ? value->value_case : TENSORBOARD__ATTR_VALUE__VALUE__NOT_SET)
    {
    case TENSORBOARD__ATTR_VALUE__VALUE_LIST:
      return make_list (value->list, name, n_bytes, budget, error);
    case TENSORBOARD__ATTR_VALUE__VALUE_S:
      return take_text (name, sonde_record_dup_bytes (value->s));
    case TENSORBOARD__ATTR_VALUE__VALUE_I:
      return make_int (name, value->i);
    case TENSORBOARD__ATTR_VALUE__VALUE_F:
      return make_float (name, value->f);
    case TENSORBOARD__ATTR_VALUE__VALUE_B:
      return make_int (name, value->b);
    case TENSORBOARD__ATTR_VALUE__VALUE_TYPE:
      return take_text (name, text_of_type (value->type));
    case TENSORBOARD__ATTR_VALUE__VALUE_SHAPE:
      return take_text (name, text_of_shape (value->shape));
    case TENSORBOARD__ATTR_VALUE__VALUE_TENSOR:
      return take_tensor (name, make_tensor (value->tensor, name, budget, error));
    case TENSORBOARD__ATTR_VALUE__VALUE_PLACEHOLDER:
      return take_text (name, sonde_record_dup_bytes (value->placeholder));
    case TENSORBOARD__ATTR_VALUE__VALUE_FUNC:
      return take_text (name, sonde_record_dup_bytes (value->func->name));
    default:
      return take_text (name, g_strdup (""));
    }
}
