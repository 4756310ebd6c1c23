/* SPDX-License-Identifier: Apache-2.0
 * Messages as ids and arguments. Formats are taken apart here, once: the only place that reads
 * conversions of printf. */
#include "data/base/sonde-message.h"

#include <stddef.h>
#include <string.h>

#include "data/base/sonde-message-nest.h"
#include "data/base/sonde-text.h"

typedef struct
{
  char *id;
  char **arguments;
} Part;

struct _SondeMessage
{
  GPtrArray *parts;     /* of Part */
  char *english, *text; /* of the getters; NULL until they are asked; atomic */
};

/* "%-5.*lf" → position 0 (none), width and precision by an argument?, length "l", conversion 'f'. */
typedef struct
{
  const char *start, *end; /* from the % to behind the conversion's letter */
  guint position;          /* n of %n$s, 0 without */
  guint n_stars;           /* arguments before the value */
  gboolean is_message;     /* %-s */
  char length;             /* 'h', 'l', 'q' (ll), 'z', 'j', 't', 'L', or 0 */
  char letter;             /* '%' for %%, 0 at the end of a damaged format */
} Conversion;

static void
part_free (gpointer data)
{
  Part *part = data;

  g_free (part->id);
  g_strfreev (part->arguments);
  g_free (part);
}

static Part *
part_new (const char *id, char **arguments)
{
  Part *part = g_new (Part, 1);

  part->id = g_strdup (id);
  part->arguments = arguments;
  return part;
}

static const char *
skip_number (const char *text, guint *n_stars)
{
  if (*text == '*')
    {
      (*n_stars)++;
      return text + 1;
    }
  return text + strspn (text, "0123456789");
}

static const char *
read_position (const char *text, guint *position)
{
  gsize digits = strspn (text, "0123456789");

  if (digits == 0 || digits > 4 || text[digits] != '$')
    return text;
  *position = (guint) g_ascii_strtoull (text, NULL, 10);
  return text + digits + 1;
}

static const char *
read_length (const char *text, char *length)
{
  if (*text == '\0' || strchr ("hlzjtL", *text) == NULL)
    return text;
  *length = *text;
  if (text[1] != *text)
    return text + 1;
  *length = *text == 'l' ? 'q' : 'h';
  return text + 2;
}

/* The next conversion at or behind @text; FALSE when there is none. */
static gboolean
find_conversion (const char *text, Conversion *conversion)
{
  const char *flags;

  *conversion = (Conversion){ .start = strchr (text, '%') };
  if (conversion->start == NULL)
    return FALSE;
  flags = read_position (conversion->start + 1, &conversion->position);
  text = flags + strspn (flags, "-+ #0'");
  conversion->is_message = text == flags + 1 && *flags == '-' && *text == 's';
  text = skip_number (text, &conversion->n_stars);
  if (*text == '.')
    text = skip_number (text + 1, &conversion->n_stars);
  text = read_length (text, &conversion->length);
  conversion->letter = *text;
  conversion->end = *text != '\0' ? text + 1 : text;
  return TRUE;
}

static void
skip_integer (char length, va_list *arguments)
{
  if (length == 'l')
    (void) va_arg (*arguments, long);
  else if (length == 'q')
    (void) va_arg (*arguments, long long);
  else if (length == 'z')
    (void) va_arg (*arguments, size_t);
  else if (length == 'j')
    (void) va_arg (*arguments, intmax_t);
  else if (length == 't')
    (void) va_arg (*arguments, ptrdiff_t);
  else
    (void) va_arg (*arguments, int);
}

/* Steps @arguments over what @conversion takes. */
static void
skip_arguments (const Conversion *conversion, va_list *arguments)
{
  for (guint i = 0; i < conversion->n_stars; i++)
    (void) va_arg (*arguments, int);
  if (strchr ("sp", conversion->letter) != NULL)
    (void) va_arg (*arguments, void *);
  else if (strchr ("eEfFgGaA", conversion->letter) == NULL)
    skip_integer (conversion->length, arguments);
  else if (conversion->length == 'L')
    (void) va_arg (*arguments, long double);
  else
    (void) va_arg (*arguments, double);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* The text of one conversion; the compiler has checked the whole format where the message is made. */
static char *
dup_argument (const Conversion *conversion, va_list *arguments)
{
  g_autofree char *format
      = g_strndup (conversion->start, (gsize) (conversion->end - conversion->start));
  va_list copy;
  char *text;

  va_copy (copy, *arguments);
  text = g_strdup_vprintf (format, copy);
  va_end (copy);
  return text;
}
#pragma GCC diagnostic pop

static Part *
part_new_va (const char *format, va_list arguments)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  Conversion conversion;
  va_list rest;

  va_copy (rest, arguments);
  for (const char *text = format; find_conversion (text, &conversion); text = conversion.end)
    {
      g_autofree char *argument = NULL;

      if (conversion.letter == '%')
        continue;
      /* A bug of ours, which the compiler reports, too. */
      g_assert (conversion.letter != '\0' && strchr ("nm", conversion.letter) == NULL
                && conversion.position == 0);
      argument = dup_argument (&conversion, &rest);
      skip_arguments (&conversion, &rest);
      g_strv_builder_add (builder, argument);
    }
  va_end (rest);
  return part_new (format, g_strv_builder_end (builder));
}

