/* SPDX-License-Identifier: Apache-2.0
 * Joins recipe, dataset, graph, trainer, collector and checkpoints into one activity. */
#include "app/worker/sonde-training-job.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "app/worker/sonde-training-saver.h"
#include "app/worker/sonde-training-settings.h"
#include "app/worker/sonde-weights.h"
#include "collector/taps/sonde-training-tap.h"
#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"

#define DEFAULT_LOSS "cross-entropy"
#define RECORDS_PER_SECOND 20.0 /* of histograms and images; scalars know no limit */

/* The batch source the trainer asks; remembers which samples the last training batch had. */
typedef struct
{
  SondeBatchSource base;
  SondeTrainingJob *job;
} Source;

typedef struct
{
  SondeTapSamples base;
  SondeTrainingJob *job;
} Samples;

typedef struct
{
  SondeTrainerListener base;
  SondeTrainingJob *job;
} Listener;

struct _SondeTrainingJob
{
  SondeActivity activity; /* first: an activity is cast to its job */
  _Atomic guint ref_count;
  SondeRecipe *recipe;
  char *run, *title;
  SondeDataset *dataset;
  SondeSplitPart split;
  SondeTensor *order;
  SondeBatches *train, *test;
  guint *last_samples;
  guint n_last_samples;
  gboolean labels_are_input;
  const char *loss; /* the recipe's, or the model's own; lent */
  int label_input; /* of the model's inputs, where it takes the labels itself; -1: it does not */
  SondeGraph *model;
  SondeTrainer *trainer;
  SondeSummaryWriter *writer;
  SondeTrainingTap *tap;
  Source source;
  Samples samples;
  Listener listener;
  SondeTrainingJobProgress progress;
  gpointer progress_data;
  SondeShape folded; /* of a sample as the model takes it; rank 0: as it is */
  guint shown_faults; /* samples that cannot be read, as far as they were told */
  SondeTrainingSaver *saver;
  GPtrArray *warnings; /* (element-type utf8) */
  guint64 samples_before; /* trained by earlier sessions of the run */
  gboolean finished;
};

static const SondeActivityClass training_activity;

/* ---- data ------------------------------------------------------------------------------------- */

static gint64
count_of (const SondeSampleCount *count,
          guint                   n)
{
  if (!count->is_set)
    return -1;
  return count->share > 0 ? (gint64) floor (count->share * n + 0.5) : (gint64) count->count;
}

SondeDataset *
sonde_training_job_open_dataset (const SondeRecipe *recipe,
                                 const char        *program,
                                 SondeSplitPart    *split,
                                 GError           **error)
{
  const char *arguments[] = { program, "image-helper", NULL };
  SondeDatasetOptions options = { 0 };
  g_autoptr (SondeDataset) dataset = NULL;

  /* The decoder is the dataset's from here on. */
  options.decoder = program != NULL ? sonde_image_decoder_new (arguments) : NULL;
  options.seed = recipe->data_seed;
  options.transforms = (const char *const *) recipe->data_transforms;
  if (recipe->data_train.is_set && recipe->data_test.is_set && recipe->data_train.share <= 0
      && recipe->data_test.share <= 0)
    options.count = (guint) MIN (recipe->data_train.count + recipe->data_test.count, G_MAXUINT / 2);
  dataset = sonde_dataset_open (recipe->data_source, &options, error);
  if (dataset == NULL
      || !sonde_dataset_split (dataset, recipe->data_split_modulo,
                               count_of (&recipe->data_train, dataset->n), count_of (&recipe->data_test, dataset->n),
                               split, error))
    {
      g_prefix_error (error, "data.source = %s: ", recipe->data_source);
      return NULL;
    }
  return g_steal_pointer (&dataset);
}

