/* Step-down counts of a bootstrap: in how many samples the largest statistic so far reaches each pair's bar.

   Everything works on plain buffers that the caller owns, with the GIL released. Sums of squares are exact in double
   precision; what follows is written one operation a statement, so that no compiler fuses two of them, and the counts
   are those of the numpy twin, `stepped` in pure.py.

   A statistic is size / (spread + extra), where spread + size is topics times a sum of squares over the sample. Bars
   ascend, so a statistic counts only where it exceeds the sample's largest so far and the pair's own bar: otherwise no
   pair from here on is reached that was not reached before. Both are rare, and most statistics need not be known. The
   topics on which a pair differs most alone bound the sum of squares from below, and a size that does not get far enough
   with this bound is passed over. Bounds are whole numbers of two bytes, sizes rounded up and squares rounded down;
   whatever passes is computed in double precision, first its squares, then its sum. Of many topics twelve say little:
   there sums are computed at once, and held against `extra` alone. Values are whole and sums of all topics are below 2^53, so that
   squares are within range. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h> /* abs */
#include <string.h>

/* As in _core.c: a wider vector unit where the processor has one. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ >= 12 /* the first to take levels of the architecture */
#define VECTOR __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define VECTOR __attribute__((target_clones("avx2", "default")))
#endif
#else
#define VECTOR
#endif
#ifdef __GNUC__
#define HIDDEN __attribute__((visibility("hidden")))
#else
#define HIDDEN
#endif

#define WIDE 128   /* samples side by side: a tile */
#define LANES 8    /* partial sums of squares */
#define LEADING 12 /* topics of a pair that bound its sums of squares */
#define AHEAD 4    /* pairs whose rows are fetched before they are needed */
#define OFTEN 8    /* bounds count a topic so many times at the most */
#define LARGEST 511 /* of the squares that bound, as whole numbers */
#define EXTRA (UINT16_MAX - LEADING * OFTEN * LARGEST) /* of what is added to them: the sum fits in two bytes */
#define APART 16000 /* of the sums of a sample, as whole numbers: four times that fits in two bytes */
#define MOST (INT32_MAX / 4) /* trials, topics, systems: as bytes, products of two do not overflow */
#define LESS (1 - 0x1p-40)
#define MORE (1 + 0x1p-40)

/* What bounds the statistics of a pair from above. */
typedef struct {
    int64_t where[LEADING];
    uint16_t square[LEADING], extra; /* topics times the square, and what is added, by the square of 1 / root */
    double root;
} Bound;

typedef struct {
    const double *often, *values, *bar; /* (trials, topics), (systems, topics), (pairs), ascending */
    const uint16_t *short_often;        /* (tiles, topics, WIDE), up to OFTEN; filled with 0 */
    const int16_t *short_sums;          /* (tiles, systems, WIDE), of a sample less those of the data, by unit */
    const double *unit;                 /* (tiles, WIDE): 0 where all of these sums are 0 */
    double *sums; /* (trials, systems) of a sample less those of the data, where there are no short ones; else nothing */
    const int32_t *one, *other;
    double extra;
    int64_t trials, tiles, topics, systems, pairs, chunk; /* chunk: pairs whose squares are held at a time */
    double *squares; /* (chunk, topics) */
    Bound *bounds;   /* (chunk) */
    double *most;    /* of each trial */
    int64_t *end;    /* of each trial: the first pair whose bar is above that */
    int32_t *count;  /* of each pair, and one more: at first by how much each differs from the one before it */
} Steps;

/* What `sizes` needs to know of a tile. */
typedef struct {
    uint16_t far[WIDE], keep[WIDE]; /* keep is 0 where nothing bounds a statistic yet */
    double reach;
    int open; /* samples that can still reach a bar that they have not reached */
} Screen;

