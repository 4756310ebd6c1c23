/* SPDX-License-Identifier: Apache-2.0
 * Runs made of TensorBoard's and MindSpore's files, numbers that the writing thread deals with,
 * policies by tag. What the files mean to the original tools is tested with those
 * (tests/collector/python). */
#include <math.h>
#include <string.h>

#include "collector/writer/sonde-summary-writer.h"
#include "data/records/sonde-record-frame.h"
#include "tests/collector/writer/disk-io.h"
#include "tests/collector/writer/run-folder.h"
#include "tests/data/records/rich-records.h"
#include "tests/data/records/sample-records.h"

/* ---- files --------------------------------------------------------------- */

/* All frames of the files of @run whose name contains @word, one behind the other; none may be
 * damaged. */
static GPtrArray *
read_payloads (const char *run, const char *word)
{
  GPtrArray *payloads = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GDir) dir = g_dir_open (run, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (run, name, NULL);
      g_autoptr (SondeFrameReader) reader = NULL;
      const guint8 *payload;
      gsize length;
      guint64 offset;

      if (strstr (name, word) == NULL)
        continue;
      reader = sonde_frame_reader_open (NULL, path, 0, NULL);
      while (sonde_frame_reader_next (reader, &payload, &length, &offset, NULL)
             == SONDE_FRAME_RECORD)
        g_ptr_array_add (payloads, g_bytes_new (payload, length));
      sonde_frame_reader_finish (reader);
      g_assert_cmpuint (sonde_frame_reader_get_damage (reader)->len, ==, 0);
    }
  return payloads;
}

/* Frames that contain @text. */
static guint
count_with (GPtrArray *payloads, const char *text)
{
  guint n = 0;

  for (guint i = 0; i < payloads->len; i++)
    {
      gsize length;
      const void *data = g_bytes_get_data (payloads->pdata[i], &length);

      n += memmem (data, length, text, strlen (text)) != NULL;
    }
  return n;
}

static SondeGraph *
parse_nothing (GBytes *model, gpointer data, GError **error)
{
  SondeGraph *graph = sonde_graph_new ("model");
  SondeGraphValue *input = sonde_graph_add_input (graph, "x", NULL);
  SondeNode *node = sonde_graph_add_node (graph, "layer/conv", "", "Conv", &input, 1, 1);

  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
  ++*(guint *) data;
  return graph;
}

static void
count_warning (const char *message, gpointer data)
{
  g_assert_nonnull (strstr (message, "no place for"));
  ++*(guint *) data;
}

static SondeSummaryWriter *
open_format (const char *run, SondeSummaryFormat format, guint *counts)
{
  const SondeSummaryWriterOptions options = {
    .format = format,
    .parse_model = parse_nothing,
    .parse_data = &counts[0],
    .warn = count_warning,
    .warn_data = &counts[1],
  };
  g_autoptr (GError) error = NULL;
  SondeSummaryWriter *writer = sonde_summary_writer_open (run, &options, &error);

  g_assert_no_error (error);
  return writer;
}

/* Every record there is, twice: each thing that does not fit is said once. */
static void
test_every_record (gconstpointer data)
{
  const SondeSummaryFormat format = (SondeSummaryFormat) GPOINTER_TO_INT (data);
  g_autoptr (GPtrArray) payloads = NULL;
  g_autoptr (GPtrArray) warnings = NULL;
  g_autoptr (GError) error = NULL;
  SondeSummaryWriterState state;
  SondeSummaryWriter *writer;
  guint counts[2] = { 0 };
  RunFolder run;

  run_folder_init (&run);
  writer = open_format (run.run, format, counts);
  for (guint i = 0; i < 2 * (N_SAMPLE_RECORDS + N_RICH_RECORDS); i++)
    {
      guint k = i % (N_SAMPLE_RECORDS + N_RICH_RECORDS);
      SondeRecord record;

      if (k < N_SAMPLE_RECORDS)
        make_sample_record (k, &record);
      else
        make_rich_record (k - N_SAMPLE_RECORDS, &record);
      sonde_summary_writer_add_record (writer, &record);
      sonde_record_clear (&record);
    }
  sonde_summary_writer_flush (writer);
  sonde_summary_writer_get_state (writer, &state);
  warnings = sonde_summary_writer_dup_warnings (writer);
  g_assert_true (sonde_summary_writer_close (writer, &error));
  g_assert_no_error (error);

  g_assert_cmpuint (state.lost_records, ==, 0);
  g_assert_cmpuint (state.left_out, >, 0);
  g_assert_cmpuint (counts[0], ==, 4); /* two models, twice */
  g_assert_cmpuint (counts[1], ==, warnings->len);
  for (guint i = 0; i < warnings->len; i++) /* each can be said in any language */
    {
      const char *const *arguments;

      g_assert_true (g_str_has_prefix (sonde_message_get_part (warnings->pdata[i], 0, &arguments),
                                       "%s files have no place for %-s: left out, first at step "));
    }
  payloads = read_payloads (run.run, "events.out");
  g_assert_cmpuint (payloads->len, >=, state.written_records);
  g_assert_cmpuint (count_with (payloads, "layer/conv"), ==, 2);
  run_folder_clear (&run);
}

