/* SPDX-License-Identifier: Apache-2.0
 * LabelEncoder, CategoryMapper: elements looked up in a list of keys. A key that is there twice
 * stands for its last value; NaN finds NaN, -0 finds 0. Source: the operator texts of ONNX. */
#include "engine/ops/ml/sonde-machine-learning-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

/**
 * Table: keys and what they stand for
 * @keys, @values: [n] each
 * @fallback: one element: what stands for other keys
 */
typedef struct
{
  SondeTensor *keys, *values, *fallback;
} Table;

static void
table_clear (Table *table)
{
  g_clear_pointer (&table->keys, sonde_tensor_unref);
  g_clear_pointer (&table->values, sonde_tensor_unref);
  g_clear_pointer (&table->fallback, sonde_tensor_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, table_clear)

/* ---- attributes ---------------------------------------------------------- */

/* A list attribute as a tensor. Returns: (transfer full) (nullable): NULL when there is none */
static SondeTensor *
list_tensor (const SondeNode *node, const char *name)
{
  const SondeAttribute *attribute = sonde_node_find_attribute (node, name);
  SondeShape shape = sonde_shape_make (1, attribute ? attribute->n : 0);
  SondeTensor *tensor = NULL;

  if (attribute == NULL)
    return NULL;
  if (attribute->kind == SONDE_ATTRIBUTE_TENSOR)
    return attribute->u.tensor ? sonde_tensor_contiguous (attribute->u.tensor) : NULL;
  if (attribute->kind == SONDE_ATTRIBUTE_STRINGS)
    return sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, attribute->u.strings);
  if (attribute->kind == SONDE_ATTRIBUTE_INTS)
    return sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, attribute->u.ints);
  if (attribute->kind != SONDE_ATTRIBUTE_FLOATS)
    return NULL;
  tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  sonde_dtype_convert (SONDE_DTYPE_F64, attribute->u.floats, SONDE_DTYPE_F32, tensor->data,
                       attribute->n);
  return tensor;
}

/* The one that is there of "keys_strings", "keys_int64s", … */
static SondeTensor *
one_list (const SondeNode *node, const char *stem, GError **error)
{
  static const char *const endings[] = { "strings", "int64s", "floats", "tensor" };
  g_autoptr (SondeTensor) found = NULL;
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *name = g_strconcat (stem, "_", endings[i], NULL);
      SondeTensor *list = list_tensor (node, name);

      if (list == NULL)
        continue;
      n++;
      sonde_tensor_unref (found);
      found = list;
    }
  if (n == 1)
    return g_steal_pointer (&found);
  (void) sonde_infer_fail (error, "needs one list of %s, but has %u", stem, n);
  return NULL;
}

static SondeTensor *
default_value (const SondeNode *node, SondeDtype dtype)
{
  SondeShape scalar = sonde_shape_scalar ();
  SondeTensor *given = sonde_node_get_tensor (node, "default_tensor"), *value = NULL;

  if (given != NULL && given->dtype == dtype && sonde_tensor_n_elements (given) == 1)
    return sonde_tensor_contiguous (given);
  if (dtype == SONDE_DTYPE_STRING)
    {
      const char *text = sonde_node_get_string (node, "default_string", "_Unused");

      return sonde_tensor_new_from_data (dtype, &scalar, &text);
    }
  value = sonde_tensor_new (dtype, &scalar);
  if (sonde_dtype_is_float (dtype))
    sonde_tensor_set_double (value, 0, sonde_node_get_float (node, "default_float", -0.0));
  else
    {
      gint64 number = sonde_node_get_int (node, "default_int64", -1);

      sonde_dtype_convert (SONDE_DTYPE_I64, &number, dtype, value->data, 1);
    }
  return value;
}

/* @x: element type of the input */
static gboolean
table_init (Table *table, const SondeNode *node, SondeDtype x, GError **error)
{
  if (strcmp (node->op, "CategoryMapper") == 0)
    {
      gboolean words = x == SONDE_DTYPE_STRING;

      table->keys = list_tensor (node, words ? "cats_strings" : "cats_int64s");
      table->values = list_tensor (node, words ? "cats_int64s" : "cats_strings");
      if (table->keys == NULL || table->values == NULL)
        return sonde_infer_fail (error, "needs cats_strings and cats_int64s");
    }
  else if ((table->keys = one_list (node, "keys", error)) == NULL
           || (table->values = one_list (node, "values", error)) == NULL)
    return FALSE;
  if (sonde_tensor_n_elements (table->keys) != sonde_tensor_n_elements (table->values))
    return sonde_infer_fail (error, "has %" PRIi64 " keys, but %" PRIi64 " values",
                             sonde_tensor_n_elements (table->keys),
                             sonde_tensor_n_elements (table->values));
  if (x != table->keys->dtype)
    return sonde_infer_fail (error, "input 0 is %s, but the keys are %s", sonde_dtype_name (x),
                             sonde_dtype_name (table->keys->dtype));
  if (sonde_dtype_is_narrow (table->values->dtype))
    return sonde_infer_fail (error, "values of %s are not implemented",
                             sonde_dtype_name (table->values->dtype));
  table->fallback = default_value (node, table->values->dtype);
  return TRUE;
}

