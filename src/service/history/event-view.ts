import { ruleTitle } from '../../core/rules/lookup.ts';
import { formatTime } from '../../core/text/format-time.ts';
import { capitalized, counted, printable, shorten } from '../../core/text/text.ts';
import { elapsedTime } from '../../report/words.ts';
import {
  type CheckOutcome,
  EVENT_TYPES,
  type EventData,
  type EventType,
  type NewEvent,
  type EventView,
} from './events.ts';
import { reasonsFrom } from '../apps/view.ts';

/** The wording of all events, for the pages, the API and webhooks. */

/** A sentence for people; what a registry says in it is shortened and printable. */
export function eventMessage(event: NewEvent): string {
  return messageOf(event, { app: nameOf(event.app ?? ''), version: nameOf(event.version ?? '') });
}

function messageOf<Type extends EventType>(
  { type, data }: { type: Type; data: EventData[Type] },
  names: Names,
): string {
  return WORDING[type](data, names);
}

interface Names {
  app: string;
  version: string;
}

const WORDING: { readonly [Type in EventType]: (data: EventData[Type], names: Names) => string } = {
  subscribed: ({ official }) =>
    official ? 'The organization was subscribed when it was created.' : 'The organization subscribed to the registry.',
  checked: checkedMessage,
  failing: ({ rule }) =>
    `The manifest cannot be used${rule === null ? '' : ` (${ruleTitle(rule)})`}. The last known state remains valid.`,
  recovered: ({ failingSince }) =>
    `The manifest can be used again. It had been unusable since ${formatTime(failingSince)}.`,
  'version-listed': (_, { app, version }) => `${app} ${version} is listed.`,
  'version-verified': (_, { app, version }) => `${app} ${version} is verified: its artifact has the listed SHA-256.`,
  'version-refused': ({ rule, offered }, { app, version }) =>
    offered
      ? `A replacement of ${app} ${version} is refused (${ruleTitle(rule)}). The verified artifact is still offered.`
      : `${app} ${version} is refused (${ruleTitle(rule)}).`,
  'version-withdrawn': ({ wasVerified }, { app, version }) =>
    wasVerified
      ? `${app} ${version} is no longer listed, and no longer offered.`
      : `${app} ${version} is no longer listed. It was never verified.`,
  'version-restored': (_, { app, version }) => `${app} ${version} is offered again, with the same SHA-256 as before.`,
  'version-held': ({ rule }, { app, version }) => `${app} ${version} is held back: ${heldReason(rule)}`,
  'version-attested': (data, { app, version }) => `${app} ${version} has a valid attestation${builtFrom(data)}.`,
  'version-deprecated': ({ reason, message, use }, { app, version }) =>
    `The author retired ${app} ${version} (${reason}): ${sentence(message)}${use === null ? '' : ` Use ${nameOf(use)} instead.`}`,
  'version-undeprecated': (_, { app, version }) => `${app} ${version} is no longer retired.`,
  'app-listed': ({ name }, { app }) => `The app ${app} is listed${name === '' ? '' : ` (${nameOf(name)})`}.`,
  'app-hidden': ({ reasons }, { app }) =>
    [`The app ${app} cannot be installed.`, ...reasonsFrom(reasons).map(({ message }) => message)].join(' '),
  'app-shown': ({ latest }, { app }) =>
    `The app ${app} can be installed again. Its latest version is ${nameOf(latest)}.`,
  'app-key-claimed': ({ registry }, { app }) =>
    `The app ${app} has the same key as one of the registry ${nameOf(registry.name)}. Neither replaces the other: each is addressed by its registry.`,
  'certificate-changed': ({ host, after }) =>
    `${nameOf(host)} has a new certificate, issued by ${nameOf(after.issuer)}, valid until ${after.notAfter.slice(0, 10)}.`,
  'policy-changed': policyMessage,
};

