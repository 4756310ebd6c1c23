/* SPDX-License-Identifier: Apache-2.0
 * What of that which a debugger waits for needs to be told of operators. */
#include "engine/live/sonde-live-loop.h"

#include <glib.h>

static char **
list_nodes (gpointer data)
{
  return g_new0 (char *, 1);
}

static SondeTensor *
get_value (gpointer data, const char *name, gboolean previous, GError **error)
{
  g_assert_not_reached ();
}

static const SondeLiveHooks hooks = { .list_nodes = list_nodes, .get_value = get_value };

static gboolean
reaches_with_breakpoint (const char *pattern, const char *condition)
{
  const SondeBreakpointSpec spec = { .pattern = pattern, .condition = condition };
  g_autoptr (SondeLiveLoop) loop = sonde_live_loop_new (&hooks, NULL);
  SondeLiveTarget *target = sonde_live_loop_get_target (loop);
  gboolean reaches;

  g_assert_false (sonde_live_loop_reaches_operators (loop));
  g_assert_nonnull (target->klass->add_breakpoint (target, &spec, NULL));
  g_assert_true (sonde_live_loop_is_armed (loop));
  reaches = sonde_live_loop_reaches_operators (loop);
  g_assert_true (target->klass->enable (target, 0, FALSE, NULL));
  g_assert_false (sonde_live_loop_reaches_operators (loop));
  return reaches;
}

static gboolean
reaches_with_watch (const char *text)
{
  g_autoptr (SondeLiveLoop) loop = sonde_live_loop_new (&hooks, NULL);
  SondeLiveTarget *target = sonde_live_loop_get_target (loop);
  g_autoptr (GPtrArray) watches = target->klass->add_watches (target, text, NULL);

  g_assert_nonnull (watches);
  return sonde_live_loop_reaches_operators (loop);
}

static gboolean
reaches_on_way_to (const char *place, guint64 step)
{
  const SondeResume resume = { .kind = SONDE_RESUME_UNTIL, .target = place };
  g_autoptr (SondeLiveLoop) loop = sonde_live_loop_new (&hooks, NULL);

  sonde_live_loop_begin_step (loop, 1);
  g_assert_true (sonde_live_loop_resume (loop, &resume, NULL));
  sonde_live_loop_begin_step (loop, step);
  return sonde_live_loop_reaches_operators (loop);
}

static void
test_breakpoints (void)
{
  const char *const modules[] = { "layers.3",  "conv#2",         "conv#*",         "grad(layers.3)",
                                  "fc.weight", "scope:layers.*", "grad(fc.weight)" };
  const char *const operators[] = { "fc/addmm", "layers.*", "op:relu",    "phase:backward",
                                    "loss",     "/sum",     "conv#2/add", "catch:error" };

  for (guint i = 0; i < G_N_ELEMENTS (modules); i++)
    g_assert_false (reaches_with_breakpoint (modules[i], NULL));
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    g_assert_true (reaches_with_breakpoint (operators[i], NULL));
}

/* What a condition reads has to be kept when it is made. */
static void
test_conditions (void)
{
  g_assert_false (reaches_with_breakpoint ("fc", "max(fc) > 3 and step > 5"));
  g_assert_true (reaches_with_breakpoint ("fc", "max(layers.3/relu) > 3"));
  g_assert_true (reaches_with_breakpoint ("fc", "loss > 3"));
}

static void
test_watches (void)
{
  g_assert_false (reaches_with_watch ("preset weight_overflow"));
  g_assert_false (reaches_with_watch ("preset gradient_exploding"));
  g_assert_false (reaches_with_watch ("max(grad(fc.weight)) > 3"));
  g_assert_false (reaches_with_watch ("preset tensor_overflow on fc"));
  g_assert_true (reaches_with_watch ("preset tensor_overflow"));
  g_assert_true (reaches_with_watch ("preset tensor_overflow on op:relu"));
  g_assert_true (reaches_with_watch ("max(fc/addmm) > 3"));
}

static void
test_steps (void)
{
  g_assert_true (reaches_on_way_to ("phase:optimiser", 1));
  g_assert_false (reaches_on_way_to ("step:5", 4));
  g_assert_true (reaches_on_way_to ("step:5", 5));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/reach/breakpoints", test_breakpoints);
  g_test_add_func ("/live/reach/conditions", test_conditions);
  g_test_add_func ("/live/reach/watches", test_watches);
  g_test_add_func ("/live/reach/steps", test_steps);
  return g_test_run ();
}
