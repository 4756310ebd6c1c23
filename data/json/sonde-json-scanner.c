/* SPDX-License-Identifier: Apache-2.0 */
#include "data/json/sonde-json-scanner.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define CHUNK_BYTES (1u << 20)
#define MARK_MAX (4u << 20)        /* kept from a mark on */
#define TEXT_KEPT ((1u << 20) + 8) /* of a long text */
#define NUMBER_MAX 4096            /* digits kept of a long number */
#define PAD 16                     /* readable bytes behind the last */

/* @p, @end: what is left of @buffer, which holds @size bytes and PAD more
 * @offset: where buffer[0] stands in the file
 * @mark: where the kept bytes begin, or NULL
 * @closers: the open objects and arrays while a value is skipped, a byte each */
struct _SondeJsonScanner
{
  const SondeIo *io;
  int fd;
  const char *name;
  char *buffer;
  gsize size;
  const char *p, *end, *mark;
  guint64 offset;
  gboolean is_file, at_end, bad;
  GString *scratch;
  GByteArray *closers;
  GError *error;
};

static SondeJsonScanner *
scanner_new (void)
{
  SondeJsonScanner *scanner = g_new0 (SondeJsonScanner, 1);

  scanner->scratch = g_string_new (NULL);
  scanner->closers = g_byte_array_new ();
  return scanner;
}

SondeJsonScanner *
sonde_json_scanner_new (const SondeIo *io, int fd, const char *name)
{
  SondeJsonScanner *scanner = scanner_new ();

  scanner->io = io;
  scanner->fd = fd;
  scanner->name = name;
  scanner->is_file = TRUE;
  scanner->size = CHUNK_BYTES;
  scanner->buffer = g_malloc0 (scanner->size + PAD);
  scanner->p = scanner->end = scanner->buffer;
  return scanner;
}

SondeJsonScanner *
sonde_json_scanner_new_for_bytes (const char *bytes, gsize n)
{
  SondeJsonScanner *scanner = scanner_new ();

  sonde_json_scanner_set_bytes (scanner, bytes, n);
  return scanner;
}

void
sonde_json_scanner_set_bytes (SondeJsonScanner *scanner, const char *bytes, gsize n)
{
  scanner->p = bytes;
  scanner->end = bytes + n;
  scanner->at_end = TRUE;
  scanner->bad = FALSE;
}

void
sonde_json_scanner_free (SondeJsonScanner *scanner)
{
  if (scanner == NULL)
    return;
  g_free (scanner->buffer);
  g_string_free (scanner->scratch, TRUE);
  g_byte_array_unref (scanner->closers);
  g_clear_error (&scanner->error);
  g_free (scanner);
}

guint64
sonde_json_scanner_get_offset (const SondeJsonScanner *scanner)
{
  return scanner->offset + (scanner->p - scanner->buffer);
}

GError *
sonde_json_scanner_steal_error (SondeJsonScanner *scanner)
{
  return g_steal_pointer (&scanner->error);
}

gboolean
sonde_json_scanner_is_bad (const SondeJsonScanner *scanner)
{
  return scanner->bad;
}

static gboolean
fail (SondeJsonScanner *scanner)
{
  scanner->bad = TRUE;
  return FALSE;
}

/* ---- bytes --------------------------------------------------------------- */

/* Moves what is kept to the front of the buffer; a mark that holds too much is dropped. */
static void
make_space (SondeJsonScanner *scanner)
{
  const char *keep;
  gsize n;

  if (scanner->mark != NULL && (gsize) (scanner->end - scanner->mark) > MARK_MAX)
    scanner->mark = NULL;
  keep = scanner->mark != NULL ? scanner->mark : scanner->end;
  n = scanner->end - keep;
  scanner->offset += keep - scanner->buffer;
  if (n + CHUNK_BYTES / 2 > scanner->size)
    {
      char *larger = g_malloc0 (2 * scanner->size + PAD);

      memcpy (larger, keep, n);
      scanner->size *= 2;
      g_free (scanner->buffer);
      scanner->buffer = larger;
    }
  else
    memmove (scanner->buffer, keep, n);
  scanner->mark = scanner->mark != NULL ? scanner->buffer : NULL;
  scanner->p = scanner->end = scanner->buffer + n;
}

/* More bytes; all that were there have been taken. FALSE at the end. */
static gboolean
refill (SondeJsonScanner *scanner)
{
  gssize n;

  if (scanner->at_end)
    return FALSE;
  make_space (scanner);
  n = sonde_io_pread_full (scanner->io, scanner->fd, scanner->name, (char *) scanner->end,
                           scanner->size - (scanner->end - scanner->buffer),
                           scanner->offset + (scanner->end - scanner->buffer), &scanner->error);
  scanner->at_end = n <= 0;
  scanner->end += MAX (n, 0);
  return n > 0;
}

