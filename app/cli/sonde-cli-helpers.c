/* SPDX-License-Identifier: Apache-2.0
 * `sonde hdf5-helper`, `sonde image-helper`, `sonde sound-helper`: decode files for another Sonde
 * process, within limits. Not for users. */
#include "app/cli/sonde-cli.h"
#include "data/base/sonde-text.h"
#include "data/hdf5/sonde-hdf5.h"
#include "data/images/sonde-image-decoder.h"
#include "data/sound/sonde-sound-decoder.h"

#define SOCKET 0 /* standard input */

static int
run_hdf5_helper (const SondeCliCommand *command, int argc, char **argv)
{
  return sonde_hdf5_helper_run (SOCKET);
}

static int
run_image_helper (const SondeCliCommand *command, int argc, char **argv)
{
  return sonde_image_helper_run (SOCKET);
}

static int
run_sound_helper (const SondeCliCommand *command, int argc, char **argv)
{
  return sonde_sound_helper_run (SOCKET);
}

const SondeCliCommand sonde_cli_command_hdf5_helper = {
  .name = "hdf5-helper",
  .synopsis = "",
  .summary = N_ ("Read HDF5 files for another Sonde process."),
  .run = run_hdf5_helper,
  .hidden = TRUE,
};

const SondeCliCommand sonde_cli_command_image_helper = {
  .name = "image-helper",
  .synopsis = "",
  .summary = N_ ("Decode images for another Sonde process."),
  .run = run_image_helper,
  .hidden = TRUE,
};

const SondeCliCommand sonde_cli_command_sound_helper = {
  .name = "sound-helper",
  .synopsis = "",
  .summary = N_ ("Decode sounds for another Sonde process."),
  .run = run_sound_helper,
  .hidden = TRUE,
};
