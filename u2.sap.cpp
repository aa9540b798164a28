#ifndef STRADSAP_INSTRUMENTED
#define STRADSAP_INSTRUMENTED
#endif
namespace stradsap { void stradsap_enter_main(); }
extern "C" { extern const char stradsap_has_main; const char stradsap_has_main = 1; }
#line 1 "/tmp/h0/g/u2.cpp"
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <stradsap/stradsap.hpp>
struct dataset { std::vector<int64_t> indptr; std::vector<int> index; std::vector<float> value, label;  public: static constexpr auto stradsap_members_() { return ::stradsap::stradsap_members<dataset>(::stradsap::stradsap_bases<>(), &dataset::indptr, &dataset::index, &dataset::value, &dataset::label); } };
static dataset make(int rows, int cols) { dataset d; d.indptr.push_back(0); uint64_t s = 1; for (int i = 0; i < rows; ++i) { for (int k = 0; k < 5 + i % 7; ++k) { s = s * 6364136223846793005ull + 1; d.index.push_back((s >> 33) % cols); d.value.push_back(((s >> 20) % 1000) / 500.0f - 1); } d.indptr.push_back(d.index.size()); d.label.push_back(s >> 63 ? 1 : -1);} return d; }
static void update(const dataset& d, int64_t i, stradsap::dvector<float>& w) { float z = 0; for (int64_t p = d.indptr[i]; p < d.indptr[i+1]; ++p) z += w[d.index[p]] * d.value[p];
   for (int64_t p = d.indptr[i]; p < d.indptr[i+1]; ++p) w[d.index[p]] += 0.1f * d.label[i] * d.value[p]; }
int main() { ::stradsap::stradsap_enter_main(); const int n = 5000, f = 3000; const dataset d = make(n, f); stradsap::dvector<float> w(f, 0.0f);
for (int pass = 0; pass < 5; ++pass)
 stradsap::parallel_for(n, ::stradsap::stradsap_loop<0x81090396b4ee4774ULL, 0>("/tmp/h0/g/u2.cpp:12", ::stradsap::stradsap_sliced([](decltype(d)& d, decltype(w)& w) { return [&](int64_t i) { update(d, i, w); }; }, []([[__maybe_unused__]] decltype(d)& d, [[__maybe_unused__]] decltype(w)& w) { return [&](int64_t i) { (void)i; { (void)(update(d, i, w)); } }; }), ::stradsap::stradsap_value<8, "d">(d), ::stradsap::stradsap_container<3, "w">(w)), stradsap::consistency::async);
 double s = 0; for (float x : w) s += x * x; std::printf("%.9g\n", s); }
