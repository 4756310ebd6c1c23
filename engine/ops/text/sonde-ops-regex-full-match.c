/* SPDX-License-Identifier: Apache-2.0
 * RegexFullMatch. The standard's syntax is RE2's; GRegex takes nearly all of it. What differs is
 * rewritten: \d, \w, \s stand for ASCII only, and $ is the very end. A pattern may not make the
 * matcher search without end: RE2 has no such patterns, here the number of its steps is limited. */
#include "engine/ops/text/sonde-string-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <string.h>

#define MOST_PATTERN 65536
#define LIMITS "(*LIMIT_MATCH=1000000)"

#define invalid(error, ...)                                                                        \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, __VA_ARGS__), FALSE)

/* ASCII classes: what they are in RE2, alone and in brackets. */
static const struct
{
  char letter;
  const char *alone, *inside;
} classes[] = {
  { 'd', "[0-9]", "0-9" },
  { 'D', "[^0-9]", NULL },
  { 'w', "[0-9A-Za-z_]", "0-9A-Za-z_" },
  { 'W', "[^0-9A-Za-z_]", NULL },
  { 's', "[\\t\\n\\f\\r ]", "\\t\\n\\f\\r " },
  { 'S', "[^\\t\\n\\f\\r ]", NULL },
};

static const char *
class_text (char letter, gboolean inside)
{
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    if (classes[i].letter == letter)
      return inside ? classes[i].inside : classes[i].alone;
  return NULL;
}

/* RE2's pattern as GRegex's. */
static char *
translate (const char *pattern)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean quoted = FALSE, inside = FALSE;

  for (const char *p = pattern; *p != '\0'; p++)
    {
      if (*p == '\\' && p[1] != '\0')
        {
          const char *other = quoted ? NULL : class_text (p[1], inside);

          quoted = quoted ? p[1] != 'E' : p[1] == 'Q' && !inside;
          if (other != NULL)
            g_string_append (text, other);
          else
            g_string_append_len (text, p, 2);
          p++;
          continue;
        }
      if (!quoted && !inside && *p == '[')
        {
          /* A bracket that closes at once is a letter of the class. */
          inside = TRUE;
          g_string_append_c (text, *p);
          if (p[1] == '^')
            g_string_append_c (text, *++p);
          if (p[1] == ']')
            g_string_append (text, "\\]"), p++;
          continue;
        }
      if (!quoted && inside && *p == '[' && p[1] == ':')
        {
          const char *end = strstr (p + 2, ":]");

          if (end != NULL)
            {
              g_string_append_len (text, p, end + 2 - p);
              p = end + 1;
              continue;
            }
        }
      if (!quoted && *p == ']')
        inside = FALSE;
      g_string_append_c (text, *p);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static GRegex *
compile (const SondeNode *node, GError **error)
{
  const char *pattern = sonde_node_get_string (node, "pattern", "");
  GRegexCompileFlags flags = G_REGEX_DOLLAR_ENDONLY | G_REGEX_NO_AUTO_CAPTURE;
  g_autofree char *plain = NULL, *whole = NULL;
  g_autoptr (GRegex) alone = NULL;
  g_autoptr (GError) reason = NULL;

  if (strlen (pattern) > MOST_PATTERN || !g_utf8_validate (pattern, -1, NULL))
    {
      (void) sonde_infer_fail (error, "the pattern is longer than %d bytes, or not UTF-8",
                               MOST_PATTERN);
      return NULL;
    }
  plain = translate (pattern);
  whole = g_strconcat (LIMITS "\\A(?:", plain, ")\\z", NULL);
  /* Alone first: "a)(b" is right only between our brackets. */
  alone = g_regex_new (plain, flags, 0, &reason);
  if (alone == NULL)
    {
      (void) sonde_infer_fail (error, "the pattern “%s” is wrong: %s", pattern, reason->message);
      return NULL;
    }
  return g_regex_new (whole, flags, 0, error);
}

static gboolean
infer_match (SondeInferContext *context, GError **error)
{
  g_autoptr (GRegex) regex = compile (context->node, error);

  if (regex == NULL || !sonde_infer_need_string (context, 0, error))
    return FALSE;
  context->outputs[0] = context->inputs[0];
  if (context->inputs[0].kind == SONDE_VALUE_TENSOR)
    context->outputs[0].dtype = SONDE_DTYPE_BOOL;
  return TRUE;
}

static gboolean
compute_match (const SondeValueContext *context, GError **error)
{
  g_autoptr (SondeTensor) y = sonde_kernel_new_output (context, infer_match, 0, error);
  g_autoptr (GRegex) regex = y ? compile (context->node, error) : NULL;
  SondeTensor *x = sonde_value_get_tensor (context->inputs[0]);

  if (regex == NULL)
    return FALSE;
  for (gint64 i = 0; i < sonde_tensor_n_elements (x); i++)
    {
      const char *text = sonde_text_at (x, i);
      g_autoptr (GError) reason = NULL;

      y->data[i] = g_utf8_validate (text, -1, NULL)
                   && g_regex_match_full (regex, text, -1, 0, 0, NULL, &reason);
      if (reason != NULL)
        return invalid (error, "string %" PRIi64 " takes the pattern too long: %s", i,
                        reason->message);
    }
  sonde_kernel_give (context, 0, y);
  return TRUE;
}

static const SondeAttributeRule match_rules[] = { { "pattern", SONDE_ATTRIBUTE_STRING }, { NULL } };

const SondeOpClass sonde_ops_regex_full_match[] = {
  {
      .domain = "",
      .name = "RegexFullMatch",
      .since = 20,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_DATA,
      .flags = SONDE_OP_DYNAMIC,
      .attributes = match_rules,
      .infer = infer_match,
      .compute_values = compute_match,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
