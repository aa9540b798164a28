#include "analyze/frontend/data_subscripts.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "analyze/frontend/collect.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

/// Text of a file in place of other text of the same length.
struct edit {
  clang::FileID file;
  unsigned begin = 0;
  std::string text;
};

/// `X.data()`, if it is one of a dvector; else null.
const clang::CXXMemberCallExpr* data_of_dvector(const clang::Expr* e) {
  const auto* call = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(e == nullptr ? e : e->IgnoreImpCasts());
  const auto* member = call == nullptr ? nullptr : llvm::dyn_cast<clang::MemberExpr>(call->getCallee());
  if (member == nullptr || member->isArrow() || call->getNumArgs() != 0) return nullptr;
  const bool is_data = member->getMemberDecl()->getDeclName().isIdentifier() &&
                       member->getMemberDecl()->getName() == "data" &&
                       container_name(member->getBase()->getType()) == api::dvector;
  return is_data ? call : nullptr;
}

/// `start + i` in `*(start + i)`; else null.
const clang::BinaryOperator* sum_behind(const clang::UnaryOperator& step) {
  if (step.getOpcode() != clang::UO_Deref) return nullptr;
  const auto* around = llvm::dyn_cast<clang::ParenExpr>(step.getSubExpr()->IgnoreImpCasts());
  if (around == nullptr) return nullptr;
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(around->getSubExpr()->IgnoreImpCasts());
  const bool starts =
      sum != nullptr && sum->getOpcode() == clang::BO_Add && sum->getLHS()->getType()->isPointerType();
  return starts ? sum : nullptr;
}

/// A variable that stands for the start of a container, if nothing else is done with it.
struct start_variable {
  const clang::DeclStmt* statement;
  const clang::VarDecl* variable;
  unsigned uses = 0;
  std::vector<const clang::UnaryOperator*> sums = {};  // `*(p + i)`
  unsigned subscripts = 0;
};

/// Finds the edits in the body of one lambda.
class body_reader {
 public:
  body_reader(const clang::ASTContext& ast, std::vector<edit>& edits)
      : ast_(ast), sources_(ast.getSourceManager()), edits_(edits) {}

  void read(const clang::Stmt& body) {
    visit(&body);
    for (const start_variable& one : starts_) {
      if (one.uses == one.subscripts + one.sums.size()) change(one);
    }
  }

