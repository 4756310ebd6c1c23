/* SPDX-License-Identifier: Apache-2.0
 * Files made to hurt: cut, nested, repeated, contradictory. Always an error that names the place,
 * never a crash, and soon. */
#include "tests/data/models/compare-models.h"
#include "tests/data/models/wire-builder.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"

enum
{
  NODE = 1,
  INITIALISER = 5,
  INPUT = 11,
  OUTPUT = 12,
  VALUE_INFO = 13,
  SPARSE_INITIALISER = 15,
};

/* @model: transfer full */
static SondeGraph *
parse (GByteArray *model, GError **error)
{
  SondeGraph *graph = sonde_model_parse (model->data, model->len, "bad.onnx", error);

  g_byte_array_unref (model);
  return graph;
}

static void
assert_fails (GByteArray *model, int code, const char *part)
{
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();

  g_assert_null (parse (model, &error));
  g_assert_error (error, SONDE_DATA_ERROR, code);
  if (strstr (error->message, part) == NULL || strstr (error->message, "bad.onnx") == NULL)
    g_error ("“%s” is not in: %s", part, error->message);
  /* else it is no linear work */
  g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * G_USEC_PER_SEC);
}

static void
assert_graph_fails (GByteArray *graph, int code, const char *part)
{
  assert_fails (wire_model (graph), code, part);
}

static void
assert_loads (GByteArray *model)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = parse (model, &error);

  g_assert_no_error (error);
  g_assert_nonnull (graph);
}

/* ---- cut and flipped ----------------------------------------------------- */

static GBytes *
rich_bytes (void)
{
  g_autoptr (SondeGraph) graph = make_rich_model ();

  return sonde_model_serialise (graph, NULL);
}

/* A cut between two fields of the model is a valid, shorter model; everything else is damage. */
static void
test_truncated (void)
{
  g_autoptr (GBytes) bytes = rich_bytes ();
  gsize length = 0, n_loaded = 0;
  const guint8 *data = g_bytes_get_data (bytes, &length);

  for (gsize i = 0; i < length; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (data, i); /* so that a checker sees reads past the end */
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeGraph) graph = sonde_model_parse (copy, i, "cut", &error);

      g_assert_true ((graph == NULL) == (error != NULL));
      n_loaded += graph != NULL;
    }
  g_assert_cmpuint (n_loaded, <, 8);
}

static void
mutate (GRand *rand, guint8 *data, gsize length)
{
  int n = g_rand_int_range (rand, 1, 6);

  for (int i = 0; i < n; i++)
    {
      gsize at = (gsize) g_rand_int_range (rand, 0, (gint32) length);

      switch (g_rand_int_range (rand, 0, 4))
        {
        case 0:
          data[at] ^= (guint8) (1u << g_rand_int_range (rand, 0, 8));
          break;
        case 1:
          data[at] = (guint8) g_rand_int_range (rand, 0, 256);
          break;
        case 2:
          data[at] = 0xff;
          break;
        default:
          {
            gsize from = (gsize) g_rand_int_range (rand, 0, (gint32) length);
            gsize n_bytes = (gsize) g_rand_int_range (rand, 1, 16);

            memmove (data + at, data + from, MIN (n_bytes, length - MAX (at, from)));
            break;
          }
        }
    }
}

/* What still loads must hold together: it is sorted, listed, copied and, when sortable, written. */
static void
test_flipped (void)
{
  g_autoptr (GBytes) bytes = rich_bytes ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (20);
  gsize length = 0, n_loaded = 0;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  gint64 start = g_get_monotonic_time ();

  for (int round = 0; round < 4000; round++)
    {
      g_autofree guint8 *copy = g_memdup2 (data, length);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeGraph) graph = NULL;

      mutate (rand, copy, length);
      graph = sonde_model_parse (copy, length, "flipped", &error);
      g_assert_true ((graph == NULL) == (error != NULL));
      if (graph != NULL && ++n_loaded % 8 == 0)
        {
          g_autoptr (SondeGraph) second = sonde_graph_copy (graph, TRUE);
          g_autofree char *listing = sonde_graph_listing (second, NULL);
          g_autoptr (GBytes) again = sonde_model_serialise (graph, NULL);

          g_assert_true (g_utf8_validate (listing, -1, NULL));
        }
    }
  g_test_message ("4,000 mutations, %" G_GSIZE_FORMAT " loaded, %.0f ms", n_loaded,
                  (double) (g_get_monotonic_time () - start) / 1e3);
  g_assert_cmpuint (n_loaded, >, 100);
  g_assert_cmpuint (n_loaded, <, 3900);
}

