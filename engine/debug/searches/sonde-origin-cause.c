/* SPDX-License-Identifier: Apache-2.0
 * Why a node made a bad element of good ones, in a sentence. */
#include "engine/debug/searches/sonde-origin-private.h"

#include <math.h>

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
  const SondeOpClass *klass = sonde_op_of_node (node);

  for (const SondeOpCause *cause = klass != NULL ? klass->causes : NULL;
       cause != NULL && cause->message != NULL; cause++)
    {
      const guint k = cause->input;
      const Look *other;
      g_autofree char *place = NULL;
      SondeMessage *message;

      if (k >= node->inputs->len || looks[k].n == 0)
        continue;
      other = node->inputs->len == 2 ? &looks[1 - k] : &looks[k];
      if (!cause->explains (sonde_tensor_get_double (looks[k].tensor, looks[k].first),
                            other->n > 0 ? sonde_tensor_get_double (other->tensor, other->first)
                                         : 1))
        continue;
      place = blame (origin, node, k, looks[k].tensor, looks[k].first);
      message = sonde_message_new_empty ();
      sonde_message_add_part (message, cause->message, (const char *const[]){ place, NULL });
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
