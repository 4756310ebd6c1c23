/* SPDX-License-Identifier: Apache-2.0
 * An exported program -> graph: inputs and weights by the signature, nodes in their order, outputs. */
#include "data/models/pt2/sonde-pt2.h"

#include <string.h>

#include "data/models/pt2/sonde-pt2-control.h"
#include "data/models/pt2/sonde-pt2-lower.h"

#define ATEN "torch.ops.aten."
#define NAME_AT 30 /* where a zip's first member has its name, and, 4 before, its length */

/* ---- telling the format -------------------------------------------------- */

/* Members of a program come in any order, but each lies in one of these folders. */
gboolean
sonde_pt2_sniff (const guint8 *start, gsize length)
{
  static const char *const folders[]
      = { "/data/weights/", "/data/constants/", "/models/", "/archive_format" };
  gsize n = length > NAME_AT ? start[26] | (gsize) start[27] << 8 : 0;
  g_autofree char *name = NULL;

  if (length < NAME_AT || memcmp (start, "PK\3\4", 4) != 0 || n == 0 || NAME_AT + n > length)
    return FALSE;
  name = g_strndup ((const char *) start + NAME_AT, n);
  if (g_str_equal (name, "serialized_exported_program.json"))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    if (strstr (name, folders[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* ---- nodes --------------------------------------------------------------- */

/* What only checks, or says something to the compiler; comparisons of sizes are for checks. */
static gboolean
has_no_effect (const char *target)
{
  static const char *const names[] = {
    ATEN "_assert_async",
    ATEN "_assert_scalar",
    ATEN "_assert_tensor_metadata",
    ATEN "sym_constrain_range",
    "_operator.ge",
    "_operator.gt",
    "_operator.le",
    "_operator.lt",
    "_operator.eq",
    "_operator.ne",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (target, names[i]))
      return TRUE;
  return FALSE;
}

/* "torch.ops.NAMESPACE." and the rows of its operators. */
static const struct
{
  const char *prefix;
  const SondePt2Row *rows;
} row_lists[] = {
  { ATEN, sonde_pt2_elementwise_rows },
  { ATEN, sonde_pt2_binary_rows },
  { ATEN, sonde_pt2_matrix_rows },
  { ATEN, sonde_pt2_window_rows },
  { ATEN, sonde_pt2_shape_rows },
  { ATEN, sonde_pt2_index_rows },
  { ATEN, sonde_pt2_reduce_rows },
  { ATEN, sonde_pt2_recurrent_rows },
  { "torch.ops.quantized_decomposed.", sonde_pt2_quantised_rows },
};

static const SondePt2Row *
find_row (const char *target)
{
  for (gsize i = 0; i < G_N_ELEMENTS (row_lists); i++)
    if (g_str_has_prefix (target, row_lists[i].prefix))
      for (const SondePt2Row *row = row_lists[i].rows; row->target != NULL; row++)
        if (strcmp (row->target, target + strlen (row_lists[i].prefix)) == 0)
          return row;
  return NULL;
}

/* "relu_.default" changes its tensor: (transfer full) "relu.default"; (nullable): it does not */
static char *
dup_without_change (const char *target)
{
  const char *dot = strrchr (target, '.');

  if (dot == NULL || dot == target || dot[-1] != '_' || !g_str_has_prefix (target, ATEN))
    return NULL;
  return g_strdup_printf ("%.*s%s", (int) (dot - 1 - target), target, dot);
}

/* (transfer full) (nullable): "net.py:17" of a stack trace's last line */
static char *
dup_place (JsonObject *metadata)
{
  const char *trace = sonde_json_member_text (metadata, "stack_trace"), *at = trace, *last = NULL;
  g_autofree char *file = NULL, *base = NULL;
  const char *end = NULL, *line = NULL;

  while (at != NULL && (at = strstr (at, "File \"")) != NULL)
    last = at += strlen ("File \"");
  end = last != NULL ? strchr (last, '"') : NULL;
  line = end != NULL ? strstr (end, ", line ") : NULL;
  if (line == NULL)
    return NULL;
  file = g_strndup (last, (gsize) (end - last));
  base = g_path_get_basename (file);
  return g_strdup_printf ("%s:%" PRIu64, base,
                          g_ascii_strtoull (line + strlen (", line "), NULL, 10));
}

/* "L__self__,,Net;L__self__c1,layers.c1,Conv2d": the module it stands in: "layers/c1" */
static void
set_scope (SondePt2Lowering *self, JsonObject *metadata)
{
  const char *stack = sonde_json_member_text (metadata, "nn_module_stack");
  const char *last = stack != NULL ? strrchr (stack, ';') : NULL;
  g_auto (GStrv) parts = g_strsplit (last != NULL ? last + 1 : "", ",", 3);

  if (g_strv_length (parts) < 2 || strlen (parts[1]) > 512)
    return;
  g_strdelimit (parts[1], ".", '/');
  sonde_lowering_set_scope (self->out, parts[1]);
}

static void
collect_arguments (SondePt2Lowering *self)
{
  JsonArray *inputs = sonde_json_member_array (self->node, "inputs");

  g_hash_table_remove_all (self->arguments);
  g_hash_table_remove_all (self->kinds);
  for (guint i = 0; i < sonde_json_member_count (inputs); i++)
    {
      JsonObject *input = sonde_json_member_element (inputs, i);
      JsonObject *argument = sonde_json_member_object (input, "arg");
      const char *name = sonde_json_member_text (input, "name");
      g_autoptr (GList) kinds = argument != NULL ? json_object_get_members (argument) : NULL;
      JsonNode *value = kinds != NULL ? json_object_get_member (argument, kinds->data) : NULL;

      if (name == NULL || value == NULL)
        continue;
      g_hash_table_insert (self->kinds, (gpointer) name, kinds->data);
      if (JSON_NODE_HOLDS_OBJECT (value)
          && json_object_has_member (json_node_get_object (value), "as_int"))
        value = json_object_get_member (json_node_get_object (value), "as_int");
      g_hash_table_insert (self->arguments, (gpointer) name, value);
    }
}

/* (nullable): the tensor that the open node works on, by its name in the program */
static const char *
self_name (SondePt2Lowering *self)
{
  JsonNode *node = g_hash_table_lookup (self->arguments, "self");

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node)
             ? sonde_json_member_text (json_node_get_object (node), "name")
             : NULL;
}

/* What an operator in place made is what its tensor is from now on. */
static void
rebind (SondePt2Lowering *self)
{
  const char *name = self_name (self);
  JsonArray *outputs = sonde_json_member_array (self->node, "outputs");
  JsonObject *made = sonde_json_member_object (sonde_json_member_element (outputs, 0), "as_tensor");
  SondeGraphValue *value
      = made != NULL ? g_hash_table_lookup (self->values, sonde_json_member_text (made, "name"))
                     : NULL;

  if (name != NULL && value != NULL)
    g_hash_table_insert (self->values, (gpointer) name, value);
}

static gboolean
is_view (const char *target)
{
  static const char *const views[]
      = { "view.",   "reshape.", "slice.",     "select.",    "transpose.", "t.",       "permute.",
          "expand.", "split",    "unsqueeze.", "chunk.",     "unbind.",    "squeeze.", "flatten.",
          "narrow.", "detach.",  "alias.",     "unflatten.", "as_" };

  for (gsize i = 0; g_str_has_prefix (target, ATEN) && i < G_N_ELEMENTS (views); i++)
    if (g_str_has_prefix (target + strlen (ATEN), views[i]))
      return TRUE;
  return FALSE;
}

/* Whether the tensor that the open node changes shares its memory: @viewed has both a view's name and
 * that of what it looks at. A dropout in inference changes nothing. */
static gboolean
changes_shared (SondePt2Lowering *self, GHashTable *viewed)
{
  const char *name = self_name (self);

  return name != NULL && g_hash_table_contains (viewed, name)
         && strstr (sonde_json_member_text (self->node, "target"), "dropout_") == NULL;
}

static void
remember_view (SondePt2Lowering *self, GHashTable *viewed)
{
  JsonArray *outputs = sonde_json_member_array (self->node, "outputs");
  const char *base = self_name (self);

  if (base != NULL)
    g_hash_table_add (viewed, (gpointer) base);
  for (guint i = 0; i < sonde_json_member_count (outputs); i++)
    {
      JsonObject *made
          = sonde_json_member_object (sonde_json_member_element (outputs, i), "as_tensor");
      const char *name = made != NULL ? sonde_json_member_text (made, "name") : NULL;

      if (name != NULL)
        g_hash_table_add (viewed, (gpointer) name);
    }
}

static void
lower_target (SondePt2Lowering *self, const char *target, GHashTable *viewed)
{
  g_autofree char *pure = find_row (target) == NULL ? dup_without_change (target) : NULL;
  const SondePt2Row *row = find_row (pure != NULL ? pure : target);

  if (is_view (target))
    remember_view (self, viewed);
  if (sonde_pt2_lower_control (self, target))
    return;
  if (has_no_effect (target))
    sonde_lowering_mark (self->out, SONDE_LOWERED_DROPPED);
  else if (row != NULL && pure != NULL && changes_shared (self, viewed))
    sonde_pt2_refuse (self, sonde_message_new ("it changes a tensor that another one looks at"),
                      sonde_message_new ("Use the operator without “_”, or run_decompositions()"));
  else if (row == NULL)
    sonde_pt2_refuse (
        self, sonde_message_new ("this operator is not known"),
        sonde_message_new ("Try program.run_decompositions() before saving, or write it "
                           "with other operators"));
  else
    {
      self->op = row->op;
      row->lower (self);
    }
  if (pure != NULL)
    rebind (self);
}

static void
lower_node (SondePt2Lowering *self, JsonObject *node, GHashTable *viewed)
{
  JsonObject *metadata = sonde_json_member_object (node, "metadata");
  const char *target = sonde_json_member_text (node, "target"),
             *name = sonde_json_member_text (node, "name");
  g_autofree char *place = dup_place (metadata);
  g_autofree char *label
      = g_strconcat (self->prefix != NULL ? self->prefix : "", name != NULL ? name : target, NULL);

  if (target == NULL)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "a node has no target");
      return;
    }
  self->node = node;
  collect_arguments (self);
  sonde_lowering_begin (
      self->out, label,
      g_str_has_prefix (target, "torch.ops.") ? target + strlen ("torch.ops.") : target, place);
  set_scope (self, metadata);
  lower_target (self, target, viewed);
  sonde_lowering_end (self->out);
}

static void
lower_nodes (SondePt2Lowering *self, JsonObject *graph)
{
  JsonArray *nodes = sonde_json_member_array (graph, "nodes");
  g_autoptr (GHashTable) viewed = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < sonde_json_member_count (nodes) && !sonde_lowering_has_failed (self->out);
       i++)
    lower_node (self, sonde_json_member_element (nodes, i), viewed);
}