static void
test_garbage (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);

  for (int round = 0; round < 2000; round++)
    {
      gsize length = (gsize) g_rand_int_range (rand, 1, 200);
      g_autofree guint8 *data = g_malloc (length);
      g_autoptr (SondeGraph) graph = NULL;

      for (gsize i = 0; i < length; i++)
        data[i] = (guint8) g_rand_int_range (rand, 0, 256);
      graph = sonde_model_parse (data, length, "garbage", NULL);
      g_assert_null (graph);
    }
}

/* ---- nesting ------------------------------------------------------------- */

/* @fields, repeated from the inside to the outside, around an empty message. */
static GByteArray *
nest (const guint *fields, guint n_fields, guint depth)
{
  /* Built from the end: each level is a key and a length before what is there already. */
  g_autofree guint8 *buffer = g_malloc (depth * 8 + 8);
  gsize at = depth * 8 + 8, end = at;
  GByteArray *result = wire_new ();

  for (guint i = 0; i < depth; i++)
    {
      g_autoptr (GByteArray) head = wire_new ();

      wire_key (head, fields[i % n_fields], 2);
      wire_varint (head, end - at);
      at -= head->len;
      memcpy (buffer + at, head->data, head->len);
    }
  g_byte_array_append (result, buffer + at, (guint) (end - at));
  return result;
}

static void
test_deep (void)
{
  /* From the inside: g of an attribute of a node of a graph; the type of a sequence of a type. */
  static const guint graphs[] = { 6, 5, 1 };
  static const guint sequences[] = { 1, 4 };
  GByteArray *value = wire_new (), *graph = wire_new ();

  assert_graph_fails (nest (graphs, 3, 99999), SONDE_DATA_ERROR_LIMIT,
                      "ModelProto.graph.node[0].attribute[0].g.node[0]");
  wire_take (value, 2, nest (sequences, 2, 100000));
  wire_take (graph, INPUT, value);
  assert_graph_fails (graph, SONDE_DATA_ERROR_LIMIT, "graph.input[0].type");
}

/* A model with @n graphs inside each other besides the main one. */
static GByteArray *
nested_ifs (guint n)
{
  GByteArray *graph = wire_new ();

  for (guint i = 0; i < n; i++)
    {
      GByteArray *node = wire_node ("If", "", ""), *attribute = wire_new (), *outer = wire_new ();

      wire_text (attribute, 1, "then_branch");
      wire_int (attribute, 20, 5);
      wire_take (attribute, 6, graph);
      wire_take (node, 5, attribute);
      wire_take (outer, NODE, node);
      graph = outer;
    }
  return wire_model (graph);
}

static void
test_subgraphs (void)
{
  assert_loads (nested_ifs (32));
  assert_fails (nested_ifs (33), SONDE_DATA_ERROR_LIMIT, "more of its own kind");
}

/* ---- memory and time ----------------------------------------------------- */

/* Two bytes in the file, 250 in memory. */
static void
test_empty_messages (void)
{
  GByteArray *graph = wire_new ();
  const guint8 empty[] = { INITIALISER << 3 | 2, 0 };

  for (int i = 0; i < 4000000; i++)
    g_byte_array_append (graph, empty, 2);
  assert_graph_fails (graph, SONDE_DATA_ERROR_LIMIT, "parsing may use");
}

/* They are stepped over and take no memory. */
static void
test_unknown_fields (void)
{
  GByteArray *model = wire_new (), *graph = wire_new ();

  for (int i = 0; i < 4000000; i++)
    wire_int (model, 99, 1);
  wire_int (model, 1, 8);
  wire_bytes (model, 8, "\x10\x11", 2);
  wire_take (graph, INPUT, wire_value ("x"));
  wire_take (graph, OUTPUT, wire_value ("x"));
  wire_take (model, 7, graph);
  assert_loads (model);
}

/* Each copy is merged with what was there. */
static void
test_repeated_graph (void)
{
  GByteArray *model = wire_new ();

  for (int i = 0; i < 100000; i++)
    wire_take (model, 7, wire_new ());
  assert_fails (model, SONDE_DATA_ERROR_LIMIT, "ModelProto.graph");
}

