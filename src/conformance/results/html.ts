import { printable, redact } from '../../core/text/text.ts';
import { LEVELS, type Level } from '../case.ts';
import { type CaseResult, type ConformanceReport, isFailure } from '../result.ts';
import { isRemarkable, LEVEL_WORDS, numbersOf, STATUS_WORDS, verdictOf } from './words.ts';
import { STYLE } from './html-style.ts';

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
