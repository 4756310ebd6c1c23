/* SPDX-License-Identifier: Apache-2.0
 * Recipes: defaults, loading, single settings, text. */
#include "data/recipes/sonde-recipe-keys-private.h"

#include "data/base/sonde-error.h"

#include <string.h>

#define MAX_RECIPE_BYTES (1 << 20)

static void *
field_of (SondeRecipe *recipe, const SondeRecipeRow *row)
{
  return (guint8 *) recipe + row->offset;
}

static const void *
field_of_const (const SondeRecipe *recipe, const SondeRecipeRow *row)
{
  return (const guint8 *) recipe + row->offset;
}

SondeRecipe *
sonde_recipe_new_default (void)
{
  SondeRecipe *recipe = g_new0 (SondeRecipe, 1);

  for (gsize i = 0; i < sonde_recipe_n_rows; i++)
    {
      const SondeRecipeRow *row = &sonde_recipe_rows[i];

      if (!row->kind->parse (row, row->default_text, field_of (recipe, row)))
        g_assert_not_reached ();
    }
  return recipe;
}

SondeRecipe *
sonde_recipe_copy (const SondeRecipe *recipe)
{
  SondeRecipe *copy = g_new0 (SondeRecipe, 1);

  for (gsize i = 0; i < sonde_recipe_n_rows; i++)
    sonde_recipe_rows[i].kind->copy (field_of_const (recipe, &sonde_recipe_rows[i]),
                                     field_of (copy, &sonde_recipe_rows[i]));
  return copy;
}

void
sonde_recipe_free (SondeRecipe *recipe)
{
  for (gsize i = 0; recipe != NULL && i < sonde_recipe_n_rows; i++)
    {
      if (sonde_recipe_rows[i].kind->clear != NULL)
        sonde_recipe_rows[i].kind->clear (field_of (recipe, &sonde_recipe_rows[i]));
    }
  g_free (recipe);
}

static gboolean
refuse_key (const char *key, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "a recipe has no key “%s”; did you mean “%s”?", key,
                   sonde_recipe_nearest_key (key));
  return FALSE;
}

static gboolean
set_field (SondeRecipe *recipe, const SondeRecipeRow *row, const char *value, GError **error)
{
  /* Room for a field of any kind: the old one stays until the new one is known to be right. */
  union
  {
    void *pointer;
    guint64 count;
    double number;
    SondeSampleCount samples;
  } fresh = { 0 };
  void *field = field_of (recipe, row);

  if (!row->kind->parse (row, value, &fresh))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "%s = “%s” is not understood; allowed is %-s", row->name, value,
                       sonde_recipe_row_get_allowed (row));
      return FALSE;
    }
  if (row->kind->clear != NULL)
    row->kind->clear (field);
  row->kind->copy (&fresh, field);
  if (row->kind->clear != NULL)
    row->kind->clear (&fresh);
  return TRUE;
}

static gboolean
check_length (const SondeRecipe *recipe, GError **error)
{
  if ((recipe->train_epochs == 0) != (recipe->train_steps == 0))
    return TRUE;
  if (recipe->train_epochs == 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "train.epochs = “0” is not understood; allowed is 1 or more, or give "
                     "train.steps");
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "train.epochs and train.steps are both given; leave one of them out");
  return FALSE;
}

/* The length of a training stands in two keys: the one set last counts. */
static gboolean
set_length (SondeRecipe *recipe, const SondeRecipeRow *row, const char *value, GError **error)
{
  SondeRecipe before = *recipe;
  guint64 *other = g_str_equal (row->key, "steps") ? &recipe->train_epochs : &recipe->train_steps;

  if (!set_field (recipe, row, value, error))
    return FALSE;
  if (*(guint64 *) field_of (recipe, row) != 0)
    *other = 0;
  if (check_length (recipe, error))
    return TRUE;
  recipe->train_epochs = before.train_epochs;
  recipe->train_steps = before.train_steps;
  return FALSE;
}

