/* SPDX-License-Identifier: Apache-2.0
 * What a training records of itself: recipe, hyper-parameters, data, graphs, samples that cannot be
 * read. */
#include "app/worker/sonde-training-job-private.h"
#include "app/worker/sonde-training-profile.h"

#include <math.h>
#include <string.h>

#include "collector/writer/sonde-run-origin.h"
#include "collector/writer/sonde-writer-spans.h"
#include "data/base/sonde-io.h"
#include "data/models/sonde-model-file.h"
#include "engine/devices/sonde-device-counter.h"

#define QUEUE_BYTES ((gsize) 64 << 20) /* beside the graphs */
#define RECORDS_PER_SECOND 20.0        /* of histograms and images; scalars know no limit */

/* @graph with the weights as they are now, where the training has let go of those it began with. */
static SondeGraph *
with_weights (SondeTrainingJob *job, SondeGraph *graph)
{
  SondeGraph *copy = sonde_graph_copy (graph, FALSE);
  g_auto (GStrv) names = sonde_trainer_list_parameters (job->trainer, TRUE);

  for (gsize i = 0; names[i] != NULL; i++)
    {
      SondeGraphValue *value = sonde_graph_find_value (copy, names[i]);
      g_autoptr (SondeTensor) now
          = value != NULL ? sonde_trainer_read_parameter (job->trainer, names[i], NULL) : NULL;

      if (now == NULL)
        continue;
      sonde_value_unref (value->constant);
      value->constant = sonde_value_new_tensor (now);
    }
  return copy;
}

static void
record_graph (SondeTrainingJob *job, SondeGraph *graph, const char *tag, gboolean executed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) whole = sonde_trainer_has_released_model (job->trainer)
                                     ? with_weights (job, graph)
                                     : sonde_graph_ref (graph);
  g_autoptr (GBytes) bytes = sonde_model_serialise (whole, &error);
  g_autoptr (SondeMessage) reason = error != NULL ? sonde_error_dup_message (error) : NULL;

  /* A graph that cannot be written is no reason not to train. */
  if (bytes == NULL)
    sonde_summary_writer_add_message (job->writer, tag, 0, reason);
  else
    sonde_summary_writer_add_graph (job->writer, tag, 0, bytes, executed);
}

static SondeHparamType
type_of_text (const char *text)
{
  char *end;

  g_ascii_strtod (text, &end);
  if (end != text && *end == '\0')
    return SONDE_HPARAM_NUMBER;
  return g_str_equal (text, "true") || g_str_equal (text, "false") ? SONDE_HPARAM_BOOL
                                                                   : SONDE_HPARAM_TEXT;
}

/* What the run is made of, in MindSpore's words. */
static void
record_lineage (SondeTrainingJob *job)
{
  static const struct
  {
    const char *fact, *key;
  } facts[] = {
    { "optimizer", "train.optimiser" }, { "learning_rate", "train.learning-rate" },
    { "loss_function", "train.loss" },  { "epoch", "train.epochs" },
    { "batch_size", "data.batch" },     { "train_dataset_path", "data.source" },
    { "network", "model.name" },
  };
  SondeHparam items[G_N_ELEMENTS (facts)];
  SondeRecord record = { .kind = SONDE_RECORD_LINEAGE, .tag = "lineage" };

  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    {
      items[i] = (SondeHparam){ (char *) facts[i].fact,
                                sonde_recipe_dup_value (job->recipe, facts[i].key) };
      items[i].type = type_of_text (items[i].text);
    }
  record.u.lineage.part = (char *) "train";
  record.u.lineage.items = items;
  record.u.lineage.n = G_N_ELEMENTS (items);
  sonde_summary_writer_add_record (job->writer, &record);
  for (gsize i = 0; i < G_N_ELEMENTS (items); i++)
    g_free (items[i].text);
}

/* Where it runs, and how far it goes: what a page needs for progress. */
static void
record_origin (SondeTrainingJob *job)
{
  const SondeTrainerState *state = sonde_trainer_get_state (job->trainer);
  g_autofree char *total = g_strdup_printf ("%" G_GUINT64_FORMAT, state->total_steps);
  g_autofree char *of_epoch = g_strdup_printf ("%u", state->steps_per_epoch);
  const SondeHparam items[] = {
    { (char *) "device", (char *) job->device, SONDE_HPARAM_TEXT },
    { (char *) "total_steps", total, SONDE_HPARAM_NUMBER },
    { (char *) "steps_per_epoch", of_epoch, SONDE_HPARAM_NUMBER },
  };

  sonde_run_origin_record (job->writer, NULL, items, G_N_ELEMENTS (items));
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
      items[i].type = type_of_text (items[i].text);
    }
  sonde_summary_writer_add_hparams (job->writer, items, n);
  for (gsize i = 0; i < n; i++)
    g_free (items[i].text);
}

/* Where the samples come from and what is done to them until they are batches. */
static void
record_data (SondeTrainingJob *job)
{
  g_autofree char *training = sonde_batches_describe (job->train);
  g_autofree char *test = job->test != NULL ? sonde_batches_describe (job->test) : g_strdup ("—");
  g_autoptr (SondeMessage) message
      = sonde_message_new ("source: %s\nsamples: %u, of them %u for training and %u for tests\n\n"
                           "training:\n%s\n\ntests:\n%s\n",
                           job->recipe->data_source, job->dataset->n, job->split.n_train,
                           job->split.n_test, training, test);

  sonde_summary_writer_add_message (job->writer, "data",
                                    (gint64) sonde_trainer_get_state (job->trainer)->step, message);
}

