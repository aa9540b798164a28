// The texts that are inserted into a user's file: around a lambda, into the class of a functor, into a class
// that travels. Each text is one line. Pure functions.
#pragma once

#include <string>

#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

/// Quotes a text as a string literal.
std::string quoted(const std::string& text);

/// The texts before and behind the lambda of a loop; `path` is the file's name in all processes.
std::string before_body(const loop_site& site, const std::string& path);
std::string after_body(const loop_site& site);

/// The same for a lambda that loops capture.
std::string before_lambda(const reconstructible_closure& lambda);
std::string after_lambda(const reconstructible_closure& lambda);

/// The texts around an initialiser that only one process evaluates; other processes use only its type.
std::string before_given();
std::string after_given(const given_initialiser& init);

/// The initialiser of a number's capture, which makes it a reference: `&bound = stradsap_number(bound)`.
std::string value_of_number(const copied_number& number);

/// The captures to add to a lambda: variables that it uses without a capture and that other processes must
/// receive.
std::string added_captures(const loop_site& site);

/// A member function for a functor's class; it makes the loop body from an object.
std::string loop_function_of(const loop_site& site, const std::string& path);

/// The texts before and behind a subscript that leads to pointers to several elements.
std::string before_subscript(const reached_subscript& reached);
std::string after_subscript(const reached_subscript& reached);

/// The text before a loop for a check of its subscripts, by the number of the check at this loop.
std::string before_checked_loop(const std::string& made, std::size_t number);
/// The texts before and behind such a subscript.
std::string before_checked_subscript(const hoisted_subscript& hoisted, std::size_t number);
std::string after_checked_subscript(const hoisted_subscript& hoisted);

/// The text before a statement of `main` that accesses containers.
std::string before_accesses(const container_opening& opened);

/// A member function for a class that travels; it lists the members to send.
std::string members_of(const reflected_class& found);
std::string functions_of(const opened_class& found);

}  // namespace stradsap::pp
