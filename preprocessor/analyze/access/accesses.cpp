#include "analyze/access/accesses.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/access/given_reaches.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/dependences/index_names.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

class finder {
 public:
  finder(const region& code, const dependences& depends, diagnostics& out)
      : code_(code), depends_(depends), out_(out), uses_(code), owning_uses_(code) {
    owning_uses_.follow_owned();
  }

  std::vector<access> find() {
    for (const clang::Stmt* node : code_.nodes()) {
      const auto* mention = llvm::dyn_cast<clang::Expr>(node);
      if (mention == nullptr || !is_container(mention->getType())) continue;
      if (llvm::isa<clang::CXXConstructExpr>(mention)) {
        out_.report(refusal::container_made, mention->getBeginLoc(), {});
      } else if (!llvm::isa<clang::CXXConstructExpr>(mention->IgnoreImplicit()->IgnoreParenCasts())) {
        classify(*mention);
      }
    }
    follow_pointers();
    return std::move(found_);
  }

 private:
  /// Computes the reach of pointers. It needs all accesses first, to know the containers that the region
  /// writes.
  void follow_pointers() {
    const auto is_read_only = [&](const clang::ValueDecl* container) {
      return std::none_of(found_.begin(), found_.end(), [&](const access& one) {
        return (one.bits & use_write) != 0 && one.containers.count(container) != 0;
      });
    };
    for (access& one : found_) {
      const clang::Expr* object = object_of(*one.call);
      one.may_reach = one.bits != use_none && object != nullptr && refers(*one.call);
      if (!one.may_reach) continue;
      const auto follow = [&](const clang::Expr& from) {
        return reach_of(code_, depends_, from, element_of(object->getType()), is_read_only);
      };
      one.reach = follow(*one.call);
      if (!one.reach) continue;
      if (one.reach->lost != nullptr) give_reach(code_, one, follow);
      one.is_range = true;
      one.aligned = false;
    }
  }

  static bool refers(const clang::Expr& call) {
    return call.isGLValue() || call.getType()->isPointerType() || is_view(call.getType());
  }

