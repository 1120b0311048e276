import { capitalized, counted, formatTime, keysOf, ruleTitle } from 'appreg';
import { elapsedTime } from 'appreg/node';
import * as shape from './shape.ts';
import { event, nameOf, type Names } from './event-definition.ts';
import { rule, VERSION_EVENTS } from './version-events.ts';
import { reasonsFrom } from './apps.ts';
import { policySchema } from './policies.ts';

/**
 * The types of events: what happened to a subscription, its registry and its apps. A type consists of one entry, for the
 * API, the pages and webhooks, and of the place that records it.
 */

const certificate = shape.strictObject('A certificate.', {
  fingerprint256: shape.withDescription(shape.text, 'SHA-256 of the certificate.'),
  subject: shape.text,
  issuer: shape.text,
  notAfter: shape.dateTime,
});
/** A certificate of a host, as far as subscribers compare it. */
export type EventCertificate = shape.ValueOf<typeof certificate>;

const outcome = shape.withDescription(
  shape.choice(['good', 'problems', 'failing', 'unfinished']),
  'good: without errors. problems: with errors. failing: the manifest cannot be used. unfinished: the check continues soon.',
);
export type CheckOutcome = shape.ValueOf<typeof outcome>;

const SUBSCRIBED = event({
  description: 'The organization subscribed to the registry. This is its first event.',
  data: { official: shape.withDescription(shape.flag, 'True if the organization was subscribed at its creation.') },
  label: 'Subscribed',
  tone: 'idle',
  message: ({ official }) =>
    official ? 'The organization was subscribed when it was created.' : 'The organization subscribed to the registry.',
});

/** All other types, except the one that counts them. */
const CHANGES = {
  failing: event({
    description: 'The manifest can no longer be used; the last known state remains valid.',
    data: { rule: shape.orNull(rule) },
    label: 'Not refreshing',
    tone: 'bad',
    message: (data) =>
      `The manifest cannot be used${data.rule === null ? '' : ` (${ruleTitle(data.rule)})`}. The last known state remains valid.`,
  }),
  recovered: event({
    description: 'The manifest can be used again.',
    data: { failingSince: shape.dateTime },
    label: 'Refreshing again',
    tone: 'good',
    message: ({ failingSince }) =>
      `The manifest can be used again. It had been unusable since ${formatTime(failingSince)}.`,
  }),
  ...VERSION_EVENTS,
  'app-listed': event({
    description: 'An app is listed for the first time, or again.',
    data: { name: shape.text },
    label: 'App listed',
    tone: 'idle',
    change: ['app', 'listed'],
    message: ({ name }, { app }) => `The app ${app} is listed${name === '' ? '' : ` (${nameOf(name)})`}.`,
  }),
  'app-hidden': event({
    description: 'An app cannot be installed.',
    data: { reasons: shape.withDescription(shape.list(shape.text), 'Codes, as in the “reasons” of the app.') },
    label: 'App not installable',
    tone: 'bad',
    change: ['app', 'not installable'],
    message: ({ reasons }, { app }) =>
      [`The app ${app} cannot be installed.`, ...reasonsFrom(reasons).map(({ message }) => message)].join(' '),
  }),
  'app-shown': event({
    description:
      'The registry offers an app that was hidden. What the policy or the required attestations of the organization hold back stays held.',
    data: { latest: shape.withDescription(shape.text, 'The highest version that the registry offers.') },
    label: 'App offered',
    tone: 'good',
    change: ['app', 'offered again'],
    message: ({ latest }, { app }) =>
      `The registry offers the app ${app} again. Its latest version is ${nameOf(latest)}.`,
  }),
  'app-key-claimed': event({
    description:
      'A registry lists an app whose key another registry of the organization lists already. Neither replaces the other.',
    data: { registry: shape.strictObject('The registry that listed it first.', { id: shape.id, name: shape.text }) },
    label: 'Key listed twice',
    tone: 'warn',
    message: ({ registry }, { app }) =>
      `The app ${app} has the same key as one of the registry ${nameOf(registry.name)}. Neither replaces the other: each is addressed by its registry.`,
  }),
  'certificate-changed': event({
    description: 'The host of the manifest has a different certificate than before.',
    data: { host: shape.text, before: certificate, after: certificate },
    label: 'Certificate changed',
    tone: 'warn',
    change: ['certificate', 'changed'],
    message: ({ host, after }) =>
      `${nameOf(host)} has a new certificate, issued by ${nameOf(after.issuer)}, valid until ${after.notAfter.slice(0, 10)}.`,
  }),
  'policy-changed': event({
    description: 'The organization set, changed or removed the policy of the registry.',
    data: {
      before: shape.withDescription(shape.nullable(policySchema), 'Null if there was none.'),
      after: shape.withDescription(shape.nullable(policySchema), 'Null if it was removed.'),
      hidden: shape.withDescription(shape.count, 'Versions that are held back from now on.'),
      appearing: shape.withDescription(shape.count, 'Versions that are offered from now on.'),
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
    seconds: shape.withDescription(shape.schemaOf<number>({ type: 'number', minimum: 0 }), 'Duration of the check.'),
    errors: shape.count,
    warnings: shape.count,
    apps: shape.withDescription(shape.count, 'Apps that were checked.'),
    changes: shape.schemaOf<ChangeCounts>({
      description: 'The number of other events that this check recorded, by type.',
      type: 'object',
      propertyNames: { enum: keysOf({ subscribed: null, checked: null, ...CHANGES }) },
      additionalProperties: shape.count,
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

export type EventData = { [Type in EventType]: shape.ValuesOf<(typeof EVENTS)[Type]['data']> };

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

/** Ends of a check, unless it found errors. */
const OUTCOMES: Record<CheckOutcome, string> = {
  good: 'no errors',
  problems: 'no errors',
  failing: 'the manifest cannot be used',
  unfinished: 'not complete yet',
};

/** Events: the history of a subscription, its registry and its apps, for the API, the pages and webhooks. */

/** One event, before it has an id. */
export type NewEvent = {
  [Type in EventType]: { type: Type; app: string | null; version: string | null; data: EventData[Type] };
}[EventType];

/** An event that is to be recorded: what happened, when, and to which registry. */
export type EventToRecord = NewEvent & {
  registryId: number;
  /** The subscription, if the event is about a single one. */
  subscriptionId?: string;
  at: Date;
};

export type RecordedEvent = EventToRecord & { id: string };

/** An event, as subscribers see it. */
export type EventView = NewEvent & {
  id: string;
  /** ISO 8601. */
  time: string;
  /** The subscription. */
  registry: { id: string; name: string };
  /** For people. */
  message: string;
};

/** An event about a registry or an app as a whole. */
export function registryEvent<Type extends EventType>(
  type: Type,
  data: EventData[Type],
): { type: Type; app: null; version: null; data: EventData[Type] } {
  return { type, app: null, version: null, data };
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
