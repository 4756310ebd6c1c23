/* SPDX-License-Identifier: Apache-2.0
 * Everything that a file carries, compared by name. */
#include "tests/data/models/compare-models.h"

static void
compare_types (const SondeType *a, const SondeType *b)
{
  g_autofree char *a_text = sonde_type_to_string (a), *b_text = sonde_type_to_string (b);

  g_assert_cmpint (a->kind, ==, b->kind);
  g_assert_cmpstr (a_text, ==, b_text);
}

static const char *
name_of (const SondeGraphValue *value)
{
  while (value != NULL && value->outer != NULL)
    value = value->outer;
  return value ? value->name : NULL;
}

static void
compare_lists (GPtrArray *a, GPtrArray *b)
{
  g_assert_cmpuint (a->len, ==, b->len);
  for (guint i = 0; i < a->len; i++)
    g_assert_cmpstr (name_of (a->pdata[i]), ==, name_of (b->pdata[i]));
}

static void
compare_values (SondeGraph *a, SondeGraph *b)
{
  for (guint i = 0; i < a->values->len; i++)
    {
      SondeGraphValue *value = a->values->pdata[i];
      SondeGraphValue *other = NULL;

      if (value == NULL || value->outer != NULL)
        continue;
      other = sonde_graph_find_value (b, value->name);
      g_assert_nonnull (other);
      compare_types (&value->type, &other->type);
      g_assert_cmpint (value->role, ==, other->role);
      g_assert_cmpstr (value->doc, ==, other->doc);
      g_assert_cmpstr (name_of (value->update_of), ==, name_of (other->update_of));
      g_assert_true ((value->constant == NULL) == (other->constant == NULL));
      if (value->constant != NULL)
        g_assert_true (sonde_tensor_equal (sonde_value_get_tensor (value->constant),
                                           sonde_value_get_tensor (other->constant)));
    }
}

static void
compare_attributes (const SondeAttribute *a, const SondeAttribute *b)
{
  g_assert_cmpstr (a->name, ==, b->name);
  g_assert_cmpint (a->kind, ==, b->kind);
  g_assert_cmpuint (a->n, ==, b->n);
  g_assert_cmpint (a->reference_kind, ==, b->reference_kind);
  for (gsize i = 0; i < a->n; i++)
    switch (a->kind)
      {
      case SONDE_ATTRIBUTE_INT:
        g_assert_cmpint (a->u.i, ==, b->u.i);
        break;
      case SONDE_ATTRIBUTE_FLOAT:
        g_assert_cmpfloat (a->u.f, ==, b->u.f);
        break;
      case SONDE_ATTRIBUTE_STRING:
      case SONDE_ATTRIBUTE_REFERENCE:
        g_assert_cmpstr (a->u.string, ==, b->u.string);
        break;
      case SONDE_ATTRIBUTE_TENSOR:
        g_assert_true (sonde_tensor_equal (a->u.tensor, b->u.tensor));
        break;
      case SONDE_ATTRIBUTE_GRAPH:
        compare_models (a->u.graph, b->u.graph);
        break;
      case SONDE_ATTRIBUTE_INTS:
        g_assert_cmpint (a->u.ints[i], ==, b->u.ints[i]);
        break;
      case SONDE_ATTRIBUTE_FLOATS:
        g_assert_cmpfloat (a->u.floats[i], ==, b->u.floats[i]);
        break;
      case SONDE_ATTRIBUTE_STRINGS:
        g_assert_cmpstr (a->u.strings[i], ==, b->u.strings[i]);
        break;
      case SONDE_ATTRIBUTE_TENSORS:
        g_assert_true (sonde_tensor_equal (a->u.tensors[i], b->u.tensors[i]));
        break;
      case SONDE_ATTRIBUTE_GRAPHS:
        compare_models (a->u.graphs[i], b->u.graphs[i]);
        break;
      case SONDE_ATTRIBUTE_TYPE:
        compare_types (&a->u.types[i], &b->u.types[i]);
        break;
      }
}

