/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's files without frames: dumps, graphs, settings, checkpoints, profiles, statistics. */
#include <math.h>
#include <string.h>
#include <utime.h>

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "tests/data/records/mindspore-samples.h"

/* One file, read whole. */
typedef struct
{
  char *path;
  const SondeRecordFormat *format;
  GArray *tags;
  SondeRecordBatch batch;
  guint64 position;
  GPtrArray *damage;
} Looked;

static void
look (Looked *looked, const char *path)
{
  g_autoptr (GError) error = NULL;
  gpointer source;
  guint64 n_records;

  memset (looked, 0, sizeof *looked);
  looked->path = g_strdup (path);
  looked->format = sonde_record_format_find (NULL, path);
  if (looked->format == NULL)
    g_error ("“%s” is not known", path);
  g_assert_cmpstr (looked->format->name, ==, "mindspore");
  looked->damage = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_damage_free);
  sonde_record_batch_init (&looked->batch);
  source = looked->format->open (NULL, path, 0, NULL, 0, &error);
  g_assert_no_error (error);
  while (looked->format->next (source, &looked->batch, &looked->position, &n_records,
                               looked->damage, &error)
         == SONDE_FRAME_RECORD)
    ;
  g_assert_no_error (error);
  looked->tags = g_array_ref (looked->format->get_tags (source));
  looked->format->close (source);
}

static void
looked_clear (Looked *looked)
{
  sonde_record_batch_clear (&looked->batch);
  g_ptr_array_unref (looked->damage);
  g_array_unref (looked->tags);
  g_free (looked->path);
}

static const SondeRecordRef *
ref_of (const Looked *looked, guint i)
{
  g_assert_cmpuint (looked->batch.refs->len, >, i);
  return &g_array_index (looked->batch.refs, SondeRecordRef, i);
}

static const char *
tag_of (const Looked *looked, guint i)
{
  const guint32 tag = ref_of (looked, i)->tag;

  return tag == SONDE_RECORD_NO_TAG ? NULL : g_array_index (looked->tags, SondeRecordTag, tag).name;
}

static void
read_ref (const Looked *looked, guint i, SondeRecord *record)
{
  const SondeRecordRef *ref = ref_of (looked, i);
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_record_format_read (looked->format, NULL, looked->path, ref->place,
                                           (const SondeRecordTag *) looked->tags->data,
                                           looked->tags->len, record, &error));
  g_assert_no_error (error);
  g_assert_cmpint (record->kind, ==, ref->kind);
  g_assert_cmpstr (record->tag, ==, tag_of (looked, i));
  g_assert_cmpint (record->step, ==, ref->step);
  g_assert_cmpint (record->wall_time_ns, ==, ref->wall_time_ns);
}

/* A file that is a single record. */
static void
look_at_one (const char *path, Looked *looked, SondeRecord *record)
{
  look (looked, path);
  g_assert_cmpuint (looked->batch.refs->len, ==, 1);
  g_assert_cmpuint (looked->damage->len, ==, 0);
  read_ref (looked, 0, record);
}

static JsonParser *
load_json (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  JsonParser *parser = json_parser_new ();

  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  return parser;
}

/* ---- samples ------------------------------------------------------------- */

static void
check_array (const SondeTensor *tensor, JsonObject *expected)
{
  JsonArray *shape = json_object_get_array_member (expected, "shape");
  SondeStatistics statistics;

  g_assert_cmpstr (sonde_dtype_name (tensor->dtype), ==,
                   json_object_get_string_member (expected, "dtype"));
  g_assert_cmpint (tensor->shape.rank, ==, json_array_get_length (shape));
  for (int i = 0; i < tensor->shape.rank; i++)
    g_assert_cmpint (tensor->shape.dims[i], ==, json_array_get_int_element (shape, i));
  sonde_statistics_compute (tensor, &statistics);
  if (json_object_has_member (expected, "min") && tensor->dtype != SONDE_DTYPE_BOOL)
    {
      g_assert_cmpfloat (statistics.min, ==, json_object_get_double_member (expected, "min"));
      g_assert_cmpfloat (statistics.max, ==, json_object_get_double_member (expected, "max"));
      g_assert_cmpfloat_with_epsilon (statistics.mean,
                                      json_object_get_double_member (expected, "mean"), 1e-4);
    }
}

