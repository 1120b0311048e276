/** The style of the page of results: light and dark, and rows as blocks on narrow screens. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #fff; --muted: #555b63; --line: #d5d9de; --good: #17692f; --bad: #b3261e; --warn: #7a5200; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #16181b; --muted: #a8afb8; --line: #3a3f46; --good: #6fd08c; --bad: #ff8a80; --warn: #f2c14e; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main, footer { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 1.5rem 0 .5rem; }
h2::first-letter { text-transform: uppercase; }
h2 { font-size: 1.2rem; margin: 2rem 0 .25rem; }
.verdict { font-weight: 600; }
.pass, .pass td:first-child { color: var(--good); }
.fail, .incomplete, .failure td:first-child, .harness-error td:first-child { color: var(--bad); }
tr.fail td:first-child, .not-run td:first-child, .expected-failure td:first-child { color: var(--warn); }
tr.pass, tr.fail { color: inherit; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; }
dt { font-weight: 600; }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); }
td:first-child { width: 8rem; }
td:last-child, th:last-child { width: 5rem; padding-right: 0; }
code { font-size: .875rem; color: var(--muted); }
q { display: block; color: var(--muted); }
footer { color: var(--muted); padding-bottom: 2rem; }
@media (max-width: 40rem) {
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table, tbody, tr { display: block; }
  tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  td { display: block; border: 0; padding: .1rem 0; }
  td:first-child, td:last-child { width: auto; }
  td:last-child::before { content: "Section "; }
}
`;
