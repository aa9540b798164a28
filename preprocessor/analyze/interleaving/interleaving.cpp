#include "analyze/interleaving/interleaving.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/interleaving/interleaved_code.hpp"
#include "analyze/interleaving/pure_code.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

using statements = std::vector<const clang::Stmt*>;

/// A variable that one phase declares and a later phase names.
struct local {
  std::string name;
  std::string type;
};
using locals = std::vector<local>;

class interleaving_finder {
 public:
  interleaving_finder(const region& code, const std::vector<access>& accesses,
                      const std::vector<std::string>& numbers)
      : code_(code),
        accesses_(accesses),
        numbers_(numbers),
        helpers_(code),
        index_(*code.index()),
        chains_(code, helpers_) {}

  /// Cuts the body into phases. Throws not_interleavable if it cannot.
  interleaved_text find() {
    split();
    for (const clang::Stmt* one : begin_) declare(*one);
    refuse_in_macros(index_);
    chains_.vary(index_);
    find_aligned();
    const std::string begin_constants = constants_;
    for (const clang::Stmt* one : sums_) chains_.print(*one);
    for (const clang::Stmt* one : sums_) declare(*one);
    if (assigned_ != nullptr) {
      chains_.print_values(*assigned_, assigned_name);
      summed_.push_back({assigned_name, std::string("decltype(") + assigned_name + ")"});
    }
    const std::string parameter = chains_.text_of(index_.getSourceRange());
    interleaved_text made;
    made.begin = phase(parameter, begin_text());
    made.chains = chains_text(begin_constants);
    made.rest = rest_text(parameter);
    for (const char* name : {"assert", "__LINE__", "source_location"}) {
      if (names_in(made.begin + made.chains + made.rest, name))
        throw not_interleavable{
            "the body names assert, __LINE__ or source_location"};  // these names depend on their position in
                                                                    // the source
    }
    made.read = containers_read();
    made.helpers = helpers_.texts();
    return made;
  }

 private:
  /// Finds the leading statements that only compute, and among them the first and the last sum.
  void split() {
    const auto* body = llvm::dyn_cast<clang::CompoundStmt>(code_.body().getBody());
    if (body == nullptr) throw not_interleavable{"the body is a try block"};
    const auto begin = body->body_begin();
    const auto writes = std::find_if(begin, body->body_end(),
                                     [&](const clang::Stmt* one) { return !only_computes(code_, *one); });
    interleaved_code trial(code_, helpers_);
    trial.vary(index_);
    auto first = writes;
    auto end = writes;
    for (auto at = begin; at != writes; ++at) {
      if (trial.sums_up(**at)) {
        end = at + 1;
        if (first == writes) first = at;
      }
      trial.note_declared(**at);
    }
    assigned_ = writes == body->body_end() ? nullptr : assigned_by(**writes);
    if (assigned_ != nullptr && trial.sums_up(*assigned_)) {
      end = writes;
    } else {
      assigned_ = nullptr;
      if (first == writes) throw not_interleavable{"the body does not begin with a sum over an inner loop"};
    }
    for (auto at = first; at != begin;) {
      --at;
      if (declares_changed(**at, first, end)) first = at;
    }
    begin_.assign(begin, first);
    sums_.assign(first, end);
    rest_.assign(end, body->body_end());
    end_of_begin_ = first == body->body_end() ? body->getRBracLoc() : (*first)->getBeginLoc();
    end_ = body->getRBracLoc();
  }

  /// The number that a statement of the body assigns; null if the statement does anything else.
  const clang::Expr* assigned_by(const clang::Stmt& statement) const {
    const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(&statement);
    if (assignment == nullptr || !assignment->isAssignmentOp()) return nullptr;
    const clang::Expr& value = *assignment->getRHS()->IgnoreParenImpCasts();
    const bool computes = only_computes(code_, value) && !changes_anything(value);
    return computes && value.getType()->isArithmeticType() ? &value : nullptr;
  }