/* The tag is the node's full name, a slash for each that the file's name has an underscore for. */
static void
check_dump_tag (const char *tag, const char *path, const char *order)
{
  g_autofree char *name = g_path_get_basename (path);
  g_auto (GStrv) parts = g_strsplit (name, ".", -1);
  const char *slot = strrchr (tag, '/'), *io = g_strrstr_len (tag, slot - tag, "/");
  g_autofree char *node = g_strndup (tag, (gsize) (io - tag)),
                  *line = g_strconcat ("\n", node, "\n", NULL);
  g_autofree char *expected = g_strconcat ("/", parts[5], "/", parts[6], NULL);

  g_assert_cmpstr (io, ==, expected);
  if (g_str_equal (parts[0], "Parameter"))
    {
      g_assert_cmpstr (node, ==, parts[1]);
      return;
    }
  /* the order lists these three under another number */
  if (strstr (order, line) == NULL)
    g_assert_nonnull (strstr (node, "-Conv2d/Grad_Conv2D/Conv2DBackprop"));
  g_strdelimit (node, "/", '_');
  g_assert_cmpstr (node, ==, parts[1]);
}

static void
test_dumps (void)
{
  g_autofree char *folder = sample_path ("dump"), *order = NULL, *order_path = NULL;
  g_autoptr (JsonParser) parser = NULL;
  JsonArray *files;
  guint n = 0;

  if (folder == NULL)
    return;
  order_path = g_build_filename (folder,
                                 "npy/rank_0/execution_order/ms_execution_order_graph_0.csv", NULL);
  g_assert_true (g_file_get_contents (order_path, &order, NULL, NULL));
  parser = load_json (folder, "expected.json");
  files = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                        "other_files");
  for (guint i = 0; i < json_array_get_length (files); i++)
    {
      JsonObject *file = json_array_get_object_element (files, i);
      const char *name = json_object_get_string_member (file, "path");
      g_autofree char *path = g_build_filename (folder, name, NULL),
                      *inner = g_path_get_dirname (path), *run = NULL;
      SondeRecord record;
      Looked looked;

      if (!g_str_has_suffix (name, ".npy"))
        continue;
      look_at_one (path, &looked, &record);
      run = looked.format->dup_run (inner);
      g_assert_true (g_str_has_suffix (run, "/rank_0"));
      g_assert_cmpint (record.kind, ==, SONDE_RECORD_TENSOR);
      g_assert_cmpint (record.step, ==, 1);
      g_assert_cmpint (record.wall_time_ns / 100000000000, ==, 17952517);
      check_dump_tag (record.tag, path, order);
      check_array (record.u.tensor, file);
      sonde_record_clear (&record);
      looked_clear (&looked);
      n++;
    }
  g_assert_cmpuint (n, ==, 301);
}

static void
test_graph_files (void)
{
  g_autofree char *folder = sample_path ("dump");
  g_autoptr (JsonParser) parser = NULL;
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  guint n = 0;

  if (folder == NULL)
    return;
  parser = load_json (folder, "expected_files.json");
  json_object_iter_init (&iter, json_node_get_object (json_parser_get_root (parser)));
  while (json_object_iter_next (&iter, &name, &node))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      SondeRecord record;
      Looked looked;

      if (!g_str_has_suffix (name, ".pb"))
        continue;
      look_at_one (path, &looked, &record);
      g_assert_cmpint (record.kind, ==, SONDE_RECORD_GRAPH);
      g_assert_true (g_str_has_prefix (record.tag, "ms_output_"));
      g_assert_cmpint (record.u.graph.graph->ir_version, ==,
                       json_object_get_int_member (json_node_get_object (node), "ir_version"));
      sample_check_graph (record.u.graph.graph, json_node_get_object (node));
      sonde_record_clear (&record);
      looked_clear (&looked);
      n++;
    }
  g_assert_cmpuint (n, ==, 6);
}

static const SondeHparam *
item_of (const SondeRecord *record, const char *key)
{
  for (gsize i = 0; i < record->u.lineage.n; i++)
    if (g_str_equal (record->u.lineage.items[i].key, key))
      return &record->u.lineage.items[i];
  g_error ("no item “%s”", key);
}