static inline gboolean
has_byte (SondeJsonScanner *scanner)
{
  return G_LIKELY (scanner->p < scanner->end) || refill (scanner);
}

void
sonde_json_scanner_skip_mark (SondeJsonScanner *scanner)
{
  if (has_byte (scanner) && scanner->end - scanner->p >= 3
      && memcmp (scanner->p, "\xef\xbb\xbf", 3) == 0)
    scanner->p += 3;
}

static int
peek (SondeJsonScanner *scanner)
{
  while (has_byte (scanner))
    {
      char c = *scanner->p;

      if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
        return (guchar) c;
      scanner->p++;
    }
  return SONDE_JSON_SCANNER_END;
}

int
sonde_json_scanner_peek (SondeJsonScanner *scanner)
{
  return G_UNLIKELY (scanner->bad) ? SONDE_JSON_SCANNER_BAD : peek (scanner);
}

gboolean
sonde_json_scanner_is_at_end (SondeJsonScanner *scanner)
{
  return peek (scanner) == SONDE_JSON_SCANNER_END;
}

gboolean
sonde_json_scanner_take (SondeJsonScanner *scanner, char c)
{
  if (sonde_json_scanner_peek (scanner) != (guchar) c)
    return fail (scanner);
  scanner->p++;
  return TRUE;
}

gboolean
sonde_json_scanner_next (SondeJsonScanner *scanner, char close, gboolean *first)
{
  gboolean comma = *first;
  int c;

  *first = FALSE;
  for (c = sonde_json_scanner_peek (scanner); c == ','; c = sonde_json_scanner_peek (scanner))
    {
      scanner->p++;
      comma = TRUE;
    }
  if (c == close)
    {
      scanner->p++;
      return FALSE;
    }
  if (c < 0 || !comma)
    return fail (scanner);
  return TRUE;
}

/* ---- texts --------------------------------------------------------------- */

/* The first quote or backslash of [p, end); @end when there is none. Up to PAD bytes behind @end are
 * looked at. */
static const char *
find_special (const char *p, const char *end)
{
#ifdef __SSE2__
  const __m128i quotes = _mm_set1_epi8 ('"'), backslashes = _mm_set1_epi8 ('\\');

  for (; p < end; p += 16)
    {
      __m128i bytes = _mm_loadu_si128 ((const __m128i *) p);
      guint found = _mm_movemask_epi8 (
          _mm_or_si128 (_mm_cmpeq_epi8 (bytes, quotes), _mm_cmpeq_epi8 (bytes, backslashes)));

      if (found != 0)
        return MIN (p + __builtin_ctz (found), end);
    }
  return end;
#else
  while (p < end && *p != '"' && *p != '\\')
    p++;
  return p;
#endif
}

/* Keeps the first bytes of a text; the rest is read past. */
static void
keep (SondeJsonScanner *scanner, const char *bytes, gsize n)
{
  gsize left = TEXT_KEPT - MIN (scanner->scratch->len, TEXT_KEPT);

  g_string_append_len (scanner->scratch, bytes, MIN (n, left));
}

static void
keep_character (SondeJsonScanner *scanner, gunichar character)
{
  char bytes[6];

  keep (scanner, bytes, g_unichar_to_utf8 (character, bytes));
}

static gboolean
take_byte (SondeJsonScanner *scanner, char *c)
{
  if (!has_byte (scanner))
    return fail (scanner);
  *c = *scanner->p++;
  return TRUE;
}

static gboolean
take_hex (SondeJsonScanner *scanner, gunichar *unit)
{
  *unit = 0;
  for (guint i = 0; i < 4; i++)
    {
      char c;

      if (!take_byte (scanner, &c))
        return FALSE;
      if (!g_ascii_isxdigit (c))
        return scanner->p--, fail (scanner);
      *unit = *unit * 16 + g_ascii_xdigit_value (c);
    }
  return TRUE;
}

static gboolean take_escape (SondeJsonScanner *scanner);

