import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { play } from './support/transcript.ts';

/** The commands of README.md, up to those that need a host, print what README.md shows; `…` is any text. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const METADATA = 'acme/apps/hello/versions.json';

interface ShownCommand {
  command: string;
  output: string;
}

function shownCommands(markdown: string): ShownCommand[] {
  const blocks = [...markdown.matchAll(/^```console\n([^]*?)^```$/gm)].map(([, block]) => block!);
  return blocks
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .map((text) => {
      const [command, ...output] = text.trimEnd().split('\n');
      return { command: command!, output: output.join('\n') };
    });
}

/** Digests and sizes depend on the version of esbuild. */
function patternOf(output: string): RegExp {
  const source = output
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:[0-9a-f]{64}')
    .replaceAll(/\d+ bytes/g, '\\d+ bytes')
    .replaceAll(/\s*…/g, '[^]*');
  return new RegExp(`^${source}$`);
}

/** Writes the digest of the first version in uppercase, as README.md states before it runs lint. */
function writeUppercaseDigest(folder: string): void {
  const path = join(folder, METADATA);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(/(?<=sha256:)[0-9a-f]{64}/, (hex) => hex.toUpperCase()),
  );
}

/** Creates the files of the `echo` commands. */
function writeShownFiles(markdown: string, folder: string): string[] {
  const files = [...markdown.matchAll(/^echo (["'])(.*)\1 > (\S+)$/gm)];
  for (const [, , text, name] of files) writeFileSync(join(folder, name!), `${text}\n`);
  return files.map(([, , , name]) => name!);
}

test('the commands of README.md print what it shows', { timeout: 60_000 }, async () => {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'appreg-readme-')));
  try {
    const readme = readFileSync(join(root, 'README.md'), 'utf8').replaceAll('\r\n', '\n');
    expect(writeShownFiles(readme, folder)).toEqual(['main.ts', 'icon.svg']);
    const appreg = [process.execPath, join(root, 'bin/appreg.js')];
    const commands = shownCommands(readme);
    const local = commands.slice(
      0,
      commands.findIndex(({ command }) => command.startsWith('appreg serve')),
    );
    expect(local.map(({ command }) => command.split(' ').slice(0, 2).join(' '))).toEqual([
      'appreg init',
      'cd acme',
      'appreg add-app',
      'appreg publish-version',
      'appreg lint',
      'appreg lint',
    ]);
    let cwd = folder;
    for (const { command, output } of local) {
      if (command === 'cd acme') {
        cwd = join(folder, 'acme');
        continue;
      }
      if (command === 'appreg lint') writeUppercaseDigest(folder);
      // Without a host, the published files cannot be read back.
      const flags = command.startsWith('appreg publish-version') ? ' --no-read-back' : '';
      const played = await play(`\`\`\`console\n$ ${command}${flags}\n\`\`\``, { appreg, folder: cwd });
      const printed = played.split('\n').slice(2, -1).join('\n');
      if (output !== '') expect(printed).toMatch(patternOf(output));
    }
    expect(readFileSync(join(folder, METADATA), 'utf8')).toMatch(/"sha256:[0-9a-f]{64}"/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
