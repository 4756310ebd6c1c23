/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cli/models/sonde-cli-model-options.h"

#include "app/cli/sonde-cli-table.h"
#include "data/arrays/sonde-json.h"

const char *
sonde_cli_find_model_option (const SondeModelChoice *choice)
{
  if (choice->signature != NULL)
    return "--signature";
  if (choice->weights != NULL)
    return "--weights";
  return choice->shapes != NULL ? "--shape" : NULL;
}

void
sonde_cli_tell_weights (const SondeWeightReport *report)
{
  g_autoptr (SondeMessage) message = NULL;
  g_autofree char *text = NULL, *printable = NULL;

  if (report == NULL)
    return;
  message = sonde_weight_report_to_message (report);
  text = sonde_message_dup_text (message);
  printable = sonde_cli_make_printable (text);
  g_printerr ("%s\n", printable);
}

static void
add_parameters (JsonBuilder *builder, const SondeWeightReport *report)
{
  json_builder_set_member_name (builder, "parameters");
  json_builder_begin_object (builder);
  for (guint i = 0; i < report->pairs->len; i++)
    {
      const SondeWeightPair *pair = report->pairs->pdata[i];

      sonde_json_set_string (builder, pair->parameter, pair->tensor);
    }
  json_builder_end_object (builder);
}

JsonNode *
sonde_cli_weights_to_json (const SondeWeightReport *report)
{
  g_autoptr (JsonBuilder) builder = NULL;

  if (report == NULL)
    return json_node_init_null (json_node_alloc ());
  builder = json_builder_new ();
  json_builder_begin_object (builder);
  sonde_json_set_string (builder, "from", report->file);
  json_builder_set_member_name (builder, "by");
  json_builder_begin_object (builder);
  sonde_json_set_int (builder, "name", sonde_weight_report_count (report, SONDE_WEIGHT_BY_NAME));
  sonde_json_set_int (builder, "shape", sonde_weight_report_count (report, SONDE_WEIGHT_BY_SHAPE));
  json_builder_end_object (builder);
  add_parameters (builder, report);
  sonde_json_begin_array (builder, "unused");
  for (guint i = 0; i < report->unused->len; i++)
    json_builder_add_string_value (builder, report->unused->pdata[i]);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}
