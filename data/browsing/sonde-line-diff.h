/* SPDX-License-Identifier: Apache-2.0
 * What differs between two texts: lines, and the words of lines that were changed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Elements [a, a + n_a) of the first sequence became [b, b + n_b) of the second; one of the numbers may be 0. Between
 * hunks both have the same elements. */
typedef struct
{
  guint a, n_a, b, n_b;
} SondeDiffHunk;

/**
 * sonde_diff_find:
 * @a, @b: elements by numbers; equal ones have the same
 *
 * The fewest elements that differ; where two long sequences have next to nothing in common, perhaps not the fewest.
 * Source: E. W. Myers, "An O(ND) difference algorithm and its variations", 1986, in linear space.
 * Returns: (transfer full) (element-type SondeDiffHunk): ascending
 */
GArray *sonde_diff_find (const guint *a, guint n_a, const guint *b, guint n_b);

#define SONDE_LINE_DIFF_MAX_LINES 20000      /* of a text that are compared */
#define SONDE_LINE_DIFF_MAX_BYTES (4u << 20) /* the same */

typedef struct _SondeLineDiff SondeLineDiff;

/* Any bytes; what is no UTF-8 is replaced by U+FFFD. (transfer full) */
SondeLineDiff *sonde_line_diff_new (const char *first, const char *second);
void sonde_line_diff_free (SondeLineDiff *diff); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLineDiff, sonde_line_diff_free)

/* @side: 0 the first, 1 the second. The line breaks are not part of lines. */
guint sonde_line_diff_get_n_lines (const SondeLineDiff *diff, guint side);
const char *sonde_line_diff_get_line (const SondeLineDiff *diff, guint side, guint line);
/* (element-type SondeDiffHunk) (transfer none): of lines */
const GArray *sonde_line_diff_get_hunks (const SondeLineDiff *diff);
/* Lines of that text that were taken away and put in. */
void sonde_line_diff_count (const SondeLineDiff *diff, guint *n_removed, guint *n_added);
/* One of the texts is longer than what is compared. */
gboolean sonde_line_diff_is_cut (const SondeLineDiff *diff);

/* As `diff -u` writes it, with three lines around each change; "" where nothing differs. (transfer full) */
char *sonde_line_diff_format (const SondeLineDiff *diff, const char *first_name,
                              const char *second_name);

/**
 * sonde_diff_find_words:
 *
 * The words, spaces and signs of two lines that differ, as byte ranges: @a, @n_a in @first, @b, @n_b in @second.
 * Returns: (transfer full) (element-type SondeDiffHunk)
 */
GArray *sonde_diff_find_words (const char *first, const char *second);

G_END_DECLS
