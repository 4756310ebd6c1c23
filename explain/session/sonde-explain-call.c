/* SPDX-License-Identifier: Apache-2.0
 * Two tables: what an argument is called and what it is, and which of them a call has. */
#include "explain/session/sonde-explain-call.h"

#include "data/base/sonde-error.h"
#include "explain/session/sonde-preprocessing.h"

/* ---- arguments ----------------------------------------------------------- */

typedef enum
{
  FLAG,
  COUNT,
  CLASS,
  TEXT,
  FILE_NAME, /* absolute: the other process may run in another folder */
  TEXTS,
  COUNTS,
  CLASSES,
  SETTINGS,
  IMAGE, /* a tensor beside the variant, where there is one */
} Kind;

/* Types of variants; NULL: no member of its own. */
static const char *const types[]
    = { [FLAG] = "b",   [COUNT] = "u",   [CLASS] = "x",    [TEXT] = "s",         [FILE_NAME] = "ay",
        [TEXTS] = "as", [COUNTS] = "au", [CLASSES] = "ax", [SETTINGS] = "a{sv}", [IMAGE] = NULL };

/* In the order in which they are read. @optional: may be missing */
typedef struct
{
  const char *key;
  Kind kind;
  gsize offset;
  gboolean optional;
} Argument;

#define ARGUMENT(member) offsetof (SondeExplainArguments, member)

static const Argument the_settings = { "settings", SETTINGS, ARGUMENT (settings), FALSE },
                      keep = { "keep", FLAG, ARGUMENT (keep), FALSE },
                      cache = { "cache", FILE_NAME, ARGUMENT (cache), TRUE },
                      sample = { "sample", COUNT, ARGUMENT (sample), FALSE },
                      in_training = { "in-training", FLAG, ARGUMENT (in_training), FALSE },
                      spec = { "spec", TEXT, ARGUMENT (spec), FALSE },
                      target = { "target", CLASS, ARGUMENT (target), FALSE },
                      samples = { "samples", COUNTS, ARGUMENT (samples), FALSE },
                      targets = { "targets", CLASSES, ARGUMENT (targets), FALSE },
                      nearest = { "k", COUNT, ARGUMENT (k), FALSE },
                      model = { "model", FILE_NAME, ARGUMENT (model), FALSE },
                      path = { "path", FILE_NAME, ARGUMENT (path), FALSE },
                      specs = { "specs", TEXTS, ARGUMENT (specs), FALSE },
                      metrics = { "metrics", TEXT, ARGUMENT (metrics), FALSE },
                      max_samples = { "max-samples", COUNT, ARGUMENT (max_samples), FALSE },
                      image = { "picture", IMAGE, ARGUMENT (image), TRUE };

/* All of them, for clearing. */
static const Argument *const all[]
    = { &the_settings, &cache, &spec, &samples, &targets, &model, &path, &specs, &metrics, &image };

/* ---- calls --------------------------------------------------------------- */

#define MOST_ARGUMENTS 4

