/* SPDX-License-Identifier: Apache-2.0
 * What a training can be told: accumulation, groups, clipping, moving average, metrics, early end,
 * numbers that are not finite, steps in one go, and going on where another trainer stopped. */
#include "engine/nn/sonde-trainer.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-random.h"
#include "engine/ops/sonde-build.h"

#define FEATURES 6
#define CLASSES 3

/* Sample i of a made-up problem: features drawn for i, class by the largest of the first three. */
typedef struct
{
  SondeBatchSource base;
  guint batch;
} Source;

static gboolean
load (SondeBatchSource *base, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  guint size = ((Source *) base)->batch, all = test ? base->n_test : base->n_samples,
        first = batch * size, n = MIN (size, all - first);
  SondeShape shape = sonde_shape_make (2, (int) n, FEATURES),
             label_shape = sonde_shape_make (1, (int) n);

  g_assert_cmpuint (first, <, all);
  inputs[0] = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &label_shape);
  for (guint i = 0; i < n; i++)
    {
      gint64 best = 0;

      for (guint k = 0; k < FEATURES; k++)
        {
          double x = sonde_random_normal (test ? 2 : 1, first + i, k);

          sonde_tensor_set_double (inputs[0], (gint64) i * FEATURES + k, x);
          if (k < CLASSES && x > sonde_tensor_get_double (inputs[0], (gint64) i * FEATURES + best))
            best = k;
        }
      ((gint64 *) (void *) (*labels)->data)[i] = best;
    }
  return TRUE;
}

static SondeGraphValue *
add_parameter (SondeGraph *graph, const char *name, int rows, int columns)
{
  SondeShape shape = columns > 0 ? sonde_shape_make (2, rows, columns) : sonde_shape_make (1, rows);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (
        tensor, i, 0.3 * sonde_random_normal (7, sonde_random_stream (name), (guint64) i));
  return sonde_graph_add_initialiser (graph, name, tensor, SONDE_ROLE_PARAMETER);
}

/* 6 -> 8 tanh -> 3. */
static SondeGraph *
make_model (void)
{
  SondeGraph *graph = sonde_graph_new ("net");
  SondeType type = {
    SONDE_VALUE_TENSOR, SONDE_DTYPE_F32, 2, { { -1, g_intern_string ("N") }, { FEATURES, NULL } }
  };
  SondeGraphValue *x, *y;
  g_autoptr (GError) error = NULL;

  sonde_graph_set_opset (graph, "", 17);
  x = sonde_graph_add_input (graph, "x", &type);
  y = sonde_build_binary (graph, "MatMul", x, add_parameter (graph, "body.weight", FEATURES, 8));
  y = sonde_build_unary (
      graph, "Tanh",
      sonde_build_binary (graph, "Add", y, add_parameter (graph, "body.bias", 8, 0)));
  y = sonde_build_binary (graph, "MatMul", y, add_parameter (graph, "head.weight", 8, CLASSES));
  y = sonde_build_binary (graph, "Add", y, add_parameter (graph, "head.bias", CLASSES, 0));
  sonde_graph_add_output (graph, y);
  return graph;
}

static Source
make_source (guint n, guint n_test, guint batch)
{
  return (Source){ { n, n_test, load }, batch };
}

static SondeTrainer *
make (Source *source, const SondeTrainerOptions *given)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = make_model ();
  SondeTrainerOptions options = *given;
  SondeTrainer *trainer;

  options.batch = source->batch;
  options.threads = 1;
  trainer = sonde_trainer_new (model, &source->base, &options, &error);
  g_assert_no_error (error);
  return trainer;
}

static void
run (SondeTrainer *trainer)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_trainer_run (trainer, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
}

static SondeTensor *
read_tensor (SondeTrainer *trainer, const char *name)
{
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_trainer_read_parameter (trainer, name, &error);

  g_assert_no_error (error);
  return tensor;
}

static double
distance (SondeTensor *a, SondeTensor *b)
{
  double sum = 0;

  for (gint64 i = 0; i < sonde_tensor_n_elements (a); i++)
    sum += pow (sonde_tensor_get_double (a, i) - sonde_tensor_get_double (b, i), 2);
  return sqrt (sum);
}

static const char *const names[] = { "body.weight", "body.bias", "head.weight", "head.bias", NULL };

static void
assert_near (SondeTrainer *a, SondeTrainer *b, double tolerance)
{
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) x = read_tensor (a, names[i]), y = read_tensor (b, names[i]);

      g_assert_cmpfloat (distance (x, y), <=, tolerance);
    }
}

