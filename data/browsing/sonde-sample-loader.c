/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-sample-loader.h"

#include "data/base/sonde-error.h"
#include "data/browsing/sonde-step-loader.h"
#include "data/images/sonde-image-decoder.h"

#define MAX_SAMPLES 1000 /* of a step */
#define READ_AT_ONCE 16  /* encoded images in memory */
#define MAX_BYTES ((gsize) 192 << 20)

/* It outlives its loaders while a thread uses it. */
struct _SondeSampleDecoder
{
  SondeImageDecoder *decoder;
};

struct _SondeSampleLoader
{
  SondeSampleDecoder *decoder;
  gsize max_bytes; /* of all images of a step; a tile needs no more than its share */
  SondeSamplesFunc done;
  void *user_data;
  SondeRun *run;
  char *tag;
  gint64 step;
  guint n_refs;
  GCancellable *cancellable; /* of the loading under way */
};

/* What a thread is given. */
typedef struct
{
  SondeSampleLoader *loader; /* NULL once it is gone: only looked at on the main thread */
  SondeSampleDecoder *decoder;
  gsize max_bytes;
  SondeRun *run;
  gint64 step;
  GArray *refs; /* SondeBlobRef; those before @n_asked are read or under way */
  guint n_asked;
  GPtrArray *records; /* SondeRecord, of the last ones read */
  GPtrArray *samples; /* SondeSample */
} Job;

static void
sample_free (SondeSample *sample)
{
  if (sample == NULL)
    return;
  g_free (sample->note.sample);
  g_free (sample->note.label_name);
  g_free (sample->note.predicted_name);
  sonde_image_unref (sample->image);
  sonde_animation_unref (sample->animation);
  g_free (sample->problem);
  g_free (sample);
}

static void
clear_decoder (void *data)
{
  sonde_image_decoder_free (((SondeSampleDecoder *) data)->decoder);
}

SondeSampleDecoder *
sonde_sample_decoder_new (const char *program)
{
  const char *const arguments[] = { program, "image-helper", NULL };
  SondeSampleDecoder *decoder = g_atomic_rc_box_new0 (SondeSampleDecoder);

  decoder->decoder = sonde_image_decoder_new (arguments);
  return decoder;
}

SondeSampleDecoder *
sonde_sample_decoder_ref (SondeSampleDecoder *decoder)
{
  return g_atomic_rc_box_acquire (decoder);
}

void
sonde_sample_decoder_unref (SondeSampleDecoder *decoder)
{
  if (decoder != NULL)
    g_atomic_rc_box_release_full (decoder, clear_decoder);
}

static void
job_free (void *data)
{
  Job *job = data;

  sonde_sample_decoder_unref (job->decoder);
  g_object_unref (job->run);
  g_array_unref (job->refs);
  g_clear_pointer (&job->records, g_ptr_array_unref);
  g_ptr_array_unref (job->samples);
  g_free (job);
}

SondeSampleLoader *
sonde_sample_loader_new (SondeSampleDecoder *decoder, SondeSamplesFunc done, void *user_data)
{
  SondeSampleLoader *loader = g_new0 (SondeSampleLoader, 1);

  loader->decoder = sonde_sample_decoder_ref (decoder);
  loader->max_bytes = MAX_BYTES;
  loader->done = done;
  loader->user_data = user_data;
  return loader;
}

void
sonde_sample_loader_free (SondeSampleLoader *loader)
{
  if (loader == NULL)
    return;
  if (loader->cancellable != NULL)
    g_cancellable_cancel (loader->cancellable);
  g_clear_object (&loader->cancellable);
  sonde_sample_decoder_unref (loader->decoder);
  g_clear_object (&loader->run);
  g_free (loader->tag);
  g_free (loader);
}

void
sonde_sample_loader_set_max_bytes (SondeSampleLoader *loader, gsize max_bytes)
{
  loader->max_bytes = max_bytes;
}

void
sonde_sample_loader_forget (SondeSampleLoader *loader)
{
  if (loader->cancellable != NULL)
    g_cancellable_cancel (loader->cancellable);
  g_clear_object (&loader->cancellable);
  g_clear_object (&loader->run);
  g_clear_pointer (&loader->tag, g_free);
}

gboolean
sonde_sample_loader_is_busy (SondeSampleLoader *loader)
{
  return loader->cancellable != NULL;
}

GArray *
sonde_sample_loader_list_steps (SondeRun *run, const char *tag)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (gint64));

  sonde_step_loader_add_steps (steps, run, tag, SONDE_RECORD_IMAGE);
  sonde_step_loader_sort_steps (steps);
  return steps;
}

gint64
sonde_sample_loader_choose_step (SondeRun *run, const char *tag, gint64 step)
{
  g_autoptr (GArray) steps = sonde_sample_loader_list_steps (run, tag);
  gint64 chosen = steps->len > 0 ? g_array_index (steps, gint64, 0) : 0;

  for (guint i = 0; i < steps->len && g_array_index (steps, gint64, i) <= step; i++)
    chosen = g_array_index (steps, gint64, i);
  return chosen;
}

static int
compare_samples (const void *a, const void *b)
{
  return (*(SondeSample *const *) a)->index - (*(SondeSample *const *) b)->index;
}