static gboolean
load_batch (SondeBatchSource *base,
            gboolean          test,
            guint             epoch,
            guint             batch,
            SondeTensor     **inputs,
            SondeTensor     **labels,
            GError          **error)
{
  SondeTrainingJob *job = ((Source *) base)->job;

  if (!sonde_batches_load (test ? job->test : job->train, epoch, batch, &inputs[0], labels,
                           test ? NULL : job->last_samples, error))
    return FALSE;
  if (job->labels_are_input)
    {
      sonde_tensor_unref (*labels);
      *labels = sonde_tensor_ref (inputs[0]);
    }
  if (job->folded.rank > 0)
    {
      SondeShape shape = { job->folded.rank + 1, { inputs[0]->shape.dims[0] } };
      g_autoptr (SondeTensor) flat = g_steal_pointer (&inputs[0]);

      memcpy (shape.dims + 1, job->folded.dims, (gsize) job->folded.rank * sizeof *shape.dims);
      inputs[0] = sonde_tensor_reshape (flat, &shape);
    }
  if (job->label_input >= 0)
    inputs[job->label_input] = sonde_tensor_ref (*labels);
  if (!test)
    job->n_last_samples = (guint) inputs[0]->shape.dims[0];
  return TRUE;
}

static gboolean
get_sample (SondeTapSamples *base,
            guint            index,
            SondeImage     **image,
            SondeSampleNote *note)
{
  SondeTrainingJob *job = ((Samples *) base)->job;
  g_autoptr (GError) error = NULL;
  guint sample;

  if (index >= job->n_last_samples)
    return FALSE;
  sample = job->last_samples[index];
  *image = sonde_dataset_dup_image (job->dataset, sample, &error);
  if (*image == NULL)
    {
      g_debug ("no picture of sample %u: %s", sample, error->message);
      return FALSE;
    }
  memset (note, 0, sizeof *note);
  note->sample = sonde_dataset_dup_name (job->dataset, sample);
  note->label = (int) sonde_dataset_get_label (job->dataset, sample);
  if (note->label >= 0 && (guint) note->label < job->dataset->n_classes)
    note->label_name = g_strdup (job->dataset->classes[note->label]);
  return TRUE;
}

/* Ready batches come in a size of their own. */
static guint
batch_size (const SondeTrainingJob *job)
{
  guint ready = sonde_dataset_get_ready_batch (job->dataset);

  return ready > 0 ? ready : job->recipe->data_batch;
}

static gboolean
open_data (SondeTrainingJob              *job,
           const SondeTrainingJobOptions *options,
           GError                       **error)
{
  const SondeRecipe *recipe = job->recipe;
  SondeBatchesOptions batches = { 0 };

  job->dataset = sonde_training_job_open_dataset (recipe, options->program, &job->split, error);
  if (job->dataset == NULL)
    return FALSE;
  if (recipe->data_order != NULL)
    {
      job->order = sonde_npy_read (NULL, recipe->data_order, error);
      if (job->order == NULL)
        return g_prefix_error (error, "data.order: "), FALSE;
    }
  batches.batch = batch_size (job);
  batches.samples = job->split.train;
  batches.n = job->split.n_train;
  batches.shuffle = recipe->data_shuffle;
  batches.seed = recipe->data_seed;
  batches.order = job->order;
  batches.training = TRUE;
  batches.repeat = recipe->data_repeat;
  batches.workers = recipe->data_workers;
  batches.prefetch = recipe->data_prefetch;
  job->train = sonde_batches_new (job->dataset, &batches, error);
  if (job->train == NULL)
    return FALSE;
  batches.samples = job->split.test;
  batches.n = job->split.n_test;
  batches.shuffle = batches.training = FALSE;
  batches.order = NULL;
  batches.repeat = 1;
  job->test = batches.n > 0 ? sonde_batches_new (job->dataset, &batches, error) : NULL;
  if (batches.n > 0 && job->test == NULL)
    return FALSE;
  job->last_samples = g_new0 (guint, batch_size (job));
  job->source.base = (SondeBatchSource) { job->split.n_train * recipe->data_repeat, job->split.n_test, load_batch };
  job->source.job = job;
  job->samples = (Samples) { { get_sample }, job };
  return TRUE;
}

/* As many numbers as the model takes, only in other dimensions: [F] for a model of [N, C, H, W], or pictures for one
 * of [N, F]. */
static gboolean
fold_samples (SondeTrainingJob *job,
              const SondeType  *type)
{
  SondeShape folded = { .rank = type->rank - 1 };

  for (int i = 0; i < folded.rank; i++)
    {
      if (type->dims[i + 1].size < 0)
        return FALSE;
      folded.dims[i] = type->dims[i + 1].size;
    }
  if (type->rank < 2 || sonde_shape_n_elements (&folded) != sonde_shape_n_elements (&job->dataset->shape))
    return FALSE;
  job->folded = folded;
  return TRUE;
}

