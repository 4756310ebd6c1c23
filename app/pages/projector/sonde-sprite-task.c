/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/projector/sonde-sprite-task.h"

#include "data/images/sonde-image-decoder.h"

/* @image: (nullable): what the thread made */
typedef struct
{
  char *program;
  GBytes *encoded;
  int tile_width, tile_height;
  SondeImage *image;
  GFunc done;
  void *user_data;
} Job;

static void
job_free (void *data)
{
  Job *job = data;

  g_free (job->program);
  g_bytes_unref (job->encoded);
  sonde_image_unref (job->image);
  g_free (job);
}

static void
decode (GTask *task, void *source, void *task_data, GCancellable *cancellable)
{
  Job *job = task_data;
  const char *const arguments[] = { job->program, "image-helper", NULL };
  g_autoptr (SondeImageDecoder) decoder = sonde_image_decoder_new (arguments);
  g_autoptr (GError) error = NULL;

  job->image = sonde_image_decoder_decode (decoder, job->encoded, "sprite", &error);
  if (job->image == NULL)
    g_debug ("pictures of points: %s", error->message);
  g_task_return_boolean (task, TRUE);
}

static void
on_decoded (GObject *source, GAsyncResult *result, void *user_data)
{
  Job *job = g_task_get_task_data (G_TASK (result));

  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  if (job->image != NULL)
    sonde_scatter_view_set_sprite (
        SONDE_SCATTER_VIEW (source),
        sonde_sprite_new (job->image, job->tile_width, job->tile_height));
  if (job->done != NULL)
    job->done (source, job->user_data);
}

void
sonde_sprite_task_start (SondeScatterView *view, const char *program, GBytes *encoded,
                         int tile_width, int tile_height, GCancellable *cancellable, GFunc done,
                         void *user_data)
{
  g_autoptr (GTask) task = g_task_new (view, cancellable, on_decoded, NULL);
  Job *job = g_new0 (Job, 1);

  job->program = g_strdup (program);
  job->encoded = g_bytes_ref (encoded);
  job->tile_width = tile_width;
  job->tile_height = tile_height;
  job->done = done;
  job->user_data = user_data;
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, decode);
}