/* @open: a session must be open */
static const struct
{
  const char *name;
  const Argument *arguments[MOST_ARGUMENTS + 1];
  const SondeExplainCodec *result;
  gboolean open;
} calls[SONDE_N_EXPLAIN_CALLS] = {
  [SONDE_EXPLAIN_OPEN]
  = { "study.open", { &the_settings, &keep, &cache }, &sonde_explain_info_codec, FALSE },
  [SONDE_EXPLAIN_CLOSE] = { "study.close", { NULL }, &sonde_explain_nothing_codec, FALSE },
  [SONDE_EXPLAIN_INFO] = { "study.facts", { NULL }, &sonde_explain_info_codec, TRUE },
  [SONDE_EXPLAIN_PREPROCESSINGS]
  = { "study.preprocessings", { NULL }, &sonde_preprocessing_trial_codec, TRUE },
  [SONDE_EXPLAIN_PREDICT] = { "study.predict", { NULL }, &sonde_explain_rows_codec, TRUE },
  [SONDE_EXPLAIN_IMAGE]
  = { "study.picture", { &sample, &in_training }, &sonde_explain_image_codec, TRUE },
  [SONDE_EXPLAIN_MAP]
  = { "study.map", { &sample, &spec, &target, &image }, &sonde_explain_map_codec, TRUE },
  [SONDE_EXPLAIN_MAPS]
  = { "study.maps", { &samples, &targets, &spec }, &sonde_explain_maps_codec, TRUE },
  [SONDE_EXPLAIN_INFER]
  = { "study.infer", { &image, &sample }, &sonde_explain_prediction_codec, TRUE },
  [SONDE_EXPLAIN_TRIAGE] = { "study.triage", { NULL }, &sonde_explain_triage_codec, TRUE },
  [SONDE_EXPLAIN_RATE]
  = { "study.rate", { &sample, &spec, &target }, &sonde_explain_rating_codec, TRUE },
  [SONDE_EXPLAIN_COUNTERFACTUAL]
  = { "study.boxes", { &sample, &spec, &target }, &sonde_explain_counterfactual_codec, TRUE },
  [SONDE_EXPLAIN_NEIGHBOURS]
  = { "study.neighbours", { &sample, &nearest }, &sonde_explain_neighbours_codec, TRUE },
  [SONDE_EXPLAIN_COMPARE] = { "study.compare", { &model }, &sonde_explain_rows_codec, TRUE },
  [SONDE_EXPLAIN_SCORES]
  = { "study.scores", { &specs, &metrics, &max_samples }, &sonde_explain_scores_codec, TRUE },
  [SONDE_EXPLAIN_SELF_TEST] = { "study.self-test", { NULL }, &sonde_explain_checks_codec, FALSE },
  [SONDE_EXPLAIN_REPORT]
  = { "study.report", { &path, &specs }, &sonde_explain_nothing_codec, TRUE },
};

const char *
sonde_explain_call_get_name (SondeExplainCall call)
{
  return calls[call].name;
}

SondeExplainCall
sonde_explain_call_from_name (const char *name)
{
  SondeExplainCall call = 0;

  while (call < SONDE_N_EXPLAIN_CALLS && !g_str_equal (calls[call].name, name))
    call++;
  return call;
}

const SondeExplainCodec *
sonde_explain_call_get_codec (SondeExplainCall call)
{
  return calls[call].result;
}

gboolean
sonde_explain_call_needs_session (SondeExplainCall call)
{
  return calls[call].open;
}

/* ---- packing ------------------------------------------------------------- */

static const void *
member_of (const SondeExplainArguments *arguments, const Argument *argument)
{
  return (const guint8 *) arguments + argument->offset;
}

static GVariant *
pack_texts (const char *const *texts)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("as"));

  for (gsize i = 0; texts != NULL && texts[i] != NULL; i++)
    g_variant_builder_add_value (&builder,
                                 g_variant_new_take_string (g_utf8_make_valid (texts[i], -1)));
  return g_variant_builder_end (&builder);
}

static GVariant *
pack_array (const char *element, const GArray *array)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE (element), array->data, array->len,
                                    g_array_get_element_size ((GArray *) array));
}

/* Floating; NULL: left out. */
static GVariant *
pack_argument (const Argument *argument, const void *member)
{
  const void *pointer = argument->kind > CLASS ? *(const void *const *) member : NULL;

  if (pointer == NULL && argument->optional)
    return NULL;
  switch (argument->kind)
    {
    case FLAG:
      return g_variant_new_boolean (*(const gboolean *) member);
    case COUNT:
      return g_variant_new_uint32 (*(const guint *) member);
    case CLASS:
      return g_variant_new_int64 (*(const gint64 *) member);
    case TEXT:
      return g_variant_new_take_string (g_utf8_make_valid (pointer, -1));
    case FILE_NAME:
      return g_variant_new_bytestring (pointer);
    case TEXTS:
      return pack_texts (pointer);
    case COUNTS:
      return pack_array ("u", pointer);
    case CLASSES:
      return pack_array ("x", pointer);
    case SETTINGS:
      return sonde_explain_settings_codec.pack (pointer, NULL);
    case IMAGE:
    default:
      return NULL;
    }
}

