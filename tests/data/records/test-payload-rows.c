/* SPDX-License-Identifier: Apache-2.0
 * Hostile payloads that every format made of frames meets (rows PB1 to PB7 of the table of bad
 * inputs): each is refused with its code or read, in bounded time and memory, and leaves nothing
 * half in the batch. */
#include <string.h>
#include <sys/resource.h>

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-format.h"
#include "tests/data/records/wire-writer.h"

#define ANY (-2)   /* refused or read, as the format likes */
#define UNKNOWN 13 /* a field that no event has */

static const struct
{
  const char *name;
  const SondeRecordFormat *format;
  guint step;  /* a number's field */
  guint inner; /* a message's */
} formats[] = {
  { "sonde", &sonde_record_format_sonde, 2, 22 },
  { "tensorboard", &sonde_record_format_tensorboard, 2, 5 },
  { "mindspore", &sonde_record_format_mindspore_event, 2, 5 },
  { "lineage", &sonde_record_format_mindspore_lineage, 2, 4 },
};

typedef struct
{
  const char *name;
  int code;
  void (*make) (GByteArray *out, guint step, guint inner, guint n);
  guint n;
} Row;

/* ---- payloads ------------------------------------------------------------ */

static void
append (GByteArray *out, const char *bytes, gsize length)
{
  g_byte_array_append (out, (const guint8 *) bytes, (guint) length);
}

/* Messages @n inside each other, built from the inside. */
static void
make_nested (GByteArray *out, guint step, guint inner, guint n)
{
  g_autofree gsize *lengths = g_new (gsize, n + 1);

  lengths[0] = 0;
  for (guint i = 0; i < n; i++)
    {
      gsize header = inner < 16 ? 2 : 3;

      for (gsize rest = lengths[i] >> 7; rest > 0; rest >>= 7)
        header++;
      lengths[i + 1] = lengths[i] + header;
    }
  for (guint i = n; i > 0; i--)
    {
      wire_varint (out, inner << 3 | 2);
      wire_varint (out, lengths[i - 1]);
    }
}

static void
make_unknown (GByteArray *out, guint step, guint inner, guint n)
{
  for (guint i = 0; i < n; i++)
    wire_number (out, UNKNOWN + 1000, i);
}

/* Of the repeated message inside of the one that is known. */
static void
make_empty_messages (GByteArray *out, guint step, guint inner, guint n)
{
  GByteArray *message = g_byte_array_new ();

  for (guint i = 0; i < n; i++)
    append (message, "\x0a\0", 2);
  wire_message (out, inner, message);
}

static void
make_repeated (GByteArray *out, guint step, guint inner, guint n)
{
  for (guint i = 0; i < n; i++)
    wire_bytes (out, inner, "", 0);
}

static void
make_long_length (GByteArray *out, guint step, guint inner, guint n)
{
  static const guint64 lengths[]
      = { 1, 100, G_MAXINT32, G_MAXUINT32, (guint64) 1 << 35, G_MAXUINT64 };

  wire_varint (out, inner << 3 | 2);
  wire_varint (out, lengths[n]);
}

static void
make_bytes (GByteArray *out, guint step, guint inner, guint n)
{
  static const struct
  {
    const char *bytes;
    gsize length;
  } rows[] = {
    { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10 },     /* a varint past 64 bits */
    { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 }, /* of eleven bytes */
    { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10 },     /* the largest */
    { "\xff", 1 },                                          /* without end */
  };

  wire_varint (out, step << 3);
  append (out, rows[n].bytes, rows[n].length);
}

static void
make_tag (GByteArray *out, guint step, guint inner, guint n)
{
  static const guint64 tags[] = {
    0,
    3,
    (guint64) 1 << 32 | 8,
    UNKNOWN << 3 | 3,
    UNKNOWN << 3 | 4,
    UNKNOWN << 3 | 6,
    UNKNOWN << 3 | 7,
  };

  wire_varint (out, tags[n]);
  append (out, "\0", 1);
}

static void
make_wrong_type (GByteArray *out, guint step, guint inner, guint n)
{
  if (n == 0)
    wire_bytes (out, step, "seven", 5);
  else
    wire_number (out, inner, 7);
}

