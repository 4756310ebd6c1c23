/* SPDX-License-Identifier: Apache-2.0
 * Going back inside of bodies: the places and values of a run that only goes forward, in other
 * orders. */
#include "engine/debug/sonde-reverse-execution.h"

#include <string.h>

#include "tests/engine/debug/nested-net.h"

static const char *const nets[] = { "loops", "scan" };

/* Frames with what can be read in the innermost, as text. (transfer full) */
static char *
describe (NestedNet *net)
{
  g_autoptr (GPtrArray) frames = sonde_debugger_get_frames (net->debugger);
  SondeExecution *execution = sonde_debugger_get_innermost (net->debugger);
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  GString *text = g_string_new (NULL);

  for (guint i = frames->len; i > 0; i--)
    {
      const SondeFrame *frame = g_ptr_array_index (frames, i - 1);

      g_string_append_printf (text, "%s:%" G_GINT64_FORMAT "@%u ", frame->node, frame->iteration,
                              frame->position);
    }
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      g_autoptr (SondeTensor) tensor
          = value != NULL && sonde_execution_is_available (execution, value)
                ? sonde_execution_read (execution, value, NULL)
                : NULL;

      g_string_append_printf (text, "%s=", value != NULL ? value->name : "");
      for (gsize k = 0; tensor != NULL && k < sonde_tensor_n_bytes (tensor); k++)
        g_string_append_printf (text, "%02x", tensor->data[k]);
      g_string_append_c (text, ' ');
    }
  return g_string_free (text, FALSE);
}

static SondeStopReason
go_back (NestedNet *net, SondeBackKind kind, guint64 count, const char *target)
{
  const SondeBack how = { .kind = kind, .count = count, .target = target };
  g_autoptr (GError) error = NULL;
  SondeStop stop;

  sonde_debugger_go_back (net->debugger, &how, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_debugger_run_back (net->debugger, &error), ==, SONDE_RUN_PAUSED);
  g_assert_no_error (error);
  sonde_debugger_get_stop (net->debugger, &stop);
  return stop.reason;
}

/* All places that INTO comes to. (element-type utf8) */
static GPtrArray *
list_places (const char *which)
{
  GPtrArray *places = g_ptr_array_new_with_free_func (g_free);
  NestedNet net;

  nested_net_init (&net, which);
  while (nested_net_resume (&net, SONDE_RESUME_INTO, 1, NULL, NULL) == SONDE_RUN_PAUSED)
    g_ptr_array_add (places, describe (&net));
  nested_net_clear (&net);
  return places;
}

static guint
count_frames (NestedNet *net)
{
  g_autoptr (GPtrArray) frames = sonde_debugger_get_frames (net->debugger);

  return frames->len;
}

/* Steps back in a frame are steps of that frame, and lead to places that there are. */
static void
test_steps (gconstpointer which)
{
  g_autoptr (GPtrArray) places = list_places (which);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);

  g_assert_cmpuint (places->len, >, 8);
  for (guint k = 0; k < places->len; k++)
    {
      guint64 n = (guint64) g_rand_int_range (random, 1, 4);
      g_autofree char *back = NULL, *on = NULL;
      NestedNet net;
      guint depth;

      nested_net_init (&net, which);
      g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_INTO, k + 1, NULL, NULL), ==,
                       SONDE_RUN_PAUSED);
      depth = count_frames (&net);
      if (go_back (&net, SONDE_BACK_STEPS, n, NULL) == SONDE_STOP_STEP)
        {
          back = describe (&net);
          g_assert_true (strstr (back, "@0 ") == back + strlen (":-1")
                         || g_ptr_array_find_with_equal_func (places, back, g_str_equal, NULL));
          if (count_frames (&net) == depth)
            {
              g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_STEP, n, NULL, NULL), ==,
                               SONDE_RUN_PAUSED);
              on = describe (&net);
              g_assert_cmpstr (on, ==, places->pdata[k]);
            }
        }
      nested_net_clear (&net);
    }
}

