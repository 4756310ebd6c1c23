/* SPDX-License-Identifier: Apache-2.0
 * A file of the cache for each sample and method, and one for each method's randomisation check. */
#include "explain/session/sonde-metric-values.h"

#include "data/base/sonde-text.h"
#include "explain/session/sonde-explain-session-digest.h"
#include "explain/session/sonde-explain-session-maps.h"
#include "explain/session/sonde-explain-session-work.h"

#define TARGET "predicted"
#define N_CONTROLS 2
#define KEPT_TYPE "a(sd)"

/* Of one map. @plane: as large as the image: it could be measured; @values: (element-type
 * Value) */
typedef struct
{
  gboolean plane;
  GArray *values;
} Known;

typedef struct
{
  guint metric; /* index in the evaluation's */
  double value;
} Value;

/**
 * Subject: a method, or a control
 * @spec: (nullable): NULL: a control; @key: in the scorecard: "LABEL/TARGET"
 * @identity: what its numbers depend on beside the sample
 * @known: (element-type Known) (nullable entries): by the samples' positions
 * @randomised: (nullable) (element-type Randomised): of a method, once known
 */
typedef struct
{
  const SondeAttributionSpec *spec;
  const char *target_is;
  char *key, *identity;
  GPtrArray *known;
  GArray *randomised;
} Subject;

typedef struct
{
  guint sample;
  double value;
} Randomised;

/**
 * SondeMetricValues:
 * @explainer, @dataset, @cache: of the session
 * @subjects: (element-type Subject): methods; @controls: two of each target
 * @positions: sample -> position among the chosen + 1
 */
struct _SondeMetricValues
{
  SondeExplainSession *session;
  SondeExplainer *explainer;
  SondeDataset *dataset;
  SondeExplainCache *cache; /* (nullable) */
  guint64 seed;
  GPtrArray *chosen, *subjects, *controls;
  SondeEvaluation *evaluation;
  const SondeMapMetric *const *metrics;
  guint n_metrics;
  GHashTable *positions;
  Subject *current;
  guint done, total;
};

static void
known_free (void *data)
{
  Known *known = data;

  if (known == NULL)
    return;
  g_array_unref (known->values);
  g_free (known);
}

static void
subject_free (void *data)
{
  Subject *subject = data;

  g_free (subject->key);
  g_free (subject->identity);
  g_ptr_array_unref (subject->known);
  g_clear_pointer (&subject->randomised, g_array_unref);
  g_free (subject);
}

static const SondeSampleResult *
chosen_at (SondeMetricValues *self, guint i)
{
  return g_ptr_array_index (self->chosen, i);
}

/* ---- files --------------------------------------------------------------- */

static gboolean
keeps (SondeMetricValues *self, const Subject *subject)
{
  return self->cache != NULL
         && (subject->spec == NULL || !sonde_explain_session_reads_file (subject->spec));
}

/* The label too: it may be another one since labels were given. */
static char *
make_value_key (SondeMetricValues *self, const Subject *subject, guint i)
{
  g_autofree char *label = g_strdup_printf ("%" PRIi64, chosen_at (self, i)->label);
  g_autofree char *hash = sonde_explain_hash_texts (subject->identity, label, NULL);

  return g_strdup_printf ("score-%u-%.16s", chosen_at (self, i)->sample, hash);
}

static void
store_known (SondeMetricValues *self, const Subject *subject, guint i)
{
  const Known *known = g_ptr_array_index (subject->known, i);
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE (KEPT_TYPE));
  g_autofree char *key = make_value_key (self, subject, i);
  GVariantDict dict;

  for (guint k = 0; k < known->values->len; k++)
    {
      const Value *value = &g_array_index (known->values, Value, k);

      g_variant_builder_add (&builder, "(sd)", self->metrics[value->metric]->name, value->value);
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "plane", "b", known->plane);
  g_variant_dict_insert_value (&dict, "values", g_variant_builder_end (&builder));
  sonde_explain_cache_store (self->cache, key, g_variant_dict_end (&dict), NULL);
}

