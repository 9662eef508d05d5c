// A library with thread-local data that must lie at a fixed place, as numerical libraries have.
[[gnu::tls_model("initial-exec")]] thread_local char crowd[24];

extern "C" char* crowd_begin() { return crowd; }
