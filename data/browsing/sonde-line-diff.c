/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-line-diff.h"

#include <string.h>

#define MIN_COST                                                                                   \
  256             /* edits of a stretch that are tried before a good place is taken for the best */
#define CONTEXT 3 /* equal lines around a change */
#define MAX_WORDS 4000 /* of a line */

/* ---- sequences of numbers ------------------------------------------------ */

/* @forward, @backward: by diagonal, the farthest place in @a that so many edits reach from either end */
typedef struct
{
  const guint *a, *b;
  gboolean *changed_a, *changed_b;
  int *forward, *backward;
  int max_cost;
} Search;

/* Elements [a0, a1) of the first against [b0, b1) of the second. */
typedef struct
{
  int a0, a1, b0, b1;
} Stretch;

/* The diagonals that are looked at: every second one of [low, high]. */
typedef struct
{
  int low, high;
} Diagonals;

/* One more edit, within the diagonals that the stretch has. */
static void
widen (Diagonals *d, const Stretch *s, int *reach, int nowhere)
{
  if (d->low > s->a0 - s->b1)
    reach[--d->low - 1] = nowhere;
  else
    d->low++;
  if (d->high < s->a1 - s->b0)
    reach[++d->high + 1] = nowhere;
  else
    d->high--;
}

/* TRUE: met the other one at (*x, *y). */
static gboolean
extend_forward (Search *search, const Stretch *s, const Diagonals *own, const Diagonals *other,
                gboolean may_meet, int *x, int *y)
{
  int *reach = search->forward;

  for (int d = own->high; d >= own->low; d -= 2)
    {
      *x = reach[d - 1] >= reach[d + 1] ? reach[d - 1] + 1 : reach[d + 1];
      *y = *x - d;
      while (*x < s->a1 && *y < s->b1 && search->a[*x] == search->b[*y])
        ++*x, ++*y;
      reach[d] = *x;
      if (may_meet && d >= other->low && d <= other->high && search->backward[d] <= *x)
        return TRUE;
    }
  return FALSE;
}

static gboolean
extend_backward (Search *search, const Stretch *s, const Diagonals *own, const Diagonals *other,
                 gboolean may_meet, int *x, int *y)
{
  int *reach = search->backward;

  for (int d = own->high; d >= own->low; d -= 2)
    {
      *x = reach[d - 1] < reach[d + 1] ? reach[d - 1] : reach[d + 1] - 1;
      *y = *x - d;
      while (*x > s->a0 && *y > s->b0 && search->a[*x - 1] == search->b[*y - 1])
        --*x, --*y;
      reach[d] = *x;
      if (may_meet && d >= other->low && d <= other->high && *x <= search->forward[d])
        return TRUE;
    }
  return FALSE;
}

/* Too many edits to go on: the place that is the farthest from the beginning. */
static void
take_farthest (const Search *search, const Stretch *s, const Diagonals *own, int *x, int *y)
{
  int best = -1;

  for (int d = own->low; d <= own->high; d += 2)
    {
      int at = MIN (search->forward[d], s->a1), beside = at - d;

      if (beside > s->b1)
        {
          beside = s->b1;
          at = beside + d;
        }
      if (at + beside <= best || at < s->a0 || beside < s->b0)
        continue;
      best = at + beside;
      *x = at;
      *y = beside;
    }
}

/* A place that a shortest way from end to end goes through. Both stretches have elements, and differ at both ends. */
static void
find_middle (Search *search, const Stretch *s, int *x, int *y)
{
  const int first = s->a0 - s->b0, last = s->a1 - s->b1;
  const gboolean is_odd = (first - last) & 1;
  Diagonals forward = { first, first }, backward = { last, last };

  search->forward[first] = s->a0;
  search->backward[last] = s->a1;
  for (int cost = 1;; cost++)
    {
      widen (&forward, s, search->forward, -1);
      if (extend_forward (search, s, &forward, &backward, is_odd, x, y))
        return;
      widen (&backward, s, search->backward, G_MAXINT);
      if (extend_backward (search, s, &backward, &forward, !is_odd, x, y))
        return;
      if (cost >= search->max_cost)
        {
          take_farthest (search, s, &forward, x, y);
          return;
        }
    }
}

