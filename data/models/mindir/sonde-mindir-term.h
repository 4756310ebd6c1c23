/* SPDX-License-Identifier: Apache-2.0
 * What a name of a MindIR function stands for while it is lowered, and one operator with what it is
 * given: what the rows of operators see.
 *
 * An argument is found by its name: files hand arguments over as inputs, as attributes of the node, or
 * of the primitive, by the release that wrote them. */
#pragma once

#include "data/models/lowering/sonde-lowering.h"
#include "data/models/mindir/sonde-mindir-file.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_MINDIR_TERM_NOTHING,  /* a monad, what was left out */
  SONDE_MINDIR_TERM_VALUE,    /* computed */
  SONDE_MINDIR_TERM_CONSTANT, /* of the file */
  SONDE_MINDIR_TERM_TUPLE,
  SONDE_MINDIR_TERM_CLOSURE, /* a function with its first arguments */
  SONDE_MINDIR_TERM_SWITCH,  /* one of two functions */
} SondeMindirTermKind;

/**
 * SondeMindirTerm:
 * @value: of VALUE
 * @constant: of CONSTANT
 * @items: the first @n: of TUPLE; arguments of CLOSURE; condition and two closures of SWITCH
 * @function: @home: of CLOSURE; where names that it does not define itself are looked for
 */
typedef struct _SondeMindirTerm SondeMindirTerm;
struct _SondeMindirTerm
{
  SondeMindirTermKind kind;
  SondeGraphValue *value;
  const SondeMindirValue *constant;
  const SondeMindirTerm **items;
  guint n;
  const SondeMindirFunction *function;
  struct _SondeMindirScope *home;
};

typedef struct _SondeMindirLowering SondeMindirLowering;
typedef struct _SondeMindirCall SondeMindirCall;

/**
 * SondeMindirRow: an operator
 * @primitive: its name in the file
 * @arguments: names of its arguments in the order of inputs, with blanks between
 * @build: returns what it gives; NULL after sonde_mindir_refuse()
 * @text: @number: for @build
 */
typedef struct
{
  const char *primitive;
  const char *arguments;
  const SondeMindirTerm *(*build) (SondeMindirCall *call);
  const char *text;
  int number;
} SondeMindirRow;

/**
 * SondeMindirCall: an operator that is lowered
 * @l: emits
 * @inputs: the first @n
 */
struct _SondeMindirCall
{
  SondeMindirLowering *lowering;
  SondeLowering *l;
  const SondeMindirNode *node;
  const SondeMindirRow *row;
  const SondeMindirTerm **inputs;
  guint n;
  gboolean refused;
};

/* (nullable) */
const SondeMindirRow *sonde_mindir_find_row (const char *primitive);

/* ---- terms: they live as long as the lowering ---------------------------- */

SondeMindirTerm *sonde_mindir_term_new (SondeMindirLowering *lowering, SondeMindirTermKind kind,
                                        guint n);
const SondeMindirTerm *sonde_mindir_term_of (SondeMindirLowering *lowering, SondeGraphValue *value);
const SondeMindirTerm *sonde_mindir_term_of_constant (SondeMindirLowering *lowering,
                                                      const SondeMindirValue *constant);
/* A term of a number that lowering itself knows. */
const SondeMindirTerm *sonde_mindir_term_of_int (SondeMindirLowering *lowering, gint64 number);

/* The tensor that a VALUE, a number, or a tuple of numbers stands for. @dtype: of numbers; INVALID: int64
 * or float32. (nullable): when it is none of these */
SondeGraphValue *sonde_mindir_term_to_value (SondeMindirLowering *lowering,
                                             const SondeMindirTerm *term, SondeDtype dtype);
/* Numbers that are known: a number, a tensor, a tuple of these. FALSE when some are not. */
gboolean sonde_mindir_term_get_ints (const SondeMindirTerm *term, GArray *ints);
gboolean sonde_mindir_term_get_double (const SondeMindirTerm *term, double *number);

/* ---- arguments ----------------------------------------------------------- */

/* NULL: not there, or None. */
const SondeMindirTerm *sonde_mindir_argument (SondeMindirCall *call, const char *name);
gboolean sonde_mindir_has (SondeMindirCall *call, const char *name);
/* Refuses when it is no tensor. Never NULL. */
SondeGraphValue *sonde_mindir_tensor (SondeMindirCall *call, const char *name);
/* NULL when not there. */
SondeGraphValue *sonde_mindir_tensor_or_null (SondeMindirCall *call, const char *name);
/* The same; a number gets the dtype of @like. */
SondeGraphValue *sonde_mindir_tensor_like (SondeMindirCall *call, const char *name,
                                           SondeGraphValue *like);
/* These refuse when the argument is computed by the net. */
gint64 sonde_mindir_int (SondeMindirCall *call, const char *name, gint64 fallback);
gboolean sonde_mindir_flag (SondeMindirCall *call, const char *name, gboolean fallback);
double sonde_mindir_number (SondeMindirCall *call, const char *name, double fallback);
const char *sonde_mindir_text (SondeMindirCall *call, const char *name, const char *fallback);
/* NULL when not there. (transfer full) (element-type gint64) */
GArray *sonde_mindir_ints (SondeMindirCall *call, const char *name);

/* All inputs, or those of the tuple that the first is. (transfer full) (element-type SondeGraphValue) */
GPtrArray *sonde_mindir_tensors (SondeMindirCall *call, guint n_last);

/* ---- results ------------------------------------------------------------- */

const SondeMindirTerm *sonde_mindir_give (SondeMindirCall *call, SondeGraphValue *value);
/* A tuple of @n values, NULL where there is none. */
const SondeMindirTerm *sonde_mindir_give_tuple (SondeMindirCall *call,
                                                SondeGraphValue *const *values, guint n);
/* @what, @advice: message ids; @advice (nullable). Returns NULL. */
const SondeMindirTerm *sonde_mindir_refuse (SondeMindirCall *call, const char *what,
                                            const char *advice);

/* ---- types --------------------------------------------------------------- */

/* Of an emitted value, when the file says nothing. Returns @value. */
SondeGraphValue *sonde_mindir_typed (SondeGraphValue *value, SondeDtype dtype, int rank);
/* −1 and a refusal when it is not known. */
int sonde_mindir_rank (SondeMindirCall *call, const SondeGraphValue *value);
/* float32 when it is not known. */
SondeDtype sonde_mindir_dtype (const SondeGraphValue *value);
/* MindSpore's number of a type; INVALID. */
SondeDtype sonde_mindir_dtype_of_id (gint64 id);
gint64 sonde_mindir_id_of_dtype (SondeDtype dtype);

G_END_DECLS
