/* SPDX-License-Identifier: Apache-2.0
 * `sonde convert`: weights from one file format to another, or into a model; models are converted in
 * sonde-convert-model.c. */
#include <string.h>

#include "app/cli/convert/sonde-convert-model.h"
#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "data/models/sonde-model-file.h"

/* The model that OUT becomes: --model, or IN where that is one. (transfer full) */
static SondeGraph *
load_model (const char *in, const SondeConvertOptions *options, GError **error)
{
  if (options->model != NULL)
    return sonde_model_load (NULL, options->model, error);
  if (g_str_has_suffix (in, ".onnx"))
    return sonde_model_load (NULL, in, error);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "“%s” contains weights but no graph; specify their model with --model.", in);
  return NULL;
}

/* @report: (out) (transfer full) (nullable): the tensors that do not match */
static gboolean
convert_to_model (const char *in, const char *out, const SondeNamedTensors *tensors,
                  const SondeConvertOptions *options, SondeMessage **report, GError **error)
{
  g_autoptr (SondeGraph) graph = load_model (in, options, error);
  SondeWeightsFit fit = options->partial ? SONDE_WEIGHTS_PARTIAL : SONDE_WEIGHTS_ALL;

  if (graph == NULL)
    return FALSE;
  if (!sonde_weights_fit_model (graph, tensors, in, fit, report, error))
    {
      if (fit == SONDE_WEIGHTS_ALL && error != NULL && *error != NULL)
        sonde_prefix_error (error, "Use --partial to use only the matching tensors. ");
      return FALSE;
    }
  return sonde_model_save (NULL, out, graph, error);
}

static void
print_result (const char *out, const SondeNamedTensors *tensors, const SondeMessage *report,
              gboolean json)
{
  g_autoptr (JsonBuilder) builder = NULL;
  g_autofree char *english = report != NULL ? sonde_message_dup_english (report) : NULL;
  guint64 elements = 0;

  for (gsize i = 0; i < sonde_named_tensors_get_size (tensors); i++)
    elements += (guint64) sonde_tensor_n_elements (sonde_named_tensors_get_tensor (tensors, i));
  if (!json)
    {
      g_print (_ ("%s: %zu tensors, %" PRIu64 " elements\n"), out,
               sonde_named_tensors_get_size (tensors), elements);
      if (report != NULL)
        {
          g_autofree char *text = sonde_message_dup_text (report);

          g_print ("%s\n", text);
        }
      return;
    }
  builder = json_builder_new ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "path");
  json_builder_add_string_value (builder, out);
  json_builder_set_member_name (builder, "tensors");
  json_builder_add_int_value (builder, (gint64) sonde_named_tensors_get_size (tensors));
  json_builder_set_member_name (builder, "elements");
  json_builder_add_int_value (builder, (gint64) elements);
  json_builder_set_member_name (builder, "report");
  json_builder_add_string_value (builder, english != NULL ? english : "");
  json_builder_end_object (builder);
  sonde_cli_print_json (json_builder_get_root (builder), TRUE);
}

static int
convert (const SondeCliCommand *command, const char *in, const char *out,
         const SondeConvertOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeNamedTensors) tensors = NULL;
  g_autoptr (SondeMessage) report = NULL;
  gboolean to_model = g_str_has_suffix (out, ".onnx");

  if (options->model != NULL && !to_model)
    return sonde_cli_misuse (command, "--model requires an OUT that ends in .onnx; “%s” does not.",
                             out);
  tensors = sonde_weights_read (NULL, in, &error);
  if (tensors == NULL)
    return sonde_cli_fail (command, error);
  if (!(to_model ? convert_to_model (in, out, tensors, options, &report, &error)
                 : sonde_weights_write (NULL, out, tensors, &error)))
    return sonde_cli_fail (command, error);
  print_result (out, tensors, report, options->json);
  return SONDE_EXIT_DONE;
}