static void
compare (Search *search, Stretch s)
{
  int x = 0, y = 0;

  while (s.a0 < s.a1 && s.b0 < s.b1 && search->a[s.a0] == search->b[s.b0])
    s.a0++, s.b0++;
  while (s.a0 < s.a1 && s.b0 < s.b1 && search->a[s.a1 - 1] == search->b[s.b1 - 1])
    s.a1--, s.b1--;
  if (s.a0 == s.a1 || s.b0 == s.b1)
    {
      for (int i = s.a0; i < s.a1; i++)
        search->changed_a[i] = TRUE;
      for (int i = s.b0; i < s.b1; i++)
        search->changed_b[i] = TRUE;
      return;
    }
  find_middle (search, &s, &x, &y);
  compare (search, (Stretch){ s.a0, x, s.b0, y });
  compare (search, (Stretch){ x, s.a1, y, s.b1 });
}

static GArray *
list_hunks (const Search *search, guint n_a, guint n_b)
{
  GArray *hunks = g_array_new (FALSE, FALSE, sizeof (SondeDiffHunk));
  guint a = 0, b = 0;

  while (a < n_a || b < n_b)
    {
      SondeDiffHunk hunk = { .a = a, .b = b };

      while (a < n_a && search->changed_a[a])
        a++;
      while (b < n_b && search->changed_b[b])
        b++;
      hunk.n_a = a - hunk.a;
      hunk.n_b = b - hunk.b;
      if (hunk.n_a + hunk.n_b > 0)
        g_array_append_val (hunks, hunk);
      else
        a++, b++;
    }
  return hunks;
}

GArray *
sonde_diff_find (const guint *a, guint n_a, const guint *b, guint n_b)
{
  const gsize n_diagonals = (gsize) n_a + n_b + 3; /* one more at either end */
  g_autofree gboolean *changed_a = g_new0 (gboolean, n_a + 1),
                      *changed_b = g_new0 (gboolean, n_b + 1);
  g_autofree int *forward = g_new (int, n_diagonals), *backward = g_new (int, n_diagonals);
  Search search = { a, b, changed_a, changed_b, forward + n_b + 1, backward + n_b + 1, MIN_COST };

  while ((gsize) search.max_cost * (gsize) search.max_cost < n_diagonals)
    search.max_cost *= 2;
  compare (&search, (Stretch){ 0, (int) n_a, 0, (int) n_b });
  return list_hunks (&search, n_a, n_b);
}

/* ---- words --------------------------------------------------------------- */

/* The same number for the same bytes. @numbers: of char * to numbers from 1 */
static guint
number_of (GHashTable *numbers, const char *text, gsize length)
{
  g_autofree char *word = g_strndup (text, length);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, word));

  if (number != 0)
    return number;
  number = g_hash_table_size (numbers) + 1;
  g_hash_table_insert (numbers, g_steal_pointer (&word), GUINT_TO_POINTER (number));
  return number;
}

/* Letters and digits together, spaces together, every other sign alone. */
static const char *
end_of_word (const char *text)
{
  gunichar c = g_utf8_get_char (text);
  const char *end = g_utf8_next_char (text);

  if (g_unichar_isspace (c))
    while (*end != '\0' && g_unichar_isspace (g_utf8_get_char (end)))
      end = g_utf8_next_char (end);
  else if (g_unichar_isalnum (c) && !g_unichar_iswide (c))
    while (*end != '\0' && g_unichar_isalnum (g_utf8_get_char (end)))
      end = g_utf8_next_char (end);
  return end;
}