/* ---- inputs, weights, outputs -------------------------------------------- */

static const char *
argument_name (JsonObject *spec)
{
  JsonObject *argument = sonde_json_member_object (spec, "arg");
  JsonObject *tensor = sonde_json_member_object (argument, "as_tensor");
  JsonObject *size = sonde_json_member_object (argument, "as_sym_int");
  const char *name = sonde_json_member_text (argument, "name");

  if (name == NULL && tensor != NULL)
    name = sonde_json_member_text (tensor, "name");
  return name != NULL ? name : sonde_json_member_text (size, "as_name");
}

static void
add_input (SondePt2Lowering *self, const char *name)
{
  JsonObject *meta = sonde_json_member_object (self->metas, name);
  SondeType type = meta != NULL ? sonde_pt2_type_of_meta (meta)
                                : sonde_type_tensor (SONDE_DTYPE_I64, &(SondeShape){ 0 });

  if (type.dtype == SONDE_DTYPE_INVALID)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_UNSUPPORTED,
                         "the type of input “%s” is not read", name);
  else
    g_hash_table_insert (self->values, (gpointer) name,
                         sonde_lowering_add_input (self->out, name, &type));
}

/* Under its full name, which state dictionaries and checkpoints have. */
static void
add_weight (SondePt2Lowering *self, const char *name, const char *full_name)
{
  GError *error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;

  tensor = sonde_pt2_archive_read_tensor (self->archive, full_name, &error);
  if (tensor == NULL)
    sonde_lowering_take_error (self->out, error);
  else
    g_hash_table_insert (self->values, (gpointer) name,
                         sonde_lowering_constant (self->out, full_name, tensor));
}

