/* SPDX-License-Identifier: Apache-2.0
 * Nets of Caffe in all forms they were ever written in, and what is wrong with them. */
#include <glib/gstdio.h>
#include <string.h>

#include "data/models/sonde-model-file.h"

typedef struct
{
  char *folder, *net, *weights;
} Files;

static void
set_up (Files *files, gconstpointer data)
{
  files->folder = g_dir_make_tmp ("sonde-caffe-XXXXXX", NULL);
  files->net = g_build_filename (files->folder, "deploy.prototxt", NULL);
  files->weights = g_build_filename (files->folder, "deploy.caffemodel", NULL);
}

static void
tear_down (Files *files, gconstpointer data)
{
  g_unlink (files->net);
  g_unlink (files->weights);
  g_rmdir (files->folder);
  g_free (files->folder);
  g_free (files->net);
  g_free (files->weights);
}

static SondeGraph *
load (Files *files, const char *net, GError **error)
{
  g_assert_true (g_file_set_contents (files->net, net, -1, NULL));
  return sonde_model_load (NULL, files->net, error);
}

/* @wanted: a part of the message, behind the file's name */
static void
assert_refused (Files *files, const char *net, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = load (files, net, &error);

  g_assert_null (graph);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, files->net));
  if (strstr (error->message, wanted) == NULL)
    g_error ("“%s” lacks “%s”", error->message, wanted);
}

#define INPUT "input: \"x\" input_shape { dim: 1 dim: 2 dim: 6 dim: 6 }\n"
#define LAYER(type, parameters)                                                                    \
  INPUT "layer { name: \"l\" type: \"" type "\" bottom: \"x\" top: \"y\" " parameters " }"

/* ---- text ---------------------------------------------------------------- */

