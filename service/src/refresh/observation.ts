import { areCredentialsRefused, type DocumentFacts, isMissing, type JsonObject, parseUrl, statusOf } from 'appreg';
import { type EventCertificate, type EventType, type NewEvent, registryEvent } from '../domain/events.ts';

/** Observation of a refresh, once its apps are written. */
export interface Observation {
  /** True if it ended, or was left, before everything was observed. */
  readonly interrupted: boolean;
  /** Null if it could not be read, or contains the credentials. */
  readonly manifest: DocumentFacts | null;
  /** The apps of a usable manifest, by key. */
  readonly apps: JsonObject | null;
  /** The apps in order of observation, and the number that was reached. */
  readonly order: readonly string[];
  readonly done: number;
  /** Listed versions beyond the limit per app. */
  readonly versionsBeyond: number;
  /** True if something was written: the next refresh will not find the same state. */
  readonly isChanged: boolean;
  /** The events that were recorded with the apps. */
  readonly changes: EventCounts;
  readonly certificates: CertificateChange | null;
  /** True if the host refused the credentials. */
  readonly unauthorized: boolean;
  /** The artifacts and bytes that were fetched, and whether some artifacts are left to the next refresh. */
  readonly artifacts: number;
  readonly bytes: number;
  readonly hasDeferred: boolean;
}

export const NOTHING_OBSERVED: Observation = {
  interrupted: true,
  manifest: null,
  apps: null,
  order: [],
  done: 0,
  versionsBeyond: 0,
  isChanged: false,
  changes: {},
  certificates: null,
  unauthorized: false,
  artifacts: 0,
  bytes: 0,
  hasDeferred: false,
};

/** Some hosts respond with 403 for a single missing file; 401 is about the credentials. */
export function isUnauthorized({ web }: Pick<DocumentFacts, 'web'>): boolean {
  return !isMissing(web) && areCredentialsRefused(web.server) && statusOf(web.server) === 401;
}

/** The number of events that a check records, by type. */
export type EventCounts = Readonly<Partial<Record<EventType, number>>>;

export function countEvents(counts: EventCounts, events: readonly NewEvent[]): EventCounts {
  if (events.length === 0) return counts;
  const sum = { ...counts };
  for (const { type } of events) sum[type] = (sum[type] ?? 0) + 1;
  return sum;
}

/** A host may have several at a time, one per address or key type, which are no news each time. */
const CERTIFICATES_KEPT = 8;

export interface CertificateChange {
  /** The certificates to store, the last one first. */
  certificates: EventCertificate[];
  /** Null for the first certificate of a registry. */
  event: NewEvent | null;
}

/** @returns null unless the host has a certificate that it did not have before */
export function certificateChange(
  known: readonly EventCertificate[] | null,
  { web }: DocumentFacts,
): CertificateChange | null {
  const hop = isMissing(web) ? undefined : web.server.hops[0];
  if (!hop?.tls) return null;
  const { fingerprint256, subject, issuer, notAfter } = hop.tls;
  if (known?.some((one) => one.fingerprint256 === fingerprint256)) return null;
  const after = { fingerprint256, subject, issuer, notAfter };
  const [before] = known ?? [];
  const host = parseUrl(hop.url)?.host ?? '';
  return {
    certificates: [after, ...(known ?? [])].slice(0, CERTIFICATES_KEPT),
    event: before === undefined ? null : registryEvent('certificate-changed', { host, before, after }),
  };
}
