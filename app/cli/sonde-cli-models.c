/* SPDX-License-Identifier: Apache-2.0
 * `sonde train --list`: the built-in models with what they have and cost at their usual input. */
#include <string.h>

#include "app/cli/sonde-cli.h"
#include "engine/nn/sonde-model-summary.h"
#include "engine/nn/sonde-zoo.h"

static char *
describe_input (const SondeZooModel *model)
{
  const SondeZooInput *input = &model->usual;

  if (input->vocabulary > 0)
    return g_strdup_printf ("%d tokens of %d", input->length, input->vocabulary);
  return g_strdup_printf ("%d×%d×%d", input->channels, input->height, input->width);
}

static void
add_json (JsonBuilder *builder, const SondeZooModel *model, const SondeModelSummary *summary)
{
  g_autofree char *input = describe_input (model);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "name");
  json_builder_add_string_value (builder, model->name);
  json_builder_set_member_name (builder, "description");
  json_builder_add_string_value (builder, model->description);
  json_builder_set_member_name (builder, "loss");
  json_builder_add_string_value (builder, model->loss);
  json_builder_set_member_name (builder, "input");
  json_builder_add_string_value (builder, input);
  json_builder_set_member_name (builder, "classes");
  json_builder_add_int_value (builder, model->usual.classes);
  json_builder_set_member_name (builder, "parameters");
  json_builder_add_int_value (builder, (gint64) summary->trainable);
  json_builder_set_member_name (builder, "flops");
  sonde_cli_json_add_double (builder, summary->flops);
  json_builder_end_object (builder);
}

static void
print_line (const SondeZooModel *model, const SondeModelSummary *summary)
{
  g_autofree char *input = describe_input (model);

  /* × is two bytes and one column. */
  g_print ("%-20s %10" G_GUINT64_FORMAT " %11.2f  %-*s  %s\n", model->name, summary->trainable,
           summary->flops / 1e6, (int) (17 + strlen (input) - (gsize) g_utf8_strlen (input, -1)),
           input, model->description);
}

int
sonde_cli_list_models (const SondeCliCommand *command, gboolean as_json)
{
  const char *const *names = sonde_zoo_list ();
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "models");
  json_builder_begin_array (builder);
  if (!as_json)
    g_print ("%-20s %10s %11s  %-17s  %s\n", "model", "parameters", "MFLOP", "usual input",
             "what it is");
  for (guint i = 0; names[i] != NULL; i++)
    {
      const SondeZooModel *model = sonde_zoo_find (names[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeGraph) graph = sonde_zoo_outline (names[i], &model->usual, &error);
      g_autoptr (SondeModelSummary) summary
          = graph != NULL ? sonde_model_summary_new (graph, NULL, 0, &error) : NULL;

      if (summary == NULL)
        return sonde_cli_fail (command, error);
      if (as_json)
        add_json (builder, model, summary);
      else
        print_line (model, summary);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  if (as_json)
    sonde_cli_print_json (json_builder_get_root (builder), TRUE);
  return SONDE_EXIT_DONE;
}
