/* SPDX-License-Identifier: Apache-2.0 */
#include "app/worker/models/sonde-weight-match.h"

#include <string.h>

#include "data/base/sonde-error.h"

#define NAMES_SHOWN 8

/* ---- the report ---------------------------------------------------------- */

static void
free_pair (gpointer data)
{
  SondeWeightPair *pair = data;

  g_free (pair->parameter);
  g_free (pair->tensor);
  g_free (pair);
}

void
sonde_weight_report_free (SondeWeightReport *report)
{
  if (report == NULL)
    return;
  g_free (report->file);
  g_ptr_array_unref (report->pairs);
  g_ptr_array_unref (report->missing);
  g_ptr_array_unref (report->unused);
  g_ptr_array_unref (report->misshapen);
  g_free (report);
}

static SondeWeightReport *
report_new (const char *file)
{
  SondeWeightReport *report = g_new0 (SondeWeightReport, 1);

  report->file = g_strdup (file);
  report->pairs = g_ptr_array_new_with_free_func (free_pair);
  report->missing = g_ptr_array_new_with_free_func (g_free);
  report->unused = g_ptr_array_new_with_free_func (g_free);
  report->misshapen = g_ptr_array_new_with_free_func (g_free);
  return report;
}

guint
sonde_weight_report_count (const SondeWeightReport *report, SondeWeightBy by)
{
  guint n = 0;

  for (guint i = 0; i < report->pairs->len; i++)
    n += ((SondeWeightPair *) report->pairs->pdata[i])->by == by;
  return n;
}

/* @id: with one conversion, for the names */
static void
add_names (SondeMessage *message, const char *id, const GPtrArray *names)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (names->len == 0)
    return;
  for (guint i = 0; i < MIN (names->len, NAMES_SHOWN); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", (const char *) names->pdata[i]);
  if (names->len > NAMES_SHOWN)
    g_string_append_printf (text, ", … (+%u)", names->len - NAMES_SHOWN);
  sonde_message_add_part (message, id, (const char *const[]){ text->str, NULL });
}

SondeMessage *
sonde_weight_report_to_message (const SondeWeightReport *report)
{
  SondeMessage *message
      = sonde_message_new ("Weights from “%s”: %u by name, %u by shape.", report->file,
                           sonde_weight_report_count (report, SONDE_WEIGHT_BY_NAME),
                           sonde_weight_report_count (report, SONDE_WEIGHT_BY_SHAPE));

  add_names (message, N_ (" Not used: %s."), report->unused);
  return message;
}

SondeNamedTensors *
sonde_weight_report_rename (const SondeWeightReport *report, const SondeNamedTensors *tensors,
                            gboolean all)
{
  SondeNamedTensors *renamed = sonde_named_tensors_new ();
  g_autoptr (GHashTable) taken = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < report->pairs->len; i++)
    {
      const SondeWeightPair *pair = report->pairs->pdata[i];

      g_hash_table_add (taken, pair->tensor);
      sonde_named_tensors_set (renamed, pair->parameter,
                               sonde_named_tensors_lookup (tensors, pair->tensor));
    }
  for (gsize i = 0; all && i < sonde_named_tensors_get_size (tensors); i++)
    {
      const char *name = sonde_named_tensors_get_name (tensors, i);

      if (!g_hash_table_contains (taken, name)
          && sonde_named_tensors_lookup (renamed, name) == NULL)
        sonde_named_tensors_set (renamed, name, sonde_named_tensors_get_tensor (tensors, i));
    }
  return renamed;
}

/* ---- names --------------------------------------------------------------- */

static const struct
{
  const char *from, *to;
} endings[SONDE_WEIGHT_TURNS] = {
  { ".gamma", ".weight" },
  { ".weight", ".gamma" },
  { ".beta", ".bias" },
  { ".bias", ".beta" },
  { ".moving_mean", ".running_mean" },
  { ".running_mean", ".moving_mean" },
  { ".moving_variance", ".running_var" },
  { ".running_var", ".moving_variance" },
};

char *
sonde_weight_dup_other_name (const char *name, guint turn)
{
  g_autofree char *stem = NULL;

  if (!g_str_has_suffix (name, endings[turn].from))
    return NULL;
  stem = g_strndup (name, strlen (name) - strlen (endings[turn].from));
  return g_strconcat (stem, endings[turn].to, NULL);
}

gboolean
sonde_weight_is_passed_over (const char *name)
{
  return g_str_has_prefix (name, "training-") || g_str_has_prefix (name, "state(")
         || g_str_has_suffix (name, ".num_batches_tracked");
}

/* With “.” for every separator, and without TensorFlow's number of an output. (transfer full) */
static char *
normalise (const char *name)
{
  char *text = g_strdup (name);

  if (g_str_has_suffix (text, ":0"))
    text[strlen (text) - 2] = '\0';
  return g_strdelimit (text, "/:", '.');
}

/* ---- both sides ---------------------------------------------------------- */

/* A parameter of the model, or a tensor of the file. @key: normalised name; @is_taken: has its other
 * side, or cannot have one */