function policyMessage({ before, after, hidden, appearing }: EventData['policy-changed']): string {
  const verb = before === null ? 'set' : 'changed';
  const change = after === null ? 'removed' : verb;
  const effects = [
    ...(hidden > 0 ? [`${counted(hidden, 'version')} held back`] : []),
    ...(appearing > 0 ? [`${counted(appearing, 'version')} offered`] : []),
  ];
  return `The organization ${change} the policy of the registry: ${effects.length === 0 ? 'the same versions are offered' : effects.join(', ')}.`;
}

/** By the rule of an attestation. */
function heldReason(rule: string | null): string {
  if (rule === null) return 'its attestation is not known yet.';
  if (rule === 'attestation-missing') return 'it has no attestation.';
  if (rule === 'attestation-identity') return 'its attestation is signed by someone else.';
  return 'its attestation does not prove who built it.';
}

function builtFrom({ repository, commit, key }: EventData['version-attested']): string {
  if (repository === null) return key === null ? '' : `, signed with the key sha256:${nameOf(key)}`;
  return `: built from ${nameOf(repository)}${commit === null ? '' : ` at ${nameOf(commit)}`}`;
}

/** How a check ended, unless it found errors. */
const OUTCOMES: Record<CheckOutcome, string> = {
  good: 'no errors',
  problems: 'no errors',
  failing: 'the manifest cannot be used',
  unfinished: 'not complete yet',
};

function checkedMessage({ outcome, seconds, errors, warnings, apps, changes }: EventData['checked']): string {
  const found = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(errors > 0 && outcome === 'problems' ? [] : [OUTCOMES[outcome]]),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  const changed = changesText(changes);
  return [
    `Checked ${counted(apps, 'app')} in ${elapsedTime(seconds)}: ${found.join(', ')}.`,
    ...(changed === '' ? [] : [`${capitalized(changed)}.`]),
  ].join(' ');
}

/** `2 versions listed, 1 app not installable`; '' if nothing changed. */
export function changesText(changes: EventData['checked']['changes']): string {
  return EVENT_TYPES.flatMap((type) => {
    const number = changes[type];
    const noun = CHANGES[type];
    return number === undefined || noun === undefined ? [] : [`${counted(number, noun[0])} ${noun[1]}`];
  }).join(', ');
}

/** What a check counts: a noun, and what became of it. */
const CHANGES: Partial<Record<EventType, readonly [noun: string, change: string]>> = {
  'version-listed': ['version', 'listed'],
  'version-verified': ['version', 'verified'],
  'version-refused': ['version', 'refused'],
  'version-withdrawn': ['version', 'no longer listed'],
  'version-restored': ['version', 'offered again'],
  'version-held': ['version', 'held back'],
  'version-attested': ['version', 'with a valid attestation'],
  'version-deprecated': ['version', 'retired'],
  'version-undeprecated': ['version', 'no longer retired'],
  'app-listed': ['app', 'listed'],
  'app-hidden': ['app', 'not installable'],
  'app-shown': ['app', 'installable again'],
  'certificate-changed': ['certificate', 'changed'],
};

/** A name of a registry, on one line. */
function nameOf(text: string): string {
  return printable(shorten(text, 100));
}

/** What an author says, as a sentence. */
function sentence(text: string): string {
  const line = printable(shorten(text.trim(), 280));
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}

/**
 * An event as a subscription sees it, in the API, on the pages and in webhooks.
 * @param place.since when the organization subscribed: earlier times are given as this one, since they would reveal other
 *   subscribers
 */
export function eventView(
  event: NewEvent,
  { id, at, registry, since }: { id: string; at: Date; registry: EventView['registry']; since: Date },
): EventView {
  const seen = withTimesSince(event, since.toISOString());
  const time = at < since ? since : at;
  return { id, time: time.toISOString(), registry, message: eventMessage(seen), ...seen };
}

function withTimesSince(event: NewEvent, since: string): NewEvent {
  if (event.type !== 'recovered' || event.data.failingSince >= since) return event;
  return { ...event, data: { failingSince: since } };
}
