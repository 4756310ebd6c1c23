/* SPDX-License-Identifier: Apache-2.0
 * What a .tflite file says, read by slots; and what is said of a damaged one. */
#include "tests/data/models/tflite/tflite-builder.h"

#include <string.h>

#include "data/models/sonde-model-file.h"
#include "data/models/tflite/sonde-tflite-file.h"
#include "data/models/tflite/sonde-tflite.h"
#include "tests/support/sonde-test-tensor.h"

static SondeTfliteFile *
parse (const GByteArray *bytes, GError **error)
{
  g_autoptr (GBytes) data = g_bytes_new (bytes->data, bytes->len);

  return sonde_tflite_file_new (data, "bad.tflite", error);
}

static void
test_tiny (void)
{
  TinyModel model = tiny_model_new ();
  g_autoptr (GByteArray) bytes = model.bytes;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTfliteFile) file = parse (bytes, &error);
  g_autoptr (SondeTensor) constant = NULL;
  const SondeTfliteSubgraph *graph;

  g_assert_no_error (error);
  g_assert_true (sonde_tflite_sniff (bytes->data, bytes->len));
  g_assert_cmpuint (file->n_subgraphs, ==, 1);
  g_assert_cmpstr (file->description, ==, "by hand");
  graph = file->subgraphs;
  g_assert_cmpstr (graph->name, ==, "main");
  g_assert_cmpuint (graph->n_tensors, ==, 3);
  g_assert_cmpstr (graph->tensors[1].name, ==, "c");
  g_assert_cmpint (graph->inputs[0], ==, 0);
  g_assert_cmpint (graph->outputs[0], ==, 2);
  g_assert_cmpstr (sonde_tflite_operator_name (graph->operators), ==, "ADD");
  constant = sonde_tflite_file_dup_constant (file, &graph->tensors[1], &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (sonde_tensor_get_double (constant, 1), ==, 2);
  /* the bytes of the file themselves */
  g_assert_true ((gconstpointer) constant->data == (gconstpointer) graph->tensors[1].data);
}

/* A constant outlives the structs it was taken from. */
static void
test_constant_outlives (void)
{
  TinyModel model = tiny_model_new ();
  g_autoptr (GByteArray) bytes = model.bytes;
  SondeTfliteFile *file = parse (bytes, NULL);
  g_autoptr (SondeTensor) constant
      = sonde_tflite_file_dup_constant (file, &file->subgraphs->tensors[1], NULL);

  sonde_tflite_file_free (file);
  g_assert_cmpfloat (sonde_tensor_get_double (constant, 0), ==, 1);
}

static void
test_narrow (void)
{
  static const guint8 packed[] = { 0x2f, 0x08 }; /* −1, 2, −8 */
  static const gint32 sizes[] = { 3 };
  TinyModel model = tiny_model_new ();
  g_autoptr (GByteArray) bytes = model.bytes;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTfliteFile) file = NULL;
  g_autoptr (SondeTensor) constant = NULL;

  flat_set_i32s (bytes, model.tensor[1], 0, 1, sizes);
  flat_set_i8 (bytes, model.tensor[1], 1, 17);
  flat_set_reference (bytes, model.buffer[1], 0, flat_vector (bytes, packed, sizeof packed, 1));
  file = parse (bytes, &error);
  g_assert_no_error (error);
  constant = sonde_tflite_file_dup_constant (file, &file->subgraphs->tensors[1], &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_tensor_get_int (constant, 0), ==, -1);
  g_assert_cmpint (sonde_tensor_get_int (constant, 1), ==, 2);
  g_assert_cmpint (sonde_tensor_get_int (constant, 2), ==, -8);
}

