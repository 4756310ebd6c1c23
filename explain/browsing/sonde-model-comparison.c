/* SPDX-License-Identifier: Apache-2.0
 * The predictions came through the first model's session; the second session serves maps and edits. */
#include "explain/browsing/sonde-model-comparison.h"

#include "data/base/sonde-error.h"

struct _SondeModelComparison
{
  GObject parent_instance;

  char *program;
  SondeExplanationSettings *settings; /* (nullable): of the second session */
  GPtrArray *rows;                    /* (nullable) (element-type SondeSampleResult) */
  GHashTable *by_sample;              /* sample + 1 → row */
  SondeExplainClient *client;         /* (nullable) */
};

enum
{
  CHANGED,
  OPENED,
  FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeModelComparison, sonde_model_comparison, G_TYPE_OBJECT)

static void
forget (SondeModelComparison *self)
{
  g_hash_table_remove_all (self->by_sample);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->settings, sonde_explanation_settings_free);
  if (self->client != NULL)
    sonde_explain_client_close (self->client);
  g_clear_object (&self->client);
}

void
sonde_model_comparison_set (SondeModelComparison *comparison, const char *model, GPtrArray *rows,
                            const SondeExplanationSettings *settings)
{
  g_return_if_fail (SONDE_IS_MODEL_COMPARISON (comparison));
  forget (comparison);
  comparison->settings = sonde_explanation_settings_copy (settings);
  g_free (comparison->settings->model);
  comparison->settings->model = g_strdup (model);
  comparison->rows = g_ptr_array_ref (rows);
  for (guint i = 0; i < rows->len; i++)
    {
      SondeSampleResult *row = g_ptr_array_index (rows, i);

      g_hash_table_insert (comparison->by_sample, GUINT_TO_POINTER (row->sample + 1), row);
    }
  g_signal_emit (comparison, signals[CHANGED], 0);
}

void
sonde_model_comparison_clear (SondeModelComparison *comparison)
{
  g_return_if_fail (SONDE_IS_MODEL_COMPARISON (comparison));
  forget (comparison);
  g_signal_emit (comparison, signals[CHANGED], 0);
}

const char *
sonde_model_comparison_get_model (SondeModelComparison *comparison)
{
  return comparison->settings != NULL ? comparison->settings->model : NULL;
}

const SondeSampleResult *
sonde_model_comparison_find (SondeModelComparison *comparison, guint sample)
{
  return g_hash_table_lookup (comparison->by_sample, GUINT_TO_POINTER (sample + 1));
}

static void
on_opened (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeModelComparison) self = data;
  g_autoptr (GError) error = NULL;

  if (sonde_explain_client_open_finish (SONDE_EXPLAIN_CLIENT (source), result, &error) == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        g_signal_emit (self, signals[FAILED], 0, sonde_error_get_text (error));
    }
  else if (self->client == SONDE_EXPLAIN_CLIENT (source))
    g_signal_emit (self, signals[OPENED], 0);
}

SondeExplainClient *
sonde_model_comparison_get_client (SondeModelComparison *comparison)
{
  g_return_val_if_fail (SONDE_IS_MODEL_COMPARISON (comparison), NULL);
  if (comparison->client == NULL && comparison->settings != NULL)
    {
      comparison->client = sonde_explain_client_new ();
      sonde_explain_client_set_program (comparison->client, comparison->program);
      sonde_explain_client_open_async (comparison->client, comparison->settings, NULL, on_opened,
                                       g_object_ref (comparison));
    }
  return comparison->client;
}

static void
sonde_model_comparison_dispose (GObject *object)
{
  forget (SONDE_MODEL_COMPARISON (object));
  G_OBJECT_CLASS (sonde_model_comparison_parent_class)->dispose (object);
}

static void
sonde_model_comparison_finalize (GObject *object)
{
  SondeModelComparison *self = SONDE_MODEL_COMPARISON (object);

  g_hash_table_unref (self->by_sample);
  g_free (self->program);
  G_OBJECT_CLASS (sonde_model_comparison_parent_class)->finalize (object);
}

static void
sonde_model_comparison_class_init (SondeModelComparisonClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_model_comparison_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_model_comparison_finalize;
  signals[CHANGED]
      = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[OPENED]
      = g_signal_new ("opened", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[FAILED] = g_signal_new ("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_model_comparison_init (SondeModelComparison *self)
{
  self->by_sample = g_hash_table_new (NULL, NULL);
}

SondeModelComparison *
sonde_model_comparison_new (const char *program)
{
  SondeModelComparison *self = g_object_new (SONDE_TYPE_MODEL_COMPARISON, NULL);

  self->program = g_strdup (program);
  return self;
}