typedef struct
{
  const char *name;
  char *key;
  SondeTensor *tensor;
  gboolean is_taken, is_needed;
  guint other; /* position, of a parameter that is taken by a tensor; G_MAXUINT: none */
  SondeWeightBy by;
} Side;

static void
clear_side (gpointer data)
{
  g_free (((Side *) data)->key);
}

static GArray *
sides_new (void)
{
  GArray *sides = g_array_new (FALSE, FALSE, sizeof (Side));

  g_array_set_clear_func (sides, clear_side);
  return sides;
}

static void
add_side (GArray *sides, const char *name, SondeTensor *tensor, gboolean is_needed)
{
  const Side side = { name, normalise (name), tensor, FALSE, is_needed, G_MAXUINT, 0 };

  g_array_append_val (sides, side);
}

static GArray *
list_parameters (const SondeGraph *model)
{
  GArray *sides = sides_new ();

  for (guint i = 0; i < model->values->len; i++)
    {
      const SondeGraphValue *value = model->values->pdata[i];
      SondeTensor *tensor = value != NULL ? sonde_value_get_tensor (value->constant) : NULL;

      if (tensor != NULL
          && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE))
        add_side (sides, value->name, tensor, value->role == SONDE_ROLE_PARAMETER);
    }
  return sides;
}

static GArray *
list_tensors (const SondeNamedTensors *tensors)
{
  GArray *sides = sides_new ();

  for (gsize i = 0; i < sonde_named_tensors_get_size (tensors); i++)
    {
      const char *name = sonde_named_tensors_get_name (tensors, i);

      if (!sonde_weight_is_passed_over (name))
        add_side (sides, name, sonde_named_tensors_get_tensor (tensors, i), FALSE);
    }
  return sides;
}

/* How many bytes all keys begin with, whole words only. */
static gsize
measure_prefix (const GArray *sides)
{
  const char *first = sides->len > 0 ? g_array_index (sides, Side, 0).key : "";
  const char *end = strrchr (first, '.');
  gsize length = end != NULL ? (gsize) (end - first) + 1 : 0;

  for (guint i = 1; i < sides->len; i++)
    {
      const char *key = g_array_index (sides, Side, i).key;
      gsize same = 0, word = 0;

      for (; same < length && key[same] == first[same] && key[same] != '\0'; same++)
        if (first[same] == '.')
          word = same + 1;
      length = word;
    }
  return length;
}

/* ---- matching ------------------------------------------------------------ */

SondeTensor *
sonde_weight_convert (SondeTensor *from, SondeTensor *like)
{
  if (!sonde_shape_equal (&from->shape, &like->shape))
    return NULL;
  if (from->dtype == like->dtype)
    return sonde_tensor_ref (from);
  return sonde_dtype_is_float (from->dtype) && sonde_dtype_is_float (like->dtype)
             ? sonde_tensor_cast (from, like->dtype)
             : NULL;
}

static gboolean
fits (const Side *parameter, const Side *tensor)
{
  return sonde_shape_equal (&parameter->tensor->shape, &tensor->tensor->shape)
         && (parameter->tensor->dtype == tensor->tensor->dtype
             || (sonde_dtype_is_float (parameter->tensor->dtype)
                 && sonde_dtype_is_float (tensor->tensor->dtype)));
}

static void
join (GArray *parameters, guint i, GArray *tensors, guint k, SondeWeightBy by,
      SondeWeightReport *report)
{
  Side *parameter = &g_array_index (parameters, Side, i);
  Side *tensor = &g_array_index (tensors, Side, k);

  parameter->is_taken = tensor->is_taken = TRUE;
  if (fits (parameter, tensor))
    {
      parameter->other = k;
      parameter->by = by;
    }
  else
    {
      g_autofree char *has = sonde_tensor_describe (tensor->tensor);
      g_autofree char *needs = sonde_tensor_describe (parameter->tensor);

      g_ptr_array_add (report->misshapen, g_strdup_printf ("%s (%s in the file, %s in the model)",
                                                           tensor->name, has, needs));
    }
}

/* Positions + 1 of the sides that are not taken, by their keys behind @cut bytes; 0: several are
 * called so. */
static GHashTable *
index_keys (const GArray *sides, gsize cut)
{
  GHashTable *index = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < sides->len; i++)
    {
      const Side *side = &g_array_index (sides, Side, i);
      const char *key = side->key + cut;

      if (!side->is_taken)
        g_hash_table_insert (index, (gpointer) key,
                             GUINT_TO_POINTER (g_hash_table_contains (index, key) ? 0 : i + 1));
    }
  return index;
}

/* The parameter that @key or one of its other names means. Returns: position + 1, or 0 */
static guint
look_up (GHashTable *index, const char *key)
{
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (index, key));

  for (guint turn = 0; found == 0 && turn < SONDE_WEIGHT_TURNS; turn++)
    {
      g_autofree char *other = sonde_weight_dup_other_name (key, turn);

      found = other != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (index, other)) : 0;
    }
  return found;
}