static void
add_breakpoints (NestedNet *net, guint seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  for (guint i = 0; i < 1 + seed % 3; i++)
    {
      SondeBreakpointSpec spec = {
        .pattern
        = net->names[g_rand_int_range (random, 0, (gint32) g_strv_length ((char **) net->names))]
      };
      g_autoptr (GError) error = NULL;

      spec.moment = g_rand_boolean (random) ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
      sonde_debugger_add_breakpoint (net->debugger, &spec, &error);
      g_assert_no_error (error);
    }
}

/* The stops of a run, from the last to the first. */
static void
test_reverse (gconstpointer which)
{
  for (guint seed = 0; seed < 20; seed++)
    {
      g_autoptr (GPtrArray) stops = g_ptr_array_new_with_free_func (g_free);
      g_autofree char *here = NULL;
      NestedNet net;
      guint at;

      nested_net_init (&net, which);
      add_breakpoints (&net, seed);
      while (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 1, NULL, NULL) == SONDE_RUN_PAUSED)
        g_ptr_array_add (stops, describe (&net));
      for (at = stops->len; at > 0; at--)
        {
          g_autofree char *place = NULL;

          g_assert_cmpint (go_back (&net, SONDE_BACK_REVERSE, 0, NULL), ==, SONDE_STOP_BREAKPOINT);
          place = describe (&net);
          g_assert_cmpstr (place, ==, stops->pdata[at - 1]);
        }
      g_assert_cmpint (go_back (&net, SONDE_BACK_REVERSE, 0, NULL), ==, SONDE_STOP_BEGINNING);
      here = describe (&net);
      at = stops->len > 0 && g_str_equal (stops->pdata[0], here) ? 1 : 0; /* it stands there */
      for (; at < stops->len; at++)                                       /* and forward again */
        {
          g_autofree char *place = NULL;

          g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 1, NULL, NULL), ==,
                           SONDE_RUN_PAUSED);
          place = describe (&net);
          g_assert_cmpstr (place, ==, stops->pdata[at]);
        }
      nested_net_clear (&net);
    }
}

/* Before a node of a body: in this iteration, in the last one that there was. */
static void
test_nodes (void)
{
  g_autofree char *first = NULL, *again = NULL, *last = NULL;
  SondeExecution *execution;
  NestedNet net;

  nested_net_init (&net, "loops");
  nested_net_resume (&net, SONDE_RESUME_UNTIL, 1, "v_mul", NULL);
  first = describe (&net);
  nested_net_resume (&net, SONDE_RESUME_STEP, 1, NULL, NULL);
  g_assert_cmpint (go_back (&net, SONDE_BACK_NODE, 0, "v_mul"), ==, SONDE_STOP_UNTIL);
  again = describe (&net);
  g_assert_cmpstr (first, ==, again);
  nested_net_resume (&net, SONDE_RESUME_UNTIL, 1, "rest", NULL);
  g_assert_cmpuint (count_frames (&net), ==, 1);
  g_assert_cmpint (go_back (&net, SONDE_BACK_NODE, 0, "v_mul"), ==, SONDE_STOP_UNTIL);
  last = describe (&net);
  execution = sonde_debugger_get_innermost (net.debugger);
  g_assert_cmpint (sonde_execution_get_iteration (execution), ==, 1);
  g_assert_cmpint (sonde_execution_get_iteration (sonde_execution_get_parent (execution)), ==, 2);
  nested_net_clear (&net);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autofree char *steps = g_strdup_printf ("/debug/back-inside/steps/%s", nets[i]);
      g_autofree char *reverse = g_strdup_printf ("/debug/back-inside/reverse/%s", nets[i]);

      g_test_add_data_func (steps, nets[i], test_steps);
      g_test_add_data_func (reverse, nets[i], test_reverse);
    }
  g_test_add_func ("/debug/back-inside/nodes", test_nodes);
  return g_test_run ();
}
