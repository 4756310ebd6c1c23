/* SPDX-License-Identifier: Apache-2.0
 * A model of any format as one of another. Nothing is written before all is known to be right. */
#include "app/cli/convert/sonde-convert-model.h"

#include <string.h>

#include "app/cli/convert/sonde-convert-quantised.h"
#include "app/cli/convert/sonde-convert-report.h"
#include "app/cli/convert/sonde-convert-split.h"
#include "app/worker/sonde-weights.h"
#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/base/sonde-text.h"
#include "data/models/lowering/sonde-lowering.h"
#include "data/models/sonde-model-file.h"
#include "data/models/sonde-model-split.h"
#include "engine/passes/sonde-passes.h"

#define DEFAULT_TOLERANCE 1e-3
#define NEWEST_OPSET 23
#define LARGE_BYTES 65536 /* of a constant that is looked for in the source */

/* ---- reading ------------------------------------------------------------- */

gboolean
sonde_convert_is_model (const char *path)
{
  return sonde_model_sniff (NULL, path, NULL) != NULL;
}

/* ONNX is the graph's own form: every node stands for itself. */
static SondeConversion *
describe_onnx (const SondeGraph *graph)
{
  SondeConversion *conversion = sonde_conversion_new ("onnx");

  conversion->format_version = g_strdup_printf ("%" PRIi64, graph->ir_version);
  conversion->producer = g_strdup (graph->producer);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = graph->nodes->pdata[i];
      SondeConvertedNode *row;

      if (node == NULL)
        continue;
      row = g_new0 (SondeConvertedNode, 1);
      row->name = g_strdup (node->name);
      row->op = g_strdup (node->op);
      row->how = SONDE_LOWERED_DIRECT;
      row->to = g_ptr_array_new ();
      g_ptr_array_add (row->to, node);
      g_ptr_array_add (conversion->nodes, row);
    }
  return conversion;
}

/* Operators without a counterpart stay in the graph, so that the report can tell of all the rest. */
static SondeGraph *
read_model (const char *in, const SondeConvertOptions *options, SondeConversion **conversion,
            GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_model_choice_read (&options->choice, in, TRUE,
                                                          SONDE_QUANTISED_QDQ, conversion, error);

  if (graph != NULL && *conversion == NULL)
    *conversion = describe_onnx (graph);
  return g_steal_pointer (&graph);
}

static gboolean
set_opset (SondeGraph *graph, int opset, GError **error)
{
  const int now = sonde_graph_get_opset (graph, "");

  if (opset == 0 || opset == now)
    return TRUE;
  if (now == SONDE_LOWERING_OPSET && opset > now && opset <= NEWEST_OPSET)
    {
      sonde_graph_set_opset (graph, "", opset);
      return TRUE;
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "This model is written with opset %d; --opset %d cannot be chosen for it.", now,
                   opset);
  return FALSE;
}

/* ---- writing ------------------------------------------------------------- */

static gboolean
is_model_file (const char *out)
{
  return g_str_has_suffix (out, ".onnx") || g_str_has_suffix (out, ".mindir");
}

static gboolean
is_weight_file (const char *out)
{
  return g_str_has_suffix (out, ".npz") || g_str_has_suffix (out, ".safetensors");
}

static gboolean
check_out (const char *out, GError **error)
{
  if (is_model_file (out) || is_weight_file (out))
    return TRUE;
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
      "“%s” is in no format that is written: .onnx, .mindir, .npz, .safetensors. For other "
      "frameworks write .onnx, and go on from there with their own importers.",
      out);
  return FALSE;
}

static SondeNamedTensors *
collect_parameters (const SondeGraph *graph)
{
  SondeNamedTensors *tensors = sonde_named_tensors_new ();

  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = graph->values->pdata[i];

      if (value != NULL && value->constant != NULL
          && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE)
          && sonde_value_get_tensor (value->constant) != NULL)
        sonde_named_tensors_set (tensors, value->name, sonde_value_get_tensor (value->constant));
    }
  return tensors;
}

typedef struct
{
  const SondeConvertOptions *options;
  const char *out;
  SondeConvertReport report;
  SondeConvertVerification verification;
  SondeConversion *conversion;
  SondeWeightReport *weights;
  SondeGraph *graph, *written;
  char *split_path; /* (nullable): the model's file, of two */
  gint64 start;
} Work;

static gboolean
is_complete (const Work *work)
{
  return sonde_conversion_is_complete (work->conversion);
}

/* Functions in place of their calls, operators in their newest forms, what is constant computed: MindIR
 * wants sizes as numbers. NULL: the model has operators of other domains, for example. */