static void
match_names (GArray *parameters, gsize cut, GArray *tensors, gsize cut_of_tensors,
             SondeWeightReport *report)
{
  g_autoptr (GHashTable) index = index_keys (parameters, cut);

  for (guint k = 0; k < tensors->len; k++)
    {
      const Side *tensor = &g_array_index (tensors, Side, k);
      const guint found = tensor->is_taken ? 0 : look_up (index, tensor->key + cut_of_tensors);

      if (found > 0 && !g_array_index (parameters, Side, found - 1).is_taken)
        join (parameters, found - 1, tensors, k, SONDE_WEIGHT_BY_NAME, report);
    }
}

static guint
count_alike (const GArray *sides, const Side *like)
{
  guint n = 0;

  for (guint i = 0; i < sides->len; i++)
    {
      const Side *side = &g_array_index (sides, Side, i);

      n += !side->is_taken && fits (side, like);
    }
  return n;
}

/* What is left, where order decides and nothing is left over. */
static void
match_shapes (GArray *parameters, GArray *tensors, SondeWeightReport *report)
{
  for (guint i = 0; i < parameters->len; i++)
    {
      const Side *parameter = &g_array_index (parameters, Side, i);
      guint k = 0;

      if (parameter->is_taken
          || count_alike (tensors, parameter) != count_alike (parameters, parameter))
        continue;
      while (g_array_index (tensors, Side, k).is_taken
             || !fits (parameter, &g_array_index (tensors, Side, k)))
        k++;
      join (parameters, i, tensors, k, SONDE_WEIGHT_BY_SHAPE, report);
    }
}

static void
match_exact (GArray *parameters, GArray *tensors, SondeWeightReport *report)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < parameters->len; i++)
    g_hash_table_insert (names, (gpointer) g_array_index (parameters, Side, i).name,
                         GUINT_TO_POINTER (i + 1));
  for (guint k = 0; k < tensors->len; k++)
    {
      const guint found
          = GPOINTER_TO_UINT (g_hash_table_lookup (names, g_array_index (tensors, Side, k).name));

      if (found > 0)
        join (parameters, found - 1, tensors, k, SONDE_WEIGHT_BY_NAME, report);
    }
}

static void
tell (const GArray *parameters, const GArray *tensors, SondeWeightReport *report)
{
  for (guint i = 0; i < parameters->len; i++)
    {
      const Side *parameter = &g_array_index (parameters, Side, i);
      SondeWeightPair *pair;

      if (!parameter->is_taken && parameter->is_needed)
        g_ptr_array_add (report->missing, g_strdup (parameter->name));
      if (parameter->other == G_MAXUINT)
        continue;
      pair = g_new (SondeWeightPair, 1);
      *pair = (SondeWeightPair){ g_strdup (parameter->name),
                                 g_strdup (g_array_index (tensors, Side, parameter->other).name),
                                 parameter->by };
      g_ptr_array_add (report->pairs, pair);
    }
  for (guint k = 0; k < tensors->len; k++)
    if (!g_array_index (tensors, Side, k).is_taken)
      g_ptr_array_add (report->unused, g_strdup (g_array_index (tensors, Side, k).name));
}

SondeWeightReport *
sonde_weight_match (const SondeGraph *model, const SondeNamedTensors *tensors, const char *file)
{
  SondeWeightReport *report = report_new (file);
  g_autoptr (GArray) parameters = list_parameters (model), found = list_tensors (tensors);

  match_exact (parameters, found, report);
  match_names (parameters, 0, found, 0, report);
  match_names (parameters, measure_prefix (parameters), found, measure_prefix (found), report);
  match_names (parameters, 0, found, measure_prefix (found), report);
  match_names (parameters, measure_prefix (parameters), found, 0, report);
  match_shapes (parameters, found, report);
  tell (parameters, found, report);
  return report;
}

/* ---- into a model -------------------------------------------------------- */

static void
refuse (const SondeWeightReport *report, GError **error)
{
  SondeMessage *message = sonde_message_new ("“%s” does not match the model.", report->file);

  add_names (message, N_ (" Missing tensors: %s."), report->missing);
  add_names (message, N_ (" Tensors of a different type or shape: %s."), report->misshapen);
  add_names (message, N_ (" Not used: %s."), report->unused);
  sonde_set_error_message (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, message);
}

gboolean
sonde_weight_put_on (SondeGraph *model, const SondeNamedTensors *tensors, const char *file,
                     SondeWeightReport **report, GError **error)
{
  g_autoptr (SondeWeightReport) matched = sonde_weight_match (model, tensors, file);

  if (matched->missing->len + matched->misshapen->len > 0)
    {
      refuse (matched, error);
      return FALSE;
    }
  for (guint i = 0; i < matched->pairs->len; i++)
    {
      const SondeWeightPair *pair = matched->pairs->pdata[i];
      SondeGraphValue *value = sonde_graph_find_value (model, pair->parameter);
      g_autoptr (SondeTensor) fresh
          = sonde_weight_convert (sonde_named_tensors_lookup (tensors, pair->tensor),
                                  sonde_value_get_tensor (value->constant));

      sonde_value_unref (value->constant);
      value->constant = sonde_value_new_tensor (fresh);
    }
  if (report != NULL)
    *report = g_steal_pointer (&matched);
  return TRUE;
}
