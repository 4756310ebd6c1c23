/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-column-choices.h"

struct _SondeColumnChoices
{
  GObject parent_instance;
  SondeWorkspace *workspace;
  char *group;
  GPtrArray *columns;
  GHashTable *chosen; /* name -> GINT_TO_POINTER (shown) */
};

G_DEFINE_FINAL_TYPE (SondeColumnChoices, sonde_column_choices, G_TYPE_OBJECT)

enum
{
  TOGGLED,
  RESET,
  LISTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

SondeColumnChoice *
sonde_column_choice_new (const char *name, const char *title, const char *note, gboolean usual)
{
  SondeColumnChoice *choice = g_new (SondeColumnChoice, 1);

  *choice = (SondeColumnChoice){ g_strdup (name), g_strdup (title), g_strdup (note), usual };
  return choice;
}

static void
choice_free (gpointer data)
{
  SondeColumnChoice *choice = data;

  g_free (choice->name);
  g_free (choice->title);
  g_free (choice->note);
  g_free (choice);
}

/* ---- kept ---------------------------------------------------------------- */

/* {"name": shown} as text. */
static void
save (SondeColumnChoices *choices)
{
  g_autoptr (GVariantBuilder) builder = g_variant_builder_new (G_VARIANT_TYPE ("a{sb}"));
  g_autoptr (GVariant) chosen = NULL;
  g_autofree char *text = NULL;
  GHashTableIter iter;
  gpointer name, shown;

  g_hash_table_iter_init (&iter, choices->chosen);
  while (g_hash_table_iter_next (&iter, &name, &shown))
    if (g_utf8_validate (name, -1, NULL))
      g_variant_builder_add (builder, "{sb}", name, GPOINTER_TO_INT (shown));
  chosen = g_variant_ref_sink (g_variant_builder_end (builder));
  text = g_variant_print (chosen, FALSE);
  sonde_workspace_set_setting (choices->workspace, choices->group, "columns",
                               g_hash_table_size (choices->chosen) > 0 ? text : NULL);
}

/* What is no such text is as good as none. */
static void
load (SondeColumnChoices *choices)
{
  const char *text = sonde_workspace_get_setting (choices->workspace, choices->group, "columns");
  g_autoptr (GVariant) chosen
      = text != NULL ? g_variant_parse (G_VARIANT_TYPE ("a{sb}"), text, NULL, NULL, NULL) : NULL;
  GVariantIter iter;
  const char *name;
  gboolean shown;

  if (chosen == NULL)
    return;
  g_variant_iter_init (&iter, chosen);
  while (g_variant_iter_next (&iter, "{&sb}", &name, &shown))
    g_hash_table_replace (choices->chosen, g_strdup (name), GINT_TO_POINTER (shown));
}

/* ---- columns ------------------------------------------------------------- */

static const SondeColumnChoice *
find (SondeColumnChoices *choices, const char *name)
{
  for (guint i = 0; i < choices->columns->len; i++)
    if (g_str_equal (((SondeColumnChoice *) choices->columns->pdata[i])->name, name))
      return choices->columns->pdata[i];
  return NULL;
}

static gboolean
same_columns (GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const SondeColumnChoice *x = a->pdata[i], *y = b->pdata[i];

      if (!g_str_equal (x->name, y->name) || g_strcmp0 (x->note, y->note) != 0
          || x->usual != y->usual)
        return FALSE;
    }
  return TRUE;
}

void
sonde_column_choices_take (SondeColumnChoices *choices, GPtrArray *columns)
{
  g_autoptr (GPtrArray) old = NULL;

  g_return_if_fail (SONDE_IS_COLUMN_CHOICES (choices));
  g_ptr_array_set_free_func (columns, choice_free);
  old = choices->columns;
  choices->columns = columns;
  if (!same_columns (old, columns))
    g_signal_emit (choices, signals[LISTED], 0);
}