static gboolean
is_length (const SondeRecipeRow *row)
{
  return g_str_equal (row->name, "train.epochs") || g_str_equal (row->name, "train.steps");
}

gboolean
sonde_recipe_set (SondeRecipe *recipe, const char *key, const char *value, GError **error)
{
  const SondeRecipeRow *row = sonde_recipe_find_row (key);

  if (row == NULL)
    return refuse_key (key, error);
  return is_length (row) ? set_length (recipe, row, value, error)
                         : set_field (recipe, row, value, error);
}

gboolean
sonde_recipe_set_assignment (SondeRecipe *recipe, const char *assignment, GError **error)
{
  const char *equals = strchr (assignment, '=');
  g_autofree char *key = NULL;
  g_autofree char *value = NULL;

  if (equals == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s” sets nothing; write section.key=value", assignment);
      return FALSE;
    }
  key = g_strstrip (g_strndup (assignment, (gsize) (equals - assignment)));
  value = g_strstrip (g_strdup (equals + 1));
  return sonde_recipe_set (recipe, key, value, error);
}

char *
sonde_recipe_dup_value (const SondeRecipe *recipe, const char *key)
{
  const SondeRecipeRow *row = sonde_recipe_find_row (key);

  return row != NULL ? row->kind->format (row, field_of_const (recipe, row)) : NULL;
}

char *
sonde_recipe_to_text (const SondeRecipe *recipe)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();

  for (gsize i = 0; i < sonde_recipe_n_rows; i++)
    {
      const SondeRecipeRow *row = &sonde_recipe_rows[i];
      g_autofree char *value = row->kind->format (row, field_of_const (recipe, row));

      g_key_file_set_string (file, row->section, row->key, value);
    }
  return g_key_file_to_data (file, NULL, NULL);
}

/* Of the two keys that say how long a training is, one counts and the other is 0. */
static gboolean
is_idle_length (const SondeRecipe *recipe, const SondeRecipeRow *row)
{
  return is_length (row) && *(const guint64 *) field_of_const (recipe, row) == 0;
}

const char **
sonde_recipe_list_changes (const SondeRecipe *recipe)
{
  g_autoptr (SondeRecipe) usual = sonde_recipe_new_default ();
  GPtrArray *names = g_ptr_array_new ();

  for (gsize i = 0; i < sonde_recipe_n_rows; i++)
    {
      const SondeRecipeRow *row = &sonde_recipe_rows[i];
      g_autofree char *value = row->kind->format (row, field_of_const (recipe, row)),
                      *other = row->kind->format (row, field_of_const (usual, row));

      if (!g_str_equal (value, other) && !is_idle_length (recipe, row))
        g_ptr_array_add (names, (gpointer) row->name);
    }
  g_ptr_array_add (names, NULL);
  return (const char **) g_ptr_array_free (names, FALSE);
}

char *
sonde_recipe_to_brief_text (const SondeRecipe *recipe)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree const char **changes = sonde_recipe_list_changes (recipe);

  for (gsize i = 0; i < sonde_recipe_n_rows; i++)
    {
      const SondeRecipeRow *row = &sonde_recipe_rows[i];
      g_autofree char *value = NULL;

      if (!g_strv_contains (changes, row->name) && !g_str_equal (row->name, "model.name")
          && !g_str_equal (row->name, "data.source"))
        continue;
      value = row->kind->format (row, field_of_const (recipe, row));
      g_key_file_set_string (file, row->section, row->key, value);
    }
  return g_key_file_to_data (file, NULL, NULL);
}

/* Loading */

