/* SPDX-License-Identifier: Apache-2.0
 * Operators that run subgraphs: If, Loop, Scan. The plan runs them; here are their shape rules,
 * which take the types of a body's values as the infer pass has left them there: unknown where two
 * branches, or two iterations, may differ. sonde.BatchScan is Scan as opset 8 had it:
 * (sequence_lens?, states…, inputs…), all with a batch dimension in front of what opset 9 has. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include "engine/ops/control/sonde-op-control.h"

#include <string.h>

#define MOST_PLANNED (1 << 20) /* iterations of which the results are planned before the run */

static const SondeAttributeRule if_attributes[] = {
  { "then_branch", SONDE_ATTRIBUTE_GRAPH, TRUE },
  { "else_branch", SONDE_ATTRIBUTE_GRAPH, TRUE },
  { NULL },
};

static const SondeAttributeRule loop_attributes[] = {
  { "body", SONDE_ATTRIBUTE_GRAPH, TRUE },
  { NULL },
};

static const SondeAttributeRule scan_attributes[] = {
  { "body", SONDE_ATTRIBUTE_GRAPH, TRUE },
  { "num_scan_inputs", SONDE_ATTRIBUTE_INT, TRUE, 1, G_MAXINT },
  { "scan_input_axes", SONDE_ATTRIBUTE_INTS },
  { "scan_input_directions", SONDE_ATTRIBUTE_INTS, FALSE, 0, 1 },
  { "scan_output_axes", SONDE_ATTRIBUTE_INTS },
  { "scan_output_directions", SONDE_ATTRIBUTE_INTS, FALSE, 0, 1 },
  { NULL },
};

static const SondeAttributeRule batch_scan_attributes[] = {
  { "body", SONDE_ATTRIBUTE_GRAPH, TRUE },
  { "num_scan_inputs", SONDE_ATTRIBUTE_INT, TRUE, 1, G_MAXINT },
  { "directions", SONDE_ATTRIBUTE_INTS, FALSE, 0, 1 },
  { NULL },
};

/* ---- types that two ways may give ---------------------------------------- */

SondeType
sonde_control_unify (const SondeType *a, const SondeType *b)
{
  SondeType joined = sonde_type_unknown ();

  if (a->kind != b->kind || a->kind == SONDE_VALUE_NONE)
    return joined;
  joined.kind = a->kind;
  joined.dtype = a->dtype == b->dtype ? a->dtype : SONDE_DTYPE_INVALID;
  if (a->rank != b->rank || a->rank < 0)
    return joined;
  joined.rank = a->rank;
  for (int d = 0; d < a->rank; d++)
    {
      gboolean same = a->dims[d].size >= 0 && a->dims[d].size == b->dims[d].size;

      joined.dims[d] = sonde_dimension (same ? a->dims[d].size : -1);
      if (a->dims[d].symbol == b->dims[d].symbol)
        joined.dims[d].symbol = a->dims[d].symbol;
    }
  return joined;
}

gboolean
sonde_control_is_true (const SondeTensor *tensor)
{
  return sonde_tensor_n_elements (tensor) > 0 && tensor->dtype != SONDE_DTYPE_STRING
         && sonde_tensor_get_double (tensor, 0) != 0;
}

static const SondeType *
result_type (const SondeGraph *body, guint k)
{
  static const SondeType unknown
      = { .kind = SONDE_VALUE_NONE, .dtype = SONDE_DTYPE_INVALID, .rank = -1 };

  return k < body->outputs->len ? &((SondeGraphValue *) body->outputs->pdata[k])->type : &unknown;
}

static gboolean
need_results (const SondeInferContext *context, const SondeGraph *body, const char *name,
              guint most, GError **error)
{
  if (body == NULL)
    return sonde_infer_fail (error, "lacks the attribute “%s”", name);
  if (context->n_outputs > most)
    return sonde_infer_fail (error, "has %u outputs, but its %s gives %u", context->n_outputs, name,
                             most);
  return TRUE;
}

/* ---- If ------------------------------------------------------------------ */

static gboolean
infer_if (SondeInferContext *context, GError **error)
{
  const SondeGraph *branches[] = { sonde_node_get_graph (context->node, "then_branch"),
                                   sonde_node_get_graph (context->node, "else_branch") };
  SondeTensor *known = context->known[0];

  if (!need_results (context, branches[0], "then_branch",
                     branches[0] ? branches[0]->outputs->len : 0, error)
      || !need_results (context, branches[1], "else_branch",
                        branches[1] ? branches[1]->outputs->len : 0, error))
    return FALSE;
  for (guint k = 0; k < context->n_outputs; k++)
    if (known != NULL && sonde_tensor_n_elements (known) > 0)
      context->outputs[k] = *result_type (branches[sonde_control_is_true (known) ? 0 : 1], k);
    else
      context->outputs[k]
          = sonde_control_unify (result_type (branches[0], k), result_type (branches[1], k));
  return TRUE;
}

