#include "trace/fuzz/garble.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace notape::trace::fuzz {
namespace {

constexpr const char* kDialects[] = {
    // Today's, with a graph, waits, memory, counters and flows.
    R"trace({"schemaVersion":1,"deviceProperties":[],
"distributedInfo":{"rank": 0},
"metadata":{"device_kind":"cuda","dropped":1,"drift_ppm":0.5},
"displayTimeUnit":"ms","baseTimeNanoseconds":1700000000000000000,"traceEvents":[
{"ph":"M","name":"thread_name","ts":0,"pid":4242,"tid":1,"args":{"name":"main"}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":4242,"tid":1,"ts":9.000,"dur":30.500,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::mul","pid":4242,"tid":1,"ts":10.000,"dur":8.000,"args":{"External id":1,"Sequence number":0,"Ev Idx":1,"Input Dims":[[2,3],[]]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":4242,"tid":1,"ts":12.000,"dur":4.500,"args":{"External id":1,"cbid":211,"correlation":100}},
{"ph":"s","id":100,"pid":4242,"tid":1,"ts":12.000,"cat":"ac2g","name":"ac2g"},
{"ph":"X","cat":"kernel","name":"mul_kernel","pid":0,"tid":7,"ts":19.000,"dur":20.250,"args":{"External id":1,"queued":0,"device":0,"context":1,"stream":7,"correlation":100,"grid":[1,2,3]}},
{"ph":"f","id":100,"pid":0,"tid":7,"ts":19.000,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":4242,"tid":1,"ts":49.000,"dur":30.500,"args":{}},
{"ph":"X","cat":"cpu_op","name":"autograd::engine::evaluate_function: MulBackward0","pid":4242,"tid":2,"ts":50.000,"dur":9.000,"args":{"External id":2,"Sequence number":0,"Fwd thread id":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":4242,"tid":2,"ts":51.000,"dur":4.500,"args":{"correlation":101}},
{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":59.000,"dur":1.250,"args":{"device":0,"stream":7,"correlation":101,"graph id":3}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":20,"ts":59.500,"dur":4.250,"args":{"device":0,"stream":20,"correlation":101,"bytes":4096}},
{"ph":"X","cat":"gpu_memset","name":"Memset (Device)","pid":1,"tid":7,"ts":61.000,"dur":0.001,"args":{"device":1,"stream":7,"correlation":103}},
{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":7,"ts":60.000,"dur":2.000,"args":{"device":0,"stream":7,"correlation":104,"wait_on_stream":20}},
{"ph":"X","cat":"cuda_runtime","name":"cudaMalloc","pid":4242,"tid":1,"ts":70.000,"dur":1.500,"args":{"correlation":105}},
{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":4242,"tid":1,"ts":72.000,"dur":4.500,"args":{"correlation":106}},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":4242,"tid":1,"ts":71,"args":{"Bytes":-512,"Addr":12,"Device Id":0,"Device Type":1,"Total Allocated":5,"Total Reserved":9}},
{"ph":"C","name":"queue_length device 0 stream 7","pid":0,"ts":72,"args":{"queued":3}},
{"ph":"X","cat":"overhead","name":"o","pid":-1,"tid":0,"ts":73,"dur":1,"args":{}}
], "traceName":"today.json"}
)trace",
    // 2021.
    R"trace({"schemaVersion":1,"traceEvents":[
{"ph":"X","cat":"Operator","name":"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__","pid":8,"tid":"1441273664","ts":1610366387140590,"dur":4,"args":{}},
{"ph":"X","cat":"Operator","name":"aten::empty","pid":8,"tid":"1441273664","ts":1610366387140599,"dur":14,"args":{"Input dims":[[],[]],"Device":0,"External id":1}},
{"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":8,"tid":"1441273664","ts":1610366387140601,"dur":4,"args":{"correlation":6,"external id":872}},
{"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":1610366387140700,"dur":0,"args":{"stream":7,"correlation":6,"external id":872}}
]}
)trace",
    // A bare array, with strings for numbers and what is no JSON.
    R"trace([
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":-2,"ts":"3.5","args":{"Bytes":-144384,"Device Type":1}},
{"ph":"X","cat":"kernel","name":"v\"\\\u00e9<4u>","pid":0,"tid":7,"ts":1712195495505583.123,"dur":4.928,"args":{"device":0,"stream":7,"correlation":135071}},
NaN,
null
]
)trace",
    // Three ranks in one file: the same device, stream, correlations and steps; one without a GPU.
    R"trace({"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":10,"tid":1,"ts":9,"dur":30,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::mul","pid":10,"tid":1,"ts":10,"dur":8.5,"args":{"External id":1,"Sequence number":0}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":1,"ts":12,"dur":4.5,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":19,"dur":20.25,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":30,"dur":9.5,"args":{"device":0,"stream":7,"correlation":2}},
{"ph":"s","id":1,"pid":10,"tid":1,"ts":10,"cat":"fwdbwd","name":"fwdbwd"},
{"ph":"f","id":1,"pid":10,"tid":1,"ts":11,"cat":"fwdbwd","name":"fwdbwd","bp":"e"},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":"[r1] 10","tid":1,"ts":10.5,"dur":30,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::mul","pid":"[r1] 10","tid":1,"ts":11.5,"dur":8,"args":{"External id":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":"[r1] 10","tid":1,"ts":13.5,"dur":4.5,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_driver","name":"cuGraphLaunch","pid":"[r1] 10","tid":1,"ts":22,"dur":4.5,"args":{"correlation":3}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":40.5,"dur":20,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"g","pid":100001,"tid":20,"ts":70.5,"dur":5,"args":{"device":1,"stream":20,"correlation":3,"graph id":1}},
{"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#1","pid":100001,"tid":20,"ts":70.5,"dur":5,"args":{}},
{"ph":"s","id":1,"pid":"[r1] 10","tid":1,"ts":12,"cat":"fwdbwd","name":"fwdbwd"},
{"ph":"f","id":1,"pid":"[r1] 10","tid":1,"ts":13,"cat":"fwdbwd","name":"fwdbwd","bp":"e"},
{"ph":"X","cat":"cpu_op","name":"gloo:all_reduce","tid":3,"ts":15,"dur":50.5,"args":{}},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":10,"tid":1,"ts":12,"args":{"Bytes":512,"Addr":9,"Device Id":0,"Device Type":1,"Total Allocated":512,"Total Reserved":900}},
{"ph":"M","name":"process_name","pid":10,"tid":0,"args":{"name":"RANK 0 - CPU"}},
{"ph":"M","name":"process_name","pid":"[r1] 10","tid":0,"args":{"name":"RANK 1 - CPU"}},
{"ph":"M","name":"process_name","pid":100001,"tid":0,"args":{"name":"RANK 1 - GPU"}}
]}
)trace",
};

