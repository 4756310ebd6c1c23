/* SPDX-License-Identifier: Apache-2.0
 * Sparse tensors, sequences and optionals, from bytes written by hand. */
#include "tests/data/models/wire-builder.h"

#include <string.h>

#include <glib/gstdio.h>

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"

enum
{
  GRAPH_NODE = 1,
  GRAPH_SPARSE = 15,
  FLOAT_DATA = 4,
  INT64_DATA = 7,
};

/* ---- sparse tensors ------------------------------------------------------ */

/**
 * Sparse: one to be written
 * @n_values: 1-D float32 values 1, 2, 3 …
 * @index_type, @index_rank, @index_dims, @indices: the tensor of indices
 */
typedef struct
{
  gint64 n_values;
  int index_type;
  guint index_rank;
  gint64 index_dims[2];
  gint64 indices[8];
  guint rank;
  gint64 dims[3];
} Sparse;

static GByteArray *
sparse_bytes (const Sparse *sparse)
{
  GByteArray *bytes = wire_new (), *values = wire_tensor ("s", 1, 1, &sparse->n_values);
  GByteArray *indices
      = wire_tensor ("", sparse->index_type, sparse->index_rank, sparse->index_dims);
  gint64 n = 1;

  for (gint64 i = 0; i < sparse->n_values; i++)
    wire_float (values, FLOAT_DATA, (float) (i + 1));
  for (guint d = 0; d < sparse->index_rank; d++)
    n *= sparse->index_dims[d];
  for (gint64 i = 0; i < n; i++)
    wire_int (indices, sparse->index_type == 7 ? INT64_DATA : 5, sparse->indices[i]);
  wire_take (bytes, 1, values);
  wire_take (bytes, 2, indices);
  for (guint d = 0; d < sparse->rank; d++)
    wire_int (bytes, 3, sparse->dims[d]);
  return bytes;
}

static SondeGraph *
parse_with (GByteArray *sparse, GError **error)
{
  GByteArray *graph = wire_new (), *model = NULL;
  SondeGraph *read = NULL;

  wire_take (graph, GRAPH_SPARSE, sparse);
  wire_take (graph, GRAPH_NODE, wire_node ("Relu", "s", "y"));
  model = wire_model (graph);
  read = sonde_model_parse (model->data, model->len, "bad.onnx", error);
  g_byte_array_unref (model);
  return read;
}

static void
assert_sparse (const Sparse *sparse, const float *want, gint64 n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = parse_with (sparse_bytes (sparse), &error);
  SondeGraphValue *value = graph ? sonde_graph_find_value (graph, "s") : NULL;
  SondeTensor *tensor = value ? sonde_value_get_tensor (value->constant) : NULL;

  g_assert_no_error (error);
  g_assert_cmpint (tensor->shape.rank, ==, (int) sparse->rank);
  g_assert_cmpint (sonde_tensor_n_elements (tensor), ==, n);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpfloat (sonde_tensor_get_double (tensor, i), ==, want[i]);
}

static void
test_sparse (void)
{
  const Sparse linear = { 2, 7, 1, { 2 }, { 1, 5 }, 2, { 2, 3 } };
  const Sparse by_axis = { 2, 7, 2, { 2, 2 }, { 0, 2, 1, 0 }, 2, { 2, 3 } };
  const Sparse none = { 0, 7, 1, { 0 }, { 0 }, 1, { 3 } };

  assert_sparse (&linear, (const float[]){ 0, 1, 0, 0, 0, 2 }, 6);
  assert_sparse (&by_axis, (const float[]){ 0, 0, 1, 2, 0, 0 }, 6);
  assert_sparse (&none, (const float[]){ 0, 0, 0 }, 3);
}

