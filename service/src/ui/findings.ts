import { type Finding, type Report, ruleById, ruleTitle, ruleUrl, type Severity } from 'appreg';
import { type Cause, causesOf, codeText, html, type Html, NO_MARKUP, sanitized, untrusted } from 'appreg/node';

/** Findings: what is wrong, what to do, and the evidence; worded as in `appreg diagnose`. */

const SEVERITY: Record<Severity, string> = { error: 'Error', warning: 'Warning', note: 'Note' };

/** Findings with the same remedy are one cause. @param about names what a cause belongs to; '' for nothing */
export function causeList(causes: readonly Cause[], about: (cause: Cause) => string = () => ''): Html {
  return html`<ul class="causes">
    ${causes.map((cause) => causeItem(cause, about(cause)))}
  </ul>`;
}

function causeItem(cause: Cause, about: string): Html {
  const { severity, message, affected, who } = cause;
  return html`<li class="cause ${severity}">
    <h3 class="cause-message"><span class="severity">${SEVERITY[severity]}</span> ${untrusted(message, 500)}</h3>
    ${affected === null ? NO_MARKUP : html`<p class="cause-about">${untrusted(affected, 300)}</p>`} ${whatToDo(cause)}
    <p class="cause-meta">
      <span><span class="label">Who acts</span> ${untrusted(who, 300)}</span>
      ${about === '' ? NO_MARKUP : html`<span><span class="label">Symptom</span> ${about}</span>`}
    </p>
    ${evidenceDetails(cause)}
  </li>`;
}

/** One remedy for all, or one for each of the affected apps or files. */
function whatToDo({ next, remedies }: Cause): Html {
  const label = html`<span class="label">What to do</span>`;
  if (next !== null) return html`<p class="cause-next">${label} ${untrusted(next, 500)}</p>`;
  return html`<p class="cause-next">${label} This differs by app or file:</p>
    <ul class="cause-remedies">
      ${remedies.map((remedy) => html`<li>${untrusted(remedy, 500)}</li>`)}
    </ul>`;
}

function evidenceDetails({ rule, place, evidence, also }: Cause): Html {
  return html`<details>
    <summary>Evidence</summary>
    <dl class="evidence">
      <div>
        <dt>Where</dt>
        <dd>${codeText(place, 600)}</dd>
      </div>
      ${evidence.map(
        ([name, value]) =>
          html`<div>
            <dt>${name === '' ? 'seen' : sanitized(name, 60)}</dt>
            <dd>${codeText(value, 600)}</dd>
          </div>`,
      )}
      ${
        also.length === 0
          ? NO_MARKUP
          : html`<div>
              <dt>Also</dt>
              <dd>${also.map((line) => html`<p>${codeText(line, 600)}</p>`)}</dd>
            </div>`
      }
      <div>
        <dt>Rule</dt>
        <dd>${ruleLink(rule)}</dd>
      </div>
    </dl>
  </details>`;
}

/** The rule's documentation; reports of another release may contain rules that this one does not have. */
export function ruleLink(id: string): Html {
  if (ruleById(id) === undefined) return codeText(id);
  return html`<a href="${ruleUrl(id)}" rel="noreferrer">${ruleTitle(id)}</a>`;
}

/** Findings without a whole report: of an app, or of a registry that could not be subscribed to. */
export function findingList(findings: readonly Finding[]): Html {
  const { causes, remarks } = causesOf(findings, { verbose: true, whole: true, page: true });
  return html`${causeList(causes)} ${remarks.map((remark) => html`<p class="gist">${sanitized(remark, 400)}</p>`)}`;
}

/** The findings about an app's own files, and those of a host that affect other apps as well; without notes. */
export interface AppFindings {
  own: Finding[];
  shared: Finding[];
}

export function findingsOf(report: Report, key: string): AppFindings {
  const own: Finding[] = [];
  const shared: Finding[] = [];
  for (const finding of report.findings) {
    if (finding.severity === 'note') continue;
    const { alsoApps } = finding.evidence;
    const others = Array.isArray(alsoApps) ? alsoApps : [];
    if (finding.app !== key && !others.includes(key)) continue;
    (others.length > 0 ? shared : own).push(finding);
  }
  return { own, shared };
}