static void
test_landscape_folder (void)
{
  g_autofree char *folder = sample_path ("landscape"), *inner = NULL, *run = NULL, *metadata = NULL;
  SondeRecord record;
  Looked looked;

  if (folder == NULL)
    return;
  inner = g_build_filename (folder, "ckpt_dir", NULL);
  run = sonde_record_format_mindspore_file.dup_run (inner);
  g_assert_cmpstr (run, ==, folder);
  for (gint64 step = 1; step <= 5; step++)
    {
      g_autofree char *name = g_strdup_printf ("LeNet5_%" G_GINT64_FORMAT "_step.ckpt", step);
      g_autofree char *path = g_build_filename (inner, name, NULL);

      look_at_one (path, &looked, &record);
      g_assert_cmpint (record.kind, ==, SONDE_RECORD_OTHER);
      g_assert_cmpstr (record.tag, ==, "checkpoint/LeNet5");
      g_assert_cmpint (record.step, ==, step);
      g_assert_cmpstr (record.u.other.plugin, ==, "checkpoint of 10 values");
      g_assert_cmpuint (record.u.other.bytes, ==, 178038);
      sonde_record_clear (&record);
      looked_clear (&looked);
    }
  metadata = g_build_filename (inner, "train_metadata.json", NULL);
  look_at_one (metadata, &looked, &record);
  g_assert_cmpstr (record.u.lineage.part, ==, "landscape");
  g_assert_cmpstr (item_of (&record, "step_per_epoch")->text, ==, "20");
  g_assert_cmpstr (item_of (&record, "create_landscape.train")->text, ==, "true");
  sonde_record_clear (&record);
  looked_clear (&looked);
}

static void
test_dump_settings (void)
{
  g_autofree char *settings = sample_path ("dump/data_dump_npy.json"), *order = NULL;
  SondeRecord record;
  Looked looked;

  if (settings == NULL)
    return;
  look_at_one (settings, &looked, &record);
  g_assert_cmpstr (record.u.lineage.part, ==, "dump");
  g_assert_cmpstr (item_of (&record, "common_dump_settings.net_name")->text, ==, "LeNet");
  sonde_record_clear (&record);
  looked_clear (&looked);
  order = sample_path ("dump/npy/rank_0/execution_order/ms_execution_order_graph_0.csv");
  look_at_one (order, &looked, &record);
  g_assert_cmpint (record.kind, ==, SONDE_RECORD_TEXT);
  g_assert_cmpstr (record.tag, ==, "ms_execution_order_graph_0");
  g_assert_cmpint (record.u.cells->shape.dims[1], ==, 1);
  g_assert_cmpstr (((char **) record.u.cells->data)[0], ==, "NodeExecutionOrder-FullNameWithScope");
  sonde_record_clear (&record);
  looked_clear (&looked);
}

static void
test_profile (void)
{
  g_autofree char *folder = sample_path ("profiler");
  g_autoptr (JsonParser) parser = NULL;
  JsonArray *files;

  if (folder == NULL)
    return;
  parser = load_json (folder, "expected.json");
  files = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                        "other_files");
  g_assert_cmpuint (json_array_get_length (files), ==, 5);
  for (guint i = 0; i < json_array_get_length (files); i++)
    {
      JsonObject *file = json_array_get_object_element (files, i);
      const char *name = json_object_get_string_member (file, "path");
      g_autofree char *path = g_build_filename (folder, name, NULL),
                      *inner = g_path_get_dirname (path), *run = NULL;
      SondeRecord record;
      Looked looked;

      look_at_one (path, &looked, &record);
      run = looked.format->dup_run (inner);
      g_assert_cmpstr (run, ==, folder);
      g_assert_true (g_str_has_prefix (record.tag, "profiler/"));
      if (g_str_has_suffix (name, ".csv"))
        g_assert_cmpint (record.u.cells->shape.dims[1], >, 5);
      else
        {
          g_assert_cmpstr (record.u.other.plugin, ==, "profiler");
          g_assert_cmpuint (record.u.other.bytes, ==, json_object_get_int_member (file, "bytes"));
        }
      sonde_record_clear (&record);
      looked_clear (&looked);
    }
}

static void
test_exports (void)
{
  g_autofree char *folder = sample_path ("manual");
  g_autoptr (JsonParser) parser = NULL;
  JsonArray *files;

  if (folder == NULL)
    return;
  parser = load_json (folder, "expected.json");
  files = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                        "other_files");
  g_assert_cmpuint (json_array_get_length (files), ==, 10);
  for (guint i = 0; i < json_array_get_length (files); i++)
    {
      JsonObject *file = json_array_get_object_element (files, i);
      const char *name = json_object_get_string_member (file, "path");
      g_autofree char *path = g_build_filename (folder, name, NULL),
                      *inner = g_path_get_dirname (path), *run = NULL;
      SondeRecord record;
      Looked looked;

      look_at_one (path, &looked, &record);
      run = looked.format->dup_run (inner);
      g_assert_cmpstr (run, ==, folder);
      g_assert_true (g_str_equal (record.tag, "export/ids")
                     || g_str_equal (record.tag, "export/weights/w"));
      g_assert_cmpint (record.step % 8, ==, 0);
      check_array (record.u.tensor, file);
      sonde_record_clear (&record);
      looked_clear (&looked);
    }
}

