/* SPDX-License-Identifier: Apache-2.0
 * The HDF5 helper as a program of its own, for tests that need no whole `sonde`. */
#include "data/hdf5/sonde-hdf5.h"

int
main (void)
{
  return sonde_hdf5_helper_run (0);
}
