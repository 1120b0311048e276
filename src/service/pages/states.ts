import { count } from '../../report/words.ts';
import type { SubscriptionView, VersionView } from '../views.ts';
import { type Html, html, NOTHING } from './html.ts';
import type { Tone } from './components.ts';
import { due, when } from './time.ts';

/** The states of a subscription, in words. */

export interface StateWords {
  tone: Tone;
  word: string;
}

/** @param waiting a check was requested and has not started */
export function stateOf({ state, checkedAt, errors, warnings }: SubscriptionView, waiting = false): StateWords {
  if (state === 'checking' && checkedAt === null) return { tone: 'busy', word: 'First check in progress' };
  if (waiting || state === 'checking') return { tone: 'busy', word: waiting ? 'Waiting for a check' : 'Checking now' };
  switch (state) {
    case 'new':
      return { tone: 'busy', word: 'Waiting for the first check' };
    case 'good':
      return { tone: 'good', word: warnings === 0 ? 'Working' : `Working, ${count(warnings, 'warning')}` };
    case 'problems':
      return { tone: 'warn', word: count(errors, 'problem') };
    case 'failing':
      return { tone: 'bad', word: 'Not refreshing' };
  }
}

/** Whether a state change is expected. */
export function isBusy({ state }: SubscriptionView): boolean {
  return state === 'new' || state === 'checking';
}

/** `Checked 12 min ago`, `Next check in 48 min`. */
export function schedule({ checkedAt, nextCheckAt, state }: SubscriptionView, now: Date): Html {
  if (checkedAt === null) return NOTHING;
  const last = html`Checked ${when(checkedAt, now)}`;
  const next = state === 'checking' ? NOTHING : html`<span>Next check ${due(nextCheckAt, now)}</span>`;
  return html`<span class="schedule muted"><span>${last}</span>${next}</span>`;
}

/** `12 apps, 3 of them hidden`. */
export function appCount({ apps, visible, checkedAt }: SubscriptionView): string {
  if (checkedAt === null && apps === 0) return 'Apps unknown yet';
  const hidden = apps - visible;
  if (apps === 0) return 'No apps';
  if (hidden <= 0) return count(apps, 'app');
  return `${count(apps, 'app')}, ${hidden.toLocaleString('en-US')} of them not installable`;
}

export function versionState({ state, offered, swappedChecksum }: VersionView): StateWords {
  if (swappedChecksum !== null) return { tone: 'bad', word: 'Swapped' };
  switch (state) {
    case 'verified':
      return offered ? { tone: 'good', word: 'Verified' } : { tone: 'idle', word: 'Verified, not offered' };
    case 'pending':
      return { tone: 'busy', word: 'Being verified' };
    case 'refused':
      return { tone: 'bad', word: 'Refused' };
    case 'withdrawn':
      return { tone: 'warn', word: 'Withdrawn' };
  }
}
