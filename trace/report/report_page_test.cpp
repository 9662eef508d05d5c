#include "trace/report/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "autograd/error.h"
#include "trace/report/paper_figures.h"
#include "trace/testing/markup.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/trace_files.h"
#include "trace/write/output_file.h"

namespace notape::trace {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::MicroTrace;
using ::testing::Not;

constexpr std::size_t kMostBytes = 2'000'000;

const char* const kHostile =
    "x</code></title></svg><script>alert(1)</script>\\\"'&<!--|`*_[a](b)\\u0000\\u001b[31m";

/// Everything that a trace can have, under hostile names.
MicroTrace hostile_trace() {
  MicroTrace trace;
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t start = 1'000'000 * i;
    trace.step(i, start, 900'000)
        .op(kHostile, start + 10'000, 300'000)
        .call("cudaMalloc", start + 20'000, 50'000 / (i + 1))
        .call(kHostile, start + 80'000, 1'000)
        .memory(start + 90'000, 512, 512 * (i + 1), 4'096)
        .launch(start + 100'000, 5'000, i + 1)
        .slice("kernel", kHostile, start + 200'000, 100'000,
               R"("device": 0, "stream": 7, "correlation": )" + std::to_string(i + 1));
  }
  trace.raw(std::string(R"({"ph":"M","name":"thread_name","pid":4242,"tid":1,"args":{"name":")") +
            kHostile + R"("}})");
  return trace;
}

std::vector<std::pair<std::string, TraceModel>> all_kinds_of_traces() {
  std::vector<std::pair<std::string, TraceModel>> traces;
  const auto add = [&](const char* what, const MicroTrace& trace) {
    traces.emplace_back(what, trace.model());
  };
  add("empty", MicroTrace());
  add("three steps", testing::three_steps());
  add("hostile names", hostile_trace());
  add("ops alone", MicroTrace().op("aten::mul", 10, 50));
  add("one instant", MicroTrace().memory(5, 10, 10, 10));
  add("a late instant", MicroTrace().kernel(1'610'366'387'140'700'000, 0, 1));
  add("calls alone", MicroTrace().call("cudaFree", 10, 50));
  add("GPU rows alone", MicroTrace().kernel(10, 50, 1).kernel(100, 50, 2));
  add("without ops", MicroTrace().launch(0, 10, 1).kernel(20, 30, 1));
  add("without steps", MicroTrace().op("a", 0, 50).launch(10, 10, 1).kernel(30, 30, 1));
  add("zero lengths", MicroTrace().op("a", 7, 0).launch(7, 0, 1).kernel(7, 0, 1).step(1, 7, 0));
  add("a full queue", testing::filling_queue(100, 40));
  add("a step without GPU ops", testing::three_steps().step(9, 500'000, 1'000));
  for (const char* name : {"kineto_resnet50_first6_w0", "hta_resnet_ns_v100",
                           "hta_alexnet_malloc_a100", "tracelens_h100_bert_small", "hta_cpu_only"})
    if (const std::string path = testing::public_trace(name); !path.empty())
      traces.emplace_back(name, load_model(path));
  return traces;
}

TEST(ReportPage, HoldsTogetherForEveryKindOfTrace) {
  for (const auto& [what, model] : all_kinds_of_traces()) {
    SCOPED_TRACE(what);
    const ReportPage page = report_page(model);
    EXPECT_EQ(testing::unbalanced_tag(page.html), "");
    const std::vector<std::string> ids = testing::attribute_values(page.html, "id");
    const std::set<std::string> targets(ids.begin(), ids.end());
    EXPECT_EQ(targets.size(), ids.size()) << "an id twice";
    for (const std::string& link : testing::attribute_values(page.html, "href")) {
      ASSERT_EQ(link.front(), '#') << "the page needs no other file";
      EXPECT_TRUE(targets.contains(link.substr(1))) << link;
    }
    EXPECT_LT(page.html.size(), kMostBytes);
    EXPECT_LT(page.markdown.size(), 60'000u);
    EXPECT_THAT(page.html, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf\""))));
    const ReportPage again = report_page(model);
    EXPECT_EQ(page.html, again.html);
    EXPECT_EQ(page.markdown, again.markdown);
  }
}

TEST(ReportPage, EveryQuestionHasAnAnswerInBothFormats) {
  for (const auto& [what, model] : all_kinds_of_traces()) {
    SCOPED_TRACE(what);
    const ReportPage page = report_page(model);
    for (const char* section :
         {"trust", "time", "slow", "ahead", "dispatch", "allocator", "first", "top", "definitions"})
      EXPECT_THAT(page.html, HasSubstr(std::string("<section id=\"") + section + "\">"));
    EXPECT_THAT(page.html, Not(HasSubstr("<tbody>\n</tbody>")));
    EXPECT_THAT(page.markdown, Not(HasSubstr("?\n\n#")));
  }
}

TEST(ReportPage, HostileNamesStayText) {
  const TraceModel model = hostile_trace().model();
  const ReportPage page = report_page(model);
  for (const std::string& text : {page.html, figure1_svg(model), figure2_svg(model)}) {
    EXPECT_THAT(text, Not(HasSubstr("<script")));
    EXPECT_THAT(text, Not(HasSubstr("<!--")));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_EQ(text.find('\0'), std::string::npos);
  }
  EXPECT_THAT(page.html, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page.markdown, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("[a](b)"))));
  // A name cannot end a cell of a table: all rows of one have the same number of bars.
  std::size_t bars = 0;
  std::istringstream lines(page.markdown);
  for (std::string line; std::getline(lines, line);) {
    const auto here = static_cast<std::size_t>(std::count(line.begin(), line.end(), '|'));
    EXPECT_TRUE(bars == 0 || here == 0 || here == bars) << line;
    bars = here;
  }
}

