// A field that decides which elements are touched, and that the loop changes in a way of its own.
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct token {
  int doc = 0;
  int topic = 0;
  void move(int k) { doc = k; }
};
struct pair_of {
  token first;
  token second;
};

void direct(dvector<token>& z, dvector<int>& nd, dvector<int>& at) {
  parallel_for(100, [&](int64_t j) {
    token& t = z[at[j]];
    nd[t.doc] += 1;  // expected-remark: depends on data in `z`, which this loop writes
    t.doc = 3;
  }, consistency::async);
}

void by_value(dvector<token>& z, dvector<int>& nd) {
  parallel_for(100, [&](int64_t j) {
    token& t = z[j];
    const int n = nd[t.doc];  // expected-remark: depends on data in `nd`, which this loop writes
    t.doc = n;
    nd[t.doc] += 1;  // expected-remark: depends on data in `nd`, which this loop writes
  }, consistency::async);
}

void through_a_function(dvector<token>& z, dvector<int>& nd, dvector<int>& at) {
  parallel_for(100, [&](int64_t j) {
    nd[z[at[j]].doc] += 1;  // expected-remark: depends on data in `z`, which this loop writes
    z[at[j]].move(3);
  }, consistency::async);
}

void through_a_reference(dvector<token>& z, dvector<int>& nd, dvector<int>& at) {
  parallel_for(100, [&](int64_t j) {
    int& doc = z[at[j]].doc;
    nd[doc] += 1;  // expected-remark: depends on data in `z`, which this loop writes
    doc = 4;
  }, consistency::async);
}

void whole(dvector<pair_of>& z, dvector<int>& nd, dvector<int>& at) {
  parallel_for(100, [&](int64_t j) {
    pair_of& p = z[at[j]];
    const token copy = p.second;
    nd[copy.doc] += 1;  // expected-remark: depends on data in `z`, which this loop writes
    p.first.doc = 1;
  }, consistency::async);
}

void swapped(dvector<token>& z, dvector<int>& nd, dvector<int>& at) {
  parallel_for(100, [&](int64_t j) {
    token& t = z[at[j]];
    std::swap(t.doc, t.topic);
    nd[t.doc] += 1;  // expected-remark: depends on data in `z`, which this loop may write
  }, consistency::async);
}
