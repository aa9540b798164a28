// The findings in one translation unit, as plain data: the whole input of the rewriter and the driver.
// Nothing here points into Clang, so it outlives the parse.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stradsap::pp {

/// A position in a source file: the file's name in the compiler's spelling, and a byte offset. For text from
/// a macro's definition: the offset of the invocation, and the index of the expansion's token that follows
/// the position.
struct text_position {
  std::string file;
  unsigned offset = 0;
  int token = -1;

  auto operator<=>(const text_position&) const = default;
};

/// The same for messages: line and column, from 1.
struct source_place {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  auto operator<=>(const source_place&) const = default;
};

/// `callable`: a lambda with captures of its own, in at least one instance.
enum class argument_kind { value, callable, container, reduction };

/// A part of a reduction variable, and the operator that folds into it.
struct folded_member {
  std::string path;  // `.loss`, `[].count`; empty for the variable itself
  std::string op;    // from api_names.hpp
};

/// A consistency::stale in the program's text, of a loop or of a container. Or the model of a container that
/// the program computes, which may be stale.
struct stated_staleness {
  std::string text;                        // `consistency::stale(2)`
  bool is_computed = false;                // nothing but the text is known
  std::optional<std::int64_t> bound = {};  // if it is a constant
  bool of_hottest = false;                 // only the hottest elements
  bool runs_freely = false;                // timing decides the calls that a call sees

  bool operator==(const stated_staleness&) const = default;
};

/// An outer variable of a loop body, and the way in which it reaches the processes that run the loop.
struct loop_argument {
  std::string name;
  std::string path = {};    // `model.weights`: the object and the name of a captured member; else empty
  bool evaluated = false;   // `path` is an expression with no meaning in other processes
  std::string object = {};  // of a member of a captured object: the object, `X` or `*this`
  std::string member = {};  // and the path from there: `train.indptr`
  argument_kind kind = argument_kind::value;
  unsigned bits = 0;       // a container's mode, a value's dependence; see api_names.hpp
  bool by_copy = false;    // copied when the closure is made, not when the loop starts
  bool is_object = false;  // a value that is no number
  std::uint64_t written_fields =
      ~std::uint64_t{0};  // a container's fields that the loop may change, a bit each
  std::uint64_t steering_fields = ~std::uint64_t{0};  // and those that subscripts depend on
  bool has_keys = false;                              // a container other than a dvector
  std::vector<folded_member> folded = {};             // of a reduction
  std::optional<stated_staleness> stale = {};         // of a container, as its initialiser states
};

/// A global variable; each launch sends its value.
struct loop_global {
  std::string path;  // `::space::variable`
  unsigned bits = 0;
};

/// An access that depends on data of a container that the loop writes.
struct decided_access {
  source_place where;
  std::string container;
  std::string writes;  // "writes" or "may write"
  /// A comparison of pointers to elements that counts as a use of the data, if there is one.
  std::optional<source_place> compared = {};

  auto operator<=>(const decided_access&) const = default;
};

/// The source of the access sets. All but `transactions` find them before the loop runs.
enum class found_by { nothing, exact_slice, slice, whole_body, transactions };

/// The initialiser of an init-capture that only one process evaluates; the others receive the result.
struct given_initialiser {
  text_position begin;
  text_position end;
  std::string name;  // of the capture
};

/// The way in which a lambda's head names a variable.
enum class named_in_head { no, by_copy, by_reference };

/// A local of the surrounding function that must stay usable in constant expressions.
struct captured_constant {
  std::string name;
  named_in_head named = named_in_head::no;
  std::string value = {};  // set if a lambda around the loop may have captured it

  bool operator==(const captured_constant&) const = default;
};

/// A lambda that other processes make too: a loop's body, or a lambda that a body captures.
struct reconstructible_closure {
  text_position begin;             // its '['; for a class, its '}'
  text_position end;               // just after its '}'
  bool in_macro_argument = false;  // commas need parentheses around them
  bool is_kept = false;            // made before the loop starts, for example in a variable
  std::vector<loop_argument> arguments;
  std::vector<captured_constant> constants;
  std::vector<given_initialiser> given;
};

/// A number that a body captures by copy. g++ keeps a closure in memory if the body passes such a number to a
/// function that may return a reference to it, as in `std::max(x, bound)`. So the closure has a reference.
struct copied_number {
  std::string name;
  std::optional<text_position> begin = {};  // of the capture; none if `=` captures it
  std::optional<text_position> end = {};

  bool operator==(const copied_number&) const = default;
};

/// Whether the native compiler can vectorise a loop over the iterations of a body.
enum class straightness {
  none,
  with_calls,  // if it vectorises functions of <cmath>
  plain
};

/// A body that interleaves iterations, as lambdas for its three phases; see `interleaving.hpp`.
struct interleaved_text {
  std::string begin;
  std::string chains;
  std::string rest;
  std::vector<std::string> read;                 // containers that the first two phases access
  std::map<text_position, std::string> helpers;  // copies of functions, by insertion point

  bool operator==(const interleaved_text&) const = default;
};

