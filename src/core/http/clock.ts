import { type HttpViews, isMissing, type Missing, type Probe } from '../facts/facts.ts';
import { headerValue, httpDate, secondsIn } from './headers.ts';
import { hostOf } from './probe.ts';

/** The clock of the machine that runs a check, and the dates that a host sends. */

/** A date of a host that contradicts the clock of this machine. */
export interface ClockDoubt {
  /** ISO 8601; the time of this machine. */
  now: string;
  host: string;
  /** ISO 8601; the time at the host. */
  date: string;
}

/** Milliseconds by which a date must differ: more than a response takes. */
const MUCH = 600_000;

/**
 * The doubt about the clock, from the responses of one resource; null if their dates do not contradict it. A date in the
 * past may be that of a stored copy, so that the latest one of several requests counts.
 * @param now ISO 8601, when the resource was requested
 */
export function clockDoubt(web: HttpViews | Missing, now: string): ClockDoubt | null {
  if (isMissing(web)) return null;
  const dates = probesOf(web).flatMap(datesOf);
  const [latest] = dates.toSorted((a, b) => b.date - a.date);
  if (latest === undefined) return null;
  const ahead = latest.date - Date.parse(now);
  const isContradiction = ahead > MUCH || (ahead < -MUCH && dates.length > 1);
  return isContradiction ? { now, host: latest.host, date: new Date(latest.date).toISOString() } : null;
}

function probesOf({ server, browser, preflight, head, headPreflight }: HttpViews): Probe[] {
  return [server, ...browser, preflight, head, headPreflight].filter(
    (probe): probe is Probe => probe !== undefined && !isMissing(probe),
  );
}

/** The time at each host when it responded: a stored copy has the time of its origin, and its age. */
function datesOf({ hops }: Probe): { host: string; date: number }[] {
  return hops.flatMap(({ url, headers }) => {
    const date = httpDate(headerValue(headers, 'date'));
    const age = secondsIn(headerValue(headers, 'age')) ?? 0;
    return date === null ? [] : [{ host: hostOf(url), date: date + age * 1000 }];
  });
}
