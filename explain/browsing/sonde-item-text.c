/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/browsing/sonde-item-text.h"

#include <math.h>

#include "data/base/sonde-text.h"

char *
sonde_explain_probability_text (double p)
{
  return isfinite (p) ? g_strdup_printf (_ ("%.1f %%"), 100 * p) : g_strdup ("–");
}

char *
sonde_explain_item_dup_title (SondeExplainItem *item)
{
  const SondeSampleResult *result = sonde_explain_item_get_result (item);

  if (sonde_explain_item_is_error (item))
    return g_strdup_printf (_ ("“%s” classified as “%s”"), sonde_explain_item_get_label_name (item),
                            sonde_explain_item_get_predicted_name (item));
  return result->label >= 0
             ? g_strdup_printf (_ ("“%s” classified correctly"),
                                sonde_explain_item_get_label_name (item))
             : g_strdup_printf ("“%s”", sonde_explain_item_get_predicted_name (item));
}

char *
sonde_explain_item_dup_short (SondeExplainItem *item)
{
  if (sonde_explain_item_is_error (item))
    return g_strdup_printf ("%s → %s", sonde_explain_item_get_label_name (item),
                            sonde_explain_item_get_predicted_name (item));
  return g_strdup (sonde_explain_item_get_predicted_name (item));
}

char *
sonde_explain_item_dup_detail (SondeExplainItem *item)
{
  const SondeSampleResult *result = sonde_explain_item_get_result (item);
  g_autofree char *p = sonde_explain_probability_text (result->p_predicted);
  const char *other;

  if (sonde_explain_item_get_other (item, &other) >= 0)
    return g_strdup_printf (_ ("%s · then %s"), p, other);
  return g_steal_pointer (&p);
}

char *
sonde_explain_item_dup_details (SondeExplainItem *item)
{
  const SondeSampleResult *result = sonde_explain_item_get_result (item);
  g_autofree char *title = sonde_explain_item_dup_title (item);
  g_autofree char *predicted = sonde_explain_probability_text (result->p_predicted);
  g_autofree char *label = sonde_explain_probability_text (result->p_label);
  const char *evidence = sonde_explain_item_get_evidence (item), *other;
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s\n%s\np(%s) = %s", result->name, title,
                          sonde_explain_item_get_predicted_name (item), predicted);
  if (sonde_explain_item_is_error (item))
    g_string_append_printf (text, ", p(%s) = %s", sonde_explain_item_get_label_name (item), label);
  if (sonde_explain_item_get_other (item, &other) >= 0)
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text, _ ("The second model predicts “%s”."), other);
    }
  if (result->category < SONDE_N_CATEGORIES)
    g_string_append_printf (text, "\n%s: %s", _ (sonde_error_category_get_title (result->category)),
                            evidence != NULL ? evidence : _ ("no evidence was kept"));
  return g_string_free (text, FALSE);
}
