import { type SafeText, message } from '../text/message.ts';
import type { Failure, PathCertificate, TlsFacts } from '../facts/facts.ts';
import { commonName } from './certificate.ts';

/** What the explanations of refused certificates share. */

export interface Explanation {
  message: SafeText;
  advice: SafeText;
  /** The faulty certificate if it is not the host's own; null if it is, or if it is not known. */
  at: PathCertificate | null;
}

/** An explanation; without `at`, the host's own certificate is the faulty one, or the faulty one is not known. */
export type Explained = Omit<Explanation, 'at'> & Partial<Pick<Explanation, 'at'>>;

/** The input of an explanation. */
export interface Refusal {
  /** With its port; `name` is without. */
  host: string;
  name: string;
  tls: TlsFacts | null;
  path: readonly PathCertificate[];
  /** ISO 8601. */
  now: string;
  failure: Failure;
}

export const FULL_CHAIN = 'the full chain of the authority (fullchain.pem)';

/** A certificate of the path for a sentence: the host's own, an intermediate or a root. */
export function nameOf(certificate: PathCertificate, { path, host }: Refusal): string {
  if (certificate === path[0]) return `the certificate of ${host}`;
  const kind = certificate.subject === certificate.issuer ? 'root' : 'intermediate';
  return `the ${kind} certificate “${commonName(certificate.subject)}”`;
}

/** How to replace a certificate above the host's own. */
export function replaceAdvice(certificate: PathCertificate, { host, tls }: Refusal): SafeText {
  const own = tls ? ` The certificate of ${host} itself is valid until ${tls.notAfter}.` : '';
  return certificate.from === 'store'
    ? message`Use a certificate from an authority with a valid certificate: this one is among those trusted here (--ca, NODE_EXTRA_CA_CERTS or the system).${own}`
    : message`Install ${FULL_CHAIN} again, with its current intermediate certificates; if it has no newer ones, renew the certificate.${own}`;
}
