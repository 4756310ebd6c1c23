/* SPDX-License-Identifier: Apache-2.0
 * Framing: every kind of damage, every place to be cut, and damaged files of other writers. */
#include "data/records/sonde-record-frame.h"

#include <errno.h>
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "tests/data/base/faulty-io.h"
#include "tests/data/records/temporary-file.h"

/* ---- helpers ------------------------------------------------------------- */

/* The checksum bit by bit from the polynomial: another road than the library's. */
static guint32
slow_crc (const guint8 *data, gsize length)
{
  guint32 crc = ~0u;

  for (gsize i = 0; i < length; i++)
    {
      crc ^= data[i];
      for (int bit = 0; bit < 8; bit++)
        crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
    }
  return ~crc;
}

static guint32
slow_masked_crc (const guint8 *data, gsize length)
{
  guint32 crc = slow_crc (data, length);

  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

/* @n records of varied length, with the offsets of their frames and one for the end. */
static GByteArray *
make_records (guint n, GArray *offsets)
{
  GByteArray *bytes = g_byte_array_new ();

  for (guint i = 0; i < n; i++)
    {
      guint8 payload[80];
      guint length = (i * 37) % 71;

      for (guint k = 0; k < length; k++)
        payload[k] = (guint8) (i + k * 7 + 1);
      g_array_append_vals (offsets, &(guint64){ bytes->len }, 1);
      sonde_frame_append (bytes, payload, length);
    }
  g_array_append_vals (offsets, &(guint64){ bytes->len }, 1);
  return bytes;
}

static void
assert_payload (guint i, const guint8 *payload, gsize length)
{
  g_assert_cmpuint (length, ==, (i * 37) % 71);
  for (guint k = 0; k < length; k++)
    g_assert_cmpuint (payload[k], ==, (guint8) (i + k * 7 + 1));
}

/* Reads to the end; the frames must lie at @offsets except for the @n_lost records from @lost
 * on. */
static void
assert_records (SondeFrameReader *reader, const GArray *offsets, guint lost, guint n_lost)
{
  g_autoptr (GError) error = NULL;
  const guint8 *payload;
  gsize length;
  guint64 offset;

  for (guint i = 0; i + 1 < offsets->len; i++)
    {
      if (i >= lost && i < lost + n_lost)
        continue;
      g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, &offset, &error), ==,
                       SONDE_FRAME_RECORD);
      g_assert_no_error (error);
      g_assert_cmpuint (offset, ==, g_array_index (offsets, guint64, i));
      assert_payload (i, payload, length);
    }
  g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, &offset, &error), ==,
                   SONDE_FRAME_WAITING);
  g_assert_no_error (error);
}

static SondeFrameReader *
open_bytes (TemporaryFile *file, GByteArray *bytes)
{
  g_autoptr (GError) error = NULL;
  SondeFrameReader *reader;

  temporary_file_write (file, bytes->data, bytes->len);
  reader = sonde_frame_reader_open (NULL, file->path, 0, &error);
  g_assert_no_error (error);
  return reader;
}

static const SondeFrameDamage *
get_damage (SondeFrameReader *reader, guint i)
{
  GPtrArray *damage = sonde_frame_reader_get_damage (reader);

  g_assert_cmpuint (i, <, damage->len);
  return damage->pdata[i];
}

static void
assert_damage (SondeFrameReader *reader, guint i, guint64 offset, guint64 bytes, const char *reason)
{
  const SondeFrameDamage *damage = get_damage (reader, i);

  g_assert_cmpuint (damage->offset, ==, offset);
  g_assert_cmpuint (damage->bytes, ==, bytes);
  if (!g_str_has_prefix (damage->reason, reason))
    g_error ("reason “%s” does not begin with “%s”", damage->reason, reason);
}

/* A right header for any length. */
static void
append_header (GByteArray *bytes, guint64 length)
{
  guint64 little = GUINT64_TO_LE (length);
  guint32 crc = GUINT32_TO_LE (slow_masked_crc ((guint8 *) &little, 8));

  g_byte_array_append (bytes, (guint8 *) &little, 8);
  g_byte_array_append (bytes, (guint8 *) &crc, 4);
}

/* ---- checksum ------------------------------------------------------------ */

