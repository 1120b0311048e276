import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { WebOptions } from '../../src/observe/registry/options.ts';
import type { Kind } from '../support/fault-certificates.ts';
import { write } from '../support/folders.ts';
import { archive, checksum, faults, ORIGIN, SVG, verified } from '../support/live-registry.ts';
import { type Program, programOf, startServer, type WebServer } from '../support/web-server.ts';

/** A registry without a fault as files, to be served by a real web server with the configuration under test. */

export const BYTES = {
  '1.0.0': archive('export const version = 1;'),
  '2.0.0': archive('export const version = 2;'),
};

export interface Case {
  name: string;
  /** Inside the server (nginx) or virtual host (Apache). */
  server: string;
  /** Around it. */
  global?: string;
  /** In place of the usual `listen` line. */
  listen?: string;
  /** Errors and warnings, in the form of `faults`; none by default. */
  expected?: string[];
  /** Notes that must be among the findings, by rule and cause. */
  notes?: string[];
  /** Requests are sent with the service's origin. */
  named?: boolean;
  /** Changes the files, or what is served where. */
  put?: (root: string, origin: string, second: number) => void;
  /** Requests before the check, as of an earlier visitor, which fill caches. */
  before?: (server: WebServer) => Promise<void> | void;
  tls?: Kind;
  /** A value for Authorization. */
  secret?: string;
  options?: WebOptions;
}

/** Writes the registry; `base` is where its files are fetched from. */
export function putSite(root: string, base: string): void {
  const versions = Object.entries(BYTES).map(([version, bytes]) => ({
    version,
    artifactUrl: `${base}/apps/app-a/versions/${version}.tar.gz`,
    artifactChecksum: checksum(bytes),
  }));
  write(root, {
    'registry.json': {
      apps: {
        'app-a': {
          name: 'App A',
          description: 'Does a thing.',
          blockStyle: { iconUrl: `${base}/apps/app-a/icon.svg`, color: '#336699' },
          appMetadataUrl: `${base}/apps/app-a/versions.json`,
        },
      },
    },
    'index.html': '<!doctype html><html><head><title>Our site</title></head><body>Hello</body></html>\n',
    'apps/app-a/icon.svg': SVG,
    'apps/app-a/versions.json': { versions },
  });
  for (const [version, bytes] of Object.entries(BYTES))
    write(root, { [`apps/app-a/versions/${version}.tar.gz`]: bytes });
  chmodSync(root, 0o755);
}

/** A finding's short form at each of these resources. */
export function forResources(what: string, ...resources: string[]): string[] {
  return resources.map((resource) => `${what} (${resource})`);
}

/** At one of each kind: of the artifacts, the first one of a host is requested as a browser requests it. */
export function forAllResources(what: string): string[] {
  return forResources(what, 'manifest', 'metadata', 'icon', 'artifact 1.0.0');
}

/** One test per configuration, skipped with a message if the server is not installed; in CI that is a failure. */
export function serverCases(
  program: Program,
  title: string,
  frame: (one: Case) => string,
  cases: readonly Case[],
): void {
  const missing = programOf(program) === null;
  if (missing && process.env['CI']) {
    test(`${program} is installed`, () => expect(`${program} is missing`).toBe(''));
    return;
  }
  describe.skipIf(missing)(missing ? `${title} (skipped: ${program} is not installed)` : title, () => {
    test.each(cases)('$name', async (one) => {
      const server = await startServer(
        program,
        frame(one),
        (root, origin, second) => {
          putSite(root, origin);
          one.put?.(root, origin, second);
        },
        { tls: one.tls ?? 'good' },
      );
      try {
        await one.before?.(server);
        const { report } = await verified(`${server.origin}/registry.json`, {
          ...(one.named ? { origins: [ORIGIN] } : {}),
          headersTimeout: 5000,
          idleTimeout: 5000,
          ...(one.secret ? { secrets: { origin: server.origin, headers: [['authorization', one.secret]] } } : {}),
          ...one.options,
        });
        expect(faults(report).sort()).toEqual([...(one.expected ?? [])].sort());
        const notes = report.findings.filter((f) => f.severity === 'note').map((f) => `${f.rule} ${f.cause}`);
        if (one.notes) expect(notes).toEqual(expect.arrayContaining(one.notes));
        expect(report.notJudged.filter((n) => /defect|threw/.test(n.reason))).toEqual([]);
      } finally {
        await server.close();
      }
    });
  });
}