/* Behind \u. A high surrogate wants a low one behind it; what comes instead is read as itself. */
static gboolean
take_unicode (SondeJsonScanner *scanner)
{
  gunichar unit, low;
  char c;

  if (!take_hex (scanner, &unit))
    return FALSE;
  while (unit >= 0xd800 && unit < 0xdc00)
    {
      if (!has_byte (scanner))
        return fail (scanner);
      if (*scanner->p != '\\')
        break;
      scanner->p++;
      if (!has_byte (scanner))
        return fail (scanner);
      if (*scanner->p != 'u')
        {
          keep_character (scanner, 0xfffd);
          return take_escape (scanner);
        }
      if (!take_byte (scanner, &c) || !take_hex (scanner, &low))
        return FALSE;
      if (low >= 0xdc00 && low < 0xe000)
        {
          keep_character (scanner, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
          return TRUE;
        }
      keep_character (scanner, 0xfffd);
      unit = low;
    }
  keep_character (scanner, unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit);
  return TRUE;
}

/* Behind a backslash. */
static gboolean
take_escape (SondeJsonScanner *scanner)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *found;
  char c;

  if (!take_byte (scanner, &c))
    return FALSE;
  if (c == 'u')
    return take_unicode (scanner);
  found = c != 0 ? strchr (from, c) : NULL;
  if (found == NULL)
    return scanner->p--, fail (scanner);
  keep (scanner, &to[found - from], 1);
  return TRUE;
}

/* A text with an escape in it, or one that the buffer cuts: goes on behind @scratch. */
static gboolean
take_long_text (SondeJsonScanner *scanner, const char **bytes, gsize *n)
{
  g_string_truncate (scanner->scratch, 0);
  while (has_byte (scanner))
    {
      const char *special = find_special (scanner->p, scanner->end);

      keep (scanner, scanner->p, special - scanner->p);
      scanner->p = special;
      if (special == scanner->end)
        continue;
      scanner->p++;
      if (*special == '\\')
        {
          if (!take_escape (scanner))
            return FALSE;
          continue;
        }
      *bytes = scanner->scratch->str;
      *n = scanner->scratch->len;
      return TRUE;
    }
  return fail (scanner);
}

gboolean
sonde_json_scanner_take_text (SondeJsonScanner *scanner, const char **bytes, gsize *n)
{
  const char *special;

  if (!sonde_json_scanner_take (scanner, '"'))
    return FALSE;
  special = find_special (scanner->p, scanner->end);
  if (G_UNLIKELY (special == scanner->end || *special == '\\'))
    return take_long_text (scanner, bytes, n);
  *bytes = scanner->p;
  *n = MIN (special - scanner->p, TEXT_KEPT);
  scanner->p = special + 1;
  return TRUE;
}

gboolean
sonde_json_scanner_take_key (SondeJsonScanner *scanner, const char **bytes, gsize *n)
{
  if (!sonde_json_scanner_take_text (scanner, bytes, n))
    return FALSE;
  if (G_LIKELY (scanner->p < scanner->end && *scanner->p == ':'))
    {
      scanner->p++;
      return TRUE;
    }
  /* what comes may have to be read, and the key would not survive it */
  if (*bytes != scanner->scratch->str)
    {
      g_string_truncate (scanner->scratch, 0);
      g_string_append_len (scanner->scratch, *bytes, *n);
      *bytes = scanner->scratch->str;
    }
  return sonde_json_scanner_take (scanner, ':');
}

/* ---- numbers and words --------------------------------------------------- */

static gboolean
is_word_byte (char c)
{
  return g_ascii_isalnum (c) || c == '-' || c == '+' || c == '.';
}

/* A run of the bytes of which numbers and words are made, as it is written. */
static gboolean
take_run (SondeJsonScanner *scanner, const char **bytes, gsize *n)
{
  const char *p = scanner->p;

  while (p < scanner->end && is_word_byte (*p))
    p++;
  if (G_LIKELY (p < scanner->end))
    {
      *bytes = scanner->p;
      *n = p - scanner->p;
      scanner->p = p;
      return *n > 0;
    }
  g_string_truncate (scanner->scratch, 0);
  while (has_byte (scanner) && is_word_byte (*scanner->p))
    {
      if (scanner->scratch->len < NUMBER_MAX)
        g_string_append_c (scanner->scratch, *scanner->p);
      scanner->p++;
    }
  *bytes = scanner->scratch->str;
  *n = scanner->scratch->len;
  return *n > 0;
}

static gboolean
skip_digits (const char **p, const char *end)
{
  const char *first = *p;

  while (*p < end && g_ascii_isdigit (**p))
    (*p)++;
  return *p > first;
}

/* RFC 8259, section 6. */
static gboolean
is_number (const char *p, gsize n)
{
  const char *end = p + n;

  if (p < end && *p == '-')
    p++;
  if (p + 1 < end && *p == '0' && g_ascii_isdigit (p[1]))
    return FALSE;
  if (!skip_digits (&p, end))
    return FALSE;
  if (p < end && *p == '.' && (p++, !skip_digits (&p, end)))
    return FALSE;
  if (p < end && (*p == 'e' || *p == 'E'))
    {
      p++;
      if (p < end && (*p == '+' || *p == '-'))
        p++;
      if (!skip_digits (&p, end))
        return FALSE;
    }
  return p == end;
}

