/* SPDX-License-Identifier: Apache-2.0
 * Reads equations such as "...ij,jk->...ik". */
#include "engine/ops/math/sonde-einsum-private.h"

#include <string.h>

/* A term as written: letters, and where "..." stands among them (-1: nowhere). */
typedef struct
{
  int n, ellipsis;
  guint8 letters[SONDE_MAX_RANK];
} WrittenTerm;

static gboolean
read_written (WrittenTerm *term, const char *text, GError **error)
{
  *term = (WrittenTerm){ .ellipsis = -1 };
  for (const char *at = text; *at != '\0'; at++)
    {
      if (g_str_has_prefix (at, "...") && term->ellipsis < 0)
        {
          term->ellipsis = term->n;
          at += 2;
          continue;
        }
      if (!g_ascii_isalpha (*at))
        return sonde_infer_fail (
            error, "the equation has “%s”, but terms are letters and one “...”", text);
      if (term->n == SONDE_MAX_RANK)
        return sonde_infer_fail (error, "the term “%s” has more than %d dimensions", text,
                                 SONDE_MAX_RANK);
      term->letters[term->n++] = (guint8) (g_ascii_isupper (*at) ? *at - 'A' : *at - 'a' + 26);
    }
  return TRUE;
}

/* @dots: how many dimensions "..." stands for */
static gboolean
resolve (const WrittenTerm *written, int dots, SondeEinsumTerm *term, GError **error)
{
  term->n = 0;
  if (written->n + dots > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "a term has more than %d dimensions", SONDE_MAX_RANK);
  for (int k = 0; k <= written->n; k++)
    {
      for (int j = 0; k == written->ellipsis && j < dots; j++)
        term->labels[term->n++] = (guint8) (SONDE_EINSUM_LABELS - dots + j);
      if (k < written->n)
        term->labels[term->n++] = written->letters[k];
    }
  return TRUE;
}

/* @most: (inout): the largest number of dimensions behind "..." so far */
static gboolean
read_term (const char *text, int rank, SondeEinsumTerm *term, int *most, GError **error)
{
  WrittenTerm written;
  int dots;

  if (!read_written (&written, text, error))
    return FALSE;
  dots = written.ellipsis >= 0 ? rank - written.n : 0;
  if (dots < 0 || written.n + dots != rank)
    return sonde_infer_fail (error, "the term “%s” is for an operand of %d dimensions, but gets %d",
                             text, written.n, rank);
  *most = MAX (*most, dots);
  return resolve (&written, dots, term, error);
}

static void
count_labels (const SondeEinsum *einsum, guint *counts)
{
  for (guint k = 0; k < einsum->n; k++)
    for (int d = 0; d < einsum->terms[k].n; d++)
      counts[einsum->terms[k].labels[d]]++;
}

static gboolean
read_output (SondeEinsum *einsum, const char *text, int dots, GError **error)
{
  guint counts[SONDE_EINSUM_LABELS] = { 0 };
  gboolean seen[SONDE_EINSUM_LABELS] = { FALSE };
  WrittenTerm written;

  count_labels (einsum, counts);
  if (!read_written (&written, text, error)
      || !resolve (&written, written.ellipsis >= 0 ? dots : 0, &einsum->output, error))
    return FALSE;
  for (int d = 0; d < einsum->output.n; d++)
    {
      guint8 label = einsum->output.labels[d];

      if (seen[label])
        return sonde_infer_fail (error, "the result “%s” has a letter twice", text);
      if (counts[label] == 0)
        return sonde_infer_fail (error, "the result “%s” has a letter that no operand has", text);
      seen[label] = TRUE;
    }
  return TRUE;
}

/* Without "->": the dimensions of "...", then the letters that occur once, sorted. */
static gboolean
make_output (SondeEinsum *einsum, int dots, GError **error)
{
  guint counts[SONDE_EINSUM_LABELS] = { 0 };

  count_labels (einsum, counts);
  einsum->output.n = 0;
  for (int j = 0; j < dots; j++)
    einsum->output.labels[einsum->output.n++] = (guint8) (SONDE_EINSUM_LABELS - dots + j);
  for (guint8 label = 0; label < SONDE_EINSUM_LETTERS; label++)
    {
      if (counts[label] != 1)
        continue;
      if (einsum->output.n == SONDE_MAX_RANK)
        return sonde_infer_fail (error, "the result has more than %d dimensions", SONDE_MAX_RANK);
      einsum->output.labels[einsum->output.n++] = label;
    }
  return TRUE;
}

static char *
without_spaces (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);

  return g_strjoinv ("", words);
}

gboolean
sonde_einsum_read (SondeEinsum *einsum, const char *equation, const int *ranks, guint n,
                   GError **error)
{
  g_autofree char *text = without_spaces (equation);
  char *arrow = strstr (text, "->");
  g_auto (GStrv) terms = NULL;
  int dots = 0;

  if (arrow != NULL)
    *arrow = '\0';
  terms = *text != '\0' ? g_strsplit (text, ",", -1) : g_strsplit (",", ",", 2);
  if (*text != '\0' ? g_strv_length (terms) != n : n != 1)
    return sonde_infer_fail (
        error, "the equation “%s” does not have one term for each of the %u operands", equation, n);
  *einsum = (SondeEinsum){ .n = n, .terms = g_new0 (SondeEinsumTerm, n) };
  for (guint k = 0; k < n; k++)
    if (!read_term (terms[k], ranks[k], &einsum->terms[k], &dots, error))
      return FALSE;
  return arrow != NULL ? read_output (einsum, arrow + 2, dots, error)
                       : make_output (einsum, dots, error);
}

void
sonde_einsum_clear (SondeEinsum *einsum)
{
  g_clear_pointer (&einsum->terms, g_free);
}
