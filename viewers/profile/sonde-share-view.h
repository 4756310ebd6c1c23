/* SPDX-License-Identifier: Apache-2.0
 * How a time divides into parts: a bar of them and below a line each, or lines with a bar of their own. */
#pragma once

#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SHARE_VIEW (sonde_share_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeShareView, sonde_share_view, SONDE, SHARE_VIEW, SondeView)

/* The selection is a part (its index); arrow keys choose it. Signal: "activated" (guint i): Enter or a
 * click on a part. */

/* @ns: NaN where only the share is known; @is_rest: what is left over, in grey */
typedef struct
{
  const char *name;
  double ns, share;
  guint color;
  gboolean is_rest;
} SondeShare;

/**
 * sonde_share_view_new:
 * @title: of the chart
 * @total: (nullable): name of the line of the sum. NULL: the parts are no parts of one whole, and each
 *   line has a bar of its own
 */
GtkWidget *sonde_share_view_new (const char *title, const char *total);

/* @shares: (array length=n): copied; @total_ns: what they sum to */
void sonde_share_view_set (SondeShareView *view, const SondeShare *shares, guint n,
                           double total_ns);

G_END_DECLS
