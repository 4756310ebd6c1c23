/* SPDX-License-Identifier: Apache-2.0
 * Every message that is decoded out of TensorBoard's files: with fields of later versions it reads as
 * without them; with a field of the wrong type, a length that goes past the end, or a group it is
 * refused; cut anywhere it is an error or a record. */
#include "data/records/sonde-record-format.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "tests/data/records/wire-writer.h"

static const SondeRecordFormat *const format = &sonde_record_format_tensorboard;

/* ---- messages ------------------------------------------------------------ */

static GByteArray *
make_event (guint field, GByteArray *content)
{
  GByteArray *event = g_byte_array_new ();

  wire_double (event, 1, 1700000000.5);
  wire_number (event, 2, 7);
  wire_message (event, field, content);
  return event;
}

/* A summary of one value "t" with @content in field @form. */
static GByteArray *
make_summary (guint form, GByteArray *content)
{
  GByteArray *summary = g_byte_array_new (), *value = g_byte_array_new ();

  wire_text (value, 1, "t");
  wire_message (value, form, content);
  wire_message (summary, 1, value);
  return make_event (5, summary);
}

/* A value with a tensor of one element, and @content for its plugin. */
static GByteArray *
make_plugin_value (const char *plugin, GByteArray *content, GByteArray *tensor)
{
  GByteArray *summary = g_byte_array_new (), *value = g_byte_array_new (),
             *metadata = g_byte_array_new (), *data = g_byte_array_new ();

  wire_text (value, 1, "t");
  wire_text (data, 1, plugin);
  if (content != NULL)
    wire_message (data, 2, content);
  wire_message (metadata, 1, data);
  wire_message (value, 8, tensor);
  wire_message (value, 9, metadata);
  wire_message (summary, 1, value);
  return make_event (5, summary);
}

static GByteArray *
make_number_tensor (void)
{
  GByteArray *tensor = g_byte_array_new ();

  wire_number (tensor, 1, 1);
  wire_float (tensor, 5, 1);
  return tensor;
}

/* (transfer full) @string */
static GByteArray *
make_string_tensor (GByteArray *string)
{
  GByteArray *tensor = g_byte_array_new ();

  wire_number (tensor, 1, 7);
  wire_message (tensor, 8, string);
  return tensor;
}

static GByteArray *
put_image (GByteArray *content)
{
  return make_summary (4, content);
}

static GByteArray *
put_histogram (GByteArray *content)
{
  return make_summary (5, content);
}

static GByteArray *
put_audio (GByteArray *content)
{
  return make_summary (6, content);
}

static GByteArray *
put_metadata (GByteArray *content)
{
  GByteArray *summary = g_byte_array_new (), *value = g_byte_array_new ();

  wire_text (value, 1, "t");
  wire_message (value, 9, content);
  wire_message (summary, 1, value);
  return make_event (5, summary);
}

static GByteArray *
put_mesh (GByteArray *content)
{
  return make_plugin_value ("mesh", content, make_number_tensor ());
}

static GByteArray *
put_hparams (GByteArray *content)
{
  return make_plugin_value ("hparams", content, make_number_tensor ());
}

static GByteArray *
put_layout (GByteArray *content)
{
  return make_plugin_value ("custom_scalars", NULL, make_string_tensor (content));
}

static GByteArray *
put_traced_graph (GByteArray *content)
{
  return make_plugin_value ("graph_run_metadata_graph", NULL, make_string_tensor (content));
}

static GByteArray *
put_graph (GByteArray *content)
{
  return make_event (4, content);
}

static GByteArray *
put_log_message (GByteArray *content)
{
  return make_event (6, content);
}

static GByteArray *
put_session_log (GByteArray *content)
{
  return make_event (7, content);
}

static GByteArray *
put_run_metadata (GByteArray *content)
{
  return make_event (8, content);
}

static GByteArray *
put_meta_graph (GByteArray *content)
{
  return make_event (9, content);
}

