/* Resampling on a graphics card. The draws are those of _core.c and pure.py, a function of (seed, trial, topic,
   position), and sums are of whole numbers, so every result is that of the processors to the last bit.
   cpu.py has the twins and says what each kernel gives; cuda.py starts them. Kernels are right for any number
   of blocks and threads; only plain C++ is used, so that tests can run this very file without a card. */

typedef unsigned long long word;
typedef long long whole;

enum { FLIPPED, EVERY, DRAWN }; /* which topics count: a coin a topic, the bits of the trial's number, replacement */
enum { WIDE = 8 };              /* columns that a thread sums at a time */
enum { ABREAST = 8 };           /* pairs that a thread has in hand at a time */
#define GOLDEN 0x9E3779B97F4A7C15ull

extern __shared__ whole shared[];

/* ---- draws ------------------------------------------------------------------------------------------- */

static __device__ word scramble(word z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}
static __device__ word trial_key(word seed, word trial) {
    return scramble(scramble(seed ^ GOLDEN) + trial * 0xD1B54A32D192ED03ull);
}
static __device__ word topic_key(word trial, word topic) { return scramble(trial + topic * 0x8CB92BA72F3D8DD7ull); }
static __device__ int below(word draw, int n) { return (int)((draw & 0xFFFFFFFFull) * (word)n >> 32); }

/* The topic that counts at this topic's turn, or -1. */
static __device__ int picked(int kind, word trial, int t, int topics) {
    if (kind == EVERY) return trial >> t & 1 ? t : -1;
    word draw = scramble(topic_key(trial, (word)t) + GOLDEN);
    if (kind == DRAWN) return below(draw, topics);
    return draw & 1 ? t : -1;
}

/* ---- permutations within topics ------------------------------------------------------------------------ */

static __device__ void swap(unsigned short *at, int stride, int i, int j) {
    unsigned short drawn = at[j * stride];
    at[j * stride] = at[i * stride];
    at[i * stride] = drawn;
}

/* One topic's permutation, by Fisher and Yates from the end; two positions share a draw. */
static __device__ void shuffle(word key, int systems, unsigned short *at, int stride) {
    for (int i = 0; i < systems; i++) at[i * stride] = (unsigned short)i;
    for (int half = (systems - 1) / 2; half >= 0; half--) {
        word two = scramble(key + ((word)half + 1) * GOLDEN);
        int i = 2 * half;
        if (i + 1 < systems) swap(at, stride, i + 1, below(two >> 32, i + 2));
        if (i > 0) swap(at, stride, i, below(two, i + 1));
    }
}

/* The permutations of some topics side by side: that of topic t in column t, rows `stride` apart. */
static __device__ void shuffle_all(word trial, int start, int rows, int systems, unsigned short *at, int stride) {
    __syncthreads(); /* whoever still reads the last ones */
    for (int t = threadIdx.x; t < rows; t += blockDim.x)
        shuffle(topic_key(trial, (word)(start + t)), systems, at + t, stride);
    __syncthreads();
}

/* The largest that any thread of the block brings. */
static __device__ whole largest_of_all(whole mine, whole *room) {
    __syncthreads();
    room[threadIdx.x] = mine;
    for (int n = blockDim.x; n > 1; n = (n + 1) / 2) {
        __syncthreads();
        int other = threadIdx.x + (n + 1) / 2;
        if (other < n && room[other] > room[threadIdx.x]) room[threadIdx.x] = room[other];
    }
    __syncthreads();
    return room[0];
}

