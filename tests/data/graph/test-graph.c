/* SPDX-License-Identifier: Apache-2.0
 * Building and rewriting graphs: names, users, captures, copies, attributes, types, provenance. */
#include "tests/data/graph/check-graph.h"

#include "data/base/sonde-error.h"

static SondeType
float_type (int rank, int a, int b)
{
  SondeShape shape = sonde_shape_make (rank, a, b);

  return sonde_type_tensor (SONDE_DTYPE_F32, &shape);
}

static SondeNode *
add1 (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *input)
{
  return sonde_graph_add_node (graph, name, "", op, &input, 1, 1);
}

static SondeNode *
add2 (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };

  return sonde_graph_add_node (graph, name, "", op, inputs, 2, 1);
}

static SondeGraphValue *
out (SondeNode *node)
{
  return sonde_node_get_output (node, 0);
}

static void
test_build (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
  SondeType type = float_type (2, 2, 3);
  g_autoptr (SondeTensor) weights = sonde_tensor_new_f32 (2);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type);
  SondeGraphValue *w = sonde_graph_add_initialiser (graph, "w", weights, SONDE_ROLE_PARAMETER);
  SondeNode *mul = NULL, *add = NULL;

  sonde_graph_set_opset (graph, "ai.onnx", 17);
  mul = add2 (graph, "scale", "Mul", x, w);
  add = add2 (graph, NULL, "Add", out (mul), out (mul));
  sonde_graph_add_output (graph, out (add));

  check_graph (graph);
  g_assert_cmpint (x->role, ==, SONDE_ROLE_INPUT);
  g_assert_cmpint (w->role, ==, SONDE_ROLE_PARAMETER);
  g_assert_true (sonde_value_get_tensor (w->constant) == weights);
  g_assert_cmpint (w->type.rank, ==, 0);
  g_assert_cmpint (mul->version, ==, 17);
  g_assert_cmpstr (add->name, ==, "Add");
  g_assert_cmpstr (out (add)->name, ==, "Add_output_0");
  g_assert_cmpuint (out (mul)->users->len, ==, 2);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 2);
  g_assert_true (sonde_graph_resolve_node (graph, "Add_output_0") == add);
  g_assert_true (sonde_graph_resolve_node (graph, "scale") == mul);
  g_assert_null (sonde_graph_resolve_node (graph, "x"));
  g_assert_null (sonde_graph_resolve_node (graph, "nothing"));
}

static void
test_names (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeGraphValue *again = sonde_graph_add_value (graph, "x", NULL);
  SondeGraphValue *unnamed = sonde_graph_add_value (graph, NULL, NULL);
  SondeGraphValue *empty = sonde_graph_add_value (graph, "", NULL);
  SondeNode *a = add1 (graph, NULL, "Relu", x), *b = add1 (graph, NULL, "Relu", x);

  g_assert_cmpstr (again->name, ==, "x_1");
  g_assert_cmpstr (unnamed->name, ==, "value");
  g_assert_cmpstr (empty->name, ==, "value_1");
  g_assert_cmpstr (a->name, ==, "Relu");
  g_assert_cmpstr (b->name, ==, "Relu_1");

  g_assert_false (sonde_graph_rename_value (graph, x, "x_1"));
  g_assert_false (sonde_graph_rename_value (graph, x, ""));
  g_assert_true (sonde_graph_rename_value (graph, x, "x"));
  g_assert_true (sonde_graph_rename_value (graph, x, "image"));
  g_assert_null (sonde_graph_find_value (graph, "x"));
  g_assert_false (sonde_graph_rename_node (graph, a, "Relu_1"));
  g_assert_true (sonde_graph_rename_node (graph, a, "first"));
  g_assert_true (sonde_graph_find_node (graph, "first") == a);
  check_graph (graph);
}

static void
test_names_many (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeGraphValue *last = NULL;

  for (int i = 0; i < 50000; i++)
    last = sonde_graph_add_value (graph, "v", NULL);
  g_assert_cmpstr (last->name, ==, "v_49999");
}