static SondeGraph *
simplify (SondeGraph *graph)
{
  g_autoptr (SondeGraph) simple = sonde_graph_copy (graph, FALSE);

  if (!sonde_pass_inline (simple, NULL) || !sonde_pass_legalise (simple, NULL)
      || !sonde_pass_infer (simple, NULL, 0, NULL) || !sonde_pass_fold_sizes (simple, NULL)
      || !sonde_pass_fold (simple, NULL))
    return NULL;
  /* What MindIR has no form for may be made of what it has. */
  if (!sonde_pass_decompose (simple, sonde_model_mindir_writes, NULL)
      || !sonde_pass_infer (simple, NULL, 0, NULL) || !sonde_pass_fold_sizes (simple, NULL)
      || !sonde_pass_fold (simple, NULL))
    return NULL;
  sonde_pass_dce (simple);
  return g_steal_pointer (&simple);
}

static gboolean
to_mindir (const Work *work)
{
  return g_str_has_suffix (work->out, ".mindir");
}

/* The graph in the form that OUT's format wants. (transfer full) */
static SondeGraph *
make_writable (const Work *work)
{
  SondeGraph *simple = to_mindir (work) ? simplify (work->graph) : sonde_graph_ref (work->graph);

  if (simple == NULL)
    {
      simple = sonde_graph_copy (work->graph, FALSE);
      /* Where shapes do not fit, the primitives that need them say so. */
      sonde_pass_infer (simple, NULL, 0, NULL);
    }
  return simple;
}

static GBytes *
serialise (const Work *work, SondeGraph *graph, GError **error)
{
  return to_mindir (work) ? sonde_model_serialise_mindir (graph, error)
                          : sonde_model_serialise (graph, error);
}

static SondeGraph *
parse (const Work *work, const guint8 *data, gsize length, GError **error)
{
  return g_str_has_suffix (work->out, ".mindir")
             ? sonde_model_parse_mindir (data, length, work->out, error)
             : sonde_model_parse (data, length, work->out, error);
}

/* A constant of @source with the same elements, under whatever name. (nullable) */
static SondeValue *
find_same (const SondeGraph *source, const SondeTensor *tensor)
{
  for (guint i = 0; i < source->values->len; i++)
    {
      const SondeGraphValue *value = source->values->pdata[i];
      const SondeTensor *own = value != NULL ? sonde_value_get_tensor (value->constant) : NULL;

      if (own != NULL && sonde_tensor_equal (own, tensor))
        return value->constant;
    }
  return NULL;
}

/* Large weights that came back as they were are kept once. */
static void
share_weights (const SondeGraph *source, SondeGraph *written)
{
  for (guint i = 0; i < written->values->len; i++)
    {
      SondeGraphValue *value = written->values->pdata[i];
      SondeTensor *tensor = value != NULL ? sonde_value_get_tensor (value->constant) : NULL;
      SondeValue *same = tensor != NULL && sonde_tensor_n_bytes (tensor) >= LARGE_BYTES
                             ? find_same (source, tensor)
                             : NULL;

      if (same == NULL)
        continue;
      sonde_value_unref (value->constant);
      value->constant = sonde_value_ref (same);
    }
}

static gboolean
is_read_back (const Work *work)
{
  return !work->options->no_check || work->options->verify != NULL;
}

/* Of a format with an arithmetic of its own: how far from that the result is. */
static void
tell_rounding (Work *work)
{
  g_autoptr (SondeGraph) exact = NULL;
  int steps = -1;

  if (g_str_equal (work->conversion->format, "onnx")
      || !sonde_convert_mark_rounded (work->conversion))
    return;
  if (!work->options->no_check && is_complete (work))
    exact = sonde_model_choice_read (&work->options->choice, work->report.path, TRUE,
                                     SONDE_QUANTISED_EXACT, NULL, NULL);
  if (exact != NULL)
    steps = sonde_convert_check_steps (exact, work->written);
  sonde_convert_note_rounded (work->conversion, work->report.path, steps);
}

/* work->written, where it was read back, beside the source. */
static void
check_written (Work *work)
{
  if (work->written != NULL)
    share_weights (work->graph, work->written);
  if (!work->options->no_check && is_complete (work))
    sonde_convert_check_run (work->graph, work->written, &work->report.check);
  tell_rounding (work);
  work->report.n_nodes_out
      = sonde_graph_count_nodes (work->written != NULL ? work->written : work->graph);
}

static gboolean
write_whole (Work *work, SondeGraph *graph, GError **error)
{
  g_autoptr (GBytes) bytes = serialise (work, graph, error);
  gsize length = 0;
  const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  if (bytes == NULL)
    {
      sonde_prefix_error (error, "cannot write “%s”: ", work->out);
      return FALSE;
    }
  if (is_read_back (work) && (work->written = parse (work, data, length, error)) == NULL)
    return FALSE;
  check_written (work);
  work->report.bytes = length;
  return sonde_io_replace_file (NULL, work->out, data, length, error);
}

static gboolean
write_split (Work *work, SondeConvertSplit *split, SondeGraph *graph, GError **error)
{
  if (!sonde_convert_split_write (split, graph, work->out, error))
    {
      sonde_prefix_error (error, "cannot write “%s”: ", work->out);
      return FALSE;
    }
  if (is_read_back (work) && (work->written = sonde_convert_split_load (split, error)) == NULL)
    return FALSE;
  check_written (work);
  work->report.bytes = sonde_convert_split_get_size (split);
  work->split_path = sonde_convert_split_move (split, error);
  return work->split_path != NULL;
}

