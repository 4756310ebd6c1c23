/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/records/rich-records.h"

#include <math.h>
#include <string.h>

/* ---- content ------------------------------------------------------------- */

static SondeTensor *
make_tensor (SondeDtype dtype, gint64 rows, gint64 columns, gint64 depth)
{
  const SondeShape shape = depth > 0  ? sonde_shape_make (3, (int) rows, (int) columns, (int) depth)
                           : rows > 0 ? sonde_shape_make (2, (int) rows, (int) columns)
                                      : sonde_shape_make (1, (int) columns);
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, (double) (i * 7 % 19) - (dtype == SONDE_DTYPE_U8 ? 0 : 9));
  return tensor;
}

static SondeTensor *
make_strings (gint64 rows, gint64 columns)
{
  static const char *const words[] = { "katze", "", "Hündin", "a\tb", "\xff", "six" };
  const SondeShape shape = sonde_shape_make (2, (int) rows, (int) columns);

  return sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, words);
}

static char **
make_list (const char *first, const char *second)
{
  const char *list[] = { first, second, NULL };

  return g_strdupv ((char **) list);
}

static void
fill_audio (SondeRecord *record, int variant)
{
  record->u.audio.encoded = g_bytes_new_static ("RIFF\0not really", variant == 1 ? 0 : 15);
  record->u.audio.index = variant;
  record->u.audio.sample_rate = 44100;
  record->u.audio.n_frames = (gint64) 1 << 40;
  record->u.audio.n_channels = 2;
  record->u.audio.content_type = variant == 1 ? NULL : g_strdup ("audio/wav");
  record->u.audio.label = variant == 1 ? NULL : g_strdup ("*eine* Katze");
}

static SondeGraph *
make_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("pipeline");
  const gint64 sizes[] = { 1, -2, G_MAXINT64 };
  const double scales[] = { 0.5, NAN };
  const SondeShape shape = sonde_shape_make (2, 3, 4);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_BF16, &shape);
  SondeGraphValue *input = sonde_graph_add_input (graph, "files", &type);
  g_autoptr (SondeTensor) tensor = make_tensor (SONDE_DTYPE_F32, 0, 3, 0);
  SondeGraphValue *constant
      = sonde_graph_add_initialiser (graph, "mean", tensor, SONDE_ROLE_PARAMETER);
  SondeGraphValue *inputs[] = { input, NULL, constant };
  SondeNode *node = sonde_graph_add_node (graph, "scope/map", "dataset", "Map", inputs, 3, 2);
  SondeNode *batch = sonde_graph_add_node (graph, "batch", "", "Batch",
                                           (SondeGraphValue **) node->outputs->pdata, 1, 1);
  SondeGraph *inner = sonde_graph_new_subgraph (graph, "body");
  SondeGraphValue *capture = sonde_graph_capture_value (inner, "files");
  SondeNode *inside = sonde_graph_add_node (inner, "decode", "", "Decode", &capture, 1, 1);
  SondeFunction *function = sonde_function_new ("f", "double", NULL);

  node->scope = g_intern_string ("scope");
  batch->phase = SONDE_PHASE_BACKWARD;
  sonde_node_set_ints (node, "sizes", sizes, 3);
  sonde_node_set_floats (node, "scales", scales, 2);
  sonde_node_set_int (node, "workers", -4);
  sonde_node_set_float (node, "rate", -0.0);
  sonde_node_set_string (node, "path", "größe");
  sonde_node_set_tensor (node, "table", tensor);
  sonde_graph_add_output (inner, sonde_node_get_output (inside, 0));
  sonde_node_take_graph (batch, "body", inner);
  sonde_graph_add_output (graph, sonde_node_get_output (batch, 0));
  sonde_graph_add_node (function->body, "n", "", "Neg", NULL, 0, 1);
  g_ptr_array_add (graph->functions, function);
  graph->producer = g_strdup ("test");
  return graph;
}

static SondeHparam *
make_items (gsize *n)
{
  SondeHparam *items = g_new0 (SondeHparam, 3);

  items[0] = (SondeHparam){ g_strdup ("rate"), g_strdup ("0.1"), SONDE_HPARAM_NUMBER };
  items[1] = (SondeHparam){ g_strdup ("shuffle"), g_strdup ("true"), SONDE_HPARAM_BOOL };
  items[2] = (SondeHparam){ g_strdup (""), g_strdup ("größe"), SONDE_HPARAM_TEXT };
  *n = 3;
  return items;
}

