/* SPDX-License-Identifier: Apache-2.0
 * Operators that take graphs: cond, while_loop, map, scan. Their arguments have no names; a graph sees
 * its inputs alone, which are the operands in order. */
#include "data/models/pt2/sonde-pt2-control.h"

#include <string.h>

#define HIGHER_ORDER "torch.ops.higher_order."

/**
 * Body: a graph while its nodes are lowered, and what it stands in
 * @values, @metas, @prefix, @node, …: of the enclosing graph
 */
typedef struct
{
  GHashTable *values, *arguments, *kinds;
  JsonObject *metas, *node;
  char *prefix;
  const char *op;
} Body;

/* ---- arguments by their place -------------------------------------------- */

static JsonObject *
get_argument (SondePt2Lowering *self, guint index)
{
  return sonde_json_member_object (
      sonde_json_member_element (sonde_json_member_array (self->node, "inputs"), index), "arg");
}

/* (nullable): a graph; else the lowering has failed. @name: (out): its name */
static JsonObject *
get_graph (SondePt2Lowering *self, guint index, const char **name)
{
  JsonObject *member = sonde_json_member_object (get_argument (self, index), "as_graph");
  JsonObject *graph = sonde_json_member_object (member, "graph");

  *name = sonde_json_member_text (member, "name");
  if (graph == NULL || *name == NULL)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "argument %u is no graph", index);
  return *name != NULL ? graph : NULL;
}

static SondeGraphValue *
find_value (SondePt2Lowering *self, JsonObject *argument)
{
  JsonObject *tensor = sonde_json_member_object (argument, "as_tensor");
  const char *name = sonde_json_member_text (tensor != NULL ? tensor : argument, "name");
  SondeGraphValue *value = name != NULL ? g_hash_table_lookup (self->values, name) : NULL;

  if (value == NULL)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "no node before it makes “%s”",
                         name != NULL ? name : "");
  return value;
}

/* Adds the tensors of a list. */
static void
add_tensors (SondePt2Lowering *self, guint index, GPtrArray *values)
{
  JsonArray *list = sonde_json_member_array (get_argument (self, index), "as_tensors");

  for (guint i = 0; i < sonde_json_member_count (list) && !sonde_lowering_has_failed (self->out);
       i++)
    g_ptr_array_add (values, find_value (self, sonde_json_member_element (list, i)));
}

/* ---- graphs -------------------------------------------------------------- */

/* The names of the nodes and values of a graph begin with those of the operator and of the graph: each
 * program counts its own from the start. */
static void
enter (SondePt2Lowering *self, Body *outer, JsonObject *graph, const char *name)
{
  const char *node = sonde_json_member_text (self->node, "name");

  *outer = (Body){ self->values, self->arguments, self->kinds, self->metas,
                   self->node,   self->prefix,    self->op };
  self->values = g_hash_table_new (g_str_hash, g_str_equal);
  self->arguments = g_hash_table_new (g_str_hash, g_str_equal);
  self->kinds = g_hash_table_new (g_str_hash, g_str_equal);
  self->metas = sonde_json_member_object (graph, "tensor_values");
  self->prefix = g_strdup_printf ("%s%s.%s.", outer->prefix != NULL ? outer->prefix : "",
                                  node != NULL ? node : "graph", name);
}

static void
leave (SondePt2Lowering *self, const Body *outer)
{
  g_hash_table_unref (self->values);
  g_hash_table_unref (self->arguments);
  g_hash_table_unref (self->kinds);
  g_free (self->prefix);
  self->values = outer->values;
  self->arguments = outer->arguments;
  self->kinds = outer->kinds;
  self->metas = outer->metas;
  self->node = outer->node;
  self->prefix = outer->prefix;
  self->op = outer->op;
}

/* Lowers @graph into the current graph. (transfer container) (element-type SondeGraphValue): its
 * outputs */
static GPtrArray *
lower_graph (SondePt2Lowering *self, JsonObject *graph, const char *name,
             SondeGraphValue *const *operands, guint n)
{
  JsonArray *inputs = sonde_json_member_array (graph, "inputs");
  JsonArray *outputs = sonde_json_member_array (graph, "outputs");
  GPtrArray *results = g_ptr_array_new ();
  Body outer;

  if (sonde_json_member_count (inputs) != n)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "graph “%s” has %u inputs, but %u are given", name,
                           sonde_json_member_count (inputs), n);
      return results;
    }
  enter (self, &outer, graph, name);
  for (guint i = 0; i < n; i++)
    {
      JsonObject *tensor
          = sonde_json_member_object (sonde_json_member_element (inputs, i), "as_tensor");
      const char *input = sonde_json_member_text (tensor, "name");

      if (input != NULL)
        g_hash_table_insert (self->values, (gpointer) input, operands[i]);
    }
  self->lower_nodes (self, graph);
  for (guint i = 0; i < sonde_json_member_count (outputs) && !sonde_lowering_has_failed (self->out);
       i++)
    g_ptr_array_add (results, find_value (self, sonde_json_member_element (outputs, i)));
  leave (self, &outer);
  return results;
}

