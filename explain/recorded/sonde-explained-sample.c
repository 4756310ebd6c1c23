/* SPDX-License-Identifier: Apache-2.0
 * One explained sample. */
#include "explain/recorded/sonde-explained-sample.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include <string.h>

#include "explain/session/sonde-counterfactual-record.h"

struct _SondeExplainedSample
{
  GObject parent_instance;

  char *name, *label, *predicted, *pair;
  int label_class, predicted_class;
  double label_probability, predicted_probability;
  SondeErrorCategory category;
  char *evidence;
  SondeExplainedFiles *image_files, *map_files; /* (nullable) */
  char *image;                                  /* (nullable): path */
  GBytes *encoded;                              /* (nullable) */
  SondeTensor *mask;
  GPtrArray *maps, *boxes;
};

G_DEFINE_FINAL_TYPE (SondeExplainedSample, sonde_explained_sample, G_TYPE_OBJECT)

static void
sample_map_free (void *data)
{
  SondeRecordedMap *map = data;

  g_free (map->method);
  g_free (map->target_is);
  g_free (map->target_name);
  g_free (map->parameters);
  if (map->map != NULL)
    sonde_tensor_unref (map->map);
  g_free (map->path);
  g_free (map);
}

static void
sample_boxes_free (void *data)
{
  SondeRecordedCounterfactual *boxes = data;

  sonde_counterfactual_free (boxes->boxes);
  g_free (boxes->target_name);
  g_free (boxes);
}

static void
sonde_explained_sample_finalize (GObject *object)
{
  SondeExplainedSample *self = SONDE_EXPLAINED_SAMPLE (object);

  g_free (self->name);
  g_free (self->label);
  g_free (self->predicted);
  g_free (self->pair);
  g_free (self->evidence);
  g_clear_object (&self->image_files);
  g_clear_object (&self->map_files);
  g_free (self->image);
  g_clear_pointer (&self->encoded, g_bytes_unref);
  g_clear_pointer (&self->mask, sonde_tensor_unref);
  g_ptr_array_unref (self->maps);
  g_ptr_array_unref (self->boxes);
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
  self->category = SONDE_N_CATEGORIES;
  self->maps = g_ptr_array_new_with_free_func (sample_map_free);
  self->boxes = g_ptr_array_new_with_free_func (sample_boxes_free);
}

static char *
class_text (const char *name, int number)
{
  if (name != NULL && *name != '\0')
    return g_strdup (name);
  return number >= 0 ? g_strdup_printf (_ ("class %d"), number) : g_strdup (_ ("unknown"));
}

static const SondeSampleNote *
note_of (const SondeRecord *record)
{
  return record->kind == SONDE_RECORD_SALIENCY ? &record->u.saliency.note
                                               : &record->u.counterfactual.note;
}

static char *
target_text (SondeExplainedSample *self, int target)
{
  return target == self->predicted_class ? g_strdup (self->predicted)
         : target == self->label_class   ? g_strdup (self->label)
                                         : class_text (NULL, target);
}

/* ---- one by its parts ---------------------------------------------------- */

SondeExplainedSample *
sonde_explained_sample_new (const SondeSampleNote *note)
{
  SondeExplainedSample *self = g_object_new (SONDE_TYPE_EXPLAINED_SAMPLE, NULL);

  self->name = g_strdup (note->sample != NULL ? note->sample : "");
  self->label = class_text (note->label_name, note->label);
  self->predicted = class_text (note->predicted_name, note->predicted);
  self->pair = g_strdup_printf ("%s → %s", self->label, self->predicted);
  self->label_class = note->label;
  self->predicted_class = note->predicted;
  self->label_probability = note->label_probability;
  self->predicted_probability = note->predicted_probability;
  return self;
}

