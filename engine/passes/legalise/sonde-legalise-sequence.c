/* SPDX-License-Identifier: Apache-2.0
 * Functions of sequences as loops. */
#include "engine/passes/sonde-legalise.h"

#define unsupported(error, ...)                                                                    \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED, __VA_ARGS__),     \
   FALSE)

static SondeType
scalar_type (SondeDtype dtype)
{
  SondeShape scalar = sonde_shape_scalar ();

  return sonde_type_tensor (dtype, &scalar);
}

static SondeGraphValue *
add_inner (SondeGraph *body, const SondeNode *origin, const char *op, SondeGraphValue *a,
           SondeGraphValue *b, SondeGraphValue *output) /* (nullable) */
{
  SondeNode *node = sonde_legalise_add_node (body, op, a, b, output);

  node->scope = origin->scope;
  sonde_node_add_origin (node, origin, SONDE_ORIGIN_LEGALISED);
  return sonde_node_get_output (node, 0);
}

/* What the body took as an input it now reads from outside: item @iteration of a sequence, or the
 * whole tensor. */
static void
read_from_outside (SondeGraph *body, const SondeNode *map, SondeGraphValue *formal,
                   SondeGraphValue *actual, SondeGraphValue *iteration)
{
  SondeGraphValue *capture = sonde_graph_add_capture (body, actual->name, actual);
  gboolean sequence = actual->type.kind == SONDE_VALUE_SEQUENCE;

  formal->role = SONDE_ROLE_NORMAL;
  (void) add_inner (body, map, sequence ? "SequenceAt" : "Identity", capture,
                    sequence ? iteration : NULL, formal);
}

/* Body of SequenceMap → body of Loop: (iteration, condition, made so far …) → (condition, made so
 * far …). */
static void
turn_body (SondeGraph *body, const SondeNode *map)
{
  g_autoptr (GPtrArray) formals = g_ptr_array_copy (body->inputs, NULL, NULL);
  g_autoptr (GPtrArray) results = g_ptr_array_copy (body->outputs, NULL, NULL);
  SondeType integer = scalar_type (SONDE_DTYPE_I64), truth = scalar_type (SONDE_DTYPE_BOOL);
  SondeGraphValue *iteration = NULL, *condition = NULL;

  g_ptr_array_set_size (body->inputs, 0);
  g_ptr_array_set_size (body->outputs, 0);
  iteration = sonde_graph_add_input (body, "iteration", &integer);
  condition = sonde_graph_add_input (body, "condition", &truth);
  for (guint k = 0; k < formals->len; k++)
    read_from_outside (body, map, formals->pdata[k], sonde_node_get_input (map, k), iteration);
  sonde_graph_add_output (body, add_inner (body, map, "Identity", condition, NULL, NULL));
  for (guint k = 0; k < results->len; k++)
    {
      SondeGraphValue *result = results->pdata[k];
      SondeType type = { .kind = SONDE_VALUE_SEQUENCE, .dtype = result->type.dtype, .rank = -1 };
      SondeGraphValue *made = sonde_graph_add_input (body, "made", &type);

      sonde_graph_add_output (body, add_inner (body, map, "SequenceInsert", made, result, NULL));
    }
}

static gboolean
check_map (SondeNode *node, SondeGraph *body, GError **error)
{
  if (body == NULL || body->inputs->len != node->inputs->len
      || body->outputs->len < node->outputs->len)
    return unsupported (error, "its inputs and outputs must match those of its body");
  for (guint k = 0; k < node->inputs->len; k++)
    {
      SondeGraphValue *input = sonde_node_get_input (node, k);
      SondeValueKind kind = input ? input->type.kind : SONDE_VALUE_NONE;

      if (kind != SONDE_VALUE_SEQUENCE && (kind != SONDE_VALUE_TENSOR || k == 0))
        return unsupported (error, "whether input %u is a sequence must be known before the run",
                            k);
    }
  return TRUE;
}

/* A loop over the length of the first input; each output starts as an empty sequence. */
static gboolean
sequence_map (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraph *body = sonde_node_get_graph (node, "body");
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  SondeNode *loop = NULL;

  if (!check_map (node, body, error))
    return FALSE;
  g_ptr_array_add (inputs, sonde_node_get_output (
                               sonde_legalise_add_node (graph, "SequenceLength",
                                                        sonde_node_get_input (node, 0), NULL, NULL),
                               0));
  g_ptr_array_add (inputs, NULL);
  for (guint k = 0; k < body->outputs->len; k++)
    {
      SondeDtype dtype = ((SondeGraphValue *) body->outputs->pdata[k])->type.dtype;
      SondeNode *empty = sonde_graph_add_node (graph, NULL, "", "SequenceEmpty", NULL, 0, 1);

      if (dtype != SONDE_DTYPE_INVALID)
        sonde_node_set_int (empty, "dtype", sonde_dtype_to_onnx (dtype));
      g_ptr_array_add (inputs, sonde_node_get_output (empty, 0));
    }
  turn_body (body, node);
  loop = sonde_graph_add_node (graph, node->name, "", "Loop", (SondeGraphValue **) inputs->pdata,
                               inputs->len, 0);
  sonde_node_take_graph (loop, "body", sonde_graph_ref (body));
  (void) sonde_node_remove_attribute (node, "body");
  for (guint k = 0; k < node->outputs->len; k++)
    {
      SondeGraphValue *output = sonde_legalise_take_output (graph, node, k);

      if (output != NULL)
        sonde_node_set_output (graph, loop, k, output);
    }
  return TRUE;
}

const SondeLegalisation sonde_legalisations_sequence[] = {
  { "SequenceMap", 0, sequence_map },
  { NULL },
};
