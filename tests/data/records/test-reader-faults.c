/* SPDX-License-Identifier: Apache-2.0
 * Every file call and every allocation fails once, and from then on, while a file of each format is
 * read: an error then, never damage that is not in the file, and the same as ever when the fault is
 * gone. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-format.h"
#include "tests/support/sonde-test-faults.h"

#define FRAMES_OF_KIND "frames:" /* of the corpus' payloads with this first byte */
#define FILE_OF_KIND "file:"     /* the largest of the corpus' files with this first byte */

/**
 * Sample:
 * @path: below the folder of the test
 * @content: the text itself, or where it is taken from (@corpus)
 */
typedef struct
{
  const char *path;
  const SondeRecordFormat *format;
  const char *content;
  const char *corpus;
  gboolean gzip;
} Sample;

#define TENSORBOARD "tensorboard/corpus"
#define MINDSPORE "records/mindspore-corpus"

static const Sample samples[] = {
  { "a/v2.sonde", &sonde_record_format_sonde, FILE_OF_KIND, "records/v2.sonde" },
  { "b/events.out.tfevents.1700000000.host", &sonde_record_format_tensorboard, FRAMES_OF_KIND "0",
    TENSORBOARD },
  { "c/events.out.tfevents.1700000000.host.gz", &sonde_record_format_tensorboard_gzip,
    FRAMES_OF_KIND "0", TENSORBOARD, TRUE },
  { "d/projector_config.pbtxt", &sonde_record_format_tensorboard_projector,
    "embeddings {\n  tensor_name: \"a\"\n  tensor_path: \"t.tsv\"\n  metadata_path: \"m.tsv\"\n}\n",
    NULL },
  { "e/a.out.events.summary.1700000000.host_MS", &sonde_record_format_mindspore_event,
    FRAMES_OF_KIND "0", MINDSPORE },
  { "f/a.out.events.summary.1700000000.host_MS_lineage", &sonde_record_format_mindspore_lineage,
    FRAMES_OF_KIND "1", MINDSPORE },
  { "g/metrics.csv", &sonde_record_format_csv,
    "step,loss,accuracy\n1,2.5,0.5\n2,1.5,0.75\n3,nan,1e-3\n", NULL },
  { "h/rank_0/net/0/1/statistic.csv", &sonde_record_format_mindspore_statistic, FILE_OF_KIND "3",
    MINDSPORE },
  { "i/rank_0/graphs/ms_output_graph_0.pb", &sonde_record_format_mindspore_file, FILE_OF_KIND "4",
    MINDSPORE },
  { "j/rank_0/net/0/1/Add.Default_Add-op0.1.2.1700000000000001",
    &sonde_record_format_mindspore_file, FILE_OF_KIND "5", MINDSPORE },
  { "k/rank_0/net/0/1/Add.Default_Add-op0.1.2.1700000000000001.output.0.DefaultFormat.npy",
    &sonde_record_format_mindspore_file, FILE_OF_KIND "6", MINDSPORE },
  { "l/ckpt_dir/net_1_step.ckpt", &sonde_record_format_mindspore_file, FILE_OF_KIND "8",
    MINDSPORE },
};

/* ---- files --------------------------------------------------------------- */

/* All corpus inputs of @kind: framed one after the other, or the largest as it is. */
static GByteArray *
collect (const char *corpus, guint8 kind, gboolean framed)
{
  g_autofree char *folder
      = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests", "fixtures", corpus, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GByteArray *bytes = g_byte_array_new ();
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL), *data = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (path, &data, &length, NULL));
      if (length == 0 || (guint8) data[0] != kind || (!framed && length - 1 < bytes->len))
        continue;
      if (framed)
        {
          sonde_frame_append (bytes, data + 1, length - 1);
          continue;
        }
      g_byte_array_set_size (bytes, 0);
      g_byte_array_append (bytes, (const guint8 *) data + 1, (guint) length - 1);
    }
  return bytes;
}

static GByteArray *
make_content (const Sample *sample)
{
  GByteArray *bytes = g_byte_array_new ();
  g_autofree char *path = NULL, *data = NULL;
  gsize length;

  if (sample->corpus == NULL)
    return g_byte_array_append (bytes, (const guint8 *) sample->content,
                                (guint) strlen (sample->content));
  if (g_str_has_prefix (sample->content, FRAMES_OF_KIND))
    {
      g_byte_array_unref (bytes);
      return collect (sample->corpus, (guint8) (sample->content[strlen (FRAMES_OF_KIND)] - '0'),
                      TRUE);
    }
  if (strlen (sample->content) > strlen (FILE_OF_KIND))
    {
      g_byte_array_unref (bytes);
      return collect (sample->corpus, (guint8) (sample->content[strlen (FILE_OF_KIND)] - '0'),
                      FALSE);
    }
  path = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests", "fixtures", sample->corpus, NULL);
  g_assert_true (g_file_get_contents (path, &data, &length, NULL));
  return g_byte_array_append (bytes, (const guint8 *) data, (guint) length);
}

