/* SPDX-License-Identifier: Apache-2.0
 * Ownership of a record's members, one row a kind. */
#include "data/records/sonde-record.h"

#include <string.h>

static void
clear_note (SondeSampleNote *note)
{
  g_free (note->sample);
  g_free (note->label_name);
  g_free (note->predicted_name);
}

static void
copy_note (const SondeSampleNote *note,
           SondeSampleNote       *copy)
{
  *copy = *note;
  copy->sample = g_strdup (note->sample);
  copy->label_name = g_strdup (note->label_name);
  copy->predicted_name = g_strdup (note->predicted_name);
}

static GBytes *
ref_bytes (GBytes *bytes)
{
  return bytes != NULL ? g_bytes_ref (bytes) : NULL;
}

static SondeTensor *
copy_tensor (SondeTensor *tensor)
{
  return tensor != NULL ? sonde_tensor_copy (tensor) : NULL;
}

static gsize
text_bytes (const char *text)
{
  return text != NULL ? strlen (text) + 1 : 0;
}

static gsize
bytes_bytes (GBytes *bytes)
{
  return bytes != NULL ? g_bytes_get_size (bytes) : 0;
}

static gsize
tensor_bytes (const SondeTensor *tensor)
{
  return tensor != NULL ? sizeof *tensor + sonde_tensor_n_bytes (tensor) : 0;
}

/* ---- one after the other: clear, copy, size ------------------------------------------------- */

static void
session_clear (SondeRecord *record)
{
  g_free (record->u.session_start.program);
  g_free (record->u.session_start.host);
}

static void
session_copy (const SondeRecord *record,
              SondeRecord       *copy)
{
  copy->u.session_start.program = g_strdup (record->u.session_start.program);
  copy->u.session_start.host = g_strdup (record->u.session_start.host);
}

static gsize
session_size (const SondeRecord *record)
{
  return text_bytes (record->u.session_start.program) + text_bytes (record->u.session_start.host);
}

static void
scalars_clear (SondeRecord *record)
{
  g_free (record->u.scalars.items);
}

static void
scalars_copy (const SondeRecord *record,
              SondeRecord       *copy)
{
  copy->u.scalars.items = g_memdup2 (record->u.scalars.items,
                                     record->u.scalars.n * sizeof (SondeScalar));
}

static gsize
scalars_size (const SondeRecord *record)
{
  return record->u.scalars.n * sizeof (SondeScalar);
}

static void
histogram_clear (SondeRecord *record)
{
  g_free (record->u.histogram);
}

static void
histogram_copy (const SondeRecord *record,
                SondeRecord       *copy)
{
  copy->u.histogram = g_memdup2 (record->u.histogram, sizeof (SondeHistogram));
}

static gsize
histogram_size (const SondeRecord *record)
{
  return sizeof (SondeHistogram);
}

static void
image_clear (SondeRecord *record)
{
  g_clear_pointer (&record->u.image.encoded, g_bytes_unref);
  clear_note (&record->u.image.note);
}

static void
image_copy (const SondeRecord *record,
            SondeRecord       *copy)
{
  copy->u.image.encoded = ref_bytes (record->u.image.encoded);
  copy_note (&record->u.image.note, &copy->u.image.note);
}

static gsize
image_size (const SondeRecord *record)
{
  return bytes_bytes (record->u.image.encoded);
}

static void
text_clear (SondeRecord *record)
{
  g_free (record->u.text);
}

static void
text_copy (const SondeRecord *record,
           SondeRecord       *copy)
{
  copy->u.text = g_strdup (record->u.text);
}

static gsize
text_size (const SondeRecord *record)
{
  return text_bytes (record->u.text);
}

static void
tensor_clear (SondeRecord *record)
{
  sonde_tensor_unref (record->u.tensor);
}

static void
tensor_copy (const SondeRecord *record,
             SondeRecord       *copy)
{
  copy->u.tensor = copy_tensor (record->u.tensor);
}

static gsize
tensor_size (const SondeRecord *record)
{
  return tensor_bytes (record->u.tensor);
}

static void
graph_clear (SondeRecord *record)
{
  g_clear_pointer (&record->u.graph.model, g_bytes_unref);
}

static void
graph_copy (const SondeRecord *record,
            SondeRecord       *copy)
{
  copy->u.graph.model = ref_bytes (record->u.graph.model);
}

static gsize
graph_size (const SondeRecord *record)
{
  return bytes_bytes (record->u.graph.model);
}

static void
hparams_clear (SondeRecord *record)
{
  for (gsize i = 0; i < record->u.hparams.n; i++)
    {
      g_free (record->u.hparams.items[i].key);
      g_free (record->u.hparams.items[i].text);
    }
  g_free (record->u.hparams.items);
}

static void
hparams_copy (const SondeRecord *record,
              SondeRecord       *copy)
{
  copy->u.hparams.items = g_new0 (SondeHparam, record->u.hparams.n);
  for (gsize i = 0; i < record->u.hparams.n; i++)
    {
      copy->u.hparams.items[i].key = g_strdup (record->u.hparams.items[i].key);
      copy->u.hparams.items[i].text = g_strdup (record->u.hparams.items[i].text);
    }
}