/* Samples of another size than the model takes, said before the first step. */
static gboolean
check_samples (SondeTrainingJob *job,
               GError          **error)
{
  const SondeShape *shape = &job->dataset->shape;
  SondeGraphValue *input = NULL;

  for (guint i = 0; i < job->model->inputs->len && input == NULL; i++)
    if (((SondeGraphValue *) g_ptr_array_index (job->model->inputs, i))->constant == NULL)
      input = g_ptr_array_index (job->model->inputs, i);
  if (input == NULL || job->dataset->klass->get_n_ready != NULL)
    return TRUE;
  if (input->type.rank != shape->rank + 1)
    {
      fold_samples (job, &input->type); /* what does not fit either is for the trainer to say */
      return TRUE;
    }
  for (int i = 0; i < shape->rank; i++)
    if (input->type.dims[i + 1].size >= 0 && input->type.dims[i + 1].size != shape->dims[i])
      {
        g_autofree char *text = sonde_shape_to_string (shape);

        g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "The samples of “%s” are %s; the model's input “%s” takes %" G_GINT64_FORMAT " in place of %"
                     G_GINT64_FORMAT ".",
                     job->recipe->data_source, text, input->name, input->type.dims[i + 1].size, shape->dims[i]);
        return FALSE;
      }
  return TRUE;
}

/* A label that the model has no class for would be found in the middle of an epoch, without its name. */
static gboolean
check_labels (SondeTrainingJob *job,
              GError          **error)
{
  const SondeType *logits = &sonde_trainer_get_logits (job->trainer)->type;
  const char *loss = job->recipe->train_loss;
  gboolean of_classes = g_str_has_prefix (loss, "cross-entropy") || g_str_has_prefix (loss, "nll");

  if (!of_classes || strstr (loss, "ignore") != NULL || logits->rank != 2 || logits->dims[1].size < 0)
    return TRUE;
  return sonde_dataset_check_labels (job->dataset, logits->dims[1].size, job->recipe->data_source, error);
}

/* ---- model ------------------------------------------------------------------------------------ */

/* x is for the model's first input, y for its second, where it computes its loss itself. */
static int
find_label_input (SondeGraph *model)
{
  guint n_required = 0;

  for (guint i = 0; i < model->inputs->len; i++)
    if (((SondeGraphValue *) g_ptr_array_index (model->inputs, i))->constant == NULL && ++n_required == 2)
      return (int) i;
  return -1;
}

static gboolean
load_graph (SondeTrainingJob *job,
            GError          **error)
{
  const SondeRecipe *recipe = job->recipe;
  const SondeDataset *data = job->dataset;
  const SondeZooModel *built_in = sonde_zoo_find (recipe->model_name);

  if (built_in != NULL)
    job->model = sonde_zoo_build (recipe->model_name, data->channels, data->height, data->width, (int) data->n_classes,
                                  recipe->train_seed, error);
  else
    job->model = sonde_model_load (NULL, recipe->model_name, error);
  if (job->model == NULL)
    return g_prefix_error (error, "model.name: "), FALSE;
  job->label_input = find_label_input (job->model);
  job->labels_are_input = built_in != NULL && built_in->labels_are_input;
  /* The recipe's default does not fit a model that reconstructs. */
  job->loss = job->labels_are_input && g_str_equal (recipe->train_loss, DEFAULT_LOSS) ? built_in->loss : recipe->train_loss;
  return TRUE;
}

/* What would make a training smaller, for who has too little memory. */
static void
add_advice (const SondeTrainingJob *job,
            GError                **error)
{
  g_autofree char *reason = NULL;

  if (!g_error_matches (*error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY))
    return;
  reason = g_strdup ((*error)->message);
  g_clear_error (error);
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
               "%s%s A smaller data.batch (now %u) with train.accumulate, train.memory or train.precision=bf16 would need less.",
               reason, g_str_has_suffix (reason, ".") ? "" : ".", batch_size (job));
}