static GByteArray *
compress (GByteArray *bytes)
{
  g_autoptr (GZlibCompressor) compressor = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6);
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) stream
      = g_converter_output_stream_new (memory, G_CONVERTER (compressor));
  GByteArray *result = g_byte_array_new ();

  g_assert_true (g_output_stream_write_all (stream, bytes->data, bytes->len, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (stream, NULL, NULL));
  g_byte_array_append (
      result, g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (memory)),
      (guint) g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (memory)));
  g_byte_array_unref (bytes);
  return result;
}

static char *
make_file (const char *folder, const Sample *sample)
{
  char *path = g_build_filename (folder, sample->path, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *tensors = g_build_filename (parent, "t.tsv", NULL),
                  *notes = g_build_filename (parent, "m.tsv", NULL);
  GByteArray *bytes = make_content (sample);

  if (sample->gzip)
    bytes = compress (bytes);
  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, (gssize) bytes->len, NULL));
  if (sample->format == &sonde_record_format_tensorboard_projector)
    {
      g_assert_true (g_file_set_contents (tensors, "1\t2\n3\t4\n5\t6\n", -1, NULL));
      g_assert_true (g_file_set_contents (notes, "x\ny\nz\n", -1, NULL));
    }
  g_byte_array_unref (bytes);
  return path;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_remove (path);
}

/* ---- reading ------------------------------------------------------------- */

/* @text: all that was read, as lines; @failed: an error ended it; @damage: stretches */
typedef struct
{
  GString *text;
  gboolean failed;
  guint n_damage;
} Reading;

static void
check_error (const Reading *reading, GError *error)
{
  g_assert_nonnull (error);
  if (reading == NULL || error->domain != SONDE_DATA_ERROR
      || (error->code != SONDE_DATA_ERROR_IO && error->code != SONDE_DATA_ERROR_NO_MEMORY))
    g_error ("an unexpected error: %s", error->message);
}

static void
note_batch (Reading *reading, const SondeRecordBatch *batch, const GArray *tags)
{
  for (gsize i = 0; i < batch->n_points; i++)
    g_string_append_printf (reading->text, "point %s %" G_GINT64_FORMAT " %a %u\n",
                            g_array_index (tags, SondeRecordTag, batch->tags[i]).name,
                            batch->steps[i], batch->values[i], batch->sessions[i]);
  for (guint i = 0; i < batch->refs->len; i++)
    {
      const SondeRecordRef *ref = &g_array_index (batch->refs, SondeRecordRef, i);

      g_string_append_printf (reading->text, "ref %d %" G_GINT64_FORMAT " %" G_GUINT64_FORMAT "\n",
                              ref->kind, ref->step, ref->place);
    }
}

static void
read_contents (Reading *reading, const SondeRecordFormat *format, const SondeIo *io,
               const char *path, const SondeRecordBatch *batch, const GArray *tags)
{
  for (guint i = 0; i < MIN (batch->refs->len, 40); i++)
    {
      g_autoptr (GError) error = NULL;
      SondeRecord record;

      if (sonde_record_format_read (
              format, io, path, g_array_index (batch->refs, SondeRecordRef, i).place,
              (const SondeRecordTag *) tags->data, tags->len, &record, &error))
        {
          g_string_append_printf (reading->text, "content %d %" G_GSIZE_FORMAT "\n", record.kind,
                                  sonde_record_n_bytes (&record));
          sonde_record_clear (&record);
        }
      else
        {
          g_assert_nonnull (error);
          g_string_append_printf (reading->text, "no content %d\n", error->code);
        }
    }
}

static void
read_frames (Reading *reading, const SondeRecordFormat *format, const SondeIo *io, const char *path,
             gboolean contents)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeFrameReader) frames = sonde_frame_reader_open (io, path, 0, &error);
  SondeFrameResult result = SONDE_FRAME_ERROR;
  SondeRecordDecoder *decoder;
  SondeRecordBatch batch;
  const guint8 *payload;
  gsize length;
  guint64 offset;

  if (frames == NULL)
    {
      reading->failed = TRUE;
      check_error (reading, error);
      return;
    }
  decoder = format->decoder_new (NULL, 0);
  sonde_record_batch_init (&batch);
  while ((result = sonde_frame_reader_next (frames, &payload, &length, &offset, &error))
         == SONDE_FRAME_RECORD)
    {
      g_autoptr (GError) problem = NULL;

      if (format->scan (decoder, payload, length, offset, &batch, &problem))
        continue;
      reading->n_damage++;
      if (!g_error_matches (problem, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY))
        continue;
      result = SONDE_FRAME_ERROR;
      reading->n_damage--;
      error = g_steal_pointer (&problem);
      break;
    }
  reading->n_damage += sonde_frame_reader_get_damage (frames)->len;
  if (result == SONDE_FRAME_ERROR)
    {
      reading->failed = TRUE;
      check_error (reading, error);
    }
  note_batch (reading, &batch, decoder->tags);
  if (contents)
    read_contents (reading, format, io, path, &batch, decoder->tags);
  sonde_record_batch_clear (&batch);
  format->decoder_free (decoder);
}

