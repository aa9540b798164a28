#include "rewrite/insertions.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>

#include "analyze/source/api_names.hpp"
#include "analyze/source/text_hash.hpp"

namespace stradsap::pp {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// Mixes the bits of the text's hash, so that similar names differ in all bits.
static std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = text_hash(text);
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

std::string value_of_number(const copied_number& number) {
  return std::string(" = ") + api::number + "(" + number.name + ")";
}

std::string added_captures(const loop_site& site) {
  std::string text;
  for (const std::string& name : site.added_captures) {
    text += (text.empty() && site.captures_none ? "&" : ", &") + name;
  }
  for (const copied_number& number : site.numbers) {
    if (!number.begin) text += ", &" + number.name + value_of_number(number);
  }
  return text;
}

/// Whether the argument brings the object that it and later ones are members of.
static bool brings_object(const reconstructible_closure& site, const loop_argument& argument) {
  const auto first = std::find_if(site.arguments.begin(), site.arguments.end(),
                                  [&](const loop_argument& one) { return one.object == argument.object; });
  return &*first == &argument;
}

static bool is_of_this(const loop_argument& argument) { return argument.object == "*this"; }

static bool names_this(const reconstructible_closure& site) {
  return std::any_of(site.arguments.begin(), site.arguments.end(), is_of_this);
}

/// The parameter of a factory for an argument; empty if the factory captures `this` instead.
static std::string parameter_of(const reconstructible_closure& site, const loop_argument& argument) {
  if (!argument.object.empty()) {
    if (!brings_object(site, argument)) return api::further_member;
    return is_of_this(argument) ? "" : "decltype(" + argument.object + ")& " + argument.object;
  }
  if (argument.path.empty()) return "decltype(" + argument.name + ")& " + argument.name;
  return "decltype((" + argument.path + ")) " + api::parameter_prefix + argument.name;
}

namespace {

/// Stands in for an object with captured members. The factory declares it with reference members, so that the
/// captures find their names.
struct stand_in {
  std::map<std::string, stand_in> members;
  std::string parameter;  // the factory's parameter, if this is a captured member

  std::string type() const {
    if (members.empty()) return "decltype(" + parameter + ")";
    std::string text = "struct { ";
    for (const auto& [name, member] : members) text += member.type() + " " + name + "; ";
    return text + "}";
  }
  std::string value() const {
    if (members.empty()) return parameter;
    std::string text;
    for (const auto& [name, member] : members) text += (text.empty() ? "{" : ", ") + member.value();
    return text + "}";
  }
};

}  // namespace

/// Makes `struct { decltype(stradsap_W) weights; } model{stradsap_W};`.
static std::string stand_ins(const reconstructible_closure& site) {
  stand_in all;
  for (const loop_argument& argument : site.arguments) {
    if (argument.evaluated || !argument.object.empty()) continue;
    stand_in* at = &all;
    for (std::size_t begin = 0; begin < argument.path.size();) {
      const std::size_t end = std::min(argument.path.find('.', begin), argument.path.size());
      at = &at->members[argument.path.substr(begin, end - begin)];
      begin = end + 1;
    }
    at->parameter = api::parameter_prefix + argument.name;
  }
  std::string text;
  for (const auto& [name, object] : all.members) text += object.type() + " " + name + object.value() + "; ";
  return text;
}

/// Makes `constexpr auto stradsap_constant_0 = n; { static constexpr auto n = stradsap_constant_0;`. A
/// constant captured by reference must outlive the function that makes the closure, so its first declaration
/// is static. A lambda's head cannot capture static variables, so the second is local if the head names the
/// constant. A head that is `[&]` alone names none, and refers to the second.
static std::string declared_anew(const captured_constant& constant, const std::string& kept,
                                 const std::string& attribute) {
  const auto& [name, named, value] = constant;
  const std::string first =
      named == named_in_head::by_reference ? "static constexpr auto " : "constexpr auto ";
  const std::string second = named == named_in_head::by_reference ? "constexpr auto& "
                             : named == named_in_head::by_copy    ? "constexpr auto "
                                                                  : "static constexpr auto ";
  const std::string known = value.empty() ? name : "static_cast<decltype(" + name + ")>(" + value + ")";
  return first + kept + " = " + known + "; { " + attribute + second + name + " = " + kept + "; ";
}

/// Makes `[](decltype(rate)& rate, decltype(P)& P) { return`; a lambda follows it. `names_constants`: whether
/// its head may name constants.
static std::string factory_begin(const reconstructible_closure& site, const std::string& attribute = {},
                                 bool names_constants = true) {
  std::string parameters;
  for (const loop_argument& argument : site.arguments) {
    const std::string one = parameter_of(site, argument);
    if (!one.empty()) parameters += (parameters.empty() ? "" : ", ") + attribute + one;
  }
  std::string text = names_this(site) ? std::string(api::of_this) + "([this](" : "[](";
  text += parameters + ") { " + stand_ins(site);
  // declared again where the closure sees them, so that they remain constants
  for (std::size_t i = 0; i < site.constants.size(); ++i) {
    captured_constant constant = site.constants[i];
    if (!names_constants && constant.named == named_in_head::by_copy) constant.named = named_in_head::no;
    text += declared_anew(constant, "stradsap_constant_" + std::to_string(i), attribute);
  }
  return text + "return ";
}

static std::string factory_end(const reconstructible_closure& site) {
  std::string text = "; ";
  for (std::size_t i = 0; i < site.constants.size(); ++i) text += "} ";
  return text + (names_this(site) ? "})" : "}");
}

/// Makes `::stradsap::stradsap_loop<ID, FLAGS, GLOBALS>(`.
static std::string loop_begin(const loop_site& site, const std::string& path) {
  const std::uint64_t id = hash_of(path + '\n' + site.function + '\n' + std::to_string(site.ordinal));
  const bool calls = std::any_of(site.arguments.begin(), site.arguments.end(),
                                 [](const auto& a) { return a.kind == argument_kind::callable; });
  return std::string(calls ? api::loop_calling : api::loop) + "<" + hexadecimal(id) + ", " +
         std::to_string(site.flags) + globals_of(site) + ">(";
}

/// A bit for each container that the first phases of an interleaved body read and its last phase may write.
static std::uint64_t read_and_written(const loop_site& site) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    const loop_argument& argument = site.arguments[i];
    const bool read = std::find(site.interleaving->read.begin(), site.interleaving->read.end(),
                                argument.name) != site.interleaving->read.end();
    const bool scattered = (argument.bits & api::mode_write) != 0 && (argument.bits & api::mode_aligned) == 0;
    if (read && scattered) bits |= std::uint64_t{1} << i;
  }
  return bits;
}