static gboolean
find_metric (SondeMetricValues *self, const char *name, guint *metric)
{
  for (*metric = 0; *metric < self->n_metrics; (*metric)++)
    if (g_str_equal (self->metrics[*metric]->name, name))
      return TRUE;
  return FALSE;
}

/* (nullable) */
static Known *
load_known (SondeMetricValues *self, const Subject *subject, guint i)
{
  g_autofree char *key = make_value_key (self, subject, i);
  g_autoptr (GVariant) dict = NULL, list = NULL;
  g_autoptr (GPtrArray) tensors = NULL;
  Known *known;

  if (!keeps (self, subject) || !sonde_explain_cache_load (self->cache, key, &dict, &tensors)
      || (list = g_variant_lookup_value (dict, "values", G_VARIANT_TYPE (KEPT_TYPE))) == NULL)
    return NULL;
  known = g_new0 (Known, 1);
  known->values = g_array_new (FALSE, FALSE, sizeof (Value));
  if (!g_variant_lookup (dict, "plane", "b", &known->plane))
    g_clear_pointer (&known, known_free);
  for (gsize k = 0; known != NULL && k < g_variant_n_children (list); k++)
    {
      const char *name;
      Value value;

      g_variant_get_child (list, k, "(&sd)", &name, &value.value);
      if (find_metric (self, name, &value.metric))
        g_array_append_val (known->values, value);
      else
        g_clear_pointer (&known, known_free);
    }
  return known;
}

/* ---- the randomisation check --------------------------------------------- */

/* Positions of the maps that are checked; guint. (transfer full) */
static GArray *
list_checked (SondeMetricValues *self, const Subject *subject)
{
  GArray *checked = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < self->chosen->len && checked->len < SONDE_EVALUATION_CHECKED; i++)
    {
      const Known *known = g_ptr_array_index (subject->known, i);

      if (known != NULL && known->plane)
        g_array_append_val (checked, i);
    }
  return checked;
}

static char *
make_randomised_key (SondeMetricValues *self, const Subject *subject, GArray *checked)
{
  g_autoptr (GString) samples = g_string_new (NULL);
  g_autofree char *hash = NULL;

  for (guint k = 0; k < checked->len; k++)
    {
      const SondeSampleResult *prediction = chosen_at (self, g_array_index (checked, guint, k));

      g_string_append_printf (samples, "%u/%" PRIi64 " ", prediction->sample, prediction->label);
    }
  hash = sonde_explain_hash_texts (subject->identity, samples->str, NULL);
  return g_strdup_printf ("weights-%.16s", hash);
}

/* (nullable) (element-type Randomised) */
static GArray *
load_randomised (SondeMetricValues *self, const Subject *subject, const char *key)
{
  g_autoptr (GVariant) dict = NULL, list = NULL;
  g_autoptr (GPtrArray) tensors = NULL;
  GArray *found;

  if (!keeps (self, subject) || !sonde_explain_cache_load (self->cache, key, &dict, &tensors)
      || (list = g_variant_lookup_value (dict, "randomised", G_VARIANT_TYPE ("a(ud)"))) == NULL)
    return NULL;
  found = g_array_new (FALSE, FALSE, sizeof (Randomised));
  for (gsize i = 0; i < g_variant_n_children (list); i++)
    {
      Randomised one;

      g_variant_get_child (list, i, "(ud)", &one.sample, &one.value);
      g_array_append_val (found, one);
    }
  return found;
}