static void
read_source (Reading *reading, const SondeRecordFormat *format, const SondeIo *io, const char *path,
             gboolean contents)
{
  g_autoptr (GPtrArray) damage
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_damage_free);
  g_autoptr (GError) error = NULL;
  gpointer source = format->open (io, path, 0, NULL, 0, &error);
  guint64 position = 0, n_records = 0;
  SondeRecordBatch batch;
  SondeFrameResult result;
  GArray *tags;

  if (source == NULL)
    {
      reading->failed = TRUE;
      check_error (reading, error);
      return;
    }
  sonde_record_batch_init (&batch);
  while ((result = format->next (source, &batch, &position, &n_records, damage, &error))
         == SONDE_FRAME_RECORD)
    ;
  reading->n_damage = damage->len;
  if (result == SONDE_FRAME_ERROR)
    {
      reading->failed = TRUE;
      check_error (reading, error);
    }
  tags = format->get_tags (source);
  note_batch (reading, &batch, tags);
  if (contents)
    read_contents (reading, format, io, path, &batch, tags);
  sonde_record_batch_clear (&batch);
  format->close (source);
}

static Reading
read_file (const Sample *sample, const SondeIo *io, const char *path, gboolean contents)
{
  Reading reading = { .text = g_string_new (NULL) };

  (sample->format->open != NULL ? read_source : read_frames) (&reading, sample->format, io, path,
                                                              contents);
  return reading;
}

/* ---- rounds -------------------------------------------------------------- */

typedef struct
{
  const Sample *sample;
  const char *path;
  gboolean contents;
  Reading clean;
} Round;

/* What a file of MindSpore is stands in it: as long as that could not be read, it waits to be
 * looked at again. */
static gboolean
may_wait (const Round *round, const Reading *reading)
{
  return round->sample->format == &sonde_record_format_mindspore_file && reading->text->len == 0;
}

static void
play (gpointer data)
{
  const Round *round = data;
  Reading reading
      = read_file (round->sample, sonde_test_faults_io (), round->path, round->contents),
      again;

  sonde_test_faults_end ();
  g_assert_cmpuint (reading.n_damage, <=, round->clean.n_damage);
  /* what was scanned before the error is right, and without an error it is everything */
  if (!round->contents && reading.failed)
    g_assert_true (reading.text->len <= round->clean.text->len);
  else if (!round->contents && !may_wait (round, &reading))
    g_assert_cmpstr (reading.text->str, ==, round->clean.text->str);
  again = read_file (round->sample, NULL, round->path, TRUE);
  if (round->contents)
    g_assert_cmpstr (again.text->str, ==, round->clean.text->str);
  g_string_free (reading.text, TRUE);
  g_string_free (again.text, TRUE);
}

static void
test_faults (gconstpointer data)
{
  const Sample *sample = data;
  g_autofree char *folder = g_dir_make_tmp ("sonde-faults-XXXXXX", NULL);
  g_autofree char *path = make_file (folder, sample);
  guint n = 0;

  g_assert_true (sonde_record_format_find (NULL, path) == sample->format);
  for (int contents = 0; contents < 2; contents++)
    {
      Round round = { sample, path, contents == 1, read_file (sample, NULL, path, contents == 1) };

      g_assert_false (round.clean.failed);
      g_assert_cmpuint (round.clean.text->len, >, 0);
      n += sonde_test_faults_loop (SONDE_TEST_FAULT_IO, play, &round);
      n += sonde_test_faults_loop (SONDE_TEST_FAULT_MEMORY, play, &round);
      g_string_free (round.clean.text, TRUE);
    }
  g_assert_cmpuint (n, >, 0);
  remove_tree (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autofree char *name = g_strdup_printf ("/data/records/faults/%c-%s", samples[i].path[0],
                                               strrchr (samples[i].path, '/') + 1);

      g_test_add_data_func (name, &samples[i], test_faults);
    }
  return g_test_run ();
}
