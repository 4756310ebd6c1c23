/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's event files: all that the samples' expected.json knows of them, and no more. */
#include <math.h>
#include <string.h>

#include "tests/data/records/mindspore-samples.h"

/* A number, or the text of one that JSON has no form for. */
static double
to_number (JsonNode *node)
{
  if (json_node_get_value_type (node) != G_TYPE_STRING)
    return json_node_get_double (node);
  return g_ascii_strtod (json_node_get_string (node), NULL);
}

static double
number_of (JsonObject *object, const char *member)
{
  return to_number (json_object_get_member (object, member));
}

static gint64
int_or (JsonObject *object, const char *member, gint64 fallback)
{
  return json_object_has_member (object, member) && !json_object_get_null_member (object, member)
             ? json_object_get_int_member (object, member)
             : fallback;
}

#define assert_same(a, b) g_assert_true (((a) == (b)) || (isnan (a) && isnan (b)))

static void
assert_sha (GBytes *bytes, JsonObject *object)
{
  g_autofree char *sha = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);

  g_assert_cmpstr (sha, ==, json_object_get_string_member (object, "sha256"));
}

/* ---- contents ------------------------------------------------------------ */

static void
check_tensor (const SondeTensor *tensor, JsonObject *expected)
{
  static const SondeDtype dtypes[] = {
    [4] = SONDE_DTYPE_I32, [5] = SONDE_DTYPE_I64, [11] = SONDE_DTYPE_F32, [12] = SONDE_DTYPE_F64
  };
  JsonArray *dims = json_object_get_array_member (expected, "dims");
  JsonArray *values = json_object_get_array_member (expected, "values");

  g_assert_nonnull (tensor);
  g_assert_cmpint (tensor->dtype, ==, dtypes[json_object_get_int_member (expected, "data_type")]);
  g_assert_cmpint (tensor->shape.rank, ==, json_array_get_length (dims));
  for (int i = 0; i < tensor->shape.rank; i++)
    g_assert_cmpint (tensor->shape.dims[i], ==, json_array_get_int_element (dims, i));
  g_assert_cmpint (sonde_tensor_n_elements (tensor), ==, json_array_get_length (values));
  for (guint i = 0; i < json_array_get_length (values); i++)
    assert_same (sonde_tensor_get_double (tensor, i),
                 to_number (json_array_get_element (values, i)));
}

static void
check_image (const SondeRecord *record, JsonObject *expected)
{
  g_assert_cmpint (record->u.image.width, ==, json_object_get_int_member (expected, "width"));
  g_assert_cmpint (record->u.image.height, ==, json_object_get_int_member (expected, "height"));
  g_assert_cmpuint (g_bytes_get_size (record->u.image.encoded), ==,
                    json_object_get_int_member (expected, "bytes"));
  assert_sha (record->u.image.encoded, expected);
  g_assert_cmpint (record->u.image.note.label, ==, -1);
}

static void
check_histogram (const SondeRecord *record, JsonObject *expected)
{
  const SondeBins *bins = record->u.bins;
  JsonArray *rows;

  g_assert_null (record->u.histogram);
  g_assert_cmpuint (bins->n, ==, json_object_get_int_member (expected, "buckets"));
  g_assert_cmpuint (bins->nan, ==, json_object_get_int_member (expected, "nan_count"));
  g_assert_cmpuint (bins->pos_inf, ==, json_object_get_int_member (expected, "pos_inf_count"));
  g_assert_cmpuint (bins->neg_inf, ==, json_object_get_int_member (expected, "neg_inf_count"));
  assert_same (bins->min, number_of (expected, "min"));
  assert_same (bins->max, number_of (expected, "max"));
  assert_same (bins->sum, number_of (expected, "sum"));
  assert_same (bins->count, number_of (expected, "count"));
  g_assert_cmpfloat (sonde_bins_total (bins) + (double) (bins->nan + bins->pos_inf + bins->neg_inf),
                     ==, bins->count);
  if (!json_object_has_member (expected, "left_width_count"))
    return;
  rows = json_object_get_array_member (expected, "left_width_count");
  for (guint i = 0; i < bins->n; i++)
    {
      JsonArray *row = json_array_get_array_element (rows, i);

      g_assert_cmpfloat (bins->lefts[i], ==, json_array_get_double_element (row, 0));
      g_assert_cmpfloat (bins->rights[i], ==,
                         bins->lefts[i] + json_array_get_double_element (row, 1));
      g_assert_cmpfloat (bins->counts[i], ==, json_array_get_double_element (row, 2));
    }
}

