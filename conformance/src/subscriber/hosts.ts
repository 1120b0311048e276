import { makeAuthority, makeKey, makeLeaf, type Period } from 'appreg/node';
import { randomBytes } from 'node:crypto';
import { answer, type FaultRequest } from '../hosts/behaviours.ts';
import { type FaultHost, type FaultHostOptions, openFaultHost } from '../hosts/fault-host.ts';
import type { ServedFile, SubscriberScript } from '../case/subscriber.ts';
import { bodyOf, expandText, behaviourOf } from './respond.ts';

type Files = NonNullable<SubscriberScript[number]['serve']>;

// The hosts of one case, on free ports of the loopback interface.

interface HostKind {
  /** The name in URLs: two names, so that hosts differ by more than the port. */
  name: 'localhost' | '127.0.0.1';
  /** Null for http. */
  certificate: CertificateKind | null;
}

const HOSTS: Readonly<Record<string, HostKind>> = {
  registry: { name: 'localhost', certificate: 'good' },
  cdn: { name: '127.0.0.1', certificate: 'good' },
  plain: { name: 'localhost', certificate: null },
  expired: { name: 'localhost', certificate: 'expired' },
  future: { name: 'localhost', certificate: 'future' },
  'other-name': { name: 'localhost', certificate: 'other-name' },
  untrusted: { name: 'localhost', certificate: 'untrusted' },
  'self-signed': { name: 'localhost', certificate: 'self-signed' },
};

export interface CaseHosts {
  /** Adds files, or replaces them. Null deletes one. */
  serve(files: Files): void;
  expand(text: string): string;
  /** The requests since the last call, by host. */
  takeRequests(): ReadonlyMap<string, readonly FaultRequest[]>;
  /** Replaces addresses and secrets by names, so that two runs write the same text. */
  redact(text: string): string;
  close(): Promise<void>;
}

/** Opens the hosts that texts name; all their files are in one folder, whose name is random. `nowhere` is an origin that refuses connections. */
export async function openHosts(script: SubscriberScript, authority: Authority): Promise<CaseHosts> {
  const hosts = new Map<string, FaultHost>();
  // A port may have been one of an earlier case; a service may remember what it served.
  const prefix = `/${randomBytes(6).toString('hex')}`;
  const values = new Map<string, string>([['secret', randomBytes(12).toString('hex')]]);
  const close = async (): Promise<void> => void (await Promise.all([...hosts.values()].map((host) => host.close())));
  try {
    for (const [name, kind] of hostsIn(script)) {
      const { scheme, tls } = await transportOf(kind, authority);
      const host = await openFaultHost(tls);
      hosts.set(name, host);
      values.set(name, `${scheme}://${kind.name}:${host.port}${prefix}`);
    }
    values.set('nowhere', await closedOrigin());
  } catch (error) {
    await close();
    throw error;
  }
  const files = new Map<string, ServedFile>();
  const names = { values, files };
  const content = {
    expand: (text: string) => expandText(text, names),
    body: (file: ServedFile) => bodyOf(file, names),
  };
  const serveFile = (place: string, file: ServedFile | null): void => {
    const { host, path } = placeOf(place);
    const target = hosts.get(host);
    if (target === undefined) throw new Error(`The script serves ${place} from a host that it does not name.`);
    target.on(
      prefix + content.expand(path),
      file === null ? answer({ status: 404 }) : behaviourOf(path, file, content),
    );
  };
  return {
    serve(added) {
      for (const [place, file] of Object.entries(added))
        if (file === null) files.delete(place);
        else files.set(place, file);
      for (const [place, file] of Object.entries(added)) serveFile(place, file);
    },
    expand: content.expand,
    takeRequests: () =>
      new Map(
        [...hosts].map(([name, host]) => [name, host.requests.splice(0).map((one) => withoutPrefix(one, prefix))]),
      ),
    redact(text) {
      const named = [...values].reduce((all, [name, value]) => all.replaceAll(value, `<${name}>`), text);
      return named.replaceAll(/(https?:\/\/)?(localhost|127\.0\.0\.1):\d+/g, '<host>');
    },
    close,
  };
}

function withoutPrefix(request: FaultRequest, prefix: string): FaultRequest {
  const { path } = request;
  return path.startsWith(`${prefix}/`) ? { ...request, path: path.slice(prefix.length) } : request;
}

/** The hosts that a script names; the registry's own first. */
function hostsIn(script: SubscriberScript): [name: string, kind: HostKind][] {
  const text = JSON.stringify(script);
  return Object.entries(HOSTS).filter(
    ([name]) => name === 'registry' || text.includes(`{${name}}`) || text.includes(`"${name}:/`),
  );
}

async function transportOf(
  { certificate }: HostKind,
  authority: Authority,
): Promise<{ scheme: string; tls: FaultHostOptions }> {
  if (certificate === null) return { scheme: 'http', tls: {} };
  const { key, cert } = await authority.certificate(certificate);
  return { scheme: 'https', tls: { tls: { key, cert } } };
}

export function placeOf(place: string): { host: string; path: string } {
  const [, host = 'registry', path = place] = /^([a-z-]+):(\/.*)$/.exec(place) ?? [];
  return { host, path };
}

/** The origin of a port that nothing listens on. */
async function closedOrigin(): Promise<string> {
  const host = await openFaultHost();
  await host.close();
  return `https://localhost:${host.port}`;
}

// The certificates of the hosts of a run, each kind with one defect.

const DAY = 86_400_000;
/** The names of the kit's hosts. */
const NAMES = ['localhost', '127.0.0.1'];

export interface ServerCertificate {
  key: string;
  cert: string;
}

type CertificateKind = 'good' | 'expired' | 'future' | 'other-name' | 'untrusted' | 'self-signed';

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
