import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsToVerify } from '../../src/ui/app.ts';
import { folder } from '../../../test/support/folders.ts';

/** The commands that the page shows to verify a version. */

const HEX = 'ab'.repeat(32);
const VERSION = {
  version: '1.2.0',
  artifactUrl: 'https://apps.example.com/clock-1.2.0.tar.gz',
  artifactChecksum: `sha256:${HEX}`,
};
const REGISTRY = 'https://apps.example.com/registry.json';

describe('the commands to verify a version', () => {
  test('name its artifact, its digest, and the version in the registry', () => {
    expect(commandsToVerify(VERSION, REGISTRY, 'clock')).toEqual({
      fetch: 'curl -fsSL -- https://apps.example.com/clock-1.2.0.tar.gz | sha256sum',
      digest: HEX,
      verify: 'appreg verify https://apps.example.com/registry.json --app=clock --versions=1.2.0',
    });
  });

  test('quote texts that a shell would interpret', () => {
    const url = 'https://apps.example.com/a&b;c$(id)`id`\'";rm -rf ~';
    const commands = commandsToVerify({ ...VERSION, artifactUrl: url }, REGISTRY, "it's --yes")!;
    const words = execFileSync(
      'sh',
      ['-c', `curl() { printf '%s\\n' "$@"; }; sha256sum() { cat; }; ${commands.fetch}`],
      {
        encoding: 'utf8',
      },
    );
    expect(words).toBe(`-fsSL\n--\n${url}\n`);
    const verify = execFileSync('sh', ['-c', `appreg() { printf '%s\\n' "$@"; }; ${commands.verify}`], {
      encoding: 'utf8',
    });
    expect(verify).toBe(`verify\n${REGISTRY}\n--app=it's --yes\n--versions=1.2.0\n`);
  });

  test('print the digest of the served bytes', () => {
    const file = join(folder(), 'clock.tar.gz');
    writeFileSync(file, 'the bytes');
    const hex = createHash('sha256').update('the bytes').digest('hex');
    const commands = commandsToVerify(
      { ...VERSION, artifactUrl: `file://${file}`, artifactChecksum: `sha256:${hex}` },
      REGISTRY,
      'clock',
    )!;
    const printed = execFileSync('sh', ['-c', `curl() { cat '${file}'; }; ${commands.fetch}`], { encoding: 'utf8' });
    expect(printed.split(' ')[0]).toBe(commands.digest);
  });

  test('leave out a version that is not a semantic version', () => {
    expect(commandsToVerify({ ...VERSION, version: 'v1' }, REGISTRY, 'clock')!.verify).not.toContain('--versions');
  });

  test.each([
    ['a control character in the URL', { artifactUrl: 'https://apps.example.com/a\u001b[2Jb' }],
    ['a line break in the URL', { artifactUrl: 'https://apps.example.com/a\nid' }],
    ['reordering characters in the URL', { artifactUrl: 'https://apps.example.com/a\u202eb' }],
    ['a hidden signature in the URL', { artifactUrl: 'https://apps.example.com/a?sig=REDACTED' }],
    ['a URL that is truncated on the page', { artifactUrl: `https://apps.example.com/${'a'.repeat(2000)}` }],
    ['a digest that is not valid', { artifactChecksum: 'sha256:<todo>' }],
  ])('are not shown for %s', (_, change) => {
    expect(commandsToVerify({ ...VERSION, ...change }, REGISTRY, 'clock')).toBe(null);
  });
});
