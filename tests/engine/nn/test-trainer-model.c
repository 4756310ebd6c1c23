/* SPDX-License-Identifier: Apache-2.0
 * A model that is changed in the middle of a training: the weights that come of it are, bit for
 * bit, those of a training of the changed model that began with the weights, states and progress of
 * that moment. */
#include <math.h>
#include <string.h>

#include "engine/nn/sonde-trainer.h"
#include "engine/nn/sonde-zoo.h"

#define BATCH 8
#define N_SAMPLES 44 /* the last batch of an epoch is smaller */

static gboolean
load (SondeBatchSource *source, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  gint64 n = MIN (BATCH, (test ? BATCH : N_SAMPLES) - (gint64) batch * BATCH);
  SondeShape shape = { 4, { n, 1, 28, 28 } }, classes = { 1, { n } };

  inputs[0] = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &classes);
  for (gint64 i = 0; i < sonde_tensor_n_elements (inputs[0]); i++)
    ((float *) inputs[0]->data)[i] = (float) sin ((double) (i * 7 + batch * 3 + epoch));
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) (*labels)->data)[i] = (i * 3 + batch) % 10;
  return TRUE;
}

static SondeBatchSource source = { N_SAMPLES, BATCH, load };

static SondeTrainer *
start (SondeGraph *model, SondeMemoryMode memory)
{
  const SondeTrainerOptions options = { .optimiser = "adam",
                                        .learning_rate = 0.01,
                                        .epochs = 2,
                                        .batch = BATCH,
                                        .seed = 5,
                                        .threads = 1,
                                        .memory = memory };
  g_autoptr (GError) error = NULL;
  SondeTrainer *trainer = sonde_trainer_new (model, &source, &options, &error);

  g_assert_no_error (error);
  return trainer;
}

static void
run_steps (SondeTrainer *trainer, guint n)
{
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (sonde_trainer_run_step (trainer, NULL), ==, SONDE_RUN_DONE);
}

/* Pauses once, before a step in the middle. */
typedef struct
{
  SondeObserver base;
  gboolean paused;
} Pause;

static guint
wants (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return step == sonde_plan_get_n_steps (sonde_execution_get_plan (execution)) / 2
             ? SONDE_WANT_BEFORE
             : SONDE_WANT_NOTHING;
}

static SondeAnswer
before (SondeObserver *observer, SondeExecution *execution, guint step)
{
  Pause *pause = (Pause *) observer;
  gboolean now = !pause->paused;

  pause->paused = TRUE;
  return now ? SONDE_ANSWER_PAUSE : SONDE_ANSWER_CONTINUE;
}

static void
run_half (SondeTrainer *trainer)
{
  Pause pause = { .base = { .wants = wants, .before = before } };

  sonde_trainer_add_observer (trainer, &pause.base);
  g_assert_cmpint (sonde_trainer_run_step (trainer, NULL), ==, SONDE_RUN_PAUSED);
  sonde_trainer_remove_observer (trainer, &pause.base);
}

static SondeGraph *
new_model (void)
{
  const SondeZooInput input = { .channels = 1, .height = 28, .width = 28, .classes = 10 };
  g_autoptr (GError) error = NULL;
  SondeGraph *model = sonde_zoo_build_for ("lenet", &input, 5, &error);

  g_assert_no_error (error);
  return model;
}

/* The first Relu gives its input. */
static SondeGraph *
new_changed (SondeGraph *model)
{
  SondeGraph *changed = sonde_graph_copy (model, FALSE);

  for (guint i = 0; i < changed->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (changed->nodes, i);

      if (!sonde_node_is (node, SONDE_OP_ID_RELU))
        continue;
      sonde_graph_replace_value (changed, sonde_node_get_output (node, 0),
                                 sonde_node_get_input (node, 0));
      sonde_graph_remove_node (changed, node);
      return changed;
    }
  g_assert_not_reached ();
}

static void
assert_same_parameters (SondeTrainer *a, SondeTrainer *b)
{
  g_auto (GStrv) names = sonde_trainer_list_parameters (a, TRUE);

  g_assert_cmpuint (g_strv_length (names), >, 20);
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) left = sonde_trainer_read_parameter (a, names[i], NULL);
      g_autoptr (SondeTensor) right = sonde_trainer_read_parameter (b, names[i], NULL);

      g_assert_true (sonde_tensor_equal (left, right));
    }
}

/* @whole: the step before the change is done; else the change comes in the middle of the next. */
static void
check_change (SondeMemoryMode memory, gboolean whole, guint before, guint after)
{
  g_autoptr (SondeGraph) model = new_model (), changed = new_changed (model);
  g_autoptr (SondeTrainer) one = start (model, memory), first = start (model, memory),
                           second = start (changed, memory);
  g_autoptr (SondeTensor) progress = NULL;
  g_auto (GStrv) names = NULL;
  g_autoptr (GError) error = NULL;

  run_steps (one, before);
  if (!whole)
    run_half (one);
  g_assert_true (sonde_trainer_set_model (one, changed, &error));
  g_assert_no_error (error);
  run_steps (one, after);

  run_steps (first, before);
  names = sonde_trainer_list_parameters (first, TRUE);
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) tensor = sonde_trainer_read_parameter (first, names[i], NULL);

      g_assert_true (sonde_trainer_write_parameter (second, names[i], tensor, NULL));
    }
  progress = sonde_trainer_dup_progress (first);
  g_assert_true (sonde_trainer_set_progress (second, progress, NULL));
  run_steps (second, after);
  assert_same_parameters (one, second);
  g_assert_cmpuint (sonde_trainer_get_state (one)->step, ==, before + after);
}

static void
test_change (void)
{
  for (int memory = SONDE_MEMORY_PLAN; memory <= SONDE_MEMORY_KEEP; memory++)
    {
      check_change (memory, TRUE, 2, 3);
      check_change (memory, FALSE, 2, 3);
      check_change (memory, FALSE, 5, 4); /* the step that is given up has the smaller batch */
      check_change (memory, TRUE, 0, 2);
    }
}

/* One that does not fit leaves the training as it was. */
static void
test_refused (void)
{
  g_autoptr (SondeGraph) model = new_model (), broken = sonde_graph_copy (model, FALSE);
  g_autoptr (SondeTrainer) one = start (model, SONDE_MEMORY_KEEP),
                           other = start (model, SONDE_MEMORY_KEEP);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < broken->nodes->len; i++)
    if (sonde_node_is (g_ptr_array_index (broken->nodes, i), SONDE_OP_ID_MAX_POOL))
      sonde_node_set_ints (g_ptr_array_index (broken->nodes, i), "strides",
                           (const gint64[]){ 1, 1 }, 2);
  run_steps (one, 2);
  run_steps (other, 3);
  run_half (one);
  g_assert_false (sonde_trainer_set_model (one, broken, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  run_steps (one, 1); /* the rest of the paused one */
  assert_same_parameters (one, other);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/trainer-model/change", test_change);
  g_test_add_func ("/engine/nn/trainer-model/refused", test_refused);
  return g_test_run ();
}
