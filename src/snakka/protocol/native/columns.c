/* Batches as Arrow columns: first measured, then filled into memory that the caller has made to measure. */

#include "reading.h"

static const char OUT_OF_ROOM[] = "the columns are smaller than the records";

/* One of Arrow's binary columns: where each value ends, the bytes, and a bit for each that is not null. */
typedef struct {
    Py_buffer ends, data, valid;
    Py_ssize_t rows;
    int32_t size;
} BinaryColumn;

enum { KEYS, VALUES, NAMES, HEADER_VALUES, BINARY_COLUMNS };

typedef struct {
    Py_buffer offsets, timestamps, timestamp_types, header_ends;
    BinaryColumn binary[BINARY_COLUMNS];
    Py_ssize_t rows;
    int32_t headers;
} Columns;

typedef struct {
    long long rows, headers;
    long long bytes[BINARY_COLUMNS], nulls[BINARY_COLUMNS];
} Sizes;

static void
close_batches(Batch *batches, Py_ssize_t count)
{
    for (Py_ssize_t index = 0; index < count; index++)
        PyBuffer_Release(&batches[index].body);
    PyMem_Free(batches);
}

static Batch *
open_batches(PyObject *list, Py_ssize_t *count)
{
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "batches are a list");
        return NULL;
    }
    *count = PyList_Size(list);
    Batch *batches = PyMem_Calloc(*count ? *count : 1, sizeof(Batch));
    if (batches == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t index = 0; index < *count; index++) {
        PyObject *tuple = PyList_GetItem(list, index);
        if (tuple == NULL || open_batch(tuple, &batches[index]) < 0) {
            close_batches(batches, index);
            return NULL;
        }
    }
    return batches;
}

static void
measure_bytes(Sizes *sizes, int column, int32_t size)
{
    if (size < 0)
        sizes->nulls[column]++;
    else
        sizes->bytes[column] += size;
}

static void
measure_headers(Sizes *sizes, const Record *record)
{
    Bytes at = record->headers;
    int32_t count;
    Header header;
    if (read_header_count(&at, record->end, &count) < 0)
        return;
    for (; count > 0 && read_header(&at, record->end, &header) == 0; count--) {
        measure_bytes(sizes, NAMES, header.name_size);
        measure_bytes(sizes, HEADER_VALUES, header.value_size);
    }
    sizes->headers += record->header_count;
}

static const char *
measure_batch(const Batch *batch, Sizes *sizes)
{
    Bytes at = batch->body.buf, end = at + batch->body.len;
    const char *reason = judge_count(batch);
    for (int index = 0; reason == NULL && index < batch->count; index++) {
        Record record;
        reason = read_record(batch, &at, end, &record);
        if (reason != NULL || !is_wanted(batch, &record))
            continue;
        sizes->rows++;
        measure_bytes(sizes, KEYS, record.key_size);
        measure_bytes(sizes, VALUES, record.value_size);
        if (record.header_count)
            measure_headers(sizes, &record);
    }
    if (reason == NULL && at != end)
        reason = "bytes are left after the last record";
    return reason;
}

PyObject *
measure_columns(PyObject *module, PyObject *list)
{
    Py_ssize_t count;
    Batch *batches = open_batches(list, &count);
    if (batches == NULL)
        return NULL;
    Sizes sizes = {0};
    const char *reason = NULL;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t index = 0; reason == NULL && index < count; index++)
        reason = measure_batch(&batches[index], &sizes);
    Py_END_ALLOW_THREADS
    close_batches(batches, count);
    if (reason != NULL)
        return refuse(module, reason);
    return Py_BuildValue("LL(LLLL)(LLLL)", sizes.rows, sizes.headers, sizes.bytes[KEYS], sizes.bytes[VALUES],
                         sizes.bytes[NAMES], sizes.bytes[HEADER_VALUES], sizes.nulls[KEYS], sizes.nulls[VALUES],
                         sizes.nulls[NAMES], sizes.nulls[HEADER_VALUES]);
}

/* Puts item `index` into a column of fixed width; a column that is not wanted takes everything. */
static int
put_fixed(const Py_buffer *column, Py_ssize_t index, const void *item, Py_ssize_t width)
{
    if (column->buf == NULL)
        return 0;
    if (index >= column->len / width)
        return -1;
    memcpy((char *)column->buf + index * width, item, width);
    return 0;
}

static int
put_bytes(BinaryColumn *column, Bytes start, int32_t size)
{
    if (column->ends.buf == NULL)
        return 0;
    Py_ssize_t row = column->rows++;
    if (size < 0) {
        if (column->valid.buf == NULL)
            return -1;
        size = 0;
    }
    else if (column->valid.buf != NULL) {
        if (row / 8 >= column->valid.len)
            return -1;
        ((unsigned char *)column->valid.buf)[row / 8] |= (unsigned char)(1 << row % 8);
    }
    if (size > column->data.len - column->size || size > INT32_MAX - column->size)
        return -1;
    if (size > 0)
        memcpy((char *)column->data.buf + column->size, start, size);
    column->size += size;
    return put_fixed(&column->ends, row + 1, &column->size, sizeof column->size);
}

