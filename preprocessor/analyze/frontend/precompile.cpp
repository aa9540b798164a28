#include "analyze/frontend/precompile.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Tooling.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace fs = std::filesystem;

std::string precompiled_name(const std::string& header) { return header + ".sap.pch"; }

namespace {

class precompiling_action : public clang::GeneratePCHAction {
 public:
  precompiling_action(std::string output, bool& is_fit) : output_(std::move(output)), is_fit_(is_fit) {}

  // ---- Clang's spelling ----
 protected:
  bool BeginInvocation(clang::CompilerInstance& compiler) override {
    compiler.getFrontendOpts().OutputFile = output_;
    return true;
  }
  void EndSourceFileAction() override {
    is_fit_ = !declares() && !defines_macros();
    clang::GeneratePCHAction::EndSourceFileAction();
  }

 private:
  [[nodiscard]] bool declares() {
    const clang::ASTContext& ast = getCompilerInstance().getASTContext();
    const auto all = ast.getTranslationUnitDecl()->decls();
    return std::any_of(all.begin(), all.end(),
                       [&](const clang::Decl* one) { return is_users(ast, one->getLocation()); });
  }
  [[nodiscard]] bool defines_macros() {
    const clang::ASTContext& ast = getCompilerInstance().getASTContext();
    const clang::Preprocessor& preprocessor = getCompilerInstance().getPreprocessor();
    for (const auto& [name, state] : preprocessor.macros()) {
      const clang::MacroInfo* macro = preprocessor.getMacroInfo(name);
      if (macro != nullptr && !macro->isUsedForHeaderGuard() && is_users(ast, macro->getDefinitionLoc()))
        return true;
    }
    return false;
  }

  const std::string output_;
  bool& is_fit_;
};

}  // namespace

void precompile_header(const std::string& header, const std::vector<std::string>& flags,
                       const std::string& name) {
  std::vector<std::string> command{"clang++", "-fsyntax-only"};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-xc++-header", header});
  const std::string output = precompiled_name(name);
  const llvm::IntrusiveRefCntPtr<clang::FileManager> files(
      new clang::FileManager(clang::FileSystemOptions()));
  bool is_fit = false;
  clang::tooling::ToolInvocation invocation(command, std::make_unique<precompiling_action>(output, is_fit),
                                            files.get());
  clang::IgnoringDiagConsumer silence;
  invocation.setDiagnosticConsumer(&silence);
  std::error_code absent;
  if (!invocation.run() || !is_fit) fs::remove(output, absent);
}

std::vector<std::string> with_precompiled(const std::vector<std::string>& flags) {
  const auto first = std::find(flags.begin(), flags.end(), "-include");
  std::error_code failure;
  if (first == flags.end() || std::next(first) == flags.end() ||
      !fs::exists(precompiled_name(*std::next(first)), failure))
    return flags;
  std::vector<std::string> made(flags.begin(), first);
  made.insert(made.end(), {"-Xclang", "-fmodules-validate-system-headers"});
  made.insert(made.end(), {"-Xclang", "-include-pch", "-Xclang", precompiled_name(*std::next(first))});
  made.insert(made.end(), std::next(first, 2), flags.end());
  return made;
}

}  // namespace stradsap::pp
