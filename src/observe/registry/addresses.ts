import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import {
  type AddressAnswer,
  type AddressFacts,
  type AddressSample,
  type AppFacts,
  type DocumentFacts,
  type HttpViews,
  isMissing,
  type Missing,
  type Probe,
  type Resource,
  type ResourceKind,
  type SampleContent,
} from '../../core/facts/facts.ts';
import { hasAddressDifferences } from '../../core/http/address-comparison.ts';
import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import { contentCodings } from '../../core/http/headers.ts';
import { hostnameOf, isAnswered, lastHop, originOf, statusOf } from '../../core/http/probe.ts';
import { listedVersionsIn, versionFields } from '../../core/registry/manifest.ts';
import { latestOf } from '../../core/registry/precedence.ts';
import { isSemver } from '../../core/registry/version.ts';
import { createDecoder, unknownCodings } from '../digest/decode.ts';
import { createDigester } from '../digest/digest.ts';
import { addressesOf } from '../http/addresses.ts';
import { type BodyReader, perAttempt } from '../http/body.ts';
import { type HttpClient, openHttpClient } from '../http/client.ts';
import { DEFAULT_TIMEOUTS } from '../http/limits.ts';
import { ALL_GROUPS, UNCOMPRESSED } from '../http/request-shape.ts';
import type { WebOptions } from './options.ts';

/** Maximum number of addresses of a name that are requested. */
const REQUESTED = 16;

/** Milliseconds to connect: each address is tried twice. */
const CONNECT_TIMEOUT = 5000;

/** Maximum number of bytes compared; an artifact may be large, and is fetched from each address. */
const COMPARED_BYTES = 32 * 2 ** 20;

const ACCEPT: Record<ResourceKind, string> = {
  manifest: 'application/json, */*;q=0.8',
  metadata: 'application/json, */*;q=0.8',
  artifact: '*/*',
  icon: '*/*',
};

/** Maximum number of files of each kind that are requested from every address of a host: of the first apps, in their order. */
const MOST: Record<ResourceKind, number> = { manifest: 1, metadata: 100, artifact: 100, icon: 100 };

/** Requests files from every address of their hosts: the manifest; and the metadata file, the newest artifact and the icon of apps. */
export class AddressObserver {
  private readonly options: WebOptions;
  private readonly page: string;
  /** The number of files that were requested, by kind and host; those that no resource was received from apart. */
  private readonly requested = new Map<string, number>();
  /** Apps may share an icon. */
  private readonly urls = new Set<string>();
  private readonly clients = new Map<string, HttpClient>();
  private readonly resolved = new Map<string, Promise<LookupAddress[]>>();

  constructor(options: WebOptions) {
    this.options = options;
    this.page = options.origins?.[0] ?? PROBE_ORIGIN;
  }

  /** The facts, with those about addresses if it is the first document of its kind and host. */
  manifest(facts: DocumentFacts): Promise<DocumentFacts> {
    return this.withAddresses(facts, 'manifest');
  }