static void
test_crc (void)
{
  guint8 data[300];

  /* The check value of CRC-32C in every catalogue, then masked. */
  g_assert_cmphex (slow_crc ((const guint8 *) "123456789", 9), ==, 0xe3069283u);
  for (guint i = 0; i < sizeof data; i++)
    data[i] = (guint8) (i * i + 3);
  for (gsize length = 0; length < sizeof data; length++)
    g_assert_cmphex (sonde_frame_masked_crc (data, length), ==, slow_masked_crc (data, length));
}

static void
test_append (void)
{
  static const guint8 expected[] = { 3, 0, 0, 0, 0, 0, 0, 0 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint32 crc;

  sonde_frame_append (bytes, "abc", 3);
  g_assert_cmpuint (bytes->len, ==, 3 + SONDE_FRAME_OVERHEAD_BYTES);
  g_assert_cmpmem (bytes->data, 8, expected, 8);
  memcpy (&crc, bytes->data + 8, 4);
  g_assert_cmphex (GUINT32_FROM_LE (crc), ==, slow_masked_crc (expected, 8));
  g_assert_cmpmem (bytes->data + 12, 3, "abc", 3);
  memcpy (&crc, bytes->data + 15, 4);
  g_assert_cmphex (GUINT32_FROM_LE (crc), ==, slow_masked_crc ((const guint8 *) "abc", 3));
}

/* ---- growing files ------------------------------------------------------- */

/* T1: cut at every byte, read, append the rest, read on: no damage, nothing lost, nothing twice. */
static void
test_cut_everywhere (void)
{
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GByteArray) bytes = make_records (40, offsets);
  TemporaryFile file;

  temporary_file_init (&file);
  for (gsize cut = 0; cut <= bytes->len; cut++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeFrameReader) reader = NULL;
      const guint8 *payload;
      gsize length;
      guint n = 0;
      int fd;

      temporary_file_write (&file, bytes->data, cut);
      reader = sonde_frame_reader_open (NULL, file.path, 0, &error);
      g_assert_no_error (error);
      while (sonde_frame_reader_next (reader, &payload, &length, NULL, &error)
             == SONDE_FRAME_RECORD)
        assert_payload (n++, payload, length);
      g_assert_no_error (error);
      g_assert_cmpuint (sonde_frame_reader_get_position (reader), ==,
                        g_array_index (offsets, guint64, n));
      g_assert_cmpint (sonde_frame_reader_is_waiting (reader), ==,
                       cut != g_array_index (offsets, guint64, n));

      fd = open (file.path, O_WRONLY | O_APPEND | O_CLOEXEC);
      g_assert_cmpint (write (fd, bytes->data + cut, bytes->len - cut), ==,
                       (gssize) (bytes->len - cut));
      close (fd);
      while (sonde_frame_reader_next (reader, &payload, &length, NULL, &error)
             == SONDE_FRAME_RECORD)
        assert_payload (n++, payload, length);
      g_assert_no_error (error);
      g_assert_cmpuint (n, ==, 40);
      g_assert_cmpuint (sonde_frame_reader_get_count (reader), ==, 40);
      g_assert_false (sonde_frame_reader_is_waiting (reader));
      g_assert_cmpuint (sonde_frame_reader_get_damage (reader)->len, ==, 0);
    }
  temporary_file_clear (&file);
}

/* T2: the same when the writer is gone. */
static void
test_cut_and_finished (void)
{
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GByteArray) bytes = make_records (12, offsets);
  TemporaryFile file;

  temporary_file_init (&file);
  for (gsize cut = 0; cut < bytes->len; cut++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeFrameReader) reader = NULL;
      const guint8 *payload;
      gsize length;
      guint64 border;

      temporary_file_write (&file, bytes->data, cut);
      reader = sonde_frame_reader_open (NULL, file.path, 0, &error);
      g_assert_no_error (error);
      while (sonde_frame_reader_next (reader, &payload, &length, NULL, &error)
             == SONDE_FRAME_RECORD)
        ;
      border = sonde_frame_reader_get_position (reader);
      sonde_frame_reader_finish (reader);
      if (cut == border)
        g_assert_cmpuint (sonde_frame_reader_get_damage (reader)->len, ==, 0);
      else
        assert_damage (reader, 0, border, cut - border, "cut off inside a record");
      g_assert_false (sonde_frame_reader_is_waiting (reader));
    }
  temporary_file_clear (&file);
}

