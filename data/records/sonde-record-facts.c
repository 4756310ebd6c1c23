/* SPDX-License-Identifier: Apache-2.0
 * One function a kind that says more than its size. */
#include "data/records/sonde-record-facts.h"

#include <inttypes.h>
#include <math.h>

static void
free_fact (gpointer data)
{
  SondeRecordFact *fact = data;

  g_free (fact->name);
  g_free (fact->text);
  g_free (fact);
}

/* Takes @text; nothing is said by NULL. */
static void
take_fact (GPtrArray *facts, char *name, char *text)
{
  SondeRecordFact *fact;

  if (text == NULL || facts->len >= SONDE_RECORD_MAX_FACTS)
    {
      g_free (name);
      g_free (text);
      return;
    }
  fact = g_new (SondeRecordFact, 1);
  fact->name = name;
  fact->text = text;
  g_ptr_array_add (facts, fact);
}

static void
add_text (GPtrArray *facts, const char *name, const char *text)
{
  take_fact (facts, g_strdup (name), g_strdup (text));
}

static void
add_number (GPtrArray *facts, const char *name, double number)
{
  if (!isnan (number))
    take_fact (facts, g_strdup (name), g_strdup_printf ("%.6g", number));
}

static void
add_count (GPtrArray *facts, const char *name, guint64 count)
{
  take_fact (facts, g_strdup (name), g_strdup_printf ("%" PRIu64, count));
}

static void
add_time (GPtrArray *facts, const char *name, double seconds)
{
  g_autoptr (GDateTime) time = NULL;

  if (isfinite (seconds) && fabs (seconds) < 1e11)
    time = g_date_time_new_from_unix_local ((gint64) seconds);
  if (time != NULL)
    take_fact (facts, g_strdup (name), g_date_time_format (time, "%Y-%m-%d %H:%M:%S"));
}

static void
add_items (GPtrArray *facts, const SondeHparam *items, gsize n)
{
  for (gsize i = 0; i < n; i++)
    add_text (facts, items[i].key, items[i].text != NULL ? items[i].text : "");
}

static void
add_tensor (GPtrArray *facts, const char *name, const SondeTensor *tensor)
{
  if (tensor != NULL)
    take_fact (facts, g_strdup (name), sonde_tensor_describe (tensor));
}

static void
add_bytes (GPtrArray *facts, const char *name, GBytes *bytes)
{
  if (bytes != NULL)
    take_fact (facts, g_strdup (name), g_strdup_printf ("%zu bytes", g_bytes_get_size (bytes)));
}

static void
add_graph (GPtrArray *facts, const char *name, SondeGraph *graph)
{
  if (graph != NULL)
    take_fact (facts, g_strdup (name), g_strdup_printf ("%u nodes", graph->nodes->len));
}

/* ---- kinds --------------------------------------------------------------- */

static void
list_histogram (const SondeRecord *record, GPtrArray *facts)
{
  g_autoptr (SondeBins) own = record->u.bins == NULL && record->u.histogram != NULL
                                  ? sonde_bins_from_histogram (record->u.histogram)
                                  : NULL;
  const SondeBins *bins = own != NULL ? own : record->u.bins;

  if (bins == NULL)
    return;
  add_number (facts, "values", isnan (bins->count) ? sonde_bins_total (bins) : bins->count);
  add_number (facts, "least", bins->min);
  add_number (facts, "largest", bins->max);
  add_number (facts, "sum", bins->sum);
  add_count (facts, "NaN", bins->nan);
  add_count (facts, "infinite", bins->pos_inf + bins->neg_inf);
  for (gsize i = 0; i < bins->n; i++)
    if (bins->counts[i] > 0)
      take_fact (facts, g_strdup_printf ("%.6g to %.6g", bins->lefts[i], bins->rights[i]),
                 g_strdup_printf ("%.6g", bins->counts[i]));
}

static void
list_image (const SondeRecord *record, GPtrArray *facts)
{
  take_fact (facts, g_strdup ("size"),
             g_strdup_printf ("%d × %d", record->u.image.width, record->u.image.height));
  add_bytes (facts, "encoded", record->u.image.encoded);
}

static void
list_audio (const SondeRecord *record, GPtrArray *facts)
{
  add_number (facts, "samples a second", record->u.audio.sample_rate);
  add_count (facts, "channels", (guint64) MAX (record->u.audio.n_channels, 0));
  add_count (facts, "frames", (guint64) MAX (record->u.audio.n_frames, 0));
  add_text (facts, "content type", record->u.audio.content_type);
  add_text (facts, "label", record->u.audio.label);
  add_bytes (facts, "encoded", record->u.audio.encoded);
}

static void
list_text (const SondeRecord *record, GPtrArray *facts)
{
  add_text (facts, "text", record->u.text);
}

static void
list_tensor (const SondeRecord *record, GPtrArray *facts)
{
  add_tensor (facts, "tensor", record->u.tensor);
}

static void
list_graph (const SondeRecord *record, GPtrArray *facts)
{
  add_bytes (facts, "model", record->u.graph.model);
  add_graph (facts, "graph", record->u.graph.graph);
  add_text (facts, "form", record->u.graph.executed ? "as executed" : "as loaded");
}

