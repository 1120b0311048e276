import { counted, grouped } from 'appreg';
import { html, type Html, NO_MARKUP, symptomName } from 'appreg/node';
import { type Tone } from '../domain/event-definition.ts';
import { type SubscriptionView, type CheckProgress } from '../domain/registries.ts';
import { relativeTime, dueTime } from './components.ts';
import { type VersionView } from '../domain/apps.ts';

/** The states of subscriptions and versions, in words. */

interface StateLabel {
  tone: Tone;
  word: string;
}

/** The result of the last check; a check in progress does not change it. */
export function stateOf(subscription: SubscriptionView): StateLabel {
  const { state, checkedAt, checking, failingSince, errors } = subscription;
  if (checkedAt === null)
    return { tone: 'busy', word: checking ? 'First check in progress' : 'Waiting for the first check' };
  if (state === 'unauthorized') return { tone: 'bad', word: 'Credentials refused' };
  if (failingSince !== null) return { tone: 'bad', word: 'Not refreshing' };
  if (errors > 0) return { tone: 'bad', word: counted(errors, 'problem') };
  const suspected = suspectedSymptoms(subscription).length;
  if (suspected > 0) return { tone: 'warn', word: possibleProblems(suspected) };
  return { tone: 'good', word: 'Working' };
}

function suspectedSymptoms({ symptoms }: SubscriptionView) {
  return symptoms.filter(({ status }) => status === 'suspected');
}

function possibleProblems(number: number): string {
  return counted(number, 'possible problem');
}

/** Additions to the state: since when it fails, confirmed symptoms by name, and the numbers of what is less certain. */
export function stateDetails(subscription: SubscriptionView, now: Date): Html {
  const { errors, failingSince, symptoms, warnings } = subscription;
  const lines: Html[] = [];
  if (failingSince !== null) lines.push(html`<li>First failed ${relativeTime(failingSince, now)}</li>`);
  for (const { id, status } of symptoms)
    // A registry that fails does not refresh, by definition.
    if (status === 'confirmed' && !(failingSince !== null && id === 'registry-does-not-refresh'))
      lines.push(html`<li class="confirmed">${symptomName(id)}</li>`);
  const suspected = suspectedSymptoms(subscription).length;
  const hasErrors = errors > 0 || failingSince !== null;
  if (hasErrors && suspected > 0) lines.push(html`<li>${possibleProblems(suspected)}</li>`);
  if (!hasErrors && warnings > 0) lines.push(html`<li>${counted(warnings, 'warning')}</li>`);
  if (lines.length === 0) return NO_MARKUP;
  return html`<ul class="state-details">
    ${lines}
  </ul>`;
}

/** The order of a list of registries: what needs attention first, then official ones, then the oldest. */
export function byAttention(a: SubscriptionView, b: SubscriptionView): number {
  return attention(a) - attention(b) || Number(b.official) - Number(a.official);
}

function attention(subscription: SubscriptionView): number {
  if (subscription.failingSince !== null) return 0;
  return ['bad', 'warn', 'busy', 'good', 'idle'].indexOf(stateOf(subscription).tone) + 1;
}

/** True if a state change is expected. */
export function isBusy({ checking, checkedAt }: SubscriptionView): boolean {
  return checking || checkedAt === null;
}

/** `23 of 40 apps read, 11 of 31 versions verified`. */
export function progressText({ apps, artifacts }: CheckProgress): string {
  const read = `${grouped(apps.read)} of ${counted(apps.total, 'app')} read`;
  if (artifacts.total === 0) return read;
  return `${read}, ${grouped(artifacts.verified)} of ${counted(artifacts.total, 'version')} verified`;
}

/**
 * `Next check in 48 min`, or that a check is in progress. Empty before the first check, which the state names.
 * @param isWaiting a check was requested
 */
export function nextCheckText(subscription: SubscriptionView, now: Date, isWaiting = false): Html {
  if (subscription.checkedAt === null) return NO_MARKUP;
  if (isWaiting || isBusy(subscription)) return html`<span class="status busy">Checking now</span>`;
  return html`Next check ${dueTime(subscription.nextCheckAt, now)}`;
}

export function versionState({ state, offered, swappedChecksum, attestation, policyHold }: VersionView): StateLabel {
  if (swappedChecksum !== null) return { tone: 'bad', word: 'Swapped' };
  switch (state) {
    case 'verified':
      if (!offered && (attestation !== null || policyHold !== null)) return { tone: 'warn', word: 'Held back' };
      return offered ? { tone: 'good', word: 'Verified' } : { tone: 'idle', word: 'Verified, not offered' };
    case 'pending':
      return { tone: 'busy', word: 'Being verified' };
    case 'refused':
      return { tone: 'bad', word: 'Refused' };
    case 'withdrawn':
      return { tone: 'warn', word: 'Withdrawn' };
  }
}