/* An output of a body is made in it, and stands for one output alone. */
static void
add_result (SondePt2Lowering *self, SondeGraphValue *value, const char *name)
{
  if (!sonde_lowering_has_failed (self->out))
    sonde_lowering_add_output (self->out, value, name);
}

static void
add_results (SondePt2Lowering *self, const GPtrArray *results, const char *graph)
{
  const char *node = sonde_json_member_text (self->node, "name");

  for (guint i = 0; i < results->len; i++)
    {
      g_autofree char *name
          = g_strdup_printf ("%s%s.%s.output_%u", self->prefix != NULL ? self->prefix : "",
                             node != NULL ? node : "graph", graph, i);

      add_result (self, results->pdata[i], name);
    }
}

static void
set_outputs (SondePt2Lowering *self, const SondeNode *node)
{
  for (guint i = 0; i < sonde_pt2_count_outputs (self) && i < node->outputs->len; i++)
    sonde_pt2_set_out (self, i, sonde_node_get_output (node, i));
}

/* ---- cond ---------------------------------------------------------------- */

static SondeGraph *
build_branch (SondePt2Lowering *self, JsonObject *graph, const char *name,
              const GPtrArray *operands)
{
  g_autoptr (GPtrArray) results = NULL;

  sonde_lowering_push_graph (self->out, name);
  results
      = lower_graph (self, graph, name, (SondeGraphValue *const *) operands->pdata, operands->len);
  add_results (self, results, name);
  return sonde_lowering_pop_graph (self->out);
}

static void
lower_cond (SondePt2Lowering *self)
{
  static const char *const attributes[] = { "then_branch", "else_branch" };
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();
  SondeGraphValue *condition = find_value (self, get_argument (self, 0));
  JsonObject *graphs[2];
  const char *names[2];
  SondeNode *node;

  for (guint i = 0; i < 2; i++)
    graphs[i] = get_graph (self, i + 1, &names[i]);
  add_tensors (self, 3, operands);
  if (sonde_lowering_has_failed (self->out))
    return;
  if (condition->type.rank > 0)
    condition = sonde_lowering_reshape (self->out, condition, NULL, 0);
  node = sonde_lowering_node (self->out, "", "If", SONDE_VALUES (condition),
                              sonde_pt2_count_outputs (self));
  for (guint i = 0; i < 2; i++)
    sonde_node_take_graph (node, attributes[i], build_branch (self, graphs[i], names[i], operands));
  set_outputs (self, node);
}

/* ---- while_loop ---------------------------------------------------------- */

/* Inputs of a body of Loop: the number of the round and the condition, then @n values as @like. Those are
 * added to @values. */
static void
add_loop_inputs (SondePt2Lowering *self, const char *name, SondeGraphValue *const *like, guint n,
                 GPtrArray *values)
{
  const SondeType number = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_I64 };
  const SondeType truth = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_BOOL };
  g_autofree char *round = g_strconcat (name, ".round", NULL);
  g_autofree char *going = g_strconcat (name, ".going", NULL);

  sonde_lowering_add_input (self->out, round, &number);
  sonde_lowering_add_input (self->out, going, &truth);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *input = g_strdup_printf ("%s.input_%u", name, i);

      g_ptr_array_add (values, sonde_lowering_add_input (self->out, input, &like[i]->type));
    }
}

/* The condition of @values, carried and then fixed: a scalar of truth. */
static SondeGraphValue *
ask (SondePt2Lowering *self, JsonObject *graph, const char *name, const GPtrArray *values)
{
  g_autoptr (GPtrArray) results
      = lower_graph (self, graph, name, (SondeGraphValue *const *) values->pdata, values->len);

  if (results->len != 1 && !sonde_lowering_has_failed (self->out))
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "graph “%s” gives %u values", name,
                         results->len);
  if (sonde_lowering_has_failed (self->out))
    return sonde_lowering_number (self->out, SONDE_DTYPE_BOOL, 0);
  return sonde_lowering_reshape (self->out, results->pdata[0], NULL, 0);
}

static SondeGraph *
build_loop_body (SondePt2Lowering *self, JsonObject *const *graphs, const char *const *names,
                 const GPtrArray *operands, guint n_carried)
{
  const char *node = sonde_json_member_text (self->node, "name");
  g_autofree char *label = g_strdup_printf ("%s%s", self->prefix != NULL ? self->prefix : "",
                                            node != NULL ? node : "while_loop");
  g_autofree char *again = g_strconcat (label, ".again", NULL);
  g_autofree char *next = g_strconcat (names[0], "_next", NULL);
  g_autoptr (GPtrArray) values = g_ptr_array_new (), results = NULL;
  SondeGraphValue *going;

  sonde_lowering_push_graph (self->out, names[1]);
  add_loop_inputs (self, label, (SondeGraphValue *const *) operands->pdata, n_carried, values);
  for (guint i = n_carried; i < operands->len; i++)
    g_ptr_array_add (values, operands->pdata[i]);
  results = lower_graph (self, graphs[1], names[1], (SondeGraphValue *const *) values->pdata,
                         values->len);
  if (results->len != n_carried && !sonde_lowering_has_failed (self->out))
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "graph “%s” gives %u values, but %u are carried", names[1], results->len,
                         n_carried);
  for (guint i = 0; i < n_carried && i < results->len; i++)
    values->pdata[i] = results->pdata[i];
  going = ask (self, graphs[0], next, values);
  add_result (self, going, again);
  add_results (self, results, names[1]);
  return sonde_lowering_pop_graph (self->out);
}

