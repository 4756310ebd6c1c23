/* SPDX-License-Identifier: Apache-2.0
 * What our encoder writes for TensorBoard, our reader reads: each kind that the format has, value by value. */
#include <math.h>
#include <string.h>

#include "data/records/sonde-event-encoder.h"
#include "data/records/sonde-record-format.h"
#include "tests/data/records/rich-records.h"
#include "tests/data/records/sample-records.h"

/* @found: bit of each kind that came back; @n_refused: histograms */
typedef struct
{
  SondeRecordDecoder *decoders[SONDE_N_EVENT_FILES];
  guint32 found;
  guint n_refused;
} Reading;

static const SondeRecordFormat *const formats[SONDE_N_EVENT_FILES] = {
  [SONDE_EVENT_FILE_MAIN] = &sonde_record_format_tensorboard,
  [SONDE_EVENT_FILE_LINEAGE] = &sonde_record_format_tensorboard,
};

static void
assert_same (double a,
             double b)
{
  g_assert_true (a == b || (isnan (a) && isnan (b)));
}

static void
check_points (const SondeRecordDecoder *decoder,
              const SondeRecordBatch   *batch,
              const SondeRecord        *record)
{
  g_assert_cmpuint (batch->n_points, ==, record->u.scalars.n);
  for (gsize i = 0; i < batch->n_points; i++)
    {
      g_assert_cmpstr (g_array_index (decoder->tags, SondeRecordTag, batch->tags[i]).name, ==,
                       record->u.scalars.items[i].tag);
      assert_same (batch->values[i], (float) record->u.scalars.items[i].value);
      g_assert_cmpint (batch->steps[i], ==, record->step);
      g_assert_cmpint (ABS (batch->walls[i] - record->wall_time_ns), <, 1000);
    }
}

static void
check_record (const SondeRecord *again,
              const SondeRecord *record)
{
  g_assert_cmpint (again->kind, ==, record->kind);
  if (record->kind == SONDE_RECORD_TENSOR && record->u.tensor->dtype == again->u.tensor->dtype)
    {
      g_autoptr (SondeTensor) contiguous = sonde_tensor_contiguous (record->u.tensor);

      g_assert_true (sonde_tensor_equal (again->u.tensor, contiguous));
    }
  else if (record->kind == SONDE_RECORD_TENSOR)
    for (gint64 i = 0; i < sonde_tensor_n_elements (record->u.tensor); i++)
      assert_same (sonde_tensor_get_double (again->u.tensor, i), sonde_tensor_get_double (record->u.tensor, i));
  else if (record->kind == SONDE_RECORD_IMAGE)
    g_assert_true (g_bytes_equal (again->u.image.encoded, record->u.image.encoded));
  else if (record->kind == SONDE_RECORD_GRAPH && record->u.graph.graph != NULL)
    g_assert_cmpuint (sonde_graph_count_nodes (again->u.graph.graph), >=, /* inputs are nodes there */
                      sonde_graph_count_nodes (record->u.graph.graph));
  else if (record->kind == SONDE_RECORD_TEXT)
    g_assert_cmpstr (again->u.text, ==, record->u.text);
  else if (record->kind == SONDE_RECORD_AUDIO)
    g_assert_true (g_bytes_equal (again->u.audio.encoded, record->u.audio.encoded));
  else if (record->kind == SONDE_RECORD_PR_CURVE)
    for (gint64 i = 0; i < sonde_tensor_n_elements (record->u.pr_curve.rows); i++)
      assert_same (sonde_tensor_get_double (again->u.pr_curve.rows, i),
                   (float) sonde_tensor_get_double (record->u.pr_curve.rows, i));
}

