/* SPDX-License-Identifier: Apache-2.0 */
#include "app/training/sonde-training-command.h"

#include <string.h>

#include <json-glib/json-glib.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"

void
sonde_training_facts_free (SondeTrainingFacts *facts)
{
  if (facts == NULL)
    return;
  g_free (facts->sample);
  g_free (facts->loss);
  g_free (facts);
}

static void
free_entry (gpointer data)
{
  SondeModelEntry *entry = data;

  g_free (entry->name);
  g_free (entry->description);
  g_free (entry->input);
  g_free (entry->loss);
  g_free (entry);
}

/* ---- the child ----------------------------------------------------------- */

/* How what it wrote is read; @data is the object. NULL with @error. */
typedef gpointer (*ReadFunc) (JsonObject *object, GError **error);

typedef struct
{
  ReadFunc read;
  GDestroyNotify free;
} Question;

char *
sonde_training_command_dup_reason (const char *text)
{
  static const char beginning[] = "sonde train: ";
  const char *last = strstr (text, beginning), *next;

  if (last == NULL)
    return g_strstrip (g_strdup (text));
  while ((next = strstr (last + 1, beginning)) != NULL)
    last = next;
  return g_strstrip (g_strdup (last + strlen (beginning)));
}

static gpointer
read_answer (const Question *question, const char *text, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;

  if (!json_parser_load_from_data (parser, text, -1, error))
    return NULL;
  root = json_parser_get_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    return question->read (json_node_get_object (root), error);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "“sonde train” gave an answer that is not understood.");
  return NULL;
}

static void
on_answered (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GSubprocess *child = G_SUBPROCESS (source);
  const Question *question = g_task_get_task_data (task);
  g_autofree char *out = NULL, *said = NULL, *reason = NULL;
  GError *error = NULL;
  gpointer answer = NULL;

  if (!g_subprocess_communicate_utf8_finish (child, result, &out, &said, &error))
    g_subprocess_force_exit (child); /* cancelled */
  else if (!g_subprocess_get_successful (child))
    {
      reason = sonde_training_command_dup_reason (said);
      g_set_error_literal (&error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                           *reason != '\0' ? reason
                                           : _ ("The program that checks the recipe has ended."));
    }
  else
    answer = read_answer (question, out, &error);
  if (answer != NULL)
    g_task_return_pointer (task, answer, question->free);
  else
    g_task_return_error (task, error);
}

/* Takes @task. */
static void
ask (char **arguments, GTask *task, ReadFunc read, GDestroyNotify free_answer)
{
  GCancellable *cancellable = g_task_get_cancellable (task);
  Question *question = g_new (Question, 1);
  g_autoptr (GSubprocess) child = NULL;
  GError *error = NULL;

  *question = (Question){ read, free_answer };
  g_task_set_task_data (task, question, g_free);
  child
      = g_subprocess_newv ((const char *const *) arguments,
                           G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);
  if (child != NULL)
    g_subprocess_communicate_utf8_async (child, NULL, cancellable, on_answered, task);
  else
    {
      g_task_return_error (task, error);
      g_object_unref (task);
    }
}

/* ---- the models ---------------------------------------------------------- */

static SondeLabels
find_labels (const char *word)
{
  return g_str_equal (word, "pixels")  ? SONDE_LABELS_PIXELS
         : g_str_equal (word, "input") ? SONDE_LABELS_INPUT
                                       : SONDE_LABELS_CLASS;
}

static char *
dup_string (JsonObject *object, const char *name)
{
  return g_strdup (json_object_get_string_member_with_default (object, name, ""));
}