/* ---- accumulation -------------------------------------------------------- */

/* 88 samples: steps of 32, 32 and 24 samples, from batches of 8, and in one piece. */
static void
test_accumulate (void)
{
  Source pieces = make_source (88, 16, 8), whole = make_source (88, 16, 32);
  SondeTrainerOptions options = {
    .learning_rate = 0.1, .momentum = 0.9, .epochs = 2, .accumulate = 4, .clip = "global-norm:0.5"
  };
  g_autoptr (SondeTrainer) a = make (&pieces, &options), b = NULL;
  const SondeTrainerState *left = sonde_trainer_get_state (a), *right;

  options.accumulate = 1;
  b = make (&whole, &options);
  right = sonde_trainer_get_state (b);
  run (a);
  run (b);
  g_assert_cmpuint (left->step, ==, 6);
  g_assert_cmpuint (right->step, ==, 6);
  g_assert_cmpuint (left->samples, ==, 176);
  g_assert_cmpfloat_with_epsilon (left->loss, right->loss, 1e-6);
  g_assert_cmpfloat_with_epsilon (left->gradient_norm, right->gradient_norm, 1e-6);
  g_assert_cmpfloat_with_epsilon (left->test_loss, right->test_loss, 1e-6);
  assert_near (a, b, 2e-6);
}

/* ---- groups, clipping ---------------------------------------------------- */

static void
test_groups (void)
{
  Source source = make_source (32, 0, 32);
  SondeTrainerOptions options = { .learning_rate = 0.1, .weight_decay = 0.5, .steps = 1 };
  g_autoptr (SondeTrainer) plain = make (&source, &options), grouped = NULL;
  g_autoptr (SondeGraph) model = make_model ();
  g_auto (GStrv) listed = NULL;

  options.groups = "body.weight frozen; *.bias rate=0; head.weight rate=0.5 weight-decay=0.5";
  grouped = make (&source, &options);
  run (plain);
  run (grouped);
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) x = read_tensor (plain, names[i]),
                              y = read_tensor (grouped, names[i]);
      SondeTensor *start
          = sonde_value_get_tensor (sonde_graph_find_value (model, names[i])->constant);
      gboolean halved = g_str_equal (names[i], "head.weight");

      g_assert_cmpfloat (distance (x, start), >, 1e-4);
      g_assert_cmpfloat_with_epsilon (distance (y, start), halved ? 0.5 * distance (x, start) : 0,
                                      1e-6);
    }
  g_assert_cmpuint (sonde_trainer_get_parameters (grouped)->len, ==, 3);
  listed = sonde_trainer_list_parameters (grouped, FALSE);
  g_assert_cmpuint (g_strv_length (listed), ==, 4);
}

/* One step of plain SGD moves everything together by rate · limit. */
static void
test_clip (void)
{
  Source source = make_source (32, 0, 32);
  SondeTrainerOptions options = { .learning_rate = 0.1, .steps = 1, .clip = "global-norm:0.01" };
  g_autoptr (SondeTrainer) trainer = make (&source, &options);
  g_autoptr (SondeGraph) model = make_model ();
  double sum = 0;

  run (trainer);
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) x = read_tensor (trainer, names[i]);

      sum += pow (
          distance (x, sonde_value_get_tensor (sonde_graph_find_value (model, names[i])->constant)),
          2);
    }
  g_assert_cmpfloat (sonde_trainer_get_state (trainer)->gradient_norm, >, 0.01);
  g_assert_cmpfloat_with_epsilon (sqrt (sum), 0.001, 1e-6);
}

/* ---- moving average ------------------------------------------------------ */

typedef struct
{
  SondeTrainerListener base;
  SondeTensor *average;
  guint n;
} Averager;

static SondeAnswer
average_step (SondeTrainerListener *listener, SondeTrainer *trainer)
{
  Averager *averager = (Averager *) listener;
  g_autoptr (SondeTensor) now = read_tensor (trainer, "head.weight");

  for (gint64 i = 0; i < sonde_tensor_n_elements (now); i++)
    sonde_tensor_set_double (averager->average, i,
                             0.75 * sonde_tensor_get_double (averager->average, i)
                                 + 0.25 * sonde_tensor_get_double (now, i));
  averager->n++;
  return SONDE_ANSWER_CONTINUE;
}

