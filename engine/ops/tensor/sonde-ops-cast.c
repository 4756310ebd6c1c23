/* SPDX-License-Identifier: Apache-2.0
 * Changes of the element type: Cast, CastLike, BitCast.
 *
 * Numbers to numbers as sonde_dtype_convert(), but for floats to 4- and 2-bit integers, which wrap
 * as the standard's tests do. Numbers to text: the shortest that reads back, with ".0" behind whole
 * floats; bool gives "True" and "False". Text to numbers: what strtod() understands from its start,
 * in any case of letters; other text is 0. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

#define BLOCK 512

/* ---- text ---------------------------------------------------------------- */

static const char *
text_at (const SondeTensor *tensor, gint64 i)
{
  const char *text = ((char *const *) (const void *) tensor->data)[i];

  return text != NULL ? text : "";
}

static char *
text_of_element (const SondeTensor *tensor, gint64 i)
{
  g_autofree char *text = NULL;

  if (tensor->dtype == SONDE_DTYPE_BOOL)
    return g_strdup (tensor->data[i] != 0 ? "True" : "False");
  text = sonde_tensor_format_element (tensor, i);
  if (sonde_dtype_has_fractions (tensor->dtype) && strspn (text, "-0123456789") == strlen (text))
    return g_strconcat (text, ".0", NULL);
  return g_steal_pointer (&text);
}

/* Integers beyond 2^53 stay exact. */
static void
element_of_text (const char *text, SondeTensor *to, gint64 i)
{
  guint8 *at = to->data + (gsize) i * sonde_dtype_size (to->dtype);
  const char *start = text + strspn (text, " \t\n");
  gsize digits = strspn (start, "+-0123456789");
  gboolean whole = digits > 0 && strchr (".eE", start[digits]) == NULL;
  double number = g_ascii_strtod (text, NULL);
  gint64 integer = 0;

  if (g_ascii_strcasecmp (start, "true") == 0)
    number = 1;
  if ((whole || start[digits] == '\0') && !sonde_dtype_has_fractions (to->dtype)
      && to->dtype != SONDE_DTYPE_U64)
    {
      integer = g_ascii_strtoll (text, NULL, 10);
      sonde_dtype_convert (SONDE_DTYPE_I64, &integer, to->dtype, at, 1);
    }
  else
    sonde_dtype_convert (SONDE_DTYPE_F64, &number, to->dtype, at, 1);
}

static void
convert_text (const SondeTensor *x, SondeTensor *y)
{
  char **texts = (char **) (void *) y->data;
  gint64 n = sonde_tensor_n_elements (x);

  for (gint64 i = 0; i < n; i++)
    {
      if (y->dtype == SONDE_DTYPE_STRING)
        texts[i] = text_of_element (x, i);
      else
        element_of_text (text_at (x, i), y, i);
    }
}

/* ---- Cast, CastLike ------------------------------------------------------ */

static gboolean
infer_cast_to (SondeInferContext *context, SondeDtype dtype)
{
  context->outputs[0] = context->inputs[0];
  if (context->inputs[0].kind == SONDE_VALUE_TENSOR)
    context->outputs[0].dtype = dtype;
  return TRUE;
}

static gboolean
infer_cast (SondeInferContext *context, GError **error)
{
  gint64 number = sonde_node_get_int (context->node, "to", 0);
  SondeDtype dtype = sonde_dtype_from_onnx (number);

  if (dtype == SONDE_DTYPE_INVALID)
    return sonde_infer_fail (error, "casts to the element type %" PRIi64 ", which is not supported",
                             number);
  return infer_cast_to (context, dtype);
}

static gboolean
infer_cast_like (SondeInferContext *context, GError **error)
{
  return infer_cast_to (context, context->inputs[1].dtype);
}

static void
wrap_floats (const SondeTensor *x, SondeTensor *y)
{
  gsize n = (gsize) sonde_tensor_n_elements (x), size = sonde_dtype_size (x->dtype);
  gint64 wide[BLOCK];

  for (gsize start = 0; start < n; start += BLOCK)
    {
      gsize part = MIN (n - start, BLOCK);

      sonde_dtype_convert (x->dtype, x->data + start * size, SONDE_DTYPE_I64, wide, part);
      sonde_dtype_convert (SONDE_DTYPE_I64, wide, y->dtype, y->data + start, part);
    }
}

static SondeRounding
rounding_of (const SondeNode *node)
{
  const char *mode = sonde_node_get_string (node, "round_mode", "up");

  return strcmp (mode, "down") == 0      ? SONDE_ROUND_DOWN
         : strcmp (mode, "nearest") == 0 ? SONDE_ROUND_NEAREST
                                         : SONDE_ROUND_UP;
}

