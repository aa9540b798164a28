#include "analyze/frontend/parse.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <map>
#include <memory>

#include "analyze/frontend/data_subscripts.hpp"
#include "analyze/frontend/explain_errors.hpp"
#include "analyze/frontend/find.hpp"
#include "analyze/frontend/math_errors.hpp"
#include "analyze/frontend/precompile.hpp"
#include "analyze/source/expansions.hpp"
#include "analyze/source/replaced_headers.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether the diagnostic is about a file that Clang has written.
static bool is_of_precompiled(unsigned id) {
  return id >= clang::diag::DIAG_START_SERIALIZATION && id < clang::diag::DIAG_START_LEX;
}

namespace {

/// Keeps Clang's errors as text. The user sees them only if the native compiler reports none.
class error_keeper : public clang::DiagnosticConsumer {
 public:
  explicit error_keeper(std::vector<std::string>& errors) : errors_(errors) {}

  /// Whether an error belongs to user text. If the API cannot work with a type, the error belongs to the
  /// API's headers, and the analysis has a better message.
  bool in_users_text() const { return in_users_text_; }
  /// Whether a precompiled header could not be used.
  bool in_precompiled() const { return in_precompiled_; }
  const std::vector<stray_jump>& jumps() const { return jumps_; }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error) return;
    if (level == clang::DiagnosticsEngine::Fatal || is_of_precompiled(info.getID())) in_precompiled_ = true;
    if (info.getID() == clang::diag::err_break_not_in_loop_or_switch)
      jumps_.push_back({info.getLocation(), "break"});
    if (info.getID() == clang::diag::err_continue_not_in_loop)
      jumps_.push_back({info.getLocation(), "continue"});
    llvm::SmallString<256> text;
    info.FormatDiagnostic(text);
    std::string line;
    if (!info.hasSourceManager() || level == clang::DiagnosticsEngine::Fatal) in_users_text_ = true;
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      const clang::SourceManager& sources = info.getSourceManager();
      if (!sources.isInSystemHeader(sources.getExpansionLoc(info.getLocation()))) in_users_text_ = true;
      const clang::PresumedLoc at = sources.getPresumedLoc(info.getLocation());
      if (at.isValid()) {
        line = std::string(at.getFilename()) + ":" + std::to_string(at.getLine()) + ":" +
               std::to_string(at.getColumn()) + ": ";
      }
    }
    errors_.push_back(line + "error: " + text.str().str());
  }

 private:
  std::vector<std::string>& errors_;
  std::vector<stray_jump> jumps_;
  bool in_users_text_ = false;
  bool in_precompiled_ = false;
};

/// Records the #includes of user files, so that an edited header can replace the original, and the macro
/// invocations with arguments.
class directive_keeper : public clang::PPCallbacks {
 public:
  directive_keeper(const clang::SourceManager& sources, translation_unit& unit)
      : sources_(sources), unit_(unit) {}

  void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef, bool,
                          clang::CharSourceRange name, clang::OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    if (!file || sources_.isInSystemHeader(hash) || name.getBegin().isMacroID()) return;
    const auto [id, offset] = sources_.getDecomposedLoc(name.getBegin());
    const auto includer = sources_.getFileEntryRefForID(id);
    if (!includer) return;
    const unsigned end = sources_.getFileOffset(name.getEnd());
    unit_.inclusions.push_back({includer->getName().str(), offset, end - offset, file->getName().str()});
  }

  void MacroExpands(const clang::Token& name, const clang::MacroDefinition&, clang::SourceRange range,
                    const clang::MacroArgs* arguments) override {
    if (arguments == nullptr || name.getLocation().isMacroID() || range.getEnd().isMacroID()) return;
    if (sources_.isInSystemHeader(name.getLocation())) return;
    const auto [id, offset] = sources_.getDecomposedLoc(name.getLocation());
    if (const auto file = sources_.getFileEntryRefForID(id)) {
      unit_.invocations[file->getName().str()].push_back({offset, sources_.getFileOffset(range.getEnd())});
    }
  }

 private:
  const clang::SourceManager& sources_;
  translation_unit& unit_;
};

void keep_texts(const clang::SourceManager& sources, translation_unit& unit) {
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const clang::SrcMgr::SLocEntry& entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile() || clang::SrcMgr::isSystem(entry.getFile().getFileCharacteristic())) continue;
    const clang::FileID id = sources.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
    const auto file = sources.getFileEntryRefForID(id);
    const auto text = sources.getBufferDataOrNone(id);
    if (file && text) unit.texts.emplace(file->getName().str(), text->str());
  }
}