/// Whether an iteration only reads values, folds, and accesses elements at its own index.
static bool is_aligned(const loop_site& site) {
  const auto is_container = [](const loop_argument& one) { return one.kind == argument_kind::container; };
  const auto keeps_to_its_own = [&](const loop_argument& one) {
    return one.kind != argument_kind::callable && (!is_container(one) || (one.bits & api::mode_aligned) != 0);
  };
  const auto leaves_results = [](const loop_argument& one) {
    return one.kind == argument_kind::reduction || (one.bits & api::mode_write) != 0;
  };
  const auto& all = site.arguments;
  return std::all_of(all.begin(), all.end(), keeps_to_its_own) &&
         std::any_of(all.begin(), all.end(), is_container) &&
         std::any_of(all.begin(), all.end(), leaves_results);
}

static bool is_straight(const loop_site& site) {
  return site.straight != straightness::none && site.inspector.empty() && is_aligned(site);
}

/// Makes `::stradsap::stradsap_straight<BITS>(`.
static std::string straight_begin(const loop_site& site) {
  const unsigned bits = (site.straight == straightness::with_calls ? api::straight_calls : 0) |
                        (site.adds_once ? api::straight_adds_once : 0);
  return std::string(api::straight) + "<" + std::to_string(bits) + ">(";
}

/// The text between the loop's location and the body that the factory returns.
static std::string before_made(const loop_site& site) {
  std::string text;
  if (site.interleaving)
    text += std::string(api::interleaved) + "<" + std::to_string(read_and_written(site)) + ">(";
  if (is_straight(site)) text += straight_begin(site);
  if (!site.inspector.empty()) text += std::string(api::sliced) + "(";
  return text + factory_begin(site);
}

/// Makes `, factory of the phases)` for an interleaved body.
static std::string phases_of(const loop_site& site) {
  return ", " + factory_begin(site, api::unused, /*names_constants=*/false) + api::phases + "(" +
         site.interleaving->begin + ", " + site.interleaving->chains + ", " + site.interleaving->rest + ")" +
         factory_end(site) + ")";
}

