/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-diff-row.h"

#define CONTEXT 3 /* equal lines that are shown around a change */

G_DEFINE_FINAL_TYPE (SondeDiffRow, sonde_diff_row, G_TYPE_OBJECT)

static void
sonde_diff_row_class_init (SondeDiffRowClass *klass)
{
}

static void
sonde_diff_row_init (SondeDiffRow *row)
{
}

static SondeDiffRow *
add_row (GPtrArray *rows, SondeDiffRowKind kind, int a, int b, guint change)
{
  SondeDiffRow *row = g_object_new (SONDE_TYPE_DIFF_ROW, NULL);

  row->kind = kind;
  row->lines[0] = a;
  row->lines[1] = b;
  row->change = change;
  g_ptr_array_add (rows, row);
  return row;
}

/* @n equal lines from @a and @b on; those far from a change as one row. */
static void
add_same (GPtrArray *rows, guint a, guint b, guint n, gboolean is_first, gboolean is_last)
{
  const guint before = is_first ? 0 : CONTEXT, after = is_last ? 0 : CONTEXT;

  for (guint i = 0; i < n; i++)
    if (n > before + after + 1 && i == before)
      {
        SondeDiffRow *row = add_row (rows, SONDE_DIFF_ROW_FOLDED, (int) (a + i), (int) (b + i), 0);

        row->n_folded = n - before - after;
        i += row->n_folded - 1;
      }
    else
      add_row (rows, SONDE_DIFF_ROW_SAME, (int) (a + i), (int) (b + i), 0);
}

static int
line_or_none (guint first, guint i, guint n)
{
  return i < n ? (int) (first + i) : -1;
}

static void
add_hunk (GPtrArray *rows, const SondeDiffHunk *hunk, guint change, gboolean beside)
{
  if (beside)
    {
      for (guint i = 0; i < MAX (hunk->n_a, hunk->n_b); i++)
        add_row (rows, SONDE_DIFF_ROW_CHANGED, line_or_none (hunk->a, i, hunk->n_a),
                 line_or_none (hunk->b, i, hunk->n_b), change);
      return;
    }
  for (guint i = 0; i < hunk->n_a; i++)
    add_row (rows, SONDE_DIFF_ROW_REMOVED, (int) (hunk->a + i),
             line_or_none (hunk->b, i, hunk->n_b), change);
  for (guint i = 0; i < hunk->n_b; i++)
    add_row (rows, SONDE_DIFF_ROW_ADDED, line_or_none (hunk->a, i, hunk->n_a), (int) (hunk->b + i),
             change);
}

GListStore *
sonde_diff_rows_new (const SondeLineDiff *diff, gboolean beside)
{
  const GArray *hunks = sonde_line_diff_get_hunks (diff);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  GListStore *store = g_list_store_new (SONDE_TYPE_DIFF_ROW);
  guint a = 0, b = 0;

  for (guint i = 0; i < hunks->len; i++)
    {
      const SondeDiffHunk *hunk = &g_array_index (hunks, SondeDiffHunk, i);

      add_same (rows, a, b, hunk->a - a, i == 0, FALSE);
      add_hunk (rows, hunk, i + 1, beside);
      a = hunk->a + hunk->n_a;
      b = hunk->b + hunk->n_b;
    }
  add_same (rows, a, b, sonde_line_diff_get_n_lines (diff, 0) - a, hunks->len == 0, TRUE);
  g_list_store_splice (store, 0, 0, rows->pdata, rows->len);
  return store;
}