static void
fill_lineage (SondeRecord *record, int variant)
{
  record->u.lineage.part = g_strdup (variant == 1 ? "dataset" : "train");
  if (variant == 1)
    record->u.lineage.pipeline = make_graph ();
  else
    record->u.lineage.items = make_items (&record->u.lineage.n);
}

static void
fill_graph (SondeRecord *record, int variant)
{
  record->u.graph.graph = make_graph ();
  record->u.graph.executed = TRUE;
}

static void
fill_hparams (SondeRecord *record, int variant)
{
  record->u.hparams.part = (SondeHparamsPart) variant;
  record->u.hparams.time = variant == 2 ? 1700000000.25 : NAN;
  record->u.hparams.group = variant == 0 ? g_strdup ("trial") : NULL;
  record->u.hparams.status = variant == 2 ? g_strdup ("success") : NULL;
  if (variant < 2)
    record->u.hparams.items = make_items (&record->u.hparams.n);
  if (variant == 1)
    record->u.hparams.metrics = make_items (&record->u.hparams.n_metrics);
}

static void
fill_pr_curve (SondeRecord *record, int variant)
{
  record->u.pr_curve.rows = make_tensor (SONDE_DTYPE_F64, 6, variant == 1 ? 1000 : 3, 0);
}

static void
fill_embedding (SondeRecord *record, int variant)
{
  record->u.embedding.points = make_tensor (SONDE_DTYPE_F32, 3, 2, 0);
  if (variant == 1)
    return;
  record->u.embedding.labels = make_strings (3, 2);
  record->u.embedding.columns = make_list ("name", "klasse");
  record->u.embedding.sprite = g_bytes_new_static ("PNG", 3);
  record->u.embedding.tile_width = 16;
  record->u.embedding.tile_height = 32;
}

static void
fill_landscape (SondeRecord *record, int variant)
{
  record->u.landscape.x = make_tensor (SONDE_DTYPE_F64, 0, 4, 0);
  record->u.landscape.y = make_tensor (SONDE_DTYPE_F64, 0, 3, 0);
  record->u.landscape.z = make_tensor (SONDE_DTYPE_F64, 3, 4, 0);
  for (gsize i = 0; i < 3; i++)
    record->u.landscape.found[i] = variant == 1 ? NAN : (double) i;
  if (variant == 1)
    return;
  record->u.landscape.path_x = make_tensor (SONDE_DTYPE_F64, 0, 5, 0);
  record->u.landscape.path_y = make_tensor (SONDE_DTYPE_F64, 0, 5, 0);
  record->u.landscape.path_z = make_tensor (SONDE_DTYPE_F64, 0, 5, 0);
  record->u.landscape.intervals = make_tensor (SONDE_DTYPE_I32, 0, 5, 0);
  record->u.landscape.decomposition = g_strdup ("PCA");
  record->u.landscape.unit = g_strdup ("epoch");
  record->u.landscape.steps_per_epoch = 1875;
  record->u.landscape.loss = g_strdup ("cross-entropy");
  record->u.landscape.part = g_strdup ("train");
  record->u.landscape.digest = g_strdup ("0123456789abcdef");
  record->u.landscape.shares[0] = 0.75;
  record->u.landscape.shares[1] = 0.125;
  record->u.landscape.samples = 640;
  record->u.landscape.seed = G_MAXUINT64;
}

void
forget_fields_after_version_2 (SondeRecord *record)
{
  if (record->kind != SONDE_RECORD_LANDSCAPE)
    return;
  g_clear_pointer (&record->u.landscape.loss, g_free);
  g_clear_pointer (&record->u.landscape.part, g_free);
  g_clear_pointer (&record->u.landscape.digest, g_free);
  record->u.landscape.shares[0] = record->u.landscape.shares[1] = NAN;
  record->u.landscape.samples = record->u.landscape.seed = 0;
}

static void
fill_mesh (SondeRecord *record, int variant)
{
  record->u.mesh.name = g_strdup ("bunny");
  record->u.mesh.part = variant == 1 ? SONDE_MESH_COLOR : SONDE_MESH_VERTEX;
  record->u.mesh.values = make_tensor (variant == 1 ? SONDE_DTYPE_U8 : SONDE_DTYPE_F32, 1, 4, 3);
  record->u.mesh.settings = variant == 1 ? NULL : g_strdup ("{\"camera\":{}}");
}

