#include "rewrite/render.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "analyze/api_names.hpp"

namespace stradsap::pp {

// ---- the text of one edit -------------------------------------------------------------------------------

static std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// FNV-1a, finished so that nearby names differ in all bits.
static std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdULL;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return hash ^ (hash >> 33);
}

static std::string hexadecimal(std::uint64_t number) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (auto at = text.rbegin(); at != text.rend(); ++at, number >>= 4) *at = digits[number & 15];
  return "0x" + text + "ULL";
}

static std::string globals_of(const loop_site& site) {
  if (site.globals.empty()) return {};
  std::string text = std::string(", ") + api::globals + "<";
  for (std::size_t i = 0; i < site.globals.size(); ++i) {
    const loop_global& global = site.globals[i];
    text += std::string(i == 0 ? "" : ", ") + api::global + "<" + std::to_string(global.bits) + ", &" +
            global.path + ">";
  }
  return text + ">";
}

/// What the lambda uses without capturing it and other processes have to be given.
static std::string added_captures(const loop_site& site) {
  std::string text;
  for (const std::string& name : site.added_captures) {
    text += (text.empty() && site.captures_none ? "&" : ", &") + name;
  }
  return text;
}

/// [](decltype(rate)& rate, decltype(P)& P) { return, to be followed by a lambda.
static std::string factory_begin(const loop_site& site, const std::string& attribute = {}) {
  std::string text = "[](";
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    const std::string& name = site.arguments[i].name;
    text += (i == 0 ? "" : ", ") + attribute + "decltype(" + name + ")& " + name;
  }
  text += ") { ";
  // a constant keeps being one: it is declared anew where the closure sees it
  for (std::size_t i = 0; i < site.constants.size(); ++i) {
    const std::string kept = "stradsap_constant_" + std::to_string(i);
    text += "constexpr auto " + kept + " = " + site.constants[i] + "; { constexpr auto " + site.constants[i] +
            " = " + kept + "; ";
  }
  return text + "return ";
}

static std::string factory_end(const loop_site& site) {
  std::string text = "; ";
  for (std::size_t i = 0; i < site.constants.size(); ++i) text += "} ";
  return text + "}";
}

static std::string before_body(const loop_site& site, const std::string& path) {
  const std::uint64_t id = hash_of(path + '\n' + site.function + '\n' + std::to_string(site.ordinal));
  std::string text = std::string(site.in_macro_argument ? "(" : "") + api::loop + "<" + hexadecimal(id) +
                     ", " + std::to_string(site.flags) + globals_of(site) + ">(" + quoted(site.place) + ", ";
  if (!site.inspector.empty()) text += std::string(api::sliced) + "(";
  return text + factory_begin(site);
}

/// visit(op(), to.loss, part.loss); a path through an array visits each of its elements.
static std::string visit_of(const folded_member& member) {
  std::string to = "stradsap_to";
  std::string part = "stradsap_part";
  std::string loops;
  unsigned depth = 0;
  for (std::size_t at = 0; at < member.path.size();) {
    std::string step = member.path.substr(at, member.path.find_first_of(".[", at + 1) - at);
    at += step.size();
    if (step == "[]") {
      const std::string i = "stradsap_" + std::to_string(depth++);
      loops += "for (decltype(sizeof 0) " + i + " = 0; " + i + " < ::std::size(" + to + "); ++" + i + ") ";
      step = "[" + i + "]";
    }
    to += step;
    part += step;
  }
  return loops + "stradsap_visit(" + member.op + "(), " + to + ", " + part + "); ";
}

static std::string reduction_of(const loop_argument& argument) {
  if (argument.folded.size() == 1 && argument.folded.front().path.empty()) {
    return std::string(api::reduction) + "<" + argument.folded.front().op + ">(" + argument.name + ")";
  }
  std::string text = std::string(api::reductions) + "(" + argument.name +
                     ", [](auto& stradsap_to, auto& stradsap_part, const auto& stradsap_visit) { ";
  for (const folded_member& member : argument.folded) text += visit_of(member);
  return text + "})";
}

