// All names of the API and of the generated text, each spelled once. The preprocessor knows the runtime by
// these names only. Constants.
#pragma once

#include <iterator>

#include <stradsap/abi/loop_bits.hpp>

namespace stradsap::pp::api {

inline constexpr char name_space[] = "stradsap";

// the loop operators
inline constexpr char parallel_for[] = "parallel_for";
inline constexpr char async_for[] = "async_for";
inline constexpr char sync_for[] = "sync_for";

// the values that a program reports
inline constexpr char report[] = "report";

// numbers that a program reads while loops still fold into them
inline constexpr char running[] = "running";

// registers variables with checkpoints
inline constexpr char resumable[] = "resumable";
inline constexpr char save_point[] = "save_point";

// the distributed data structures
inline constexpr char dvector[] = "dvector";
inline constexpr char dmap[] = "dmap";
inline constexpr char dmultimap[] = "dmultimap";

// random numbers: a function of seed, launch and iteration, and its result type
inline constexpr char random[] = "random";
inline constexpr char random_stream[] = "random_stream";

// The generated calls; <stradsap/abi/inserted.hpp> lists them. All inserted identifiers that are not the
// user's begin with stradsap, so no macro of the program replaces them.
inline constexpr char loop[] = "::stradsap::stradsap_loop";
inline constexpr char loop_calling[] = "::stradsap::stradsap_loop_calling";
inline constexpr char closure[] = "::stradsap::stradsap_closure";
inline constexpr char functor[] = "::stradsap::stradsap_functor";
inline constexpr char rebuilt[] = "::stradsap::stradsap_rebuilt";
inline constexpr char sliced[] = "::stradsap::stradsap_sliced";
inline constexpr char straight[] = "::stradsap::stradsap_straight";
inline constexpr char interleaved[] = "::stradsap::stradsap_interleaved";
inline constexpr char phases[] = "::stradsap::stradsap_phases";
inline constexpr char interleaved_values[] = "::stradsap::stradsap_interleaved_values";
inline constexpr char given[] = "::stradsap::stradsap_given";
inline constexpr char number[] = "::stradsap::stradsap_number";
inline constexpr char carry[] = "::stradsap::stradsap_carry";
inline constexpr char carried_type[] = "::stradsap::stradsap_carried_type";
inline constexpr char part[] = "::stradsap::stradsap_at";
inline constexpr char value[] = "::stradsap::stradsap_value";
inline constexpr char kept[] = "::stradsap::stradsap_kept";
inline constexpr char callable[] = "::stradsap::stradsap_callable";
inline constexpr char kept_callable[] = "::stradsap::stradsap_kept_callable";
inline constexpr char container[] = "::stradsap::stradsap_container";
inline constexpr char member[] = "::stradsap::stradsap_part";
inline constexpr char further_member[] = "::stradsap::stradsap_further";
inline constexpr char of_this[] = "::stradsap::stradsap_of_this";
inline constexpr char globals[] = "::stradsap::stradsap_globals";
inline constexpr char global[] = "::stradsap::stradsap_global";
inline constexpr char reduction[] = "::stradsap::stradsap_reduction";
inline constexpr char reductions[] = "::stradsap::stradsap_reductions";
inline constexpr char members[] = "::stradsap::stradsap_members";
inline constexpr char bases[] = "::stradsap::stradsap_bases";
inline constexpr char enter_main[] = "::stradsap::stradsap_enter_main();";
inline constexpr char declare_enter_main[] = "namespace stradsap { void stradsap_enter_main(); }";
// beside a main: tells the runtime that stradsap-cc compiled it
inline constexpr char define_has_main[] =
    "extern \"C\" { extern const char stradsap_has_main; const char stradsap_has_main = 1; }";

inline constexpr char declare_members[] = "#include <stradsap/serialize.hpp>";

// prefix of a factory's parameter if the capture's name differs from the variable's
inline constexpr char parameter_prefix[] = "stradsap_";

// the member function that makes a loop body from an object
inline constexpr char loop_function[] = "stradsap_loop_";

// the member function that lists the members of a class, inserted or written by hand
inline constexpr char members_function[] = "stradsap_members_";

// begins the names of inserted member functions that give a private member to the text at a loop
inline constexpr char opened_prefix[] = "stradsap_its_";

// the archives of <stradsap/cereal.hpp>
inline constexpr char archives_space[] = "abi";
inline constexpr char output_archive[] = "output_archive";
inline constexpr char input_archive[] = "input_archive";
inline constexpr char archives_header[] = "<stradsap/cereal.hpp>";

inline constexpr char length[] = "::stradsap::stradsap_length";
inline constexpr char get[] = "stradsap_get";              // a member of the result of `part`
inline constexpr char of[] = "stradsap_of";                // a value for each interleaved iteration
inline constexpr char unused[] = "[[__maybe_unused__]] ";  // a reserved spelling

// the operators of reductions; <stradsap/abi/fold.hpp> defines them
inline constexpr char fold_sum[] = "::stradsap::stradsap_sum";
inline constexpr char fold_product[] = "::stradsap::stradsap_product";
inline constexpr char fold_minimum[] = "::stradsap::stradsap_minimum";
inline constexpr char fold_maximum[] = "::stradsap::stradsap_maximum";
inline constexpr char fold_minimum_number[] = "::stradsap::stradsap_minimum_number";
inline constexpr char fold_maximum_number[] = "::stradsap::stradsap_maximum_number";
inline constexpr char fold_bit_and[] = "::stradsap::stradsap_bit_and";
inline constexpr char fold_bit_or[] = "::stradsap::stradsap_bit_or";
inline constexpr char fold_bit_xor[] = "::stradsap::stradsap_bit_xor";
inline constexpr char fold_all[] = "::stradsap::stradsap_all";
inline constexpr char fold_any[] = "::stradsap::stradsap_any";

// the macro that makes <stradsap/parallel_for.hpp> require a wrapped body at each loop
inline constexpr char instrumented_macro[] = "STRADSAP_INSTRUMENTED";

// the type of models, and the models without plans
inline constexpr char model[] = "ConsistencyModel";
inline constexpr char ordered[] = "ordered";
inline constexpr char sync[] = "sync";
inline constexpr char approximate[] = "approximate";
inline constexpr char stale[] = "stale";
inline constexpr char stale_bound[] = "bound";
inline constexpr char stale_free[] = "free_running";
inline constexpr char merge[] = "merge";
inline constexpr char hottest[] = "hottest";

// the type of a scheduler without plans
inline constexpr char dynamic_schedule[] = "dynamic_schedule";

// the options of a loop that take functions of the program: methods of dynamic_schedule, and the class of
// merge functions
inline constexpr char priority[] = "priority";
inline constexpr char depends[] = "depends";
inline constexpr char merge_rule[] = "rule";

// statements about containers at a loop operator
inline constexpr char access[] = "access";
inline constexpr char reads[] = "reads";
inline constexpr char writes[] = "writes";
inline constexpr char adds[] = "adds";
inline constexpr char adds_late[] = "adds_late";
inline constexpr char pure[] = "pure";

// the reach of pointers to elements; <stradsap/abi/reach.hpp> defines them
inline constexpr char reach[] = "::stradsap::stradsap_reach";
inline constexpr char interval[] = "::stradsap::stradsap_interval";
inline constexpr char counted[] = "::stradsap::stradsap_counted";
inline constexpr char until[] = "::stradsap::stradsap_until";
inline constexpr char without_sign[] = "::stradsap::stradsap_unsigned";
inline constexpr char between[] = "::stradsap::stradsap_between";
inline constexpr char hull[] = "::stradsap::stradsap_hull";
inline constexpr char narrowed[] = "::stradsap::stradsap_narrowed";
inline constexpr char steps[] = "::stradsap::stradsap_steps";
inline constexpr char in_units[] = "::stradsap::stradsap_in_units";
inline constexpr char sure[] = "::stradsap::stradsap_sure";
inline constexpr char everything[] = "::stradsap::stradsap_everything";
inline constexpr char given_offsets[] =
    "::stradsap::stradsap_asked";  // the type of a reach that a call gives
inline constexpr char given_parameter[] = "stradsap_offsets_";
inline constexpr char moved_offsets[] = "stradsap_moved";  // methods of such a reach
inline constexpr char moved_back_offsets[] = "stradsap_moved_back";

// checks of subscripts before an inner loop; <stradsap/abi/hoisting.hpp> defines them
inline constexpr char hoist[] = "::stradsap::stradsap_hoist";
inline constexpr char hoist_if_held[] = "::stradsap::stradsap_hoist_if_held";
inline constexpr char hoist_steps[] = "::stradsap::stradsap_hoist_steps";
inline constexpr char wrapped[] = "::stradsap::stradsap_wrapped";
inline constexpr char hoist_guarded[] = "::stradsap::stradsap_hoist_guarded";
inline constexpr char hoist_steps_guarded[] = "::stradsap::stradsap_hoist_steps_guarded";
inline constexpr char scaled[] = "::stradsap::stradsap_scaled";
inline constexpr char no_hoist[] = "::stradsap::stradsap_no_hoist";
inline constexpr char load[] = "::stradsap::stradsap_load";
inline constexpr char load_if_held[] = "::stradsap::stradsap_load_if_held";
inline constexpr char no_load[] = "::stradsap::stradsap_no_load";
inline constexpr char hoist_by[] = "::stradsap::stradsap_hoist_by";
inline constexpr char from[] = "::stradsap::stradsap_from";
inline constexpr char nth[] = "::stradsap::stradsap_nth";
inline constexpr char rounds[] = "::stradsap::stradsap_rounds";
inline constexpr char rounds_through[] = "::stradsap::stradsap_rounds_through";
inline constexpr char hoisted_prefix[] = "stradsap_hoisted_";  // of the variable with the check's result

// before accesses of main; <stradsap/abi/opening.hpp> defines them
inline constexpr char open_to_read[] = "::stradsap::stradsap_open_to_read";
inline constexpr char open_to_write[] = "::stradsap::stradsap_open_to_write";

// template arguments of the generated calls: bits, with the runtime's meaning
inline constexpr unsigned straight_calls = abi::calls_functions;
inline constexpr unsigned straight_adds_once = abi::adds_fractions_once;
inline constexpr unsigned mode_read = abi::reads;
inline constexpr unsigned mode_write = abi::writes;
inline constexpr unsigned mode_aligned = abi::aligned;
inline constexpr unsigned mode_steers = abi::steers;
inline constexpr unsigned mode_steady = abi::steady;
inline constexpr unsigned mode_listed = abi::listed;
inline constexpr unsigned mode_accumulates = abi::accumulates;
inline constexpr unsigned mode_ranges = abi::ranges;
inline constexpr unsigned mode_replaces = abi::replaces;
inline constexpr unsigned mode_replaces_parts = abi::replaces_parts;
inline constexpr unsigned mode_keeps_least = abi::keeps_least;
inline constexpr unsigned mode_keeps_greatest = abi::keeps_greatest;
inline constexpr unsigned mode_folds_bits = abi::folds_bits;
inline constexpr unsigned mode_moved = abi::moved;
inline constexpr unsigned mode_read_at_index = abi::read_at_index;
inline constexpr unsigned operator_shift = abi::operator_shift;
inline constexpr unsigned operator_bits = abi::operator_bits;
inline constexpr unsigned mode_adds_late = abi::adds_late;
inline constexpr unsigned mode_gives_places = abi::gives_places;
inline constexpr unsigned mode_hinders = abi::hinders;
inline constexpr unsigned mode_decides = abi::decides;
inline constexpr unsigned mode_writes_own = abi::writes_own;
inline constexpr unsigned mode_reaches_any = abi::reaches_any;
inline constexpr unsigned mode_compared = abi::compared;
inline constexpr unsigned mode_ordered = abi::ordered;
inline constexpr unsigned operator_sum = abi::adds_up;
/// In the order of abi::operator_numbers.
inline constexpr const char* operators[] = {fold_sum,     fold_product,        fold_minimum,
                                            fold_maximum, fold_bit_and,        fold_bit_or,
                                            fold_bit_xor, fold_minimum_number, fold_maximum_number};
inline constexpr unsigned operator_stated = abi::adds_as_stated;
static_assert(std::size(operators) == operator_stated && abi::takes_maximum_number == 8);
inline constexpr unsigned loop_unknown_dependences = abi::unknown_dependences;
inline constexpr unsigned loop_random = abi::random;
inline constexpr unsigned loop_transactional = abi::transactional;
inline constexpr unsigned loop_relaxable = abi::relaxable;
inline constexpr unsigned loop_overshoots = abi::overshoots;
inline constexpr unsigned loop_asks_process = abi::asks_process;
inline constexpr unsigned loop_guarded = abi::guarded;
inline constexpr unsigned loop_fills_maps = abi::fills_maps;
inline constexpr unsigned loop_index_of_31_bits = abi::index_of_31_bits;
inline constexpr unsigned loop_index_of_32_bits = abi::index_of_32_bits;

}  // namespace stradsap::pp::api