/* The room of a record is there before its bytes (network file systems, power loss). */
static void
test_hole_is_filled (void)
{
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GByteArray) bytes = make_records (30, offsets);
  g_autofree guint8 *holed = g_memdup2 (bytes->data, bytes->len);
  g_autoptr (SondeFrameReader) reader = NULL;
  guint64 hole = g_array_index (offsets, guint64, 20) + 5;
  TemporaryFile file;
  GArray *first = g_array_copy (offsets);
  const guint8 *payload;
  gsize length;
  int fd;

  temporary_file_init (&file);
  memset (holed + hole, 0, bytes->len - hole);
  temporary_file_write (&file, holed, bytes->len);
  reader = sonde_frame_reader_open (NULL, file.path, 0, NULL);
  g_array_set_size (first, 21);
  assert_records (reader, first, 100, 0);
  g_assert_true (sonde_frame_reader_is_waiting (reader));

  fd = open (file.path, O_WRONLY | O_CLOEXEC);
  g_assert_cmpint (pwrite (fd, bytes->data + hole, bytes->len - hole, (off_t) hole), ==,
                   (gssize) (bytes->len - hole));
  close (fd);
  for (guint i = 20; i < 30; i++)
    {
      g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, NULL), ==,
                       SONDE_FRAME_RECORD);
      assert_payload (i, payload, length);
    }
  g_assert_cmpuint (sonde_frame_reader_get_damage (reader)->len, ==, 0);
  g_array_unref (first);
  temporary_file_clear (&file);
}

static void
test_zero_tail_and_zero_hole (void)
{
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GByteArray) bytes = make_records (10, offsets);
  guint64 end = bytes->len;
  g_autoptr (SondeFrameReader) tail = NULL;
  g_autoptr (SondeFrameReader) hole = NULL;
  g_autofree guint8 *zeros = g_malloc0 (4096);
  TemporaryFile file;

  temporary_file_init (&file);
  g_byte_array_append (bytes, zeros, 4096);
  tail = open_bytes (&file, bytes);
  assert_records (tail, offsets, 100, 0);
  g_assert_true (sonde_frame_reader_is_waiting (tail));
  g_assert_cmpuint (sonde_frame_reader_get_damage (tail)->len, ==, 0);
  sonde_frame_reader_finish (tail);
  assert_damage (tail, 0, end, 4096, "zeros");

  /* Records behind the zeros: the hole can no longer be filled by an appending writer. */
  g_array_set_size (offsets, offsets->len - 1);
  g_array_append_vals (offsets, &(guint64){ bytes->len }, 1);
  sonde_frame_append (bytes, NULL, 0);
  hole = open_bytes (&file, bytes);
  {
    const guint8 *payload;
    gsize length;
    guint64 offset;

    for (guint i = 0; i < 11; i++)
      g_assert_cmpint (sonde_frame_reader_next (hole, &payload, &length, &offset, NULL), ==,
                       SONDE_FRAME_RECORD);
    g_assert_cmpuint (offset, ==, end + 4096);
    g_assert_cmpuint (length, ==, 0);
  }
  assert_damage (hole, 0, end, 4096, "zeros");
  temporary_file_clear (&file);
}

/* ---- damage -------------------------------------------------------------- */

/* T3: each bit of each header, with records behind it. */
static void
test_header_bits (void)
{
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GByteArray) bytes = make_records (12, offsets);
  TemporaryFile file;

  temporary_file_init (&file);
  for (guint i = 0; i < 11; i++)
    for (guint bit = 0; bit < SONDE_FRAME_HEADER_BYTES * 8; bit++)
      {
        guint64 start = g_array_index (offsets, guint64, i);
        guint64 end = g_array_index (offsets, guint64, i + 1);
        g_autoptr (SondeFrameReader) reader = NULL;

        bytes->data[start + bit / 8] ^= (guint8) (1 << bit % 8);
        reader = open_bytes (&file, bytes);
        assert_records (reader, offsets, i, 1);
        assert_damage (reader, 0, start, end - start, "length checksum");
        g_assert_cmpuint (sonde_frame_reader_get_damage (reader)->len, ==, 1);
        bytes->data[start + bit / 8] ^= (guint8) (1 << bit % 8);
      }
  temporary_file_clear (&file);
}