static gpointer
read_models (JsonObject *object, GError **error)
{
  JsonNode *node = json_object_get_member (object, "models");
  JsonArray *list
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  GPtrArray *entries = g_ptr_array_new_with_free_func (free_entry);

  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      JsonObject *row = json_array_get_object_element (list, i);
      SondeModelEntry *entry = g_new0 (SondeModelEntry, 1);

      entry->name = dup_string (row, "name");
      entry->description = dup_string (row, "description");
      entry->input = dup_string (row, "input");
      entry->loss = dup_string (row, "loss");
      entry->parameters = (guint64) json_object_get_int_member_with_default (row, "parameters", 0);
      entry->flops = json_object_get_double_member_with_default (row, "flops", 0);
      entry->labels
          = find_labels (json_object_get_string_member_with_default (row, "labels", "class"));
      g_ptr_array_add (entries, entry);
    }
  return entries;
}

void
sonde_training_command_list (const char *program, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer data)
{
  const char *arguments[] = { program, "train", "--list", "--json", NULL };
  GTask *task = g_task_new (NULL, cancellable, callback, data);

  g_task_set_source_tag (task, sonde_training_command_list);
  ask ((char **) arguments, task, read_models, (GDestroyNotify) g_ptr_array_unref);
}

GPtrArray *
sonde_training_command_list_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* ---- what it would be ---------------------------------------------------- */

static guint64
get_count (JsonObject *object, const char *name)
{
  return (guint64) MAX (json_object_get_int_member_with_default (object, name, 0), 0);
}

/* "1×28×28" */
static char *
join_sizes (JsonObject *data)
{
  JsonNode *node = json_object_get_member (data, "sample");
  JsonArray *sizes
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  GString *text = g_string_new (NULL);

  for (guint i = 0; sizes != NULL && i < json_array_get_length (sizes); i++)
    g_string_append_printf (text, "%s%" PRIi64, i > 0 ? "×" : "",
                            json_array_get_int_element (sizes, i));
  return g_string_free (text, FALSE);
}

static gpointer
read_facts (JsonObject *object, GError **error)
{
  JsonNode *node = json_object_get_member (object, "data");
  SondeTrainingFacts *facts;
  JsonObject *data;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“sonde train” gave an answer that is not understood.");
      return NULL;
    }
  data = json_node_get_object (node);
  facts = g_new0 (SondeTrainingFacts, 1);
  facts->parameters = get_count (object, "parameters");
  facts->trainable = get_count (object, "trainable");
  facts->flops = json_object_get_double_member_with_default (object, "flops", 0);
  facts->steps_per_epoch = get_count (object, "steps_per_epoch");
  facts->steps = get_count (object, "steps");
  facts->bytes = get_count (object, "planned_bytes");
  facts->loss = dup_string (object, "loss");
  facts->n_train = get_count (data, "train");
  facts->n_test = get_count (data, "test");
  facts->n_classes = get_count (data, "classes");
  facts->sample = join_sizes (data);
  return facts;
}

char **
sonde_training_command_new (const char *program, const SondeRecipe *recipe,
                            const char *const *options)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree const char **changes = sonde_recipe_list_changes (recipe);

  g_strv_builder_add_many (words, program, "train", NULL);
  for (gsize i = 0; changes[i] != NULL; i++)
    {
      g_autofree char *value = sonde_recipe_dup_value (recipe, changes[i]);
      g_autofree char *assignment = g_strdup_printf ("%s=%s", changes[i], value);

      if (!g_str_equal (changes[i], "model.name"))
        g_strv_builder_add_many (words, "--set", assignment, NULL);
    }
  if (options != NULL)
    g_strv_builder_addv (words, (const char **) options);
  g_strv_builder_add (words, recipe->model_name);
  return g_strv_builder_end (words);
}

void
sonde_training_command_check (const char *program, const SondeRecipe *recipe,
                              GCancellable *cancellable, GAsyncReadyCallback callback,
                              gpointer data)
{
  static const char *const options[] = { "--dry-run", "--json", NULL };
  g_auto (GStrv) arguments = sonde_training_command_new (program, recipe, options);
  GTask *task = g_task_new (NULL, cancellable, callback, data);

  g_task_set_source_tag (task, sonde_training_command_check);
  ask (arguments, task, read_facts, (GDestroyNotify) sonde_training_facts_free);
}

SondeTrainingFacts *
sonde_training_command_check_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
