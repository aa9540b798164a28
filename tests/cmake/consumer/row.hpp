#pragma once

struct Row {
  int key;
  double value;
};
