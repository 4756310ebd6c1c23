/* SPDX-License-Identifier: Apache-2.0
 * `sonde infer`: runs a model once or several times, writes outputs, kept values, statistics,
 * timing. */
#include <stdio.h>
#include <string.h>

#include "app/cli/models/sonde-cli-model-options.h"
#include "app/cli/sonde-cli.h"
#include "app/cli/sonde-cli-table.h"
#include "app/cli/sonde-infer-observers.h"
#include "app/cli/sonde-infer-run.h"
#include "data/arrays/sonde-json-text.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/base/sonde-text.h"

typedef struct
{
  SondeModelChoice choice;
  char **inputs;
  char *output, *device, *precision, *keep, *statistics, *timing;
  int threads, repeat;
  gboolean json;
} InferOptions;

/* A tensor and its file, relative to the output folder. @name: of the value; of item K of a
 * sequence "NAME[K]", of a map "NAME.keys" */
typedef struct
{
  char *name;
  SondeTensor *tensor;
  char *file; /* (nullable) */
} Written;

static void
written_free (void *data)
{
  Written *written = data;

  g_free (written->name);
  sonde_tensor_unref (written->tensor);
  g_free (written->file);
  g_free (written);
}

/* ---- results ------------------------------------------------------------- */

/* A file name for a value: its name with everything unusual turned into “_”, unique in the
 * folder. */
static char *
make_file_name (const char *value, GHashTable *taken)
{
  g_autofree char *base = g_strndup (value, 150);
  char *name;

  for (char *p = base; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && *p != '.' && *p != '-')
      *p = '_';
  name = g_strdup_printf ("%s.npy", base);
  for (guint k = 2; g_hash_table_contains (taken, name); k++)
    {
      g_free (name);
      name = g_strdup_printf ("%s-%u.npy", base, k);
    }
  g_hash_table_add (taken, g_strdup (name));
  return name;
}

static gboolean
add_tensor (SondeTensor *tensor, const char *name, const char *folder, GHashTable *taken,
            GPtrArray *all, GError **error)
{
  Written *written = g_new0 (Written, 1);
  g_autofree char *path = NULL;

  written->name = g_strdup (name);
  written->tensor = sonde_tensor_ref (tensor);
  g_ptr_array_add (all, written);
  if (folder == NULL)
    return TRUE;

  written->file = make_file_name (name, taken);
  path = g_build_filename (folder, written->file, NULL);
  return sonde_npy_write (NULL, path, tensor, error);
}

/* Name of what lies at @index of @value: "NAME[2]" in a sequence, "NAME.keys" and "NAME.values" in
 * a map. */
static char *
make_item_name (const SondeValue *value, const char *name, gsize index)
{
  switch (sonde_value_get_kind (value))
    {
    case SONDE_VALUE_SEQUENCE:
      return g_strdup_printf ("%s[%zu]", name, index);
    case SONDE_VALUE_MAP:
      return g_strconcat (name, index == 0 ? ".keys" : ".values", NULL);
    default:
      return g_strdup (name);
    }
}

/* A sequence gives a file an item, a map one of keys and one of values, an optional that of what it
 * holds, if anything. */