static void
test_inputs (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeGraphValue *y = sonde_graph_add_input (graph, "y", NULL);
  SondeNode *node = add2 (graph, "n", "Concat", x, x);

  sonde_node_set_input (graph, node, 1, y);
  check_graph (graph);
  g_assert_cmpuint (x->users->len, ==, 1);
  sonde_node_set_input (graph, node, 4, x);
  check_graph (graph);
  g_assert_cmpuint (node->inputs->len, ==, 5);
  g_assert_null (sonde_node_get_input (node, 2));
  g_assert_null (sonde_node_get_input (node, 99));
  sonde_node_set_input (graph, node, 0, NULL);
  check_graph (graph);
  g_assert_cmpuint (x->users->len, ==, 1);

  sonde_node_set_output (graph, node, 2, sonde_graph_add_value (graph, "extra", NULL));
  check_graph (graph);
  g_assert_cmpuint (node->outputs->len, ==, 3);
  g_assert_null (sonde_node_get_output (node, 1));
  sonde_node_set_output (graph, node, 2, NULL);
  g_assert_null (sonde_graph_find_value (graph, "extra")->producer);
}

/* then-branch reads x and y of the parent, and holds a further graph that reads x. */
static SondeNode *
add_branching (SondeGraph *graph, SondeGraphValue *condition)
{
  SondeNode *node = add1 (graph, "branch", "If", condition);
  SondeGraph *outer = sonde_graph_new_subgraph (graph, "then");
  SondeNode *nested = NULL;
  SondeGraph *inner = NULL;

  sonde_node_take_graph (node, "then_branch", outer);
  nested = add1 (outer, "nested", "If", sonde_graph_capture_value (outer, "y"));
  inner = sonde_graph_new_subgraph (outer, "inner");
  sonde_node_take_graph (nested, "then_branch", inner);
  sonde_graph_add_output (
      inner, out (add1 (inner, "relu", "Relu", sonde_graph_capture_value (inner, "x"))));
  sonde_graph_add_output (outer, out (nested));
  return node;
}

static void
test_captures (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeGraphValue *y = sonde_graph_add_input (graph, "y", NULL);
  SondeNode *branch = add_branching (graph, y);
  SondeGraph *outer = sonde_node_get_graph (branch, "then_branch");
  SondeGraph *inner = sonde_node_get_graph (sonde_graph_find_node (outer, "nested"), "then_branch");
  SondeGraphValue *z = NULL;

  check_graph (graph);
  g_assert_null (sonde_graph_capture_value (inner, "nothing"));
  g_assert_cmpuint (x->captures->len, ==, 1);
  g_assert_true (sonde_graph_find_value (inner, "x")->outer == sonde_graph_find_value (outer, "x"));
  g_assert_true (sonde_graph_capture_value (inner, "x") == sonde_graph_find_value (inner, "x"));

  z = sonde_graph_add_input (graph, "z", NULL);
  sonde_graph_replace_value (graph, x, z);
  check_graph (graph);
  g_assert_true (sonde_graph_find_value (outer, "x")->outer == z);
  g_assert_cmpuint (x->captures->len, ==, 0);

  sonde_graph_remove_node (graph, branch);
  check_graph (graph);
  g_assert_cmpuint (z->captures->len, ==, 0);
  g_assert_cmpuint (y->users->len, ==, 0);
}

static void
test_subgraph_outlives (void)
{
  SondeGraph *graph = sonde_graph_new (NULL);
  g_autoptr (SondeGraph) kept = NULL;
  g_autoptr (SondeGraph) other = sonde_graph_new (NULL);
  SondeGraphValue *y = NULL;

  sonde_graph_add_input (graph, "x", NULL);
  y = sonde_graph_add_input (graph, "y", NULL);
  kept = sonde_graph_ref (sonde_node_get_graph (add_branching (graph, y), "then_branch"));
  sonde_graph_add_input (other, "x", NULL);
  g_assert_false (sonde_graph_set_parent (kept, other)); /* it lacks y */
  g_assert_true (sonde_graph_find_value (kept, "x")->outer == sonde_graph_find_value (other, "x"));
  sonde_graph_unref (graph);
  g_assert_null (kept->parent);
}

