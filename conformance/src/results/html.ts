import { printable, redact } from 'appreg';
import { LEVELS, type Level } from '../case/case.ts';
import { type CaseResult, type ConformanceReport, isFailure } from '../result.ts';
import { isRemarkable, LEVEL_WORDS, numbersOf, STATUS_WORDS, verdictOf } from './table.ts';

/**
 * The results as one page that can be published: it loads nothing, has no scripts, and contains no time. The same
 * results give the same bytes.
 */
export function conformancePage(report: ConformanceReport): string {
  const { role, set, implementation, tool } = report;
  const title = `${implementation ?? 'Unnamed implementation'}: conformance results (${role})`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${text(title)}</h1>
<p class="verdict ${report.outcome}">${text(verdictOf(report))}</p>
<dl>
${LEVELS.map((level) => `<dt>${level}</dt><dd>${text(numbersOf(report, level))}</dd>`).join('\n')}
</dl>
${LEVELS.map((level) => section(report, level)).join('\n')}
</main>
<footer><p>Set ${set} of the conformance kit of appreg ${text(tool.version)}.</p></footer>
</body>
</html>`;
}

function section({ cases }: ConformanceReport, level: Level): string {
  const own = cases.filter((one) => one.level === level);
  if (own.length === 0) return '';
  const rows = [...own.filter(isRemarkable), ...own.filter((one) => !isRemarkable(one))];
  return `<section aria-labelledby="${level}">
<h2 id="${level}">${level}</h2>
<p>${text(LEVEL_WORDS[level])}</p>
<table>
<thead><tr><th scope="col">Result</th><th scope="col">Case</th><th scope="col">Section</th></tr></thead>
<tbody>
${rows.map(row).join('\n')}
</tbody>
</table>
</section>`;
}

function row(one: CaseResult): string {
  const { id, status, title, spec, quote, message, observed, reason, settings } = one;
  const lines = [
    message,
    observed && `Observed: ${observed}`,
    reason && `Expected failure: ${reason}`,
    ...Object.entries(settings ?? {}).map(([host, setting]) => `${host}: ${setting}`),
  ].flatMap((line) => line || []);
  const details = lines.map((line) => `<br>${text(line)}`).join('');
  const quoted = quote === null ? '' : `<q>${text(quote)}</q>`;
  return (
    `<tr id="${text(id)}" class="${isFailure(one) ? 'failure' : status}"><td>${STATUS_WORDS[status]}</td>` +
    `<td><strong>${text(title)}</strong><br><code>${text(id)}</code>${details}${quoted}</td><td>${text(spec)}</td></tr>`
  );
}

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

function text(raw: string): string {
  return printable(redact(raw)).replace(/[&<>"]/g, (character) => ENTITIES.get(character) ?? character);
}

/** The style of the page of results: light and dark, and rows as blocks on narrow screens. */
const STYLE = `
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
