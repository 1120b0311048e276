import type { Report } from '../../core/engine/report.ts';
import {
  type CheckOutcome,
  type EventData,
  type EventType,
  type NewEvent,
  registryEvent,
  type EventCertificate,
} from '../history/events.ts';
import type { RegistryRecord } from './records-store.ts';
import { type DocumentFacts, isMissing } from '../../core/facts/facts.ts';
import { parseUrl } from '../../core/http/url.ts';

/** The events of a check as a whole. */

/** Milliseconds after which a check without changes is recorded. */
const DAY = 86_400_000;

/** The number of events that a check records, by type. */
export type EventCounts = Readonly<Partial<Record<EventType, number>>>;

export function countEvents(counts: EventCounts, events: readonly NewEvent[]): EventCounts {
  if (events.length === 0) return counts;
  const sum = { ...counts };
  for (const { type } of events) sum[type] = (sum[type] ?? 0) + 1;
  return sum;
}

/** The manifest became unusable, or usable again. */
export function failureEvents(registry: RegistryRecord, isUsable: boolean, report: Report): NewEvent[] {
  const { failingSince } = registry;
  if (isUsable)
    return failingSince === null ? [] : [registryEvent('recovered', { failingSince: failingSince.toISOString() })];
  if (failingSince !== null) return [];
  const blocking = report.findings.find(({ resource, severity }) => resource === 'manifest' && severity === 'error');
  return [registryEvent('failing', { rule: blocking?.rule ?? null })];
}

/** The `checked` event of a check that changed something, or that is the first one for a day; otherwise none. */
export function checkedEvent(registry: RegistryRecord, at: Date, check: EventData['checked']): NewEvent[] {
  return isWorthRecording(registry, at, check) ? [registryEvent('checked', check)] : [];
}

function isWorthRecording(
  { checkedEventAt, checkedEventOutcome, errors, warnings }: RegistryRecord,
  at: Date,
  check: EventData['checked'],
): boolean {
  return (
    checkedEventAt === null ||
    at.getTime() - checkedEventAt.getTime() >= DAY ||
    checkedEventOutcome !== check.outcome ||
    errors !== check.errors ||
    warnings !== check.warnings ||
    Object.keys(check.changes).length > 0
  );
}

/** @see CheckOutcome */
export function checkOutcome(isUsable: boolean, unfinished: boolean, errors: number): CheckOutcome {
  if (!isUsable) return 'failing';
  if (unfinished) return 'unfinished';
  return errors > 0 ? 'problems' : 'good';
}

/** The certificates of a manifest's host: a new one is an event. */

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
