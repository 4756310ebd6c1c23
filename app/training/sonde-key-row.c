/* SPDX-License-Identifier: Apache-2.0 */
#include "app/training/sonde-key-row.h"

#include <string.h>

#include "app/widgets/sonde-file-dialog.h"
#include "data/base/sonde-text.h"

struct _SondeKeyRow
{
  AdwActionRow parent_instance;
  SondeRecipeDocument *document;
  SondeRecipeKey key;
  GArray *words; /* (element-type SondeKeyWord): owned strings; empty: there is nothing to choose */
  GtkWidget *toggle, *choice, *entry, *browse, *reset;
  gboolean updating; /* the widgets are told, not asked */
};

G_DEFINE_FINAL_TYPE (SondeKeyRow, sonde_key_row, ADW_TYPE_ACTION_ROW)

/* ---- words --------------------------------------------------------------- */

static void
clear_word (gpointer data)
{
  SondeKeyWord *word = data;

  g_free ((char *) word->word);
  g_free ((char *) word->title);
  g_free ((char *) word->detail);
  g_free ((char *) word->hint);
}

static void
add_word (SondeKeyRow *self, const SondeKeyWord *word)
{
  SondeKeyWord copy = { g_strdup (word->word), g_strdup (word->title), g_strdup (word->detail),
                        word->rest, g_strdup (word->hint) };

  g_array_append_val (self->words, copy);
}

/* Those of the recipe's table: "none, value:LIMIT, output:NAME". */
static void
add_choices (SondeKeyRow *self)
{
  g_auto (GStrv) choices = g_strsplit (self->key.choices, ", ", -1);
  gboolean has_settings = self->key.form == SONDE_RECIPE_NAMED;

  for (gsize i = 0; choices[i] != NULL; i++)
    {
      char *colon = strchr (choices[i], ':');
      SondeKeyWord word = { .word = choices[i] };

      if (colon != NULL)
        *colon = '\0';
      word.rest = colon != NULL || has_settings ? SONDE_REST_TEXT : SONDE_REST_NONE;
      word.hint = colon != NULL ? colon + 1 : has_settings ? _ ("settings") : NULL;
      add_word (self, &word);
    }
}

static const SondeKeyWord *
get_word (SondeKeyRow *self)
{
  guint at = self->choice != NULL ? gtk_drop_down_get_selected (GTK_DROP_DOWN (self->choice))
                                  : GTK_INVALID_LIST_POSITION; /* of a list without words, too */

  return at < self->words->len ? &g_array_index (self->words, SondeKeyWord, at) : NULL;
}

/* The word that @value begins with: the longest; one without a word takes what no other does. */
static guint
find_word (SondeKeyRow *self, const char *value, const char **rest)
{
  guint found = GTK_INVALID_LIST_POSITION;

  *rest = value;
  for (guint i = 0; i < self->words->len; i++)
    {
      const SondeKeyWord *word = &g_array_index (self->words, SondeKeyWord, i);
      gsize length = strlen (word->word);

      if (length == 0 && found == GTK_INVALID_LIST_POSITION)
        found = i;
      else if (length > 0 && strncmp (value, word->word, length) == 0
               && (value[length] == '\0' || value[length] == ':'))
        {
          *rest = value + length + (value[length] == ':');
          return i;
        }
    }
  return found;
}

/* ---- from the widgets to the recipe -------------------------------------- */

/* (transfer full) */
static char *
dup_value (SondeKeyRow *self)
{
  const char *rest = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  const SondeKeyWord *word = get_word (self);

  if (self->toggle != NULL)
    return g_strdup (gtk_switch_get_active (GTK_SWITCH (self->toggle)) ? "true" : "false");
  if (word == NULL)
    return g_strdup (rest);
  if (word->rest == SONDE_REST_NONE || *rest == '\0')
    return g_strdup (word->word);
  return *word->word != '\0' ? g_strdup_printf ("%s:%s", word->word, rest) : g_strdup (rest);
}

/* @reason: (nullable): why what is written is not allowed */
static void
say (SondeKeyRow *self, const char *reason)
{
  const SondeKeyWord *word = get_word (self);
  const char *detail = word != NULL ? word->detail : NULL;
  g_autofree char *text = NULL;

  if (reason != NULL)
    text = g_markup_escape_text (reason, -1);
  else
    text = detail != NULL ? g_markup_printf_escaped ("%s · %s", self->key.name, detail)
                          : g_markup_escape_text (self->key.name, -1);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), text);
  if (reason != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (self), "refused");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "refused");
  gtk_accessible_update_state (
      GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_STATE_INVALID,
      reason != NULL ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}

