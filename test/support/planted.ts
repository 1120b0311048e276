/** Secrets made up for tests: random values in the forms of real ones. None was ever valid. */

/** A pseudo-random text of these characters, the same in each run. */
export function randomText(length: number, alphabet: string, seed = 1): string {
  let state = seed * 2_654_435_761 + 12_345;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += alphabet[(state >>> 12) % alphabet.length];
  }
  return text;
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';
const ALNUM = UPPER + LOWER + DIGITS;
const HEX = `${DIGITS}abcdef`;
const BASE64 = `${ALNUM}+/`;

/** The base64 of a made-up key: the head of PKCS #8, and random bytes. */
const KEY_BODY = `MIIEvgIBADANBgkqhkiG9w0BAQEFAASC${randomText(1592, BASE64, 3)}`;
const keyLines = KEY_BODY.match(/.{1,64}/g) ?? [];
// In two parts, so that tools that search this repository find no key.
const BEGIN = ['-----BEGIN', 'PRIVATE', 'KEY-----'].join(' ');
const END = ['-----END', 'PRIVATE', 'KEY-----'].join(' ');

/** A private key as a file has it. */
export const PRIVATE_KEY = `${BEGIN}\n${keyLines.join('\n')}\n${END}\n`;
/** A part of that key, by which it is recognized in each form. */
const KEY_LINE = keyLines[3] ?? '';

export interface Planted {
  kind: string;
  /** The text that must not appear anywhere. */
  value: string;
  entry: string;
  text: string;
  line: number;
}

const token = (kind: string, value: string): Planted => ({
  kind,
  value,
  entry: 'app.js',
  text: `// one\nconst token = "${value}";\n`,
  line: 2,
});

/** One secret of each kind, in a file. */
export const PLANTED: readonly Planted[] = [
  token('github-token', `ghp_${randomText(36, ALNUM, 11)}`),
  token('github-token', `github_pat_${randomText(82, ALNUM, 12)}`),
  token('npm-token', `npm_${randomText(36, ALNUM, 13)}`),
  token('slack-token', `xoxb-${randomText(12, DIGITS, 14)}-${randomText(24, ALNUM, 15)}`),
  token('anthropic-key', `sk-ant-api03-${randomText(93, ALNUM, 16)}AA`),
  token('openai-key', `sk-${randomText(20, ALNUM, 17)}T3BlbkFJ${randomText(20, ALNUM, 18)}`),
  token('sendgrid-key', `SG.${randomText(22, ALNUM, 19)}.${randomText(43, ALNUM, 20)}`),
  token('shopify-key', `shpat_${randomText(32, ALNUM, 21)}`),
  token('linear-token', `lin_api_${randomText(40, ALNUM, 22)}`),
  token('stripe-key', `sk_live_${randomText(24, ALNUM, 23)}`),
  token('gitlab-token', `glpat-${randomText(20, ALNUM, 24)}`),
  token('aws-access-key-id', `AKIA${randomText(16, UPPER, 25)}`),
  token('database-password', `postgres://svc:${randomText(18, ALNUM, 26)}@db.flows.net:5432/main`),
  token('url-with-password', `https://deploy:${randomText(18, ALNUM, 27)}@git.flows.net/x.git`),
  {
    kind: 'aws-secret-access-key',
    value: randomText(40, ALNUM, 28),
    entry: 'app.js',
    text: `export const c={region:"x",secretAccessKey:"${randomText(40, ALNUM, 28)}"};\n`,
    line: 1,
  },
  {
    kind: 'env-file',
    value: randomText(20, HEX, 29),
    entry: '.env',
    text: `NODE_ENV=production\nPORT=8080\n\nAPI_TOKEN=${randomText(20, HEX, 29)}\n`,
    line: 4,
  },
  {
    kind: 'env-file',
    value: 'Tr0ub4dor&3',
    entry: 'config/.env.production',
    text: `# settings\nexport DB_PASSWORD="Tr0ub4dor&3"\n`,
    line: 2,
  },
  {
    kind: 'npm-credentials',
    value: randomText(36, HEX, 30),
    entry: '.npmrc',
    text: `registry=https://registry.flows.net/\n//registry.flows.net/:_authToken=${randomText(36, HEX, 30)}\n`,
    line: 2,
  },
  { kind: 'private-key', value: KEY_LINE, entry: 'lib/server.pem', text: PRIVATE_KEY, line: 1 },
  {
    kind: 'private-key',
    value: KEY_LINE,
    entry: 'app.js',
    text: `const key = ${JSON.stringify(PRIVATE_KEY)};\n`,
    line: 1,
  },
  {
    kind: 'private-key',
    value: KEY_LINE,
    entry: 'app.js',
    text: `const key = "${BEGIN}\\n" +\n  ${keyLines.map((line) => `"${line}\\n"`).join(' +\n  ')} +\n  "${END}";\n`,
    line: 1,
  },
  {
    kind: 'service-account-key',
    value: KEY_LINE,
    entry: 'account.json',
    text: JSON.stringify(
      { type: 'service_account', project_id: 'p', private_key_id: randomText(40, HEX, 31), private_key: PRIVATE_KEY },
      null,
      2,
    ),
    line: 5,
  },
];
