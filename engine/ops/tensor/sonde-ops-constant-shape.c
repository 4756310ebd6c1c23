/* SPDX-License-Identifier: Apache-2.0
 * Where data comes from: Constant, ConstantOfShape, Shape, Size. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

/* ---- Constant ------------------------------------------------------------ */

/* Returns: (transfer full) (nullable): what the one value attribute holds */
static SondeTensor *
constant_tensor (const SondeNode *node)
{
  SondeAttribute *attribute = node->attributes->len > 0 ? node->attributes->pdata[0] : NULL;
  SondeShape scalar = sonde_shape_scalar ();
  SondeShape list = sonde_shape_make (1, attribute ? (int) attribute->n : 0);
  SondeTensor *tensor = NULL;

  if (attribute == NULL)
    return NULL;
  switch (attribute->kind)
    {
    case SONDE_ATTRIBUTE_TENSOR:
      return sonde_tensor_ref (attribute->u.tensor);
    case SONDE_ATTRIBUTE_INT:
      return sonde_tensor_new_i64 (attribute->u.i);
    case SONDE_ATTRIBUTE_FLOAT:
      return sonde_tensor_new_f32 ((float) attribute->u.f);
    case SONDE_ATTRIBUTE_INTS:
      return sonde_tensor_new_from_data (SONDE_DTYPE_I64, &list, attribute->u.ints);
    case SONDE_ATTRIBUTE_FLOATS:
      tensor = sonde_tensor_new (SONDE_DTYPE_F32, &list);
      sonde_dtype_convert (SONDE_DTYPE_F64, attribute->u.floats, SONDE_DTYPE_F32, tensor->data,
                           attribute->n);
      return tensor;
    case SONDE_ATTRIBUTE_STRING:
      return sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &scalar, &attribute->u.string);
    case SONDE_ATTRIBUTE_STRINGS:
      return sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &list, attribute->u.strings);
    default:
      return NULL;
    }
}

static gboolean
infer_constant (SondeInferContext *context, GError **error)
{
  g_autoptr (SondeTensor) tensor = constant_tensor (context->node);

  if (tensor == NULL)
    return sonde_infer_fail (error, "holds no value that a tensor can be made of");
  context->outputs[0] = sonde_type_tensor (tensor->dtype, &tensor->shape);
  context->known_outputs[0] = g_steal_pointer (&tensor);
  return TRUE;
}

static void
compute_constant (const SondeKernelContext *context)
{
  g_autoptr (SondeTensor) tensor = constant_tensor (context->node);
  g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (tensor);

  sonde_kernel_copy (plain, context->outputs[0]);
}

/* ---- ConstantOfShape ----------------------------------------------------- */

/* The sizes that an input names, as dimensions of @type. */
static gboolean
sizes_from_input (SondeInferContext *context, guint k, SondeDtype dtype, GError **error)
{
  const SondeType *shape = &context->inputs[k];
  gsize n = 0;
  g_autofree gint64 *sizes = sonde_infer_known_ints (context, k, &n);
  gint64 rank = sizes ? (gint64) n : shape->rank == 1 ? shape->dims[0].size : -1;

  if (shape->rank > 1)
    return sonde_infer_fail (error, "the shape has %d dimensions, but must be a list", shape->rank);
  if (rank > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "%" PRIi64 " dimensions are more than %d", rank,
                             SONDE_MAX_RANK);
  if (rank < 0)
    return TRUE;
  context->outputs[0] = sonde_infer_type (dtype, (int) rank);
  for (gsize d = 0; d < n; d++)
    {
      if (sizes[d] < 0)
        return sonde_infer_fail (error, "size %" PRIi64 " is negative", sizes[d]);
      context->outputs[0].dims[d].size = sizes[d];
    }
  return TRUE;
}

static gboolean
infer_constant_of_shape (SondeInferContext *context, GError **error)
{
  SondeTensor *value = sonde_node_get_tensor (context->node, "value");

  if (value != NULL && sonde_tensor_n_elements (value) != 1)
    return sonde_infer_fail (error, "its value has %" PRIi64 " elements, but must have one",
                             sonde_tensor_n_elements (value));
  return sonde_infer_need_integer (context, 0, error)
         && sizes_from_input (context, 0, value ? value->dtype : SONDE_DTYPE_F32, error);
}

