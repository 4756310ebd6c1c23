/* SPDX-License-Identifier: Apache-2.0
 * Forms of searches: what is missing is said, what was filled in becomes a request. */
#include <string.h>

#include "engine/frontend/sonde-debug-analysis-form.h"
#include "engine/ops/sonde-engine-error.h"

static void
assert_refused (const char *name, const SondeDebugAnalysisInput *input, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_debug_analysis_form_make_request (sonde_debug_analysis_form_find (name),
                                                         input, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, part));
}

static void
assert_made (const char *name, const SondeDebugAnalysisInput *input)
{
  g_autoptr (GError) error = NULL;
  SondeSessionRequest *request = sonde_debug_analysis_form_make_request (
      sonde_debug_analysis_form_find (name), input, &error);

  g_assert_no_error (error);
  g_assert_nonnull (request);
  sonde_session_request_free (request);
}

/* Whoever leaves a field empty learns which. */
static void
test_required (void)
{
  static const char *const names[] = { "origin", "reduce", "precision", "diff", "rerun" };
  static const SondeDebugAnalysisInput nothing = { { NULL } }, blanks = { { "  ", " ", "" } };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const SondeDebugAnalysisForm *form = sonde_debug_analysis_form_find (names[i]);

      assert_refused (names[i], &nothing, form->fields[0].words);
      assert_refused (names[i], &blanks, form->fields[0].words);
    }
  g_assert_null (sonde_debug_analysis_form_find ("nothing"));
}

/* With what a run is compared is a choice; some of them need a name. */
static void
test_diverge (void)
{
  const SondeDebugAnalysisForm *form = sonde_debug_analysis_form_find ("diverge");

  for (guint i = 0; form->fields[0].choices[i] != NULL; i++)
    {
      const SondeDebugAnalysisInput named = { { NULL, "there", "1e-3" }, { i } },
                                    unnamed = { { NULL }, { i } };

      assert_made ("diverge", &named);
      if (i < 5)
        assert_made ("diverge", &unnamed);
      else
        assert_refused ("diverge", &unnamed, "compare with");
    }
}

static void
assert_line (const SondeDebugAnalysisInput *input, const char *line)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCommand) command = sonde_debug_analysis_form_make_command (
      sonde_debug_analysis_form_find ("diverge-step"), input, &error);
  g_autofree char *made = NULL;

  g_assert_no_error (error);
  made = sonde_command_to_line (command);
  g_assert_cmpstr (made, ==, line);
}

/* A step of another program: what would be typed in the console. */
static void
test_diverge_step (void)
{
  const SondeDebugAnalysisForm *form = sonde_debug_analysis_form_find ("diverge-step");
  static const SondeDebugAnalysisInput model
      = { { NULL, "/a/m.onnx", " /a/w.npz ", NULL, "1e-3" }, { 0, 0, 0, 1 } },
      forward = { { NULL, "/a/m.onnx" } }, values = { { NULL, "/a/v.npz" }, { 1, 0, 0, 1 } },
      dump = { { NULL, "/a/dump" }, { 2 } }, nothing = { { NULL } },
      misplaced = { { NULL, "/a/v.npz", "/a/w.npz" }, { 1 } };
  g_autoptr (GError) missing = NULL, refused = NULL;

  assert_line (&model, "diverge --model /a/m.onnx --weights /a/w.npz --rtol 0.001 --gradients");
  assert_line (&forward, "diverge --model /a/m.onnx");
  assert_line (&values, "diverge --reference /a/v.npz");
  assert_line (&dump, "diverge --reference /a/dump");
  g_assert_false (form->wants_folder (&values));
  g_assert_true (form->wants_folder (&dump));
  g_assert_null (sonde_debug_analysis_form_make_command (form, &nothing, &missing));
  g_assert_nonnull (strstr (missing->message, "File or folder"));
  g_assert_null (sonde_debug_analysis_form_make_command (form, &misplaced, &refused));
  g_assert_nonnull (strstr (refused->message, "checkpoint"));
}

static void
test_values (void)
{
  static const SondeDebugAnalysisInput word
      = { { "p.ini", "much" } },
      negative = { { "p.ini", "-1" } }, ending = { { "p.txt", "0.1" } },
      good = { { " p.ini ", " 0.1 " }, { 0, 0, 1 } }, model = { { "m.npz" } },
      device = { { "n" }, { 0, 4 } }, diff = { { "x@run:there", "file:y.npy" } };

  assert_refused ("precision", &word, "“much”");
  assert_refused ("precision", &negative, "“-1”");
  assert_refused ("precision", &ending, ".ini");
  assert_made ("precision", &good);
  assert_refused ("reduce", &model, ".onnx");
  assert_refused ("rerun", &device, "device");
  assert_made ("diff", &diff);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/frontend/analysis-form/required", test_required);
  g_test_add_func ("/engine/frontend/analysis-form/diverge", test_diverge);
  g_test_add_func ("/engine/frontend/analysis-form/diverge-step", test_diverge_step);
  g_test_add_func ("/engine/frontend/analysis-form/values", test_values);
  return g_test_run ();
}
