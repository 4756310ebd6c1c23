/* SPDX-License-Identifier: Apache-2.0
 * Graphs of TensorFlow written by hand: how constants are said, what inputs and outputs are, and what is
 * wrong with hostile ones. */
#include <glib/gstdio.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "tests/data/models/wire-builder.h"

enum
{
  DT_FLOAT = 1,
  DT_INT32 = 3,
  DT_STRING = 7,
  DT_COMPLEX64 = 8,
  DT_HALF = 19,
};

/* ---- writing ------------------------------------------------------------- */

static GByteArray *
make_shape (guint n, const gint64 *sizes)
{
  GByteArray *shape = wire_new ();

  for (guint i = 0; i < n; i++)
    {
      GByteArray *size = wire_new ();

      wire_int (size, 1, sizes[i]);
      wire_take (shape, 2, size);
    }
  return shape;
}

/* (transfer full) @value: an AttrValue */
static void
add_attribute (GByteArray *node, const char *name, GByteArray *value)
{
  GByteArray *entry = wire_new ();

  wire_text (entry, 1, name);
  wire_take (entry, 2, value);
  wire_take (node, 5, entry);
}

static void
add_type (GByteArray *node, const char *name, int dtype)
{
  GByteArray *value = wire_new ();

  wire_int (value, 6, dtype);
  add_attribute (node, name, value);
}

/* @inputs: separated by blanks */
static GByteArray *
make_node (const char *name, const char *op, const char *inputs)
{
  GByteArray *node = wire_new ();
  g_auto (GStrv) names = g_strsplit (inputs, " ", 0);

  wire_text (node, 1, name);
  wire_text (node, 2, op);
  for (guint i = 0; names[i] != NULL; i++)
    if (*names[i] != '\0')
      wire_text (node, 3, names[i]);
  return node;
}

static void
add_node (GByteArray *graph, const char *name, const char *op, const char *inputs)
{
  wire_take (graph, 1, make_node (name, op, inputs));
}

static void
add_input (GByteArray *graph, const char *name, int dtype, guint rank, const gint64 *sizes)
{
  GByteArray *node = make_node (name, "Placeholder", ""), *shape = wire_new ();

  add_type (node, "dtype", dtype);
  wire_take (shape, 7, make_shape (rank, sizes));
  add_attribute (node, "shape", shape);
  wire_take (graph, 1, node);
}

/* (transfer full) @tensor */
static void
add_constant (GByteArray *graph, const char *name, GByteArray *tensor)
{
  GByteArray *node = make_node (name, "Const", ""), *value = wire_new ();

  wire_take (value, 8, tensor);
  add_attribute (node, "value", value);
  wire_take (graph, 1, node);
}

static GByteArray *
make_tensor (int dtype, guint rank, const gint64 *sizes)
{
  GByteArray *tensor = wire_new ();

  wire_int (tensor, 1, dtype);
  wire_take (tensor, 2, make_shape (rank, sizes));
  return tensor;
}

/* ---- reading ------------------------------------------------------------- */

static SondeGraph *
read_graph (GByteArray *bytes, SondeConversion **conversion, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-graphdef-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.pb", NULL);
  SondeGraph *graph;

  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, (gssize) bytes->len, NULL));
  graph = sonde_model_read (NULL, path, NULL, conversion, error);
  g_unlink (path);
  g_rmdir (folder);
  return graph;
}

static void
check_constant (SondeGraph *graph, const char *name, const char *wanted)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, name);
  g_autoptr (GString) text = g_string_new (NULL);
  const SondeTensor *tensor;

  g_assert_nonnull (value);
  g_assert_nonnull (value->constant);
  tensor = sonde_value_get_tensor (value->constant);
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    g_string_append_printf (text, "%s%g", i > 0 ? " " : "", sonde_tensor_get_double (tensor, i));
  g_assert_cmpstr (text->str, ==, wanted);
}

