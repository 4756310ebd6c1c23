/* SPDX-License-Identifier: Apache-2.0
 * Ownership of a record's members: one row a member that owns something. */
#include "data/records/sonde-record.h"

#include <string.h>

/* ---- kinds of members ---------------------------------------------------- */

/* Each function gets the pointer that a record holds, which may be NULL, and how many items it has
 * where it is an array. */
typedef struct
{
  void (*free) (gpointer member, gsize n);
  gpointer (*copy) (gpointer member, gsize n);
  gsize (*size) (gpointer member, gsize n);
} MemberClass;

static void
text_free (gpointer member, gsize n)
{
  g_free (member);
}

static gpointer
text_copy (gpointer member, gsize n)
{
  return g_strdup (member);
}

static gsize
text_size (gpointer member, gsize n)
{
  return member != NULL ? strlen (member) + 1 : 0;
}

static void
texts_free (gpointer member, gsize n)
{
  g_strfreev (member);
}

static gpointer
texts_copy (gpointer member, gsize n)
{
  return g_strdupv (member);
}

static gsize
texts_size (gpointer member, gsize n)
{
  gsize bytes = 0;

  for (char **texts = member; texts != NULL && *texts != NULL; texts++)
    bytes += sizeof *texts + text_size (*texts, 1);
  return bytes;
}

static void
bytes_free (gpointer member, gsize n)
{
  g_bytes_unref (member);
}

static gpointer
bytes_copy (gpointer member, gsize n)
{
  return member != NULL ? g_bytes_ref (member) : NULL;
}

static gsize
bytes_size (gpointer member, gsize n)
{
  return member != NULL ? g_bytes_get_size (member) : 0;
}

static void
tensor_free (gpointer member, gsize n)
{
  sonde_tensor_unref (member);
}

static gpointer
tensor_copy (gpointer member, gsize n)
{
  return member != NULL ? sonde_tensor_copy (member) : NULL;
}

static gsize
tensor_size (gpointer member, gsize n)
{
  return member != NULL ? sizeof (SondeTensor) + sonde_tensor_n_bytes (member) : 0;
}

static void
message_free (gpointer member, gsize n)
{
  sonde_message_free (member);
}

static gpointer
message_copy (gpointer member, gsize n)
{
  return sonde_message_copy (member);
}

static gsize
message_size (gpointer member, gsize n)
{
  gsize bytes = 0;

  for (guint i = 0; member != NULL && i < sonde_message_get_n_parts (member); i++)
    {
      const char *const *arguments;
      const char *id = sonde_message_get_part (member, i, &arguments);

      bytes += strlen (id) + 1 + texts_size ((gpointer) arguments, 1);
    }
  return bytes;
}

/* A graph of a record does not change any more. */
static void
graph_free (gpointer member, gsize n)
{
  sonde_graph_unref (member);
}

static gpointer
graph_copy (gpointer member, gsize n)
{
  return member != NULL ? sonde_graph_ref (member) : NULL;
}

static gpointer
histogram_copy (gpointer member, gsize n)
{
  return g_memdup2 (member, sizeof (SondeHistogram));
}

static gsize
histogram_size (gpointer member, gsize n)
{
  return member != NULL ? sizeof (SondeHistogram) : 0;
}

static void
bins_free (gpointer member, gsize n)
{
  sonde_bins_free (member);
}

static gpointer
bins_copy (gpointer member, gsize n)
{
  return sonde_bins_copy (member);
}

static gsize
bins_size (gpointer member, gsize n)
{
  return sonde_bins_n_bytes (member);
}

static void
explanation_free (gpointer member, gsize n)
{
  sonde_explanation_free (member);
}

static gpointer
explanation_copy (gpointer member, gsize n)
{
  return sonde_explanation_copy (member);
}

static gsize
explanation_size (gpointer member, gsize n)
{
  return sonde_explanation_n_bytes (member);
}

static gpointer
scalars_copy (gpointer member, gsize n)
{
  return g_memdup2 (member, n * sizeof (SondeScalar));
}

static gsize
scalars_size (gpointer member, gsize n)
{
  return n * sizeof (SondeScalar);
}

static void
hparams_free (gpointer member, gsize n)
{
  sonde_hparams_free (member, n);
}

static gpointer
hparams_copy (gpointer member, gsize n)
{
  return sonde_hparams_copy (member, n);
}

static gsize
hparams_size (gpointer member, gsize n)
{
  const SondeHparam *items = member;
  gsize bytes = n * sizeof *items;

  for (gsize i = 0; i < n; i++)
    bytes += text_size (items[i].key, 1) + text_size (items[i].text, 1);
  return bytes;
}

static void
charts_free (gpointer member, gsize n)
{
  SondeChartPlan *charts = member;

  for (gsize i = 0; i < n; i++)
    {
      g_free (charts[i].category);
      g_free (charts[i].title);
      g_strfreev (charts[i].tags);
    }
  g_free (charts);
}

