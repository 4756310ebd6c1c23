/* SPDX-License-Identifier: Apache-2.0
 * The header of an .npy file: magic, version, and a Python dict of which exactly the three keys of
 * the format are understood. The bytes are hostile; nothing is evaluated. */
#include "data/arrays/sonde-npy-private.h"

#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"

#include <string.h>

static const guint8 magic[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

/* A place in the header text. */
typedef struct
{
  const char *name; /* of the file */
  const char *text;
  gsize length;
  gsize at;
  gsize base; /* offset of the text in the file */
} Scanner;

static gboolean header_fail (const Scanner *scanner, SondeDataError code, GError **error,
                             const char *format, ...) G_GNUC_PRINTF (4, 5);

static gboolean
header_fail (const Scanner *scanner, SondeDataError code, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_DATA_ERROR, code, format, arguments);
  va_end (arguments);
  sonde_prefix_error (error, "“%s”, header at offset %zu: ", scanner->name,
                      scanner->base + scanner->at);
  return FALSE;
}

static char
peek (Scanner *scanner)
{
  while (scanner->at < scanner->length && g_ascii_isspace (scanner->text[scanner->at]))
    scanner->at++;
  return scanner->at < scanner->length ? scanner->text[scanner->at] : '\0';
}

static gboolean
accept (Scanner *scanner, char c)
{
  if (peek (scanner) != c)
    return FALSE;
  scanner->at++;
  return TRUE;
}

static gboolean
expect (Scanner *scanner, char c, GError **error)
{
  return accept (scanner, c)
         || header_fail (scanner, SONDE_DATA_ERROR_DAMAGED, error, "“%c” is expected here", c);
}

static gboolean
accept_word (Scanner *scanner, const char *word)
{
  gsize length = strlen (word);

  peek (scanner);
  if (scanner->length - scanner->at < length
      || memcmp (scanner->text + scanner->at, word, length) != 0)
    return FALSE;
  scanner->at += length;
  return TRUE;
}

/* 'text' or "text", without escapes: NumPy writes none in what we understand. */
static gboolean
scan_string (Scanner *scanner, char *text, gsize room, GError **error)
{
  char quote = peek (scanner);
  gsize length = 0;

  if (quote != '\'' && quote != '"')
    return header_fail (scanner, SONDE_DATA_ERROR_DAMAGED, error, "a quoted text is expected here");
  for (scanner->at++; scanner->at < scanner->length; scanner->at++)
    {
      char c = scanner->text[scanner->at];

      if (c == quote)
        {
          scanner->at++;
          text[length] = '\0';
          return TRUE;
        }
      if (length + 1 == room)
        break;
      text[length++] = c;
    }
  return header_fail (scanner, SONDE_DATA_ERROR_DAMAGED, error, "a quoted text does not end");
}

static gboolean
scan_size (Scanner *scanner, gint64 *size, GError **error)
{
  *size = 0;
  if (!g_ascii_isdigit (peek (scanner)))
    return header_fail (scanner, SONDE_DATA_ERROR_DAMAGED, error,
                        "a size of the shape, 0 or more, is expected here");
  for (; scanner->at < scanner->length && g_ascii_isdigit (scanner->text[scanner->at]);
       scanner->at++)
    {
      if (!sonde_checked_mul (size, *size, 10)
          || !sonde_checked_add (size, *size, scanner->text[scanner->at] - '0'))
        return header_fail (scanner, SONDE_DATA_ERROR_LIMIT, error, "a size beyond 2^63");
    }
  accept (scanner, 'L'); /* Python 2's long */
  return TRUE;
}

static gboolean
scan_shape (Scanner *scanner, SondeShape *shape, GError **error)
{
  *shape = sonde_shape_scalar ();
  if (!expect (scanner, '(', error))
    return FALSE;
  while (!accept (scanner, ')'))
    {
      if (shape->rank == SONDE_MAX_RANK)
        return header_fail (scanner, SONDE_DATA_ERROR_LIMIT, error, "more than %d dimensions",
                            SONDE_MAX_RANK);
      if (!scan_size (scanner, &shape->dims[shape->rank], error))
        return FALSE;
      shape->rank++;
      if (!accept (scanner, ',') && peek (scanner) != ')')
        return expect (scanner, ')', error);
    }
  return TRUE;
}

static const struct
{
  char kind;
  guint size;
  SondeDtype dtype;
} descriptions[] = {
  { 'b', 1, SONDE_DTYPE_BOOL }, { 'i', 1, SONDE_DTYPE_I8 },  { 'i', 2, SONDE_DTYPE_I16 },
  { 'i', 4, SONDE_DTYPE_I32 },  { 'i', 8, SONDE_DTYPE_I64 }, { 'u', 1, SONDE_DTYPE_U8 },
  { 'u', 2, SONDE_DTYPE_U16 },  { 'u', 4, SONDE_DTYPE_U32 }, { 'u', 8, SONDE_DTYPE_U64 },
  { 'f', 2, SONDE_DTYPE_F16 },  { 'f', 4, SONDE_DTYPE_F32 }, { 'f', 8, SONDE_DTYPE_F64 },
  { 'T', 2, SONDE_DTYPE_BF16 },
};

#define MAX_STRING_LENGTH ((guint64) 1 << 20)

