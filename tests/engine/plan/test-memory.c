/* SPDX-License-Identifier: Apache-2.0
 * The memory plan itself: two values that live at the same time never share a byte, and what is
 * said to be overwritten when is true. */
#include "engine/plan/sonde-execution.h"
#include "engine/plan/sonde-plan-data.h"
#include "tests/engine/plan/graph-lines.h"
#include "tests/engine/plan/training-net.h"

#include "engine/ops/sonde-build.h"

static SondePlan *
plan_graph (SondeGraph *graph, SondeMemoryMode memory)
{
  const SondePlanOptions options = { .memory = memory };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, &error);
  SondePlan *plan = sonde_plan_new (graph, device, &options, &error);

  g_assert_no_error (error);
  return plan;
}

static gboolean
overlaps (const SondePlan *plan, const SondePlanSlot *slot, gsize offset, gsize bytes)
{
  const SondePlanSlot *room = sonde_plan_slot (plan, slot->root);

  return room->storage == SONDE_STORAGE_ARENA && room->offset < offset + bytes
         && offset < room->offset + room->bytes;
}

/* The scratch of step @k lies where nothing is needed any more. */
static void
check_scratch (const SondePlan *plan, guint k, gboolean *alive)
{
  const SondePlanStep *step = sonde_plan_step (plan, k);

  if (step->workspace_bytes == 0)
    return;

  g_assert_cmpuint (step->workspace_offset + step->workspace_bytes, <=,
                    sonde_plan_get_arena_bytes (plan));
  for (guint i = 0; i < step->n_output_slots; i++)
    if (step->output_slots[i] != SONDE_NO_SLOT)
      g_assert_false (overlaps (plan, sonde_plan_slot (plan, step->output_slots[i]),
                                step->workspace_offset, step->workspace_bytes));
  for (guint j = 0; j < plan->slots->len; j++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, j);

      if (!alive[j] || slot->source != j
          || !overlaps (plan, slot, step->workspace_offset, step->workspace_bytes))
        continue;
      g_assert_cmpuint (slot->overwritten_by, ==, k);
      g_assert_cmpuint (slot->last_use, <, k);
      alive[j] = FALSE;
    }
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

            g_assert_true (sonde_plan_slot (plan, source)->produced_by == SONDE_NEVER
                           || alive[source]);
          }

      check_scratch (plan, k, alive);
      for (guint i = 0; i < step->n_output_slots; i++)
        {
          guint index = step->output_slots[i];
          const SondePlanSlot *made = index != SONDE_NO_SLOT ? sonde_plan_slot (plan, index) : NULL;
          const SondePlanSlot *root = made != NULL ? sonde_plan_slot (plan, made->root) : NULL;

          if (made == NULL || made->source != index)
            continue;

          for (guint j = 0; j < n; j++)
            {
              const SondePlanSlot *other = sonde_plan_slot (plan, j);
              const SondePlanSlot *room = sonde_plan_slot (plan, other->root);

              if (!alive[j] || other->source != j || root->storage != SONDE_STORAGE_ARENA
                  || room->storage != SONDE_STORAGE_ARENA
                  || room->offset >= root->offset + root->bytes
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
          SondeGraphValue *a
              = g_ptr_array_index (values, g_rand_int_range (random, MAX (0, i - 8), i + 1));
          SondeGraphValue *b
              = g_ptr_array_index (values, g_rand_int_range (random, MAX (0, i - 8), i + 1));
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

/* The result lies where the second operand lay, or, of a chain, the operand that no later node
 * reads. */
static void
test_operands (void)
{
  SondeShape shape = sonde_shape_make (2, 64, 16), row = sonde_shape_make (1, 16);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape),
            row_type = sonde_type_tensor (SONDE_DTYPE_F32, &row);

  for (guint chain = 0; chain < 2; chain++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("operands");
      g_autoptr (SondePlan) plan = NULL;
      SondeGraphValue *y, *w;

      sonde_graph_set_opset (graph, "", 21);
      y = sonde_build_unary (graph, "Softmax", sonde_graph_add_input (graph, "x", &type));
      w = sonde_graph_add_input (graph, "w", &row_type);
      y = sonde_build_binary (graph, "Sub", w, y);
      if (chain)
        {
          sonde_graph_add_output (graph, y);
          y = sonde_build_binary (graph, "Mul", y, w);
        }
      sonde_graph_add_output (graph, sonde_build_unary (graph, "Softmax", y));
      plan = plan_graph (graph, SONDE_MEMORY_PLAN);
      check_run (plan);
      g_assert_cmpuint (sonde_plan_get_n_steps (plan), ==, 3);
      g_assert_cmpuint (sonde_plan_get_arena_bytes (plan), ==,
                        (1 + chain) * 64 * 16 * sizeof (float));
    }
}

static SondeGraph *
random_mixture (guint seed, SondeGraphValue **values)
{
  static const char *const binary[] = { "Add", "Sub", "Mul", "Max" }, *const unary[]
                                                                      = { "Erf", "Tanh", "Neg",
                                                                          "Softmax" };
  SondeGraph *graph = sonde_graph_new ("mixture");
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  SondeShape shape = sonde_shape_make (3, 2, 100, 190), row = sonde_shape_make (1, 190);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape),
            row_type = sonde_type_tensor (SONDE_DTYPE_F32, &row);

  sonde_graph_set_opset (graph, "", 21);
  values[0] = sonde_graph_add_input (graph, "x", &type);
  values[1] = sonde_graph_add_input (graph, "w", &row_type);
  values[2] = sonde_build_binary (graph, "Mul", values[0], values[1]);
  for (int i = 3; i < 40; i++)
    {
      SondeGraphValue *a = values[g_rand_int_range (random, MAX (2, i - 3), i)];
      SondeGraphValue *b = values[g_rand_int_range (random, MAX (1, i - 5), i)];
      const int kind = g_rand_int_range (random, 0, 8);

      values[i] = kind >= 4  ? sonde_build_unary (graph, unary[kind - 4], a)
                  : seed % 2 ? sonde_build_binary (graph, binary[kind], b, a)
                             : sonde_build_binary (graph, binary[kind], a, b);
    }
  sonde_graph_add_output (graph, values[39]);
  return graph;
}

static SondeExecution *
run_mixture (SondeGraph *graph, SondeMemoryMode memory, const char *const *kept, int threads,
             SondeTensor *x, SondeTensor *w)
{
  const SondePlanOptions options
      = { .memory = memory, .no_fusion = memory == SONDE_MEMORY_KEEP, .kept = kept };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", threads, &error);
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, &options, &error);
  SondeExecution *execution = sonde_execution_new (plan, &error);

  g_assert_no_error (error);
  if (memory == SONDE_MEMORY_PLAN)
    check_run (plan);
  g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
  g_assert_true (sonde_execution_set_input (execution, "w", w, &error));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  return execution;
}