/* A block a trial: `tile` topics are shuffled at a time, then their columns summed, each by `groups` threads. */
extern "C" __global__ void permuted_ranges(const whole *values, int topics, int systems, int tile, int stride,
                                           int groups, word seed, word first, whole trials, whole *ranges) {
    whole *room = shared, *sums = room + blockDim.x;
    unsigned short *at = (unsigned short *)(sums + groups * systems);
    for (whole b = blockIdx.x; b < trials; b += gridDim.x) {
        word trial = trial_key(seed, first + (word)b);
        for (int start = 0; start < topics; start += tile) {
            int rows = tile < topics - start ? tile : topics - start;
            shuffle_all(trial, start, rows, systems, at, stride);
            for (int k = threadIdx.x; k < groups * systems; k += blockDim.x) {
                int i = k % systems;
                whole sum = start ? sums[k] : 0;
                for (int t = k / systems; t < rows; t += groups)
                    sum += values[(whole)(start + t) * systems + at[i * stride + t]];
                sums[k] = sum;
            }
        }
        __syncthreads();
        whole high = -0x7FFFFFFFFFFFFFFFll, low = high; /* of the sums, and of their opposites */
        for (int i = threadIdx.x; i < systems; i += blockDim.x) {
            whole sum = 0;
            for (int g = 0; g < groups; g++) sum += sums[g * systems + i];
            if (sum > high) high = sum;
            if (-sum > low) low = -sum;
        }
        whole range = largest_of_all(high, room);
        range += largest_of_all(low, room);
        if (threadIdx.x == 0) ranges[b] = range;
    }
}

/* A block a trial, a thread a pair of systems at a time; topics that do not fit at once are shuffled anew for each. */
extern "C" __global__ void permuted_pairs(const whole *values, const int *one, const int *other, int pairs, int topics,
                                          int systems, int tile, int stride, word seed, word first, whole trials,
                                          whole *largest) {
    whole *room = shared;
    unsigned short *at = (unsigned short *)(room + blockDim.x);
    for (whole b = blockIdx.x; b < trials; b += gridDim.x) {
        word trial = trial_key(seed, first + (word)b);
        whole most = 0;
        for (int from = 0; from < pairs; from += blockDim.x) {
            int p = from + threadIdx.x;
            whole sum = 0;
            for (int start = 0; start < topics; start += tile) {
                int rows = tile < topics - start ? tile : topics - start;
                if (from == 0 || tile < topics) shuffle_all(trial, start, rows, systems, at, stride);
                if (p >= pairs) continue;
                const unsigned short *mine = at + one[p] * stride, *yours = at + other[p] * stride;
                for (int t = 0; t < rows; t++)
                    sum += values[((whole)(start + t) * systems + mine[t]) * systems + yours[t]];
            }
            if (sum < 0) sum = -sum;
            if (sum > most) most = sum;
        }
        most = largest_of_all(most, room);
        if (threadIdx.x == 0) largest[b] = most;
    }
}

/* ---- topics flipped, or drawn with replacement ------------------------------------------------------------ */

/* A thread sums some columns of a trial. */
extern "C" __global__ void picked_sums(const whole *values, int topics, int columns, int kind, word seed, word first,
                                       whole trials, whole *sums) {
    int chunks = (columns + WIDE - 1) / WIDE;
    whole step = (whole)gridDim.x * blockDim.x;
    for (whole k = (whole)blockIdx.x * blockDim.x + threadIdx.x; k < trials * chunks; k += step) {
        whole b = k / chunks;
        int c = (int)(k % chunks) * WIDE;
        word trial = kind == EVERY ? first + (word)b : trial_key(seed, first + (word)b);
        whole sum[WIDE] = {0};
        for (int t = 0; t < topics; t++) {
            int row = picked(kind, trial, t, topics);
            if (row < 0) continue;
            const whole *value = values + (whole)row * columns + c;
#pragma unroll
            for (int i = 0; i < WIDE; i++)
                if (c + i < columns) sum[i] += value[i];
        }
#pragma unroll
        for (int i = 0; i < WIDE; i++)
            if (c + i < columns) sums[b * columns + c + i] = sum[i];
    }
}

/* From sums over the topics whose sign is flipped: how many trials leave two systems at least `bar` apart. A thread a
   pair, some trials each. */
extern "C" __global__ void flipped_pairs(const whole *sums, const whole *total, const whole *bar, int systems,
                                         whole trials, word *count) {
    whole pairs = (whole)systems * systems, step = (whole)gridDim.x * blockDim.x;
    for (whole p = (whole)blockIdx.x * blockDim.x + threadIdx.x; p < pairs; p += step) {
        int i = (int)(p / systems), j = (int)(p % systems);
        if (j <= i) continue;
        whole before = total[j] - total[i];
        word found = 0;
        for (whole b = blockIdx.y; b < trials; b += gridDim.y) {
            whole apart = before - 2 * (sums[b * systems + j] - sums[b * systems + i]);
            found += (apart < 0 ? -apart : apart) >= bar[p];
        }
        atomicAdd(count + p, found);
    }
}