/* @starts: where each begins, and the end of the last. The rest of a line of very many words is one. */
static void
split_words (const char *line, GHashTable *numbers, GArray *ids, GArray *starts)
{
  const char *at = line;

  for (guint start = 0;;)
    {
      const char *end;
      guint id;

      g_array_append_val (starts, start);
      if (*at == '\0')
        return;
      end = ids->len < MAX_WORDS ? end_of_word (at) : at + strlen (at);
      id = number_of (numbers, at, (gsize) (end - at));
      g_array_append_val (ids, id);
      at = end;
      start = (guint) (end - line);
    }
}

static void
to_bytes (const GArray *starts, guint *first, guint *n)
{
  guint from = g_array_index (starts, guint, *first);

  *n = g_array_index (starts, guint, *first + *n) - from;
  *first = from;
}

GArray *
sonde_diff_find_words (const char *first, const char *second)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const char *lines[2] = { first, second };
  GArray *ids[2], *starts[2], *hunks;

  for (int i = 0; i < 2; i++)
    {
      ids[i] = g_array_new (FALSE, FALSE, sizeof (guint));
      starts[i] = g_array_new (FALSE, FALSE, sizeof (guint));
      split_words (lines[i], numbers, ids[i], starts[i]);
    }
  hunks = sonde_diff_find ((const guint *) (const void *) ids[0]->data, ids[0]->len,
                           (const guint *) (const void *) ids[1]->data, ids[1]->len);
  for (guint i = 0; i < hunks->len; i++)
    {
      SondeDiffHunk *hunk = &g_array_index (hunks, SondeDiffHunk, i);

      to_bytes (starts[0], &hunk->a, &hunk->n_a);
      to_bytes (starts[1], &hunk->b, &hunk->n_b);
    }
  for (int i = 0; i < 2; i++)
    {
      g_array_unref (ids[i]);
      g_array_unref (starts[i]);
    }
  return hunks;
}

/* ---- lines --------------------------------------------------------------- */

struct _SondeLineDiff
{
  GPtrArray *lines[2]; /* char */
  GArray *hunks;
  gboolean is_cut;
};

/* @ids: a number a line */
static void
split_lines (SondeLineDiff *diff, guint side, const char *text, GHashTable *numbers, GArray *ids)
{
  const gsize length = strlen (text);
  g_autofree char *valid
      = g_utf8_make_valid (text, (gssize) MIN (length, SONDE_LINE_DIFF_MAX_BYTES));
  char *at = valid;

  diff->is_cut |= length > SONDE_LINE_DIFF_MAX_BYTES;
  while (*at != '\0')
    {
      gsize n = strcspn (at, "\n");
      guint id;

      if (ids->len == SONDE_LINE_DIFF_MAX_LINES)
        {
          diff->is_cut = TRUE;
          return;
        }
      id = number_of (numbers, at, n);
      g_array_append_val (ids, id);
      g_ptr_array_add (diff->lines[side], g_strndup (at, n));
      at += n + (at[n] != '\0');
    }
}

SondeLineDiff *
sonde_line_diff_new (const char *first, const char *second)
{
  SondeLineDiff *diff = g_new0 (SondeLineDiff, 1);
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const char *texts[2] = { first, second };
  GArray *ids[2];

  for (guint i = 0; i < 2; i++)
    {
      diff->lines[i] = g_ptr_array_new_with_free_func (g_free);
      ids[i] = g_array_new (FALSE, FALSE, sizeof (guint));
      split_lines (diff, i, texts[i], numbers, ids[i]);
    }
  diff->hunks = sonde_diff_find ((const guint *) (const void *) ids[0]->data, ids[0]->len,
                                 (const guint *) (const void *) ids[1]->data, ids[1]->len);
  g_array_unref (ids[0]);
  g_array_unref (ids[1]);
  return diff;
}