static void
list_hparams (const SondeRecord *record, GPtrArray *facts)
{
  static const char *const times[] = {
    [SONDE_HPARAMS_VALUES] = "started",
    [SONDE_HPARAMS_EXPERIMENT] = "made",
    [SONDE_HPARAMS_END] = "ended",
  };

  add_items (facts, record->u.hparams.items, record->u.hparams.n);
  for (gsize i = 0; i < record->u.hparams.n_metrics; i++)
    take_fact (facts, g_strdup_printf ("metric %s", record->u.hparams.metrics[i].key),
               g_strdup (record->u.hparams.metrics[i].text != NULL
                             ? record->u.hparams.metrics[i].text
                             : ""));
  add_text (facts, "trial", record->u.hparams.group);
  add_text (facts, "status", record->u.hparams.status);
  if (record->u.hparams.time != 0)
    add_time (facts, times[record->u.hparams.part], record->u.hparams.time);
}

static void
list_lineage (const SondeRecord *record, GPtrArray *facts)
{
  add_text (facts, "part", record->u.lineage.part);
  add_items (facts, record->u.lineage.items, record->u.lineage.n);
  add_graph (facts, "pipeline", record->u.lineage.pipeline);
}

static void
list_pr_curve (const SondeRecord *record, GPtrArray *facts)
{
  add_tensor (facts, "rows", record->u.pr_curve.rows);
}

static void
list_embedding (const SondeRecord *record, GPtrArray *facts)
{
  g_autofree char *columns
      = record->u.embedding.columns != NULL ? g_strjoinv (", ", record->u.embedding.columns) : NULL;

  add_tensor (facts, "points", record->u.embedding.points);
  add_tensor (facts, "labels", record->u.embedding.labels);
  add_text (facts, "columns of the labels", columns);
  add_bytes (facts, "sprite", record->u.embedding.sprite);
}

static void
list_landscape (const SondeRecord *record, GPtrArray *facts)
{
  add_tensor (facts, "heights", record->u.landscape.z);
  add_tensor (facts, "path", record->u.landscape.path_x);
  add_text (facts, "directions", record->u.landscape.decomposition);
  add_text (facts, "unit", record->u.landscape.unit);
  add_number (facts, "loss at the end", record->u.landscape.found[2]);
  add_text (facts, "loss", record->u.landscape.loss);
  add_text (facts, "samples of", record->u.landscape.part);
  if (record->u.landscape.samples > 0)
    {
      add_count (facts, "samples", record->u.landscape.samples);
      add_count (facts, "seed", record->u.landscape.seed);
      add_number (facts, "path along direction 1", record->u.landscape.shares[0]);
      add_number (facts, "path along direction 2", record->u.landscape.shares[1]);
    }
}

static void
list_mesh (const SondeRecord *record, GPtrArray *facts)
{
  static const char *const parts[] = { "unknown", "vertices", "faces", "colours" };

  add_text (facts, "mesh", record->u.mesh.name);
  add_text (facts, "part", parts[MIN ((guint) record->u.mesh.part, G_N_ELEMENTS (parts) - 1)]);
  add_tensor (facts, "values", record->u.mesh.values);
  add_text (facts, "settings", record->u.mesh.settings);
}

static void
list_custom_scalars (const SondeRecord *record, GPtrArray *facts)
{
  for (gsize i = 0; i < record->u.custom_scalars.n; i++)
    {
      const SondeChartPlan *plan = &record->u.custom_scalars.items[i];

      take_fact (facts,
                 g_strdup_printf ("%s: %s", plan->category != NULL ? plan->category : "",
                                  plan->title != NULL ? plan->title : ""),
                 plan->tags != NULL ? g_strjoinv (", ", plan->tags) : g_strdup (""));
    }
}

static void
list_run_metadata (const SondeRecord *record, GPtrArray *facts)
{
  add_bytes (facts, "message", record->u.run_metadata.message);
}

static void
list_profile (const SondeRecord *record, GPtrArray *facts)
{
  add_bytes (facts, "message", record->u.profile.message);
}

static void
list_session_log (const SondeRecord *record, GPtrArray *facts)
{
  static const char *const statuses[] = { "unknown", "start", "stop", "checkpoint" };

  add_text (facts, "status", statuses[CLAMP (record->u.session_log.status, 0, 3)]);
  add_text (facts, "checkpoint", record->u.session_log.checkpoint);
  add_text (facts, "message", record->u.session_log.message);
}

static void
add_classes (GPtrArray *facts, const char *name, const SondeExplanationClass *classes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    take_fact (facts, g_strdup (name),
               isnan (classes[i].probability)
                   ? g_strdup_printf ("%d", classes[i].label)
                   : g_strdup_printf ("%d (%.4g)", classes[i].label, classes[i].probability));
}