std::string before_body(const loop_site& site, const std::string& path) {
  return (site.in_macro_argument ? "(" : "") + loop_begin(site, path) + quoted(site.place) + ", " +
         before_made(site);
}

/// Makes `visit(op(), to.loss, part.loss);`; for a path through an array, a loop that visits each element.
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
      loops +=
          "for (decltype(sizeof 0) " + i + " = 0; " + i + " < " + api::length + "(" + to + "); ++" + i + ") ";
      step = "[" + i + "]";
    }
    to += step;
    part += step;
  }
  return loops + "stradsap_visit(" + member.op + "(), " + to + ", " + part + "); ";
}

static std::string reduction_of(const loop_argument& argument, const std::string& variable) {
  if (argument.folded.size() == 1 && argument.folded.front().path.empty()) {
    return std::string(api::reduction) + "<" + argument.folded.front().op + ", " + quoted(argument.name) +
           ">(" + variable + ")";
  }
  std::string text = std::string(api::reductions) + "<" + quoted(argument.name) + ">(" + variable +
                     ", [](auto& stradsap_to, auto& stradsap_part, const auto& stradsap_visit) { ";
  for (const folded_member& member : argument.folded) text += visit_of(member);
  return text + "})";
}

/// The masks of written and steering fields; empty if both contain all fields.
static std::string fields_of(const loop_argument& argument) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  if (argument.written_fields == all && argument.steering_fields == all) return {};
  return ", " + hexadecimal(argument.written_fields) + ", " + hexadecimal(argument.steering_fields);
}

/// The text that passes one argument to a loop; `owner` is the object, if any, that has it as a member.
static std::string capture_of(const reconstructible_closure& to, const loop_argument& argument,
                              const std::string& variable) {
  const std::string bits = std::to_string(argument.bits);
  const bool steers = (argument.bits & api::mode_steers) != 0;
  const std::string named = bits + (steers ? ", " + quoted(argument.name) : "");
  const bool kept = to.is_kept && argument.by_copy;
  switch (argument.kind) {
    case argument_kind::value:
      return std::string(kept ? api::kept : api::value) + "<" + named + ">(" + variable + ")";
    case argument_kind::callable:
      return std::string(kept ? api::kept_callable : api::callable) + "<" + named + ">(" + variable + ")";
    case argument_kind::container:
      return std::string(api::container) + "<" + bits + ", " + quoted(argument.name) + fields_of(argument) +
             ">(" + variable + ")";
    case argument_kind::reduction:
      break;
  }
  return reduction_of(argument, variable);
}

/// Makes `, capture`; for a member of an object, with the object and the way to the member.
static std::string given(const reconstructible_closure& to, const loop_argument& argument,
                         const std::string& owner) {
  if (argument.object.empty())
    return ", " + capture_of(to, argument, argument.path.empty() ? owner + argument.name : argument.path);
  std::size_t number = 0;
  for (const loop_argument& one : to.arguments) {
    if (one.object == argument.object) break;
    if (!one.object.empty() && brings_object(to, one)) ++number;
  }
  const std::string object = is_of_this(argument) ? "this->" : argument.object + ".";
  return std::string(", ") + api::member + "<" + std::to_string(number) + ", " +
         (brings_object(to, argument) ? "1" : "0") + ">(" + argument.object + ", " +
         capture_of(to, argument, object + argument.member) +
         ", [](auto& stradsap_object) -> auto& { return stradsap_object." + argument.member + "; })";
}

std::string before_given() { return std::string(api::given) + "<decltype(("; }

std::string after_given(const given_initialiser& init) {
  return "))>(" + std::string(api::parameter_prefix) + init.name + ")";
}

/// The text behind that body; `owner` is the object, if any, that has the arguments as members.
static std::string after_made(const loop_site& site, const std::string& owner = {}) {
  std::string text = factory_end(site);
  if (!site.inspector.empty()) {
    const bool names_constants = site.inspector_begin.find("[&](") != 0;
    text += ", " + factory_begin(site, api::unused, names_constants) + site.inspector_begin + site.inspector +
            "}" + factory_end(site) + ")";
  }
  if (is_straight(site)) text += ")";
  if (site.interleaving) text += phases_of(site);
  for (const loop_argument& argument : site.arguments) text += given(site, argument, owner);
  return text + ")";
}

std::string before_lambda(const reconstructible_closure& lambda) {
  return std::string(lambda.in_macro_argument ? "(" : "") + api::closure + "(" + factory_begin(lambda);
}