static void
check_path (const SondeRecord *record, JsonObject *expected)
{
  JsonArray *intervals = json_object_get_array_member (expected, "intervals");
  JsonObject *path = json_object_get_object_member (expected, "path");

  if (json_array_get_length (intervals) == 0)
    {
      g_assert_null (record->u.landscape.intervals);
      g_assert_null (record->u.landscape.path_x);
      return;
    }
  g_assert_cmpint (sonde_tensor_n_elements (record->u.landscape.intervals), ==,
                   json_array_get_length (intervals));
  for (guint i = 0; i < json_array_get_length (intervals); i++)
    g_assert_cmpint (sonde_tensor_get_int (record->u.landscape.intervals, i), ==,
                     json_array_get_int_element (intervals, i));
  check_tensor (record->u.landscape.path_x, json_object_get_object_member (path, "x"));
  check_tensor (record->u.landscape.path_y, json_object_get_object_member (path, "y"));
  check_tensor (record->u.landscape.path_z, json_object_get_object_member (path, "z"));
}

static void
check_landscape (const SondeRecord *record, JsonObject *expected)
{
  static const char *const axes[] = { "x", "y", "z" };
  JsonObject *content = json_object_get_object_member (expected, "landscape");
  JsonObject *metadata, *found;

  check_tensor (record->u.landscape.x, json_object_get_object_member (content, "x"));
  check_tensor (record->u.landscape.y, json_object_get_object_member (content, "y"));
  check_tensor (record->u.landscape.z, json_object_get_object_member (content, "z"));
  content = json_object_has_member (content, "metadata") ? content : expected;
  check_path (record, content);
  metadata = json_object_get_object_member (content, "metadata");
  g_assert_cmpstr (record->u.landscape.decomposition, ==,
                   json_object_get_string_member (metadata, "decomposition"));
  g_assert_cmpstr (record->u.landscape.unit, ==, json_object_get_string_member (metadata, "unit"));
  g_assert_cmpint (record->u.landscape.steps_per_epoch, ==,
                   json_object_get_int_member (metadata, "step_per_epoch"));
  found = json_object_get_object_member (content, "convergence");
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (
        record->u.landscape.found[i], ==,
        json_array_get_double_element (
            json_object_get_array_member (json_object_get_object_member (found, axes[i]), "values"),
            0));
}

static const struct
{
  const char *name;
  SondeRecordKind kind;
} kinds[] = {
  { "scalar", SONDE_RECORD_SCALARS },      { "image", SONDE_RECORD_IMAGE },
  { "histogram", SONDE_RECORD_HISTOGRAM }, { "tensor", SONDE_RECORD_TENSOR },
  { "landscape", SONDE_RECORD_LANDSCAPE },
};

static void
check_point (SampleRun *run, const char *kind_name, const char *tag, JsonObject *point)
{
  SondeRecordKind kind = SONDE_RECORD_UNKNOWN;
  SampleRecord *found;
  SondeRecord record;

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (kinds[i].name, kind_name))
      kind = kinds[i].kind;
  found = sample_run_find (run, (guint) json_object_get_int_member (point, "file"),
                           (guint) json_object_get_int_member (point, "record"), kind, tag);
  g_assert_cmpint (found->step, ==, int_or (point, "step", 0));
  g_assert_cmpint (ABS (found->wall_time_ns - llround (number_of (point, "wall_time") * 1e9)), <,
                   1000);
  g_assert_cmpuint (found->session, ==, 1);
  if (kind == SONDE_RECORD_SCALARS)
    {
      assert_same (found->value, number_of (point, "value"));
      return;
    }
  sample_run_read (run, found, &record);
  if (kind == SONDE_RECORD_IMAGE)
    check_image (&record, point);
  else if (kind == SONDE_RECORD_HISTOGRAM)
    check_histogram (&record, point);
  else if (kind == SONDE_RECORD_TENSOR)
    check_tensor (record.u.tensor, point);
  else
    check_landscape (&record, point);
  sonde_record_clear (&record);
}

static void
check_tags (SampleRun *run)
{
  JsonObject *tags = json_object_get_object_member (sample_run_get_object (run), "tags");
  JsonObjectIter iter;
  JsonNode *node;

  json_object_iter_init (&iter, tags);
  while (json_object_iter_next (&iter, NULL, &node))
    {
      JsonObject *tag = json_node_get_object (node);
      JsonArray *points = json_object_get_array_member (tag, "points");

      for (guint i = 0; i < json_array_get_length (points); i++)
        check_point (run, json_object_get_string_member (tag, "kind"),
                     json_object_get_string_member (tag, "tag"),
                     json_array_get_object_element (points, i));
    }
}