/* T4: one bit of each payload and of its checksum. */
static void
test_payload_bits (void)
{
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GByteArray) bytes = make_records (30, offsets);
  TemporaryFile file;

  temporary_file_init (&file);
  for (guint i = 0; i < 30; i++)
    for (guint back = 1; back <= 5; back += 4)
      {
        guint64 start = g_array_index (offsets, guint64, i);
        guint64 end = g_array_index (offsets, guint64, i + 1);
        g_autoptr (SondeFrameReader) reader = NULL;

        if (end - start - SONDE_FRAME_HEADER_BYTES < back)
          continue;
        bytes->data[end - back] ^= 0x10;
        reader = open_bytes (&file, bytes);
        assert_records (reader, offsets, i, 1);
        /* The last one may still be on its way. */
        g_assert_cmpint (sonde_frame_reader_is_waiting (reader), ==, i == 29);
        sonde_frame_reader_finish (reader);
        assert_damage (reader, 0, start, end - start, "payload checksum");
        g_assert_cmpuint (sonde_frame_reader_get_damage (reader)->len, ==, 1);
        bytes->data[end - back] ^= 0x10;
      }
  temporary_file_clear (&file);
}

/* T5: right header, impossible length: no memory is taken, and the records behind are found. */
static void
test_huge_lengths (void)
{
  static const guint64 lengths[] = { G_MAXUINT64, (guint64) 1 << 63, (guint64) 1 << 40,
                                     SONDE_BUDGET_RECORD_BYTES + 1, G_MAXUINT64 - 15 };
  TemporaryFile file;

  temporary_file_init (&file);
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (SondeFrameReader) reader = NULL;
      const guint8 *payload;
      gsize length;
      guint64 offset;

      append_header (bytes, lengths[i]);
      g_byte_array_append (bytes, (const guint8 *) "whatever", 8);
      sonde_frame_append (bytes, "good", 4);
      reader = open_bytes (&file, bytes);
      g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, &offset, NULL), ==,
                       SONDE_FRAME_RECORD);
      g_assert_cmpmem (payload, length, "good", 4);
      g_assert_cmpuint (offset, ==, 20);
      assert_damage (reader, 0, 0, 20, "length ");
      g_assert_nonnull (strstr (get_damage (reader, 0)->reason, "exceeds the budget"));
    }
  temporary_file_clear (&file);
}

/* A length within the budget but past the end is waiting, whatever it claims: no memory is taken
 * for bytes that are not there. */
static void
test_claimed_length_takes_no_memory (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (SondeFrameReader) reader = NULL;
  struct rlimit before, limit;
  const guint8 *payload;
  gsize length;
  TemporaryFile file;

  temporary_file_init (&file);
  append_header (bytes, SONDE_BUDGET_RECORD_BYTES);
  sonde_frame_append (bytes, "inside", 6);
  reader = open_bytes (&file, bytes);
  getrlimit (RLIMIT_DATA, &before);
  limit = before;
  limit.rlim_cur = 256 << 20;
  setrlimit (RLIMIT_DATA, &limit);
  g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, NULL), ==,
                   SONDE_FRAME_WAITING);
  /* The writer is gone: what follows the torn header is found. */
  sonde_frame_reader_finish (reader);
  g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, NULL), ==,
                   SONDE_FRAME_RECORD);
  setrlimit (RLIMIT_DATA, &before);
  g_assert_cmpmem (payload, length, "inside", 6);
  assert_damage (reader, 0, 0, 12, "cut off inside a record");
  temporary_file_clear (&file);
}

/* A torn record with whole ones appended to it (a writer that died, another that went on). */
static void
test_torn_then_appended (void)
{
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GByteArray) bytes = make_records (30, offsets);
  g_autoptr (GByteArray) torn = g_byte_array_new ();
  g_autoptr (SondeFrameReader) reader = NULL;
  guint64 start = g_array_index (offsets, guint64, 13);
  guint64 end = g_array_index (offsets, guint64, 14);
  gsize missing = 7;
  TemporaryFile file;

  temporary_file_init (&file);
  g_byte_array_append (torn, bytes->data, end - missing);
  g_byte_array_append (torn, bytes->data + end, bytes->len - end);
  for (guint i = 14; i < offsets->len; i++)
    g_array_index (offsets, guint64, i) -= missing;
  reader = open_bytes (&file, torn);
  assert_records (reader, offsets, 13, 1);
  assert_damage (reader, 0, start, end - missing - start, "payload checksum");
  temporary_file_clear (&file);
}