/* Bytes; fewer values than elements; halves; none at all. */
static void
test_constants (void)
{
  static const gint64 three[] = { 3 };
  static const float numbers[] = { 1, 2, 3 };
  g_autoptr (GByteArray) bytes = wire_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  GByteArray *tensor;

  add_input (bytes, "x", DT_FLOAT, 1, three);
  tensor = make_tensor (DT_FLOAT, 1, three);
  wire_bytes (tensor, 4, numbers, sizeof numbers);
  add_constant (bytes, "content", tensor);
  tensor = make_tensor (DT_FLOAT, 1, three);
  wire_float (tensor, 5, 4);
  wire_float (tensor, 5, 5);
  add_constant (bytes, "last", tensor);
  tensor = make_tensor (DT_HALF, 1, three);
  wire_int (tensor, 13, 0x3c00);
  add_constant (bytes, "half", tensor);
  add_constant (bytes, "none", make_tensor (DT_FLOAT, 1, three));
  add_node (bytes, "sum", "AddN", "x content last none ^half");
  add_node (bytes, "wide", "Round", "half");
  graph = read_graph (bytes, NULL, &error);
  g_assert_no_error (error);
  check_constant (graph, "content", "1 2 3");
  check_constant (graph, "last", "4 5 5");
  check_constant (graph, "none", "0 0 0");
  check_constant (graph, "half", "1 1 1");
  g_assert_cmpuint (graph->outputs->len, ==, 2);
  g_assert_cmpstr (((SondeGraphValue *) graph->outputs->pdata[0])->name, ==, "sum");
}

/* What is missing is told all at once, each once with its count, and variables by name. */
static void
test_missing (void)
{
  g_autoptr (GByteArray) bytes = wire_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeConversion) conversion = NULL;
  static const gint64 one[] = { 1 };

  add_input (bytes, "x", DT_FLOAT, 1, one);
  add_node (bytes, "a", "PyFunc", "x");
  add_node (bytes, "b", "Relu", "a");
  add_node (bytes, "c", "PyFunc", "b:0");
  add_node (bytes, "d", "VariableV2", "");
  add_node (bytes, "e", "AddV2", "c d");
  add_node (bytes, "f", "SomethingNew", "e");
  g_assert_null (read_graph (bytes, &conversion, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "3 operators"));
  g_assert_nonnull (strstr (error->message, "PyFunc (2×, first “a”): it runs Python code"));
  g_assert_nonnull (strstr (error->message, "VariableV2 (1×, first “d”)"));
  g_assert_nonnull (strstr (error->message, "SomethingNew (1×, first “f”)"));
  g_assert_false (sonde_conversion_is_complete (conversion));
}

/* ---- hostile ------------------------------------------------------------- */

static void
make_cycle (GByteArray *bytes)
{
  add_node (bytes, "a", "Neg", "b");
  add_node (bytes, "b", "Neg", "a");
  add_node (bytes, "c", "Neg", "a");
}

/* (transfer full) @node: behind it */
static void
add_function_attribute (GByteArray *node, const char *name, const char *function)
{
  GByteArray *value = wire_new (), *list = wire_new ();

  wire_text (list, 1, function);
  wire_take (value, 10, list);
  add_attribute (node, name, value);
}

/* A function of one argument "x" and one result, "y", which is @result; with the node that is given.
 * (transfer full) @node */
static void
add_function (GByteArray *graph, const char *name, GByteArray *node, const char *result)
{
  GByteArray *function = wire_new (), *signature = wire_new (), *ret = wire_new ();
  GByteArray *library = wire_new (), *argument = wire_new (), *output = wire_new ();

  wire_text (argument, 1, "x");
  wire_text (output, 1, "y");
  wire_text (signature, 1, name);
  wire_take (signature, 2, argument);
  wire_take (signature, 3, output);
  wire_text (ret, 1, "y");
  wire_text (ret, 2, result);
  wire_take (function, 1, signature);
  wire_take (function, 3, node);
  wire_take (function, 4, ret);
  wire_take (library, 1, function);
  wire_take (graph, 2, library);
}

