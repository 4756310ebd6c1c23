/* SPDX-License-Identifier: Apache-2.0
 * `sonde scan`: what a port of PyTorch programs costs. The table and the verdicts: data/sources/porting;
 * here the registry of operators is asked, and models are counted. */
#include <stdio.h>
#include <string.h>

#include "app/cli/models/sonde-cli-model-options.h"
#include "app/cli/scan/sonde-scan-print.h"
#include "app/cli/sonde-cli.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "data/models/sonde-model-file.h"
#include "data/sources/porting/sonde-port-html.h"
#include "data/sources/porting/sonde-port-json.h"
#include "engine/ops/sonde-op.h"
#include "engine/passes/sonde-model-census.h"

typedef struct
{
  char *to, *package, *frameworks, *csv, *html;
  gboolean possible, json;
  SondeModelChoice choice;
} ScanOptions;

static gboolean
has_operator (const char *op, gpointer data)
{
  return sonde_op_table_find ("", op) != NULL;
}

static gboolean
is_sources (const char *path)
{
  return g_str_has_suffix (path, ".py")
         || (g_file_test (path, G_FILE_TEST_IS_DIR)
             && sonde_model_sniff (NULL, path, NULL) == NULL);
}

static gboolean
is_unsupported (const SondeModelCensus *census, const char *op)
{
  for (guint i = 0; i < census->unsupported->len; i++)
    if (g_str_equal (census->unsupported->pdata[i], op))
      return TRUE;
  return FALSE;
}

static gboolean
add_model (SondePortReport *report, const char *path, const SondeModelChoice *choice,
           GError **error)
{
  const char *format = sonde_model_sniff (NULL, path, error);
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (SondeModelCensus) census = NULL;
  SondePortModel *model;

  if (format == NULL && error != NULL && *error != NULL)
    return FALSE;
  graph = sonde_model_choice_open (choice, path, NULL, error);
  if (graph == NULL)
    return FALSE;
  census = sonde_model_census_new (graph);
  model = sonde_port_report_add_model (report, path, format != NULL ? format : "onnx");
  for (guint i = 0; i < census->ops->len; i++)
    sonde_port_model_add (model, census->ops->pdata[i],
                          sonde_model_census_get_count (census, census->ops->pdata[i]),
                          !is_unsupported (census, census->ops->pdata[i]));
  return TRUE;
}

static SondePortReport *
make_report (char **operands, const SondePortOptions *options, const SondeModelChoice *choice,
             GError **error)
{
  g_autoptr (GPtrArray) sources = g_ptr_array_new ();
  g_autoptr (SondePortReport) report = NULL;

  for (guint i = 0; operands[i] != NULL; i++)
    if (is_sources (operands[i]) || !g_file_test (operands[i], G_FILE_TEST_EXISTS))
      g_ptr_array_add (sources, operands[i]);
  g_ptr_array_add (sources, NULL);
  report = sonde_port_report_new (NULL, (const char *const *) sources->pdata, options, error);
  for (guint i = 0; report != NULL && operands[i] != NULL; i++)
    if (!is_sources (operands[i]) && !add_model (report, operands[i], choice, error))
      return NULL;
  return g_steal_pointer (&report);
}

static gboolean
write_file (const char *path, GString *text, GError **error)
{
  g_autoptr (GString) owned = text;

  return sonde_io_replace_file (NULL, path, owned->str, owned->len, error);
}

static gboolean
write_html (const ScanOptions *options, const SondePortReport *report, const char *operand,
            GError **error)
{
  g_autofree char *name = g_path_get_basename (operand);
  g_autofree char *title
      = g_strdup_printf (_ ("Port of %s to %s"), name, sonde_port_target_get_name (report->target));

  return write_file (options->html, sonde_port_report_to_html (report, NULL, title), error);
}

static gboolean
write_results (const ScanOptions *options, const SondePortReport *report, const char *operand,
               GError **error)
{
  if (options->html != NULL && !write_html (options, report, operand, error))
    return FALSE;
  if (options->csv != NULL && !write_file (options->csv, sonde_port_report_to_csv (report), error))
    return FALSE;
  if (options->json)
    {
      g_autoptr (GString) json = sonde_port_report_to_json (report);

      fwrite (json->str, 1, json->len, stdout);
      fflush (stdout);
    }
  else
    sonde_scan_print (report, options->possible);
  return TRUE;
}

static int
scan (const SondeCliCommand *command, char **operands, const ScanOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePortReport) report = NULL;
  g_auto (GStrv) frameworks
      = options->frameworks != NULL ? g_strsplit (options->frameworks, ",", -1) : NULL;
  SondePortOptions how = { .package = options->package,
                           .frameworks = (const char *const *) frameworks,
                           .all_possible = options->possible,
                           .judge.has_operator = has_operator };

  if (options->to != NULL && !sonde_port_target_parse (options->to, &how.judge.target))
    return sonde_cli_misuse (command, "--to must be mindspore, onnx or sonde, not “%s”.",
                             options->to);
  report = make_report (operands, &how, &options->choice, &error);
  if (report == NULL || !write_results (options, report, operands[0], &error))
    return sonde_cli_fail (command, error);
  return SONDE_EXIT_DONE;
}

static int
run_scan (const SondeCliCommand *command, int argc, char **argv)
{
  ScanOptions options = { 0 };
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_STRING, &options.to,
      N_ ("Target of the port: mindspore (default), onnx or sonde"), N_ ("TARGET") },
    { "package", 0, 0, G_OPTION_ARG_STRING, &options.package,
      N_ ("Dotted name under which the files import each other; by default, their imports tell"),
      N_ ("NAME") },
    { "frameworks", 0, 0, G_OPTION_ARG_STRING, &options.frameworks,
      N_ ("Packages to look for (default: torch,torchvision,torchaudio,torchtext)"), N_ ("NAMES") },
    { "possible", 0, 0, G_OPTION_ARG_NONE, &options.possible,
      N_ ("Also list methods that are perhaps a tensor's, those with common names too"), NULL },
    SONDE_CLI_MODEL_OPTIONS (options.choice),
    { "csv", 0, 0, G_OPTION_ARG_FILENAME, &options.csv, N_ ("Write one row per use"), N_ ("FILE") },
    { "html", 0, 0, G_OPTION_ARG_FILENAME, &options.html,
      N_ ("Write one page with the sources beside the table"), N_ ("FILE") },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, N_ ("Print one JSON object"), NULL },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  int status = SONDE_EXIT_DONE;

  if (sonde_cli_parse (command, argc, argv, entries, 1, -1, &operands, &status))
    status = scan (command, operands, &options);
  sonde_model_choice_clear (&options.choice);
  g_free (options.to);
  g_free (options.package);
  g_free (options.frameworks);
  g_free (options.csv);
  g_free (options.html);
  return status;
}

const SondeCliCommand sonde_cli_command_scan = {
  .name = "scan",
  .synopsis = N_ ("PATH…"),
  .summary = N_ ("Find the PyTorch APIs that Python sources use and what a port of them costs."),
  .details = N_ (
      "A PATH is a Python file, a folder of them, or a model file. No Python is run. Names are "
      "followed through imports, aliases, star imports and the other files of the folder; each "
      "use has a verdict: a counterpart that is the same or differs, operators to be put together, "
      "a custom operator, or a question for a person. Of a model, the operators are listed and "
      "whether they run. Files that are no valid Python are named and read as far as possible."),
  .run = run_scan,
};
