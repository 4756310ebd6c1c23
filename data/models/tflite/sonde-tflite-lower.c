/* SPDX-License-Identifier: Apache-2.0
 * Subgraphs operator by operator; the model with its signature. */
#include "data/models/tflite/sonde-tflite-lower.h"

#include <string.h>

#include "data/base/sonde-message-nest.h"
#include "data/models/tflite/sonde-tflite-lower-private.h"

/* ---- life ---------------------------------------------------------------- */

static void
lower_init (SondeTfliteLower *lower, const SondeTfliteSubgraph *graph)
{
  lower->graph = graph;
  lower->values = g_new0 (SondeGraphValue *, graph->n_tensors);
  lower->names = g_new0 (char *, graph->n_tensors);
  lower->op = NULL;
}

static void
lower_clear (SondeTfliteLower *lower)
{
  for (guint i = 0; i < lower->graph->n_tensors; i++)
    g_free (lower->names[i]);
  g_free (lower->names);
  g_free (lower->values);
}

/* ---- operators ----------------------------------------------------------- */

static gboolean
any_quantised (const SondeTfliteLower *lower)
{
  for (guint k = 0; k < lower->op->n_inputs; k++)
    if (sonde_tflite_is_quantised (sonde_tflite_in_tensor (lower, k)))
      return TRUE;
  for (guint k = 0; k < lower->op->n_outputs; k++)
    if (sonde_tflite_is_quantised (sonde_tflite_out_tensor (lower, k)))
      return TRUE;
  return FALSE;
}

static gboolean
check_arity (SondeTfliteLower *lower, const SondeTfliteRow *row)
{
  const SondeTfliteOperator *op = lower->op;

  if (op->n_inputs < row->inputs || op->n_outputs < row->outputs)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "it has %u inputs and %u outputs; at least %u and %u are needed",
                           op->n_inputs, op->n_outputs, row->inputs, row->outputs);
      return FALSE;
    }
  for (guint k = 0; k < row->inputs; k++)
    if (op->inputs[k] == SONDE_TFLITE_ABSENT)
      {
        sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "input %u is absent", k);
        return FALSE;
      }
  return TRUE;
}

static void
build (SondeTfliteLower *lower, const SondeTfliteRow *row)
{
  gboolean quantised = any_quantised (lower);
  gboolean exact = sonde_lowering_get_options (lower->to)->quantised == SONDE_QUANTISED_EXACT;

  lower->floats = FALSE;
  if (quantised && exact && row->exact != NULL && row->exact (lower))
    return;
  lower->floats = quantised && !row->moves;
  row->build (lower);
}

static void
refuse_unknown (SondeTfliteLower *lower)
{
  if (lower->op->code == SONDE_TFLITE_CUSTOM)
    sonde_tflite_refuse (lower,
                         sonde_message_new ("it is a custom operator, which only the "
                                            "program that it was made for knows"),
                         sonde_message_new ("Convert the original model without custom operators "
                                            "(without SELECT_TF_OPS and allow_custom_ops)"));
  else
    sonde_tflite_refuse (lower, sonde_message_new ("no operator of ONNX stands for it"),
                         sonde_message_new ("Replace it in the original model, or export that "
                                            "one as ONNX"));
}

/* How much of @scope, whole words only, is that of @name, too. */
static gsize
measure_shared (const char *scope, gsize length, const char *name, gsize n)
{
  gsize shared = 0;

  for (gsize k = 0; k < length && k < n && scope[k] == name[k]; k++)
    if (name[k + 1] == '/' && (k + 1 == length || scope[k + 1] == '/'))
      shared = k + 1;
  return shared;
}

/* The converter joins the names of operators that it fuses by “;”: their scope is what they share, or
 * else that of the first, which is what the fused one ends with. */