static void
add_call (GByteArray *graph, const char *name, const char *function, const char *inputs)
{
  GByteArray *node = make_node (name, "PartitionedCall", inputs);

  add_function_attribute (node, "f", function);
  wire_take (graph, 1, node);
}

/* Each calls the other. */
static void
make_recursion (GByteArray *bytes)
{
  GByteArray *there = make_node ("n", "PartitionedCall", "x");
  GByteArray *back = make_node ("n", "PartitionedCall", "x");

  add_function_attribute (there, "f", "g");
  add_function_attribute (back, "f", "f");
  add_function (bytes, "f", there, "n:output:0");
  add_function (bytes, "g", back, "n:output:0");
  add_input (bytes, "x", DT_FLOAT, 0, NULL);
  add_call (bytes, "c", "f", "x");
}

/* Each of twenty functions calls the next one twice: a million nodes. */
static void
make_doubling (GByteArray *bytes)
{
  add_input (bytes, "x", DT_FLOAT, 0, NULL);
  for (guint i = 0; i < 24; i++)
    {
      g_autofree char *name = g_strdup_printf ("f%u", i), *next = g_strdup_printf ("f%u", i + 1);
      GByteArray *function = wire_new (), *signature = wire_new (), *ret = wire_new ();
      GByteArray *library = wire_new (), *argument = wire_new (), *output = wire_new ();
      GByteArray *first = make_node ("a", i < 23 ? next : "Neg", "x");

      wire_text (argument, 1, "x");
      wire_text (output, 1, "y");
      wire_text (signature, 1, name);
      wire_take (signature, 2, argument);
      wire_take (signature, 3, output);
      wire_text (ret, 1, "y");
      wire_text (ret, 2, "b:y:0");
      wire_take (function, 1, signature);
      wire_take (function, 3, first);
      wire_take (function, 3, make_node ("b", i < 23 ? next : "Neg", "a:y:0"));
      wire_take (function, 4, ret);
      wire_take (library, 1, function);
      wire_take (bytes, 2, library);
    }
  add_call (bytes, "c", "f0", "x");
}

static void
make_strange_call (GByteArray *bytes)
{
  add_input (bytes, "x", DT_FLOAT, 0, NULL);
  add_call (bytes, "c", "nobody", "x");
}

static void
make_rich_call (GByteArray *bytes)
{
  add_input (bytes, "x", DT_FLOAT, 0, NULL);
  add_function (bytes, "f", make_node ("n", "Neg", "x"), "n:y:0");
  add_call (bytes, "c", "f", "x x");
}

static void
make_wide_condition (GByteArray *bytes)
{
  GByteArray *loop = make_node ("loop", "While", "x");

  add_input (bytes, "x", DT_FLOAT, 0, NULL);
  add_function (bytes, "f", make_node ("n", "Neg", "x"), "n:y:0");
  add_function_attribute (loop, "cond", "nobody");
  add_function_attribute (loop, "body", "f");
  wire_take (bytes, 1, loop);
}

static void
make_stranger (GByteArray *bytes)
{
  add_node (bytes, "a", "Neg", "nobody");
}

static void
make_port (GByteArray *bytes)
{
  add_constant (bytes, "a", make_tensor (DT_FLOAT, 0, NULL));
  add_node (bytes, "b", "Neg", "a:7");
}

static void
make_twice (GByteArray *bytes)
{
  add_node (bytes, "a", "NoOp", "");
  add_node (bytes, "a", "NoOp", "");
}

static void
make_nameless (GByteArray *bytes)
{
  add_node (bytes, "a", "NoOp", "");
  add_node (bytes, "", "NoOp", "");
}