static gboolean
add_value (SondeValue *value, const char *name, const char *folder, GHashTable *taken,
           GPtrArray *all, GError **error)
{
  SondeTensor *tensor = sonde_value_get_tensor (value);

  if (tensor != NULL)
    return add_tensor (tensor, name, folder, taken, all, error);
  for (gsize i = 0; i < sonde_value_get_n_items (value); i++)
    {
      g_autofree char *item = make_item_name (value, name, i);

      if (!add_value (sonde_value_get_item (value, i), item, folder, taken, all, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
collect (SondeInference *inference, SondeGraphValue *value, const char *folder, GHashTable *taken,
         GPtrArray *all, GError **error)
{
  g_autoptr (SondeValue) content = sonde_execution_read_value (inference->execution, value, error);

  return content != NULL && add_value (content, value->name, folder, taken, all, error);
}

/* Values of the model that --keep names: those the user's file makes, by their own names. */
static gboolean
collect_kept (SondeInference *inference, const char *pattern, const char *folder, GHashTable *taken,
              GPtrArray *all, GError **error)
{
  g_autoptr (GPatternSpec) spec = g_pattern_spec_new (g_str_equal (pattern, "all") ? "*" : pattern);
  guint n_matched = 0;

  for (guint i = 0; i < inference->original->values->len; i++)
    {
      SondeGraphValue *original = g_ptr_array_index (inference->original->values, i);
      SondeGraphValue *value;

      if (original == NULL || original->producer == NULL
          || !g_pattern_spec_match_string (spec, original->name))
        continue;
      n_matched++;
      value = sonde_graph_find_value (inference->graph, original->name);
      if (value == NULL || g_ptr_array_find (inference->graph->outputs, value, NULL))
        continue;
      if (!collect (inference, value, folder, taken, all, error))
        return FALSE;
    }
  if (n_matched == 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "No value matches --keep “%s”.", pattern);
  return n_matched > 0;
}

static gboolean
write_index (GPtrArray *all, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "index.json", NULL);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;

  json_builder_begin_object (builder);
  for (guint i = 0; i < all->len; i++)
    {
      Written *written = g_ptr_array_index (all, i);

      json_builder_set_member_name (builder, written->name);
      json_builder_add_string_value (builder, written->file);
    }
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  text = sonde_json_node_to_text (root, TRUE);
  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

/* ---- report -------------------------------------------------------------- */

static void
add_shape (JsonBuilder *builder, const SondeShape *shape)
{
  json_builder_set_member_name (builder, "shape");
  json_builder_begin_array (builder);
  for (int d = 0; d < shape->rank; d++)
    json_builder_add_int_value (builder, shape->dims[d]);
  json_builder_end_array (builder);
}

static void
print_json (SondeInference *inference, GPtrArray *all, guint n_outputs, const SondeInferRuns *runs)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "outputs");
  json_builder_begin_array (builder);
  for (guint i = 0; i < n_outputs; i++)
    {
      Written *written = g_ptr_array_index (all, i);

      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "name");
      json_builder_add_string_value (builder, written->name);
      json_builder_set_member_name (builder, "dtype");
      json_builder_add_string_value (builder, sonde_dtype_name (written->tensor->dtype));
      add_shape (builder, &written->tensor->shape);
      json_builder_set_member_name (builder, "file");
      if (written->file != NULL)
        json_builder_add_string_value (builder, written->file);
      else
        json_builder_add_null_value (builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  if (inference->weights != NULL)
    {
      json_builder_set_member_name (builder, "weights");
      json_builder_add_value (builder, sonde_cli_weights_to_json (inference->weights));
    }
  json_builder_set_member_name (builder, "load_ms");
  json_builder_add_double_value (builder, (double) inference->load_ns / 1e6);
  json_builder_set_member_name (builder, "prepare_ms");
  json_builder_add_double_value (builder, (double) inference->prepare_ns / 1e6);
  json_builder_set_member_name (builder, "run_ms");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "min");
  json_builder_add_double_value (builder, runs->minimum_ms);
  json_builder_set_member_name (builder, "median");
  json_builder_add_double_value (builder, runs->median_ms);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "peak_bytes");
  json_builder_add_int_value (builder, sonde_peak_bytes ());
  json_builder_end_object (builder);
  sonde_cli_print_json (json_builder_get_root (builder), TRUE);
}

static void
print_text (SondeInference *inference, GPtrArray *all, guint n_outputs, const char *folder,
            const SondeInferRuns *runs)
{
  for (guint i = 0; i < n_outputs; i++)
    {
      Written *written = g_ptr_array_index (all, i);
      g_autofree char *shape = sonde_shape_to_string (&written->tensor->shape);
      g_autofree char *name = sonde_cli_make_printable (written->name);
      g_autofree char *summary = NULL;

      if (written->tensor->dtype != SONDE_DTYPE_STRING)
        {
          SondeStatistics statistics;

          sonde_statistics_compute (written->tensor, &statistics);
          summary = g_strdup_printf (_ ("  min %.4g  max %.4g  mean %.4g"), statistics.min,
                                     statistics.max, statistics.mean);
        }
      g_print ("%-24s %s %s%s%s%s\n", name, sonde_dtype_name (written->tensor->dtype), shape,
               summary != NULL ? summary : "", written->file != NULL ? "  " : "",
               written->file != NULL ? written->file : "");
    }
  if (folder != NULL)
    g_print (P_ ("%u file in %s\n", "%u files in %s\n", all->len), all->len, folder);
  g_print (_ ("load %.2f ms, prepare %.2f ms, run %.3f ms (median %.3f ms)\n"),
           (double) inference->load_ns / 1e6, (double) inference->prepare_ns / 1e6,
           runs->minimum_ms, runs->median_ms);
}

static void
refuse_precision (const char *precision, GError **error)
{
  if (g_str_equal (precision, "int8"))
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
        "--precision int8 is not available; a quantised model (with QuantizeLinear and "
        "DequantizeLinear, or QLinear… operators) runs in int8 without this option.");
  else
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
        "--precision “%s” is not available; use f32, bf16, or a precision recipe (F.ini).",
        precision);
}

/* A file that the debugger's `precision` command writes. */
static gboolean
is_recipe (const char *precision)
{
  return precision != NULL && g_str_has_suffix (precision, ".ini");
}