static void
fill_custom_scalars (SondeRecord *record, int variant)
{
  SondeChartPlan *items = g_new0 (SondeChartPlan, 2);

  items[0] = (SondeChartPlan){ g_strdup ("losses"), g_strdup ("beide"), FALSE,
                               make_list ("train/.*", "test/.*") };
  items[1] = (SondeChartPlan){ g_strdup (""), g_strdup (""), TRUE, g_new0 (char *, 1) };
  record->u.custom_scalars.items = items;
  record->u.custom_scalars.n = 2;
}

static void
fill_run_metadata (SondeRecord *record, int variant)
{
  g_autofree guint8 *zeros = g_malloc0 (9000);

  record->u.run_metadata.message = g_bytes_new (zeros, variant == 1 ? 9000 : 5);
}

static void
fill_profile (SondeRecord *record, int variant)
{
  g_autofree guint8 *zeros = g_malloc0 (9000);

  record->u.profile.message = g_bytes_new (zeros, variant == 1 ? 9000 : 7);
}

static void
fill_session_log (SondeRecord *record, int variant)
{
  record->tag = NULL;
  record->u.session_log.status = 3;
  record->u.session_log.checkpoint = g_strdup ("model.ckpt");
}

static void
fill_explanation (SondeRecord *record, int variant)
{
  const int boxes[] = { 1, 2, 3, 4, -1, 0, 7, 9 };
  const double scores[] = { 0.25, NAN, -0.0 };
  SondeExplanation *explanation = sonde_explanation_new ();

  record->u.explanation = explanation;
  if (variant == 1)
    {
      record->tag = NULL;
      explanation->labels = make_list ("cat", "dog");
      explanation->methods = make_list (NULL, NULL);
      return;
    }
  explanation->has_sample = TRUE;
  explanation->sample = 0;
  explanation->image = g_strdup ("a/b.png");
  explanation->truths = g_memdup2 (&(SondeExplanationClass){ 3, NAN, NAN, NAN, NAN },
                                   sizeof (SondeExplanationClass));
  explanation->n_truths = 1;
  explanation->predictions = g_memdup2 (&(SondeExplanationClass){ -1, 0.5, 0.125, 0.25, 0.75 },
                                        sizeof (SondeExplanationClass));
  explanation->n_predictions = 1;
  explanation->maps = g_new0 (SondeExplanationMap, 1);
  explanation->maps[0] = (SondeExplanationMap){ g_strdup ("gradient"), 3, g_strdup ("m.png") };
  explanation->n_maps = 1;
  explanation->scores = g_new0 (SondeExplanationScore, 1);
  explanation->scores[0]
      = (SondeExplanationScore){ g_strdup ("localization"), g_strdup ("gradient"), 0.5,
                                 g_memdup2 (scores, sizeof scores), 3 };
  explanation->n_scores = 1;
  explanation->occlusions = g_new0 (SondeExplanationOcclusion, 1);
  explanation->occlusions[0].label = 3;
  explanation->occlusions[0].mask = g_strdup ("gaussian:9");
  explanation->occlusions[0].layers = g_new0 (SondeExplanationLayer, 1);
  explanation->occlusions[0].layers[0]
      = (SondeExplanationLayer){ 0.5, g_memdup2 (boxes, sizeof boxes), 2 };
  explanation->occlusions[0].n_layers = 1;
  explanation->n_occlusions = 1;
}

static void
fill_bins (SondeRecord *record, int variant)
{
  SondeBins *bins = sonde_bins_new (variant == 1 ? 0 : 3);

  record->u.histogram = NULL;
  record->u.bins = bins;
  for (gsize i = 0; i < bins->n; i++)
    {
      bins->lefts[i] = (double) i - 1;
      bins->rights[i] = i == 2 ? INFINITY : (double) i;
      bins->counts[i] = 0.5 * (double) i;
    }
  if (variant == 1)
    return;
  bins->count = 9;
  bins->min = -0.0;
  bins->sum = 1e300;
  bins->nan = G_MAXUINT64;
}

