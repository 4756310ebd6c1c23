/* SPDX-License-Identifier: Apache-2.0 */
#include "app/training/sonde-recipe-document.h"

#include <string.h>

#define PIXEL_GLYPHS "glyphs:labels=pixels"

struct _SondeRecipeDocument
{
  GObject parent_instance;
  SondeRecipe *recipe, *usual; /* as it is; all defaults */
  const char *
      *changes;       /* (nullable): keys of other values than the defaults; made when asked for */
  GHashTable *chosen; /* (element-type utf8): keys */
  GPtrArray *models;  /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SondeRecipeDocument, sonde_recipe_document, G_TYPE_OBJECT)

static guint changed_signal;

static void
notify (SondeRecipeDocument *self)
{
  g_clear_pointer (&self->changes, g_free);
  g_signal_emit (self, changed_signal, 0);
}

/* ---- what goes with what ------------------------------------------------- */

/* PyTorch's and Keras' defaults, and of lion and lamb the papers' (Chen et al. 2023, You et al. 2020). Of sgd the
 * recipe's own. */
const char *
sonde_recipe_document_get_usual_rate (const char *optimiser)
{
  static const char *const rates[][2]
      = { { "sgd", "0.02" },      { "adam", "0.001" },   { "adamw", "0.001" },
          { "rmsprop", "0.001" }, { "adagrad", "0.01" }, { "adadelta", "1" },
          { "lamb", "0.002" },    { "lars", "0.1" },     { "lion", "0.0001" } };
  gsize length = strcspn (optimiser, ":");

  for (gsize i = 0; i < G_N_ELEMENTS (rates); i++)
    if (strlen (rates[i][0]) == length && strncmp (rates[i][0], optimiser, length) == 0)
      return rates[i][1];
  return NULL;
}

static gboolean
is_chosen (SondeRecipeDocument *self, const char *key)
{
  return g_hash_table_contains (self->chosen, key);
}

/* Where nobody chose; @value is one that the key takes. */
static void
suggest (SondeRecipeDocument *self, const char *key, const char *value)
{
  if (value != NULL && !is_chosen (self, key) && !sonde_recipe_set (self->recipe, key, value, NULL))
    g_warning ("%s = “%s” is no value", key, value);
}

const SondeModelEntry *
sonde_recipe_document_find_model (SondeRecipeDocument *document)
{
  for (guint i = 0; document->models != NULL && i < document->models->len; i++)
    {
      const SondeModelEntry *entry = document->models->pdata[i];

      if (g_str_equal (entry->name, document->recipe->model_name))
        return entry;
    }
  return NULL;
}

static void
follow_model (SondeRecipeDocument *self)
{
  const SondeModelEntry *model = sonde_recipe_document_find_model (self);

  if (model == NULL)
    return;
  suggest (self, "train.loss", model->loss);
  suggest (self, "data.source", model->labels == SONDE_LABELS_PIXELS ? PIXEL_GLYPHS : "glyphs");
}

/* ---- values -------------------------------------------------------------- */

gboolean
sonde_recipe_document_set (SondeRecipeDocument *document, const char *key, const char *value,
                           GError **error)
{
  g_autofree char *before = NULL, *after = NULL;

  g_return_val_if_fail (SONDE_IS_RECIPE_DOCUMENT (document), FALSE);
  before = sonde_recipe_dup_value (document->recipe, key);
  if (!sonde_recipe_set (document->recipe, key, value, error))
    return FALSE;
  g_hash_table_add (document->chosen, g_strdup (key));
  after = sonde_recipe_dup_value (document->recipe, key);
  if (g_strcmp0 (before, after) == 0)
    return TRUE;
  if (g_str_equal (key, "model.name"))
    follow_model (document);
  else if (g_str_equal (key, "train.optimiser"))
    suggest (document, "train.learning-rate", sonde_recipe_document_get_usual_rate (value));
  notify (document);
  return TRUE;
}

void
sonde_recipe_document_reset (SondeRecipeDocument *document, const char *key)
{
  g_autofree char *value = NULL;

  g_return_if_fail (SONDE_IS_RECIPE_DOCUMENT (document));
  value = sonde_recipe_dup_value (document->usual, key);
  g_return_if_fail (value != NULL);
  /* The length of a training stands in two keys: without steps there are epochs again. */
  if (g_str_equal (key, "train.steps"))
    sonde_recipe_document_reset (document, "train.epochs");
  else
    sonde_recipe_document_set (document, key, value, NULL);
  g_hash_table_remove (document->chosen, key);
}

gboolean
sonde_recipe_document_is_changed (SondeRecipeDocument *document, const char *key)
{
  g_return_val_if_fail (SONDE_IS_RECIPE_DOCUMENT (document), FALSE);
  if (document->changes == NULL)
    document->changes = sonde_recipe_list_changes (document->recipe);
  return g_strv_contains (document->changes, key);
}

gboolean
sonde_recipe_document_load (SondeRecipeDocument *document, const char *path, GError **error)
{
  SondeRecipe *recipe = sonde_recipe_load (NULL, path, error);
  g_autofree const char **changes = NULL;

  if (recipe == NULL)
    return FALSE;
  sonde_recipe_free (document->recipe);
  document->recipe = recipe;
  g_hash_table_remove_all (document->chosen);
  changes = sonde_recipe_list_changes (recipe);
  for (gsize i = 0; changes[i] != NULL; i++)
    g_hash_table_add (document->chosen, g_strdup (changes[i]));
  notify (document);
  return TRUE;
}

const SondeRecipe *
sonde_recipe_document_get_recipe (SondeRecipeDocument *document)
{
  return document->recipe;
}

void
sonde_recipe_document_set_models (SondeRecipeDocument *document, GPtrArray *models)
{
  g_clear_pointer (&document->models, g_ptr_array_unref);
  document->models = g_ptr_array_ref (models);
  notify (document);
}

/* ---- life ---------------------------------------------------------------- */

static void
sonde_recipe_document_finalize (GObject *object)
{
  SondeRecipeDocument *self = SONDE_RECIPE_DOCUMENT (object);

  sonde_recipe_free (self->recipe);
  sonde_recipe_free (self->usual);
  g_free (self->changes);
  g_hash_table_unref (self->chosen);
  g_clear_pointer (&self->models, g_ptr_array_unref);
  G_OBJECT_CLASS (sonde_recipe_document_parent_class)->finalize (object);
}

static void
sonde_recipe_document_class_init (SondeRecipeDocumentClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_recipe_document_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_recipe_document_init (SondeRecipeDocument *self)
{
  self->recipe = sonde_recipe_new_default ();
  self->usual = sonde_recipe_new_default ();
  self->chosen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

SondeRecipeDocument *
sonde_recipe_document_new (void)
{
  return g_object_new (SONDE_TYPE_RECIPE_DOCUMENT, NULL);
}
