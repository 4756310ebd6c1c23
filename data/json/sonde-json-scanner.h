/* SPDX-License-Identifier: Apache-2.0
 * JSON as it streams by, for files that are larger than memory should be: no tree, no recursion, no
 * number that is not asked for. A program goes through the tokens itself and skips what it does not
 * want. Beyond the standard it takes what profilers write: more commas than needed, raw control
 * characters in texts, NaN and Infinity.
 *
 * A call that meets bytes that are no JSON, or the end of the file in the middle, returns FALSE (or
 * SONDE_JSON_SCANNER_BAD) and so do all calls after it; sonde_json_scanner_get_offset() is then the
 * place. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

/* What sonde_json_scanner_peek() returns when the bytes have ended. */
#define SONDE_JSON_SCANNER_END (-1)
#define SONDE_JSON_SCANNER_BAD (-2)

typedef struct _SondeJsonScanner SondeJsonScanner;

/* @io, @fd, @name: as for sonde_io_pread_full(); must outlive the scanner. */
SondeJsonScanner *sonde_json_scanner_new (const SondeIo *io, int fd, const char *name);
/* Of bytes that a scanner has lent, see sonde_json_scanner_get_mark(). */
SondeJsonScanner *sonde_json_scanner_new_for_bytes (const char *bytes, gsize n);
void sonde_json_scanner_free (SondeJsonScanner *scanner); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeJsonScanner, sonde_json_scanner_free)

/* The same scanner for other bytes. */
void sonde_json_scanner_set_bytes (SondeJsonScanner *scanner, const char *bytes, gsize n);

/* Where the next byte stands in the file. */
guint64 sonde_json_scanner_get_offset (const SondeJsonScanner *scanner);

/* The reading itself failed: (transfer full) (nullable), an error of data/. */
GError *sonde_json_scanner_steal_error (SondeJsonScanner *scanner);

/* A byte order mark at the beginning. */
void sonde_json_scanner_skip_mark (SondeJsonScanner *scanner);

/* Skips spaces; the next byte, which stays. */
int sonde_json_scanner_peek (SondeJsonScanner *scanner);

/* Skips spaces and one byte, which must be @c. */
gboolean sonde_json_scanner_take (SondeJsonScanner *scanner, char c);

/**
 * sonde_json_scanner_next:
 * @close: ']' or '}'
 * @first: (inout): TRUE before the first element
 *
 * Skips commas before an element. Returns FALSE when @close was taken or on an error: see
 * sonde_json_scanner_is_bad().
 */
gboolean sonde_json_scanner_next (SondeJsonScanner *scanner, char close, gboolean *first);

gboolean sonde_json_scanner_is_bad (const SondeJsonScanner *scanner);

/* Whether nothing but spaces is left; also where the bytes ended too early. */
gboolean sonde_json_scanner_is_at_end (SondeJsonScanner *scanner);

/**
 * sonde_json_scanner_take_text:
 * @bytes: (out): the text without escapes; valid until the next call. What is no UTF-8 stays as it
 *   is, a lone surrogate becomes U+FFFD. Of a text longer than a MiB the first bytes, more than a MiB.
 */
gboolean sonde_json_scanner_take_text (SondeJsonScanner *scanner, const char **bytes, gsize *n);

/* A key and its colon. */
gboolean sonde_json_scanner_take_key (SondeJsonScanner *scanner, const char **bytes, gsize *n);

typedef enum
{
  SONDE_JSON_TEXT,
  SONDE_JSON_NUMBER, /* also NaN and Infinity */
  SONDE_JSON_TRUE,
  SONDE_JSON_FALSE,
  SONDE_JSON_NULL,
  SONDE_JSON_OBJECT,
  SONDE_JSON_ARRAY,
} SondeJsonKind;

/**
 * sonde_json_scanner_take_value:
 * @bytes, @n: (out): of a text as sonde_json_scanner_take_text(), of a number as it is written
 *
 * Any value; objects and arrays are skipped.
 */
gboolean sonde_json_scanner_take_value (SondeJsonScanner *scanner, SondeJsonKind *kind,
                                        const char **bytes, gsize *n);

/* Any value, of any depth. */
gboolean sonde_json_scanner_skip (SondeJsonScanner *scanner);

/* From here on bytes are kept, up to a few MiB, until the mark is set anew or dropped. */
void sonde_json_scanner_set_mark (SondeJsonScanner *scanner);
void sonde_json_scanner_drop_mark (SondeJsonScanner *scanner);
/* The bytes from the mark on; NULL when there were too many. Valid until bytes are read again. */
const char *sonde_json_scanner_get_mark (const SondeJsonScanner *scanner, gsize *n);

G_END_DECLS