static void
set_scope (SondeTfliteLower *lower, const char *name)
{
  const gsize first = strcspn (name, ";");
  const char *end = g_strrstr_len (name, (gssize) first, "/");
  const gsize whole = end != NULL ? (gsize) (end - name) : 0;
  g_autofree char *scope = NULL;
  gsize length = whole;

  if (name[first] == '\0')
    return;
  for (const char *part = name + first; *part == ';' && length > 0;
       part += 1 + strcspn (part + 1, ";"))
    length = measure_shared (name, length, part + 1, strcspn (part + 1, ";"));
  scope = g_strndup (name, length > 0 ? length : whole);
  sonde_lowering_set_scope (lower->to, scope);
}

static void
lower_operator (SondeTfliteLower *lower, guint number)
{
  const SondeTfliteOperator *op = lower->op;
  const SondeTfliteRow *row = sonde_tflite_row_find (op->code);
  const char *kind = sonde_tflite_operator_name (op);
  g_autofree char *name = op->n_outputs > 0 ? g_strdup (lower->names[op->outputs[0]])
                                            : g_strdup_printf ("operator_%u", number);

  sonde_lowering_begin (lower->to, name, kind != NULL ? kind : "?", NULL);
  set_scope (lower, name);
  if (kind == NULL)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_UNSUPPORTED,
                         "operator number %d is not known to this version", op->code);
  else if (row == NULL)
    refuse_unknown (lower);
  else if (check_arity (lower, row))
    build (lower, row);
  sonde_lowering_end (lower->to);
}

static void
lower_operators (SondeTfliteLower *lower)
{
  for (guint i = 0; i < lower->graph->n_operators && !sonde_lowering_has_failed (lower->to); i++)
    {
      if ((*lower->operators_left)-- == 0)
        {
          *lower->operators_left = 0;
          sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_LIMIT,
                               "subgraphs that call each other come to more than %u operators",
                               SONDE_TFLITE_MAX_OPERATORS);
          return;
        }
      lower->op = &lower->graph->operators[i];
      lower_operator (lower, i);
    }
}

/* ---- subgraphs ----------------------------------------------------------- */

static gboolean
runs_itself (const SondeTfliteLower *lower, const SondeTfliteSubgraph *graph)
{
  for (const SondeTfliteLower *at = lower; at != NULL; at = at->outer)
    if (at->graph == graph)
      return TRUE;
  return FALSE;
}

static guint
count_outer (const SondeTfliteLower *lower)
{
  guint n = 0;

  for (const SondeTfliteLower *at = lower; at != NULL; at = at->outer)
    n++;
  return n;
}

const SondeTfliteSubgraph *
sonde_tflite_get_subgraph (SondeTfliteLower *lower, int index, guint n_inputs, guint n_outputs)
{
  const SondeTfliteSubgraph *graph = NULL;

  if (index < 0 || (guint) index >= lower->file->n_subgraphs)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "it runs subgraph %d; there are %u",
                           index, lower->file->n_subgraphs);
      return NULL;
    }
  graph = &lower->file->subgraphs[index];
  if (runs_itself (lower, graph))
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "subgraph %d runs itself", index);
  else if (count_outer (lower) >= SONDE_BUDGET_SUBGRAPHS)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_LIMIT,
                         "subgraphs are nested more than %d deep", SONDE_BUDGET_SUBGRAPHS);
  else if (graph->n_inputs != n_inputs || graph->n_outputs != n_outputs)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "subgraph %d has %u inputs and %u outputs; %u and %u are wanted", index,
                         graph->n_inputs, graph->n_outputs, n_inputs, n_outputs);
  else
    return graph;
  return NULL;
}