/* ---- files made here ----------------------------------------------------- */

/* A folder for a test; @inner: rank_0/Net/0/3 or so, made in it. */
static char *
make_folder (const char *inner, char **outer)
{
  char *path;

  *outer = g_dir_make_tmp ("sonde-mindspore-XXXXXX", NULL);
  g_assert_nonnull (*outer);
  path = g_build_filename (*outer, inner, NULL);
  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
  return path;
}

static void
remove_folder (char *outer)
{
  const char *const argv[] = { "rm", "-rf", outer, NULL };

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, NULL, NULL));
  g_free (outer);
}

static char *
write_file (const char *folder, const char *name, const void *data, gsize length, gboolean is_old)
{
  const struct utimbuf old = { 1000000000, 1000000000 };
  char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
  if (is_old)
    g_assert_cmpint (utime (path, &old), ==, 0);
  return path;
}

static void
test_dump_names (void)
{
  static const struct
  {
    const char *name, *tag;
  } names[] = {
    { "Conv2D.Default_net-Net_conv1-Conv2d_Conv2D-op0.1.2.1700000000000001.input.3.DefaultFormat."
      "Float32.npy",
      "Default/net-Net/conv1-Conv2d/Conv2D-op0/input/3" },
    { "Parameter.conv1.bn.weight.0.0.1700000000000001.output.0.DefaultFormat.npy",
      "conv1.bn.weight/output/0" },
    { "Parameter.conv1.weight.0.0.1700000000000001.output.0.npy", "conv1.weight/output/0" },
    { "Parameter.data-4.0.0.1700000000000001.output.0.DefaultFormat.npy", "cst4/output/0" },
    { "ReLU.ReLU-op2.0.0.1700000000000001.output.12.NONE.npy", "ReLU-op2/output/12" },
    { "output.input.1.0.0.1700000000000001.output.0.npy", "input.1/output/0" },
    { "something else.npy", "something else" },
  };
  const SondeShape shape = sonde_shape_make (1, 2);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (GBytes) npy = sonde_npy_serialise (tensor);
  char *outer;
  g_autofree char *folder = make_folder ("rank_7/Net/2/11", &outer);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gsize length;
      const void *data = g_bytes_get_data (npy, &length);
      g_autofree char *path = write_file (folder, names[i].name, data, length, FALSE);
      SondeRecord record;
      Looked looked;

      look_at_one (path, &looked, &record);
      g_assert_cmpstr (record.tag, ==, names[i].tag);
      g_assert_cmpint (record.step, ==, 11);
      g_assert_true (sonde_tensor_equal (record.u.tensor, tensor));
      sonde_record_clear (&record);
      looked_clear (&looked);
    }
  remove_folder (outer);
}

/* A young file that is not whole is waited for; one that nobody writes is damage. */
static void
test_unfinished (void)
{
  const SondeShape shape = sonde_shape_make (1, 100);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
  g_autoptr (GBytes) npy = sonde_npy_serialise (tensor);
  gsize length;
  const void *data = g_bytes_get_data (npy, &length);
  char *outer;
  g_autofree char *folder = make_folder ("rank_0/Net/0/1", &outer);
  const char *name = "ReLU.ReLU-op2.0.0.1700000000000001.output.0.DefaultFormat.npy";

  for (gsize n = 0; n < length; n += 61)
    {
      g_autofree char *young = write_file (folder, name, data, n, FALSE);
      Looked looked;

      look (&looked, young);
      g_assert_cmpuint (looked.batch.refs->len + looked.damage->len, ==, 0);
      g_assert_cmpuint (looked.position, ==, 0);
      looked_clear (&looked);
      g_free (write_file (folder, name, data, n, TRUE));
      look (&looked, young);
      g_assert_cmpuint (looked.batch.refs->len, ==, 0);
      g_assert_cmpuint (looked.damage->len, ==, n > 0);
      if (n > 0)
        g_assert_cmpuint (((SondeFrameDamage *) looked.damage->pdata[0])->bytes, ==, n);
      looked_clear (&looked);
    }
  remove_folder (outer);
}