void
sonde_explained_sample_set_image (SondeExplainedSample *sample, SondeExplainedFiles *files,
                                  const char *path, GBytes *encoded)
{
  g_return_if_fail (SONDE_IS_EXPLAINED_SAMPLE (sample));
  g_set_object (&sample->image_files, files);
  g_free (sample->image);
  sample->image = g_strdup (path);
  g_clear_pointer (&sample->encoded, g_bytes_unref);
  sample->encoded = encoded != NULL ? g_bytes_ref (encoded) : NULL;
}

void
sonde_explained_sample_set_map_files (SondeExplainedSample *sample, SondeExplainedFiles *files)
{
  g_return_if_fail (SONDE_IS_EXPLAINED_SAMPLE (sample));
  g_set_object (&sample->map_files, files);
}

SondeExplainedFiles *
sonde_explained_sample_get_map_files (SondeExplainedSample *sample)
{
  return sample->map_files;
}

void
sonde_explained_sample_add_map (SondeExplainedSample *sample, const SondeRecordedMap *map)
{
  SondeRecordedMap *own = g_new0 (SondeRecordedMap, 1);

  g_return_if_fail (SONDE_IS_EXPLAINED_SAMPLE (sample));
  own->method = g_strdup (map->method != NULL ? map->method : "");
  own->target_is = g_strdup (map->target_is != NULL ? map->target_is : "");
  own->target_name
      = map->target_name != NULL ? g_strdup (map->target_name) : target_text (sample, map->target);
  own->parameters = g_strdup (map->parameters);
  own->target = map->target;
  own->score = map->score;
  own->map = map->map != NULL ? sonde_tensor_ref (map->map) : NULL;
  own->path = g_strdup (map->path);
  for (guint i = 0; i < sample->maps->len; i++)
    {
      const SondeRecordedMap *other = g_ptr_array_index (sample->maps, i);

      if (g_str_equal (other->method, own->method)
          && g_str_equal (other->target_is, own->target_is))
        g_ptr_array_remove_index (sample->maps, i--);
    }
  g_ptr_array_add (sample->maps, own);
}

void
sonde_explained_sample_take_boxes (SondeExplainedSample *sample, SondeCounterfactual *boxes)
{
  SondeRecordedCounterfactual *own;

  g_return_if_fail (SONDE_IS_EXPLAINED_SAMPLE (sample));
  for (guint i = 0; i < sample->boxes->len; i++)
    {
      const SondeRecordedCounterfactual *other = g_ptr_array_index (sample->boxes, i);

      if (other->boxes->goal == boxes->goal && other->boxes->target == boxes->target)
        g_ptr_array_remove_index (sample->boxes, i--);
    }
  own = g_new0 (SondeRecordedCounterfactual, 1);
  own->boxes = boxes;
  own->target_name = target_text (sample, (int) boxes->target);
  g_ptr_array_add (sample->boxes, own);
}

void
sonde_explained_sample_set_category (SondeExplainedSample *sample, SondeErrorCategory category,
                                     const char *evidence)
{
  g_return_if_fail (SONDE_IS_EXPLAINED_SAMPLE (sample));
  sample->category = category;
  g_free (sample->evidence);
  sample->evidence = g_strdup (evidence);
}

/* ---- of records ---------------------------------------------------------- */

static SondeExplainedSample *
sample_of_record (const SondeRecord *record, SondeExplainedFiles *files)
{
  GBytes *image = record->kind == SONDE_RECORD_SALIENCY ? record->u.saliency.image
                                                        : record->u.counterfactual.image;
  SondeExplainedSample *self = sonde_explained_sample_new (note_of (record));

  if (image != NULL)
    sonde_explained_sample_set_image (self, files, self->name, image);
  return self;
}

static void
add_boxes (SondeExplainedSample *self, const SondeRecord *record)
{
  g_autoptr (GError) error = NULL;
  SondeCounterfactual *boxes = sonde_counterfactual_from_record (record, &error);

  if (boxes != NULL)
    sonde_explained_sample_take_boxes (self, boxes);
  else
    g_debug ("%s", error->message);
}

