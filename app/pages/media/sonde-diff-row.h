/* SPDX-License-Identifier: Apache-2.0
 * A row of two texts that are compared: a line of either, of both, or how many equal lines are left out. */
#pragma once

#include <gio/gio.h>

#include "data/browsing/sonde-line-diff.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_DIFF_ROW_SAME,
  SONDE_DIFF_ROW_REMOVED, /* of the first text */
  SONDE_DIFF_ROW_ADDED,   /* of the second text */
  SONDE_DIFF_ROW_CHANGED, /* side by side: either may be missing */
  SONDE_DIFF_ROW_FOLDED,
} SondeDiffRowKind;

#define SONDE_TYPE_DIFF_ROW (sonde_diff_row_get_type ())
G_DECLARE_FINAL_TYPE (SondeDiffRow, sonde_diff_row, SONDE, DIFF_ROW, GObject)

/**
 * SondeDiffRow: to be read
 * @lines: of the first and the second text; -1: none. Of a line that was removed or added the other is the one that it
 *   is compared with word by word
 * @change: number of the hunk, from 1; 0: of no change
 * @n_folded: equal lines that are left out
 */
struct _SondeDiffRow
{
  GObject parent_instance;
  SondeDiffRowKind kind;
  int lines[2];
  guint change, n_folded;
};

/* @beside: changed lines stand side by side, else removed ones above added ones. (transfer full) (element-type
 * SondeDiffRow) */
GListStore *sonde_diff_rows_new (const SondeLineDiff *diff, gboolean beside);

G_END_DECLS