GVariant *
sonde_explain_arguments_pack (SondeExplainCall call, const SondeExplainArguments *arguments,
                              GPtrArray *tensors)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (const Argument *const *a = calls[call].arguments; *a != NULL; a++)
    {
      const void *member = member_of (arguments, *a);
      GVariant *value = (*a)->kind != IMAGE ? pack_argument (*a, member) : NULL;

      if (value != NULL)
        g_variant_dict_insert_value (&dict, (*a)->key, value);
      if ((*a)->kind == IMAGE && arguments->image != NULL)
        g_ptr_array_add (tensors, sonde_explain_image_to_tensor (arguments->image));
    }
  return g_variant_dict_end (&dict);
}

/* ---- unpacking ----------------------------------------------------------- */

static GArray *
unpack_array (GVariant *value, guint size)
{
  gsize n = 0;
  const void *elements = g_variant_get_fixed_array (value, &n, size);
  GArray *array = g_array_sized_new (FALSE, FALSE, size, (guint) n);

  return n > 0 ? g_array_append_vals (array, elements, (guint) n) : array;
}

static char *
unpack_file_name (GVariant *value, GError **error)
{
  char *name = g_variant_dup_bytestring (value, NULL);

  if (g_path_is_absolute (name))
    return name;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "“%s” must be an absolute path: the engine may run in another folder.", name);
  g_free (name);
  return NULL;
}

/* Of the kinds that are pointers: (transfer full) */
static void *
unpack_pointer (const Argument *argument, GVariant *value, GError **error)
{
  switch (argument->kind)
    {
    case TEXT:
      return g_variant_dup_string (value, NULL);
    case FILE_NAME:
      return unpack_file_name (value, error);
    case TEXTS:
      return g_variant_dup_strv (value, NULL);
    case COUNTS:
      return unpack_array (value, sizeof (guint32));
    case CLASSES:
      return unpack_array (value, sizeof (gint64));
    default:
      return sonde_explain_settings_codec.unpack (value, NULL, error);
    }
}

static gboolean
unpack_argument (const Argument *argument, GVariant *value, void *member, GError **error)
{
  if (argument->kind <= CLASS)
    g_variant_get (value, types[argument->kind], member);
  else
    *(void **) member = unpack_pointer (argument, value, error);
  return argument->kind <= CLASS || *(void **) member != NULL;
}

gboolean
sonde_explain_arguments_unpack (SondeExplainCall call, GVariant *variant, GPtrArray *tensors,
                                SondeExplainArguments *arguments, GError **error)
{
  *arguments = (SondeExplainArguments){ 0 };
  for (const Argument *const *a = calls[call].arguments; *a != NULL; a++)
    {
      void *member = (guint8 *) arguments + (*a)->offset;
      g_autoptr (GVariant) value = NULL;

      if ((*a)->kind == IMAGE)
        {
          if (tensors != NULL && tensors->len > 0
              && (arguments->image
                  = sonde_explain_image_from_tensor (g_ptr_array_index (tensors, 0), error))
                     == NULL)
            return FALSE;
          continue;
        }
      value = sonde_explain_lookup (variant, (*a)->key, types[(*a)->kind],
                                    (*a)->optional ? NULL : error);
      if (value == NULL && (*a)->optional)
        continue;
      if (value == NULL || !unpack_argument (*a, value, member, error))
        return FALSE;
    }
  return TRUE;
}

static void
clear_argument (Kind kind, void *pointer)
{
  switch (kind)
    {
    case TEXTS:
      g_strfreev (pointer);
      break;
    case COUNTS:
    case CLASSES:
      g_clear_pointer ((GArray **) &pointer, g_array_unref);
      break;
    case SETTINGS:
      sonde_explanation_settings_free (pointer);
      break;
    case IMAGE:
      sonde_image_unref (pointer);
      break;
    default:
      g_free (pointer);
      break;
    }
}

void
sonde_explain_arguments_clear (SondeExplainArguments *arguments)
{
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    clear_argument (all[i]->kind, *(void *const *) member_of (arguments, all[i]));
  *arguments = (SondeExplainArguments){ 0 };
}
