/* SPDX-License-Identifier: Apache-2.0
 * Nets with bodies, built by hand. */
#include "tests/engine/debug/nested-net.h"

#include "engine/ops/sonde-build.h"

static SondeType
scalar_type (SondeDtype dtype)
{
  SondeShape scalar = sonde_shape_scalar ();

  return sonde_type_tensor (dtype, &scalar);
}

static SondeGraphValue *
number (SondeGraph *graph, const char *name, double value, SondeDtype dtype)
{
  SondeShape scalar = sonde_shape_scalar ();
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtype, &scalar);

  sonde_tensor_set_double (tensor, 0, value);
  return sonde_graph_add_initialiser (graph, name, tensor, SONDE_ROLE_CONSTANT);
}

static SondeGraphValue *
add (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };
  SondeGraphValue *value = sonde_build_op (graph, name, "", op, b != NULL ? 2 : 1, inputs);
  g_autofree char *made = g_strconcat ("v_", name, NULL);

  sonde_graph_rename_value (graph, value, made);
  return value;
}

static SondeGraphValue *
add_loop (SondeGraph *graph, const char *name, SondeGraphValue *trips, SondeGraphValue *initial,
          SondeGraph *body)
{
  SondeGraphValue *inputs[] = { trips, NULL, initial };
  SondeNode *node = sonde_graph_add_node (graph, name, "", "Loop", inputs, 3, 1);
  g_autofree char *made = g_strconcat ("v_", name, NULL);

  sonde_node_take_graph (node, "body", body);
  sonde_graph_rename_value (graph, sonde_node_get_output (node, 0), made);
  return sonde_node_get_output (node, 0);
}

/* A Loop's body of inputs @prefix_i, @prefix_c, @prefix_y. */
static SondeGraph *
loop_body (SondeGraph *graph, const char *prefix, SondeGraphValue **i, SondeGraphValue **y)
{
  SondeGraph *body = sonde_graph_new_subgraph (graph, prefix);
  SondeType integer = scalar_type (SONDE_DTYPE_I64), truth = scalar_type (SONDE_DTYPE_BOOL);
  SondeType single = scalar_type (SONDE_DTYPE_F32);
  g_autofree char *names[] = { g_strconcat (prefix, "_i", NULL), g_strconcat (prefix, "_c", NULL),
                               g_strconcat (prefix, "_y", NULL) };

  *i = sonde_graph_add_input (body, names[0], &integer);
  sonde_graph_add_output (body, sonde_graph_add_input (body, names[1], &truth));
  *y = sonde_graph_add_input (body, names[2], &single);
  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    g_free (g_steal_pointer (&names[k]));
  return body;
}

/* first; outer { twice; inner { cast, mul, add }; after }; rest */
static SondeGraph *
make_loops (void)
{
  SondeGraph *graph = sonde_graph_new ("loops"), *outer, *inner;
  SondeType single = scalar_type (SONDE_DTYPE_F32);
  SondeGraphValue *x, *y, *i, *two, *u, *v;

  sonde_graph_set_opset (graph, "", 21);
  x = sonde_graph_add_input (graph, "x", &single);
  number (graph, "two", 2, SONDE_DTYPE_F32);
  number (graph, "n_inner", 2, SONDE_DTYPE_I64);
  y = add (graph, "first", "Neg", x, NULL);
  outer = loop_body (graph, "o", &i, &u);
  u = add (outer, "twice", "Add", u, u);
  inner = loop_body (outer, "n", &i, &v);
  two = sonde_graph_capture_value (inner, "two");
  i = add (inner, "cast", "Cast", i, NULL);
  sonde_node_set_int (i->producer, "to", 1);
  v = add (inner, "mul", "Mul", v, two);
  v = add (inner, "add", "Add", v, i);
  sonde_graph_add_output (inner, v);
  u = add_loop (outer, "inner", sonde_graph_capture_value (outer, "n_inner"), u, inner);
  u = add (outer, "after", "Sin", u, NULL);
  sonde_graph_add_output (outer, u);
  y = add_loop (graph, "outer", number (graph, "n_outer", 3, SONDE_DTYPE_I64), y, outer);
  y = add (graph, "rest", "Abs", y, NULL);
  sonde_graph_add_output (graph, y);
  return graph;
}

static SondeGraph *
branch (SondeGraph *scan, const char *name, const char *op)
{
  SondeGraph *body = sonde_graph_new_subgraph (scan, name);

  sonde_graph_add_output (body,
                          add (body, name, op, sonde_graph_capture_value (body, "v_sum"), NULL));
  return body;
}