static void
take_randomised (SondeMetricValues *self, Subject *subject, SondeScorecard *scorecard,
                 GArray *checked, const char *key)
{
  const SondeMapMetric *metric = sonde_map_metric_find ("randomisation");
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a(ud)"));
  GVariantDict dict;

  subject->randomised = g_array_new (FALSE, FALSE, sizeof (Randomised));
  for (guint k = 0; k < checked->len; k++)
    {
      Randomised one = { .sample = chosen_at (self, g_array_index (checked, guint, k))->sample };

      if (!sonde_scorecard_find (scorecard, metric, subject->key, one.sample, &one.value))
        continue;
      g_array_append_val (subject->randomised, one);
      g_variant_builder_add (&builder, "(ud)", one.sample, one.value);
    }
  if (!keeps (self, subject))
    return;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "randomised", g_variant_builder_end (&builder));
  sonde_explain_cache_store (self->cache, key, g_variant_dict_end (&dict), NULL);
}

/* Those that are not kept, together: nets with permuted weights are made once. */
static gboolean
randomise (SondeMetricValues *self, GError **error)
{
  SondeExplainSession *session = self->session;
  const SondeExplanationSettings *settings = sonde_explain_session_get_settings (session);
  g_autoptr (SondeEvaluation) evaluation
      = sonde_evaluation_new ("randomisation", self->explainer, self->dataset, self->seed, error);
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  guint missing = 0;

  for (guint s = 0; s < self->subjects->len; s++)
    {
      Subject *subject = g_ptr_array_index (self->subjects, s);
      GArray *checked = list_checked (self, subject);
      char *key = make_randomised_key (self, subject, checked);

      g_ptr_array_add (keys, key);
      g_ptr_array_add (lists, checked);
      subject->randomised = load_randomised (self, subject, key);
      for (guint k = 0; subject->randomised == NULL && k < checked->len; k++, missing++)
        {
          const SondeSampleResult *prediction = chosen_at (self, g_array_index (checked, guint, k));

          sonde_evaluation_add_checked (evaluation, subject->spec, subject->target_is, prediction,
                                        prediction->predicted);
        }
    }
  if (missing == 0)
    return TRUE;
  sonde_explain_session_begin (session, N_ ("Checking methods on networks with permuted weights"),
                               0);
  if (!sonde_explain_session_tick (session, 0, 0, error)
      || !sonde_evaluation_randomise (evaluation, sonde_explain_session_get_model (session),
                                      settings->device, settings->threads, error))
    return FALSE;
  for (guint s = 0; s < self->subjects->len; s++)
    {
      Subject *subject = g_ptr_array_index (self->subjects, s);

      if (subject->randomised == NULL)
        take_randomised (self, subject, sonde_evaluation_get_scorecard (evaluation),
                         g_ptr_array_index (lists, s), g_ptr_array_index (keys, s));
    }
  return TRUE;
}

/* ---- measuring ----------------------------------------------------------- */

/* What the evaluation's scorecard has of it now. */
static void
take_known (SondeMetricValues *self, Subject *subject, guint i, gboolean plane)
{
  SondeScorecard *scorecard = sonde_evaluation_get_scorecard (self->evaluation);
  Known *known = g_new0 (Known, 1);
  Value value;

  known->plane = plane;
  known->values = g_array_new (FALSE, FALSE, sizeof (Value));
  for (value.metric = 0; plane && value.metric < self->n_metrics; value.metric++)
    if (sonde_scorecard_find (scorecard, self->metrics[value.metric], subject->key,
                              chosen_at (self, i)->sample, &value.value))
      g_array_append_val (known->values, value);
  known_free (g_ptr_array_index (subject->known, i));
  g_ptr_array_index (subject->known, i) = known;
  if (keeps (self, subject))
    store_known (self, subject, i);
}

static Subject *
find_control (SondeMetricValues *self, const Subject *subject, guint k)
{
  guint n = 0;

  for (guint i = 0; i < self->controls->len; i++)
    {
      Subject *control = g_ptr_array_index (self->controls, i);

      if (g_str_equal (control->target_is, subject->target_is) && n++ == k)
        return control;
    }
  return NULL;
}