/* @message: a valid one; @texts, @numbers: fields that are bytes and varints */
static const struct
{
  const char *name;
  GByteArray *(*put) (GByteArray *content);
  const char *message;
  gsize length;
  guint texts[4], numbers[4];
  SondeRecordKind kind;
} rows[] = {
#define MESSAGE(bytes) bytes, sizeof (bytes) - 1
  { "image",
    put_image,
    MESSAGE ("\x08\x02\x10\x03\x22\x02PN"),
    { 4 },
    { 1, 2 },
    SONDE_RECORD_IMAGE },
  { "audio",
    put_audio,
    MESSAGE ("\x10\x01\x18\x02\x22\x01s\x2a\x01t"),
    { 4, 5 },
    { 2, 3 },
    SONDE_RECORD_AUDIO },
  { "histogram",
    put_histogram,
    MESSAGE ("\x19\0\0\0\0\0\0\xf0\x3f\x32\x08\0\0\0\0\0\0\xf0\x3f\x3a\x08\0\0\0\0\0\0\xf0\x3f"),
    { 0 },
    { 0 },
    SONDE_RECORD_HISTOGRAM },
  { "metadata",
    put_metadata,
    MESSAGE ("\x0a\x03\x0a\x01p\x12\x01n"),
    { 1, 2, 3 },
    { 0 },
    SONDE_RECORD_NOTE },
  { "mesh", put_mesh, MESSAGE ("\x12\x01m\x18\x01\x2a\x02{}"), { 2, 5 }, { 3 }, SONDE_RECORD_MESH },
  { "hparams",
    put_hparams,
    MESSAGE ("\x1a\x0f\x0a\x0a\x0a\x01k\x12\x05\x1a\x03yes\x22\x01g"),
    { 2, 3, 4 },
    { 0 },
    SONDE_RECORD_HPARAMS },
  { "layout",
    put_layout,
    MESSAGE ("\x12\x10\x0a\x01"
             "c\x12\x0b\x0a\x01t\x12\x06\x0a\x01x\x0a\x01y"),
    { 2 },
    { 0 },
    SONDE_RECORD_CUSTOM_SCALARS },
  { "run-metadata",
    put_traced_graph,
    MESSAGE ("\x22\x07\x12\x05\x0a\x03\x0a\x01n"),
    { 3, 4 },
    { 0 },
    SONDE_RECORD_GRAPH },
  { "graph",
    put_graph,
    MESSAGE ("\x0a\x06\x0a\x01n\x12\x01o\x22\x02\x08\x05"),
    { 1, 2, 4 },
    { 0 },
    SONDE_RECORD_GRAPH },
  { "log-message",
    put_log_message,
    MESSAGE ("\x08\x14\x12\x02hi"),
    { 2 },
    { 0 },
    SONDE_RECORD_TEXT },
  { "session-log",
    put_session_log,
    MESSAGE ("\x08\x02\x12\x01p\x1a\x01m"),
    { 2, 3 },
    { 1 },
    SONDE_RECORD_SESSION_LOG },
  { "tagged-run-metadata",
    put_run_metadata,
    MESSAGE ("\x0a\x01t\x12\x02\x1a\x00"),
    { 1, 2 },
    { 0 },
    SONDE_RECORD_RUN_METADATA },
  { "meta-graph",
    put_meta_graph,
    MESSAGE ("\x12\x05\x0a\x03\x0a\x01n"),
    { 2 },
    { 0 },
    SONDE_RECORD_GRAPH },
#undef MESSAGE
};

static GByteArray *
make_message (guint row)
{
  GByteArray *message = g_byte_array_new ();

  g_byte_array_append (message, (const guint8 *) rows[row].message, (guint) rows[row].length);
  return message;
}

/* ---- reading them -------------------------------------------------------- */

/* Scans @event, which is freed, and reads its first record. FALSE with @error, of either. */
static gboolean
try_read (GByteArray *event, SondeRecord *record, GError **error)
{
  SondeRecordDecoder *decoder = format->decoder_new (NULL, 0);
  SondeRecordBatch batch;
  gboolean right;

  sonde_record_batch_init (&batch);
  right = format->scan (decoder, event->data, event->len, 0, &batch, error);
  g_assert_true (right || (batch.n_points == 0 && batch.refs->len == 0));
  if (right)
    {
      g_assert_cmpuint (batch.refs->len, >, 0);
      right = format->read (
          decoder, event->data, event->len,
          sonde_record_place_part (g_array_index (batch.refs, SondeRecordRef, 0).place), record,
          error);
    }
  sonde_record_batch_clear (&batch);
  format->decoder_free (decoder);
  g_byte_array_unref (event);
  return right;
}

static gsize
read_message (guint row, GByteArray *message)
{
  g_autoptr (GError) error = NULL;
  SondeRecord record;
  gsize n;

  if (!try_read (rows[row].put (message), &record, &error))
    g_error ("%s: %s", rows[row].name, error->message);
  g_assert_cmpint (record.kind, ==, rows[row].kind);
  g_assert_cmpint (record.step, ==, 7);
  n = sonde_record_n_bytes (&record);
  sonde_record_clear (&record);
  return n;
}

static void
refuse (guint row, GByteArray *message, int code, const char *words)
{
  g_autoptr (GError) error = NULL;
  SondeRecord record;

  g_assert_false (try_read (rows[row].put (message), &record, &error));
  g_assert_error (error, SONDE_DATA_ERROR, code);
  if (strstr (error->message, words) == NULL)
    g_error ("%s: “%s” says nothing of “%s”", rows[row].name, error->message, words);
}

/* ---- tests --------------------------------------------------------------- */

/* @depth messages inside each other. */
static GByteArray *
make_nested (guint depth, guint field)
{
  GByteArray *message = g_byte_array_new ();

  for (guint i = 0; i < depth; i++)
    {
      GByteArray *outer = g_byte_array_new ();

      wire_message (outer, field, message);
      message = outer;
    }
  return message;
}

