import { TOKEN_FORMS } from './detectors.ts';
import { isPlaceholder } from './placeholders.ts';
import { presetSecretsIn } from './preset-rules.ts';
import { type FoundSecret, privateKeysIn } from './private-keys.ts';
import { settingsFileAt, settingsIn } from './settings-files.ts';

/** All detectors of secrets. Loaded on demand, with secretlint. */

/** A text around a place that may be a secret. */
export interface Region {
  text: string;
  /** Path of the entry. */
  entry: string;
  /** False if text precedes or follows that is not in the region. */
  isStart: boolean;
  isEnd: boolean;
  /** Whether the entry may be a settings file; not so for a source map in it. */
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
  ].filter(({ from, to }) => (isStart || from > 0) && (isEnd || to < text.length));
  return withoutOverlaps(found, text.length);
}

function tokensIn(text: string): FoundSecret[] {
  return TOKEN_FORMS.flatMap(({ kind, pattern }) =>
    [...text.matchAll(pattern)].flatMap(({ 0: value, index }) =>
      isPlaceholder(value) ? [] : [{ kind, value, from: index, to: index + value.length }],
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
