/* SPDX-License-Identifier: Apache-2.0
 * TensorFlow's tensors and graphs, and Keras' JSON, as other writers than the samples' make
 * them. */
#include "data/records/tensorboard/sonde-graph-def-private.h"

#include <math.h>

#include "data/base/sonde-error.h"
#include "tests/data/records/wire-writer.h"

/* ---- tensors ------------------------------------------------------------- */

/* @field: values of that field one by one, packed when @packed, 0: as tensor_content of @bytes
 * each */
static const struct
{
  guint dtype, field;
  gboolean packed;
  guint n, bytes;
  guint64 values[4];
  SondeDtype expected_dtype;
  double expected[4]; /* of [4] */
} tensors[] = {
  { 1,
    5,
    TRUE,
    4,
    4,
    { 0x3f800000, 0xbf800000, 0, 0x7f800000 },
    SONDE_DTYPE_F32,
    { 1, -1, 0, INFINITY } },
  { 1, 5, FALSE, 1, 4, { 0x3f800000 }, SONDE_DTYPE_F32, { 1, 1, 1, 1 } }, /* one stands for all */
  /* the last for the rest */
  { 1, 5, TRUE, 2, 4, { 0x3f800000, 0x40000000 }, SONDE_DTYPE_F32, { 1, 2, 2, 2 } },
  { 1, 0, FALSE, 0, 4, { 0 }, SONDE_DTYPE_F32, { 0, 0, 0, 0 } },
  { 2,
    6,
    FALSE,
    4,
    8,
    { 0x3ff0000000000000, 0, 0x4000000000000000, 0 },
    SONDE_DTYPE_F64,
    { 1, 0, 2, 0 } },
  { 3, 7, TRUE, 4, 0, { 5, G_MAXUINT64, 7, 8 }, SONDE_DTYPE_I32, { 5, -1, 7, 8 } },
  { 4, 7, TRUE, 4, 0, { 5, 255, 7, 8 }, SONDE_DTYPE_U8, { 5, 255, 7, 8 } },
  { 4, 16, TRUE, 4, 0, { 5, 255, 7, 8 }, SONDE_DTYPE_U8, { 5, 255, 7, 8 } }, /* PyTorch */
  { 5, 7, FALSE, 4, 0, { 5, G_MAXUINT64 - 1, 7, 8 }, SONDE_DTYPE_I16, { 5, -2, 7, 8 } },
  { 9,
    10,
    TRUE,
    4,
    0,
    { 1ull << 40, G_MAXUINT64, 7, 8 },
    SONDE_DTYPE_I64,
    { 1099511627776.0, -1, 7, 8 } },
  { 10, 11, TRUE, 4, 0, { 1, 0, 300, 0 }, SONDE_DTYPE_BOOL, { 1, 0, 1, 0 } },
  { 19, 13, TRUE, 4, 0, { 0x3c00, 0xc000, 0, 0x7c00 }, SONDE_DTYPE_F16, { 1, -2, 0, INFINITY } },
  { 14, 13, TRUE, 4, 0, { 0x3f80, 0xc000, 0, 0x4040 }, SONDE_DTYPE_BF16, { 1, -2, 0, 3 } },
  { 19,
    13,
    TRUE,
    4,
    0,
    { 0x3fc00000, 0xffffffffc0100000, 0, 0x3f800000 },
    SONDE_DTYPE_F32,
    { 1.5, -2.25, 0, 1 } },
  { 22, 16, TRUE, 4, 0, { 4294967295u, 1, 2, 3 }, SONDE_DTYPE_U32, { 4294967295.0, 1, 2, 3 } },
  { 23,
    17,
    TRUE,
    4,
    0,
    { 1ull << 63, 1, 2, 3 },
    SONDE_DTYPE_U64,
    { 9223372036854775808.0, 1, 2, 3 } },
  { 101, 5, TRUE, 1, 4, { 0x3f800000 }, SONDE_DTYPE_F32, { 1, 1, 1, 1 } }, /* a reference */
  { 6, 4, TRUE, 4, 1, { 1, 0xff, 3, 0x80 }, SONDE_DTYPE_I8, { 1, -1, 3, -128 } },
  { 17, 4, TRUE, 4, 2, { 1, 0xffff, 3, 4 }, SONDE_DTYPE_U16, { 1, 65535, 3, 4 } },
  { 10, 4, TRUE, 4, 1, { 1, 7, 0, 1 }, SONDE_DTYPE_BOOL, { 1, 1, 0, 1 } },
  { 29, 4, TRUE, 4, 1, { 1, 0xf, 7, 8 }, SONDE_DTYPE_I4, { 1, -1, 7, -8 } },
};

