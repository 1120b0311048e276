import { describe, expect, test } from 'vitest';
import { kindOf } from '../../../src/core/text/file-type.ts';
import { withoutSecretsInHead } from '../../../src/observe/content/redact-head.ts';
import { createDigester } from '../../../src/observe/digest/digest.ts';
import { digestArtifact, type Inspected } from '../../../src/observe/archive/digest-artifact.ts';
import { listArchive } from '../../support/archives.ts';
import { expectNoSecret } from '../../support/leaks.ts';
import { PLANTED, PRIVATE_KEY } from '../../support/planted.ts';
import * as tar from '../../support/tar-builder.ts';

/** Secrets outside of the content of files: in names, and in what is served in place of an archive. */

const valueOf = (kind: string): string => PLANTED.find((one) => one.kind === kind)?.value ?? '';
const TOKEN = valueOf('github-token');
const OTHER = valueOf('npm-token');

describe('names of entries', () => {
  const archive = tar.tgz(
    tar.entry(`keys/${TOKEN}.txt`, 'x'),
    tar.entry(`keys/${OTHER}.txt`, 'x'),
    tar.entry('link', '', { type: '2', link: `../${TOKEN}` }),
    tar.entry('app.js', `// ${TOKEN}\n`),
  );

  test('show no secret, and stay different', async () => {
    for (const scan of [null, { folders: [] }]) {
      const facts = await listArchive(archive, { scan });
      expectNoSecret(JSON.stringify(facts));
      const [first, second, link] = facts.entries;
      expect(first?.path).toMatch(/^keys\/REDACTED-*\.txt$/);
      expect(second?.path).toMatch(/^keys\/REDACTED2-*\.txt$/);
      expect(link?.link).toMatch(/^\.\.\/REDACTED-*$/);
      expect(first?.path).toHaveLength(`keys/${TOKEN}.txt`.length);
    }
  });

  test('are scanned, and a secret that a file has as well is one secret', async () => {
    const { scan } = await listArchive(archive, { scan: { folders: [] } });
    expect(scan).toMatchObject({
      secretCount: 2,
      secrets: [
        { kind: 'github-token', entry: 'app.js', line: 1 },
        { kind: 'npm-token', entry: expect.stringMatching(/^keys\/REDACTED2/) as string, line: 0 },
      ],
    });
  });

  test('without a secret are not changed', async () => {
    const { entries } = await listArchive(tar.tgz(tar.entry('ghp_short/secretary.js', 'x')));
    expect(entries.map(({ path }) => path)).toEqual(['ghp_short/secretary.js']);
  });
});

async function inspect(text: string | Buffer): Promise<Inspected> {
  const task = { limit: Infinity, weak: false, lines: false, packedBytes: null, scan: null, owner: '' };
  const inspection = digestArtifact(task);
  await inspection.write(Buffer.from(text));
  return inspection.end();
}

describe('a text in place of an archive', () => {
  test.each([
    ['a message with a token', `Invalid token "${TOKEN}" for this bucket\n`],
    ['a token that ends behind what is quoted', `${'-'.repeat(500)} ${TOKEN}\n`],
    ['an .env file', `NODE_ENV=production\nAPI_TOKEN=${valueOf('env-file')}\n`],
    ['an .env file with a byte order mark', `\ufeffAPI_TOKEN=${valueOf('env-file')}\n`],
    ['an .npmrc file', `//registry.flows.net/:_authToken=${valueOf('npm-credentials')}\n`],
    ['a JSON file', `{"password":"x","token":"${OTHER}"}`],
    ['an HTML page', `<!doctype html><title>${TOKEN}</title>`],
    ['a private key', PRIVATE_KEY],
    ['a private key without its end', `${PRIVATE_KEY.slice(0, 900)}\n${'x'.repeat(20_000)}`],
  ])('%s is quoted without the secret', async (_, text) => {
    const { content } = await inspect(text);
    const head = Buffer.from(content.head, 'base64');
    expectNoSecret(head.toString('latin1'));
    expect(head.toString('latin1')).toContain('REDACTED');
    expect(head).toHaveLength(Math.min(Buffer.byteLength(text), 512));
    expect(kindOf(head)).toBe(kindOf(Buffer.from(text)));
  });

  test('of Windows, in UTF-16', async () => {
    const { content } = await inspect(Buffer.from(`\ufeffAPI_TOKEN=${valueOf('env-file')}\r\n`, 'utf16le'));
    expectNoSecret(Buffer.from(content.head, 'base64').toString('utf16le'));
  });

  test.each([
    'Access denied: ask secret-team@example.com.\n',
    '{"error":"no such key"}',
    'AuthenticationFailed=true\n',
  ])('without a secret is quoted as it is: %j', async (text) => {
    expect(Buffer.from((await inspect(text)).content.head, 'base64').toString()).toBe(text);
  });

  test('the digest is that of the bytes as served', async () => {
    const digester = createDigester(Infinity);
    digester.write(Buffer.from(TOKEN));
    const { sha256 } = digester.end();
    expect((await inspect(TOKEN)).content.sha256).toBe(sha256);
    expect(await withoutSecretsInHead({ head: '' }, Buffer.alloc(0))).toEqual({ head: '' });
  });
});
