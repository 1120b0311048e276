import { authorOrCopy } from '../owners.ts';
import { isSafeKey } from '../../registry/app-key.ts';
import { similarNames } from '../../text/similar-names.ts';
import { sinceCopy } from '../../text/format-duration.ts';
import { printable, shorten } from '../../text/text.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';

const HOW: Readonly<Record<string, string>> = {
  case: 'which differs in case alone',
  separators: 'which differs in its hyphens, underscores or dots',
  'unseen-characters': 'which differs in characters that nobody sees',
  spelling: 'which is spelt nearly the same',
};

const CAUSES = {
  'differs-in-case': { title: 'A listed key differs only in case' },
  'differs-in-separators': { title: 'A listed key differs only in hyphens, underscores or dots' },
  'differs-in-unseen-characters': { title: 'A listed key differs only in invisible characters' },
  'differs-in-spelling': { title: 'A listed key is spelt almost the same' },
  'no-apps': { title: 'The manifest lists no apps', owner: authorOrCopy },
  absent: { title: 'The manifest lists no app with a similar key', owner: authorOrCopy },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const appNotListed = defineRule({
  id: 'app-not-listed',
  on: 'manifest',
  needs: ['keys', 'asked', 'copyAge'],
  severity: 'error',
  spec: '7',
  symptom: 'app-does-not-appear',
  owner: 'asker',
  confirms: true,
  causes: CAUSES,
  failsWhen:
    '(diagnose) an app that was asked for with `--app` is not in the manifest; keys that are nearly the same are named',
  why: 'The service shows the apps of the manifest and no others, and compares their keys letter by letter.',
  check({ keys, asked, copyAge }): Problem<Cause>[] {
    const listed = new Set(keys);
    return asked.filter((key) => !listed.has(key)).map((key) => problem(key, keys, copyAge));
  },
});

function problem(key: string, keys: readonly string[], copyAge: number): Problem<Cause> {
  const near = similarNames(key, keys);
  const [closest] = near;
  const name = shorten(printable(key), 80);
  const base = {
    app: key,
    evidence: { wanted: printable(key), listed: keys.length, near: near.map((other) => printable(other.name)) },
  };
  if (closest)
    return {
      ...base,
      cause: `differs-in-${closest.how}`,
      message: `The manifest lists no app “${name}”. It lists “${shorten(printable(closest.name), 80)}”, ${HOW[closest.how]}.`,
      advice: `Keys are compared letter by letter: look for "${shorten(printable(closest.name), 80)}".`,
    };
  return {
    ...base,
    cause: keys.length === 0 ? 'no-apps' : 'absent',
    message: `The manifest lists no app “${name}”${othersOf(keys.length)}.${sinceCopy(copyAge)}`,
    advice: `Add it (appreg add-app ${isSafeKey(key) ? key : '<key>'}), and see that the manifest that was changed is the one at this URL: another file, branch or bucket is soon mistaken for it.`,
  };
}

function othersOf(count: number): string {
  if (count === 0) return ', nor any other';
  return count === 1
    ? '; the one that it lists has another key'
    : `; none of the ${count} that it lists has a key like it`;
}