static void
compute_cast (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gsize n = (gsize) sonde_tensor_n_elements (x);
  gboolean narrow = sonde_dtype_is_narrow (y->dtype);

  if (x->dtype == y->dtype)
    sonde_kernel_copy (x, y);
  else if (x->dtype == SONDE_DTYPE_STRING || y->dtype == SONDE_DTYPE_STRING)
    convert_text (x, y);
  else if (narrow && sonde_dtype_has_fractions (y->dtype))
    sonde_dtype_convert_narrow (x->dtype, x->data, y->dtype, y->data, n,
                                sonde_node_get_int (context->node, "saturate", 1) != 0,
                                rounding_of (context->node));
  else if (narrow && sonde_dtype_has_fractions (x->dtype))
    wrap_floats (x, y);
  else
    sonde_dtype_convert (x->dtype, x->data, y->dtype, y->data, n);
}

static gboolean
gradient_cast (SondeGradientContext *context, GError **error)
{
  SondeDtype dtype = sonde_rule_x (context, 0)->type.dtype;
  SondeGraphValue *dx = NULL;

  /* Not known before the run: nothing says yet that it is an integer. */
  if (dtype == SONDE_DTYPE_INVALID)
    {
      context->input_gradients[0] = sonde_rule_binary (context, "CastLike", sonde_rule_dy (context),
                                                       sonde_rule_x (context, 0));
      return TRUE;
    }
  if (!sonde_dtype_is_float (dtype))
    return TRUE;
  dx = sonde_rule_unary (context, "Cast", sonde_rule_dy (context));
  sonde_node_set_int (dx->producer, "to", sonde_dtype_to_onnx (dtype));
  context->input_gradients[0] = sonde_rule_infer (context, dx);
  return TRUE;
}

/* ---- BitCast ------------------------------------------------------------- */

static gboolean
infer_bit_cast (SondeInferContext *context, GError **error)
{
  gint64 number = sonde_node_get_int (context->node, "to", 0);
  SondeDtype from = context->inputs[0].dtype, to = sonde_dtype_from_onnx (number);

  if (to == SONDE_DTYPE_INVALID || to == SONDE_DTYPE_STRING)
    return sonde_infer_fail (
        error, "takes the bits for the element type %" PRIi64 ", which cannot be", number);
  if (from != SONDE_DTYPE_INVALID && sonde_dtype_bits (from) != sonde_dtype_bits (to))
    return sonde_infer_fail (error,
                             "takes elements of %s for %s, which have another number of bits",
                             sonde_dtype_name (from), sonde_dtype_name (to));
  return infer_cast_to (context, to);
}

static void
compute_bit_cast (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gint64 n = sonde_tensor_n_elements (x);
  guint bits = sonde_dtype_bits (y->dtype);
  guint mask = (1u << (bits & 7)) - 1,
        sign = sonde_dtype_is_signed (y->dtype) && bits < 8 ? 1u << ((bits & 7) - 1) : 0;

  /* 4 and 2 bits have a byte of their own in memory, which is extended as the type wants it */
  for (gint64 i = 0; i < n && bits < 8; i++)
    y->data[i] = (guint8) ((x->data[i] & mask) - ((x->data[i] & sign) << 1));
  if (bits >= 8)
    memcpy (y->data, x->data, sonde_tensor_n_bytes (x));
  for (gint64 i = 0; i < n && y->dtype == SONDE_DTYPE_BOOL; i++)
    y->data[i] = y->data[i] != 0;
}

/* ---- rows ---------------------------------------------------------------- */

static const char *const round_modes[] = { "up", "down", "nearest", NULL };
static const SondeAttributeRule cast_rules[] = {
  { "to", SONDE_ATTRIBUTE_INT, .required = TRUE },
  { "saturate", SONDE_ATTRIBUTE_INT },
  { "round_mode", SONDE_ATTRIBUTE_STRING, .choices = round_modes },
  { NULL },
};
static const SondeAttributeRule bit_cast_rules[]
    = { { "to", SONDE_ATTRIBUTE_INT, .required = TRUE }, { NULL } };

const SondeOpClass sonde_ops_cast[] = {
  {
      .domain = "",
      .name = "Cast",
      .since = 9,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_ELEMENTWISE,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = cast_rules,
      .infer = infer_cast,
      .compute = compute_cast,
      .gradient = gradient_cast,
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
      .changes_nothing = sonde_identity_of_known_sizes,
      .attribution = SONDE_ATTRIBUTION_MOVE,
      .id = SONDE_OP_ID_CAST,
  },
  {
      .domain = "",
      .name = "CastLike",
      .since = 15,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = cast_rules + 1,
      .infer = infer_cast_like,
      .compute = compute_cast,
      .gradient = gradient_cast,
      .shape_only = 1 << 1,
      .reach = { sonde_reach_same, 0x1 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
      .changes_nothing = sonde_identity_of_known_sizes,
  },
  {
      .domain = "",
      .name = "BitCast",
      .since = 26,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = bit_cast_rules,
      .infer = infer_bit_cast,
      .compute = compute_bit_cast,
      .reach = { sonde_reach_same, 0x1 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  { NULL },
};
