import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { madeDaily } from './folders.ts';

/** Certificates with one defect each, made by openssl once a day and stored in the temporary folder. */

export interface Certificates {
  /** PEM of the authority. */
  ca: string;
  /** Key and chain (leaf first) of a kind. */
  get(kind: Kind): { key: string; cert: string };
}
const KINDS = [
  'good',
  'expired',
  'future',
  'wrong-host',
  'no-san',
  'uri-only',
  'self-signed',
  'leaf-only',
  'with-root',
  'client-only',
  'soon',
  'names',
] as const;
export type Kind = (typeof KINDS)[number];

export function certificates(): Certificates {
  const folder = madeDaily('certificates', make);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { ca: read('root.pem'), get: (kind) => ({ key: read('leaf.key'), cert: read(`${kind}.chain.pem`) }) };
}

function make(folder: string): void {
  const run = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  mkdirSync(join(folder, 'new'));
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(join(folder, 'serial'), '01\n');
  writeFileSync(join(folder, 'ca.cnf'), CONFIG);
  run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'root.key');
  run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'mid.key');
  run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'leaf.key');
  run(
    'req',
    '-x509',
    '-new',
    '-key',
    'root.key',
    '-subj',
    '/CN=Test Root',
    '-days',
    '3650',
    '-config',
    'ca.cnf',
    '-extensions',
    'authority',
    '-out',
    'root.pem',
  );
  run('req', '-new', '-key', 'mid.key', '-subj', '/CN=Test Intermediate', '-config', 'ca.cnf', '-out', 'mid.csr');
  const sign = (name: string, extensions: string, start: string, end: string, by: 'root' | 'mid' = 'mid'): void =>
    run(
      'ca',
      '-batch',
      '-notext',
      '-config',
      'ca.cnf',
      '-cert',
      `${by}.pem`,
      '-keyfile',
      `${by}.key`,
      '-extensions',
      extensions,
      '-startdate',
      start,
      '-enddate',
      end,
      '-in',
      `${name}.csr`,
      '-out',
      `${name}.pem`,
    );
  sign('mid', 'authority', '20200101000000Z', '20450101000000Z', 'root');
  const past = '20200101000000Z';
  const late = '20450101000000Z';
  const plan: [kind: Kind, extensions: string, start: string, end: string][] = [
    ['good', 'leaf', past, late],
    ['expired', 'leaf', past, '20210101000000Z'],
    ['future', 'leaf', '20400101000000Z', late],
    ['wrong-host', 'other', past, late],
    ['no-san', 'nosan', past, late],
    ['uri-only', 'uri', past, late],
    ['client-only', 'client', past, late],
    ['soon', 'leaf', past, moment(7)],
    ['names', 'names', past, late],
  ];
  const read = (name: string): string => readFileSync(join(folder, `${name}.pem`), 'utf8');
  for (const [kind, extensions, start, end] of plan) {
    run('req', '-new', '-key', 'leaf.key', '-subj', '/CN=localhost', '-config', 'ca.cnf', '-out', `${kind}.csr`);
    sign(kind, extensions, start, end);
    writeFileSync(join(folder, `${kind}.chain.pem`), read(kind) + read('mid'));
  }
  run(
    'req',
    '-x509',
    '-new',
    '-key',
    'leaf.key',
    '-subj',
    '/CN=localhost',
    '-days',
    '3650',
    '-config',
    'ca.cnf',
    '-extensions',
    'leaf',
    '-out',
    'self-signed.pem',
  );
  writeFileSync(join(folder, 'self-signed.chain.pem'), read('self-signed'));
  writeFileSync(join(folder, 'leaf-only.chain.pem'), read('good'));
  writeFileSync(join(folder, 'with-root.chain.pem'), read('good') + read('mid') + read('root'));
}

/** The time in `days` days, in the format of openssl ca. */
export function moment(days: number): string {
  return `${new Date(Date.now() + days * 86_400_000).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
}

/** A configuration of openssl ca without extensions. */
export const CA_CONFIG = `
[req]
distinguished_name = dn
prompt = no
[dn]
CN = localhost
[ca]
default_ca = test
[test]
dir = .
database = index.txt
new_certs_dir = new
serial = serial
default_md = sha256
policy = any
unique_subject = no
copy_extensions = none
[any]
commonName = supplied
`;

const CONFIG = `${CA_CONFIG}[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[leaf]
subjectAltName = DNS:localhost,IP:127.0.0.1
extendedKeyUsage = serverAuth
[other]
subjectAltName = DNS:other.example
extendedKeyUsage = serverAuth
[names]
subjectAltName = DNS:svc.test,DNS:*.svc.test,DNS:registry.test,DNS:cdn.test
extendedKeyUsage = serverAuth
[nosan]
extendedKeyUsage = serverAuth
[uri]
subjectAltName = URI:https://localhost/,email:admin@localhost
extendedKeyUsage = serverAuth
[client]
subjectAltName = DNS:localhost,IP:127.0.0.1
extendedKeyUsage = clientAuth
`;
