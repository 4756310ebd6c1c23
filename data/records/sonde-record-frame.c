/* SPDX-License-Identifier: Apache-2.0
 * Checksum and framing of one record. */
#include "data/records/sonde-record-frame.h"

#include "data/records/sonde-record-frame-private.h"

#include <isa-l/crc.h>
#include <string.h>

#define MASK_DELTA 0xa282ead8u

#if defined(__x86_64__)
#define SHORT_BYTES 128

/* ISA-L is made for long buffers: for the few bytes of a scalar it takes three times as long. */
__attribute__ ((target ("sse4.2"))) static guint32
crc_of_short (const guint8 *bytes, gsize length)
{
  guint64 crc = ~0u;
  guint64 eight;

  for (; length >= 8; bytes += 8, length -= 8)
    {
      memcpy (&eight, bytes, 8);
      crc = __builtin_ia32_crc32di (crc, eight);
    }
  for (; length > 0; bytes++, length--)
    crc = __builtin_ia32_crc32qi ((guint32) crc, *bytes);
  return ~(guint32) crc;
}
#endif

guint32
sonde_frame_crc (const void *data, gsize length)
{
  const guint8 *bytes = data;
  guint32 crc = ~0u;

#if defined(__x86_64__)
  if (length <= SHORT_BYTES && __builtin_cpu_supports ("sse4.2"))
    return crc_of_short (bytes, length);
#endif

  /* ISA-L takes an int and no const. */
  while (length > 0)
    {
      int part = (int) MIN (length, (gsize) 1 << 30);

      crc = crc32_iscsi ((unsigned char *) bytes, part, crc);
      bytes += part;
      length -= part;
    }
  return ~crc;
}

guint32
sonde_frame_masked_crc (const void *data, gsize length)
{
  guint32 crc = sonde_frame_crc (data, length);

  return ((crc >> 15) | (crc << 17)) + MASK_DELTA;
}

static void
store_u32 (guint8 *at, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (at, &value, sizeof value);
}

gsize
sonde_frame_begin (GByteArray *out)
{
  gsize start = out->len;

  g_byte_array_set_size (out, out->len + SONDE_FRAME_HEADER_BYTES);
  return start;
}

void
sonde_frame_end (GByteArray *out, gsize start)
{
  gsize payload = start + SONDE_FRAME_HEADER_BYTES;
  guint64 length;
  guint8 trailer[4];

  g_return_if_fail (out->len >= payload);

  length = GUINT64_TO_LE ((guint64) (out->len - payload));
  memcpy (out->data + start, &length, sizeof length);
  store_u32 (out->data + start + 8, sonde_frame_masked_crc (&length, sizeof length));
  store_u32 (trailer, sonde_frame_masked_crc (out->data + payload, out->len - payload));
  g_byte_array_append (out, trailer, sizeof trailer);
}

void
sonde_frame_append (GByteArray *out, const void *payload, gsize length)
{
  gsize start = sonde_frame_begin (out);

  if (length > 0)
    g_byte_array_append (out, payload, length);
  sonde_frame_end (out, start);
}

gboolean
sonde_frame_header_is_right (const guint8 *header, guint64 *length)
{
  guint32 stored;

  memcpy (length, header, 8);
  *length = GUINT64_FROM_LE (*length);
  memcpy (&stored, header + 8, 4);
  stored = GUINT32_FROM_LE (stored);
  /* The search for the next record comes through here for each byte: most are ruled out without a
   * checksum, and runs of zeros need none either. */
  if (*length == 0)
    return stored == SONDE_FRAME_EMPTY_LENGTH_CRC;
  return stored == sonde_frame_masked_crc (header, 8);
}

/* What a wrong length checksum would be right for: mistakes of other writers. */
const char *
sonde_frame_explain_header (const guint8 *header)
{
  guint32 stored, crc = sonde_frame_crc (header, 8);
  guint32 masked = sonde_frame_masked_crc (header, 8);

  memcpy (&stored, header + 8, 4);
  stored = GUINT32_FROM_LE (stored);
  if (stored == crc)
    return "length checksum (it is not masked)";
  if (stored == GUINT32_SWAP_LE_BE (masked))
    return "length checksum (its bytes are swapped)";
  if (stored == crc32_gzip_refl (0, header, 8))
    return "length checksum (it is CRC-32, not CRC-32C)";
  return "length checksum";
}

/* What a file is that has no frame at its start: somebody renamed or cut it. */
const char *
sonde_frame_explain_file (const guint8 *header)
{
  static const struct
  {
    const char *magic;
    gsize length;
    const char *reason;
  } files[] = {
    { "\x1f\x8b", 2, "not an event file (looks like gzip: with “.gz” behind its name it is read)" },
    { "PK\3\4", 4, "not an event file (looks like a zip archive)" },
    { "\x89PNG\r\n", 6, "not an event file (looks like a PNG picture)" },
    { "\xff\xd8\xff", 3, "not an event file (looks like a JPEG picture)" },
    { "\x7f"
      "ELF",
      4, "not an event file (looks like a program)" },
    { "\x93NUMPY", 6, "not an event file (looks like an array of NumPy)" },
    { "\x89HDF\r\n", 6, "not an event file (looks like HDF5)" },
    { "SQLite form", 11, "not an event file (looks like an SQLite database)" },
    { "\x28\xb5\x2f\xfd", 4, "not an event file (looks like zstd)" },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (files); i++)
    if (memcmp (header, files[i].magic, files[i].length) == 0)
      return files[i].reason;
  for (i = 0; i < SONDE_FRAME_HEADER_BYTES
              && (header[i] >= 0x20 || (header[i] >= '\t' && header[i] <= '\r'));
       i++)
    ;
  return i == SONDE_FRAME_HEADER_BYTES && g_utf8_validate_len ((const char *) header, 8, NULL)
             ? "not an event file (looks like text)"
             : NULL;
}

void
sonde_frame_damage_free (SondeFrameDamage *damage)
{
  if (damage == NULL)
    return;
  g_free (damage->reason);
  g_free (damage);
}