static gpointer
charts_copy (gpointer member, gsize n)
{
  SondeChartPlan *copy = g_memdup2 (member, n * sizeof *copy);

  for (gsize i = 0; i < n; i++)
    {
      copy[i].category = g_strdup (copy[i].category);
      copy[i].title = g_strdup (copy[i].title);
      copy[i].tags = g_strdupv (copy[i].tags);
    }
  return copy;
}

static gsize
charts_size (gpointer member, gsize n)
{
  const SondeChartPlan *charts = member;
  gsize bytes = n * sizeof *charts;

  for (gsize i = 0; i < n; i++)
    bytes += texts_size (charts[i].tags, 1);
  return bytes;
}

static const MemberClass text = { text_free, text_copy, text_size };
static const MemberClass texts = { texts_free, texts_copy, texts_size };
static const MemberClass bytes = { bytes_free, bytes_copy, bytes_size };
static const MemberClass tensor = { tensor_free, tensor_copy, tensor_size };
static const MemberClass message = { message_free, message_copy, message_size };
static const MemberClass graph = { graph_free, graph_copy, NULL };
static const MemberClass histogram = { text_free, histogram_copy, histogram_size };
static const MemberClass bins = { bins_free, bins_copy, bins_size };
static const MemberClass explanation = { explanation_free, explanation_copy, explanation_size };
static const MemberClass scalars = { text_free, scalars_copy, scalars_size };
static const MemberClass hparams = { hparams_free, hparams_copy, hparams_size };
static const MemberClass charts = { charts_free, charts_copy, charts_size };

/* ---- members of each kind ------------------------------------------------ */

typedef struct
{
  const MemberClass *class;
  gsize offset;
  gsize n_offset; /* of the gsize that counts the items, 0: no array */
} Member;

#define MEMBER(class, name)                                                                        \
  {                                                                                                \
    &(class), offsetof (SondeRecord, u.name), 0                                                    \
  }
#define ARRAY(class, name, count)                                                                  \
  {                                                                                                \
    &(class), offsetof (SondeRecord, u.name), offsetof (SondeRecord, u.count)                      \
  }
#define NOTE_MEMBERS(name)                                                                         \
  MEMBER (text, name.sample), MEMBER (text, name.label_name), MEMBER (text, name.predicted_name)
#define MAX_MEMBERS 13

typedef struct
{
  const char *name;
  Member members[MAX_MEMBERS + 1]; /* ended by one without a class */
} RecordClass;

