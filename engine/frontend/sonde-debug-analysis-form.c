/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/frontend/sonde-debug-analysis-form.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"

/* ---- fields -------------------------------------------------------------- */

/* What was typed, without blanks around. (transfer full) (nullable): nothing */
static char *
dup_text (const SondeDebugAnalysisInput *input, int field)
{
  g_autofree char *text
      = input->texts[field] != NULL ? g_strstrip (g_strdup (input->texts[field])) : NULL;

  return text != NULL && *text != '\0' ? g_steal_pointer (&text) : NULL;
}

/* (transfer full) (nullable): nothing was typed */
static char *
dup_path (const SondeDebugAnalysisInput *input, int field)
{
  g_autofree char *text = dup_text (input, field);

  return text != NULL ? g_canonicalize_filename (text, NULL) : NULL;
}

/* "file:F.npy" and "VALUE@run:FOLDER" with absolute paths, others as they are. (transfer full)
 * (nullable) */
static char *
dup_operand (const SondeDebugAnalysisInput *input, int field)
{
  static const char *const marks[] = { "file:", "@run:" };
  g_autofree char *text = dup_text (input, field);

  for (gsize i = 0; text != NULL && i < G_N_ELEMENTS (marks); i++)
    {
      const char *found = strstr (text, marks[i]);
      g_autofree char *path = found != NULL && (i > 0 || found == text)
                                  ? g_canonicalize_filename (found + strlen (marks[i]), NULL)
                                  : NULL;

      if (path != NULL)
        return g_strdup_printf ("%.*s%s%s", (int) (found - text), text, marks[i], path);
    }
  return g_steal_pointer (&text);
}

/* @number: unchanged when nothing was typed. @is_given: (optional) (out) */
static gboolean
read_number (const SondeDebugAnalysisInput *input, int field, double *number, gboolean *is_given,
             GError **error)
{
  g_autofree char *text = dup_text (input, field);
  char *end = NULL;
  double value = text != NULL ? g_ascii_strtod (text, &end) : 0;

  if (is_given != NULL)
    *is_given = text != NULL;
  if (text == NULL)
    return TRUE;
  if (end != text && *end == '\0' && value >= 0 && isfinite (value))
    {
      *number = value;
      return TRUE;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” is not a tolerance: enter a number of 0 or more, such as 1e-3.", text);
  return FALSE;
}

/* ---- requests ------------------------------------------------------------ */

static SondeSessionRequest *
make_origin (const SondeDebugAnalysisInput *input, GError **error)
{
  g_autofree char *value = dup_text (input, 0);

  return sonde_session_request_origin (value);
}

/* What a run is compared with. */
typedef enum
{
  WITH_FLOAT64,
  WITH_BFLOAT16,
  WITH_FLOAT16,
  WITH_REFERENCE_KERNELS,
  WITH_UNOPTIMISED_GRAPH,
  WITH_MODEL,
  WITH_FILE,
  WITH_DEVICE,
} With;

static const char *const diverge_choices[] = { [WITH_FLOAT64] = "float64",
                                               [WITH_BFLOAT16] = "bfloat16",
                                               [WITH_FLOAT16] = "float16",
                                               [WITH_REFERENCE_KERNELS] = N_ ("Reference kernels"),
                                               [WITH_UNOPTIMISED_GRAPH] = N_ ("Unoptimised graph"),
                                               [WITH_MODEL] = N_ ("Another model file"),
                                               [WITH_FILE] = N_ ("Values from a file (.npz)"),
                                               [WITH_DEVICE] = N_ ("Another device"),
                                               NULL };

static SondeSessionRequest *
make_diverge (const SondeDebugAnalysisInput *input, GError **error)
{
  static const char *const precisions[]
      = { [WITH_FLOAT64] = "f64", [WITH_BFLOAT16] = "bf16", [WITH_FLOAT16] = "f16" };
  With with = input->choices[0];
  g_autofree char *name = dup_text (input, 1), *path = dup_path (input, 1);
  SondeDivergeRequest diverge = { .optimise_off = with == WITH_UNOPTIMISED_GRAPH };

  if (with >= WITH_MODEL && name == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Enter the file or device to compare with.");
      return NULL;
    }
  if (!read_number (input, 2, &diverge.rtol, &diverge.has_rtol, error))
    return NULL;
  if (with <= WITH_FLOAT16)
    diverge.precision = precisions[with];
  else if (with == WITH_REFERENCE_KERNELS)
    diverge.device = "reference";
  else if (with == WITH_MODEL)
    diverge.model_path = path;
  else if (with == WITH_FILE)
    diverge.tensors_path = path;
  else if (with == WITH_DEVICE)
    diverge.device = name;
  return sonde_session_request_diverge (&diverge);
}

/* What a step of another program is compared with. */
typedef enum
{
  STEP_WITH_MODEL,
  STEP_WITH_VALUES,
  STEP_WITH_DUMP,
} StepWith;

static const char *const step_choices[]
    = { [STEP_WITH_MODEL] = N_ ("A model file, such as its ONNX export"),
        [STEP_WITH_VALUES] = N_ ("Values of another run (.npz)"),
        [STEP_WITH_DUMP] = N_ ("A folder of dumped values (msprobe)"),
        NULL };

static const char *const pass_choices[] = { N_ ("Forward"), N_ ("Forward and gradients"), NULL };

static gboolean
is_dump (const SondeDebugAnalysisInput *input)
{
  return input->choices[0] == STEP_WITH_DUMP;
}

static SondeCommand *
make_step_comparison (const SondeDebugAnalysisInput *input, GError **error)
{
  gboolean has_model = input->choices[0] == STEP_WITH_MODEL;
  g_autofree char *path = dup_path (input, 1), *weights = dup_path (input, 2);
  SondeDivergeRequest diverge = { .gradients = has_model && input->choices[3] == 1 };

  if (!has_model && weights != NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "A checkpoint belongs to a model file: clear it, or choose a model.");
      return NULL;
    }
  if (!read_number (input, 4, &diverge.rtol, &diverge.has_rtol, error))
    return NULL;
  diverge.model_path = has_model ? path : NULL;
  diverge.tensors_path = has_model ? NULL : path;
  diverge.weights_path = weights;
  return sonde_command_new_diverge (&diverge);
}