/* How often each topic is drawn in each trial, (topics, trials), from zeros. A thread a draw. */
extern "C" __global__ void drawn_times(int topics, word seed, word first, whole trials, double *times) {
    whole step = (whole)gridDim.x * blockDim.x;
    for (whole k = (whole)blockIdx.x * blockDim.x + threadIdx.x; k < trials * topics; k += step) {
        whole b = k % trials;
        int row = picked(DRAWN, trial_key(seed, first + (word)b), (int)(k / trials), topics);
        atomicAdd(times + row * trials + b, 1.0);
    }
}

/* How many trials reach the bar of each pair, from their sums of values and of squares, (pairs, trials). Blocks in x go
   over pairs, those in y over trials. What is computed is done step by step as in cpu.py, here and below. */
extern "C" __global__ void reached_pairs(const double *sums, const double *squares, const double *bar,
                                         const double *variance, const double *least, int studentised, int topics,
                                         int pairs, whole trials, word *count) {
    for (int p = blockIdx.x; p < pairs; p += gridDim.x) {
        word found = 0;
        for (whole start = (whole)blockIdx.y * blockDim.x; start < trials; start += (whole)gridDim.y * blockDim.x) {
            whole b = start + threadIdx.x;
            int reached = 0;
            if (b < trials) {
                double mean = sums[p * trials + b] / topics;
                double size = mean * mean;
                double spread = (squares[p * trials + b] - topics * size) / (topics - 1);
                double needed = bar[p] * spread;
                reached = studentised ? size * variance[p] >= (needed > least[p] ? needed : least[p])
                                      : (mean < 0 ? -mean : mean) >= bar[p];
            }
            found += __syncthreads_count(reached);
        }
        if (threadIdx.x == 0) atomicAdd(count + p, found);
    }
}

/* Squares of the differences of pairs of columns about their means, (topics, pairs), to so many bits that sums over
   topics are exact. A thread a pair. */
extern "C" __global__ void centred_squares(const double *values, const int *one, const int *other, int topics,
                                           int systems, int pairs, int bits, double *squares) {
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pairs; p += gridDim.x * blockDim.x) {
        const double *a = values + one[p], *b = values + other[p];
        double sum = 0, most = 0;
        for (int t = 0; t < topics; t++) sum += a[(whole)t * systems] - b[(whole)t * systems];
        double mean = sum / topics;
        for (int t = 0; t < topics; t++) {
            double apart = a[(whole)t * systems] - b[(whole)t * systems] - mean;
            if (apart < 0) apart = -apart;
            if (apart > most) most = apart;
        }
        int exponent = 0;
        frexp(most * most, &exponent);
        double unit = ldexp(1.0, exponent + bits);
        for (int t = 0; t < topics; t++) {
            double apart = a[(whole)t * systems] - b[(whole)t * systems] - mean;
            squares[(whole)t * pairs + p] = most <= 2.0 ? 0 : rint(apart * apart / unit) * unit;
        }
    }
}

/* How many trials reach the bar of each pair by the pair itself or by one before it. A thread a trial, ABREAST pairs
   at a time; `most` is the largest statistic of each trial so far. Sums of differences about the mean are
   (systems, trials), those of squares (pairs, trials). */
extern "C" __global__ void stepped(const double *squares, const double *sums, const int *one, const int *other,
                                   const double *bar, double extra, int topics, int pairs, whole trials, double *most,
                                   word *count) {
    for (whole start = (whole)blockIdx.x * blockDim.x; start < trials; start += (whole)gridDim.x * blockDim.x) {
        whole b = start + threadIdx.x;
        int works = b < trials;
        double largest = works ? most[b] : 0;
        for (int from = 0; from < pairs; from += ABREAST) {
            double share[ABREAST];
            int found = 0;
#pragma unroll
            for (int r = 0; r < ABREAST; r++) {
                int p = from + r;
                share[r] = 0;
                if (!works || p >= pairs) continue;
                double apart = sums[one[p] * trials + b] - sums[other[p] * trials + b];
                double size = apart * apart;
                double spread = topics * squares[p * trials + b] - size;
                share[r] = size / ((spread > 0 ? spread : 0) + extra);
            }
#pragma unroll
            for (int r = 0; r < ABREAST; r++) {
                int p = from + r;
                if (share[r] > largest) largest = share[r];
                int reached = __syncthreads_count(works && p < pairs && largest >= bar[p]);
                if (r == threadIdx.x) found = reached;
            }
            if (threadIdx.x < ABREAST && from + threadIdx.x < pairs) atomicAdd(count + from + threadIdx.x, (word)found);
        }
        if (works) most[b] = largest;
    }
}