static const RecordClass classes[SONDE_N_RECORD_KINDS] = {
  [SONDE_RECORD_UNKNOWN] = { "other", { { NULL } } },
  [SONDE_RECORD_SESSION]
  = { "session", { MEMBER (text, session_start.program), MEMBER (text, session_start.host) } },
  [SONDE_RECORD_SCALARS] = { "scalar", { ARRAY (scalars, scalars.items, scalars.n) } },
  [SONDE_RECORD_HISTOGRAM]
  = { "histogram", { MEMBER (histogram, histogram), MEMBER (bins, bins) } },
  [SONDE_RECORD_IMAGE] = { "image", { MEMBER (bytes, image.encoded), NOTE_MEMBERS (image.note) } },
  [SONDE_RECORD_AUDIO] = { "audio",
                           { MEMBER (bytes, audio.encoded), MEMBER (text, audio.content_type),
                             MEMBER (text, audio.label) } },
  [SONDE_RECORD_TEXT]
  = { "text", { MEMBER (text, text), MEMBER (tensor, cells), MEMBER (message, message) } },
  [SONDE_RECORD_TENSOR] = { "tensor", { MEMBER (tensor, tensor) } },
  [SONDE_RECORD_STATISTICS] = { "tensor_statistics", { { NULL } } },
  [SONDE_RECORD_GRAPH] = { "graph", { MEMBER (bytes, graph.model), MEMBER (graph, graph.graph) } },
  [SONDE_RECORD_HPARAMS] = { "hparams",
                             { ARRAY (hparams, hparams.items, hparams.n),
                               ARRAY (hparams, hparams.metrics, hparams.n_metrics),
                               MEMBER (text, hparams.group), MEMBER (text, hparams.status) } },
  [SONDE_RECORD_LINEAGE]
  = { "lineage",
      { MEMBER (text, lineage.part), ARRAY (hparams, lineage.items, lineage.n),
        MEMBER (graph, lineage.pipeline) } },
  [SONDE_RECORD_PR_CURVE] = { "pr_curve", { MEMBER (tensor, pr_curve.rows) } },
  [SONDE_RECORD_EMBEDDING]
  = { "embedding",
      { MEMBER (tensor, embedding.points), MEMBER (tensor, embedding.labels),
        MEMBER (texts, embedding.columns), MEMBER (bytes, embedding.sprite) } },
  [SONDE_RECORD_LANDSCAPE]
  = { "landscape",
      { MEMBER (tensor, landscape.x), MEMBER (tensor, landscape.y), MEMBER (tensor, landscape.z),
        MEMBER (tensor, landscape.path_x), MEMBER (tensor, landscape.path_y),
        MEMBER (tensor, landscape.path_z), MEMBER (tensor, landscape.intervals),
        MEMBER (text, landscape.decomposition), MEMBER (text, landscape.unit),
        MEMBER (text, landscape.loss), MEMBER (text, landscape.part),
        MEMBER (text, landscape.digest) } },
  [SONDE_RECORD_SALIENCY]
  = { "saliency",
      { MEMBER (tensor, saliency.map), MEMBER (tensor, saliency.mask),
        MEMBER (bytes, saliency.image), MEMBER (text, saliency.method),
        MEMBER (text, saliency.target_is), MEMBER (text, saliency.parameters),
        NOTE_MEMBERS (saliency.note) } },
  [SONDE_RECORD_COUNTERFACTUAL]
  = { "counterfactual",
      { MEMBER (bytes, counterfactual.image), MEMBER (text, counterfactual.goal),
        MEMBER (text, counterfactual.result), MEMBER (text, counterfactual.parameters),
        MEMBER (text, counterfactual.mask), MEMBER (text, counterfactual.remark),
        MEMBER (tensor, counterfactual.boxes), MEMBER (tensor, counterfactual.outputs),
        MEMBER (tensor, counterfactual.pruned), MEMBER (tensor, counterfactual.steps),
        NOTE_MEMBERS (counterfactual.note) } },
  [SONDE_RECORD_METRIC] = { "metric", { { NULL } } },
  [SONDE_RECORD_SPAN] = { "span", { MEMBER (bytes, profile.message) } },
  [SONDE_RECORD_MEMORY] = { "memory", { MEMBER (bytes, profile.message) } },
  [SONDE_RECORD_DEBUG_HIT] = { "debug_hit", { { NULL } } },
  [SONDE_RECORD_GAP] = { "gap", { MEMBER (text, gap.reason) } },
  [SONDE_RECORD_MESH]
  = { "mesh",
      { MEMBER (text, mesh.name), MEMBER (tensor, mesh.values), MEMBER (text, mesh.settings) } },
  [SONDE_RECORD_CUSTOM_SCALARS]
  = { "custom_scalars", { ARRAY (charts, custom_scalars.items, custom_scalars.n) } },
  [SONDE_RECORD_RUN_METADATA] = { "run_metadata", { MEMBER (bytes, run_metadata.message) } },
  [SONDE_RECORD_SESSION_LOG]
  = { "session_log",
      { MEMBER (text, session_log.checkpoint), MEMBER (text, session_log.message) } },
  [SONDE_RECORD_EXPLAIN] = { "explain", { MEMBER (explanation, explanation) } },
  [SONDE_RECORD_NOTE]
  = { "note",
      { MEMBER (text, tag_note.display_name), MEMBER (text, tag_note.description),
        MEMBER (text, tag_note.unit), MEMBER (text, tag_note.group) } },
  [SONDE_RECORD_OTHER] = { "other",
                           { MEMBER (text, other.plugin), MEMBER (tensor, other.tensor),
                             MEMBER (bytes, other.content) } },
  [SONDE_RECORD_END] = { "end", { { NULL } } },
};

static const RecordClass *
class_of (SondeRecordKind kind)
{
  return &classes[(guint) kind < SONDE_N_RECORD_KINDS ? kind : SONDE_RECORD_UNKNOWN];
}

static gpointer *
member_of (SondeRecord *record, const Member *member, gsize *n)
{
  *n = member->n_offset != 0 ? *(gsize *) ((char *) record + member->n_offset) : 1;
  return (gpointer *) ((char *) record + member->offset);
}

const char *
sonde_record_kind_name (SondeRecordKind kind)
{
  return class_of (kind)->name;
}

void
sonde_record_clear (SondeRecord *record)
{
  for (const Member *member = class_of (record->kind)->members; member->class != NULL; member++)
    {
      gsize n;
      gpointer *place = member_of (record, member, &n);

      if (*place != NULL)
        member->class->free (*place, n);
    }
  memset (record, 0, sizeof *record);
}

void
sonde_record_copy (const SondeRecord *record, SondeRecord *copy)
{
  *copy = *record;
  for (const Member *member = class_of (record->kind)->members; member->class != NULL; member++)
    {
      gsize n;
      gpointer *place = member_of (copy, member, &n);

      if (*place != NULL)
        *place = member->class->copy (*place, n);
    }
}

gsize
sonde_record_n_bytes (const SondeRecord *record)
{
  gsize bytes_held = 0;

  for (const Member *member = class_of (record->kind)->members; member->class != NULL; member++)
    {
      gsize n;
      gpointer *place = member_of ((SondeRecord *) record, member, &n);

      if (*place != NULL && member->class->size != NULL)
        bytes_held += member->class->size (*place, n);
    }
  return bytes_held;
}

/* ---- hyper-parameters ---------------------------------------------------- */

void
sonde_hparams_free (SondeHparam *items, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      g_free (items[i].key);
      g_free (items[i].text);
    }
  g_free (items);
}

SondeHparam *
sonde_hparams_copy (const SondeHparam *items, gsize n)
{
  SondeHparam *copy = g_memdup2 (items, n * sizeof *items);

  for (gsize i = 0; i < n; i++)
    {
      copy[i].key = g_strdup (items[i].key);
      copy[i].text = g_strdup (items[i].text);
    }
  return copy;
}
