import { message, safe } from '../../core/text/message.ts';
import { isAppregError } from '../../core/errors.ts';
import type { AppProblem } from '../../core/release/version-file.ts';
import { type AppToAssemble, checkAssembly } from '../../publish/assemble.ts';
import type { JudgeSettings } from '../../publish/check-change.ts';
import { hasDescription } from '../../release/description-folders.ts';
import type { FoundApp } from '../../release/find-apps.ts';
import { describedApps } from '../config/app-folders.ts';

/**
 * The description with which an app that the manifest does not list would be listed, or why it cannot be.
 * @param root the folder of the configuration
 * @param base the URL of the registry, with its trailing slash
 */
export function describeUnlisted(
  root: string,
  base: string,
  { key, folder }: FoundApp,
  judgeSettings: JudgeSettings,
): AppToAssemble | AppProblem {
  const described = [folder, `apps/${key}`].find((one) => hasDescription(root, one));
  if (described === undefined)
    return {
      message: message`The manifest does not list the app, and ${folder}/app.json does not exist.`,
      advice: message`Write ${folder}/app.json, such as { "name": ${JSON.stringify(key)}, "description": "What it does.", "color": "#1864ab" }, and put an icon beside it, such as icon.svg; appreg release then lists the app. Or list it directly: appreg add-app ${key}`,
    };
  const folders = describedApps(root, base, [{ key, folder: described }]);
  try {
    checkAssembly(folders, null, judgeSettings);
  } catch (error) {
    if (!isAppregError(error)) throw error;
    return {
      message: message`The manifest does not list the app, and its description is invalid. ${safe(error.summary)}`,
      advice: error.hint,
    };
  }
  const [app] = folders.apps;
  if (app === undefined) throw new Error(`${key} has neither a description nor an issue`);
  return app;
}
