import { describe, expect, test } from 'vitest';
import { write } from '../support/folders.ts';
import { archive, checksum, faults, SVG, verified } from '../support/live-registry.ts';
import { programOf, startServer } from '../support/web-server.ts';
import { GOOD, nginx } from './nginx-frame.ts';

/** A registry without a fault behind the rate limits of nginx: the requests of a check are never its fault. */

/** Writes a registry of `count` apps. */
function putApps(root: string, base: string, count: number): void {
  const entries = Array.from({ length: count }, (_, i) => {
    const key = `app-${i}`;
    const bytes = archive(`export const key = '${key}';`);
    const versions = [
      { version: '1.0.0', artifactUrl: `${base}/${key}/1.0.0.tar.gz`, artifactChecksum: checksum(bytes) },
    ];
    write(root, { [`${key}/icon.svg`]: SVG, [`${key}/versions.json`]: { versions }, [`${key}/1.0.0.tar.gz`]: bytes });
    const app = {
      name: key,
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${base}/${key}/icon.svg`, color: '#336699' },
      appMetadataUrl: `${base}/${key}/versions.json`,
    };
    return [key, app] as const;
  });
  write(root, { 'registry.json': { apps: Object.fromEntries(entries) } });
}

const missing = programOf('nginx') === null;

describe.skipIf(missing && !process.env['CI'])('a rate limit of nginx', () => {
  test.each([
    ['10 requests a second', 'rate=10r/s', 'limit_req zone=all;', 4],
    ['5 requests a second', 'rate=5r/s', 'limit_req zone=all;', 3],
    ['5 requests a second (429)', 'rate=5r/s', 'limit_req zone=all; limit_req_status 429;', 3],
    ['10 requests a second, bursts of 5', 'rate=10r/s', 'limit_req zone=all burst=5;', 8],
    ['10 requests a second, bursts of 20 at once', 'rate=10r/s', 'limit_req zone=all burst=20 nodelay;', 8],
  ])(
    'of %s hides no app, and is no error',
    async (_, rate, limit, apps) => {
      const global = `limit_req_zone $server_name zone=all:1m ${rate}; limit_req_log_level info;`;
      const server = await startServer(
        'nginx',
        nginx({ name: '', global, server: `${limit} ${GOOD}` }),
        (root, origin) => putApps(root, origin, apps),
      );
      try {
        const { report } = await verified(`${server.origin}/registry.json`, {
          // As without a test.
          backoff: (attempt) => 400 * 2 ** attempt,
          connectTimeout: 20_000,
          headersTimeout: 20_000,
          total: 20_000,
        });
        const { findings, notJudged } = report;
        expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
        expect(notJudged.filter(({ reason }) => /refused|requests/.test(reason))).toEqual([]);
        expect(report.apps.map(({ visible }) => visible)).toEqual(report.apps.map(() => true));
        expect(faults(report).filter((line) => !line.startsWith('warning host-limits-requests'))).toEqual([]);
      } finally {
        await server.close();
      }
    },
    120_000,
  );
});