/* Whole frames inside a payload are content, also when the outer checksum is wrong. */
static void
test_frames_inside_payload (void)
{
  g_autoptr (GByteArray) inner = g_byte_array_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (SondeFrameReader) reader = NULL;
  const guint8 *payload;
  gsize length;
  TemporaryFile file;

  temporary_file_init (&file);
  sonde_frame_append (inner, "impostor", 8);
  g_byte_array_append (inner, (const guint8 *) "x", 1);
  sonde_frame_append (bytes, inner->data, inner->len);
  sonde_frame_append (bytes, "next", 4);
  bytes->data[SONDE_FRAME_HEADER_BYTES + inner->len - 1] = 'y';
  reader = open_bytes (&file, bytes);
  g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, NULL), ==,
                   SONDE_FRAME_RECORD);
  g_assert_cmpmem (payload, length, "next", 4);
  assert_damage (reader, 0, 0, inner->len + SONDE_FRAME_OVERHEAD_BYTES, "payload checksum");
  temporary_file_clear (&file);
}

static void
test_foreign_checksums (void)
{
  static const char *const reasons[]
      = { "length checksum (it is not masked)", "length checksum (its bytes are swapped)",
          "length checksum (it is CRC-32, not CRC-32C)" };
  const guint64 four = GUINT64_TO_LE (4);
  TemporaryFile file;

  temporary_file_init (&file);
  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (SondeFrameReader) reader = NULL;
      guint32 crc = i == 0   ? slow_crc ((const guint8 *) &four, 8)
                    : i == 1 ? GUINT32_SWAP_LE_BE (slow_masked_crc ((const guint8 *) &four, 8))
                             : 0xe168d193; /* zlib.crc32() of the eight bytes */
      const guint8 *payload;
      gsize length;

      crc = GUINT32_TO_LE (crc);
      g_byte_array_append (bytes, (const guint8 *) &four, 8);
      g_byte_array_append (bytes, (const guint8 *) &crc, 4);
      g_byte_array_append (bytes, (const guint8 *) "abcd0000", 8);
      sonde_frame_append (bytes, "good", 4);
      reader = open_bytes (&file, bytes);
      g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, NULL), ==,
                       SONDE_FRAME_RECORD);
      g_assert_cmpstr (get_damage (reader, 0)->reason, ==, reasons[i]);
    }
  temporary_file_clear (&file);
}

/* EV7: something else under the name of an event file. */
static void
test_other_files (void)
{
  static const struct
  {
    const char *bytes, *like;
  } files[] = {
    { "\x1f\x8b\x08\1\1\1\1\1\1\1\1\1\1\1", "(looks like gzip" },
    { "PK\3\4\24\1\1\1\1\1\1\1\1\1", "(looks like a zip archive)" },
    { "\x89PNG\r\n\x1a\n\1\1\1\rIHDR", "(looks like a PNG picture)" },
    { "\x7f"
      "ELF\2\1\1\1\1\1\1\1\1\1",
      "(looks like a program)" },
    { "# notes of a run\n", "(looks like text)" },
    { "{\"version\": 1, \"a\": 2}", "(looks like text)" },
    { "\x93NUMPY\1\1v\1{'descr'", "(looks like an array of NumPy)" },
    { "\1\2\3\4\5\6\7\1\2\3\4\5\6\7", NULL },
  };
  TemporaryFile file;

  temporary_file_init (&file);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (SondeFrameReader) reader = NULL;
      const SondeFrameDamage *damage;
      const guint8 *payload;
      gsize length;

      g_byte_array_append (bytes, (const guint8 *) files[i].bytes, (guint) strlen (files[i].bytes));
      reader = open_bytes (&file, bytes);
      g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, NULL), ==,
                       SONDE_FRAME_WAITING);
      sonde_frame_reader_finish (reader);
      g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, NULL), ==,
                       SONDE_FRAME_WAITING);
      damage = get_damage (reader, 0);
      g_assert_cmpuint (damage->bytes, ==, bytes->len);
      if (files[i].like == NULL)
        g_assert_cmpstr (damage->reason, ==, "length checksum");
      else
        {
          g_assert_true (g_str_has_prefix (damage->reason, "not an event file "));
          g_assert_nonnull (strstr (damage->reason, files[i].like));
        }
    }
  temporary_file_clear (&file);
}

/* Every byte is in a record or in a damaged stretch, for random damage, read in one go, in pieces
 * of three bytes, and by a reader that is opened again at each record. */
