/* Columns as a Python object, which owns their memory: Arrow's arrays are laid over it, and keep it alive. */

#include "columns.h"

#include <stdlib.h>

#define FIRST_ROOM_BYTES 64

/* Memory that is used again costs no fresh pages: it is kept, as much as a reader who reads ahead has in use at a time. */
#define MOST_SPARES 3
#define LARGEST_SPARE_BYTES (16 << 20)

enum { WANT_OFFSETS = 1, WANT_TIMESTAMPS = 2, WANT_TYPES = 4, WANT_KEYS = 8, WANT_VALUES = 16, WANT_HEADERS = 32 };

typedef struct {
    PyObject_HEAD
    Columns columns;
    int is_closed; /* it is being filled in another thread, or others look at its memory */
} Builder;

/* Touched only by who holds the interpreter's lock. */
static Columns spares[MOST_SPARES];
static int spare_count;

static int
open_builder(Builder *self)
{
    if (self->is_closed) {
        PyErr_SetString(PyExc_ValueError, "nothing can be added to these columns");
        return -1;
    }
    self->is_closed = 1;
    return 0;
}

static PyObject *
add_batch(PyObject *object, PyTypeObject *type, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Builder *self = (Builder *)object;
    Batch batch;
    if (count != 1 || names != NULL) {
        PyErr_SetString(PyExc_TypeError, "add_batch takes a batch");
        return NULL;
    }
    if (open_batch(args[0], &batch) < 0)
        return NULL;
    const char *reason = NULL;
    if (open_builder(self) == 0) {
        Py_BEGIN_ALLOW_THREADS
        reason = put_batch(&self->columns, &batch);
        Py_END_ALLOW_THREADS
        self->is_closed = 0;
    }
    PyBuffer_Release(&batch.body);
    if (reason == NO_MEMORY)
        return PyErr_NoMemory();
    if (reason != NULL)
        return refuse(PyType_GetModule(type), reason);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *
add_run(PyObject *object, PyObject *args)
{
    Builder *self = (Builder *)object;
    Run run;
    if (!PyArg_ParseTuple(args, "y*nLLnnpp:add_run", &run.records, &run.position, &run.first, &run.stop,
                          &run.most_bytes, &run.largest_body, &run.checks, &run.has_aborted))
        return NULL;
    const char *reason = NULL;
    Py_ssize_t taken = 0;
    int64_t next_offset = -1;
    const int is_possible = has_checksum() || !run.checks;
    if (run.position < 0 || run.position > run.records.len)
        PyErr_SetString(PyExc_ValueError, "the position is not within the records");
    else if (is_possible && open_builder(self) == 0) {
        Py_BEGIN_ALLOW_THREADS
        reason = put_run(&self->columns, &run, &taken, &next_offset);
        Py_END_ALLOW_THREADS
        self->is_closed = 0;
    }
    PyBuffer_Release(&run.records);
    if (reason != NULL)
        return PyErr_NoMemory();
    return PyErr_Occurred() ? NULL : Py_BuildValue("nLn", run.position, (long long)next_offset, taken);
}

static PyObject *
place_of(const Memory *memory)
{
    if (memory->start == NULL)
        return Py_NewRef(Py_None);
    return Py_BuildValue("Kn", (unsigned long long)(uintptr_t)memory->start, (Py_ssize_t)memory->size);
}

static PyObject *
places_of(BinaryColumn *column)
{
    if (column->nulls)
        column->valid.size = (size_t)(column->rows + 7) / 8;
    return Py_BuildValue("NNNn", place_of(&column->ends), place_of(&column->data),
                         column->nulls ? place_of(&column->valid) : Py_NewRef(Py_None), column->nulls);
}

static PyObject *
finish(PyObject *object, PyObject *ignored)
{
    (void)ignored;
    Builder *self = (Builder *)object;
    if (open_builder(self) < 0) /* and so it stays */
        return NULL;
    Columns *columns = &self->columns;
    return Py_BuildValue("nnNNNNNNNN", columns->rows, columns->binary[NAMES].rows, place_of(&columns->offsets),
                         place_of(&columns->timestamps), place_of(&columns->timestamp_types),
                         place_of(&columns->header_ends), places_of(&columns->binary[KEYS]),
                         places_of(&columns->binary[VALUES]), places_of(&columns->binary[NAMES]),
                         places_of(&columns->binary[HEADER_VALUES]));
}

/* Calls `act` for each memory, with the bit of the columns that it belongs to. */
static int
for_each_memory(Columns *self, int (*act)(Memory *memory, int bit, long long *argument), long long *argument)
{
    static const int bits[BINARY_COLUMNS] = {WANT_KEYS, WANT_VALUES, WANT_HEADERS, WANT_HEADERS};
    int failed = act(&self->offsets, WANT_OFFSETS, argument) | act(&self->timestamps, WANT_TIMESTAMPS, argument)
                 | act(&self->timestamp_types, WANT_TYPES, argument) | act(&self->header_ends, WANT_HEADERS, argument);
    for (int index = 0; index < BINARY_COLUMNS; index++)
        failed |= act(&self->binary[index].ends, bits[index], argument)
                  | act(&self->binary[index].data, bits[index], argument);
    return failed;
}

static int
free_memory(Memory *memory, int bit, long long *argument)
{
    (void)bit, (void)argument;
    free(memory->start);
    return 0;
}

static int
count_room(Memory *memory, int bit, long long *bytes)
{
    (void)bit;
    *bytes += (long long)memory->room;
    return 0;
}

/* Empty, with some room if it is wanted, and without if not. */
static int
begin_memory(Memory *memory, int bit, long long *wanted)
{
    memory->size = 0;
    if (*wanted & bit)
        return reserve(memory, FIRST_ROOM_BYTES) == NULL ? 0 : -1;
    free(memory->start);
    *memory = (Memory){0};
    return 0;
}

/* Where the first value begins. */
static void
put_begin(Memory *ends)
{
    const int32_t begin = 0;
    if (ends->start != NULL)
        put_number(ends, &begin, sizeof begin);
}

static int
begin_columns(Columns *self, long long wanted)
{
    if (spare_count > 0)
        *self = spares[--spare_count];
    if (for_each_memory(self, begin_memory, &wanted) < 0)
        return -1;
    put_begin(&self->header_ends);
    for (int index = 0; index < BINARY_COLUMNS; index++)
        put_begin(&self->binary[index].ends);
    return 0;
}

static void
end_columns(Columns *self)
{
    long long room = 0;
    self->rows = 0;
    for (int index = 0; index < BINARY_COLUMNS; index++) {
        BinaryColumn *column = &self->binary[index];
        free(column->valid.start);
        column->valid = (Memory){0};
        column->rows = column->nulls = 0;
    }
    for_each_memory(self, count_room, &room);
    if (spare_count < MOST_SPARES && room <= LARGEST_SPARE_BYTES)
        spares[spare_count++] = *self;
    else
        for_each_memory(self, free_memory, NULL);
}

static PyObject *
make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    int wanted;
    if ((kwargs != NULL && PyDict_Size(kwargs)) || !PyArg_ParseTuple(args, "i:ColumnBuilder", &wanted))
        return PyErr_Occurred() ? NULL : (PyErr_SetString(PyExc_TypeError, "ColumnBuilder takes no keywords"), NULL);
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Builder *self = (Builder *)allocate(type, 0);
    if (self != NULL && begin_columns(&self->columns, wanted) < 0) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void
discard(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    end_columns(&((Builder *)object)->columns);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"add_batch", (PyCFunction)(void (*)(void))add_batch, METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "Add the records of a batch; ProtocolError, and none of them, if one is wrong."},
    {"add_run", add_run, METH_VARARGS,
     "Add the plain batches that come next: the position after them, the offset to go on with (-1: no batch was"
     " taken), and how many bytes their records have."},
    {"finish", finish, METH_NOARGS, "Numbers of rows and headers, and where each column lies; nothing can be added then."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot column_builder_slots[] = {
    {Py_tp_new, make},
    {Py_tp_dealloc, discard},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec column_builder_spec = {
    .name = "snakka.protocol._records.ColumnBuilder",
    .basicsize = sizeof(Builder),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = column_builder_slots,
};