/* Many large images are seen small: each keeps what its share of the memory holds. */
static SondeImage *
take_share (SondeImage *image, gsize share)
{
  SondeImage *smaller;
  int factor = 1;

  while ((gsize) (image->width / factor + 1) * (gsize) (image->height / factor + 1)
             * (gsize) image->channels
         > share)
    factor++;
  if (factor == 1)
    return image;
  smaller = sonde_image_new_shrunk (image, factor);
  sonde_image_unref (image);
  return smaller;
}

/* @animation: (transfer full): the frames share what one image would get */
static void
set_frames (SondeSample *sample, SondeAnimation *animation, gsize share)
{
  sample->width = animation->frames[0]->width;
  sample->height = animation->frames[0]->height;
  for (guint i = 0; i < animation->n_frames; i++)
    animation->frames[i] = take_share (animation->frames[i], share / animation->n_frames);
  sample->image = sonde_image_ref (animation->frames[0]);
  if (animation->n_recorded > 1)
    sample->animation = g_steal_pointer (&animation);
  sonde_animation_unref (animation);
}

static SondeSample *
make_sample (const SondeRecord *record, gsize share, SondeImageDecoder *decoder)
{
  SondeSample *sample = g_new0 (SondeSample, 1);
  g_autoptr (GError) error = NULL;
  SondeAnimation *animation = sonde_image_decoder_decode_animation (
      decoder, record->u.image.encoded, record->tag, &error);

  sample->index = record->u.image.index;
  sample->note = record->u.image.note;
  sample->note.sample = g_strdup (record->u.image.note.sample);
  sample->note.label_name = g_strdup (record->u.image.note.label_name);
  sample->note.predicted_name = g_strdup (record->u.image.note.predicted_name);
  if (animation != NULL)
    set_frames (sample, animation, share);
  else
    sample->problem = g_strdup (sonde_error_get_text (error));
  return sample;
}

static void
decode_in_thread (GTask *task, void *source, void *task_data, GCancellable *cancellable)
{
  Job *job = task_data;
  gsize share = job->max_bytes / MAX (job->refs->len, 1);

  for (guint i = 0; i < job->records->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      const SondeRecord *record = job->records->pdata[i];
      if (record->kind == SONDE_RECORD_IMAGE && record->u.image.encoded != NULL)
        g_ptr_array_add (job->samples, make_sample (record, share, job->decoder->decoder));
    }
  g_clear_pointer (&job->records, g_ptr_array_unref);
  g_task_return_boolean (task, TRUE);
}

static void read_on (Job *job, GCancellable *cancellable);

static void
on_decoded (GObject *source, GAsyncResult *result, void *user_data)
{
  Job *job = user_data;
  g_autoptr (GCancellable) cancellable = g_object_ref (g_task_get_cancellable (G_TASK (result)));

  /* Cancelled: the loader may be gone, or loads something else already. */
  if (g_cancellable_is_cancelled (cancellable))
    job_free (job);
  else if (job->n_asked < job->refs->len)
    read_on (job, cancellable);
  else
    {
      g_clear_object (&job->loader->cancellable);
      g_ptr_array_sort (job->samples, compare_samples);
      job->loader->done (job->samples, job->step, job->loader->user_data);
      job_free (job);
    }
}

static void
on_read (GObject *source, GAsyncResult *result, void *user_data)
{
  g_autoptr (GTask) task = user_data;
  Job *job = g_task_get_task_data (task);

  job->records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, NULL);
  if (job->records == NULL)
    job->records = g_ptr_array_new ();
  g_task_run_in_thread (task, decode_in_thread);
}

/* The next few: read in one thread, decoded in another. */
static void
read_on (Job *job, GCancellable *cancellable)
{
  guint n = MIN (READ_AT_ONCE, job->refs->len - job->n_asked);
  g_autoptr (GArray) some = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));
  GTask *task = g_task_new (NULL, cancellable, on_decoded, job);

  g_array_append_vals (some, &g_array_index (job->refs, SondeBlobRef, job->n_asked), n);
  job->n_asked += n;
  g_task_set_task_data (task, job, NULL);
  sonde_run_read_blobs_async (job->run, some, cancellable, on_read, task);
}

void
sonde_sample_loader_load (SondeSampleLoader *loader, SondeRun *run, const char *tag, gint64 step)
{
  g_autoptr (GArray) refs = sonde_run_list_blobs (run, tag, SONDE_RECORD_IMAGE);
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));
  Job *job;

  step = sonde_sample_loader_choose_step (run, tag, step);
  for (guint i = 0; i < refs->len && chosen->len < MAX_SAMPLES; i++)
    if (g_array_index (refs, SondeBlobRef, i).step == step)
      g_array_append_val (chosen, g_array_index (refs, SondeBlobRef, i));
  if (run == loader->run && g_strcmp0 (tag, loader->tag) == 0 && step == loader->step
      && chosen->len == loader->n_refs)
    return;
  g_set_object (&loader->run, run);
  g_free (loader->tag);
  loader->tag = g_strdup (tag);
  loader->step = step;
  loader->n_refs = chosen->len;
  if (loader->cancellable != NULL)
    g_cancellable_cancel (loader->cancellable);
  g_clear_object (&loader->cancellable);
  loader->cancellable = g_cancellable_new ();

  job = g_new0 (Job, 1);
  job->loader = loader;
  job->decoder = sonde_sample_decoder_ref (loader->decoder);
  job->max_bytes = loader->max_bytes;
  job->run = g_object_ref (run);
  job->step = step;
  job->refs = g_array_ref (chosen);
  job->samples = g_ptr_array_new_with_free_func ((GDestroyNotify) sample_free);
  read_on (job, loader->cancellable);
}