static GByteArray *
make_tensor (guint dtype, gint64 n)
{
  GByteArray *message = g_byte_array_new (), *shape = g_byte_array_new (),
             *dim = g_byte_array_new ();

  wire_number (message, 1, dtype);
  wire_number (dim, 1, (guint64) n);
  wire_message (shape, 2, dim);
  wire_message (message, 2, shape);
  return message;
}

static void
put_values (GByteArray *message, guint i)
{
  g_autoptr (GByteArray) packed = g_byte_array_new ();

  for (guint k = 0; k < tensors[i].n; k++)
    if (tensors[i].packed && tensors[i].bytes == 0)
      wire_varint (packed, tensors[i].values[k]);
    else if (tensors[i].packed)
      g_byte_array_append (packed, (const guint8 *) &tensors[i].values[k], tensors[i].bytes);
    else if (tensors[i].bytes == 0)
      wire_number (message, tensors[i].field, tensors[i].values[k]);
    else
      {
        wire_varint (message, (guint64) tensors[i].field << 3 | (tensors[i].bytes == 4 ? 5 : 1));
        g_byte_array_append (message, (const guint8 *) &tensors[i].values[k], tensors[i].bytes);
      }
  if (tensors[i].packed)
    wire_bytes (message, tensors[i].field, packed->data, packed->len);
}

static void
test_tensors (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (tensors); i++)
    {
      g_autoptr (GByteArray) message = make_tensor (tensors[i].dtype, 4);
      g_autoptr (SondeTensor) tensor = NULL;
      g_autoptr (GError) error = NULL;
      SondeTensorProto proto;
      const guint8 *at;

      put_values (message, i);
      g_assert_true (sonde_tensor_proto_view (&proto, message->data, message->len, &at));
      tensor = sonde_tensor_proto_to_tensor (&proto, NULL, "test", &error);
      g_assert_no_error (error);
      g_assert_cmpint (tensor->dtype, ==, tensors[i].expected_dtype);
      for (gint64 k = 0; k < 4; k++)
        g_assert_cmpfloat (sonde_tensor_get_double (tensor, k), ==, tensors[i].expected[k]);
    }
}

static void
assert_no_tensor (GByteArray *message, int code)
{
  g_autoptr (GError) error = NULL;
  SondeTensorProto proto;
  const guint8 *at;

  g_assert_true (sonde_tensor_proto_view (&proto, message->data, message->len, &at));
  g_assert_null (sonde_tensor_proto_to_tensor (&proto, NULL, "test", &error));
  g_assert_error (error, SONDE_DATA_ERROR, code);
}