SondeGraphValue **
sonde_tflite_lower_subgraph (SondeTfliteLower *lower, const SondeTfliteSubgraph *graph,
                             SondeGraphValue *const *inputs)
{
  SondeTfliteLower inner = *lower;
  SondeGraphValue **outputs = g_new0 (SondeGraphValue *, MAX (graph->n_outputs, 1));

  inner.outer = lower;
  lower_init (&inner, graph);
  sonde_tflite_take_names (&inner);
  for (guint i = 0; i < graph->n_inputs; i++)
    {
      guint tensor = (guint) graph->inputs[i];
      SondeType type = sonde_tflite_type_of_tensor (&graph->tensors[tensor]);

      inner.values[tensor] = inputs != NULL
                                 ? inputs[i]
                                 : sonde_lowering_add_input (lower->to, inner.names[tensor], &type);
    }
  lower_operators (&inner);
  for (guint i = 0; i < graph->n_outputs; i++)
    outputs[i] = sonde_tflite_value (&inner, (guint) graph->outputs[i]);
  lower_clear (&inner);
  return outputs;
}

/* ---- the model ----------------------------------------------------------- */

/* (nullable): none in the file, or after a failure */
static const SondeTfliteSignature *
find_signature (SondeLowering *to, const SondeTfliteFile *file)
{
  const char *wanted = sonde_lowering_get_options (to)->signature;
  g_autoptr (GString) keys = g_string_new (NULL);

  if (wanted == NULL)
    return file->n_signatures > 0 ? &file->signatures[0] : NULL;
  for (guint i = 0; i < file->n_signatures; i++)
    {
      if (g_str_equal (file->signatures[i].key, wanted))
        return &file->signatures[i];
      if (i < 32)
        g_string_append_printf (keys, "%s%s", i > 0 ? ", " : "", file->signatures[i].key);
    }
  if (file->n_signatures > 0)
    sonde_lowering_fail (to, SONDE_DATA_ERROR_NOT_FOUND,
                         "there is no signature “%s”; there are: %s", wanted, keys->str);
  else
    sonde_lowering_fail (to, SONDE_DATA_ERROR_NOT_FOUND,
                         "there is no signature “%s”; the file has none", wanted);
  return NULL;
}

/* What a signature calls a tensor; "" when nothing. It may call one by several names: each is taken
 * once. */
static const char *
find_argument (const SondeTfliteArgument *arguments, guint n, guint tensor, GHashTable *taken)
{
  for (guint i = 0; i < n; i++)
    if (arguments[i].tensor == tensor && !g_hash_table_contains (taken, arguments[i].name))
      return arguments[i].name;
  return "";
}

/* The name of input or output number @k. (transfer full) */
static char *
name_port (SondeTfliteLower *lower, const SondeTfliteArgument *arguments, guint n_arguments,
           guint tensor, const char *kind, guint k)
{
  const char *name = find_argument (arguments, n_arguments, tensor, lower->taken);
  g_autofree char *numbered = g_strdup_printf ("%s_%u", kind, k);

  if (*name == '\0')
    name = lower->graph->tensors[tensor].name;
  if (*name == '\0' || g_hash_table_contains (lower->taken, name))
    name = numbered;
  return sonde_tflite_take_name (lower->taken, name, tensor);
}

static void
add_port (GPtrArray *ports, const char *name, const SondeTfliteTensor *tensor, const char *layout)
{
  SondeConversionPort *port = g_new0 (SondeConversionPort, 1);

  port->name = g_strdup (name);
  port->layout = layout;
  port->n_scales = tensor->quantisation.n;
  port->scales = g_new0 (double, port->n_scales);
  port->zero_points = g_new0 (gint64, port->n_scales);
  for (gsize i = 0; i < port->n_scales; i++)
    {
      port->scales[i] = (double) tensor->quantisation.scales[i];
      port->zero_points[i] = tensor->quantisation.zero_points[i];
    }
  g_ptr_array_add (ports, port);
}

/* Where something took it with channels first, it had them last. */
static const char *
layout_of (SondeTfliteLower *lower, SondeGraphValue *value, const SondeTfliteTensor *tensor)
{
  if (sonde_lowering_find_channels_first (lower->to, value) == NULL)
    return NULL;
  return tensor->shape.rank == 4 ? "NHWC" : tensor->shape.rank == 5 ? "NDHWC" : NULL;
}

