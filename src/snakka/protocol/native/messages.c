/* A batch as messages: a tuple for each record, of the type that the caller wants. */

#include "reading.h"

enum { TOPIC, PARTITION, OFFSET, TIMESTAMP, TIMESTAMP_TYPE, KEY, VALUE, HEADERS, FIELDS };

static PyObject *
bytes_or_none(Bytes start, int32_t size)
{
    if (size < 0)
        return Py_NewRef(Py_None);
    return PyBytes_FromStringAndSize((const char *)start, size);
}

static int
set_field(PyObject *fields, int index, PyObject *value)
{
    return value == NULL ? -1 : PyTuple_SetItem(fields, index, value);
}

/* Most often all records of a batch have one timestamp, and the number is made once. */
static int
set_fields(PyObject *fields, const Record *record, int64_t *last_timestamp)
{
    if (set_field(fields, OFFSET, PyLong_FromLongLong(record->offset)) < 0)
        return -1;
    if (record->timestamp != *last_timestamp || PyTuple_GetItem(fields, TIMESTAMP) == Py_None) {
        if (set_field(fields, TIMESTAMP, PyLong_FromLongLong(record->timestamp)) < 0)
            return -1;
        *last_timestamp = record->timestamp;
    }
    int32_t header_bytes = record->header_count ? (int32_t)(record->end - record->headers) : 0;
    if (set_field(fields, KEY, bytes_or_none(record->key, record->key_size)) < 0)
        return -1;
    if (set_field(fields, VALUE, bytes_or_none(record->value, record->value_size)) < 0)
        return -1;
    return set_field(fields, HEADERS, bytes_or_none(record->headers, header_bytes));
}

/* Each message is a copy of `fields`, made by tuple's own constructor, which alone knows all that a tuple has. */
static int
append_messages(PyObject *module, const Batch *batch, PyObject *list, PyTypeObject *kind, PyObject *fields)
{
    newfunc new_tuple = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
    PyObject *arguments = PyTuple_Pack(1, fields);
    if (arguments == NULL)
        return -1;
    Py_DECREF(fields); /* `arguments` holds it; a tuple that others hold cannot be filled again */
    Bytes at = batch->body.buf, end = at + batch->body.len;
    int64_t last_timestamp = 0;
    const char *reason = NULL;
    int failed = 0;
    for (int index = 0; index < batch->count && !failed; index++) {
        Record record;
        reason = read_record(batch, &at, end, &record);
        if (reason != NULL)
            break;
        if (!is_wanted(batch, &record))
            continue;
        PyObject *message = NULL;
        if (set_fields(fields, &record, &last_timestamp) == 0)
            message = new_tuple(kind, arguments, NULL);
        failed = message == NULL || PyList_Append(list, message) < 0;
        Py_XDECREF(message);
    }
    if (!failed && reason == NULL && at != end)
        reason = "bytes are left after the last record";
    if (reason != NULL)
        refuse(module, reason);
    Py_INCREF(fields);
    Py_DECREF(arguments);
    return failed || reason != NULL ? -1 : 0;
}

PyObject *
read_messages(PyObject *module, PyObject *args)
{
    PyObject *tuple, *kind, *topic, *partition;
    if (!PyArg_ParseTuple(args, "OOOO:read_messages", &tuple, &topic, &partition, &kind))
        return NULL;
    if (!PyType_Check(kind) || kind == (PyObject *)&PyTuple_Type
        || !PyType_IsSubtype((PyTypeObject *)kind, &PyTuple_Type)) {
        PyErr_SetString(PyExc_TypeError, "a message is a kind of tuple");
        return NULL;
    }
    Batch batch;
    if (open_batch(tuple, &batch) < 0)
        return NULL;
    PyObject *list = NULL, *fields = NULL;
    const char *reason = judge_count(&batch);
    if (reason != NULL) {
        refuse(module, reason);
        goto done;
    }
    list = PyList_New(0);
    fields = PyTuple_New(FIELDS);
    if (list == NULL || fields == NULL)
        goto failed;
    PyTuple_SetItem(fields, TOPIC, Py_NewRef(topic));
    PyTuple_SetItem(fields, PARTITION, Py_NewRef(partition));
    for (int index = OFFSET; index < FIELDS; index++)
        PyTuple_SetItem(fields, index, Py_NewRef(Py_None));
    if (set_field(fields, TIMESTAMP_TYPE, PyLong_FromLong(batch.uses_append_time)) < 0)
        goto failed;
    if (append_messages(module, &batch, list, (PyTypeObject *)kind, fields) == 0)
        goto done;
failed:
    Py_CLEAR(list);
done:
    Py_XDECREF(fields);
    PyBuffer_Release(&batch.body);
    return list;
}
