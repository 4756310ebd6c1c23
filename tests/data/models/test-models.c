/* SPDX-License-Identifier: Apache-2.0
 * Models that other programs wrote, and what we write ourselves. */
#include "tests/data/models/compare-models.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "data/base/sonde-io.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"

static char *
shared_path (const char *relative)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  char *path = shared ? g_build_filename (shared, "models", relative, NULL) : NULL;

  if (path != NULL && g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_free (path);
  g_test_skip ("the shared models are not here");
  return NULL;
}

static SondeGraph *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  SondeGraph *graph = sonde_model_load (NULL, path, &error);

  g_assert_no_error (error);
  return graph;
}

static SondeGraph *
load_shared (const char *name)
{
  g_autofree char *relative = g_strdup_printf ("%s/%s.onnx", name, name);
  g_autofree char *path = shared_path (relative);

  return path ? load (path) : NULL;
}

static SondeGraph *
write_and_read (SondeGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = sonde_model_serialise (graph, &error);
  SondeGraph *again = NULL;
  gsize length = 0;
  const guint8 *data = NULL;

  g_assert_no_error (error);
  data = g_bytes_get_data (bytes, &length);
  again = sonde_model_parse (data, length, "again", &error);
  g_assert_no_error (error);
  return again;
}

static gint64
count_elements (SondeGraph *graph, gboolean only_float)
{
  gint64 n = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];
      SondeTensor *tensor = value ? sonde_value_get_tensor (value->constant) : NULL;

      if (tensor != NULL && (!only_float || sonde_dtype_is_float (tensor->dtype)))
        n += sonde_tensor_n_elements (tensor);
    }
  return n;
}

/* Counts of models.tsv; its parameters are all float initialisers, running statistics included. */
static void
check_row (const char *row)
{
  g_auto (GStrv) cells = g_strsplit (row, "\t", -1);
  g_autoptr (SondeGraph) graph = load_shared (cells[0]);
  g_autoptr (SondeGraph) again = NULL;

  if (graph == NULL)
    return;
  g_assert_cmpint (graph->ir_version, ==, g_ascii_strtoll (cells[1], NULL, 10));
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, g_ascii_strtoull (cells[3], NULL, 10));
  if (strcmp (cells[0], "lenet-int8-qdq") != 0) /* counts its integer weights */
    g_assert_cmpint (count_elements (graph, TRUE), ==, g_ascii_strtoll (cells[4], NULL, 10));
  again = write_and_read (graph);
  compare_models (graph, again);
}

static void
test_table (void)
{
  g_autofree char *path = shared_path ("models.tsv");
  g_autofree char *text = NULL;
  g_auto (GStrv) rows = NULL;
  int n = 0;

  if (path == NULL)
    return;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  rows = g_strsplit (text, "\n", -1);
  for (guint i = 1; rows[i] != NULL; i++)
    if (*rows[i] != '\0' && ++n > 0)
      check_row (rows[i]);
  g_assert_cmpint (n, >=, 17);
}

static void
test_others (void)
{
  static const char *const files[] = {
    "training/mlp/forward.onnx",       "training/lenet/forward.onnx",
    "training/bn-resnet/forward.onnx", "training/lstm/forward.onnx",
    "training/encoder/forward.onnx",   "explain/cifar-resnet20.onnx",
    "explain/cifar-resnet20-bn.onnx",  "explain/cifar-cued.onnx",
  };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = shared_path (files[i]);
      g_autoptr (SondeGraph) graph = path ? load (path) : NULL;
      g_autoptr (SondeGraph) again = NULL;

      if (graph == NULL)
        return;
      g_assert_cmpstr (sonde_model_sniff (NULL, path, NULL), ==, "onnx");
      again = write_and_read (graph);
      compare_models (graph, again);
    }
}

