/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for what TensorBoard's files hold. Built by gcc it replays the files named on the
 * command line (a test); with clang -fsanitize=fuzzer -DSONDE_LIBFUZZER it is a libFuzzer target
 * (scripts/fuzz).
 *
 * First byte of the input: 0 the rest is an event's payload, 1 a GraphDef, 2 Keras' JSON, 3
 * RunMetadata; 4 and more: payloads of up to that many bytes, one after the other in one file. */
#include "data/records/tensorboard/sonde-graph-def-private.h"
#include "data/records/sonde-record-format.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t length);

#define MAX_READ 300

/* A record reads the same, whoever asks: the decoder that found it or one that was given the
 * tags. */
static void
read_ref (SondeRecordDecoder *decoder, SondeRecordDecoder *other, const guint8 *payload,
          gsize length, const SondeRecordRef *ref)
{
  const SondeRecordFormat *format = &sonde_record_format_tensorboard;
  const guint part = sonde_record_place_part (ref->place);
  SondeRecord record, again;
  gboolean right = format->read (decoder, payload, length, part, &record, NULL);

  g_assert (format->read (other, payload, length, part, &again, NULL) == right);
  if (!right)
    return;
  /* not always that of @ref: metadata that came behind the value say more than its form */
  g_assert (record.kind == again.kind);
  g_assert (record.step == ref->step && record.wall_time_ns == ref->wall_time_ns);
  g_assert (record.tag == again.tag);
  g_assert (sonde_record_n_bytes (&record) == sonde_record_n_bytes (&again));
  sonde_record_clear (&record);
  sonde_record_clear (&again);
}

static void
decode_payload (SondeRecordDecoder *decoder, const guint8 *payload, gsize length, guint64 offset)
{
  const SondeRecordFormat *format = &sonde_record_format_tensorboard;
  SondeRecordDecoder *other;
  SondeRecordBatch batch;
  GError *error = NULL;

  sonde_record_batch_init (&batch);
  if (!format->scan (decoder, payload, length, offset, &batch, &error))
    {
      g_assert (error != NULL && batch.n_points == 0 && batch.refs->len == 0);
      g_error_free (error);
    }
  other = format->decoder_new ((const SondeRecordTag *) decoder->tags->data, decoder->tags->len);
  for (gsize i = 0; i < batch.n_points; i++)
    g_assert (batch.tags[i] < decoder->tags->len);
  for (guint i = 0; i < MIN (batch.refs->len, MAX_READ); i++)
    read_ref (decoder, other, payload, length, &g_array_index (batch.refs, SondeRecordRef, i));
  format->decoder_free (other);
  sonde_record_batch_clear (&batch);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t length)
{
  static SondeGraph *(*const to_graph[]) (SondeBytes, GError **) = {
    NULL,
    sonde_graph_def_to_graph,
    sonde_keras_json_to_graph,
    sonde_graph_def_of_run_metadata,
  };
  SondeRecordDecoder *decoder;
  gsize part;

  if (length == 0)
    return 0;
  part = data[0];
  if (part > 0 && part < G_N_ELEMENTS (to_graph))
    {
      g_autoptr (SondeGraph) graph = to_graph[part]((SondeBytes){ data + 1, length - 1 }, NULL);

      if (graph != NULL)
        g_free (sonde_graph_listing (graph, NULL));
      return 0;
    }
  part = part == 0 ? MAX (length - 1, 1) : part;
  decoder = sonde_record_format_tensorboard.decoder_new (NULL, 0);
  for (gsize at = 1; at < length; at += part)
    decode_payload (decoder, data + at, MIN (part, length - at), at - 1);
  sonde_record_format_tensorboard.decoder_free (decoder);
  return 0;
}

#ifndef SONDE_LIBFUZZER
static int
replay (const char *path)
{
  g_autofree char *data = NULL;
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  gsize length;
  int n = 0;

  if (dir == NULL)
    {
      if (!g_file_get_contents (path, &data, &length, NULL))
        return 0;
      LLVMFuzzerTestOneInput ((const guint8 *) data, length);
      return 1;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      n += replay (child);
    }
  return n;
}

int
main (int argc, char *argv[])
{
  int n = 0;

  for (int i = 1; i < argc; i++)
    n += replay (argv[i]);
  g_print ("1..1\n%s 1 - /data/records/fuzz-tensorboard # %d inputs\n", n > 0 ? "ok" : "not ok", n);
  return n > 0 ? 0 : 1;
}
#endif
