import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { authorityFolder, localCertificate } from '../../src/serve/local-ca.ts';
import { isLocal, makeAuthority, makeKey, makeLeaf } from '../../src/serve/certificates.ts';
import { folder } from '../support/folders.ts';
import { sendRequest, fill, startTestServer } from './support.ts';

const DAY = 86_400_000;
const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
const leafOf = (chain: string): X509Certificate => new X509Certificate(chain);

function curl(...args: string[]): Promise<{ code: unknown; stdout: string }> {
  return new Promise((resolve) => {
    execFile('curl', ['-q', '-sS', '--noproxy', '*', ...args], (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    );
  });
}

describe('the authority', () => {
  test('is created once, stored with permissions for its owner only, and reused', async () => {
    const dir = join(folder(), 'new', 'ca');
    const first = await localCertificate(dir, '127.0.0.1');
    const second = await localCertificate(dir, 'localhost');
    expect([first.isNew, second.isNew]).toEqual([true, false]);
    expect((await readdir(dir)).sort()).toEqual(['ca-key.pem', 'ca.pem']);
    expect(first.caFile).toBe(join(dir, 'ca.pem'));
    const authority = new X509Certificate(await readFile(first.caFile));
    for (const { cert, key } of [first, second]) {
      expect(leafOf(cert).verify(authority.publicKey)).toBe(true);
      expect(leafOf(cert).checkIssued(authority)).toBe(true);
      expect(key).not.toBe(await readFile(join(dir, 'ca-key.pem'), 'utf8'));
    }
    if (process.platform === 'win32') return;
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, 'ca-key.pem'))).mode & 0o777).toBe(0o600);
  });

  test('is the same for servers that start in parallel', async () => {
    const dir = folder();
    const made = await Promise.all(Array.from({ length: 8 }, () => localCertificate(dir, '127.0.0.1')));
    const authority = new X509Certificate(await readFile(join(dir, 'ca.pem')));
    expect(made.every(({ cert }) => leafOf(cert).verify(authority.publicKey))).toBe(true);
    expect((await readdir(dir)).sort()).toEqual(['ca-key.pem', 'ca.pem']);
  });

  test('is valid for two years and renewed in the last 30 days, and no certificate outlives it or 397 days', async () => {
    const dir = folder();
    const start = new Date('2026-05-01T00:00:00Z');
    const after = (days: number): Promise<Awaited<ReturnType<typeof localCertificate>>> =>
      localCertificate(dir, '127.0.0.1', new Date(start.getTime() + days * DAY));
    const certificates = [await after(0), await after(1), await after(699)];
    expect(certificates.map(({ isNew }) => isNew)).toEqual([true, false, false]);
    const end = Date.parse(new X509Certificate(await readFile(join(dir, 'ca.pem'))).validTo);
    expect(end).toBe(start.getTime() + 730 * DAY);
    for (const { cert } of certificates) {
      const [from, to] = [Date.parse(leafOf(cert).validFrom), Date.parse(leafOf(cert).validTo)];
      expect(to - from).toBeLessThanOrEqual(397 * DAY);
      expect(to).toBeLessThanOrEqual(end);
    }
    expect((await after(701)).isNew).toBe(true);
    expect(Date.parse(new X509Certificate(await readFile(join(dir, 'ca.pem'))).validTo)).toBeGreaterThan(end);
  });

  test('is created again if its certificate is damaged, and rejected if its key is', async () => {
    const dir = folder();
    await localCertificate(dir, '127.0.0.1');
    await writeFile(join(dir, 'ca.pem'), '-----BEGIN CERTIFICATE-----\nMII');
    expect((await localCertificate(dir, '127.0.0.1')).isNew).toBe(true);
    await writeFile(join(dir, 'ca-key.pem'), 'nonsense');
    await expect(localCertificate(dir, '127.0.0.1')).rejects.toMatchObject({
      code: 'local-ca-unusable',
      exit: 2,
      hint: expect.stringContaining('APPREG_CA_DIR'),
    });
    await expect(localCertificate(join(dir, 'ca.pem', 'below'), '127.0.0.1')).rejects.toMatchObject({
      code: 'local-ca-unusable',
    });
  });

  test.each([
    ['localhost', true],
    ['app.localhost', true],
    ['registry.test', true],
    ['TEST', true],
    ['printer.local', true],
    ['127.8.9.1', true],
    ['::1', true],
    ['192.168.1.2', true],
    ['172.31.0.1', true],
    ['fd00::1', true],
    ['fe80::1', true],
    ['10.0.0.1', true],
    ['example.com', false],
    ['localhost.example.com', false],
    ['nottest', false],
    ['8.8.8.8', false],
    ['172.32.0.1', false],
    ['2001:db8::1', false],
  ])('isLocal(%s) is %s', async (host, expected) => {
    expect(isLocal(host)).toBe(expected);
    const made = localCertificate(folder(), host);
    await (expected
      ? expect(made).resolves.toBeDefined()
      : expect(made).rejects.toMatchObject({ code: 'host-not-local', exit: 2 }));
  });

  test('is stored in the data folder of the platform', () => {
    const end = ['appreg', 'local-ca'].join(sep);
    expect(authorityFolder({ APPREG_CA_DIR: '/x' })).toBe('/x');
    expect(authorityFolder({ XDG_DATA_HOME: join(sep, 'data') }, 'linux')).toBe(join(sep, 'data', end));
    expect(authorityFolder({ XDG_DATA_HOME: 'relative' }, 'linux')).toBe(join(homedir(), '.local', 'share', end));
    expect(authorityFolder({}, 'darwin')).toBe(join(homedir(), 'Library', 'Application Support', end));
    expect(authorityFolder({ LOCALAPPDATA: 'L' }, 'win32')).toBe(join('L', end));
  });
});