constexpr const char* kWords[] = {"\"",         "\\",
                                  "{",          "}",
                                  "[",          "]",
                                  ",",          ":",
                                  "NaN",        "-",
                                  "1e",         ".",
                                  "\xff",       "\\ud8",
                                  "null",       "\"ts\":",
                                  "\"dur\":",   "\"cat\":\"kernel\"",
                                  "\"args\":{", "ProfilerStep#",
                                  " "};
constexpr const char* kNumbers[] = {"0",
                                    "-1",
                                    "1e308",
                                    "-1e308",
                                    "9223372036854775807",
                                    "-9223372036854775808",
                                    "18446744073709551616",
                                    "0.0005",
                                    "1e-400",
                                    "4294967296",
                                    "1700000000000000.123",
                                    "7",
                                    "100"};

class Garbler {
 public:
  explicit Garbler(uint64_t seed) : random_(seed) {}

  std::string of(const std::vector<std::string>& traces) {
    std::vector<std::string> lines = lines_of(traces[below(traces.size())]);
    for (std::size_t i = below(4); i > 0; --i) change_lines(lines, traces);
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    for (std::size_t i = below(4); i > 0 && !text.empty(); --i) change_bytes(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  void change_lines(std::vector<std::string>& lines, const std::vector<std::string>& traces) {
    if (lines.empty()) return;
    const std::size_t a = below(lines.size()), b = below(lines.size());
    const auto at = [&](std::size_t place) {
      return lines.begin() + static_cast<std::ptrdiff_t>(place);
    };
    switch (below(4)) {
      case 0:
        std::swap(lines[a], lines[b]);
        break;
      case 1:
        lines.erase(at(a));
        break;
      case 2:
        lines.insert(at(a), 1 + below(30), std::string(lines[b]));
        break;
      default: {
        const std::vector<std::string> others = lines_of(traces[below(traces.size())]);
        if (!others.empty()) lines.insert(at(a), others[below(others.size())]);
      }
    }
  }

  void change_bytes(std::string& text) {
    const std::size_t place = below(text.size());
    switch (below(7)) {
      case 0:
        text[place] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(place, 1 + below(20));
        break;
      case 2:
        text.insert(place, kWords[below(std::size(kWords))]);
        break;
      case 3:
        if (below(4) == 0) text.resize(place);
        break;
      case 4:
        text.insert(place, text.substr(below(text.size()), below(60)));
        break;
      case 5:
        if (below(8) == 0) text.insert(place, std::string(below(100'000), "[{\"9"[below(4)]));
        break;
      default:
        change_number(text, place);
    }
  }

  static void replace_number(std::string& text, std::size_t place, const char* number) {
    const std::size_t begin = text.find_first_of("0123456789", place);
    if (begin == std::string::npos) return;
    std::size_t end = text.find_first_not_of("0123456789.", begin);
    if (end == std::string::npos) end = text.size();
    text.replace(begin, end - begin, number);
  }
  void change_number(std::string& text, std::size_t place) {
    replace_number(text, place, kNumbers[below(std::size(kNumbers))]);
  }

  std::mt19937_64 random_;
};

}  // namespace

std::vector<std::string> dialects() { return {std::begin(kDialects), std::end(kDialects)}; }

std::string garbled(const std::vector<std::string>& traces, uint64_t seed) {
  return Garbler(seed).of(traces);
}

}  // namespace notape::trace::fuzz