TEST(ReportPage, IsSmallForALargeTrace) {
  MicroTrace trace;
  for (int64_t i = 0; i < 30'000; ++i) {
    const int64_t start = 10'000 * i;
    if (i % 100 == 0) trace.step(i / 100, start, 990'000);
    trace.op(("op" + std::to_string(i % 5'000)).c_str(), start, 3'000 + i % 1'000)
        .launch(start + 1'000, 500 + i % 100, i + 1)
        .kernel(start + 2'000 + i % 3'000, 4'000 + i % 2'000, i + 1)
        .memory(start + 10, 512, 512 * (i % 700), 1'000'000);
  }
  const TraceModel model = trace.model();
  const ReportPage page = report_page(model);
  EXPECT_LT(page.html.size(), kMostBytes);
  EXPECT_THAT(page.html,
              HasSubstr("Pictures and tables of steps show 16 of the 300: the first 3, the 8 "
                        "slowest, and 5 of about median length."));
  EXPECT_LT(figure1_svg(model).size() + figure2_svg(model).size(), kMostBytes);
}

TEST(ReportPage, IsAboutWhatIsSelected) {
  MicroTrace trace;
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t start = 100'000 * i;
    trace.step(i, start, 90'000)
        .op(i == 2 ? "only_here" : "elsewhere", start, 30'000)
        .call(i == 2 ? "cudaMalloc" : "cudaFree", start + 1'000, 500)
        .launch(start + 2'000, 500, i + 1)
        .on_stream(7, i % 2)
        .kernel(start + 5'000, 9'000, i + 1);
  }
  const TraceModel model = trace.model();
  Selection selection;
  selection.first_step = 2;
  const ReportPage page = report_page(model, selection);
  EXPECT_EQ(testing::unbalanced_tag(page.html), "");
  EXPECT_THAT(page.markdown,
              AllOf(HasSubstr("ProfilerStep#2"), HasSubstr("only_here"), HasSubstr("cudaMalloc"),
                    Not(HasSubstr("elsewhere")), Not(HasSubstr("cudaFree"))));
  selection = {};
  selection.device = 1;
  EXPECT_THAT(report_page(model, selection).markdown,
              AllOf(HasSubstr("device 1"), Not(HasSubstr("which has most operations"))));
  selection.device = 5;
  EXPECT_THROW(report_page(model, selection), ValueError);
}

TEST(ReportPage, OfTheHostAloneHasNoWordsOfADevice) {
  MicroTrace trace;
  for (int64_t i = 0; i < 4; ++i)
    trace.step(i, 1'000 * i, 900).op("aten::mul", 1'000 * i, i == 0 ? 800 : 300);
  const std::string page = report_page(trace.model()).html;
  EXPECT_THAT(page, AllOf(Not(HasSubstr("device busy")), Not(HasSubstr("device idle"))));
  EXPECT_THAT(page, HasSubstr("Operators that took longer in the first step"));
}

TEST(ReportPage, IsWrittenIntoAFolderThatItMakes) {
  const testing::TemporaryFile parent(".d");
  const std::string folder = parent.path() + "/a/b";
  const TraceModel model = testing::three_steps().model();
  write_report_page(model, folder);
  EXPECT_EQ(read_file(folder + "/index.html"), report_page(model).html);
  EXPECT_EQ(read_file(folder + "/summary.md"), report_page(model).markdown);
  EXPECT_THROW(write_report_page(model, folder + "/index.html"), FileError);
  std::filesystem::remove_all(parent.path());
}

TEST(ReportPage, DoesNotTellWhereTheFileWas) {
  const testing::TextFile file(testing::trace_of(""));
  const ReportPage page = report_page(load_model(file.path()));
  const std::string folder = std::filesystem::path(file.path()).parent_path().string();
  EXPECT_THAT(page.html + page.markdown, Not(HasSubstr(folder + "/")));
}

TEST(PaperFigures, StandAloneForEveryKindOfTrace) {
  for (const auto& [what, model] : all_kinds_of_traces()) {
    SCOPED_TRACE(what);
    for (const std::string& svg : {figure1_svg(model), figure2_svg(model)}) {
      if (svg.empty()) continue;  // nothing to show
      EXPECT_EQ(testing::unbalanced_tag(svg), "");
      EXPECT_THAT(svg, HasSubstr("xmlns="));
      EXPECT_THAT(svg, Not(HasSubstr("var(--")));
      EXPECT_LT(svg.size(), 400'000u);
    }
  }
}

TEST(PaperFigures, Figure1BeginsWhereItIsTold) {
  const TraceModel model = testing::three_steps().model();
  Figure1Options options;
  options.step = 77;
  EXPECT_THROW(figure1_svg(model, options), ValueError);
  options = {};
  options.from = "conv";
  EXPECT_THROW(figure1_svg(model, options), ValueError);
  options.from = "(";
  EXPECT_THROW(figure1_svg(model, options), ValueError);
  options.from = "mul";
  EXPECT_NO_THROW(figure1_svg(model, options));
}

}  // namespace
}  // namespace notape::trace
