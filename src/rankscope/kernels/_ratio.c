/* Gains of documents for which a ratio of two sums is largest, topic by topic: what `largest_ratio` in pure_ratio.py says.

   Works on plain buffers that the caller owns, with the GIL released. What is rounded is written one operation a
   statement, in the order of the numpy twin, so that no compiler fuses two of them and both choose the same gains. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h> /* qsort */

#ifdef __GNUC__
#define HIDDEN __attribute__((visibility("hidden")))
#else
#define HIDDEN
#endif

#define FEW 32 /* documents that are sorted by insertion */
#define MOST (INT32_MAX / 4)

typedef struct {
    double value;
    int64_t at;
} Document;

typedef struct {
    const double *coefficient;   /* (topics, documents) */
    const uint8_t *there;        /* (topics, documents) */
    const double *base, *floor;  /* (topics) */
    const double *gain;          /* (layers) */
    const int64_t *have;         /* (layers, topics) */
    const double *ideal;         /* (longest) */
    int64_t topics, documents, layers, longest;
    int64_t *level;   /* (topics, documents) */
    double *ratio;    /* (topics) */
    Document *order;  /* (documents) */
    double *best;     /* (documents + 1) */
    int64_t *reach, *tried; /* (layers) */
} Ratio;

/* By falling coefficient, equal ones by their place. */
static int by_coefficient(const void *one, const void *other) {
    const Document *a = one, *b = other;
    if (a->value != b->value) return a->value > b->value ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

/* Documents of a topic in order, and their largest sums; how many there are. */
static int64_t sorted(const Ratio *r, int64_t topic) {
    const double *coefficient = r->coefficient + topic * r->documents;
    const uint8_t *there = r->there + topic * r->documents;
    int64_t n = 0;
    for (int64_t d = 0; d < r->documents; d++)
        if (there[d]) r->order[n].value = coefficient[d], r->order[n++].at = d;
    if (n > FEW) qsort(r->order, (size_t)n, sizeof(Document), by_coefficient);
    else
        for (int64_t j = 1; j < n; j++) {
            Document moved = r->order[j];
            int64_t i = j;
            for (; i && r->order[i - 1].value < moved.value; i--) r->order[i] = r->order[i - 1];
            r->order[i] = moved;
        }
    r->best[0] = 0;
    for (int64_t i = 0; i < n; i++) r->best[i + 1] = r->best[i] + r->order[i].value;
    return n;
}

static double ratio_of(const Ratio *r, int64_t topic, const int64_t *reach) {
    double above = 0, below = 0;
    for (int64_t l = 0; l < r->layers; l++) {
        double part = r->gain[l] * r->best[reach[l]];
        above += part;
        part = r->gain[l] * r->ideal[r->have[l * r->topics + topic] + reach[l]];
        below += part;
    }
    above = r->base[topic] + above;
    below = r->floor[topic] + below;
    return below > 0 ? above / below : 0;
}

/* What the first m documents are worth in a layer, beyond what they cost at a ratio of `target`. */
static double worth(const Ratio *r, int64_t topic, int64_t layer, double target, int64_t m) {
    double cost = target * r->ideal[r->have[layer * r->topics + topic] + m];
    return r->best[m] - cost;
}

static void try_layers(const Ratio *r, int64_t topic, int64_t n, double target) {
    for (int64_t l = 0; l < r->layers; l++) {
        double most = worth(r, topic, l, target, 0);
        r->tried[l] = 0;
        for (int64_t m = 1; m <= n; m++) {
            double each = worth(r, topic, l, target, m);
            if (each > most) most = each, r->tried[l] = m;
        }
        if (l && r->tried[l - 1] < r->tried[l]) r->tried[l] = r->tried[l - 1];
    }
}

/* All layers reach as far: what the first m documents are worth in all of them. */
static void try_together(const Ratio *r, int64_t topic, int64_t n, double target) {
    double most = 0;
    int64_t found = 0;
    for (int64_t m = 0; m <= n; m++) {
        double all = 0;
        for (int64_t l = 0; l < r->layers; l++) {
            double part = r->gain[l] * worth(r, topic, l, target, m);
            all += part;
        }
        if (!m || all > most) most = all, found = m;
    }
    for (int64_t l = 0; l < r->layers; l++) r->tried[l] = found;
}

static void climb(const Ratio *r, int64_t topic) {
    int64_t n = sorted(r, topic), *level = r->level + topic * r->documents;
    for (int64_t l = 0; l < r->layers; l++) r->reach[l] = 0;
    double largest = ratio_of(r, topic, r->reach);
    while (r->layers) {
        if (largest < 0) try_together(r, topic, n, largest);
        else try_layers(r, topic, n, largest);
        double better = ratio_of(r, topic, r->tried);
        if (!(better > largest)) break;
        largest = better;
        for (int64_t l = 0; l < r->layers; l++) r->reach[l] = r->tried[l];
    }
    r->ratio[topic] = largest;
    for (int64_t d = 0; d < r->documents; d++) level[d] = 0;
    for (int64_t l = 0; l < r->layers; l++)
        for (int64_t i = 0; i < r->reach[l]; i++) level[r->order[i].at]++;
}

PyDoc_STRVAR(ratio_doc, "largest_ratio(coefficient, there, base, floor, gain, have, ideal, topics, documents, layers, "
                        "longest, level, ratio, order, best, layer)");
static PyObject *core_ratio(PyObject *self, PyObject *args) {
    Py_buffer b[12];
    Ratio r;
    long long topics, documents, layers, longest;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*LLLLw*w*w*w*w*", b, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, &topics,
                          &documents, &layers, &longest, b + 7, b + 8, b + 9, b + 10, b + 11))
        return NULL;
    r.coefficient = b[0].buf, r.there = b[1].buf, r.base = b[2].buf, r.floor = b[3].buf, r.gain = b[4].buf;
    r.have = b[5].buf, r.ideal = b[6].buf, r.level = b[7].buf, r.ratio = b[8].buf, r.order = b[9].buf;
    r.best = b[10].buf, r.reach = b[11].buf, r.tried = r.reach + layers;
    r.topics = topics, r.documents = documents, r.layers = layers, r.longest = longest;
    int fits = topics >= 0 && documents >= 0 && layers >= 0 && longest >= 0 && topics <= MOST && documents <= MOST
        && layers <= MOST && longest <= MOST && b[0].len == topics * documents * 8 && b[1].len == topics * documents
        && b[2].len == topics * 8 && b[3].len == topics * 8 && b[4].len == layers * 8
        && b[5].len == layers * topics * 8 && b[6].len == longest * 8 && b[7].len == topics * documents * 8
        && b[8].len == topics * 8 && b[9].len == documents * (Py_ssize_t)sizeof(Document)
        && b[10].len == (documents + 1) * 8 && b[11].len == 2 * layers * 8;
    for (int64_t i = 0; fits && i < layers * topics; i++) fits = r.have[i] >= 0 && r.have[i] < longest - documents;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        for (int64_t topic = 0; topic < topics; topic++) climb(&r, topic);
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; i < 12; i++) PyBuffer_Release(b + i);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "largest_ratio: buffers and sizes do not fit");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef RATIO[] = {
    {"largest_ratio", core_ratio, METH_VARARGS, ratio_doc},
    {NULL, NULL, 0, NULL},
};

HIDDEN int add_ratio(PyObject *module); /* called by _core.c when the module is made */
int add_ratio(PyObject *module) { return PyModule_AddFunctions(module, RATIO); }