/* A few bytes that claim 2^36 elements. */
static void
make_bomb (GByteArray *bytes)
{
  static const gint64 sizes[] = { 1 << 18, 1 << 18 };
  GByteArray *tensor = make_tensor (DT_FLOAT, 2, sizes);

  wire_float (tensor, 5, 1);
  add_constant (bytes, "a", tensor);
  add_node (bytes, "b", "Neg", "a");
}

static void
make_large (GByteArray *bytes)
{
  static const gint64 sizes[] = { G_MAXINT64, 2, G_MAXINT64 };

  add_constant (bytes, "a", make_tensor (DT_FLOAT, 3, sizes));
  add_node (bytes, "b", "Neg", "a");
}

static void
make_short (GByteArray *bytes)
{
  static const gint64 sizes[] = { 4 };
  GByteArray *tensor = make_tensor (DT_INT32, 1, sizes);

  wire_bytes (tensor, 4, "abcdef", 6);
  add_constant (bytes, "a", tensor);
  add_node (bytes, "b", "Neg", "a");
}

static void
make_many (GByteArray *bytes)
{
  static const gint64 sizes[] = { 1 };
  GByteArray *tensor = make_tensor (DT_FLOAT, 1, sizes);

  wire_float (tensor, 5, 1);
  wire_float (tensor, 5, 2);
  add_constant (bytes, "a", tensor);
  add_node (bytes, "b", "Neg", "a");
}

static void
make_complex (GByteArray *bytes)
{
  add_input (bytes, "x", DT_COMPLEX64, 0, NULL);
  add_node (bytes, "b", "Neg", "x");
}

static void
make_idle (GByteArray *bytes)
{
  add_node (bytes, "a", "NoOp", "");
}

static void
make_poor (GByteArray *bytes)
{
  add_input (bytes, "x", DT_FLOAT, 0, NULL);
  add_node (bytes, "b", "AddV2", "x");
}

/* A loop of version 1, which comes back to its beginning. */
static void
test_old_loop (void)
{
  static const gint64 one[] = { 1 };
  g_autoptr (GByteArray) bytes = wire_new ();
  g_autoptr (GError) error = NULL;

  add_input (bytes, "x", DT_FLOAT, 1, one);
  add_node (bytes, "enter", "Enter", "x");
  add_node (bytes, "merge", "Merge", "enter next");
  add_node (bytes, "neg", "Neg", "merge");
  add_node (bytes, "next", "NextIteration", "neg");
  add_node (bytes, "exit", "Exit", "neg");
  g_assert_null (read_graph (bytes, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "lower_control_flow=False"));
}

/* Attributes inside functions inside attributes … */
static void
make_deep (GByteArray *bytes)
{
  GByteArray *value = wire_new (), *node = make_node ("a", "Neg", "");

  for (guint i = 0; i < 3000; i++)
    {
      GByteArray *entry = wire_new (), *function = wire_new (), *outer = wire_new ();

      wire_take (entry, 2, value);
      wire_take (function, 2, entry);
      wire_take (outer, 10, function);
      value = outer;
    }
  add_attribute (node, "f", value);
  wire_take (bytes, 1, node);
}

static void
make_negative_window (GByteArray *bytes)
{
  static const gint64 sizes[] = { 1, 4, 4, 1 }, filter[] = { 2, 2, 1, 1 };
  GByteArray *node = make_node ("c", "Conv2D", "x w"), *value = wire_new (), *list = wire_new ();

  for (guint i = 0; i < 4; i++)
    wire_int (list, 3, i == 1 ? -3 : 1);
  wire_take (value, 1, list);
  add_attribute (node, "strides", value);
  add_input (bytes, "x", DT_FLOAT, 4, sizes);
  add_constant (bytes, "w", make_tensor (DT_FLOAT, 4, filter));
  wire_take (bytes, 1, node);
}

