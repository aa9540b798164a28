// What the analysis found in one translation unit, as plain data: all that rewriting and driver ever see of
// it. Nothing here points into Clang, so it outlives the parse.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stradsap::pp {

/// A place in a source file: the file's name as the compiler spells it and a byte offset. In text that a
/// macro's definition spells: the offset of the invocation, and before which token of its expansion.
struct text_position {
  std::string file;
  unsigned offset = 0;
  int token = -1;

  auto operator<=>(const text_position&) const = default;
};

/// The same place for people: line and column count from 1.
struct source_place {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  auto operator<=>(const source_place&) const = default;
};

/// `callable`: in some instance a lambda with captures of its own.
enum class argument_kind { value, callable, container, reduction };

/// A part of a reduction variable and the operator that folds into it.
struct folded_member {
  std::string path;  // `.loss`, `[].count`; empty for the variable itself
  std::string op;    // of api_names.hpp
};

/// One outer variable of a loop body, and how it goes to the processes that run the loop.
struct loop_argument {
  std::string name;
  std::string path = {};   // `model.weights`: of what object it is a member, and under which name; else empty
  bool evaluated = false;  // `path` is an expression: no other process knows what it names
  argument_kind kind = argument_kind::value;
  unsigned bits = 0;     // mode of a container, dependence of a value; see api_names.hpp
  bool by_copy = false;  // its value when the closure is made counts, not that when the loop is started
  std::uint64_t written_fields =
      ~std::uint64_t{0};  // of a container, a bit each: those that the loop may change
  std::uint64_t steering_fields = ~std::uint64_t{0};  // and those that subscripts depend on
  bool has_keys = false;                              // a container, but no dvector
  std::vector<folded_member> folded = {};             // of a reduction
};

/// A global variable whose value every launch brings along.
struct loop_global {
  std::string path;  // `::space::variable`
  unsigned bits = 0;
};

/// An access of a loop that depends on data in a container which the loop writes.
struct decided_access {
  source_place where;
  std::string container;
  std::string writes;  // or may write

  auto operator<=>(const decided_access&) const = default;
};

/// How the elements that iterations touch are found: before the loop runs, but for transactions.
enum class found_by { nothing, exact_slice, slice, whole_body, transactions };

/// The initialiser of an init-capture that only one process evaluates: others are given what it found.
struct given_initialiser {
  text_position begin;
  text_position end;
  std::string name;  // of the capture
};

/// How a lambda's head names a variable.
enum class named_in_head { no, by_copy, by_reference };

/// A local from around the lambda that must stay usable in constant expressions.
struct captured_constant {
  std::string name;
  named_in_head named = named_in_head::no;
  std::string value = {};  // where a lambda around the loop may have captured it

  bool operator==(const captured_constant&) const = default;
};

/// A lambda that other processes make again: a loop's body, or what a body captures.
struct made_again {
  text_position begin;             // its '['; of a class, its '}'
  text_position end;               // just after its '}'
  bool in_macro_argument = false;  // commas need parentheses around them
  bool is_kept = false;            // made before the loop is started, as in a variable
  std::vector<loop_argument> arguments;
  std::vector<captured_constant> constants;
  std::vector<given_initialiser> given;
};

/// A body in three phases, as lambdas; see jam.hpp.
struct jammed_text {
  std::string begin;
  std::string chains;
  std::string rest;
  std::vector<std::string> read;                 // containers that the first two touch
  std::map<text_position, std::string> helpers;  // copies of functions, and where they are inserted

  bool operator==(const jammed_text&) const = default;
};

/// The body of a loop operator: a lambda, or a class whose object it is.
struct loop_site : made_again {
  text_position capture_end;  // its first ']'
  std::string functor;        // the name of the class; empty for a lambda
  bool is_aggregate = false;  // the class
  std::string function;
  unsigned ordinal = 0;  // among the lambdas of that function
  std::string place;     // FILE:LINE of the loop
  unsigned flags = 0;
  std::vector<loop_argument> of_lambdas;    // what lambdas that it captures capture
  std::vector<std::string> added_captures;  // used without a capture, to be captured by reference
  bool captures_all = false;                // by reference: then they are captured as soon as they are locals
  bool captures_none = false;               // `[]`
  std::vector<loop_global> globals;
  source_place where;   // of the body
  bool planned = true;  // the model needs to know what iterations touch
  found_by sets = found_by::nothing;
  std::string why_whole_body;
  bool may_run_again = true;              // an iteration, before it counts
  std::set<decided_access> transactions;  // why it runs as such, if it does
  std::string inspector_begin;            // `[&](int64_t j) { `
  std::optional<jammed_text> jam;
  std::string inspector;  // statements that find what the body touches; empty if only the body can
};

/// An expression that hands an object to a loop operator as its body.
struct functor_use {
  text_position begin;
  text_position end;  // just after it
  std::string place;  // FILE:LINE of the loop

  auto operator<=>(const functor_use&) const = default;
};

/// A class whose members have to be listed because its objects travel.
struct reflected_class {
  text_position closing_brace;
  text_position keyword_end;  // where a name is inserted if the class has none
  bool unnamed = false;
  std::string name;
  std::vector<std::string> bases;
  std::vector<std::string> members;
};

/// A macro invocation of which part has to be edited, so that its expansion takes its place.
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

/// An edit that does what a note says.
struct fix_it {
  source_place begin;
  source_place end;  // just after what is replaced
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

/// A subscript from which pointers are made, and how far they reach.
struct reached_subscript {
  text_position end;  // just after it
  std::string index;  // where there is none yet
  std::string offsets;
};

struct translation_unit {
  std::string main_file;
  std::vector<loop_site> loops;
  std::vector<made_again> lambdas;        // that loops capture, and that capture something themselves
  std::vector<functor_use> functor_uses;  // in order
  std::map<text_position, reached_subscript> reaches;  // by where the subscripts begin
  std::vector<reflected_class> classes;
  bool classes_before_api = false;         // so that what is inserted into them has to be declared first
  std::vector<text_position> main_bodies;  // just after the '{' of main
  std::vector<inclusion> inclusions;
  std::map<text_position, macro_expansion> expansions;  // by their invocations
  // where macros are invoked with arguments, from the name to the parenthesis, in each file
  std::map<std::string, std::vector<std::pair<unsigned, unsigned>>> invocations;
  std::map<std::string, std::string> texts;  // of every user's file that may be edited
  std::vector<diagnostic> diagnostics;       // sorted, none twice
  std::vector<std::string> parse_errors;     // Clang's own; then nothing else is filled in

  bool needs_edits() const { return !loops.empty() || !classes.empty() || !main_bodies.empty(); }
};

}  // namespace stradsap::pp
