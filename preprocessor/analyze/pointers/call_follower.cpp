#include "analyze/pointers/call_follower.hpp"

#include "analyze/code/folds.hpp"
#include "analyze/code/types.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

/// Keeps elements sure that the pointer reaches in all callers of a function. If the analysis loses the
/// pointer in one of them, none.
class sure_on_all {
 public:
  explicit sure_on_all(reached_elements& reached) : reached_(reached) {}
  sure_on_all(const sure_on_all&) = delete;
  sure_on_all& operator=(const sure_on_all&) = delete;
  ~sure_on_all() {
    if (!is_done_) begin_way();
    reached_.keep_sure_on_all(ways_);
  }
  void begin_way() { ways_.push_back(reached_.num_added()); }
  void end() { is_done_ = true; }

 private:
  reached_elements& reached_;
  std::vector<std::size_t> ways_;
  bool is_done_ = false;
};

}  // namespace

void call_follower::into_parameter(const clang::FunctionDecl& definition, unsigned i, const clang::Expr& call,
                                   const position& at, const call_path& path) {
  into(definition, i, call, path, [&](const clang::ParmVarDecl& parameter, const call_path& deeper) {
    for (const clang::Expr* use : code_.uses(&parameter)) object(*use, at, deeper);
  });
}

void call_follower::into_callers(const clang::FunctionDecl& function, const clang::Expr& e,
                                 const position& at, const call_path& path) {
  each_caller(function, e, path, [&](const clang::Expr& caller, const call_path& shorter) {
    if (!llvm::isa<clang::CallExpr>(caller)) {
      const bool moved = is_pointer(e.getType()) || !at.from.is_zero();
      if (moved && takes_address_) goes_out_of_sight(at, e, "it is returned to code outside this file");
      return touch(at, size_of(e.getType()), e);  // a reference is one object
    }
    places_.set_returned(&caller, unsure(at));
    const bool points = is_pointer(caller.getType()) && !caller.isGLValue();
    const bool from_parameter = shorter.size() != path.size();  // another call may return another pointer
    position there = from_parameter ? unsure(at) : leaving(e, caller, at, shorter);
    there.is_own = at.is_own && !points;
    points ? pointer(caller, there, shorter) : object(caller, there, shorter);
  });
}

void call_follower::view_into_callers(const clang::FunctionDecl& function, const clang::Expr& e,
                                      const element_view& seen, const call_path& path) {
  each_caller(function, e, path, [&](const clang::Expr& caller, const call_path& shorter) {
    if (is_view(caller.getType())) view(caller, seen, shorter);
  });
}

/// Follows a function's result into its callers: into the call on the path, or into all calls.
template <class Follow>
void call_follower::each_caller(const clang::FunctionDecl& function, const clang::Expr& e,
                                const call_path& path, const Follow& follow) {
  const std::vector<const clang::Expr*>& callers = code_.callers(&function);
  const bool came_this_way = !path.empty() && visible_definition(callee_of(*path.back())) == &function;
  ++departures_;
  if (!came_this_way && !returning_.insert(&function).second) lose(e, "a function returns it to itself");
  const std::set<const clang::ValueDecl*> within = open_;
  sure_on_all sure(reached_);
  if (came_this_way) close_all_of(function);  // it may be called again with its own result
  for (const clang::Expr* caller : callers) {
    if (came_this_way && caller != path.back()) continue;
    if (llvm::isa<clang::LambdaExpr>(caller) || is_called(*caller)) continue;
    const call_path shorter = came_this_way ? call_path(path.begin(), path.end() - 1) : path;
    const bool enters = !came_this_way && llvm::isa<clang::CallExpr>(caller);
    if (enters) offsets_.returned_to().push_back(caller);
    sure.begin_way();
    follow(*caller, shorter);
    if (enters) offsets_.returned_to().pop_back();
  }
  sure.end();
  if (!came_this_way) returning_.erase(&function);
  open_ = within;
}

void call_follower::view_into_parameter(const clang::FunctionDecl& definition, unsigned i,
                                        const clang::Expr& call, const element_view& seen,
                                        const call_path& path) {
  into(definition, i, call, path, [&](const clang::ParmVarDecl& parameter, const call_path& deeper) {
    views_at(code_.uses(&parameter), seen, deeper);
  });
}

void call_follower::close_all_of(const clang::FunctionDecl& function) {
  open_.erase(&function);
  for (auto at = open_.begin(); at != open_.end();)
    at = function.Encloses((*at)->getDeclContext()) ? open_.erase(at) : std::next(at);
}

/// Whether this is the name of a called lambda: the call is a caller of its own.
bool call_follower::is_called(const clang::Expr& name) const {
  const clang::Stmt* above = code_.above(&name);
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(above)) above = code_.above(above);
  const auto* call = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(above);
  return llvm::isa<clang::DeclRefExpr>(name) && call != nullptr && call->getOperator() == clang::OO_Call &&
         bare(*call->getArg(0)).IgnoreParenCasts() == &name;
}

/// Follows a pointer into code without visible text. For a span, the user's statement limits its reach.
void call_follower::goes_out_of_sight(const position& at, const clang::Expr& e, const std::string& why) {
  if (!at.is_stated) lose(e, why);
  keep(e, at, [&](const clang::Expr& one) { pointer(one, at, {}); });
}

}  // namespace stradsap::pp
