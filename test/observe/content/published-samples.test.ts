import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isPatterned, isPublishedSample } from '../../../src/observe/content/published-samples.ts';
import { PLANTED } from '../../support/planted.ts';
import { scan } from './scan-support.ts';

/** Values that have the form of a secret, and protect nothing. */

// The well-known account key of Azurite, in parts, so that tools that search this repository find no key.
const AZURITE = ['Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsu', 'Fq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='].join(
  '',
);
const zeros = (length: number): string => '0'.repeat(length);

describe('no secret in code and settings', () => {
  test.each([
    ['the account key of Azurite', `AccountName=devstoreaccount1;AccountKey=${AZURITE};`],
    ["AWS's sample", 'AKIAIOSFODNN7EXAMPLE'],
    ["GitHub's sample", ['gho', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_')],
    ["Telegram's sample", ['110201543', 'AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'].join(':')],
    ['a GitHub token of zeros', `ghp_${zeros(36)}`],
    ['a fine-grained GitHub token of zeros', `github_pat_${zeros(82)}`],
    ['a GitHub token of one letter, with a number', `ghp_${'A'.repeat(32)}0001`],
    ['an account key of Azure', `AccountKey=${'A'.repeat(86)}==`],
    ['a Slack token of zeros', `xoxb-${zeros(12)}-${zeros(12)}-${zeros(24)}`],
    ['a Slack token of digits and letters in their order', 'xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx'],
    ['an npm token of zeros', `npm_${zeros(36)}`],
    ['an AWS key of one letter', `AKIA${'A'.repeat(16)}`],
    ['a Stripe key of zeros', ['sk', 'live', zeros(24)].join('_')],
    ['an OpenAI key of zeros', `sk-${zeros(20)}T3BlbkFJ${zeros(20)}`],
    ['a SendGrid key of zeros', `SG.${zeros(22)}.${zeros(43)}`],
    ['a GitLab token of zeros', `glpat-${zeros(20)}`],
    ['a token of repeated hexadecimal digits', `dapi${'0123456789abcdef'.repeat(2)}`],
    ['a Telegram token of zeros', `123456789:AA${zeros(33)}`],
  ])('%s', async (_, value) => {
    const files = { 'app.js': `const a = "${value}";\n`, '.env': `SAMPLE_TOKEN=${value}\n` };
    expect(await scan(files)).toMatchObject({ secrets: [], secretCount: 0 });
  });
});

test('a real key beside a sample', async () => {
  const [{ text } = { text: '' }] = PLANTED;
  expect((await scan({ 'app.js': `AccountKey=${AZURITE};\n${text}` })).secretCount).toBe(1);
});

test('a change of one character is no sample', async () => {
  expect(isPublishedSample(AZURITE)).toBe(true);
  expect(isPublishedSample(AZURITE.replace('E', 'F'))).toBe(false);
  expect((await scan({ 'app.js': `"AccountKey=${AZURITE.replace('E', 'F')}"` })).secretCount).toBe(1);
});

test('random tokens have no pattern', () => {
  for (const form of ['hex', 'base64url'] as const)
    for (let i = 0; i < 2000; i += 1) {
      const body = createHash('sha256').update(`${form} ${i}`).digest(form).slice(0, 32);
      expect(isPatterned(`ghp_${body}`), body).toBe(false);
    }
});