/* Weights to weights, and weights into a model of --model, are not a matter of models. */
static gboolean
converts_model (const char *in, const char *out, const SondeConvertOptions *options)
{
  const gboolean weights = g_str_has_suffix (out, ".npz") || g_str_has_suffix (out, ".safetensors");

  if (options->model != NULL || (weights && g_str_has_suffix (in, ".onnx")))
    return FALSE;
  return sonde_convert_is_model (in)
         || (!weights && !g_str_has_suffix (in, ".npz") && !g_str_has_suffix (in, ".safetensors")
             && !g_str_has_suffix (in, ".ckpt") && !g_str_has_suffix (in, ".pt")
             && !g_str_has_suffix (in, ".pth"));
}

static void
clear_options (SondeConvertOptions *options)
{
  g_free (options->model);
  sonde_model_choice_clear (&options->choice);
  g_free (options->verify);
  g_free (options->reference);
  g_free (options->report);
}

static int
run_convert (const SondeCliCommand *command, int argc, char **argv)
{
  SondeConvertOptions options = { 0 };
  const GOptionEntry entries[] = {
    { "model", 0, 0, G_OPTION_ARG_FILENAME, &options.model,
      N_ ("Model that receives the weights, if IN has weights only"), N_ ("FILE") },
    SONDE_CLI_MODEL_OPTIONS (options.choice),
    { "opset", 0, 0, G_OPTION_ARG_INT, &options.opset, N_ ("Opset of an ONNX output"), N_ ("N") },
    { "partial", 0, 0, G_OPTION_ARG_NONE, &options.partial,
      N_ ("Keep operators that cannot be converted; of weights, use the matching tensors"), NULL },
    { "no-check", 0, 0, G_OPTION_ARG_NONE, &options.no_check,
      N_ ("Do not run IN and OUT to compare them"), NULL },
    { "verify", 0, 0, G_OPTION_ARG_FILENAME, &options.verify,
      N_ ("Compare all values of IN and OUT on these inputs (.npz, or a folder of NAME.npy)"),
      N_ ("INPUTS") },
    { "reference", 0, 0, G_OPTION_ARG_FILENAME, &options.reference,
      N_ ("Values of the original tool, in place of running IN"), N_ ("OUTPUTS") },
    { "tolerance", 0, 0, G_OPTION_ARG_DOUBLE, &options.tolerance,
      N_ ("Largest difference with --verify, relative to a value's largest element (default: "
          "0.001)"),
      N_ ("F") },
    { "report", 0, 0, G_OPTION_ARG_FILENAME, &options.report,
      N_ ("Write the report as an HTML page"), N_ ("FILE") },
    { "split-above", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT64, &options.split_above, NULL,
      NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, N_ ("Print one JSON object"), NULL },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  int status = SONDE_EXIT_DONE;

  if (sonde_cli_parse (command, argc, argv, entries, 2, 2, &operands, &status))
    status = converts_model (operands[0], operands[1], &options)
                 ? sonde_convert_model (command, operands[0], operands[1], &options)
                 : convert (command, operands[0], operands[1], &options);
  clear_options (&options);
  return status;
}

const SondeCliCommand sonde_cli_command_convert = {
  .name = "convert",
  .synopsis = N_ ("IN OUT"),
  .summary = N_ ("Convert a model to ONNX or MindIR, or weights between file formats."),
  .details
  = N_ ("IN may be any model that sonde reads; OUT ends in .onnx or .mindir. Names, order, layout "
        "and types "
        "of inputs "
        "and outputs stay as they are in IN, and so do the names of inner values. A model with "
        "operators "
        "that cannot be converted is not written; all of them are listed at once. The result is "
        "checked before it is written: IN and OUT are run on the same numbers.\n\n"
        "Weights are converted between .npz, .safetensors, PyTorch .pt and MindSpore .ckpt (input "
        "only) and "
        "ONNX, by file name extension. With --model, an ONNX output is that model with the weights "
        "replaced: tensors are matched by name, floating-point types are converted, and the "
        "MindSpore and "
        "PyTorch names of normalisation parameters are treated as equal. A tensor that does not "
        "match is "
        "an error; with --partial, it is only reported."),
  .run = run_convert,
  .computes = TRUE,
};