/* The newer exporter of PyTorch does not name nodes after modules, but says which they are in. */
static void
test_torch_scopes (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests", "fixtures",
                                            "torch-step", "attention-scopes.onnx", NULL);
  g_autoptr (SondeGraph) graph = load (path), again = write_and_read (graph);

  g_assert_cmpstr (sonde_graph_find_node (graph, "node_linear_3")->scope, ==, "mlp/0");
  g_assert_cmpstr (sonde_graph_find_node (graph, "node_layer_norm")->scope, ==, "norm");
  g_assert_null (sonde_graph_find_node (graph, "node_softmax")->scope);
  compare_models (graph, again);
}

static void
test_lenet (void)
{
  g_autoptr (SondeGraph) graph = load_shared ("lenet-mnist");
  g_autofree char *type = NULL;
  gsize n = 0;
  SondeNode *conv = NULL;
  SondeGraphValue *weight = NULL;

  if (graph == NULL)
    return;
  conv = sonde_graph_find_node (graph, "/conv1/Conv");
  weight = sonde_graph_find_value (graph, "conv1.weight");
  g_assert_cmpstr (conv->op, ==, "Conv");
  g_assert_cmpint (conv->version, ==, 17);
  g_assert_cmpstr (conv->scope, ==, "conv1");
  g_assert_cmpint (sonde_node_get_ints (conv, "pads", &n)[3], ==, 2);
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpint (weight->role, ==, SONDE_ROLE_PARAMETER);
  g_assert_true (sonde_node_get_input (conv, 1) == weight);
  type = sonde_type_to_string (&((SondeGraphValue *) graph->outputs->pdata[0])->type);
  g_assert_cmpstr (type, ==, "float32 N×10");
  g_assert_cmpuint (graph->inputs->len, ==, 1);
}

static void
test_running_statistics (void)
{
  g_autoptr (SondeGraph) graph = load_shared ("bn-resnet");

  if (graph == NULL)
    return;
  g_assert_cmpint (sonde_graph_find_value (graph, "bn.running_mean")->role, ==, SONDE_ROLE_STATE);
  g_assert_cmpint (sonde_graph_find_value (graph, "bn.running_var")->role, ==, SONDE_ROLE_STATE);
  g_assert_cmpint (sonde_graph_find_value (graph, "bn.weight")->role, ==, SONDE_ROLE_PARAMETER);
}

static void
test_control_flow (void)
{
  g_autoptr (SondeGraph) graph = load_shared ("control-flow");
  SondeNode *loop = NULL;
  SondeGraph *body = NULL;

  if (graph == NULL)
    return;
  loop = sonde_graph_find_node (graph, "n0_Loop");
  body = sonde_node_get_graph (loop, "body");
  g_assert_true (body->parent == graph);
  g_assert_true (sonde_graph_find_value (body, "W")->outer == sonde_graph_find_value (graph, "W"));
  g_assert_cmpint (sonde_graph_find_value (graph, "W")->role, ==, SONDE_ROLE_PARAMETER);
  g_assert_null (sonde_node_get_input (loop, 1));
}

static void
test_functions (void)
{
  g_autoptr (SondeGraph) graph = load_shared ("local-functions");
  SondeFunction *function = NULL;
  SondeAttribute *reference = NULL;

  if (graph == NULL)
    return;
  g_assert_cmpuint (graph->functions->len, ==, 3);
  function = graph->functions->pdata[0];
  g_assert_cmpstr (function->name, ==, "ScaleShift");
  g_assert_cmpuint (function->defaults->len + g_strv_length (function->attribute_names), ==, 2);
  reference
      = sonde_node_find_attribute (sonde_graph_resolve_node (function->body, "a"), "value_float");
  g_assert_cmpint (reference->kind, ==, SONDE_ATTRIBUTE_REFERENCE);
  g_assert_cmpint (reference->reference_kind, ==, SONDE_ATTRIBUTE_FLOAT);
  g_assert_cmpstr (reference->u.string, ==, "alpha");
}

static void
test_external (void)
{
  g_autoptr (SondeGraph) graph = load_shared ("external-data");
  g_autoptr (SondeGraph) again = NULL;

  if (graph == NULL)
    return;
  g_assert_cmpint (count_elements (graph, TRUE), ==, 101770);
  again = write_and_read (graph); /* the bytes come inside now */
  compare_models (graph, again);
}