static gboolean
write_recipe (SondeTrainingJob *job, GError **error)
{
  g_autofree char *text = sonde_recipe_to_text (job->recipe);
  g_autofree char *path = g_build_filename (job->run, "run.ini", NULL);

  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

/* Graphs are recorded with their weights, each as one record. */
static gsize
graph_bytes (const SondeGraph *graph)
{
  gsize bytes = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor = value != NULL && value->constant != NULL
                                ? sonde_value_get_tensor (value->constant)
                                : NULL;

      bytes += tensor != NULL ? sonde_tensor_n_bytes (tensor) : 0;
    }
  return bytes;
}

/* Foreign record formats have graphs of their own. */
static SondeGraph *
parse_recorded (GBytes *model, gpointer data, GError **error)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data (model, &length);

  return sonde_model_parse (bytes, length, "graph of the run", error);
}

gboolean
sonde_training_job_open_recording (SondeTrainingJob *job, GError **error)
{
  const SondeRecipe *recipe = job->recipe;
  SondeSummaryWriterOptions writer
      = { .program = "sonde " SONDE_VERSION, .parse_model = parse_recorded };
  SondeTrainingTapOptions tap = { 0 };

  writer.queue_bytes = QUEUE_BYTES + graph_bytes (job->model)
                       + graph_bytes (sonde_trainer_get_graph (job->trainer));
  if (!sonde_io_make_directories (NULL, job->run, error))
    return FALSE;
  sonde_summary_format_from_name (recipe->record_format, &writer.format);
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
  record_lineage (job);
  record_origin (job);
  record_data (job);
  record_graph (job, job->model, "graph", FALSE);
  record_graph (job, sonde_trainer_get_graph (job->trainer), "graph/executed", TRUE);
  return TRUE;
}

/* Tells of samples that cannot be read: the first at once, the others at the end of an epoch. */
void
sonde_training_job_record_faults (SondeTrainingJob *job)
{
  guint n = sonde_dataset_get_n_faults (job->dataset);
  g_autoptr (SondeMessage) all = sonde_message_new_empty ();

  if (n == job->shown_faults || job->writer == NULL)
    return;
  job->shown_faults = n;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (SondeMessage) fault = sonde_dataset_dup_fault (job->dataset, i);

      if (fault == NULL)
        break;
      sonde_message_append (all, fault);
      sonde_message_append_text (all, "\n");
    }
  sonde_summary_writer_add_message (job->writer, "data/faults",
                                    (gint64) sonde_trainer_get_state (job->trainer)->step, all);
}

/* So that a person who looks at the run later sees that its numbers are not those of its recipe
 * alone. */
void
sonde_training_job_record_change (SondeTrainingJob *job, const SondeMessage *message)
{
  if (job->writer != NULL)
    sonde_summary_writer_add_message (
        job->writer, "debug/edit", (gint64) sonde_trainer_get_state (job->trainer)->step, message);
}

void
sonde_training_job_record_lost (SondeTrainingJob *job, const SondeMessage *message)
{
  if (job->writer != NULL)
    sonde_summary_writer_add_message (
        job->writer, "debug/lost", (gint64) sonde_trainer_get_state (job->trainer)->step, message);
}

/* What waits for the writer. The job closes it before it ends. */
static double
get_unwritten (gpointer data)
{
  SondeTrainingJob *job = data;

  return job->writer != NULL ? (double) sonde_summary_writer_get_waiting_bytes (job->writer) : NAN;
}

void
sonde_training_job_open_spans (SondeTrainingJob *job)
{
  job->spans = sonde_span_log_new ();
  sonde_trainer_set_spans (job->trainer, job->spans);
  sonde_batches_set_spans (job->train, job->spans);
  sonde_summary_writer_set_spans (job->writer, job->spans);
  sonde_training_saver_set_spans (job->saver, job->spans);
  job->counters = sonde_span_counters_new (job->spans);
  sonde_device_count (job->counters, sonde_plan_get_device (sonde_execution_get_plan (
                                         sonde_trainer_get_execution (job->trainer))));
  sonde_span_counters_add (job->counters, SONDE_COUNTER_UNWRITTEN, get_unwritten, job);
}

void
sonde_training_job_record_profile (SondeTrainingJob *job, gboolean ends)
{
  SondeSpanLogStatus status;

  if (ends)
    sonde_span_log_stop (job->spans);
  sonde_span_log_get_status (job->spans, &status);
  if (!status.recording && job->has_new_profile && status.steps > 0 && job->writer != NULL)
    sonde_training_profile_write (job->spans, job->trainer, job->writer);
  job->has_new_profile = status.recording;
}

char *
sonde_training_job_keep_profile (SondeTrainingJob *job, GError **error)
{
  if (job->writer == NULL && job->has_new_profile)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "The training has ended and its records are closed; nothing more can be "
                       "kept in “%s”.",
                       job->run);
      return NULL;
    }
  sonde_training_job_record_profile (job, FALSE);
  if (job->writer != NULL)
    sonde_summary_writer_flush (job->writer);
  return g_canonicalize_filename (job->run, NULL);
}
