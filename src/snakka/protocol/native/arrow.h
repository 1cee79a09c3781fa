/* Arrow's binary columns as they lie in memory, read with every position judged. */

#ifndef SNAKKA_ARROW_H
#define SNAKKA_ARROW_H

#include "records.h"

/* `ends` are 32-bit numbers: the first value's start, then each value's end in `data`. `valid` has a bit for each value,
   the first one at the bit `valid_from`; without it no value is null. Without `ends` all values are null. */
typedef struct {
    Py_buffer ends, data, valid;
    Py_ssize_t valid_from;
} ArrowColumn;

/* Some bytes, or null if the size is -1. */
typedef struct {
    Bytes start;
    Py_ssize_t size;
} Slice;

static const Slice NULL_SLICE = {NULL, -1};

static inline void
close_arrow_column(ArrowColumn *column)
{
    PyBuffer_Release(&column->ends);
    PyBuffer_Release(&column->data);
    PyBuffer_Release(&column->valid);
}

/* From (ends, data or None, valid or None, valid_from), or None for a column of nulls. */
static inline int
open_arrow_column(PyObject *tuple, ArrowColumn *column)
{
    memset(column, 0, sizeof *column);
    if (tuple == Py_None)
        return 0;
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "a column is a tuple or None");
        return -1;
    }
    if (!PyArg_ParseTuple(tuple, "y*z*z*n", &column->ends, &column->data, &column->valid, &column->valid_from)) {
        memset(column, 0, sizeof *column);
        return -1;
    }
    return 0;
}

/* -1 if the column leads out of its own memory. */
static inline int
read_arrow_value(const ArrowColumn *column, Py_ssize_t row, Slice *value)
{
    *value = NULL_SLICE;
    if (column->ends.buf == NULL)
        return 0;
    int32_t ends[2];
    if (row < 0 || row >= column->ends.len / (Py_ssize_t)sizeof ends[0] - 1)
        return -1;
    if (column->valid.buf != NULL) {
        Py_ssize_t bit = column->valid_from + row;
        if (bit < 0 || bit / 8 >= column->valid.len)
            return -1;
        if (!(((Bytes)column->valid.buf)[bit / 8] >> bit % 8 & 1))
            return 0;
    }
    memcpy(ends, (const char *)column->ends.buf + row * sizeof ends[0], sizeof ends);
    if (ends[0] < 0 || ends[1] < ends[0] || ends[1] > column->data.len)
        return -1;
    value->start = (Bytes)column->data.buf + ends[0];
    value->size = ends[1] - ends[0];
    return 0;
}

#endif
