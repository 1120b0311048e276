import { AppregError, message, type SafeText } from 'appreg';
import { invalidSetting } from './settings.ts';
import { resolve } from 'node:path';
import { openSync, fstatSync, readFileSync, closeSync, type Stats } from 'node:fs';
import { errorCode } from '../log.ts';
import { type SecretsKeys, secretsKeyIn } from './secrets-keys.ts';

/** Settings that are secrets: each can also be the only line of the file that `<NAME>_FILE` names. */
type SecretName = 'DATABASE_URL' | 'OPERATOR_TOKEN' | 'SECRETS_KEY' | 'SECRETS_KEY_OLD';

/** Maximum bytes of a secret. */
const LIMIT = 65_536;
/** Where container runtimes mount secrets: readable by every user of the container, which is one program. */
const CONTAINER_SECRETS = /^(\/var)?\/run\/secrets\//;
const OTHERS_READ = 0o004;
const OTHERS_WRITE = 0o002;

/**
 * A secret, from the environment variable or from the file that `<name>_FILE` names. One line end after it is ignored.
 * @param cwd the base of a relative path
 * @returns null if neither variable is set; an empty variable counts as not set
 * @throws AppregError `setting-invalid` if both are set, `secret-file-unusable`
 */
export function secretSetting(env: Record<string, string | undefined>, name: SecretName, cwd: string): string | null {
  const value = env[name] || null;
  const file = env[`${name}_FILE`] || null;
  if (file === null) return value;
  if (value !== null)
    throw invalidSetting(
      message`${name} and ${name}_FILE are both set.`,
      message`Set only one of them. ${name}_FILE is the path of a file that contains the secret.`,
    );
  return secretIn(resolve(cwd, file), `${name}_FILE`);
}

function secretIn(path: string, variable: string): string {
  const text = readSecretFile(path, variable).replace(/\r?\n$/, '');
  if (text === '') throw unusable(path, variable, 'is empty', message`Write the secret to it.`);
  if (/[\r\n\0\u{fffd}]/u.test(text))
    throw unusable(
      path,
      variable,
      'is not one line of text',
      message`Write only the secret to it, as one line in UTF-8.`,
    );
  return text;
}

function readSecretFile(path: string, variable: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, variable, error);
  }
  try {
    checkAccess(path, variable, fstatSync(descriptor));
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    throw error instanceof AppregError ? error : unreadable(path, variable, error);
  } finally {
    closeSync(descriptor);
  }
}

/** Checked on the open file, which cannot be replaced in between. Windows has other permissions. */
function checkAccess(path: string, variable: string, file: Stats): void {
  if (file.isDirectory())
    throw unusable(path, variable, 'is a folder', message`Give the file that contains the secret.`);
  if (file.size > LIMIT)
    throw unusable(path, variable, `has more than ${LIMIT} bytes`, message`Write only the secret to it.`);
  // Pipes, such as of <(pass show …), have no permissions of their own.
  if (process.platform === 'win32' || !file.isFile()) return;
  const forbidden = CONTAINER_SECRETS.test(path) ? OTHERS_WRITE : OTHERS_READ | OTHERS_WRITE;
  if ((file.mode & forbidden) === 0) return;
  throw unusable(
    path,
    variable,
    `is accessible to all users of this machine (mode ${(file.mode & 0o777).toString(8).padStart(4, '0')})`,
    message`Restrict it with chmod 600, or with chmod 640 if the service is in its group. In Kubernetes, set defaultMode: 0440.`,
  );
}

const READ_FAILURES: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'is not readable by the user that runs appreg',
};

function unreadable(path: string, variable: string, cause: unknown): AppregError {
  const code = errorCode(cause);
  const problem = READ_FAILURES[code] ?? `cannot be read: ${code || 'unknown error'}`;
  return unusable(
    path,
    variable,
    problem,
    message`Check the path in ${variable} and the permissions of the file.`,
    cause,
  );
}

function unusable(path: string, variable: string, problem: string, hint: SafeText, cause?: unknown): AppregError {
  return new AppregError('secret-file-unusable', message`${variable}: ${path} ${problem}.`, hint, { cause });
}

/**
 * SECRETS_KEY seals; SECRETS_KEY_OLD also opens what it sealed before.
 * @param cwd the base of a relative path of their files
 * @throws AppregError `setting-invalid`, `secret-file-unusable`
 */
export function secretsKeys(env: Record<string, string | undefined>, cwd: string): SecretsKeys {
  const current = secretSetting(env, 'SECRETS_KEY', cwd);
  const old = secretSetting(env, 'SECRETS_KEY_OLD', cwd);
  if (current === null && old !== null)
    throw invalidSetting(
      message`SECRETS_KEY_OLD is set without SECRETS_KEY.`,
      message`Set SECRETS_KEY to the new key.`,
    );
  return [
    ...(current === null ? [] : [keyIn('SECRETS_KEY', current)]),
    ...(old === null ? [] : [keyIn('SECRETS_KEY_OLD', old)]),
  ];
}

function keyIn(name: string, text: string): SecretsKeys[number] {
  const key = secretsKeyIn(text);
  if (key !== null) return key;
  // The value is a secret, so it is not quoted.
  throw invalidSetting(
    message`${name} is not a key of 32 bytes in base64.`,
    message`Create one with: openssl rand -base64 32`,
  );
}
