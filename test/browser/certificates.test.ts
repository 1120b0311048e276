// Scenario: every kind of certificate is judged by a browser too.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Browser } from 'playwright-core';
import { type KeyCertificates, keyCertificates, type PlanName, PLANS } from '../support/key-certificates.ts';
import { openFaultHost } from '../support/fault-host.ts';
import { verifyPatiently } from '../support/live-fixture.ts';
import { putRegistry } from '../support/live-registry.ts';
import { describeInChromium, launch } from './chromium.ts';

/** Findings about keys and signatures of certificates, compared with a real browser. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** The causes of the certificates that the browser does not use; it uses all others. */
const REFUSED: Partial<Record<PlanName, string>> = {
  'P-521': 'key',
  Ed25519: 'key',
  Ed448: 'key',
  'RSA-PSS': 'key',
  'an authority with P-224': 'authority-key',
  'an authority with secp256k1': 'authority-key',
  'an authority with Ed25519': 'authority-key',
  'an authority with Ed448': 'authority-key',
  'SHA-224': 'signature',
  'SHA-224 with RSA': 'signature',
  'RSASSA-PSS with a short salt': 'signature',
  'the key usage keyEncipherment': 'key-usage',
};

describeInChromium('the verdict about certificates that Node trusts and a browser', () => {
  let browser: Browser;
  let made: KeyCertificates;
  beforeAll(async () => {
    made = keyCertificates();
    browser = await launch([], made.ca);
  });
  afterAll(() => browser?.close());

  test.each(Object.keys(PLANS) as PlanName[])('agree on %s', async (name) => {
    const host = await openFaultHost({ tls: made.get(name) });
    try {
      const { report } = await verifyPatiently(putRegistry(host).url, { ca: made.ca });
      const found = report.findings.filter(({ severity }) => severity !== 'note');
      const expected = REFUSED[name];
      expect(found.map(({ severity, rule, cause, resource }) => ({ severity, rule, cause, resource }))).toEqual(
        expected === undefined
          ? []
          : [{ severity: 'warning', rule: 'tls-browser-unsupported', cause: expected, resource: 'manifest' }],
      );
      const page = await browser.newPage();
      const isShown = await page.goto(`${host.origin}/registry.json`).then(
        () => true,
        (error: unknown) => !/net::ERR_(SSL|CERT)_/.test(String(error)),
      );
      await page.close();
      expect(isShown).toBe(expected === undefined);
    } finally {
      await host.close();
    }
  });
});