/* ---- messages in arguments ----------------------------------------------- */

/* BEGIN id (SEPARATOR argument)* END; an argument may be such a text itself. */
#define NEST_BEGIN '\002'
#define NEST_SEPARATOR '\037'
#define NEST_END '\003'

/* What would be taken for the form; what a %-s takes has it already. */
static void
append_nested_argument (GString *out, const char *argument)
{
  g_autofree char *plain = g_strdup (argument);

  if (*argument != NEST_BEGIN)
    g_strdelimit (plain, "\002\037\003", ' ');
  g_string_append_c (out, NEST_SEPARATOR);
  g_string_append (out, plain);
}

char *
sonde_message_nest (const char *format, ...)
{
  GString *out = g_string_new (NULL);
  va_list arguments;
  Part *part;

  va_start (arguments, format);
  part = part_new_va (format, arguments);
  va_end (arguments);
  g_string_append_printf (out, "%c%s", NEST_BEGIN, part->id);
  for (gsize i = 0; part->arguments[i] != NULL; i++)
    append_nested_argument (out, part->arguments[i]);
  g_string_append_c (out, NEST_END);
  part_free (part);
  return g_string_free (out, FALSE);
}

/* Takes apart the outermost form. FALSE: it is damaged, or its id could repeat an argument without
 * end. */
static gboolean
unnest (const char *text, Part *part)
{
  g_autoptr (GStrvBuilder) pieces = g_strv_builder_new ();
  const char *start = text + 1, *at;
  guint depth = 0, n = 0;

  for (at = start; *at != '\0' && !(*at == NEST_END && depth == 0); at++)
    if (*at == NEST_SEPARATOR && depth == 0)
      {
        g_autofree char *piece = g_strndup (start, (gsize) (at - start));

        if (n++ == 0)
          part->id = g_steal_pointer (&piece);
        else
          g_strv_builder_add (pieces, piece);
        start = at + 1;
      }
    else
      depth = depth + (*at == NEST_BEGIN) - (*at == NEST_END);
  if (*at != NEST_END || at[1] != '\0')
    return FALSE;
  if (n == 0)
    part->id = g_strndup (start, (gsize) (at - start));
  else
    {
      g_autofree char *piece = g_strndup (start, (gsize) (at - start));

      g_strv_builder_add (pieces, piece);
    }
  part->arguments = g_strv_builder_end (pieces);
  return !sonde_message_id_names_positions (part->id);
}

/* It is about to change. */
static void
forget_texts (SondeMessage *message)
{
  g_clear_pointer (&message->english, g_free);
  g_clear_pointer (&message->text, g_free);
}

SondeMessage *
sonde_message_new_empty (void)
{
  SondeMessage *message = g_new0 (SondeMessage, 1);

  message->parts = g_ptr_array_new_with_free_func (part_free);
  return message;
}

SondeMessage *
sonde_message_new_va (const char *format, va_list arguments)
{
  SondeMessage *message = sonde_message_new_empty ();

  g_ptr_array_add (message->parts, part_new_va (format, arguments));
  return message;
}

SondeMessage *
sonde_message_new (const char *format, ...)
{
  SondeMessage *message;
  va_list arguments;

  va_start (arguments, format);
  message = sonde_message_new_va (format, arguments);
  va_end (arguments);
  return message;
}

SondeMessage *
sonde_message_new_text (const char *text)
{
  SondeMessage *message = sonde_message_new_empty ();

  sonde_message_append_text (message, text);
  return message;
}

SondeMessage *
sonde_message_copy (const SondeMessage *message)
{
  SondeMessage *copy = NULL;

  if (message != NULL)
    {
      copy = sonde_message_new_empty ();
      sonde_message_append (copy, message);
    }
  return copy;
}

void
sonde_message_free (SondeMessage *message)
{
  if (message == NULL)
    return;
  g_ptr_array_unref (message->parts);
  forget_texts (message);
  g_free (message);
}

void
sonde_message_prepend_va (SondeMessage *message, const char *format, va_list arguments)
{
  forget_texts (message);
  g_ptr_array_insert (message->parts, 0, part_new_va (format, arguments));
}

void
sonde_message_prepend (SondeMessage *message, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_message_prepend_va (message, format, arguments);
  va_end (arguments);
}

void
sonde_message_append (SondeMessage *message, const SondeMessage *tail)
{
  for (guint i = 0; i < tail->parts->len; i++)
    {
      const Part *part = tail->parts->pdata[i];

      sonde_message_add_part (message, part->id, (const char *const *) part->arguments);
    }
}