static gboolean
open_model (SondeTrainingJob              *job,
            const SondeTrainingJobOptions *options,
            GError                       **error)
{
  g_auto (SondeTrainingSettings) settings = { 0 };
  g_autoptr (GError) reason = NULL;
  SondeTrainerOptions *trainer = &settings.trainer;

  if (!load_graph (job, error) || !sonde_training_settings_init (&settings, job->recipe, error))
    return FALSE;
  trainer->loss = job->loss;
  trainer->batch = batch_size (job);
  trainer->memory = options->memory;
  trainer->device = options->device;
  job->trainer = sonde_trainer_new (job->model, &job->source.base, trainer, &reason);
  if (job->trainer != NULL)
    return check_samples (job, error) && check_labels (job, error);
  add_advice (job, &reason);
  g_propagate_prefixed_error (error, g_steal_pointer (&reason), "Training “%s”: ", job->recipe->model_name);
  return FALSE;
}

static gboolean
load_weights (SondeTrainingJob *job,
              GError          **error)
{
  const char *path = job->recipe->model_weights;
  SondeWeightsFit fit = job->recipe->model_partial ? SONDE_WEIGHTS_PARTIAL : SONDE_WEIGHTS_ALL;
  g_autoptr (SondeNamedTensors) tensors = path != NULL ? sonde_weights_read (NULL, path, error) : NULL;
  char *report = NULL;

  if (path == NULL)
    return TRUE;
  if (tensors == NULL || !sonde_weights_fit (job->trainer, tensors, path, fit, &report, error))
    return g_prefix_error (error, "model.weights: "), FALSE;
  if (report != NULL)
    g_ptr_array_add (job->warnings, report);
  return TRUE;
}

static gboolean
resume (SondeTrainingJob *job,
        GError          **error)
{
  if (sonde_training_saver_has_checkpoint (job->saver))
    return sonde_training_saver_resume (job->saver, job->warnings, error);
  g_ptr_array_add (job->warnings, g_strdup_printf ("“%s” ended before its first checkpoint; it begins again.", job->run));
  return load_weights (job, error);
}

/* ---- recording -------------------------------------------------------------------------------- */

static void
record_graph (SondeTrainingJob *job,
              SondeGraph       *graph,
              const char       *tag,
              gboolean          executed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = sonde_model_serialise (graph, &error);

  /* A graph that cannot be written is no reason not to train. */
  if (bytes == NULL)
    sonde_summary_writer_add_text (job->writer, tag, 0, error->message);
  else
    sonde_summary_writer_add_graph (job->writer, tag, 0, bytes, executed);
}

static void
record_hparams (SondeTrainingJob *job)
{
  gsize n = sonde_recipe_get_n_keys ();
  g_autofree SondeHparam *items = g_new0 (SondeHparam, n);

  for (gsize i = 0; i < n; i++)
    {
      items[i].key = (char *) sonde_recipe_get_key (i).name;
      items[i].text = sonde_recipe_dup_value (job->recipe, items[i].key);
    }
  sonde_summary_writer_add_hparams (job->writer, items, n);
  for (gsize i = 0; i < n; i++)
    g_free (items[i].text);
}

static gboolean
write_recipe (SondeTrainingJob *job,
              GError          **error)
{
  g_autofree char *text = sonde_recipe_to_text (job->recipe);
  g_autofree char *path = g_build_filename (job->run, "run.ini", NULL);

  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

static gboolean
open_recording (SondeTrainingJob *job,
                GError          **error)
{
  const SondeRecipe *recipe = job->recipe;
  SondeSummaryWriterOptions writer = { .program = "sonde " SONDE_VERSION };
  SondeTrainingTapOptions tap = { 0 };

  if (!sonde_io_make_directories (NULL, job->run, error))
    return FALSE;
  job->writer = sonde_summary_writer_open (job->run, &writer, error);
  if (job->writer == NULL || !write_recipe (job, error))
    return FALSE;
  tap.every = recipe->record_every;
  tap.per_second = RECORDS_PER_SECOND;
  tap.histograms = recipe->record_histograms;
  tap.images = recipe->record_images;
  tap.samples = &job->samples.base;
  tap.class_names = (const char *const *) job->dataset->classes;
  job->tap = sonde_training_tap_new (job->trainer, job->writer, &tap);
  record_hparams (job);
  record_graph (job, job->model, "graph", FALSE);
  record_graph (job, sonde_trainer_get_graph (job->trainer), "graph/executed", TRUE);
  return TRUE;
}

/* ---- around steps ----------------------------------------------------------------------------- */

/* Tells of samples that cannot be read: the first at once, the others at the end of an epoch. */
static void
record_faults (SondeTrainingJob *job)
{
  guint n = sonde_dataset_get_n_faults (job->dataset);
  g_autoptr (GString) text = g_string_new (NULL);

  if (n == job->shown_faults || job->writer == NULL)
    return;
  job->shown_faults = n;
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *fault = sonde_dataset_dup_fault (job->dataset, i);

      if (fault != NULL)
        g_string_append_printf (text, "%s\n", fault);
    }
  sonde_summary_writer_add_text (job->writer, "data/faults", (gint64) sonde_trainer_get_state (job->trainer)->step,
                                 text->str);
}