 private:
  void visit(const clang::Stmt* node) {
    if (node == nullptr) return;
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(node)) return visit(lambda->getBody());
    if (const auto* made = llvm::dyn_cast<clang::DeclStmt>(node)) note_start(*made);
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(node)) read_subscript(*subscript);
    if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(node)) read_step(*step);
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(node)) {
      start_variable* start = start_named(name);
      // another lambda may capture it by copy
      if (start != nullptr) start->uses += name->refersToEnclosingVariableOrCapture() ? 1u << 16 : 1;
    }
    for (const clang::Stmt* child : node->children()) visit(child);
  }

  void note_start(const clang::DeclStmt& made) {
    const auto* variable =
        made.isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(made.getSingleDecl()) : nullptr;
    const clang::CXXMemberCallExpr* call =
        variable == nullptr ? nullptr : data_of_dvector(variable->getInit());
    if (call == nullptr || !variable->hasLocalStorage() || variable->getInitStyle() != clang::VarDecl::CInit)
      return;
    const clang::QualType type = variable->getType();
    const bool leads_to_elements =
        type->isPointerType() && !type.isVolatileQualified() &&
        ast_.hasSameUnqualifiedType(type->getPointeeType(), element_of(call->getObjectType())) &&
        !type->getPointeeType().isVolatileQualified();
    if (leads_to_elements) starts_.push_back({&made, variable});
  }

  start_variable* start_named(const clang::Expr* e) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreImpCasts());
    const auto at = std::find_if(starts_.begin(), starts_.end(), [&](const start_variable& one) {
      return name != nullptr && one.variable == name->getDecl();
    });
    return at == starts_.end() ? nullptr : &*at;
  }

  void read_subscript(const clang::ArraySubscriptExpr& e) {
    if (const auto* call = data_of_dvector(e.getLHS())) blank_data(*call);
    if (start_variable* start = start_named(e.getLHS())) ++start->subscripts;
  }

  void read_step(const clang::UnaryOperator& e) {
    const clang::BinaryOperator* sum = sum_behind(e);
    if (sum == nullptr) return;
    if (const auto* call = data_of_dvector(sum->getLHS()); call != nullptr && blank_data(*call)) subscript(e);
    if (start_variable* start = start_named(sum->getLHS())) start->sums.push_back(&e);
  }

  /// Makes `auto& p = X;` of `float* p = X.data();`.
  void change(const start_variable& one) {
    const clang::TypeLoc type = one.variable->getTypeSourceInfo()->getTypeLoc();
    const clang::PointerTypeLoc pointer = type.getUnqualifiedLoc().getAs<clang::PointerTypeLoc>();
    if (pointer.isNull() || !pointer.getPointeeLoc().getSourceRange().isValid()) return;
    const auto begin = place(pointer.getPointeeLoc().getUnqualifiedLoc().getBeginLoc());
    const auto name = place(one.variable->getLocation());
    constexpr llvm::StringLiteral made = "auto&";
    if (!begin || !name || begin->first != name->first || begin->second + made.size() > name->second) return;
    const std::size_t kept = edits_.size();
    if (!blank_data(*data_of_dvector(one.variable->getInit()))) return;
    std::string text = made.str();
    text.resize(name->second - begin->second, ' ');
    edits_.push_back({begin->first, begin->second, text});
    for (const clang::UnaryOperator* sum : one.sums) {
      if (!subscript(*sum)) return edits_.resize(kept);
    }
  }

  /// Makes `  p   [ i]` of `*(p + i)`.
  bool subscript(const clang::UnaryOperator& e) {
    const auto& around = *llvm::cast<clang::ParenExpr>(e.getSubExpr()->IgnoreImpCasts());
    const std::pair<clang::SourceLocation, char> marks[] = {{e.getOperatorLoc(), ' '},
                                                            {around.getLParen(), ' '},
                                                            {sum_behind(e)->getOperatorLoc(), '['},
                                                            {around.getRParen(), ']'}};
    for (const auto& [where, mark] : marks) {
      if (!place(where)) return false;
    }
    for (const auto& [where, mark] : marks)
      edits_.push_back({place(where)->first, place(where)->second, std::string(1, mark)});
    return true;
  }

  /// Puts blanks in place of `.data()`.
  bool blank_data(const clang::CXXMemberCallExpr& call) {
    const auto begin = place(llvm::cast<clang::MemberExpr>(call.getCallee())->getOperatorLoc());
    const auto end = place(call.getRParenLoc());
    if (!begin || !end || begin->first != end->first || end->second < begin->second) return false;
    std::string text =
        sources_.getBufferData(begin->first).substr(begin->second, end->second + 1 - begin->second).str();
    for (char& c : text) c = c == '\n' || c == '\r' ? c : ' ';
    edits_.push_back({begin->first, begin->second, std::move(text)});
    return true;
  }

  /// The place of a token in a file; nothing in macros.
  [[nodiscard]] std::optional<std::pair<clang::FileID, unsigned>> place(clang::SourceLocation where) const {
    if (where.isInvalid() || where.isMacroID()) return std::nullopt;
    return sources_.getDecomposedLoc(where);
  }

  const clang::ASTContext& ast_;
  const clang::SourceManager& sources_;
  std::vector<edit>& edits_;
  std::vector<start_variable> starts_;
};

/// Whether any file of the program's own may have such text.
bool has_data(const clang::SourceManager& sources) {
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const clang::SrcMgr::SLocEntry& entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile() || clang::SrcMgr::isSystem(entry.getFile().getFileCharacteristic())) continue;
    const clang::FileID id = sources.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
    const auto text = sources.getBufferDataOrNone(id);
    if (text && text->contains("data")) return true;
  }
  return false;
}

}  // namespace

std::map<std::string, std::string> texts_with_subscripts(const clang::ASTContext& ast) {
  const clang::SourceManager& sources = ast.getSourceManager();
  if (!has_data(sources)) return {};
  std::vector<edit> edits;
  for (const auto& [record, lambda] : collect(ast).lambdas) {
    if (is_users(ast, lambda->getBeginLoc())) body_reader(ast, edits).read(*lambda->getBody());
  }
  std::map<std::string, std::string> texts;
  for (const edit& one : edits) {
    const auto file = sources.getFileEntryRefForID(one.file);
    if (!file) continue;
    const auto [at, fresh] = texts.try_emplace(file->getName().str());
    if (fresh) at->second = sources.getBufferData(one.file).str();
    at->second.replace(one.begin, one.text.size(), one.text);
  }
  return texts;
}

}  // namespace stradsap::pp