static void
list_explanation (const SondeRecord *record, GPtrArray *facts)
{
  const SondeExplanation *e = record->u.explanation;
  g_autofree char *labels = e->labels != NULL ? g_strjoinv (", ", e->labels) : NULL;
  g_autofree char *methods = e->methods != NULL ? g_strjoinv (", ", e->methods) : NULL;
  g_autofree char *benchmarks = e->benchmarks != NULL ? g_strjoinv (", ", e->benchmarks) : NULL;

  add_text (facts, "classes", labels);
  add_text (facts, "methods", methods);
  add_text (facts, "benchmarks", benchmarks);
  if (e->has_sample)
    take_fact (facts, g_strdup ("sample"), g_strdup_printf ("%" PRIi64, e->sample));
  add_text (facts, "picture", e->image);
  add_text (facts, "status", e->status);
  add_classes (facts, "true class", e->truths, e->n_truths);
  add_classes (facts, "predicted class", e->predictions, e->n_predictions);
  for (gsize i = 0; i < e->n_maps; i++)
    take_fact (facts,
               g_strdup_printf ("map by %s of class %d", e->maps[i].method, e->maps[i].label),
               g_strdup (e->maps[i].heat_map));
  for (gsize i = 0; i < e->n_scores; i++)
    take_fact (facts, g_strdup_printf ("%s of %s", e->scores[i].benchmark, e->scores[i].method),
               g_strdup_printf ("%.4g", e->scores[i].total));
  for (gsize i = 0; i < e->n_occlusions; i++)
    take_fact (facts, g_strdup_printf ("occlusion of class %d", e->occlusions[i].label),
               g_strdup_printf ("%zu layers, mask %s", e->occlusions[i].n_layers,
                                e->occlusions[i].mask != NULL ? e->occlusions[i].mask : "unknown"));
}

static void
list_counterfactual (const SondeRecord *record, GPtrArray *facts)
{
  add_text (facts, "sample", record->u.counterfactual.note.sample);
  add_text (facts, "goal", record->u.counterfactual.goal);
  take_fact (facts, g_strdup ("class"), g_strdup_printf ("%d", record->u.counterfactual.target));
  add_text (facts, "result", record->u.counterfactual.result);
  add_text (facts, "settings", record->u.counterfactual.parameters);
  add_text (facts, "mask", record->u.counterfactual.mask);
  add_tensor (facts, "boxes", record->u.counterfactual.boxes);
  add_tensor (facts, "pruned", record->u.counterfactual.pruned);
  add_tensor (facts, "steps", record->u.counterfactual.steps);
  add_text (facts, "remark", record->u.counterfactual.remark);
}

static void
list_note (const SondeRecord *record, GPtrArray *facts)
{
  add_text (facts, "name", record->u.tag_note.display_name);
  add_text (facts, "description", record->u.tag_note.description);
  add_text (facts, "unit", record->u.tag_note.unit);
  add_text (facts, "group", record->u.tag_note.group);
}

static void
list_other (const SondeRecord *record, GPtrArray *facts)
{
  add_text (facts, "made for", record->u.other.plugin);
  add_tensor (facts, "tensor", record->u.other.tensor);
  add_bytes (facts, "content", record->u.other.content);
  take_fact (facts, g_strdup ("in the file"),
             g_strdup_printf ("%" PRIu64 " bytes", record->u.other.bytes));
}

static void (*const listers[SONDE_N_RECORD_KINDS]) (const SondeRecord *record, GPtrArray *facts) = {
  [SONDE_RECORD_HISTOGRAM] = list_histogram,
  [SONDE_RECORD_IMAGE] = list_image,
  [SONDE_RECORD_AUDIO] = list_audio,
  [SONDE_RECORD_TEXT] = list_text,
  [SONDE_RECORD_TENSOR] = list_tensor,
  [SONDE_RECORD_GRAPH] = list_graph,
  [SONDE_RECORD_HPARAMS] = list_hparams,
  [SONDE_RECORD_LINEAGE] = list_lineage,
  [SONDE_RECORD_PR_CURVE] = list_pr_curve,
  [SONDE_RECORD_EMBEDDING] = list_embedding,
  [SONDE_RECORD_LANDSCAPE] = list_landscape,
  [SONDE_RECORD_SPAN] = list_profile,
  [SONDE_RECORD_MEMORY] = list_profile,
  [SONDE_RECORD_MESH] = list_mesh,
  [SONDE_RECORD_CUSTOM_SCALARS] = list_custom_scalars,
  [SONDE_RECORD_RUN_METADATA] = list_run_metadata,
  [SONDE_RECORD_SESSION_LOG] = list_session_log,
  [SONDE_RECORD_EXPLAIN] = list_explanation,
  [SONDE_RECORD_COUNTERFACTUAL] = list_counterfactual,
  [SONDE_RECORD_NOTE] = list_note,
  [SONDE_RECORD_OTHER] = list_other,
};

GPtrArray *
sonde_record_list_facts (const SondeRecord *record)
{
  GPtrArray *facts = g_ptr_array_new_with_free_func (free_fact);

  if ((guint) record->kind < SONDE_N_RECORD_KINDS && listers[record->kind] != NULL)
    listers[record->kind](record, facts);
  return facts;
}
