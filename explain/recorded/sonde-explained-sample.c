/* SPDX-License-Identifier: Apache-2.0
 * One explained sample. */
#include "explain/recorded/sonde-explained-sample.h"

#include <math.h>

struct _SondeExplainedSample
{
  GObject parent_instance;

  SondeExplanationSample *recorded;
  SondeExplainedFiles *image_files, *map_files; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SondeExplainedSample, sonde_explained_sample, G_TYPE_OBJECT)

static void
sonde_explained_sample_finalize (GObject *object)
{
  SondeExplainedSample *self = SONDE_EXPLAINED_SAMPLE (object);

  sonde_explanation_sample_free (self->recorded);
  g_clear_object (&self->image_files);
  g_clear_object (&self->map_files);
  G_OBJECT_CLASS (sonde_explained_sample_parent_class)->finalize (object);
}

static void
sonde_explained_sample_class_init (SondeExplainedSampleClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_explained_sample_finalize;
}

static void
sonde_explained_sample_init (SondeExplainedSample *self)
{
}

SondeExplainedSample *
sonde_explained_sample_new (SondeExplanationSample *recorded, SondeExplainedFiles *images,
                            SondeExplainedFiles *maps)
{
  SondeExplainedSample *self = g_object_new (SONDE_TYPE_EXPLAINED_SAMPLE, NULL);

  self->recorded = recorded;
  g_set_object (&self->image_files, images);
  g_set_object (&self->map_files, maps);
  return self;
}

const SondeExplanationSample *
sonde_explained_sample_get_recorded (SondeExplainedSample *sample)
{
  g_return_val_if_fail (SONDE_IS_EXPLAINED_SAMPLE (sample), NULL);
  return sample->recorded;
}

SondeExplainedFiles *
sonde_explained_sample_get_map_files (SondeExplainedSample *sample)
{
  return sample->map_files;
}

/* ---- what is read when it is asked for ----------------------------------- */

gboolean
sonde_explained_sample_has_image (SondeExplainedSample *sample)
{
  return sample->image_files != NULL;
}

void
sonde_explained_sample_load_image_async (SondeExplainedSample *sample, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (sonde_explained_sample_has_image (sample));
  sonde_explained_files_read_image_async (sample->image_files, sample->recorded->image,
                                          sample->recorded->encoded, cancellable, callback, data);
}

SondeImage *
sonde_explained_sample_load_image_finish (SondeExplainedSample *sample, GAsyncResult *result,
                                          GError **error)
{
  SondeImage *image = sonde_explained_files_read_image_finish (sample->image_files, result, error);
  GPtrArray *counterfactuals = sample->recorded->counterfactuals;

  for (guint i = 0; image != NULL && i < counterfactuals->len; i++)
    {
      SondeCounterfactual *boxes = g_ptr_array_index (counterfactuals, i);

      if (isnan (boxes->area))
        boxes->area = sonde_counterfactual_measure_area (boxes, image->width, image->height);
    }
  return image;
}

void
sonde_explained_sample_load_map_async (SondeExplainedSample *sample, const SondeAttributionMap *map,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer data)
{
  g_return_if_fail (sample->map_files != NULL && map->path != NULL);
  sonde_explained_files_read_map_async (sample->map_files, map->path, cancellable, callback, data);
}

SondeTensor *
sonde_explained_sample_load_map_finish (SondeExplainedSample *sample, GAsyncResult *result,
                                        GError **error)
{
  return sonde_explained_files_read_map_finish (sample->map_files, result, error);
}
