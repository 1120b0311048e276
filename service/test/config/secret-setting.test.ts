import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { secretSetting } from '../../src/config/secret-setting.ts';
import { resolveSettings } from '../../src/config/resolve-settings.ts';
import { errorOf, folder } from '../../../test/support/folders.ts';

const TOKEN = 'a-token-of-the-operator';

/** A folder with the file `token`. */
function folderWith(content: string | Uint8Array, mode = 0o600): string {
  const root = folder({ token: content });
  chmodSync(join(root, 'token'), mode);
  return root;
}

describe('a secret', () => {
  test('is read from the environment or from a file', () => {
    const root = folderWith(`${TOKEN}\n`);
    expect(secretSetting({}, 'OPERATOR_TOKEN', root)).toBe(null);
    expect(secretSetting({ OPERATOR_TOKEN: '', OPERATOR_TOKEN_FILE: '' }, 'OPERATOR_TOKEN', root)).toBe(null);
    expect(secretSetting({ OPERATOR_TOKEN: TOKEN }, 'OPERATOR_TOKEN', root)).toBe(TOKEN);
    expect(secretSetting({ OPERATOR_TOKEN_FILE: join(root, 'token') }, 'OPERATOR_TOKEN', '/')).toBe(TOKEN);
    expect(secretSetting({ OPERATOR_TOKEN_FILE: 'token' }, 'OPERATOR_TOKEN', root)).toBe(TOKEN);
    expect(secretSetting({ OPERATOR_TOKEN: '', OPERATOR_TOKEN_FILE: 'token' }, 'OPERATOR_TOKEN', root)).toBe(TOKEN);
  });

  test.each([
    ['no line end', TOKEN, TOKEN],
    ['a line end of Windows', `${TOKEN}\r\n`, TOKEN],
    ['spaces', ` ${TOKEN} \n`, ` ${TOKEN} `],
  ])('loses only one line end: %s', (_, content, expected) => {
    expect(secretSetting({ SECRETS_KEY_FILE: 'token' }, 'SECRETS_KEY', folderWith(content))).toBe(expected);
  });

  test.each([0o600, 0o400, 0o640, 0o440])('is read from a file of mode %o', (mode) => {
    expect(secretSetting({ OPERATOR_TOKEN_FILE: 'token' }, 'OPERATOR_TOKEN', folderWith(TOKEN, mode))).toBe(TOKEN);
  });

  test('is read from a pipe, such as of a process substitution', () => {
    const path = join(folder(), 'pipe');
    execFileSync('mkfifo', ['-m', '644', path]);
    spawn('/bin/sh', ['-c', 'echo "$1" > "$2"', 'sh', TOKEN, path]);
    expect(secretSetting({ OPERATOR_TOKEN_FILE: path }, 'OPERATOR_TOKEN', '/')).toBe(TOKEN);
  });

  test('of the settings can each be in a file', () => {
    const root = folder({ token: TOKEN, database: 'postgres://appreg:hunter2@db.internal/appreg\n' });
    for (const name of ['token', 'database']) chmodSync(join(root, name), 0o600);
    const env = { OPERATOR_TOKEN_FILE: 'token', DATABASE_URL_FILE: 'database' };
    expect(resolveSettings({}, env, { cwd: root, ca: null, machineCa: null, trustedRoot: null })).toMatchObject({
      operatorToken: TOKEN,
      databaseUrl: 'postgres://appreg:hunter2@db.internal/appreg',
      openSignUp: false,
    });
  });
});

describe('the file of a secret', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['is empty', '', 'is empty'],
    ['has only a line end', '\n', 'is empty'],
    ['has two lines', `${TOKEN}\n${TOKEN}\n`, 'is not one line of text'],
    ['has two line ends', `${TOKEN}\n\n`, 'is not one line of text'],
    ['is not UTF-8', Uint8Array.of(0xff, 0xfe), 'is not one line of text'],
    ['is too large', 'x'.repeat(65_537), 'has more than 65536 bytes'],
  ])('is refused if it %s', (_, content, problem) => {
    const root = folderWith(content);
    const error = errorOf(() => secretSetting({ OPERATOR_TOKEN_FILE: 'token' }, 'OPERATOR_TOKEN', root));
    expect(error).toMatchObject({
      code: 'secret-file-unusable',
      message: `OPERATOR_TOKEN_FILE: ${root}/token ${problem}.`,
    });
  });

  test.each([0o604, 0o644, 0o602, 0o666])('is refused with mode %o', (mode) => {
    const root = folderWith(TOKEN, mode);
    symlinkSync(join(root, 'token'), join(root, 'link'));
    for (const name of ['token', 'link']) {
      const error = errorOf(() => secretSetting({ SECRETS_KEY_FILE: name }, 'SECRETS_KEY', root));
      expect(error.message).toContain(`is accessible to all users of this machine (mode 0${mode.toString(8)})`);
      expect(`${error.message} ${error.hint}`).not.toContain(TOKEN);
    }
  });

  test('is refused if it is missing or a folder', () => {
    const root = folder({ 'folder/file': '' });
    const problemOf = (path: string): string =>
      errorOf(() => secretSetting({ DATABASE_URL_FILE: path }, 'DATABASE_URL', root)).message;
    expect(problemOf('missing')).toBe(`DATABASE_URL_FILE: ${root}/missing does not exist.`);
    expect(problemOf('folder')).toBe(`DATABASE_URL_FILE: ${root}/folder is a folder.`);
    expect(problemOf('folder/file/x')).toContain('cannot be read: ENOTDIR');
  });

  test('is refused if the variable itself is also set, even to the same value', () => {
    const root = folderWith(TOKEN);
    const env = { OPERATOR_TOKEN: TOKEN, OPERATOR_TOKEN_FILE: 'token' };
    const error = errorOf(() => secretSetting(env, 'OPERATOR_TOKEN', root));
    expect(error).toMatchObject({ code: 'setting-invalid' });
    expect(error.message).toBe('OPERATOR_TOKEN and OPERATOR_TOKEN_FILE are both set.');
  });
});