#define HEADER                                                                                     \
  "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min "   \
  "Value,Avg Value,Count,"                                                                         \
  "Negative Zero Count,Positive Zero Count,NaN Count,Negative Inf Count,Positive Inf Count,Zero "  \
  "Count,L2Norm\n"

static void
test_statistic (void)
{
  static const char text[] = HEADER "ReLU,Default/a/"
                                    "ReLU-op1,0,0,1700000000000001,output,0,16,Float32,\"(2,2)\",4,"
                                    "1,2.5,4,0,4,0,0,0,0,5.477225575\n"
                                    "Mul,Default/a/"
                                    "Mul-op1,0,0,1700000000000002,input,1,16,Float32,\"(4,)\",null,"
                                    "null,null,4,0,0,4,0,0,0,null\n";
  char *outer;
  g_autofree char *folder = make_folder ("rank_0/Net/0/5", &outer);

  for (gsize n = strlen (text); n > 0; n -= n > strlen (text) - 10 ? 1 : n)
    {
      g_autofree char *path = write_file (folder, "statistic.csv", text, n, FALSE);
      SondeRecord record;
      Looked looked;

      look (&looked, path);
      g_assert_cmpuint (looked.damage->len, ==, 0);
      g_assert_cmpuint (looked.batch.refs->len, ==, n == strlen (text) ? 2 : 1);
      read_ref (&looked, 0, &record);
      g_assert_cmpstr (record.tag, ==, "Default/a/ReLU-op1/output/0");
      g_assert_cmpint (record.step, ==, 5);
      g_assert_cmpint (record.wall_time_ns, ==, 1700000000000001000);
      g_assert_cmpint (record.u.statistics.count, ==, 4);
      g_assert_cmpfloat (record.u.statistics.mean, ==, 2.5);
      g_assert_cmpfloat_with_epsilon (record.u.statistics.std, sqrt (1.25), 1e-6);
      if (looked.batch.refs->len == 2)
        {
          read_ref (&looked, 1, &record);
          g_assert_cmpstr (record.tag, ==, "Default/a/Mul-op1/input/1");
          g_assert_true (isnan (record.u.statistics.max));
          g_assert_cmpint (record.u.statistics.nan, ==, 4);
        }
      looked_clear (&looked);
    }
  remove_folder (outer);
}

static void
put (GByteArray *bytes, guint number, const void *data, guint length)
{
  guint8 key[2] = { (guint8) (number << 3 | 2), (guint8) length };

  g_byte_array_append (bytes, key, 2);
  g_byte_array_append (bytes, data, length);
}

/* An output [2, 1] float32 and an input [3] int8, with the data inside or behind. */
static GByteArray *
make_dump_data (gboolean is_inside)
{
  static const guint8 output_data[] = { 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40 },
                      input_data[] = { 1, 2, 0xff };
  static const guint8 output_head[] = { 0x08, 1, 0x10, 2, 0x1a, 4, 0x0a, 2, 2, 1, 0x30, 8 };
  static const guint8 input_head[] = { 0x08, 3, 0x10, 2, 0x1a, 3, 0x0a, 1, 3, 0x28, 3 };
  g_autoptr (GByteArray) output = g_byte_array_new (), input = g_byte_array_new ();
  GByteArray *bytes = g_byte_array_new ();
  guint64 length;

  g_byte_array_append (output, output_head, sizeof output_head);
  g_byte_array_append (input, input_head, sizeof input_head);
  if (is_inside)
    {
      put (output, 5, output_data, sizeof output_data);
      put (input, 4, input_data, sizeof input_data);
    }
  put (bytes, 1, "2.0", 3);
  put (bytes, 3, output->data, output->len);
  put (bytes, 4, input->data, input->len);
  if (is_inside)
    return bytes;
  length = GUINT64_TO_LE (bytes->len);
  g_byte_array_prepend (bytes, (guint8 *) &length, sizeof length);
  g_byte_array_append (bytes, input_data, sizeof input_data);
  g_byte_array_append (bytes, output_data, sizeof output_data);
  return bytes;
}

