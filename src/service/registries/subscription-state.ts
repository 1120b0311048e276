import type { SubscriptionView } from './schema.ts';

/**
 * What a subscription sees of its registry's state. A registry is shared, so its times from before the subscription would
 * reveal other subscribers: they are given as the time of the subscription. What is stored is not shown before the host
 * has served the URL for the subscription (CONFIRMED in database/sql-fragments.ts).
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
 * Whether the subscription sees the last check: its report, and what it found. A check that failed before the
 * subscription says nothing about it.
 */
export function seesLastCheck(row: SharedState): boolean {
  const { checkedAt, failingSince } = row;
  if (checkedAt === null) return false;
  if (row.confirmedAt === null) return row.refusedAt !== null && failingSince !== null;
  return failingSince === null || isCheckedSince(row);
}

/** Whether the registry was checked since it has the subscription. */
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
