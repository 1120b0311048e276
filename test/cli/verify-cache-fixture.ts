import type { IncomingHttpHeaders } from 'node:http';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import type { Report } from '../../src/core/findings/report.ts';
import type { CommandRun } from '../support/cli-runs.ts';
import { type FaultHost, tagged } from '../support/fault-host.ts';
import { SVG } from '../support/live-registry.ts';
import { type VerifyFixture, verifyFixture } from './verify-fixture.ts';

/** A registry whose files have ETags, and `verify --cache`. */
export interface CacheFixture {
  fixture: VerifyFixture;
  /** The manifest as it is served, with more apps. */
  manifest(more?: object): object;
  /** A run with the cache, and the paths that it requested, marked if each request had a condition. */
  cached(options?: object, env?: NodeJS.ProcessEnv): Promise<CommandRun & { requested: string[] }>;
  /** The paths that were requested by a method; of preflights those for GET. */
  views(method: string): string[];
  /** The files of the cache. */
  files(): string[];
}

/** To be called once at the top of a test file. */
export function cacheFixture(): CacheFixture {
  const fixture = verifyFixture();
  const manifest = (more: object = {}): object => manifestOf(fixture.host.origin, more);
  beforeEach(() => {
    const { live } = fixture;
    const listVersions = live.list;
    live.list = () => {
      listVersions();
      live.serve('a.json', tagged(JSON.stringify({ versions: live.versions })));
    };
    live.list();
    live.serve('registry.json', tagged(JSON.stringify(manifest())));
    live.serve('a.svg', tagged(SVG, { 'Content-Type': 'image/svg+xml' }));
    fixture.host.requests.length = 0;
  });
  return {
    fixture,
    manifest,
    async cached(options = {}, env = {}) {
      fixture.host.requests.length = 0;
      const ran = await fixture.runs.verify(fixture.live.url, { cache: 'cache', ...options }, { format: 'json' }, env);
      return { ...ran, requested: requested(fixture.host) };
    },
    views: (method) => fixture.host.requests.filter((r) => r.method === method && !isForHead(r)).map((r) => r.path),
    files: () =>
      readdirSync(join(fixture.folder, 'cache'), { recursive: true, encoding: 'utf8' })
        .map((name) => join(fixture.folder, 'cache', name))
        .filter((path) => statSync(path).isFile()),
  };
}

function manifestOf(origin: string, more: object): object {
  return {
    apps: {
      'app-a': {
        name: 'App A',
        description: 'Does a thing.',
        blockStyle: { iconUrl: `${origin}/a.svg`, color: '#336699' },
        appMetadataUrl: `${origin}/a.json`,
      },
      ...more,
    },
  };
}

function requested({ requests }: FaultHost): string[] {
  // Requests as a page sends them, with Origin or for a plain <img>, are another view.
  const gets = requests.filter(
    (r) => r.method === 'GET' && r.headers['origin'] === undefined && r.headers['sec-fetch-mode'] === undefined,
  );
  const plain = new Set(gets.filter((r) => r.headers['if-none-match'] === undefined).map((r) => r.path));
  return [...new Set(gets.map((r) => (plain.has(r.path) ? r.path : `${r.path} if changed`)))].toSorted();
}

const isForHead = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  headers['access-control-request-method'] === 'HEAD';

export const REVALIDATED = ['/a.json if changed', '/a.svg if changed', '/registry.json if changed'];

/** The parts of a report that are the same in a first run and a cached one. */
export const comparable = (report: Report): unknown => ({
  findings: report.findings,
  apps: report.apps,
  symptoms: report.symptoms,
  summary: { ...report.summary, seconds: 0, notJudged: 0 },
});
