import { describe, expect, test } from 'vitest';
import type { TlsOptions } from 'node:tls';
import { certificates, type Kind } from '../../support/fault-certificates.ts';
import { keyCertificates, type PlanName } from '../../support/key-certificates.ts';
import { CORS, type FaultHost, openFaultHost, redirect } from '../../support/fault-host.ts';
import { faults, gzipped, putRegistry } from '../../support/live-registry.ts';
import { liveFixture, verifyPatiently } from '../../support/live-fixture.ts';

/** Certificates and protocols of the host of a registry, or of one of its files. */

const fixture = liveFixture();

async function withHost<T>(tls: TlsOptions, work: (host: FaultHost) => Promise<T>): Promise<T> {
  const host = await openFaultHost({ tls });
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}

describe('the host of the registry', () => {
  test.each<{ certificate: Kind; cause: string }>([
    { certificate: 'expired', cause: 'expired' },
    { certificate: 'future', cause: 'not-yet-valid' },
    { certificate: 'wrong-host', cause: 'wrong-host' },
    { certificate: 'no-san', cause: 'wrong-host' },
    { certificate: 'self-signed', cause: 'self-signed' },
    { certificate: 'leaf-only', cause: 'incomplete-chain' },
    { certificate: 'client-only', cause: 'wrong-purpose' },
  ])('is reported for a certificate that is $certificate', async ({ certificate, cause }) => {
    await withHost(certificates().get(certificate), async (host) => {
      const { report } = await verifyPatiently(putRegistry(host).url);
      expect(faults(report)).toEqual([`error tls-untrusted ${cause} (manifest)`]);
      expect(host.requests).toEqual([]);
      expect(report.symptoms.find(({ id }) => id === 'registry-does-not-refresh')?.status).toBe('confirmed');
    });
  });

  test.each<Kind>(['good', 'with-root'])('is reported for an unknown private authority (%s)', async (certificate) => {
    await withHost(certificates().get(certificate), async (host) => {
      const { report } = await verifyPatiently(putRegistry(host).url, { ca: null });
      expect(faults(report)).toEqual(['error tls-untrusted unknown-issuer (manifest)']);
    });
  });

  test('is reported if it supports only an old protocol', async () => {
    const tls: TlsOptions = {
      ...certificates().get('good'),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    };
    await withHost(tls, async (host) => {
      expect(faults((await verifyPatiently(putRegistry(host).url)).report)).toEqual([
        'error tls-untrusted old-protocol (manifest)',
      ]);
    });
  });

  test.each<Kind>(['no-san', 'uri-only'])('is reported for a name only in the common name: %s', async (certificate) => {
    await withHost(certificates().get(certificate), async (host) => {
      const { report } = await verifyPatiently(putRegistry(host).url.replace('127.0.0.1', 'localhost'));
      expect(faults(report)).toEqual(['error tls-untrusted wrong-host (manifest)']);
      expect(report.findings[0]).toMatchObject({
        message:
          'The manifest cannot be fetched securely: the certificate has no subjectAltName for localhost, only the common name (CN) “localhost”.',
        advice: expect.stringContaining('subjectAltName = DNS:localhost'),
      });
    });
  });

  test('is reported if it requires a client certificate', async () => {
    await withHost({ ...certificates().get('good'), requestCert: true, rejectUnauthorized: true }, async (host) => {
      expect(faults((await verifyPatiently(putRegistry(host).url)).report)).toEqual([
        'error tls-untrusted client-certificate-required (manifest)',
      ]);
    });
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('has no findings if it supports only %s', async (version) => {
    await withHost({ ...certificates().get('good'), minVersion: version, maxVersion: version }, async (host) => {
      expect(faults((await verifyPatiently(putRegistry(host).url)).report)).toEqual([]);
    });
  });

  test.each<[PlanName, string | null]>([
    ['P-256', null],
    ['P-521', 'key'],
    ['Ed25519', 'key'],
    ['an authority with Ed25519', 'authority-key'],
    ['the key usage keyEncipherment', 'key-usage'],
  ])('is reported once if Chromium does not support its certificate: %s', async (name, cause) => {
    const made = keyCertificates();
    await withHost(made.get(name), async (host) => {
      const { report } = await verifyPatiently(putRegistry(host).url, { ca: made.ca });
      expect(faults(report)).toEqual(cause === null ? [] : [`warning tls-browser-unsupported ${cause} (manifest)`]);
      expect(report.symptoms.map(({ status }) => status)).toEqual(
        cause === null ? ['clear', 'clear', 'clear', 'clear'] : ['suspected', 'clear', 'suspected', 'suspected'],
      );
    });
  });

  test('is reported once for a certificate that expires soon, with the days left', async () => {
    await withHost(certificates().get('soon'), async (host) => {
      const { report } = await verifyPatiently(putRegistry(host).url);
      expect(report.findings.filter((f) => f.rule === 'tls-expiring')).toMatchObject([
        { severity: 'warning', resource: 'manifest', evidence: { daysLeft: expect.any(Number) } },
      ]);
      expect(faults(report)).toEqual([]);
    });
  });
});

describe('another host', () => {
  test('behind the redirect of an icon is reported if it is untrusted', async () => {
    await withHost(certificates().get('expired'), async (host) => {
      fixture.live.serve('a.svg', redirect(`${host.origin}/a.svg`, 302, CORS));
      expect(faults((await verifyPatiently(fixture.live.url)).report)).toEqual(['error tls-untrusted expired (icon)']);
    });
  });

  test('that is the same machine with another name and port has no findings', async () => {
    const { cdn, live } = fixture;
    cdn.on('/2.tar.gz', gzipped(live.artifact));
    live.versions[0]!.artifactUrl = `https://localhost:${cdn.port}/2.tar.gz`;
    live.list();
    expect(faults((await verifyPatiently(live.url)).report)).toEqual([]);
  });

  test('with a name in capital letters causes no error', async () => {
    const { cdn, live } = fixture;
    cdn.on('/1.tar.gz', gzipped(live.older));
    live.versions[1]!.artifactUrl = `https://LOCALHOST:${cdn.port}/1.tar.gz`;
    live.list();
    const { report } = await verifyPatiently(live.url);
    expect(report.findings.filter((f) => f.severity === 'error')).toEqual([]);
  });
});
