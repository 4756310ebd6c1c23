/* SPDX-License-Identifier: Apache-2.0
 * Whole record files: in one go, in two sittings, from the middle, damaged, and of version 1. */
#include "data/records/sonde-record-reader.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-format.h"
#include "tests/data/records/rich-records.h"
#include "tests/data/records/sample-records.h"
#include "tests/data/records/temporary-file.h"

/* All samples in one file; @offsets (nullable) gets the frames' places. */
static GByteArray *
make_file (GArray *offsets)
{
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  GByteArray *bytes = g_byte_array_new ();

  for (guint i = 0; i < N_SAMPLE_RECORDS; i++)
    {
      SondeRecord record;
      gsize start = sonde_frame_begin (bytes);

      if (offsets != NULL)
        g_array_append_vals (offsets, &(guint64){ start }, 1);
      make_sample_record (i, &record);
      sonde_record_encode (&record, table, bytes);
      sonde_frame_end (bytes, start);
      sonde_record_clear (&record);
    }
  return bytes;
}

static void
assert_sample (guint i, const SondeRecord *record)
{
  SondeRecord expected;

  make_sample_record (i, &expected);
  assert_records_equal (record, &expected);
  sonde_record_clear (&expected);
}

static SondeRecordReader *
open_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  SondeRecordReader *reader = sonde_record_reader_open (NULL, path, &error);

  g_assert_no_error (error);
  return reader;
}

/* Reads @n samples from number @first on. */
static void
read_samples (SondeRecordReader *reader, guint first, guint n)
{
  g_autoptr (GError) error = NULL;

  for (guint i = first; i < first + n; i++)
    {
      SondeRecord record;

      g_assert_cmpint (sonde_record_reader_next (reader, &record, NULL, &error), ==,
                       SONDE_FRAME_RECORD);
      g_assert_no_error (error);
      assert_sample (i, &record);
      sonde_record_clear (&record);
    }
}

static void
assert_at_end (SondeRecordReader *reader)
{
  SondeRecord record;

  g_assert_cmpint (sonde_record_reader_next (reader, &record, NULL, NULL), ==, SONDE_FRAME_WAITING);
  g_assert_false (sonde_frame_reader_is_waiting (sonde_record_reader_get_frames (reader)));
}

static void
test_whole_file (void)
{
  g_autoptr (GByteArray) bytes = make_file (NULL);
  g_autoptr (SondeRecordReader) reader = NULL;
  TemporaryFile file;

  temporary_file_init (&file);
  temporary_file_write (&file, bytes->data, bytes->len);
  reader = open_file (file.path);
  read_samples (reader, 0, N_SAMPLE_RECORDS);
  assert_at_end (reader);
  g_assert_cmpuint (sonde_frame_reader_get_count (sonde_record_reader_get_frames (reader)), ==,
                    N_SAMPLE_RECORDS);
  temporary_file_clear (&file);
}

/* Frames of @path from @position on, as the index reads them: @n samples from number @first. */
static guint64
scan_samples (const char *path, guint64 position, SondeRecordDecoder *decoder, guint first, guint n)
{
  const SondeRecordFormat *format = &sonde_record_format_sonde;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeFrameReader) frames = sonde_frame_reader_open (NULL, path, position, &error);
  SondeRecordBatch batch;

  g_assert_no_error (error);
  sonde_record_batch_init (&batch);
  for (guint i = first; i < first + n; i++)
    {
      const guint8 *payload;
      gsize length;
      guint64 offset;
      SondeRecord record;

      g_assert_cmpint (sonde_frame_reader_next (frames, &payload, &length, &offset, &error), ==,
                       SONDE_FRAME_RECORD);
      g_assert_true (format->scan (decoder, payload, length, offset, &batch, &error));
      g_assert_true (format->read (decoder, payload, length, 0, &record, &error));
      g_assert_no_error (error);
      assert_sample (i, &record);
      sonde_record_clear (&record);
    }
  if (first + n == N_SAMPLE_RECORDS)
    {
      const guint8 *payload;
      gsize length;
      guint64 offset;

      g_assert_cmpint (sonde_frame_reader_next (frames, &payload, &length, &offset, NULL), ==,
                       SONDE_FRAME_WAITING);
      g_assert_false (sonde_frame_reader_is_waiting (frames));
    }
  sonde_record_batch_clear (&batch);
  return sonde_frame_reader_get_position (frames);
}

