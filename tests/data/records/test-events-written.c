/* SPDX-License-Identifier: Apache-2.0
 * What our encoder writes for TensorBoard and MindSpore, our readers read: each kind that the
 * format has, value by value. */
#include <math.h>
#include <string.h>

#include "data/records/sonde-event-encoder.h"
#include "data/records/sonde-record-format.h"
#include "tests/data/records/rich-records.h"
#include "tests/data/records/sample-records.h"

#define BIT(kind) (1u << SONDE_RECORD_##kind)
#define COMMON (BIT (SCALARS) | BIT (HISTOGRAM) | BIT (IMAGE) | BIT (TENSOR) | BIT (GRAPH))

/**
 * Peer:
 * @readers: of the files of a session
 * @kinds: bits of those that must come back
 * @one_kind_a_tag: a tag is of one plugin there
 * @keeps_dtype: numbers of tensors come back as they were; else they went through float32
 */
typedef struct
{
  SondeEventFormat format;
  const SondeRecordFormat *readers[SONDE_N_EVENT_FILES];
  guint32 kinds;
  gboolean one_kind_a_tag, keeps_dtype;
} Peer;

static const Peer tensorboard = {
  .format = SONDE_EVENTS_TENSORBOARD,
  .readers = { &sonde_record_format_tensorboard, &sonde_record_format_tensorboard },
  .kinds = COMMON | BIT (TEXT) | BIT (PR_CURVE) | BIT (MESH) | BIT (CUSTOM_SCALARS) | BIT (AUDIO)
           | BIT (HPARAMS),
  .one_kind_a_tag = TRUE,
  .keeps_dtype = TRUE,
};

static const Peer mindspore = {
  .format = SONDE_EVENTS_MINDSPORE,
  .readers = { [SONDE_EVENT_FILE_MAIN] = &sonde_record_format_mindspore_event,
               [SONDE_EVENT_FILE_LINEAGE] = &sonde_record_format_mindspore_lineage },
  .kinds = COMMON | BIT (LINEAGE),
};

/* @found: bit of each kind that came back; @n_refused: histograms */
typedef struct
{
  const Peer *peer;
  SondeRecordDecoder *decoders[SONDE_N_EVENT_FILES];
  guint32 found;
  guint n_refused;
} Reading;

static void
assert_same (double a, double b)
{
  g_assert_true (a == b || (isnan (a) && isnan (b)));
}

static void
check_points (const SondeRecordDecoder *decoder, const SondeRecordBatch *batch,
              const SondeRecord *record)
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
check_tensor (const Peer *peer, const SondeTensor *again, SondeTensor *tensor)
{
  g_autoptr (SondeTensor) contiguous = sonde_tensor_contiguous (tensor);

  if (peer->keeps_dtype && tensor->dtype == again->dtype)
    g_assert_true (sonde_tensor_equal (again, contiguous));
  else
    for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
      {
        double element = sonde_tensor_get_double (tensor, i);

        assert_same (sonde_tensor_get_double (again, i),
                     peer->keeps_dtype ? element : (float) element);
      }
}

static void
check_record (const Peer *peer, const SondeRecord *again, const SondeRecord *record)
{
  g_assert_cmpint (again->kind, ==, record->kind);
  if (record->kind == SONDE_RECORD_TENSOR)
    check_tensor (peer, again->u.tensor, record->u.tensor);
  else if (record->kind == SONDE_RECORD_IMAGE)
    g_assert_true (g_bytes_equal (again->u.image.encoded, record->u.image.encoded));
  else if (record->kind == SONDE_RECORD_GRAPH && record->u.graph.graph != NULL)
    g_assert_cmpuint (sonde_graph_count_nodes (again->u.graph.graph),
                      >=, /* inputs may be nodes there */
                      sonde_graph_count_nodes (record->u.graph.graph));
  else if (record->kind == SONDE_RECORD_LINEAGE)
    g_assert_cmpstr (again->u.lineage.part, ==, record->u.lineage.part);
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
check_frame (Reading *reading, SondeEventFile file, const GByteArray *frame,
             const SondeRecord *record)
{
  const guint8 *payload = frame->data + SONDE_FRAME_HEADER_BYTES;
  const gsize length = frame->len - SONDE_FRAME_OVERHEAD_BYTES;
  const SondeRecordFormat *format = reading->peer->readers[file];
  SondeRecordDecoder *decoder = reading->decoders[file];
  g_autoptr (GError) error = NULL;
  SondeRecordBatch batch;
  SondeRecord again;

  sonde_record_batch_init (&batch);
  g_assert_true (format->scan (decoder, payload, length, 0, &batch, &error));
  g_assert_no_error (error);
  if (record->kind == SONDE_RECORD_SCALARS)
    check_points (decoder, &batch, record);
  for (guint i = 0; i < batch.refs->len; i++)
    {
      const SondeRecordRef *ref = &g_array_index (batch.refs, SondeRecordRef, i);

      if (!format->read (decoder, payload, length, sonde_record_place_part (ref->place), &again,
                         &error))
        {
          /* two samples have counts of more than 63 bits */
          if (ref->kind == SONDE_RECORD_HISTOGRAM && reading->n_refused++ < 2)
            {
              g_clear_error (&error);
              continue;
            }
          g_error ("%s of step %d: %s", sonde_record_kind_name (ref->kind), (int) ref->step,
                   error->message);
        }
      if (ref->kind == record->kind)
        check_record (reading->peer, &again, record);
      reading->found |= 1u << ref->kind;
      sonde_record_clear (&again);
    }
  if (batch.n_points > 0)
    reading->found |= 1u << SONDE_RECORD_SCALARS;
  sonde_record_batch_clear (&batch);
}

static void
test_written (gconstpointer data)
{
  const Peer *peer = data;
  g_autoptr (SondeEventEncoder) encoder = sonde_event_encoder_new (peer->format, NULL);
  Reading reading = { .peer = peer };

  for (guint i = 0; i < SONDE_N_EVENT_FILES; i++)
    reading.decoders[i] = peer->readers[i]->decoder_new (NULL, 0);
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
      if (record.tag != NULL && peer->one_kind_a_tag)
        {
          g_autofree char *tag
              = g_strconcat (sonde_record_kind_name (record.kind), "/", record.tag, NULL);

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
    peer->readers[i]->decoder_free (reading.decoders[i]);
  g_assert_cmphex (reading.found & peer->kinds, ==, peer->kinds);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/written/tensorboard", &tensorboard, test_written);
  g_test_add_data_func ("/written/mindspore", &mindspore, test_written);
  return g_test_run ();
}