void
sonde_message_append_format (SondeMessage *message, const char *format, ...)
{
  va_list arguments;

  forget_texts (message);
  va_start (arguments, format);
  g_ptr_array_add (message->parts, part_new_va (format, arguments));
  va_end (arguments);
}

void
sonde_message_append_text (SondeMessage *message, const char *text)
{
  sonde_message_add_part (message, "%s", (const char *const[]){ text, NULL });
}

void
sonde_message_add_part (SondeMessage *message, const char *id, const char *const *arguments)
{
  forget_texts (message);
  g_ptr_array_add (message->parts, part_new (id, g_strdupv ((char **) arguments)));
}

gboolean
sonde_message_id_names_positions (const char *id)
{
  for (const char *at = strchr (id, '%'); at != NULL; at = strchr (at + 1, '%'))
    if (at[1 + strspn (at + 1, "0123456789")] == '$')
      return TRUE;
  return FALSE;
}

guint
sonde_message_get_n_parts (const SondeMessage *message)
{
  return message->parts->len;
}

const char *
sonde_message_get_part (const SondeMessage *message, guint part, const char *const **arguments)
{
  const Part *found = message->parts->pdata[part];

  *arguments = (const char *const *) found->arguments;
  return found->id;
}

/* gettext ("") is the head of the catalogue. */
static const char *
translate (const char *id)
{
  return *id != '\0' ? _ (id) : id;
}

/* A word of ours, or one of the C library (errno). */
static const char *
translate_argument (const char *argument)
{
  const char *text = translate (argument);

  return text != argument || *argument == '\0' ? text : g_dgettext ("libc", argument);
}

/* Does the n-th conversion of @id take a message id? A translation cannot change that. */
static gboolean
argument_is_message (const char *id, guint n)
{
  Conversion conversion;
  guint at = 0;

  for (const char *text = id; find_conversion (text, &conversion); text = conversion.end)
    if (conversion.letter != '%' && at++ == n)
      return conversion.is_message;
  return FALSE;
}

static void append_part (GString *out, const Part *part, gboolean translated, guint depth);

/* The argument of a %-s: an id, or a message that was nested. */
static void
append_words (GString *out, const char *argument, gboolean translated, guint depth)
{
  Part part = { NULL, NULL };

  if (*argument != NEST_BEGIN)
    g_string_append (out, translated ? translate_argument (argument) : argument);
  else if (depth < SONDE_MESSAGE_MAX_NESTING && unnest (argument, &part))
    append_part (out, &part, translated, depth + 1);
  g_free (part.id);
  g_strfreev (part.arguments);
}

static void
append_part (GString *out, const Part *part, gboolean translated, guint depth)
{
  const char *format
      = translated && !g_str_equal (part->id, "%s") ? translate (part->id) : part->id;
  guint n_arguments = g_strv_length (part->arguments), next = 0;
  Conversion conversion;
  const char *text;

  for (text = format; find_conversion (text, &conversion); text = conversion.end)
    {
      guint n;

      g_string_append_len (out, text, conversion.start - text);
      if (conversion.letter == '%' || conversion.letter == '\0')
        {
          g_string_append_c (out, '%');
          continue;
        }
      n = conversion.position > 0 ? conversion.position - 1 : next++;
      if (n < n_arguments && argument_is_message (part->id, n))
        append_words (out, part->arguments[n], translated, depth);
      else if (n < n_arguments)
        g_string_append (out, part->arguments[n]);
    }
  g_string_append (out, text);
}

static char *
dup_rendered (const SondeMessage *message, gboolean translated)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < message->parts->len; i++)
    append_part (out, message->parts->pdata[i], translated, 0);
  return g_string_free (out, FALSE);
}

char *
sonde_message_dup_english (const SondeMessage *message)
{
  return dup_rendered (message, FALSE);
}

char *
sonde_message_dup_text (const SondeMessage *message)
{
  return dup_rendered (message, TRUE);
}

/* What is kept in @place, made when it is asked for first. */
static const char *
get_rendered (const SondeMessage *message, char **place, gboolean translated)
{
  char *kept = g_atomic_pointer_get (place), *made;

  if (kept != NULL)
    return kept;
  made = dup_rendered (message, translated);
  if (g_atomic_pointer_compare_and_exchange (place, NULL, made))
    return made;
  g_free (made);
  return g_atomic_pointer_get (place);
}

const char *
sonde_message_get_english (const SondeMessage *message)
{
  return message != NULL ? get_rendered (message, &((SondeMessage *) message)->english, FALSE)
                         : NULL;
}

const char *
sonde_message_get_text (const SondeMessage *message)
{
  return message != NULL ? get_rendered (message, &((SondeMessage *) message)->text, TRUE) : NULL;
}

const char *
sonde_message_describe_errno (int number)
{
  const char *text = strerrordesc_np (number);

  return text != NULL ? text : N_ ("Unknown error");
}