/* The line, from 1, of a key (or, with NULL, of a section head); GKeyFile does not tell. */
static int
line_of (const char *text, const char *section, const char *key)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree char *head = g_strdup_printf ("[%s]", section);
  gboolean inside = FALSE;
  int found = 0;

  for (int i = 0; lines[i] != NULL; i++)
    {
      char *line = g_strstrip (lines[i]);
      char *equals = strchr (line, '=');

      if (line[0] == '[')
        inside = g_str_equal (line, head);
      if (inside && key == NULL)
        return i + 1;
      if (!inside || line[0] == '#' || line[0] == '[' || equals == NULL)
        continue;
      *equals = '\0';
      if (g_str_equal (g_strchomp (line), key))
        found = i + 1; /* the last one counts, as for GKeyFile */
    }
  return found;
}

static gboolean
load_key (SondeRecipe *recipe, GKeyFile *file, const char *section, const char *key, GError **error)
{
  g_autofree char *full = g_strdup_printf ("%s.%s", section, key);
  const SondeRecipeRow *row = sonde_recipe_find_row (full);
  g_autoptr (GError) reason = NULL;
  g_autofree char *value = NULL;

  if (row == NULL)
    return refuse_key (full, error);
  value = g_key_file_get_string (file, section, key, &reason);
  if (reason != NULL) /* GLib hands out a value even then */
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, "%s: %s", full,
                       reason->message);
      return FALSE;
    }
  return set_field (recipe, row, g_strstrip (value), error);
}

static gboolean
is_section (const char *section)
{
  for (gsize i = 0; i < sonde_recipe_n_rows; i++)
    {
      if (g_str_equal (sonde_recipe_rows[i].section, section))
        return TRUE;
    }
  return FALSE;
}

static gboolean
load_section (SondeRecipe *recipe, GKeyFile *file, const char *section, const char *text,
              const char *name, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, section, NULL, error);

  for (gsize i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      if (!load_key (recipe, file, section, keys[i], error))
        {
          sonde_prefix_error (error, "“%s”, line %d: ", name, line_of (text, section, keys[i]));
          return FALSE;
        }
    }
  if (keys != NULL && keys[0] == NULL && !is_section (section))
    {
      refuse_key (section, error);
      sonde_prefix_error (error, "“%s”, line %d: ", name, line_of (text, section, NULL));
      return FALSE;
    }
  return keys != NULL;
}

/* A file that gives steps alone has no epochs. */
static void
drop_default_epochs (SondeRecipe *recipe, GKeyFile *file)
{
  if (recipe->train_steps != 0 && !g_key_file_has_key (file, "train", "epochs", NULL))
    recipe->train_epochs = 0;
}

SondeRecipe *
sonde_recipe_parse (const char *text, gsize length, const char *name, GError **error)
{
  g_autoptr (SondeRecipe) recipe = sonde_recipe_new_default ();
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) reason = NULL;
  g_autofree char *terminated = g_strndup (text, length);
  g_auto (GStrv) sections = NULL;

  if (memchr (text, '\0', length) != NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s” is not a recipe: it is not text", name);
      return NULL;
    }
  if (length > 0 && !g_key_file_load_from_data (file, text, length, G_KEY_FILE_NONE, &reason))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s” is not a recipe: %s", name, reason->message);
      return NULL;
    }
  sections = g_key_file_get_groups (file, NULL);
  for (gsize i = 0; sections[i] != NULL; i++)
    {
      if (!load_section (recipe, file, sections[i], terminated, name, error))
        return NULL;
    }
  drop_default_epochs (recipe, file);
  if (!check_length (recipe, error))
    {
      sonde_prefix_error (error, "“%s”, line %d: ", name, line_of (terminated, "train", "epochs"));
      return NULL;
    }
  return g_steal_pointer (&recipe);
}

SondeRecipe *
sonde_recipe_load (const SondeIo *io, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, MAX_RECIPE_BYTES, error);

  if (bytes == NULL)
    return NULL;
  return sonde_recipe_parse (g_bytes_get_size (bytes) > 0 ? g_bytes_get_data (bytes, NULL) : "",
                             g_bytes_get_size (bytes), path, error);
}