/* What is written over an operand, in chains of which some values are kept, has the bits of each
 * node alone. */
static void
test_random_runs (void)
{
  for (guint seed = 0; seed < 24; seed++)
    {
      SondeGraphValue *values[40], *others[40];
      g_autoptr (SondeGraph) graph = random_mixture (seed, values),
                             other = random_mixture (seed, others);
      g_autoptr (SondeTensor) x = graph_lines_random ("2x100x190"), w = graph_lines_random ("190");
      g_autoptr (SondeExecution) alone = run_mixture (other, SONDE_MEMORY_KEEP, NULL, 1, x, w),
                                 planned = NULL;
      const char *kept[40] = { NULL };
      guint n = 0;

      for (guint i = 2; i < 40; i += 1 + seed % 3)
        kept[n++] = values[i]->name;
      planned = run_mixture (graph, SONDE_MEMORY_PLAN, kept, 1 + seed / 2 % 2, x, w);
      for (guint i = 2; i < 40; i++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (SondeTensor) ours = sonde_execution_read (planned, values[i], &error);
          g_autoptr (SondeTensor) theirs = sonde_execution_read (alone, others[i], &error);

          g_assert_no_error (error);
          g_assert_true (sonde_tensor_equal (ours, theirs));
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/plan/memory/training", test_training);
  g_test_add_func ("/engine/plan/memory/random-graphs", test_random_graphs);
  g_test_add_func ("/engine/plan/memory/long-chain", test_long_chain);
  g_test_add_func ("/engine/plan/memory/operands", test_operands);
  g_test_add_func ("/engine/plan/memory/random-runs", test_random_runs);
  return g_test_run ();
}