static std::string after_body(const loop_site& site) {
  std::string text = factory_end(site);
  if (!site.inspector.empty()) {
    text += ", " + factory_begin(site, "[[maybe_unused]] ") + site.inspector_begin + site.inspector + "}" +
            factory_end(site) + ")";
  }
  for (const loop_argument& argument : site.arguments) {
    const std::string bits = std::to_string(argument.bits);
    switch (argument.kind) {
      case argument_kind::value:
        text += std::string(", ") + api::value + "<" + bits + ">";
        break;
      case argument_kind::container:
        text += std::string(", ") + api::container + "<" + bits + ", " + quoted(argument.name) + ">";
        break;
      case argument_kind::reduction:
        text += ", " + reduction_of(argument);
        continue;
    }
    text += "(" + argument.name + ")";
  }
  return text + (site.in_macro_argument ? "))" : ")");
}

static std::string members_of(const reflected_class& found) {
  std::string text = std::string(" public: static constexpr auto ") + api::members_function + "() { return " +
                     api::members + "<" + found.name + ">(" + api::bases + "<";
  for (std::size_t i = 0; i < found.bases.size(); ++i) text += (i == 0 ? "" : ", ") + found.bases[i];
  text += ">()";
  for (const std::string& member : found.members) text += ", &" + found.name + "::" + member;
  return text + "); } ";
}

std::map<std::string, std::vector<edit>> edits_of(
    const translation_unit& unit, const std::function<std::string(const std::string&)>& project_path) {
  std::map<std::string, std::vector<edit>> edits;
  for (const loop_site& site : unit.loops) {
    std::vector<edit>& of_file = edits[site.begin.file];
    of_file.push_back({site.begin.offset, 0, before_body(site, project_path(site.begin.file))});
    if (!site.added_captures.empty() && !site.captures_all) {
      of_file.push_back({site.capture_end.offset, 0, added_captures(site)});
    }
    of_file.push_back({site.end.offset, 0, after_body(site)});
  }
  for (const reflected_class& found : unit.classes) {
    std::vector<edit>& of_file = edits[found.closing_brace.file];
    of_file.push_back({found.closing_brace.offset, 0, members_of(found)});
    if (found.unnamed) of_file.push_back({found.keyword_end.offset, 0, " " + found.name});
  }
  for (const text_position& body : unit.main_bodies) {
    edits[body.file].push_back({body.offset, 0, std::string(" ") + api::enter_main});
  }
  for (auto& [file, of_file] : edits) {
    std::stable_sort(of_file.begin(), of_file.end(),
                     [](const edit& a, const edit& b) { return a.offset < b.offset; });
  }
  return edits;
}

// ---- whole files ----------------------------------------------------------------------------------------

static const std::string& text_of(const translation_unit& unit, const std::string& file) {
  const auto at = unit.texts.find(file);
  if (at == unit.texts.end()) throw std::logic_error("no text of " + file);
  return at->second;
}

static std::string line_directive(unsigned line, const std::string& file) {
  const bool here = file.starts_with("./");  // Clang's name for what gcc calls by its bare name
  return "#line " + std::to_string(line) + " " + quoted(here ? file.substr(2) : file) + "\n";
}

static std::string apply(const std::string& text, std::vector<edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const edit& a, const edit& b) { return a.offset < b.offset; });
  // a byte order mark may only stand first, and the first line is ours
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  std::string result;
  for (const edit& one : edits) {
    result.append(text, at, one.offset - at);
    result += one.text;
    at = one.offset + one.length;
  }
  return result.append(text, at);
}

/// Edited files and all that include them, directly or not.
static std::set<std::string> files_to_place(const translation_unit& unit,
                                            const std::map<std::string, std::vector<edit>>& edits) {
  std::set<std::string> files;
  for (const auto& [file, of_file] : edits) files.insert(file);
  for (std::size_t before = 0; before != files.size();) {
    before = files.size();
    for (const inclusion& one : unit.inclusions) {
      if (files.count(one.included) != 0) files.insert(one.includer);
    }
  }
  files.insert(unit.main_file);
  return files;
}

static std::string first_lines(const translation_unit& unit, const std::string& file) {
  std::string lines;
  if (file == unit.main_file) {
    if (unit.classes_before_api) lines += std::string(api::declare_members) + "\n";
    lines += std::string(api::declare_enter_main) + "\n";
  }
  return lines + line_directive(1, file);
}

