// The part of the pointer analysis that follows calls: objects, spans and pointers into the parameters of
// visible functions, and results back into their callers. One thread at a time.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "analyze/pointers/pointer_places.hpp"
#include "analyze/pointers/span_follower.hpp"

namespace stradsap::pp {

/// All functions throw unbounded if they lose a pointer.
class call_follower : public span_follower {
 public:
  call_follower(const region& code, const dependences& depends, const clang::Expr& access,
                clang::QualType element, const std::function<bool(const clang::ValueDecl*)>& is_read_only)
      : span_follower(code, depends, access, element, is_read_only),
        places_(code, access, element_size_, offsets_) {}

 protected:
  /// Calls `follow` with a parameter and the path to it, unless the parameter is on the path already.
  template <class Follow>
  void into(const clang::FunctionDecl& definition, unsigned i, const clang::Expr& call, const call_path& path,
            const Follow& follow);
  void into_callers(const clang::FunctionDecl& function, const clang::Expr& e, const position& at,
                    const call_path& path) override;
  /// Follows a pointer into code without visible text. For a span, the user's statement limits its reach.
  void goes_out_of_sight(const position& at, const clang::Expr& e, const std::string& why);

  pointer_places places_;

 private:
  void into_parameter(const clang::FunctionDecl& definition, unsigned i, const clang::Expr& call,
                      const position& at, const call_path& path) override;
  void view_into_parameter(const clang::FunctionDecl& definition, unsigned i, const clang::Expr& call,
                           const element_view& seen, const call_path& path) override;
  void view_into_callers(const clang::FunctionDecl& function, const clang::Expr& e, const element_view& seen,
                         const call_path& path) override;
  template <class Follow>
  void each_caller(const clang::FunctionDecl& function, const clang::Expr& e, const call_path& path,
                   const Follow& follow);
  void close_all_of(const clang::FunctionDecl& function);
  bool is_called(const clang::Expr& name) const;

  std::set<const clang::FunctionDecl*> returning_;
};

template <class Follow>
void call_follower::into(const clang::FunctionDecl& definition, unsigned i, const clang::Expr& call,
                         const call_path& path, const Follow& follow) {
  const clang::ParmVarDecl* parameter = definition.getParamDecl(i);
  if (path.size() >= deepest || !open_.insert(parameter).second) return repeats(call);
  call_path deeper = path;
  deeper.push_back(&call);
  hold(*parameter, [&] { follow(*parameter, deeper); });
  open_.erase(parameter);
}

}  // namespace stradsap::pp