/* A tag is described with its first value, and again when that value could not be written. */
static void
test_description_survives (void)
{
  const SondeShape shape = sonde_shape_make (2, 100, 400);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeSummaryWriterOptions options = { .format = SONDE_SUMMARY_FORMAT_TENSORBOARD };
  g_autoptr (GPtrArray) payloads = NULL;
  SondeSummaryWriter *writer;
  DiskIo disk;
  RunFolder run;

  run_folder_init (&run);
  disk_io_init (&disk);
  options.io = &disk.io;
  writer = sonde_summary_writer_open (run.run, &options, NULL);
  sonde_summary_writer_flush (writer);
  disk.write_error = ENOSPC;
  sonde_summary_writer_add_tensor (writer, "weights", 1, tensor); /* large: dropped at once */
  sonde_summary_writer_flush (writer);
  disk.write_error = 0;
  sonde_summary_writer_add_tensor (writer, "weights", 2, tensor);
  sonde_summary_writer_add_tensor (writer, "weights", 3, tensor);
  g_assert_false (sonde_summary_writer_close (writer, NULL));

  payloads = read_payloads (run.run, "tfevents");
  g_assert_cmpuint (count_with (payloads, "weights"), ==, 2);
  g_assert_cmpuint (count_with (payloads, "tensor"), ==, 1); /* the plugin's name */
  g_assert_cmpuint (count_with (payloads, "were lost"), ==, 1);
  run_folder_clear (&run);
}

/* Sessions of a run have a file each; the second says that the run goes on. */
static void
test_sessions (void)
{
  RunFolder run;
  guint counts[2] = { 0 };

  run_folder_init (&run);
  for (guint session = 1; session <= 3; session++)
    {
      SondeSummaryWriter *writer = open_format (run.run, SONDE_SUMMARY_FORMAT_TENSORBOARD, counts);

      g_assert_cmpuint (sonde_summary_writer_get_session (writer), ==, session);
      sonde_summary_writer_close (writer, NULL);
      writer = open_format (run.run, SONDE_SUMMARY_FORMAT_MINDSPORE, counts);
      g_assert_cmpuint (sonde_summary_writer_get_session (writer), ==, session);
      sonde_summary_writer_close (writer, NULL);
    }
  {
    g_autoptr (GPtrArray) events = read_payloads (run.run, "tfevents");
    g_autoptr (GPtrArray) summaries = read_payloads (run.run, "_MS");

    g_assert_cmpuint (events->len, ==, 5); /* version, and START in two of them */
    g_assert_cmpuint (summaries->len, ==, 3);
  }
  run_folder_clear (&run);
}

/* ---- numbers that the writing thread deals with -------------------------- */

static GPtrArray *
close_and_read (SondeSummaryWriter *writer)
{
  g_autofree char *path = g_strdup (sonde_summary_writer_get_path (writer));
  g_autoptr (GError) error = NULL;

  sonde_summary_writer_close (writer, &error);
  g_assert_no_error (error);
  return read_records (path, NULL);
}

