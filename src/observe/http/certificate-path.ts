import { X509Certificate } from 'node:crypto';
import type { ChainCertificate, PathCertificate, TlsFacts } from '../../core/facts/facts.ts';
import { extensionsOf } from './certificate-extensions.ts';

/** The certificates between a host's own and an authority: the possible paths, and which certificate expires first. */

/** The known authorities, by subject. */
export type Authorities = (subject: string) => readonly X509Certificate[];

/** Maximum number of certificates on a path; clients reject longer ones too. */
const LONGEST = 10;

interface Step {
  certificate: X509Certificate;
  from: PathCertificate['from'];
}

/**
 * The path that a client builds, from the host's certificate upwards, as far as its certificates are known. Clients
 * look for the issuer among their trusted authorities first, then in what the host sent.
 */
export function pathOf(sent: readonly X509Certificate[], known: Authorities, now: number): PathCertificate[] {
  const path: Step[] = sent.slice(0, 1).map((certificate) => ({ certificate, from: 'host' }));
  for (let last = path.at(-1); last && path.length < LONGEST; last = path.at(-1)) {
    const next = best(last.certificate, issuersOf(last.certificate, sent, known), now);
    if (!next || path.some(({ certificate }) => certificate.fingerprint256 === next.certificate.fingerprint256)) break;
    path.push(next);
  }
  return path.map(({ certificate, from }, i) => describe(certificate, from, path[i + 1]?.certificate ?? null));
}

/**
 * Of the paths to a known authority, takes the one that is valid longest and returns the certificate above the host's
 * own that limits it. Null without a path, or if the host's certificate expires first.
 */
export function endsFirst(sent: readonly X509Certificate[], known: Authorities): TlsFacts['endsFirst'] | null {
  const [leaf] = sent;
  if (!leaf) return null;
  const end = longest(leaf, sent, known, [leaf.fingerprint256]);
  return end && Date.parse(end.validTo) < Date.parse(leaf.validTo)
    ? {
        subject: oneLine(end.subject),
        notAfter: moment(end.validTo),
        fingerprint256: end.fingerprint256,
        root: end.subject === end.issuer,
      }
    : null;
}

/** The certificate that expires first on the best path above this one; null without a path to an authority. */
function longest(
  below: X509Certificate,
  sent: readonly X509Certificate[],
  known: Authorities,
  before: readonly string[],
): X509Certificate | null {
  let found: X509Certificate | null = null;
  if (before.length > LONGEST) return null;
  for (const { certificate, from } of issuersOf(below, sent, known)) {
    if (before.includes(certificate.fingerprint256) || !isSignedBy(below, certificate)) continue;
    const above =
      from === 'store' ? certificate : longest(certificate, sent, known, [...before, certificate.fingerprint256]);
    if (above === null) continue;
    const first = Date.parse(above.validTo) < Date.parse(certificate.validTo) ? above : certificate;
    if (found === null || Date.parse(first.validTo) > Date.parse(found.validTo)) found = first;
  }
  return found;
}

function issuersOf(certificate: X509Certificate, sent: readonly X509Certificate[], known: Authorities): Step[] {
  const { issuer, subject, fingerprint256 } = certificate;
  if (issuer === subject) return [];
  const fromStore = known(issuer);
  const isKnown = (one: X509Certificate): boolean => fromStore.some((k) => k.fingerprint256 === one.fingerprint256);
  return [
    ...fromStore.map((one): Step => ({ certificate: one, from: 'store' })),
    ...sent
      .filter((one) => one.subject === issuer && one.fingerprint256 !== fingerprint256 && !isKnown(one))
      .map((one): Step => ({ certificate: one, from: 'host' })),
  ];
}

/** The issuer that fits best: by identifiers, then signature, then dates; the first of equals. */
function best(below: X509Certificate, steps: readonly Step[], now: number): Step | null {
  let found: Step | null = null;
  let most = -1;
  for (const step of steps) {
    const { certificate } = step;
    const isValid = Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
    const score =
      (below.checkIssued(certificate) ? 4 : 0) + (isSignedBy(below, certificate) ? 2 : 0) + (isValid ? 1 : 0);
    if (score > most) [found, most] = [step, score];
  }
  return found;
}

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    // OpenSSL does not support this kind of key, so it cannot verify a signature here.
    return false;
  }
}

function describe(
  certificate: X509Certificate,
  from: PathCertificate['from'],
  issuer: X509Certificate | null,
): PathCertificate {
  const { subject, issuer: issuerName, validFrom, validTo, fingerprint256, ca } = certificate;
  // Node's name for the extended key usage.
  const purposes: string[] | undefined = certificate.keyUsage;
  return {
    subject: oneLine(subject),
    issuer: oneLine(issuerName),
    notBefore: moment(validFrom),
    notAfter: moment(validTo),
    fingerprint256,
    from,
    authority: ca,
    ...extensionsOf(certificate.raw),
    extendedKeyUsage: purposes?.slice(0, 20) ?? null,
    key: keyOf(certificate),
    signatureValid: issuer === null ? null : isSignedBy(certificate, issuer),
  };
}

/** @param der certificates of a verified chain, the host's own first */
export function chainCertificates(der: readonly Uint8Array[]): ChainCertificate[] {
  return der.map((raw) => {
    const certificate = new X509Certificate(raw);
    const { signature, keyUsage } = extensionsOf(raw);
    const isRoot = certificate.subject === certificate.issuer;
    return {
      subject: oneLine(certificate.subject),
      key: keyOf(certificate),
      signature: isRoot ? null : signature,
      keyUsage,
    };
  });
}

/** The kind of key and its size: `rsa 2048`, `ec prime256v1`. */
function keyOf({ publicKey }: X509Certificate): string {
  const { modulusLength, namedCurve } = publicKey.asymmetricKeyDetails ?? {};
  return [publicKey.asymmetricKeyType, modulusLength ?? namedCurve].filter((part) => part !== undefined).join(' ');
}

/** OpenSSL writes one attribute on each line. */
export function oneLine(name: string | undefined): string {
  return (name ?? '').replaceAll('\n', ', ').slice(0, 500);
}

function moment(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}