static SondeAnswer
step_done (SondeTrainerListener *base,
           SondeTrainer         *trainer)
{
  SondeTrainingJob *job = ((Listener *) base)->job;

  sonde_training_tap_step_done (job->tap);
  if (job->shown_faults == 0)
    record_faults (job);
  sonde_training_saver_step_done (job->saver);
  if (job->progress != NULL)
    job->progress (job, job->progress_data);
  return SONDE_ANSWER_CONTINUE;
}

static void
evaluated (SondeTrainerListener *base,
           SondeTrainer         *trainer)
{
  SondeTrainingJob *job = ((Listener *) base)->job;

  sonde_training_tap_evaluated (job->tap);
  record_faults (job);
  sonde_training_saver_evaluated (job->saver);
}

static SondeAnswer
epoch_done (SondeTrainerListener *base,
            SondeTrainer         *trainer)
{
  sonde_training_saver_epoch_done (((Listener *) base)->job->saver);
  return SONDE_ANSWER_CONTINUE;
}

static gboolean
roll_back (SondeTrainerListener *base,
           SondeTrainer         *trainer,
           GError              **error)
{
  return sonde_training_saver_roll_back (((Listener *) base)->job->saver, error);
}

/* ---- life ------------------------------------------------------------------------------------- */

/* A run killed before it wrote anything left an empty folder. */
static gboolean
is_empty_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  return dir != NULL && g_dir_read_name (dir) == NULL;
}

static gboolean
check_run_folder (const SondeTrainingJobOptions *options,
                  GError                       **error)
{
  g_autofree char *recipe = g_build_filename (options->run, "run.ini", NULL);
  g_autofree char *records = g_build_filename (options->run, "records", NULL);
  gboolean exists = g_file_test (recipe, G_FILE_TEST_EXISTS) || g_file_test (records, G_FILE_TEST_EXISTS);

  if (exists && !options->resume)
    g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                 "“%s” holds a run already. Choose another --run folder, or go on with it by --resume.", options->run);
  else if (!exists && options->resume && !is_empty_folder (options->run))
    g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND, "“%s” holds no run to resume.", options->run);
  else
    return TRUE;
  return FALSE;
}

SondeTrainingJob *
sonde_training_job_open (const SondeTrainingJobOptions *options,
                         GError                       **error)
{
  g_autoptr (SondeTrainingJob) job = g_new0 (SondeTrainingJob, 1);

  job->activity.klass = &training_activity;
  job->ref_count = 1;
  job->recipe = sonde_recipe_copy (options->recipe);
  job->run = g_strdup (options->run);
  job->warnings = g_ptr_array_new_with_free_func (g_free);
  job->title = g_strdup_printf ("%s on %s", job->recipe->model_name, job->recipe->data_source);
  if (!sonde_training_settings_check (job->recipe, error) || !check_run_folder (options, error)
      || !open_data (job, options, error) || !open_model (job, options, error))
    return NULL;
  job->saver = sonde_training_saver_new (job->recipe, job->run, job->trainer);
  if (!(options->resume ? resume (job, error) : load_weights (job, error)))
    return NULL;
  if (!open_recording (job, error))
    return NULL;
  job->listener = (Listener) { { step_done, epoch_done, evaluated, roll_back }, job };
  job->samples_before = sonde_trainer_get_state (job->trainer)->samples;
  sonde_training_saver_set_writer (job->saver, job->writer);
  sonde_training_saver_begin (job->saver);
  sonde_trainer_set_listener (job->trainer, &job->listener.base);
  return g_steal_pointer (&job);
}

