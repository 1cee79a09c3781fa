/* Records of message format 2, decoded and encoded in C: snakka.protocol._records. It is the fast twin of Python and
   NumPy code that serves where this could not be built (record_engine.py chooses): same results, same refusals, same
   tests.

   The rule of these rooms: the bytes are hostile. Nothing is read or written but through a check against the end of the
   memory that it lies in, sizes are judged before anything is allocated, and every defect is a ProtocolError. */

#ifndef SNAKKA_RECORDS_H
#define SNAKKA_RECORDS_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

/* Counted up with every change of a signature: record_engine.py passes over a module built from older source. */
#define INTERFACE 3

typedef const unsigned char *Bytes;

typedef struct {
    PyObject *protocol_error;
} State;

/* Raises ProtocolError. */
PyObject *refuse(PyObject *module, const char *reason);

/* messages.c */
PyObject *read_messages(PyObject *module, PyObject *args);

/* column_builder.c */
extern PyType_Spec column_builder_spec;

/* checksum.c: whether there is one here, found out once, and it */
int has_checksum(void);
uint32_t checksum(Bytes at, size_t size);
PyObject *crc32c(PyObject *module, PyObject *data);

/* encoder.c */
extern PyType_Spec encoder_spec;

/* key_hash.c */
PyObject *murmur2(PyObject *module, PyObject *key);
PyObject *partition_keys(PyObject *module, PyObject *args);

#endif