/* ---- Loop ---------------------------------------------------------------- */

/* Through Identity: whether @value is an input of its graph, and which. */
static const SondeGraphValue *
source_of (const SondeGraphValue *value)
{
  for (guint i = 0;
       i < 16 && value->producer != NULL && strcmp (value->producer->op, "Identity") == 0
       && value->producer->inputs->len > 0 && value->producer->inputs->pdata[0] != NULL;
       i++)
    value = value->producer->inputs->pdata[0];
  return value;
}

/* The condition stays as it was given, or is always true: the trip count alone decides. */
static gboolean
runs_to_end (const SondeInferContext *context, const SondeGraph *body)
{
  const SondeGraphValue *condition
      = body->outputs->len > 0 ? source_of (body->outputs->pdata[0]) : NULL;
  gboolean starts = sonde_infer_input (context, 1) == NULL
                    || (context->known[1] != NULL && sonde_control_is_true (context->known[1]));

  if (condition == NULL || !starts)
    return FALSE;
  if (condition->constant != NULL && condition->role == SONDE_ROLE_CONSTANT)
    return sonde_value_get_tensor (condition->constant) != NULL
           && sonde_control_is_true (sonde_value_get_tensor (condition->constant));
  return body->inputs->len > 1 && condition == body->inputs->pdata[1];
}

static gint64
trip_count (const SondeInferContext *context, const SondeGraph *body)
{
  gsize n = 0;
  g_autofree gint64 *count = context->n_inputs > 0 ? sonde_infer_known_ints (context, 0, &n) : NULL;

  if (count == NULL || n == 0)
    return -1;
  if (count[0] <= 0)
    return 0;
  /* Nobody plans memory for a trip count that stands for "for ever". */
  return count[0] <= MOST_PLANNED && runs_to_end (context, body) ? count[0] : -1;
}

/* @type with a dimension of @size at @axis. */
static gboolean
insert_dimension (const SondeType *type, gint64 axis, gint64 size, SondeType *result,
                  GError **error)
{
  int at;

  *result = sonde_type_unknown ();
  if (type->kind != SONDE_VALUE_TENSOR)
    return TRUE;
  result->kind = SONDE_VALUE_TENSOR;
  result->dtype = type->dtype;
  if (type->rank < 0)
    return TRUE;
  if (type->rank >= SONDE_MAX_RANK)
    return sonde_infer_fail (error, "what a body gives has %d dimensions, one more is too many",
                             type->rank);
  if (!sonde_infer_axis (axis, type->rank + 1, &at, error))
    return FALSE;
  result->rank = type->rank + 1;
  for (int d = 0; d < result->rank; d++)
    result->dims[d] = d == at ? sonde_dimension (size) : type->dims[d < at ? d : d - 1];
  return TRUE;
}

static gboolean
infer_loop (SondeInferContext *context, GError **error)
{
  const SondeGraph *body = sonde_node_get_graph (context->node, "body");
  guint n_carried = context->n_inputs > 2 ? context->n_inputs - 2 : 0;
  gint64 trips;

  if (!need_results (context, body, "body",
                     body && body->outputs->len > 0 ? body->outputs->len - 1 : 0, error))
    return FALSE;
  if (body->inputs->len > n_carried + 2 || body->outputs->len < n_carried + 1)
    return sonde_infer_fail (
        error, "its body takes %u and gives %u values, which do not go with %u carried ones",
        body->inputs->len, body->outputs->len, n_carried);
  trips = trip_count (context, body);
  for (guint k = 0; k < context->n_outputs; k++)
    if (k >= n_carried)
      {
        if (!insert_dimension (result_type (body, k + 1), 0, trips, &context->outputs[k], error))
          return FALSE;
      }
    else if (trips == 0)
      context->outputs[k] = context->inputs[k + 2];
    else
      context->outputs[k]
          = sonde_control_unify (&context->inputs[k + 2], result_type (body, k + 1));
  return TRUE;
}

/* ---- Scan ---------------------------------------------------------------- */

static gint64
list_entry (const SondeNode *node, const char *name, guint k)
{
  gsize n = 0;
  const gint64 *list = sonde_node_get_ints (node, name, &n);

  return list != NULL && k < n ? list[k] : 0;
}