static void
test_rich (void)
{
  g_autoptr (SondeGraph) graph = make_rich_model ();
  g_autoptr (SondeGraph) again = write_and_read (graph);
  g_autoptr (SondeGraph) third = write_and_read (again);

  compare_models (graph, again);
  compare_models (again, third);
  g_assert_cmpint (again->ir_version, ==, 13); /* for the 2-bit types */
}

/* A model without anything of ours carries nothing of ours. */
static void
test_plain_file (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("plain");
  g_autoptr (SondeGraph) again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  gsize length = 0;

  sonde_graph_set_opset (graph, "", 17);
  sonde_graph_add_output (
      graph,
      sonde_node_get_output (sonde_graph_add_node (graph, "/a/relu", "", "Relu", &x, 1, 1), 0));
  bytes = sonde_model_serialise (graph, NULL);
  g_assert_null (memmem (g_bytes_get_data (bytes, &length), g_bytes_get_size (bytes), "sonde.", 6));
  again = write_and_read (graph);
  g_assert_cmpint (again->ir_version, ==, 8);
}

/* What a subgraph captured may have another name by now. */
static void
test_renamed_capture (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("g");
  g_autoptr (SondeGraph) again = NULL;
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL), *inner = NULL;
  SondeNode *node = sonde_graph_add_node (graph, "if", "", "If", &x, 1, 1);
  SondeGraph *body = sonde_graph_new_subgraph (graph, "b");

  sonde_graph_set_opset (graph, "", 17);
  sonde_node_take_graph (node, "then_branch", body);
  inner = sonde_graph_capture_value (body, "x");
  sonde_graph_add_node (body, "relu", "", "Relu", &inner, 1, 1);
  sonde_graph_rename_value (graph, x, "image");
  again = write_and_read (graph);
  compare_models (graph, again);
  body = sonde_node_get_graph (sonde_graph_find_node (again, "if"), "then_branch");
  g_assert_nonnull (sonde_graph_find_value (body, "image"));
}