static void
test_many_captures (void)
{
  GByteArray *graph = wire_new (), *node = wire_node ("Many", "", "y");

  wire_take (graph, INPUT, wire_value ("x"));
  for (int i = 0; i < 50000; i++)
    {
      GByteArray *attribute = wire_new (), *inner = wire_new ();
      g_autofree char *name = g_strdup_printf ("a%d", i);

      wire_take (inner, NODE, wire_node ("Relu", "x", "z"));
      wire_text (attribute, 1, name);
      wire_int (attribute, 20, 5);
      wire_take (attribute, 6, inner);
      wire_take (node, 5, attribute);
    }
  wire_take (graph, NODE, node);
  assert_loads (wire_model (graph));
}

/* ---- the wire ------------------------------------------------------------ */

static GByteArray *
raw (const char *bytes, gsize length)
{
  GByteArray *model = wire_new ();

  g_byte_array_append (model, (const guint8 *) bytes, (guint) length);
  return model;
}

static void
test_wire (void)
{
  static const struct
  {
    const char *bytes;
    gsize length;
    const char *part;
  } cases[] = {
    { "\x3a\xff\xff\xff\xff\x07", 6, "at byte 0" }, /* graph of 2 GiB - 1 */
    { "\x08\x08\x3a\x05\x0a\x01", 6, "at byte 2" }, /* past the end */
    { "\x08\x08\x3a\x02\x0a\x7f", 6, "ModelProto.graph.node at byte 4" },
    { "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, "at byte 0" }, /* 65 bits */
    { "\x00\x01", 2, "at byte 0" },                                      /* field 0 */
    { "\x0b\x0c", 2, "group" },
    { "\x0a\x01\x01", 3, "ModelProto.ir_version" }, /* bytes for a number */
    { "\x38\x01", 2, "ModelProto.graph" },          /* a number for a message */
    { "\x3a\x04\x0a\x02\x28\x01", 6, "ModelProto.graph.node[0].attribute" },
    { "\x0f", 1, "unknown wire type" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_fails (raw (cases[i].bytes, cases[i].length), SONDE_DATA_ERROR_DAMAGED, cases[i].part);
  assert_fails (raw ("", 0), SONDE_DATA_ERROR_DAMAGED, "no graph");
  assert_fails (raw ("\x08\x08", 2), SONDE_DATA_ERROR_DAMAGED, "no graph");
}

/* The index in the path is that of the element, not of the field. */
static void
test_path (void)
{
  GByteArray *graph = wire_new (), *node = wire_node ("Conv", "x w", "y"), *attribute = wire_new ();

  wire_take (graph, NODE, wire_node ("Relu", "a", "b"));
  wire_text (graph, 2, "name");
  wire_take (graph, NODE, wire_node ("Relu", "b", "c"));
  wire_take (node, 5, wire_new ());
  wire_key (attribute, 8, 5);
  wire_take (node, 5, attribute);
  wire_take (graph, NODE, node);
  assert_graph_fails (graph, SONDE_DATA_ERROR_DAMAGED,
                      "ModelProto.graph.node[2].attribute[1].ints");
}

/* ---- graphs that contradict themselves ----------------------------------- */

static void
add_initialiser (GByteArray *graph, const char *name)
{
  GByteArray *tensor = wire_tensor (name, 1, 1, (const gint64[]){ 1 });

  wire_bytes (tensor, 9, "\0\0\0\0", 4);
  wire_take (graph, INITIALISER, tensor);
}

static GByteArray *
graph_of (const char *first, /* kind, name or op, inputs, outputs: see the table */
          ...)
{
  GByteArray *graph = wire_new ();
  va_list list;

  va_start (list, first);
  for (const char *kind = first; kind != NULL; kind = va_arg (list, const char *))
    {
      const char *name = va_arg (list, const char *);

      if (strcmp (kind, "in") == 0)
        wire_take (graph, INPUT, wire_value (name));
      else if (strcmp (kind, "out") == 0)
        wire_take (graph, OUTPUT, wire_value (name));
      else if (strcmp (kind, "init") == 0)
        add_initialiser (graph, name);
      else
        {
          const char *inputs = va_arg (list, const char *);

          wire_take (graph, NODE, wire_node (name, inputs, va_arg (list, const char *)));
        }
    }
  va_end (list);
  return graph;
}

static void
test_names (void)
{
  assert_graph_fails (graph_of ("in", "x", "in", "x", NULL), SONDE_DATA_ERROR_DAMAGED,
                      "value “x” a second time");
  assert_graph_fails (graph_of ("in", "", NULL), SONDE_DATA_ERROR_DAMAGED, "without a name");
  assert_graph_fails (graph_of ("init", "w", "init", "w", NULL), SONDE_DATA_ERROR_DAMAGED, "“w”");
  assert_graph_fails (graph_of ("in", "w", "init", "w", "init", "w", NULL),
                      SONDE_DATA_ERROR_DAMAGED, "“w”");
  assert_graph_fails (graph_of ("in", "x", "node", "Relu", "x", "x", NULL),
                      SONDE_DATA_ERROR_DAMAGED, "“x” a second time, as the output of a node");
  assert_graph_fails (
      graph_of ("in", "x", "node", "Relu", "x", "y", "node", "Relu", "x", "y", NULL),
      SONDE_DATA_ERROR_DAMAGED, "“y”");
  assert_graph_fails (graph_of ("node", "Relu", "nowhere", "y", NULL), SONDE_DATA_ERROR_DAMAGED,
                      "input 0 of node “Relu_y” is “nowhere”, which no node makes");
  assert_graph_fails (graph_of ("out", "y", NULL), SONDE_DATA_ERROR_DAMAGED,
                      "output “y” of graph “” is made by no node");
  assert_graph_fails (graph_of ("in", "x", "node", "", "x", "y", NULL), SONDE_DATA_ERROR_DAMAGED,
                      "has no operator");
  assert_graph_fails (graph_of ("in", "\xff\xfe", NULL), SONDE_DATA_ERROR_DAMAGED, "not UTF-8");
  assert_graph_fails (graph_of ("node", "\xff", "-", "y", NULL), SONDE_DATA_ERROR_DAMAGED,
                      "not UTF-8");
}

static void
test_cycle (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = parse (
      wire_model (graph_of ("node", "Relu", "b", "a", "node", "Relu", "a", "b", NULL)), &error);

  g_assert_no_error (error); /* it can be looked at */
  g_assert_null (sonde_graph_sort (graph, &error));
  g_assert_nonnull (strstr (error->message, "Relu_a"));
}

static void
test_order_is_repaired (void)
{
  g_autoptr (SondeGraph) graph = parse (
      wire_model (graph_of ("in", "x", "node", "Neg", "a", "b", "node", "Relu", "x", "a", NULL)),
      NULL);
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, NULL);

  g_assert_cmpstr (((SondeNode *) order->pdata[0])->op, ==, "Relu");
}

static void
test_unnamed (void)
{
  g_autoptr (SondeGraph) graph
      = parse (wire_model (graph_of ("in", "x", "node", "Relu", "x", "y", "node", "Print", "- x -",
                                     "-", "node", "Print", "", "", NULL)),
               NULL);
  SondeNode *node = sonde_graph_find_node (graph, "Print");

  g_assert_nonnull (sonde_graph_find_node (graph, "Relu_y"));
  g_assert_nonnull (sonde_graph_find_node (graph, "Print_1"));
  g_assert_cmpuint (node->inputs->len, ==, 3);
  g_assert_null (sonde_node_get_input (node, 0));
  g_assert_cmpuint (node->outputs->len, ==, 1);
  g_assert_null (sonde_node_get_output (node, 0));
}

/* IR 3: every initialiser is an input too, and has a default by that. */
static void
test_legacy_initialisers (void)
{
  g_autoptr (SondeGraph) graph = parse (
      wire_model (graph_of ("in", "x", "in", "w", "init", "w", "node", "Add", "x w", "y", NULL)),
      NULL);
  SondeGraphValue *w = sonde_graph_find_value (graph, "w");

  g_assert_cmpuint (graph->inputs->len, ==, 2);
  g_assert_true (graph->inputs->pdata[1] == w);
  g_assert_nonnull (w->constant);
  g_assert_cmpint (w->role, ==, SONDE_ROLE_PARAMETER);
  g_assert_cmpint (w->type.dtype, ==, SONDE_DTYPE_F32);
}

static GByteArray *
with_attribute (GByteArray *attribute)
{
  GByteArray *graph = wire_new (), *node = wire_node ("Op", "", "y");

  wire_take (node, 5, attribute);
  wire_take (graph, NODE, node);
  return graph;
}

static GByteArray *
attribute (const char *name, int type)
{
  GByteArray *bytes = wire_new ();

  if (name != NULL)
    wire_text (bytes, 1, name);
  if (type != 0)
    wire_int (bytes, 20, type);
  return bytes;
}

static void
test_attributes (void)
{
  GByteArray *twice = wire_node ("Op", "", "y"), *graph = wire_new (), *reference = NULL;
  GByteArray *nul = attribute ("a", 3);

  assert_graph_fails (with_attribute (attribute (NULL, 2)), SONDE_DATA_ERROR_DAMAGED,
                      "has no name");
  assert_graph_fails (with_attribute (attribute ("a", 0)), SONDE_DATA_ERROR_DAMAGED,
                      "attribute “a” of node “Op_y”");
  assert_graph_fails (with_attribute (attribute ("a", 4)), SONDE_DATA_ERROR_DAMAGED, "no content");
  assert_graph_fails (with_attribute (attribute ("a", 5)), SONDE_DATA_ERROR_DAMAGED, "no content");
  assert_graph_fails (with_attribute (attribute ("a", 11)), SONDE_DATA_ERROR_DAMAGED, "no content");
  assert_graph_fails (with_attribute (attribute ("a", 12)), SONDE_DATA_ERROR_UNSUPPORTED,
                      "SPARSE_TENSORS");
  assert_graph_fails (with_attribute (attribute ("a", 15)), SONDE_DATA_ERROR_UNSUPPORTED,
                      "number 15");
  assert_graph_fails (with_attribute (attribute ("a", -1)), SONDE_DATA_ERROR_UNSUPPORTED,
                      "number -1");
  reference = attribute ("a", 2);
  wire_text (reference, 21, "outer");
  assert_graph_fails (with_attribute (reference), SONDE_DATA_ERROR_DAMAGED, "in no function");
  wire_bytes (nul, 4, "a\0b", 3);
  assert_graph_fails (with_attribute (nul), SONDE_DATA_ERROR_UNSUPPORTED, "NUL");
  wire_take (twice, 5, attribute ("a", 2));
  wire_take (twice, 5, attribute ("a", 2));
  wire_take (graph, NODE, twice);
  assert_graph_fails (graph, SONDE_DATA_ERROR_DAMAGED, "“a” twice");
}

/* IR 1 had no types; proto3 writers leave zeros out. */
static void
test_attributes_without_type (void)
{
  GByteArray *guessed = attribute ("a", 0);
  g_autoptr (SondeGraph) graph = NULL, zero = NULL;

  wire_int (guessed, 8, 5);
  wire_int (guessed, 8, 6);
  graph = parse (wire_model (with_attribute (guessed)), NULL);
  g_assert_cmpint (sonde_node_find_attribute (sonde_graph_find_node (graph, "Op_y"), "a")->kind, ==,
                   SONDE_ATTRIBUTE_INTS);
  zero = parse (wire_model (with_attribute (attribute ("a", 2))), NULL);
  g_assert_cmpint (sonde_node_get_int (sonde_graph_find_node (zero, "Op_y"), "a", 7), ==, 0);
}

static void
test_types (void)
{
  GByteArray *graph = wire_new (), *value = wire_value ("x"), *type = wire_new ();
  GByteArray *tensor = wire_new (), *shape = wire_new ();
  g_autoptr (SondeGraph) read = NULL;

  for (int i = 0; i < 17; i++)
    wire_take (shape, 1, wire_new ());
  wire_int (tensor, 1, 1);
  wire_take (tensor, 2, shape);
  wire_take (type, 1, tensor);
  wire_take (value, 2, type);
  wire_take (graph, INPUT, value);
  assert_graph_fails (graph, SONDE_DATA_ERROR_LIMIT, "value “x” has 17 dimensions");

  graph = wire_new (), value = wire_value ("x"), type = wire_new (), tensor = wire_new ();
  wire_int (tensor, 1, 14); /* an element type that we cannot hold can still be named in a graph */
  wire_take (type, 1, tensor);
  wire_take (value, 2, type);
  wire_take (graph, INPUT, value);
  read = parse (wire_model (graph), NULL);
  g_assert_cmpint (sonde_graph_find_value (read, "x")->type.kind, ==, SONDE_VALUE_TENSOR);
  g_assert_cmpint (sonde_graph_find_value (read, "x")->type.dtype, ==, SONDE_DTYPE_INVALID);
}

static GByteArray *
function (const char *name, const char *calls)
{
  GByteArray *bytes = wire_new (), *node = wire_node (calls, "a", "b");

  wire_text (bytes, 1, name);
  wire_text (bytes, 4, "a");
  wire_text (bytes, 5, "b");
  wire_text (node, 7, "f");
  wire_take (bytes, 7, node);
  wire_text (bytes, 10, "f");
  return bytes;
}

static GByteArray *
model_of_functions (const char *first, ...)
{
  GByteArray *model = wire_model (wire_new ());
  va_list list;

  va_start (list, first);
  for (const char *name = first; name != NULL; name = va_arg (list, const char *))
    wire_take (model, 25, function (name, va_arg (list, const char *)));
  va_end (list);
  return model;
}

static void
test_functions (void)
{
  assert_loads (model_of_functions ("A", "B", "B", "C", "C", "Relu", NULL));
  assert_fails (model_of_functions ("A", "A", NULL), SONDE_DATA_ERROR_DAMAGED, "“A” calls itself");
  assert_fails (model_of_functions ("A", "B", "B", "C", "C", "B", NULL), SONDE_DATA_ERROR_DAMAGED,
                "calls itself");
  assert_fails (model_of_functions ("A", "Relu", "A", "Relu", NULL), SONDE_DATA_ERROR_DAMAGED,
                "twice");
  assert_fails (model_of_functions ("", "Relu", NULL), SONDE_DATA_ERROR_DAMAGED, "no name");
}

static void
test_opsets (void)
{
  GByteArray *model = wire_model (wire_new ()), *opset = wire_new ();

  wire_int (opset, 2, 18);
  wire_text (opset, 1, "ai.onnx");
  wire_take (model, 8, opset);
  assert_fails (model, SONDE_DATA_ERROR_DAMAGED,
                "“ai.onnx” is imported twice, as version 17 and as 18");
  model = wire_model (wire_new ()), opset = wire_new ();
  wire_int (opset, 2, 17);
  wire_take (model, 8, opset);
  assert_loads (model); /* the same once more */
  model = wire_model (wire_new ()), opset = wire_new ();
  wire_int (opset, 2, -1);
  wire_text (opset, 1, "x");
  wire_take (model, 8, opset);
  assert_fails (model, SONDE_DATA_ERROR_DAMAGED, "version -1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/models/hostile/truncated", test_truncated);
  g_test_add_func ("/data/models/hostile/flipped", test_flipped);
  g_test_add_func ("/data/models/hostile/garbage", test_garbage);
  g_test_add_func ("/data/models/hostile/deep", test_deep);
  g_test_add_func ("/data/models/hostile/subgraphs", test_subgraphs);
  g_test_add_func ("/data/models/hostile/empty-messages", test_empty_messages);
  g_test_add_func ("/data/models/hostile/unknown-fields", test_unknown_fields);
  g_test_add_func ("/data/models/hostile/repeated-graph", test_repeated_graph);
  g_test_add_func ("/data/models/hostile/many-captures", test_many_captures);
  g_test_add_func ("/data/models/hostile/wire", test_wire);
  g_test_add_func ("/data/models/hostile/path", test_path);
  g_test_add_func ("/data/models/graph/names", test_names);
  g_test_add_func ("/data/models/graph/cycle", test_cycle);
  g_test_add_func ("/data/models/graph/order-is-repaired", test_order_is_repaired);
  g_test_add_func ("/data/models/graph/unnamed", test_unnamed);
  g_test_add_func ("/data/models/graph/legacy-initialisers", test_legacy_initialisers);
  g_test_add_func ("/data/models/graph/attributes", test_attributes);
  g_test_add_func ("/data/models/graph/attributes-without-type", test_attributes_without_type);
  g_test_add_func ("/data/models/graph/types", test_types);
  g_test_add_func ("/data/models/graph/functions", test_functions);
  g_test_add_func ("/data/models/graph/opsets", test_opsets);
  return g_test_run ();
}