static gboolean
infer (const InferOptions *options, const char *model, SondeInferRuns *runs, GError **error)
{
  SondeInferenceOptions inference_options = { 0 };
  g_autoptr (SondeInference) inference = NULL;
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (written_free);
  g_autoptr (GHashTable) taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (SondeValueSummaries) summaries = NULL;
  SondeObserver *observers[3] = { NULL };
  guint n_observers = 0;
  guint n_outputs;

  inference_options.choice = &options->choice;
  inference_options.inputs = (const char *const *) options->inputs;
  inference_options.device = options->device;
  inference_options.threads = options->threads;
  inference_options.recipe = is_recipe (options->precision) ? options->precision : NULL;
  inference_options.bfloat16 = g_strcmp0 (options->precision, "bf16") == 0;
  inference_options.keep = options->keep;
  inference_options.unfused = options->statistics != NULL;
  inference = sonde_inference_open (model, &inference_options, error);
  if (inference == NULL)
    return FALSE;
  if (!options->json)
    sonde_cli_tell_weights (inference->weights);
  if (options->statistics != NULL)
    {
      summaries = sonde_value_summaries_new (inference->plan);
      observers[n_observers++] = sonde_value_summaries_get_observer (summaries);
    }
  if (options->output != NULL && !sonde_io_make_directories (NULL, options->output, error))
    return FALSE;
  if (!sonde_infer_run (inference, options->repeat, options->timing != NULL, observers, runs,
                        error))
    return FALSE;
  for (guint i = 0; i < inference->graph->outputs->len; i++)
    if (!collect (inference, g_ptr_array_index (inference->graph->outputs, i), options->output,
                  taken, all, error))
      return FALSE;
  n_outputs = all->len;
  if (options->keep != NULL
      && !collect_kept (inference, options->keep, options->output, taken, all, error))
    return FALSE;
  if ((options->output != NULL && !write_index (all, options->output, error))
      || (summaries != NULL && !sonde_value_summaries_write (summaries, options->statistics, error))
      || (options->timing != NULL
          && !sonde_step_timing_write (inference->execution, MAX (options->repeat, 1),
                                       options->timing, error)))
    return FALSE;
  if (options->json)
    print_json (inference, all, n_outputs, runs);
  else
    print_text (inference, all, n_outputs, options->output, runs);
  return TRUE;
}

static int
run_infer (const SondeCliCommand *command, int argc, char **argv)
{
  InferOptions options = { 0 };
  const GOptionEntry entries[] = {
    { "input", 'i', 0, G_OPTION_ARG_FILENAME_ARRAY, &options.inputs,
      N_ ("Value of an input (default: zeros); “random” in place of a file: standard normal, 0 or "
          "1 for "
          "integers"),
      N_ ("[NAME=]FILE.npy") },
    SONDE_CLI_MODEL_OPTIONS (options.choice),
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
      N_ ("Write outputs as .npy files and index.json to this folder"), N_ ("DIR") },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &options.device,
      N_ ("Compute device: cpu (default) or reference"), N_ ("DEVICE") },
    { "precision", 0, 0, G_OPTION_ARG_STRING, &options.precision,
      N_ ("Precision: f32 (default), bf16, or a precision recipe"), "P|F.ini" },
    { "keep", 0, 0, G_OPTION_ARG_STRING, &options.keep,
      N_ ("Also write the values with matching names"), "all|PATTERN" },
    { "statistics", 0, 0, G_OPTION_ARG_FILENAME, &options.statistics,
      N_ ("Write statistics of every value"), "F.json" },
    { "timing", 0, 0, G_OPTION_ARG_FILENAME, &options.timing,
      N_ ("Write the duration of every step"), "F.json" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options.threads, N_ ("Number of threads (default: all)"),
      "N" },
    { "repeat", 0, 0, G_OPTION_ARG_INT, &options.repeat, N_ ("Timed runs after one untimed run"),
      "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, N_ ("Print one JSON object"), NULL },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  g_autoptr (GError) error = NULL;
  SondeInferRuns runs = { 0 };
  int status = SONDE_EXIT_DONE;

  if (!sonde_cli_parse (command, argc, argv, entries, 1, 1, &operands, &status))
    ;
  else if (options.precision != NULL && !g_str_equal (options.precision, "f32")
           && !g_str_equal (options.precision, "bf16") && !is_recipe (options.precision))
    {
      refuse_precision (options.precision, &error);
      status = sonde_cli_fail (command, error);
    }
  else if (options.repeat < 0 || options.threads < 0)
    status = sonde_cli_misuse (command, "--repeat and --threads must not be negative.");
  else if (!infer (&options, operands[0], &runs, &error))
    status = sonde_cli_fail (command, error);
  if (runs.signal != 0)
    status = 128 + runs.signal;
  sonde_model_choice_clear (&options.choice);
  g_strfreev (options.inputs);
  g_free (options.output);
  g_free (options.device);
  g_free (options.precision);
  g_free (options.keep);
  g_free (options.statistics);
  g_free (options.timing);
  return status;
}

const SondeCliCommand sonde_cli_command_infer = {
  .name = "infer",
  .synopsis = "MODEL",
  .summary = N_ ("Run a model and write its outputs as .npy files."),
  .details
  = N_ ("Without --input, the inputs are zeros of the declared shapes, with 1 for symbolic "
        "dimensions. Without --output, nothing is written. A sequence is written as one file per "
        "item, a map as one file of its keys and one of its values. Nodes are fused only where no "
        "value between them is kept with --keep; with --statistics, nothing is fused. run_ms "
        "includes the cost of --statistics and --timing. SIGINT and SIGTERM end a run before its "
        "next step or iteration, report the position, and exit with status 130 or 143."),
  .run = run_infer,
  .computes = TRUE,
};
