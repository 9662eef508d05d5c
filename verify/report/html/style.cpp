// How the HTML report looks, and its little script.
#include "verify/report/html/parts.h"

namespace notape::verify {

const char* const kHtmlStyle = R"(
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 30px; line-height: 1.2; margin: 2px 0 12px; letter-spacing: -0.01em; }
h2 { font-size: 19px; margin: 34px 0 12px; }
h3 { font-size: 17px; margin: 0; }
h4 { font-size: 14px; margin: 22px 0 6px; }
p { margin: 6px 0; }
code { font: 12.5px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  overflow-wrap: anywhere; }
.brand { color: var(--quiet); font-weight: 600; margin: 0; }
.quiet { color: var(--quiet); font-weight: 400; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.top { background: var(--card); border: 1px solid var(--line); border-left: 8px solid;
  border-radius: 12px; padding: 20px 24px; }
.top.green { border-left-color: var(--green); }
.top.yellow { border-left-color: var(--yellow); }
.top.red { border-left-color: var(--red); }
.pill { display: inline-block; border-radius: 999px; padding: 1px 10px; margin-right: 6px;
  font-size: 12.5px; font-weight: 600; white-space: nowrap; }
.pill.green { color: var(--green); background: var(--green-soft); }
.pill.yellow { color: var(--yellow); background: var(--yellow-soft); }
.pill.red { color: var(--red); background: var(--red-soft); }
.card { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--red);
  border-radius: 10px; padding: 16px 20px; margin: 12px 0; }
.card header { display: flex; align-items: center; gap: 8px; flex-wrap: wrap; }
.place { margin-left: auto; color: var(--quiet); font-size: 13px; }
.blame { font-weight: 600; }
.exhibit { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 560px); gap: 20px;
  align-items: start; margin-top: 10px; }
.exhibit > :only-child { grid-column: 1 / -1; }
@media (max-width: 900px) { .exhibit { grid-template-columns: minmax(0, 1fr); } }
.facts { border-collapse: collapse; margin: 0 0 10px; }
.facts th { text-align: left; font-weight: 400; color: var(--quiet); padding: 2px 14px 2px 0;
  vertical-align: top; white-space: nowrap; }
.facts td { padding: 2px 0; }
.guilty td, .legs td { font-size: 15px; }
.replay code { display: block; background: var(--page); border: 1px solid var(--line);
  border-radius: 6px; padding: 6px 10px; user-select: all; }
.bad { color: var(--red); }
.good { color: var(--green); }
figure { margin: 0; }
figcaption { color: var(--quiet); font-size: 12.5px; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
#filters { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; margin-bottom: 8px; }
#filters input, #filters select { font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; padding: 6px 10px; }
#filters input { min-width: 230px; }
.head, .op summary { display: grid; align-items: center; column-gap: 12px; padding: 7px 14px;
  grid-template-columns: minmax(120px, 1.5fr) 90px 190px 46px 66px 66px minmax(140px, 1.4fr) 56px; }
.head { color: var(--quiet); font-size: 12.5px; padding-left: 15px; }
.head :nth-child(n+5):not(:nth-child(7)), .op summary > .number { text-align: right; }
#operators { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  overflow: hidden; }
.op + .op { border-top: 1px solid var(--line); }
.op summary { cursor: pointer; list-style: none; }
.op summary::-webkit-details-marker { display: none; }
.op summary:hover { background: var(--page); }
.op .name { font-weight: 600; overflow-wrap: anywhere; }
.op .family { font-size: 13px; }
.op.red .name { color: var(--red); }
.op.yellow .name { color: var(--yellow); }
.squares { display: flex; flex-wrap: wrap; gap: 2px; }
.squares i { width: 8px; height: 14px; border-radius: 2px; background: var(--green); opacity: 0.75; }
.squares i.yellow { background: var(--yellow); opacity: 1; }
.squares i.red { background: var(--red); opacity: 1; }
circle.f64 { fill: var(--blue); } circle.f32 { fill: var(--orange); }
svg line.f64 { stroke: var(--blue); } svg line.f32 { stroke: var(--orange); }
b.f64 { color: var(--blue); } b.f32 { color: var(--orange); }
.inside { overflow-x: auto; padding: 4px 18px 20px; border-top: 1px dashed var(--line); }
.checks { border-collapse: collapse; width: 100%; margin-top: 8px; font-size: 14px; }
.checks th { text-align: left; font-weight: 400; color: var(--quiet); font-size: 12.5px; }
.checks th:nth-child(n+4), .checks td.number { text-align: right; }
.checks td, .checks th { padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); }
section details > summary h2 { display: inline-block; cursor: pointer; }
@media (max-width: 900px) {
  .head { display: none; }
  .op summary { grid-template-columns: 1fr auto; row-gap: 4px; }
}
@media print { #filters { display: none; } body { background: none; } }
)";

const char* const kPlotRules = R"(
svg .raised { font-size: 9px; }
svg text.good { fill: var(--green); }
svg text.bad { fill: var(--red); }
svg text.good, svg text.bad { font-weight: 600; paint-order: stroke; stroke: var(--card);
  stroke-width: 4px; }
svg line.grid { stroke: var(--line); }
svg line.axis { stroke: var(--quiet); }
svg polyline { fill: none; stroke-width: 1.6; }
svg .dots { fill: none; stroke-width: 4.4; stroke-linecap: round; }
.quotient { stroke: var(--blue); } .extrapolated { stroke: var(--teal); }
.estimate { stroke: var(--quiet); }
.estimate polyline { stroke-dasharray: 4 3; stroke-width: 1.2; }
.accepted { fill: var(--green); opacity: 0.08; }
svg line.radius { stroke: var(--green); stroke-dasharray: 2 4; stroke-width: 1.5; }
svg line.distance { stroke-width: 2; }
svg line.good { stroke: var(--green); }
svg line.bad { stroke: var(--red); }
)";

const char* const kHtmlScript = R"(
(function () {
  const list = document.getElementById('operators');
  if (!list) return;
  const rows = Array.from(list.children);
  const packed = atob(document.getElementById('inside').textContent);
  const inside = typeof DecompressionStream === 'undefined'
    ? Promise.resolve(rows.map(() => 'This browser cannot unpack what is here.').join('\x1e'))
    : new Response(new Blob([Uint8Array.from(packed, c => c.charCodeAt(0))]).stream()
        .pipeThrough(new DecompressionStream('gzip'))).text();
  rows.forEach((row, i) => row.addEventListener('toggle', () => inside.then(text => {
    row.lastElementChild.innerHTML = text.split('\x1e')[i];
  }), { once: true }));
  const value = id => document.getElementById(id).value;
  const orders = {
    place: () => 0,
    weak: (a, b) => b.dataset.weak - a.dataset.weak,
    seconds: (a, b) => b.dataset.seconds - a.dataset.seconds,
    name: (a, b) => a.dataset.name.localeCompare(b.dataset.name),
  };
  function refresh() {
    const word = value('search').toLowerCase();
    let shown = 0;
    rows.slice().sort(orders[value('order')]).forEach(row => {
      const data = row.dataset;
      row.hidden = !(data.name.toLowerCase().includes(word) &&
        (!value('family') || data.family === value('family')) &&
        (!value('colour') || data.colour === value('colour')));
      shown += !row.hidden;
      list.appendChild(row);
    });
    document.getElementById('shown').textContent = shown + ' of ' + rows.length;
  }
  document.getElementById('filters').addEventListener('input', refresh);
  refresh();
})();
)";

}  // namespace notape::verify
