import { createHash } from 'node:crypto';
import { entry, pax, tgz } from './tar-builder.ts';

/** Archives whose content is made to take the time of a scan. */

export interface HostileArchive {
  name: string;
  /** @param megabytes of content, before compression */
  build(megabytes: number): Buffer;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Characters that look random, and are the same in each run. */
function characters(seed: number, length: number): string {
  let text = '';
  for (let part = 0; text.length < length; part += 1)
    for (const byte of createHash('sha512').update(`${seed} ${part}`).digest()) text += ALPHABET[byte % 62];
  return text.slice(0, length);
}

/** Lines up to a size. */
function lines(megabytes: number, line: (i: number) => string): string {
  const all: string[] = [];
  for (let i = 0, bytes = 0; bytes < megabytes * 1e6; i += 1) {
    const text = line(i);
    bytes += text.length;
    all.push(text);
  }
  return all.join('');
}

/** An archive that is not refused for its ratio of compression. */
function packed(megabytes: number, ...entries: Buffer[]): Buffer {
  const noise = Buffer.alloc(Math.ceil((megabytes * 1e6) / 100));
  for (let at = 0; at < noise.length; at += 64)
    noise.set(
      createHash('sha512')
        .update(`${at}`)
        .digest()
        .subarray(0, noise.length - at),
      at,
    );
  return tgz(entry('noise.bin', noise), ...entries);
}

const of = (name: string, line: (i: number) => string, path = 'app.js'): HostileArchive => ({
  name,
  build: (megabytes) => packed(megabytes, entry(path, lines(megabytes, line))),
});

export const HOSTILE_ARCHIVES: readonly HostileArchive[] = [
  of('tokens', (i) => `ghp_${characters(i, 36)}\n`),
  of('tokens in one line', (i) => `ghp_${characters(i, 36)} `),
  of('the same token', () => `ghp_${characters(1, 36)}\n`),
  of('first lines of private keys', () => '-----BEGIN PRIVATE KEY-----\n'),
  of('last lines of private keys', () => '-----END PRIVATE KEY-----\n'),
  of('private keys', (i) => `-----BEGIN PRIVATE KEY-----\nMIIE${characters(i, 96)}\n-----END PRIVATE KEY-----\n`),
  of('labels of private keys', () => `-----BEGIN ${'A '.repeat(40)}PRIVATE KEY-----\n`),
  of('settings', (i) => `TOKEN_${i}=${characters(i, 24)}\n`, '.env'),
  of('a setting with a long name', () => 'TOKEN_'.repeat(1000), '.env'),
  of('white space in settings', () => 'password '.padEnd(5000), '.netrc'),
  of('SendGrid keys that do not end', () => `SG.${'a'.repeat(300)}.${'a_'.repeat(300)}\n`),
  of('URLs with passwords', (i) => `https://user:${characters(i, 20)}@db.acme-${i}.net/x\n`),
  of('connection strings', (i) => `postgres://user:${characters(i, 99)}@db${'x'.repeat(90)}.net/${'y'.repeat(90)}\n`),
  of('tokens of Slack', () => `xoxb-${'abcdefghij-'.repeat(200)}\n`),
  of('paths of the build machine', (i) => `"/home/kim${i}/acme/src/a.ts"\n`),
  of('deep paths of the build machine', (i) => `"C:\\\\\\\\Users\\\\\\\\kim${i}${'\\\\\\\\a b'.repeat(50)}"\n`),
  of('inline source maps', () => '//# sourceMappingURL=data:application/json;base64,aa!\n'),
  {
    name: 'a source map with tokens',
    build: (megabytes) =>
      packed(
        megabytes,
        entry(
          'app.js',
          `//# sourceMappingURL=data:application/json;base64,${Buffer.from(lines(megabytes * 0.7, (i) => `ghp_${characters(i, 36)} `)).toString('base64')}`,
        ),
      ),
  },
  {
    name: 'tokens in UTF-16',
    build: (megabytes) =>
      packed(
        megabytes,
        entry('app.js', Buffer.from(`\ufeff${lines(megabytes / 2, (i) => `ghp_${characters(i, 36)}\n`)}`, 'utf16le')),
      ),
  },
  {
    name: 'tokens in names',
    build: (megabytes) =>
      packed(
        megabytes,
        ...Array.from({ length: Math.min(10_000, megabytes * 250) }, (_, i) =>
          Buffer.concat([
            pax({ path: `${i}/${lines(0.0038, (j) => `ghp_${characters(i * 100 + j, 36)} `)}` }),
            entry('x', 'x'),
          ]),
        ),
      ),
  },
  {
    name: 'packages in names',
    build: (megabytes) =>
      packed(
        megabytes,
        ...Array.from({ length: Math.min(10_000, megabytes * 250) }, (_, i) =>
          Buffer.concat([pax({ path: `${i}/${'node_modules/'.repeat(300)}x` }), entry('x', 'x')]),
        ),
      ),
  },
];
