/* SPDX-License-Identifier: Apache-2.0
 * `sonde train --dry-run`: what a training would be. */
#include "app/cli/sonde-cli-outline.h"

#include "app/cli/sonde-cli-table.h"
#include "app/cli/sonde-cli.h"
#include "data/arrays/sonde-json.h"
#include "data/base/sonde-text.h"

static void
add_int (JsonBuilder *builder, const char *name, guint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64) value);
}

static void
add_data (JsonBuilder *builder, const SondeTrainingOutline *outline)
{
  json_builder_set_member_name (builder, "data");
  json_builder_begin_object (builder);
  add_int (builder, "train", outline->n_train);
  add_int (builder, "test", outline->n_test);
  json_builder_set_member_name (builder, "sample");
  json_builder_begin_array (builder);
  for (int i = 0; i < outline->sample.rank; i++)
    json_builder_add_int_value (builder, outline->sample.dims[i]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "dtype");
  json_builder_add_string_value (builder, sonde_dtype_name (outline->dtype));
  add_int (builder, "classes", outline->n_classes);
  json_builder_end_object (builder);
}

static void
print_json (const SondeRecipe *recipe, const SondeTrainingOutline *outline)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "model");
  json_builder_add_string_value (builder, recipe->model_name);
  add_int (builder, "parameters", outline->parameters);
  add_int (builder, "trainable", outline->trainable);
  json_builder_set_member_name (builder, "flops");
  sonde_json_add_double (builder, outline->flops);
  add_data (builder, outline);
  json_builder_set_member_name (builder, "loss");
  json_builder_add_string_value (builder, outline->loss);
  add_int (builder, "steps_per_epoch", outline->steps_per_epoch);
  add_int (builder, "steps", outline->steps);
  add_int (builder, "planned_bytes", outline->planned_bytes);
  json_builder_end_object (builder);
  sonde_cli_print_json (json_builder_get_root (builder), TRUE);
}

static void
print_text (const SondeRecipe *recipe, const SondeTrainingOutline *outline)
{
  g_autofree char *parameters = sonde_cli_format_count (outline->parameters),
                  *trainable = sonde_cli_format_count (outline->trainable),
                  *sample = sonde_shape_to_string (&outline->sample),
                  *memory = g_format_size_full (outline->planned_bytes, G_FORMAT_SIZE_IEC_UNITS);

  g_print (_ ("model: %s, %s parameters (%s trainable), %.2f MFLOP per sample\n"),
           recipe->model_name, parameters, trainable, outline->flops / 1e6);
  g_print (_ ("data: %u training and %u test samples of %s %s, classes: %u\n"), outline->n_train,
           outline->n_test, sonde_dtype_name (outline->dtype), sample, outline->n_classes);
  g_print (_ ("loss: %s\n"), outline->loss);
  g_print (_ ("steps: %" PRIu64 " (%" PRIu64 " per epoch)\n"), outline->steps,
           outline->steps_per_epoch);
  g_print (_ ("planned peak memory: %s\n"), memory);
}

void
sonde_cli_print_outline (const SondeRecipe *recipe, const SondeTrainingOutline *outline,
                         gboolean as_json)
{
  if (as_json)
    print_json (recipe, outline);
  else
    print_text (recipe, outline);
}
