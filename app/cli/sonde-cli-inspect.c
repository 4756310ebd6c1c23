/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: what is in runs, record files, models, arrays, datasets. Operands are looked at
 * one after the other; one that fails does not hide the others. */
#include "app/cli/sonde-cli-inspect-cost.h"
#include "app/cli/dumps/sonde-cli-inspect-dump.h"
#include "app/cli/sonde-cli-inspect-private.h"

#include <stdio.h>

#include "data/arrays/sonde-json-text.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "data/captures/sonde-capture.h"

static gboolean
inspect_store (const SondeCliCommand *command, SondeFindings *findings, const char *path,
               GError **error)
{
  g_autoptr (SondeRunStore) store = sonde_cli_open_runs (path, error);

  if (store == NULL)
    return FALSE;
  if (sonde_cli_count_runs (store) == 0 && g_file_test (path, G_FILE_TEST_IS_DIR)
      && sonde_run_store_get_problems (store)->len == 0)
    return sonde_inspect_folder (findings, path, error);
  sonde_inspect_runs (findings, path, store);
  sonde_cli_report_damage (command, path, store);
  return sonde_cli_read_something (path, store, error)
         && (!g_file_test (path, G_FILE_TEST_IS_DIR)
             || sonde_inspect_traces (findings, path, NULL, error));
}

/* Dumped tensors and checkpoints belong to a run; named themselves they are shown with what is in
 * them. */
static gboolean
is_array (const char *path)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR)
         && (g_str_has_suffix (path, ".npy") || g_str_has_suffix (path, ".ckpt"));
}

static gboolean
inspect_operand (const SondeCliCommand *command, SondeFindings *findings, const char *path,
                 GError **error)
{
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND, "“%s” does not exist.",
                       path);
      return FALSE;
    }
  if (sonde_inspect_is_dump (path))
    return sonde_inspect_dump (findings, path, error);
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR) && sonde_capture_sniff (path))
    return sonde_inspect_capture (findings, path, error);
  if (!is_array (path) && sonde_cli_may_hold_runs (path) && !sonde_inspect_is_trace (path))
    return inspect_store (command, findings, path, error);
  return sonde_inspect_file (findings, path, error);
}

typedef struct
{
  const char *name;
  JsonArray *array;
} Kind;

/* What is no run and no trace: the one thing that there is, or everything under its kind. */
static JsonObject *
make_others (SondeFindings *findings, guint *n_others)
{
  const Kind kinds[] = {
    { "models", findings->models },
    { "arrays", findings->arrays },
    { "datasets", findings->datasets },
    { "captures", findings->captures },
  };
  const gboolean only_others
      = findings->n_runs == 0 && findings->traces->len == 0 && findings->dumps->len == 0;
  JsonObject *object;
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    n += json_array_get_length (kinds[i].array);
  *n_others = n;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (n == 1 && only_others && json_array_get_length (kinds[i].array) == 1)
      return json_object_ref (json_array_get_object_element (kinds[i].array, 0));
  object = json_object_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (json_array_get_length (kinds[i].array) > 0)
      json_object_set_array_member (object, kinds[i].name, json_array_ref (kinds[i].array));
  return object;
}

/* One object: the runs first, dumps and traces last. */
static void
print_findings (SondeFindings *findings)
{
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  g_autofree char *others = NULL;
  const char *before = "";
  guint n_others;

  json_node_take_object (root, make_others (findings, &n_others));
  others = sonde_json_node_to_text (root, TRUE);
  if (findings->n_runs > 0)
    sonde_inspect_print_runs (findings);
  else
    fputc ('{', stdout);
  if (findings->n_runs > 0)
    fputs ("\n  ]", stdout);
  else if (n_others == 0 && findings->traces->len == 0 && findings->dumps->len == 0)
    fputs ("\n  \"runs\" : []", stdout);
  if (findings->n_runs > 0)
    before = ",";
  if (n_others > 0) /* without their braces and the last line break */
    {
      printf ("%s%.*s", before, (int) strlen (others) - 3, others + 1);
      before = ",";
    }
  if (findings->dumps->len > 0)
    {
      printf ("%s\n  \"dumps\" : [%s\n  ]", before, findings->dumps->str);
      before = ",";
    }
  if (findings->traces->len > 0)
    printf ("%s\n  \"traces\" : [%s\n  ]", before, findings->traces->str);
  fputs ("\n}\n", stdout);
  fflush (stdout);
}

static int
inspect (const SondeCliCommand *command, char **operands, const SondeModelChoice *choice,
         gboolean json)
{
  g_autoptr (GString) runs = g_string_new (NULL);
  g_autoptr (JsonArray) models = json_array_new ();
  g_autoptr (JsonArray) arrays = json_array_new ();
  g_autoptr (JsonArray) datasets = json_array_new ();
  g_autoptr (JsonArray) captures = json_array_new ();
  g_autoptr (GString) traces = g_string_new (NULL), dumps = g_string_new (NULL);
  SondeFindings findings
      = { 0, runs, traces, dumps, models, arrays, datasets, captures, !json, choice };
  int status = SONDE_EXIT_DONE;
  guint n_failed = 0;

  for (gsize i = 0; operands[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;

      if (inspect_operand (command, &findings, operands[i], &error))
        continue;
      status = sonde_cli_fail (command, error);
      n_failed++;
    }
  /* a run of nothing but damage is still described */
  if (json && (n_failed < g_strv_length (operands) || findings.n_runs > 0))
    print_findings (&findings);
  return status;
}

static int
run_inspect (const SondeCliCommand *command, int argc, char **argv)
{
  gboolean json = FALSE, cost = FALSE;
  SondeModelChoice choice = { NULL };
  const GOptionEntry entries[] = {
    { "cost", 0, 0, G_OPTION_ARG_NONE, &cost,
      N_ ("Of a model: parameters, operations, bytes and memory of each node, without running it"),
      NULL },
    SONDE_CLI_MODEL_OPTIONS (choice),
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one JSON object"), NULL },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  int status;

  if (sonde_cli_parse (command, argc, argv, entries, 1, -1, &operands, &status))
    {
      if (cost && operands[1] != NULL)
        status = sonde_cli_misuse (command, _ ("--cost takes one model"));
      else
        status = cost ? sonde_inspect_cost (command, operands[0], &choice, json)
                      : inspect (command, operands, &choice, json);
    }
  sonde_model_choice_clear (&choice);
  return status;
}

const SondeCliCommand sonde_cli_command_inspect = {
  .name = "inspect",
  .synopsis = "PATH…",
  .summary
  = N_ ("Show the contents of runs, record files, models, arrays, datasets, traces, dumps and "
        "captures."),
  .details
  = N_ ("A folder is searched for runs. Damage in record files is reported with its position, "
        "everything readable is listed, and the exit status is 0 unless nothing could be read. "
        "Runs are indexed, so that another call reads only new data. A folder that msprobe dumped "
        "into is shown with its steps, ranks, entries, tensors and stacks."),
  .run = run_inspect,
};
