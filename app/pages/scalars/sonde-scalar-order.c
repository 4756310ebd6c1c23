/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/scalars/sonde-scalar-order.h"

#include "data/base/sonde-text.h"
#include "data/browsing/sonde-tag-names.h"

typedef struct
{
  SondeScalarOrder *order;
  SondeChartBoard *board;
  const char *filter;
} Filling;

/* Each card once: what comes first has it. */
static gboolean
append (Filling *filling, const char *card, const char *section)
{
  SondeScalarOrder *order = filling->order;

  if (g_hash_table_contains (order->sections, card) || !sonde_tag_matches (card, filling->filter))
    return FALSE;
  g_ptr_array_add (order->cards, g_strdup (card));
  g_hash_table_insert (order->sections, order->cards->pdata[order->cards->len - 1],
                       g_strdup (section));
  return TRUE;
}

static gboolean
is_known (GPtrArray *tags, SondeChartBoard *board, SondeChartPlans *plans, const char *card)
{
  return g_ptr_array_find_with_equal_func (tags, card, g_str_equal, NULL)
         || g_ptr_array_find_with_equal_func (sonde_chart_board_get_added (board), card,
                                              g_str_equal, NULL)
         || (plans != NULL
             && g_ptr_array_find_with_equal_func (sonde_chart_plans_get_names (plans), card,
                                                  g_str_equal, NULL));
}

static gboolean
append_pinned (Filling *filling, GPtrArray *tags, SondeChartPlans *plans)
{
  GPtrArray *pinned = sonde_chart_board_get_pinned (filling->board);
  gboolean any = FALSE;

  for (guint i = 0; i < pinned->len; i++)
    if (is_known (tags, filling->board, plans, pinned->pdata[i]))
      any |= append (filling, pinned->pdata[i], _ ("Pinned"));
  return any;
}

/* The names of a layout are "Category: title". */
static void
append_planned (Filling *filling, SondeChartPlans *plans)
{
  GPtrArray *names = sonde_chart_plans_get_names (plans);

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i], *colon = strstr (name, ": ");
      g_autofree char *category
          = colon != NULL ? g_strndup (name, (gsize) (colon - name)) : g_strdup (_ ("Layout"));

      filling->order->n_planned += append (filling, name, category);
    }
}

/* Tags without a slash, or those with one, sorted by what stands before it. */
static void
append_tags (Filling *filling, GPtrArray *tags, SondeChartPlans *plans, gboolean with_prefix)
{
  for (guint i = 0; i < tags->len; i++)
    {
      const char *tag = tags->pdata[i], *slash = strchr (tag, '/');
      g_autofree char *prefix
          = slash != NULL ? g_strndup (tag, (gsize) (slash - tag)) : g_strdup (_ ("General"));

      if ((slash != NULL) == with_prefix
          && (plans == NULL || !sonde_chart_plans_shows (plans, g_intern_string (tag))))
        append (filling, tag, prefix);
    }
}

/* One heading above everything, or one above each card, would say nothing. */
static gboolean
is_worth_headings (SondeScalarOrder *order)
{
  const char *before = NULL;
  guint n = 0;

  for (guint i = 0; i < order->cards->len; i++)
    {
      const char *section = g_hash_table_lookup (order->sections, order->cards->pdata[i]);

      n += g_strcmp0 (section, before) != 0;
      before = section;
    }
  return order->cards->len >= SONDE_SCALAR_ORDER_MIN_CARDS && n > 1 && n < order->cards->len;
}

SondeScalarOrder *
sonde_scalar_order_new (GPtrArray *tags, SondeChartBoard *board, SondeChartPlans *plans,
                        const char *filter)
{
  SondeScalarOrder *order = g_new0 (SondeScalarOrder, 1);
  Filling filling = { order, board, filter };
  GPtrArray *added = sonde_chart_board_get_added (board);
  gboolean has_pinned;

  order->cards = g_ptr_array_new_with_free_func (g_free);
  order->sections = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  has_pinned = append_pinned (&filling, tags, plans);
  for (guint i = 0; i < added->len; i++)
    append (&filling, added->pdata[i], _ ("Expressions"));
  if (plans != NULL)
    append_planned (&filling, plans);
  append_tags (&filling, tags, plans, FALSE);
  append_tags (&filling, tags, plans, TRUE);
  order->has_sections = has_pinned || is_worth_headings (order);
  return order;
}

void
sonde_scalar_order_free (SondeScalarOrder *order)
{
  if (order == NULL)
    return;
  g_hash_table_unref (order->sections);
  g_ptr_array_unref (order->cards);
  g_free (order);
}

char *
sonde_scalar_order_dup_section (SondeScalarOrder *order, const char *card)
{
  return order->has_sections ? g_strdup (g_hash_table_lookup (order->sections, card)) : NULL;
}
