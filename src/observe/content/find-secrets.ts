import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { TOKEN_FORMS } from './detectors.ts';
import { isPatterned, isPublishedSample } from './published-samples.ts';
import { isPlaceholder, isExampleUrl, settingsFileAt, settingsIn } from './settings-files.ts';
import { type FoundSecret, privateKeysIn } from './private-keys.ts';

/** All detectors of secrets. Loaded on demand, with secretlint. */

/** A text around a place that may be a secret. */
export interface Region {
  text: string;
  entry: string;
  /** False if text precedes or follows that is not in the region. */
  isStart: boolean;
  isEnd: boolean;
  /** True if the entry may be a settings file; not so for a source map in it. */
  isFile: boolean;
}

/** The secrets in a region, without those that its ends may have cut: they are in another region as well. */
export async function secretsIn({ text, entry, isStart, isEnd, isFile }: Region): Promise<FoundSecret[]> {
  const settings = isFile ? settingsFileAt(entry) : null;
  const found = [
    ...privateKeysIn(text),
    ...tokensIn(text),
    ...(await presetSecretsIn(text, entry)),
    ...(settings === null ? [] : settingsIn(text, settings)),
  ].filter(({ value, from, to }) => (isStart || from > 0) && (isEnd || to < text.length) && !isPublishedSample(value));
  return withoutOverlaps(found, text.length);
}

function tokensIn(text: string): FoundSecret[] {
  return TOKEN_FORMS.flatMap(({ kind, pattern }) =>
    [...text.matchAll(pattern)].flatMap(({ 0: value, index }) =>
      isPlaceholder(value) || isPatterned(value) ? [] : [{ kind, value, from: index, to: index + value.length }],
    ),
  );
}

/** Of several detectors that find the same characters, the first one. @param length of the text */
function withoutOverlaps(found: readonly FoundSecret[], length: number): FoundSecret[] {
  const isTaken = new Uint8Array(found.length < 2 ? 0 : length);
  const kept: FoundSecret[] = [];
  for (const one of found) {
    const characters = isTaken.subarray(one.from, one.to);
    if (characters.includes(1)) continue;
    characters.fill(1);
    kept.push(one);
  }
  return kept.toSorted((a, b) => a.from - b.from);
}

// The rules of secretlint's recommended preset. Loaded on demand, since it is large.

/** Our kinds for the messages of the preset; a message of a later version is its own kind. */
const KINDS: Readonly<Partial<Record<string, string>>> = {
  AWSSecretAccessKey: 'aws-secret-access-key',
  PrivateKey: 'private-key',
  PackageJSON_xOauthToken: 'github-token',
  Npmrc_authToken: 'npm-credentials',
  NPM_ACCESS_TOKEN: 'npm-token',
  SLACK_TOKEN: 'slack-token',
  IncomingWebhook: 'slack-webhook',
  BasicAuth: 'url-with-password',
  OPENAI_TOKEN: 'openai-key',
  ANTHROPIC_API_KEY: 'anthropic-key',
  LINEAR_API_TOKEN: 'linear-token',
  SENDGRID_KEY: 'sendgrid-key',
  SHOPIFY_KEY: 'shopify-key',
  GITHUB_TOKEN: 'github-token',
  OPS_TOKEN: '1password-token',
  MongoDBConnection: 'database-password',
  MySQLConnection: 'database-password',
  PostgreSQLConnection: 'database-password',
};

const URL_KINDS = new Set(['url-with-password', 'database-password']);

const CONFIG = {
  rules: [
    {
      id: '@secretlint/secretlint-rule-preset-recommend',
      rule: creator,
      rules: [
        // A comment in an artifact must not turn the scan off.
        { id: '@secretlint/secretlint-rule-filter-comments', disabled: true },
        // It reads .p12 files from the disk; keys of service accounts are found in private-keys.ts.
        { id: '@secretlint/secretlint-rule-gcp', disabled: true },
      ],
    },
  ],
};

/** Runs the rules of the preset on a text. @param path of the entry, by which some rules choose what they do */
async function presetSecretsIn(text: string, path: string): Promise<FoundSecret[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: `/${path}`, ext: '', contentType: 'text' },
    options: { config: CONFIG, noPhysicFilePath: true },
  });
  const found: FoundSecret[] = [];
  for (const message of messages) {
    if (message.type !== 'message') continue;
    const kind = KINDS[message.messageId] ?? message.messageId.toLowerCase().replaceAll('_', '-');
    const value = valueOf(message.data) ?? text.slice(...message.range);
    // The range of some rules begins before the value.
    const from = Math.max(message.range[0], text.indexOf(value, message.range[0]));
    if (isReal(kind, value)) found.push({ kind, value: normalized(kind, value), from, to: from + value.length });
  }
  return found;
}

/** The value in the data of a message: `{ TOKEN: "…" }`. */
function valueOf(data: unknown): string | null {
  if (typeof data !== 'object' || data === null) return null;
  for (const [name, value] of Object.entries(data))
    if (name !== 'typeName' && typeof value === 'string' && value !== '') return value;
  return null;
}

function isReal(kind: string, value: string): boolean {
  if (kind === 'private-key') return true;
  return URL_KINDS.has(kind) ? !isExampleUrl(value) : !isPlaceholder(value) && !isPatterned(value);
}

/** A key has the same value in each form in which code contains it. */
function normalized(kind: string, value: string): string {
  return kind === 'private-key' ? value.replace(/-----[^-]+-----|\\+[nrt]|[\s\\]/g, '') : value.trim();
}