using changed_texts = std::map<std::string, std::string>;  // by the names of files

class analysis_consumer : public clang::ASTConsumer {
 public:
  /// `changed`: texts in place of files. If it is empty and should not be, it is filled, and nothing else is
  /// done.
  analysis_consumer(translation_unit& unit, const error_keeper& errors, changed_texts& changed,
                    clang::Preprocessor& preprocessor)
      : unit_(unit), errors_(errors), changed_(changed), expansions_(preprocessor) {}

  void HandleTranslationUnit(clang::ASTContext& ast) override {
    if (errors_.in_users_text()) {
      // for an older standard, an error in the header has given the reason
      if (ast.getLangOpts().CPlusPlus20) explain_errors(ast, errors_.jumps(), unit_);
      return;
    }
    if (changed_.empty()) {
      changed_ = texts_with_subscripts(ast);
      if (!changed_.empty()) return;
    }
    keep_texts(ast.getSourceManager(), unit_);
    find_edits(ast, expansions_, unit_);
    unit_.reads_math_errors = reads_math_errors(ast);
  }

 private:
  translation_unit& unit_;
  const error_keeper& errors_;
  changed_texts& changed_;
  macro_expansions expansions_;
};

class analysis_action : public clang::ASTFrontendAction {
 public:
  analysis_action(translation_unit& unit, const error_keeper& errors, changed_texts& changed)
      : unit_(unit), errors_(errors), changed_(changed) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    preprocessor.addPPCallbacks(std::make_unique<directive_keeper>(compiler.getSourceManager(), unit_));
    return std::make_unique<analysis_consumer>(unit_, errors_, changed_, preprocessor);
  }

 private:
  translation_unit& unit_;
  const error_keeper& errors_;
  changed_texts& changed_;
};

}  // namespace

static llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_with(const changed_texts& changed) {
  auto replaced = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  replaced->setCurrentWorkingDirectory(*llvm::vfs::getRealFileSystem()->getCurrentWorkingDirectory());
  for (const auto& [name, text] : changed)
    replaced->addFile(name, 0, llvm::MemoryBuffer::getMemBuffer(text, name));
  replaced->addFile(std::string(replaced_headers_dir) + "/omp.h", 0,
                    llvm::MemoryBuffer::getMemBuffer(replaced_omp_h));
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  all->pushOverlay(replaced);
  return all;
}

static translation_unit analyze_texts(const std::string& file, const std::vector<std::string>& flags,
                                      changed_texts& changed, bool& has_read) {
  translation_unit unit;
  unit.main_file = file;
  std::vector<std::string> command{"clang++", "-fsyntax-only"};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-idirafter", replaced_headers_dir});
  command.push_back(file);
  const llvm::IntrusiveRefCntPtr<clang::FileManager> files(
      new clang::FileManager(clang::FileSystemOptions(), files_with(changed)));
  error_keeper errors(unit.parse_errors);
  clang::tooling::ToolInvocation invocation(command, std::make_unique<analysis_action>(unit, errors, changed),
                                            files.get());
  invocation.setDiagnosticConsumer(&errors);
  const bool parsed = invocation.run();
  has_read = !errors.in_precompiled();
  if (!errors.in_users_text() && !unit.parse_errors.empty()) {
    unit.parse_errors.clear();  // the native compiler reports those that remain after the rewrite
  } else if (!parsed && unit.parse_errors.empty())
    unit.parse_errors.push_back("error: " + file + " cannot be parsed");
  return unit;
}

/// `has_read`: all files that Clang has written could be read.
static translation_unit analyze_with(const std::string& file, const std::vector<std::string>& flags,
                                     bool& has_read) {
  changed_texts changed;
  translation_unit unit = analyze_texts(file, flags, changed, has_read);
  return changed.empty() ? std::move(unit) : analyze_texts(file, flags, changed, has_read);
}

translation_unit analyze_file(const std::string& file, const std::vector<std::string>& flags) {
  bool has_read = false;
  const std::vector<std::string> quick = with_precompiled(flags);
  if (quick != flags) {
    translation_unit unit = analyze_with(file, quick, has_read);
    if (has_read) return unit;  // else the precompiled header is out of date, or has other options
  }
  return analyze_with(file, flags, has_read);
}

}  // namespace stradsap::pp