std::string after_lambda(const reconstructible_closure& lambda) {
  std::string text = factory_end(lambda);
  for (const loop_argument& argument : lambda.arguments) text += given(lambda, argument, {});
  return text + (lambda.in_macro_argument ? "))" : ")");
}

std::string after_body(const loop_site& site) {
  return after_made(site) + (site.in_macro_argument ? ")" : "");
}

/// `rate, P`; `one` makes the text of each name.
static std::string listed(const loop_site& site, const std::function<std::string(const std::string&)>& one) {
  std::string text;
  for (const loop_argument& argument : site.arguments)
    text += (text.empty() ? "" : ", ") + one(argument.name);
  return text;
}

/// A constructor from the members, for a class that is no aggregate.
static std::string constructor_of(const loop_site& site) {
  const auto parameter = [](const std::string& name) { return "decltype(" + name + ")& stradsap_" + name; };
  const auto initialiser = [](const std::string& name) { return name + "(stradsap_" + name + ")"; };
  const std::string parameters = listed(site, parameter);
  const std::string initialisers = listed(site, initialiser);
  return "explicit " + site.functor + "(" + api::rebuilt + (parameters.empty() ? "" : ", ") + parameters +
         ")" + (initialisers.empty() ? "" : " : ") + initialisers + " {} ";
}

std::string loop_function_of(const loop_site& site, const std::string& path) {
  const std::string members = listed(site, [](const std::string& name) { return name; });
  const std::string tag = std::string(api::rebuilt) + "()" + (members.empty() ? "" : ", ");
  const std::string made =
      site.is_aggregate ? site.functor + "{" + members + "}" : site.functor + "(" + tag + members + ")";
  return " public: " + (site.is_aggregate ? std::string() : constructor_of(site)) + "static auto " +
         api::loop_function + "(" + api::unused + "const " + site.functor +
         "& stradsap_body, const char* stradsap_site) { return " + loop_begin(site, path) +
         "stradsap_site, " + before_made(site) + made + after_made(site, "stradsap_body.") + "; } ";
}

std::string before_subscript(const reached_subscript& reached) {
  return std::string(api::reach) + "(" + reached.index;
}

std::string after_subscript(const reached_subscript& reached) { return ", " + reached.offsets + ")"; }

std::string before_checked_loop(const std::string& made, std::size_t number) {
  return std::string("switch (const auto ") + api::hoisted_prefix + std::to_string(number) + " = " + made +
         "; 0) default: ";
}

std::string before_checked_subscript(const hoisted_subscript& hoisted, std::size_t number) {
  if (hoisted.index.empty())
    return std::string(api::from) + "(" + api::hoisted_prefix + std::to_string(number) + ", ";
  return std::string(api::nth) + "(" + api::hoisted_prefix + std::to_string(number) + ", " + hoisted.index +
         ", sizeof(";
}

std::string after_checked_subscript(const hoisted_subscript& hoisted) {
  return hoisted.index.empty() ? ")" : "))";
}

std::string before_accesses(const container_opening& opened) {
  std::string text;
  const auto add = [&](const char* function, const std::string& one) {
    text += (text.empty() ? "" : ", ") + std::string(function) + "(" + one + ")";
  };
  for (const std::string& one : opened.to_read) add(api::open_to_read, one);
  for (const std::string& one : opened.to_write) add(api::open_to_write, one);
  return opened.in_block ? text + "; " : "switch (" + text + ", 0) default: ";
}

std::string members_of(const reflected_class& found) {
  std::string text = std::string(" public: static constexpr auto ") + api::members_function + "() { return " +
                     api::members + "<" + found.name + ">(" + api::bases + "<";
  for (std::size_t i = 0; i < found.bases.size(); ++i) text += (i == 0 ? "" : ", ") + found.bases[i];
  text += ">()";
  for (const std::string& member : found.members) text += ", &" + found.name + "::" + member;
  return text + "); } ";
}

/// Makes `public: auto& stradsap_its_rows() { return rows; }` and its const form.
std::string functions_of(const opened_class& found) {
  std::string text = " public: ";
  for (const std::string& member : found.members) {
    const std::string rest = std::string(api::opened_prefix) + member + "() ";
    text += "auto& " + rest + "{ return " + member + "; } const auto& " + rest + "const { return " + member +
            "; } ";
  }
  return text;
}

}  // namespace stradsap::pp
