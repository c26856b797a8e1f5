// Owns the styles of the page of a report. The colours are those of the console (src/console/styles/tokens.css), which this folder cannot import.

export const pageStyle = `
:root { color-scheme: light dark; --page: light-dark(#ffffff, #14171c); --sunken: light-dark(#f6f7f9, #0f1216);
  --line: light-dark(#e3e6ea, #2a303a); --text: light-dark(#1b1f26, #e7eaee); --quiet: light-dark(#59616e, #a0a8b5);
  --accent: light-dark(#3350c4, #9db0ff); --good: light-dark(#14713f, #6fd39b); --good-soft: light-dark(#e3f4ea, #17301f);
  --warning: light-dark(#855300, #efbf5f); --warning-soft: light-dark(#fdf2d9, #352a12);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--text); overflow-wrap: anywhere;
  font: 0.875rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif; }
main { max-width: 76rem; margin: 0 auto; }
h1 { margin: 0; font-size: 1.25rem; line-height: 1.3; }
h2 { margin: 2rem 0 0.5rem; font-size: 1rem; }
p { margin: 0.5rem 0; max-width: 60rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 1rem 0 0; padding: 0; list-style: none; }
a { color: var(--accent); }
.quiet { color: var(--quiet); }
.warning, .good { padding: 0.5rem 0.75rem; border-radius: 6px; }
.warning { background: var(--warning-soft); color: var(--warning); }
.good { background: var(--good-soft); color: var(--good); }
.table { overflow-x: auto; margin: 0.5rem 0; }
table { width: 100%; border-collapse: collapse; font-size: 0.8125rem; }
th, td { padding: 0.375rem 0.75rem 0.375rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  white-space: pre-line; overflow-wrap: break-word; min-width: 5rem; }
th { color: var(--quiet); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; min-width: 0; }
pre { margin: 0.5rem 0; padding: 0.5rem 0.75rem; overflow-x: auto; background: var(--sunken); border-radius: 6px; font: 0.8125rem/1.5 var(--mono);
  white-space: pre-wrap; }
td.time { white-space: nowrap; }
@media print {
  :root { color-scheme: light; }
  body { padding: 0; font-size: 9pt; }
  nav { display: none; }
  .table { overflow: visible; }
  table { font-size: 7.5pt; }
  th, td, td.time { min-width: 0; white-space: pre-line; overflow-wrap: anywhere; }
  th { overflow-wrap: normal; }
  thead { display: table-header-group; }
  tr, .warning, .good, pre { break-inside: avoid; }
  h2 { break-after: avoid; }
}
`;