  /// Whether a statement declares a variable that a later one changes.
  template <class Iterator>
  bool declares_changed(const clang::Stmt& statement, Iterator from, Iterator to) const {
    return std::any_of(from, to, [&](const clang::Stmt* later) { return changes(*later, statement); });
  }
  bool changes(const clang::Stmt& node, const clang::Stmt& declaration) const {
    const clang::VarDecl* changed = changed_variable(code_, node);
    if (changed != nullptr && code_.declaration_of(changed) == &declaration) return true;
    return std::any_of(node.child_begin(), node.child_end(), [&](const clang::Stmt* child) {
      return child != nullptr && changes(*child, declaration);
    });
  }

  /// Adds the body's variables that a statement declares.
  void declare(const clang::Stmt& statement) {
    const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&statement);
    if (declarations == nullptr) return;
    const bool sums = std::find(sums_.begin(), sums_.end(), &statement) != sums_.end();
    for (const clang::ValueDecl* variable : variables_of(*declarations)) {
      refuse_in_macros(*variable);
      const auto* number = llvm::dyn_cast<clang::VarDecl>(variable);
      if (number != nullptr && is_constant_expression(*number, code_.ast())) {
        if (!declarations->isSingleDecl()) throw not_interleavable{"one declaration has several variables"};
        constants_ += chains_.text_of(statement.getSourceRange()) + " " + marked_used(*declarations);
      } else {
        (sums ? summed_ : found_).push_back(local_of(*variable));
      }
    }
    if (!sums) chains_.note_declared(statement);
  }

  /// Refuses variables with a use in a macro's text.
  void refuse_in_macros(const clang::ValueDecl& variable) const {
    const std::vector<const clang::Expr*>& uses = code_.uses(&variable);
    if (std::any_of(uses.begin(), uses.end(), [](const auto* use) { return use->getExprLoc().isMacroID(); }))
      throw not_interleavable{"a macro names a variable of the body"};
  }

  /// A variable's name and type. A structured binding counts as a reference, although its type is none.
  static local local_of(const clang::ValueDecl& variable) {
    const std::string name = variable.getNameAsString();
    return {name,
            llvm::isa<clang::BindingDecl>(variable) ? "decltype((" + name + "))" : "decltype(" + name + ")"};
  }

  /// Finds X[j] in the sums. The view of an aligned container shows the element of one iteration at a time,
  /// so the first phase must fetch it.
  void find_aligned() {
    for (const access& one : accesses_) {
      const clang::Stmt* within = statement_of(*one.call);
      if (one.aligned && within == nullptr)
        throw not_interleavable{
            "a called function accesses elements at the index of the loop"};  // in a function that the body
                                                                              // calls
      const bool sums =
          std::find(sums_.begin(), sums_.end(), within) != sums_.end() || is_assigned(*one.call);
      if (!one.aligned || !sums) continue;
      if (is_conditional(*one.call))
        throw not_interleavable{"a condition decides about an access at the index of the loop"};
      const std::string text = chains_.text_of(one.call->getSourceRange());
      auto known = std::find(aligned_.begin(), aligned_.end(), text);
      const auto number = std::to_string(known - aligned_.begin());
      if (known == aligned_.end()) {
        aligned_.push_back(text);
        const std::string name = "stradsap_" + number + "_aligned";
        found_.push_back({name, "decltype(" + name + ")"});
        before_sums_ += "auto& " + name + " = " + text + "; ";
      }
      chains_.name_otherwise(*one.call, "stradsap_" + number + "_aligned");
    }
  }

  bool is_assigned(const clang::Stmt& node) const {
    const clang::Stmt* at = &node;
    while (at != nullptr && at != assigned_) at = code_.above(at);
    return at != nullptr;
  }

  /// The statement of the body that contains a node; null for nodes elsewhere.
  const clang::Stmt* statement_of(const clang::Stmt& node) const {
    const clang::Stmt* at = &node;
    while (at != nullptr && code_.above(at) != code_.body().getBody()) at = code_.above(at);
    return at;
  }

  bool is_conditional(const clang::Stmt& node) const {
    for (const clang::Stmt* at = code_.above(&node); at != nullptr; at = code_.above(at)) {
      if (decides_below(*at)) return true;
    }
    return false;
  }

  /// Declares the variables from `from` that `text` names, under their names in interleaved iteration i.
  static std::string unpacked(const locals& all, const std::string& from, const std::string& text,
                              unsigned i = 0) {
    std::string made;
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (!names_in(text, all[n].name)) continue;
      const std::string own = in_iteration(all[n].name, i);
      const std::string place = std::string(api::part) + "<" + std::to_string(n) + ">(" + from + ")";
      made += std::string(api::carried_type) + "<decltype(" + place + ")> " + own + " = " + place + "." +
              api::get + "(); (void)" + own + "; ";
    }
    return made;
  }

  /// Makes `carry<decltype(r), decltype(p)>(r, p)`.
  static std::string packed(const locals& all, unsigned i = 0) {
    std::string types;
    std::string values;
    for (const local& one : all) {
      types += (types.empty() ? "" : ", ") + one.type;
      values += (values.empty() ? "" : ", ") + in_iteration(one.name, i);
    }
    return std::string(api::carry) + "<" + types + ">(" + values + ")";
  }

  std::string begin_text() const {
    std::string text = before(begin_, end_of_begin_) + before_sums_;
    for (const clang::Stmt* one : begin_) {
      const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(one);
      if (declarations != nullptr) text += marked_used(*declarations);
    }
    return "(void)" + index_.getNameAsString() + "; " + text + "return " + packed(carried()) + "; ";
  }

  /// The input of the sums; with the iteration's index, if they name it.
  locals carried() const {
    locals all = found_;
    if (found_.empty() || names_in(chains_.text(), index_.getNameAsString())) all.push_back(local_of(index_));
    return all;
  }

  std::string chains_text(const std::string& constants) const {
    std::string text;
    std::string results;
    for (unsigned i = 0; i < interleave_width; ++i) {
      text += unpacked(carried(), "stradsap_found[" + std::to_string(i) + "]", chains_.text(), i);
      results += (i == 0 ? "" : ", ") + packed(summed_, i);
    }
    return phase("const auto* stradsap_found", "(void)stradsap_found; " + constants + text + chains_.text() +
                                                   "return " + api::interleaved_values + "<decltype(" +
                                                   packed(summed_) + ")>{{" + results + "}}; ");
  }

  /// A lambda with its own copies of the numbers that it names.
  std::string phase(const std::string& parameters, const std::string& text) const {
    std::string introducer = "[&";
    for (const std::string& number : numbers_) introducer += names_in(text, number) ? ", " + number : "";
    return introducer + "](" + parameters + ") { " + text + "}";
  }

  std::string rest_text(const std::string& parameter) const {
    other_texts changed;
    if (assigned_ != nullptr) chains_.replace(assigned_->getSourceRange(), assigned_name, changed);
    const std::string text = rest_.empty() ? "" : before(rest_, end_, changed);
    return phase(parameter + ", const auto& stradsap_found, const auto& stradsap_sums",
                 "(void)" + index_.getNameAsString() + "; (void)stradsap_found; (void)stradsap_sums; " +
                     constants_ + found_again(text) + unpacked(summed_, "stradsap_sums", text) + text);
  }

  /// Makes the first phase's variables available in the last phase. References are initialised again, so that
  /// the optimiser sees their targets.
  std::string found_again(const std::string& text) const {
    const bool lasts = std::none_of(begin_.begin(), begin_.end(),
                                    [&](const clang::Stmt* one) { return changes_anything(*one); });
    const std::string all = text + before(begin_, end_of_begin_);
    std::string made;
    for (const clang::Stmt* one : begin_) {
      const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(one);
      if (declarations == nullptr) continue;
      const std::vector<const clang::ValueDecl*> variables = variables_of(*declarations);
      if (is_constant(*declarations)) continue;
      if (!lasts || !refers(*declarations)) {
        made += unpacked(only(variables), "stradsap_found", all);
        continue;
      }
      made += chains_.text_of(one->getSourceRange()) + " ";
      made += marked_used(*declarations);
    }
    return made;
  }
  bool is_constant(const clang::DeclStmt& statement) const {
    const auto* number = llvm::dyn_cast<clang::VarDecl>(*statement.decl_begin());
    return number != nullptr && is_constant_expression(*number, code_.ast());
  }
  static bool refers(const clang::DeclStmt& statement) {
    return std::all_of(statement.decl_begin(), statement.decl_end(), [](const clang::Decl* declaration) {
      return llvm::cast<clang::VarDecl>(declaration)->getType()->isReferenceType();
    });
  }
  /// The carried variables in their places, with names for the given ones only.
  locals only(const std::vector<const clang::ValueDecl*>& variables) const {
    locals all = carried();
    for (local& one : all) {
      const bool is_wanted = std::any_of(variables.begin(), variables.end(), [&](const auto* variable) {
        return variable->getNameAsString() == one.name;
      });
      if (!is_wanted) one.name.clear();
    }
    return all;
  }
  bool changes_anything(const clang::Stmt& node) const {
    if (changed_variable(code_, node) != nullptr) return true;
    return std::any_of(node.child_begin(), node.child_end(), [&](const clang::Stmt* child) {
      return child != nullptr && changes_anything(*child);
    });
  }

  /// The text from the first of these statements up to `end`.
  std::string before(const statements& all, clang::SourceLocation end,
                     const other_texts& changed = {}) const {
    if (all.empty()) return {};
    std::string text = chains_.text_of({all.front()->getBeginLoc(), end}, changed);
    const std::string last = chains_.text_of({end, end});
    if (!text.ends_with(last)) throw not_interleavable{"a macro spells part of the body"};
    text.resize(text.size() - last.size());
    return text;
  }

  std::vector<std::string> containers_read() const {
    std::set<std::string> names;
    for (const access& one : accesses_) {
      const clang::Stmt* within = statement_of(*one.call);
      if (std::find(rest_.begin(), rest_.end(), within) != rest_.end() && !is_assigned(*one.call)) continue;
      for (const clang::ValueDecl* container : one.containers) names.insert(container->getNameAsString());
    }
    return {names.begin(), names.end()};
  }

  const region& code_;
  const std::vector<access>& accesses_;
  const std::vector<std::string>& numbers_;
  interleaved_helpers helpers_;
  const clang::ParmVarDecl& index_;
  interleaved_code chains_;
  statements begin_;
  statements sums_;
  statements rest_;
  clang::SourceLocation end_of_begin_;
  clang::SourceLocation end_;
  static constexpr char assigned_name[] = "stradsap_assigned";
  const clang::Expr* assigned_ = nullptr;  // by the first statement that writes, if its value contains a sum
  std::string constants_;                  // declarations that all phases repeat
  locals found_;                           // variables that the first phase declares
  locals summed_;                          // and the second
  std::vector<std::string> aligned_;       // accesses
  std::string before_sums_;
};

}  // namespace