static gsize
hparams_size (const SondeRecord *record)
{
  gsize bytes = record->u.hparams.n * sizeof (SondeHparam);

  for (gsize i = 0; i < record->u.hparams.n; i++)
    bytes += text_bytes (record->u.hparams.items[i].key) + text_bytes (record->u.hparams.items[i].text);
  return bytes;
}

static void
saliency_clear (SondeRecord *record)
{
  sonde_tensor_unref (record->u.saliency.map);
  sonde_tensor_unref (record->u.saliency.mask);
  g_clear_pointer (&record->u.saliency.image, g_bytes_unref);
  g_free (record->u.saliency.method);
  g_free (record->u.saliency.target_is);
  g_free (record->u.saliency.parameters);
  clear_note (&record->u.saliency.note);
}

static void
saliency_copy (const SondeRecord *record,
               SondeRecord       *copy)
{
  copy->u.saliency.map = copy_tensor (record->u.saliency.map);
  copy->u.saliency.mask = copy_tensor (record->u.saliency.mask);
  copy->u.saliency.image = ref_bytes (record->u.saliency.image);
  copy->u.saliency.method = g_strdup (record->u.saliency.method);
  copy->u.saliency.target_is = g_strdup (record->u.saliency.target_is);
  copy->u.saliency.parameters = g_strdup (record->u.saliency.parameters);
  copy_note (&record->u.saliency.note, &copy->u.saliency.note);
}

static gsize
saliency_size (const SondeRecord *record)
{
  return tensor_bytes (record->u.saliency.map) + tensor_bytes (record->u.saliency.mask)
         + bytes_bytes (record->u.saliency.image);
}

static void
gap_clear (SondeRecord *record)
{
  g_free (record->u.gap.reason);
}

static void
gap_copy (const SondeRecord *record,
          SondeRecord       *copy)
{
  copy->u.gap.reason = g_strdup (record->u.gap.reason);
}

static gsize
gap_size (const SondeRecord *record)
{
  return text_bytes (record->u.gap.reason);
}

/* ---- the kinds ------------------------------------------------------------------------------ */

typedef struct
{
  const char *name;
  void (*clear) (SondeRecord *record);                         /* optional: owns nothing */
  void (*copy) (const SondeRecord *record, SondeRecord *copy); /* optional: a plain copy will do */
  gsize (*size) (const SondeRecord *record);                   /* optional: 0 */
} RecordClass;

static const RecordClass classes[SONDE_N_RECORD_KINDS] = {
  [SONDE_RECORD_UNKNOWN] = { "other" },
  [SONDE_RECORD_SESSION] = { "session", session_clear, session_copy, session_size },
  [SONDE_RECORD_SCALARS] = { "scalar", scalars_clear, scalars_copy, scalars_size },
  [SONDE_RECORD_HISTOGRAM] = { "histogram", histogram_clear, histogram_copy, histogram_size },
  [SONDE_RECORD_IMAGE] = { "image", image_clear, image_copy, image_size },
  [SONDE_RECORD_AUDIO] = { "audio" },
  [SONDE_RECORD_TEXT] = { "text", text_clear, text_copy, text_size },
  [SONDE_RECORD_TENSOR] = { "tensor", tensor_clear, tensor_copy, tensor_size },
  [SONDE_RECORD_STATISTICS] = { "tensor_statistics" },
  [SONDE_RECORD_GRAPH] = { "graph", graph_clear, graph_copy, graph_size },
  [SONDE_RECORD_HPARAMS] = { "hparams", hparams_clear, hparams_copy, hparams_size },
  [SONDE_RECORD_LINEAGE] = { "lineage" },
  [SONDE_RECORD_PR_CURVE] = { "pr_curve" },
  [SONDE_RECORD_EMBEDDING] = { "embedding" },
  [SONDE_RECORD_LANDSCAPE] = { "landscape" },
  [SONDE_RECORD_SALIENCY] = { "saliency", saliency_clear, saliency_copy, saliency_size },
  [SONDE_RECORD_COUNTERFACTUAL] = { "counterfactual" },
  [SONDE_RECORD_METRIC] = { "metric" },
  [SONDE_RECORD_SPAN] = { "span" },
  [SONDE_RECORD_MEMORY] = { "memory" },
  [SONDE_RECORD_DEBUG_HIT] = { "debug_hit" },
  [SONDE_RECORD_GAP] = { "gap", gap_clear, gap_copy, gap_size },
};

static const RecordClass *
class_of (SondeRecordKind kind)
{
  return &classes[(guint) kind < SONDE_N_RECORD_KINDS ? kind : SONDE_RECORD_UNKNOWN];
}

const char *
sonde_record_kind_name (SondeRecordKind kind)
{
  return class_of (kind)->name;
}

void
sonde_record_clear (SondeRecord *record)
{
  const RecordClass *class = class_of (record->kind);

  if (class->clear != NULL)
    class->clear (record);
  memset (record, 0, sizeof *record);
}

void
sonde_record_copy (const SondeRecord *record,
                   SondeRecord       *copy)
{
  const RecordClass *class = class_of (record->kind);

  *copy = *record;
  if (class->copy != NULL)
    class->copy (record, copy);
}

gsize
sonde_record_n_bytes (const SondeRecord *record)
{
  const RecordClass *class = class_of (record->kind);

  return class->size != NULL ? class->size (record) : 0;
}
