/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-values.h"

#include <math.h>

#include "viewers/paint/sonde-text-paint.h"

struct _SondeTrialValues
{
  SondeTrialColumn *column;
  SondeTrialNameFunc name;
  void *user_data;
  GHashTable *values; /* SondeTrial -> SondeTrialValue */
};

static void
value_free (gpointer data)
{
  g_free (((SondeTrialValue *) data)->text);
  g_free (data);
}

SondeTrialValues *
sonde_trial_values_new (const SondeTrialColumn *column, SondeTrialNameFunc name, void *user_data)
{
  SondeTrialValues *values = g_new0 (SondeTrialValues, 1);

  values->column = column != NULL ? sonde_trial_column_copy (column) : NULL;
  values->name = name;
  values->user_data = user_data;
  values->values = g_hash_table_new_full (NULL, NULL, g_object_unref, value_free);
  return values;
}

void
sonde_trial_values_free (SondeTrialValues *values)
{
  if (values == NULL)
    return;
  sonde_trial_column_free (values->column);
  g_hash_table_unref (values->values);
  g_free (values);
}

const SondeTrialColumn *
sonde_trial_values_get_column (SondeTrialValues *values)
{
  return values->column;
}

static SondeTrialValue *
make_value (SondeTrialValues *values, SondeTrial *trial)
{
  SondeTrialValue *value = g_new (SondeTrialValue, 1);
  g_autofree char *text = NULL;

  value->number = NAN;
  text = values->column != NULL ? sonde_trial_dup_text (trial, values->column, &value->number)
                                : values->name (trial, values->user_data);
  value->text = text != NULL ? sonde_text_make_visible (text) : NULL;
  return value;
}

const SondeTrialValue *
sonde_trial_values_get (SondeTrialValues *values, SondeTrial *trial)
{
  SondeTrialValue *value = g_hash_table_lookup (values->values, trial);

  if (value == NULL)
    {
      value = make_value (values, trial);
      g_hash_table_insert (values->values, g_object_ref (trial), value);
    }
  return value;
}

void
sonde_trial_values_forget (SondeTrialValues *values)
{
  g_hash_table_remove_all (values->values);
}

int
sonde_trial_values_compare (SondeTrialValues *values, SondeTrial *a, SondeTrial *b)
{
  const SondeTrialValue *first = sonde_trial_values_get (values, a),
                        *second = sonde_trial_values_get (values, b);

  if (first->text == NULL || second->text == NULL)
    return (first->text == NULL) - (second->text == NULL);
  if (isnan (first->number) != isnan (second->number))
    return isnan (first->number) - isnan (second->number);
  if (!isnan (first->number))
    return (first->number > second->number) - (first->number < second->number);
  return g_utf8_collate (first->text, second->text);
}