describe('over HTTPS', () => {
  test.each(['localhost', '127.0.0.1'])('Node trusts the server at %s only with the authority', async (host) => {
    const root = folder();
    await fill(root, { 'registry.json': '{"apps":{}}' });
    const certificate = await localCertificate(folder(), host);
    const server = await startTestServer(root, { host, https: certificate });
    expect(server.url).toBe(`https://${host}:${server.port}/`);
    const ca = await readFile(certificate.caFile, 'utf8');
    expect((await sendRequest(server.manifestUrl, { ca })).status).toBe(200);
    await expect(sendRequest(server.manifestUrl)).rejects.toMatchObject({ code: 'SELF_SIGNED_CERT_IN_CHAIN' });
  });

  test.skipIf(!isInstalled('curl'))('curl trusts the server only with --cacert', async () => {
    const root = folder();
    await fill(root, { 'registry.json': '{"apps":{}}' });
    const certificate = await localCertificate(folder(), '127.0.0.1');
    const server = await startTestServer(root, { https: certificate });
    expect(await curl('--cacert', certificate.caFile, server.manifestUrl)).toEqual({ code: 0, stdout: '{"apps":{}}' });
    expect(
      await curl('--cacert', certificate.caFile, server.manifestUrl.replace('127.0.0.1', 'localhost')),
    ).toMatchObject({ code: 0 });
    expect((await curl(server.manifestUrl)).code).toBe(60);
  });

  test.skipIf(!isInstalled('openssl'))(
    'openssl accepts the chain by its strict rules, and only for names that the authority permits',
    async () => {
      const dir = folder();
      const { cert, caFile } = await localCertificate(dir, '192.168.7.7');
      const file = join(dir, 'leaf.pem');
      const verify = (pem: string, ...args: string[]): string => {
        writeFileSync(file, pem);
        const { stdout, stderr } = spawnSync(
          'openssl',
          ['verify', '-x509_strict', '-purpose', 'sslserver', ...args, '-CAfile', caFile, file],
          { encoding: 'utf8' },
        );
        return stdout + stderr;
      };
      for (const [option, name] of [
        ['hostname', 'localhost'],
        ['ip', '127.0.0.1'],
        ['ip', '::1'],
        ['ip', '192.168.7.7'],
      ]) {
        expect(verify(cert, `-verify_${option}`, name!)).toContain(': OK');
      }
      expect(verify(cert, '-verify_hostname', 'example.com')).toContain('ostname mismatch');
      const authority = { key: await readFile(join(dir, 'ca-key.pem'), 'utf8'), cert: await readFile(caFile, 'utf8') };
      const period = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + DAY) };
      for (const stolen of ['example.com', '8.8.8.8']) {
        const { cert: forged } = await makeLeaf(authority, [stolen], period);
        expect(verify(forged)).toContain('permitted subtree violation');
      }
      const text = execFileSync('openssl', ['x509', '-noout', '-text', '-in', caFile], { encoding: 'utf8' });
      expect(text).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0/);
      expect(text).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign/);
    },
  );

  test('a certificate is not verified by an authority with another key', async () => {
    const dir = folder();
    const { cert } = await localCertificate(dir, '127.0.0.1');
    const period = { notBefore: new Date(), notAfter: new Date(Date.now() + DAY) };
    const other = new X509Certificate(await makeAuthority(makeKey(), 'other', period));
    expect(leafOf(cert).verify(other.publicKey)).toBe(false);
  });
});
