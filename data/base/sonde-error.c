/* SPDX-License-Identifier: Apache-2.0
 * Errors with a message that can be translated, the error domain of data/ and its mapping from
 * errno. */
#include "data/base/sonde-error.h"

#include <errno.h>
#include <string.h>

/* Extended errors of GLib: this lies in front of a GError of our domains. */
typedef struct
{
  SondeMessage *message; /* NULL: made by g_set_error() */
  char *text;            /* in the user's language; NULL until it is asked for */
} Details;

#define MAX_DOMAINS 8

static GQuark domains[MAX_DOMAINS];
static int n_domains; /* atomic; a domain is entered before it is counted */

static gboolean
is_ours (const GError *error)
{
  int count = g_atomic_int_get (&n_domains);

  for (int i = 0; i < count; i++)
    if (domains[i] == error->domain)
      return TRUE;
  return FALSE;
}

/* The distance that G_DEFINE_EXTENDED_ERROR takes; that macro cannot serve several domains. */
static Details *
get_details (const GError *error)
{
  const gsize alignment = 2 * sizeof (gsize);
  const gsize size = (sizeof (Details) + alignment - 1) & ~(alignment - 1);

  return (Details *) (gpointer) ((guint8 *) error - size);
}

static void
init_details (GError *error)
{
  *get_details (error) = (Details){ NULL };
}

static void
copy_details (const GError *from, GError *to)
{
  *get_details (to) = (Details){ .message = sonde_message_copy (get_details (from)->message) };
}

static void
clear_details (GError *error)
{
  g_clear_pointer (&get_details (error)->message, sonde_message_free);
  g_clear_pointer (&get_details (error)->text, g_free);
}

/* Of two libraries in one program that both hold this code, the second has domains by other names:
 * details of one are nothing to the other. (transfer full) */
static char *
dup_free_name (const char *name)
{
  return g_quark_try_string (name) == 0 ? g_strdup (name)
                                        : g_strdup_printf ("%s-%p", name, (void *) domains);
}

GQuark
sonde_error_register_domain (const char *name)
{
  static GMutex lock;
  g_autofree char *free_name = dup_free_name (name);
  GQuark domain = g_error_domain_register (free_name, sizeof (Details), init_details, copy_details,
                                           clear_details);

  g_mutex_lock (&lock);
  g_assert (n_domains < MAX_DOMAINS);
  domains[n_domains] = domain;
  g_atomic_int_inc (&n_domains);
  g_mutex_unlock (&lock);
  return domain;
}

GQuark
sonde_data_error_quark (void)
{
  static gsize quark;

  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, sonde_error_register_domain ("sonde-data-error-quark"));
  return (GQuark) quark;
}

/* Takes @message. */
static GError *
make_error (GQuark domain, int code, SondeMessage *message)
{
  g_autofree char *english = sonde_message_dup_english (message);
  GError *error = g_error_new_literal (domain, code, english);

  if (is_ours (error))
    get_details (error)->message = message;
  else
    sonde_message_free (message);
  return error;
}

void
sonde_set_error_message (GError **error, GQuark domain, int code, SondeMessage *message)
{
  if (error != NULL)
    g_propagate_error (error, make_error (domain, code, message));
  else
    sonde_message_free (message);
}

void
sonde_set_error_va (GError **error, GQuark domain, int code, const char *format, va_list arguments)
{
  if (error != NULL)
    g_propagate_error (error, make_error (domain, code, sonde_message_new_va (format, arguments)));
}

void
sonde_set_error (GError **error, GQuark domain, int code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_set_error_va (error, domain, code, format, arguments);
  va_end (arguments);
}

/* What g_prefix_error() put in front of @english, the text of an error's message; -1 where that is not
 * in the error at all. */
static gssize
get_prefix_length (const GError *error, const char *english)
{
  return g_str_has_suffix (error->message, english)
             ? (gssize) (strlen (error->message) - strlen (english))
             : -1;
}

SondeMessage *
sonde_error_dup_message (const GError *error)
{
  const SondeMessage *own = sonde_error_get_message (error);
  SondeMessage *message = sonde_message_new_empty ();
  g_autofree char *english = own != NULL ? sonde_message_dup_english (own) : NULL;
  gssize prefix = own != NULL ? get_prefix_length (error, english) : -1;

  if (prefix < 0)
    sonde_message_append_text (message, error->message);
  else if (prefix > 0)
    {
      g_autofree char *text = g_strndup (error->message, (gsize) prefix);

      sonde_message_append_text (message, text);
    }
  if (prefix >= 0)
    sonde_message_append (message, own);
  return message;
}

