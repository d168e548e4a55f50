float from_element(int32_t element) { return static_cast<float>(element); }
