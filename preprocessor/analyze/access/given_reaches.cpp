#include "analyze/access/given_reaches.hpp"

#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>

#include <map>
#include <set>

#include "analyze/access/inserted_reaches.hpp"
#include "analyze/code/function_copies.hpp"
#include "analyze/code/returned_places.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"
#include "analyze/source/text_hash.hpp"

namespace stradsap::pp {

/// Whether a call stands in the subscript of an access, of which the text is written as a whole.
static bool is_in_subscript(const region& code, const clang::Expr& call) {
  const clang::Stmt* at = code.above(&call);
  for (; llvm::isa_and_nonnull<clang::Expr>(at); at = code.above(at)) {
    const clang::Expr* object = object_of(*llvm::cast<clang::Expr>(at));
    if (object != nullptr && is_container(object->getType())) return true;
  }
  return false;
}

/// Whether the body calls the function by name, in text that can be changed.
static bool may_give(const region& code, const clang::CallExpr& call, const clang::FunctionDecl& function) {
  const clang::SourceManager& sources = code.ast().getSourceManager();
  const clang::SourceLocation end = call.getRParenLoc();
  return !llvm::isa<clang::CXXOperatorCallExpr>(call) && visible_definition(callee_of(call)) == &function &&
         code.function_of(&call) == &code.body() && end.isFileID() &&
         sources.getFileID(end) == sources.getFileID(code.place()) && !is_in_subscript(code, call);
}

/// The reach that a function's copy gives to a place: that of its parameter, moved as the function moves the
/// pointer before it returns it. Nothing if a move has effects, no text, or steps of another size.
static std::optional<pointer_reach> reach_in_copy(const region& code, const clang::Expr& place) {
  const clang::QualType type = place.isGLValue() ? place.getType() : place.getType()->getPointeeType();
  pointer_reach made;
  made.offsets = api::given_parameter;
  const clang::Expr* at = &place;
  while (const auto* whole = llvm::dyn_cast_or_null<clang::Expr>(code.above(at))) {
    at = whole;
    const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(whole);
    if (sum == nullptr) continue;
    const clang::Expr& by = *sum->getRHS();
    const auto text = excerpt(code.ast(), by.getSourceRange());
    const bool is_element = !sum->getType()->isPointerType() || type.isNull() ||
                            code.ast().hasSameUnqualifiedType(sum->getType()->getPointeeType(), type);
    if (!text || !is_element || by.HasSideEffects(code.ast())) return std::nullopt;
    const bool is_forward = sum->getOpcode() == clang::BO_Add;
    made.offsets += "." + std::string(is_forward ? api::moved_offsets : api::moved_back_offsets);
    made.offsets += "(" + *text + ")";
    made.parts.push_back(&by);
  }
  return made;
}

void give_reach(const region& code, access& one,
                const std::function<std::optional<pointer_reach>(const clang::Expr&)>& follow) {
  const clang::FunctionDecl* function = code.function_of(one.call);
  if (code.lambda() == nullptr || function == nullptr || function == &code.body() ||
      is_in_instance(&code.body()) || !may_have_copy(code, *function) ||
      !excerpt(code.ast(), function->getSourceRange()))
    return;
  std::optional<pointer_reach> whole = reach_in_copy(code, *one.call);
  std::vector<given_reach> given;
  for (const clang::Expr* user : users_of_place(code, *one.call)) {
    const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(user);
    if (call == nullptr || !may_give(code, *call, *function)) return;
    const std::optional<pointer_reach> reach = follow(*call);
    if (reach && reach->lost != nullptr) {
      one.reach->lost = reach->lost;
      one.reach->why = reach->why;
      one.reach->lacks_offset = reach->lacks_offset;
      return;
    }
    given.push_back({call, reach ? offsets_and_sure(*reach) : "0"});
    if (reach && whole) whole->parts.insert(whole->parts.end(), reach->parts.begin(), reach->parts.end());
  }
  if (given.empty()) return;
  if (!whole) {
    one.reach->why =
        "`" + function->getNameAsString() + "` moves it before it returns it (`return &v[i * n];` does not)";
    return;
  }
  one.reach = std::move(whole);
  one.given = std::move(given);
}

/// The reaches in the texts of functions that get some.
static std::vector<inserted_reach> reaches_in_copies(const std::vector<access>& accesses) {
  std::vector<inserted_reach> found;
  for (const access& one : accesses) {
    if (one.given.empty()) continue;
    const std::string index = arguments_of(*one.call).empty() ? "0" : "";
    found.push_back({subscript_of(*one.call), index, one.reach->offsets});
  }
  return found;
}

namespace {

struct function_copy {
  std::string offsets;  // the type of the reach that it gets, of no other function
  std::string text;
};

}  // namespace

/// The copies of functions that get a reach.
static std::map<const clang::FunctionDecl*, function_copy> copies_in(const region& code,
                                                                     const std::vector<access>& accesses) {
  other_texts changed = replacements_in(code, inserted_reaches(accesses));
  changed.merge(replacements_in(code, reaches_in_copies(accesses)));
  std::map<const clang::FunctionDecl*, function_copy> made;
  for (const access& one : accesses) {
    const clang::FunctionDecl* function = one.given.empty() ? nullptr : code.function_of(one.call);
    if (function == nullptr || made.count(function) != 0) continue;
    const std::string before = function->getNumParams() == 0 ? "" : ", ";
    const auto plain = excerpt(code.ast(), function->getSourceRange(), changed);
    const std::string hash = llvm::utohexstr(text_hash(plain.value_or("")), /*LowerCase=*/true);
    function_copy& copy = made[function];
    copy.offsets = std::string(api::given_offsets) + "<0x" + hash + "u>";
    const clang::SourceLocation end = function->getFunctionTypeLoc().getRParenLoc();
    changed[code.ast().getSourceManager().getFileOffset(end)] = {
        1, before + "const " + copy.offsets + "& " + api::given_parameter + ")"};
    copy.text = " " + excerpt(code.ast(), function->getSourceRange(), changed).value_or("");
  }
  return made;
}

std::vector<added_text> given_texts(const region& code, const std::vector<access>& accesses) {
  std::vector<added_text> found;
  const auto copies = copies_in(code, accesses);
  for (const auto& [function, copy] : copies)
    found.push_back({clang::Lexer::getLocForEndOfToken(
                         function->getEndLoc(), 0, code.ast().getSourceManager(), code.ast().getLangOpts()),
                     copy.text});
  std::set<const clang::CallExpr*> done;
  for (const access& one : accesses) {
    for (const auto& [call, offsets] : one.given) {
      if (!done.insert(call).second) continue;
      found.push_back({call->getRParenLoc(), (call->getNumArgs() == 0 ? "" : ", ") +
                                                 copies.at(code.function_of(one.call)).offsets + "(" +
                                                 offsets + ")"});
    }
  }
  return found;
}

other_texts reaches_in(const region& code, const std::vector<access>& accesses) {
  other_texts changed = replacements_in(code, inserted_reaches(accesses));
  const clang::SourceManager& sources = code.ast().getSourceManager();
  for (const auto& [where, text] : given_texts(code, accesses)) {
    const std::string token = excerpt(code.ast(), where).value_or("");
    changed.emplace(sources.getFileOffset(where),
                    other_text{static_cast<unsigned>(token.size()), text + token});
  }
  return changed;
}

}  // namespace stradsap::pp
