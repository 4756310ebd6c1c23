/* SPDX-License-Identifier: Apache-2.0 */
#include "app/training/sonde-training-form.h"

#include <string.h>

#include "app/training/sonde-key-row.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define MAX_KEYS 12

struct _SondeTrainingForm
{
  AdwBin parent_instance;
  GtkWidget *box;
  SondeRecipeDocument *document;
  SondeKeyRow *model; /* the row of model.name */
};

G_DEFINE_FINAL_TYPE (SondeTrainingForm, sonde_training_form, ADW_TYPE_BIN)

/* ---- what stands where --------------------------------------------------- */

/* @keys: shown; the keys of @section that no group shows stand below an expander in it (NULL: in none). */
typedef struct
{
  const char *title, *section;
  const char *keys[MAX_KEYS];
} FormGroup;

static const FormGroup groups[] = {
  { N_ ("Network"), "model", { "model.name", "model.weights", NULL } },
  { N_ ("Data"),
    "data",
    { "data.source", "data.batch", "data.train", "data.test", "data.transforms", NULL } },
  { N_ ("Loss"), NULL, { "train.loss", "train.metrics", NULL } },
  { N_ ("Optimiser"),
    NULL,
    { "train.optimiser", "train.learning-rate", "train.momentum", "train.weight-decay",
      "train.schedule", NULL } },
  { N_ ("Training"), "train", { "train.epochs", "train.steps", "train.seed", NULL } },
  { N_ ("Recording"), "record", { "record.every", NULL } },
  { N_ ("Checkpoints"), "checkpoint", { "checkpoint.every", NULL } },
};

/* The sources of sonde-dataset.h. */
static const SondeKeyWord sources[] = {
  { "glyphs", "glyphs", N_ ("drawn images, nothing to download"), SONDE_REST_TEXT,
    N_ ("settings") },
  { "mnist", "mnist", N_ ("IDX files of handwritten digits"), SONDE_REST_FOLDER, NULL },
  { "fashion-mnist", "fashion-mnist", N_ ("IDX files of clothing images"), SONDE_REST_FOLDER,
    NULL },
  { "cifar10", "cifar10", N_ ("its binary files, or class folders"), SONDE_REST_FOLDER, NULL },
  { "cifar100", "cifar100", N_ ("its binary files, or class folders"), SONDE_REST_FOLDER, NULL },
  { "images", "images", N_ ("one folder per class"), SONDE_REST_FOLDER, NULL },
  { "masks", "masks", N_ ("images and masks, one class per pixel"), SONDE_REST_FOLDER, NULL },
  { "csv", "csv", N_ ("rows of numbers"), SONDE_REST_FILE, NULL },
  { "npz", "npz", N_ ("arrays x and y"), SONDE_REST_FILE, NULL },
  { "npy", "npy", N_ ("an array and its labels"), SONDE_REST_FILE, "x.npy;labels=y.npy" },
  { "tokens", "tokens", N_ ("generated sequences"), SONDE_REST_TEXT, "task=majority" },
  { "list", "list", N_ ("a table of files and classes"), SONDE_REST_FILE, NULL },
  { "", N_ ("other"), N_ ("written as in a recipe"), SONDE_REST_TEXT, NULL },
  { NULL },
};

static const SondeKeyWord one_file[] = {
  { "", NULL, NULL, SONDE_REST_FILE, N_ ("none") },
  { NULL },
};

/* ---- rows ---------------------------------------------------------------- */

/* The words' texts in the user's language. (transfer full) */
static GArray *
translate (const SondeKeyWord *words)
{
  GArray *all = g_array_new (TRUE, TRUE, sizeof (SondeKeyWord));

  for (; words->word != NULL; words++)
    {
      SondeKeyWord word = *words;

      word.title = word.title != NULL ? _ (word.title) : NULL;
      word.detail = word.detail != NULL ? _ (word.detail) : NULL;
      word.hint = word.hint != NULL ? _ (word.hint) : NULL;
      g_array_append_val (all, word);
    }
  return all;
}