static gboolean
is_word (const char *bytes, gsize n, const char *word)
{
  return n == strlen (word) && memcmp (bytes, word, n) == 0;
}

static gboolean
get_word_kind (const char *bytes, gsize n, SondeJsonKind *kind)
{
  static const char *const numbers[]
      = { "NaN", "Infinity", "-Infinity", "nan", "-nan", "inf", "-inf" };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (is_word (bytes, n, numbers[i]))
      return *kind = SONDE_JSON_NUMBER, TRUE;
  *kind = is_word (bytes, n, "true")    ? SONDE_JSON_TRUE
          : is_word (bytes, n, "false") ? SONDE_JSON_FALSE
                                        : SONDE_JSON_NULL;
  return *kind != SONDE_JSON_NULL || is_word (bytes, n, "null");
}

static gboolean
take_plain (SondeJsonScanner *scanner, SondeJsonKind *kind, const char **bytes, gsize *n)
{
  guint64 offset = sonde_json_scanner_get_offset (scanner);

  if (!take_run (scanner, bytes, n))
    return fail (scanner);
  *kind = SONDE_JSON_NUMBER;
  if (G_LIKELY (is_number (*bytes, *n)) || get_word_kind (*bytes, *n, kind))
    return TRUE;
  /* the place is where the word began */
  scanner->p = scanner->buffer == NULL || offset < scanner->offset
                   ? scanner->p
                   : scanner->buffer + (offset - scanner->offset);
  return fail (scanner);
}

/* ---- whole values -------------------------------------------------------- */

static gboolean
skip_text (SondeJsonScanner *scanner)
{
  const char *bytes;
  gsize n;

  return sonde_json_scanner_take_text (scanner, &bytes, &n);
}

/* Opens what begins at an object or an array; any other value is skipped. */
static gboolean
enter (SondeJsonScanner *scanner, int c, gboolean *first)
{
  const char *bytes;
  gsize n;
  SondeJsonKind kind;
  guint8 closer = c == '{' ? '}' : ']';

  *first = c == '{' || c == '[';
  if (c == '"')
    return skip_text (scanner);
  if (!*first)
    return take_plain (scanner, &kind, &bytes, &n);
  scanner->p++;
  g_byte_array_append (scanner->closers, &closer, 1);
  return TRUE;
}

gboolean
sonde_json_scanner_skip (SondeJsonScanner *scanner)
{
  guint base = scanner->closers->len;
  gboolean first = FALSE;
  const char *bytes;
  gsize n;

  if (!enter (scanner, sonde_json_scanner_peek (scanner), &first))
    return FALSE;
  while (scanner->closers->len > base)
    {
      guint8 closer = scanner->closers->data[scanner->closers->len - 1];

      if (!sonde_json_scanner_next (scanner, closer, &first))
        {
          if (scanner->bad)
            break;
          g_byte_array_set_size (scanner->closers, scanner->closers->len - 1);
          continue;
        }
      if (closer == '}' && !sonde_json_scanner_take_key (scanner, &bytes, &n))
        break;
      if (!enter (scanner, sonde_json_scanner_peek (scanner), &first))
        break;
    }
  g_byte_array_set_size (scanner->closers, base);
  return !scanner->bad;
}

gboolean
sonde_json_scanner_take_value (SondeJsonScanner *scanner, SondeJsonKind *kind, const char **bytes,
                               gsize *n)
{
  int c = sonde_json_scanner_peek (scanner);

  switch (c)
    {
    case '"':
      *kind = SONDE_JSON_TEXT;
      return sonde_json_scanner_take_text (scanner, bytes, n);
    case '{':
    case '[':
      *kind = c == '{' ? SONDE_JSON_OBJECT : SONDE_JSON_ARRAY;
      *bytes = NULL;
      *n = 0;
      return sonde_json_scanner_skip (scanner);
    default:
      return take_plain (scanner, kind, bytes, n);
    }
}

/* ---- marks --------------------------------------------------------------- */

void
sonde_json_scanner_set_mark (SondeJsonScanner *scanner)
{
  scanner->mark = scanner->p;
}

void
sonde_json_scanner_drop_mark (SondeJsonScanner *scanner)
{
  scanner->mark = NULL;
}

const char *
sonde_json_scanner_get_mark (const SondeJsonScanner *scanner, gsize *n)
{
  *n = scanner->mark != NULL ? scanner->p - scanner->mark : 0;
  return scanner->mark;
}
