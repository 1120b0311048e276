import tls, {
  createSecureContext,
  type DetailedPeerCertificate,
  type PeerCertificate,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { TlsFacts } from '../core/facts.ts';

/** Whom a run trusts: the authorities that Node ships, those of the machine, and those given with --ca. */
export interface Trust {
  /** Made once, at the first https host: reading the root certificates takes tens of milliseconds. */
  context(): SecureContext;
  /** Who added the authority that a trusted chain leads to; null where Node ships it. */
  addedBy(chain: readonly DetailedPeerCertificate[]): TlsFacts['authority'] | null;
  /** The facts about chains that were taken apart, by certificate, verdict and protocol. */
  seen: Map<string, TlsFacts>;
}

/**
 * @param ca PEM text given with --ca, or null
 * @param machine PEM text of NODE_EXTRA_CA_CERTS, or null; Node adds it by itself where `ca` is null
 */
export function openTrust(ca: string | null, machine: string | null): Trust {
  let context: SecureContext | null = null;
  const shipped = lazySet(() => rootCertificates);
  const given = lazySet(() => pemBlocks(ca ?? ''));
  const extra = lazySet(() => pemBlocks(machine ?? ''));
  return {
    seen: new Map(),
    context() {
      context ??= contextOf(ca, machine);
      return context;
    },
    addedBy(chain) {
      const bodies = chain.map((one) => one.raw.toString('base64'));
      if (bodies.some((body) => shipped().has(body))) return null;
      if (bodies.some((body) => given().has(body))) return '--ca';
      if (bodies.some((body) => extra().has(body))) return 'NODE_EXTRA_CA_CERTS';
      // A chain that ends in another's signature leads further up than was looked.
      const top = chain.at(-1);
      return top && top.issuerCertificate?.fingerprint256 === top.fingerprint256 ? 'system' : null;
    },
  };
}

let kept: { of: string; context: SecureContext } | null = null;

/** The one that was made last serves again: the service looks at thousands of hosts, all with the same authorities. */
function contextOf(ca: string | null, machine: string | null): SecureContext {
  const of = JSON.stringify([ca, machine]);
  if (kept?.of !== of) kept = { of, context: makeContext(ca, machine) };
  return kept.context;
}

/** Certificates beside those of Node, which it reads by itself in half the time that it takes to be handed them. */
function makeContext(ca: string | null, machine: string | null): SecureContext {
  const context = createSecureContext();
  if (ca === null) return context;
  const { addCACert } = context.context as { addCACert?: (pem: string) => void };
  const more = [...pemBlocks(machine ?? ''), ...pemBlocks(ca)];
  if (addCACert === undefined) return createSecureContext({ ca: [...usual(), ...more] });
  for (const pem of more) addCACert.call(context.context, pem);
  return context;
}

/** What Node trusts by itself, as its flags have it (--use-openssl-ca, --use-system-ca); Node 20 cannot say. */
function usual(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? rootCertificates;
}

function lazySet(blocks: () => readonly string[]): () => Set<string> {
  let set: Set<string> | null = null;
  return () => (set ??= new Set(blocks().map((pem) => pem.replace(/-----[A-Z ]+-----|\s/g, ''))));
}

/** The certificates in a PEM text, one string each. Throws nothing: what is no certificate is not there. */
export function pemBlocks(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? [];
}

/** What a socket's handshake showed, trusted or not; null where no certificate came. */
export function tlsFacts(socket: TLSSocket, trust: Trust): TlsFacts | null {
  const leaf = socket.getPeerCertificate() as PeerCertificate | null;
  if (leaf?.fingerprint256 === undefined) return null;
  // Dozens of connections show the same; to take a chain apart takes milliseconds.
  const known = `${leaf.fingerprint256} ${socket.authorized} ${socket.getProtocol()}`;
  const facts = trust.seen.get(known) ?? readFacts(socket, trust);
  trust.seen.set(known, facts);
  return facts;
}

function readFacts(socket: TLSSocket, trust: Trust): TlsFacts {
  const certificate = socket.getPeerCertificate(true);
  const chain = chainOf(certificate);
  const addedBy = socket.authorized ? trust.addedBy(chain) : null;
  return {
    protocol: socket.getProtocol(),
    subject: nameOf(certificate.subject),
    names: alternativeNames(certificate.subjectaltname),
    issuer: nameOf(certificate.issuer),
    notBefore: moment(certificate.valid_from),
    notAfter: moment(certificate.valid_to),
    fingerprint256: certificate.fingerprint256,
    chainLength: chain.length,
    privateCa: addedBy !== null,
    ...(addedBy ? { authority: addedBy } : {}),
  };
}

/** The certificate, its issuer, and so on; a root names itself as its issuer. */
function chainOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  let one: DetailedPeerCertificate | undefined = certificate;
  while (
    one &&
    one.fingerprint256 !== undefined &&
    chain.length < 20 &&
    !chain.some((c) => c.fingerprint256 === one!.fingerprint256)
  ) {
    chain.push(one);
    one = one.issuerCertificate as DetailedPeerCertificate | undefined;
  }
  return chain;
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
    const found = /^(?:DNS|IP Address):(.+)$/.exec(part);
    if (found) names.push(found[1]!);
    if (names.length === 200) break;
  }
  return names;
}

function moment(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}