static const struct
{
  const char *name;
  void (*make) (GByteArray *bytes);
  int code;
  const char *part; /* of the message */
} hostile[] = {
  { "cycle", make_cycle, SONDE_DATA_ERROR_DAMAGED, "needs its own output" },
  { "recursion", make_recursion, SONDE_DATA_ERROR_DAMAGED, "the function “f” calls itself" },
  { "doubling", make_doubling, SONDE_DATA_ERROR_LIMIT, "come to more than 200000 nodes" },
  { "strange call", make_strange_call, SONDE_DATA_ERROR_DAMAGED, "the function “nobody”" },
  { "rich call", make_rich_call, SONDE_DATA_ERROR_DAMAGED, "takes 1 values; it is given 2" },
  { "condition", make_wide_condition, SONDE_DATA_ERROR_DAMAGED, "the function “nobody”" },
  { "stranger", make_stranger, SONDE_DATA_ERROR_DAMAGED, "“nobody” in “graph” is no output" },
  { "port", make_port, SONDE_DATA_ERROR_DAMAGED, "“a:7” in “graph” is no output" },
  { "twice", make_twice, SONDE_DATA_ERROR_DAMAGED, "two nodes of “graph” are called “a”" },
  { "nameless", make_nameless, SONDE_DATA_ERROR_DAMAGED, "node 1 of “graph” has a name" },
  { "bomb", make_bomb, SONDE_DATA_ERROR_LIMIT, "“a”" },
  { "large", make_large, SONDE_DATA_ERROR_DAMAGED, "a shape that no tensor has" },
  { "short", make_short, SONDE_DATA_ERROR_DAMAGED, "has 6 bytes of elements; its shape needs 16" },
  { "many", make_many, SONDE_DATA_ERROR_DAMAGED, "“a”" },
  { "complex", make_complex, SONDE_DATA_ERROR_UNSUPPORTED, "DT_COMPLEX64" },
  { "idle", make_idle, SONDE_DATA_ERROR_DAMAGED, "computes nothing" },
  { "poor", make_poor, SONDE_DATA_ERROR_DAMAGED, "at least 2 are needed" },
  { "negative window", make_negative_window, SONDE_DATA_ERROR_DAMAGED, "with stride -3" },
};

static void
test_hostile (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (hostile); i++)
    {
      g_autoptr (GByteArray) bytes = wire_new ();
      g_autoptr (GError) error = NULL;

      hostile[i].make (bytes);
      g_test_message ("%s", hostile[i].name);
      g_assert_null (read_graph (bytes, NULL, &error));
      g_assert_error (error, SONDE_DATA_ERROR, hostile[i].code);
      g_assert_nonnull (strstr (error->message, hostile[i].part));
    }
}

/* Fields that nobody reads are stepped over, however deep they are. */
static void
test_deep (void)
{
  g_autoptr (GByteArray) bytes = wire_new ();
  g_autoptr (GError) error = NULL;

  make_deep (bytes);
  g_assert_null (read_graph (bytes, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
}

/* A long chain is no recursion. */
static void
test_chain (void)
{
  static const gint64 one[] = { 1 };
  g_autoptr (GByteArray) bytes = wire_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  const guint length = 50000;

  for (guint i = 0; i < length; i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i);
      g_autofree char *input = i + 1 < length ? g_strdup_printf ("n%u", i + 1) : g_strdup ("x");

      add_node (bytes, name, "Neg", input);
    }
  add_input (bytes, "x", DT_FLOAT, 1, one);
  graph = read_graph (bytes, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, length);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graphdef/constants", test_constants);
  g_test_add_func ("/graphdef/missing", test_missing);
  g_test_add_func ("/graphdef/hostile", test_hostile);
  g_test_add_func ("/graphdef/old-loop", test_old_loop);
  g_test_add_func ("/graphdef/deep", test_deep);
  g_test_add_func ("/graphdef/chain", test_chain);
  return g_test_run ();
}
