/* SPDX-License-Identifier: Apache-2.0
 * SIGSTOP and a clock. */
#include "tests/support/sonde-test-silence.h"

#include <signal.h>
#include <sys/wait.h>

#include "engine/session/client/sonde-session-client-private.h"

#define SECOND G_GINT64_CONSTANT (1000000000)

static gint64
read_clock (const SondeClock *clock)
{
  return atomic_load (&((SondeTestSilence *) clock)->now);
}

static gboolean
was_asked (SondeSessionClient *client)
{
  gboolean asked;

  pthread_mutex_lock (&client->lock);
  asked = client->monitor.pinged_ns != 0;
  pthread_mutex_unlock (&client->lock);
  return asked;
}

void
sonde_test_silence_begin (SondeTestSilence *silence, SondeSessionClient *client)
{
  int pid = sonde_session_client_get_pid (client), status = 0;

  silence->clock = (SondeClock){ read_clock, read_clock };
  atomic_init (&silence->now, 100 * SECOND);
  silence->client = g_object_ref (client);
  g_assert_cmpint (kill (pid, SIGSTOP), ==, 0);
  g_assert_cmpint (waitpid (pid, &status, WUNTRACED), ==, pid);
  g_assert_true (WIFSTOPPED (status));
  sonde_session_client_set_clock (client, &silence->clock);
  /* What it had said before may still be on its way, and counts as an answer. */
  while (!was_asked (client))
    {
      atomic_fetch_add (&silence->now, 3 * SECOND);
      sonde_session_client_wake (client);
      g_thread_yield ();
    }
  atomic_fetch_add (&silence->now, 4 * SECOND);
  sonde_session_client_wake (client);
}

void
sonde_test_silence_end (SondeTestSilence *silence)
{
  g_assert_cmpint (kill (sonde_session_client_get_pid (silence->client), SIGCONT), ==, 0);
}

void
sonde_test_silence_clear (SondeTestSilence *silence)
{
  sonde_session_client_set_clock (silence->client, NULL);
  g_clear_object (&silence->client);
}