static SondeSessionRequest *
make_reduce (const SondeDebugAnalysisInput *input, GError **error)
{
  g_autofree char *path = dup_path (input, 0);

  if (g_str_has_suffix (path, ".onnx"))
    return sonde_session_request_reduce (NULL, path);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Enter a file name that ends in .onnx.");
  return NULL;
}

static const char *const half_choices[] = { "bfloat16", "float16", NULL };

static SondeSessionRequest *
make_precision (const SondeDebugAnalysisInput *input, GError **error)
{
  static const char *const precisions[] = { "bf16", "f16" };
  g_autofree char *path = dup_path (input, 0);
  double tolerance = 0;

  if (!read_number (input, 1, &tolerance, NULL, error))
    return NULL;
  if (g_str_has_suffix (path, ".ini"))
    return sonde_session_request_precision (path, precisions[input->choices[2]], tolerance, NULL);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Enter a file name that ends in .ini.");
  return NULL;
}

static SondeSessionRequest *
make_diff (const SondeDebugAnalysisInput *input, GError **error)
{
  g_autofree char *a = dup_operand (input, 0), *b = dup_operand (input, 1);

  return sonde_session_request_diff (a, b);
}

typedef enum
{
  RERUN_FLOAT64,
  RERUN_BFLOAT16,
  RERUN_FLOAT16,
  RERUN_REFERENCE,
  RERUN_DEVICE,
} Rerun;

static const char *const rerun_choices[] = {
  [RERUN_FLOAT64] = N_ ("In float64"),       [RERUN_BFLOAT16] = N_ ("In bfloat16"),
  [RERUN_FLOAT16] = N_ ("In float16"),       [RERUN_REFERENCE] = N_ ("With the reference kernel"),
  [RERUN_DEVICE] = N_ ("On another device"), NULL
};

static SondeSessionRequest *
make_rerun (const SondeDebugAnalysisInput *input, GError **error)
{
  static const char *const precisions[]
      = { [RERUN_FLOAT64] = "f64", [RERUN_BFLOAT16] = "bf16", [RERUN_FLOAT16] = "f16" };
  Rerun how = input->choices[1];
  g_autofree char *node = dup_text (input, 0), *device = dup_text (input, 2);
  SondeRerunOptions spec = { .node = node };

  if (how == RERUN_DEVICE && device == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Enter the name of the device.");
      return NULL;
    }
  if (how <= RERUN_FLOAT16)
    spec.precision = precisions[how];
  else
    spec.device = how == RERUN_REFERENCE ? "reference" : device;
  return sonde_session_request_rerun (&spec);
}

/* ---- the forms ----------------------------------------------------------- */

