/* SPDX-License-Identifier: Apache-2.0
 * Commands that look at values. */
#include "app/front/sonde-front-private.h"

#include <string.h>

/* ---- print, stats, save -------------------------------------------------- */

void
sonde_front_answer_tensor (SondeFront *front, SondeFrontAnswer *answer,
                           const SondeSessionReply *reply)
{
  g_autofree char *shape = sonde_shape_to_string (&reply->shape);

  if (front->options.json)
    {
      sonde_json_text_string (&answer->json, "name", reply->name);
      sonde_json_text_string (&answer->json, "dtype", sonde_dtype_name (reply->dtype));
      sonde_json_text_shape (&answer->json, "shape", &reply->shape);
      sonde_json_text_tensor (&answer->json, "data", reply->tensor);
      return;
    }
  g_string_append_printf (answer->text, "%s: %s %s\n", reply->name, sonde_dtype_name (reply->dtype),
                          shape);
  sonde_front_append_tensor (answer->text, reply->tensor);
}

/* The whole argument, with a sentence when there is none. */
static char *
parse_value (const char *arguments, GError **error)
{
  if (*arguments != '\0')
    return g_strdup (arguments);
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Which value? info values lists them.");
  return NULL;
}

gboolean
sonde_front_run_print (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                       GError **error)
{
  g_autofree char *value = parse_value (arguments, error);
  g_autoptr (SondeSessionReply) reply = NULL;

  if (value == NULL)
    return FALSE;
  reply = sonde_front_look (front, value, SONDE_SESSION_WANT_TENSOR, NULL, error);
  if (reply == NULL)
    return FALSE;
  sonde_front_answer_tensor (front, answer, reply);
  return TRUE;
}

void
sonde_front_json_statistics (SondeJsonText *json, const SondeStatistics *statistics)
{
  sonde_json_text_int (json, "count", statistics->count);
  sonde_json_text_double (json, "min", statistics->min);
  sonde_json_text_double (json, "max", statistics->max);
  sonde_json_text_double (json, "mean", statistics->mean);
  sonde_json_text_double (json, "std", statistics->std);
  sonde_json_text_double (json, "abs_mean", statistics->abs_mean);
  sonde_json_text_int (json, "zeros", statistics->zeros);
  sonde_json_text_int (json, "negatives", statistics->negatives);
  sonde_json_text_int (json, "nan", statistics->nan);
  sonde_json_text_int (json, "pos_inf", statistics->pos_inf);
  sonde_json_text_int (json, "neg_inf", statistics->neg_inf);
}

static void
json_statistics (SondeJsonText *json, const SondeSessionReply *reply)
{
  sonde_json_text_string (json, "name", reply->name);
  sonde_json_text_string (json, "dtype", sonde_dtype_name (reply->dtype));
  sonde_json_text_shape (json, "shape", &reply->shape);
  sonde_front_json_statistics (json, &reply->statistics);
}

static void
text_statistics (GString *text, const SondeSessionReply *reply)
{
  const SondeStatistics *statistics = &reply->statistics;
  g_autofree char *shape = sonde_shape_to_string (&reply->shape);

  g_string_append_printf (text, "%s: %s %s, %" G_GINT64_FORMAT " elements\n", reply->name,
                          sonde_dtype_name (reply->dtype), shape, statistics->count);
  g_string_append_printf (text, "  min %.6g  max %.6g  mean %.6g  std %.6g  abs_mean %.6g\n",
                          statistics->min, statistics->max, statistics->mean, statistics->std,
                          statistics->abs_mean);
  g_string_append_printf (text,
                          "  zeros %" G_GINT64_FORMAT "  negatives %" G_GINT64_FORMAT
                          "  nan %" G_GINT64_FORMAT "  pos_inf %" G_GINT64_FORMAT
                          "  neg_inf %" G_GINT64_FORMAT "\n",
                          statistics->zeros, statistics->negatives, statistics->nan,
                          statistics->pos_inf, statistics->neg_inf);
}

gboolean
sonde_front_run_stats (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                       GError **error)
{
  g_autofree char *value = parse_value (arguments, error);
  g_autoptr (SondeSessionReply) reply = NULL;

  if (value == NULL)
    return FALSE;
  reply = sonde_front_look (front, value, SONDE_SESSION_WANT_STATISTICS, NULL, error);
  if (reply == NULL)
    return FALSE;
  if (front->options.json)
    json_statistics (&answer->json, reply);
  else
    text_statistics (answer->text, reply);
  return TRUE;
}

gboolean
sonde_front_run_save (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  g_autofree char *file = NULL;
  g_autofree char *before = sonde_front_split_last (arguments, &file);
  g_autofree char *path = NULL;
  g_autoptr (SondeSessionReply) reply = NULL;

  if (before == NULL || !g_str_has_suffix (file, ".npy"))
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Give a value and a file that ends in .npy: save VALUE FILE.npy.");
      return FALSE;
    }
  path = g_canonicalize_filename (file, NULL); /* the engine may be in another folder */
  reply = sonde_front_look (front, before, SONDE_SESSION_WANT_SAVED, path, error);
  if (reply == NULL)
    return FALSE;
  if (front->options.json)
    {
      sonde_json_text_string (&answer->json, "name", reply->name);
      sonde_json_text_string (&answer->json, "file", file);
      sonde_json_text_string (&answer->json, "dtype", sonde_dtype_name (reply->dtype));
      sonde_json_text_shape (&answer->json, "shape", &reply->shape);
    }
  else
    g_string_append_printf (answer->text, "%s -> %s\n", reply->name, file);
  return TRUE;
}

/* ---- display ------------------------------------------------------------- */

static void
answer_display (SondeFront *front, SondeFrontAnswer *answer, guint number, const char *expression)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_front_look (front, expression, SONDE_SESSION_WANT_TENSOR, NULL, &error);

  if (!front->options.json)
    {
      g_string_append_printf (answer->text, "%u: ", number);
      if (reply != NULL)
        sonde_front_answer_tensor (front, answer, reply);
      else
        g_string_append_printf (answer->text, "%s: %s\n", expression, error->message);
      return;
    }
  sonde_json_text_begin_object (&answer->json, NULL);
  sonde_json_text_uint (&answer->json, "number", number);
  sonde_json_text_string (&answer->json, "expression", expression);
  if (reply != NULL)
    sonde_front_answer_tensor (front, answer, reply);
  else
    sonde_json_text_string (&answer->json, "error", error->message);
  sonde_json_text_end_object (&answer->json);
}

void
sonde_front_answer_displays (SondeFront *front, SondeFrontAnswer *answer)
{
  if (front->displays->len == 0)
    return;
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "display");
  for (guint i = 0; i < front->displays->len; i++)
    if (g_ptr_array_index (front->displays, i) != NULL)
      answer_display (front, answer, i + 1, g_ptr_array_index (front->displays, i));
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
}

gboolean
sonde_front_run_display (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                         GError **error)
{
  if (*arguments != '\0')
    g_ptr_array_add (front->displays, sonde_front_dup_expression (arguments));
  sonde_front_answer_displays (front, answer);
  return TRUE;
}

gboolean
sonde_front_run_undisplay (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                           GError **error)
{
  guint64 number = 0;

  if (*arguments != '\0' && !sonde_front_parse_number (arguments, 1, "display", &number, error))
    return FALSE;
  if (number > front->displays->len)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "There is no display %" G_GUINT64_FORMAT ".", number);
      return FALSE;
    }
  if (number == 0)
    g_ptr_array_set_size (front->displays, 0);
  else
    g_clear_pointer (&front->displays->pdata[number - 1], g_free);
  return TRUE;
}
