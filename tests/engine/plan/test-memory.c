/* SPDX-License-Identifier: Apache-2.0
 * The memory plan itself: two values that live at the same time never share a byte, and what is said to be
 * overwritten when is true. */
#include "engine/plan/sonde-plan-private.h"
#include "tests/engine/plan/training-net.h"

#include "engine/ops/sonde-build.h"

static SondePlan *
plan_graph (SondeGraph     *graph,
            SondeMemoryMode memory)
{
  const SondePlanOptions options = { .memory = memory };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, &error);
  SondePlan *plan = sonde_plan_new (graph, device, &options, &error);

  g_assert_no_error (error);
  return plan;
}

/* Simulates a run: who wrote each root last, and whether every step reads what it means to read. */
static void
check_run (const SondePlan *plan)
{
  guint n = plan->slots->len;
  g_autofree gboolean *alive = g_new0 (gboolean, n + 1);

  for (guint k = 0; k < plan->steps->len; k++)
    {
      const SondePlanStep *step = sonde_plan_step (plan, k);

      for (guint i = 0; i < step->n_input_slots; i++)
        if (step->input_slots[i] != SONDE_NO_SLOT)
          {
            guint source = sonde_plan_slot (plan, step->input_slots[i])->source;

            g_assert_true (sonde_plan_slot (plan, source)->produced_by == SONDE_NEVER || alive[source]);
          }

      for (guint i = 0; i < step->n_output_slots; i++)
        {
          guint index = step->output_slots[i];
          const SondeSlot *made = index != SONDE_NO_SLOT ? sonde_plan_slot (plan, index) : NULL;
          const SondeSlot *root = made != NULL ? sonde_plan_slot (plan, made->root) : NULL;

          if (made == NULL || made->source != index)
            continue;

          for (guint j = 0; j < n; j++)
            {
              const SondeSlot *other = sonde_plan_slot (plan, j);
              const SondeSlot *room = sonde_plan_slot (plan, other->root);

              if (!alive[j] || other->source != j || root->room != SONDE_ROOM_ARENA
                  || room->room != SONDE_ROOM_ARENA || room->offset >= root->offset + root->bytes
                  || root->offset >= room->offset + room->bytes)
                continue;

              g_assert_cmpuint (other->overwritten_by, ==, k);
              g_assert_cmpuint (other->last_use, <=, k);
              alive[j] = FALSE;
            }

          alive[index] = TRUE;
        }
    }

  for (guint j = 0; j < n; j++)
    if (alive[j])
      g_assert_cmpuint (sonde_plan_slot (plan, j)->overwritten_by, ==, SONDE_NEVER);
}

static void
test_training (void)
{
  SondeMemoryMode modes[] = { SONDE_MEMORY_PLAN, SONDE_MEMORY_KEEP };
  const char *optimisers[] = { NULL, "sgd", "adam" };

  for (gsize m = 0; m < G_N_ELEMENTS (modes); m++)
    for (gsize o = 0; o < G_N_ELEMENTS (optimisers); o++)
      {
        g_autoptr (TrainingNet) net = training_net_new (4, 28, optimisers[o]);
        g_autoptr (SondePlan) plan = plan_graph (net->graph, modes[m]);

        check_run (plan);
      }
}

/* Random graphs of element-wise nodes: many readers, in place, views. */
static void
test_random_graphs (void)
{
  for (guint seed = 0; seed < 40; seed++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("random");
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      g_autoptr (GPtrArray) values = g_ptr_array_new ();
      g_autoptr (SondePlan) plan = NULL;
      SondeShape shape = sonde_shape_make (2, 8, 24);
      SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);

      sonde_graph_set_opset (graph, "", 21);
      g_ptr_array_add (values, sonde_graph_add_input (graph, "x", &type));
      for (int i = 0; i < 60; i++)
        {
          SondeGraphValue *a = g_ptr_array_index (values, g_rand_int_range (random, MAX (0, i - 8), i + 1));
          SondeGraphValue *b = g_ptr_array_index (values, g_rand_int_range (random, MAX (0, i - 8), i + 1));
          int kind = g_rand_int_range (random, 0, 4);

          g_ptr_array_add (values, kind == 0   ? sonde_build_unary (graph, "Relu", a)
                                   : kind == 1 ? sonde_build_unary (graph, "Identity", a)
                                   : kind == 2 ? sonde_build_unary (graph, "Tanh", a)
                                               : sonde_build_binary (graph, "Add", a, b));
        }

      sonde_graph_add_output (graph, g_ptr_array_index (values, 60));
      sonde_graph_add_output (graph, g_ptr_array_index (values, 30));
      plan = plan_graph (graph, SONDE_MEMORY_PLAN);
      check_run (plan);
    }
}

/* A chain needs room for two values at most, however long it is. */
static void
test_long_chain (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("chain");
  g_autoptr (SondePlan) plan = NULL;
  SondeShape shape = sonde_shape_make (1, 1024);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x;

  sonde_graph_set_opset (graph, "", 21);
  x = sonde_graph_add_input (graph, "x", &type);
  for (int i = 0; i < 3000; i++)
    x = sonde_build_unary (graph, i % 2 == 0 ? "Relu" : "Softmax", x);
  sonde_graph_add_output (graph, x);
  plan = plan_graph (graph, SONDE_MEMORY_PLAN);
  g_assert_cmpuint (sonde_plan_get_arena_bytes (plan), <=, 2 * 4096);
  check_run (plan);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/plan/memory/training", test_training);
  g_test_add_func ("/engine/plan/memory/random-graphs", test_random_graphs);
  g_test_add_func ("/engine/plan/memory/long-chain", test_long_chain);
  return g_test_run ();
}