/* (transfer full): what is wrong and what is allowed, without the key, which stands beside it */
static char *
describe_refusal (SondeKeyRow *self, const char *value)
{
  return g_strdup_printf (_ ("“%s” is not allowed; allowed is %s"), value, _ (self->key.allowed));
}

static void
apply (SondeKeyRow *self)
{
  g_autofree char *value = NULL, *reason = NULL;

  if (self->updating)
    return;
  value = dup_value (self);
  self->updating = TRUE; /* what is written stays as it is written */
  if (!sonde_recipe_document_set (self->document, self->key.name, value, NULL))
    reason = describe_refusal (self, value);
  self->updating = FALSE;
  say (self, reason);
  gtk_widget_set_visible (self->reset,
                          reason != NULL
                              || sonde_recipe_document_is_changed (self->document, self->key.name));
}

/* ---- from the recipe to the widgets -------------------------------------- */

static void
show_entry (SondeKeyRow *self)
{
  const SondeKeyWord *word = get_word (self);
  SondeRest rest = word != NULL           ? word->rest
                   : self->toggle != NULL ? SONDE_REST_NONE
                                          : SONDE_REST_TEXT;

  gtk_widget_set_visible (self->entry, rest != SONDE_REST_NONE);
  gtk_widget_set_visible (self->browse, rest == SONDE_REST_FILE || rest == SONDE_REST_FOLDER);
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->entry),
                                  word != NULL ? word->hint : _ ("default"));
}

static void
update (SondeKeyRow *self)
{
  g_autofree char *value = NULL;
  const char *rest;

  if (self->updating)
    return;
  self->updating = TRUE;
  value
      = sonde_recipe_dup_value (sonde_recipe_document_get_recipe (self->document), self->key.name);
  rest = value;
  if (self->toggle != NULL)
    gtk_switch_set_active (GTK_SWITCH (self->toggle), g_str_equal (value, "true"));
  if (self->choice != NULL)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (self->choice), find_word (self, value, &rest));
  if (self->toggle == NULL && g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (self->entry)), rest))
    gtk_editable_set_text (GTK_EDITABLE (self->entry), rest);
  show_entry (self);
  say (self, NULL);
  gtk_widget_set_visible (self->reset,
                          sonde_recipe_document_is_changed (self->document, self->key.name));
  self->updating = FALSE;
}

/* Settings of one choice are none of another. */
static void
on_chosen (SondeKeyRow *self)
{
  if (self->updating)
    return;
  self->updating = TRUE;
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  self->updating = FALSE;
  show_entry (self);
  apply (self);
}

static void
on_reset (SondeKeyRow *self)
{
  sonde_recipe_document_reset (self->document, self->key.name);
  update (self);
}

/* ---- files --------------------------------------------------------------- */

static void
on_response (GtkNativeDialog *dialog, int response, SondeKeyRow *self)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL)
    gtk_editable_set_text (GTK_EDITABLE (self->entry), path);
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
on_browse (SondeKeyRow *self)
{
  const SondeKeyWord *word = get_word (self);
  gboolean folder = word != NULL && word->rest == SONDE_REST_FOLDER;
  GtkFileChooserNative *dialog = sonde_file_dialog_new (
      folder ? _ ("Choose a Folder") : _ ("Choose a File"),
      GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))),
      folder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_OPEN, NULL);

  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- making -------------------------------------------------------------- */

static void
fill_choice (SondeKeyRow *self)
{
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);

  for (guint i = 0; i < self->words->len; i++)
    {
      const SondeKeyWord *word = &g_array_index (self->words, SondeKeyWord, i);

      gtk_string_list_append (titles, word->title != NULL ? word->title : word->word);
    }
  self->updating = TRUE;
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->choice), G_LIST_MODEL (titles));
  gtk_widget_set_visible (self->choice, self->words->len > 1);
  self->updating = FALSE;
}

static void
name_widget (SondeKeyRow *self, GtkWidget *widget)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  adw_preferences_row_get_title (ADW_PREFERENCES_ROW (self)), -1);
}

static GtkWidget *
make_button (SondeKeyRow *self, const char *icon, const char *name, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect_object (button, "clicked", clicked, self, G_CONNECT_SWAPPED);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), button);
  return button;
}