static gboolean
infer_encode (SondeInferContext *context, GError **error)
{
  g_auto (Table) table = { NULL };

  if (context->inputs[0].kind != SONDE_VALUE_TENSOR
      || context->inputs[0].dtype == SONDE_DTYPE_INVALID)
    return TRUE;
  if (!table_init (&table, context->node, context->inputs[0].dtype, error))
    return FALSE;
  context->outputs[0] = context->inputs[0];
  context->outputs[0].dtype = table.values->dtype;
  return TRUE;
}

/* ---- looking up ---------------------------------------------------------- */

/* What is hashed of a number: itself, or the bits of a double of which equal ones have equal
 * bits. */
static gint64
number_key (const SondeTensor *tensor, gint64 i)
{
  union
  {
    double number;
    gint64 bits;
  } key;

  if (!sonde_dtype_is_float (tensor->dtype))
    return sonde_tensor_get_int (tensor, i);
  key.number = sonde_tensor_get_double (tensor, i);
  if (isnan (key.number))
    key.number = (double) NAN;
  return key.number == 0 ? 0 : key.bits;
}

/* Key -> place + 1. @numbers: what the keys of the table are kept in */
static GHashTable *
index_keys (const SondeTensor *keys, gint64 *numbers)
{
  gboolean words = keys->dtype == SONDE_DTYPE_STRING;
  GHashTable *places = words ? g_hash_table_new (g_str_hash, g_str_equal)
                             : g_hash_table_new (g_int64_hash, g_int64_equal);

  for (gint64 i = 0; i < sonde_tensor_n_elements (keys); i++)
    {
      gconstpointer key
          = words ? (gconstpointer) sonde_text_at (keys, i) : (gconstpointer) &numbers[i];

      numbers[i] = words ? 0 : number_key (keys, i);
      g_hash_table_insert (places, (gpointer) key, GSIZE_TO_POINTER ((gsize) i + 1));
    }
  return places;
}

static void
compute_encode (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gsize size = sonde_dtype_size (y->dtype);
  g_auto (Table) table = { NULL };
  g_autoptr (GHashTable) places = NULL;
  g_autofree gint64 *numbers = NULL;

  if (!table_init (&table, context->node, x->dtype, NULL))
    return;
  numbers = g_new (gint64, sonde_tensor_n_elements (table.keys) + 1);
  places = index_keys (table.keys, numbers);
  for (gint64 i = 0; i < sonde_tensor_n_elements (x); i++)
    {
      gint64 number = x->dtype == SONDE_DTYPE_STRING ? 0 : number_key (x, i);
      gsize place = GPOINTER_TO_SIZE (g_hash_table_lookup (
          places, x->dtype == SONDE_DTYPE_STRING ? (gconstpointer) sonde_text_at (x, i)
                                                 : (gconstpointer) &number));

      memcpy (y->data + (gsize) i * size,
              place > 0 ? table.values->data + (place - 1) * size : table.fallback->data, size);
    }
  sonde_kernel_own_strings (y);
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule encode_rules[] = {
  { "default_float", SONDE_ATTRIBUTE_FLOAT },
  { "default_int64", SONDE_ATTRIBUTE_INT },
  { "default_string", SONDE_ATTRIBUTE_STRING },
  { "default_tensor", SONDE_ATTRIBUTE_TENSOR },
  { "keys_floats", SONDE_ATTRIBUTE_FLOATS },
  { "keys_int64s", SONDE_ATTRIBUTE_INTS },
  { "keys_strings", SONDE_ATTRIBUTE_STRINGS },
  { "keys_tensor", SONDE_ATTRIBUTE_TENSOR },
  { "values_floats", SONDE_ATTRIBUTE_FLOATS },
  { "values_int64s", SONDE_ATTRIBUTE_INTS },
  { "values_strings", SONDE_ATTRIBUTE_STRINGS },
  { "values_tensor", SONDE_ATTRIBUTE_TENSOR },
  { NULL },
};
static const SondeAttributeRule map_rules[] = {
  { "cats_int64s", SONDE_ATTRIBUTE_INTS },
  { "cats_strings", SONDE_ATTRIBUTE_STRINGS },
  { "default_int64", SONDE_ATTRIBUTE_INT },
  { "default_string", SONDE_ATTRIBUTE_STRING },
  { NULL },
};

#define LOOK_UP(onnx, opset, rules)                                                                \
  {                                                                                                \
    .domain = SONDE_ML_DOMAIN, .name = onnx, .since = opset, .min_inputs = 1, .max_inputs = 1,     \
    .min_outputs = 1, .max_outputs = 1, .family = SONDE_FAMILY_DATA, .attributes = rules,          \
    .infer = infer_encode, .compute = compute_encode, .reach = { sonde_reach_everything, 0 },      \
    .typing = SONDE_TYPING_OWN,                                                                    \
  }

const SondeOpClass sonde_ops_label_encoder[] = {
  LOOK_UP ("CategoryMapper", 1, map_rules),
  LOOK_UP ("LabelEncoder", 2, encode_rules),
  { .name = NULL },
};
