/* SPDX-License-Identifier: MIT */
/*
 * soak.c - soak LAYER SECONDS [SEED]: mixed calls from four threads on a driver that has faults of
 * one kind after the other, so many seconds in all.
 *
 * A call gives the right result, or a status with a text.  After a round, at the end of which all
 * contexts are closed, nothing is left, and memory, files and threads of the process have not
 * grown.  Each kind has a process of its own, so that a crash has its name.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../layer/layer.h"
#include "soak.h"

#define THREADS 4
#define CALLS 4000 /* of a thread in a round, at most */
#define LEAST 60
#define TEXT_BYTES 1024 /* that failures may take: their texts stay for clopt_error */
#define ROUNDS 3 /* at least, but for the last one's end */
#define HANG_SECONDS 300
#define SHOWN 5

struct kind {
	const char *name, *words;
	int fault; /* that has to be planted; -1: none */
	int check; /* enum clopt_check */
	unsigned weight; /* of the time */
	int blind; /* nothing is checked, so that wrong results have to be seen */
};
static const struct kind kinds[] = {
	{ "none", "share", -1, CLOPT_CHECK_FIRST, 1, 0 },
	{ "late", "share,delay=5", LAYER_DELAY, CLOPT_CHECK_FIRST, 1, 0 },
	{ "fail", "share,fail=300", LAYER_FAIL, CLOPT_CHECK_FIRST, 2, 0 },
	{ "lose", "share,lose=10000", LAYER_LOSE, CLOPT_CHECK_FIRST, 1, 0 },
	{ "stuck", "share,stuck=2000", LAYER_STUCK, CLOPT_CHECK_FIRST, 1, 0 },
	{ "wrong", "share,wrong=100", LAYER_WRONG, CLOPT_CHECK_ALWAYS, 2, 0 },
	{ "blind", "share,wrong=20", LAYER_WRONG, CLOPT_CHECK_OFF, 1, 1 },
	{ "all", "share,fail=1000,lose=50000,delay=100,wrong=500", LAYER_FAIL, CLOPT_CHECK_ALWAYS,
	  2, 0 },
};

static const struct kind *kind;
static char folder[] = "/tmp/clopt-soak-XXXXXX";
static atomic_ulong calls, failures, wrongs, silent, passed_over, lost;
static atomic_int shown;
static double round_end;
static char words[160]; /* of this round */

static void (*set)(const char *);
static long (*planted)(int);
static long (*live)(void);
static int (*unstick)(void);

/* ---- What the library allocates ------------------------------------------------------- */

static atomic_long allocated;

static void *counted(void *p)
{
	atomic_fetch_add(&allocated, p ? (long)malloc_usable_size(p) : 0);
	return p;
}

#define ALLOCATES(name, parameters, arguments) \
	void *__real_##name parameters; \
	void *__wrap_##name parameters \
	{ \
		return counted(__real_##name arguments); \
	}
ALLOCATES(malloc, (size_t n), (n))
ALLOCATES(calloc, (size_t n, size_t size), (n, size))
ALLOCATES(strdup, (const char *text), (text))

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
	const long before = p ? (long)malloc_usable_size(p) : 0;
	void *made = __real_realloc(p, n);

	if (made || n == 0) {
		atomic_fetch_sub(&allocated, before);
		counted(made);
	}
	return made;
}

int __real_posix_memalign(void **p, size_t align, size_t n);
int __wrap_posix_memalign(void **p, size_t align, size_t n)
{
	const int rc = __real_posix_memalign(p, align, n);

	if (rc == 0)
		counted(*p);
	return rc;
}

void __real_free(void *p);
void __wrap_free(void *p)
{
	atomic_fetch_sub(&allocated, p ? (long)malloc_usable_size(p) : 0);
	__real_free(p);
}

/* ---- What the process has ------------------------------------------------------------- */

struct use {
	long objects, library_bytes, resident_kb, threads, files;
};