/// The reason why a body of that form stays whole; null if its statements decide.
static const char* why_not_by_form(const region& code) {
  const clang::LambdaExpr* lambda = code.lambda();
  if (lambda == nullptr) return "the body is no lambda";
  if (code.index() == nullptr || code.index()->getName().empty()) return "the index of the loop has no name";
  if (code.index()->getType()->isReferenceType()) return "the body takes its index by reference";
  if (!code.this_uses().empty()) return "a function that the body calls uses `this`";
  if (!lambda->getExplicitTemplateParameters().empty()) return "the body has template parameters";
  if (lambda->hasExplicitResultType()) return "the body names its result type";
  const bool has_own = std::any_of(lambda->capture_begin(), lambda->capture_end(),
                                   [&](const auto& capture) { return lambda->isInitCapture(&capture); });
  return has_own ? "the body has captures with initialisers" : nullptr;
}

interleaving find_interleaving(const region& code, const std::vector<access>& accesses,
                               const std::vector<std::string>& numbers) {
  if (const char* why_not = why_not_by_form(code)) return {std::nullopt, why_not};
  try {
    return {interleaving_finder(code, accesses, numbers).find(), ""};
  } catch (const not_interleavable& failed) {
    return {std::nullopt, failed.why};
  }
}

}  // namespace stradsap::pp
