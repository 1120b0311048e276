import type { HeaderGroup, HeaderProbe, Probe, ResourceKind } from '../../core/facts/facts.ts';
import { contentCodings } from '../../core/http/headers.ts';
import { type Attempts, sendBeside } from '../http/attempts.ts';
import { perAttempt } from '../http/body.ts';
import { readCopy, type Reference } from '../http/compare-copy.ts';
import { ALL_GROUPS, type RequestShape } from '../http/request-shape.ts';
import type { ProbeRequest } from '../http/request.ts';
import type { ObserveContext } from './context.ts';
import { asBrowsersRead, isRefusedResponse } from './tolerance.ts';

/** A GET that reads and compares the body if there is a reference. */
export interface BrowserGet {
  url: string;
  kind: ResourceKind;
  page: string;
  like: HeaderProbe['like'];
  accept: string;
  /** Artifacts are requested with a range of one byte. */
  headers: readonly (readonly [string, string])[];
  /** The kind of resource and its hosts. */
  key: string;
  reference: Reference | null;
  limit: number;
  /** Accept-Encoding, if it differs from a browser's. */
  encoding?: string;
}

/** Requests a resource with some of the headers that a browser sends. */
export async function getAsBrowser(
  { url, page, like, accept, headers, reference, limit, kind, encoding }: BrowserGet,
  groups: readonly HeaderGroup[],
  { http, timeouts }: ObserveContext,
  attempts: Attempts,
): Promise<Probe> {
  const shape: RequestShape = {
    page,
    mode: like === 'fetch' ? 'cors' : 'no-cors',
    destination: kind === 'icon' ? 'image' : 'empty',
    groups,
    ...(encoding === undefined ? {} : { encoding }),
  };
  const reader = reference && perAttempt(({ headers: sent }) => readCopy(contentCodings(sent), reference, limit));
  const request: ProbeRequest = {
    method: 'GET',
    url,
    origin: like === 'fetch' && groups.includes('origin') ? page : null,
    accept,
    shape,
    headers,
    total: timeouts.small,
    ...(reader && { body: reader.body }),
  };
  const strict = await sendBeside(http, request, attempts);
  const probe =
    kind === 'icon' && isRefusedResponse(strict)
      ? asBrowsersRead(strict, await sendBeside(http, { ...request, tolerant: true }, attempts))
      : strict;
  const copy = probe.failure === null ? reader?.last()?.end() : undefined;
  return copy === undefined ? probe : { ...probe, copy };
}

/** The header groups of a browser's request for this: ranges are requested uncompressed. */
export function groupsOf({ kind }: BrowserGet): readonly HeaderGroup[] {
  return kind === 'artifact' ? ALL_GROUPS.filter((group) => group !== 'encoding') : ALL_GROUPS;
}