/* What @cause says, as parts behind those of @message. */
static void
append_cause (SondeMessage *message, const GError *cause)
{
  g_autoptr (SondeMessage) tail = sonde_error_dup_message (cause);

  sonde_message_append (message, tail);
}

void
sonde_set_error_from (GError **error, GQuark domain, int code, const GError *cause)
{
  SondeMessage *message = sonde_message_new_empty ();

  append_cause (message, cause);
  sonde_set_error_message (error, domain, code, message);
}

void
sonde_set_error_because (GError **error, GQuark domain, int code, const GError *cause,
                         const char *format, ...)
{
  SondeMessage *message;
  va_list arguments;

  if (error == NULL)
    return;
  va_start (arguments, format);
  message = sonde_message_new_va (format, arguments);
  va_end (arguments);
  append_cause (message, cause);
  sonde_set_error_message (error, domain, code, message);
}

void
sonde_prefix_error (GError **error, const char *format, ...)
{
  va_list arguments;

  if (error == NULL || *error == NULL)
    return;
  va_start (arguments, format);
  if (is_ours (*error))
    {
      SondeMessage *message = sonde_error_dup_message (*error);

      sonde_message_prepend_va (message, format, arguments);
      sonde_message_free (get_details (*error)->message);
      get_details (*error)->message = message;
      g_clear_pointer (&get_details (*error)->text, g_free);
      g_free ((*error)->message);
      (*error)->message = sonde_message_dup_english (message);
    }
  else
    {
      g_autoptr (SondeMessage) message = sonde_message_new_va (format, arguments);
      g_autofree char *prefix = sonde_message_dup_english (message);

      g_prefix_error_literal (error, prefix);
    }
  va_end (arguments);
}

const SondeMessage *
sonde_error_get_message (const GError *error)
{
  return is_ours (error) ? get_details (error)->message : NULL;
}

const char *
sonde_error_get_text (const GError *error)
{
  Details *details = is_ours (error) ? get_details (error) : NULL;
  g_autofree char *english = NULL, *text = NULL;
  gssize prefix;

  if (details == NULL || details->message == NULL)
    return error->message;
  /* g_prefix_error() changes the message alone: what it put in front stays English. */
  english = sonde_message_dup_english (details->message);
  prefix = get_prefix_length (error, english);
  if (prefix < 0)
    return error->message;
  text = sonde_message_dup_text (details->message);
  g_free (details->text);
  details->text = g_strdup_printf ("%.*s%s", (int) prefix, error->message, text);
  return details->text;
}

static const struct
{
  int number;
  SondeDataError code;
} errno_codes[] = {
  { ENOENT, SONDE_DATA_ERROR_NOT_FOUND }, { ENOSPC, SONDE_DATA_ERROR_NO_SPACE },
  { EDQUOT, SONDE_DATA_ERROR_NO_SPACE },  { EFBIG, SONDE_DATA_ERROR_NO_SPACE },
  { ELOOP, SONDE_DATA_ERROR_FORBIDDEN },  { EXDEV, SONDE_DATA_ERROR_FORBIDDEN },
};

static SondeDataError
code_of_errno (int number)
{
  for (gsize i = 0; i < G_N_ELEMENTS (errno_codes); i++)
    {
      if (errno_codes[i].number == number)
        return errno_codes[i].code;
    }
  return SONDE_DATA_ERROR_IO;
}

void
sonde_data_error_set_errno (GError **error, int error_number, const char *format, ...)
{
  SondeMessage *message;
  va_list arguments;

  if (error == NULL)
    return;
  va_start (arguments, format);
  message = sonde_message_new_va (format, arguments);
  va_end (arguments);
  sonde_message_add_part (
      message, N_ (": %-s"),
      (const char *const[]){ sonde_message_describe_errno (error_number), NULL });
  sonde_set_error_message (error, SONDE_DATA_ERROR, (int) code_of_errno (error_number), message);
}

gboolean
sonde_data_error_is_of_system (const GError *error)
{
  return g_error_matches (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO)
         || g_error_matches (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY);
}