static void
test_unknown_fields (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GByteArray *message = make_message (i);
      gsize n = read_message (i, make_message (i));

      wire_number (message, 200, G_MAXUINT64);
      wire_double (message, 201, 1);
      wire_float (message, 202, 1);
      wire_message (message, 203, make_nested (1000, 1));
      g_assert_cmpuint (read_message (i, message), ==, n);
    }
}

static void
test_wrong_types (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint k = 0; k < G_N_ELEMENTS (rows[i].texts); k++)
      {
        GByteArray *text = make_message (i), *number = make_message (i);

        wire_number (text, rows[i].texts[k], 1);
        wire_bytes (number, rows[i].numbers[k], "\1", 1);
        if (rows[i].texts[k] != 0)
          refuse (i, g_byte_array_ref (text), SONDE_DATA_ERROR_DAMAGED, "wire type");
        if (rows[i].numbers[k] != 0)
          refuse (i, g_byte_array_ref (number), SONDE_DATA_ERROR_DAMAGED, "wire type");
        g_byte_array_unref (text);
        g_byte_array_unref (number);
      }
}

/* These are walked by scanning, so that what is behind a cut is not listed. */
static gboolean
is_walked (guint row)
{
  return rows[row].put == put_image || rows[row].put == put_histogram || rows[row].put == put_audio;
}

static void
test_bad_lengths (void)
{
  static const guint64 lengths[] = { 1, 200, (guint64) 1 << 31, G_MAXUINT64 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GByteArray *group = make_message (i);

      for (guint k = 0; k < G_N_ELEMENTS (lengths); k++)
        {
          GByteArray *message = make_message (i);

          wire_varint (message, 15 << 3 | 2);
          wire_varint (message, lengths[k]);
          refuse (i, message, SONDE_DATA_ERROR_DAMAGED,
                  is_walked (i) ? "near byte" : "goes past its end");
        }
      wire_varint (group, 15 << 3 | 3);
      refuse (i, group, SONDE_DATA_ERROR_DAMAGED, is_walked (i) ? "near byte" : "group");
    }
}

static void
test_cut (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (gsize length = 0; length < rows[i].length; length++)
      {
        g_autoptr (GError) error = NULL;
        GByteArray *message = make_message (i);
        SondeRecord record;

        g_byte_array_set_size (message, (guint) length);
        if (try_read (rows[i].put (message), &record, &error))
          sonde_record_clear (&record);
        else
          g_assert_nonnull (error);
      }
}

/* Errors name the field and the byte. */
static void
test_places (void)
{
  GByteArray *message = make_message (2);

  wire_bytes (message, 7, "1234567", 7);
  refuse (2, message, SONDE_DATA_ERROR_DAMAGED,
          "HistogramProto.bucket at byte 29 ends inside an element");
  message = make_message (5);
  wire_bytes (message, 3, "\x0a\x02\x12\x09", 4);
  refuse (5, message, SONDE_DATA_ERROR_DAMAGED,
          "HParamsPluginData.session_start_info.hparams[1].value at byte 21 has a length");
}

/* A session whose one hyper-parameter is lists inside each other: "[[[…]]]". */
static GByteArray *
make_deep_hparam (guint depth)
{
  GByteArray *value = g_byte_array_new (), *entry = g_byte_array_new (),
             *start = g_byte_array_new (), *data = g_byte_array_new ();

  wire_number (value, 4, 1);
  for (guint i = 0; i < depth; i++)
    {
      GByteArray *list = g_byte_array_new (), *outer = g_byte_array_new ();

      wire_message (list, 1, value);
      wire_message (outer, 6, list);
      value = outer;
    }
  wire_text (entry, 1, "deep");
  wire_message (entry, 2, value);
  wire_message (start, 1, entry);
  wire_message (data, 3, start);
  return data;
}

static void
test_depth (void)
{
  g_autoptr (GError) error = NULL;
  SondeRecord record;

  g_assert_true (try_read (put_hparams (make_deep_hparam (3)), &record, &error));
  g_assert_cmpstr (record.u.hparams.items[0].text, ==, "[[[true]]]");
  sonde_record_clear (&record);
  g_assert_true (try_read (put_hparams (make_deep_hparam (40)), &record, &error));
  g_assert_nonnull (strstr (record.u.hparams.items[0].text, "[…]"));
  sonde_record_clear (&record);
  g_assert_false (try_read (put_hparams (make_deep_hparam (10000)), &record, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "nested deeper"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensorboard-wire/unknown-fields", test_unknown_fields);
  g_test_add_func ("/tensorboard-wire/wrong-types", test_wrong_types);
  g_test_add_func ("/tensorboard-wire/bad-lengths", test_bad_lengths);
  g_test_add_func ("/tensorboard-wire/cut", test_cut);
  g_test_add_func ("/tensorboard-wire/places", test_places);
  g_test_add_func ("/tensorboard-wire/depth", test_depth);
  return g_test_run ();
}
