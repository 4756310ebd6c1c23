/* SPDX-License-Identifier: Apache-2.0
 * One explained sample. */
#include "app/pages/sonde-explained-sample.h"

#include <math.h>
#include <string.h>

#include "explain/study/sonde-study-record.h"
#include "viewers/paint/sonde-map-paint.h"

struct _SondeExplainedSample
{
  GObject parent_instance;

  char *name, *label, *predicted, *pair;
  int label_class, predicted_class;
  double label_probability, predicted_probability, limit;
  SondeImage *image;
  SondeTensor *mask;
  GPtrArray *maps, *boxes;
};

G_DEFINE_FINAL_TYPE (SondeExplainedSample, sonde_explained_sample, G_TYPE_OBJECT)

static void
sample_map_free (void *data)
{
  SondeSampleMap *map = data;

  g_free (map->method);
  g_free (map->target_is);
  g_free (map->target_name);
  g_free (map->parameters);
  sonde_tensor_unref (map->map);
  g_free (map);
}

static void
sample_boxes_free (void *data)
{
  SondeSampleBoxes *boxes = data;

  sonde_study_boxes_free (boxes->boxes);
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
  sonde_image_free (self->image);
  sonde_tensor_unref (self->mask);
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
  self->maps = g_ptr_array_new_with_free_func (sample_map_free);
  self->boxes = g_ptr_array_new_with_free_func (sample_boxes_free);
}

static char *
class_text (const char *name,
            int         number)
{
  if (name != NULL && *name != '\0')
    return g_strdup (name);
  return number >= 0 ? g_strdup_printf ("class %d", number) : g_strdup ("unknown");
}

static const SondeSampleNote *
note_of (const SondeRecord *record)
{
  return record->kind == SONDE_RECORD_SALIENCY ? &record->u.saliency.note : &record->u.counterfactual.note;
}

static SondeExplainedSample *
sample_new (const SondeRecord *record,
            SondeImageDecoder *decoder)
{
  const SondeSampleNote *note = note_of (record);
  GBytes *image = record->kind == SONDE_RECORD_SALIENCY ? record->u.saliency.image : record->u.counterfactual.image;
  SondeExplainedSample *self = g_object_new (SONDE_TYPE_EXPLAINED_SAMPLE, NULL);
  g_autoptr (GError) error = NULL;

  self->name = g_strdup (note->sample != NULL ? note->sample : "");
  self->label = class_text (note->label_name, note->label);
  self->predicted = class_text (note->predicted_name, note->predicted);
  self->pair = g_strdup_printf ("%s → %s", self->label, self->predicted);
  self->label_class = note->label;
  self->predicted_class = note->predicted;
  self->label_probability = note->label_probability;
  self->predicted_probability = note->predicted_probability;
  if (image != NULL)
    self->image = sonde_image_decoder_decode (decoder, image, self->name, &error);
  if (error != NULL)
    g_debug ("%s", error->message);
  return self;
}

static char *
target_text (SondeExplainedSample *self,
             int                   target)
{
  return target == self->predicted_class ? g_strdup (self->predicted)
         : target == self->label_class   ? g_strdup (self->label)
                                         : class_text (NULL, target);
}

/* The later of two with one goal and target counts. */
static void
add_boxes (SondeExplainedSample *self,
           const SondeRecord    *record)
{
  g_autoptr (GError) error = NULL;
  SondeStudyBoxes *boxes = sonde_study_boxes_from_record (record, &error);
  SondeSampleBoxes *own;

  if (boxes == NULL)
    {
      g_debug ("%s", error->message);
      return;
    }
  if (isnan (boxes->area) && self->image != NULL)
    boxes->area = sonde_study_boxes_measure_area (boxes, self->image->width, self->image->height);
  for (guint i = 0; i < self->boxes->len; i++)
    {
      const SondeSampleBoxes *other = g_ptr_array_index (self->boxes, i);

      if (other->boxes->goal == boxes->goal && other->boxes->target == boxes->target)
        g_ptr_array_remove_index (self->boxes, i--);
    }
  own = g_new0 (SondeSampleBoxes, 1);
  own->boxes = boxes;
  own->target_name = target_text (self, (int) boxes->target);
  g_ptr_array_add (self->boxes, own);
}

/* The later of two maps of one method and target counts. */
static void
add_map (SondeExplainedSample *self,
         const SondeRecord    *record)
{
  SondeSampleMap *map = g_new0 (SondeSampleMap, 1);
  SondeTensor *tensor = record->u.saliency.map;

  map->method = g_strdup (record->u.saliency.method != NULL ? record->u.saliency.method : "");
  map->target_is = g_strdup (record->u.saliency.target_is != NULL ? record->u.saliency.target_is : "");
  map->parameters = g_strdup (record->u.saliency.parameters);
  map->target = record->u.saliency.target;
  map->target_name = target_text (self, map->target);
  map->score = record->u.saliency.score;
  map->map = sonde_tensor_ref (tensor);
  for (guint i = 0; i < self->maps->len; i++)
    {
      SondeSampleMap *other = g_ptr_array_index (self->maps, i);

      if (g_str_equal (other->method, map->method) && g_str_equal (other->target_is, map->target_is))
        g_ptr_array_remove_index (self->maps, i--);
    }
  g_ptr_array_add (self->maps, map);
  self->limit = fmax (self->limit, sonde_map_largest_magnitude (tensor));
}

GPtrArray *
sonde_explained_samples_new (GPtrArray         *records,
                             SondeImageDecoder *decoder)
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
          sample = sample_new (record, decoder);
          g_ptr_array_add (samples, sample);
          g_hash_table_insert (by_name, sample->name, sample);
        }
      if (record->kind == SONDE_RECORD_COUNTERFACTUAL)
        add_boxes (sample, record);
      else if (record->u.saliency.map != NULL)
        add_map (sample, record);
      if (record->kind == SONDE_RECORD_SALIENCY && record->u.saliency.mask != NULL && sample->mask == NULL)
        sample->mask = sonde_tensor_ref (record->u.saliency.mask);
    }
  return samples;
}

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

const char *
sonde_explained_sample_get_pair (SondeExplainedSample *sample)
{
  return sample->pair;
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

const SondeImage *
sonde_explained_sample_get_image (SondeExplainedSample *sample)
{
  return sample->image;
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

double
sonde_explained_sample_get_limit (SondeExplainedSample *sample)
{
  return sample->limit;
}

GdkTexture *
sonde_explained_sample_make_texture (SondeExplainedSample *sample)
{
  const SondeImage *image = sample->image;
  g_autoptr (GBytes) bytes = NULL;
  guint8 *rgb;
  gsize n;

  if (image == NULL)
    return NULL;
  n = (gsize) image->width * (gsize) image->height;
  rgb = g_malloc (3 * n);
  for (gsize i = 0; i < n; i++)
    for (int c = 0; c < 3; c++)
      rgb[3 * i + c] = image->pixels[i * (gsize) image->channels + (image->channels >= 3 ? c : 0)];
  bytes = g_bytes_new_take (rgb, 3 * n);
  return gdk_memory_texture_new (image->width, image->height, GDK_MEMORY_R8G8B8, bytes, 3 * (gsize) image->width);
}