static gboolean
take_map (const SondeAttributionMap *map, const SondeSampleResult *sample, gpointer data,
          GError **error)
{
  SondeMetricValues *self = data;
  SondeShape plane = sonde_shape_make (2, self->dataset->height, self->dataset->width);
  guint position = GPOINTER_TO_UINT (
      g_hash_table_lookup (self->positions, GUINT_TO_POINTER (map->sample + 1)));
  gboolean whole = sonde_shape_equal (&map->map->shape, &plane);

  if (!sonde_explain_session_tick (self->session, self->done++, self->total, error)
      || !sonde_evaluation_add (self->evaluation, self->current->spec, map, sample, error))
    return FALSE;
  take_known (self, self->current, position - 1, whole);
  for (guint k = 0; whole && k < N_CONTROLS; k++)
    {
      Subject *control = find_control (self, self->current, k);

      if (g_ptr_array_index (control->known, position - 1) == NULL)
        take_known (self, control, position - 1, TRUE);
    }
  return TRUE;
}

static gboolean
is_missing (SondeMetricValues *self, const Subject *subject, guint i)
{
  const Known *known = g_ptr_array_index (subject->known, i);

  if (known == NULL || !known->plane)
    return known == NULL;
  for (guint k = 0; k < N_CONTROLS; k++)
    if (g_ptr_array_index (find_control (self, subject, k)->known, i) == NULL)
      return TRUE;
  return FALSE;
}

gboolean
sonde_metric_values_complete (SondeMetricValues *self, GError **error)
{
  SondeExplainSession *session = self->session;
  /* without the store of maps: a value stopped and computed later sees the same numbers */
  SondeExplainRequest request
      = { .target_is = TARGET, .target = -1, .seed = self->seed, .channels = TRUE };
  guint missing = 0, metric;

  self->total = self->subjects->len * self->chosen->len;
  for (guint s = 0; s < self->subjects->len; s++)
    for (guint i = 0; i < self->chosen->len; i++)
      missing += is_missing (self, g_ptr_array_index (self->subjects, s), i);
  self->done = self->total - missing;
  sonde_explain_session_begin (session, N_ ("Scoring methods"), self->done);
  for (guint s = 0; s < self->subjects->len; s++)
    {
      g_autoptr (GPtrArray) some = g_ptr_array_new ();

      self->current = g_ptr_array_index (self->subjects, s);
      for (guint i = 0; i < self->chosen->len; i++)
        if (is_missing (self, self->current, i))
          g_ptr_array_add (some, g_ptr_array_index (self->chosen, i));
      request.spec = self->current->spec;
      if (some->len > 0
          && !sonde_explain_maps (self->explainer, self->dataset, some, &request, take_map, self,
                                  error))
        return FALSE;
    }
  return !find_metric (self, "randomisation", &metric) || randomise (self, error);
}

/* ---- all of them --------------------------------------------------------- */

static void
add_known (SondeMetricValues *self, SondeScorecard *scorecard, const Subject *subject, guint i)
{
  const Known *known = g_ptr_array_index (subject->known, i);
  const SondeSampleResult *prediction = chosen_at (self, i);

  for (guint k = 0; known != NULL && k < known->values->len; k++)
    {
      const Value *value = &g_array_index (known->values, Value, k);

      sonde_scorecard_add (scorecard, self->metrics[value->metric], subject->key,
                           prediction->sample, prediction->label, value->value);
    }
}

SondeScorecard *
sonde_metric_values_make_scorecard (SondeMetricValues *self)
{
  SondeScorecard *scorecard = sonde_scorecard_new (self->seed);
  const SondeMapMetric *randomisation = sonde_map_metric_find ("randomisation");

  for (guint s = 0; s < self->subjects->len; s++)
    {
      const Subject *subject = g_ptr_array_index (self->subjects, s);

      for (guint i = 0; i < self->chosen->len; i++)
        add_known (self, scorecard, subject, i);
      for (guint k = 0; subject->randomised != NULL && k < subject->randomised->len; k++)
        {
          const Randomised *one = &g_array_index (subject->randomised, Randomised, k);
          guint position = GPOINTER_TO_UINT (
              g_hash_table_lookup (self->positions, GUINT_TO_POINTER (one->sample + 1)));

          if (position > 0)
            sonde_scorecard_add (scorecard, randomisation, subject->key, one->sample,
                                 chosen_at (self, position - 1)->label, one->value);
        }
    }
  for (guint c = 0; c < self->controls->len; c++)
    for (guint i = 0; i < self->chosen->len; i++)
      add_known (self, scorecard, g_ptr_array_index (self->controls, c), i);
  return scorecard;
}