static void
test_strings (void)
{
  guint8 packed[4 * 4 + 3] = { 2, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0, 0, 19, 0, 0, 0, 'a', 'b', 'c' };
  TinyModel model = tiny_model_new ();
  g_autoptr (GByteArray) bytes = model.bytes;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTfliteFile) file = NULL;
  g_autoptr (SondeTensor) constant = NULL;
  g_autofree char *text = NULL;

  flat_set_i8 (bytes, model.tensor[1], 1, SONDE_TFLITE_STRING);
  flat_set_reference (bytes, model.buffer[1], 0, flat_vector (bytes, packed, sizeof packed, 1));
  file = parse (bytes, &error);
  g_assert_no_error (error);
  constant = sonde_tflite_file_dup_constant (file, &file->subgraphs->tensors[1], &error);
  g_assert_no_error (error);
  text = sonde_tensor_format_element (constant, 1);
  g_assert_cmpstr (text, ==, "abc");

  g_clear_pointer (&file, sonde_tflite_file_free);
  packed[12] = 20; /* one byte too far */
  flat_set_reference (bytes, model.buffer[1], 0, flat_vector (bytes, packed, sizeof packed, 1));
  file = parse (bytes, &error);
  g_assert_null (sonde_tflite_file_dup_constant (file, &file->subgraphs->tensors[1], &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
}

/* Files above 2 GB have their weights behind the tables. */
static void
test_data_behind (void)
{
  static const float constant[] = { 7, 8 };
  TinyModel model = tiny_model_new ();
  g_autoptr (GByteArray) bytes = model.bytes;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTfliteFile) file = NULL;
  g_autoptr (SondeTensor) tensor = NULL;

  flat_set_u64 (bytes, model.buffer[1], 1, bytes->len);
  flat_set_u64 (bytes, model.buffer[1], 2, sizeof constant);
  g_byte_array_append (bytes, (const guint8 *) constant, sizeof constant);
  file = parse (bytes, &error);
  g_assert_no_error (error);
  tensor = sonde_tflite_file_dup_constant (file, &file->subgraphs->tensors[1], &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (sonde_tensor_get_double (tensor, 0), ==, 7);
}

/* ---- damage -------------------------------------------------------------- */

static const gint32 far_index[] = { 3 };

static void
damage_input (TinyModel *model)
{
  flat_set_i32s (model->bytes, model->subgraph, 1, 1, far_index);
}

static void
damage_operator_input (TinyModel *model)
{
  flat_set_i32s (model->bytes, model->op, 1, 1, far_index);
}

static void
damage_absent_output (TinyModel *model)
{
  static const gint32 absent[] = { -1 };

  flat_set_i32s (model->bytes, model->op, 2, 1, absent);
}

static void
damage_code (TinyModel *model)
{
  flat_set_i32 (model->bytes, model->op, 0, 1);
}

static void
damage_buffer (TinyModel *model)
{
  flat_set_i32 (model->bytes, model->tensor[1], 2, 2);
}

static void
damage_type (TinyModel *model)
{
  flat_set_i8 (model->bytes, model->tensor[0], 1, 77);
}

static void
damage_negative_size (TinyModel *model)
{
  static const gint32 sizes[] = { -2 };

  flat_set_i32s (model->bytes, model->tensor[0], 0, 1, sizes);
}

static void
damage_constant_size (TinyModel *model)
{
  static const gint32 sizes[] = { 3 };

  flat_set_i32s (model->bytes, model->tensor[1], 0, 1, sizes);
}

static void
damage_overflow (TinyModel *model)
{
  static const gint32 sizes[] = { 1 << 30, 1 << 30, 1 << 30 };

  flat_set_i32s (model->bytes, model->tensor[0], 0, 3, sizes);
}

static void
damage_rank (TinyModel *model)
{
  static const gint32 sizes[17] = { 0 };

  flat_set_i32s (model->bytes, model->tensor[0], 0, 17, sizes);
}

static void
damage_signature_rank (TinyModel *model)
{
  static const gint32 sizes[] = { -1, 2 };

  flat_set_i32s (model->bytes, model->tensor[0], 7, 2, sizes);
}

/* @n scales along dimension 0. */
static void
quantise (TinyModel *model, guint32 n_scales, guint32 n_zero_points)
{
  static const float scales[] = { 1, 1, 1 };
  static const gint64 zero_points[] = { 0, 0, 0 };
  gsize table = flat_table (model->bytes, 7);

  flat_set_reference (model->bytes, model->tensor[1], 4, table);
  flat_set_reference (model->bytes, table, 2, flat_vector (model->bytes, scales, n_scales, 4));
  flat_set_reference (model->bytes, table, 3,
                      flat_vector (model->bytes, zero_points, n_zero_points, 8));
}

static void
damage_scales (TinyModel *model)
{
  quantise (model, 3, 1);
}

static void
damage_zero_points (TinyModel *model)
{
  quantise (model, 2, 3);
}

static void
damage_version (TinyModel *model)
{
  flat_set_i32 (model->bytes, model->model, 0, 1);
}

static void
damage_no_subgraph (TinyModel *model)
{
  flat_set_reference (model->bytes, model->model, 2, flat_references (model->bytes, 0));
}

static void
damage_root (TinyModel *model)
{
  const guint32 far = 1u << 30;

  memcpy (model->bytes->data, &far, sizeof far);
}

static void
damage_vtable (TinyModel *model)
{
  const gint32 far = 1 << 30;

  memcpy (model->bytes->data + model->model, &far, sizeof far);
}

static void
damage_count (TinyModel *model)
{
  const guint32 many = G_MAXUINT32;

  memcpy (model->bytes->data + model->tensors, &many, sizeof many);
}

static void
damage_data_behind (TinyModel *model)
{
  flat_set_u64 (model->bytes, model->buffer[1], 1, model->bytes->len);
  flat_set_u64 (model->bytes, model->buffer[1], 2, 8);
}

static void
damage_signature (TinyModel *model)
{
  gsize signatures = flat_references (model->bytes, 1), signature;

  flat_set_reference (model->bytes, model->model, 7, signatures);
  signature = flat_table (model->bytes, 5);
  flat_refer (model->bytes, flat_element (signatures, 0), signature);
  flat_set_text (model->bytes, signature, 2, "serve");
  flat_set_i32 (model->bytes, signature, 4, 1);
}

/* The same table a million times: reading it costs more than the file is long. */
static void
damage_repeated (TinyModel *model)
{
  guint32 n = 300000;
  gsize tensors = flat_references (model->bytes, n), tensor;

  flat_set_reference (model->bytes, model->subgraph, 0, tensors);
  tensor = flat_table (model->bytes, 10);
  flat_set_text (model->bytes, tensor, 3,
                 "a name so long that it costs several of the visits that reading has, not one");
  flat_set_i32s (model->bytes, tensor, 0, 1, far_index);
  for (guint i = 0; i < n; i++)
    flat_refer (model->bytes, flat_element (tensors, i), tensor);
}

static const struct
{
  const char *name;
  void (*damage) (TinyModel *model);
  int code;
  const char *says;
} cases[] = {
  { "input", damage_input, SONDE_DATA_ERROR_DAMAGED,
    "an input of subgraph 0 is tensor 3; there are 3" },
  { "operator-input", damage_operator_input, SONDE_DATA_ERROR_DAMAGED,
    "an input of operator 0 of subgraph 0 is tensor 3; there are 3" },
  { "absent-output", damage_absent_output, SONDE_DATA_ERROR_DAMAGED, "is tensor -1" },
  { "code", damage_code, SONDE_DATA_ERROR_DAMAGED, "has the operator code 1; there are 1" },
  { "buffer", damage_buffer, SONDE_DATA_ERROR_DAMAGED, "has buffer 2; there are 2" },
  { "type", damage_type, SONDE_DATA_ERROR_DAMAGED, "the element type number 77" },
  { "negative-size", damage_negative_size, SONDE_DATA_ERROR_DAMAGED, "has the size -2" },
  { "constant-size", damage_constant_size, SONDE_DATA_ERROR_DAMAGED,
    "tensor 1 (“c”) of subgraph 0 needs 12 bytes; its buffer 1 has 8" },
  { "overflow", damage_overflow, SONDE_DATA_ERROR_LIMIT, "more elements than can be held" },
  { "rank", damage_rank, SONDE_DATA_ERROR_LIMIT, "has 17 dimensions; at most 16" },
  { "signature-rank", damage_signature_rank, SONDE_DATA_ERROR_DAMAGED, "a signature of 2" },
  { "scales", damage_scales, SONDE_DATA_ERROR_DAMAGED, "has 3 scales along dimension 0" },
  { "zero-points", damage_zero_points, SONDE_DATA_ERROR_DAMAGED, "2 scales and 3 zero points" },
  { "version", damage_version, SONDE_DATA_ERROR_UNSUPPORTED, "version 1 of the format" },
  { "no-subgraph", damage_no_subgraph, SONDE_DATA_ERROR_DAMAGED, "has no subgraph" },
  { "root", damage_root, SONDE_DATA_ERROR_DAMAGED, "the reference at offset 0 leads" },
  { "vtable", damage_vtable, SONDE_DATA_ERROR_DAMAGED, "the slots of the table at offset" },
  { "count", damage_count, SONDE_DATA_ERROR_DAMAGED, "a vector at offset" },
  { "data-behind", damage_data_behind, SONDE_DATA_ERROR_DAMAGED, "the data of tensor 1" },
  { "signature", damage_signature, SONDE_DATA_ERROR_DAMAGED, "is subgraph 1; there are 1" },
  { "repeated", damage_repeated, SONDE_DATA_ERROR_LIMIT, "tables, vectors and texts" },
};

static void
test_damage (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  TinyModel model = tiny_model_new ();
  g_autoptr (GByteArray) bytes = model.bytes;
  g_autoptr (GError) error = NULL;

  cases[i].damage (&model);
  g_assert_null (parse (bytes, &error));
  g_assert_error (error, SONDE_DATA_ERROR, cases[i].code);
  if (strstr (error->message, cases[i].says) == NULL
      || strstr (error->message, "“bad.tflite”") == NULL)
    g_error ("“%s” is not in: %s", cases[i].says, error->message);
}

/* Every cut leaves a reference that leads behind the end. */
static void
test_cut (void)
{
  TinyModel model = tiny_model_new ();
  g_autoptr (GByteArray) bytes = model.bytes;

  for (gsize i = 0; i < bytes->len; i++)
    {
      g_autofree guint8 *copy
          = g_memdup2 (bytes->data, i); /* so that a checker sees reads past it */
      g_autoptr (GBytes) data = g_bytes_new_static (copy, i);
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_tflite_file_new (data, "cut.tflite", &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
    }
}

static void
test_flipped (void)
{
  TinyModel model = tiny_model_new ();
  g_autoptr (GByteArray) bytes = model.bytes;
  g_autoptr (GRand) rand = g_rand_new_with_seed (21);
  guint n_read = 0;

  for (guint round = 0; round < 20000; round++)
    {
      g_autofree guint8 *copy = g_memdup2 (bytes->data, bytes->len);
      g_autoptr (GBytes) data = g_bytes_new_static (copy, bytes->len);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTfliteFile) file = NULL;

      for (guint i = 0; i < 1 + round % 4; i++)
        copy[g_rand_int_range (rand, 0, (gint32) bytes->len)] ^= (guint8) (1u << (round % 8));
      file = sonde_tflite_file_new (data, "flipped.tflite", &error);
      g_assert_true ((file == NULL) == (error != NULL));
      n_read += file != NULL;
    }
  g_assert_cmpuint (n_read, >, 1000);
  g_assert_cmpuint (n_read, <, 19000);
}

/* The names of fused operators stand in one name; their scope is what they have in common. */
static void
test_scopes (void)
{
  static const char *const scopes[][2] = {
    { "cnn_1/fc_1/MatMul;cnn_1/fc_1/BiasAdd", "cnn_1/fc_1" },
    { "cnn_1/r2_1/Relu;cnn_1/c2_1/BiasAdd;cnn_1/c2_1/convolution;cnn_1/c2_1/Squeeze1", "cnn_1" },
  };
  g_autofree char *path = sonde_test_shared_path ("samples/convert/tflite/cnn/model.tflite");
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = path != NULL ? sonde_model_load (NULL, path, &error) : NULL;

  if (path == NULL)
    return;
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (scopes); i++)
    {
      const SondeGraphValue *value = sonde_graph_find_value (graph, scopes[i][0]);

      g_assert_nonnull (value);
      g_assert_cmpstr (value->producer->scope, ==, scopes[i][1]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/models/tflite/file/tiny", test_tiny);
  g_test_add_func ("/data/models/tflite/file/constant-outlives", test_constant_outlives);
  g_test_add_func ("/data/models/tflite/file/narrow", test_narrow);
  g_test_add_func ("/data/models/tflite/file/strings", test_strings);
  g_test_add_func ("/data/models/tflite/file/data-behind", test_data_behind);
  g_test_add_func ("/data/models/tflite/file/cut", test_cut);
  g_test_add_func ("/data/models/tflite/file/flipped", test_flipped);
  g_test_add_func ("/data/models/tflite/file/scopes", test_scopes);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/data/models/tflite/file/damage/%s", cases[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_damage);
    }
  return g_test_run ();
}
