import { type DocumentFacts, isMissing } from '../../core/facts/facts.ts';
import { parseUrl } from '../../core/http/url.ts';
import { type EventCertificate, type NewEvent, registryEvent } from '../history/events.ts';

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
