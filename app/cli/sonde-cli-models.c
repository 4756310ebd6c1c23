/* SPDX-License-Identifier: Apache-2.0
 * `sonde train --list`: the built-in models with their size and cost for their default input. */
#include <string.h>

#include "app/cli/sonde-cli-table.h"
#include "app/cli/sonde-cli.h"
#include "data/arrays/sonde-json.h"
#include "data/base/sonde-text.h"
#include "engine/nn/sonde-model-summary.h"
#include "engine/nn/sonde-zoo.h"

/* For JSON. (transfer full) */
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
  json_builder_set_member_name (builder, "labels");
  json_builder_add_string_value (builder, model->labels_are_input  ? "input"
                                          : model->label_rank == 2 ? "pixels"
                                                                   : "class");
  json_builder_set_member_name (builder, "parameters");
  json_builder_add_int_value (builder, (gint64) summary->trainable);
  json_builder_set_member_name (builder, "flops");
  sonde_json_add_double (builder, summary->flops);
  json_builder_end_object (builder);
}

/* (transfer full) */
static char *
format_input (const SondeZooModel *model)
{
  const SondeZooInput *input = &model->usual;

  return input->vocabulary > 0
             ? g_strdup_printf (_ ("%d tokens, vocabulary of %d"), input->length, input->vocabulary)
             : describe_input (model);
}

static void
add_row (SondeTable *table, const SondeZooModel *model, const SondeModelSummary *summary)
{
  g_autofree char *input = format_input (model),
                  *parameters = sonde_cli_format_count (summary->trainable),
                  *flops = g_strdup_printf ("%.2f", summary->flops / 1e6);

  sonde_table_add (table, model->name, parameters, flops, input, _ (model->description), NULL);
}

int
sonde_cli_list_models (const SondeCliCommand *command, gboolean as_json)
{
  static const char *const columns[] = { N_ ("<MODEL"),         N_ (">PARAMETERS"),  N_ (">MFLOP"),
                                         N_ ("<DEFAULT INPUT"), N_ ("<DESCRIPTION"), NULL };
  const char *const *names = sonde_zoo_list ();
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "models");
  json_builder_begin_array (builder);
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
        add_row (table, model, summary);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  if (as_json)
    sonde_cli_print_json (json_builder_get_root (builder), TRUE);
  else
    sonde_table_print (table, 0);
  return SONDE_EXIT_DONE;
}
