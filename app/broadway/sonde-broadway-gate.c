/* SPDX-License-Identifier: Apache-2.0 */
#include "app/broadway/sonde-broadway-gate.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include <gio/gunixsocketaddress.h>

#include "data/base/sonde-text.h"

#define MAX_HEAD (16 << 10)
#define HEAD_TIMEOUT_SECONDS 10
#define MAX_CONNECTIONS 64
#define TOKEN_BYTES 16

/* Freed with its service, which the threads of its connections hold. */
struct _SondeBroadwayGate
{
  GSocketService *service; /* not referenced: the gate's owner has it */
  GCancellable *cancellable;
  char *backend;
  guint16 port;
  char token[2 * TOKEN_BYTES + 1];
};

/* ---- who may in ---------------------------------------------------------- */

/* As long for a wrong token as for a right one. */
static gboolean
is_token (const SondeBroadwayGate *gate, const char *text)
{
  guint8 difference = 0;

  if (strlen (text) < 2 * TOKEN_BYTES)
    return FALSE;
  for (gsize i = 0; i < 2 * TOKEN_BYTES; i++)
    difference |= (guint8) text[i] ^ (guint8) gate->token[i];
  return difference == 0;
}

static gboolean
has_token (const SondeBroadwayGate *gate, const char *head)
{
  static const char first[] = "GET /?token=";

  return g_str_has_prefix (head, first) && is_token (gate, head + strlen (first));
}

static char *
dup_cookie_name (const SondeBroadwayGate *gate)
{
  return g_strdup_printf ("sonde-%u=", gate->port); /* cookies are not kept apart by port */
}

/* A cookie is only sent by a page of this host; another site's page that connects here has none of
 * it, since it is given as SameSite=Strict. */
static gboolean
has_cookie (const SondeBroadwayGate *gate, const char *head)
{
  g_auto (GStrv) lines = g_strsplit (head, "\r\n", -1);
  g_autofree char *name = dup_cookie_name (gate);

  for (gsize i = 1; lines[0] != NULL && lines[i] != NULL; i++)
    {
      const char *value;

      if (g_ascii_strncasecmp (lines[i], "Cookie:", 7) != 0)
        continue;
      value = strstr (lines[i], name);
      if (value != NULL && is_token (gate, value + strlen (name)))
        return TRUE;
    }
  return FALSE;
}

/* ---- a connection -------------------------------------------------------- */

static gboolean
send_text (GSocket *socket, const char *text, gsize length)
{
  while (length > 0)
    {
      gssize n = g_socket_send (socket, text, length, NULL, NULL);

      if (n <= 0)
        return FALSE;
      text += n;
      length -= (gsize) n;
    }
  return TRUE;
}

static void
send_cookie (const SondeBroadwayGate *gate, GSocket *client)
{
  g_autofree char *name = dup_cookie_name (gate);
  g_autofree char *answer
      = g_strdup_printf ("HTTP/1.1 303 See Other\r\nLocation: /\r\nSet-Cookie: %s%s; Path=/; "
                         "HttpOnly; SameSite=Strict\r\nReferrer-Policy: no-referrer\r\n"
                         "Content-Length: 0\r\nConnection: close\r\n\r\n",
                         name, gate->token);

  send_text (client, answer, strlen (answer));
}

static void
send_refusal (GSocket *client)
{
  static const char answer[] = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n"
                               "Connection: close\r\n\r\n"
                               "Open the address that sonde --broadway printed, with its token.\n";

  send_text (client, answer, strlen (answer));
}

/* Until the empty line. @head: of MAX_HEAD + 1 bytes. Returns: how many there are; 0: too long, or
 * over before. */
static gsize
receive_head (GSocket *client, char *head, GCancellable *cancellable)
{
  gsize n = 0;

  while (n < MAX_HEAD)
    {
      gssize more = g_socket_receive (client, head + n, MAX_HEAD - n, cancellable, NULL);

      if (more <= 0)
        return 0;
      n += (gsize) more;
      head[n] = '\0';
      if (strstr (head, "\r\n\r\n") != NULL)
        return n;
    }
  return 0;
}

/* FALSE: one of the two ends. */
static gboolean
pass (GSocket *from, GSocket *to)
{
  char bytes[16 << 10];
  gssize n = g_socket_receive (from, bytes, sizeof bytes, NULL, NULL);

  return n > 0 && send_text (to, bytes, (gsize) n);
}

