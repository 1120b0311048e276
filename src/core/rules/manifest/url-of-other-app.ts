import { pointerStep } from '../../json/pointer.ts';
import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { namesInPath } from '../other-app.ts';
import { urlParts } from '../../url/url.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  metadata: { title: 'The URLs of the metadata files of two apps are swapped' },
  icon: { title: 'The URLs of the icons of two apps are swapped' },
};
type Cause = keyof typeof CAUSES;

export const urlOfOtherApp = defineRule({
  id: 'url-of-other-app',
  title: 'URL that contains the key of another app',
  on: 'manifest',
  needs: ['keys', 'metadataUrls', 'iconUrls'],
  severity: 'warning',
  spec: '2.1',
  symptom: null,
  owner: 'author',
  causes: CAUSES,
  failsWhen:
    'the URL of a metadata file or icon contains the key of another app and not its own, while the URL of that app does not contain its key',
  why: 'The entries are probably swapped: subscribers would install another app than they choose.',
  examples: {
    bad: `{ "apps": {
  "echo": { "appMetadataUrl": "https://apps.example.com/clock/versions.json" },
  "clock": { "appMetadataUrl": "https://apps.example.com/echo/versions.json" }
} }`,
    good: `{ "apps": {
  "echo": { "appMetadataUrl": "https://apps.example.com/echo/versions.json" },
  "clock": { "appMetadataUrl": "https://apps.example.com/clock/versions.json" }
} }`,
  },
  check({ keys, metadataUrls, iconUrls }) {
    const known = new Set(keys);
    return [
      ...swapped(known, new Map(keys.map((key, i) => [key, namesIn(metadataUrls[i])])), 'metadata'),
      ...swapped(known, new Map(keys.map((key, i) => [key, namesIn(iconUrls[i])])), 'icon'),
    ];
  },
});

const FIELDS: Record<Cause, { name: string; at: string }> = {
  metadata: { name: 'metadata file', at: '/appMetadataUrl' },
  icon: { name: 'icon', at: '/blockStyle/iconUrl' },
};

function namesIn(url: string | null | undefined): ReadonlySet<string> {
  return new Set(url == null ? [] : namesInPath(urlParts(url)?.pathname ?? ''));
}

/** @param names the names in the URL of each app */
function swapped(
  keys: ReadonlySet<string>,
  names: ReadonlyMap<string, ReadonlySet<string>>,
  cause: Cause,
): Problem<Cause>[] {
  const { name, at } = FIELDS[cause];
  const problems: Problem<Cause>[] = [];
  for (const [key, own] of names) {
    if (own.size === 0 || own.has(key)) continue;
    const other = [...own].find(
      (one) => keys.has(one) && names.get(one)?.has(one) === false && names.get(one)!.size > 0,
    );
    if (other === undefined) continue;
    problems.push({
      at: `${pointerStep(key)}${at}`,
      cause,
      message: message`The URL of the ${name} of “${safeExcerpt(key, 60)}” contains the key of the app “${safeExcerpt(other, 60)}”, whose own URL does not.`,
      advice: message`Check whether the URLs of the two apps are swapped, and correct them.`,
      evidence: { otherApp: other },
    });
  }
  return problems;
}