/// The body of a loop operator: a lambda, or a functor's class.
struct loop_site : reconstructible_closure {
  text_position capture_end;  // its first ']'
  std::string functor;        // the name of the class; empty for a lambda
  bool is_aggregate = false;  // of the class
  std::string function;
  unsigned ordinal = 0;  // among the lambdas of that function
  std::string place;     // FILE:LINE of the loop
  unsigned flags = 0;
  std::vector<loop_argument> of_lambdas;  // captures of the lambdas that it captures
  // the members of captured objects, at any depth, that text at the loop may name in this instance
  std::map<std::string, std::set<std::string>> members_of_objects;
  std::vector<std::string> added_captures;  // used without a capture; captured by reference
  std::vector<copied_number> numbers;
  bool captures_all = false;   // by reference; a variable is then captured once it is a local
  bool captures_none = false;  // `[]`
  std::vector<loop_global> globals;
  source_place where;                          // of the body
  bool planned = true;                         // the model needs the access sets
  std::optional<stated_staleness> stale = {};  // the model, as the call states
  bool folds_by_text = false;                  // it is sync or stale, and names no merge
  found_by sets = found_by::nothing;
  std::string why_whole_body;
  std::vector<std::string> unknown;  // causes of unknown dependences, as words
  bool knows_rows = false;    // the plan has rows where the body accesses an element at an unknown column
  bool may_run_again = true;  // an iteration may run again until it commits
  std::set<decided_access> transactions;  // the reasons to run as transactions, if any
  std::string inspector_begin;            // `[&](int64_t j) { `
  std::optional<interleaved_text> interleaving;
  std::string why_not_interleaved;
  straightness straight = straightness::none;
  bool adds_once = false;  // if straight: at most one addition an iteration into each captured fraction
  std::string inspector;   // statements that find the accesses; empty if only the body can
  std::map<text_position, std::string> sliced_functions;  // that it calls, by insertion point
};

/// An expression that passes an object to a loop operator as its body.
struct functor_use {
  text_position begin;
  text_position end;  // just after it
  std::string place;  // FILE:LINE of the loop

  auto operator<=>(const functor_use&) const = default;
};

/// A class that needs a list of its members, because its objects travel.
struct reflected_class {
  text_position closing_brace;
  text_position keyword_end;  // insertion point of a name, if the class has none
  bool unnamed = false;
  std::string name;
  std::vector<std::string> bases;
  std::vector<std::string> members;
};

/// Private members of a class that the text at loops names.
struct opened_class {
  text_position closing_brace;
  std::set<std::string> members;
};

/// A macro invocation to edit inside; its expansion replaces it.
struct macro_expansion {
  unsigned length = 0;  // of the invocation
  std::vector<std::string> tokens;
};

/// One #include directive of a user's file.
struct inclusion {
  std::string includer;
  unsigned offset = 0;  // of the quoted or bracketed name, delimiters included
  unsigned length = 0;
  std::string included;
};

/// An edit that carries out a note's advice.
struct fix_it {
  source_place begin;
  source_place end;  // just after the replaced text
  std::string text;
};

struct diagnostic_note {
  source_place place;
  std::string text;
  std::vector<fix_it> fixes = {};
};

struct diagnostic {
  source_place place;
  bool is_error = true;
  int number = 0;
  std::string text;
  std::vector<diagnostic_note> notes;
};

/// A subscript that leads to pointers, and the reach of these pointers.
struct reached_subscript {
  text_position end;  // just after it
  std::string index;  // the index, if the text has none
  std::string offsets;
};

/// A subscript that is checked before the loop around it.
struct hoisted_subscript {
  text_position loop;  // its `for`
  text_position end;   // just after the subscript
  std::string made;    // the check
  std::string index;   // the loop's index; empty: the subscript is an element of a container

  bool operator==(const hoisted_subscript&) const = default;
};

/// The containers that a statement of `main` accesses. They are opened before it.
struct container_opening {
  std::set<std::string> to_read;
  std::set<std::string> to_write;
  bool in_block = true;  // the statement stands in a block of its own right, not behind an `if` or a label
};

/// A loop with a save point, and the variables that it changes and resumable() does not name.
struct resumed_loop {
  source_place where;
  std::vector<std::string> unregistered;
};

struct translation_unit {
  std::string main_file;
  std::vector<loop_site> loops;
  std::vector<reconstructible_closure> lambdas;  // that loops capture and that have captures of their own
  std::vector<functor_use> functor_uses;         // in order
  std::map<text_position, reached_subscript> reaches;     // by the positions where the subscripts begin
  std::set<std::pair<text_position, std::string>> given;  // reaches that calls give, and copies
  std::map<text_position, hoisted_subscript> hoists;      // by the positions where the subscripts begin
  std::map<text_position, container_opening> openings;    // by the positions of the statements
  std::vector<resumed_loop> resumed;
  std::vector<reflected_class> classes;
  std::vector<opened_class> opened;
  bool classes_before_api = false;         // then insertions into them need a declaration first
  std::vector<text_position> main_bodies;  // just after the '{' of main
  std::vector<inclusion> inclusions;
  std::map<text_position, macro_expansion> expansions;  // by their invocations
  // invocations of macros with arguments in each file, from the name to the closing parenthesis
  std::map<std::string, std::vector<std::pair<unsigned, unsigned>>> invocations;
  std::map<std::string, std::string> texts;  // of each user's file that may be edited
  std::vector<diagnostic> diagnostics;       // sorted, without duplicates
  std::vector<std::string> parse_errors;     // Clang's own; if there are any, all else is empty

  bool reads_math_errors = false;  // that functions of <cmath> leave in errno

  bool needs_edits() const {
    return !loops.empty() || !classes.empty() || !main_bodies.empty() || !openings.empty();
  }
};

}  // namespace stradsap::pp