/* ---- life ---------------------------------------------------------------- */

static Subject *
add_subject (SondeMetricValues *self, GPtrArray *to, const SondeAttributionSpec *spec,
             const char *name, const char *target_is, const char *metrics)
{
  g_autofree char *parameters = spec != NULL ? sonde_attribution_spec_dup_parameters (spec) : NULL;
  Subject *subject = g_new0 (Subject, 1);

  subject->spec = spec;
  subject->target_is = target_is;
  subject->key = g_strdup_printf (
      "%s/%s", spec != NULL ? sonde_attribution_spec_get_label (spec) : name, target_is);
  subject->identity = sonde_explain_hash_texts (
      spec != NULL ? sonde_attribution_spec_get_method (spec)->name : name,
      parameters != NULL ? parameters : "", target_is, metrics, NULL);
  subject->known = g_ptr_array_new_with_free_func (known_free);
  g_ptr_array_add (to, subject);
  for (guint i = 0; i < self->chosen->len; i++)
    g_ptr_array_add (subject->known, load_known (self, subject, i));
  return subject;
}

SondeMetricValues *
sonde_metric_values_new (SondeExplainSession *session, GPtrArray *chosen, GPtrArray *specs,
                         SondeEvaluation *evaluation)
{
  static const char *const controls[N_CONTROLS]
      = { SONDE_EVALUATION_RANDOM, SONDE_EVALUATION_CENTRE };
  SondeMetricValues *self = g_new0 (SondeMetricValues, 1);
  g_autoptr (GString) metrics = g_string_new (NULL);
  const double *weights;

  self->session = session;
  self->explainer = sonde_explain_session_get_explainer (session);
  self->dataset = sonde_explain_session_get_dataset (session);
  self->cache = sonde_explain_session_get_cache (session);
  self->seed = (guint64) sonde_explain_session_get_settings (session)->seed;
  self->chosen = chosen;
  self->evaluation = evaluation;
  self->metrics = sonde_evaluation_get_metrics (evaluation, &weights, &self->n_metrics);
  self->subjects = g_ptr_array_new_with_free_func (subject_free);
  self->controls = g_ptr_array_new_with_free_func (subject_free);
  self->positions = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < self->n_metrics; i++)
    g_string_append_printf (metrics, "%s ", self->metrics[i]->name);
  for (guint i = 0; i < chosen->len; i++)
    g_hash_table_insert (self->positions, GUINT_TO_POINTER (chosen_at (self, i)->sample + 1),
                         GUINT_TO_POINTER (i + 1));
  for (guint s = 0; s < specs->len; s++)
    {
      const SondeAttributionSpec *spec = g_ptr_array_index (specs, s);
      const char *target_is
          = sonde_attribution_spec_get_method (spec)->takes_pair ? "contrast" : TARGET;
      Subject *subject = add_subject (self, self->subjects, spec, NULL, target_is, metrics->str);

      if (find_control (self, subject, 0) != NULL)
        continue;
      for (guint k = 0; k < N_CONTROLS; k++)
        add_subject (self, self->controls, NULL, controls[k], target_is, metrics->str);
    }
  return self;
}

void
sonde_metric_values_free (SondeMetricValues *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->subjects);
  g_ptr_array_unref (self->controls);
  g_hash_table_unref (self->positions);
  g_free (self);
}
