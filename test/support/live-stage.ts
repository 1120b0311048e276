import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Report } from '../../src/core/engine/report.ts';
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

/** Two hosts, and on the first of them a registry without a fault, anew for each test: what live tables break. */
export interface Stage {
  host: FaultHost;
  cdn: FaultHost;
  live: Live;
  /** The manifest as it is served. */
  manifest(): string;
  metadata(): string;
  /** The same files with other headers (one that is undefined is left out), or other bytes. */
  serveManifest(headers: Headers, body?: string | Uint8Array): void;
  serveMetadata(headers: Headers, body?: string | Uint8Array): void;
  serveArtifact(bytes: string | Uint8Array, headers?: Record<string, string>): void;
  serveIcon(bytes: string | Uint8Array, headers?: Headers): void;
}
type Headers = Record<string, string | undefined>;

export type Case = [name: string, breakIt: (stage: Stage) => void, expected: string[], options?: VerifiedOptions];

/** To be called once at the top of a test file. */
export function openStage(): Stage {
  const stage = {
    manifest: () =>
      JSON.stringify({
        apps: {
          'app-a': {
            name: 'App A',
            description: 'Does a thing.',
            blockStyle: { iconUrl: `${stage.host.origin}/a.svg`, color: '#336699' },
            appMetadataUrl: `${stage.host.origin}/a.json`,
          },
        },
      }),
    metadata: () => JSON.stringify({ versions: stage.live.versions }),
    serveManifest: (headers, body = stage.manifest()) => stage.live.serve('registry.json', whole(headers, body)),
    serveMetadata: (headers, body = stage.metadata()) => stage.live.serve('a.json', whole(headers, body)),
    serveArtifact: (bytes, headers) => stage.live.serve('2.tar.gz', gzipped(bytes, headers)),
    serveIcon: (bytes, headers = {}) =>
      stage.live.serve(
        'a.svg',
        byMethod({
          GET: answer({ headers: present({ 'Content-Type': 'image/svg+xml', ...CORS, ...headers }), body: bytes }),
        }),
      ),
  } as Stage;
  beforeAll(async () => {
    const tls = certificates().get('good');
    stage.host = await openFaultHost({ tls });
    stage.cdn = await openFaultHost({ tls });
  });
  afterAll(() => Promise.all([stage.host.close(), stage.cdn.close()]));
  beforeEach(() => {
    stage.live = putRegistry(stage.host);
    stage.host.requests.length = 0;
    stage.cdn.requests.length = 0;
  });
  return stage;
}

function whole(headers: Headers, body: string | Uint8Array): Behaviour {
  return byMethod({ GET: answer({ headers: present({ ...GOOD_JSON, ...headers }), body }) });
}

function present(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** Breaks it, looks, and compares errors and warnings. */
export async function check(
  stage: Stage,
  breakIt: (stage: Stage) => void,
  expected: readonly string[],
  options: VerifiedOptions = {},
): Promise<Report> {
  breakIt(stage);
  const { report } = await patiently(stage.live.url, options);
  expect(faults(report).sort()).toEqual([...expected].sort());
  expect(report.outcome).not.toBe('incomplete');
  return report;
}

/** With time for a machine that is busy: nothing here hangs. */
export function patiently(url: string, options: VerifiedOptions = {}): Promise<Verified> {
  return verified(url, { headersTimeout: 10_000, idleTimeout: 10_000, connectTimeout: 10_000, ...options });
}

/** Answers by what the request says. */
export function by(respond: (request: FaultRequest) => Behaviour): Behaviour {
  return (request, socket) => respond(request)(request, socket);
}
