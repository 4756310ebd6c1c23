/* SPDX-License-Identifier: Apache-2.0
 * Which samples of a list are shown, and in which order. */
#pragma once

#include "explain/browsing/sonde-explain-item.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_EXPLAIN_ORDER_CATEGORY, /* in the order of the categories, the most confident first */
  SONDE_EXPLAIN_ORDER_CONFIDENT,
  SONDE_EXPLAIN_ORDER_LABEL,  /* least probability of the label first */
  SONDE_EXPLAIN_ORDER_MARGIN, /* smallest first */
  SONDE_EXPLAIN_ORDER_NAME,
  SONDE_N_EXPLAIN_ORDERS
} SondeExplainOrder;

/* @category: SONDE_N_CATEGORIES: any; @folded: (nullable): text in folded case that the name, the name of
 * a class, or the evidence must contain */
gboolean sonde_explain_item_matches (SondeExplainItem *item, SondeErrorCategory category,
                                     const char *folded);
/* @items: (element-type SondeExplainItem). Of equals the more confident first, then by name; what is
 * not known (NaN) last. */
void sonde_explain_items_sort (GPtrArray *items, SondeExplainOrder order);

G_END_DECLS
