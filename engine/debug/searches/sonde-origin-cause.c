/* SPDX-License-Identifier: Apache-2.0
 * Why a node made a bad element of good ones, in a sentence. */
#include "engine/debug/searches/sonde-origin-private.h"

#include <math.h>
#include <string.h>

/* Whether a number of the input explains it; @other: the element beside it, of the other input of a
 * binary operator. */
typedef gboolean Explains (double number, double other);

static gboolean
is_zero (double number, double other)
{
  return number == 0;
}
static gboolean
is_negative (double number, double other)
{
  return number < 0;
}
static gboolean
is_both_zero (double number, double other)
{
  return number == 0 && other == 0;
}
static gboolean
is_beyond_one (double number, double other)
{
  return fabs (number) > 1;
}
static gboolean
is_one (double number, double other)
{
  return fabs (number) == 1;
}
static gboolean
is_below_one (double number, double other)
{
  return number < 1;
}
static gboolean
is_zero_to_negative (double number, double other)
{
  return number == 0 && other < 0;
}
static gboolean
is_negative_to_fraction (double number, double other)
{
  return number < 0 && other != floor (other);
}
static gboolean
is_not_positive (double number, double other)
{
  return number <= 0;
}

/**
 * Reason: tried in order
 * @input: whose element it is
 */
static const struct
{
  const char *op;
  guint input;
  Explains *explains;
  const char *id; /* of the message; takes the element */
} reasons[] = {
  { "Log", 0, is_zero, N_ ("log of 0 at %s") },
  { "Log", 0, is_negative, N_ ("log of a negative number at %s") },
  { "Sqrt", 0, is_negative, N_ ("square root of a negative number at %s") },
  { "Reciprocal", 0, is_zero, N_ ("1/0 at %s") },
  { "Div", 1, is_both_zero, N_ ("0/0 at %s") },
  { "Div", 1, is_zero, N_ ("division by 0 at %s") },
  { "Mod", 1, is_zero, N_ ("division by 0 at %s") },
  { "Pow", 0, is_zero_to_negative, N_ ("0 to a negative power at %s") },
  { "Pow", 0, is_negative_to_fraction, N_ ("a negative number to a fractional power at %s") },
  { "Acos", 0, is_beyond_one, N_ ("acos of a number beyond 1 at %s") },
  { "Asin", 0, is_beyond_one, N_ ("asin of a number beyond 1 at %s") },
  { "Acosh", 0, is_below_one, N_ ("acosh of a number below 1 at %s") },
  { "Atanh", 0, is_beyond_one, N_ ("atanh of a number beyond 1 at %s") },
  { "Atanh", 0, is_one, N_ ("atanh of 1 at %s") },
  { "BatchNormalization", 4, is_not_positive,
    N_ ("square root of a variance that is not positive at %s") },
};

/**
 * Look: what is found of the elements of one input
 * @first: the first; @largest: the one furthest from 0, which is @most
 */
typedef struct
{
  const SondeTensor *tensor;
  gint64 n, first, largest;
  double most;
} Look;

static gboolean
look_at (gint64 element, gpointer data)
{
  Look *look = data;
  const double number = sonde_tensor_get_double (look->tensor, element);

  if (look->n == 0)
    look->first = element;
  if (isfinite (number) && (look->n == 0 || fabs (number) > look->most))
    {
      look->most = fabs (number);
      look->largest = element;
    }
  look->n++;
  return TRUE;
}

/* (array length=n_inputs) (transfer full) */
static Look *
look (const SondeNode *node, SondeTensor *const *inputs, const GArray *reach)
{
  Look *looks = g_new0 (Look, node->inputs->len + 1);

  for (guint i = 0; i < reach->len; i++)
    {
      const SondeReach *box = &g_array_index (reach, SondeReach, i);

      looks[box->input].tensor = inputs[box->input];
      sonde_reach_foreach (box, &inputs[box->input]->shape, look_at, &looks[box->input]);
    }
  return looks;
}

/* "x[3, 7] = 0" and the fields. */
static char *
blame (SondeOrigin *origin, const SondeNode *node, guint input, const SondeTensor *tensor,
       gint64 element)
{
  SondeGraphValue *value = sonde_node_get_input (node, input);
  g_autofree char *place = sonde_shape_format_index (&tensor->shape, element);
  g_autofree char *number = sonde_tensor_format_element (tensor, element);

  origin->cause_value = g_strdup (value->name);
  origin->cause_shape = tensor->shape;
  origin->cause_element = element;
  origin->cause_number = sonde_tensor_get_double (tensor, element);
  return g_strdup_printf ("%s%s = %s", value->name, tensor->shape.rank > 0 ? place : "", number);
}

/* A known reason; NULL when there is none. (transfer full) */
static SondeMessage *
find_reason (SondeOrigin *origin, const SondeNode *node, const Look *looks)
{
  for (gsize i = 0; i < G_N_ELEMENTS (reasons) && *node->domain == '\0'; i++)
    {
      const guint k = reasons[i].input;
      const Look *other;
      g_autofree char *place = NULL;
      SondeMessage *message;

      if (strcmp (reasons[i].op, node->op) != 0 || k >= node->inputs->len || looks[k].n == 0)
        continue;
      other = node->inputs->len == 2 ? &looks[1 - k] : &looks[k];
      if (!reasons[i].explains (sonde_tensor_get_double (looks[k].tensor, looks[k].first),
                                other->n > 0 ? sonde_tensor_get_double (other->tensor, other->first)
                                             : 1))
        continue;
      place = blame (origin, node, k, looks[k].tensor, looks[k].first);
      message = sonde_message_new_empty ();
      sonde_message_add_part (message, reasons[i].id, (const char *const[]){ place, NULL });
      return message;
    }
  return NULL;
}

void
sonde_origin_explain (SondeOrigin *origin, const SondeNode *node, SondeTensor *const *inputs,
                      const GArray *reach, SondeDtype dtype, double number)
{
  g_autofree Look *looks = look (node, inputs, reach);
  g_autofree char *place = NULL;
  gint64 n = 0;
  guint most = 0;

  origin->cause = find_reason (origin, node, looks);
  if (origin->cause != NULL)
    return;
  for (guint k = 0; k < node->inputs->len; k++)
    {
      if (looks[k].n > 0 && (looks[most].n == 0 || looks[k].most > looks[most].most))
        most = k;
      n += looks[k].n;
    }
  if (n == 0)
    {
      origin->cause
          = isnan (number)
                ? sonde_message_new ("%s makes NaN of nothing it reads", node->op)
                : sonde_message_new ("%s makes an infinity of nothing it reads", node->op);
      return;
    }
  place = blame (origin, node, most, looks[most].tensor, looks[most].largest);
  if (isnan (number))
    origin->cause
        = sonde_message_new ("%s makes NaN of finite numbers; the largest is %s", node->op, place);
  else if (n == 1)
    origin->cause
        = sonde_message_new ("%s overflows %s at %s", node->op, sonde_dtype_name (dtype), place);
  else
    origin->cause = sonde_message_new ("%s of %" PRIi64 " numbers overflows %s; the largest is %s",
                                       node->op, n, sonde_dtype_name (dtype), place);
}