static void
check_frame (Reading           *reading,
             SondeEventFile     file,
             const GByteArray  *frame,
             const SondeRecord *record)
{
  const guint8 *payload = frame->data + SONDE_FRAME_HEADER_BYTES;
  const gsize length = frame->len - SONDE_FRAME_OVERHEAD_BYTES;
  SondeRecordDecoder *decoder = reading->decoders[file];
  g_autoptr (GError) error = NULL;
  SondeRecordBatch batch;
  SondeRecord again;

  sonde_record_batch_init (&batch);
  g_assert_true (formats[file]->scan (decoder, payload, length, 0, &batch, &error));
  g_assert_no_error (error);
  if (record->kind == SONDE_RECORD_SCALARS)
    check_points (decoder, &batch, record);
  for (guint i = 0; i < batch.refs->len; i++)
    {
      const SondeRecordRef *ref = &g_array_index (batch.refs, SondeRecordRef, i);

      if (!formats[file]->read (decoder, payload, length, sonde_record_place_part (ref->place), &again, &error))
        {
          /* two samples have counts of more than 63 bits */
          if (ref->kind == SONDE_RECORD_HISTOGRAM && reading->n_refused++ < 2)
            {
              g_clear_error (&error);
              continue;
            }
          g_error ("%s of step %d: %s", sonde_record_kind_name (ref->kind), (int) ref->step, error->message);
        }
      if (ref->kind == record->kind)
        check_record (&again, record);
      reading->found |= 1u << ref->kind;
      sonde_record_clear (&again);
    }
  if (batch.n_points > 0)
    reading->found |= 1u << SONDE_RECORD_SCALARS;
  sonde_record_batch_clear (&batch);
}

static void
test_written (void)
{
  g_autoptr (SondeEventEncoder) encoder = sonde_event_encoder_new (SONDE_EVENTS_TENSORBOARD, NULL);
  Reading reading = { 0 };

  for (guint i = 0; i < SONDE_N_EVENT_FILES; i++)
    reading.decoders[i] = formats[i]->decoder_new (NULL, 0);
  for (guint i = 0; i < N_SAMPLE_RECORDS + N_RICH_RECORDS; i++)
    {
      g_autoptr (GByteArray) out = g_byte_array_new ();
      const char *reason;
      SondeEventFile file;
      SondeRecord record;
      guint64 length;

      if (i < N_SAMPLE_RECORDS)
        make_sample_record (i, &record);
      else
        make_rich_record (i - N_SAMPLE_RECORDS, &record);
      if (record.tag != NULL)
        {
          /* a tag is of one plugin there */
          g_autofree char *tag = g_strconcat (sonde_record_kind_name (record.kind), "/", record.tag, NULL);

          record.tag = g_intern_string (tag);
        }
      if (record.kind == SONDE_RECORD_GRAPH)
        record.u.graph.executed = FALSE; /* a second form of one has no place there */
      if (sonde_event_encoder_encode (encoder, &record, out, &file, &reason))
        while (out->len > 0)
          {
            g_autoptr (GByteArray) frame = g_byte_array_new ();

            memcpy (&length, out->data, sizeof length);
            length += SONDE_FRAME_OVERHEAD_BYTES;
            g_assert_cmpuint (length, <=, out->len);
            g_byte_array_append (frame, out->data, (guint) length);
            g_byte_array_remove_range (out, 0, (guint) length);
            check_frame (&reading, file, frame, &record);
          }
      sonde_record_clear (&record);
    }
  for (guint i = 0; i < SONDE_N_EVENT_FILES; i++)
    formats[i]->decoder_free (reading.decoders[i]);
  g_assert_true (reading.found & 1u << SONDE_RECORD_SCALARS);
  g_assert_true (reading.found & 1u << SONDE_RECORD_HISTOGRAM);
  g_assert_true (reading.found & 1u << SONDE_RECORD_IMAGE);
  g_assert_true (reading.found & 1u << SONDE_RECORD_TENSOR);
  g_assert_true (reading.found & 1u << SONDE_RECORD_GRAPH);
  g_assert_true (reading.found & 1u << SONDE_RECORD_TEXT);
  g_assert_true (reading.found & 1u << SONDE_RECORD_PR_CURVE);
  g_assert_true (reading.found & 1u << SONDE_RECORD_MESH);
  g_assert_true (reading.found & 1u << SONDE_RECORD_CUSTOM_SCALARS);
  g_assert_true (reading.found & 1u << SONDE_RECORD_AUDIO);
  g_assert_true (reading.found & 1u << SONDE_RECORD_HPARAMS);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensorboard/written", test_written);
  return g_test_run ();
}