static void
test_every_byte_is_accounted_for (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  TemporaryFile file;

  temporary_file_init (&file);
  for (guint round = 0; round < 300; round++)
    {
      g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
      g_autoptr (GByteArray) bytes = make_records (25, offsets);
      g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint64));
      guint n_hits = (guint) g_rand_int_range (random, 1, 6);

      for (guint i = 0; i < n_hits; i++)
        bytes->data[g_rand_int_range (random, 0, (gint32) bytes->len)]
            ^= (guint8) g_rand_int_range (random, 1, 256);
      temporary_file_write (&file, bytes->data, bytes->len);
      for (guint way = 0; way < 2; way++)
        {
          g_autoptr (SondeFrameReader) reader = NULL;
          const guint8 *payload;
          gsize length;
          guint64 offset, sum = 0;
          guint n = 0;
          FaultyIo io;

          faulty_io_init (&io);
          io.max_bytes = way == 0 ? 0 : 3;
          io.interrupt_every = way == 0 ? 0 : 5;
          reader = sonde_frame_reader_open (&io.io, file.path, 0, NULL);
          for (guint pass = 0; pass < 2; pass++)
            {
              while (sonde_frame_reader_next (reader, &payload, &length, &offset, NULL)
                     == SONDE_FRAME_RECORD)
                {
                  if (way == 0)
                    g_array_append_val (found, offset);
                  else
                    g_assert_cmpuint (offset, ==, g_array_index (found, guint64, n));
                  n++;
                  sum += length + SONDE_FRAME_OVERHEAD_BYTES;
                }
              sonde_frame_reader_finish (reader);
            }
          for (guint i = 0; i < sonde_frame_reader_get_damage (reader)->len; i++)
            sum += get_damage (reader, i)->bytes;
          g_assert_cmpuint (sum, ==, bytes->len);
          g_assert_cmpuint (n, ==, found->len);
          g_assert_cmpuint (n, >=, 25 - 2 * n_hits);
        }
    }
  temporary_file_clear (&file);
}

/* Nothing but noise, then noise between records. */
static void
test_garbage (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (SondeFrameReader) reader = NULL;
  g_autoptr (SondeFrameReader) between = NULL;
  const guint8 *payload;
  gsize length;
  TemporaryFile file;

  temporary_file_init (&file);
  for (guint i = 0; i < 300000; i++)
    g_byte_array_append (bytes, (const guint8[]){ (guint8) g_rand_int (random) }, 1);
  reader = open_bytes (&file, bytes);
  g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, NULL), ==,
                   SONDE_FRAME_WAITING);
  sonde_frame_reader_finish (reader);
  assert_damage (reader, 0, 0, 300000, "length checksum");
  g_assert_cmpuint (sonde_frame_reader_get_count (reader), ==, 0);

  sonde_frame_append (bytes, "good", 4);
  between = open_bytes (&file, bytes);
  g_assert_cmpint (sonde_frame_reader_next (between, &payload, &length, NULL, NULL), ==,
                   SONDE_FRAME_RECORD);
  g_assert_cmpmem (payload, length, "good", 4);
  assert_damage (between, 0, 0, 300000, "length checksum");
  temporary_file_clear (&file);
}

/* The search is bounded by what it looks at: 100 MiB of nothing (a sparse file) are two
 * stretches. */
static void
test_long_gap (void)
{
  g_autoptr (GByteArray) good = g_byte_array_new ();
  g_autoptr (SondeFrameReader) reader = NULL;
  const guint64 hole = (guint64) 100 << 20;
  const guint8 *payload;
  gsize length;
  TemporaryFile file;
  int fd;

  temporary_file_init (&file);
  sonde_frame_append (good, "good", 4);
  fd = open (file.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  g_assert_cmpint (pwrite (fd, good->data, good->len, (off_t) hole), ==, good->len);
  close (fd);
  reader = sonde_frame_reader_open (NULL, file.path, 0, NULL);
  g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, NULL), ==,
                   SONDE_FRAME_RECORD);
  g_assert_cmpmem (payload, length, "good", 4);
  g_assert_cmpuint (sonde_frame_reader_get_damage (reader)->len, ==, 2);
  g_assert_cmpuint (get_damage (reader, 0)->offset, ==, 0);
  g_assert_cmpuint (get_damage (reader, 0)->bytes + get_damage (reader, 1)->bytes, ==, hole);
  g_assert_nonnull (strstr (get_damage (reader, 0)->reason, "the search goes on"));
  g_assert_cmpstr (get_damage (reader, 1)->reason, ==, "zeros");
  temporary_file_clear (&file);
}