static void
test_replace (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeNode *relu = add1 (graph, "relu", "Relu", x);
  SondeNode *add = add2 (graph, "add", "Add", out (relu), out (relu));
  SondeNode *neg = NULL;

  sonde_graph_add_output (graph, out (relu));
  sonde_graph_add_output (graph, out (add));
  neg = add1 (graph, "neg", "Neg", x);
  sonde_graph_replace_value (graph, out (relu), out (neg));
  check_graph (graph);
  g_assert_cmpuint (out (neg)->users->len, ==, 2);
  g_assert_cmpuint (out (relu)->users->len, ==, 0);
  g_assert_true (graph->outputs->pdata[0] == out (neg));
  sonde_graph_replace_value (graph, out (neg), out (neg));
  check_graph (graph);
}

static void
test_remove (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeNode *add = add2 (graph, "add", "Add", x, x);
  SondeGraphValue *sum = out (add);

  sonde_graph_remove_node (graph, add);
  check_graph (graph);
  g_assert_cmpuint (x->users->len, ==, 0);
  g_assert_null (sum->producer);
  sonde_graph_remove_value (graph, sum);
  check_graph (graph);
  g_assert_null (sonde_graph_find_value (graph, "add_output_0"));
  g_assert_cmpuint (sonde_graph_add_value (graph, NULL, NULL)->id, ==, 2); /* never reused */
}

static void
test_copy (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
  g_autoptr (SondeGraph) copy = NULL;
  g_autoptr (SondeGraph) executed = NULL;
  g_autofree char *before = NULL, *after = NULL;
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_f32 (1);
  SondeFunction *function = sonde_function_new ("local", "Twice", NULL);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeGraphValue *w = sonde_graph_add_initialiser (graph, "w", tensor, SONDE_ROLE_PARAMETER);
  SondeGraphValue *y = sonde_graph_add_input (graph, "y", NULL);
  SondeNode *gone = add1 (graph, "gone", "Relu", x), *branch = NULL, *update = NULL;

  branch = add_branching (graph, y);
  update = add2 (graph, "update", "Sub", w, out (branch));
  out (update)->update_of = w;
  sonde_graph_add_output (graph, out (update));
  sonde_graph_remove_node (graph, gone);
  add1 (function->body, "double", "Add", sonde_graph_add_input (function->body, "a", NULL));
  g_ptr_array_add (graph->functions, function);
  sonde_node_add_origin (update, branch, SONDE_ORIGIN_OPTIMISER);

  copy = sonde_graph_copy (graph, FALSE);
  executed = sonde_graph_copy (graph, TRUE);
  before = sonde_graph_listing (graph, NULL);
  sonde_graph_remove_node (graph, branch);
  after = sonde_graph_listing (copy, NULL);
  g_assert_cmpstr (before, ==, after);
  check_graph (copy);
  check_graph (executed);

  g_assert_true (sonde_value_get_tensor (sonde_graph_find_value (copy, "w")->constant) == tensor);
  g_assert_true (out (sonde_graph_find_node (copy, "update"))->update_of
                 == sonde_graph_find_value (copy, "w"));
  g_assert_cmpuint (sonde_graph_find_node (copy, "update")->id, ==, update->id);
  g_assert_cmpint (sonde_graph_find_node (copy, "update")->origin_kind, ==, SONDE_ORIGIN_OPTIMISER);
  g_assert_cmpuint (sonde_graph_find_node (executed, "update")->origins->len, ==, 1);
  g_assert_cmpstr (sonde_graph_find_node (executed, "update")->origins->pdata[0], ==, "update");
  g_assert_cmpint (sonde_graph_find_node (executed, "update")->origin_kind, ==,
                   SONDE_ORIGIN_SOURCE);
  g_assert_cmpstr (((SondeFunction *) copy->functions->pdata[0])->name, ==, "Twice");
}

