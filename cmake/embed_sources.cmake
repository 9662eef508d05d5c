# cmake -DROOT=... -DOUT=... -P embed_sources.cmake: the declarations and files of the operators as
# strings in a C++ file, for `notape ops` to read (verify/catalogue/sources.h).
file(GLOB headers RELATIVE "${ROOT}" "${ROOT}/ops/*.h" "${ROOT}/autograd/tensor/members/*.h"
  "${ROOT}/ops/out/*.h")
file(GLOB files RELATIVE "${ROOT}" "${ROOT}/ops/*/*.cpp" "${ROOT}/cuda/kernels/*.cu"
  "${ROOT}/cuda/kernels/*.cpp")
list(FILTER files EXCLUDE REGEX "_test\\.cpp$|/fuzz/|/spec/|/include/|/out/")
set(text "#include \"verify/catalogue/sources.h\"\n\nnamespace notape::verify::catalogue {\n\
namespace {\n\nusing namespace std::string_view_literals;\n\nconstexpr Source kSources[] = {\n")
file(WRITE "${OUT}.new" "${text}")
foreach(path IN LISTS headers files ITEMS autograd/tensor/factories.h
    autograd/batching/random_factories.h)
  file(READ "${ROOT}/${path}" text)
  file(APPEND "${OUT}.new" "    {\"${path}\"sv, R\"source(${text})source\"sv},\n")
endforeach()
file(APPEND "${OUT}.new" "};\n\n}  // namespace\n\n\
std::span<const Source> sources() { return kSources; }\n\n}  // namespace notape::verify::catalogue\n")
file(RENAME "${OUT}.new" "${OUT}")
