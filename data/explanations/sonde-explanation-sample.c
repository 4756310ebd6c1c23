/* SPDX-License-Identifier: Apache-2.0 */
#include "data/explanations/sonde-explanation-sample.h"

#include <math.h>

#include "data/base/sonde-text.h"

static void
name_class (char **name, gint64 class)
{
  g_autofree char *given = *name;

  *name = sonde_class_dup_text (given, class);
}

SondeExplanationSample *
sonde_explanation_sample_new (SondeSampleResult *result)
{
  SondeExplanationSample *sample = g_new0 (SondeExplanationSample, 1);

  sample->result = result;
  name_class (&result->label_name, result->label);
  name_class (&result->predicted_name, result->predicted);
  if (isnan (result->margin))
    result->margin = result->p_predicted - result->p_label;
  sample->maps = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribution_map_free);
  sample->counterfactuals
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_counterfactual_free);
  return sample;
}

void
sonde_explanation_sample_free (SondeExplanationSample *sample)
{
  if (sample == NULL)
    return;
  sonde_sample_result_free (sample->result);
  g_free (sample->image);
  g_clear_pointer (&sample->encoded, g_bytes_unref);
  g_clear_pointer (&sample->mask, sonde_tensor_unref);
  g_ptr_array_unref (sample->maps);
  g_ptr_array_unref (sample->counterfactuals);
  g_free (sample);
}

/* Does the later of them take the place of the earlier? */
static gboolean
is_same (const SondeAttributionMap *map, const SondeAttributionMap *later)
{
  return g_str_equal (map->spec, later->spec) && g_strcmp0 (map->target_is, later->target_is) == 0
         && (map->target == later->target
             || (map->target_is != NULL && !g_str_equal (map->target_is, "class")));
}

void
sonde_explanation_sample_take_map (SondeExplanationSample *sample, SondeAttributionMap *map)
{
  for (guint i = 0; i < sample->maps->len; i++)
    if (is_same (g_ptr_array_index (sample->maps, i), map))
      g_ptr_array_remove_index (sample->maps, i--);
  g_ptr_array_add (sample->maps, map);
}

void
sonde_explanation_sample_take_counterfactual (SondeExplanationSample *sample,
                                              SondeCounterfactual *counterfactual)
{
  for (guint i = 0; i < sample->counterfactuals->len; i++)
    {
      const SondeCounterfactual *other = g_ptr_array_index (sample->counterfactuals, i);

      if (other->goal == counterfactual->goal && other->target == counterfactual->target)
        g_ptr_array_remove_index (sample->counterfactuals, i--);
    }
  g_ptr_array_add (sample->counterfactuals, counterfactual);
}

char *
sonde_explanation_sample_dup_class (const SondeExplanationSample *sample, gint64 class)
{
  const SondeSampleResult *result = sample->result;

  return class == result->predicted ? g_strdup (result->predicted_name)
         : class == result->label   ? g_strdup (result->label_name)
                                    : sonde_class_dup_text (NULL, class);
}

char *
sonde_explanation_sample_dup_target (const SondeExplanationSample *sample,
                                     const SondeAttributionMap *map)
{
  if (map->target_name != NULL)
    return g_strdup (map->target_name);
  if (map->target < 0 && g_strcmp0 (map->target_is, "class") == 0)
    return g_strdup (_ ("the class that was asked for"));
  return sonde_explanation_sample_dup_class (sample, map->target);
}