static void
test_copy_attribute (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeGraphValue *y = NULL;
  SondeNode *branch = NULL, *second = NULL;

  sonde_graph_add_input (graph, "x", NULL);
  y = sonde_graph_add_input (graph, "y", NULL);
  branch = add_branching (graph, y);
  second = add1 (graph, "second", "If", y);
  sonde_node_take_attribute (
      second, sonde_attribute_copy (sonde_node_find_attribute (branch, "then_branch")));
  check_graph (graph);
  sonde_graph_remove_node (graph, branch);
  check_graph (graph);
}

static void
test_attributes (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeNode *node = sonde_graph_add_node (graph, "n", "", "Conv", NULL, 0, 1);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_i64 (3);
  const gint64 strides[] = { 1, 2 };
  const double scales[] = { 0.5, 2 };
  gsize n = 7;

  sonde_node_set_int (node, "group", 1);
  sonde_node_set_int (node, "group", 3);
  sonde_node_set_float (node, "alpha", 0.25);
  sonde_node_set_string (node, "auto_pad", "SAME_UPPER");
  sonde_node_set_ints (node, "strides", strides, 2);
  sonde_node_set_floats (node, "scales", scales, 2);
  sonde_node_set_tensor (node, "value", tensor);

  g_assert_cmpuint (node->attributes->len, ==, 6);
  g_assert_cmpint (sonde_node_get_int (node, "group", 1), ==, 3);
  g_assert_cmpint (sonde_node_get_int (node, "alpha", 9), ==, 9);
  g_assert_cmpint (sonde_node_get_int (node, "absent", 9), ==, 9);
  g_assert_cmpfloat (sonde_node_get_float (node, "alpha", 0), ==, 0.25);
  g_assert_cmpstr (sonde_node_get_string (node, "auto_pad", NULL), ==, "SAME_UPPER");
  g_assert_cmpint (sonde_node_get_ints (node, "strides", &n)[1], ==, 2);
  g_assert_cmpuint (n, ==, 2);
  g_assert_null (sonde_node_get_ints (node, "pads", &n));
  g_assert_cmpuint (n, ==, 0);
  g_assert_true (sonde_node_get_tensor (node, "value") == tensor);
  g_assert_null (sonde_node_get_graph (node, "value"));
  g_assert_true (sonde_node_remove_attribute (node, "group"));
  g_assert_false (sonde_node_remove_attribute (node, "group"));

  for (guint i = 0; i < node->attributes->len; i++)
    {
      SondeAttribute *attribute = node->attributes->pdata[i];
      SondeAttribute *copy = sonde_attribute_copy (attribute);

      g_assert_cmpstr (copy->name, ==, attribute->name);
      g_assert_cmpuint (copy->n, ==, attribute->n);
      sonde_attribute_free (copy);
    }
}

static void
test_opsets (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  g_autoptr (SondeGraph) subgraph = sonde_graph_new_subgraph (graph, NULL);

  g_assert_cmpint (sonde_graph_get_opset (graph, ""), ==, 0);
  sonde_graph_set_opset (graph, "", 13);
  sonde_graph_set_opset (graph, "ai.onnx", 17);
  sonde_graph_set_opset (graph, "com.microsoft", 1);
  g_assert_cmpint (sonde_graph_get_opset (subgraph, "ai.onnx"), ==, 17);
  g_assert_cmpint (sonde_graph_get_opset (subgraph, "com.microsoft"), ==, 1);
  g_assert_cmpuint (graph->opsets->len, ==, 2);
}

static void
test_origins (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeNode *conv = add1 (graph, "conv1", "Conv", x), *relu = add1 (graph, "relu1", "Relu", x);
  SondeNode *fused = add1 (graph, NULL, "Conv", x), *gradient = add1 (graph, NULL, "ConvGrad", x);
  SondeNode *inserted = add1 (graph, NULL, "Cast", x);
  g_autofree char *a = NULL, *b = NULL, *c = NULL;

  sonde_node_add_origin (fused, conv, SONDE_ORIGIN_FUSED);
  sonde_node_add_origin (fused, relu, SONDE_ORIGIN_FUSED);
  sonde_node_add_origin (fused, relu, SONDE_ORIGIN_FUSED);
  sonde_node_add_origin (gradient, conv, SONDE_ORIGIN_GRADIENT);
  gradient->origin_input = 0;
  inserted->origin_kind = SONDE_ORIGIN_INSERTED;

  a = sonde_node_describe_origin (fused);
  b = sonde_node_describe_origin (gradient);
  c = sonde_node_describe_origin (inserted);
  g_assert_cmpstr (a, ==, "fused from conv1, relu1");
  g_assert_cmpstr (b, ==, "gradient of conv1, input 0");
  g_assert_cmpstr (c, ==, "inserted");
  g_assert_null (sonde_node_describe_origin (conv));
  g_assert_cmpstr (sonde_phase_name (SONDE_PHASE_BACKWARD), ==, "backward");
}