void
sonde_training_job_unref (SondeTrainingJob *job)
{
  if (job == NULL || --job->ref_count > 0)
    return;
  g_clear_pointer (&job->tap, sonde_training_tap_free);
  if (job->writer != NULL)
    sonde_summary_writer_close (g_steal_pointer (&job->writer), NULL);
  g_clear_pointer (&job->saver, sonde_training_saver_free);
  g_clear_pointer (&job->warnings, g_ptr_array_unref);
  g_clear_pointer (&job->trainer, sonde_trainer_free);
  g_clear_pointer (&job->model, sonde_graph_unref);
  g_clear_pointer (&job->train, sonde_batches_free);
  g_clear_pointer (&job->test, sonde_batches_free);
  g_clear_pointer (&job->order, sonde_tensor_unref);
  g_clear_pointer (&job->dataset, sonde_dataset_free);
  sonde_split_part_clear (&job->split);
  g_clear_pointer (&job->recipe, sonde_recipe_free);
  g_free (job->last_samples);
  g_free (job->run);
  g_free (job->title);
  g_free (job);
}

gboolean
sonde_training_job_finish (SondeTrainingJob *job,
                           GError          **error)
{
  g_autoptr (GError) writer_error = NULL;
  g_autofree char *problem = NULL;

  if (job->finished)
    return TRUE;
  job->finished = TRUE;
  sonde_training_saver_finish (job->saver, job->model, NULL);
  problem = sonde_training_saver_dup_problem (job->saver);
  g_clear_pointer (&job->tap, sonde_training_tap_free);
  record_faults (job);
  sonde_summary_writer_close (g_steal_pointer (&job->writer), &writer_error);
  if (writer_error == NULL && problem == NULL)
    return TRUE;
  g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, "%s%s%s", writer_error != NULL ? writer_error->message : "",
               writer_error != NULL && problem != NULL ? "\n" : "", problem != NULL ? problem : "");
  return FALSE;
}

static char *
dup_fault_banner (SondeTrainingJob *job)
{
  g_autofree char *first = job->shown_faults > 0 ? sonde_dataset_dup_fault (job->dataset, 0) : NULL;

  if (first == NULL)
    return NULL;
  return g_strdup_printf ("%u of the data cannot be used, the first: %s. All are named in the text data/faults of the run.",
                          job->shown_faults, first);
}

char *
sonde_training_job_dup_banner (SondeTrainingJob *job)
{
  SondeSummaryWriterState state = { 0 };
  char *problem = sonde_training_saver_dup_problem (job->saver);

  if (problem != NULL)
    return problem;
  if (job->writer == NULL)
    return dup_fault_banner (job);
  sonde_summary_writer_get_state (job->writer, &state);
  return state.failing ? sonde_summary_writer_dup_failure (job->writer) : dup_fault_banner (job);
}

guint64
sonde_training_job_get_lost_checkpoints (SondeTrainingJob *job)
{
  return sonde_training_saver_get_lost (job->saver);
}

const char *const *
sonde_training_job_get_warnings (SondeTrainingJob *job,
                                 guint            *n)
{
  *n = job->warnings->len;
  return (const char *const *) job->warnings->pdata;
}

SondeActivity *
sonde_training_job_dup_activity (SondeTrainingJob *job)
{
  job->ref_count++;
  return &job->activity;
}

SondeTrainer *
sonde_training_job_get_trainer (SondeTrainingJob *job)
{
  return job->trainer;
}

const char *
sonde_training_job_get_run (SondeTrainingJob *job)
{
  return job->run;
}

void
sonde_training_job_set_progress (SondeTrainingJob        *job,
                                 SondeTrainingJobProgress progress,
                                 gpointer                 data)
{
  job->progress = progress;
  job->progress_data = data;
}

