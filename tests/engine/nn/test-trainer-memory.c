/* SPDX-License-Identifier: Apache-2.0
 * The planned peak of a training against what the device gave out: whole epochs with a smaller last
 * batch, evaluations, accumulation, budgets. */
#include "engine/nn/sonde-layers.h"
#include "engine/nn/sonde-trainer.h"
#include "engine/nn/sonde-zoo.h"

#include <math.h>
#include <string.h>

#define BATCH 16
#define N_SAMPLES 40 /* the last batch has 8 */
#define N_TEST 12

typedef struct
{
  SondeBatchSource base;
  SondeDtype dtype;
  SondeShape sample;
  int most; /* of whole numbers */
} Source;

static gboolean
load (SondeBatchSource *base, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  Source *source = (Source *) base;
  guint n = MIN (BATCH, (test ? N_TEST : N_SAMPLES) - batch * BATCH);
  SondeShape shape = { source->sample.rank + 1, { n } }, classes = { 1, { n } };

  memcpy (shape.dims + 1, source->sample.dims, (gsize) source->sample.rank * sizeof *shape.dims);
  inputs[0] = sonde_tensor_new (source->dtype, &shape);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &classes);
  for (gint64 i = 0; i < sonde_tensor_n_elements (inputs[0]); i++)
    sonde_tensor_set_double (inputs[0], i,
                             source->dtype == SONDE_DTYPE_F32 ? sin ((double) (i * 5 + batch))
                                                              : (double) (i % source->most));
  for (guint i = 0; i < n; i++)
    sonde_tensor_set_double (*labels, i, (double) (i % 2));
  return TRUE;
}

/* (out) @source: of what the model takes */
static SondeGraph *
build (const char *name, Source *source)
{
  SondeZooInput input = { .channels = 1, .height = 28, .width = 28, .classes = 10 };
  const SondeZooModel *model = sonde_zoo_find (name);
  g_autoptr (GError) error = NULL;
  SondeGraph *graph;

  if (model->takes_sequences)
    input = (SondeZooInput){ .length = 12, .vocabulary = 50, .classes = 2 };
  else if (g_str_equal (name, "resnet20"))
    input = (SondeZooInput){ .channels = 3, .height = 16, .width = 16, .classes = 10 };
  *source = (Source){ { N_SAMPLES, N_TEST, load },
                      SONDE_DTYPE_F32,
                      sonde_shape_make (3, input.channels, input.height, input.width),
                      0 };
  if (model->takes_sequences)
    *source = (Source){ { N_SAMPLES, N_TEST, load },
                        SONDE_DTYPE_I64,
                        sonde_shape_make (1, input.length),
                        input.vocabulary };
  graph = sonde_zoo_build_for (name, &input, 3, &error);
  g_assert_no_error (error);
  return graph;
}

/* Two epochs. @source: (out). Returns: the trainer after them, for as long as @source lives */
static SondeTrainer *
train (const char *name, const char *what, const SondeTrainerOptions *given, gboolean in_place,
       Source *source)
{
  SondeTrainerOptions options = *given;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = build (name, source);
  SondeTrainer *trainer;
  guint64 planned, peak;

  options.loss = "cross-entropy";
  options.optimiser = options.optimiser != NULL ? options.optimiser : "sgd";
  options.learning_rate = 0.01;
  options.batch = BATCH;
  options.epochs = 2;
  options.threads = 1;
  options.update_in_place = in_place;
  trainer = sonde_trainer_new (model, &source->base, &options, &error);
  g_assert_no_error (error);
  planned = sonde_trainer_get_planned_bytes (trainer);
  g_assert_cmpint (sonde_trainer_run (trainer, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_trainer_get_planned_bytes (trainer), ==, planned);
  peak = sonde_trainer_get_peak_bytes (trainer);
  g_test_message ("%s, %s%s: planned %" G_GUINT64_FORMAT ", measured %" G_GUINT64_FORMAT
                  " (%+.3f %%)",
                  name, what, in_place ? ", in place" : "", planned, peak,
                  100.0 * ((double) peak / (double) planned - 1));
  g_assert_cmpfloat (fabs ((double) peak - (double) planned), <=, 0.01 * (double) planned);
  g_assert_true (sonde_trainer_has_released_model (trainer) == in_place);
  return trainer;
}

/* Beside and in place: the same bits. Returns: the planned bytes of the first */
static guint64
check (const char *name, const char *what, const SondeTrainerOptions *options)
{
  Source source, other;
  g_autoptr (SondeTrainer) beside = train (name, what, options, FALSE, &source);
  g_autoptr (SondeTrainer) within = train (name, what, options, TRUE, &other);
  g_auto (GStrv) names = sonde_trainer_list_parameters (beside, TRUE);

  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) a = sonde_trainer_read_parameter (beside, names[i], NULL);
      g_autoptr (SondeTensor) b = sonde_trainer_read_parameter (within, names[i], NULL);

      g_assert_true (a != NULL && b != NULL);
      g_assert_cmpmem (a->data, sonde_tensor_n_bytes (a), b->data, sonde_tensor_n_bytes (b));
    }
  g_assert_cmpfloat (sonde_trainer_get_state (beside)->test_loss, ==,
                     sonde_trainer_get_state (within)->test_loss);
  g_assert_cmpuint (sonde_trainer_get_planned_bytes (within), <,
                    sonde_trainer_get_planned_bytes (beside));
  return sonde_trainer_get_planned_bytes (beside);
}

static void
test_met (gconstpointer name)
{
  SondeTrainerOptions options = { .momentum = 0.9 };
  guint64 planned = check (name, "sgd", &options);

  /* most of it are weights and one layer, at this size */
  options.memory_budget = planned - planned / 40;
  if (g_str_equal (name, "resnet20"))
    g_assert_cmpuint (check (name, "within a budget", &options), <=, options.memory_budget);
  options.memory_budget = 0;
  options.accumulate = 2;
  check (name, "accumulated", &options);
  options.accumulate = 1;
  options.clip = "global-norm:0.1";
  check (name, "clipped", &options);
  options.clip = NULL;
  options.average = 0.9;
  options.optimiser = "adam";
  check (name, "adam, averaged", &options);
  options.average = 0;
  options.precision = SONDE_DTYPE_BF16;
  check (name, "bf16", &options);
}

/* More than any machine has: said with the planned peak, before a batch is loaded. */
static void
test_too_much (void)
{
  SondeTrainerOptions options = {
    .loss = "cross-entropy", .optimiser = "sgd", .epochs = 1, .batch = 1u << 28, .threads = 1
  };
  g_autoptr (GError) error = NULL;
  Source source;
  g_autoptr (SondeGraph) model = build ("mlp", &source);
  g_autoptr (SondeTrainer) trainer = NULL;

  source.base.n_samples = 1u << 28;
  source.base.n_test = 0;
  trainer = sonde_trainer_new (model, &source.base, &options, &error);
  g_assert_null (trainer);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "planned to take"));
}

int
main (int argc, char **argv)
{
  static const char *const names[]
      = { "mlp", "lenet", "resnet20", "lstm-classifier", "transformer-encoder" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/nn/trainer-memory/", names[i], NULL);

      g_test_add_data_func (path, names[i], test_met);
    }
  g_test_add_func ("/engine/nn/trainer-memory/too-much", test_too_much);
  return g_test_run ();
}
