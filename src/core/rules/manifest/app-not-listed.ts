import { message } from '../../text/message.ts';
import { authorOrCopy } from '../owners.ts';
import { isSafeKey } from '../../registry/app-key.ts';
import { type Difference, similarNames } from '../../text/similar-names.ts';
import { sinceCopy } from '../../text/format-duration.ts';
import { printable, printableExcerpt, safeExcerpt } from '../../text/text.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';

const HOW: Readonly<Record<Difference, string>> = {
  case: 'which differs only in case',
  separators: 'which differs in its hyphens, underscores or dots',
  'invisible-characters': 'which differs in invisible characters',
  spelling: 'which is spelled similarly',
};

const CAUSES = {
  'differs-in-case': { title: 'A listed key differs only in case' },
  'differs-in-separators': { title: 'A listed key differs only in hyphens, underscores or dots' },
  'differs-in-invisible-characters': { title: 'A listed key differs only in invisible characters' },
  'differs-in-spelling': { title: 'A listed key is spelled similarly' },
  'no-apps': { title: 'The manifest lists no apps', owner: authorOrCopy },
  absent: { title: 'The manifest lists no app with a similar key', owner: authorOrCopy },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const appNotListed = defineRule({
  id: 'app-not-listed',
  title: 'Requested app that is not listed',
  on: 'manifest',
  needs: ['keys', 'requested', 'copyAge'],
  severity: 'error',
  spec: '7',
  symptom: 'app-does-not-appear',
  owner: 'user',
  confirms: true,
  causes: CAUSES,
  failsWhen: '(diagnose) the app given with `--app` is not in the manifest; similar keys are suggested',
  why: 'The service only shows the apps of the manifest, and compares keys exactly.',
  examples: {
    bad: `// requested: Echo
{ "apps": {
  "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" }
} }`,
    good: `// requested: echo
{ "apps": {
  "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" }
} }`,
  },
  check({ keys, requested, copyAge }): Problem<Cause>[] {
    if (requested.length === 0) return [];
    const listed = new Set(keys);
    return requested.filter((key) => !listed.has(key)).map((key) => problem(key, keys, copyAge));
  },
});

function problem(key: string, keys: readonly string[], copyAge: number): Problem<Cause> {
  const near = similarNames(key, keys);
  const [closest] = near;
  const name = printableExcerpt(key, 80);
  const base = {
    app: key,
    evidence: { wanted: printable(key), listed: keys.length, near: near.map((other) => printable(other.name)) },
  };
  if (closest)
    return {
      ...base,
      cause: `differs-in-${closest.how}`,
      message: message`The manifest does not list the app “${name}”. It lists “${safeExcerpt(closest.name, 80)}”, ${HOW[closest.how]}.`,
      advice: message`Keys are compared exactly: use "${safeExcerpt(closest.name, 80)}".`,
    };
  return {
    ...base,
    cause: keys.length === 0 ? 'no-apps' : 'absent',
    message: message`The manifest does not list the app “${name}”${othersOf(keys.length)}.${sinceCopy(copyAge)}`,
    advice: message`Add it (appreg add-app ${isSafeKey(key) ? key : '<key>'}), and check that the manifest that was changed is the one at this URL, not another file, branch or bucket.`,
  };
}

function othersOf(count: number): string {
  if (count === 0) return '; it lists no apps';
  return count === 1
    ? '; the only listed app has a different key'
    : `; none of the ${count} listed apps has a similar key`;
}