static GtkWidget *
make_row (SondeTrainingForm *self, const char *key)
{
  gboolean is_model = g_str_equal (key, "model.name");
  const SondeKeyWord *words = g_str_equal (key, "data.source")                 ? sources
                              : is_model || g_str_equal (key, "model.weights") ? one_file
                                                                               : NULL;
  g_autoptr (GArray) translated = words != NULL ? translate (words) : NULL;
  GtkWidget *row = words != NULL ? sonde_key_row_new_with_words (
                       self->document, key, (const SondeKeyWord *) (void *) translated->data)
                                 : sonde_key_row_new (self->document, key);

  if (is_model)
    self->model = SONDE_KEY_ROW (row);
  return row;
}

static gboolean
is_grouped (const char *key)
{
  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    if (g_strv_contains (groups[i].keys, key))
      return TRUE;
  return FALSE;
}

/* The keys of the section that have no place of their own. */
static void
add_others (SondeTrainingForm *self, GtkWidget *group, const char *section)
{
  GtkWidget *expander = adw_expander_row_new ();
  gboolean any = FALSE;

  for (gsize i = 0; i < sonde_recipe_get_n_keys (); i++)
    {
      SondeRecipeKey key = sonde_recipe_get_key (i);

      if (!g_str_has_prefix (key.name, section) || key.name[strlen (section)] != '.'
          || is_grouped (key.name))
        continue;
      adw_expander_row_add_row (ADW_EXPANDER_ROW (expander), make_row (self, key.name));
      any = TRUE;
    }
  sonde_expander_row_set_title (ADW_EXPANDER_ROW (expander), _ ("More settings"));
  if (any)
    adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), expander);
  else
    g_object_ref_sink (expander), g_object_unref (expander);
}

static void
add_group (SondeTrainingForm *self, const FormGroup *group)
{
  GtkWidget *widget = adw_preferences_group_new ();

  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (widget), _ (group->title));
  for (gsize i = 0; group->keys[i] != NULL; i++)
    adw_preferences_group_add (ADW_PREFERENCES_GROUP (widget), make_row (self, group->keys[i]));
  if (group->section != NULL)
    add_others (self, widget, group->section);
  gtk_box_append (GTK_BOX (self->box), widget);
}

void
sonde_training_form_set_document (SondeTrainingForm *form, SondeRecipeDocument *document)
{
  g_return_if_fail (SONDE_IS_TRAINING_FORM (form) && form->document == NULL);
  form->document = g_object_ref (document);
  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    add_group (form, &groups[i]);
}

/* "LeNet-5 with ReLU · 61,706 parameters" */
static char *
describe (const SondeModelEntry *entry)
{
  g_autofree char *count = sonde_format_count ((gint64) entry->parameters);

  return g_strdup_printf (_ ("%s · %s parameters"), _ (entry->description), count);
}

void
sonde_training_form_set_models (SondeTrainingForm *form, GPtrArray *models)
{
  GArray *words = g_array_new (TRUE, TRUE, sizeof (SondeKeyWord));
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  SondeKeyWord file = { "", _ ("Model file"), _ ("an ONNX model"), SONDE_REST_FILE, NULL };

  for (guint i = 0; i < models->len; i++)
    {
      const SondeModelEntry *entry = models->pdata[i];
      SondeKeyWord word = { entry->name, NULL, describe (entry), SONDE_REST_NONE, NULL };

      g_ptr_array_add (texts, (gpointer) word.detail);
      g_array_append_val (words, word);
    }
  g_array_append_val (words, file);
  sonde_key_row_set_words (form->model, (const SondeKeyWord *) (void *) words->data);
  g_array_unref (words);
}

static void
sonde_training_form_dispose (GObject *object)
{
  SondeTrainingForm *self = SONDE_TRAINING_FORM (object);

  g_clear_object (&self->document);
  G_OBJECT_CLASS (sonde_training_form_parent_class)->dispose (object);
}

static void
sonde_training_form_class_init (SondeTrainingFormClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_training_form_dispose;
}

static void
sonde_training_form_init (SondeTrainingForm *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);
  adw_bin_set_child (ADW_BIN (self), self->box);
}
