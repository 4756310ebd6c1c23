/* SPDX-License-Identifier: Apache-2.0
 * HDF5 files of others -> groups, texts and arrays. libhdf5 never runs in the program that holds the
 * user's data: a limited helper process looks at the file and says where things are. What does not live
 * here: what the groups mean. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

typedef struct _SondeHdf5 SondeHdf5;
typedef struct _SondeHdf5Object SondeHdf5Object; /* a group or a dataset */

/* "\211HDF\r\n\032\n", at the beginning: files with a block of the user's in front are not read. */
gboolean sonde_hdf5_sniff (const guint8 *start, gsize length);

/**
 * sonde_hdf5_read:
 * @bytes: a whole file; a reference is taken
 * @name: for messages
 *
 * The helper is the running program, or the one that the environment variable SONDE_PROGRAM names
 * (tests, examples), started as `sonde hdf5-helper` for this file.
 * Errors: DAMAGED (also when the helper dies of it), LIMIT (768 MiB, 100,000 objects, 64 groups inside
 * each other, 512 MiB unpacked, a second and a further one for every 64 MiB), UNSUPPORTED (links that
 * lead away, data in other files, filters other than deflate, shuffle and fletcher32), NOT_FOUND
 * without libhdf5, IO when the helper cannot be started.
 */
SondeHdf5 *sonde_hdf5_read (GBytes *bytes, const char *name, GError **error);
void sonde_hdf5_free (SondeHdf5 *file); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeHdf5, sonde_hdf5_free)

/* In the order of the file's names, groups in front of what they hold. Lent. */
guint sonde_hdf5_get_n_objects (const SondeHdf5 *file);
const SondeHdf5Object *sonde_hdf5_get_object (const SondeHdf5 *file, guint index);
/* @path: "/model_weights/dense"; "/" is the root. (nullable) */
const SondeHdf5Object *sonde_hdf5_find (const SondeHdf5 *file, const char *path);

const char *sonde_hdf5_object_get_path (const SondeHdf5Object *object);
gboolean sonde_hdf5_object_is_dataset (const SondeHdf5Object *object);

/* The texts of an attribute; NULL when there is none of that name that holds texts. Lent. */
const char *const *sonde_hdf5_object_get_texts (const SondeHdf5Object *object, const char *name);
/* The first of them. (nullable) */
const char *sonde_hdf5_object_get_text (const SondeHdf5Object *object, const char *name);

/**
 * sonde_hdf5_read_tensor:
 *
 * Bytes that lie in the file as we have them are not copied: the tensor keeps the file's.
 * Errors: UNSUPPORTED (no numbers), DAMAGED (the file ends before its last element).
 */
SondeTensor *sonde_hdf5_read_tensor (const SondeHdf5 *file, const SondeHdf5Object *dataset,
                                     GError **error);

/* The helper's main loop on socket @fd until its end; sets its own limits first. Returns the exit
 * status. In the library hdf5_helper only. */
int sonde_hdf5_helper_run (int fd);

G_END_DECLS
