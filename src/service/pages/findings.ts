import type { Finding, Report, Severity, SymptomStatus } from '../../core/engine/report.ts';
import { capitalized } from '../../core/text/text.ts';
import type { Cause, SymptomView } from '../../report/diagnosis-types.ts';
import { STATUS_WORDS } from '../../report/words.ts';
import { causesOf } from '../../report/diagnosis-causes.ts';
import { notChecked } from '../../report/diagnosis-not-judged.ts';
import { symptomsOf } from '../../report/diagnosis-view.ts';
import { code, legible, untrusted } from './untrusted-text.ts';
import { type Html, html, NOTHING } from './html.ts';

/** The problems of a registry, by the symptoms of spec section 7, worded as in `appreg diagnose`. */

const MARKS: Record<SymptomStatus['status'], string> = {
  clear: '✓',
  suspected: '!',
  confirmed: '✗',
  'not-judged': '–',
};

/** The four symptoms. @param more also include notes, all causes and all evidence */
export function symptomList(report: Report, more: 'causes' | 'everything'): Html {
  const { symptoms, withoutSymptom } = symptomsOf(report, { verbose: more === 'everything', whole: true, page: true });
  const list = html`${symptoms.map((symptom, i) => symptomSection(symptom, report.symptoms[i]!.id))}
  ${withoutSymptom === null ? NOTHING : symptomSection(withoutSymptom, 'other-findings')}`;
  const quiet = more === 'causes' && withoutSymptom === null && symptoms.every(isQuiet);
  return html`<div class="symptoms">${quiet ? allClear(list) : list}</div>`;
}

function isQuiet({ status, causes }: SymptomView): boolean {
  return status === 'clear' && causes.length === 0;
}

/** A registry without problems is summarized in one line, with collapsed details. */
function allClear(list: Html): Html {
  return html`<details class="allclear">
    <summary>
      <span class="symptom-mark" aria-hidden="true">✓</span> <span>Clear of all four symptoms</span>
      <span class="more">What was checked</span>
    </summary>
    ${list}
  </details>`;
}

function symptomSection({ title, status, summary, causes, remarks }: SymptomView, id: string): Html {
  // Findings that belong to no symptom have no status.
  const word = id === 'other-findings' ? '' : STATUS_WORDS[status];
  return html`<section class="symptom ${id === 'other-findings' ? 'other-findings' : status}" aria-labelledby="${id}">
    <div class="symptom-head">
      <span class="symptom-mark" aria-hidden="true">${id === 'other-findings' ? '·' : MARKS[status]}</span>
      <h3 id="${id}">${title}${word === '' ? NOTHING : html`<span class="symptom-word">: ${word}</span>`}</h3>
    </div>
    ${summary === null ? NOTHING : html`<p class="gist">${legible(sentence(summary), 400)}</p>`}
    ${
      causes.length === 0
        ? NOTHING
        : html`<ul class="causes">
            ${causes.map(causeItem)}
          </ul>`
    }
    ${remarks.map((remark) => html`<p class="gist">${legible(remark, 400)}</p>`)}
  </section>`;
}

function sentence(text: string): string {
  return `${capitalized(text)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

const SEVERITY: Record<Severity, string> = { error: 'Error', warning: 'Warning', note: 'Note' };

function causeItem({ severity, rule, message, affected, who, place, evidence, also, next }: Cause): Html {
  return html`<li class="cause ${severity}">
    <p class="cause-message">
      <span class="severity">${SEVERITY[severity]}</span> ${untrusted(message, 500)}
      ${affected === null ? NOTHING : html`<span class="about">${untrusted(affected, 300)}</span>`}
    </p>
    <p class="cause-next"><span class="label">What to do</span> ${untrusted(next, 500)}</p>
    <details>
      <summary>Evidence</summary>
      <dl class="evidence">
        <div>
          <dt>Where</dt>
          <dd>${code(place, 600)}</dd>
        </div>
        ${evidence.map(
          ([name, value]) =>
            html`<div>
              <dt>${name === '' ? 'seen' : legible(name, 60)}</dt>
              <dd>${code(value, 600)}</dd>
            </div>`,
        )}
        ${
          also.length === 0
            ? NOTHING
            : html`<div>
                <dt>Also</dt>
                <dd>${also.map((line) => html`<p>${code(line, 600)}</p>`)}</dd>
              </div>`
        }
        <div>
          <dt>Who acts</dt>
          <dd>${untrusted(who, 300)}</dd>
        </div>
        <div>
          <dt>Rule</dt>
          <dd>${code(rule)}</dd>
        </div>
      </dl>
    </details>
  </li>`;
}

/** Findings without a whole report: of an app, or of a registry that could not be subscribed to. */
export function findingList(findings: readonly Finding[]): Html {
  const { causes, remarks } = causesOf(findings, { verbose: true, whole: true, page: true });
  return html`<ul class="causes">
      ${causes.map(causeItem)}
    </ul>
    ${remarks.map((remark) => html`<p class="gist">${legible(remark, 400)}</p>`)}`;
}

/** What was not judged, and why: neither clean nor faulty. */
export function unjudgedList(report: Report): Html {
  const lines = notChecked(report, true);
  if (lines.length === 0) return NOTHING;
  return html`<h2 class="after">Not judged</h2>
    <ul class="unjudged">
      ${lines.map((line) => html`<li>${legible(sentence(line), 300)}</li>`)}
    </ul>`;
}

/** The findings about an app: errors and warnings, including those of a host that affect several apps. */
export function findingsOf(report: Report, key: string): Finding[] {
  return report.findings.filter(({ severity, app, evidence }) => {
    if (severity === 'note') return false;
    const { alsoApps } = evidence;
    return app === key || (Array.isArray(alsoApps) && alsoApps.includes(key));
  });
}