static void
test_average (void)
{
  Source source = make_source (64, 32, 16);
  SondeTrainerOptions options = { .learning_rate = 0.5, .epochs = 2, .average = 0.75 };
  g_autoptr (SondeTrainer) trainer = make (&source, &options), plain = NULL;
  g_autoptr (SondeGraph) model = make_model ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) average = NULL, newest = NULL, fallback = NULL, last = NULL;
  Averager averager = { { .step_done = average_step }, NULL, 0 };

  averager.average = sonde_tensor_copy (
      sonde_value_get_tensor (sonde_graph_find_value (model, "head.weight")->constant));
  sonde_trainer_set_listener (trainer, &averager.base);
  run (trainer);
  g_assert_cmpuint (averager.n, ==, 8);
  average = sonde_trainer_read_average (trainer, "head.weight", &error);
  newest = read_tensor (trainer, "head.weight");
  g_assert_cmpfloat (distance (average, averager.average), <=, 1e-6);
  g_assert_cmpfloat (distance (average, newest), >, 1e-3);
  sonde_tensor_unref (averager.average);

  /* Evaluations look at the average; training does not. */
  options.average = 0;
  plain = make (&source, &options);
  run (plain);
  assert_near (trainer, plain, 0);
  g_assert_cmpfloat (sonde_trainer_get_state (plain)->test_loss, !=,
                     sonde_trainer_get_state (trainer)->test_loss);
  fallback = sonde_trainer_read_average (plain, "head.weight", &error);
  last = read_tensor (plain, "head.weight");
  g_assert_true (sonde_tensor_equal (fallback, last));
}

/* ---- metrics, early end -------------------------------------------------- */

static void
test_metrics (void)
{
  static const char *const metrics[] = { "accuracy", "top-k:2", "f1", "confusion-matrix", NULL };
  Source source = make_source (64, 50, 16);
  SondeTrainerOptions options = { .learning_rate = 0.5, .epochs = 4, .metrics = metrics };
  g_autoptr (SondeTrainer) trainer = make (&source, &options);
  g_autoptr (SondeTensor) table = NULL;
  const SondeTrainerState *state = sonde_trainer_get_state (trainer);
  gint64 all = 0, right = 0;

  g_assert_cmpuint (state->n_metrics, ==, 4);
  g_assert_true (isnan (state->metrics[0]));
  run (trainer);
  g_assert_cmpfloat_with_epsilon (state->metrics[0], state->test_accuracy, 1e-12);
  g_assert_cmpfloat (state->metrics[1], >=, state->metrics[0]);
  g_assert_cmpstr (sonde_trainer_get_metric_name (trainer, 1), ==, "top-2");
  g_assert_true (isnan (state->metrics[3]));
  table = sonde_trainer_dup_confusion (trainer);
  for (gint64 i = 0; i < CLASSES * CLASSES; i++)
    {
      all += sonde_tensor_get_int (table, i);
      right += i % (CLASSES + 1) == 0 ? sonde_tensor_get_int (table, i) : 0;
    }
  g_assert_cmpint (all, ==, 50);
  g_assert_cmpfloat_with_epsilon ((double) right / 50, state->test_accuracy, 1e-12);
}

/* Nothing gets better without a learning rate: the first evaluation is the best, two more end
 * it. */
static void
test_early_end (void)
{
  static const char *const metrics[] = { "f1", NULL };
  static const char *const texts[] = { "loss:patience=2", "accuracy:2", "f1:2" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      Source source = make_source (32, 16, 16);
      SondeTrainerOptions options = { .epochs = 50, .metrics = metrics, .early_stop = texts[i] };
      g_autoptr (SondeTrainer) trainer = make (&source, &options);

      run (trainer);
      g_assert_true (sonde_trainer_get_state (trainer)->stopped_early);
      g_assert_cmpuint (sonde_trainer_get_state (trainer)->step, ==, 6);
    }
}

/* ---- not finite ---------------------------------------------------------- */

typedef struct
{
  SondeTrainerListener base;
  SondeTensor *progress;
  GHashTable *saved;
  guint n_rolled;
} Saver;

/* Saves the state after the second step. */
static SondeAnswer
save_step (SondeTrainerListener *listener, SondeTrainer *trainer)
{
  Saver *saver = (Saver *) listener;
  g_auto (GStrv) all = NULL;

  if (sonde_trainer_get_state (trainer)->step != 2 || saver->progress != NULL)
    return SONDE_ANSWER_CONTINUE;
  all = sonde_trainer_list_parameters (trainer, TRUE);
  saver->progress = sonde_trainer_dup_progress (trainer);
  for (gsize i = 0; all[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) tensor = read_tensor (trainer, all[i]);

      g_hash_table_insert (saver->saved, g_strdup (all[i]), sonde_tensor_copy (tensor));
    }
  return SONDE_ANSWER_CONTINUE;
}

