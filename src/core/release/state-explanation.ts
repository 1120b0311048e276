import type { Decision } from './state.ts';
import type { AppProblem } from './version-file.ts';

/** The app whose state is explained. */
interface ExplainedApp {
  key: string;
  declared: string;
  /** As messages name it. */
  versionFile: string;
  /** Whether the manifest lists the app. */
  isListed: boolean;
  /** Why an app that is not listed cannot be listed; null for another app. */
  unlisted: AppProblem | null;
}

/** What a state means for one app, and what to do. */
export function explainState(
  { state, highest, withdrawn }: Decision,
  { declared, key, versionFile, isListed, unlisted }: ExplainedApp,
): { message: string | null; advice: string | null } {
  switch (state) {
    case 'unchanged':
      return { message: null, advice: null };
    case 'new':
      return {
        message: isListed ? null : 'The app is not listed yet; release lists it with this version.',
        advice: null,
      };
    case 'changed':
      return {
        message: withdrawn
          ? `${declared} was already published with different bytes, and is no longer listed. A published version never changes.`
          : `The app changed, but still declares ${declared}, which is published with different bytes.`,
        advice: `Raise the version in ${versionFile}, or run appreg release --bump --app ${key}.`,
      };
    case 'rebuilt':
      return {
        message: `A different version of appreg or esbuild builds different bytes from the same sources. The published ${declared} is not changed.`,
        advice: 'No action is required.',
      };
    case 'behind':
      return {
        message: `${declared} is not listed, and not higher than ${highest ?? 'what is listed'}, the highest listed version.`,
        advice: `Declare a version above ${highest ?? 'it'} in ${versionFile}.`,
      };
    case 'unlisted':
      return unlisted ?? { message: null, advice: null };
  }
}