static void
add_inputs (SondeTfliteLower *lower, const SondeTfliteSignature *signature)
{
  for (guint i = 0; i < lower->graph->n_inputs; i++)
    {
      guint tensor = (guint) lower->graph->inputs[i];
      SondeType type = sonde_tflite_type_of_tensor (&lower->graph->tensors[tensor]);

      if (lower->values[tensor] != NULL)
        {
          sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                               "tensor %u is an input more than once", tensor);
          return;
        }
      type.rank = MAX (type.rank, 0);
      lower->names[tensor] = name_port (lower, signature ? signature->inputs : NULL,
                                        signature ? signature->n_inputs : 0, tensor, "input", i);
      lower->values[tensor] = sonde_lowering_add_input (lower->to, lower->names[tensor], &type);
    }
}

/* (transfer full): names of the outputs; a tensor that is nothing else is called so itself */
static GPtrArray *
name_outputs (SondeTfliteLower *lower, const SondeTfliteSignature *signature)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < lower->graph->n_outputs; i++)
    {
      guint tensor = (guint) lower->graph->outputs[i];
      char *name = name_port (lower, signature ? signature->outputs : NULL,
                              signature ? signature->n_outputs : 0, tensor, "output", i);

      g_ptr_array_add (names, name);
      if (lower->names[tensor] == NULL)
        lower->names[tensor] = g_strdup (name);
    }
  return names;
}

static void
lower_root (SondeTfliteLower *lower, const SondeTfliteSignature *signature)
{
  SondeConversion *conversion = sonde_lowering_get_conversion (lower->to);
  g_autoptr (GPtrArray) names = NULL;

  add_inputs (lower, signature);
  names = name_outputs (lower, signature);
  sonde_tflite_take_names (lower);
  lower_operators (lower);
  for (guint i = 0; i < lower->graph->n_outputs && !sonde_lowering_has_failed (lower->to); i++)
    {
      guint tensor = (guint) lower->graph->outputs[i];
      SondeGraphValue *value = sonde_tflite_value (lower, tensor);

      add_port (conversion->outputs, names->pdata[i], &lower->graph->tensors[tensor],
                layout_of (lower, value, &lower->graph->tensors[tensor]));
      sonde_lowering_add_output (lower->to, value, names->pdata[i]);
    }
  for (guint i = 0; i < lower->graph->n_inputs; i++)
    {
      guint tensor = (guint) lower->graph->inputs[i];

      if (lower->values[tensor] != NULL)
        add_port (conversion->inputs, lower->names[tensor], &lower->graph->tensors[tensor],
                  layout_of (lower, lower->values[tensor], &lower->graph->tensors[tensor]));
    }
}

static void
describe (SondeConversion *conversion, const SondeTfliteFile *file,
          const SondeTfliteSignature *signature)
{
  conversion->format_version = g_strdup_printf ("%u", file->version);
  conversion->producer = *file->description != '\0' ? g_strdup (file->description) : NULL;
  conversion->signature = signature != NULL ? g_strdup (signature->key) : NULL;
  for (guint i = 0; i < file->n_signatures; i++)
    g_ptr_array_add (conversion->signatures, g_strdup (file->signatures[i].key));
}

void
sonde_tflite_lower_model (SondeLowering *to, SondeTfliteFile *file)
{
  const SondeTfliteSignature *signature = find_signature (to, file);
  g_autoptr (GHashTable) taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint operators_left = SONDE_TFLITE_MAX_OPERATORS;
  SondeTfliteLower lower = { .to = to,
                             .file = file,
                             .taken = taken,
                             .variables = variables,
                             .operators_left = &operators_left };

  describe (sonde_lowering_get_conversion (to), file, signature);
  if (sonde_lowering_has_failed (to))
    return;
  lower_init (&lower, &file->subgraphs[signature != NULL ? signature->subgraph : 0]);
  lower_root (&lower, signature);
  lower_clear (&lower);
}
