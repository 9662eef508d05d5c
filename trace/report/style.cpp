#include "trace/report/style.h"

namespace notape::trace {

const char* const kReportStyle = R"(
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 27px; line-height: 1.2; margin: 2px 0 12px; letter-spacing: -0.01em;
  overflow-wrap: anywhere; }
h2 { font-size: 20px; margin: 44px 0 10px; }
h3 { font-size: 15px; margin: 0; }
p { margin: 6px 0; }
a { color: var(--blue); text-decoration: none; }
a:hover { text-decoration: underline; }
code { font: 12.5px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  overflow-wrap: anywhere; }
.brand { color: var(--quiet); font-weight: 600; margin: 0; }
.quiet { color: var(--quiet); }
.top { background: var(--card); border: 1px solid var(--line); border-left: 8px solid var(--line);
  border-radius: 12px; padding: 20px 24px; }
.top.good { border-left-color: var(--green); }
.top.warning { border-left-color: var(--yellow); }
.top.bad { border-left-color: var(--red); }
.short { list-style: none; margin: 0; padding: 0; }
.short li { display: grid; grid-template-columns: minmax(190px, 290px) 1fr; gap: 2px 18px;
  padding: 5px 0; border-top: 1px solid var(--line); }
@media (max-width: 800px) { .short li { grid-template-columns: 1fr; } }
.findings { margin: 0 0 14px; }
.findings td { border: none; padding: 2px 14px 2px 0; }
.findings td:first-child { padding-left: 10px; border-left: 4px solid var(--line); }
.findings tr.good td:first-child { border-left-color: var(--green); }
.findings tr.warning td:first-child { border-left-color: var(--yellow); }
.findings tr.bad td:first-child { border-left-color: var(--red); }
figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  margin: 14px 0; padding: 14px 18px; }
figcaption { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline;
  margin-bottom: 8px; }
figcaption a { font-size: 12.5px; margin-left: auto; white-space: nowrap; }
.doubt { color: var(--yellow); font-size: 12.5px; }
.picture { overflow-x: auto; }
svg { display: block; width: 100%; min-width: 820px; height: auto; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 4px 0 0; padding: 0;
  list-style: none; font-size: 12.5px; color: var(--quiet); }
.legend li { display: flex; align-items: center; gap: 6px; }
.legend svg { width: 14px; min-width: 14px; height: 12px; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
.wide { overflow-x: auto; }
table.narrow { width: auto; min-width: 46%; }
th { text-align: left; font-weight: 400; color: var(--quiet); font-size: 12.5px; }
th.number, td.number { text-align: right; }
td, th { padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
td .bar { display: block; height: 3px; margin: 2px 0 0 auto; border-radius: 2px;
  background: var(--blue); opacity: .6; }
#definitions dt { font-weight: 600; margin-top: 16px; }
#definitions dd { margin: 2px 0 0; max-width: 900px; }
#definitions dt:target, #definitions dt:target + dd { background: var(--yellow-soft); }
@media print { body { background: none; } figure { break-inside: avoid; } }
)";

}  // namespace notape::trace