static int
put_headers(Columns *columns, const Record *record)
{
    if (columns->header_ends.buf == NULL)
        return 0;
    Bytes at = record->headers;
    int32_t count;
    Header header;
    if (read_header_count(&at, record->end, &count) < 0 || count > INT32_MAX - columns->headers)
        return -1;
    for (int32_t left = count; left > 0; left--) {
        if (read_header(&at, record->end, &header) < 0
            || put_bytes(&columns->binary[NAMES], header.name, header.name_size) < 0
            || put_bytes(&columns->binary[HEADER_VALUES], header.value, header.value_size) < 0)
            return -1;
    }
    columns->headers += count;
    return put_fixed(&columns->header_ends, columns->rows + 1, &columns->headers, sizeof columns->headers);
}

static const char *
fill_batch(const Batch *batch, Columns *columns)
{
    Bytes at = batch->body.buf, end = at + batch->body.len;
    const char *reason = judge_count(batch);
    int32_t timestamp_type = batch->uses_append_time;
    for (int index = 0; reason == NULL && index < batch->count; index++) {
        Record record;
        reason = read_record(batch, &at, end, &record);
        if (reason != NULL || !is_wanted(batch, &record))
            continue;
        if (put_fixed(&columns->offsets, columns->rows, &record.offset, sizeof record.offset) < 0
            || put_fixed(&columns->timestamps, columns->rows, &record.timestamp, sizeof record.timestamp) < 0
            || put_fixed(&columns->timestamp_types, columns->rows, &timestamp_type, sizeof timestamp_type) < 0
            || put_bytes(&columns->binary[KEYS], record.key, record.key_size) < 0
            || put_bytes(&columns->binary[VALUES], record.value, record.value_size) < 0
            || put_headers(columns, &record) < 0)
            reason = OUT_OF_ROOM;
        columns->rows++;
    }
    return reason;
}

/* Nothing is in the columns yet: all begin at 0, and all are null. */
static int
clear_columns(const Columns *columns)
{
    const int32_t begin = 0;
    int failed = put_fixed(&columns->header_ends, 0, &begin, sizeof begin);
    for (int index = 0; index < BINARY_COLUMNS; index++) {
        const BinaryColumn *column = &columns->binary[index];
        failed |= put_fixed(&column->ends, 0, &begin, sizeof begin);
        if (column->valid.buf != NULL)
            memset(column->valid.buf, 0, (size_t)column->valid.len);
    }
    return failed;
}

/* Opens, in this order, each memory that is not None; the others stay empty, which put_* take for "not wanted". */
static int
open_memory(PyObject *tuple, Py_buffer **memory, Py_ssize_t count)
{
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != count) {
        PyErr_SetString(PyExc_TypeError, "wrong number of memories");
        return -1;
    }
    for (Py_ssize_t index = 0; index < count; index++) {
        PyObject *item = PyTuple_GetItem(tuple, index);
        if (item != Py_None && PyObject_GetBuffer(item, memory[index], PyBUF_WRITABLE) < 0)
            return -1;
    }
    return 0;
}

PyObject *
fill_columns(PyObject *module, PyObject *args)
{
    PyObject *list, *tuple;
    if (!PyArg_ParseTuple(args, "OO:fill_columns", &list, &tuple))
        return NULL;
    Py_ssize_t count;
    Batch *batches = open_batches(list, &count);
    if (batches == NULL)
        return NULL;
    Columns columns = {0};
    Py_buffer *memory[4 + 3 * BINARY_COLUMNS] = {&columns.offsets, &columns.timestamps, &columns.timestamp_types,
                                                 &columns.header_ends};
    for (int index = 0; index < BINARY_COLUMNS; index++) {
        memory[4 + 3 * index] = &columns.binary[index].ends;
        memory[5 + 3 * index] = &columns.binary[index].data;
        memory[6 + 3 * index] = &columns.binary[index].valid;
    }
    const Py_ssize_t memories = sizeof memory / sizeof memory[0];
    const char *reason = NULL;
    if (open_memory(tuple, memory, memories) == 0) {
        Py_BEGIN_ALLOW_THREADS
        if (clear_columns(&columns) < 0)
            reason = OUT_OF_ROOM;
        for (Py_ssize_t index = 0; reason == NULL && index < count; index++)
            reason = fill_batch(&batches[index], &columns);
        Py_END_ALLOW_THREADS
        if (reason != NULL)
            refuse(module, reason);
    }
    for (Py_ssize_t index = 0; index < memories; index++)
        PyBuffer_Release(memory[index]);
    close_batches(batches, count);
    return PyErr_Occurred() ? NULL : PyLong_FromSsize_t(columns.rows);
}
