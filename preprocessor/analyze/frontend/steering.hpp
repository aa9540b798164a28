// The data that decide the elements which a body accesses. Immutable; borrows from the facts and the
// dependences; one thread at a time.
#pragma once

#include "analyze/frontend/container_modes.hpp"
#include "analyze/frontend/loop_facts.hpp"

namespace stradsap::pp {

class steering {
 public:
  /// `depends`: those of the body, perhaps without conditions that its inspector omits. Only accesses that
  /// must be known before the loop are steered.
  steering(const loop_facts& facts, const container_modes& modes, const dependences& depends);

  /// Variables, containers and fields. Contains null if unknown data steer.
  const origins& data() const { return data_; }
  /// The causes of unknown data, for --explain: `f`, or words on a catch. May be empty.
  std::vector<std::string> unknown() const;
  /// The data that decide the elements of one access.
  origins deciders_of(const access& one) const;
  /// Whether the loop writes only fields of the container that steer nothing.
  bool is_steady(const clang::ValueDecl* container) const;

 private:
  bool decides(const clang::Expr& call) const;

  const loop_facts& facts_;
  const dependences& depends_;
  origins data_;
};

}  // namespace stradsap::pp