static void
add_input (SondeKeyRow *self, GtkWidget *input)
{
  gtk_widget_set_valign (input, GTK_ALIGN_CENTER);
  name_widget (self, input);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), input);
}

static void
make_inputs (SondeKeyRow *self)
{
  if (self->key.form == SONDE_RECIPE_BOOLEAN)
    {
      self->toggle = gtk_switch_new ();
      add_input (self, self->toggle);
      g_signal_connect_object (self->toggle, "notify::active", G_CALLBACK (apply), self,
                               G_CONNECT_SWAPPED);
      adw_action_row_set_activatable_widget (ADW_ACTION_ROW (self), self->toggle);
    }
  if (self->words->len > 0)
    {
      self->choice = gtk_drop_down_new (NULL, NULL);
      add_input (self, self->choice);
      g_signal_connect_object (self->choice, "notify::selected", G_CALLBACK (on_chosen), self,
                               G_CONNECT_SWAPPED);
    }
  self->entry = gtk_entry_new ();
  gtk_editable_set_width_chars (GTK_EDITABLE (self->entry), 14);
  add_input (self, self->entry);
  g_signal_connect_object (self->entry, "changed", G_CALLBACK (apply), self, G_CONNECT_SWAPPED);
  self->browse = make_button (self, "folder-open-symbolic", _ ("Choose…"), G_CALLBACK (on_browse));
  self->reset
      = make_button (self, "edit-undo-symbolic", _ ("Back to the Default"), G_CALLBACK (on_reset));
}

/* "learning rate" begins a row as "Learning rate". */
static char *
dup_title (const char *summary)
{
  g_autofree char *first = g_utf8_substring (summary, 0, 1);
  g_autofree char *upper = g_utf8_strup (first, -1);

  return g_strconcat (upper, summary + strlen (first), NULL);
}

static SondeRecipeKey
find_key (const char *name)
{
  for (gsize i = 0; i < sonde_recipe_get_n_keys (); i++)
    {
      SondeRecipeKey key = sonde_recipe_get_key (i);

      if (g_str_equal (key.name, name))
        return key;
    }
  g_error ("there is no key %s", name);
}

static SondeKeyRow *
make (SondeRecipeDocument *document, const char *key)
{
  SondeKeyRow *self = g_object_ref_sink (g_object_new (SONDE_TYPE_KEY_ROW, NULL));
  g_autofree char *title = NULL;

  self->document = g_object_ref (document);
  self->key = find_key (key);
  title = dup_title (_ (self->key.summary));
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), title);
  return self;
}

static GtkWidget *
finish (SondeKeyRow *self)
{
  make_inputs (self);
  if (self->choice != NULL)
    fill_choice (self);
  update (self);
  g_signal_connect_object (self->document, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_object_force_floating (G_OBJECT (self));
  return GTK_WIDGET (self);
}

GtkWidget *
sonde_key_row_new (SondeRecipeDocument *document, const char *key)
{
  SondeKeyRow *self = make (document, key);

  if (self->key.form == SONDE_RECIPE_CHOICE || self->key.form == SONDE_RECIPE_NAMED)
    add_choices (self);
  return finish (self);
}

GtkWidget *
sonde_key_row_new_with_words (SondeRecipeDocument *document, const char *key,
                              const SondeKeyWord *words)
{
  SondeKeyRow *self = make (document, key);

  for (; words->word != NULL; words++)
    add_word (self, words);
  return finish (self);
}

void
sonde_key_row_set_words (SondeKeyRow *row, const SondeKeyWord *words)
{
  g_return_if_fail (SONDE_IS_KEY_ROW (row) && row->choice != NULL);
  g_array_set_size (row->words, 0);
  for (; words->word != NULL; words++)
    add_word (row, words);
  fill_choice (row);
  update (row);
}

const char *
sonde_key_row_get_key (SondeKeyRow *row)
{
  return row->key.name;
}

static void
sonde_key_row_finalize (GObject *object)
{
  SondeKeyRow *self = SONDE_KEY_ROW (object);

  g_clear_object (&self->document);
  g_clear_pointer (&self->words, g_array_unref);
  G_OBJECT_CLASS (sonde_key_row_parent_class)->finalize (object);
}

static void
sonde_key_row_class_init (SondeKeyRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_key_row_finalize;
}

static void
sonde_key_row_init (SondeKeyRow *self)
{
  self->words = g_array_new (FALSE, FALSE, sizeof (SondeKeyWord));
  g_array_set_clear_func (self->words, clear_word);
}
