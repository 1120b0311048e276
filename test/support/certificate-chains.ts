import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { madeDaily } from './folders.ts';
import { CA_CONFIG, moment } from './fault-certificates.ts';

/** Certificate chains with one defect above the host's own certificate, made by openssl once a day. */

export const CHAINS = [
  'sound',
  'expired',
  'both-expired',
  'soon',
  'future',
  'not-authority',
  'no-constraints-extension',
  'no-cert-sign',
  'permitted-other',
  'permitted-address',
  'excluded',
  'path-length',
  'client-only',
  'leaf-key-usage',
  'sha1',
  'leaf-sha1',
  'rsa-1024',
  'other-key',
  'one-missing',
  'unrelated',
  'root-missing',
  'cross-signed',
  'cross-signed-soon',
  'two-versions',
  'root-expired',
] as const;
export type Chain = (typeof CHAINS)[number];

export interface ChainFiles {
  /** PEM of the authority to trust; of `root-missing` another one. */
  ca: string;
  key: string;
  /** The chain that the host sends, its own certificate first. */
  cert: string;
  /** Paths, for `openssl verify`: the authority, the host's certificate, and the others that it sends. */
  files: { ca: string; leaf: string; others: string };
}

const PAST = '20200101000000Z';
const LATE = '20450101000000Z';
const ENDED = '20210101000000Z';

export function chain(name: Chain): ChainFiles {
  const folder = madeDaily('chains', makeAll);
  const files = {
    ca: join(folder, `${name}.ca.pem`),
    leaf: join(folder, `${name}.leaf.pem`),
    others: join(folder, `${name}.others.pem`),
  };
  return {
    ca: read(files.ca),
    key: read(join(folder, 'leaf.key')),
    cert: read(files.leaf) + read(files.others),
    files,
  };
}

function read(file: string): string {
  return readFileSync(file, 'utf8');
}

interface Made {
  name: string;
  key: string;
  pem: string;
}
interface Plan {
  extensions: string;
  start?: string;
  end?: string;
  digest?: string;
}

const AUTHORITY =
  'basicConstraints = critical,CA:TRUE\nkeyUsage = critical,keyCertSign,cRLSign\nsubjectKeyIdentifier = hash\n';
const LEAF = 'subjectAltName = DNS:localhost,IP:127.0.0.1\nextendedKeyUsage = serverAuth\n';