std::vector<rendered_file> render(const translation_unit& unit,
                                  std::map<std::string, std::vector<edit>> edits,
                                  const std::function<std::string(const std::string&)>& placed,
                                  const std::function<std::string(const std::string&)>& absolute) {
  const std::set<std::string> files = files_to_place(unit, edits);
  std::set<std::pair<std::string, unsigned>> seen;  // a header may be read more than once
  for (const inclusion& one : unit.inclusions) {
    if (files.count(one.includer) == 0 || !seen.insert({one.includer, one.offset}).second) continue;
    if (files.count(one.included) != 0) {
      edits[one.includer].push_back({one.offset, one.length, quoted(placed(one.included))});
    } else if (one.includer != unit.main_file && text_of(unit, one.includer)[one.offset] == '"') {
      // what stands beside the original does not stand beside the copy
      edits[one.includer].push_back({one.offset, one.length, quoted(absolute(one.included))});
    }
  }
  std::vector<rendered_file> rendered;
  for (const std::string& file : files) {
    const std::vector<edit>& of_file = edits[file];
    rendered.push_back({file, first_lines(unit, file) + apply(text_of(unit, file), of_file), of_file});
  }
  return rendered;
}

// ---- one file that needs nothing beside it ----------------------------------------------------------------

static unsigned line_at(const std::string& text, unsigned offset) {
  return 1 + static_cast<unsigned>(std::count(text.begin(), text.begin() + offset, '\n'));
}

namespace {

/// Puts edited headers where they were included, each once.
class flattener {
 public:
  flattener(const translation_unit& unit, const std::map<std::string, std::vector<edit>>& edits,
            const std::function<std::string(const std::string&)>& absolute)
      : unit_(unit), edits_(edits), absolute_(absolute), files_(files_to_place(unit, edits)) {}

  std::string flat(const std::string& file) {
    const std::string& text = text_of(unit_, file);
    const auto own = edits_.find(file);
    std::vector<edit> all = own == edits_.end() ? std::vector<edit>() : own->second;
    std::set<unsigned> seen;
    for (const inclusion& one : unit_.inclusions) {
      if (one.includer != file || !seen.insert(one.offset).second) continue;
      if (files_.count(one.included) != 0) {
        all.push_back(replaced_directive(text, file, one));
      } else if (text[one.offset] == '"') {
        all.push_back({one.offset, one.length, quoted(absolute_(one.included))});
      }
    }
    std::string result = apply(text, std::move(all));
    if (file != unit_.main_file) drop_pragma_once(result);
    return result;
  }

 private:
  /// The directive goes; the line count is put right after the header's text.
  edit replaced_directive(const std::string& text, const std::string& file, const inclusion& one) {
    const std::size_t begin = text.rfind('\n', one.offset) + 1;  // npos + 1 is 0
    const std::size_t end = std::min(text.find('\n', one.offset), text.size());
    std::string there;
    if (placed_.insert(one.included).second) {
      there = line_directive(1, one.included) + flat(one.included) + "\n" +
              line_directive(line_at(text, one.offset), file);
    }
    return {static_cast<unsigned>(begin), static_cast<unsigned>(end - begin), there};
  }

  /// It would warn in a main file, and a header is placed once anyway.
  static void drop_pragma_once(std::string& text) {
    static const std::string pragma = "#pragma once";
    const std::size_t at = text.find(pragma);
    if (at == std::string::npos || (at != 0 && text[at - 1] != '\n')) return;
    text.replace(at, pragma.size(), pragma.size(), ' ');
  }

  const translation_unit& unit_;
  const std::map<std::string, std::vector<edit>>& edits_;
  const std::function<std::string(const std::string&)>& absolute_;
  std::set<std::string> files_;
  std::set<std::string> placed_;
};

}  // namespace

std::string render_alone(const translation_unit& unit, const std::map<std::string, std::vector<edit>>& edits,
                         const std::function<std::string(const std::string&)>& absolute) {
  return first_lines(unit, unit.main_file) + flattener(unit, edits, absolute).flat(unit.main_file);
}

}  // namespace stradsap::pp