/* ---- halves of the topics ---------------------------------------------------------------------------------- */

/* 1 for the topics of a random half, those with the smallest keys, (trials, topics). A block a trial, which finds the
   border bit by bit. */
extern "C" __global__ void drawn_halves(int topics, word seed, word first, whole trials, double *half) {
    for (whole b = blockIdx.x; b < trials; b += gridDim.x) {
        word trial = trial_key(seed, first + (word)b), border = 0;
        for (int bit = 63, fewer = -1; bit >= 0 && fewer != topics / 2; bit--) {
            word tried = border | 1ull << bit;
            fewer = 0;
            for (int start = 0; start < topics; start += blockDim.x) {
                int t = start + threadIdx.x;
                fewer += __syncthreads_count(t < topics && topic_key(trial, (word)t) < tried);
            }
            if (fewer <= topics / 2) border = tried;
        }
        for (int t = threadIdx.x; t < topics; t += blockDim.x)
            half[b * topics + t] = topic_key(trial, (word)t) < border;
    }
}

/* Pairs of systems by their means on two halves of the topics: ordered alike, ordered the other way round, tied on the
   first half, tied on the second; (4, trials). `sums` are over the first half and `total` over all topics, upper bits of
   all systems and then lower ones. Means are equal on paper where they differ by no more than the tolerance times either,
   and in chains: each has the least that it is linked to. A block a trial. */
extern "C" __global__ void concordance(const double *sums, const double *total, int systems, int topics,
                                       double tolerance, whole trials, int *counts) {
    double *mean = (double *)shared, *least = mean + 2 * systems;
    int *found = (int *)(least + 2 * systems);
    for (whole b = blockIdx.x; b < trials; b += gridDim.x) {
        __syncthreads();
        for (int k = threadIdx.x; k < 2 * systems; k += blockDim.x) {
            int i = k % systems;
            double upper = sums[2 * systems * b + i], lower = sums[2 * systems * b + systems + i];
            least[k] = mean[k] = k < systems
                ? (upper + lower) / (topics / 2)
                : ((total[i] - upper) + (total[systems + i] - lower)) / (topics - topics / 2);
        }
        if (threadIdx.x < 4) found[threadIdx.x] = 0;
        __syncthreads();
        for (int moved = 1; moved;) {
            int mine = 0;
            for (int k = threadIdx.x; k < 2 * systems; k += blockDim.x) {
                double size = mean[k] < 0 ? -mean[k] : mean[k];
                for (int j = k < systems ? 0 : systems, end = j + systems; j < end; j++) {
                    if (least[j] >= least[k]) continue;
                    double apart = mean[j] < mean[k] ? mean[k] - mean[j] : mean[j] - mean[k];
                    double other = mean[j] < 0 ? -mean[j] : mean[j];
                    if (apart > tolerance * size + tolerance * other) continue;
                    least[k] = least[j];
                    mine = 1;
                }
            }
            moved = __syncthreads_count(mine);
        }
        int alike = 0, apart = 0, first = 0, second = 0;
        for (int i = 0; i < systems; i++)
            for (int j = i + 1 + threadIdx.x; j < systems; j += blockDim.x) {
                int x = (least[i] < least[j]) - (least[i] > least[j]);
                int y = (least[systems + i] < least[systems + j]) - (least[systems + i] > least[systems + j]);
                alike += x * y > 0;
                apart += x * y < 0;
                first += !x;
                second += !y;
            }
        atomicAdd(found, alike);
        atomicAdd(found + 1, apart);
        atomicAdd(found + 2, first);
        atomicAdd(found + 3, second);
        __syncthreads();
        if (threadIdx.x < 4) counts[threadIdx.x * trials + b] = found[threadIdx.x];
    }
}
