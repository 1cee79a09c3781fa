/* Records encoded into the body of a batch, one at a time or from columns. */

#include "arrow.h"
#include <structmember.h>

/* The batch's header is written later, in place. */
#define BATCH_HEADER_BYTES 61
#define FIRST_ROOM_BYTES 1024

/* Bytes as they grow; the memory is a bytearray, which is longer than what is used. */
typedef struct {
    PyObject *memory;
    Py_ssize_t size;
} Output;

typedef struct {
    PyObject_HEAD
    Output output;
    Py_ssize_t limit;
    long long base_timestamp, max_timestamp;
    int count;
} Encoder;

/* ---- Writing ---- */

static int
reserve(Output *output, Py_ssize_t more)
{
    Py_ssize_t room = PyByteArray_Size(output->memory);
    if (more <= room - output->size)
        return 0;
    if (more > INT32_MAX - output->size) {
        PyErr_SetString(PyExc_ValueError, "a batch cannot be larger than 2 GiB");
        return -1;
    }
    Py_ssize_t wanted = output->size + more;
    return PyByteArray_Resize(output->memory, wanted > 2 * room ? wanted : 2 * room);
}

static uint64_t
zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static Py_ssize_t
varint_size(int64_t value)
{
    Py_ssize_t size = 1;
    for (uint64_t rest = zigzag(value); rest > 0x7F; rest >>= 7)
        size++;
    return size;
}

static Py_ssize_t
sized(Slice slice)
{
    return varint_size(slice.size) + (slice.size > 0 ? slice.size : 0);
}

static char *
write_varint(char *at, int64_t value)
{
    uint64_t rest = zigzag(value);
    for (; rest > 0x7F; rest >>= 7)
        *at++ = (char)(rest | 0x80);
    *at++ = (char)rest;
    return at;
}

static char *
write_slice(char *at, Slice slice)
{
    at = write_varint(at, slice.size);
    if (slice.size > 0) {
        memcpy(at, slice.start, slice.size);
        at += slice.size;
    }
    return at;
}

/* 1 if the record was taken, 0 if the batch is full, -1 with an exception. No Python code runs in here. `headers` are
   encoded, their count before them, or null. */
static int
append_record(Encoder *self, int64_t timestamp, Slice key, Slice value, Slice headers)
{
    if (self->output.memory == NULL) {
        PyErr_SetString(PyExc_ValueError, "the batch was taken");
        return -1;
    }
    int64_t base = self->count > 0 ? self->base_timestamp : timestamp;
    int64_t delta = (int64_t)((uint64_t)timestamp - (uint64_t)base);
    if (key.size > INT32_MAX || value.size > INT32_MAX || headers.size > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a record cannot be larger than 2 GiB");
        return -1;
    }
    Py_ssize_t length = 1 + varint_size(delta) + varint_size(self->count) + sized(key) + sized(value)
                        + (headers.size > 0 ? headers.size : 1);
    Py_ssize_t more = varint_size(length) + length;
    if (self->count > 0 && (more > self->limit - self->output.size || self->count == INT32_MAX))
        return 0;
    if (reserve(&self->output, more) < 0)
        return -1;
    char *at = PyByteArray_AsString(self->output.memory) + self->output.size;
    at = write_varint(at, length);
    *at++ = 0; /* attributes, of which none is in use */
    at = write_varint(at, delta);
    at = write_varint(at, self->count);
    at = write_slice(at, key);
    at = write_slice(at, value);
    if (headers.size > 0)
        memcpy(at, headers.start, headers.size);
    else
        *at = 0;
    if (self->count == 0)
        self->base_timestamp = timestamp;
    if (timestamp > self->max_timestamp)
        self->max_timestamp = timestamp;
    self->output.size += more;
    self->count++;
    return 1;
}

/* ---- Objects ---- */

