import { capitalized, counted, grouped, type Report, type SymptomStatus } from 'appreg';
import {
  type Cause,
  elapsedTime,
  html,
  type Html,
  type NotChecked,
  notCheckedOnPage,
  NO_MARKUP,
  sanitized,
  byteSize,
  STATUS_WORDS,
  symptomsOf,
  type SymptomView,
} from 'appreg/node';
import { type RegistryFrame, registryScreen } from './registry-frame.ts';
import { type Screen } from './layout.ts';
import { emptyState, copyUrlButton, notice } from './components.ts';
import { registryPath } from './navigation.ts';
import { causeList, ruleLink } from './findings.ts';

/** The health of a registry: its symptoms, and the findings of the last check by what to do about them. */

export interface HealthPage extends RegistryFrame {
  report: Report | null;
}

export function healthPage(view: HealthPage): Screen {
  const { subscription, report } = view;
  const content = html`<section aria-labelledby="health-title">
    <div class="section-head" id="health-head" data-shape="${report === null ? 'bare' : 'report'}">
      <h2 id="health-title">Last check</h2>
      ${report === null ? NO_MARKUP : reportLinks(subscription.id)}
    </div>
    <div id="health" data-live>
      ${report === null ? emptyState('No report yet', 'The report appears here after the first check.') : reportBody(report)}
    </div>
  </section>`;
  return registryScreen(view, 'health', content);
}

/** For a ticket, and for programs. */
function reportLinks(id: string): Html {
  const markdown = `${registryPath(id)}/report.md`;
  return html`<p class="links">
    ${copyUrlButton(markdown, 'the report as Markdown', 'Copy as Markdown')}
    <a href="${markdown}">Markdown</a> <a href="${registryPath(id)}/report.json">JSON</a>
  </p>`;
}

function reportBody(report: Report): Html {
  const { symptoms, withoutSymptom } = symptomsOf(report, { verbose: true, whole: true, page: true });
  const views = [...symptoms, ...(withoutSymptom === null ? [] : [withoutSymptom])];
  const remarks = views.flatMap((view) => view.remarks);
  return html`${report.outcome === 'incomplete' ? notice('warn', 'The check is not complete. The rest follows soon.') : NO_MARKUP}
    <ul class="symptoms" aria-label="Symptoms">
      ${symptoms.map(symptomItem)}
    </ul>
    ${causeSections(views)} ${remarks.map((remark) => html`<p class="gist">${sanitized(remark, 400)}</p>`)}
    ${notJudgedList(report)}
    <h2 class="unseen">Extent of the check</h2>
    <dl class="figures">
      ${figures(report).map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>`;
}

const MARKS: Record<SymptomStatus['status'], string> = {
  clear: '✓',
  suspected: '!',
  confirmed: '✗',
  'not-judged': '–',
};

function symptomItem({ title, status, summary, causes }: SymptomView): Html {
  const words = summary ?? (causes.length === 0 ? null : `${counted(causes.length, 'cause')} below`);
  return html`<li class="symptom ${status}">
    <span class="symptom-mark" aria-hidden="true">${MARKS[status]}</span>
    <div>
      <p class="symptom-name">${title}<span class="symptom-word">: ${STATUS_WORDS[status]}</span></p>
      ${words === null ? NO_MARKUP : html`<p class="gist">${sanitized(sentence(words), 400)}</p>`}
    </div>
  </li>`;
}

function sentence(text: string): string {
  return `${capitalized(text)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** Errors are to be fixed, warnings to be looked at, and notes are collapsed. */
function causeSections(views: readonly SymptomView[]): Html {
  const symptomOf = new Map(views.flatMap(({ title, causes }) => causes.map((cause) => [cause, title] as const)));
  const all = [...symptomOf.keys()];
  const about = (cause: Cause): string => symptomOf.get(cause) ?? '';
  const of = (severity: Cause['severity']): Cause[] => all.filter((cause) => cause.severity === severity);
  const [errors, warnings, notes] = [of('error'), of('warning'), of('note')];
  return html`${errors.length + warnings.length === 0 ? html`<p class="all-clear">Nothing to do: no errors and no warnings.</p>` : NO_MARKUP}
  ${errors.length === 0 ? NO_MARKUP : causeSection('to-fix', `To fix`, errors, about)}
  ${warnings.length === 0 ? NO_MARKUP : causeSection('to-look-at', 'To review', warnings, about)}
  ${
    notes.length === 0
      ? NO_MARKUP
      : html`<details class="notes">
          <summary>Notes <span class="number">${grouped(notes.length)}</span></summary>
          ${causeList(notes, about)}
        </details>`
  }`;
}

function causeSection(id: string, title: string, causes: readonly Cause[], about: (cause: Cause) => string): Html {
  return html`<section class="cause-section" aria-labelledby="${id}">
    <h2 id="${id}">${title} <span class="number">${grouped(causes.length)}</span></h2>
    ${causeList(causes, about)}
  </section>`;
}

/** Lists the rules that were not judged, with the reasons: neither clean nor faulty. */
function notJudgedList(report: Report): Html {
  const lines = notCheckedOnPage(report);
  if (lines.length === 0) return NO_MARKUP;
  return html`<details class="notes">
    <summary>Not judged <span class="number">${grouped(lines.length)}</span></summary>
    <ul class="unjudged">
      ${lines.map(notCheckedItem)}
    </ul>
  </details>`;
}

function notCheckedItem({ reason, rule, checks }: NotChecked): Html {
  const number = checks === 1 ? NO_MARKUP : html`<span class="muted">${counted(checks, 'check')}</span>`;
  return html`<li>
    ${rule === null ? sanitized(sentence(reason), 300) : html`Because of another finding: ${ruleLink(rule)}.`} ${number}
  </li>`;
}

function figures({ summary }: Report): [string, string][] {
  return [
    ['Errors', grouped(summary.errors)],
    ['Warnings', grouped(summary.warnings)],
    ['Apps', grouped(summary.apps)],
    ['Versions', grouped(summary.versions)],
    ['Read', byteSize(summary.bytes)],
    ['Took', elapsedTime(summary.seconds)],
  ];
}