/* As the index does it: position and tags are kept, another decoder goes on. */
static void
test_go_on_later (void)
{
  const SondeRecordFormat *format = &sonde_record_format_sonde;
  g_autoptr (GByteArray) bytes = make_file (NULL);
  TemporaryFile file;

  temporary_file_init (&file);
  temporary_file_write (&file, bytes->data, bytes->len);
  for (guint n = 0; n <= N_SAMPLE_RECORDS; n++)
    {
      SondeRecordDecoder *first = format->decoder_new (NULL, 0), *second;
      guint64 position = scan_samples (file.path, 0, first, 0, n);

      second = format->decoder_new ((const SondeRecordTag *) first->tags->data, first->tags->len);
      scan_samples (file.path, position, second, n, N_SAMPLE_RECORDS - n);
      format->decoder_free (first);
      format->decoder_free (second);
    }
  temporary_file_clear (&file);
}

static void
test_read_at (void)
{
  const SondeRecordFormat *format = &sonde_record_format_sonde;
  SondeRecordDecoder *decoder = format->decoder_new (NULL, 0);
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GByteArray) bytes = make_file (offsets);
  g_autoptr (GError) error = NULL;
  const SondeRecordTag *tags;
  SondeRecord record;
  TemporaryFile file;
  gsize n_tags;

  temporary_file_init (&file);
  temporary_file_write (&file, bytes->data, bytes->len);
  scan_samples (file.path, 0, decoder, 0, N_SAMPLE_RECORDS);
  tags = (const SondeRecordTag *) decoder->tags->data;
  n_tags = decoder->tags->len;
  for (guint i = N_SAMPLE_RECORDS; i-- > 0;)
    {
      guint64 place = sonde_record_place (g_array_index (offsets, guint64, i), 0);

      g_assert_true (
          sonde_record_format_read (format, NULL, file.path, place, tags, n_tags, &record, &error));
      g_assert_no_error (error);
      assert_sample (i, &record);
      sonde_record_clear (&record);
    }

  /* A place that is no record's must not give the next one. */
  g_assert_false (sonde_record_format_read (format, NULL, file.path, sonde_record_place (5, 0),
                                            tags, n_tags, &record, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  g_clear_error (&error);
  g_assert_false (sonde_record_format_read (format, NULL, file.path,
                                            sonde_record_place (bytes->len + 100, 0), tags, n_tags,
                                            &record, &error));
  g_assert_nonnull (error);
  format->decoder_free (decoder);
  temporary_file_clear (&file);
}

/* Right checksum, wrong message: damage of that record alone. */
static void
test_payload_is_no_message (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) samples = make_file (NULL);
  g_autoptr (SondeRecordReader) reader = NULL;
  const SondeFrameDamage *damage;
  GPtrArray *list;
  TemporaryFile file;

  temporary_file_init (&file);
  sonde_frame_append (bytes, "\xff\xff\xff", 3);
  g_byte_array_append (bytes, samples->data, samples->len);
  temporary_file_write (&file, bytes->data, bytes->len);
  reader = open_file (file.path);
  read_samples (reader, 0, N_SAMPLE_RECORDS);
  list = sonde_frame_reader_get_damage (sonde_record_reader_get_frames (reader));
  g_assert_cmpuint (list->len, ==, 1);
  damage = list->pdata[0];
  g_assert_cmpuint (damage->offset, ==, 0);
  g_assert_cmpuint (damage->bytes, ==, 3 + SONDE_FRAME_OVERHEAD_BYTES);
  g_assert_nonnull (strstr (damage->reason, "Record"));
  temporary_file_clear (&file);
}

/* Tags whose declaration was in a damaged record keep their number as a name, also for a later
 * reader. */
