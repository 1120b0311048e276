import { ruleTitle } from '../../core/rules/lookup.ts';
import { keysOf } from '../../core/record.ts';
import { formatTime } from '../../core/text/format-time.ts';
import { capitalized, counted, printable, shorten } from '../../core/text/text.ts';
import { elapsedTime } from '../../report/words.ts';
import { retirementReason } from '../about/schema.ts';
import { reasonsFrom } from '../apps/reasons.ts';
import * as api from '../http/openapi.ts';
import type { Tone } from '../pages/components.ts';
import { policySchema } from '../policies/schema.ts';

/**
 * The types of events: what happened to a subscription, its registry and its apps. A type consists of one entry, for the
 * API, the pages and webhooks, and of the place that records it.
 */

interface EventDefinition<Fields extends Record<string, api.Schema>> {
  description: string;
  /** The fields of `data`: typed values, no prose. Times are ISO 8601. */
  data: Fields;
  /** What the pages call it, and whether it is good news. */
  label: string;
  tone: Tone;
  /** What a check counts: a noun, and what became of it. Absent if no check counts it. */
  change?: readonly [noun: string, change: string];
  /** A sentence for people. What a registry says in it is shortened and printable. */
  message(data: api.ValuesOf<Fields>, names: Names): string;
}

/** Of what an event is about, on one line. */
interface Names {
  app: string;
  version: string;
}

/** Infers the type of the data. */
function event<Fields extends Record<string, api.Schema>>(
  definition: EventDefinition<Fields>,
): EventDefinition<Fields> {
  return definition;
}

const rule = api.withDescription(api.text, 'Id of the violated rule.');
const checksum = api.withDescription(api.text, 'The pinned digest; the listed one if none is pinned yet.');

const certificate = api.strictObject('A certificate.', {
  fingerprint256: api.withDescription(api.text, 'SHA-256 of the certificate.'),
  subject: api.text,
  issuer: api.text,
  notAfter: api.dateTime,
});
/** A certificate of a host, as far as subscribers compare it. */
export type EventCertificate = api.ValueOf<typeof certificate>;

const outcome = api.withDescription(
  api.choice(['good', 'problems', 'failing', 'unfinished']),
  'good: without errors. problems: with errors. failing: the manifest cannot be used. unfinished: the check continues soon.',
);
export type CheckOutcome = api.ValueOf<typeof outcome>;

const SUBSCRIBED = event({
  description: 'The organization subscribed to the registry. This is its first event.',
  data: { official: api.withDescription(api.flag, 'True if the organization was subscribed at its creation.') },
  label: 'Subscribed',
  tone: 'idle',
  message: ({ official }) =>
    official ? 'The organization was subscribed when it was created.' : 'The organization subscribed to the registry.',
});