/* ---- graphs -------------------------------------------------------------- */

static void
check_graphs (SampleRun *run)
{
  JsonArray *graphs = json_object_get_array_member (sample_run_get_object (run), "graphs");

  for (guint i = 0; i < json_array_get_length (graphs); i++)
    {
      JsonObject *expected = json_array_get_object_element (graphs, i);
      SampleRecord *found = sample_run_find (
          run, (guint) json_object_get_int_member (expected, "file"),
          (guint) json_object_get_int_member (expected, "record"), SONDE_RECORD_GRAPH, NULL);
      SondeRecord record;

      sample_run_read (run, found, &record);
      g_assert_null (record.u.graph.model);
      sample_check_graph (record.u.graph.graph, expected);
      sonde_record_clear (&record);
    }
}

/* ---- lineage ------------------------------------------------------------- */

static const SondeHparam *
find_item (const SondeRecord *record, const char *key)
{
  for (gsize i = 0; i < record->u.lineage.n; i++)
    if (g_str_equal (record->u.lineage.items[i].key, key))
      return &record->u.lineage.items[i];
  g_error ("no item “%s” of the lineage", key);
}

/* Each fact inside @node under the last of its names. Returns: how many */
static guint
check_facts (const SondeRecord *record, const char *name, JsonNode *node)
{
  const SondeHparam *item;
  guint n = 0;

  if (JSON_NODE_HOLDS_ARRAY (node))
    for (guint i = 0; i < json_array_get_length (json_node_get_array (node)); i++)
      n += check_facts (record, name, json_array_get_element (json_node_get_array (node), i));
  else if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObjectIter iter;
      const char *inner;
      JsonNode *child;

      json_object_iter_init (&iter, json_node_get_object (node));
      while (json_object_iter_next (&iter, &inner, &child))
        {
          gboolean is_model = g_strcmp0 (name, "model") == 0;
          g_autofree char *key = is_model ? g_strconcat ("model_", inner, NULL) : g_strdup (inner);

          n += check_facts (record, key, child);
        }
    }
  else if (g_str_equal (name, "metric"))
    {
      g_autoptr (JsonNode) metric = json_from_string (json_node_get_string (node), NULL);

      n = check_facts (record, NULL, metric);
    }
  else
    {
      item = find_item (record, name);
      if (json_node_get_value_type (node) == G_TYPE_STRING)
        g_assert_cmpstr (item->text, ==, json_node_get_string (node));
      else
        {
          g_assert_cmpfloat (g_ascii_strtod (item->text, NULL), ==, json_node_get_double (node));
          g_assert_cmpint (item->type, ==, SONDE_HPARAM_NUMBER);
        }
      n = 1;
    }
  return n;
}

static guint
check_step (const SondeNode *node, JsonObject *expected)
{
  JsonObject *parameter = json_object_get_object_member (expected, "parameter");
  JsonObject *texts = json_object_get_object_member (parameter, "mapStr");
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;
  guint n = 1;

  g_assert_cmpstr (node->op, ==, json_object_get_string_member (texts, "op_type"));
  json_object_iter_init (&iter, texts);
  while (json_object_iter_next (&iter, &name, &value))
    if (!g_str_equal (name, "op_type"))
      g_assert_cmpstr (sonde_node_get_string (node, name, NULL), ==, json_node_get_string (value));
  if (json_object_has_member (parameter, "mapInt"))
    {
      json_object_iter_init (&iter, json_object_get_object_member (parameter, "mapInt"));
      while (json_object_iter_next (&iter, &name, &value))
        g_assert_cmpint (g_ascii_strtoll (sonde_node_get_string (node, name, NULL), NULL, 10), ==,
                         json_node_get_int (value));
    }
  if (json_object_has_member (expected, "children"))
    {
      JsonArray *children = json_object_get_array_member (expected, "children");

      g_assert_cmpuint (node->inputs->len, ==, json_array_get_length (children));
      for (guint i = 0; i < node->inputs->len; i++)
        n += check_step (sonde_node_get_input (node, i)->producer,
                         json_array_get_object_element (children, i));
    }
  if (json_object_has_member (expected, "sampler"))
    g_assert_cmpstr (sonde_node_get_string (node, "sampler.sampler_name", NULL), ==,
                     "SequentialSampler");
  if (json_object_has_member (expected, "operations"))
    g_assert_nonnull (sonde_node_get_string (node, "operation0.tensor_op_name", NULL));
  return n;
}

