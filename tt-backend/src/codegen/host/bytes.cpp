float from_element(uint8_t element) { return static_cast<float>(element); }
float from_element(int8_t element) { return static_cast<float>(element); }