  async app(facts: AppFacts): Promise<AppFacts> {
    const newest = newestArtifact(facts);
    const [metadata, icon, ...artifacts] = await Promise.all([
      this.withAddresses(facts.metadata, 'metadata'),
      this.withAddresses(facts.icon, 'icon'),
      ...facts.artifacts.map((one, index) => (index === newest ? this.withAddresses(one, 'artifact') : one)),
    ]);
    return { ...facts, metadata, icon, artifacts };
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client.close()));
  }

  private async withAddresses<Facts extends Resource>(facts: Facts, kind: ResourceKind): Promise<Facts> {
    const { web } = facts;
    if (isMissing(web) || this.isAborted()) return facts;
    const observed = await Promise.all(this.claim(web, kind).map((one) => this.observeHost(one, kind)));
    const addresses = observed.filter((one) => one !== null);
    // Requests that were aborted say nothing about an address.
    return addresses.length === 0 || this.isAborted() ? facts : { ...facts, web: { ...web, addresses } };
  }

  private isAborted(): boolean {
    return this.options.signal?.aborted === true;
  }

  /** The URLs on the way to a resource, as far as few enough of its kind were requested from their hosts. */
  private claim({ server }: HttpViews, kind: ResourceKind): Claimed[] {
    const outcome = isAnswered(server) ? 'answered' : 'failed';
    const most = MOST[kind];
    return server.hops.flatMap(({ url }): Claimed[] => {
      if (this.urls.has(`${kind} ${url}`)) return [];
      this.urls.add(`${kind} ${url}`);
      const key = `${outcome} ${kind} ${originOf(url)}`;
      const count = this.requested.get(key) ?? 0;
      this.requested.set(key, count + 1);
      if (count < most) return [{ url, isLeftOut: false }];
      return count === most && most > 1 ? [{ url, isLeftOut: true }] : [];
    });
  }

  /** @returns null if the host has one address, or none was found */
  private async observeHost({ url, isLeftOut }: Claimed, kind: ResourceKind): Promise<AddressFacts | Missing | null> {
    const host = hostnameOf(url);
    if (isIP(host) !== 0) return null;
    if (this.options.proxyFor?.(new URL(url))) return { missing: { code: 'addresses-proxied', host } };
    const all = await this.resolve(host);
    if (all.length < 2) return null;
    if (isLeftOut) return { missing: { code: 'addresses-sampled', host, resource: kind, compared: MOST[kind] } };
    const requested = all.slice(0, REQUESTED);
    const answers: AddressAnswer[] = requested.map(({ address }) => ({ address, samples: [] }));
    const facts: AddressFacts = { url, answers, leftOut: all.length - requested.length, families: publicFamilies() };
    await this.addSamples(facts, host, requested, kind);
    if (hasAddressDifferences(facts)) await this.addSamples(facts, host, requested, kind);
    return facts;
  }

  private async addSamples(
    { url, answers }: AddressFacts,
    host: string,
    addresses: readonly LookupAddress[],
    kind: ResourceKind,
  ): Promise<void> {
    await Promise.all(
      addresses.map(async (address, i) => {
        answers[i]?.samples.push(await this.sample(this.clientFor(host, address), url, kind));
      }),
    );
  }

  private async sample(client: HttpClient, url: string, kind: ResourceKind): Promise<AddressSample> {
    const { total = null } = this.options;
    const limits = typeof total === 'number' ? { small: total, artifact: total } : total;
    const request = {
      method: 'GET',
      url,
      accept: ACCEPT[kind],
      total: limits?.small ?? DEFAULT_TIMEOUTS.small,
    } as const;
    const isArtifact = kind === 'artifact';
    const { probe: server, content } = await fetchDecoded(client, {
      ...request,
      origin: null,
      ...(isArtifact ? { total: limits?.artifact ?? DEFAULT_TIMEOUTS.artifact } : {}),
    });
    if (statusOf(server) === 0) return { server, content, browser: null };
    const { page } = this;
    const asBrowser = {
      ...request,
      origin: page,
      shape: { page, mode: 'cors', destination: kind === 'icon' ? 'image' : 'empty' },
    } as const;
    if (isArtifact) {
      const shape = { ...asBrowser.shape, groups: UNCOMPRESSED };
      return {
        server,
        content,
        browser: await client.probe({ ...asBrowser, shape, headers: [['range', 'bytes=0-0']] }),
      };
    }
    const shape = { ...asBrowser.shape, groups: ALL_GROUPS };
    const { probe: browser, content: browserContent } = await fetchDecoded(client, { ...asBrowser, shape });
    const sample = { server, content, browser, browserContent };
    const applied = contentCodings(lastHop(browser)?.headers ?? []);
    if (!isAnswered(browser) || applied.length === 0 || applied.includes('gzip')) return sample;
    // Hosts keep a file for each coding.
    const { content: gzipContent } = await fetchDecoded(client, {
      ...asBrowser,
      shape: { ...shape, encoding: 'gzip' },
    });
    return { ...sample, gzipContent };
  }

  private resolve(host: string): Promise<LookupAddress[]> {
    let resolving = this.resolved.get(host);
    if (!resolving) this.resolved.set(host, (resolving = addressesOf(host, this.options.lookup ?? null)));
    return resolving;
  }

  private clientFor(host: string, address: LookupAddress): HttpClient {
    const key = `${host} ${address.address}`;
    let client = this.clients.get(key);
    if (!client) {
      const { options } = this;
      const connectTimeout = Math.min(options.connectTimeout ?? CONNECT_TIMEOUT, CONNECT_TIMEOUT);
      const lookup = lookupPinned(host, address, options.lookup ?? null);
      this.clients.set(key, (client = openHttpClient({ ...options, retries: 1, connectTimeout, lookup })));
    }
    return client;
  }
}