/* Squares of the differences of a pair about their mean, as `centred_squares` rounds them. */
VECTOR static void square(const Steps *s, int64_t pair, double *out) {
    const double *one = s->values + s->one[pair] * s->topics, *other = s->values + s->other[pair] * s->topics;
    double sum[LANES] = {0}, mean = 0, largest = 0;
    int64_t topics = s->topics, t = 0;
    int exponent;
    for (; t + LANES <= topics; t += LANES)
        for (int k = 0; k < LANES; k++) sum[k] += one[t + k] - other[t + k];
    for (; t < topics; t++) sum[0] += one[t] - other[t];
    for (int k = 0; k < LANES; k++) mean += sum[k];
    mean /= (double)topics;
    for (t = 0; t < topics; t++) {
        double apart = one[t] - other[t];
        apart -= mean;
        out[t] = apart;
        apart = apart < 0 ? -apart : apart;
        largest = apart > largest ? apart : largest;
    }
    if (largest <= 2) {
        for (t = 0; t < topics; t++) out[t] = 0;
        return;
    }
    int bits = 1;
    while (((int64_t)1 << bits) < topics) bits++;
    frexp(largest * largest, &exponent);
    double unit = ldexp(1.0, exponent + bits - 52), inverse = 1 / unit; /* powers of 2: products are exact */
    for (t = 0; t < topics; t++) {
        double square = out[t] * out[t];
        square *= inverse; /* below 2^51, so adding 2^52 rounds it to a whole number */
        square += 0x1p52;
        square -= 0x1p52;
        out[t] = square * unit;
    }
}

/* Large squares of a pair, times the number of topics and rounded down, and their topics: the largest among every
   LEADING-th topic from the first on, from the second on, and so on. */
VECTOR static void lead(const Steps *s, const double *squares, Bound *bound) {
    double largest[LEADING] = {0}, all = 0;
    int64_t topic[LEADING] = {0}, t = 0;
    for (; t + LEADING <= s->topics; t += LEADING) {
        for (int k = 0; k < LEADING; k++) {
            topic[k] = squares[t + k] > largest[k] ? t + k : topic[k];
            largest[k] = squares[t + k] > largest[k] ? squares[t + k] : largest[k];
        }
    }
    for (int k = 0; t < s->topics; t++, k++)
        if (squares[t] > largest[k]) largest[k] = squares[t], topic[k] = t;
    for (int k = 0; k < LEADING; k++) all = largest[k] > all ? largest[k] : all;
    double scale = EXTRA / s->extra, topics = (double)s->topics * LESS;
    if (all * topics * scale > LARGEST) scale = LARGEST / (all * topics);
    bound->root = sqrt(scale);
    bound->extra = (uint16_t)(s->extra * scale * LESS);
    for (int k = 0; k < LEADING; k++) {
        bound->where[k] = topic[k];
        bound->square[k] = (uint16_t)(largest[k] * topics * scale * LESS);
    }
}

/* The statistic of a pair in a sample: the sum of its differences less that of the data, and its squares. 0 where the
   statistic is not above `least`, as far as the squares tell with a sum of `apart` at the most. */
VECTOR static double statistic(const Steps *s, const double *squares, int64_t pair, int64_t trial, double apart,
                               double least) {
    const double *one = s->values + s->one[pair] * s->topics, *other = s->values + s->other[pair] * s->topics;
    const double *often = s->often + trial * s->topics;
    double part[LANES] = {0}, sum[LANES] = {0}, total = 0, all, size = apart * apart;
    int64_t t = 0;
    for (; t + LANES <= s->topics; t += LANES)
        for (int k = 0; k < LANES; k++) part[k] += often[t + k] * squares[t + k];
    for (; t < s->topics; t++) part[0] += often[t] * squares[t];
    for (int k = 0; k < LANES; k++) total += part[k];
    all = (double)s->topics * total;
    if (size * (1 + least) * MORE < (all + s->extra) * least) return 0;
    for (t = 0, apart = 0; t + LANES <= s->topics; t += LANES)
        for (int k = 0; k < LANES; k++) sum[k] += (often[t + k] - 1) * (one[t + k] - other[t + k]);
    for (; t < s->topics; t++) sum[0] += (often[t] - 1) * (one[t] - other[t]);
    for (int k = 0; k < LANES; k++) apart += sum[k];
    size = apart * apart;
    double spread = all;
    spread -= size;
    if (spread < 0) spread = 0;
    spread += s->extra;
    return size / spread;
}