/* Many right headers, each claiming the rest of the file: the checksums of all would take days. */
static void
test_malicious_headers (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (SondeFrameReader) reader = NULL;
  const guint8 *payload;
  gint64 start;
  gsize length;
  TemporaryFile file;

  temporary_file_init (&file);
  for (guint i = 0; i < 100000; i++)
    append_header (bytes, 4000000);
  g_byte_array_set_size (bytes, bytes->len + 4000000);
  memset (bytes->data + 1200000, 'x', 4000000);
  reader = open_bytes (&file, bytes);
  start = g_get_monotonic_time ();
  g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, NULL), ==,
                   SONDE_FRAME_WAITING);
  sonde_frame_reader_finish (reader);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
  g_assert_cmpuint (sonde_frame_reader_get_position (reader), ==, bytes->len);
  temporary_file_clear (&file);
}

/* ---- files that change or fail ------------------------------------------- */

/* T7: shorter than what was read. */
static void
test_truncated_under_us (void)
{
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GByteArray) bytes = make_records (10, offsets);
  g_autoptr (SondeFrameReader) reader = NULL;
  g_autoptr (GError) error = NULL;
  const guint8 *payload;
  gsize length;
  TemporaryFile file;

  temporary_file_init (&file);
  reader = open_bytes (&file, bytes);
  assert_records (reader, offsets, 100, 0);
  g_assert_cmpint (truncate (file.path, 50), ==, 0);
  g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, &error), ==,
                   SONDE_FRAME_ERROR);
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, file.path));
  temporary_file_clear (&file);
}

static void
test_read_errors (void)
{
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GByteArray) bytes = make_records (10, offsets);
  TemporaryFile file;

  temporary_file_init (&file);
  temporary_file_write (&file, bytes->data, bytes->len);
  for (guint call = 1; call < 20; call++)
    {
      g_autoptr (SondeFrameReader) reader = NULL;
      g_autoptr (GError) error = NULL;
      SondeFrameResult result;
      const guint8 *payload;
      gsize length;
      guint n = 0;
      FaultyIo io;

      faulty_io_init (&io);
      io.fail_call = call;
      io.fail_errno = EIO;
      reader = sonde_frame_reader_open (&io.io, file.path, 0, &error);
      if (reader == NULL)
        {
          g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO);
          continue;
        }
      while ((result = sonde_frame_reader_next (reader, &payload, &length, NULL, &error))
             == SONDE_FRAME_RECORD)
        assert_payload (n++, payload, length);
      if (result == SONDE_FRAME_ERROR)
        {
          g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO);
          g_clear_error (&error);
          while (sonde_frame_reader_next (reader, &payload, &length, NULL, &error)
                 == SONDE_FRAME_RECORD)
            assert_payload (n++, payload, length);
        }
      g_assert_no_error (error);
      g_assert_cmpuint (n, ==, 10);
      g_assert_cmpuint (sonde_frame_reader_get_damage (reader)->len, ==, 0);
    }
  temporary_file_clear (&file);
}