static void
fill_table (SondeRecord *record, int variant)
{
  record->u.text = g_strdup ("katze\t\nHündin\ta\tb\n\xff\tsix");
  record->u.cells = make_strings (3, 2);
}

static void
fill_note (SondeRecord *record, int variant)
{
  record->u.tag_note.unit = g_strdup ("ms");
  record->u.tag_note.description = variant == 1 ? NULL : g_strdup ("time of a *step*");
  record->u.tag_note.display_name = variant == 1 ? NULL : g_strdup ("");
  record->u.tag_note.group = variant == 1 ? NULL : g_strdup ("zeiten");
}

static void
fill_other (SondeRecord *record, int variant)
{
  record->u.other.plugin = g_strdup ("npmi");
  record->u.other.tensor = make_tensor (SONDE_DTYPE_I16, 2, 2, 0);
  record->u.other.content = g_bytes_new_static ("\0\1\2", 3);
  record->u.other.bytes = 77;
}

static const struct
{
  SondeRecordKind kind;
  void (*fill) (SondeRecord *record, int variant);
  int variant;
} samples[N_RICH_RECORDS] = {
  { SONDE_RECORD_AUDIO, fill_audio, 0 },
  { SONDE_RECORD_AUDIO, fill_audio, 1 },
  { SONDE_RECORD_LINEAGE, fill_lineage, 0 },
  { SONDE_RECORD_LINEAGE, fill_lineage, 1 },
  { SONDE_RECORD_GRAPH, fill_graph, 0 },
  { SONDE_RECORD_HPARAMS, fill_hparams, 0 },
  { SONDE_RECORD_HPARAMS, fill_hparams, 1 },
  { SONDE_RECORD_HPARAMS, fill_hparams, 2 },
  { SONDE_RECORD_PR_CURVE, fill_pr_curve, 0 },
  { SONDE_RECORD_PR_CURVE, fill_pr_curve, 1 },
  { SONDE_RECORD_EMBEDDING, fill_embedding, 0 },
  { SONDE_RECORD_EMBEDDING, fill_embedding, 1 },
  { SONDE_RECORD_LANDSCAPE, fill_landscape, 0 },
  { SONDE_RECORD_MESH, fill_mesh, 0 },
  { SONDE_RECORD_MESH, fill_mesh, 1 },
  { SONDE_RECORD_CUSTOM_SCALARS, fill_custom_scalars, 0 },
  { SONDE_RECORD_RUN_METADATA, fill_run_metadata, 1 },
  { SONDE_RECORD_SESSION_LOG, fill_session_log, 0 },
  { SONDE_RECORD_EXPLAIN, fill_explanation, 0 },
  { SONDE_RECORD_HISTOGRAM, fill_bins, 0 },
  { SONDE_RECORD_TEXT, fill_table, 0 },
  { SONDE_RECORD_NOTE, fill_note, 0 },
  { SONDE_RECORD_OTHER, fill_other, 0 },
  { SONDE_RECORD_SPAN, fill_profile, 1 },
  { SONDE_RECORD_MEMORY, fill_profile, 0 },
};

void
make_rich_record (guint i, SondeRecord *record)
{
  memset (record, 0, sizeof *record);
  record->kind = samples[i].kind;
  record->step = (gint64) i * 10 - 5;
  record->wall_time_ns = 1795251396123456789 + (gint64) i;
  record->session = 2;
  record->tag = g_intern_string (i % 2 == 0 ? "rich/tag" : "Ünïcode/tag");
  samples[i].fill (record, samples[i].variant);
}

/* ---- comparison ---------------------------------------------------------- */

static void
assert_doubles (const double *a, const double *b, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      g_assert_true (isnan (a[i]) == isnan (b[i]));
      if (!isnan (a[i]))
        g_assert_cmpmem (&a[i], sizeof a[i], &b[i], sizeof b[i]);
    }
}

static void
assert_same_bytes (GBytes *a, GBytes *b)
{
  g_assert_true ((a == NULL) == (b == NULL));
  if (a != NULL)
    g_assert_true (g_bytes_equal (a, b));
}

static void
assert_same_tensor (SondeTensor *a, SondeTensor *b)
{
  g_assert_true ((a == NULL) == (b == NULL));
  if (a != NULL)
    g_assert_true (sonde_tensor_equal (a, b));
}