static void
test_async (void)
{
  static const char *const names[] = { "Add.Default_Add-op0.3.7.1700000000000001",
                                       "Add.Default_Add-op0.3.7.1700000000000001.bin" };
  char *outer;
  g_autofree char *folder = make_folder ("rank_0/Net/0/2", &outer), *junk = NULL;
  SondeRecord record;
  Looked looked;

  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (GByteArray) bytes = make_dump_data (i & 1);
      g_autofree char *path = write_file (folder, names[i / 2], bytes->data, bytes->len, FALSE);

      look (&looked, path);
      g_assert_cmpuint (looked.batch.refs->len, ==, 2);
      read_ref (&looked, 0, &record);
      g_assert_cmpstr (record.tag, ==, "Default/Add-op0/output/0");
      g_assert_cmpint (record.step, ==, 2);
      g_assert_cmpint (record.u.tensor->shape.rank, ==, 2);
      g_assert_cmpfloat (sonde_tensor_get_double (record.u.tensor, 1), ==, 2);
      sonde_record_clear (&record);
      read_ref (&looked, 1, &record);
      g_assert_cmpstr (record.tag, ==, "Default/Add-op0/input/0");
      g_assert_cmpint (record.u.tensor->dtype, ==, SONDE_DTYPE_I8);
      g_assert_cmpfloat (sonde_tensor_get_double (record.u.tensor, 2), ==, -1);
      sonde_record_clear (&record);
      looked_clear (&looked);
    }
  junk = write_file (folder, names[0], "no message at all", 17, FALSE);
  look_at_one (junk, &looked, &record);
  g_assert_cmpint (record.kind, ==, SONDE_RECORD_OTHER);
  g_assert_cmpuint (record.u.other.bytes, ==, 17);
  sonde_record_clear (&record);
  looked_clear (&looked);
  remove_folder (outer);
}

/* What only looks like one of these files is not taken. */
/* Of a parallel training: listed by its size, whatever is in it. */
static void
test_strategy (void)
{
  char *outer;
  g_autofree char *folder = make_folder ("parallel", &outer);
  g_autofree char *path
      = write_file (folder, "strategy_stage1.ckpt", "\x08\x01\x12\x07whatever", 12, TRUE);
  SondeRecord record;
  Looked looked;

  look_at_one (path, &looked, &record);
  g_assert_cmpint (record.kind, ==, SONDE_RECORD_OTHER);
  g_assert_cmpstr (record.tag, ==, "parallel/strategy_stage1");
  g_assert_cmpstr (record.u.other.plugin, ==, "parallel strategy");
  g_assert_cmpuint (record.u.other.bytes, ==, 12);
  sonde_record_clear (&record);
  looked_clear (&looked);
  remove_folder (outer);
}

static void
test_other_files (void)
{
  static const struct
  {
    const char *name, *text;
  } files[] = {
    { "weights.npy", "x" },
    { "model.ckpt", "x" },
    { "memory_usage_0.pb", "\x08\x01\x22\x00" },
    { "frozen.pb", "\x0a\x03x" },
    { "data_dump.json", "{}" },
    { "manifest.json", "{\"name\": 1}" },
    { "notes.txt", "x" },
    { "a_16.npy", "x" },
    { "lib.so.1.2.3", "x" },
    { "statistic.csv", "a,b\n" },
    { "summary.1.txt", "text" },
  };
  char *outer;
  g_autofree char *folder = make_folder ("plain", &outer);

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path
          = write_file (folder, files[i].name, files[i].text, strlen (files[i].text), TRUE);

      if (sonde_record_format_find (NULL, path) != NULL)
        g_error ("“%s” was taken for a record file", files[i].name);
    }
  remove_folder (outer);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mindspore/files/dumps", test_dumps);
  g_test_add_func ("/mindspore/files/graphs", test_graph_files);
  g_test_add_func ("/mindspore/files/landscape", test_landscape_folder);
  g_test_add_func ("/mindspore/files/settings", test_dump_settings);
  g_test_add_func ("/mindspore/files/profile", test_profile);
  g_test_add_func ("/mindspore/files/exports", test_exports);
  g_test_add_func ("/mindspore/files/dump-names", test_dump_names);
  g_test_add_func ("/mindspore/files/unfinished", test_unfinished);
  g_test_add_func ("/mindspore/files/statistic", test_statistic);
  g_test_add_func ("/mindspore/files/async", test_async);
  g_test_add_func ("/mindspore/files/strategy", test_strategy);
  g_test_add_func ("/mindspore/files/others", test_other_files);
  return g_test_run ();
}