/** All other types, except the one that counts them. */
const CHANGES = {
  failing: event({
    description: 'The manifest can no longer be used; the last known state remains valid.',
    data: { rule: api.orNull(rule) },
    label: 'Not refreshing',
    tone: 'bad',
    message: (data) =>
      `The manifest cannot be used${data.rule === null ? '' : ` (${ruleTitle(data.rule)})`}. The last known state remains valid.`,
  }),
  recovered: event({
    description: 'The manifest can be used again.',
    data: { failingSince: api.dateTime },
    label: 'Refreshing again',
    tone: 'good',
    message: ({ failingSince }) =>
      `The manifest can be used again. It had been unusable since ${formatTime(failingSince)}.`,
  }),
  'version-listed': event({
    description: 'A version is listed for the first time, or with another digest.',
    data: { checksum, artifactUrl: api.text },
    label: 'Version listed',
    tone: 'idle',
    change: ['version', 'listed'],
    message: (_, { app, version }) => `${app} ${version} is listed.`,
  }),
  'version-verified': event({
    description:
      'The artifact of a version matched its digest for the first time: it is offered, and the digest is pinned.',
    data: { checksum, bytes: api.orNull(api.count) },
    label: 'Version verified',
    tone: 'good',
    change: ['version', 'verified'],
    message: (_, { app, version }) => `${app} ${version} is verified: its artifact has the listed SHA-256.`,
  }),
  'version-refused': event({
    description: 'A version, or its replacement, is not offered.',
    data: {
      rule,
      checksum,
      listed: api.withDescription(api.orNull(api.text), 'The listed digest, if it is not the pinned one.'),
      served: api.withDescription(api.orNull(api.text), 'The digest of the served bytes, if it differs.'),
      offered: api.withDescription(api.flag, 'Whether the version is still offered, with the pinned digest.'),
    },
    label: 'Version refused',
    tone: 'bad',
    change: ['version', 'refused'],
    message: (data, { app, version }) =>
      data.offered
        ? `A replacement of ${app} ${version} is refused (${ruleTitle(data.rule)}). The verified artifact is still offered.`
        : `${app} ${version} is refused (${ruleTitle(data.rule)}).`,
  }),
  'version-withdrawn': event({
    description: 'A version is no longer listed.',
    data: {
      checksum,
      wasVerified: api.withDescription(
        api.flag,
        'If true, its digest remains pinned in case the version is listed again.',
      ),
    },
    label: 'Version withdrawn',
    tone: 'warn',
    change: ['version', 'no longer listed'],
    message: ({ wasVerified }, { app, version }) =>
      wasVerified
        ? `${app} ${version} is no longer listed, and no longer offered.`
        : `${app} ${version} is no longer listed. It was never verified.`,
  }),
  'version-restored': event({
    description: 'A version is offered again, with the pinned digest.',
    data: { checksum },
    label: 'Version restored',
    tone: 'good',
    change: ['version', 'offered again'],
    message: (_, { app, version }) => `${app} ${version} is offered again, with the same SHA-256 as before.`,
  }),
  'version-held': event({
    description: 'The organization requires attestations, and a version has no valid one: it is not offered.',
    data: {
      checksum,
      rule: api.withDescription(api.orNull(rule), 'Why; null if its attestation is not known yet.'),
      cause: api.orNull(api.text),
    },
    label: 'Version held back',
    tone: 'warn',
    change: ['version', 'held back'],
    message: (data, { app, version }) => `${app} ${version} is held back: ${heldReason(data.rule)}`,
  }),
  'version-attested': event({
    description: 'A version has the attestation that the organization requires: it is offered.',
    data: {
      checksum,
      issuer: api.orNull(api.text),
      identity: api.orNull(api.text),
      repository: api.orNull(api.text),
      commit: api.orNull(api.text),
      key: api.withDescription(api.orNull(api.text), 'The SHA-256 of the public key, for a signature by a key.'),
    },
    label: 'Attestation valid',
    tone: 'good',
    change: ['version', 'with a valid attestation'],
    message: (data, { app, version }) => `${app} ${version} has a valid attestation${builtFrom(data)}.`,
  }),
  'version-deprecated': event({
    description: 'The author retired a version, or says something else about that. The version stays offered.',
    data: {
      reason: retirementReason,
      message: api.withDescription(api.text, 'What the author says about it.'),
      use: api.withDescription(api.orNull(api.text), 'The version that the author names in its place.'),
      since: api.withDescription(api.orNull(api.text), 'A date, such as 2026-01-31, as the author says.'),
    },
    label: 'Version retired',
    tone: 'warn',
    change: ['version', 'retired'],
    message: ({ reason, message, use }, { app, version }) =>
      `The author retired ${app} ${version} (${reason}): ${sentence(message)}${use === null ? '' : ` Use ${nameOf(use)} instead.`}`,
  }),
  'version-undeprecated': event({
    description: 'The author no longer retires a version.',
    data: { reason: api.withDescription(retirementReason, 'Why it had been retired.') },
    label: 'No longer retired',
    tone: 'good',
    change: ['version', 'no longer retired'],
    message: (_, { app, version }) => `${app} ${version} is no longer retired.`,
  }),
  'app-listed': event({
    description: 'An app is listed for the first time, or again.',
    data: { name: api.text },
    label: 'App listed',
    tone: 'idle',
    change: ['app', 'listed'],
    message: ({ name }, { app }) => `The app ${app} is listed${name === '' ? '' : ` (${nameOf(name)})`}.`,
  }),
  'app-hidden': event({
    description: 'An app cannot be installed.',
    data: { reasons: api.withDescription(api.list(api.text), 'Codes, as in the “reasons” of the app.') },
    label: 'App not installable',
    tone: 'bad',
    change: ['app', 'not installable'],
    message: ({ reasons }, { app }) =>
      [`The app ${app} cannot be installed.`, ...reasonsFrom(reasons).map(({ message }) => message)].join(' '),
  }),
  'app-shown': event({
    description: 'An app that was hidden can be installed.',
    data: { latest: api.withDescription(api.text, 'The highest version that is offered.') },
    label: 'App installable',
    tone: 'good',
    change: ['app', 'installable again'],
    message: ({ latest }, { app }) => `The app ${app} can be installed again. Its latest version is ${nameOf(latest)}.`,
  }),
  'app-key-claimed': event({
    description:
      'A registry lists an app whose key another registry of the organization lists already. Neither replaces the other.',
    data: { registry: api.strictObject('The registry that listed it first.', { id: api.id, name: api.text }) },
    label: 'Key listed twice',
    tone: 'warn',
    message: ({ registry }, { app }) =>
      `The app ${app} has the same key as one of the registry ${nameOf(registry.name)}. Neither replaces the other: each is addressed by its registry.`,
  }),
  'certificate-changed': event({
    description: 'The host of the manifest has a different certificate than before.',
    data: { host: api.text, before: certificate, after: certificate },
    label: 'Certificate changed',
    tone: 'warn',
    change: ['certificate', 'changed'],
    message: ({ host, after }) =>
      `${nameOf(host)} has a new certificate, issued by ${nameOf(after.issuer)}, valid until ${after.notAfter.slice(0, 10)}.`,
  }),
  'policy-changed': event({
    description: 'The organization set, changed or removed the policy of the registry.',
    data: {
      before: api.withDescription(api.nullable(policySchema), 'Null if there was none.'),
      after: api.withDescription(api.nullable(policySchema), 'Null if it was removed.'),
      hidden: api.withDescription(api.count, 'Versions that are held back from now on.'),
      appearing: api.withDescription(api.count, 'Versions that are offered from now on.'),
    },
    label: 'Policy changed',
    tone: 'idle',
    message({ before, after, hidden, appearing }) {
      const verb = before === null ? 'set' : 'changed';
      const effects = [
        ...(hidden > 0 ? [`${counted(hidden, 'version')} held back`] : []),
        ...(appearing > 0 ? [`${counted(appearing, 'version')} offered`] : []),
      ];
      return `The organization ${after === null ? 'removed' : verb} the policy of the registry: ${effects.length === 0 ? 'the same versions are offered' : effects.join(', ')}.`;
    },
  }),
};