static void
test_damaged_declaration (void)
{
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (SondeRecordReader) reader = NULL;
  g_autoptr (SondeFrameReader) frames = NULL;
  const SondeRecordFormat *format = &sonde_record_format_sonde;
  SondeRecordTag tags[2] = { { 0 } };
  SondeRecordDecoder *decoder;
  const guint8 *payload;
  guint64 offset;
  SondeRecord record;
  TemporaryFile file;
  gsize length;

  temporary_file_init (&file);
  for (guint i = 0; i < 4; i++)
    {
      SondeScalar items[] = { { "lost", i }, { "kept", i } };
      SondeRecord scalars
          = { .kind = SONDE_RECORD_SCALARS, .step = i, .u.scalars = { items, i == 0 ? 1 : 2 } };
      gsize start = sonde_frame_begin (bytes);

      sonde_record_encode (&scalars, table, bytes);
      sonde_frame_end (bytes, start);
    }
  bytes->data[SONDE_FRAME_HEADER_BYTES + 1] ^= 1;
  temporary_file_write (&file, bytes->data, bytes->len);

  reader = open_file (file.path);
  g_assert_cmpint (sonde_record_reader_next (reader, &record, NULL, NULL), ==, SONDE_FRAME_RECORD);
  g_assert_cmpint (record.step, ==, 1);
  g_assert_cmpstr (record.u.scalars.items[0].tag, ==, "tag#0");
  g_assert_cmpstr (record.u.scalars.items[1].tag, ==, "kept");
  sonde_record_clear (&record);

  /* as the index reads on: only what was declared is known */
  tags[1].name = g_intern_string ("kept");
  decoder = format->decoder_new (tags, G_N_ELEMENTS (tags));
  frames = sonde_frame_reader_open (
      NULL, file.path, sonde_frame_reader_get_position (sonde_record_reader_get_frames (reader)),
      NULL);
  g_assert_cmpint (sonde_frame_reader_next (frames, &payload, &length, &offset, NULL), ==,
                   SONDE_FRAME_RECORD);
  g_assert_true (format->read (decoder, payload, length, 0, &record, NULL));
  g_assert_cmpint (record.step, ==, 2);
  g_assert_cmpstr (record.u.scalars.items[0].tag, ==, "tag#0");
  g_assert_cmpstr (record.u.scalars.items[1].tag, ==, "kept");
  format->decoder_free (decoder);
  sonde_record_clear (&record);
  temporary_file_clear (&file);
}

/* The format has a memory: this file was written by the first version and never again. */
static void
test_version_1 (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests", "fixtures",
                                            "records", "v1.sonde", NULL);
  g_autoptr (SondeRecordReader) reader = open_file (path);

  read_samples (reader, 0, N_SAMPLE_RECORDS);
  assert_at_end (reader);
  g_assert_cmpuint (sonde_frame_reader_get_damage (sonde_record_reader_get_frames (reader))->len,
                    ==, 0);
}

/* The same of the kinds and fields that came with the foreign formats. */
static void
test_version_2 (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests", "fixtures",
                                            "records", "v2.sonde", NULL);
  g_autoptr (SondeRecordReader) reader = open_file (path);

  for (guint i = 0; i < N_VERSION_2_RECORDS; i++)
    {
      g_autoptr (GError) error = NULL;
      SondeRecord record, expected;

      g_assert_cmpint (sonde_record_reader_next (reader, &record, NULL, &error), ==,
                       SONDE_FRAME_RECORD);
      g_assert_no_error (error);
      make_rich_record (i, &expected);
      forget_fields_after_version_2 (&expected);
      assert_rich_records_equal (&record, &expected);
      sonde_record_clear (&record);
      sonde_record_clear (&expected);
    }
  assert_at_end (reader);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/records/reader/whole-file", test_whole_file);
  g_test_add_func ("/data/records/reader/go-on-later", test_go_on_later);
  g_test_add_func ("/data/records/reader/read-at", test_read_at);
  g_test_add_func ("/data/records/reader/payload-is-no-message", test_payload_is_no_message);
  g_test_add_func ("/data/records/reader/damaged-declaration", test_damaged_declaration);
  g_test_add_func ("/data/records/reader/version-1", test_version_1);
  g_test_add_func ("/data/records/reader/version-2", test_version_2);
  return g_test_run ();
}