static void
compare_nodes (const SondeNode *a, const SondeNode *b)
{
  g_assert_cmpstr (a->name, ==, b->name);
  g_assert_cmpstr (a->domain, ==, b->domain);
  g_assert_cmpstr (a->op, ==, b->op);
  g_assert_cmpstr (a->overload, ==, b->overload);
  g_assert_cmpint (a->version, ==, b->version);
  g_assert_cmpint (a->phase, ==, b->phase);
  g_assert_cmpint (a->origin_kind, ==, b->origin_kind);
  g_assert_cmpint (a->origin_input, ==, b->origin_input);
  g_assert_cmpstr (a->scope, ==, b->scope);
  g_assert_cmpstr (a->doc, ==, b->doc);
  compare_lists (a->inputs, b->inputs);
  compare_lists (a->outputs, b->outputs);
  g_assert_cmpuint (a->origins->len, ==, b->origins->len);
  for (guint i = 0; i < a->origins->len; i++)
    g_assert_cmpstr (a->origins->pdata[i], ==, b->origins->pdata[i]);
  g_assert_cmpuint (a->attributes->len, ==, b->attributes->len);
  for (guint i = 0; i < a->attributes->len; i++)
    compare_attributes (a->attributes->pdata[i], b->attributes->pdata[i]);
}

static void
compare_headers (SondeGraph *a, SondeGraph *b)
{
  g_assert_cmpstr (a->name, ==, b->name);
  g_assert_cmpstr (a->doc, ==, b->doc);
  if (a->producer != NULL) /* else it is the writer that signs */
    g_assert_cmpstr (a->producer, ==, b->producer);
  for (guint i = 0; i < a->opsets->len; i++)
    {
      const SondeOpset *opset = &g_array_index (a->opsets, SondeOpset, i);

      g_assert_cmpint (sonde_graph_get_opset (b, opset->domain), ==, opset->version);
    }
  g_assert_cmpuint (a->metadata->len, ==, b->metadata->len);
  for (guint i = 0; i < a->metadata->len; i++)
    {
      g_assert_cmpstr (g_array_index (a->metadata, SondeMetadata, i).key, ==,
                       g_array_index (b->metadata, SondeMetadata, i).key);
      g_assert_cmpstr (g_array_index (a->metadata, SondeMetadata, i).value, ==,
                       g_array_index (b->metadata, SondeMetadata, i).value);
    }
}

static void
compare_functions (const SondeFunction *a, const SondeFunction *b)
{
  g_assert_cmpstr (a->domain, ==, b->domain);
  g_assert_cmpstr (a->name, ==, b->name);
  g_assert_cmpstr (a->overload, ==, b->overload);
  g_assert_cmpstr (a->doc, ==, b->doc);
  g_assert_true (g_strv_equal ((const char *const *) a->attribute_names,
                               (const char *const *) b->attribute_names));
  g_assert_cmpuint (a->defaults->len, ==, b->defaults->len);
  for (guint i = 0; i < a->defaults->len; i++)
    compare_attributes (a->defaults->pdata[i], b->defaults->pdata[i]);
  compare_models (a->body, b->body);
}

void
compare_models (SondeGraph *a, SondeGraph *b)
{
  g_autoptr (GPtrArray) a_order = sonde_graph_sort (a, NULL);
  g_autoptr (GPtrArray) b_order = sonde_graph_sort (b, NULL);

  compare_headers (a, b);
  compare_lists (a->inputs, b->inputs);
  compare_lists (a->outputs, b->outputs);
  compare_values (a, b);
  g_assert_cmpuint (a_order->len, ==, b_order->len);
  for (guint i = 0; i < a_order->len; i++)
    compare_nodes (a_order->pdata[i], b_order->pdata[i]);
  g_assert_cmpuint (a->functions->len, ==, b->functions->len);
  for (guint i = 0; i < a->functions->len; i++)
    compare_functions (a->functions->pdata[i], b->functions->pdata[i]);
}

/* ---- a model with everything --------------------------------------------- */

static SondeTensor *
make_tensor (SondeDtype dtype)
{
  SondeShape shape = sonde_shape_make (2, 2, 3);
  const char *const words[] = { "a", "", "ü", "x y", "\xff", "z" };
  SondeTensor *tensor = NULL;

  if (dtype == SONDE_DTYPE_STRING)
    return sonde_tensor_new_from_data (dtype, &shape, words);
  tensor = sonde_tensor_new (dtype, &shape);
  for (int i = 0; i < 6; i++)
    sonde_tensor_set_double (tensor, i, dtype == SONDE_DTYPE_BOOL ? i % 2 : i * 7);
  return tensor;
}