static void
assert_same_list (char **a, char **b)
{
  g_assert_true ((a == NULL) == (b == NULL));
  if (a != NULL)
    g_assert_true (g_strv_equal ((const char *const *) a, (const char *const *) b));
}

static void
assert_same_items (const SondeHparam *a, const SondeHparam *b, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      g_assert_cmpstr (a[i].key, ==, b[i].key);
      g_assert_cmpstr (a[i].text, ==, b[i].text);
      g_assert_cmpint (a[i].type, ==, b[i].type);
    }
}

static void
assert_same_graph (SondeGraph *a, SondeGraph *b)
{
  g_autofree char *first = NULL, *second = NULL;

  g_assert_true ((a == NULL) == (b == NULL));
  if (a == NULL)
    return;
  first = sonde_graph_listing (a, NULL);
  second = sonde_graph_listing (b, NULL);
  g_assert_cmpstr (first, ==, second);
  g_assert_cmpstr (a->producer, ==, b->producer);
  g_assert_cmpuint (a->functions->len, ==, b->functions->len);
  for (guint i = 0; i < a->values->len; i++)
    g_assert_cmpint (((SondeGraphValue *) a->values->pdata[i])->role, ==,
                     ((SondeGraphValue *) b->values->pdata[i])->role);
}

static void
assert_same_explanation (const SondeExplanation *a, const SondeExplanation *b)
{
  g_assert_cmpint (a->has_sample, ==, b->has_sample);
  g_assert_cmpint (a->sample, ==, b->sample);
  g_assert_cmpstr (a->image, ==, b->image);
  g_assert_cmpstr (a->status, ==, b->status);
  g_assert_cmpuint (a->n_truths, ==, b->n_truths);
  g_assert_cmpuint (a->n_predictions, ==, b->n_predictions);
  for (gsize i = 0; i < a->n_predictions; i++)
    {
      g_assert_cmpint (a->predictions[i].label, ==, b->predictions[i].label);
      assert_doubles (&a->predictions[i].probability, &b->predictions[i].probability, 4);
    }
  g_assert_cmpuint (a->n_maps, ==, b->n_maps);
  for (gsize i = 0; i < a->n_maps; i++)
    {
      g_assert_cmpstr (a->maps[i].method, ==, b->maps[i].method);
      g_assert_cmpstr (a->maps[i].heat_map, ==, b->maps[i].heat_map);
      g_assert_cmpint (a->maps[i].label, ==, b->maps[i].label);
    }
  g_assert_cmpuint (a->n_scores, ==, b->n_scores);
  for (gsize i = 0; i < a->n_scores; i++)
    {
      g_assert_cmpstr (a->scores[i].benchmark, ==, b->scores[i].benchmark);
      g_assert_cmpuint (a->scores[i].n_label_scores, ==, b->scores[i].n_label_scores);
      assert_doubles (&a->scores[i].total, &b->scores[i].total, 1);
      assert_doubles (a->scores[i].label_scores, b->scores[i].label_scores,
                      a->scores[i].n_label_scores);
    }
  g_assert_cmpuint (a->n_occlusions, ==, b->n_occlusions);
  for (gsize i = 0; i < a->n_occlusions; i++)
    {
      g_assert_cmpstr (a->occlusions[i].mask, ==, b->occlusions[i].mask);
      g_assert_cmpuint (a->occlusions[i].n_layers, ==, b->occlusions[i].n_layers);
      g_assert_cmpmem (
          a->occlusions[i].layers[0].boxes, a->occlusions[i].layers[0].n_boxes * 4 * sizeof (int),
          b->occlusions[i].layers[0].boxes, b->occlusions[i].layers[0].n_boxes * 4 * sizeof (int));
    }
  assert_same_list (a->labels, b->labels);
  assert_same_list (a->methods, b->methods);
  assert_same_list (a->benchmarks, b->benchmarks);
}

static void
assert_same_bins (const SondeBins *a, const SondeBins *b)
{
  g_assert_true (a != NULL && b != NULL);
  g_assert_cmpuint (a->n, ==, b->n);
  assert_doubles (a->lefts, b->lefts, a->n);
  assert_doubles (a->rights, b->rights, a->n);
  assert_doubles (a->counts, b->counts, a->n);
  assert_doubles (&a->count, &b->count, 1);
  assert_doubles (&a->min, &b->min, 1);
  assert_doubles (&a->max, &b->max, 1);
  assert_doubles (&a->sum, &b->sum, 1);
  g_assert_cmpuint (a->nan, ==, b->nan);
}

