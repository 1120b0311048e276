import { headerValue, lastHop, type Probe, statusOf } from 'appreg';
import type { HostExpectation } from '../case/host.ts';

export interface HostResponse {
  probe: Probe;
  /** As sent; null if none was read. */
  body: Buffer | null;
  /** True if it came over a connection that was used before. */
  reused: boolean;
}

/** The responses by the name of their request: several if it was sent several times at once. */
export type Responses = ReadonlyMap<string, readonly HostResponse[]>;

// Describes the behavior of a host, in one line that is equal in two runs.

/** Their values depend on the time of the request. */
const CHANGING: ReadonlySet<string> = new Set(['date', 'age', 'expires', 'set-cookie', 'location']);
const LONGEST_VALUE = 100;

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The status of a response, or the code of the failure in place of one. */
export function outcomeOf({ probe }: HostResponse): string {
  const { failure } = probe;
  const status = statusOf(probe);
  if (failure === null) return String(status);
  return status === 0 ? failure.code : `${status} (${failure.code})`;
}

/** The outcome of each request, with the headers that the checks name. */
export function observedOf(responses: Responses, expect: HostExpectation): string {
  const parts = [...responses].map(([name, all]) => {
    const outcomes = new Set(all.map(outcomeOf));
    const [first] = all;
    const headers = first ? namesIn(expect, name).map((one) => headerText(first, one)) : [];
    return [`${name}: ${[...outcomes].toSorted().join(', ')}`, ...headers.toSorted()].join(', ');
  });
  return parts.join('; ');
}

function namesIn(expect: HostExpectation, response: string): string[] {
  const names = new Set<string>();
  for (const one of expect) {
    if (one.check === 'connection' || one.of !== response) continue;
    if (one.check === 'header' || one.check === 'no-header') names.add(one.name);
    if (one.check === 'cors' || one.check === 'preflight') names.add('access-control-allow-origin');
    if (one.check === 'preflight') names.add('access-control-allow-headers');
    if (one.check === 'content' || one.check === 'not-encoded') names.add('content-encoding');
    if (one.check === 'not-redirected') names.add('location');
  }
  return [...names];
}

function headerText({ probe }: HostResponse, name: string): string {
  const value = headerValue(lastHop(probe)?.headers ?? [], name);
  if (value === null) return `no ${name}`;
  if (CHANGING.has(name)) return `with ${name}`;
  return `${name}: ${value.slice(0, LONGEST_VALUE)}`;
}