void
sonde_line_diff_free (SondeLineDiff *diff)
{
  if (diff == NULL)
    return;
  g_ptr_array_unref (diff->lines[0]);
  g_ptr_array_unref (diff->lines[1]);
  g_array_unref (diff->hunks);
  g_free (diff);
}

guint
sonde_line_diff_get_n_lines (const SondeLineDiff *diff, guint side)
{
  return diff->lines[side]->len;
}

const char *
sonde_line_diff_get_line (const SondeLineDiff *diff, guint side, guint line)
{
  return diff->lines[side]->pdata[line];
}

const GArray *
sonde_line_diff_get_hunks (const SondeLineDiff *diff)
{
  return diff->hunks;
}

void
sonde_line_diff_count (const SondeLineDiff *diff, guint *n_removed, guint *n_added)
{
  *n_removed = *n_added = 0;
  for (guint i = 0; i < diff->hunks->len; i++)
    {
      *n_removed += g_array_index (diff->hunks, SondeDiffHunk, i).n_a;
      *n_added += g_array_index (diff->hunks, SondeDiffHunk, i).n_b;
    }
}

gboolean
sonde_line_diff_is_cut (const SondeLineDiff *diff)
{
  return diff->is_cut;
}

/* ---- as diff -u ---------------------------------------------------------- */

static void
append_lines (GString *text, const SondeLineDiff *diff, guint side, char mark, guint from, guint to)
{
  for (guint i = from; i < to; i++)
    g_string_append_printf (text, "%c%s\n", mark, sonde_line_diff_get_line (diff, side, i));
}

/* Line numbers begin at 1; of no lines the one before them is named. */
static void
append_range (GString *text, char mark, guint first, guint n)
{
  if (n == 1)
    g_string_append_printf (text, "%c%u", mark, first + 1);
  else
    g_string_append_printf (text, "%c%u,%u", mark, n > 0 ? first + 1 : first, n);
}

/* Hunks [from, to), which are near each other, with the lines around them. */
static void
append_group (GString *text, const SondeLineDiff *diff, guint from, guint to)
{
  const SondeDiffHunk *hunks = (const SondeDiffHunk *) (const void *) diff->hunks->data;
  const SondeDiffHunk *last = &hunks[to - 1];
  const guint before = MIN (CONTEXT, hunks[from].a),
              after = MIN (CONTEXT, diff->lines[0]->len - last->a - last->n_a);
  guint at = hunks[from].a - before;

  g_string_append (text, "@@ ");
  append_range (text, '-', at, last->a + last->n_a + after - at);
  g_string_append_c (text, ' ');
  append_range (text, '+', hunks[from].b - before,
                last->b + last->n_b + after - (hunks[from].b - before));
  g_string_append (text, " @@\n");
  for (guint i = from; i < to; i++)
    {
      append_lines (text, diff, 0, ' ', at, hunks[i].a);
      append_lines (text, diff, 0, '-', hunks[i].a, hunks[i].a + hunks[i].n_a);
      append_lines (text, diff, 1, '+', hunks[i].b, hunks[i].b + hunks[i].n_b);
      at = hunks[i].a + hunks[i].n_a;
    }
  append_lines (text, diff, 0, ' ', at, at + after);
}

char *
sonde_line_diff_format (const SondeLineDiff *diff, const char *first_name, const char *second_name)
{
  const SondeDiffHunk *hunks = (const SondeDiffHunk *) (const void *) diff->hunks->data;
  GString *text = g_string_new (NULL);

  if (diff->hunks->len > 0)
    g_string_append_printf (text, "--- %s\n+++ %s\n", first_name, second_name);
  for (guint from = 0, to; from < diff->hunks->len; from = to)
    {
      for (to = from + 1; to < diff->hunks->len
                          && hunks[to].a - hunks[to - 1].a - hunks[to - 1].n_a <= 2 * CONTEXT;)
        to++;
      append_group (text, diff, from, to);
    }
  return g_string_free (text, FALSE);
}
