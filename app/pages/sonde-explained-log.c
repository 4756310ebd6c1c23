/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-explained-log.h"

#include <math.h>

#include "data/base/sonde-path-gate.h"
#include "explain/study/sonde-study-record.h"

#define MAX_PICTURE_BYTES (64 << 20)
#define MAX_MAP_BYTES (512 << 20) /* of all maps together */
#define PARAMETERS "8-bit picture, scaled to its own least and largest value"

/* What the events of one sample say together. Texts are lent by the records. */
typedef struct
{
  gint64 number;
  const char *image;
  const SondeExplanationClass *truth, *prediction; /* (nullable) */
  char **labels;                                   /* (nullable): of its log */
  GPtrArray *maps;                                 /* (element-type SondeExplanationMap) */
  GPtrArray *occlusions;                           /* (element-type SondeExplanationOcclusion) */
  const SondeExplanation *classified;              /* (nullable): with the probabilities of classes */
} Sample;

/* What reading goes by. */
typedef struct
{
  const char *folder;
  SondeImageDecoder *decoder;
  GPtrArray *faults, *results;
  gsize map_bytes; /* of all maps so far */
  guint n_left_out; /* maps for which there was no room */
} Joining;

static void
sample_free (void *data)
{
  Sample *sample = data;

  g_ptr_array_unref (sample->maps);
  g_ptr_array_unref (sample->occlusions);
  g_free (sample);
}

static void
record_free (void *data)
{
  sonde_record_clear (data);
  g_free (data);
}

/* ---- joining ------------------------------------------------------------------------------------ */

static const SondeExplanationClass *
most_probable (const SondeExplanation *explanation)
{
  const SondeExplanationClass *best = NULL;

  for (gsize i = 0; i < explanation->n_predictions; i++)
    if (best == NULL || explanation->predictions[i].probability > best->probability)
      best = &explanation->predictions[i];
  return best;
}

static void
take_event (Sample                 *sample,
            const SondeExplanation *explanation)
{
  if (explanation->image != NULL)
    sample->image = explanation->image;
  if (explanation->n_truths > 0)
    sample->truth = &explanation->truths[0];
  if (explanation->n_predictions > 0)
    sample->prediction = most_probable (explanation);
  if (explanation->n_predictions > 0)
    sample->classified = explanation;
  for (gsize i = 0; i < explanation->n_maps; i++)
    g_ptr_array_add (sample->maps, &explanation->maps[i]);
  for (gsize i = 0; i < explanation->n_occlusions; i++)
    g_ptr_array_add (sample->occlusions, &explanation->occlusions[i]);
}

/* (transfer full) (element-type Sample): of all logs, in the order they came */
static GPtrArray *
join (GPtrArray *records)
{
  GPtrArray *samples = g_ptr_array_new_with_free_func (sample_free);
  g_autoptr (GHashTable) of_log = g_hash_table_new (g_int64_hash, g_int64_equal);
  char **labels = NULL;

  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = g_ptr_array_index (records, i);
      const SondeExplanation *explanation = record->kind == SONDE_RECORD_EXPLAIN ? record->u.explanation : NULL;
      Sample *sample;

      if (explanation != NULL && explanation->labels != NULL)
        {
          labels = explanation->labels;
          g_hash_table_remove_all (of_log);
        }
      if (explanation == NULL || !explanation->has_sample)
        continue;
      sample = g_hash_table_lookup (of_log, &explanation->sample);
      if (sample == NULL)
        {
          sample = g_new0 (Sample, 1);
          sample->number = explanation->sample;
          sample->labels = labels;
          sample->maps = g_ptr_array_new ();
          sample->occlusions = g_ptr_array_new ();
          g_ptr_array_add (samples, sample);
          g_hash_table_insert (of_log, &sample->number, sample);
        }
      take_event (sample, explanation);
    }
  return samples;
}

/* ---- pictures ----------------------------------------------------------------------------------- */

/* (transfer full) (nullable): a fault is noted */
static GBytes *
read_picture (Joining    *joining,
              const char *path)
{
  g_autoptr (GError) error = NULL;
  GBytes *bytes = sonde_path_gate_read (NULL, joining->folder, path, MAX_PICTURE_BYTES, &error);

  if (bytes == NULL)
    g_ptr_array_add (joining->faults, g_strdup (error->message));
  return bytes;
}

/* The first channel, [height, width] float32 in [0, 1]. (transfer full) (nullable) */
static SondeTensor *
read_map (Joining    *joining,
          const char *path)
{
  g_autoptr (GBytes) bytes = read_picture (joining, path);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeImage) image = bytes != NULL ? sonde_image_decoder_decode (joining->decoder, bytes, path, &error) : NULL;
  SondeShape shape = { 2 };
  SondeTensor *map;

  if (error != NULL)
    g_ptr_array_add (joining->faults, g_strdup (error->message));
  if (image == NULL)
    return NULL;
  shape.dims[0] = image->height;
  shape.dims[1] = image->width;
  map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (gsize i = 0; i < (gsize) image->width * (gsize) image->height; i++)
    ((float *) map->data)[i] = image->pixels[i * (gsize) image->channels] / 255.0f;
  joining->map_bytes += sonde_tensor_n_bytes (map);
  return map;
}

