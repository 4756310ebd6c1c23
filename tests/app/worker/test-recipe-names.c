/* SPDX-License-Identifier: Apache-2.0
 * Recipes know no engine, so they have lists of names of their own: the same as the engine's. */
#include <string.h>

#include "data/recipes/sonde-recipe.h"
#include "engine/nn/sonde-loss.h"
#include "engine/nn/sonde-metric.h"
#include "engine/nn/sonde-optimiser.h"
#include "engine/nn/sonde-schedule.h"

static const char *
get_allowed (const char *name)
{
  for (gsize i = 0; i < sonde_recipe_get_n_keys (); i++)
    if (g_str_equal (sonde_recipe_get_key (i).name, name))
      return sonde_recipe_get_key (i).allowed;
  g_assert_not_reached ();
}

static void
test_names (void)
{
  g_autofree char *losses = sonde_loss_list (), *optimisers = sonde_optimiser_list ();
  g_autofree char *schedules = sonde_schedule_list (), *metrics = sonde_metric_list ();
  g_autofree char *all_losses = g_strconcat (losses, ", output:NAME", NULL);
  g_auto (GStrv) parts = g_strsplit (metrics, "confusion-matrix, ", 2); /* no number */
  g_autofree char *all_metrics = g_strconcat ("loss, ", parts[0], parts[1], NULL);

  g_assert_cmpstr (get_allowed ("train.loss"), ==, all_losses);
  g_assert_cmpstr (get_allowed ("train.optimiser"), ==, optimisers);
  g_assert_cmpstr (get_allowed ("train.schedule"), ==, schedules);
  g_assert_cmpstr (get_allowed ("train.metrics"), ==, metrics);
  g_assert_cmpstr (get_allowed ("train.early-stop"), ==, all_metrics);
  g_assert_cmpstr (get_allowed ("checkpoint.best"), ==, all_metrics);
}

/* docs/training.md has the table of keys, row for row. */
static void
test_documentation (void)
{
  const char *source = g_getenv ("SONDE_SOURCE");
  g_autofree char *path
      = g_build_filename (source != NULL ? source : ".", "docs", "training.md", NULL);
  g_autofree char *text = NULL;
  gboolean all = TRUE;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (gsize i = 0; i < sonde_recipe_get_n_keys (); i++)
    {
      SondeRecipeKey key = sonde_recipe_get_key (i);
      g_autofree char *row = g_strdup_printf ("| `%s` | %s | %s | %s |\n", key.name,
                                              key.default_text, key.allowed, key.summary);

      if (strstr (text, row) != NULL)
        continue;
      g_test_message ("docs/training.md lacks: %s", row);
      all = FALSE;
    }
  g_assert_true (all);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/worker/recipe-names/names", test_names);
  g_test_add_func ("/app/worker/recipe-names/documentation", test_documentation);
  return g_test_run ();
}
