/* SPDX-License-Identifier: Apache-2.0
 * `sonde engine --fd N`: the child that computes for a window, REPL or DAP client. Not for
 * people. */
#include <fcntl.h>

#include "app/cli/sonde-cli-locale.h"
#include "app/cli/sonde-cli.h"
#include "app/worker/sonde-worker-host.h"
#include "engine/session/activity/sonde-session-serve.h"

static int
run_engine (const SondeCliCommand *command, int argc, char **argv)
{
  int fd = -1, status = SONDE_EXIT_DONE;
  const GOptionEntry entries[] = {
    { "fd", 0, 0, G_OPTION_ARG_INT, &fd, N_ ("Connected Unix socket of the client"), "N" },
    { NULL },
  };
  SondeSessionServerOptions options = { .client_lost = SONDE_CLIENT_LOST_QUIT, .listen = TRUE };
  g_auto (GStrv) operands = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeWorkerHost) host = NULL;
  g_autoptr (SondeSessionServer) server = NULL;
  g_autofree char *program = sonde_cli_dup_program ();

  sonde_cli_stop_translation ();
  if (!sonde_cli_parse (command, argc, argv, entries, 0, 0, &operands, &status))
    return status;
  if (fd < 0 || fcntl (fd, F_GETFD) < 0)
    return sonde_cli_misuse (command,
                             "--fd must name an open socket; this command is for internal use.");
  fcntl (fd, F_SETFD, FD_CLOEXEC);
  host = sonde_worker_host_new (program);
  options.host = sonde_worker_host_get_session_host (host);
  server = sonde_session_server_new (&options, &error);
  if (server == NULL || !sonde_session_server_add_fd (server, fd, &error))
    return sonde_cli_fail (command, error);
  sonde_worker_host_set_server (host, server);
  if (sonde_session_server_serve (server, NULL, FALSE, &error) == SONDE_SESSION_FAILED
      || error != NULL)
    return sonde_cli_fail (command, error);
  return SONDE_EXIT_DONE;
}

const SondeCliCommand sonde_cli_command_engine = {
  .name = "engine",
  .synopsis = "--fd N",
  .summary = N_ ("Compute for another Sonde process."),
  .run = run_engine,
  .computes = TRUE,
  .hidden = TRUE,
};