static void
test_bad_tensors (void)
{
  g_autoptr (GByteArray) content = make_tensor (1, 3), huge = make_tensor (1, (gint64) 1 << 39),
                         strings = make_tensor (7, (gint64) 1 << 39), unknown = make_tensor (1, -1),
                         resource = make_tensor (20, 1), type = make_tensor (65535, 1),
                         rank = g_byte_array_new ();
  GByteArray *shape = g_byte_array_new ();

  wire_text (content, 4, "12345678");
  assert_no_tensor (content, SONDE_DATA_ERROR_DAMAGED);
  wire_float (huge, 5, 1);
  assert_no_tensor (huge, SONDE_DATA_ERROR_LIMIT);
  wire_text (strings, 8, "x");
  assert_no_tensor (strings, SONDE_DATA_ERROR_LIMIT);
  assert_no_tensor (unknown, SONDE_DATA_ERROR_DAMAGED);
  assert_no_tensor (resource, SONDE_DATA_ERROR_UNSUPPORTED);
  assert_no_tensor (type, SONDE_DATA_ERROR_UNSUPPORTED);
  wire_number (rank, 1, 1);
  for (guint i = 0; i < 65; i++)
    {
      GByteArray *dim = g_byte_array_new ();

      wire_number (dim, 1, 1);
      wire_message (shape, 2, dim);
    }
  wire_message (rank, 2, shape);
  assert_no_tensor (rank, SONDE_DATA_ERROR_LIMIT);
}

/* ---- graphs -------------------------------------------------------------- */

/* "name op input input…" */
static void
add_node (GByteArray *graph, guint field, const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  GByteArray *node = g_byte_array_new ();

  wire_text (node, 1, words[0]);
  wire_text (node, 2, words[1]);
  for (guint i = 2; words[i] != NULL; i++)
    wire_text (node, 3, words[i]);
  wire_message (graph, field, node);
}

static const char *
input_name (const SondeGraph *graph, const char *node, guint i)
{
  return sonde_node_get_input (sonde_graph_find_node (graph, node), i)->name;
}

static gboolean
has_problem (const SondeGraph *graph, const char *word)
{
  for (guint i = 0; i < graph->metadata->len; i++)
    if (strstr (g_array_index (graph->metadata, SondeMetadata, i).value, word) != NULL)
      return TRUE;
  return FALSE;
}

static void
test_edges (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *listing = NULL;

  /* before what it reads; a loop; twice the same name; a gap; a control edge; far outputs */
  add_node (bytes, 1, "scope/sum Add scope/split:1 scope/split ^init lost:2");
  add_node (bytes, 1, "scope/split Split back");
  add_node (bytes, 1, "init NoOp");
  add_node (bytes, 1, "back NextIteration scope/sum:0");
  add_node (bytes, 1, "init NoOp ^scope/sum");
  add_node (bytes, 1, "far Many scope/split:65535 scope/split:99999");
  graph = sonde_graph_def_to_graph ((SondeBytes){ bytes->data, bytes->len }, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 6);
  g_assert_cmpstr (input_name (graph, "scope/sum", 0), ==, "scope/split:1");
  g_assert_cmpstr (input_name (graph, "scope/sum", 1), ==, "scope/split");
  g_assert_cmpstr (input_name (graph, "scope/sum", 2), ==, "lost:2");
  g_assert_cmpstr (input_name (graph, "scope/sum", 3), ==, "^init");
  g_assert_cmpstr (input_name (graph, "back", 0), ==, "scope/sum");
  g_assert_cmpstr (sonde_graph_find_node (graph, "scope/sum")->scope, ==, "scope");
  g_assert_true (sonde_node_get_input (sonde_graph_find_node (graph, "scope/sum"), 3)->producer
                 == sonde_graph_find_node (graph, "init"));
  g_assert_true (has_problem (graph, "lost:2"));
  g_assert_true (has_problem (graph, "several"));
  g_assert_true (has_problem (graph, "99999"));
  listing = sonde_graph_listing (graph, NULL);
  g_assert_nonnull (strstr (listing, "scope/sum"));
}

