import { formatTime } from '../text/format-time.ts';
import { message, safe, type SafeText } from '../text/message.ts';
import type { Hold, HoldCause } from './decide.ts';

/** Why a policy holds a version back, as a sentence that names the line of the policy, and when the version is offered. */
export function holdText({ cause, line, offeredAt }: Pick<Hold, 'cause' | 'line' | 'offeredAt'>): SafeText {
  const until =
    offeredAt === null ? message`` : message` It will be offered at ${formatTime(offeredAt.toISOString())}.`;
  return message`${safe(REASONS[cause](line))}${safe(until)}`;
}

const REASONS: Record<HoldCause, (line: string) => SafeText> = {
  denied: (line) => message`${line} refuses it.`,
  'not-allowed': (line) => message`No entry of ${line} matches it.`,
  'not-pinned': (line) => message`It is not in the range of ${line}.`,
  'attestation-missing': (line) => message`${line} requires an attestation, and its host has none.`,
  'attestation-refused': (line) =>
    message`${line} requires an attestation, and that of the version does not prove what is required.`,
  'attestation-pending': (line) => message`${line} requires an attestation, which is not known yet.`,
  'attestation-off': (line) => message`${line} requires an attestation, and attestations are not fetched.`,
  retired: (line) => message`Its author retired it, for a reason that ${line} does not allow.`,
  'too-new': (line) => message`It is younger than ${line}.`,
  'first-seen-unknown': (line) => message`${line} counts from its first sight, which is not known.`,
};
