import { X509Certificate } from 'node:crypto';
import tls, {
  createSecureContext,
  type DetailedPeerCertificate,
  type PeerCertificate,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { TlsFacts } from '../../core/facts/facts.ts';
import { type Authorities, chainCertificates, endsFirst, oneLine, pathOf } from './certificate-path.ts';

/**
 * The last secure context, for clients that trust the same authorities one after the other: parsing those given takes
 * tens of milliseconds.
 */
export class SecureContexts {
  #last: { key: string; context: SecureContext } | null = null;

  /**
   * @param ca PEM text given with --ca, or null
   * @param machine PEM text of NODE_EXTRA_CA_CERTS, or null
   */
  of(ca: string | null, machine: string | null): SecureContext {
    const key = JSON.stringify([ca, machine]);
    if (this.#last?.key !== key) this.#last = { key, context: makeContext(ca, machine) };
    return this.#last.context;
  }
}

/** The authorities that a run trusts: those shipped with Node, those of the machine, and those given with --ca. */
export interface Trust {
  /** Created once, at the first https host: parsing the root certificates takes tens of milliseconds. */
  context(): SecureContext;
  /**
   * The source that added the authority of a trusted chain, and its name; null if Node ships it.
   * @param chain as linked by Node
   * @param sent what the host sent: another path may lead to the authority
   */
  addedBy(chain: readonly DetailedPeerCertificate[], sent: readonly X509Certificate[]): Added | null;
  /** The authorities with a subject, except those of the system's own store. */
  authorities: Authorities;
  /** The facts about parsed chains, by certificate, verdict and protocol. */
  seen: Map<string, TlsFacts>;
}

interface Added {
  by: NonNullable<TlsFacts['authority']>;
  name: string;
}

/**
 * The authorities that TLS connections are checked with.
 *
 * @param ca PEM text given with --ca, or null
 * @param machine PEM text of NODE_EXTRA_CA_CERTS, or null; Node adds it by itself if `ca` is null
 * @param contexts shared with others that trust the same authorities
 */
export function openTrust(ca: string | null, machine: string | null, contexts = new SecureContexts()): Trust {
  let context: SecureContext | null = null;
  const given = lazySet(() => pemBlocks(ca ?? ''));
  const extra = lazySet(() => pemBlocks(machine ?? ''));
  const added = bySubject(() => [...pemBlocks(ca ?? ''), ...pemBlocks(machine ?? '')]);
  const authorities: Authorities = (subject) => [...shippedAuthorities(subject), ...added(subject)];

  /** The source of one of the certificates: null for Node itself, undefined if none is known. */
  function ownerOf(certificates: readonly { raw: Buffer; name: string }[]): Added | null | undefined {
    const bodies = certificates.map(({ raw, name }) => ({ body: raw.toString('base64'), name }));
    if (bodies.some(({ body }) => shipped().has(body))) return null;
    const inGiven = bodies.find(({ body }) => given().has(body));
    if (inGiven) return { by: '--ca', name: inGiven.name };
    const inExtra = bodies.find(({ body }) => extra().has(body));
    return inExtra && { by: 'NODE_EXTRA_CA_CERTS', name: inExtra.name };
  }

  return {
    seen: new Map(),
    context() {
      context ??= contexts.of(ca, machine);
      return context;
    },
    addedBy(chain, sent) {
      const linked = ownerOf(chain.map(({ raw, subject }) => ({ raw, name: nameOf(subject) })));
      if (linked !== undefined) return linked;
      const issuers = sent.flatMap((one) => authorities(one.issuer).filter((issuer) => one.checkIssued(issuer)));
      const other = ownerOf(issuers.map(({ raw, subject }) => ({ raw, name: oneLine(subject) })));
      if (other !== undefined) return other;
      // The last certificate is signed by another one, so the chain continues beyond it.
      const top = chain.at(-1);
      return top && top.issuerCertificate?.fingerprint256 === top.fingerprint256
        ? { by: 'system', name: nameOf(top.subject) }
        : null;
    },
    authorities,
  };
}

/** The bodies of the certificates that Node ships. */
const shipped = lazySet(() => rootCertificates);
/** Parsed once for all runs of the process, which takes tens of milliseconds. */
const shippedAuthorities = bySubject(() => rootCertificates);

/** Certificates by subject; all of them are parsed at the first lookup. */
function bySubject(blocks: () => readonly string[]): Authorities {
  let index: Map<string, X509Certificate[]> | null = null;
  return (subject) => {
    if (index === null) {
      index = new Map();
      for (const certificate of blocks().flatMap(parsed)) {
        const sameSubject = index.get(certificate.subject);
        if (sameSubject) sameSubject.push(certificate);
        else index.set(certificate.subject, [certificate]);
      }
    }
    return index.get(subject) ?? [];
  };
}

/** The certificate in a PEM block; none if it does not parse, which OpenSSL skips as well. */
function parsed(pem: string): X509Certificate[] {
  try {
    return [new X509Certificate(pem)];
  } catch {
    return [];
  }
}

/**
 * Node 20 and 22 accept RSA keys of 1024 bits and SHA-1 signatures; Node 24 and later reject both (security level 2 of
 * OpenSSL). Every Node checks as the later ones do, unless Node was started with a level of its own.
 */
function ciphers(): string {
  const { DEFAULT_CIPHERS } = tls;
  return DEFAULT_CIPHERS.includes('@SECLEVEL=') ? DEFAULT_CIPHERS : `${DEFAULT_CIPHERS}:@SECLEVEL=2`;
}

/** Node's own authorities and the given ones; Node loads its own by itself if there are no others. */
function makeContext(ca: string | null, machine: string | null): SecureContext {
  if (ca === null) return createSecureContext({ ciphers: ciphers() });
  const added = [...pemBlocks(machine ?? ''), ...pemBlocks(ca)];
  return createSecureContext({ ca: [...defaultAuthorities(), ...added], ciphers: ciphers() });
}

/** The authorities that Node trusts by its flags (--use-openssl-ca, --use-system-ca); Node 20 cannot list them. */
function defaultAuthorities(): readonly string[] {
  const { getCACertificates }: Partial<typeof tls> = tls;
  return getCACertificates?.('default') ?? rootCertificates;
}

function lazySet(blocks: () => readonly string[]): () => Set<string> {
  let set: Set<string> | null = null;
  return () => (set ??= new Set(blocks().map((pem) => pem.replace(/-----[A-Z ]+-----|\s/g, ''))));
}

/**
 * Checks the names of a certificate as Node does, except for the common name of its subject, which Node accepts without
 * subjectAltName and browsers do not (RFC 9525 section 6.3).
 */
export function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const { CN: _, ...subject } = certificate.subject ?? {};
  return tls.checkServerIdentity(host, { ...certificate, subject });
}

/** The certificates in a PEM text, one string each. Never throws: anything else is skipped. */
export function pemBlocks(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? [];
}

/** The facts of a socket's handshake, trusted or not; null without a certificate. Call it once per socket. */
export function tlsFacts(socket: TLSSocket, trust: Trust): TlsFacts | null {
  // Node returns an empty object, or null, if the host sent no certificate.
  const leaf: Partial<PeerCertificate> | null = socket.getPeerCertificate();
  if (leaf?.fingerprint256 === undefined) return null;
  // Dozens of connections to an address show the same chain; parsing one takes milliseconds.
  const verdict = socket.authorized ? '' : String(socket.authorizationError);
  const known = [leaf.fingerprint256, verdict, socket.getProtocol(), socket.remoteAddress].join(' ');
  const facts = trust.seen.get(known) ?? readFacts(socket, trust);
  trust.seen.set(known, facts);
  return facts;
}

function readFacts(socket: TLSSocket, trust: Trust): TlsFacts {
  const certificate = socket.getPeerCertificate(true);
  const chain = chainOf(certificate);
  const sent = sentBy(socket);
  const addedBy = socket.authorized ? trust.addedBy(chain, sent) : null;
  const notAfter = moment(certificate.valid_to);
  // Another path may avoid a certificate that expires early.
  const isShortened = socket.authorized && chain.some((one) => moment(one.valid_to) < notAfter);
  const first = isShortened ? endsFirst(sent, trust.authorities) : null;
  return {
    protocol: socket.getProtocol(),
    subject: nameOf(certificate.subject),
    names: alternativeNames(certificate.subjectaltname),
    issuer: nameOf(certificate.issuer),
    notBefore: moment(certificate.valid_from),
    notAfter,
    fingerprint256: certificate.fingerprint256,
    chainLength: chain.length,
    privateCa: addedBy !== null,
    ...(addedBy ? { authority: addedBy.by, authorityName: addedBy.name } : {}),
    sent: sent.length,
    ...(first ? { endsFirst: first } : {}),
    ...(socket.authorized
      ? { certificates: chainCertificates(chain.map(({ raw }) => raw)) }
      : refusedPath(sent, trust)),
  };
}

function refusedPath(
  sent: readonly X509Certificate[],
  { authorities }: Trust,
): Pick<TlsFacts, 'path' | 'publicAuthority'> {
  const path = pathOf(sent, authorities, Date.now());
  const top = path.at(-1);
  const isPublic = top?.from === 'store' && isShipped(top.fingerprint256);
  return isPublic ? { path, publicAuthority: true } : { path };
}

let shippedFingerprints: Set<string> | null = null;

/** True for an authority that Node ships. */
function isShipped(fingerprint256: string): boolean {
  shippedFingerprints ??= new Set(rootCertificates.flatMap(parsed).map((root) => root.fingerprint256));
  return shippedFingerprints.has(fingerprint256);
}

/** The certificates in the order in which the host sent them. This detaches them from the socket, so call it once. */
function sentBy(socket: TLSSocket): X509Certificate[] {
  const sent: X509Certificate[] = [];
  let one = socket.getPeerX509Certificate();
  while (one && sent.length < 20) {
    sent.push(one);
    one = one.issuerCertificate;
  }
  return sent;
}

/** The certificate, its issuer, and so on; a root names itself as its issuer. */
function chainOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain = new Map<string, DetailedPeerCertificate>();
  let next: Partial<DetailedPeerCertificate> | undefined = certificate;
  while (isComplete(next) && chain.size < 20 && !chain.has(next.fingerprint256)) {
    chain.set(next.fingerprint256, next);
    next = next.issuerCertificate;
  }
  return [...chain.values()];
}

/** Node links an empty object if it does not know the issuer. */
function isComplete(certificate: Partial<DetailedPeerCertificate> | undefined): certificate is DetailedPeerCertificate {
  return certificate?.fingerprint256 !== undefined;
}

function nameOf(name: PeerCertificate['subject'] | undefined): string {
  const parts = Object.entries(name ?? {}).map(
    ([key, value]) => `${key}=${Array.isArray(value) ? value.join('+') : String(value)}`,
  );
  return parts.join(', ').slice(0, 500);
}

function alternativeNames(text: string | undefined): string[] {
  if (text === undefined) return [];
  const names: string[] = [];
  for (const part of text.split(', ')) {
    const name = /^(?:DNS|IP Address):(.+)$/.exec(part)?.[1];
    if (name !== undefined) names.push(name);
    if (names.length === 200) break;
  }
  return names;
}

function moment(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}
