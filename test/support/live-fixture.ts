import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Report } from '../../src/core/findings/report.ts';
import { certificates } from './fault-certificates.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultHost,
  type FaultRequest,
  GOOD_JSON,
  openFaultHost,
} from './fault-host.ts';
import {
  faults,
  gzipped,
  type Live,
  putRegistry,
  type Verified,
  verified,
  type VerifiedOptions,
} from './live-registry.ts';

/** Two hosts. Before each test, the first one serves a correct registry, which a case then changes in one place. */
export interface LiveFixture {
  host: FaultHost;
  cdn: FaultHost;
  live: Live;
  /** The manifest as it is served. */
  manifest(): string;
  metadata(): string;
  /** Serve the file with other headers (undefined removes one), or with another body. */
  serveManifest(headers: Headers, body?: string | Uint8Array): void;
  serveMetadata(headers: Headers, body?: string | Uint8Array): void;
  serveArtifact(bytes: string | Uint8Array, headers?: Record<string, string>): void;
  serveIcon(bytes: string | Uint8Array, headers?: Headers): void;
}
/** A file of the registry. */
export type LivePath = Parameters<Live['serve']>[0];
type Headers = Record<string, string | undefined>;

export interface LiveCase {
  name: string;
  /** Replaces what the hosts serve. */
  serve: () => void;
  /** Errors and warnings, as `faults` writes them. */
  expect: string[];
  options?: VerifiedOptions;
}

/** To be called once at the top of a test file. */
export function liveFixture(): LiveFixture {
  const fixture = {
    manifest: () =>
      JSON.stringify({
        apps: {
          'app-a': {
            name: 'App A',
            description: 'Does a thing.',
            blockStyle: { iconUrl: `${fixture.host.origin}/a.svg`, color: '#336699' },
            appMetadataUrl: `${fixture.host.origin}/a.json`,
          },
        },
      }),
    metadata: () => JSON.stringify({ versions: fixture.live.versions }),
    serveManifest: (headers, body = fixture.manifest()) => fixture.live.serve('registry.json', whole(headers, body)),
    serveMetadata: (headers, body = fixture.metadata()) => fixture.live.serve('a.json', whole(headers, body)),
    serveArtifact: (bytes, headers) => fixture.live.serve('2.tar.gz', gzipped(bytes, headers)),
    serveIcon: (bytes, headers = {}) =>
      fixture.live.serve(
        'a.svg',
        byMethod({
          GET: answer({ headers: present({ 'Content-Type': 'image/svg+xml', ...CORS, ...headers }), body: bytes }),
        }),
      ),
  } as LiveFixture;
  beforeAll(async () => {
    const tls = certificates().get('good');
    fixture.host = await openFaultHost({ tls });
    fixture.cdn = await openFaultHost({ tls });
  });
  afterAll(() => Promise.all([fixture.host.close(), fixture.cdn.close()]));
  beforeEach(() => {
    fixture.live = putRegistry(fixture.host);
    fixture.host.requests.length = 0;
    fixture.cdn.requests.length = 0;
  });
  return fixture;
}

function whole(headers: Headers, body: string | Uint8Array): Behaviour {
  return byMethod({ GET: answer({ headers: present({ ...GOOD_JSON, ...headers }), body }) });
}

function present(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** Serves the case, verifies the registry, and compares errors and warnings. */
export async function checkCase(
  fixture: LiveFixture,
  { serve, expect: expected, options }: Omit<LiveCase, 'name'>,
): Promise<Report> {
  serve();
  const { report } = await verifyPatiently(fixture.live.url, options);
  expect(faults(report).sort()).toEqual([...expected].sort());
  expect(report.outcome).not.toBe('incomplete');
  return report;
}

/** One test for each case. */
export function checkCases(fixture: LiveFixture, cases: readonly LiveCase[]): void {
  for (const { name, ...rest } of cases)
    test(name, async () => {
      await checkCase(fixture, rest);
    });
}

/** With timeouts long enough for a busy machine: no host in these tests hangs. */
export function verifyPatiently(url: string, options: VerifiedOptions = {}): Promise<Verified> {
  return verified(url, { headersTimeout: 10_000, idleTimeout: 10_000, connectTimeout: 10_000, ...options });
}

/** Responds depending on the request. */
export function byRequest(respond: (request: FaultRequest) => Behaviour): Behaviour {
  return (request, socket) => respond(request)(request, socket);
}

/** Responds depending on the Origin header. */
export function byOrigin(respond: (origin: string | undefined, request: FaultRequest) => Behaviour): Behaviour {
  return byRequest((request) => respond(request.headers['origin'], request));
}