static void
compute_constant_of_shape (const SondeKernelContext *context)
{
  SondeTensor *value = sonde_node_get_tensor (context->node, "value");
  SondeTensor *output = context->outputs[0];
  gsize size = sonde_dtype_size (output->dtype);
  gsize bytes = sonde_tensor_n_bytes (output);

  if (bytes == 0)
    return;
  memset (output->data, 0, bytes);
  if (value == NULL)
    return;
  /* One element, then the filled part doubles. */
  memcpy (output->data, value->data, size);
  for (gsize done = size; done < bytes; done += MIN (done, bytes - done))
    memcpy (output->data + done, output->data, MIN (done, bytes - done));
  sonde_kernel_own_strings (output);
}

/* ---- Shape, Size --------------------------------------------------------- */

static void
shape_range (const SondeNode *node, int rank, int *start, int *end)
{
  gint64 first = sonde_node_get_int (node, "start", 0);
  gint64 last = sonde_node_get_int (node, "end", rank);

  *start = (int) CLAMP (first < 0 ? first + rank : first, 0, rank);
  *end = (int) CLAMP (last < 0 ? last + rank : last, *start, rank);
}

static gboolean
infer_shape (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  SondeShape list;
  int start, end;
  gint64 sizes[SONDE_MAX_RANK];

  context->outputs[0] = sonde_infer_type (SONDE_DTYPE_I64, 1);
  if (x->kind != SONDE_VALUE_TENSOR || x->rank < 0)
    return TRUE;
  shape_range (context->node, x->rank, &start, &end);
  context->outputs[0].dims[0].size = end - start;
  for (int d = start; d < end; d++)
    {
      if (x->dims[d].size < 0)
        return TRUE;
      sizes[d - start] = x->dims[d].size;
    }
  list = sonde_shape_make (1, end - start);
  context->known_outputs[0] = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &list, sizes);
  return TRUE;
}

static void
compute_shape (const SondeKernelContext *context)
{
  gint64 *sizes = (gint64 *) (void *) context->outputs[0]->data;
  int start, end;

  shape_range (context->node, context->inputs[0]->shape.rank, &start, &end);
  for (int d = start; d < end; d++)
    sizes[d - start] = context->inputs[0]->shape.dims[d];
}

static gboolean
infer_size (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gint64 n
      = x->kind == SONDE_VALUE_TENSOR && x->rank >= 0 ? sonde_type_product (x, 0, x->rank) : -1;

  context->outputs[0] = sonde_infer_type (SONDE_DTYPE_I64, 0);
  if (n >= 0)
    context->known_outputs[0] = sonde_tensor_new_i64 (n);
  return TRUE;
}

static void
compute_size (const SondeKernelContext *context)
{
  *(gint64 *) (void *) context->outputs[0]->data = sonde_tensor_n_elements (context->inputs[0]);
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule constant_rules[] = {
  { "value", SONDE_ATTRIBUTE_TENSOR },          { "value_float", SONDE_ATTRIBUTE_FLOAT },
  { "value_floats", SONDE_ATTRIBUTE_FLOATS },   { "value_int", SONDE_ATTRIBUTE_INT },
  { "value_ints", SONDE_ATTRIBUTE_INTS },       { "value_string", SONDE_ATTRIBUTE_STRING },
  { "value_strings", SONDE_ATTRIBUTE_STRINGS }, { NULL },
};
static const SondeAttributeRule value_rule[] = { { "value", SONDE_ATTRIBUTE_TENSOR }, { NULL } };
static const SondeAttributeRule shape_rules[] = {
  { "start", SONDE_ATTRIBUTE_INT },
  { "end", SONDE_ATTRIBUTE_INT },
  { NULL },
};

const SondeOpClass sonde_ops_constant_shape[] = {
  {
      .domain = "",
      .name = "Constant",
      .since = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_DATA,
      .attributes = constant_rules,
      .infer = infer_constant,
      .compute = compute_constant,
      .reach = { sonde_reach_nothing, 0 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = "",
      .name = "ConstantOfShape",
      .since = 9,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_DATA,
      .attributes = value_rule,
      .infer = infer_constant_of_shape,
      .compute = compute_constant_of_shape,
      .gradient = sonde_rule_flat,
      .reach = { sonde_reach_nothing, 0 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
      .id = SONDE_OP_ID_CONSTANT_OF_SHAPE,
  },
  {
      .domain = "",
      .name = "Shape",
      .since = 1,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = shape_rules,
      .infer = infer_shape,
      .compute = compute_shape,
      .shape_only = 1 << 0,
      .reach = { sonde_reach_nothing, 0 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
      .id = SONDE_OP_ID_SHAPE,
  },
  {
      .domain = "",
      .name = "Size",
      .since = 1,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .infer = infer_size,
      .compute = compute_size,
      .shape_only = 1 << 0,
      .reach = { sonde_reach_nothing, 0 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
      .id = SONDE_OP_ID_SIZE,
  },
  { .name = NULL },
};