static void
add_map (SondeExplainedSample *self, const SondeRecord *record)
{
  SondeRecordedMap map = { record->u.saliency.method,
                           record->u.saliency.target_is,
                           NULL,
                           record->u.saliency.parameters,
                           record->u.saliency.target,
                           record->u.saliency.score,
                           record->u.saliency.map,
                           NULL };

  sonde_explained_sample_add_map (self, &map);
}

GPtrArray *
sonde_explained_samples_new (GPtrArray *records, SondeExplainedFiles *files)
{
  GPtrArray *samples = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = g_ptr_array_index (records, i);
      SondeExplainedSample *sample;
      const char *name;

      if (record->kind != SONDE_RECORD_COUNTERFACTUAL
          && (record->kind != SONDE_RECORD_SALIENCY
              || (record->u.saliency.map != NULL && record->u.saliency.map->shape.rank != 2)))
        continue;
      name = note_of (record)->sample != NULL ? note_of (record)->sample : "";
      sample = g_hash_table_lookup (by_name, name);
      if (sample == NULL)
        {
          sample = sample_of_record (record, files);
          g_ptr_array_add (samples, sample);
          g_hash_table_insert (by_name, sample->name, sample);
        }
      if (record->kind == SONDE_RECORD_COUNTERFACTUAL)
        add_boxes (sample, record);
      else if (record->u.saliency.map != NULL)
        add_map (sample, record);
      if (record->kind == SONDE_RECORD_SALIENCY && record->u.saliency.mask != NULL
          && sample->mask == NULL)
        sample->mask = sonde_tensor_ref (record->u.saliency.mask);
    }
  return samples;
}

/* ---- what it is ---------------------------------------------------------- */

const char *
sonde_explained_sample_get_name (SondeExplainedSample *sample)
{
  return sample->name;
}

const char *
sonde_explained_sample_get_label (SondeExplainedSample *sample)
{
  return sample->label;
}

const char *
sonde_explained_sample_get_predicted (SondeExplainedSample *sample)
{
  return sample->predicted;
}

int
sonde_explained_sample_get_label_class (SondeExplainedSample *sample)
{
  return sample->label_class;
}

int
sonde_explained_sample_get_predicted_class (SondeExplainedSample *sample)
{
  return sample->predicted_class;
}

double
sonde_explained_sample_get_label_probability (SondeExplainedSample *sample)
{
  return sample->label_probability;
}

double
sonde_explained_sample_get_predicted_probability (SondeExplainedSample *sample)
{
  return sample->predicted_probability;
}

SondeErrorCategory
sonde_explained_sample_get_category (SondeExplainedSample *sample)
{
  return sample->category;
}

const char *
sonde_explained_sample_get_evidence (SondeExplainedSample *sample)
{
  return sample->evidence;
}

SondeTensor *
sonde_explained_sample_get_mask (SondeExplainedSample *sample)
{
  return sample->mask;
}

GPtrArray *
sonde_explained_sample_get_maps (SondeExplainedSample *sample)
{
  return sample->maps;
}

GPtrArray *
sonde_explained_sample_get_boxes (SondeExplainedSample *sample)
{
  return sample->boxes;
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
  sonde_explained_files_read_image_async (sample->image_files, sample->image, sample->encoded,
                                          cancellable, callback, data);
}

SondeImage *
sonde_explained_sample_load_image_finish (SondeExplainedSample *sample, GAsyncResult *result,
                                          GError **error)
{
  SondeImage *image = sonde_explained_files_read_image_finish (sample->image_files, result, error);

  for (guint i = 0; image != NULL && i < sample->boxes->len; i++)
    {
      SondeCounterfactual *boxes
          = ((SondeRecordedCounterfactual *) g_ptr_array_index (sample->boxes, i))->boxes;

      if (isnan (boxes->area))
        boxes->area = sonde_counterfactual_measure_area (boxes, image->width, image->height);
    }
  return image;
}

void
sonde_explained_sample_load_map_async (SondeExplainedSample *sample, const SondeRecordedMap *map,
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