static void
test_types (void)
{
  SondeType type = float_type (2, 4, 5), unknown = sonde_type_unknown ();
  SondeType scalar = float_type (0, 0, 0);
  SondeShape shape;
  g_autofree char *a = sonde_type_to_string (&type), *b = NULL, *c = NULL;
  g_autofree char *d = sonde_type_to_string (&scalar), *e = sonde_type_to_string (&unknown);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_i64 (1);
  g_autoptr (SondeValue) item = sonde_value_new_tensor (tensor);
  g_autoptr (SondeValue) list = sonde_value_new_sequence (&item, 1);
  SondeType sequence = sonde_type_of_value (list), of_tensor = sonde_type_of_value (item);
  g_autofree char *f = sonde_type_to_string (&sequence);

  g_assert_true (sonde_type_get_shape (&type, &shape));
  g_assert_cmpint (shape.dims[1], ==, 5);
  type.dims[0] = (SondeDimension){ -1, g_intern_string ("N") };
  b = sonde_type_to_string (&type);
  g_assert_false (sonde_type_get_shape (&type, &shape));
  type.rank = -1;
  c = sonde_type_to_string (&type);
  g_assert_false (sonde_type_get_shape (&type, &shape));
  g_assert_cmpstr (a, ==, "float32 4×5");
  g_assert_cmpstr (b, ==, "float32 N×5");
  g_assert_cmpstr (c, ==, "float32 ?");
  g_assert_cmpstr (d, ==, "float32 scalar");
  g_assert_cmpstr (e, ==, "?");
  g_assert_cmpstr (f, ==, "sequence of int64");
  g_assert_cmpint (of_tensor.dtype, ==, SONDE_DTYPE_I64);
  g_assert_cmpint (of_tensor.rank, ==, 0);
}

static void
test_scopes (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);

  g_assert_cmpstr (sonde_graph_add_node (graph, "a/b", "", "X", NULL, 0, 0)->scope, ==, "a");
  g_assert_cmpstr (sonde_scope_of_name ("/encoder/layer0/Conv"), ==, "encoder/layer0");
  g_assert_cmpstr (sonde_scope_of_name ("block/Add"), ==, "block");
  g_assert_null (sonde_scope_of_name ("/Conv"));
  g_assert_null (sonde_scope_of_name ("Conv_12"));
  g_assert_null (sonde_scope_of_name (""));
}

/* Thousands of random edits; after every few the whole graph is counted anew. */
static void
test_random_edits (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (int i = 0; i < 4; i++)
    sonde_graph_add_input (graph, NULL, NULL);
  for (int round = 0; round < 600; round++)
    {
      SondeGraphValue *a = NULL, *b = NULL;
      SondeNode *node = NULL;

      while (a == NULL)
        a = graph->values->pdata[g_rand_int_range (rand, 0, (int) graph->values->len)];
      while (b == NULL)
        b = graph->values->pdata[g_rand_int_range (rand, 0, (int) graph->values->len)];
      if (graph->nodes->len > 0)
        node = graph->nodes->pdata[g_rand_int_range (rand, 0, (int) graph->nodes->len)];
      switch (g_rand_int_range (rand, 0, 6))
        {
        case 0:
          sonde_graph_replace_value (graph, a, b);
          break;
        case 1:
          if (node != NULL)
            sonde_node_set_input (graph, node, (guint) g_rand_int_range (rand, 0, 3), a);
          break;
        case 2:
          if (node != NULL)
            sonde_graph_remove_node (graph, node);
          break;
        default:
          add2 (graph, NULL, "Add", a, g_rand_boolean (rand) ? b : a);
          break;
        }
      if (round % 20 == 0)
        check_graph (graph);
    }
  check_graph (graph);
}

