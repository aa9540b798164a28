#include "rewrite/render.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "analyze/source/api_names.hpp"
#include "rewrite/insertions.hpp"
#include "rewrite/separation.hpp"

namespace stradsap::pp {

namespace {

/// Collects insertions by position, then turns them into edits of files.
class insertions {
 public:
  void add(const text_position& place, std::string text) {
    const std::size_t size = text.size();
    place.token < 0 ? in_files_[place.file].push_back({place.offset, 0, std::move(text), {{0, size}}})
                    : in_expansions_[{place.file, place.offset}].push_back({place.token, std::move(text)});
  }

  std::map<std::string, std::vector<edit>> edits(const translation_unit& unit) && {
    for (auto& [invocation, before_tokens] : in_expansions_) {
      in_files_[invocation.file].push_back(expanded(unit, invocation, std::move(before_tokens)));
    }
    for (auto& [file, of_file] : in_files_) {
      std::stable_sort(of_file.begin(), of_file.end(),
                       [](const edit& a, const edit& b) { return a.offset < b.offset; });
    }
    return std::move(in_files_);
  }

 private:
  struct before_token {
    int token;
    std::string text;
  };

  static void add_inserted(edit& made, const std::string& text) {
    made.inserted.emplace_back(made.text.size(), made.text.size() + text.size());
    made.text += text;
  }

  /// Replaces the invocation of a macro by its expansion, without changing the number of lines.
  static edit expanded(const translation_unit& unit, const text_position& invocation,
                       std::vector<before_token> inserted) {
    std::stable_sort(inserted.begin(), inserted.end(),
                     [](const before_token& a, const before_token& b) { return a.token < b.token; });
    const macro_expansion& whole = unit.expansions.at(invocation);
    edit made{invocation.offset, whole.length, {}};
    auto next = inserted.begin();
    for (int i = 0; i <= static_cast<int>(whole.tokens.size()); ++i) {
      for (; next != inserted.end() && next->token == i; ++next) add_inserted(made, next->text);
      if (i < static_cast<int>(whole.tokens.size()))
        made.text += whole.tokens[static_cast<std::size_t>(i)] + " ";
    }
    const std::string& text = unit.texts.at(invocation.file);
    const auto begin = text.begin() + invocation.offset;
    made.text.append(static_cast<std::size_t>(std::count(begin, begin + whole.length, '\n')), '\n');
    return made;
  }

