/* SPDX-License-Identifier: Apache-2.0
 * Scanning a payload finds the points and places that decoding it whole finds. */
#include "data/records/sonde-record-format.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "tests/data/records/sample-records.h"

static const char *
tag_of (SondeRecordDecoder *decoder, guint32 id)
{
  return id == SONDE_RECORD_NO_TAG ? NULL : g_array_index (decoder->tags, SondeRecordTag, id).name;
}

static void
assert_scalars (SondeRecordDecoder *decoder, const SondeRecordBatch *batch,
                const SondeRecord *record)
{
  g_assert_cmpuint (batch->n_points, ==, record->u.scalars.n);
  for (gsize i = 0; i < batch->n_points; i++)
    {
      g_assert_cmpstr (tag_of (decoder, batch->tags[i]), ==, record->u.scalars.items[i].tag);
      g_assert_cmpmem (&batch->values[i], 8, &record->u.scalars.items[i].value, 8);
      g_assert_cmpint (batch->steps[i], ==, record->step);
      g_assert_cmpint (batch->walls[i], ==, record->wall_time_ns);
      g_assert_cmpuint (batch->sessions[i], ==, record->session);
    }
}

static void
assert_ref (SondeRecordDecoder *decoder, const SondeRecordBatch *batch, const SondeRecord *record,
            guint64 offset)
{
  const SondeRecordRef *ref = &g_array_index (batch->refs, SondeRecordRef, 0);

  g_assert_cmpuint (batch->refs->len, ==, 1);
  g_assert_cmpint (ref->kind, ==, record->kind);
  g_assert_cmpstr (tag_of (decoder, ref->tag), ==, record->tag);
  g_assert_cmpint (ref->step, ==, record->step);
  g_assert_cmpint (ref->wall_time_ns, ==, record->wall_time_ns);
  g_assert_cmpuint (ref->session, ==, record->session);
  g_assert_cmpuint (sonde_record_place_offset (ref->place), ==, offset);
  g_assert_cmpuint (sonde_record_place_part (ref->place), ==, 0);
  g_assert_cmpint (ref->same, ==, record->kind == SONDE_RECORD_IMAGE && record->u.image.index > 0);
}

static void
test_scan_is_decode (void)
{
  const SondeRecordFormat *format = &sonde_record_format_sonde;
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  SondeRecordDecoder *decoder = format->decoder_new (NULL, 0);
  SondeRecordBatch batch;

  sonde_record_batch_init (&batch);
  for (guint i = 0; i < N_SAMPLE_RECORDS; i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (GError) error = NULL;
      SondeRecord record, again;

      make_sample_record (i, &record);
      sonde_record_encode (&record, table, bytes);
      sonde_record_batch_empty (&batch);
      g_assert_true (format->scan (decoder, bytes->data, bytes->len, 4711, &batch, &error));
      g_assert_no_error (error);
      g_assert_true (batch.has_time);
      g_assert_cmpint (batch.first_time_ns, ==, record.wall_time_ns);
      if (record.kind == SONDE_RECORD_SCALARS)
        assert_scalars (decoder, &batch, &record);
      else if (record.kind == SONDE_RECORD_GAP)
        g_assert_cmpuint (batch.n_lost, ==, record.u.gap.records);
      else if (record.kind != SONDE_RECORD_SESSION)
        assert_ref (decoder, &batch, &record, 4711);
      g_assert_true (format->read (decoder, bytes->data, bytes->len, 0, &again, &error));
      assert_records_equal (&record, &again);
      sonde_record_clear (&again);
      sonde_record_clear (&record);
    }
  sonde_record_batch_clear (&batch);
  format->decoder_free (decoder);
}

/* A decoder in the middle of a file knows the ids, not the names; one that is given them does. */
static void
test_tags_travel (void)
{
  const SondeRecordFormat *format = &sonde_record_format_sonde;
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  g_autoptr (GByteArray) first = g_byte_array_new (), second = g_byte_array_new ();
  SondeScalar scalar = { "loss", 1 };
  SondeRecord record = { .kind = SONDE_RECORD_SCALARS, .u.scalars = { &scalar, 1 } };
  SondeRecordDecoder *one = format->decoder_new (NULL, 0), *middle = format->decoder_new (NULL, 0),
                     *next;
  SondeRecordBatch batch;

  sonde_record_batch_init (&batch);
  sonde_record_encode (&record, table, first);
  sonde_record_encode (&record, table, second);
  g_assert_true (format->scan (one, first->data, first->len, 0, &batch, NULL));
  g_assert_true (format->scan (middle, second->data, second->len, 0, &batch, NULL));
  g_assert_null (tag_of (middle, batch.tags[1]));
  next = format->decoder_new ((const SondeRecordTag *) one->tags->data, one->tags->len);
  g_assert_true (format->scan (next, second->data, second->len, 0, &batch, NULL));
  g_assert_cmpstr (tag_of (next, batch.tags[2]), ==, "loss");
  sonde_record_batch_clear (&batch);
  format->decoder_free (one);
  format->decoder_free (middle);
  format->decoder_free (next);
}

/* Every cut of every record is damage that leaves the batch as it was, or is a record itself. */
static void
test_cut_payloads (void)
{
  const SondeRecordFormat *format = &sonde_record_format_sonde;
  SondeRecordBatch batch;
  guint n_damaged = 0;

  sonde_record_batch_init (&batch);
  for (guint i = 0; i < N_SAMPLE_RECORDS; i++)
    {
      g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      SondeRecord record;

      make_sample_record (i, &record);
      sonde_record_encode (&record, table, bytes);
      for (gsize n = 0; n < MIN (bytes->len, 300); n++)
        {
          SondeRecordDecoder *decoder = format->decoder_new (NULL, 0);
          g_autofree guint8 *cut = g_memdup2 (bytes->data, n);
          g_autoptr (GError) error = NULL;

          sonde_record_batch_empty (&batch);
          if (!format->scan (decoder, cut, n, 0, &batch, &error))
            {
              g_assert_nonnull (error);
              g_assert_cmpuint (batch.n_points + batch.refs->len, ==, 0);
              n_damaged++;
            }
          format->decoder_free (decoder);
        }
      sonde_record_clear (&record);
    }
  g_assert_cmpuint (n_damaged, >, 100);
  sonde_record_batch_clear (&batch);
}

static void
test_names (void)
{
  g_autofree char *run = sonde_record_format_sonde.dup_run ("/a/run/records");

  g_assert_true (sonde_record_format_may_be ("000001.sonde"));
  g_assert_false (sonde_record_format_may_be ("notes.txt"));
  g_assert_cmpstr (run, ==, "/a/run");
  g_assert_true (sonde_record_format_find_by_name ("000001.sonde") == &sonde_record_format_sonde);
  g_assert_true (sonde_record_format_find_by_name ("events.out.tfevents.1.host")
                 == &sonde_record_format_tensorboard);
  /* it may be one of several, or none: it has to be looked into */
  g_assert_null (sonde_record_format_find_by_name ("metrics.csv"));
  g_assert_null (sonde_record_format_find_by_name ("notes.txt"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/record-format/scan-is-decode", test_scan_is_decode);
  g_test_add_func ("/record-format/tags-travel", test_tags_travel);
  g_test_add_func ("/record-format/cut-payloads", test_cut_payloads);
  g_test_add_func ("/record-format/names", test_names);
  return g_test_run ();
}