static const Row rows[] = {
  { "PB1 nested 90", ANY, make_nested, 90 },
  { "PB1 nested 3,000", ANY, make_nested, 3000 },
  { "PB1 nested 9,000", ANY, make_nested, 9000 },
  { "PB1 nested 1,000,000", ANY, make_nested, 1000000 },
  { "PB2 unknown fields", ANY, make_unknown, 1000000 },
  { "PB2 empty messages", ANY, make_empty_messages, 1000000 },
  { "PB3 repeated", ANY, make_repeated, 100000 },
  { "PB4 length past its parent", SONDE_DATA_ERROR_DAMAGED, make_long_length, 0 },
  { "PB4 length 100", SONDE_DATA_ERROR_DAMAGED, make_long_length, 1 },
  { "PB4 length 2^31-1", SONDE_DATA_ERROR_DAMAGED, make_long_length, 2 },
  { "PB4 length 2^32-1", SONDE_DATA_ERROR_DAMAGED, make_long_length, 3 },
  { "PB4 length 2^35", SONDE_DATA_ERROR_DAMAGED, make_long_length, 4 },
  { "PB4 length 2^64-1", SONDE_DATA_ERROR_DAMAGED, make_long_length, 5 },
  { "PB5 varint too large", ANY, make_bytes, 0 },
  { "PB5 varint of 11 bytes", SONDE_DATA_ERROR_DAMAGED, make_bytes, 1 },
  { "PB5 varint without end", SONDE_DATA_ERROR_DAMAGED, make_bytes, 3 },
  { "PB5 tag 0", SONDE_DATA_ERROR_DAMAGED, make_tag, 0 },
  { "PB5 tag 0 of a group", SONDE_DATA_ERROR_DAMAGED, make_tag, 1 },
  { "PB5 tag 2^29", SONDE_DATA_ERROR_DAMAGED, make_tag, 2 },
  { "PB6 group begins", SONDE_DATA_ERROR_DAMAGED, make_tag, 3 },
  { "PB6 group ends", SONDE_DATA_ERROR_DAMAGED, make_tag, 4 },
  { "PB6 wire type 6", SONDE_DATA_ERROR_DAMAGED, make_tag, 5 },
  { "PB6 wire type 7", SONDE_DATA_ERROR_DAMAGED, make_tag, 6 },
  { "PB7 bytes for a number", SONDE_DATA_ERROR_DAMAGED, make_wrong_type, 0 },
  { "PB7 number for a message", SONDE_DATA_ERROR_DAMAGED, make_wrong_type, 1 },
};

/* ---- rows ---------------------------------------------------------------- */

static void
check_row (const Row *row, const char *name, const SondeRecordFormat *format, GByteArray *payload)
{
  SondeRecordDecoder *decoder = format->decoder_new (NULL, 0);
  g_autoptr (GError) error = NULL;
  SondeRecordBatch batch;
  gboolean right;

  sonde_record_batch_init (&batch);
  right = format->scan (decoder, payload->data, payload->len, 0, &batch, &error);
  if (right != (error == NULL))
    g_error ("%s, %s: %s", name, row->name,
             right ? "read, and an error" : "refused without a reason");
  if (!right)
    {
      g_assert_true (error->domain == SONDE_DATA_ERROR);
      g_assert_true (error->code == SONDE_DATA_ERROR_DAMAGED
                     || error->code == SONDE_DATA_ERROR_LIMIT);
      g_assert_cmpuint (batch.n_points, ==, 0);
      g_assert_cmpuint (batch.refs->len, ==, 0);
      g_assert_cmpuint (strlen (error->message), >, 10);
    }
  if (row->code >= 0 && (right || error->code != row->code))
    g_test_fail_printf ("%s, %s: %s", name, row->name, right ? "was read" : error->message);
  for (guint i = 0; right && i < MIN (batch.refs->len, 5); i++)
    {
      SondeRecord record;

      if (format->read (
              decoder, payload->data, payload->len,
              sonde_record_place_part (g_array_index (batch.refs, SondeRecordRef, i).place),
              &record, NULL))
        sonde_record_clear (&record);
    }
  sonde_record_batch_clear (&batch);
  format->decoder_free (decoder);
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  struct rlimit old, little;

  g_assert_cmpint (getrlimit (RLIMIT_STACK, &old), ==, 0);
  little = old;
  little.rlim_cur = 1 << 20; /* the stack grows no further */
  g_assert_cmpint (setrlimit (RLIMIT_STACK, &little), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr (GByteArray) payload = g_byte_array_new ();

      row->make (payload, formats[i].step, formats[i].inner, row->n);
      check_row (row, formats[i].name, formats[i].format, payload);
    }
  g_assert_cmpint (setrlimit (RLIMIT_STACK, &old), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/data/records/payload/%s", rows[i].name);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  return g_test_run ();
}