static gboolean
restore (Saver *saver, SondeTrainer *trainer, GError **error)
{
  GHashTableIter iter;
  gpointer name, tensor;

  if (saver->progress == NULL || !sonde_trainer_set_progress (trainer, saver->progress, error))
    return FALSE;
  g_hash_table_iter_init (&iter, saver->saved);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    if (!sonde_trainer_write_parameter (trainer, name, tensor, error))
      return FALSE;
  return TRUE;
}

static gboolean
roll_back (SondeTrainerListener *listener, SondeTrainer *trainer, GError **error)
{
  Saver *saver = (Saver *) listener;

  saver->n_rolled++;
  return restore (saver, trainer, error);
}

static Saver
make_saver (void)
{
  return (Saver){ { .step_done = save_step, .roll_back = roll_back },
                  NULL,
                  g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                         (GDestroyNotify) sonde_tensor_unref),
                  0 };
}

static void
clear_saver (Saver *saver)
{
  g_clear_pointer (&saver->progress, sonde_tensor_unref);
  g_hash_table_unref (saver->saved);
}

/* In steps 3 and 4 the learning rate is no float any more. */
static void
test_not_finite (void)
{
  Source source = make_source (32, 0, 16);
  SondeTrainerOptions options
      = { .learning_rate = 0.1, .steps = 6, .schedule = "piecewise:2=1e300;4=1" };
  g_autoptr (SondeTrainer) stops = make (&source, &options), warns = NULL, rolls = NULL,
                           alone = NULL;
  g_autoptr (GError) error = NULL, no_state = NULL, too_often = NULL;
  Saver saver = make_saver ();

  g_assert_cmpint (sonde_trainer_run (stops, &error), ==, SONDE_RUN_FAILED);
  g_assert_nonnull (strstr (error->message, "Step 4: The loss is not finite"));
  options.on_nan = SONDE_NAN_WARN;
  warns = make (&source, &options);
  run (warns);
  g_assert_cmpuint (sonde_trainer_get_state (warns)->n_not_finite, ==, 3);

  options.on_nan = SONDE_NAN_ROLL_BACK;
  alone = make (&source, &options);
  g_assert_cmpint (sonde_trainer_run (alone, &no_state), ==, SONDE_RUN_FAILED);
  g_assert_nonnull (strstr (no_state->message, "no earlier state"));
  /* Halved ten times is still far too much. */
  rolls = make (&source, &options);
  sonde_trainer_set_listener (rolls, &saver.base);
  g_assert_cmpint (sonde_trainer_run (rolls, &too_often), ==, SONDE_RUN_FAILED);
  g_assert_nonnull (strstr (too_often->message, "rolled back 10 times"));
  g_assert_cmpuint (saver.n_rolled, ==, 10);
  clear_saver (&saver);
}

/* 10³⁹ is no float, nor is half of it; a quarter is, and moves clipped gradients by 25. */
static void
test_roll_back_helps (void)
{
  Source source = make_source (32, 0, 16);
  SondeTrainerOptions options = { .learning_rate = 1,
                                  .steps = 4,
                                  .on_nan = SONDE_NAN_ROLL_BACK,
                                  .schedule = "piecewise:2=1e39;3=0.001",
                                  .clip = "value:1e-37" };
  g_autoptr (SondeTrainer) trainer = make (&source, &options);
  Saver saver = make_saver ();

  sonde_trainer_set_listener (trainer, &saver.base);
  run (trainer);
  g_assert_cmpuint (sonde_trainer_get_state (trainer)->step, ==, 4);
  g_assert_cmpuint (saver.n_rolled, ==, 2);
  g_assert_cmpuint (sonde_trainer_get_state (trainer)->n_rolled_back, ==, 2);
  clear_saver (&saver);
}

/* ---- steps in one go ----------------------------------------------------- */

typedef struct
{
  SondeTrainerListener base;
  guint n_calls;
  GArray *scalars;
} Collector;

static SondeAnswer
collect_step (SondeTrainerListener *listener, SondeTrainer *trainer)
{
  Collector *collector = (Collector *) listener;
  guint n;
  const SondeStepScalars *finished = sonde_trainer_get_finished (trainer, &n);

  collector->n_calls++;
  g_array_append_vals (collector->scalars, finished, n);
  return SONDE_ANSWER_CONTINUE;
}

