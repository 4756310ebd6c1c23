/* SPDX-License-Identifier: Apache-2.0 */
#include "data/hdf5/sonde-hdf5-library-private.h"

#include <dlfcn.h>

#define LIBRARY "libhdf5_serial.so.103"

static SondeHdf5Library library;
static gboolean loaded;

static gboolean
find_functions (void *handle)
{
#define FIND(name)                                                                                 \
  if ((library.name = dlsym (handle, #name)) == NULL)                                              \
    return FALSE;
  SONDE_HDF5_FUNCTIONS (FIND)
#undef FIND
  library.file_access = dlsym (handle, "H5P_CLS_FILE_ACCESS_ID_g");
  return library.file_access != NULL;
}

/* Plugins would be code from elsewhere, and what goes wrong is told by us. */
void
sonde_hdf5_load_library (void)
{
  void *handle = NULL;

  g_setenv ("HDF5_PLUGIN_PRELOAD", "::", TRUE);
  handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  loaded = handle != NULL && find_functions (handle) && library.H5open () >= 0
           && library.H5Eset_auto2 (H5E_DEFAULT, NULL, NULL) >= 0;
}

const SondeHdf5Library *
sonde_hdf5_get_library (void)
{
  return loaded ? &library : NULL;
}