/* Elements of all scan inputs along their axes; -1 unknown. */
static gboolean
sequence_length (const SondeInferContext *context, guint first, gint64 *length, GError **error)
{
  *length = -1;
  for (guint k = first; k < context->n_inputs; k++)
    {
      const SondeType *type = &context->inputs[k];
      int axis;

      if (type->kind != SONDE_VALUE_TENSOR || type->rank < 0)
        continue;
      if (!sonde_infer_axis (list_entry (context->node, "scan_input_axes", k - first), type->rank,
                             &axis, error))
        return FALSE;
      if (type->dims[axis].size < 0)
        continue;
      if (*length >= 0 && *length != type->dims[axis].size)
        return sonde_infer_fail (error,
                                 "its inputs are of different lengths: %" PRIi64 " and %" PRIi64,
                                 *length, type->dims[axis].size);
      *length = type->dims[axis].size;
    }
  return TRUE;
}

static gboolean
scan_parts (const SondeInferContext *context, const SondeGraph *body, guint before, guint *n_states,
            GError **error)
{
  gint64 n_scanned = sonde_node_get_int (context->node, "num_scan_inputs", 0);

  if (n_scanned < 1 || n_scanned > (gint64) context->n_inputs - before)
    return sonde_infer_fail (error, "num_scan_inputs is %" PRIi64 ", but it has %u inputs",
                             n_scanned, context->n_inputs);
  *n_states = context->n_inputs - before - (guint) n_scanned;
  if (!need_results (context, body, "body", body ? body->outputs->len : 0, error))
    return FALSE;
  if (body->inputs->len != context->n_inputs - before || body->outputs->len < *n_states)
    return sonde_infer_fail (
        error,
        "its body takes %u and gives %u values, which do not go with %u states and "
        "%" PRIi64 " scanned inputs",
        body->inputs->len, body->outputs->len, *n_states, n_scanned);
  return TRUE;
}

static gboolean
infer_scan (SondeInferContext *context, GError **error)
{
  const SondeGraph *body = sonde_node_get_graph (context->node, "body");
  gint64 length;
  guint n_states;

  if (!scan_parts (context, body, 0, &n_states, error)
      || !sequence_length (context, n_states, &length, error))
    return FALSE;
  for (guint k = 0; k < context->n_outputs; k++)
    if (k < n_states)
      context->outputs[k] = length == 0
                                ? context->inputs[k]
                                : sonde_control_unify (&context->inputs[k], result_type (body, k));
    else if (!insert_dimension (result_type (body, k),
                                list_entry (context->node, "scan_output_axes", k - n_states),
                                length, &context->outputs[k], error))
      return FALSE;
  return TRUE;
}

/* Element types and ranks; sizes follow in the run. */
static gboolean
infer_batch_scan (SondeInferContext *context, GError **error)
{
  const SondeGraph *body = sonde_node_get_graph (context->node, "body");
  guint n_states;

  if (!scan_parts (context, body, 1, &n_states, error))
    return FALSE;
  for (guint k = 0; k < context->n_outputs; k++)
    {
      const SondeType *type = result_type (body, k);
      int more = k < n_states ? 1 : 2;

      if (type->kind == SONDE_VALUE_TENSOR && type->rank >= 0
          && type->rank + more <= SONDE_MAX_RANK)
        context->outputs[k] = sonde_infer_type (type->dtype, type->rank + more);
    }
  return TRUE;
}

const SondeOpClass sonde_ops_if_loop_scan[] = {
  {
      .domain = "",
      .name = "If",
      .since = 1,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = -1,
      .flags = SONDE_OP_CONTROL,
      .family = SONDE_FAMILY_OTHER,
      .attributes = if_attributes,
      .infer = infer_if,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
      .id = SONDE_OP_ID_IF,
  },
  {
      .domain = "",
      .name = "Loop",
      .since = 1,
      .min_inputs = 0,
      .max_inputs = -1,
      .min_outputs = 1,
      .max_outputs = -1,
      .flags = SONDE_OP_CONTROL,
      .family = SONDE_FAMILY_OTHER,
      .attributes = loop_attributes,
      .infer = infer_loop,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
      .id = SONDE_OP_ID_LOOP,
  },
  {
      .domain = "",
      .name = "Scan",
      .since = 9,
      .min_inputs = 1,
      .max_inputs = -1,
      .min_outputs = 1,
      .max_outputs = -1,
      .flags = SONDE_OP_CONTROL,
      .family = SONDE_FAMILY_OTHER,
      .attributes = scan_attributes,
      .infer = infer_scan,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
      .id = SONDE_OP_ID_SCAN,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "BatchScan",
      .since = 1,
      .min_inputs = 0,
      .max_inputs = -1,
      .min_outputs = 1,
      .max_outputs = -1,
      .flags = SONDE_OP_CONTROL,
      .family = SONDE_FAMILY_OTHER,
      .attributes = batch_scan_attributes,
      .infer = infer_batch_scan,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
      .id = SONDE_OP_ID_BATCH_SCAN,
  },
  { NULL },
};