/* 5 steps an epoch: told after 3, 2, 3 and 2 of them. */
static void
test_sink (void)
{
  Source source = make_source (80, 16, 16);
  SondeTrainerOptions options = { .learning_rate = 0.1, .epochs = 2 };
  g_autoptr (SondeTrainer) each = make (&source, &options), together = NULL;
  Collector a
      = { { .step_done = collect_step }, 0, g_array_new (FALSE, FALSE, sizeof (SondeStepScalars)) };
  Collector b
      = { { .step_done = collect_step }, 0, g_array_new (FALSE, FALSE, sizeof (SondeStepScalars)) };

  options.sink = 3;
  together = make (&source, &options);
  sonde_trainer_set_listener (each, &a.base);
  sonde_trainer_set_listener (together, &b.base);
  run (each);
  run (together);
  g_assert_cmpuint (a.n_calls, ==, 10);
  g_assert_cmpuint (b.n_calls, ==, 4);
  g_assert_cmpmem (a.scalars->data, a.scalars->len * sizeof (SondeStepScalars), b.scalars->data,
                   b.scalars->len * sizeof (SondeStepScalars));
  g_assert_cmpuint (g_array_index (a.scalars, SondeStepScalars, 9).step, ==, 10);
  g_array_unref (a.scalars);
  g_array_unref (b.scalars);
}

/* ---- going on ------------------------------------------------------------ */

/* A second trainer takes over after two steps: the same bits at the end. */
static void
test_resume (void)
{
  static const char *const optimisers[]
      = { "adam", "sgd:momentum=0.9", "lamb", "rmsprop:centred=1" };

  for (gsize i = 0; i < G_N_ELEMENTS (optimisers); i++)
    {
      Source source = make_source (80, 16, 16);
      SondeTrainerOptions options = { .optimiser = optimisers[i],
                                      .learning_rate = 0.05,
                                      .epochs = 3,
                                      .accumulate = 2,
                                      .average = 0.9,
                                      .schedule = "plateau:patience=0;threshold=1",
                                      .early_stop = "loss:patience=9" };
      g_autoptr (SondeTrainer) unbroken = make (&source, &options),
                               second = make (&source, &options);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) before = NULL, after = NULL;
      Saver saver = make_saver ();

      sonde_trainer_set_listener (unbroken, &saver.base);
      run (unbroken);
      g_assert_true (restore (&saver, second, &error));
      g_assert_no_error (error);
      run (second);
      assert_near (unbroken, second, 0);
      before = sonde_trainer_dup_progress (unbroken);
      after = sonde_trainer_dup_progress (second);
      g_assert_true (sonde_tensor_equal (before, after));
      g_assert_cmpfloat (sonde_trainer_get_state (unbroken)->test_loss, ==,
                         sonde_trainer_get_state (second)->test_loss);
      g_assert_cmpfloat (sonde_trainer_get_state (unbroken)->learning_rate, <, 0.05);
      clear_saver (&saver);
    }
}

static void
test_refusals (void)
{
  static const char *const metrics[] = { "mae", NULL };
  static const struct
  {
    SondeTrainerOptions options;
    const char *message;
  } rows[] = {
    { { .groups = "*" }, "sets nothing" },
    { { .groups = "* frozen" }, "frozen: there is nothing to train" },
    { { .clip = "much" }, "global-norm:LIMIT" },
    { { .metrics = metrics }, "needs labels that are values" },
    { { .early_stop = "f1" }, "the available metrics are: loss, accuracy" },
    { { .average = 1 }, "less than 1" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SondeGraph) model = make_model ();
      g_autoptr (GError) error = NULL;
      Source source = make_source (16, 0, 16);
      SondeTrainerOptions options = rows[i].options;

      options.batch = 16;
      options.steps = 1;
      g_assert_null (sonde_trainer_new (model, &source.base, &options, &error));
      g_assert_nonnull (strstr (error->message, rows[i].message));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/trainer-options/accumulate", test_accumulate);
  g_test_add_func ("/engine/nn/trainer-options/groups", test_groups);
  g_test_add_func ("/engine/nn/trainer-options/clip", test_clip);
  g_test_add_func ("/engine/nn/trainer-options/average", test_average);
  g_test_add_func ("/engine/nn/trainer-options/metrics", test_metrics);
  g_test_add_func ("/engine/nn/trainer-options/early-end", test_early_end);
  g_test_add_func ("/engine/nn/trainer-options/not-finite", test_not_finite);
  g_test_add_func ("/engine/nn/trainer-options/roll-back-helps", test_roll_back_helps);
  g_test_add_func ("/engine/nn/trainer-options/sink", test_sink);
  g_test_add_func ("/engine/nn/trainer-options/resume", test_resume);
  g_test_add_func ("/engine/nn/trainer-options/refusals", test_refusals);
  return g_test_run ();
}
