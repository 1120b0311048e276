import { describe, expect, test } from 'vitest';
import type { TlsOptions } from 'node:tls';
import { certificates, type Kind } from '../support/fault-certificates.ts';
import { CORS, type FaultHost, openFaultHost, redirect } from '../support/fault-host.ts';
import { faults, gzipped, putRegistry } from '../support/live-registry.ts';
import { openStage, patiently } from '../support/live-stage.ts';

/** Certificates and protocols: what a registry, or one of its resources, on such a host is told. */

const stage = openStage();

async function on<T>(tls: TlsOptions, work: (host: FaultHost) => Promise<T>): Promise<T> {
  const host = await openFaultHost({ tls });
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}

describe('the registry’s host', () => {
  test.each<[Kind, cause: string]>([
    ['expired', 'expired'],
    ['future', 'not-yet-valid'],
    ['wrong-host', 'wrong-host'],
    ['no-san', 'wrong-host'],
    ['self-signed', 'self-signed'],
    ['leaf-only', 'incomplete-chain'],
    ['client-only', 'wrong-purpose'],
  ])('a certificate that is %s', async (kind, cause) => {
    await on(certificates().get(kind), async (host) => {
      const { report } = await patiently(putRegistry(host).url);
      expect(faults(report)).toEqual([`error tls-untrusted ${cause} (manifest)`]);
      expect(host.requests).toEqual([]);
      expect(report.symptoms.find((s) => s.id === 'registry-does-not-refresh')?.status).toBe('confirmed');
    });
  });

  test.each<[Kind, cause: string]>([
    ['good', 'unknown-issuer'],
    ['with-root', 'unknown-issuer'],
  ])('a private authority that nobody gave (%s)', async (kind, cause) => {
    await on(certificates().get(kind), async (host) => {
      const { report } = await patiently(putRegistry(host).url, { ca: null });
      expect(faults(report)).toEqual([`error tls-untrusted ${cause} (manifest)`]);
    });
  });

  test('an old protocol alone', async () => {
    const tls: TlsOptions = {
      ...certificates().get('good'),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    };
    await on(tls, async (host) => {
      expect(faults((await patiently(putRegistry(host).url)).report)).toEqual([
        'error tls-untrusted old-protocol (manifest)',
      ]);
    });
  });

  test.each<Kind>(['no-san', 'uri-only'])('a name in the common name alone: %s', async (kind) => {
    await on(certificates().get(kind), async (host) => {
      const { report } = await patiently(putRegistry(host).url.replace('127.0.0.1', 'localhost'));
      expect(faults(report)).toEqual(['error tls-untrusted wrong-host (manifest)']);
      expect(report.findings[0]).toMatchObject({
        message:
          'The manifest cannot be fetched safely: the certificate has no subjectAltName for localhost, only the common name (CN) “localhost”.',
        advice: expect.stringContaining('subjectAltName = DNS:localhost'),
      });
    });
  });

  test('a client certificate is wanted', async () => {
    await on({ ...certificates().get('good'), requestCert: true, rejectUnauthorized: true }, async (host) => {
      expect(faults((await patiently(putRegistry(host).url)).report)).toEqual([
        'error tls-untrusted client-certificate-required (manifest)',
      ]);
    });
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s alone: nothing is wrong', async (version) => {
    await on({ ...certificates().get('good'), minVersion: version, maxVersion: version }, async (host) => {
      expect(faults((await patiently(putRegistry(host).url)).report)).toEqual([]);
    });
  });

  test('a certificate that ends soon is told once, with the days that are left', async () => {
    await on(certificates().get('soon'), async (host) => {
      const { report } = await patiently(putRegistry(host).url);
      expect(report.findings.filter((f) => f.rule === 'tls-expiring')).toMatchObject([
        { severity: 'warning', resource: 'manifest', evidence: { daysLeft: expect.any(Number) } },
      ]);
      expect(faults(report)).toEqual([]);
    });
  });
});

describe('other hosts', () => {
  test('an icon behind a redirect to a host that nobody trusts', async () => {
    await on(certificates().get('expired'), async (host) => {
      stage.live.serve('a.svg', redirect(`${host.origin}/a.svg`, 302, CORS));
      expect(faults((await patiently(stage.live.url)).report)).toEqual(['error tls-untrusted expired (icon)']);
    });
  });

  test('the same host by another name and another port: nothing is wrong', async () => {
    const { cdn, live } = stage;
    cdn.on('/2.tar.gz', gzipped(live.artifact));
    live.versions[0]!.artifactUrl = `https://localhost:${cdn.port}/2.tar.gz`;
    live.list();
    expect(faults((await patiently(live.url)).report)).toEqual([]);
  });

  test('a name in capital letters: no error', async () => {
    const { cdn, live } = stage;
    cdn.on('/1.tar.gz', gzipped(live.older));
    live.versions[1]!.artifactUrl = `https://LOCALHOST:${cdn.port}/1.tar.gz`;
    live.list();
    const { report } = await patiently(live.url);
    expect(report.findings.filter((f) => f.severity === 'error')).toEqual([]);
  });
});