static const SondeDebugAnalysisForm forms[] = {
  { "origin",
    N_ ("Origin of NaN or Infinity"),
    N_ ("Search"),
    N_ ("Traces a NaN or infinite element back through the elements it was computed from to the "
        "first node that produced one."),
    make_origin,
    { { N_ ("Element"), N_ ("value[0, 3, 7], or a value for its first bad element"), NULL,
        TRUE } } },
  { "diverge",
    N_ ("First Divergent Node"),
    N_ ("Search"),
    N_ ("Runs the network a second time under different conditions and compares every value. A "
        "node’s own error is the error it adds when its inputs are exact; the rest is inherited."),
    make_diverge,
    { { N_ ("Compare with"), NULL, diverge_choices },
      { N_ ("File or device"), N_ ("only if the comparison needs one"), NULL },
      { N_ ("Tolerance"), N_ ("relative; the default depends on the element type"), NULL } } },
  { "diverge-step",
    N_ ("First Divergent Node"),
    N_ ("Compare"),
    N_ ("Runs a model file on the inputs and weights of this step, or reads values of another run, "
        "and "
        "compares what each module gave. A module’s own error is the error it adds when its inputs "
        "are exact."),
    NULL,
    { { N_ ("Compare with"), NULL, step_choices },
      { N_ ("File or folder"), N_ ("path"), NULL, TRUE, TRUE },
      { N_ ("Checkpoint"), N_ ("only if the weights are not those of this step"), NULL, FALSE,
        TRUE },
      { N_ ("Passes"), NULL, pass_choices },
      { N_ ("Tolerance"), N_ ("relative; the default depends on the element type"), NULL } },
    make_step_comparison,
    is_dump },
  { "reduce",
    N_ ("Minimal Failing Case"),
    N_ ("Search"),
    N_ ("Removes everything that is not needed to reproduce the failure and writes what is left: a "
        "model, its inputs and a command."),
    make_reduce,
    { { N_ ("Write to"), "/tmp/failing.onnx", NULL, TRUE } } },
  { "precision",
    N_ ("Mixed-Precision Search"),
    N_ ("Search"),
    N_ ("Finds the smallest set of nodes that must stay in float32 to keep the outputs within the "
        "tolerance, and writes it as a recipe."),
    make_precision,
    { { N_ ("Write to"), "/tmp/precision.ini", NULL, TRUE },
      { N_ ("Tolerance"), N_ ("relative, of the outputs, such as 0.01"), NULL, TRUE },
      { N_ ("Type of other nodes"), NULL, half_choices } } },
  { "diff",
    N_ ("Compare Values or Branches"),
    N_ ("Compare"),
    N_ ("Compares two branches value by value, or two values; the second is the reference. A "
        "single "
        "branch is compared with the current one."),
    make_diff,
    { { N_ ("First"), N_ ("a branch, a value or an expression"), NULL, TRUE },
      { N_ ("Second"), N_ ("another branch, VALUE@2, VALUE@prev, file:F.npy"), NULL } } },
  { "rerun",
    N_ ("Re-Run Node"),
    N_ ("Run"),
    N_ ("Runs the node again on the same inputs under different conditions. The session does not "
        "change."),
    make_rerun,
    { { N_ ("Node"), N_ ("name of the node"), NULL, TRUE },
      { N_ ("Conditions"), NULL, rerun_choices },
      { N_ ("Device"), N_ ("only to run on another device"), NULL } } },
};

const SondeDebugAnalysisForm *
sonde_debug_analysis_form_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    if (g_str_equal (forms[i].name, name))
      return &forms[i];
  return NULL;
}

static gboolean
check_required (const SondeDebugAnalysisForm *form, const SondeDebugAnalysisInput *input,
                GError **error)
{
  for (int i = 0; i < SONDE_DEBUG_ANALYSIS_MAX_FIELDS && form->fields[i].words != NULL; i++)
    {
      g_autofree char *text = form->fields[i].required ? dup_text (input, i) : NULL;

      if (form->fields[i].required && text == NULL)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Fill in “%-s” first.", form->fields[i].words);
          return FALSE;
        }
    }
  return TRUE;
}

SondeSessionRequest *
sonde_debug_analysis_form_make_request (const SondeDebugAnalysisForm *form,
                                        const SondeDebugAnalysisInput *input, GError **error)
{
  g_return_val_if_fail (form->make != NULL, NULL);
  return check_required (form, input, error) ? form->make (input, error) : NULL;
}

SondeCommand *
sonde_debug_analysis_form_make_command (const SondeDebugAnalysisForm *form,
                                        const SondeDebugAnalysisInput *input, GError **error)
{
  if (form->make_command == NULL || !check_required (form, input, error))
    return NULL;
  return form->make_command (input, error);
}
