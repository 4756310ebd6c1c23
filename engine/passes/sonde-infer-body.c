/* SPDX-License-Identifier: Apache-2.0
 * Inference of the bodies of If, Loop and Scan: types of captures and inputs come from outside;
 * what is carried from iteration to iteration gets the type that holds in all of them. */
#include "engine/passes/sonde-infer-private.h"

#include "data/base/sonde-budget.h"
#include "engine/ops/control/sonde-op-control.h"

#include <string.h>

#define MOST_ROUNDS 4 /* until the types of carried values must have settled */
#define DEEP 4        /* loops this deep inside others are not tried more than once */

/* ---- one body ------------------------------------------------------------ */

static void
forget_all (SondeGraph *body)
{
  for (guint i = 0; i < body->values->len; i++)
    {
      SondeGraphValue *value = body->values->pdata[i];

      if (value != NULL && value->producer != NULL)
        value->type
            = (SondeType){ .kind = value->type.kind, .dtype = value->type.dtype, .rank = -1 };
    }
}

/* FALSE when the body does not fit; then the types of its values are forgotten. */
static gboolean
infer_body (SondeTyping *outer, SondeGraph *body, SondeTensor **known_outputs, /* (nullable) */
            guint n_outputs)
{
  SondeTyping inference
      = { .graph = body, .outer = outer, .depth = outer->depth + 1, .symbols = outer->symbols };
  gboolean good;

  for (guint i = 0; i < body->values->len; i++)
    {
      SondeGraphValue *value = body->values->pdata[i];

      if (value != NULL && value->outer != NULL)
        value->type = value->outer->type;
    }
  inference.known = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  good = sonde_typing_run (&inference, NULL);
  if (!good)
    forget_all (body);
  for (guint k = 0; good && known_outputs != NULL && k < n_outputs && k < body->outputs->len; k++)
    {
      SondeTensor *known = sonde_typing_known (&inference, body->outputs->pdata[k]);

      known_outputs[k] = known ? sonde_tensor_ref (known) : NULL;
    }
  g_ptr_array_unref (inference.known);
  return good;
}

/* ---- If ------------------------------------------------------------------ */

static void
infer_if (SondeTyping *inference, SondeNode *node, SondeTensor *const *known,
          SondeTensor **known_outputs)
{
  SondeGraph *branches[]
      = { sonde_node_get_graph (node, "then_branch"), sonde_node_get_graph (node, "else_branch") };
  SondeTensor *condition = node->inputs->len > 0 ? known[0] : NULL;
  int taken = condition == NULL ? -1 : sonde_control_is_true (condition) ? 0 : 1;

  for (int i = 0; i < 2; i++)
    if (branches[i] != NULL)
      infer_body (inference, branches[i], i == taken ? known_outputs : NULL, node->outputs->len);
}

/* ---- loops --------------------------------------------------------------- */

/* An input of a body whose type is not known outside is what the file says, but of any size. */
static void
set_input (SondeGraphValue *input, const SondeType *type)
{
  if (type->kind == SONDE_VALUE_NONE)
    input->type.rank = -1;
  else
    input->type = *type;
}

static const SondeType *
type_of_input (SondeNode *node, guint k)
{
  static const SondeType unknown
      = { .kind = SONDE_VALUE_NONE, .dtype = SONDE_DTYPE_INVALID, .rank = -1 };
  SondeGraphValue *value = sonde_node_get_input (node, k);

  return value ? &value->type : &unknown;
}

/* Number and condition of an iteration are scalars, or of one element where the body says so. */
static void
set_scalar (SondeGraphValue *input, SondeDtype dtype)
{
  gboolean list = input->type.rank == 1;

  input->type = (SondeType){ .kind = SONDE_VALUE_TENSOR, .dtype = dtype, .rank = list ? 1 : 0 };
  if (list)
    input->type.dims[0].size = 1;
}

static gboolean
same_type (const SondeType *a, const SondeType *b)
{
  gboolean same = a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank;

  for (int d = 0; same && d < a->rank; d++)
    same = a->dims[d].size == b->dims[d].size && a->dims[d].symbol == b->dims[d].symbol;
  return same;
}