static void
test_values (void)
{
  const SondeSummaryWriterOptions small = { .queue_bytes = 1 << 20 };
  const gsize n = 100003;
  const SondeShape shape = sonde_shape_make (1, (int) n);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  float *values = (float *) (void *) tensor->data;
  g_autoptr (GPtrArray) records = NULL;
  SondeHistogram expected;
  SondeSummaryWriter *writer;
  RunFolder run;

  for (gsize i = 0; i < n; i++)
    values[i] = i % 1000 == 0 ? NAN : (float) sin ((double) i) * powf (2, (float) (i % 40) - 20);
  sonde_histogram_init (&expected);
  sonde_histogram_add (&expected, tensor);
  run_folder_init (&run);
  writer = sonde_summary_writer_open (run.run, &small, NULL);
  sonde_summary_writer_add_values (writer, "waiting", 1, SONDE_DTYPE_F32, values, n / 2);
  /* larger than the queue takes */
  sonde_summary_writer_add_values (writer, "at once", 1, SONDE_DTYPE_F32, values, n);
  sonde_summary_writer_add_values (writer, "none", 1, SONDE_DTYPE_F64, NULL, 0);
  records = close_and_read (writer);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_HISTOGRAM), ==, 3);
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      if (g_strcmp0 (record->tag, "at once") == 0)
        g_assert_cmpmem (record->u.histogram, sizeof expected, &expected, sizeof expected);
      if (g_strcmp0 (record->tag, "waiting") == 0)
        g_assert_cmpuint (sonde_histogram_count (record->u.histogram), ==, n / 2);
      if (g_strcmp0 (record->tag, "none") == 0)
        g_assert_cmpuint (sonde_histogram_count (record->u.histogram), ==, 0);
    }
  run_folder_clear (&run);
}

/* Memory is used again from call to call; what is written stays what was handed in. */
static void
test_memory_is_used_again (void)
{
  g_autoptr (GPtrArray) records = NULL;
  SondeSummaryWriter *writer;
  RunFolder run;
  guint n = 0;

  run_folder_init (&run);
  writer = sonde_summary_writer_open (run.run, NULL, NULL);
  for (gint64 step = 0; step < 200; step++)
    {
      float values[5000];

      for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
        values[i] = (float) (step + 1);
      sonde_summary_writer_add_values (writer, "h", step, SONDE_DTYPE_F32, values,
                                       G_N_ELEMENTS (values) - (gsize) step * 7);
    }
  records = close_and_read (writer);
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      if (record->kind != SONDE_RECORD_HISTOGRAM)
        continue;
      g_assert_cmpint (record->step, ==, n++);
      g_assert_cmpfloat (record->u.histogram->min, ==, (double) (record->step + 1));
      g_assert_cmpfloat (record->u.histogram->max, ==, (double) (record->step + 1));
      g_assert_cmpuint (sonde_histogram_count (record->u.histogram), ==, 5000 - record->step * 7);
    }
  g_assert_cmpuint (n, ==, 200);
  run_folder_clear (&run);
}

/* The same picture in every order and type. */
static void
test_pixels (void)
{
  enum
  {
    C = 3,
    H = 5,
    W = 7
  };
  guint8 chw[C * H * W], hwc[C * H * W];
  float floats[C * H * W];
  gint32 whole[C * H * W];
  g_autoptr (GPtrArray) records = NULL;
  SondeSummaryWriter *writer;
  GBytes *first = NULL;
  RunFolder run;

  for (int c = 0; c < C; c++)
    for (int i = 0; i < H * W; i++)
      chw[c * H * W + i] = hwc[i * C + c] = (guint8) (c * 80 + i * 2);
  for (int i = 0; i < C * H * W; i++)
    {
      floats[i] = ((float) hwc[i] + 0.5f) / 255;
      whole[i] = chw[i];
    }
  run_folder_init (&run);
  writer = sonde_summary_writer_open (run.run, NULL, NULL);
  sonde_summary_writer_add_pixels (writer, "i", 0, 0, SONDE_DTYPE_U8, SONDE_PIXELS_CHW, chw, C, H,
                                   W, NULL);
  sonde_summary_writer_add_pixels (writer, "i", 0, 1, SONDE_DTYPE_U8, SONDE_PIXELS_HWC, hwc, C, H,
                                   W, NULL);
  sonde_summary_writer_add_pixels (writer, "i", 0, 2, SONDE_DTYPE_F32, SONDE_PIXELS_HWC, floats, C,
                                   H, W, NULL);
  sonde_summary_writer_add_pixels (writer, "i", 0, 3, SONDE_DTYPE_I32, SONDE_PIXELS_CHW, whole, C,
                                   H, W, NULL);
  records = close_and_read (writer);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_IMAGE), ==, 4);
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      if (record->kind != SONDE_RECORD_IMAGE)
        continue;
      g_assert_cmpint (record->u.image.width, ==, W);
      first = first != NULL ? first : record->u.image.encoded;
      g_assert_true (g_bytes_equal (record->u.image.encoded, first));
    }
  run_folder_clear (&run);
}