function makeAll(folder: string): void {
  const run = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  mkdirSync(join(folder, 'new'));
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(join(folder, 'serial'), '1000\n');
  for (const key of ['root', 'old', 'mid', 'second', 'leaf'])
    run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${key}.key`);
  run('genrsa', '-out', 'weak.key', '1024');
  let number = 0;

  /** Signs a certificate for a name and key; by itself where no issuer is given. */
  function issue(name: string, key: string, by: Made | null, plan: Plan): Made {
    number += 1;
    const file = `c${number}`;
    writeFileSync(join(folder, `${file}.cnf`), `${CA_CONFIG}[wanted]\n${plan.extensions}`);
    run('req', '-new', '-key', `${key}.key`, '-subj', `/CN=${name}`, '-config', `${file}.cnf`, '-out', `${file}.csr`);
    const signer = by
      ? ['-cert', `${file}.by.pem`, '-keyfile', `${by.key}.key`]
      : ['-selfsign', '-keyfile', `${key}.key`];
    if (by) writeFileSync(join(folder, `${file}.by.pem`), by.pem);
    const period = `-startdate ${plan.start ?? PAST} -enddate ${plan.end ?? LATE} -md ${plan.digest ?? 'sha256'}`;
    const named = `ca -batch -notext -config ${file}.cnf -extensions wanted -in ${file}.csr -out ${file}.pem ${period}`;
    run(...named.split(' '), ...signer);
    return { name, key, pem: read(join(folder, `${file}.pem`)) };
  }

  const root = issue('Chain Root', 'root', null, { extensions: AUTHORITY });
  const old = issue('Old Root', 'old', null, { extensions: AUTHORITY });
  const mid = (plan: Partial<Plan> = {}, key = 'mid', by = root): Made =>
    issue('Chain Intermediate', key, by, { extensions: AUTHORITY, ...plan });
  const leaf = (by: Made, plan: Partial<Plan> = {}): Made =>
    issue('localhost', 'leaf', by, { extensions: LEAF, ...plan });
  const write = (name: Chain, own: Made, others: readonly Made[], ca: Made = root): void => {
    writeFileSync(join(folder, `${name}.ca.pem`), ca.pem);
    writeFileSync(join(folder, `${name}.leaf.pem`), own.pem);
    writeFileSync(join(folder, `${name}.others.pem`), others.map(({ pem }) => pem).join(''));
  };
  const simple = (name: Chain, plan: Partial<Plan>, key = 'mid', ofLeaf: Partial<Plan> = {}): void => {
    const above = mid(plan, key);
    write(name, leaf(above, ofLeaf), [above]);
  };
  const constrained = (value: string): Partial<Plan> => ({
    extensions: `${AUTHORITY}nameConstraints = critical,${value}\n`,
  });

  simple('sound', {});
  simple('expired', { end: ENDED });
  simple('both-expired', { end: ENDED }, 'mid', { end: ENDED });
  simple('soon', { end: moment(7) });
  simple('future', { start: '20400101000000Z' });
  simple('not-authority', { extensions: 'basicConstraints = critical,CA:FALSE\nsubjectKeyIdentifier = hash\n' });
  simple('no-constraints-extension', { extensions: 'subjectKeyIdentifier = hash\n' });
  simple('no-cert-sign', {
    extensions: 'basicConstraints = critical,CA:TRUE\nkeyUsage = critical,cRLSign,digitalSignature\n',
  });
  simple('permitted-other', constrained('permitted;DNS:example.com,permitted;IP:127.0.0.0/255.0.0.0'));
  simple('permitted-address', constrained('permitted;DNS:localhost,permitted;IP:10.0.0.0/255.0.0.0'));
  simple('excluded', constrained('excluded;DNS:localhost'));
  simple('client-only', { extensions: `${AUTHORITY}extendedKeyUsage = clientAuth\n` });
  simple('leaf-key-usage', {}, 'mid', { extensions: `${LEAF}keyUsage = critical,cRLSign\n` });
  simple('sha1', { digest: 'sha1' });
  simple('leaf-sha1', {}, 'mid', { digest: 'sha1' });
  simple('rsa-1024', {}, 'weak');
  // The same name and key identifier scheme, but another key than the one that signed.
  const signer = mid({ extensions: 'basicConstraints = critical,CA:TRUE\n' });
  write('other-key', leaf(signer), [mid({ extensions: 'basicConstraints = critical,CA:TRUE\n' }, 'second')]);

  const first = issue('First Intermediate', 'second', root, {
    extensions: AUTHORITY.replace('CA:TRUE', 'CA:TRUE,pathlen:0'),
  });
  const below = mid({}, 'mid', first);
  write('path-length', leaf(below), [below, first]);
  const unlimited = issue('First Intermediate', 'second', root, { extensions: AUTHORITY });
  const lower = mid({}, 'mid', unlimited);
  write('one-missing', leaf(lower), [lower]);
  const other = issue('Unrelated Intermediate', 'second', root, { extensions: AUTHORITY });
  write('unrelated', leaf(mid()), [other]);
  const sound = mid();
  write('root-missing', leaf(sound), [sound], old);
  const cross = issue('Chain Root', 'root', old, { extensions: AUTHORITY, end: ENDED });
  write('cross-signed', leaf(sound), [sound, cross]);
  const crossSoon = issue('Chain Root', 'root', old, { extensions: AUTHORITY, end: moment(7) });
  write('cross-signed-soon', leaf(sound), [sound, crossSoon]);
  write('two-versions', leaf(sound), [mid({ end: ENDED }), sound]);
  const endedRoot = issue('Ended Root', 'root', null, { extensions: AUTHORITY, end: ENDED });
  const byEnded = mid({}, 'mid', endedRoot);
  write('root-expired', leaf(byEnded), [byEnded], endedRoot);
}
