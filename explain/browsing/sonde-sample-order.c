/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/browsing/sonde-sample-order.h"

#include <math.h>
#include <string.h>

static gboolean
contains (const char *text, const char *folded)
{
  g_autofree char *own = text != NULL ? g_utf8_casefold (text, -1) : NULL;

  return own != NULL && strstr (own, folded) != NULL;
}

gboolean
sonde_explain_item_matches (SondeExplainItem *item, SondeErrorCategory category, const char *folded)
{
  const SondeSampleResult *result = sonde_explain_item_get_result (item);

  if (category < SONDE_N_CATEGORIES && result->category != category)
    return FALSE;
  return folded == NULL || contains (result->name, folded)
         || contains (sonde_explain_item_get_label_name (item), folded)
         || contains (sonde_explain_item_get_predicted_name (item), folded)
         || contains (sonde_explain_item_get_evidence (item), folded);
}

/* NaN last. */
static int
compare_numbers (double a, double b)
{
  if (isnan (a) || isnan (b))
    return isnan (a) - isnan (b);
  return (a > b) - (a < b);
}

static int
compare_names (const SondeSampleResult *a, const SondeSampleResult *b)
{
  return g_strcmp0 (a->name, b->name);
}

static int
compare_items (gconstpointer a, gconstpointer b, gpointer data)
{
  const SondeSampleResult *x = sonde_explain_item_get_result (*(SondeExplainItem *const *) a);
  const SondeSampleResult *y = sonde_explain_item_get_result (*(SondeExplainItem *const *) b);
  int result = 0;

  switch ((SondeExplainOrder) GPOINTER_TO_UINT (data))
    {
    case SONDE_EXPLAIN_ORDER_CATEGORY:
      result = (int) x->category - (int) y->category;
      break;
    case SONDE_EXPLAIN_ORDER_LABEL:
      result = compare_numbers (x->p_label, y->p_label);
      break;
    case SONDE_EXPLAIN_ORDER_MARGIN:
      result = compare_numbers (x->margin, y->margin);
      break;
    case SONDE_EXPLAIN_ORDER_NAME:
      result = compare_names (x, y);
      break;
    default:
      break;
    }
  if (result == 0)
    result = compare_numbers (-x->p_predicted, -y->p_predicted);
  return result != 0 ? result : compare_names (x, y);
}

void
sonde_explain_items_sort (GPtrArray *items, SondeExplainOrder order)
{
  g_ptr_array_sort_with_data (items, compare_items, GUINT_TO_POINTER (order));
}