/* "<f4": byte order, kind, bytes (characters for 'U'). */
static gboolean
understand_description (Scanner *scanner, const char *text, SondeNpyHeader *header, GError **error)
{
  guint64 size;

  if (strchr ("<>|=", text[0]) == NULL || text[0] == '\0' || text[1] == '\0')
    return header_fail (scanner, SONDE_DATA_ERROR_UNSUPPORTED, error, "unknown element type “%s”",
                        text);
  if (text[1] == 'O')
    return header_fail (
        scanner, SONDE_DATA_ERROR_UNSUPPORTED, error,
        "an array of Python objects (pickle), which would run code when read; save it "
        "with a number type");
  if (text[2] == '\0'
      || !g_ascii_string_to_unsigned (text + 2, 10, 0, MAX_STRING_LENGTH, &size, NULL))
    return header_fail (scanner, SONDE_DATA_ERROR_UNSUPPORTED, error, "unknown element type “%s”",
                        text);

  header->big_endian = text[0] == '>';
  if (text[1] == 'S' || text[1] == 'U')
    {
      header->dtype = SONDE_DTYPE_STRING;
      header->wide_characters = text[1] == 'U';
      header->item_size = (gsize) size * (header->wide_characters ? 4 : 1);
      return TRUE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (descriptions); i++)
    {
      if (descriptions[i].kind == text[1] && descriptions[i].size == size)
        {
          header->dtype = descriptions[i].dtype;
          header->item_size = (gsize) size;
          return TRUE;
        }
    }
  return header_fail (scanner, SONDE_DATA_ERROR_UNSUPPORTED, error, "unknown element type “%s”",
                      text);
}

static gboolean
scan_description (Scanner *scanner, SondeNpyHeader *header, GError **error)
{
  char text[32];

  if (peek (scanner) == '[')
    return header_fail (scanner, SONDE_DATA_ERROR_UNSUPPORTED, error,
                        "a structured element type; save each field as an array of its own");
  return scan_string (scanner, text, sizeof text, error)
         && understand_description (scanner, text, header, error);
}

static gboolean
scan_fortran_order (Scanner *scanner, SondeNpyHeader *header, GError **error)
{
  header->fortran_order = accept_word (scanner, "True");
  if (!header->fortran_order && !accept_word (scanner, "False"))
    return header_fail (scanner, SONDE_DATA_ERROR_DAMAGED, error, "True or False is expected here");
  return TRUE;
}

static gboolean
scan_value (Scanner *scanner, const char *key, SondeNpyHeader *header, guint *seen, GError **error)
{
  if (strcmp (key, "descr") == 0)
    {
      *seen |= 1;
      return scan_description (scanner, header, error);
    }
  if (strcmp (key, "fortran_order") == 0)
    {
      *seen |= 2;
      return scan_fortran_order (scanner, header, error);
    }
  if (strcmp (key, "shape") == 0)
    {
      *seen |= 4;
      return scan_shape (scanner, &header->shape, error);
    }
  return header_fail (scanner, SONDE_DATA_ERROR_DAMAGED, error, "unknown key “%s”", key);
}

static gboolean
scan_dict (Scanner *scanner, SondeNpyHeader *header, GError **error)
{
  guint seen = 0;

  if (!expect (scanner, '{', error))
    return FALSE;
  while (!accept (scanner, '}'))
    {
      char key[32];

      if (!scan_string (scanner, key, sizeof key, error) || !expect (scanner, ':', error)
          || !scan_value (scanner, key, header, &seen, error))
        return FALSE;
      if (!accept (scanner, ',') && peek (scanner) != '}')
        return expect (scanner, '}', error);
    }
  if (seen != 7)
    return header_fail (scanner, SONDE_DATA_ERROR_DAMAGED, error,
                        "one of the keys descr, fortran_order and shape is missing");
  return TRUE;
}

gboolean
sonde_npy_parse_header (const guint8 *data, gsize length, const char *name, SondeNpyHeader *header,
                        GError **error)
{
  Scanner scanner = { .name = name };
  gsize length_bytes;

  memset (header, 0, sizeof *header);
  if (length < SONDE_NPY_PREAMBLE || memcmp (data, magic, sizeof magic) != 0)
    return header_fail (&scanner, SONDE_DATA_ERROR_DAMAGED, error,
                        "no .npy file: its first bytes are wrong");
  if (data[6] < 1 || data[6] > 3)
    return header_fail (&scanner, SONDE_DATA_ERROR_UNSUPPORTED, error,
                        ".npy version %u; 1 to 3 are understood", data[6]);

  length_bytes = data[6] == 1 ? 2 : 4;
  scanner.length = data[8] | (gsize) data[9] << 8;
  if (length_bytes == 4)
    scanner.length |= (gsize) data[10] << 16 | (gsize) data[11] << 24;
  scanner.base = 8 + length_bytes;
  if (scanner.length > SONDE_NPY_MAX_HEADER)
    return header_fail (&scanner, SONDE_DATA_ERROR_LIMIT, error,
                        "it holds %zu bytes; at most %d are read", scanner.length,
                        SONDE_NPY_MAX_HEADER);
  if (length < scanner.base + scanner.length)
    return header_fail (&scanner, SONDE_DATA_ERROR_DAMAGED, error,
                        "the file ends inside the header");

  scanner.text = (const char *) data + scanner.base;
  header->data_offset = scanner.base + scanner.length;
  return scan_dict (&scanner, header, error);
}