/* ---- policies and syncs -------------------------------------------------- */

static void
test_policies (void)
{
  const SondePolicy tenth = { .every = 10 }, fair = { .every = 1, .reservoir = 50, .seed = 9 },
                    never = { 0 };
  g_autoptr (GPtrArray) records = NULL;
  guint counts[4] = { 0 }, late = 0;
  SondeSummaryWriter *writer;
  RunFolder run;

  run_folder_init (&run);
  writer = sonde_summary_writer_open (run.run, NULL, NULL);
  sonde_summary_writer_set_policy (writer, "*", &tenth);
  sonde_summary_writer_set_policy (writer, "fair/*", &fair);
  sonde_summary_writer_set_policy (writer, "never", &never);
  for (gint64 step = 0; step < 1000; step++)
    {
      const SondeScalar scalars[] = { { "a", 1 }, { "fair/b", 2 }, { "never", 3 } };

      sonde_summary_writer_add_scalars (writer, step, scalars, 3);
      sonde_summary_writer_add_text (writer, "words", step, "x");
    }
  records = close_and_read (writer);
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      counts[3] += record->kind == SONDE_RECORD_TEXT;
      for (gsize k = 0; record->kind == SONDE_RECORD_SCALARS && k < record->u.scalars.n; k++)
        {
          counts[(int) record->u.scalars.items[k].value - 1]++;
          late += record->u.scalars.items[k].value == 2 && record->step >= 500;
        }
    }
  g_assert_cmpuint (counts[0], ==, 100);
  g_assert_cmpuint (counts[2], ==, 0);
  g_assert_cmpuint (counts[3], ==, 100);
  /* 50 (1 + ln 20) = 200 in the mean, 50 ln 2 = 35 of them in the second half */
  g_assert_cmpuint (counts[1], >, 150);
  g_assert_cmpuint (counts[1], <, 250);
  g_assert_cmpuint (late, >, 15);
  g_assert_cmpuint (late, <, 60);
  run_folder_clear (&run);
}

static void
test_sync (void)
{
  SondeSummaryWriterOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  SondeSummaryWriter *writer;
  DiskIo disk;
  RunFolder run;

  run_folder_init (&run);
  disk_io_init (&disk);
  options.io = &disk.io;
  writer = sonde_summary_writer_open (run.run, &options, NULL);
  sonde_summary_writer_add_scalar (writer, "x", 1, 1);
  g_assert_true (sonde_summary_writer_sync (writer, &error));
  g_assert_true (sonde_summary_writer_sync (writer, &error));
  disk.fsync_error = EIO;
  sonde_summary_writer_add_scalar (writer, "x", 2, 1);
  g_assert_false (sonde_summary_writer_sync (writer, &error));
  g_assert_nonnull (strstr (error->message, ".sonde"));
  disk.fsync_error = 0;
  g_assert_false (sonde_summary_writer_close (writer, NULL));
  run_folder_clear (&run);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/collector/writer/formats/tensorboard",
                        GINT_TO_POINTER (SONDE_SUMMARY_FORMAT_TENSORBOARD), test_every_record);
  g_test_add_data_func ("/collector/writer/formats/mindspore",
                        GINT_TO_POINTER (SONDE_SUMMARY_FORMAT_MINDSPORE), test_every_record);
  g_test_add_func ("/collector/writer/formats/description-survives", test_description_survives);
  g_test_add_func ("/collector/writer/formats/sessions", test_sessions);
  g_test_add_func ("/collector/writer/numbers/values", test_values);
  g_test_add_func ("/collector/writer/numbers/memory-is-used-again", test_memory_is_used_again);
  g_test_add_func ("/collector/writer/numbers/pixels", test_pixels);
  g_test_add_func ("/collector/writer/policies", test_policies);
  g_test_add_func ("/collector/writer/sync", test_sync);
  return g_test_run ();
}