  std::map<std::string, std::vector<edit>> in_files_;
  std::map<text_position, std::vector<before_token>> in_expansions_;
};

void insert_given(insertions& into, const reconstructible_closure& made) {
  for (const given_initialiser& init : made.given) {
    into.add(init.begin, before_given());
    into.add(init.end, after_given(init));
  }
}

void insert_loop(insertions& into, const loop_site& site, const std::string& path) {
  if (!site.functor.empty()) return into.add(site.begin, loop_function_of(site, path));
  into.add(site.begin, before_body(site, path));
  insert_given(into, site);
  for (const copied_number& number : site.numbers) {
    if (!number.begin) continue;
    into.add(*number.begin, "&");
    into.add(*number.end, value_of_number(number));
  }
  const std::string added = added_captures(site);
  if (!added.empty() && !site.captures_all) into.add(site.capture_end, added);
  into.add(site.end, after_body(site));
}

/// Equal checks of one loop share a variable.
void insert_hoists(insertions& into, const std::map<text_position, hoisted_subscript>& hoists) {
  std::map<text_position, std::map<std::string, std::size_t>> numbers;
  for (const auto& [begin, one] : hoists) {
    auto& of_loop = numbers[one.loop];
    const auto [known, fresh] = of_loop.emplace(one.made, of_loop.size());
    if (fresh) into.add(one.loop, before_checked_loop(one.made, known->second));
    into.add(begin, before_checked_subscript(one, known->second));
    into.add(one.end, after_checked_subscript(one));
  }
}

/// The slices of functions that inspectors call. Loops with equal ones share them.
std::set<std::pair<text_position, std::string>> sliced_functions_of(const translation_unit& unit) {
  std::set<std::pair<text_position, std::string>> all;
  for (const loop_site& site : unit.loops) {
    if (site.inspector.empty()) continue;
    all.insert(site.sliced_functions.begin(), site.sliced_functions.end());
  }
  return all;
}

}  // namespace

std::map<std::string, std::vector<edit>> edits_of(
    const translation_unit& unit, const std::function<std::string(const std::string&)>& project_path) {
  insertions all;
  for (const text_position& body : unit.main_bodies) all.add(body, std::string(" ") + api::enter_main);
  for (const auto& [begin, opened] : unit.openings) all.add(begin, before_accesses(opened));
  std::map<text_position, std::string> helpers;
  for (const loop_site& site : unit.loops) {
    insert_loop(all, site, project_path(site.begin.file));
    if (site.interleaving)
      helpers.insert(site.interleaving->helpers.begin(), site.interleaving->helpers.end());
  }
  for (const auto& [place, text] : helpers) all.add(place, text);
  for (const auto& [place, text] : sliced_functions_of(unit)) all.add(place, text);
  for (const reconstructible_closure& lambda : unit.lambdas) {
    all.add(lambda.begin, before_lambda(lambda));
    insert_given(all, lambda);
    all.add(lambda.end, after_lambda(lambda));
  }
  for (const functor_use& use : unit.functor_uses) {
    all.add(use.begin, std::string(api::functor) + "(");
    all.add(use.end, ", " + quoted(use.place) + ")");
  }
  for (const reflected_class& found : unit.classes) {
    all.add(found.closing_brace, members_of(found));
    if (found.unnamed) all.add(found.keyword_end, " " + found.name);
  }
  for (const opened_class& found : unit.opened) all.add(found.closing_brace, functions_of(found));
  for (const auto& [begin, reached] : unit.reaches) {
    all.add(begin, before_subscript(reached));
    all.add(reached.end, after_subscript(reached));
  }
  for (const auto& [place, text] : unit.given) all.add(place, text);
  insert_hoists(all, unit.hoists);
  return std::move(all).edits(unit);
}

// ---- whole files ----------------------------------------------------------------------------------------

static const std::string& text_of(const translation_unit& unit, const std::string& file) {
  const auto at = unit.texts.find(file);
  if (at == unit.texts.end()) throw std::logic_error("no text of " + file);
  return at->second;
}

static std::string apply(const std::string& text, std::vector<edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const edit& a, const edit& b) { return a.offset < b.offset; });
  // A byte order mark is valid only at the very beginning, and the result begins with an inserted line.
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  std::string result;
  for (const edit& one : edits) {
    if (one.offset < at) throw std::logic_error("two edits of one text");
    result.append(text, at, one.offset - at);
    result += one.text;
    at = one.offset + one.length;
  }
  return result.append(text, at);
}

/// The edited files, the main file, and all files that include an edited one directly or indirectly.
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
    if (!unit.main_bodies.empty()) lines += std::string(api::define_has_main) + "\n";
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
      // a header beside the original is not beside the copy
      edits[one.includer].push_back({one.offset, one.length, quoted(absolute(one.included))});
    }
  }
  std::vector<rendered_file> rendered;
  for (const std::string& file : files) {
    const std::string& text = text_of(unit, file);
    const std::string begin = first_lines(unit, file);
    rendered.push_back({file, begin + apply(text, edits[file]), {}, {}});
    const std::vector<edit> parted = separated(unit, file, edits[file], placed(file), rendered.back().apart);
    rendered.back().compiled = begin + apply(text, parted);
  }
  return rendered;
}

// ---- one file without others beside it --------------------------------------------------------------------

namespace {

/// Puts each edited header in place of its first #include directive.
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

  /// An edited file that no directive includes; empty if there is none.
  std::string left_out() const {
    for (const auto& [file, of_file] : edits_) {
      if (file != unit_.main_file && !of_file.empty() && placed_.count(file) == 0) return file;
    }
    return {};
  }

 private:
  /// Replaces the directive by the header's text. A #line directive then restores the line count.
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

  /// A compiler warns about the pragma in a main file. The text contains each header only once anyway.
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

rendered_alone render_alone(const translation_unit& unit,
                            const std::map<std::string, std::vector<edit>>& edits,
                            const std::function<std::string(const std::string&)>& absolute) {
  // The headers test this macro; define it however the text is compiled.
  flattener all(unit, edits, absolute);
  const std::string text = all.flat(unit.main_file);
  return {std::string("#ifndef ") + api::instrumented_macro + "\n#define " + api::instrumented_macro +
              "\n#endif\n" + first_lines(unit, unit.main_file) + text,
          all.left_out()};
}

}  // namespace stradsap::pp