/* None, bytes, or anything with a buffer, which is then held. */
static int
open_slice(PyObject *object, Slice *slice, Py_buffer *held)
{
    *slice = NULL_SLICE;
    if (object == Py_None)
        return 0;
    if (PyBytes_Check(object)) {
        slice->start = (Bytes)PyBytes_AsString(object);
        slice->size = PyBytes_Size(object);
        return 0;
    }
    if (PyObject_GetBuffer(object, held, PyBUF_SIMPLE) < 0)
        return -1;
    slice->start = held->buf;
    slice->size = held->len;
    return 0;
}

static int
put_slice(Output *output, Slice slice)
{
    if (slice.size > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a header cannot be larger than 2 GiB");
        return -1;
    }
    Py_ssize_t more = sized(slice);
    if (reserve(output, more) < 0)
        return -1;
    write_slice(PyByteArray_AsString(output->memory) + output->size, slice);
    output->size += more;
    return 0;
}

static int
put_header(Output *output, PyObject *pair)
{
    PyObject *name, *value;
    if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2 || !PyUnicode_Check(PyTuple_GetItem(pair, 0))) {
        PyErr_SetString(PyExc_TypeError, "a header is a pair of its name, a str, and its value, bytes or None");
        return -1;
    }
    name = PyUnicode_AsEncodedString(PyTuple_GetItem(pair, 0), "utf-8", "surrogateescape");
    if (name == NULL)
        return -1;
    value = PyTuple_GetItem(pair, 1);
    Slice slice = {(Bytes)PyBytes_AsString(name), PyBytes_Size(name)};
    int result = put_slice(output, slice);
    Py_DECREF(name);
    Py_buffer held = {0};
    if (result == 0)
        result = open_slice(value, &slice, &held);
    if (result == 0)
        result = put_slice(output, slice);
    PyBuffer_Release(&held);
    return result;
}

/* The count and the headers, or nothing if there is no header. */
static int
put_headers(Output *output, PyObject *headers)
{
    PyObject *pairs = PySequence_Tuple(headers);
    if (pairs == NULL)
        return -1;
    Py_ssize_t count = PyTuple_Size(pairs);
    int result = 0;
    if (count > 0) {
        output->memory = PyByteArray_FromStringAndSize(NULL, 64);
        result = output->memory == NULL ? -1 : 0;
        if (result == 0)
            output->size = write_varint(PyByteArray_AsString(output->memory), count) - PyByteArray_AsString(output->memory);
    }
    for (Py_ssize_t index = 0; result == 0 && index < count; index++)
        result = put_header(output, PyTuple_GetItem(pairs, index));
    Py_DECREF(pairs);
    return result;
}

static PyObject *
append(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "append takes a timestamp, a key, a value and headers");
        return NULL;
    }
    long long timestamp = PyLong_AsLongLong(args[0]);
    if (timestamp == -1 && PyErr_Occurred())
        return NULL;
    Slice key, value, headers = NULL_SLICE;
    Py_buffer held_key = {0}, held_value = {0};
    Output encoded = {NULL, 0};
    int result = -1;
    if (open_slice(args[1], &key, &held_key) == 0 && open_slice(args[2], &value, &held_value) == 0
        && put_headers(&encoded, args[3]) == 0) {
        if (encoded.memory != NULL) {
            headers.start = (Bytes)PyByteArray_AsString(encoded.memory);
            headers.size = encoded.size;
        }
        result = append_record((Encoder *)object, timestamp, key, value, headers);
    }
    PyBuffer_Release(&held_key);
    PyBuffer_Release(&held_value);
    Py_XDECREF(encoded.memory);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

/* ---- Columns ---- */