static void
add_all_dtypes (SondeGraph *graph)
{
  for (int dtype = SONDE_DTYPE_F64; dtype < SONDE_N_DTYPES; dtype++)
    {
      g_autoptr (SondeTensor) tensor = make_tensor (dtype);
      SondeGraphValue *value = sonde_graph_add_initialiser (graph, sonde_dtype_name (dtype), tensor,
                                                            SONDE_ROLE_CONSTANT);
      SondeNode *node = sonde_graph_add_node (graph, NULL, "", "Identity", &value, 1, 1);

      value->role = sonde_dtype_is_float (dtype) ? SONDE_ROLE_PARAMETER : SONDE_ROLE_CONSTANT;
      sonde_node_get_output (node, 0)->type = value->type;
    }
}

static SondeAttribute *
new_list (const char *name, SondeAttributeKind kind)
{
  SondeAttribute *attribute = sonde_attribute_new (name, kind);

  attribute->n = 2;
  return attribute;
}

static void
add_all_attributes (SondeGraph *graph, SondeNode *node)
{
  const gint64 ints[] = { G_MININT64, G_MAXINT64, 0 };
  const double floats[] = { 0.5, -0.0, 1e30f };
  g_autoptr (SondeTensor) tensor = make_tensor (SONDE_DTYPE_F16);
  SondeAttribute *strings = new_list ("strings", SONDE_ATTRIBUTE_STRINGS);
  SondeAttribute *tensors = new_list ("tensors", SONDE_ATTRIBUTE_TENSORS);
  SondeAttribute *types = new_list ("types", SONDE_ATTRIBUTE_TYPE);
  SondeAttribute *type = sonde_attribute_new ("type", SONDE_ATTRIBUTE_TYPE);
  SondeShape shape = sonde_shape_make (1, 5);

  sonde_node_set_int (node, "zero", 0);
  sonde_node_set_int (node, "int", -5);
  sonde_node_set_float (node, "float", 0.1f);
  sonde_node_set_string (node, "string", "bytes \xff and more");
  sonde_node_set_string (node, "empty", "");
  sonde_node_set_ints (node, "ints", ints, 3);
  sonde_node_set_ints (node, "no-ints", NULL, 0);
  sonde_node_set_floats (node, "floats", floats, 3);
  sonde_node_set_tensor (node, "tensor", tensor);
  strings->u.strings = g_new0 (char *, 2);
  strings->u.strings[0] = g_strdup ("one");
  strings->u.strings[1] = g_strdup ("");
  sonde_node_take_attribute (node, strings);
  tensors->u.tensors = g_new0 (SondeTensor *, 2);
  tensors->u.tensors[0] = sonde_tensor_ref (tensor);
  tensors->u.tensors[1] = make_tensor (SONDE_DTYPE_STRING);
  sonde_node_take_attribute (node, tensors);
  types->u.types = g_new0 (SondeType, 2);
  types->u.types[0] = sonde_type_tensor (SONDE_DTYPE_I64, &shape);
  types->u.types[1] = (SondeType){ SONDE_VALUE_SEQUENCE, SONDE_DTYPE_F32, -1, { { 0 } } };
  sonde_node_take_attribute (node, types);
  type->u.types = g_new0 (SondeType, 1);
  type->u.types[0] = (SondeType){ SONDE_VALUE_OPTIONAL, SONDE_DTYPE_BOOL, 0, { { 0 } } };
  sonde_node_take_attribute (node, type);
}

static void
add_subgraphs (SondeGraph *graph, SondeNode *node)
{
  SondeGraph *body = sonde_graph_new_subgraph (graph, "body");
  SondeGraph *inner = sonde_graph_new_subgraph (body, "inner");
  SondeAttribute *list = new_list ("graphs", SONDE_ATTRIBUTE_GRAPHS);
  SondeGraphValue *x = NULL;
  SondeNode *nested = NULL;

  sonde_node_take_graph (node, "graph", body);
  x = sonde_graph_capture_value (body, "x");
  nested = sonde_graph_add_node (body, "nested", "", "If", &x, 1, 1);
  sonde_node_take_graph (nested, "then_branch", inner);
  x = sonde_graph_capture_value (inner, "float32");
  sonde_graph_add_output (
      inner, sonde_node_get_output (sonde_graph_add_node (inner, "deep", "", "Relu", &x, 1, 1), 0));
  sonde_graph_add_output (body, sonde_node_get_output (nested, 0));
  list->u.graphs = g_new0 (SondeGraph *, 2);
  list->u.graphs[0] = sonde_graph_new_subgraph (graph, "first");
  list->u.graphs[1] = sonde_graph_new_subgraph (graph, "second");
  sonde_graph_add_input (list->u.graphs[1], "i", NULL);
  sonde_node_take_attribute (node, list);
}

