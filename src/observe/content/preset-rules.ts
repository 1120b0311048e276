import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { isExampleUrl, isPlaceholder } from './placeholders.ts';
import type { FoundSecret } from './private-keys.ts';

/** The rules of secretlint's recommended preset. Loaded on demand, since it is large. */

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

/** What the rules of the preset find in a text. @param path of the entry, by which some rules choose what they do */
export async function presetSecretsIn(text: string, path: string): Promise<FoundSecret[]> {
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
  return URL_KINDS.has(kind) ? !isExampleUrl(value) : !isPlaceholder(value);
}

/** A key has the same value in each form in which code contains it. */
function normalized(kind: string, value: string): string {
  return kind === 'private-key' ? value.replace(/-----[^-]+-----|\\+[nrt]|[\s\\]/g, '') : value.trim();
}