static long entries(const char *path)
{
	DIR *d = opendir(path);
	long n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static struct use now(void)
{
	struct use u = { live(), atomic_load(&allocated), 0, entries("/proc/self/task"),
		         entries("/proc/self/fd") };
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%*d %ld", &u.resident_kb) == 1)
		u.resident_kb *= sysconf(_SC_PAGESIZE) / 1024;
	if (f)
		fclose(f);
	return u;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_ms(long ms)
{
	const struct timespec t = { 0, ms * 1000000 };

	nanosleep(&t, NULL);
}

/* ---- Calls ------------------------------------------------------------------------------ */

static void show(const char *what, const char *text)
{
	if (atomic_fetch_add(&shown, 1) < SHOWN)
		fprintf(stderr, "soak %s: %s: %s\n", kind->name, what, text);
}

/* Whether the faults of this kind may end in this status. */
static int may_be(int rc)
{
	const int fails = kind->fault == LAYER_FAIL;

	switch (rc) {
	case CLOPT_ELOST:
		return fails || kind->fault == LAYER_LOSE;
	case CLOPT_EWRONG:
	case CLOPT_ENOVARIANT:
		return fails || kind->fault == LAYER_WRONG;
	case CLOPT_EDEVICE:
	case CLOPT_ENOMEM:
	case CLOPT_EBUILD:
	case CLOPT_EUNSUPPORTED: /* asked for double and images, the device failed */
	case CLOPT_ENODEVICE:
		return fails;
	default:
		return 0;
	}
}

static void judge(struct worker *w, int rc)
{
	const int judged = w->checked || kind->check != CLOPT_CHECK_ALWAYS;

	atomic_fetch_add(&calls, 1);
	if (rc != CLOPT_OK) {
		atomic_fetch_add(&failures, 1);
		if (!*clopt_error(w->ctx) || !may_be(rc)) {
			atomic_fetch_add(&silent, 1);
			show(clopt_strerror(rc), clopt_error(w->ctx));
		}
	}
	if (*w->wrong && judged) {
		atomic_fetch_add(&wrongs, 1);
		if (!kind->blind)
			show("wrong", w->wrong);
	} else if (*w->wrong) {
		atomic_fetch_add(&passed_over, 1);
	}
}

static void *work(void *argument)
{
	struct worker *w = argument;
	int i, rc = CLOPT_OK;

	for (i = 0; i < CALLS && (i < LEAST || seconds() < round_end); i++) {
		rc = soak_call(w);
		judge(w, rc);
		if (rc == CLOPT_ELOST || rc == CLOPT_ENOVARIANT)
			break;
	}
	/* A lost device is told as such by each later call. */
	if (rc == CLOPT_ELOST) {
		atomic_fetch_add(&lost, 1);
		*w->wrong = '\0';
		rc = soak_product(w);
		if (rc != CLOPT_ELOST) {
			atomic_fetch_add(&silent, 1);
			show("after a loss", clopt_strerror(rc));
		}
	}
	return NULL;
}

static struct clopt *open_context(uint64_t *state, int plain)
{
	static const size_t limits[] = { 0, 15000, 40000, 100000 };
	struct worker w = { .state = *state };
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx = NULL;
	int rc;

	o.cache_dir = folder;
	o.tuning = "0";
	o.verbose = -1;
	o.check = kind->check;
	o.small = soak_chance(&w, 4) ? CLOPT_SMALL_DEVICE : CLOPT_SMALL_HOST;
	o.mem_limit_bytes = limits[soak_chance(&w, 4)];
	o.queues = soak_chance(&w, 5);
	o.transfer = (int)soak_chance(&w, 4);
	o.profile = soak_chance(&w, 4) == 0;
	*state = w.state;
	rc = clopt_open(&ctx, &o);
	if (rc != CLOPT_OK && (plain || (!may_be(rc) && !may_be(CLOPT_ELOST)))) {
		atomic_fetch_add(&silent, 1);
		show("clopt_open", clopt_error(NULL));
	}
	return ctx;
}

/* With no more faults: a fresh context gives a right result, whatever the others have gone
 * through. */
static void expect_well(uint64_t *state)
{
	static struct worker w;
	int rc;

	set("share");
	w.state = *state;
	w.ctx = open_context(state, 1);
	*w.wrong = '\0';
	rc = w.ctx ? soak_product(&w) : CLOPT_EDEVICE;
	if (rc != CLOPT_OK || *w.wrong) {
		atomic_fetch_add(&silent, 1);
		show("a fresh context", *w.wrong ? w.wrong : clopt_error(w.ctx));
	}
	clopt_close(w.ctx);
	set(words);
}

/* Lets commands that never begin begin once no call comes to its end any more: until then calls
 * wait, and other contexts work. */
static void *watch(void *argument)
{
	atomic_int *end = argument;
	unsigned long before = atomic_load(&calls);
	uint64_t state = 99;
	double since = seconds();

	while (!atomic_load(end)) {
		wait_ms(50);
		if (atomic_load(&calls) != before) {
			before = atomic_load(&calls);
			since = seconds();
		} else if (seconds() > since + 1 && kind->fault == LAYER_STUCK) {
			expect_well(&state);
			unstick();
			since = seconds();
		} else if (seconds() > since + HANG_SECONDS) {
			fprintf(stderr, "soak %s: no call ended for %d s\n", kind->name,
			        HANG_SECONDS);
			abort();
		}
	}
	return NULL;
}

/* A context for all threads, or one for each. */
static void run_round(uint64_t *state)
{
	static struct worker w[THREADS];
	pthread_t thread[THREADS], watcher;
	atomic_int end = 0;
	struct worker draw = { .state = *state };
	const int shared = (int)soak_chance(&draw, 3) != 0;
	int i;

	snprintf(words, sizeof words, "%s%s", kind->words,
	         soak_chance(&draw, 2) ? ",discrete" : "");
	*state = draw.state;
	set(words);
	pthread_create(&watcher, NULL, watch, &end);
	for (i = 0; i < THREADS; i++) {
		w[i].ctx = shared && i ? w[0].ctx : open_context(state, 0);
		w[i].state = *state * 2654435761u + (unsigned)i + 1;
	}
	for (i = 0; i < THREADS; i++)
		if (w[i].ctx)
			pthread_create(&thread[i], NULL, work, &w[i]);
	for (i = 0; i < THREADS; i++)
		if (w[i].ctx)
			pthread_join(thread[i], NULL);
	for (i = 0; i < (shared ? 1 : THREADS); i++)
		clopt_close(w[i].ctx);
	atomic_store(&end, 1);
	pthread_join(watcher, NULL);
	unstick();
}

/* ---- A kind of faults, in its own process ------------------------------------------------ */

static int run_kind(const char *library, double length, uint64_t state)
{
	void *layer = dlopen(library, RTLD_NOW);
	const double begun = seconds();
	struct use first, last;
	unsigned rounds = 0;
	int bad;

	if (!layer) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&set = dlsym(layer, "layer_set");
	*(void **)&planted = dlsym(layer, "layer_planted");
	*(void **)&live = dlsym(layer, "layer_live");
	*(void **)&unstick = dlsym(layer, "layer_unstick");
	do {
		round_end = seconds() + length / ROUNDS;
		run_round(&state);
		expect_well(&state);
		wait_ms(50); /* for threads that end */
		last = now();
		if (rounds++ == 1 || rounds == 1)
			first = last;
	} while (seconds() < begun + length ||
	         (rounds < 100 && ((kind->fault >= 0 && planted(kind->fault) == 0) ||
	                           (kind->blind && atomic_load(&wrongs) == 0))));
	bad = (atomic_load(&wrongs) != 0) != kind->blind || atomic_load(&silent) || last.objects ||
	      last.library_bytes > first.library_bytes + TEXT_BYTES ||
	      last.threads > first.threads || last.files > first.files ||
	      (kind->fault >= 0 && planted(kind->fault) == 0);
	printf("%-5s %7lu calls in %u rounds, %.0f s: %ld faults planted, %lu calls failed and "
	       "said so, "
	       "%lu contexts lost, %lu wrong, %lu said wrongly; objects left %ld; library %ld -> "
	       "%ld bytes; "
	       "threads %ld -> %ld; files %ld -> %ld; process %ld -> %ld MB%s\n",
	       kind->name, atomic_load(&calls), rounds, seconds() - begun,
	       kind->fault >= 0 ? planted(kind->fault) : 0, atomic_load(&failures),
	       atomic_load(&lost), atomic_load(&wrongs), atomic_load(&silent), last.objects,
	       first.library_bytes, last.library_bytes, first.threads, last.threads, first.files,
	       last.files, first.resident_kb / 1024, last.resident_kb / 1024,
	       bad ? ": FAILED" : "");
	fflush(stdout);
	return bad;
}

int main(int argc, char **argv)
{
	const double length = argc > 2 ? strtod(argv[2], NULL) : 0;
	const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	unsigned i, weights = 0;
	int status, bad = 0;

	if (!(length > 0) || !mkdtemp(folder)) {
		fprintf(stderr, "usage: soak LAYER SECONDS [SEED [KIND]]\n");
		return 2;
	}
	setenv("OPENCL_LAYERS", argv[1], 1);
	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		weights += kinds[i].weight;
	for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		kind = &kinds[i];
		if (argc > 4 && strcmp(argv[4], kind->name) != 0)
			continue;
		snprintf(words, sizeof words, "seed=%lu,%s", (unsigned long)seed, kind->words);
		setenv("CLOPT_LAYER", words, 1);
		if (fork() == 0)
			_exit(run_kind(argv[1], argc > 4 ? length : length * kind->weight / weights,
			               seed * 2654435761u + i));
		wait(&status);
		bad |= status;
		if (WIFSIGNALED(status))
			printf("%s: signal %d\n", kind->name, WTERMSIG(status));
	}
	snprintf(words, sizeof words, "rm -rf %s", folder);
	return system(words) != 0 || bad != 0;
}