/* Inputs from @first_input on and results from @first_result on are carried. */
static void
settle_carried (SondeTyping *inference, SondeGraph *body, guint first_input, guint first_result,
                guint n)
{
  gboolean changed = TRUE;

  if (inference->depth >= DEEP)
    for (guint i = 0; i < n; i++)
      ((SondeGraphValue *) body->inputs->pdata[first_input + i])->type = sonde_type_unknown ();

  for (int round = 0; changed && round <= MOST_ROUNDS; round++)
    {
      changed = FALSE;
      if (!infer_body (inference, body, NULL, 0))
        return;
      for (guint i = 0; i < n; i++)
        {
          SondeGraphValue *input = body->inputs->pdata[first_input + i];
          const SondeGraphValue *result = body->outputs->pdata[first_result + i];
          SondeType joined = sonde_control_unify (&input->type, &result->type);

          if (same_type (&joined, &input->type))
            continue;
          changed = TRUE;
          input->type = round + 1 < MOST_ROUNDS ? joined : sonde_type_unknown ();
        }
    }
}

static void
infer_loop (SondeTyping *inference, SondeNode *node)
{
  SondeGraph *body = sonde_node_get_graph (node, "body");
  guint n_carried = node->inputs->len > 2 ? node->inputs->len - 2 : 0;

  if (body == NULL || body->inputs->len != n_carried + 2 || body->outputs->len < n_carried + 1)
    return;
  set_scalar (body->inputs->pdata[0], SONDE_DTYPE_I64);
  set_scalar (body->inputs->pdata[1], SONDE_DTYPE_BOOL);
  for (guint i = 0; i < n_carried; i++)
    set_input (body->inputs->pdata[i + 2], type_of_input (node, i + 2));
  settle_carried (inference, body, 2, 1, n_carried);
}

static SondeType
without_dimension (SondeType type, gint64 axis)
{
  int at = (int) (axis < 0 ? axis + type.rank : axis);

  if (type.kind != SONDE_VALUE_TENSOR || type.rank < 0)
    return type;
  if (axis < -type.rank || axis >= type.rank)
    return sonde_type_unknown ();
  type.rank--;
  for (int d = at; d < type.rank; d++)
    type.dims[d] = type.dims[d + 1];
  return type;
}

/* @before: inputs that the body does not get; @batch: all have a batch dimension in front */
static void
infer_scan (SondeTyping *inference, SondeNode *node, guint before, gboolean batch)
{
  SondeGraph *body = sonde_node_get_graph (node, "body");
  gint64 n_scanned = sonde_node_get_int (node, "num_scan_inputs", 0);
  gsize n_axes = 0;
  const gint64 *axes = sonde_node_get_ints (node, "scan_input_axes", &n_axes);
  guint n, n_states;

  if (body == NULL || node->inputs->len < before || n_scanned < 1
      || n_scanned > (gint64) (node->inputs->len - before))
    return;
  n = node->inputs->len - before;
  n_states = n - (guint) n_scanned;
  if (body->inputs->len != n || body->outputs->len < n_states)
    return;
  for (guint i = 0; i < n; i++)
    {
      SondeType type = *type_of_input (node, i + before);

      if (batch)
        type = without_dimension (type, 0);
      if (i >= n_states)
        type = without_dimension (type,
                                  axes != NULL && i - n_states < n_axes ? axes[i - n_states] : 0);
      set_input (body->inputs->pdata[i], &type);
    }
  settle_carried (inference, body, 0, 0, n_states);
}

/* ---- all ----------------------------------------------------------------- */

gboolean
sonde_infer_bodies (SondeTyping *inference, SondeNode *node, SondeTensor *const *known,
                    SondeTensor **known_outputs, GError **error)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  if (klass == NULL || (klass->flags & SONDE_OP_CONTROL) == 0)
    return TRUE;
  if (inference->depth >= SONDE_BUDGET_SUBGRAPHS)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "node “%s” (%s): subgraphs are nested more than %d deep", node->name,
                       node->op, SONDE_BUDGET_SUBGRAPHS);
      return FALSE;
    }
  if (klass->id == SONDE_OP_ID_IF)
    infer_if (inference, node, known, known_outputs);
  else if (klass->id == SONDE_OP_ID_LOOP)
    infer_loop (inference, node);
  else
    infer_scan (inference, node, klass->id == SONDE_OP_ID_BATCH_SCAN ? 1 : 0,
                klass->id == SONDE_OP_ID_BATCH_SCAN);
  return TRUE;
}
