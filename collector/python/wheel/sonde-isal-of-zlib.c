/* SPDX-License-Identifier: Apache-2.0
 * The four functions of ISA-L that libsonde-record calls, by zlib: Debian has ISA-L as a shared library
 * only, and a wheel needs no library but glibc. Linked into the wheel's libraries and nowhere else. */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <string.h>
#include <zlib.h>

#define CASTAGNOLI 0x82f63b78u /* the polynomial, lowest bit first */

/* ---- checksums ----------------------------------------------------------- */

uint32_t
crc32_gzip_refl (uint32_t start, const unsigned char *bytes, uint64_t length)
{
  return (uint32_t) crc32_z (start, bytes, length);
}

static unsigned
crc_of_bits (unsigned crc, const unsigned char *bytes, size_t length)
{
  for (; length > 0; bytes++, length--)
    {
      crc ^= *bytes;
      for (int bit = 0; bit < 8; bit++)
        crc = crc >> 1 ^ (crc & 1 ? CASTAGNOLI : 0);
    }
  return crc;
}

#if defined(__x86_64__)
__attribute__ ((target ("sse4.2"))) static unsigned
crc_of_instruction (unsigned start, const unsigned char *bytes, size_t length)
{
  uint64_t crc = start, eight;

  for (; length >= 8; bytes += 8, length -= 8)
    {
      memcpy (&eight, bytes, 8);
      crc = __builtin_ia32_crc32di (crc, eight);
    }
  for (; length > 0; bytes++, length--)
    crc = __builtin_ia32_crc32qi ((unsigned) crc, *bytes);
  return (unsigned) crc;
}
#endif

unsigned
crc32_iscsi (unsigned char *bytes, int length, unsigned start)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports ("sse4.2"))
    return crc_of_instruction (start, bytes, (size_t) length);
#endif
  return crc_of_bits (start, bytes, (size_t) length);
}

/* ---- deflate ------------------------------------------------------------- */

void
isal_deflate_stateless_init (struct isal_zstream *stream)
{
  memset (stream, 0, sizeof *stream);
}

/* All that is given at once, as a zlib stream. Level 0 stores, which fits where the caller's room does. */
static int
deflate_once (struct isal_zstream *stream, int level)
{
  z_stream z = { .next_in = stream->next_in,
                 .avail_in = stream->avail_in,
                 .next_out = stream->next_out,
                 .avail_out = stream->avail_out };
  int result;

  if (deflateInit (&z, level) != Z_OK)
    return ISAL_INVALID_OPERATION;
  result = deflate (&z, Z_FINISH);
  stream->total_out = (uint32_t) z.total_out;
  deflateEnd (&z);
  return result == Z_STREAM_END ? COMP_OK : STATELESS_OVERFLOW;
}

int
isal_deflate_stateless (struct isal_zstream *stream)
{
  int result;

  if (stream->gzip_flag != IGZIP_ZLIB)
    return ISAL_INVALID_OPERATION;
  result = deflate_once (stream, 1);
  return result == STATELESS_OVERFLOW ? deflate_once (stream, 0) : result;
}
