import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Certificates that Node trusts, with different keys, signatures and key usages, made by openssl. */

/** Arguments of `openssl genpkey`, by the kind of key. */
const KEYS = {
  p256: '-algorithm EC -pkeyopt ec_paramgen_curve:P-256',
  p384: '-algorithm EC -pkeyopt ec_paramgen_curve:P-384',
  p521: '-algorithm EC -pkeyopt ec_paramgen_curve:P-521',
  p224: '-algorithm EC -pkeyopt ec_paramgen_curve:P-224',
  k256: '-algorithm EC -pkeyopt ec_paramgen_curve:secp256k1',
  ed25519: '-algorithm ED25519',
  ed448: '-algorithm ED448',
  rsa: '-algorithm RSA -pkeyopt rsa_keygen_bits:2048',
  'rsa-pss': '-algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048',
} as const;
type KeyKind = keyof typeof KEYS;

interface Plan {
  /** The host's key; P-256 by default. */
  key?: KeyKind;
  /** The key of an intermediate authority; absent for none. */
  authority?: KeyKind;
  /** Options of the signature on the host's certificate. */
  signature?: string;
  keyUsage?: string;
}

const PSS = '-sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen';

export const PLANS = {
  'P-256': {},
  'P-384': { key: 'p384' },
  RSA: { key: 'rsa' },
  'P-521': { key: 'p521' },
  Ed25519: { key: 'ed25519' },
  Ed448: { key: 'ed448' },
  'RSA-PSS': { key: 'rsa-pss' },
  'an authority with RSA': { authority: 'rsa' },
  'an authority with P-521': { authority: 'p521' },
  'an authority with P-224': { authority: 'p224' },
  'an authority with secp256k1': { authority: 'k256' },
  'an authority with Ed25519': { authority: 'ed25519' },
  'an authority with Ed448': { authority: 'ed448' },
  'SHA-384': { signature: '-sha384' },
  'SHA-512': { signature: '-sha512' },
  'SHA-224': { signature: '-sha224' },
  'SHA-224 with RSA': { authority: 'rsa', signature: '-sha224' },
  'RSASSA-PSS': { authority: 'rsa', signature: `${PSS}:32` },
  'RSASSA-PSS with a short salt': { authority: 'rsa', signature: `${PSS}:20` },
  'the key usage digitalSignature': { keyUsage: 'digitalSignature' },
  'the key usage keyEncipherment': { key: 'rsa', keyUsage: 'keyEncipherment' },
} as const satisfies Record<string, Plan>;
export type PlanName = keyof typeof PLANS;

const AUTHORITY = 'basicConstraints = critical,CA:TRUE\nkeyUsage = critical,keyCertSign,cRLSign\n';
const HOST = 'subjectAltName = DNS:localhost,IP:127.0.0.1\nextendedKeyUsage = serverAuth\n';

export interface KeyCertificates {
  /** PEM of the authority. */
  ca: string;
  /** Key and chain of the host, its own certificate first. */
  get(name: PlanName): { key: string; cert: string };
}

export function keyCertificates(): KeyCertificates {
  const folder = mkdtempSync(join(tmpdir(), 'appreg-test-keys-'));
  const run = (command: string, ...more: string[]): void =>
    void execFileSync('openssl', [...command.split(' '), ...more], { cwd: folder, stdio: 'pipe' });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  let number = 0;

  /** Makes a key and a certificate for it, signed by another one; returns the name of both files. */
  function issue(subject: string, key: KeyKind, by: string | null, extensions: string, signature: string): string {
    number += 1;
    const name = `c${number}`;
    run(`genpkey ${KEYS[key]} -out ${name}.key`);
    writeFileSync(join(folder, `${name}.cnf`), `[wanted]\n${extensions}`);
    run(`req -new -key ${name}.key -out ${name}.csr -subj`, `/CN=${subject}`);
    const signer = by === null ? `-signkey ${name}.key` : `-CA ${by}.pem -CAkey ${by}.key`;
    const validity = `-set_serial ${1000 + number} -days 90 -extfile ${name}.cnf -extensions wanted`;
    run(`x509 -req -in ${name}.csr ${signer} ${validity} ${signature} -out ${name}.pem`.replace(/ +/g, ' '));
    return name;
  }

  const root = issue('Test Root of Keys', 'p256', null, AUTHORITY, '-sha256');
  return {
    ca: read(`${root}.pem`),
    get(plan) {
      const { key = 'p256', authority, signature, keyUsage }: Plan = PLANS[plan];
      const above = authority === undefined ? null : issue('Test Intermediate', authority, root, AUTHORITY, '-sha256');
      const extensions = keyUsage === undefined ? HOST : `${HOST}keyUsage = critical,${keyUsage}\n`;
      const isEdwards = authority?.startsWith('ed') === true;
      const own = issue('localhost', key, above ?? root, extensions, signature ?? (isEdwards ? '' : '-sha256'));
      return { key: read(`${own}.key`), cert: read(`${own}.pem`) + (above === null ? '' : read(`${above}.pem`)) };
    },
  };
}