GPtrArray *
sonde_column_choices_get_columns (SondeColumnChoices *choices)
{
  g_return_val_if_fail (SONDE_IS_COLUMN_CHOICES (choices), NULL);
  return choices->columns;
}

gboolean
sonde_column_choices_look_up (SondeColumnChoices *choices, const char *name, gboolean usual)
{
  gpointer chosen;

  g_return_val_if_fail (SONDE_IS_COLUMN_CHOICES (choices), FALSE);
  if (g_hash_table_lookup_extended (choices->chosen, name, NULL, &chosen))
    return GPOINTER_TO_INT (chosen);
  return usual;
}

gboolean
sonde_column_choices_is_shown (SondeColumnChoices *choices, const char *name)
{
  const SondeColumnChoice *column;

  g_return_val_if_fail (SONDE_IS_COLUMN_CHOICES (choices), FALSE);
  column = find (choices, name);
  return column != NULL && sonde_column_choices_look_up (choices, name, column->usual);
}

guint
sonde_column_choices_count_shown (SondeColumnChoices *choices)
{
  guint n = 0;

  g_return_val_if_fail (SONDE_IS_COLUMN_CHOICES (choices), 0);
  for (guint i = 0; i < choices->columns->len; i++)
    {
      const SondeColumnChoice *column = choices->columns->pdata[i];

      n += sonde_column_choices_look_up (choices, column->name, column->usual);
    }
  return n;
}

gboolean
sonde_column_choices_wants_more (SondeColumnChoices *choices)
{
  GHashTableIter iter;
  gpointer name, shown;

  g_return_val_if_fail (SONDE_IS_COLUMN_CHOICES (choices), FALSE);
  g_hash_table_iter_init (&iter, choices->chosen);
  while (g_hash_table_iter_next (&iter, &name, &shown))
    if (GPOINTER_TO_INT (shown) && find (choices, name) == NULL)
      return TRUE;
  return FALSE;
}

/* ---- choosing ------------------------------------------------------------ */

void
sonde_column_choices_set_shown (SondeColumnChoices *choices, const char *name, gboolean shown)
{
  gboolean was_shown;

  g_return_if_fail (SONDE_IS_COLUMN_CHOICES (choices));
  was_shown = sonde_column_choices_is_shown (choices, name);
  g_hash_table_replace (choices->chosen, g_strdup (name), GINT_TO_POINTER (shown));
  save (choices);
  if (was_shown != shown)
    g_signal_emit (choices, signals[TOGGLED], 0, name, shown);
}

void
sonde_column_choices_reset (SondeColumnChoices *choices)
{
  g_return_if_fail (SONDE_IS_COLUMN_CHOICES (choices));
  g_hash_table_remove_all (choices->chosen);
  save (choices);
  g_signal_emit (choices, signals[RESET], 0);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_column_choices_finalize (GObject *object)
{
  SondeColumnChoices *choices = SONDE_COLUMN_CHOICES (object);

  g_clear_object (&choices->workspace);
  g_free (choices->group);
  g_ptr_array_unref (choices->columns);
  g_hash_table_unref (choices->chosen);
  G_OBJECT_CLASS (sonde_column_choices_parent_class)->finalize (object);
}

static void
sonde_column_choices_class_init (SondeColumnChoicesClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_column_choices_finalize;
  signals[TOGGLED] = g_signal_new ("toggled", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_BOOLEAN);
  signals[RESET]
      = g_signal_new ("reset", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[LISTED]
      = g_signal_new ("listed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_column_choices_init (SondeColumnChoices *choices)
{
  choices->columns = g_ptr_array_new ();
  choices->chosen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

SondeColumnChoices *
sonde_column_choices_new (SondeWorkspace *workspace, const char *group)
{
  SondeColumnChoices *choices = g_object_new (SONDE_TYPE_COLUMN_CHOICES, NULL);

  choices->workspace = g_object_ref (workspace);
  choices->group = g_strdup (group);
  load (choices);
  return choices;
}