static void
lower_while (SondePt2Lowering *self)
{
  g_autoptr (GPtrArray) operands = g_ptr_array_new (), inputs = g_ptr_array_new ();
  JsonObject *graphs[2];
  const char *names[2];
  SondeNode *node;
  guint n_carried;

  for (guint i = 0; i < 2; i++)
    graphs[i] = get_graph (self, i, &names[i]);
  add_tensors (self, 2, operands);
  n_carried = operands->len;
  add_tensors (self, 3, operands);
  if (sonde_lowering_has_failed (self->out))
    return;
  g_ptr_array_add (inputs, NULL);
  g_ptr_array_add (inputs, ask (self, graphs[0], names[0], operands));
  for (guint i = 0; i < n_carried; i++)
    g_ptr_array_add (inputs, operands->pdata[i]);
  node = sonde_lowering_node (self->out, "", "Loop", (SondeGraphValue *const *) inputs->pdata,
                              inputs->len, n_carried);
  sonde_node_take_graph (node, "body", build_loop_body (self, graphs, names, operands, n_carried));
  set_outputs (self, node);
}

/* ---- map, scan ----------------------------------------------------------- */

/* @value less its first dimension. */
static SondeType
type_of_part (const SondeGraphValue *value)
{
  SondeType type = value->type;

  if (type.rank > 0)
    {
      type.rank--;
      memmove (type.dims, type.dims + 1, (gsize) type.rank * sizeof *type.dims);
    }
  return type;
}

/* Inputs of the body: @n_states values, parts of those that are scanned; what is fixed is seen. */
static SondeGraph *
build_scan_body (SondePt2Lowering *self, JsonObject *graph, const char *name,
                 const GPtrArray *operands, guint n_states, guint n_scanned)
{
  const char *node = sonde_json_member_text (self->node, "name");
  g_autoptr (GPtrArray) values = g_ptr_array_new (), results = NULL;

  sonde_lowering_push_graph (self->out, name);
  for (guint i = 0; i < operands->len; i++)
    {
      SondeGraphValue *value = operands->pdata[i];
      const SondeType type = i < n_states ? value->type : type_of_part (value);
      g_autofree char *input = g_strdup_printf (
          "%s%s.input_%u", self->prefix != NULL ? self->prefix : "", node != NULL ? node : name, i);

      if (i < n_states + n_scanned)
        value = sonde_lowering_add_input (self->out, input, &type);
      g_ptr_array_add (values, value);
    }
  results = lower_graph (self, graph, name, (SondeGraphValue *const *) values->pdata, values->len);
  add_results (self, results, name);
  return sonde_lowering_pop_graph (self->out);
}

/* map (graph, scanned, fixed); scan (graph, states, scanned, fixed) */
static void
lower_scan (SondePt2Lowering *self, gboolean has_states)
{
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();
  const char *name;
  JsonObject *graph = get_graph (self, 0, &name);
  guint n_states = 0, n_scanned, next = 1;
  SondeNode *node;

  if (has_states)
    add_tensors (self, next++, operands);
  n_states = operands->len;
  add_tensors (self, next++, operands);
  n_scanned = operands->len - n_states;
  add_tensors (self, next, operands);
  if (graph == NULL || sonde_lowering_has_failed (self->out))
    return;
  if (n_scanned == 0)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "it goes over no tensor");
      return;
    }
  node = sonde_lowering_node (self->out, "", "Scan", (SondeGraphValue *const *) operands->pdata,
                              n_states + n_scanned, sonde_pt2_count_outputs (self));
  sonde_node_set_int (node, "num_scan_inputs", n_scanned);
  sonde_node_take_graph (node, "body",
                         build_scan_body (self, graph, name, operands, n_states, n_scanned));
  set_outputs (self, node);
}

/* ---- which --------------------------------------------------------------- */

#define MOST_DEPTH 16 /* of graphs in each other */

gboolean
sonde_pt2_lower_control (SondePt2Lowering *self, const char *target)
{
  if (!g_str_has_prefix (target, HIGHER_ORDER))
    return FALSE;
  target += strlen (HIGHER_ORDER);
  if (strcmp (target, "cond") != 0 && strcmp (target, "while_loop") != 0
      && strcmp (target, "map_impl") != 0 && strcmp (target, "scan") != 0)
    return FALSE;
  if (++self->depth > MOST_DEPTH)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_LIMIT,
                         "graphs lie inside each other more than %d times", MOST_DEPTH);
  else if (strcmp (target, "cond") == 0)
    lower_cond (self);
  else if (strcmp (target, "while_loop") == 0)
    lower_while (self);
  else
    lower_scan (self, strcmp (target, "scan") == 0);
  self->depth--;
  return TRUE;
}