/* The kinds of an input specification that are weights, with the member that has their name. */
static const struct
{
  const char *kind, *member;
} weight_kinds[] = {
  { "parameter", "parameter_name" },
  { "buffer", "buffer_name" },
  { "tensor_constant", "tensor_constant_name" },
};

static void
add_specified (SondePt2Lowering *self, JsonObject *spec)
{
  JsonObject *input = sonde_json_member_object (spec, "user_input");

  if (input != NULL && argument_name (input) != NULL)
    {
      add_input (self, argument_name (input));
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (weight_kinds); i++)
    {
      JsonObject *weight = sonde_json_member_object (spec, weight_kinds[i].kind);
      const char *full_name = sonde_json_member_text (weight, weight_kinds[i].member);

      if (weight != NULL && argument_name (weight) != NULL && full_name != NULL)
        add_weight (self, argument_name (weight), full_name);
    }
  if (json_object_has_member (spec, "custom_obj"))
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_UNSUPPORTED,
                         "it takes an object that is pickled, which is never read");
}

static void
add_inputs (SondePt2Lowering *self, JsonObject *signature)
{
  JsonArray *specs = sonde_json_member_array (signature, "input_specs");

  for (guint i = 0; i < sonde_json_member_count (specs); i++)
    if (sonde_json_member_element (specs, i) != NULL && !sonde_lowering_has_failed (self->out))
      add_specified (self, sonde_json_member_element (specs, i));
}

