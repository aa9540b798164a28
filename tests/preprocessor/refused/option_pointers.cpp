// Functions among a loop's options do not write through pointers, references and handles either, although a
// const object holds them.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <variant>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;
using schedule::dynamic;

struct model {
  dvector<double> x, hits;
  std::vector<double> weights;
  std::variant<int, double> kind;
};

struct holder {
  model* m;
  std::unique_ptr<double> own;
  std::shared_ptr<model> shared;
  double& total;
  std::span<double> view;
  model* pointer() const { return m; }  // expected-error: the function of `priority` changes `m`, or may change it [SAP080]
  double& at(int64_t j) const { return m->weights[static_cast<std::size_t>(j)]; }  // expected-error: the function of `priority` changes `m`, or may change it [SAP080]
  double by_pointer(int64_t j) const { return m->x[j] += 1; }  // expected-error: the function of `priority` changes `m`, or may change it [SAP080]
  double by_owner(int64_t j) const { return *own = static_cast<double>(j); }  // expected-error: the function of `priority` changes `own`, or may change it [SAP080]
  double by_reference(int64_t j) const { return total = static_cast<double>(j); }  // expected-error: the function of `priority` changes `total`, or may change it [SAP080]
  double by_view(int64_t j) const {
    view[0] = static_cast<double>(j);  // expected-error: the function of `priority` changes `view`, or may change it [SAP080]
    return 1;
  }
  double by_algorithm() const {
    std::fill(view.begin(), view.end(), 1.0);  // expected-error: the function of `priority` changes `view`, or may change it [SAP080]
    return 1;
  }
  double by_helper(int64_t j) const;
};

static double write_to(const holder& of, int64_t j) {
  return *of.own = static_cast<double>(j);  // expected-error: the function of `priority` changes `own`, or may change it [SAP080]
}
double holder::by_helper(int64_t j) const { return write_to(*this, j); }

struct writing_functor {
  dvector<double>* hits;
  double operator()(int64_t j) const { return touch(j); }
  double touch(int64_t j) const { return (*hits)[j] += 1; }  // expected-error: the function of `priority` changes `hits`, or may change it [SAP080]
};

struct referring_functor {
  model& m;
  double operator()(int64_t j) const { return m.hits[j] += 1; }  // expected-error: the function of `priority` changes `m`, or may change it [SAP080]
};

struct writer {
  double* to;
  const writer& operator=(double value) const {
    *to = value;  // expected-error: the function of `priority` changes `to`, or may change it [SAP080]
    return *this;
  }
  double operator()(int64_t) const { return *to = 1; }  // expected-error: the function of `priority` changes `to`, or may change it [SAP080]
};

struct base {
  virtual ~base() = default;
  virtual double of(int64_t) const { return 1; }
};
struct derived : base {
  double* to = nullptr;
  double of(int64_t j) const override { return *to = static_cast<double>(j); }  // expected-error: the function of `priority` changes `to`, or may change it [SAP080]
};

struct window {
  double* at;
  int size;
  double& operator[](int k) const { return at[k]; }  // expected-error: the function of `priority` changes `at`, or may change it [SAP080]
};

struct node {
  double value = 0;
  node* next = nullptr;
};

double* out_of_sight();

static void by_members(const holder& h) {
  (void)dynamic().priority([&](int64_t j) { return h.at(j) = 1; });
  (void)dynamic().priority([&](int64_t j) { return h.by_pointer(j); });
  (void)dynamic().priority([&](int64_t j) { return h.by_owner(j); });
  (void)dynamic().priority([&](int64_t j) { return h.by_reference(j); });
  (void)dynamic().priority([&](int64_t j) { return h.by_view(j); });
  (void)dynamic().priority([&](int64_t) { return h.by_algorithm(); });
  (void)dynamic().priority([&](int64_t j) { return h.by_helper(j); });
  (void)dynamic().priority([&](int64_t j) { return std::invoke(&holder::by_owner, h, j); });
  (void)dynamic().priority([&](int64_t) { return h.pointer()->weights[0] = 1; });
  (void)dynamic().priority([&](int64_t j) { h.shared->hits[j] += 1; return 1; });  // expected-error: the function of `priority` changes `shared`, or may change it [SAP080]
}

