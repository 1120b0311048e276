import { message } from '../../text/message.ts';
import { MAX_DEPTH } from '../../json/json.ts';
import { defineRule } from '../rule.ts';

export const documentOversized = defineRule({
  id: 'document-oversized',
  title: 'File too large or nested too deeply',
  on: 'document',
  needs: ['reading', 'content'],
  severity: 'error',
  spec: null,
  symptom: 'by-resource',
  owner: 'author',
  hidesApp: true,
  hiddenReason: 'Its metadata file is too large or nested too deeply.',
  causes: {
    depth: { title: 'The document is nested too deeply' },
    bytes: {
      title: 'The file is too large',
      owner: 'host',
      local: message`Check that this is the JSON file, or split the registry if it is really that large.`,
    },
  },
  failsWhen: 'a file is larger, or more deeply nested, than the limit. Reading stops at the limit',
  why: 'Subscribers limit what they read, so that one registry cannot exhaust their memory.',
  examples: {
    bad: `{ "apps": ${'['.repeat(70)}${']'.repeat(70)} }`,
    good: '{ "apps": {} }',
  },
  check({ reading, content }) {
    if (reading.oversized === 'depth') {
      return {
        cause: 'depth',
        ...(reading.tooDeepAt === null ? {} : { offset: reading.tooDeepAt }),
        message: message`The document is nested deeper than ${MAX_DEPTH} levels.`,
        advice: message`Remove the nesting; the format needs five levels.`,
        evidence: { limit: MAX_DEPTH },
      };
    }
    if (reading.oversized !== 'bytes') return null;
    return {
      cause: 'bytes',
      message: message`The document is larger than the limit; reading stopped after ${content.bytes} bytes.`,
      advice: message`Check that the URL leads to the JSON file, or split the registry if it is really that large.`,
      evidence: { bytesRead: content.bytes },
    };
  },
});