static void
test_no_such_file (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_frame_reader_open (NULL, "/nonexistent/run/000001.sonde", 0, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
}

/* A position out of a stale index must not be trusted. */
static void
test_start_past_the_end (void)
{
  static const guint64 starts[] = { 1000, G_MAXUINT64, G_MAXUINT64 - 11, (guint64) 1 << 63 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  TemporaryFile file;

  temporary_file_init (&file);
  sonde_frame_append (bytes, "good", 4);
  temporary_file_write (&file, bytes->data, bytes->len);
  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    {
      g_autoptr (SondeFrameReader) reader
          = sonde_frame_reader_open (NULL, file.path, starts[i], NULL);
      const guint8 *payload;
      gsize length;

      g_assert_cmpint (sonde_frame_reader_next (reader, &payload, &length, NULL, NULL), ==,
                       SONDE_FRAME_ERROR);
    }
  temporary_file_clear (&file);
}

/* ---- files of another program -------------------------------------------- */

static char *
find_event_file (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (strstr (name, "tfevents") != NULL)
      return g_build_filename (folder, name, NULL);
  return NULL;
}

static gboolean
was_undamaged (JsonObject *expected, guint64 offset)
{
  static const char *const places[] = { "byte", "cut_at" };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if (json_object_has_member (expected, places[i])
        && offset >= (guint64) json_object_get_int_member (expected, places[i]))
      return FALSE;
  return TRUE;
}

/* What an independent reader found in a damaged event file: same records, same places, same
 * bytes. */
static void
check_sample (const char *folder)
{
  g_autofree char *expected_path = g_build_filename (folder, "expected.json", NULL);
  g_autofree char *path = find_event_file (folder);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (SondeFrameReader) reader = NULL;
  g_autoptr (GError) error = NULL;
  JsonObject *expected;
  JsonArray *readable;
  const guint8 *payload;
  gsize length;
  guint64 offset, sum = 0;
  guint n = 0;

  json_parser_load_from_file (parser, expected_path, &error);
  g_assert_no_error (error);
  expected = json_node_get_object (json_parser_get_root (parser));
  readable = json_object_get_array_member (expected, "readable");
  reader = sonde_frame_reader_open (NULL, path, 0, &error);
  g_assert_no_error (error);

  while (sonde_frame_reader_next (reader, &payload, &length, &offset, &error) == SONDE_FRAME_RECORD)
    {
      JsonObject *record = json_array_get_object_element (readable, n);
      g_autofree char *digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, payload, length);

      g_assert_cmpint ((gint64) offset, ==, json_object_get_int_member (record, "original_offset"));
      g_assert_cmpint ((gint64) length, ==, json_object_get_int_member (record, "length"));
      g_assert_cmpstr (digest, ==, json_object_get_string_member (record, "payload_sha256"));
      if ((gint64) n < json_object_get_int_member (expected, "readable_before")
          && was_undamaged (expected, offset))
        g_assert_cmpuint (sonde_frame_reader_get_damage (reader)->len, ==, 0);
      sum += length + SONDE_FRAME_OVERHEAD_BYTES;
      n++;
    }
  g_assert_no_error (error);
  g_assert_cmpint (n, ==, json_object_get_int_member (expected, "readable_total"));
  sonde_frame_reader_finish (reader);
  for (guint i = 0; i < sonde_frame_reader_get_damage (reader)->len; i++)
    sum += get_damage (reader, i)->bytes;
  g_assert_cmpuint (sum, ==, sonde_frame_reader_get_file_size (reader));
  if (json_object_has_member (expected, "garbage_bytes"))
    g_assert_cmpint ((gint64) get_damage (reader, 0)->bytes, ==,
                     json_object_get_int_member (expected, "garbage_bytes"));
}

static void
test_tensorboard_samples (void)
{
  g_autofree char *folder = g_build_filename (
      g_getenv ("SONDE_SHARED") != NULL ? g_getenv ("SONDE_SHARED") : "/nonexistent", "samples",
      "tensorboard", "damaged", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  if (dir == NULL)
    {
      g_test_skip ("no samples beside the checkout");
      return;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *sample = g_build_filename (folder, name, NULL);

      g_test_message ("%s", name);
      check_sample (sample);
      n++;
    }
  g_assert_cmpuint (n, ==, 6);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/records/frame/crc", test_crc);
  g_test_add_func ("/data/records/frame/append", test_append);
  g_test_add_func ("/data/records/frame/cut-everywhere", test_cut_everywhere);
  g_test_add_func ("/data/records/frame/cut-and-finished", test_cut_and_finished);
  g_test_add_func ("/data/records/frame/hole-is-filled", test_hole_is_filled);
  g_test_add_func ("/data/records/frame/zero-tail-and-hole", test_zero_tail_and_zero_hole);
  g_test_add_func ("/data/records/frame/header-bits", test_header_bits);
  g_test_add_func ("/data/records/frame/payload-bits", test_payload_bits);
  g_test_add_func ("/data/records/frame/huge-lengths", test_huge_lengths);
  g_test_add_func ("/data/records/frame/claimed-length", test_claimed_length_takes_no_memory);
  g_test_add_func ("/data/records/frame/torn-then-appended", test_torn_then_appended);
  g_test_add_func ("/data/records/frame/frames-inside-payload", test_frames_inside_payload);
  g_test_add_func ("/data/records/frame/foreign-checksums", test_foreign_checksums);
  g_test_add_func ("/data/records/frame/other-files", test_other_files);
  g_test_add_func ("/data/records/frame/every-byte", test_every_byte_is_accounted_for);
  g_test_add_func ("/data/records/frame/garbage", test_garbage);
  g_test_add_func ("/data/records/frame/long-gap", test_long_gap);
  g_test_add_func ("/data/records/frame/malicious-headers", test_malicious_headers);
  g_test_add_func ("/data/records/frame/truncated-under-us", test_truncated_under_us);
  g_test_add_func ("/data/records/frame/read-errors", test_read_errors);
  g_test_add_func ("/data/records/frame/no-such-file", test_no_such_file);
  g_test_add_func ("/data/records/frame/start-past-the-end", test_start_past_the_end);
  g_test_add_func ("/data/records/frame/tensorboard-samples", test_tensorboard_samples);
  return g_test_run ();
}
