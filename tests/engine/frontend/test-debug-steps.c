/* SPDX-License-Identifier: Apache-2.0
 * The list of steps: its items, and finding them by line, node and value. */
#include "engine/frontend/sonde-debug-steps.h"

static void
info_free (gpointer data)
{
  SondeStepInfo *info = data;

  g_free (info->name);
  g_free (info->op);
  g_strfreev (info->nodes);
  g_strfreev (info->originals);
  g_strfreev (info->inputs);
  g_strfreev (info->outputs);
  g_free (info);
}

/* @nodes, @originals: separated by blanks */
static void
add (GPtrArray *infos, const char *name, const char *op, const char *nodes, const char *originals,
     const char *output)
{
  SondeStepInfo *info = g_new0 (SondeStepInfo, 1);

  info->name = g_strdup (name);
  info->op = g_strdup (op);
  info->nodes = g_strsplit (nodes, " ", -1);
  info->originals = g_strsplit (originals, " ", -1);
  info->inputs = g_strsplit (output, " ", -1);
  info->outputs = g_strsplit (output, " ", -1);
  g_ptr_array_add (infos, info);
}

static void
note_change (guint *changes, guint position, guint removed, guint added)
{
  changes[0] += removed;
  changes[1] += added;
}

static void
test_steps (void)
{
  g_autoptr (SondeDebugSteps) steps = sonde_debug_steps_new ();
  GPtrArray *infos = g_ptr_array_new_with_free_func (info_free);
  guint *lines = g_new0 (guint, 3), changes[2] = { 0, 0 };
  g_autoptr (SondeDebugStep) item = NULL;

  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (steps)), ==, 0);
  g_assert_null (sonde_debug_steps_get (steps, 0));
  g_assert_null (sonde_debug_steps_find_middle (steps));
  g_signal_connect_swapped (steps, "items-changed", G_CALLBACK (note_change), changes);
  add (infos, "fused", "Conv", "conv1 relu1", "conv1 batch1 relu1", "a");
  add (infos, "pool", "MaxPool", "pool", "pool", "b c");
  add (infos, "fc", "Gemm", "fc", "dense", "d");
  sonde_debug_steps_set (steps, infos);
  lines[0] = 4;
  lines[2] = 7;
  sonde_debug_steps_set_lines (steps, lines, 3);

  g_assert_cmpuint (changes[1], ==, 3);
  item = g_list_model_get_item (G_LIST_MODEL (steps), 1);
  g_assert_cmpuint (sonde_debug_step_get_position (item), ==, 1);
  g_assert_cmpstr (sonde_debug_step_get_info (item)->op, ==, "MaxPool");
  g_assert_null (g_list_model_get_item (G_LIST_MODEL (steps), 3));
  g_assert_cmpstr (sonde_debug_steps_get_name (steps, 0), ==, "conv1");
  g_assert_null (sonde_debug_steps_get_name (steps, 3));

  g_assert_cmpuint (sonde_debug_steps_find_node (steps, "relu1"), ==, 0);
  g_assert_cmpuint (sonde_debug_steps_find_node (steps, "dense"), ==, 2);
  g_assert_cmpuint (sonde_debug_steps_find_node (steps, "nothing"), ==, SONDE_DEBUG_NO_STEP);
  g_assert_cmpuint (sonde_debug_steps_find_node (steps, NULL), ==, SONDE_DEBUG_NO_STEP);
  g_assert_cmpuint (sonde_debug_steps_find_producer (steps, "c", NULL), ==, 1);
  g_assert_cmpuint (sonde_debug_steps_find_producer (steps, "x", NULL), ==, SONDE_DEBUG_NO_STEP);
  g_assert_cmpuint (sonde_debug_steps_find_line (steps, 7), ==, 2);
  g_assert_cmpuint (sonde_debug_steps_find_line (steps, 0), ==, SONDE_DEBUG_NO_STEP);
  g_assert_cmpuint (sonde_debug_steps_get_line (steps, 1), ==, 0);

  g_assert_true (sonde_debug_step_is_meant (sonde_debug_step_get_info (item), "op:Max*"));
  g_assert_true (sonde_debug_step_is_meant (sonde_debug_step_get_info (item), "p?ol"));
  g_assert_false (sonde_debug_step_is_meant (sonde_debug_step_get_info (item), "conv*"));

  sonde_debug_steps_set (steps, NULL);
  g_assert_cmpuint (changes[0], ==, 3);
  /* An item outlives its list. */
  g_assert_cmpstr (sonde_debug_step_get_info (item)->name, ==, "pool");
}

/* A line for each inserted step before that of the next node, and all steps on theirs. */
static void
test_inserted (void)
{
  g_autoptr (SondeDebugSteps) steps = sonde_debug_steps_new ();
  GPtrArray *infos = g_ptr_array_new_with_free_func (info_free);
  const guint expected[] = { 1, 2, 4, 5, 6 };
  guint *lines = g_new0 (guint, 5);
  g_autofree char *text = NULL;
  g_auto (GStrv) all = NULL;

  add (infos, "reorder(x)", "Reorder", "", "", "x");
  add (infos, "conv1", "Conv", "conv1", "conv1", "a");
  add (infos, "reorder(a)", "Reorder", "", "", "a");
  add (infos, "fc", "Gemm", "fc", "fc", "b");
  add (infos, "reorder(b)", "Reorder", "", "", "b");
  sonde_debug_steps_set (steps, infos);
  lines[1] = 1;
  lines[3] = 3;
  sonde_debug_steps_set_lines (steps, lines, 5);
  text = sonde_debug_steps_insert_lines (steps, "conv1: …\n  body\nfc: …\n");
  all = g_strsplit (text, "\n", -1);

  g_assert_cmpuint (g_strv_length (all), ==, 7);
  g_assert_cmpstr (all[0], ==, "reorder(x): x = Reorder (x)  # inserted: memory layout");
  g_assert_cmpstr (all[1], ==, "conv1: …");
  g_assert_cmpstr (all[2], ==, "  body");
  g_assert_true (g_str_has_prefix (all[3], "reorder(a): "));
  g_assert_cmpstr (all[4], ==, "fc: …");
  g_assert_true (g_str_has_prefix (all[5], "reorder(b): "));
  for (guint i = 0; i < 5; i++)
    g_assert_cmpuint (sonde_debug_steps_get_line (steps, i), ==, expected[i]);
  g_assert_cmpuint (sonde_debug_steps_find_shown (steps, 0), ==, 1);
  g_assert_cmpuint (sonde_debug_steps_find_shown (steps, 1), ==, 1);
  g_assert_cmpuint (sonde_debug_steps_find_shown (steps, 4), ==, SONDE_DEBUG_NO_STEP);
  g_assert_cmpuint (sonde_debug_steps_find_shown (steps, 9), ==, SONDE_DEBUG_NO_STEP);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/debugger/steps", test_steps);
  g_test_add_func ("/app/debugger/steps/inserted", test_inserted);
  return g_test_run ();
}
