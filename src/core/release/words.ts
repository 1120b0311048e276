import type { Decision } from './state.ts';

/** What a state means for one app, and what to do. */
export function explainState(
  { state, highest, withdrawn }: Decision,
  declared: string,
  key: string,
  versionFile: string,
): { message: string | null; advice: string | null } {
  switch (state) {
    case 'unchanged':
    case 'new':
      return { message: null, advice: null };
    case 'changed':
      return {
        message: withdrawn
          ? `${declared} was published before with other bytes, and is no longer listed. A published version never changes.`
          : `The app changed, but still declares ${declared}, which is published with other bytes.`,
        advice: `Raise the version in ${versionFile}, or run appreg release --bump --app ${key}.`,
      };
    case 'rebuilt':
      return {
        message: `Another version of appreg or esbuild builds other bytes from the same sources. The published ${declared} stays as it is.`,
        advice: 'Nothing has to be done.',
      };
    case 'behind':
      return {
        message: `${declared} is not listed, and not higher than ${highest ?? 'what is listed'}, the highest listed version.`,
        advice: `Declare a version above ${highest ?? 'it'} in ${versionFile}.`,
      };
    case 'unlisted':
      return { message: 'The manifest does not list the app.', advice: `Add it: appreg add-app ${key}` };
  }
}