/** The number of other events that a check recorded, by type. */
export type ChangeCounts = Partial<Record<'subscribed' | 'checked' | keyof typeof CHANGES, number>>;

const CHECKED = event({
  description: 'A check finished. It is recorded if something changed, and otherwise once a day.',
  data: {
    outcome,
    seconds: api.withDescription(api.schemaOf<number>({ type: 'number', minimum: 0 }), 'Duration of the check.'),
    errors: api.count,
    warnings: api.count,
    apps: api.withDescription(api.count, 'Apps that were checked.'),
    changes: api.schemaOf<ChangeCounts>({
      description: 'The number of other events that this check recorded, by type.',
      type: 'object',
      propertyNames: { enum: keysOf({ subscribed: null, checked: null, ...CHANGES }) },
      additionalProperties: api.count,
    }),
  },
  label: 'Checked',
  tone: 'idle',
  message(data) {
    const { errors, warnings } = data;
    const found = [
      ...(errors > 0 ? [counted(errors, 'error')] : []),
      ...(errors > 0 && data.outcome === 'problems' ? [] : [OUTCOMES[data.outcome]]),
      ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
    ];
    const changed = changesText(data.changes);
    return [
      `Checked ${counted(data.apps, 'app')} in ${elapsedTime(data.seconds)}: ${found.join(', ')}.`,
      ...(changed === '' ? [] : [`${capitalized(changed)}.`]),
    ].join(' ');
  },
});

/** All types of events, in the order of the documentation. */
export const EVENTS = { subscribed: SUBSCRIBED, checked: CHECKED, ...CHANGES };

export type EventType = keyof typeof EVENTS;

export const EVENT_TYPES: readonly EventType[] = keysOf(EVENTS);

export function isEventType(text: string): text is EventType {
  return EVENT_TYPES.some((type) => type === text);
}

/** The data of events. */
export type EventData = { [Type in EventType]: api.ValuesOf<(typeof EVENTS)[Type]['data']> };

const DEFINITIONS: { readonly [Type in EventType]: { message(data: EventData[Type], names: Names): string } } = EVENTS;

/**
 * A sentence for people.
 * @param event of the app and the version that it is about; null for those that it is not about
 */
export function eventMessage<Type extends EventType>({
  type,
  data,
  app,
  version,
}: {
  type: Type;
  data: EventData[Type];
  app: string | null;
  version: string | null;
}): string {
  return DEFINITIONS[type].message(data, { app: nameOf(app ?? ''), version: nameOf(version ?? '') });
}

/** `2 versions listed, 1 app not installable`; '' if nothing changed. */
export function changesText(changes: ChangeCounts): string {
  return keysOf(CHANGES)
    .flatMap((type) => {
      const number = changes[type];
      const { change } = CHANGES[type];
      return number === undefined || change === undefined ? [] : [`${counted(number, change[0])} ${change[1]}`];
    })
    .join(', ');
}

/** By the rule of an attestation. */
function heldReason(id: string | null): string {
  if (id === null) return 'its attestation is not known yet.';
  if (id === 'attestation-missing') return 'it has no attestation.';
  if (id === 'attestation-identity') return 'its attestation is signed by someone else.';
  return 'its attestation does not prove who built it.';
}

function builtFrom({ repository, commit, key }: Record<'repository' | 'commit' | 'key', string | null>): string {
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

/** A name of a registry, on one line. */
function nameOf(text: string): string {
  return printable(shorten(text, 100));
}

/** What an author says, as a sentence. */
function sentence(text: string): string {
  const line = printable(shorten(text.trim(), 280));
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}