/** Requests a file, and digests its decoded body; null without a complete response that can be decoded. */
async function fetchDecoded(
  client: HttpClient,
  request: Parameters<HttpClient['probe']>[0],
): Promise<{ probe: Probe; content: SampleContent | null }> {
  const reader = perAttempt(({ headers }) => digestDecoded(contentCodings(headers)));
  const probe = await client.probe({ ...request, body: reader.body });
  const content = isAnswered(probe) ? ((await reader.last()?.end()) ?? null) : null;
  return { probe, content };
}

/** The index of the newest version of which an artifact was requested; -1 if none was. */
function newestArtifact({ metadata, artifacts }: AppFacts): number {
  const observed = (listedVersionsIn(metadata.content) ?? []).flatMap((item, index) => {
    const { version } = versionFields(item);
    const web = artifacts[index]?.web;
    const isObserved = web !== undefined && !isMissing(web);
    return isObserved && version !== null && isSemver(version) ? [{ version, index }] : [];
  });
  const newest = latestOf(observed.map(({ version }) => version));
  return observed.find(({ version }) => version === newest)?.index ?? -1;
}

/** Resolves one name to one of its addresses, and every other name as usual. */
function lookupPinned(name: string, pinned: LookupAddress, usual: LookupFunction | null): LookupFunction {
  const resolveName: LookupFunction = usual ?? lookUp;
  return (host, options, callback) => {
    if (host !== name) return resolveName(host, options, callback);
    if (options.all) callback(null, [pinned]);
    else callback(null, pinned.address, pinned.family);
  };
}

/** The families of this machine's addresses from which public ones may be reached. */
function publicFamilies(): (4 | 6)[] {
  const outer = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal }) => !internal),
  );
  const hasIpv4 = outer.some(({ family }) => family === 'IPv4');
  // Global unicast (RFC 4291): the others are for this network only.
  const hasIpv6 = outer.some(({ family, address }) => family === 'IPv6' && /^[23]/.test(address));
  return [...(hasIpv4 ? ([4] as const) : []), ...(hasIpv6 ? ([6] as const) : [])];
}

/** A URL whose host is requested at its addresses, unless enough files of its kind were. */
interface Claimed {
  url: string;
  isLeftOut: boolean;
}

interface DecodedContent extends BodyReader {
  /** The decoded body; null if it cannot be decoded. */
  end(): Promise<SampleContent | null>;
}

/** Digests a body without keeping it. @param applied the codings of the body */
function digestDecoded(applied: readonly string[]): DecodedContent {
  const digester = createDigester(COMPARED_BYTES);
  // An unknown coding is ignored, as browsers ignore it.
  const isDecoded = applied.length > 0 && unknownCodings(applied).length === 0;
  const decoder = isDecoded ? createDecoder(applied, COMPARED_BYTES, (chunk) => digester.write(chunk)) : null;
  return {
    limit: COMPARED_BYTES,
    over: 'cut',
    write: (chunk) => (decoder ?? digester).write(chunk),
    async end() {
      if (((await decoder?.end()) ?? null) !== null) return null;
      const { bytes, sha256, cut } = digester.end();
      return { bytes, sha256, cut };
    },
  };
}