static void
test_save (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sonde-models-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "rich.onnx", NULL);
  g_autofree char *missing = g_build_filename (folder, "none", "x.onnx", NULL);
  g_autoptr (SondeGraph) graph = make_rich_model ();
  g_autoptr (SondeGraph) again = NULL;

  g_assert_true (sonde_model_save (NULL, path, graph, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (sonde_model_sniff (NULL, path, NULL), ==, "onnx");
  again = load (path);
  compare_models (graph, again);
  g_assert_false (sonde_model_save (NULL, missing, graph, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_null (sonde_model_load (NULL, missing, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_not_writable (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("cycle");
  SondeNode *node = sonde_graph_add_node (graph, "self", "", "Relu", NULL, 0, 1);
  SondeGraph *at = NULL;

  sonde_node_set_input (graph, node, 0, sonde_node_get_output (node, 0));
  g_assert_null (sonde_model_serialise (graph, &error));
  g_assert_nonnull (strstr (error->message, "self"));
  g_clear_error (&error);

  sonde_node_set_input (graph, node, 0, NULL);
  at = graph;
  for (int i = 0; i <= SONDE_BUDGET_SUBGRAPHS; i++)
    {
      SondeGraph *inner = sonde_graph_new_subgraph (at, "inner");

      sonde_node_take_graph (sonde_graph_add_node (at, "n", "", "If", NULL, 0, 0), "b", inner);
      at = inner;
    }
  g_assert_null (sonde_model_serialise (graph, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
}

/* Files that are no models, among them ones that begin like one. */
static void
test_sniff (void)
{
  static const struct
  {
    const char *bytes;
    gsize length;
    const char *format;
  } cases[] = {
    { "\x08\x08\x12\x07pytorch", 11, "onnx" },
    { "\x08\x08", 2, "onnx" },
    { "\x08\x03\x10\x01\x22\x04"
      "abcd",
      10, NULL }, /* a tensor */
    { "\x08\x00", 2, NULL },
    { "\x89PNG\r\n\x1a\n", 8, NULL },
    { "\x18\x00\x00\x00\x00\x00\x00\x00", 8, NULL },
    { "\x93NUMPY", 6, NULL },
    { "model = lenet\n", 14, NULL },
    { "", 0, NULL },
  };
  g_autofree char *folder = g_dir_make_tmp ("sonde-models-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "file", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (path, cases[i].bytes, (gssize) cases[i].length, NULL));
      g_assert_cmpstr (sonde_model_sniff (NULL, path, &error), ==, cases[i].format);
      g_assert_no_error (error);
      if (cases[i].format != NULL)
        continue;
      g_assert_null (sonde_model_load (NULL, path, &error));
      if (cases[i].length > 0)
        g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
      else
        g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
    }
  g_unlink (path);
  g_rmdir (folder);
}

/* OX24: known well enough to say what it is and what is wrong with it, whatever its name. */
static void
test_mindir (void)
{
  static const struct
  {
    const char *name, *bytes;
    gsize length;
    const char *format;
    SondeDataError code;
    const char *part;
  } cases[] = {
    { "net.mindir",
      "\x0a\x05"
      "0.1.1\x12\x09MindSpore",
      18, "mindir", SONDE_DATA_ERROR_DAMAGED, "is a MindIR file without a graph" },
    { "net.onnx",
      "\x0a\x05"
      "0.1.1\x12\x09MindSpore",
      18, "mindir", SONDE_DATA_ERROR_DAMAGED, "is a MindIR file without a graph" },
    { "net.mindir", "\xff\xff\xff\xff damaged", 12, NULL, SONDE_DATA_ERROR_DAMAGED, "byte 0" },
    { "net.mindir",
      "\xd8\x5e\x3a\x7f"
      "0123456789",
      14, "encrypted mindir", SONDE_DATA_ERROR_UNSUPPORTED, "is encrypted by MindSpore (AES-GCM)" },
    { "net", "\xd9\x5e\x3a\x7f", 4, "encrypted mindir", SONDE_DATA_ERROR_UNSUPPORTED, "(AES-CBC)" },
    { "net.onnx",
      "\xda\x5e\x3a\x7f"
      "0123456789",
      14, "encrypted mindir", SONDE_DATA_ERROR_UNSUPPORTED,
      "(SM4-CBC), and cannot be read without its key" },
    { "net",
      "\x0a\x05"
      "0.1",
      5, NULL, SONDE_DATA_ERROR_UNSUPPORTED, "not a model" }, /* cut in the version */
    { "net",
      "\x0a\x05"
      "a.b.c",
      7, NULL, SONDE_DATA_ERROR_UNSUPPORTED, "not a model" },
    { "net", "\x0a", 1, NULL, SONDE_DATA_ERROR_UNSUPPORTED, "not a model" },
  };
  g_autofree char *folder = g_dir_make_tmp ("sonde-models-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_build_filename (folder, cases[i].name, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (path, cases[i].bytes, (gssize) cases[i].length, NULL));
      g_assert_cmpstr (sonde_model_sniff (NULL, path, NULL), ==, cases[i].format);
      g_assert_null (sonde_model_load (NULL, path, &error));
      g_assert_error (error, SONDE_DATA_ERROR, (int) cases[i].code);
      g_assert_nonnull (strstr (error->message, cases[i].part));
      g_assert_nonnull (strstr (error->message, path));
      g_unlink (path);
    }
  g_rmdir (folder);
}

static void
test_mindir_samples (void)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *path = g_strdup_printf ("%s/samples/mindspore/models/lenet/lenet_b16.mindir",
                                           shared != NULL ? shared : "");

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    g_assert_cmpstr (sonde_model_sniff (NULL, path, NULL), ==, "mindir");
  else
    g_test_skip ("SONDE_SHARED is not there");
}

static void
test_speed (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("chain");
  g_autoptr (SondeGraph) again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", NULL);
  const gint64 strides[] = { 1, 1 };
  gsize length = 0;
  const guint8 *data = NULL;
  gint64 start = 0;

  for (int i = 0; i < 100000; i++)
    {
      SondeNode *node = sonde_graph_add_node (graph, NULL, "", "MaxPool", &value, 1, 1);

      sonde_node_set_ints (node, "strides", strides, 2);
      value = sonde_node_get_output (node, 0);
    }
  start = g_get_monotonic_time ();
  bytes = sonde_model_serialise (graph, NULL);
  data = g_bytes_get_data (bytes, &length);
  g_test_message ("100,000 nodes written in %.0f ms",
                  (double) (g_get_monotonic_time () - start) / 1e3);
  start = g_get_monotonic_time ();
  again = sonde_model_parse (data, length, "chain", NULL);
  g_test_message ("%" G_GSIZE_FORMAT " bytes read in %.0f ms", length,
                  (double) (g_get_monotonic_time () - start) / 1e3);
  g_assert_cmpuint (sonde_graph_count_nodes (again), ==, 100000);
}

/* Weights on both sides of the size from which they bypass the decoded message; from a file, into
 * whose memory they are not read, and from memory, which must stay as it is. */
static void
test_large_weights (void)
{
  static const gint64 counts[] = { 16383, 16384, 3, 16385, 1, 300000, 0, 20000 };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("large"), again = NULL;
  g_autoptr (GBytes) bytes = NULL, before = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  gsize length = 0;

  sonde_graph_set_opset (graph, "", 17);
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autofree char *name = g_strdup_printf ("w%" G_GSIZE_FORMAT, i);
      SondeShape shape = sonde_shape_make (1, counts[i]);
      g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_I32, &shape);

      for (gint64 k = 0; k < counts[i]; k++)
        ((gint32 *) (void *) tensor->data)[k] = (gint32) (k * 2654435761u + i);
      sonde_graph_add_output (
          graph, sonde_graph_add_initialiser (graph, name, tensor, SONDE_ROLE_CONSTANT));
    }

  bytes = sonde_model_serialise (graph, &error);
  g_assert_no_error (error);
  before = g_bytes_new (g_bytes_get_data (bytes, &length), g_bytes_get_size (bytes));
  again = sonde_model_parse (g_bytes_get_data (bytes, &length), g_bytes_get_size (bytes), "large",
                             &error);
  g_assert_no_error (error);
  compare_models (graph, again);
  g_assert_true (g_bytes_equal (bytes, before));
  g_clear_pointer (&again, sonde_graph_unref);

  path = g_build_filename (g_get_tmp_dir (), "sonde-large-XXXXXX", NULL);
  close (g_mkstemp (path));
  sonde_model_save (NULL, path, graph, &error);
  g_assert_no_error (error);
  again = load (path);
  compare_models (graph, again);
  g_unlink (path);
}

static GBytes *
make_one_weight (const char *name)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("one");
  SondeShape shape = sonde_shape_make (1, 50000);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_I32, &shape);
  g_autoptr (GError) error = NULL;
  GBytes *bytes;

  for (gint64 i = 0; i < 50000; i++)
    ((gint32 *) (void *) tensor->data)[i] = (gint32) (i * 2654435761u);
  sonde_graph_set_opset (graph, "", 17);
  sonde_graph_add_output (graph,
                          sonde_graph_add_initialiser (graph, name, tensor, SONDE_ROLE_CONSTANT));
  bytes = sonde_model_serialise (graph, &error);
  g_assert_no_error (error);
  return bytes;
}

/* Says of @bytes as a file what it says of them in memory. */
static void
check_file (const guint8 *data, gsize length)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "sonde-odd-XXXXXX.onnx", NULL);
  g_autoptr (SondeGraph) from_file = NULL, from_memory = NULL;
  g_autoptr (GError) file_error = NULL, memory_error = NULL, error = NULL;

  close (g_mkstemp (path));
  sonde_io_replace_file (NULL, path, data, length, &error);
  g_assert_no_error (error);
  from_file = sonde_model_load (NULL, path, &file_error);
  from_memory = sonde_model_parse (data, length, path, &memory_error);
  g_assert_cmpstr (file_error ? file_error->message : NULL, ==,
                   memory_error ? memory_error->message : NULL);
  g_assert_true ((from_file == NULL) == (from_memory == NULL));
  if (from_file != NULL)
    compare_models (from_memory, from_file);
  g_unlink (path);
}

/* Files in whose weights the reader must look after all: cut off, the graph in two parts, which are
 * one, weights named twice. */
static void
test_odd_large_weights (void)
{
  g_autoptr (GBytes) one = make_one_weight ("one"), two = make_one_weight ("two");
  g_autoptr (GByteArray) both = g_byte_array_new ();
  gsize length = g_bytes_get_size (one);

  g_byte_array_append (both, g_bytes_get_data (one, NULL), (guint) length);
  check_file (both->data, both->len);
  for (gsize cut = 1; cut < length; cut += 19997)
    check_file (both->data, length - cut);
  for (gsize at = 0; at < 80; at++)
    {
      both->data[at] ^= 0x15;
      check_file (both->data, both->len);
      both->data[at] ^= 0x15;
    }

  g_byte_array_append (both, g_bytes_get_data (two, NULL), (guint) g_bytes_get_size (two));
  check_file (both->data, both->len);
  g_byte_array_append (both, g_bytes_get_data (two, NULL), (guint) g_bytes_get_size (two));
  check_file (both->data, both->len);
}

/* What exporters write where they have no name for a size is none: equal ones mean nothing. */
static void
test_names_of_sizes (void)
{
  static const struct
  {
    const char *written, *read;
  } names[] = { { "N", "N" },
                { "?", NULL },
                { "unk__12", NULL },
                { "unk__", "unk__" },
                { "unk__1a", "unk__1a" },
                { "batch_size", "batch_size" } };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("sizes"), read = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  SondeType type = sonde_type_unknown ();
  SondeGraphValue *x = NULL;

  type.kind = SONDE_VALUE_TENSOR;
  type.dtype = SONDE_DTYPE_F32;
  type.rank = G_N_ELEMENTS (names);
  for (int d = 0; d < type.rank; d++)
    type.dims[d] = (SondeDimension){ -1, g_intern_string (names[d].written) };
  sonde_graph_set_opset (graph, "", 17);
  x = sonde_graph_add_input (graph, "x", &type);
  sonde_graph_add_output (
      graph, sonde_node_get_output (sonde_graph_add_node (graph, "r", "", "Relu", &x, 1, 1), 0));
  bytes = sonde_model_serialise (graph, &error);
  g_assert_no_error (error);
  read = sonde_model_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "sizes",
                            &error);
  g_assert_no_error (error);
  for (int d = 0; d < type.rank; d++)
    g_assert_cmpstr (sonde_graph_find_value (read, "x")->type.dims[d].symbol, ==, names[d].read);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/models/shared/table", test_table);
  g_test_add_func ("/data/models/shared/others", test_others);
  g_test_add_func ("/data/models/onnx/torch-scopes", test_torch_scopes);
  g_test_add_func ("/data/models/shared/lenet", test_lenet);
  g_test_add_func ("/data/models/shared/running-statistics", test_running_statistics);
  g_test_add_func ("/data/models/shared/control-flow", test_control_flow);
  g_test_add_func ("/data/models/shared/functions", test_functions);
  g_test_add_func ("/data/models/shared/external", test_external);
  g_test_add_func ("/data/models/write/large-weights", test_large_weights);
  g_test_add_func ("/data/models/write/odd-large-weights", test_odd_large_weights);
  g_test_add_func ("/data/models/write/rich", test_rich);
  g_test_add_func ("/data/models/read/names-of-sizes", test_names_of_sizes);
  g_test_add_func ("/data/models/write/plain", test_plain_file);
  g_test_add_func ("/data/models/write/renamed-capture", test_renamed_capture);
  g_test_add_func ("/data/models/write/save", test_save);
  g_test_add_func ("/data/models/write/not-writable", test_not_writable);
  g_test_add_func ("/data/models/sniff", test_sniff);
  g_test_add_func ("/data/models/mindir", test_mindir);
  g_test_add_func ("/data/models/mindir-samples", test_mindir_samples);
  g_test_add_func ("/data/models/speed", test_speed);
  return g_test_run ();
}
