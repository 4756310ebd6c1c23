/* SPDX-License-Identifier: Apache-2.0
 * Optionals: a tensor, a sequence, or nothing. Our type of an optional does not tell whether a
 * tensor or a sequence is inside, so what is taken out has a type only when the model runs. Source:
 * the operator texts of ONNX. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sequence/sonde-sequence-private.h"

static gboolean
infer_optional (SondeInferContext *context, GError **error)
{
  const SondeType *content = sonde_infer_input (context, 0);
  const SondeAttribute *type = sonde_node_find_attribute (context->node, "type");

  if (content == NULL && type == NULL)
    return sonde_infer_fail (error, "has neither an input nor a type");
  context->outputs[0] = sonde_type_unknown ();
  context->outputs[0].kind = SONDE_VALUE_OPTIONAL;
  if (content != NULL)
    context->outputs[0].dtype = content->dtype;
  else if (type->kind == SONDE_ATTRIBUTE_TYPE && type->n > 0)
    context->outputs[0].dtype = type->u.types[0].dtype;
  return TRUE;
}

static gboolean
compute_optional (const SondeValueContext *context, GError **error)
{
  SondeValue *content = context->n_inputs > 0 ? context->inputs[0] : NULL;
  g_autoptr (SondeValue) kept = content ? sonde_sequence_keep (content) : NULL;

  context->outputs[0] = sonde_value_new_optional (kept);
  return TRUE;
}

static gboolean
infer_has_element (SondeInferContext *context, GError **error)
{
  context->outputs[0] = sonde_infer_type (SONDE_DTYPE_BOOL, 0);
  return TRUE;
}

/* Anything but an optional has itself. */
static gboolean
has_element (const SondeValue *value)
{
  return value != NULL
         && (sonde_value_get_kind (value) != SONDE_VALUE_OPTIONAL
             || sonde_value_get_n_items (value) > 0);
}

static gboolean
compute_has_element (const SondeValueContext *context, GError **error)
{
  SondeShape scalar = sonde_shape_scalar ();
  g_autoptr (SondeTensor) answer = sonde_tensor_new (SONDE_DTYPE_BOOL, &scalar);

  *answer->data = has_element (context->n_inputs > 0 ? context->inputs[0] : NULL);
  context->outputs[0] = sonde_value_new_tensor (answer);
  return TRUE;
}

static gboolean
infer_get_element (SondeInferContext *context, GError **error)
{
  if (context->inputs[0].kind != SONDE_VALUE_OPTIONAL)
    context->outputs[0] = context->inputs[0];
  return TRUE;
}

static gboolean
compute_get_element (const SondeValueContext *context, GError **error)
{
  SondeValue *value = context->inputs[0];

  if (!has_element (value))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "the optional holds nothing; ask OptionalHasElement first");
      return FALSE;
    }
  context->outputs[0] = sonde_value_get_kind (value) == SONDE_VALUE_OPTIONAL
                            ? sonde_value_ref (sonde_value_get_item (value, 0))
                            : sonde_sequence_keep (value);
  return TRUE;
}

static const SondeAttributeRule optional_rules[] = { { "type", SONDE_ATTRIBUTE_TYPE }, { NULL } };

#define OPTIONAL(onnx, least, rules, rule, kernel, derivative)                                     \
  {                                                                                                \
    .domain = "", .name = onnx, .since = 15, .min_inputs = least, .max_inputs = 1,                 \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_DYNAMIC, .family = SONDE_FAMILY_DATA,    \
    .attributes = rules, .infer = rule, .compute_values = kernel, .gradient = derivative,          \
    .reach = { sonde_reach_everything, 0 }, .typing = SONDE_TYPING_OWN,                            \
  }

const SondeOpClass sonde_ops_optional[] = {
  OPTIONAL ("Optional", 0, optional_rules, infer_optional, compute_optional,
            sonde_gradient_optional),
  OPTIONAL ("OptionalGetElement", 1, NULL, infer_get_element, compute_get_element,
            sonde_gradient_optional_get_element),
  OPTIONAL ("OptionalHasElement", 0, NULL, infer_has_element, compute_has_element, NULL),
  { .name = NULL },
};
