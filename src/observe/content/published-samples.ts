import { createHash } from 'node:crypto';
import { ANCHORS } from './detectors.ts';

/** Values in the form of a secret that protect nothing: samples that are published, and forms of repeated characters. */

/** The SHA-256 digests of published samples, so that no scanner of secrets finds them here. */
const PUBLISHED = new Set([
  // The account key of Azurite and of the Azure storage emulator (devstoreaccount1).
  '0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059',
  // The key of the Azure Cosmos DB emulator.
  'aa6547439583c3a275d4542a0df6c1ad6a863971be9f2a2220f027cc02aef615',
  // The Ed25519 key with which the package ssh2 tests what Node supports.
  '0739020d3a2d8f666ad29cc2a2255d10c719f498a888e09104f51c88fbb06156',
  // RFC 8410, section 10.3.
  '4ff96a60934849a7f7c7733f163824cc22be7da33384bbd0b5de992972ea5586',
  // The documentation of Telegram's Bot API.
  '0b5dd075ccdd03c42f4edda8e299e6838e2a75d3486a2a8d86940ed1541e9178',
  // The documentation of GitHub's OAuth and GitHub apps: gho_16C7…, ghu_16C7…, ghp_16C7…, ghs_16C7…, ghr_1B4a….
  'bc3ae723f57c6b9e3fd80b699fcc420f6074b0b1718039669d22631d508ac0a7',
  '82e74299544e00738f9c0acb69b1eb348b3e20ffcfabcb34779bd37590fead6c',
  '3543c50b0cb9cea8e55eb1f529b79f043cb250d485fde7b66cabbb5183add7da',
  '797c0ce414586cc8eb6929afe947c720e3e4d351dd070a6fe39f630beaab3054',
  '6d7fa4e64d4b1f3ea31962e258b684de1f244434ebb11089b9d9817e44c43303',
]);

/** The parts of a value that may be a sample: keys in a connection string, too. */
const PARTS = /[A-Za-z0-9+/_:-]{20,}={0,2}/g;
const MAX_PARTS = 20;

/** True for a value that is, or contains, a published sample. */
export function isPublishedSample(value: string): boolean {
  const parts = value.match(PARTS)?.slice(0, MAX_PARTS) ?? [];
  return [value, ...parts].some((part) => PUBLISHED.has(createHash('sha256').update(part).digest('hex')));
}

/** Beginnings of tokens, longest first. */
const MARKS = [...ANCHORS.flatMap(({ starts }) => starts), 'sk-'].toSorted((a, b) => b.length - a.length);
const MIN_DISTINCT = 5;
/** A text that is one part again and again. */
const REPEATED = /^(.{1,16}?)\1+(.{0,15})$/;
/** The part of a token's characters from which it counts as a sequence or a run; in random hexadecimal it is a fifth. */
const MOST_STEPS = 0.7;

/**
 * True for a token whose characters repeat (`ghp_0000…`, `AccountKey=AAAA…==`), or follow one another
 * (`xoxb-1234567890-abcdef…`).
 */
export function isPatterned(token: string): boolean {
  const body = MARKS.reduce((rest, mark) => rest.replace(mark, ''), token)
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
  if (new Set(body).size < MIN_DISTINCT) return true;
  const [, part = '', rest = ''] = REPEATED.exec(body) ?? [];
  if (part !== '' && part.startsWith(rest)) return true;
  let steps = 0;
  for (let at = 1; at < body.length; at += 1)
    if (Math.abs(body.charCodeAt(at) - body.charCodeAt(at - 1)) <= 1) steps += 1;
  return steps >= (body.length - 1) * MOST_STEPS;
}
