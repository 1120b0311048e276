import { SYMPTOMS } from 'appreg';
import * as shape from './shape.ts';

/** The schemas of subscriptions, and their part of the API. */

export const AUTH_TYPE = shape.choice(['bearer', 'basic', 'header']);

const progress = shape.strictObject('Progress of the running check.', {
  apps: shape.strictObject('Apps in the manifest, and how many of their metadata files were read.', {
    total: shape.count,
    read: shape.count,
  }),
  artifacts: shape.strictObject('Artifacts found so far, and how many of them are verified.', {
    total: shape.count,
    verified: shape.count,
  }),
});
export type CheckProgress = shape.ValueOf<typeof progress>;

export const registry = shape.strictObject(
  'A registry that the organization is subscribed to. Secrets in its URL are not shown.',
  {
    id: shape.id,
    url: shape.text,
    name: shape.text,
    official: shape.withDescription(shape.flag, 'Every organization is subscribed to it at creation.'),
    createdAt: shape.dateTime,
    auth: shape.nullable(
      shape.strictObject('Its credentials, which are never shown.', { type: AUTH_TYPE, changedAt: shape.dateTime }),
    ),
    state: shape.withDescription(
      shape.choice(['new', 'checking', 'good', 'problems', 'failing', 'unauthorized']),
      'new: never checked yet, and no check is running. checking: the first check is running or about to start. The others are the result of the last check, also while a check is running. good: without errors. problems: it could be read, with errors. failing: the manifest cannot be used; the last known state remains valid. unauthorized: the same, because the host refused the credentials.',
    ),
    checking: shape.withDescription(
      shape.flag,
      'Whether a check is running, or one that the organization requested is about to start.',
    ),
    progress: shape.nullable(progress),
    checkedAt: shape.withDescription(
      shape.orNull(shape.dateTime),
      'The last check. Times of a registry from before the subscription are given as the time of the subscription.',
    ),
    goodAt: shape.withDescription(shape.orNull(shape.dateTime), 'The last check with a usable manifest.'),
    failingSince: shape.orNull(shape.dateTime),
    nextCheckAt: shape.withDescription(
      shape.dateTime,
      'When the registry is checked again. Until the first check since the subscription, it is counted from the time of the subscription; the check may be earlier.',
    ),
    errors: shape.count,
    warnings: shape.count,
    symptoms: shape.list(
      shape.strictObject('One of the four symptoms of a registry that does not work.', {
        id: shape.choice(SYMPTOMS),
        status: shape.choice(['clear', 'suspected', 'confirmed', 'not-judged']),
        rules: shape.list(shape.text),
      }),
    ),
    apps: shape.withDescription(shape.count, 'Apps in the manifest.'),
    visible: shape.withDescription(shape.count, 'Apps that can be installed.'),
  },
);
export type SubscriptionView = shape.ValueOf<typeof registry>;

/**
 * Part of its registry's state that a subscription sees. A registry is shared, so its times from before the
 * subscription would reveal other subscribers: they are given as the time of the subscription. What is stored is not
 * shown before the host has served the URL for the subscription (CONFIRMED in db/conditions.ts).
 */

/** The columns that decide. */
interface SharedState {
  registrySince: Date;
  confirmedAt: Date | null;
  refusedAt: Date | null;
  checkedAt: Date | null;
  goodAt: Date | null;
  failingSince: Date | null;
}

export const SHARED_STATE_COLUMNS = [
  'subscriptions.registrySince',
  'subscriptions.confirmedAt',
  'subscriptions.refusedAt',
  'registries.checkedAt',
  'registries.goodAt',
  'registries.failingSince',
] as const;

/** A time of a shared row, as a subscription sees it. */
export function timeSince(time: Date, since: Date): Date {
  return time < since ? since : time;
}

/** The same, as text; null for null. */
export function isoTimeSince(time: Date | null, since: Date): string | null {
  return time === null ? null : timeSince(time, since).toISOString();
}

/**
 * True if the subscription sees the last check: its report, and what it found. A check that failed before the
 * subscription says nothing about it.
 */
export function seesLastCheck(row: SharedState): boolean {
  const { checkedAt, failingSince } = row;
  if (checkedAt === null) return false;
  if (row.confirmedAt === null) return row.refusedAt !== null && failingSince !== null;
  return failingSince === null || isCheckedSince(row);
}

/** True if the registry was checked since it has the subscription. */
function isCheckedSince({ checkedAt, registrySince }: SharedState): boolean {
  return checkedAt !== null && checkedAt >= registrySince;
}

/**
 * When the registry is checked again. The schedule from before the subscription would reveal when others subscribed, or
 * requested a check: until the first check since then, it is that of a registry that was checked at the time of the
 * subscription, or that waits for its first check.
 * @param interval milliseconds between two checks
 */
export function nextCheckTime(row: SharedState & { nextCheckAt: Date }, interval: number): Date {
  if (isCheckedSince(row)) return row.nextCheckAt;
  const { registrySince } = row;
  return seesLastCheck(row) ? new Date(registrySince.getTime() + interval) : registrySince;
}

/** The times of the registry's checks. */
export function checkTimes(row: SharedState): Pick<SubscriptionView, 'checkedAt' | 'goodAt' | 'failingSince'> {
  const { registrySince } = row;
  if (!seesLastCheck(row)) return { checkedAt: null, goodAt: null, failingSince: null };
  return {
    checkedAt: isoTimeSince(row.checkedAt, registrySince),
    goodAt: row.confirmedAt === null ? null : isoTimeSince(row.goodAt, registrySince),
    failingSince: isoTimeSince(row.failingSince, registrySince),
  };
}
