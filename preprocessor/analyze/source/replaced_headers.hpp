// Substitutes for gcc headers that Clang cannot read, with the declarations that the analysis needs. The
// native compiler reads the originals. Constants.
#pragma once

namespace stradsap::pp {

/// A folder without a counterpart on disk; it is searched last.
inline constexpr char replaced_headers_dir[] = "/stradsap-replaced-headers";

inline constexpr char replaced_omp_h[] = R"(#pragma once
extern "C" {
typedef struct { void* state; } omp_lock_t;
typedef struct { void* state; } omp_nest_lock_t;
typedef enum { omp_sched_static = 1, omp_sched_dynamic, omp_sched_guided, omp_sched_auto } omp_sched_t;
void omp_set_num_threads(int);
int omp_get_num_threads();
int omp_get_max_threads();
int omp_get_thread_num();
int omp_get_num_procs();
int omp_in_parallel();
void omp_set_dynamic(int);
int omp_get_dynamic();
void omp_set_nested(int);
int omp_get_nested();
void omp_set_schedule(omp_sched_t, int);
void omp_get_schedule(omp_sched_t*, int*);
int omp_get_level();
void omp_set_max_active_levels(int);
int omp_get_max_active_levels();
double omp_get_wtime();
double omp_get_wtick();
void omp_init_lock(omp_lock_t*);
void omp_destroy_lock(omp_lock_t*);
void omp_set_lock(omp_lock_t*);
void omp_unset_lock(omp_lock_t*);
int omp_test_lock(omp_lock_t*);
}
)";

}  // namespace stradsap::pp