double
sonde_training_job_get_speed (SondeTrainingJob *job)
{
  const SondeTrainerState *state = sonde_trainer_get_state (job->trainer);

  /* A training that was rolled back may have fewer samples than it began with. */
  return state->training_ns > 0 && state->samples >= job->samples_before
             ? (double) (state->samples - job->samples_before) / ((double) state->training_ns / 1e9)
             : NAN;
}

char *
sonde_training_job_suggest_run (const SondeRecipe *recipe)
{
  g_autofree char *base = g_path_get_basename (recipe->model_name);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%Y%m%d-%H%M%S");
  char *dot = strrchr (base, '.');
  char *path;

  if (dot != NULL && dot != base)
    *dot = '\0';
  path = g_strdup_printf ("runs/%s-%s", base, date);
  for (guint k = 2; g_file_test (path, G_FILE_TEST_EXISTS); k++)
    {
      g_free (path);
      path = g_strdup_printf ("runs/%s-%s-%u", base, date, k);
    }
  return path;
}

/* ---- activity --------------------------------------------------------------------------------- */

static SondeTrainingJob *
job_of (SondeActivity *activity)
{
  return (SondeTrainingJob *) activity;
}

static SondeRunResult
activity_run (SondeActivity *activity,
              GError       **error)
{
  SondeRunResult result = sonde_trainer_run (job_of (activity)->trainer, error);

  /* Here and not by the caller, so that the final checkpoint is there when a client hears of the end. */
  if (result == SONDE_RUN_PAUSED)
    return result;
  if (!sonde_training_job_finish (job_of (activity), result != SONDE_RUN_FAILED ? error : NULL))
    return SONDE_RUN_FAILED;
  return result;
}

static void
activity_interrupt (SondeActivity *activity)
{
  sonde_trainer_interrupt (job_of (activity)->trainer);
}

static SondeExecution *
activity_get_execution (SondeActivity *activity)
{
  return sonde_trainer_get_execution (job_of (activity)->trainer);
}

static void
activity_add_observer (SondeActivity *activity,
                       SondeObserver *observer)
{
  sonde_trainer_add_observer (job_of (activity)->trainer, observer);
}

static void
activity_remove_observer (SondeActivity *activity,
                          SondeObserver *observer)
{
  sonde_trainer_remove_observer (job_of (activity)->trainer, observer);
}

static void
activity_refresh_observers (SondeActivity *activity)
{
  sonde_trainer_refresh_observers (job_of (activity)->trainer);
}

static SondeGraph *
activity_get_graph (SondeActivity *activity)
{
  return sonde_trainer_get_graph (job_of (activity)->trainer);
}

static SondeGraph *
activity_get_original (SondeActivity *activity)
{
  return job_of (activity)->model;
}

static void
activity_get_facts (SondeActivity     *activity,
                    SondeSessionFacts *facts)
{
  SondeTrainingJob *job = job_of (activity);
  const SondeTrainerState *state = sonde_trainer_get_state (job->trainer);

  memset (facts, 0, sizeof *facts);
  facts->kind = SONDE_ACTIVITY_TRAINING;
  facts->title = job->title;
  facts->run_directory = job->run;
  facts->step = MIN (state->step + 1, MAX (state->total_steps, 1));
  facts->total_steps = state->total_steps;
  facts->epoch = state->epoch + 1;
  facts->n_epochs = (state->total_steps + state->steps_per_epoch - 1) / state->steps_per_epoch;
  facts->loss = state->loss;
  facts->accuracy = state->accuracy;
  facts->learning_rate = state->learning_rate;
  facts->samples_per_second = sonde_training_job_get_speed (job);
}

static gboolean
activity_finish (SondeActivity *activity,
                 GError       **error)
{
  return sonde_training_job_finish (job_of (activity), error);
}

static void
activity_free (SondeActivity *activity)
{
  sonde_training_job_unref (job_of (activity));
}

static const SondeActivityClass training_activity = {
  .run = activity_run,
  .interrupt = activity_interrupt,
  .get_execution = activity_get_execution,
  .add_observer = activity_add_observer,
  .remove_observer = activity_remove_observer,
  .refresh_observers = activity_refresh_observers,
  .get_graph = activity_get_graph,
  .get_original = activity_get_original,
  .get_facts = activity_get_facts,
  .finish = activity_finish,
  .free = activity_free,
};