/* The first pair whose bar is above a statistic. */
static int64_t above(const Steps *s, double statistic) {
    int64_t low = 0, high = s->pairs;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (s->bar[middle] <= statistic) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* How far the sums of a pair must be apart to count: by the largest statistic x of each sample so far, or by the bar of
   the pairs from `pair` on. size / (all - size + extra) > x where size * (1 + x) / x > all + extra. */
static void look(const Steps *s, int64_t tile, int64_t pair, Screen *screen) {
    double far[WIDE] = {0}, farthest = 0;
    int64_t from = tile * WIDE;
    screen->open = 0;
    for (int k = 0; k < WIDE; k++) {
        screen->keep[k] = UINT16_MAX;
        if (from + k >= s->trials || s->end[from + k] >= s->pairs || s->unit[from + k] == 0) continue;
        double largest = s->most[from + k] > s->bar[pair] ? s->most[from + k] : s->bar[pair];
        screen->open++;
        if (largest > 0) far[k] = s->unit[from + k] * sqrt((1 + largest) / largest);
        if (!(far[k] > 0 && far[k] <= DBL_MAX)) far[k] = 0, screen->keep[k] = 0; /* no bound yet: all pass */
        farthest = far[k] > farthest ? far[k] : farthest;
    }
    for (int k = 0; k < WIDE; k++) screen->far[k] = farthest > 0 ? (uint16_t)ceil(far[k] / farthest * UINT16_MAX) : 0;
    screen->reach = farthest * (0x1p23 * 0x1p16 / UINT16_MAX) * MORE;
}

/* Which samples of a tile a pair may count in.

   With u = 2 (|a - b| + 2), at least twice the distance of the sums in units, and v = u * far / 2^16 + 1, sums are at
   most v * farthest / 2 apart, times sqrt((1 + x) / x). With w = v * factor / 2^16 + 1 the square of that is at most
   (farthest / 2)^2 * 2^48 / factor^2 * (w * w / 2^16 + 1), so factor = root * farthest / 2 * 2^24, rounded up, gives it in
   the units of the bound. A factor that does not fit in two bytes is halved, and the bound divided by 4. */
VECTOR static int sizes(const Steps *s, int64_t tile, const int16_t *a, const int16_t *b, const Bound *bound,
                        const Screen *screen, uint16_t *out) {
    uint16_t larger[WIDE], any = 0; /* an array of its own, which overlaps no other */
    const uint16_t *keep = screen->keep, *far = screen->far, *often[LEADING];
    double factor = bound->root * screen->reach;
    int shift = 0;
    for (; shift < 16 && !(factor <= UINT16_MAX - 1); shift += 2) factor /= 2;
    uint16_t square[LEADING], extra = (uint16_t)(bound->extra >> shift);
    uint16_t by = shift < 16 ? (uint16_t)(factor + 1) : UINT16_MAX; /* all pass, for the bound is 0 then */
    for (int l = 0; l < LEADING; l++) square[l] = (uint16_t)(bound->square[l] >> shift);
    for (int l = 0; l < LEADING; l++) often[l] = s->short_often + (tile * s->topics + bound->where[l]) * WIDE;
    for (int k = 0; k < WIDE; k++) { /* LEADING terms, written out: a loop of them is not vectorised */
        uint16_t part = (uint16_t)(extra + often[0][k] * square[0] + often[1][k] * square[1] + often[2][k] * square[2]
            + often[3][k] * square[3] + often[4][k] * square[4] + often[5][k] * square[5] + often[6][k] * square[6]
            + often[7][k] * square[7] + often[8][k] * square[8] + often[9][k] * square[9] + often[10][k] * square[10]
            + often[11][k] * square[11]);
        int16_t apart = (int16_t)(a[k] - b[k]);
        apart = (int16_t)(apart < 0 ? -apart : apart);
        uint16_t size = (uint16_t)(2 * apart + 4);
        size = (uint16_t)((((uint32_t)size * far[k]) >> 16) + 1);
        size = (uint16_t)((((uint32_t)size * by) >> 16) + 1);
        size = (uint16_t)((((uint32_t)size * size) >> 16) + 1);
        part &= keep[k];
        larger[k] = (uint16_t)((size > part ? size : part) - part);
        any |= larger[k];
    }
    if (any) memcpy(out, larger, sizeof larger);
    return any;
}

/* The sums of a system in the samples of a tile. */
static inline const int16_t *row_of(const Steps *s, int64_t tile, int64_t system) {
    return s->short_sums + (tile * s->systems + system) * WIDE;
}

static inline void fetch(const int16_t *row) {
#ifdef __GNUC__
    for (int k = 0; k < WIDE; k += 32) __builtin_prefetch(row + k);
#endif
}

/* A pair's statistic in a sample is known: 1 where it is the largest so far. It reaches the bars from this pair on, or
   from the first that was not reached before, up to the first that is above it. */
static int put(const Steps *s, int64_t pair, int64_t trial, double share) {
    if (!(share > s->most[trial])) return 0;
    s->most[trial] = share;
    int64_t begin = s->end[trial] > pair ? s->end[trial] : pair, end = above(s, share);
    if (end > begin) s->count[begin]++, s->count[end]--, s->end[trial] = end;
    return 1;
}

/* Samples of a tile, and pairs from `start` on whose squares are held. */
static void step(const Steps *s, int64_t tile, int64_t start, int64_t pairs) {
    int64_t from = tile * WIDE;
    uint16_t larger[WIDE];
    Screen screen;
    look(s, tile, start, &screen);
    for (int64_t p = 0; p < pairs && screen.open; p++) {
        int64_t pair = start + p;
        int changed = 0;
        if (p + AHEAD < pairs) {
            fetch(row_of(s, tile, s->one[pair + AHEAD]));
            fetch(row_of(s, tile, s->other[pair + AHEAD]));
        }
        const int16_t *a = row_of(s, tile, s->one[pair]), *b = row_of(s, tile, s->other[pair]);
        if (!sizes(s, tile, a, b, s->bounds + p, &screen, larger)) continue;
        for (int k = 0; k < WIDE; k++) {
            if (k % 4 == 0) {
                uint64_t four;
                memcpy(&four, larger + k, sizeof four);
                if (!four) {
                    k += 3;
                    continue;
                }
            }
            int64_t trial = from + k;
            if (!larger[k] || trial >= s->trials) continue;
            double least = s->most[trial] > s->bar[pair] ? s->most[trial] : s->bar[pair];
            double apart = s->unit[trial] * (abs(a[k] - b[k]) + 2);
            double share = statistic(s, s->squares + p * s->topics, pair, trial, apart, least);
            changed |= put(s, pair, trial, share);
        }
        if (changed) look(s, tile, pair, &screen);
    }
}

/* Sums of the systems in each sample, less those of the data. */
VECTOR static void add_up(const Steps *s) {
    for (int64_t trial = 0; trial < s->trials; trial++) {
        const double *often = s->often + trial * s->topics;
        for (int64_t system = 0; system < s->systems; system++) {
            const double *values = s->values + system * s->topics;
            double sum[LANES] = {0}, total = 0;
            int64_t t = 0;
            for (; t + LANES <= s->topics; t += LANES)
                for (int k = 0; k < LANES; k++) sum[k] += (often[t + k] - 1) * values[t + k];
            for (; t < s->topics; t++) sum[0] += (often[t] - 1) * values[t];
            for (int k = 0; k < LANES; k++) total += sum[k];
            s->sums[trial * s->systems + system] = total;
        }
    }
}

/* The same as `step` for all samples, without tiles: a size is at most topics times the sum of squares. */
static void step_by_sums(const Steps *s, int64_t start, int64_t pairs) {
    for (int64_t trial = 0; trial < s->trials; trial++) {
        const double *sums = s->sums + trial * s->systems;
        for (int64_t pair = start; pair < start + pairs && s->end[trial] < s->pairs; pair++) {
            double apart = fabs(sums[s->one[pair]] - sums[s->other[pair]]);
            double least = s->most[trial] > s->bar[pair] ? s->most[trial] : s->bar[pair];
            if (apart * apart * MORE < s->extra * least) continue;
            const double *squares = s->squares + (pair - start) * s->topics;
            put(s, pair, trial, statistic(s, squares, pair, trial, apart, least));
        }
    }
}

static void steps(const Steps *s) {
    int64_t end = above(s, 0);
    for (int64_t trial = 0; trial < s->trials; trial++) s->most[trial] = 0, s->end[trial] = end;
    for (int64_t p = 0; p <= s->pairs; p++) s->count[p] = 0;
    s->count[0] += (int32_t)s->trials, s->count[end] -= (int32_t)s->trials;
    if (s->sums) add_up(s);
    for (int64_t start = 0; start < s->pairs; start += s->chunk) {
        int64_t pairs = s->pairs - start < s->chunk ? s->pairs - start : s->chunk;
        for (int64_t p = 0; p < pairs; p++) {
            square(s, start + p, s->squares + p * s->topics);
            if (!s->sums) lead(s, s->squares + p * s->topics, s->bounds + p);
        }
        if (s->sums) step_by_sums(s, start, pairs);
        else for (int64_t tile = 0; tile < s->tiles; tile++) step(s, tile, start, pairs);
    }
    for (int64_t p = 1; p <= s->pairs; p++) s->count[p] += s->count[p - 1];
}

PyDoc_STRVAR(stepped_doc, "stepped(often, values, short_often, short_sums, unit, one, other, bar, extra, trials, "
                          "topics, systems, pairs, chunk, sums, squares, bounds, most, end, count)");
static PyObject *core_stepped(PyObject *self, PyObject *args) {
    Py_buffer b[14];
    Steps s;
    long long trials, topics, systems, pairs, chunk;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*y*dLLLLLw*w*w*w*w*w*", b, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7,
                          &s.extra, &trials, &topics, &systems, &pairs, &chunk, b + 8, b + 9, b + 10, b + 11, b + 12,
                          b + 13))
        return NULL;
    s.often = b[0].buf, s.values = b[1].buf, s.short_often = b[2].buf, s.short_sums = b[3].buf, s.unit = b[4].buf;
    s.one = b[5].buf, s.other = b[6].buf, s.bar = b[7].buf, s.sums = b[8].len ? b[8].buf : NULL;
    s.squares = b[9].buf, s.bounds = b[10].buf, s.most = b[11].buf, s.end = b[12].buf, s.count = b[13].buf;
    s.trials = trials, s.topics = topics, s.systems = systems, s.pairs = pairs;
    s.chunk = chunk, s.tiles = s.sums ? 0 : (trials + WIDE - 1) / WIDE;
    int fits = trials > 0 && topics > 0 && systems > 0 && pairs > 0 && trials <= MOST && topics <= MOST
        && systems <= MOST && pairs <= MOST && s.extra > 0 && b[0].len == trials * topics * 8
        && b[1].len == systems * topics * 8 && b[2].len == s.tiles * topics * WIDE * 2
        && b[3].len == s.tiles * systems * WIDE * 2 && b[4].len == s.tiles * WIDE * 8 && b[5].len == pairs * 4
        && b[6].len == pairs * 4 && b[7].len == pairs * 8 && chunk > 0 && chunk <= MOST
        && b[8].len == (s.sums ? trials * systems * 8 : 0) && b[9].len == chunk * topics * 8
        && b[10].len == (s.sums ? 0 : chunk * (Py_ssize_t)sizeof(Bound)) && b[11].len == trials * 8
        && b[12].len == trials * 8 && b[13].len == (pairs + 1) * 4;
    for (int64_t p = 0; fits && p < pairs; p++)
        fits = s.one[p] >= 0 && s.one[p] < systems && s.other[p] >= 0 && s.other[p] < systems
            && (p == 0 || s.bar[p - 1] <= s.bar[p]);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        steps(&s);
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; i < 14; i++) PyBuffer_Release(b + i);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "stepped: buffers and sizes do not fit");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef STEPS[] = {
    {"stepped", core_stepped, METH_VARARGS, stepped_doc},
    {NULL, NULL, 0, NULL},
};

HIDDEN int add_steps(PyObject *module); /* called by _core.c when the module is made */
int add_steps(PyObject *module) { return PyModule_AddFunctions(module, STEPS); }
