#include "analyze/frontend/steering.hpp"

namespace stradsap::pp {

steering::steering(const loop_facts& facts, const container_modes& modes, const dependences& depends)
    : facts_(facts), depends_(depends) {
  for (const access& one : facts.accesses) {
    if (modes.is_found_beforehand(one)) data_.merge(deciders_of(one));
  }
}

origins steering::deciders_of(const access& one) const {
  origins found = depends_.of_access(*one.call);
  if (!one.reach) return found;
  for (const clang::Expr* part : one.reach->parts) found.merge(depends_.of_value(*part));
  return found;
}

bool steering::is_steady(const clang::ValueDecl* container) const {
  return facts_.written_through_const.count(container) == 0 && depends_.leaves_alone(container, data_);
}

}  // namespace stradsap::pp
