import { makeAuthority, makeKey, makeLeaf, type Period } from '../../serve/certificates.ts';

/** The certificates of the hosts of a run, each kind with one defect. */

const DAY = 86_400_000;
/** The names of the kit's hosts. */
const NAMES = ['localhost', '127.0.0.1'];

export interface ServerCertificate {
  key: string;
  cert: string;
}

export type CertificateKind = 'good' | 'expired' | 'future' | 'other-name' | 'untrusted' | 'self-signed';

export interface Authority {
  /** PEM of the certificate that the implementation has to trust. */
  ca: string;
  certificate(kind: CertificateKind): Promise<ServerCertificate>;
}

/** A certificate authority that is valid for a month, or the given one. Leaves are made when they are needed. */
export async function openAuthority(now: Date, given: ServerCertificate | null = null): Promise<Authority> {
  const own = given ?? (await createAuthority('appreg conformance', now));
  const made = new Map<CertificateKind, Promise<ServerCertificate>>();
  return {
    ca: own.cert,
    certificate(kind) {
      const known = made.get(kind) ?? makeCertificate(kind, own, now);
      made.set(kind, known);
      return known;
    },
  };
}

async function createAuthority(name: string, now: Date): Promise<ServerCertificate> {
  const key = makeKey();
  return { key, cert: await makeAuthority(key, name, period(now, -1, 30)) };
}

async function makeCertificate(
  kind: CertificateKind,
  authority: ServerCertificate,
  now: Date,
): Promise<ServerCertificate> {
  switch (kind) {
    case 'good':
      return makeLeaf(authority, NAMES, period(now, -1, 20));
    case 'expired':
      return makeLeaf(authority, NAMES, period(now, -20, -10));
    case 'future':
      return makeLeaf(authority, NAMES, period(now, 10, 20));
    case 'other-name':
      return makeLeaf(authority, ['other.test'], period(now, -1, 20));
    case 'untrusted':
      return makeLeaf(await createAuthority('appreg conformance, not trusted', now), NAMES, period(now, -1, 20));
    case 'self-signed':
      return createAuthority('localhost', now);
  }
}

/** A period from and to a number of days after a moment. */
function period(now: Date, from: number, to: number): Period {
  return { notBefore: new Date(now.getTime() + from * DAY), notAfter: new Date(now.getTime() + to * DAY) };
}