static void
pass_both_ways (GSocket *client, GSocket *display, GCancellable *cancellable)
{
  GPollFD polls[3]
      = { { g_socket_get_fd (client), G_IO_IN, 0 }, { g_socket_get_fd (display), G_IO_IN, 0 } };
  const guint n = g_cancellable_make_pollfd (cancellable, &polls[2]) ? 3 : 2;
  gboolean open = TRUE;

  while (open && !g_cancellable_is_cancelled (cancellable))
    {
      if (g_poll (polls, n, -1) < 0 && errno != EINTR)
        break;
      if (polls[0].revents != 0)
        open = pass (client, display);
      if (open && polls[1].revents != 0)
        open = pass (display, client);
    }
  if (n == 3)
    g_cancellable_release_fd (cancellable);
}

static void
serve (SondeBroadwayGate *gate, GSocket *client, const char *head, gsize length)
{
  g_autoptr (GSocketClient) connector = g_socket_client_new ();
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (gate->backend);
  g_autoptr (GSocketConnection) display = g_socket_client_connect (
      connector, G_SOCKET_CONNECTABLE (address), gate->cancellable, NULL);
  GSocket *socket;

  if (display == NULL)
    return;
  socket = g_socket_connection_get_socket (display);
  g_socket_set_timeout (client, 0);
  if (send_text (socket, head, length))
    pass_both_ways (client, socket, gate->cancellable);
}

static gboolean
on_connection (GThreadedSocketService *service, GSocketConnection *connection, GObject *source,
               SondeBroadwayGate *gate)
{
  GSocket *client = g_socket_connection_get_socket (connection);
  g_autofree char *head = g_malloc (MAX_HEAD + 1);
  gsize length;

  g_socket_set_timeout (client, HEAD_TIMEOUT_SECONDS);
  length = receive_head (client, head, gate->cancellable);
  if (length == 0)
    return TRUE;
  if (has_cookie (gate, head))
    serve (gate, client, head, length);
  else if (has_token (gate, head))
    send_cookie (gate, client);
  else
    send_refusal (client);
  return TRUE;
}

/* ---- gate ---------------------------------------------------------------- */

static gboolean
make_token (SondeBroadwayGate *gate, GError **error)
{
  guint8 bytes[TOKEN_BYTES];

  if (getrandom (bytes, sizeof bytes, 0) != sizeof bytes)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
                   _ ("The system gives no random numbers: %s"), g_strerror (errno));
      return FALSE;
    }
  for (gsize i = 0; i < sizeof bytes; i++)
    g_snprintf (gate->token + 2 * i, 3, "%02x", bytes[i]);
  return TRUE;
}

static gboolean
listen_on (SondeBroadwayGate *gate, guint16 port, GError **error)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (loopback, port);
  g_autoptr (GSocketAddress) bound = NULL;

  if (!g_socket_listener_add_address (G_SOCKET_LISTENER (gate->service), address,
                                      G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &bound,
                                      error))
    return FALSE;
  gate->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
  return TRUE;
}

static void
gate_destroy (gpointer data, GClosure *closure)
{
  SondeBroadwayGate *gate = data;

  g_object_unref (gate->cancellable);
  g_free (gate->backend);
  g_free (gate);
}

SondeBroadwayGate *
sonde_broadway_gate_new (guint16 port, const char *backend, GError **error)
{
  SondeBroadwayGate *gate = g_new0 (SondeBroadwayGate, 1);

  gate->backend = g_strdup (backend);
  gate->cancellable = g_cancellable_new ();
  gate->service = g_threaded_socket_service_new (MAX_CONNECTIONS);
  g_signal_connect_data (gate->service, "run", G_CALLBACK (on_connection), gate, gate_destroy, 0);
  if (make_token (gate, error) && listen_on (gate, port, error))
    return gate;
  sonde_broadway_gate_free (gate);
  return NULL;
}

void
sonde_broadway_gate_free (SondeBroadwayGate *gate)
{
  if (gate == NULL)
    return;
  g_socket_service_stop (gate->service);
  g_socket_listener_close (G_SOCKET_LISTENER (gate->service));
  g_cancellable_cancel (gate->cancellable);
  g_object_unref (gate->service);
}

guint16
sonde_broadway_gate_get_port (SondeBroadwayGate *gate)
{
  return gate->port;
}

const char *
sonde_broadway_gate_get_token (SondeBroadwayGate *gate)
{
  return gate->token;
}
