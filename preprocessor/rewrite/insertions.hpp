// The texts that go into a user's file: around a lambda, into the class of a functor, into a class that
// travels. All of them stay on one line. Pure functions.
#pragma once

#include <string>

#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

/// As a string literal.
std::string quoted(const std::string& text);

/// What stands before and behind the lambda of a loop; `path` is the file's name in all processes.
std::string before_body(const loop_site& site, const std::string& path);
std::string after_body(const loop_site& site);

/// The same of a lambda that loops capture.
std::string before_lambda(const made_again& lambda);
std::string after_lambda(const made_again& lambda);

/// What stands around an initialiser that only one process evaluates: its type is all that is left of it.
std::string before_given();
std::string after_given(const given_initialiser& init);

/// What the lambda uses without capturing it and other processes have to be given.
std::string added_captures(const loop_site& site);

/// A member function of a functor's class that makes a loop body of an object.
std::string loop_function_of(const loop_site& site, const std::string& path);

/// What stands before and behind a subscript from which pointers to several elements are made.
std::string before_subscript(const reached_subscript& reached);
std::string after_subscript(const reached_subscript& reached);

/// A member function that lists what of a class travels.
std::string members_of(const reflected_class& found);

}  // namespace stradsap::pp