static void
assert_same_landscape (const SondeRecord *a, const SondeRecord *b)
{
  assert_same_tensor (a->u.landscape.x, b->u.landscape.x);
  assert_same_tensor (a->u.landscape.y, b->u.landscape.y);
  assert_same_tensor (a->u.landscape.z, b->u.landscape.z);
  assert_same_tensor (a->u.landscape.path_x, b->u.landscape.path_x);
  assert_same_tensor (a->u.landscape.path_y, b->u.landscape.path_y);
  assert_same_tensor (a->u.landscape.path_z, b->u.landscape.path_z);
  assert_same_tensor (a->u.landscape.intervals, b->u.landscape.intervals);
  assert_doubles (a->u.landscape.found, b->u.landscape.found, 3);
  g_assert_cmpstr (a->u.landscape.decomposition, ==, b->u.landscape.decomposition);
  g_assert_cmpstr (a->u.landscape.unit, ==, b->u.landscape.unit);
  g_assert_cmpint (a->u.landscape.steps_per_epoch, ==, b->u.landscape.steps_per_epoch);
  g_assert_cmpstr (a->u.landscape.loss, ==, b->u.landscape.loss);
  g_assert_cmpstr (a->u.landscape.part, ==, b->u.landscape.part);
  g_assert_cmpstr (a->u.landscape.digest, ==, b->u.landscape.digest);
  assert_doubles (a->u.landscape.shares, b->u.landscape.shares, 2);
  g_assert_cmpuint (a->u.landscape.samples, ==, b->u.landscape.samples);
  g_assert_cmpuint (a->u.landscape.seed, ==, b->u.landscape.seed);
}