  /// Classifies a mention by its parent node.
  void classify(const clang::Expr& mention) {
    const parent_link above = code_.parent(&mention);
    if (above.variable != nullptr) {
      if (!above.variable->getType()->isReferenceType()) refuse(mention);
      return;
    }
    const clang::Stmt* node = above.statement;
    if (const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(node)) {
      if (is_container(outer->getType()) && !llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(outer))
        return;
      if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(outer))
        return classify_method(mention, *member);
      if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(outer)) {
        return cast->getCastKind() == clang::CK_ToVoid ? void() : refuse(mention);
      }
      if (llvm::isa<clang::LambdaExpr>(outer)) return;
      if (llvm::isa<clang::CXXConstructExpr>(outer) && is_container(outer->getType()))
        return;  // refused where it is made
      if (llvm::isa<clang::CallExpr>(outer)) return classify_call(mention, *outer);
    } else if (node != nullptr && (llvm::isa<clang::ReturnStmt>(node) ? mention.isGLValue() : true)) {
      return;  // the value is dropped; a returned reference is a mention of its own
    }
    refuse(mention);
  }

  void classify_call(const clang::Expr& mention, const clang::Expr& call) {
    if (object_of(call) == &mention) {
      const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
      if (op != nullptr && op->getOperator() == clang::OO_Subscript) return add(mention, call, "operator[]");
      return refuse_method(mention, call,
                           "operator=", instead_of("operator=", container_name(mention.getType())));
    }
    if (is_as_const(call)) return;  // its result is a mention of its own
    const clang::FunctionDecl* callee = visible_definition(callee_of(call));
    if (callee == nullptr || !code_.contains(callee)) return refuse(mention);
    const std::vector<const clang::Expr*> arguments = arguments_of(call);
    const auto at = std::find(arguments.begin(), arguments.end(), &mention);
    const auto i = static_cast<unsigned>(at - arguments.begin());
    if (i >= callee->getNumParams() || !callee->getParamDecl(i)->getType()->isReferenceType())
      refuse(mention);
  }

  void classify_method(const clang::Expr& mention, const clang::MemberExpr& member) {
    const auto* call = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(code_.parent(&member).statement);
    if (call == nullptr) return refuse(mention);
    const std::string name = member.getMemberDecl()->getNameAsString();
    static constexpr struct {
      llvm::StringLiteral container;
      llvm::StringLiteral method;
    } methods[] = {
#define STRADSAP_METHOD(container, method, example, recorded) {api::container, method},
#include "analyze/code/accesses.def"
    };
    const llvm::StringRef kind = container_name(mention.getType());
    const bool allowed = std::any_of(std::begin(methods), std::end(methods), [&](const auto& one) {
      return one.container == kind && one.method == name;
    });
    const bool unsaid = kind == api::dvector && is_of_range_for(*call);
    if (allowed && !unsaid) return add(mention, *call, name);
    if (allowed && name == "end") return;  // the refusal of begin() reports both
    refuse_method(mention, *call, name, unsaid ? span_instead_of(mention) : instead_of(name, kind));
  }

  /// Advice for a range-for over a dvector.
  std::string span_instead_of(const clang::Expr& mention) const {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(mention.IgnoreParenImpCasts());
    const auto* range = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const clang::Expr* said = range == nullptr ? nullptr : range->getInit();
    const std::string text = said == nullptr ? "X" : object_named(*said);
    return "loop over a span of all elements, `for (... : " + text + ".span(0, " + text + ".size()))`";
  }
  /// Whether a range-for calls this begin() or end(), without text of its own.
  static bool is_of_range_for(const clang::CXXMemberCallExpr& call) {
    return call.getRParenLoc() == call.getExprLoc() || call.getRParenLoc().isInvalid();
  }

  void add(const clang::Expr& mention, const clang::Expr& call, llvm::StringRef method) {
    access made;
    made.call = &call;
    use_reader& uses = owns_memory(code_.ast(), element_of(mention.getType())) ? owning_uses_ : uses_;
    uses.forget_writes();
    made.bits = bits_of(mention, call, method, uses);
    const bool plain_element = container_name(mention.getType()) == api::dvector;
    made.surely_written = uses.saw_write() || (!plain_element && (made.bits & use_write) != 0);
    for (const clang::ValueDecl* variable : depends_.storage(mention)) {
      if (!code_.declares(variable) && is_container(variable->getType())) made.containers.insert(variable);
    }
    if (made.containers.empty()) return refuse(mention);
    made.is_range = method == "span";
    made.bits_of_index = bits_of_own_index(mention, call, method);
    made.aligned = made.bits_of_index != 0;
    found_.push_back(std::move(made));
  }

  unsigned bits_of(const clang::Expr& mention, const clang::Expr& call, llvm::StringRef method,
                   use_reader& uses) {
    const bool vector = container_name(mention.getType()) == api::dvector;
    if (method == "size" || method == "empty" || (method == "end" && !vector)) return use_none;
    if (method == "contains" || method == "count") return use_read;
    if (method == "insert" || method == "erase") return use_both;
    const auto* callee = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee_of(call));
    const bool is_const = callee != nullptr && callee->isConst();
    if (is_const && &uses == &uses_) return use_read;
    const bool gives_handle =
        method == "span" || method == "data" || method == "begin" || method == "end" || method == "find";
    if (!gives_handle && !is_const && method == "operator[]" && !vector) return use_both;  // it may insert
    const unsigned bits = gives_handle ? uses.bits_of_handle(call) : uses.bits(call);
    if (is_const && (bits & use_write) != 0) refuse(mention);  // memory that a const element owns
    return gives_handle ? bits | use_read : std::max(bits, use_read);
  }

  /// The bits that the loop's index may have so that it is the subscript; 0 if it is not.
  unsigned bits_of_own_index(const clang::Expr& mention, const clang::Expr& call,
                             llvm::StringRef method) const {
    if (method != "operator[]" && method != "at") return 0;
    if (container_name(mention.getType()) != api::dvector) return 0;
    const std::vector<const clang::Expr*> arguments = arguments_of(call);
    return arguments.size() == 1 ? bits_of_index(code_, *arguments[0]) : 0;
  }

  std::string named(const clang::Expr& mention) const {
    const clang::Expr* e = &behind_as_const(mention);
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) return name->getDecl()->getNameAsString();
    if (const auto* name = llvm::dyn_cast<clang::MemberExpr>(e))
      return name->getMemberDecl()->getNameAsString();
    const auto text = excerpt(code_.ast(), e->getSourceRange());
    return text && text->find('\n') == std::string::npos ? *text : type_name(code_.ast(), mention.getType());
  }
  /// The same, as a member function can follow it.
  std::string object_named(const clang::Expr& mention) const {
    const bool binds_weakly =
        llvm::isa<clang::UnaryOperator, clang::AbstractConditionalOperator>(behind_as_const(mention));
    return binds_weakly ? "(" + named(mention) + ")" : named(mention);
  }
  /// The result or an argument of such a function.
  bool is_of_input_output(const clang::Expr& mention) const {
    const clang::Stmt* at = mention.IgnoreImplicit();
    if (!llvm::isa<clang::CallExpr>(at)) {
      at = &mention;
      do at = code_.above(at);
      while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::MaterializeTemporaryExpr>(at));
    }
    const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(at);
    return call != nullptr && is_input_output(call->getDirectCallee());
  }
  static bool is_captured_pointer(const clang::Expr& mention) {
    const auto* pointed = llvm::dyn_cast<clang::UnaryOperator>(mention.IgnoreParenImpCasts());
    if (pointed == nullptr || pointed->getOpcode() != clang::UO_Deref) return false;
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(pointed->getSubExpr()->IgnoreParenImpCasts());
    return name != nullptr && name->refersToEnclosingVariableOrCapture();
  }
  void refuse(const clang::Expr& mention) {
    // reached through another object: the refusal of that object reports it
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&behind_as_const(mention));
    const bool own = member != nullptr && llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
    if (member != nullptr && !own && llvm::isa<clang::FieldDecl>(member->getMemberDecl())) return;
    if (is_of_input_output(mention) || is_captured_pointer(mention)) return;  // a refusal of its own
    out_.report(refusal::container_use, mention.getExprLoc(), {named(mention), object_named(mention)});
  }
  void refuse_method(const clang::Expr& mention, const clang::Expr& call, const std::string& method,
                     const std::string& instead) {
    out_.report(refusal::container_method, call.getExprLoc(),
                {method, container_name(mention.getType()).str(), instead});
  }
  static std::string instead_of(const std::string& method, llvm::StringRef kind) {
    static constexpr llvm::StringLiteral of_size[] = {"push_back", "emplace_back", "pop_back",
                                                      "resize",    "assign",       "clear"};
    static constexpr llvm::StringLiteral of_ranges[] = {"begin", "end", "cbegin", "cend", "data"};
    const auto is_among = [&](const auto& names) {
      return std::find(std::begin(names), std::end(names), method) != std::end(names);
    };
    if (kind == api::dvector && is_among(of_size))
      return "resize it before the loop, and write its elements in the body: `X[j] = ...`";
    if (kind == api::dvector && is_among(of_ranges))
      return "in a body reach elements by `[]`, `at` and `span(first, n)`";
    if (method == "size" || method == "empty") return "take it before the loop and capture the number";
    if (kind == api::dvector)
      return "in a body reach elements by `[]`, `at` and `span`; do the rest before or after the loop";
    return kind == api::dmap ? "in a body use `[]`, `at`, `find`, `contains`, `count`, `insert` and `erase`; "
                               "do the rest before or after the loop"
                             : "in a body use `equal_range`, `contains`, `count` and `insert`; do the rest "
                               "before or after the loop";
  }

  const region& code_;
  const dependences& depends_;
  diagnostics& out_;
  use_reader uses_;
  use_reader owning_uses_;  // for elements that may own memory
  std::vector<access> found_;
};

}  // namespace

bool is_element_of_dvector(const access& one) {
  return one.bits != use_none && !one.is_range && !one.reach && one.containers.size() == 1 &&
         container_name((*one.containers.begin())->getType()) == api::dvector &&
         object_of(*one.call) != nullptr && arguments_of(*one.call).size() == 1;
}

std::vector<access> find_accesses(const region& code, const dependences& depends, diagnostics& out) {
  return finder(code, depends, out).find();
}

}  // namespace stradsap::pp