static void
test_text (Files *files, gconstpointer data)
{
  static const struct
  {
    const char *net, *wanted;
  } cases[] = {
    { INPUT "layer {\n name: \"l\"\n",
      "line 2: the message LayerParameter that begins here is not closed" },
    { INPUT "layer { nome: \"l\" }", "line 2: Caffe 1.0 knows no field “nome” of LayerParameter" },
    { INPUT "layer { name: 3 }", "line 2: “3” is no value for the field “name”" },
    { INPUT "layer { name: \"l }\n", "line 2: a text in quotes does not end on its line" },
    { INPUT "layer { name }", "line 2: “:” is missing after the field “name”" },
    { INPUT "layer { name: \"\xff\" }", "is not valid UTF-8" },
    { INPUT "layer { pooling_param { pool: MEDIAN } }",
      "“MEDIAN” is no value for the field “pool”" },
    { INPUT "layer { pooling_param { pad: 1.5 } }", "“1.5” is no value for the field “pad”" },
    { INPUT "layer { pooling_param: 3 }", "“{” is missing after the field “pooling_param”" },
    { INPUT INPUT, "two inputs are called “x”" },
    { LAYER ("ReLU", "") "layer { name: \"l\" type: \"ReLU\" bottom: \"y\" top: \"z\" }",
      "two layers are called “l”" },
    { INPUT "layer { type: \"ReLU\" bottom: \"x\" top: \"y\" }",
      "a layer of type “ReLU” has no name" },
    { INPUT "layer { name: \"l\" type: \"ReLU\" bottom: \"z\" top: \"y\" }",
      "ReLU “l”: no layer before it makes its bottom “z”" },
    { INPUT "layer { name: \"l\" type: \"ReLU\" top: \"y\" }", "it has 0 bottoms, 1 are needed" },
    { INPUT "layer { name: \"l\" type: \"ReLU\" bottom: \"x\" }", "it has 0 tops, 1 are needed" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_refused (files, cases[i].net, cases[i].wanted);
}

static void
test_nesting (Files *files, gconstpointer data)
{
  g_autoptr (GString) net = g_string_new ("layer { transform_param");

  for (guint i = 0; i < 100000; i++)
    g_string_append (net, " { a");
  assert_refused (files, net->str, "more than 16 messages inside each other");
}

/* Comments, neighbours in quotes, escapes, lists, semicolons, brackets of the other kind. */
static void
test_forms_of_text (Files *files, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph
      = load (files,
              "# a net\nname: 'a' \"b\"; input: \"x\", input_dim: [1, 2, 0x6, 6]\n"
              "layer < name: \"l\\x31\" type: \"Power\" bottom: \"x\" top: \"y\" # end\n"
              " power_param: { power: 2.f shift: -1e0 } include { phase: TEST } >\n"
              "layer { name: \"train\" type: \"Python\" bottom: \"y\" top: \"z\" include { phase: "
              "TRAIN } } #",
              &error);

  g_assert_no_error (error);
  g_assert_nonnull (sonde_graph_find_node (graph, "l1"));
  g_assert_cmpuint (graph->outputs->len, ==, 1);
  g_assert_cmpstr (((SondeGraphValue *) graph->outputs->pdata[0])->name, ==, "y");
}

/* ---- layers -------------------------------------------------------------- */

static void
test_layers (Files *files, gconstpointer data)
{
  static const struct
  {
    const char *net, *wanted;
  } cases[] = {
    { LAYER ("Pooling", "pooling_param { kernel_size: 0 }"), "kernel_size is 0" },
    { LAYER ("Pooling", "pooling_param { kernel_size: 9 }"),
      "Pooling “l”: its window of 9 does not fit a size of 6 with a padding of 0" },
    { LAYER ("Pooling", "pooling_param { kernel_size: 2 pad: 2 }"), "with a padding of 2" },
    { LAYER ("Pooling", "pooling_param { kernel_size: 2 stride: 0 }"), "stride is 0" },
    { LAYER ("Convolution", "convolution_param { num_output: 3 kernel_size: 3 group: 2 }"),
      "2 groups do not divide its 2 channels and 3 outputs" },
    { LAYER ("Convolution", "convolution_param { num_output: 0 kernel_size: 3 }"),
      "its 2 channels and 0 outputs" },
    { LAYER ("Convolution", "convolution_param { num_output: 4 kernel_size: 3 }"),
      "layer “l” needs weights (blob 0), which no .caffemodel gives" },
    { LAYER ("InnerProduct", "inner_product_param { num_output: 2147483647 }"),
      "num_output is 2147483647" },
    { LAYER ("Slice", "top: \"z\" slice_param { slice_point: 2 }"),
      "2 cannot be cut into its 2 tops" },
    { LAYER ("Reshape", "reshape_param { shape { dim: 5 dim: -1 } }"),
      "the new shape has another number of elements" },
    { LAYER ("Softmax", "softmax_param { axis: 4 }"),
      "axis 4 is outside of a blob of 4 dimensions" },
    { LAYER ("LRN", "lrn_param { local_size: 4 }"), "local_size is 4, it has to be odd" },
    { LAYER ("Tile", "tile_param { tiles: 0 }"), "0 tiles cannot be made" },
    { LAYER ("Permute", "permute_param { order: 1 order: 1 }"), "is no order of 4 dimensions" },
    { "layer { name: \"x\" type: \"Input\" top: \"x\" input_param { shape { dim: 2147483647 dim: "
      "2147483647 dim: 9 } } }",
      "the sizes of input “x” make no sense" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_refused (files, cases[i].net, cases[i].wanted);
}

/* All that does not fit, at once, each with its advice. */
static void
test_unknown_layers (Files *files, gconstpointer data)
{
  assert_refused (
      files,
      INPUT "layer { name: \"a\" type: \"ROIPooling\" bottom: \"x\" top: \"a\" }\n"
            "layer { name: \"b\" type: \"Python\" bottom: \"a\" top: \"b\" }\n"
            "layer { name: \"c\" type: \"ROIPooling\" bottom: \"b\" top: \"c\" }",
      "ROIPooling (2×, first “a”): this type of layer is not known. Replace it by layers "
      "of Caffe 1.0, or export the net to ONNX with the program that made it\n"
      "  Python (1×, first “b”): ");
}

/* A training net: data becomes an input whose sizes are asked for, losses go. */
static void
test_training_net (Files *files, gconstpointer data)
{
  static const char net[]
      = "layer { name: \"d\" type: \"Data\" top: \"data\" top: \"label\" include { phase: TEST }\n"
        "  transform_param { scale: 0.00390625 mean_value: 104 } data_param { batch_size: 100 } }\n"
        "layer { name: \"f\" type: \"Flatten\" bottom: \"data\" top: \"f\" }\n"
        "layer { name: \"acc\" type: \"Accuracy\" bottom: \"f\" bottom: \"label\" top: \"acc\" }\n"
        "layer { name: \"loss\" type: \"SoftmaxWithLoss\" bottom: \"f\" bottom: \"label\" top: "
        "\"loss\" }\n";
  SondeModelShape shape = { (char *) "data", { 4, { 1, 1, 4, 4 } } };
  g_autoptr (GPtrArray) shapes = g_ptr_array_new ();
  const SondeModelOptions options = { .shapes = shapes };
  g_autoptr (SondeConversion) conversion = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (shapes, &shape);
  assert_refused (files, net, "Give them: --shape data=1,3,224,224");
  graph = sonde_model_read (NULL, files->net, &options, &conversion, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (graph->inputs->len, ==, 1);
  g_assert_cmpuint (graph->outputs->len, ==, 1);
  g_assert_cmpstr (((SondeGraphValue *) graph->outputs->pdata[0])->name, ==, "loss");
  g_assert_cmpstr (((SondeConversionNote *) conversion->notes->pdata[0])->where, ==, "d");
}

/* In place: each write is a value of its own, the last one keeps the name. */
static void
test_in_place (Files *files, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph
      = load (files,
              INPUT "layer { name: \"a\" type: \"TanH\" bottom: \"x\" top: \"y\" }\n"
                    "layer { name: \"b\" type: \"ReLU\" bottom: \"y\" top: \"y\" }\n"
                    "layer { name: \"c\" type: \"ReLU\" bottom: \"x\" top: \"x\" }\n"
                    "layer { name: \"d\" type: \"AbsVal\" bottom: \"y\" top: \"y\" }",
              &error);

  g_assert_no_error (error);
  g_assert_cmpstr (sonde_graph_find_value (graph, "y")->producer->op, ==, "Abs");
  g_assert_cmpstr (sonde_graph_find_value (graph, "y@a")->producer->op, ==, "Tanh");
  g_assert_cmpstr (sonde_graph_find_value (graph, "y@b")->producer->op, ==, "Relu");
  g_assert_null (sonde_graph_find_value (graph, "x")->producer);
  g_assert_cmpuint (graph->outputs->len, ==, 2);
  g_assert_cmpstr (((SondeGraphValue *) graph->outputs->pdata[0])->name, ==, "x@c");
  g_assert_cmpstr (((SondeGraphValue *) graph->outputs->pdata[1])->name, ==, "y");
}

/* ---- old files and bytes ------------------------------------------------- */

static void
test_old_net (Files *files, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph
      = load (files,
              INPUT "layers { name: \"a\" type: TANH bottom: \"x\" top: \"y\" }\n"
                    "layers { name: \"b\" type: POOLING bottom: \"y\" top: \"z\" pooling_param { "
                    "kernel_size: 2 } }",
              &error);

  g_assert_no_error (error);
  g_assert_cmpstr (sonde_graph_find_node (graph, "a")->source->op, ==, "TanH");
  g_assert_cmpstr (sonde_graph_find_node (graph, "b")->op, ==, "MaxPool");
  assert_refused (files, INPUT "layers { layer { name: \"a\" type: \"conv\" } }",
                  "is a net in the oldest form of Caffe (V0). Bring it up to date");
}

static void
add_field (GByteArray *out, guint number, const void *bytes, guint length)
{
  guint8 key[2] = { (guint8) ((number << 3 | 2) & 0x7f), (guint8) (number >> 4) };
  guint8 size = (guint8) length;

  g_assert_cmpuint (length, <, 128);
  if (number > 15)
    key[0] |= 0x80;
  g_byte_array_append (out, key, number > 15 ? 2 : 1);
  g_byte_array_append (out, &size, 1);
  g_byte_array_append (out, bytes, length);
}

/* A net in bytes: input "x" of 1×2×1×1, and a layer Scale with @n numbers. (transfer full) */
static GByteArray *
make_bytes (guint n, guint cut)
{
  static const float numbers[] = { 2, 3, 4, 5 };
  static const guint8 shape[] = { 0x0a, 4, 1, 2, 1, 1 };
  g_autoptr (GByteArray) blob = g_byte_array_new (), layer = g_byte_array_new ();
  GByteArray *net = g_byte_array_new ();

  add_field (blob, 5, numbers, n * 4 - cut);
  add_field (layer, 1, "s", 1);
  add_field (layer, 2, "Scale", 5);
  add_field (layer, 3, "x", 1);
  add_field (layer, 4, "y", 1);
  add_field (layer, 7, blob->data, blob->len);
  add_field (net, 1, "net", 3);
  add_field (net, 100, layer->data, layer->len);
  add_field (net, 3, "x", 1);
  add_field (net, 8, shape, sizeof shape);
  return net;
}

static void
assert_bytes (Files *files, GByteArray *bytes, gsize length, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = NULL;

  g_assert_true (
      g_file_set_contents (files->weights, (const char *) bytes->data, (gssize) length, NULL));
  graph = sonde_model_load (NULL, files->weights, &error);
  if (wanted == NULL)
    g_assert_no_error (error);
  else if (error == NULL || strstr (error->message, wanted) == NULL)
    g_error ("“%s” lacks “%s”", error != NULL ? error->message : "no error", wanted);
}

static void
test_bytes (Files *files, gconstpointer data)
{
  g_autoptr (GByteArray) right = make_bytes (2, 0), many = make_bytes (3, 0),
                         odd = make_bytes (2, 3);

  assert_bytes (files, right, right->len, NULL);
  assert_bytes (files, right, right->len - 20, "in NetParameter: the bytes are cut or damaged");
  assert_bytes (files, many, many->len, "layer “s”: blob 0 has 3 numbers, 2 are needed");
  assert_bytes (files, odd, odd->len, "is no multiple of the size of one");
}

/* The .caffemodel of the same stem, or the one that is named. */
static void
test_which_weights (Files *files, gconstpointer data)
{
  static const char net[] = "input: \"x\" input_shape { dim: 1 dim: 2 dim: 1 dim: 1 }\n"
                            "layer { name: \"s\" type: \"Scale\" bottom: \"x\" top: \"y\" }";
  g_autofree char *other = g_build_filename (files->folder, "other.caffemodel", NULL);
  g_autofree char *third = g_build_filename (files->folder, "third.caffemodel", NULL);
  const SondeModelOptions options = { .weights = third };
  g_autoptr (GByteArray) right = make_bytes (2, 0), wrong = make_bytes (3, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) only = NULL, stem = NULL, named = NULL;

  g_file_set_contents (other, (const char *) right->data, right->len, NULL);
  only = load (files, net, &error);
  g_assert_no_error (error);
  g_file_set_contents (third, (const char *) wrong->data, wrong->len, NULL);
  assert_refused (files, net, "which no .caffemodel gives. Name the file with --weights");
  g_file_set_contents (files->weights, (const char *) right->data, right->len, NULL);
  stem = load (files, net, &error);
  g_assert_no_error (error);
  named = sonde_model_read (NULL, files->net, &options, NULL, &error);
  g_assert_null (named);
  g_assert_nonnull (strstr (error->message, "blob 0 has 3 numbers"));
  g_unlink (other);
  g_unlink (third);
}

#define ADD(path, function) g_test_add ("/caffe/" path, Files, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("text", test_text);
  ADD ("nesting", test_nesting);
  ADD ("forms-of-text", test_forms_of_text);
  ADD ("layers", test_layers);
  ADD ("unknown-layers", test_unknown_layers);
  ADD ("training-net", test_training_net);
  ADD ("in-place", test_in_place);
  ADD ("old-net", test_old_net);
  ADD ("bytes", test_bytes);
  ADD ("which-weights", test_which_weights);
  return g_test_run ();
}
