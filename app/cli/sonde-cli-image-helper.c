/* SPDX-License-Identifier: Apache-2.0
 * `sonde image-helper`: decodes images for another Sonde process, within limits. Not for users. */
#include "app/cli/sonde-cli.h"
#include "data/base/sonde-text.h"
#include "data/images/sonde-image-decoder.h"

static int
run_image_helper (const SondeCliCommand *command, int argc, char **argv)
{
  /* The socket is its standard input. */
  return sonde_image_helper_run (0);
}

const SondeCliCommand sonde_cli_command_image_helper = {
  .name = "image-helper",
  .synopsis = "",
  .summary = N_ ("Decode images for another Sonde process."),
  .run = run_image_helper,
  .hidden = TRUE,
};
