import type { ChainCertificate, HttpViews } from '../../../../src/core/facts/facts.ts';
import { tlsBrowserUnsupported } from '../../../../src/core/rules/http/tls-browser-unsupported.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe, tls, web } from '../../../support/probes.ts';

const certificate = (more: Partial<ChainCertificate> = {}): ChainCertificate => ({
  subject: 'CN=apps.example.com',
  key: 'ec prime256v1',
  signature: 'sha256WithRSA',
  keyUsage: ['digitalSignature'],
  ...more,
});
const AUTHORITY = certificate({ subject: 'CN=Example R3', key: 'rsa 2048', keyUsage: ['keyCertSign'] });
const ROOT = certificate({ subject: 'CN=Example Root', key: 'rsa 4096', signature: null, keyUsage: ['keyCertSign'] });

function facts(
  own: Partial<ChainCertificate>,
  authority: Partial<ChainCertificate> = {},
): { resource: 'icon'; web: HttpViews } {
  const certificates = [certificate(own), { ...AUTHORITY, ...authority }, ROOT];
  return { resource: 'icon', web: web(probe(hop({}, { tls: tls({ certificates }) }))) };
}

/** The response of apps.example.com, whose certificate has these names. */
const named = (...names: string[]): { resource: 'icon'; web: HttpViews } => ({
  resource: 'icon',
  web: web(probe(hop({}, { tls: tls({ certificates: [certificate(), AUTHORITY, ROOT], names }) }))),
});

ruleTable(tlsBrowserUnsupported, {
  clean: [
    ['no key usage', facts({ keyUsage: null })],
    ...['ec prime256v1', 'ec secp384r1', 'rsa 2048', 'rsa 3072', 'rsa 8192', 'rsa 2040'].map(
      (key) => [key, facts({ key })] as const,
    ),
    ...['ec secp384r1', 'ec secp521r1', 'rsa 4096'].map(
      (key) => [`an authority with ${key}`, facts({}, { key })] as const,
    ),
    ...['sha384WithECDSA', 'sha512WithRSA', 'sha256WithRSAPSS'].map(
      (signature) => [signature, facts({ signature })] as const,
    ),
    ['the name of the host', named('apps.example.com')],
    ['a wildcard as a whole label', named('*.example.com')],
    ['a wildcard in a part of a label beside the name', named('ap*.example.com', 'Apps.Example.com')],
    ['a wildcard in a part of a label of another domain', named('ap*.example.org')],
    ['no TLS', { resource: 'manifest', web: web() }],
    ['facts of an earlier version', { resource: 'icon', web: web(probe(hop({}, { tls: tls() }))) }],
    ['an artifact', { ...facts({ key: 'ed25519' }), resource: 'artifact' }],
  ],
  faulty: [
    ...['ap*.example.com', '*ps.example.com', 'a*s.example.com'].map(
      (name) =>
        [`the name ${name}`, named('other.test', name), { cause: 'name', message: `only with “${name}”` }] as const,
    ),
    [
      'P-521',
      facts({ key: 'ec secp521r1' }),
      {
        cause: 'key',
        message:
          'The certificate of apps.example.com has a key of the type ECDSA P-521, which Chromium does not support.',
        advice: 'P-256 or P-384, or RSA',
        dedupeKey: 'apps.example.com',
      },
    ],
    ['Ed25519', facts({ key: 'ed25519' }), { cause: 'key', message: 'the type Ed25519,' }],
    ['Ed448', facts({ key: 'ed448' }), { cause: 'key', message: 'the type Ed448,' }],
    ['RSA-PSS', facts({ key: 'rsa-pss 2048' }), { cause: 'key', message: 'the type RSA-PSS with 2048 bits,' }],
    ['RSA with 512 bits', facts({ key: 'rsa 512' }), { cause: 'key' }],
    ['another curve', facts({ key: 'ec brainpoolP256r1' }), { cause: 'key', message: 'ECDSA brainpoolP256r1' }],
    [
      'an authority with Ed25519, whose signature is no second fault',
      facts({ signature: 'ed25519' }, { key: 'ed25519' }),
      {
        cause: 'authority-key',
        message: 'the certificate “Example R3” in the chain of apps.example.com'.replace('the', 'The'),
      },
    ],
    ['SHA-224', facts({ signature: 'sha224WithRSA' }), { cause: 'signature', message: 'sha224WithRSA' }],
    ['unusual parameters of RSASSA-PSS', facts({ signature: 'rsaPss' }), { cause: 'signature' }],
    [
      'a signature of an authority',
      facts({}, { signature: 'sha1WithRSA' }),
      { cause: 'signature', message: 'Example R3' },
    ],
    ['a key usage', facts({ keyUsage: ['keyEncipherment'] }), { cause: 'key-usage', message: 'keyEncipherment' }],
    ['two faults', facts({ key: 'ed25519', signature: 'sha224WithRSA' }), [{ cause: 'key' }, { cause: 'signature' }]],
  ],
});
