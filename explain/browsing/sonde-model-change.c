/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/browsing/sonde-model-change.h"

#include "data/base/sonde-text.h"
#include "data/values/sonde-sign-test.h"

SondeExplainChange
sonde_explain_change_of (SondeExplainItem *item)
{
  const SondeSampleResult *result = sonde_explain_item_get_result (item);
  gint64 other = sonde_explain_item_get_other (item, NULL);
  gboolean first, second;

  if (other < 0 || result->label < 0)
    return SONDE_N_EXPLAIN_CHANGES;
  first = result->predicted == result->label;
  second = other == result->label;
  if (first && second)
    return SONDE_N_EXPLAIN_CHANGES;
  return first ? SONDE_EXPLAIN_NEW : second ? SONDE_EXPLAIN_FIXED : SONDE_EXPLAIN_STILL;
}

void
sonde_model_changes_count (SondeModelChanges *changes, GPtrArray *items)
{
  *changes = (SondeModelChanges){ 0 };
  for (guint i = 0; i < items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (items, i);
      SondeExplainChange change = sonde_explain_change_of (item);
      const SondeSampleResult *result = sonde_explain_item_get_result (item);
      gint64 other = sonde_explain_item_get_other (item, NULL);

      changes->n += other >= 0 && result->label >= 0;
      if (change == SONDE_N_EXPLAIN_CHANGES)
        continue;
      changes->counts[change]++;
      changes->n_moved += change == SONDE_EXPLAIN_STILL && other != result->predicted;
    }
}

/* Share of the samples that are not @wrong, %. */
static double
accuracy (const SondeModelChanges *changes, SondeExplainChange wrong)
{
  guint right = changes->n - changes->counts[wrong] - changes->counts[SONDE_EXPLAIN_STILL];

  return changes->n > 0 ? 100.0 * right / changes->n : 0;
}

char *
sonde_model_changes_dup_models (const SondeModelChanges *changes, const char *first,
                                const char *second)
{
  return g_strdup_printf (P_ ("%s: %.1f %% correct\n%s: %.1f %% correct\nof %u sample",
                              "%s: %.1f %% correct\n%s: %.1f %% correct\nof %u samples",
                              changes->n),
                          first, accuracy (changes, SONDE_EXPLAIN_FIXED), second,
                          accuracy (changes, SONDE_EXPLAIN_NEW), changes->n);
}

char *
sonde_model_changes_dup_sentence (const SondeModelChanges *changes)
{
  guint fixed = changes->counts[SONDE_EXPLAIN_FIXED], spoiled = changes->counts[SONDE_EXPLAIN_NEW];
  double p = sonde_sign_test (fixed, spoiled);

  if (fixed + spoiled == 0)
    return g_strdup (_ ("Both models misclassify the same samples."));
  if (p >= 0.05)
    return g_strdup_printf (
        _ ("The difference may be due to chance: %u fixed, %u new. Two equally good models differ "
           "at least this much with p = %.2g (McNemar’s exact test)."),
        fixed, spoiled, p);
  if (fixed > spoiled)
    return g_strdup_printf (
        _ ("The second model is better: %u fixed, %u new. Two equally good models differ at least "
           "this much with p = %.2g (McNemar’s exact test)."),
        fixed, spoiled, p);
  return g_strdup_printf (
      _ ("The first model is better: %u fixed, %u new. Two equally good models differ at least "
         "this much with p = %.2g (McNemar’s exact test)."),
      fixed, spoiled, p);
}