/* scan { sum; less; if { low: Neg | high: Sqrt } }; rest */
static SondeGraph *
make_scan (void)
{
  SondeGraph *graph = sonde_graph_new ("scan"), *body;
  SondeShape four = sonde_shape_make (1, 4);
  SondeType single = scalar_type (SONDE_DTYPE_F32),
            rows = sonde_type_tensor (SONDE_DTYPE_F32, &four);
  SondeGraphValue *inputs[2], *state, *row, *sum, *less;
  SondeNode *node;

  sonde_graph_set_opset (graph, "", 21);
  inputs[1] = sonde_graph_add_input (graph, "rows", &rows);
  inputs[0] = number (graph, "start", -1.5, SONDE_DTYPE_F32);
  number (graph, "zero", 0, SONDE_DTYPE_F32);
  body = sonde_graph_new_subgraph (graph, "body");
  state = sonde_graph_add_input (body, "state", &single);
  row = sonde_graph_add_input (body, "row", &single);
  sum = add (body, "sum", "Add", state, row);
  less = add (body, "less", "Less", sum, sonde_graph_capture_value (body, "zero"));
  node = sonde_graph_add_node (body, "choose", "", "If", &less, 1, 1);
  sonde_node_take_graph (node, "then_branch", branch (body, "low", "Neg"));
  sonde_node_take_graph (node, "else_branch", branch (body, "high", "Sqrt"));
  sonde_graph_rename_value (body, sonde_node_get_output (node, 0), "v_choose");
  sonde_graph_add_output (body, sum);
  sonde_graph_add_output (body, sonde_node_get_output (node, 0));
  node = sonde_graph_add_node (graph, "scan", "", "Scan", inputs, 2, 2);
  sonde_node_set_int (node, "num_scan_inputs", 1);
  sonde_node_take_graph (node, "body", body);
  sonde_graph_rename_value (graph, sonde_node_get_output (node, 1), "v_scan");
  sonde_graph_add_output (graph, add (graph, "rest", "Abs", sonde_node_get_output (node, 1), NULL));
  return graph;
}

/* fails { reshape: x as i by i, which goes for i = 1 only; sums } */
static SondeGraph *
make_fails (void)
{
  SondeGraph *graph = sonde_graph_new ("fails"), *body;
  SondeType single = scalar_type (SONDE_DTYPE_F32);
  SondeGraphValue *x, *y, *i, *ones[2], *shape, *axes;

  sonde_graph_set_opset (graph, "", 21);
  x = add (graph, "first", "Neg", sonde_graph_add_input (graph, "x", &single), NULL);
  number (graph, "one", 1, SONDE_DTYPE_I64);
  body = loop_body (graph, "l", &i, &y);
  ones[0] = ones[1] = add (body, "count", "Add", i, sonde_graph_capture_value (body, "one"));
  axes = sonde_build_ints (body, (gint64[]){ 0 }, 1);
  ones[0] = add (body, "unsqueeze", "Unsqueeze", ones[0], axes);
  ones[1] = ones[0];
  shape = sonde_build_op (body, "concat", "", "Concat", 2, ones);
  sonde_node_set_int (shape->producer, "axis", 0);
  y = add (body, "reshape", "Reshape", y, shape);
  y = add (body, "total", "ReduceSum", y, NULL);
  sonde_node_set_int (y->producer, "keepdims", 0);
  sonde_graph_add_output (body, y);
  sonde_graph_add_output (
      graph, add_loop (graph, "loop", number (graph, "n", 3, SONDE_DTYPE_I64), x, body));
  return graph;
}

/* enc/loop { enc/one; enc/inner/two; enc/inner/three }; head */
static SondeGraph *
make_scopes (void)
{
  SondeGraph *graph = sonde_graph_new ("scopes"), *body;
  SondeType single = scalar_type (SONDE_DTYPE_F32);
  SondeGraphValue *x, *y, *i;

  sonde_graph_set_opset (graph, "", 21);
  x = sonde_graph_add_input (graph, "x", &single);
  body = loop_body (graph, "l", &i, &y);
  y = add (body, "enc/one", "Neg", y, NULL);
  y = add (body, "enc/inner/two", "Sin", y, NULL);
  y = add (body, "enc/inner/three", "Abs", y, NULL);
  sonde_graph_add_output (body, y);
  y = add_loop (graph, "enc/loop", number (graph, "n", 2, SONDE_DTYPE_I64), x, body);
  sonde_graph_add_output (graph, add (graph, "head", "Abs", y, NULL));
  return graph;
}