/* ---- records ------------------------------------------------------------------------------------ */

/* (transfer full) (nullable) */
static char *
name_of_class (char **labels,
               int    label)
{
  return labels != NULL && label >= 0 && (guint) label < g_strv_length (labels) ? g_strdup (labels[label]) : NULL;
}

static void
fill_note (const Sample    *sample,
           SondeSampleNote *note)
{
  note->sample = sample->image != NULL ? g_strdup (sample->image) : g_strdup_printf ("sample %" G_GINT64_FORMAT, sample->number);
  note->label = sample->truth != NULL ? sample->truth->label : -1;
  note->predicted = sample->prediction != NULL ? sample->prediction->label : -1;
  note->label_probability = sample->truth != NULL ? sample->truth->probability : NAN;
  note->predicted_probability = sample->prediction != NULL ? sample->prediction->probability : NAN;
  note->label_name = name_of_class (sample->labels, note->label);
  note->predicted_name = name_of_class (sample->labels, note->predicted);
}

static SondeRecord *
new_record (const Sample *sample,
            GBytes       *image)
{
  SondeRecord *record = g_new0 (SondeRecord, 1);

  record->kind = SONDE_RECORD_SALIENCY;
  record->step = sample->number;
  record->u.saliency.image = image != NULL ? g_bytes_ref (image) : NULL;
  record->u.saliency.target = -1;
  record->u.saliency.score = NAN;
  record->u.saliency.parameters = g_strdup (PARAMETERS);
  fill_note (sample, &record->u.saliency.note);
  return record;
}

/* Probability of a class of the sample; NaN unknown. */
static double
find_probability (const Sample *sample,
                  int           label)
{
  for (gsize i = 0; sample->classified != NULL && i < sample->classified->n_predictions; i++)
    if (sample->classified->predictions[i].label == label)
      return sample->classified->predictions[i].probability;
  return sample->truth != NULL && sample->truth->label == label ? sample->truth->probability : NAN;
}

static void
add_occlusions (Joining      *joining,
                const Sample *sample)
{
  for (guint i = 0; i < sample->occlusions->len; i++)
    {
      const SondeExplanationOcclusion *occlusion = g_ptr_array_index (sample->occlusions, i);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeStudyBoxes) boxes
          = sonde_study_boxes_from_log (occlusion, find_probability (sample, occlusion->label), &error);
      SondeRecord *record;

      if (boxes == NULL)
        {
          g_ptr_array_add (joining->faults, g_strdup (error->message));
          continue;
        }
      record = g_new0 (SondeRecord, 1);
      sonde_study_boxes_fill_record (boxes, record);
      record->step = sample->number;
      fill_note (sample, &record->u.counterfactual.note);
      g_ptr_array_add (joining->results, record);
    }
}

static void
add_records (Joining      *joining,
             const Sample *sample)
{
  g_autoptr (GBytes) image = sample->image != NULL ? read_picture (joining, sample->image) : NULL;
  guint n = 0;

  for (guint i = 0; i < sample->maps->len; i++)
    {
      const SondeExplanationMap *map = g_ptr_array_index (sample->maps, i);
      gboolean has_room = joining->map_bytes < MAX_MAP_BYTES;
      SondeTensor *tensor = map->heat_map != NULL && has_room ? read_map (joining, map->heat_map) : NULL;
      SondeRecord *record;

      joining->n_left_out += map->heat_map != NULL && !has_room;
      if (tensor == NULL)
        continue;
      record = new_record (sample, image);
      record->u.saliency.map = tensor;
      record->u.saliency.method = g_strdup (map->method);
      record->u.saliency.target = map->label;
      record->u.saliency.target_is = map->label == record->u.saliency.note.predicted ? g_strdup ("predicted")
                                     : map->label == record->u.saliency.note.label   ? g_strdup ("true")
                                                                                     : g_strdup_printf ("class %d", map->label);
      g_ptr_array_add (joining->results, record);
      n++;
    }
  if (n == 0)
    g_ptr_array_add (joining->results, new_record (sample, image));
  add_occlusions (joining, sample);
}

GPtrArray *
sonde_explained_log_join (GPtrArray         *records,
                          const char        *folder,
                          SondeImageDecoder *decoder,
                          GPtrArray         *faults)
{
  g_autoptr (GPtrArray) samples = join (records);
  Joining joining = { folder, decoder, faults, g_ptr_array_new_with_free_func (record_free), 0, 0 };

  for (guint i = 0; i < samples->len; i++)
    add_records (&joining, g_ptr_array_index (samples, i));
  if (joining.n_left_out > 0)
    g_ptr_array_add (faults, g_strdup_printf ("%u heat maps were left out: the ones before them take %d MiB.", joining.n_left_out,
                                              MAX_MAP_BYTES >> 20));
  return joining.results;
}