static void
check_lineage (SampleRun *run)
{
  static const struct
  {
    const char *what, *part;
  } parts[] = {
    { "train_lineage", "train" },
    { "evaluation_lineage", "evaluation" },
    { "dataset_graph", "dataset" },
    { "user_defined_info", "custom" },
  };
  JsonArray *events = json_object_get_array_member (sample_run_get_object (run), "lineage");

  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);
      const char *what = json_object_get_string_member (event, "what");
      SampleRecord *found = sample_run_find (
          run, (guint) json_object_get_int_member (event, "file"),
          (guint) json_object_get_int_member (event, "record"), SONDE_RECORD_LINEAGE, NULL);
      JsonNode *content = json_object_get_member (event, what);
      const char *part = NULL;
      SondeRecord record;

      for (gsize k = 0; k < G_N_ELEMENTS (parts); k++)
        if (g_str_equal (parts[k].what, what))
          part = parts[k].part;
      sample_run_read (run, found, &record);
      g_assert_cmpstr (record.u.lineage.part, ==, part);
      if (record.u.lineage.pipeline == NULL)
        g_assert_cmpuint (check_facts (&record, NULL, content), ==, record.u.lineage.n);
      else
        {
          const SondeGraphValue *output = record.u.lineage.pipeline->outputs->pdata[0];

          g_assert_cmpuint (check_step (output->producer, json_node_get_object (content)), ==,
                            sonde_graph_count_nodes (record.u.lineage.pipeline));
          find_item (&record, "MnistDataset.dataset_dir");
        }
      sonde_record_clear (&record);
    }
}

/* ---- runs ---------------------------------------------------------------- */

static void
test_run (gconstpointer data)
{
  g_autoptr (SampleRun) run = sample_run_open (data);

  if (run == NULL)
    return;
  check_tags (run);
  check_graphs (run);
  check_lineage (run);
  for (guint i = 0; i < run->records->len; i++)
    {
      const SampleRecord *record = run->records->pdata[i];

      if (!record->seen)
        g_error ("%s “%s” of record %u was not expected", sonde_record_kind_name (record->kind),
                 record->tag, record->record);
    }
}

static void
check_damaged (const char *folder)
{
  g_autofree char *name = g_build_filename ("damaged", folder, "expected.json", NULL),
                  *json = sample_path (name);
  g_autofree char *path = NULL, *file = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (SondeFrameReader) frames = NULL;
  const SondeRecordFormat *format = &sonde_record_format_mindspore_event;
  SondeRecordDecoder *decoder;
  SondeRecordBatch batch;
  const guint8 *payload;
  JsonObject *expected;
  JsonArray *readable;
  gsize length;
  guint64 offset;
  guint n = 0;

  if (json == NULL)
    return;
  g_assert_true (json_parser_load_from_file (parser, json, NULL));
  expected = json_node_get_object (json_parser_get_root (parser));
  readable = json_object_get_array_member (expected, "readable");
  path = g_path_get_dirname (json);
  file = g_build_filename (path, json_object_get_string_member (expected, "source"), NULL);
  g_assert_true (sonde_record_format_find (NULL, file) == format);
  frames = sonde_frame_reader_open (NULL, file, 0, NULL);
  decoder = format->decoder_new (NULL, 0);
  sonde_record_batch_init (&batch);
  for (guint pass = 0; pass < 2; pass++)
    {
      while (sonde_frame_reader_next (frames, &payload, &length, &offset, NULL)
             == SONDE_FRAME_RECORD)
        {
          JsonObject *record = json_array_get_object_element (readable, n++);
          g_autofree char *sha = g_compute_checksum_for_data (G_CHECKSUM_SHA256, payload, length);

          g_assert_cmpstr (sha, ==, json_object_get_string_member (record, "payload_sha256"));
          sonde_record_batch_empty (&batch);
          g_assert_true (format->scan (decoder, payload, length, offset, &batch, NULL));
          if (batch.n_points > 0)
            g_assert_cmpint (batch.steps[0], ==, int_or (record, "step", 0));
        }
      sonde_frame_reader_finish (frames);
    }
  g_assert_cmpuint (n, ==, json_array_get_length (readable));
  sonde_record_batch_clear (&batch);
  format->decoder_free (decoder);
}

static void
test_damaged (void)
{
  static const char *const folders[] = {
    "cut_in_last_record", "empty_file",       "length_bit",
    "payload_bit",        "trailing_garbage", "zero_hole_4096",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    check_damaged (folders[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/mindspore/lenet-run", "lenet_run", test_run);
  g_test_add_data_func ("/mindspore/manual", "manual", test_run);
  g_test_add_data_func ("/mindspore/landscape", "landscape", test_run);
  g_test_add_func ("/mindspore/damaged", test_damaged);
  return g_test_run ();
}