static void
test_function (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  GByteArray *function = g_byte_array_new (), *signature = g_byte_array_new (),
             *argument = g_byte_array_new (), *ret = g_byte_array_new (),
             *library = g_byte_array_new (), *versions = g_byte_array_new ();
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  const SondeFunction *body;

  wire_text (argument, 1, "x");
  wire_number (argument, 3, 1);
  wire_text (signature, 1, "double");
  wire_message (signature, 2, argument);
  wire_message (function, 1, signature);
  add_node (function, 3, "twice Add x x:0");
  add_node (function, 3, "more Neg twice:z:0");
  wire_text (ret, 1, "out");
  wire_text (ret, 2, "more:y:0");
  wire_message (function, 4, ret);
  wire_message (library, 1, function);
  wire_message (bytes, 2, library);
  wire_number (versions, 1, 1395);
  wire_message (bytes, 4, versions);
  add_node (bytes, 1, "call double");
  graph = sonde_graph_def_to_graph ((SondeBytes){ bytes->data, bytes->len }, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_graph_get_opset (graph, "tensorflow"), ==, 1395);
  g_assert_cmpuint (graph->functions->len, ==, 1);
  body = graph->functions->pdata[0];
  g_assert_cmpstr (body->name, ==, "double");
  g_assert_cmpuint (body->body->inputs->len, ==, 1);
  g_assert_cmpint (((SondeGraphValue *) body->body->inputs->pdata[0])->type.dtype, ==,
                   SONDE_DTYPE_F32);
  g_assert_cmpuint (body->body->outputs->len, ==, 1);
  g_assert_true (((SondeGraphValue *) body->body->outputs->pdata[0])->producer
                 == sonde_graph_find_node (body->body, "more"));
  g_assert_true (sonde_node_get_input (sonde_graph_find_node (body->body, "twice"), 1)
                 == body->body->inputs->pdata[0]);
}

/* (transfer full) @value */
static void
add_attribute (GByteArray *node, const char *name, GByteArray *value)
{
  GByteArray *entry = g_byte_array_new ();

  wire_text (entry, 1, name);
  wire_message (entry, 2, value);
  wire_message (node, 5, entry);
}

/* An AttrValue with field @number. */
static GByteArray *
make_value (guint number, const void *bytes, gsize length)
{
  GByteArray *value = g_byte_array_new ();

  wire_bytes (value, number, bytes, length);
  return value;
}

static SondeGraph *
import_node (GByteArray *node, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  wire_message (bytes, 1, node);
  return sonde_graph_def_to_graph ((SondeBytes){ bytes->data, bytes->len }, error);
}

static const SondeAttribute *
attribute_of (const SondeGraph *graph, const char *name)
{
  const SondeAttribute *attribute
      = sonde_node_find_attribute (sonde_graph_find_node (graph, "n"), name);

  g_assert_nonnull (attribute);
  return attribute;
}