static void
add_function (SondeGraph *graph)
{
  SondeFunction *function = sonde_function_new ("local", "Scale", "wide");
  SondeAttribute *reference = sonde_attribute_new ("alpha", SONDE_ATTRIBUTE_REFERENCE);
  SondeAttribute *fallback = sonde_attribute_new ("beta", SONDE_ATTRIBUTE_FLOAT);
  SondeGraphValue *a = sonde_graph_add_input (function->body, "a", NULL);
  SondeNode *node = NULL;

  sonde_graph_set_opset (function->body, "", 17);
  node = sonde_graph_add_node (function->body, "e", "", "Elu", &a, 1, 1);
  reference->u.string = g_strdup ("slope");
  reference->reference_kind = SONDE_ATTRIBUTE_FLOAT;
  sonde_node_take_attribute (node, reference);
  sonde_graph_add_output (function->body, sonde_node_get_output (node, 0));
  g_strfreev (function->attribute_names);
  function->attribute_names = g_strsplit ("slope", " ", -1);
  fallback->u.f = 2;
  g_ptr_array_add (function->defaults, fallback);
  function->doc = g_strdup ("scales");
  g_ptr_array_add (graph->functions, function);
}

SondeGraph *
make_rich_model (void)
{
  SondeGraph *graph = sonde_graph_new ("rich");
  SondeShape shape = sonde_shape_make (3, 1, 4, 5);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x = NULL, *m = NULL, *inputs[3];
  SondeMetadata metadata = { g_strdup ("licence"), g_strdup ("none") };
  g_autoptr (SondeTensor) state = make_tensor (SONDE_DTYPE_F32);
  SondeNode *everything = NULL, *call = NULL, *update = NULL;

  type.dims[0] = (SondeDimension){ -1, g_intern_string ("N") };
  type.dims[1] = (SondeDimension){ -1, NULL };
  sonde_graph_set_opset (graph, "", 17);
  sonde_graph_set_opset (graph, "local", 1);
  g_array_append_val (graph->metadata, metadata);
  graph->producer = g_strdup ("a test 1.0");
  graph->doc = g_strdup ("documentation\nof the graph");
  x = sonde_graph_add_input (graph, "x", &type);
  x->doc = g_strdup ("the input");
  m = sonde_graph_add_initialiser (graph, "m", state, SONDE_ROLE_STATE);
  m->doc = g_strdup ("a moment");
  add_all_dtypes (graph);

  inputs[0] = x, inputs[1] = NULL, inputs[2] = m;
  everything = sonde_graph_add_node (graph, "/block/everything", "com.example", "Everything",
                                     inputs, 3, 1);
  everything->version = 1;
  everything->scope = g_intern_string ("block");
  everything->doc = g_strdup ("of everything one");
  sonde_node_set_output (graph, everything, 2, sonde_graph_add_value (graph, "third", &type));
  add_all_attributes (graph, everything);
  add_subgraphs (graph, everything);
  add_function (graph);

  call = sonde_graph_add_node (graph, "call", "local", "Scale", inputs, 1, 1);
  call->overload = g_intern_string ("wide");
  sonde_graph_add_output (graph, sonde_node_get_output (call, 0));
  update = sonde_graph_add_node (graph, "grad", "", "Sub", inputs, 1, 1);
  update->version = 14;
  sonde_node_set_float (update, "beta", 0.9); /* no float32 */
  sonde_node_set_floats (update, "betas", (const double[]){ 0.5, 0.999, 1e-300 }, 3);
  update->phase = SONDE_PHASE_BACKWARD;
  sonde_node_add_origin (update, call, SONDE_ORIGIN_GRADIENT);
  sonde_node_add_origin (update, everything, SONDE_ORIGIN_GRADIENT);
  update->origin_input = 1;
  update->scope = g_intern_string ("training/step");
  sonde_node_get_output (update, 0)->update_of = m;
  sonde_node_get_output (update, 0)->role = SONDE_ROLE_STATE;
  return graph;
}
