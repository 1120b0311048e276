import { posix } from 'node:path';
import type { FoundSecret } from './private-keys.ts';
import { isPatterned } from './published-samples.ts';

/** Files that hold credentials by their form: .env, .npmrc and the like. */

interface SettingsFile {
  kind: string;
  /** Finds the values: group 1 is what precedes the value, 2 the name, 3 the value. */
  line: RegExp;
  isSecret(name: string, value: string): boolean;
}

const TEMPLATE_SUFFIX = /\.(example|sample|template|tmpl|dist|defaults?|schema|test)$/i;

const ENV_FILE: SettingsFile = {
  kind: 'env-file',
  line: /^([ \t\ufeff]*(?:export[ \t]+)?([A-Za-z_][\w.]*)[ \t]*=[ \t]*)((?:"[^"\n]*")|(?:'[^'\n]*')|[^\n#]*)/gm,
  isSecret: isSecretSetting,
};
const NPMRC: SettingsFile = {
  kind: 'npm-credentials',
  line: /^([^\n#;]*?(_authToken|_auth|_password)[ \t]*=[ \t]*)([^\n]*)/gm,
  isSecret: isValue,
};

const SETTINGS_FILES: readonly { name: RegExp; file: SettingsFile }[] = [
  { name: /^\.env(\.[\w.-]+)?$|^[\w-]+\.env$/i, file: ENV_FILE },
  { name: /^\.?npmrc$/i, file: NPMRC },
  {
    name: /^\.yarnrc(\.yml)?$/i,
    file: {
      kind: 'npm-credentials',
      line: /^([^\n#]*?(npmAuthToken|npmAuthIdent|_authToken)["']?:?[ \t]*)([^\n]*)/gm,
      isSecret: isValue,
    },
  },
  {
    name: /^[._]netrc$/i,
    file: { kind: 'netrc-password', line: /(\b(password)\s+)(\S+)/g, isSecret: isValue },
  },
  {
    name: /^\.pypirc$/i,
    file: { kind: 'pypi-credentials', line: /^([ \t]*(password)[ \t]*[=:][ \t]*)([^\n]*)/gm, isSecret: isValue },
  },
];

/** The form of a file that holds credentials, or null. A template (`.env.example`) holds none. */
export function settingsFileAt(path: string): SettingsFile | null {
  const name = posix.basename(path);
  if (TEMPLATE_SUFFIX.test(name)) return null;
  return SETTINGS_FILES.find((one) => one.name.test(name))?.file ?? null;
}

/** The secrets in a text without a name that may be an .env or .npmrc file. */
export function settingsInPlainText(text: string): FoundSecret[] {
  return [ENV_FILE, NPMRC].flatMap((file) => settingsIn(text, file));
}

/** The secrets that the lines of a settings file set. */
export function settingsIn(text: string, { kind, line, isSecret }: SettingsFile): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const match of text.matchAll(line)) {
    const [all, before = '', name = '', written = ''] = match;
    const value = written.trim().replace(/^(["'])(.*)\1$/, '$2');
    if (!isSecret(name, value)) continue;
    found.push({ kind, value, from: match.index + before.length, to: match.index + all.length });
  }
  return found;
}

function isValue(_: string, value: string): boolean {
  return value !== '' && !isPlaceholder(value);
}

/** Names of settings that are not secret. */
const PLAIN_NAMES =
  /^(NODE_ENV|ENV|ENVIRONMENT|STAGE|MODE|PORT|HOST|HOSTNAME|TZ|LANG|LC_\w+|PATH|HOME|USER|SHELL|DEBUG|REGION|\w*(_ENV|_PORT|_HOST|_REGION|LOG_LEVEL|_VERSION|_LEVEL|_TIMEOUT|_LOCALE|_NAME|PUBLIC_KEY))$/i;
/** Names whose value is a secret, whatever it looks like. */
const SECRET_NAMES = /KEY|TOKEN|SECRET|PASS|PWD|CREDENTIAL|AUTH|PRIVATE|SIGN|SALT|DSN|WEBHOOK/i;
/** Values that are a number, a switch, a single word in lower case, a plain URL or a path. */
const PLAIN_VALUE =
  /^(-?\d{1,9}(\.\d+)?(ms|s|m|h|d|kb|mb|gb)?|true|false|yes|no|on|off|null|none|[a-z]{1,20}|\*|[a-z]+:\/\/[^@\s?]*|\.{0,2}\/\S*|[\w.-]+@[\w.-]+|[a-z0-9.-]+\.[a-z]{2,}(:\d+)?)$/;

function isSecretSetting(name: string, value: string): boolean {
  if (value === '' || isPlaceholderSetting(value) || PLAIN_NAMES.test(name)) return false;
  if (/^(true|false|yes|no|on|off|null|none|\d{1,4})$/i.test(value)) return false;
  if (SECRET_NAMES.test(name)) return value.length >= 4 && !/^https?:\/\/[^@?]*$/.test(value);
  return value.length >= 8 && !PLAIN_VALUE.test(value);
}

/** From this length on, a value is a token: nobody chooses such a password. */
const TOKEN_LENGTH = 20;

/** A short password may have few different characters. */
function isPlaceholderSetting(value: string): boolean {
  if (value.length >= TOKEN_LENGTH && isPatterned(value)) return true;
  return value.length >= 8 ? isPlaceholder(value) : isPlaceholder(`${value}-abcdef`);
}

// Values in place of a secret, as documentation and templates have them.

const TEMPLATE =
  /\$\{|\$\(|^\$[A-Za-z_]|\{\{|^<.*>$|%[A-Z_]{2,}%|\.{3}|…|\*{3}|x{6}|example|placeholder|change[-_ ]?me|your[-_ ]|replace[-_ ]|redacted|insert[-_ ]|dummy|process\.env|secrets\./i;
const MIN_DISTINCT = 5;

/** True for a value that only marks the place of a secret. */
export function isPlaceholder(value: string): boolean {
  return TEMPLATE.test(value) || new Set(value).size < MIN_DISTINCT;
}

const WORDS =
  /^(user(name)?|me|foo|bar|baz|name|login|pass(word|wd|phrase)?|pwd|secret|token|test|demo|admin|root|guest|abc|xyz|x+|\d{1,4})$/i;
const DOCUMENTATION_HOST =
  /(^|[.@])(localhost|example\.(com|org|net)|[\w-]+\.(example|test|invalid|localhost))$|^(127\.|0\.0\.0\.0|\[?::1|10\.|192\.168\.|host(name)?$|domain\.|my-?host|server)/i;

/** True for a URL with a user name and a password as documentation has it: `https://user:pass@example.com`. */
export function isExampleUrl(value: string): boolean {
  const [, user = '', password = '', host = ''] = /:\/\/([^:/@\s]*):([^@/\s]*)@([^/?#:\s"'`,]*)/.exec(value) ?? [];
  return WORDS.test(password) || DOCUMENTATION_HOST.test(host) || isPlaceholder(password) || user === password;
}