/* Rows from `row` on, until one does not fit: the number of the row to go on with. */
static Py_ssize_t
extend_rows(Encoder *self, const Py_buffer *timestamps, const ArrowColumn columns[3], Py_ssize_t row, Py_ssize_t stop)
{
    if (row < 0 || stop > timestamps->len / (Py_ssize_t)sizeof(int64_t)) {
        PyErr_SetString(PyExc_ValueError, "there are fewer timestamps than rows");
        return -1;
    }
    for (; row < stop; row++) {
        Slice key, value, headers;
        int64_t timestamp;
        memcpy(&timestamp, (const char *)timestamps->buf + row * sizeof timestamp, sizeof timestamp);
        if (read_arrow_value(&columns[0], row, &key) < 0 || read_arrow_value(&columns[1], row, &value) < 0
            || read_arrow_value(&columns[2], row, &headers) < 0) {
            PyErr_SetString(PyExc_ValueError, "a column leads out of its memory");
            return -1;
        }
        int taken = append_record(self, timestamp, key, value, headers);
        if (taken < 0)
            return -1;
        if (taken == 0)
            break;
    }
    return row;
}

static PyObject *
extend(PyObject *object, PyObject *args)
{
    Py_buffer timestamps;
    PyObject *tuples[3];
    Py_ssize_t row, stop;
    if (!PyArg_ParseTuple(args, "y*OOOnn:extend", &timestamps, &tuples[0], &tuples[1], &tuples[2], &row, &stop))
        return NULL;
    ArrowColumn columns[3] = {0};
    int opened = 0;
    while (opened < 3 && open_arrow_column(tuples[opened], &columns[opened]) == 0)
        opened++;
    if (opened == 3)
        row = extend_rows((Encoder *)object, &timestamps, columns, row, stop);
    for (int index = 0; index < opened; index++)
        close_arrow_column(&columns[index]);
    PyBuffer_Release(&timestamps);
    return PyErr_Occurred() ? NULL : PyLong_FromSsize_t(row);
}

/* ---- The type ---- */

static PyObject *
take(PyObject *object, PyObject *ignored)
{
    (void)ignored;
    Encoder *self = (Encoder *)object;
    PyObject *memory = self->output.memory;
    if (memory == NULL) {
        PyErr_SetString(PyExc_ValueError, "the batch was taken");
        return NULL;
    }
    self->output.memory = NULL;
    if (PyByteArray_Resize(memory, self->output.size) < 0)
        Py_CLEAR(memory);
    return memory;
}

static PyObject *
make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t limit;
    if ((kwargs != NULL && PyDict_Size(kwargs)) || !PyArg_ParseTuple(args, "n:Encoder", &limit))
        return PyErr_Occurred() ? NULL : (PyErr_SetString(PyExc_TypeError, "Encoder takes no keywords"), NULL);
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Encoder *self = (Encoder *)allocate(type, 0);
    if (self == NULL)
        return NULL;
    self->limit = limit;
    self->base_timestamp = self->max_timestamp = -1;
    self->output.size = BATCH_HEADER_BYTES;
    self->output.memory = PyByteArray_FromStringAndSize(NULL, FIRST_ROOM_BYTES);
    if (self->output.memory == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    memset(PyByteArray_AsString(self->output.memory), 0, BATCH_HEADER_BYTES);
    return (PyObject *)self;
}

static void
discard(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(((Encoder *)object)->output.memory);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"append", (PyCFunction)(void (*)(void))append, METH_FASTCALL, "Add a record; False if it does not fit any more."},
    {"extend", extend, METH_VARARGS, "Add rows of columns until one does not fit; the number of the next row."},
    {"take", take, METH_NOARGS, "The bytes, with room for a batch's header before them; this ends the encoder."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"size", T_PYSSIZET, offsetof(Encoder, output.size), READONLY, "Bytes of the batch so far, its header included."},
    {"count", T_INT, offsetof(Encoder, count), READONLY, "Records so far."},
    {"base_timestamp", T_LONGLONG, offsetof(Encoder, base_timestamp), READONLY, "The first record's; -1 before."},
    {"max_timestamp", T_LONGLONG, offsetof(Encoder, max_timestamp), READONLY, "The latest, at least -1."},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot encoder_slots[] = {
    {Py_tp_new, make},
    {Py_tp_dealloc, discard},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, NULL},
};

PyType_Spec encoder_spec = {
    .name = "snakka.protocol._records.Encoder",
    .basicsize = sizeof(Encoder),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = encoder_slots,
};