/* Row OX19 of the list of damage. */
static void
test_bad_sparse (void)
{
  static const struct
  {
    Sparse sparse;
    SondeDataError code;
    const char *part;
  } cases[] = {
    { { 2, 7, 1, { 2 }, { 5, 1 }, 2, { 2, 3 } },
      SONDE_DATA_ERROR_DAMAGED,
      "value 1 is there twice or out of order" },
    { { 2, 7, 1, { 2 }, { 1, 1 }, 2, { 2, 3 } },
      SONDE_DATA_ERROR_DAMAGED,
      "twice or out of order" },
    { { 2, 7, 1, { 2 }, { 1, 6 }, 2, { 2, 3 } },
      SONDE_DATA_ERROR_DAMAGED,
      "value 1 lies outside the shape" },
    { { 2, 7, 1, { 2 }, { -1, 2 }, 2, { 2, 3 } },
      SONDE_DATA_ERROR_DAMAGED,
      "value 0 lies outside the shape" },
    { { 1, 7, 2, { 1, 2 }, { 0, 3 }, 2, { 2, 3 } }, SONDE_DATA_ERROR_DAMAGED, "outside the shape" },
    { { 1, 7, 2, { 1, 3 }, { 0, 0, 0 }, 2, { 2, 3 } },
      SONDE_DATA_ERROR_DAMAGED,
      "3 numbers each for a shape of 2" },
    { { 3, 7, 1, { 2 }, { 0, 1 }, 2, { 2, 3 } },
      SONDE_DATA_ERROR_DAMAGED,
      "there are 3 values, but indices for 2" },
    { { 1, 6, 1, { 1 }, { 0 }, 1, { 3 } }, SONDE_DATA_ERROR_DAMAGED, "indices are of type int32" },
    { { 1, 7, 0, { 0 }, { 0 }, 1, { 3 } }, SONDE_DATA_ERROR_DAMAGED, "indices have 0 dimensions" },
    { { 1, 7, 1, { 1 }, { 0 }, 1, { -3 } }, SONDE_DATA_ERROR_DAMAGED, "size is -3 in dimension 0" },
    { { 1, 7, 1, { 1 }, { 0 }, 2, { (gint64) 1 << 32, (gint64) 1 << 32 } },
      SONDE_DATA_ERROR_DAMAGED,
      "more elements" },
    { { 1, 7, 1, { 1 }, { 0 }, 1, { (gint64) 1 << 36 } },
      SONDE_DATA_ERROR_LIMIT,
      "sparse tensor “s”" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (parse_with (sparse_bytes (&cases[i].sparse), &error));
      g_assert_error (error, SONDE_DATA_ERROR, (int) cases[i].code);
      if (strstr (error->message, cases[i].part) == NULL
          || strstr (error->message, "bad.onnx") == NULL)
        g_error ("“%s” is not in: %s", cases[i].part, error->message);
    }
}

static void
test_incomplete_sparse (void)
{
  GByteArray *no_indices = wire_new (), *strings = wire_new (), *texts = NULL;
  const gint64 one = 1;
  g_autoptr (GError) empty = NULL, half = NULL, text = NULL;

  g_assert_null (parse_with (wire_new (), &empty));
  g_assert_error (empty, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  wire_take (no_indices, 1, wire_tensor ("s", 1, 0, NULL));
  g_assert_null (parse_with (no_indices, &half));
  g_assert_nonnull (strstr (half->message, "there are no indices"));
  texts = wire_tensor ("s", 8, 1, &one);
  wire_text (texts, 6, "x");
  wire_take (strings, 1, texts);
  texts = wire_tensor ("", 7, 1, &one);
  wire_int (texts, INT64_DATA, 0);
  wire_take (strings, 2, texts);
  wire_int (strings, 3, 2);
  g_assert_null (parse_with (strings, &text));
  g_assert_nonnull (strstr (text->message, "strings cannot be sparse"));
}

/* ---- sequences and optionals --------------------------------------------- */

static SondeValue *
read_value (GByteArray *bytes, SondeValueKind kind, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-values-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "input_0.pb", NULL);
  SondeType type = sonde_type_unknown ();
  SondeValue *value = NULL;

  type.kind = kind;
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
  value = sonde_model_read_value (NULL, path, &type, error);
  g_unlink (path);
  g_rmdir (folder);
  g_byte_array_unref (bytes);
  return value;
}

static GByteArray *
number (float value)
{
  GByteArray *tensor = wire_tensor ("t", 1, 0, NULL);

  wire_float (tensor, FLOAT_DATA, value);
  return tensor;
}

static void
assert_number (SondeValue *value, double want)
{
  g_assert_cmpint (sonde_value_get_kind (value), ==, SONDE_VALUE_TENSOR);
  g_assert_cmpfloat (sonde_tensor_get_double (sonde_value_get_tensor (value), 0), ==, want);
}

static void
test_containers (void)
{
  GByteArray *inner = wire_new (), *outer = wire_new (), *optional = wire_new ();
  g_autoptr (SondeValue) plain = read_value (number (3), SONDE_VALUE_TENSOR, NULL);
  g_autoptr (SondeValue) none = read_value (wire_new (), SONDE_VALUE_OPTIONAL, NULL);
  g_autoptr (SondeValue) empty = read_value (wire_new (), SONDE_VALUE_SEQUENCE, NULL);
  g_autoptr (SondeValue) nested = NULL;
  SondeValue *sequence = NULL;

  assert_number (plain, 3);
  g_assert_cmpint (sonde_value_get_kind (none), ==, SONDE_VALUE_OPTIONAL);
  g_assert_cmpuint (sonde_value_get_n_items (none), ==, 0);
  g_assert_cmpint (sonde_value_get_kind (empty), ==, SONDE_VALUE_SEQUENCE);
  g_assert_cmpuint (sonde_value_get_n_items (empty), ==, 0);

  wire_take (inner, 3, number (1));
  wire_take (inner, 3, number (2));
  wire_take (outer, 5, inner);
  wire_take (optional, 5, outer);
  nested = read_value (optional, SONDE_VALUE_OPTIONAL, NULL);
  sequence = sonde_value_get_item (sonde_value_get_item (nested, 0), 0);
  g_assert_cmpuint (sonde_value_get_n_items (sequence), ==, 2);
  assert_number (sonde_value_get_item (sequence, 1), 2);
}

static void
test_bad_containers (void)
{
  GByteArray *two = wire_new (), *mixed = wire_new (), *map = wire_new (), *deep = wire_new ();
  g_autoptr (GError) error = NULL;

  wire_take (two, 3, number (1));
  wire_take (two, 5, wire_new ());
  g_assert_null (read_value (two, SONDE_VALUE_OPTIONAL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "two contents"));
  g_clear_error (&error);

  wire_take (mixed, 3, number (1));
  wire_take (mixed, 5, wire_new ());
  g_assert_null (read_value (mixed, SONDE_VALUE_SEQUENCE, &error));
  g_assert_nonnull (strstr (error->message, "items of 2 kinds"));
  g_clear_error (&error);

  wire_take (map, 6, wire_new ());
  g_assert_null (read_value (map, SONDE_VALUE_SEQUENCE, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_assert_null (read_value (wire_new (), SONDE_VALUE_MAP, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
  g_clear_error (&error);

  for (int i = 0; i < 200; i++)
    {
      GByteArray *outer = wire_new ();

      wire_take (outer, 5, deep);
      deep = outer;
    }
  g_assert_null (read_value (deep, SONDE_VALUE_SEQUENCE, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/models/sparse/good", test_sparse);
  g_test_add_func ("/data/models/sparse/bad", test_bad_sparse);
  g_test_add_func ("/data/models/sparse/incomplete", test_incomplete_sparse);
  g_test_add_func ("/data/models/containers/good", test_containers);
  g_test_add_func ("/data/models/containers/bad", test_bad_containers);
  return g_test_run ();
}