static void
add_outputs (SondePt2Lowering *self, JsonObject *signature)
{
  JsonArray *specs = sonde_json_member_array (signature, "output_specs");

  for (guint i = 0; i < sonde_json_member_count (specs); i++)
    {
      JsonObject *output
          = sonde_json_member_object (sonde_json_member_element (specs, i), "user_output");
      const char *name = output != NULL ? argument_name (output) : NULL;
      SondeGraphValue *value = name != NULL ? g_hash_table_lookup (self->values, name) : NULL;

      if (name != NULL && value == NULL)
        sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "no node makes the output “%s”",
                             name);
      else if (value != NULL)
        sonde_lowering_add_output (self->out, value, name);
    }
}

static void
describe (SondePt2Lowering *self, JsonObject *program)
{
  SondeConversion *conversion = sonde_lowering_get_conversion (self->out);
  GPtrArray *programs = sonde_pt2_archive_list_programs (self->archive);
  const char *version = sonde_json_member_text (program, "torch_version");
  JsonObject *schema = sonde_json_member_object (program, "schema_version");

  conversion->format_version
      = g_strdup_printf ("%" PRId64 ".%" PRId64, sonde_json_member_int (schema, "major", 0),
                         sonde_json_member_int (schema, "minor", 0));
  conversion->producer = version != NULL ? g_strdup_printf ("PyTorch %s", version) : NULL;
  conversion->signature = g_strdup (sonde_pt2_archive_get_name (self->archive));
  for (guint i = 0; i < programs->len; i++)
    g_ptr_array_add (conversion->signatures, g_strdup (programs->pdata[i]));
}

static void
lower_program (SondePt2Lowering *self)
{
  JsonObject *program = sonde_pt2_archive_get_program (self->archive);
  JsonObject *module = sonde_json_member_object (program, "graph_module");
  JsonObject *graph = sonde_json_member_object (module, "graph");
  JsonObject *signature = sonde_json_member_object (module, "signature");

  describe (self, program);
  self->metas = sonde_json_member_object (graph, "tensor_values");
  if (graph == NULL || signature == NULL || self->metas == NULL)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "the program has no graph, signature or values");
      return;
    }
  add_inputs (self, signature);
  lower_nodes (self, graph);
  if (!sonde_lowering_has_failed (self->out))
    add_outputs (self, signature);
}

void
sonde_pt2_read (SondeLowering *lowering, const SondeIo *io, const char *path)
{
  GError *error = NULL;
  g_autoptr (SondePt2Archive) archive
      = sonde_pt2_archive_open (io, path, sonde_lowering_get_options (lowering)->signature, &error);
  SondePt2Lowering self = { .out = lowering, .archive = archive, .lower_nodes = lower_nodes };

  if (archive == NULL)
    {
      sonde_lowering_take_error (lowering, error);
      return;
    }
  self.values = g_hash_table_new (g_str_hash, g_str_equal);
  self.arguments = g_hash_table_new (g_str_hash, g_str_equal);
  self.kinds = g_hash_table_new (g_str_hash, g_str_equal);
  lower_program (&self);
  g_hash_table_unref (self.values);
  g_hash_table_unref (self.arguments);
  g_hash_table_unref (self.kinds);
}