/* softmax; mul; sqrt; neg; exp; sum: some run together on the CPU */
static SondeGraph *
make_chain (void)
{
  SondeGraph *graph = sonde_graph_new ("chain");
  SondeShape shape = sonde_shape_make (2, 8, 16);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *y;

  sonde_graph_set_opset (graph, "", 21);
  y = sonde_graph_add_input (graph, "m", &type);
  y = add (graph, "softmax", "Softmax", y, NULL);
  y = add (graph, "mul", "Mul", y, number (graph, "two", 2, SONDE_DTYPE_F32));
  y = add (graph, "sqrt", "Sqrt", y, NULL);
  y = add (graph, "neg", "Neg", y, NULL);
  y = add (graph, "exp", "Exp", y, NULL);
  y = add (graph, "sum", "ReduceSum", y, NULL);
  sonde_graph_add_output (graph, y);
  return graph;
}

/* ---- one run ------------------------------------------------------------- */

static const char *const loops_names[] = { "first", "twice", "inner",  "cast", "v_mul", "add",
                                           "after", "rest",  "op:Add", "v_a*", "outer", NULL };
static const char *const scan_names[]
    = { "scan", "sum", "v_less", "choose", "low", "high", "rest", "op:Sqrt", NULL };

SondeGraph *
nested_net_make (const char *which)
{
  if (g_str_equal (which, "scan"))
    return make_scan ();
  if (g_str_equal (which, "chain") || g_str_equal (which, "fused"))
    return make_chain ();
  if (g_str_equal (which, "scopes"))
    return make_scopes ();
  return g_str_equal (which, "fails") ? make_fails () : make_loops ();
}

void
nested_net_set_inputs (SondeExecution *execution)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  const char *name = ((SondeGraphValue *) g_ptr_array_index (graph->inputs, 0))->name;
  SondeShape matrix = sonde_shape_make (2, 8, 16);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape four = sonde_shape_make (1, 4);
  const float rows[] = { 0.5f, 2.25f, -3.f, 4.f };

  if (g_str_equal (name, "rows"))
    tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &four, rows);
  else if (g_str_equal (name, "m"))
    tensor = sonde_tensor_new (SONDE_DTYPE_F32, &matrix);
  else
    tensor = sonde_tensor_new_f32 (0.75f);
  sonde_execution_set_input (execution, name, tensor, &error);
  g_assert_no_error (error);
}

void
nested_net_init (NestedNet *net, const char *which)
{
  gboolean fused = g_str_equal (which, "fused");
  const SondePlanOptions options
      = { .memory = fused ? SONDE_MEMORY_PLAN : SONDE_MEMORY_KEEP, .no_fusion = !fused };
  g_autoptr (GError) error = NULL;

  net->names = g_str_equal (which, "scan") ? scan_names : loops_names;
  net->original = nested_net_make (which);
  net->graph = sonde_prepare_inference (net->original, &error);
  g_assert_no_error (error);
  net->device = sonde_device_open (fused ? "cpu" : "reference", 1, &error);
  g_assert_no_error (error);
  net->plan = sonde_plan_new (net->graph, net->device, &options, &error);
  g_assert_no_error (error);
  net->execution = sonde_execution_new (net->plan, &error);
  g_assert_no_error (error);
  nested_net_set_inputs (net->execution);
  net->debugger = sonde_debugger_new (net->original);
  sonde_debugger_attach_execution (net->debugger, net->execution);
}

void
nested_net_clear (NestedNet *net)
{
  sonde_debugger_free (net->debugger);
  sonde_execution_free (net->execution);
  sonde_plan_unref (net->plan);
  sonde_device_unref (net->device);
  sonde_graph_unref (net->graph);
  sonde_graph_unref (net->original);
}

SondeRunResult
nested_net_resume (NestedNet *net, SondeResumeKind kind, guint64 count, const char *target,
                   GError **error)
{
  const SondeResume how = { .kind = kind, .count = count, .target = target };
  g_autoptr (GError) unexpected = NULL;
  SondeRunResult result;

  sonde_debugger_resume (net->debugger, &how, &unexpected);
  g_assert_no_error (unexpected);
  if (sonde_debugger_has_stopped (net->debugger))
    return SONDE_RUN_PAUSED;
  result = sonde_execution_run (net->execution, error != NULL ? error : &unexpected);
  g_assert_no_error (unexpected);
  if (result == SONDE_RUN_DONE)
    sonde_debugger_run_is_over (net->debugger);
  else if (result == SONDE_RUN_FAILED)
    sonde_debugger_run_failed (net->debugger);
  return result;
}