static void
assert_same_content (const SondeRecord *a, const SondeRecord *b)
{
  switch (a->kind)
    {
    case SONDE_RECORD_AUDIO:
      assert_same_bytes (a->u.audio.encoded, b->u.audio.encoded);
      g_assert_cmpint (a->u.audio.index, ==, b->u.audio.index);
      assert_doubles (&a->u.audio.sample_rate, &b->u.audio.sample_rate, 1);
      g_assert_cmpint (a->u.audio.n_frames, ==, b->u.audio.n_frames);
      g_assert_cmpint (a->u.audio.n_channels, ==, b->u.audio.n_channels);
      g_assert_cmpstr (a->u.audio.content_type, ==, b->u.audio.content_type);
      g_assert_cmpstr (a->u.audio.label, ==, b->u.audio.label);
      break;
    case SONDE_RECORD_LINEAGE:
      g_assert_cmpstr (a->u.lineage.part, ==, b->u.lineage.part);
      g_assert_cmpuint (a->u.lineage.n, ==, b->u.lineage.n);
      assert_same_items (a->u.lineage.items, b->u.lineage.items, a->u.lineage.n);
      assert_same_graph (a->u.lineage.pipeline, b->u.lineage.pipeline);
      break;
    case SONDE_RECORD_GRAPH:
      g_assert_cmpint (a->u.graph.executed, ==, b->u.graph.executed);
      assert_same_graph (a->u.graph.graph, b->u.graph.graph);
      break;
    case SONDE_RECORD_HPARAMS:
      g_assert_cmpint (a->u.hparams.part, ==, b->u.hparams.part);
      assert_doubles (&a->u.hparams.time, &b->u.hparams.time, 1);
      g_assert_cmpstr (a->u.hparams.group, ==, b->u.hparams.group);
      g_assert_cmpstr (a->u.hparams.status, ==, b->u.hparams.status);
      g_assert_cmpuint (a->u.hparams.n, ==, b->u.hparams.n);
      g_assert_cmpuint (a->u.hparams.n_metrics, ==, b->u.hparams.n_metrics);
      assert_same_items (a->u.hparams.items, b->u.hparams.items, a->u.hparams.n);
      assert_same_items (a->u.hparams.metrics, b->u.hparams.metrics, a->u.hparams.n_metrics);
      break;
    case SONDE_RECORD_PR_CURVE:
      assert_same_tensor (a->u.pr_curve.rows, b->u.pr_curve.rows);
      break;
    case SONDE_RECORD_EMBEDDING:
      assert_same_tensor (a->u.embedding.points, b->u.embedding.points);
      assert_same_tensor (a->u.embedding.labels, b->u.embedding.labels);
      assert_same_list (a->u.embedding.columns, b->u.embedding.columns);
      assert_same_bytes (a->u.embedding.sprite, b->u.embedding.sprite);
      g_assert_cmpint (a->u.embedding.tile_width, ==, b->u.embedding.tile_width);
      g_assert_cmpint (a->u.embedding.tile_height, ==, b->u.embedding.tile_height);
      break;
    case SONDE_RECORD_LANDSCAPE:
      assert_same_landscape (a, b);
      break;
    case SONDE_RECORD_MESH:
      g_assert_cmpstr (a->u.mesh.name, ==, b->u.mesh.name);
      g_assert_cmpstr (a->u.mesh.settings, ==, b->u.mesh.settings);
      g_assert_cmpint (a->u.mesh.part, ==, b->u.mesh.part);
      assert_same_tensor (a->u.mesh.values, b->u.mesh.values);
      break;
    case SONDE_RECORD_CUSTOM_SCALARS:
      g_assert_cmpuint (a->u.custom_scalars.n, ==, b->u.custom_scalars.n);
      for (gsize i = 0; i < a->u.custom_scalars.n; i++)
        {
          g_assert_cmpstr (a->u.custom_scalars.items[i].category, ==,
                           b->u.custom_scalars.items[i].category);
          g_assert_cmpstr (a->u.custom_scalars.items[i].title, ==,
                           b->u.custom_scalars.items[i].title);
          g_assert_cmpint (a->u.custom_scalars.items[i].is_margin, ==,
                           b->u.custom_scalars.items[i].is_margin);
          assert_same_list (a->u.custom_scalars.items[i].tags, b->u.custom_scalars.items[i].tags);
        }
      break;
    case SONDE_RECORD_RUN_METADATA:
      assert_same_bytes (a->u.run_metadata.message, b->u.run_metadata.message);
      break;
    case SONDE_RECORD_SPAN:
    case SONDE_RECORD_MEMORY:
      assert_same_bytes (a->u.profile.message, b->u.profile.message);
      break;
    case SONDE_RECORD_SESSION_LOG:
      g_assert_cmpint (a->u.session_log.status, ==, b->u.session_log.status);
      g_assert_cmpstr (a->u.session_log.checkpoint, ==, b->u.session_log.checkpoint);
      g_assert_cmpstr (a->u.session_log.message, ==, b->u.session_log.message);
      break;
    case SONDE_RECORD_EXPLAIN:
      assert_same_explanation (a->u.explanation, b->u.explanation);
      break;
    case SONDE_RECORD_HISTOGRAM:
      assert_same_bins (a->u.bins, b->u.bins);
      break;
    case SONDE_RECORD_TEXT:
      g_assert_cmpstr (a->u.text, ==, b->u.text);
      assert_same_tensor (a->u.cells, b->u.cells);
      break;
    case SONDE_RECORD_NOTE:
      g_assert_cmpstr (a->u.tag_note.display_name, ==, b->u.tag_note.display_name);
      g_assert_cmpstr (a->u.tag_note.description, ==, b->u.tag_note.description);
      g_assert_cmpstr (a->u.tag_note.unit, ==, b->u.tag_note.unit);
      g_assert_cmpstr (a->u.tag_note.group, ==, b->u.tag_note.group);
      break;
    case SONDE_RECORD_OTHER:
      g_assert_cmpstr (a->u.other.plugin, ==, b->u.other.plugin);
      assert_same_tensor (a->u.other.tensor, b->u.other.tensor);
      assert_same_bytes (a->u.other.content, b->u.other.content);
      g_assert_cmpuint (a->u.other.bytes, ==, b->u.other.bytes);
      break;
    default:
      g_assert_not_reached ();
    }
}

void
assert_rich_records_equal (const SondeRecord *a, const SondeRecord *b)
{
  g_assert_cmpint (a->kind, ==, b->kind);
  g_assert_cmpint (a->step, ==, b->step);
  g_assert_cmpint (a->wall_time_ns, ==, b->wall_time_ns);
  g_assert_cmpuint (a->session, ==, b->session);
  g_assert_cmpstr (a->tag, ==, b->tag);
  assert_same_content (a, b);
}