static void by_captures(model& m, node* first, const writer& w) {
  const auto shared = std::make_shared<model>();
  const std::vector<double*> pointers{&m.weights[0]};
  double* raw = m.weights.data();
  double** of_raw = &raw;
  const std::reference_wrapper<model> wrapped(m);
  const std::tuple<model&, int> both(m, 1);
  (void)dynamic().priority([shared](int64_t j) { shared->hits[j] += 1; return 1; });  // expected-error: the function of `priority` changes `shared`, or may change it [SAP080]
  (void)dynamic().priority([shared](int64_t) { auto again = shared; again->weights[0] = 1; return 1; });  // expected-error: the function of `priority` changes `again`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { *pointers[0] = 1; return 1; });  // expected-error: the function of `priority` changes `pointers`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { for (double* one : pointers) *one = 1; return 1; });  // expected-error: the function of `priority` changes `pointers`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { std::for_each(pointers.begin(), pointers.end(), [](double* one) { *one = 1; }); return 1; });  // expected-error: the function of `priority` changes `one`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { const auto set = [p = pointers[0]] { *p = 1; }; set(); return 1; });  // expected-error: the function of `priority` changes `pointers`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { std::span<double> view(raw, 3); view[0] = 1; return 1; });  // expected-error: the function of `priority` changes `raw`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { window row{raw, 3}; row[0] = 1; return 1; });
  (void)dynamic().priority([&](int64_t) { return **of_raw = 1; });  // expected-error: the function of `priority` changes `of_raw`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { return wrapped.get().weights[0] = 1; });  // expected-error: the function of `priority` changes `wrapped`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { return std::get<0>(both).weights[0] = 1; });  // expected-error: the function of `priority` changes `both`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { std::optional<double*> q(&m.weights[0]); return **q = 1; });  // expected-error: the function of `priority` changes `m`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { for (node* at = first; at != nullptr; at = at->next) at->value = 1; return 1; });  // expected-error: the function of `priority` changes `first`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { return *out_of_sight() = 1; });  // expected-error: the function of `priority` changes `an object behind a pointer`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { w = 1.0; return 1; });
  (void)dynamic().priority([&](int64_t j) { return w(j); });
  (void)dynamic().priority(writing_functor{&m.hits});
  (void)dynamic().priority(referring_functor{m});
}

static void by_views(model& m, std::vector<double>& w) {
  (void)dynamic().priority([&](int64_t) { std::span<double> view(w); view[0] = 1; return 1; });  // expected-error: the function of `priority` changes `w`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { for (double& one : std::span<double>(w)) one = 1; return 1; });  // expected-error: the function of `priority` changes `w`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { auto [least, most] = std::minmax_element(w.begin(), w.end()); return *least = *most; });  // expected-error: the function of `priority` changes `w`, or may change it [SAP080] // expected-error: the function of `priority` changes `w`, or may change it [SAP080] // expected-error: the function of `priority` changes `least`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { auto ends = std::minmax_element(w.begin(), w.end()); return *ends.first = 1; });  // expected-error: the function of `priority` changes `w`, or may change it [SAP080] // expected-error: the function of `priority` changes `w`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { std::visit([](auto& one) { one = 1; }, m.kind); return 1; });  // expected-error: the function of `priority` changes `m`, or may change it [SAP080]
}

static void by_virtual_function(const base& b) {
  (void)dynamic().priority([&](int64_t j) { return b.of(j); });
}

struct trainer {
  std::unique_ptr<model> m = std::make_unique<model>();
  double touch(int64_t j) const { return m->hits[j] += 1; }  // expected-error: the function of `priority` changes `m`, or may change it [SAP080]
  void run() {
    (void)dynamic().priority([this](int64_t j) { return m->hits[j] += 1; });  // expected-error: the function of `priority` changes `m`, or may change it [SAP080]
    (void)dynamic().priority([this](int64_t j) { return touch(j); });
  }
};

int main() {
  model m;
  double total = 0;
  node first;
  derived d;
  by_members({&m, nullptr, nullptr, total, {}});
  by_captures(m, &first, {&total});
  by_views(m, m.weights);
  by_virtual_function(d);
  trainer().run();
}
