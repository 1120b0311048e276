import { describe, expect, test } from 'vitest';
import { openHttpClient } from '../../../src/observe/http/client.ts';
import { certificates } from '../../support/fault-certificates.ts';
import { answer, byMethod, json, openFaultHost } from '../../support/fault-host.ts';
import { checkCase, liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import { archive, checksum, faults } from '../../support/live-registry.ts';

/** A fault of a host is one finding, regardless of the number of files that it affects. */

const fixture = liveFixture();

/** Serves a manifest of four apps whose metadata is on another host. */
const serveFourApps = (base: string): void => {
  const apps: Record<string, unknown> = {};
  for (const key of ['one', 'two', 'three', 'four']) {
    apps[key] = {
      name: key,
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${fixture.host.origin}/a.svg`, color: '#336699' },
      appMetadataUrl: `${base}/${key}.json`,
    };
    const good = json(fixture.metadata());
    fixture.cdn.on(`/${key}.json`, byMethod({ GET: good, HEAD: good }));
  }
  fixture.live.serve('registry.json', json({ apps }));
};

describe('a host', () => {
  test.each<[kind: 'expired' | 'wrong-host' | 'leaf-only', cause: string]>([
    ['expired', 'expired'],
    ['wrong-host', 'wrong-host'],
    ['leaf-only', 'incomplete-chain'],
  ])('with a certificate that is %s is one error per artifact', async (kind, cause) => {
    const bad = await openFaultHost({ tls: certificates().get(kind) });
    fixture.live.versions[0]!.artifactUrl = `${bad.origin}/2.tar.gz`;
    fixture.live.list();
    await checkCase(fixture, { serve: () => {}, expect: [`error tls-untrusted ${cause} (artifact 2.0.0)`] });
    expect(bad.requests).toEqual([]);
    await bad.close();
  });

  test('that refuses connections is not requested for each of its files', async () => {
    const gone = await openFaultHost();
    await gone.close();
    fixture.live.versions = Array.from({ length: 40 }, (_, i) => ({
      version: `1.0.${i}`,
      artifactUrl: `https://127.0.0.1:${gone.port}/${i}.tar.gz`,
      artifactChecksum: checksum(archive(String(i))),
    }));
    fixture.live.list();
    const { report, apps } = await verifyPatiently(fixture.live.url, { concurrency: 2 });
    expect(faults(report)).toEqual(['error unreachable refused (artifact 1.0.0)']);
    expect(report.findings.find((f) => f.severity === 'error')?.evidence).toMatchObject({ alsoHit: 39 });
    const tries = apps[0]!.artifacts.map((artifact) => ('server' in artifact.web ? artifact.web.server.attempts : 0));
    expect(tries.filter((n) => n > 1).length).toBeLessThan(6);
  });

  describe('with a fault that affects many apps is one error', () => {
    test('if the metadata host refuses connections', async () => {
      const gone = await openFaultHost({ tls: certificates().get('good') });
      await gone.close();
      serveFourApps(gone.origin);
      const { report } = await verifyPatiently(fixture.live.url);
      expect(faults(report)).toEqual(['error unreachable refused (metadata)']);
      expect(report.apps.map((a) => `${a.visible} ${a.because.join(' ')}`)).toEqual(Array(4).fill('false unreachable'));
      expect(report.findings.find((f) => f.severity === 'error')).toMatchObject({
        app: 'one',
        evidence: { alsoHit: 3, alsoApps: ['two', 'three', 'four'] },
      });
    });

    test('if the metadata host has an expired certificate', async () => {
      const expired = await openFaultHost({ tls: certificates().get('expired') });
      serveFourApps(expired.origin);
      const { report } = await verifyPatiently(fixture.live.url);
      expect(faults(report)).toEqual(['error tls-untrusted expired (metadata)']);
      expect(report.apps.every((a) => a.visible === false)).toBe(true);
      await expired.close();
    });

    test('if the metadata host sends no CORS header', async () => {
      serveFourApps(fixture.cdn.origin);
      for (const key of ['one', 'two', 'three', 'four'])
        fixture.cdn.on(
          `/${key}.json`,
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=300' },
              body: fixture.metadata(),
            }),
          }),
        );
      const { report } = await verifyPatiently(fixture.live.url);
      expect(faults(report)).toEqual(['error cors-missing absent (metadata)']);
      expect(report.apps.every((a) => a.visible === true)).toBe(true);
    });
  });

  test('with an IPv6 address is reachable', async () => {
    const six = await openFaultHost({ host: '::1' });
    six.on('/x', answer({ body: 'ok' }));
    const http = openHttpClient();
    const seen = await http.probe({
      method: 'GET',
      url: `http://[::1]:${six.port}/x`,
      origin: null,
      accept: '*/*',
      total: 20_000,
    });
    expect(seen).toMatchObject({ failure: null, hops: [{ status: 200, address: '::1' }] });
    await http.close();
    await six.close();
  });
});