static gboolean
is_split (const Work *work, const SondeGraph *graph)
{
  const guint64 usual = to_mindir (work) ? SONDE_MODEL_SPLIT_MINDIR : SONDE_MODEL_SPLIT_ONNX;
  const gint64 asked = work->options->split_above;

  return sonde_model_count_bytes (graph) > (asked > 0 ? (guint64) asked : usual);
}

static gboolean
write_model (Work *work, GError **error)
{
  g_autoptr (SondeGraph) graph = make_writable (work);
  SondeConvertSplit split = { NULL };
  gboolean right;

  if (!is_split (work, graph))
    return write_whole (work, graph, error);
  right = write_split (work, &split, graph, error);
  sonde_convert_split_clear (&split);
  return right;
}

static gboolean
write_weights (Work *work, GError **error)
{
  g_autoptr (SondeNamedTensors) tensors = collect_parameters (work->graph);

  return sonde_weights_write (NULL, work->out, tensors, error);
}

static gboolean
write_out (Work *work, GError **error)
{
  if (!is_complete (work) && !work->options->partial)
    {
      sonde_conversion_set_unsupported_error (work->conversion, work->report.path, error);
      return FALSE;
    }
  if (!sonde_model_choice_put_weights (&work->options->choice, work->graph, &work->weights, error)
      || !set_opset (work->graph, work->options->opset, error)
      || !(is_weight_file (work->out) ? write_weights (work, error) : write_model (work, error)))
    return FALSE;
  work->report.output = work->split_path != NULL ? work->split_path : work->out;
  return TRUE;
}

/* ---- verification -------------------------------------------------------- */

static gboolean
verify (Work *work, GError **error)
{
  const double tolerance
      = work->options->tolerance > 0 ? work->options->tolerance : DEFAULT_TOLERANCE;

  if (work->options->verify == NULL || work->written == NULL)
    return TRUE;
  if (!sonde_convert_verify (work->graph, work->written, work->options->verify,
                             work->options->reference, tolerance, &work->verification, error))
    return FALSE;
  work->report.verification = &work->verification;
  if (work->verification.first_value == NULL)
    return TRUE;
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
      "“%s” was written, but “%s” of node “%s” differs by %.3g of its largest element; "
      "%.3g is allowed.",
      work->out, work->verification.first_value, work->verification.first_node,
      work->verification.first_error, tolerance);
  return FALSE;
}

/* ---- the report ---------------------------------------------------------- */

static gboolean
write_page (const Work *work, GError **error)
{
  g_autofree char *page = NULL;

  if (work->options->report == NULL)
    return TRUE;
  page = sonde_convert_report_to_html (&work->report);
  return sonde_io_replace_file (NULL, work->options->report, page, strlen (page), error);
}

static void
tell (Work *work)
{
  work->report.milliseconds = (double) (sonde_clock_monotonic_ns (NULL) - work->start) / 1e6;
  if (work->options->json)
    sonde_cli_print_json (sonde_convert_report_to_json (&work->report), TRUE);
  else
    sonde_convert_report_print (&work->report);
}

static void
work_clear (Work *work)
{
  sonde_convert_check_clear (&work->report.check);
  sonde_convert_verification_clear (&work->verification);
  g_clear_pointer (&work->conversion, sonde_conversion_free);
  g_clear_pointer (&work->weights, sonde_weight_report_free);
  g_clear_pointer (&work->graph, sonde_graph_unref);
  g_clear_pointer (&work->written, sonde_graph_unref);
  g_clear_pointer (&work->split_path, g_free);
}

/* All that is told is told even where nothing could be written. */
static gboolean
run (Work *work, const char *in, GError **error)
{
  GError *page_error = NULL;
  const char *dot = strrchr (work->out, '.');
  gboolean right;

  if (!check_out (work->out, error))
    return FALSE;
  work->graph = read_model (in, work->options, &work->conversion, error);
  if (work->graph == NULL)
    return FALSE;
  work->report.path = in;
  work->report.to = dot != NULL ? dot + 1 : work->out;
  work->report.graph = work->graph;
  work->report.conversion = work->conversion;
  work->report.n_nodes_out = sonde_graph_count_nodes (work->graph);
  right = write_out (work, error) && verify (work, error);
  work->report.weights = work->weights;
  if (!write_page (work, &page_error))
    {
      if (right)
        g_propagate_error (error, g_steal_pointer (&page_error));
      g_clear_error (&page_error);
      right = FALSE;
    }
  tell (work);
  return right;
}

int
sonde_convert_model (const SondeCliCommand *command, const char *in, const char *out,
                     const SondeConvertOptions *options)
{
  g_autoptr (GError) error = NULL;
  Work work = { .options = options, .out = out, .start = sonde_clock_monotonic_ns (NULL) };
  const gboolean right = run (&work, in, &error);

  work_clear (&work);
  return right ? SONDE_EXIT_DONE : sonde_cli_fail (command, error);
}