/* Lists come packed or not; types, shapes and functions are texts. */
static void
test_lists (void)
{
  GByteArray *node = g_byte_array_new (), *flags = g_byte_array_new ();
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  wire_text (node, 1, "n");
  add_attribute (node, "ints", make_value (1, "\x1a\x02\x01\x02\x18\x03", 6));
  add_attribute (node, "floats", make_value (1, "\x25\x00\x00\x80\x3f", 5));
  add_attribute (node, "types", make_value (1, "\x32\x02\x01\x66", 4));
  add_attribute (node, "shapes", make_value (1, "\x3a\x04\x12\x02\x08\x03\x3a\x00", 8));
  add_attribute (node, "functions", make_value (1, "\x4a\x03\x0a\x01g", 5));
  add_attribute (node, "function",
                 make_value (10,
                             "\x0a\x01"
                             "f\x12\x00",
                             5));
  wire_number (flags, 5, 300);
  add_attribute (node, "flag", flags);
  graph = import_node (node, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (attribute_of (graph, "ints")->n, ==, 3);
  g_assert_cmpint (attribute_of (graph, "ints")->u.ints[2], ==, 3);
  g_assert_cmpfloat (attribute_of (graph, "floats")->u.floats[0], ==, 1);
  g_assert_cmpstr (attribute_of (graph, "types")->u.strings[0], ==, "float32");
  g_assert_cmpstr (attribute_of (graph, "types")->u.strings[1], ==, "float64 reference");
  g_assert_cmpstr (attribute_of (graph, "shapes")->u.strings[0], ==, "[3]");
  g_assert_cmpstr (attribute_of (graph, "shapes")->u.strings[1], ==, "[]");
  g_assert_cmpstr (attribute_of (graph, "functions")->u.strings[0], ==, "g");
  g_assert_cmpstr (attribute_of (graph, "function")->u.string, ==, "f");
  g_assert_cmpint (attribute_of (graph, "flag")->u.i, ==, 1);
}

/* A bad attribute costs itself, a bad node the graph. */
static void
test_bad_fields (void)
{
  GByteArray *node = g_byte_array_new (), *entry = g_byte_array_new (), *bad = g_byte_array_new ();
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  wire_text (node, 1, "n");
  add_attribute (node, "cut", make_value (1, "\x12\x09", 2));
  add_attribute (node, "long", make_value (1, "\x1a\x02\xff\xff", 4));
  add_attribute (node, "_output_shapes", make_value (1, "\x3a\x02\x12\x09", 4));
  wire_number (entry, 2, 7);
  wire_message (node, 5, entry);
  add_attribute (node, "good", make_value (2, "text", 4));
  graph = import_node (node, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (attribute_of (graph, "good")->u.string, ==, "text");
  g_assert_true (has_problem (graph, "AttributeEntry.value.list.s at byte 9"));
  g_assert_true (has_problem (graph, "list.i at byte 10 ends inside an element"));
  g_assert_true (has_problem (graph, "Shape of a node's output"));
  g_assert_true (has_problem (graph, "AttributeEntry.value at byte 0 has the wrong wire type"));
  g_assert_cmpuint (sonde_graph_find_node (graph, "n")->attributes->len, ==, 1);

  wire_number (bad, 3, 1);
  g_assert_null (import_node (bad, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "GraphDef.node[0].input at byte 2"));
}

/* Graphs of run metadata become one; their nodes are told apart, calls find their function. */
static void
test_run_metadata (void)
{
  g_autoptr (GByteArray) message = g_byte_array_new ();
  g_autoptr (SondeGraph) graph = NULL;

  for (guint i = 0; i < 2; i++)
    {
      GByteArray *functions = g_byte_array_new (), *before = g_byte_array_new ();

      add_node (before, 1, "a NoOp");
      add_node (before, 1, "b Neg a");
      wire_message (functions, 2, before);
      wire_message (message, 4, functions);
    }
  graph = sonde_graph_def_of_run_metadata ((SondeBytes){ message->data, message->len }, NULL);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 4);
  g_assert_cmpstr (input_name (graph, "graph_1/b", 0), ==, "graph_1/a");
  g_assert_cmpstr (input_name (graph, "graph_2/b", 0), ==, "graph_2/a");
}

static void
test_many_graphs (void)
{
  g_autoptr (GByteArray) message = g_byte_array_new ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 10001; i++)
    wire_bytes (message, 3, "", 0);
  g_assert_null (
      sonde_graph_def_of_run_metadata ((SondeBytes){ message->data, message->len }, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
}

/* A node's bytes are few, its memory is not: the budget ends it, in time. */
static void
test_flood (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 1500000; i++)
    g_byte_array_append (bytes, (const guint8 *) "\x0a\x00", 2);
  graph = sonde_graph_def_to_graph ((SondeBytes){ bytes->data, bytes->len }, &error);
  g_assert_null (graph);
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
}

/* ---- Keras --------------------------------------------------------------- */

static SondeGraph *
keras (const char *json)
{
  GError *error = NULL;
  SondeGraph *graph
      = sonde_keras_json_to_graph ((SondeBytes){ (const guint8 *) json, strlen (json) }, &error);

  g_assert_no_error (error);
  return graph;
}

static void
test_keras (void)
{
  g_autoptr (SondeGraph) sequential
      = keras ("{\"class_name\": \"Sequential\", \"config\": {\"name\": \"s\", \"layers\": ["
               "{\"class_name\": \"InputLayer\", \"config\": {\"name\": \"in\", \"batch_shape\": "
               "[null, 4]}},"
               "{\"class_name\": \"Dense\", \"config\": {\"name\": \"d\", \"units\": 3, "
               "\"use_bias\": true}},"
               "{\"class_name\": \"ReLU\", \"config\": {\"name\": \"r\"}}]}}");
  g_autoptr (SondeGraph) functional = keras (
      "{\"class_name\": \"Functional\", \"config\": {\"layers\": ["
      "{\"class_name\": \"InputLayer\", \"config\": {\"name\": \"a\"}, \"inbound_nodes\": []},"
      "{\"class_name\": \"Functional\", \"config\": {\"name\": \"inner\", \"layers\": ["
      "{\"class_name\": \"InputLayer\", \"config\": {\"name\": \"x\"}, \"inbound_nodes\": []},"
      "{\"class_name\": \"Dense\", \"config\": {\"name\": \"y\"}, \"inbound_nodes\": [[[\"x\", 0, "
      "0, {}]]]}],"
      "\"input_layers\": [[\"x\", 0, 0]], \"output_layers\": [[\"y\", 0, 0]]}, \"inbound_nodes\": "
      "[[[\"a\", 0, 0, {}]]]},"
      "{\"class_name\": \"Add\", \"config\": {\"name\": \"add\"}, \"inbound_nodes\": [{\"args\": [["
      "{\"class_name\": \"__keras_tensor__\", \"config\": {\"keras_history\": [\"a\", 0, 0]}},"
      "{\"class_name\": \"__keras_tensor__\", \"config\": {\"keras_history\": [\"inner\", 0, "
      "0]}}]], \"kwargs\": {}}]}],"
      "\"output_layers\": [\"add\", 0, 0]}}");

  g_assert_cmpstr (input_name (sequential, "d", 0), ==, "in");
  g_assert_cmpstr (input_name (sequential, "r", 0), ==, "d");
  g_assert_cmpint (sonde_node_get_int (sonde_graph_find_node (sequential, "d"), "units", 0), ==, 3);
  g_assert_cmpint (sonde_node_get_int (sonde_graph_find_node (sequential, "d"), "use_bias", 0), ==,
                   1);
  g_assert_cmpstr (input_name (functional, "inner/x", 0), ==, "a");
  g_assert_cmpstr (input_name (functional, "inner/y", 0), ==, "inner/x");
  g_assert_cmpstr (input_name (functional, "add", 0), ==, "a");
  g_assert_cmpstr (input_name (functional, "add", 1), ==, "inner/y");
  g_assert_cmpuint (functional->outputs->len, ==, 1);
}

static void
test_bad_keras (void)
{
  static const char *const texts[]
      = { "", "[]", "{", "{\"config\": {}}", "{\"config\": {\"layers\": [1]}}" };
  g_autoptr (GString) deep = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_assert_null (sonde_keras_json_to_graph (
        (SondeBytes){ (const guint8 *) texts[i], strlen (texts[i]) }, NULL));
  for (guint i = 0; i < 1000000; i++)
    g_string_append_c (deep, '[');
  g_assert_null (
      sonde_keras_json_to_graph ((SondeBytes){ (const guint8 *) deep->str, deep->len }, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph-def/tensors", test_tensors);
  g_test_add_func ("/graph-def/bad-tensors", test_bad_tensors);
  g_test_add_func ("/graph-def/edges", test_edges);
  g_test_add_func ("/graph-def/function", test_function);
  g_test_add_func ("/graph-def/lists", test_lists);
  g_test_add_func ("/graph-def/bad-fields", test_bad_fields);
  g_test_add_func ("/graph-def/run-metadata", test_run_metadata);
  g_test_add_func ("/graph-def/many-graphs", test_many_graphs);
  g_test_add_func ("/graph-def/flood", test_flood);
  g_test_add_func ("/graph-def/keras", test_keras);
  g_test_add_func ("/graph-def/bad-keras", test_bad_keras);
  return g_test_run ();
}