/* ---- attributes as text -------------------------------------------------- */

static void
check_text (SondeAttribute *attribute, /* (transfer full) */
            const char *wanted)
{
  g_autofree char *text = sonde_attribute_to_text (attribute);

  g_assert_cmpstr (text, ==, wanted);
  sonde_attribute_free (attribute);
}

static void
test_attribute_text (void)
{
  SondeAttribute *number = sonde_attribute_new ("axis", SONDE_ATTRIBUTE_INT),
                 *fraction = sonde_attribute_new ("alpha", SONDE_ATTRIBUTE_FLOAT);
  SondeAttribute *word = sonde_attribute_new ("auto_pad", SONDE_ATTRIBUTE_STRING),
                 *pads = sonde_attribute_new ("pads", SONDE_ATTRIBUTE_INTS);
  g_autofree char *nothing = sonde_attribute_to_text (NULL);

  number->u.i = -1;
  fraction->u.f = 0.5f;
  word->u.string = g_strdup ("SAME\xff");
  pads->n = 2;
  pads->u.ints = g_new0 (gint64, 2);
  pads->u.ints[1] = 3;
  check_text (number, "-1");
  check_text (fraction, "0.5");
  check_text (word, "SAME\xef\xbf\xbd"); /* what is no UTF-8 is no text */
  check_text (pads, "[0, 3]");
  check_text (sonde_attribute_new ("none", SONDE_ATTRIBUTE_FLOATS), "[]");
  g_assert_cmpstr (nothing, ==, "default");
}

/* Another name finds a node where nothing is called so; the first of several counts. */
static void
test_alias (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL), copy = NULL;
  SondeNode *a = sonde_graph_add_node (graph, "a.forward.0", "", "Relu", NULL, 0, 1),
            *b = sonde_graph_add_node (graph, "b", "", "Relu", NULL, 0, 1);

  sonde_node_set_alias (graph, a, "a");
  sonde_node_set_alias (graph, b, "a");
  g_assert_true (sonde_graph_find_node (graph, "a") == a);
  sonde_node_set_alias (graph, a, "b");
  g_assert_true (sonde_graph_find_node (graph, "b") == b);
  g_assert_null (sonde_graph_find_node (graph, "a"));
  sonde_node_set_alias (graph, a, "module");
  copy = sonde_graph_copy (graph, FALSE);
  sonde_graph_remove_node (graph, a);
  g_assert_null (sonde_graph_find_node (graph, "module"));
  g_assert_cmpstr (sonde_graph_find_node (copy, "module")->name, ==, "a.forward.0");
  g_assert_cmpuint (sonde_graph_count_nodes (copy), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/graph/build", test_build);
  g_test_add_func ("/data/graph/names", test_names);
  g_test_add_func ("/data/graph/names/many", test_names_many);
  g_test_add_func ("/data/graph/inputs", test_inputs);
  g_test_add_func ("/data/graph/captures", test_captures);
  g_test_add_func ("/data/graph/subgraph-outlives", test_subgraph_outlives);
  g_test_add_func ("/data/graph/replace", test_replace);
  g_test_add_func ("/data/graph/remove", test_remove);
  g_test_add_func ("/data/graph/copy", test_copy);
  g_test_add_func ("/data/graph/copy/attribute", test_copy_attribute);
  g_test_add_func ("/data/graph/attributes", test_attributes);
  g_test_add_func ("/data/graph/opsets", test_opsets);
  g_test_add_func ("/data/graph/origins", test_origins);
  g_test_add_func ("/data/graph/types", test_types);
  g_test_add_func ("/data/graph/scopes", test_scopes);
  g_test_add_func ("/data/graph/random-edits", test_random_edits);
  g_test_add_func ("/data/graph/attribute-text", test_attribute_text);
  g_test_add_func ("/data/graph/alias", test_alias);
  return g_test_run ();
}
